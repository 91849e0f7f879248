"""Text to counts, by the rules of the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

import numpy as np
import scipy.sparse as sp

from . import _documents, _parameters
from ._base import Transformer, check_is_fitted
from ._svtd import Counts, count, default_preprocessing, n_threads, stop_words

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self


class Vectorizer(Transformer):
    """Counts the words of texts, with the same preprocessing as ``svtd fit``.

    Words are found by the rules of Unicode, put in lower case, and left out if they are stop words
    of the language (which is guessed unless given), numbers, too short or too rare. The vocabulary
    is ordered by falling frequency.

    Parameters
    ----------
    language : str, optional
        The language, such as ``'english'``; guessed if not given.
    token_regex : str, optional
        A regular expression for words, instead of the word boundaries of Unicode.
    lowercase : bool, default=True
        Whether words are put in lower case.
    apostrophes : {'keep', 'split', 'possessive'}, optional
        The meaning of an apostrophe inside a word; by default that of the language.
    min_length : int, default=2
        The smallest number of characters of a word.
    numbers : {'drop', 'keep'}, default='drop'
        Whether numbers count as words.
    ngram_range : (int, int), default=(1, 1)
        The smallest and largest number of adjacent words that make a word of the vocabulary.
    stem : str, optional
        The language whose Snowball stemmer maps words to stems.
    stop_words : str, sequence of str or None, default='auto'
        ``'auto'`` for those of the language if it is clear, a language, a list, array or set of
        words, or ``None``.
    min_df : int or float, default=2
        Words in fewer documents are dropped; a float is a share of the documents.
    max_df : int or float, default=1.0
        Words in more documents are dropped; a float is a share of the documents.
    max_features : int or None, default=100000
        At most this many words are kept, the most frequent ones.

    Attributes
    ----------
    words_ : list of str
        The vocabulary, in the order of the columns.
    vocabulary_ : dict
        The column of each word, as ``CountVectorizer`` has it.
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

    words_: list[str]
    vocabulary_: dict[str, int]
    notes_: list[str]
    _word_choice: str

    def __init__(
        self,
        *,
        language: Optional[str] = None,
        token_regex: Optional[str] = None,
        lowercase: bool = True,
        apostrophes: Optional[Literal["keep", "split", "possessive"]] = None,
        min_length: int = 2,
        numbers: Literal["drop", "keep"] = "drop",
        ngram_range: tuple[int, int] = (1, 1),
        stem: Optional[str] = None,
        stop_words: Union[str, Iterable[str], None] = "auto",
        min_df: Union[int, float] = 2,
        max_df: Union[int, float] = 1.0,
        max_features: Optional[int] = 100_000,
    ) -> None:
        self.language = language
        self.token_regex = token_regex
        self.lowercase = lowercase
        self.apostrophes = apostrophes
        self.min_length = min_length
        self.numbers = numbers
        self.ngram_range = ngram_range
        self.stem = stem
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features

    def fit(self, X: Iterable[str], y: Any = None) -> Self:
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
        return named_matrix(self._learn(X), self.words_)

    def _learn(self, X: Iterable[str]) -> Counts:
        counts = self._counted(_documents.texts(X))
        words = counts.words() or []
        learned = {
            "_word_choice": counts.word_choice(),
            "words_": words,
            "vocabulary_": {word: i for i, word in enumerate(words)},
            "notes_": counts.notes(),
        }
        vars(self).update(learned)
        return counts

    def _counted(self, texts: list[str], memory: Optional[tuple[int, str]] = None) -> Counts:
        return count(texts, json.dumps(self._choices()), False, n_threads(-1), memory)

    def transform(self, X: Iterable[str]) -> sp.csr_matrix:
        """Count the words of the vocabulary.

        Parameters
        ----------
        X : iterable of str
            The texts.

        Returns
        -------
        csr_matrix of shape (n_samples, n_words)
            Counts; words that are not in the vocabulary are ignored.
        """
        check_is_fitted(self, "words_")
        found = count_known(_documents.texts(X), self._word_choice, self.words_)
        return _with_words(found, self.words_)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
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
        return np.array(self.words_, dtype=np.object_)

    def set_output(self, *, transform: Optional[str] = None) -> Self:
        """For scikit-learn only; counts of words are sparse, which no data frame supports directly.

        Parameters
        ----------
        transform : {'default'}, optional
            Only the sparse matrix.

        Returns
        -------
        self : object
            The same vectorizer.
        """
        if transform not in (None, "default"):
            raise ValueError(
                f"transform={transform!r} is not possible: counts of words are a sparse matrix; the "
                "words go with it, and a model fitted on it has them"
            )
        return self

    def _choices(self) -> dict[str, Any]:
        choices: dict[str, Any] = json.loads(default_preprocessing())
        least, most = _ngrams(self.ngram_range)
        words = self.max_features
        choices.update(
            language=_parameters.choice("language", self.language),
            token_regex=_parameters.choice("token_regex", self.token_regex),
            lowercase=_parameters.flag("lowercase", self.lowercase),
            apostrophes=_one_of("apostrophes", self.apostrophes, (None, "keep", "split", "possessive")),
            min_length=_parameters.whole("min_length", self.min_length, 1),
            numbers=_one_of("numbers", self.numbers, ("drop", "keep")),
            ngrams={"min": least, "max": most},
            stem=_parameters.choice("stem", self.stem),
            stop_words=_stop_words(self.stop_words),
            min_df=_frequency("min_df", self.min_df),
            max_df=_frequency("max_df", self.max_df),
            max_words=None if words is None else _parameters.whole("max_features", words, 1),
        )
        return choices

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _one_of(name: str, value: Any, known: tuple[Optional[str], ...]) -> Any:
    if value not in known:
        names = ", ".join(repr(one) for one in known)
        raise ValueError(f"{name} must be one of {names}, got {value!r}")
    return value


