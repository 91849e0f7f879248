"""Text to counts, by the rules of the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

import numpy as np
import scipy.sparse as sp

from ._base import BaseEstimator, TransformerMixin, check_is_fitted
from ._svtd import Counts, count, default_preprocessing, n_threads, stop_words


class Vectorizer(TransformerMixin, BaseEstimator):
    """Counts the words of texts, with the same preprocessing as ``svtd fit``.

    Words are found by the rules of Unicode, put in lower case, and left out if they are stop words
    of the language (which is guessed unless told), numbers, too short or too rare. The vocabulary
    is ordered by falling frequency.

    Parameters
    ----------
    language : str, optional
        The language, such as ``'english'``; guessed if not given.
    token_regex : str, optional
        What a word looks like, instead of the word boundaries of Unicode.
    lowercase : bool, default=True
        Whether words are put in lower case.
    apostrophes : {'keep', 'split', 'possessive'}, optional
        What an apostrophe inside a word means; by the language if not given.
    min_length : int, default=2
        Fewest characters of a word.
    numbers : {'drop', 'keep'}, default='drop'
        Whether numbers are words.
    ngrams : (int, int), default=(1, 1)
        How many neighbouring words make a word of the vocabulary, from and to.
    stem : str, optional
        The language whose Snowball stemmer maps words to stems.
    stop_words : str, list of str or None, default='auto'
        ``'auto'`` for those of the language if it is clear, a language, a list, or ``None``.
    min_df : int or float, default=2
        Words in fewer documents are dropped; a float is a share of the documents.
    max_df : int or float, default=1.0
        Words in more documents are dropped; a float is a share of the documents.
    max_words : int or None, default=100000
        At most this many words are kept, the most frequent ones.

    Attributes
    ----------
    words_ : list of str
        The vocabulary, in the order of the columns.
    notes_ : list of str
        What was guessed about the texts.

    Examples
    --------
    >>> import svtd
    >>> texts = ["The sun and the stars", "The stars and the moon"]
    >>> vectorizer = svtd.Vectorizer(min_df=1, language="english")
    >>> vectorizer.fit_transform(texts).toarray().tolist()
    [[1, 0, 1], [1, 1, 0]]
    >>> vectorizer.get_feature_names_out().tolist()
    ['stars', 'moon', 'sun']
    """

    def __init__(
        self,
        *,
        language: Optional[str] = None,
        token_regex: Optional[str] = None,
        lowercase: bool = True,
        apostrophes: Optional[str] = None,
        min_length: int = 2,
        numbers: str = "drop",
        ngrams: tuple[int, int] = (1, 1),
        stem: Optional[str] = None,
        stop_words: Union[str, Sequence[str], None] = "auto",
        min_df: Union[int, float] = 2,
        max_df: Union[int, float] = 1.0,
        max_words: Optional[int] = 100_000,
    ) -> None:
        self.language = language
        self.token_regex = token_regex
        self.lowercase = lowercase
        self.apostrophes = apostrophes
        self.min_length = min_length
        self.numbers = numbers
        self.ngrams = ngrams
        self.stem = stem
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.max_words = max_words

    def fit(self, X: Iterable[str], y: Any = None) -> Vectorizer:
        """Learn the vocabulary.

        Parameters
        ----------
        X : iterable of str
            The texts.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted vectorizer.
        """
        self._learn(X)
        return self

    def fit_transform(self, X: Iterable[str], y: Any = None) -> sp.csr_matrix:
        """Learn the vocabulary and count its words.

        Parameters
        ----------
        X : iterable of str
            The texts.
        y : None
            Ignored.

        Returns
        -------
        csr_matrix of shape (n_samples, n_words)
            Counts.
        """
        return matrix(self._learn(X))

    def _learn(self, X: Iterable[str]) -> Counts:
        counts = count(texts(X), json.dumps(self._choices()), False, n_threads(-1))
        self._word_choice = counts.word_choice()
        self.words_ = counts.words()
        self.notes_ = counts.notes()
        return counts

    def transform(self, X: Iterable[str]) -> sp.csr_matrix:
        """Count the words of the vocabulary.

        Parameters
        ----------
        X : iterable of str
            The texts.

        Returns
        -------
        csr_matrix of shape (n_samples, n_words)
            Counts; words that are not in the vocabulary are passed over.
        """
        check_is_fitted(self, "words_")
        return count_known(texts(X), self._word_choice, self.words_)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The words, in the order of the columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
            The words.
        """
        check_is_fitted(self, "words_")
        return np.asarray(self.words_, dtype=object)

    def _choices(self) -> dict[str, Any]:
        choices: dict[str, Any] = json.loads(default_preprocessing())
        least, most = self.ngrams
        choices.update(
            language=self.language,
            token_regex=self.token_regex,
            lowercase=bool(self.lowercase),
            apostrophes=self.apostrophes,
            min_length=self.min_length,
            numbers=self.numbers,
            ngrams={"min": least, "max": most},
            stem=self.stem,
            stop_words=_stop_words(self.stop_words),
            min_df=_frequency(self.min_df),
            max_df=_frequency(self.max_df),
            max_words=self.max_words,
        )
        return choices

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _stop_words(chosen: Union[str, Sequence[str], None]) -> Any:
    if chosen is None:
        return "none"
    if chosen == "auto":
        return "auto"
    if isinstance(chosen, str):
        return json.loads(stop_words(chosen))
    return {"listed": {"name": "given", "words": list(chosen)}}


