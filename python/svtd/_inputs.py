"""Converts all kinds of input to counts, by the reader for the kind of object.

Tables of numbers are read by ``_tables``, texts and lists and bags of words by ``_documents``,
single-cell data by ``_cells``; columns get their words, or are matched to those of a model, in
``_words``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
import scipy.sparse as sp

from . import _cells, _documents, _tables, _vectorizer, _words
from ._svtd import Counts


class Read(NamedTuple):
    """Documents to which a model is fitted."""

    counts: Counts
    is_frame: bool
    """Whether they are a data frame, whose columns scikit-learn holds us to."""


def for_fit(
    estimator: object,
    X: Any,
    words: Any,
    threads: int,
    times: Optional[np.ndarray[Any, Any]] = None,
    memory: Optional[tuple[int, str]] = None,
) -> Read:
    """The documents of a fit, each counted ``times`` times, within a ``memory`` limit."""
    documents = None if _cells.is_cells(X) else _documents.read(X)
    if documents is not None and documents.kind == "texts" and words is None:
        texts = _documents.texts(documents.each)
        if times is not None:
            texts = [text for text, n in zip(texts, _fitting(times, len(texts))) for _ in range(n)]
        return Read(_vectorizer.Vectorizer()._counted(texts, memory), False)
    table = _table_for_fit(X, documents, words)
    matrix, names = table.matrix, table.names
    if times is not None:
        matrix = matrix[np.repeat(np.arange(matrix.shape[0]), _fitting(times, matrix.shape[0]))]
    if matrix.shape[0] == 1:
        raise ValueError("found 1 sample (n_samples=1); topics need more documents than that")
    if matrix.shape[1] == 1:
        raise ValueError("found 1 feature(s) (n_features=1); topics need more words than that")
    is_frame = table.is_frame
    if words is not None and names is None:
        names = _words.given(words, matrix.shape[1])
    elif words is not None and (documents is None or documents.kind == "bags"):
        # The caller gave words for a table that has its own names.
        names, is_frame = _words.given(words, matrix.shape[1]), False
    elif names is None and documents is None:
        names = _words.pipeline_words(estimator, matrix.shape[1])
    return Read(counts(matrix, threads, names, memory=memory), is_frame)


def _fitting(times: np.ndarray[Any, Any], n_documents: int) -> np.ndarray[Any, Any]:
    if len(times) != n_documents:
        raise ValueError(f"sample_weight has {len(times)} numbers for {n_documents} documents")
    return times


def _table_for_fit(
    X: Any, documents: Optional[_documents.Documents], words: Any
) -> _tables.Table:
    if _cells.is_cells(X):
        return _cells.table(X)
    if documents is None:
        return _tables.read(X)
    if documents.kind == "bags":
        n_columns = None if words is None else len(words)
        matrix, n_unknown = _documents.count_bags(documents.each, n_columns)
        if n_unknown:
            raise ValueError(
                f"the documents have {n_unknown} counts of words beyond the {n_columns} of words; "
                "is it the dictionary they were made with?"
            )
        return _tables.Table(matrix)
    if documents.kind == "texts":
        raise ValueError(
            "words is for counts; texts are split into words first, so count them with "
            "svtd.Vectorizer or CountVectorizer and fit on what it returns"
        )
    known = None if words is None else _listed_words(words)
    return _tables.Table(*_documents.count_tokens(documents.each, known))


def _listed_words(words: Any) -> list[str]:
    """The words to be counted, in order."""
    return _words.given(words, len(words) if hasattr(words, "__len__") else -1)


class Known(NamedTuple):
    """What a fitted model knows about its columns."""

    words: Optional[Sequence[str]]
    n_words: int
    word_choice: Optional[str]
    """How texts became words, if the model was fitted on texts."""
    of_frame: bool
    """Whether it was fitted on a data frame."""
    owner: str
    """The class of the model, for messages."""


def for_model(X: Any, known: Known) -> sp.csr_matrix:
    """The documents to which a model is applied, in the columns to which it was fitted."""
    if _cells.is_cells(X):
        return _aligned(_cells.table(X), known)
    documents = _documents.read(X)
    if documents is None:
        return _aligned(_tables.read(X), known)
    if documents.kind == "bags":
        matrix, n_unknown = _documents.count_bags(documents.each, known.n_words)
        if n_unknown:
            _warn(
                f"{n_unknown} counts are of words with numbers beyond the {known.n_words} that the "
                "model knows, and were left out"
            )
        return matrix
    if documents.kind == "tokens":
        if known.words is None:
            raise ValueError(
                "the model was fitted on columns without names, so it cannot tell which words "
                "these are; give words when fitting, or counts here"
            )
        return _documents.count_tokens(documents.each, known.words)[0]
    if known.word_choice is None or known.words is None:
        raise ValueError(
            "the model was fitted on counts, so it does not know how to split texts into "
            "words; count them as it was done for the fit, for example with svtd.Vectorizer"
        )
    texts = _documents.texts(documents.each)
    return _vectorizer.count_known(texts, known.word_choice, known.words)


def _aligned(table: _tables.Table, known: Known) -> sp.csr_matrix:
    """The table in the columns of the model: matched by name if both have names."""
    matrix, names = table.matrix, table.names
    if names is not None and known.words is not None:
        if known.of_frame and table.is_frame:
            _words.refuse_other_columns(names, known.words)
            return matrix
        return _words.matched(table, known.words)
    if matrix.shape[1] != known.n_words:
        raise ValueError(
            f"X has {matrix.shape[1]} features, but {known.owner} is expecting {known.n_words} "
            "features as input"
        )
    if table.is_frame and names is not None:
        _warn(f"X has feature names, but {known.owner} was fitted without feature names")
    elif known.of_frame:
        _warn(f"X does not have valid feature names, but {known.owner} was fitted with feature names")
    return matrix


def _warn(sentence: str) -> None:
    warnings.warn(sentence, UserWarning, stacklevel=5)


def counts(
    matrix: sp.csr_matrix,
    threads: int,
    names: Optional[Sequence[str]] = None,
    *,
    may_be_empty: bool = False,
    memory: Optional[tuple[int, str]] = None,
) -> Counts:
    """The corpus of a matrix."""
    # Arrays from a message or a mapped file may not be aligned in memory: those are copied.
    indptr, indices, data = (
        np.require(part, requirements=["C", "A"])
        for part in (matrix.indptr, matrix.indices, matrix.data)
    )
    arrays = (indptr, indices, data)
    named = None if names is None else list(names)
    return Counts([arrays], matrix.shape[1], threads, named, may_be_empty, memory)


def is_documents(X: Any) -> bool:
    """Whether ``_documents`` can read this more than once."""
    return not _cells.is_cells(X) and not hasattr(X, "__next__")


def index_of(X: Any) -> Any:
    """The index of a pandas frame or Series, or the names of cells; ``None`` for anything else."""
    if _cells.is_cells(X):
        return X.obs_names
    return X.index if _tables.library(X) == "pandas" and hasattr(X, "index") else None