def _ngrams(chosen: Any) -> tuple[int, int]:
    try:
        least, most = chosen
    except (TypeError, ValueError):
        raise TypeError(f"ngram_range must be two whole numbers such as (1, 2), got {chosen!r}") from None
    least = _parameters.whole("ngram_range", least, 1)
    most = _parameters.whole("ngram_range", most, 1)
    if least > most:
        raise ValueError(f"ngram_range must go from less to more, got {chosen!r}")
    return least, most


def _stop_words(chosen: Any) -> Any:
    if chosen is None:
        return "none"
    if isinstance(chosen, str):
        return "auto" if chosen == "auto" else json.loads(stop_words(chosen))
    if not isinstance(chosen, Iterable):
        raise TypeError(
            f"stop_words must be 'auto', a language, a list of words or None, got {chosen!r}"
        )
    words = [str(word) if isinstance(word, np.str_) else word for word in chosen]
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"stop_words must be strings, found {word!r}")
    # A set has no order, and the content of the model file must not depend on one.
    ordered = sorted(words) if isinstance(chosen, (set, frozenset)) else words
    return {"listed": {"name": "given", "words": ordered}}


def _frequency(name: str, chosen: Any) -> dict[str, Any]:
    if isinstance(chosen, (float, np.floating)):
        return {"share": _parameters.share(name, chosen)}
    return {"documents": _parameters.whole(name, chosen, 0)}


def named_matrix(counts: Counts, words: Sequence[str]) -> sp.csr_matrix:
    """The counts as a SciPy matrix, with their words."""
    return _with_words(matrix(counts), words)


def _with_words(found: sp.csr_matrix, words: Sequence[str]) -> sp.csr_matrix:
    """Attaches the words to a matrix, where a model that is fitted to it finds them."""
    found.words = list(words)
    return found


def matrix(counts: Counts) -> sp.csr_matrix:
    """The counts as a SciPy matrix."""
    indptr, indices, data = counts.rows()
    return sp.csr_matrix((data, indices, indptr), shape=(counts.n_documents, counts.n_words))


def count_known(documents: list[str], word_choice: str, words: Sequence[str]) -> sp.csr_matrix:
    """Counts only these words, in this order."""
    preprocessing = json.dumps(json.loads(word_choice)["preprocessing"])
    counts = count(documents, preprocessing, True, n_threads(-1))
    given = matrix(counts)
    columns = {word: i for i, word in enumerate(words)}
    found_words = counts.words() or []
    target = np.array([columns.get(word, -1) for word in found_words], dtype=np.int32)
    known = target >= 0
    given = given[:, known]
    indices = target[known][given.indices]
    arrays = (given.data, indices, given.indptr)
    found = sp.csr_matrix(arrays, shape=(given.shape[0], len(words)))
    found.sort_indices()
    return found