def _frequency(chosen: Union[int, float]) -> dict[str, Any]:
    if isinstance(chosen, float):
        if not 0 <= chosen <= 1:
            raise ValueError(f"a share of the documents must lie between 0 and 1, got {chosen}")
        return {"share": chosen}
    return {"documents": int(chosen)}


def is_texts(X: Any) -> bool:
    """Whether the documents are texts."""
    if isinstance(X, (list, tuple)):
        return bool(X) and isinstance(X[0], str)
    if hasattr(X, "shape") and len(X.shape) != 1:
        return False
    kind = type(X).__module__.partition(".")[0]
    return kind in ("numpy", "pandas", "polars", "pyarrow") and len(X) > 0 and _is_text(X[0:1])


def _is_text(first: Any) -> bool:
    values = first.tolist() if hasattr(first, "tolist") else first.to_list()
    return isinstance(values[0], str)


def texts(X: Any) -> list[str]:
    """The texts as a list; refuses what is something else."""
    if isinstance(X, str):
        raise ValueError("expected a list of texts, got one text; put it in a list")
    if not isinstance(X, (list, tuple)):
        for name in ("tolist", "to_list", "to_pylist"):
            if hasattr(X, name):
                X = getattr(X, name)()
                break
    listed = list(X)
    for i, text in enumerate(listed):
        if not isinstance(text, str):
            kind = type(text).__name__
            raise ValueError(f"expected texts, found {kind} at position {i}; drop or fill it first")
    if not listed:
        raise ValueError("found no text at all; at least one is needed")
    return listed


def matrix(counts: Counts) -> sp.csr_matrix:
    """The counts as SciPy has them."""
    indptr, indices, data = counts.rows()
    return sp.csr_matrix((data, indices, indptr), shape=(counts.n_documents, counts.n_words))


def count_known(documents: list[str], word_choice: str, words: Sequence[str]) -> sp.csr_matrix:
    """Counts only these words, in this order."""
    preprocessing = json.dumps(json.loads(word_choice)["preprocessing"])
    counts = count(documents, preprocessing, True, n_threads(-1))
    given = matrix(counts)
    columns = {word: i for i, word in enumerate(words)}
    target = np.array([columns.get(word, -1) for word in counts.words()], dtype=np.int32)
    known = target >= 0
    given = given[:, known]
    indices = target[known][given.indices]
    arrays = (given.data, indices, given.indptr)
    found = sp.csr_matrix(arrays, shape=(given.shape[0], len(words)))
    found.sort_indices()
    return found
