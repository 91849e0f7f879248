"""Documents that are not tables: texts, lists of words, bags of words, and streams of these.

=====================================================  ==========================================
given                                                  read as
=====================================================  ==========================================
texts: a list, a Series, an array, a pyarrow column    split into words as ``Vectorizer`` does
lists of words, in any of these                        counted; words in alphabetical order
gensim bags of words: lists of ``(number, count)``     the number is the column
a generator or a gensim corpus of any of these         the same, a document at a time
=====================================================  ==========================================
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple, Optional

import numpy as np
import scipy.sparse as sp

from ._tables import is_frame, library

Kind = Literal["texts", "tokens", "bags"]


class Documents(NamedTuple):
    """Documents one by one, of one kind."""

    kind: Kind
    each: Iterable[Any]


def read(X: Any) -> Optional[Documents]:
    """The documents, or ``None`` if this is a table of numbers."""
    if isinstance(X, (str, bytes)):
        raise ValueError("expected a list of texts, got one text; put it in a list")
    if isinstance(X, Mapping):
        raise TypeError(f"expected documents, got {type(X).__name__}")
    if sp.issparse(X) or is_frame(X) or (isinstance(X, np.ndarray) and X.ndim != 1):
        return None
    if isinstance(X, (list, tuple)):
        listed: Sequence[Any] = X
    elif _is_column(X):
        listed = _listed(X)
    elif hasattr(X, "__array__") or not isinstance(X, Iterable):
        return None
    else:
        return _of_stream(X)
    kind = _kind(listed)
    return None if kind is None else Documents(kind, listed)


def _is_column(X: Any) -> bool:
    """Whether this is one column: an array of one dimension, a Series, a pyarrow array."""
    if isinstance(X, np.ndarray):
        return X.ndim == 1
    return library(X) in ("pandas", "polars", "pyarrow")


def _listed(X: Any) -> list[Any]:
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(X, name):
            return list(getattr(X, name)())
    return list(X)


def _of_stream(X: Iterable[Any]) -> Documents:
    """Documents from a stream; the first ones determine their kind."""
    stream = iter(X)
    seen: list[Any] = []
    for document in stream:
        seen.append(document)
        if _implied_kind(document) is not None:
            break
    kind = _kind(seen)
    if kind is None:
        what = type(seen[0]).__name__ if seen else "nothing"
        raise ValueError(
            f"expected a stream of texts, of lists of words or of bags of words, found {what}"
        )
    return Documents(kind, chain(seen, stream))


def _kind(listed: Sequence[Any]) -> Optional[Kind]:
    for document in listed:
        kind = _implied_kind(document)
        if kind is not None:
            return None if kind == "numbers" else kind
    # Documents without any word count as lists of words.
    blank = bool(listed) and all(isinstance(d, (list, tuple)) and not d for d in listed)
    return "tokens" if blank else None


def _implied_kind(document: Any) -> Optional[Literal["texts", "tokens", "bags", "numbers"]]:
    """The kind of all documents that this one implies; ``None`` if it could be any."""
    if isinstance(document, str):
        return "texts"
    if isinstance(document, np.ndarray):
        if document.dtype.kind in "US" or (
            document.dtype.kind == "O" and document.size and isinstance(document.flat[0], str)
        ):
            return "tokens"
        return "numbers" if document.size else None
    if isinstance(document, (list, tuple)):
        first = next(iter(document), None)
        if isinstance(first, str):
            return "tokens"
        if isinstance(first, tuple) and len(first) == 2:
            return "bags"
        return None if first is None else "numbers"
    return None


def texts(X: Iterable[Any]) -> list[str]:
    """The texts as a list; an error for anything else."""
    if isinstance(X, (str, bytes)):
        raise ValueError("expected a list of texts, got one text; put it in a list")
    if not isinstance(X, Iterable):
        raise ValueError(f"expected a list of texts, got {type(X).__name__}")
    listed = _listed(X) if _is_column(X) else list(X)
    for i, text in enumerate(listed):
        if not isinstance(text, str):
            raise ValueError(
                f"expected texts, found {_called(text)} at position {i}; drop or fill it first"
            )
    if not listed:
        raise ValueError("found no text at all; at least one is needed")
    return listed


def _called(thing: Any) -> str:
    return "None" if thing is None else type(thing).__name__


def count_tokens(
    documents: Iterable[Any], words: Optional[Sequence[str]] = None
) -> tuple[sp.csr_matrix, list[str]]:
    """Counts words; those of ``words`` in that order, or all in alphabetical order."""
    columns: dict[str, int] = {}
    if words is not None:
        columns = {word: i for i, word in enumerate(words)}
    rows = _Rows()
    for i, document in enumerate(documents):
        counted = Counter(_tokens(document, i))
        if words is None:
            rows.add((columns.setdefault(word, len(columns)), n) for word, n in counted.items())
        else:
            rows.add((columns[word], n) for word, n in counted.items() if word in columns)
    found = rows.matrix(len(columns))
    if words is not None:
        return found, list(words)
    # Columns are in the order in which words came; alphabetical order does not depend on it.
    order = sorted(columns)
    place = np.empty(len(order), dtype=np.int32)
    for i, word in enumerate(order):
        place[columns[word]] = i
    found.indices = place[found.indices] if len(order) else found.indices
    found.has_sorted_indices = False
    found.sort_indices()
    return found, order


def _tokens(document: Any, i: int) -> Iterator[str]:
    if isinstance(document, np.ndarray):
        document = document.tolist()
    if isinstance(document, str) or not isinstance(document, Iterable):
        raise ValueError(
            f"expected lists of words, found {_called(document)} at position {i}; drop or fill it "
            "first"
        )
    for token in document:
        if not isinstance(token, str):
            raise ValueError(f"document {i} holds {_called(token)} {token!r} where words are expected")
        yield token


def count_bags(
    documents: Iterable[Any], n_columns: Optional[int] = None
) -> tuple[sp.csr_matrix, int]:
    """The counts of bags of words, and the number of entries whose word number is beyond the last
    column."""
    rows = _Rows()
    n_unknown = 0
    for i, document in enumerate(documents):
        counted: dict[int, float] = {}
        try:
            for number, count in document:
                column = int(number)
                counted[column] = counted.get(column, 0) + count
        except (TypeError, ValueError):
            raise ValueError(
                f"document {i} is no bag of words: expected (number, count) pairs, found "
                f"{_called(document) if not isinstance(document, Iterable) else document!r}"
            ) from None
        if any(column < 0 for column in counted):
            raise ValueError(f"document {i} has a word with a negative number")
        if n_columns is not None:
            n_unknown += sum(column >= n_columns for column in counted)
            counted = {column: n for column, n in counted.items() if column < n_columns}
        rows.add(counted.items())
    return rows.matrix(n_columns), n_unknown


class _Rows:
    """Compressed rows that grow by one document at a time."""

    def __init__(self) -> None:
        self.indptr = array("q", [0])
        self.indices = array("q")
        self.data = array("d")

    def add(self, entries: Iterable[tuple[int, float]]) -> None:
        for column, count in sorted(entries):
            self.indices.append(column)
            self.data.append(count)
        self.indptr.append(len(self.indices))

    def matrix(self, n_columns: Optional[int]) -> sp.csr_matrix:
        indices = np.frombuffer(self.indices, dtype=np.int64) if self.indices else np.empty(0, int)
        if n_columns is None:
            n_columns = int(indices.max(initial=-1)) + 1
        data = np.frombuffer(self.data, dtype=np.float64) if self.data else np.empty(0)
        whole = data.astype(np.int64)
        counts = whole if (whole == data).all() else data
        kind = np.int32 if n_columns < 2**31 and len(indices) < 2**31 else np.int64
        arrays = (counts, indices.astype(kind), np.array(self.indptr, dtype=kind))
        return sp.csr_matrix(arrays, shape=(len(self.indptr) - 1, n_columns))
