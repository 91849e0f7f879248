"""Tables of numbers as compressed rows, with the names of their columns.

=====================================================  ==========================================
given                                                  read as
=====================================================  ==========================================
SciPy sparse, any format, matrix or array              its counts, duplicates added up
pandas frames, dense or sparse                         documents x words, the columns are words
polars and pyarrow tables                              the same
NumPy arrays, lists of rows of numbers                 documents x words
=====================================================  ==========================================

A CSR matrix is passed on unchanged: the compiled module reads its three arrays in place. It also
checks whether the numbers are counts, because it reads each of them anyway.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np
import scipy.sparse as sp


class Table(NamedTuple):
    """Documents x words."""

    matrix: sp.csr_matrix
    names: Optional[list[str]] = None
    """What the columns are called."""
    is_frame: bool = False
    """Whether the names are the columns of a data frame."""


def library(X: Any) -> str:
    """The package to which the class of an object belongs."""
    return type(X).__module__.partition(".")[0]


def is_frame(X: Any) -> bool:
    """Whether this is a table of pandas, polars or pyarrow."""
    if library(X) == "pyarrow":
        return hasattr(X, "schema")
    return library(X) in ("pandas", "polars") and hasattr(X, "columns")


def read(X: Any) -> Table:
    """Reads a table of numbers; an error for anything else."""
    if is_frame(X):
        names = _names(X)
        matrix = _compressed(_values(X))
        return Table(_checked(matrix), names, names is not None)
    if sp.issparse(X):
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D sparse array instead; {_RESHAPE}")
        # Our Vectorizer attaches the words to the matrix it returns.
        words = getattr(X, "words", None)
        names = list(words) if words is not None and len(words) == X.shape[1] else None
        return Table(_checked(_compressed(X)), names)
    return Table(_checked(_compressed(_array(X))))


_RESHAPE = "Reshape your data: one row for each document, one column for each word"


def _names(X: Any) -> Optional[list[str]]:
    """The names of the columns if they are strings."""
    names = X.schema.names if library(X) == "pyarrow" else list(X.columns)
    kinds = sorted({type(name).__name__ for name in names})
    if not any(isinstance(name, str) for name in names):
        return None
    if not all(isinstance(name, str) for name in names):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {kinds} as feature name / column name types; convert them with "
            "X.columns = X.columns.astype(str)"
        )
    return [str(name) for name in names]


def _values(X: Any) -> Any:
    """The numbers of a data frame, sparse if it is."""
    _refuse_text(X)
    if library(X) == "pandas":
        import pandas

        if len(X.columns) and all(isinstance(kind, pandas.SparseDtype) for kind in X.dtypes):
            return X.sparse.to_coo()
        if any(isinstance(kind, pandas.api.extensions.ExtensionDtype) for kind in X.dtypes):
            return X.to_numpy(dtype=np.float64, na_value=np.nan)
        return X.to_numpy()
    if library(X) == "polars":
        return X.to_numpy()
    columns = [np.asarray(column) for column in X.columns]
    return np.column_stack(columns) if columns else np.empty((X.num_rows, 0))


def _refuse_text(X: Any) -> None:
    """Raises an error that names the first column with text, which people often forget to drop."""
    names = X.schema.names if library(X) == "pyarrow" else list(X.columns)
    if library(X) == "pandas":
        kinds = [str(kind) for kind in X.dtypes]
    elif library(X) == "polars":
        kinds = [str(kind) for kind in X.dtypes]
    else:
        kinds = [str(kind) for kind in X.schema.types]
    for name, kind in zip(names, kinds):
        if kind in ("str", "string", "String", "large_string", "category", "Categorical"):
            raise ValueError(
                f"column {name!r} holds text, not counts of a word; drop it, or give that column "
                "alone to have its words counted"
            )


def _array(X: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(X)
    except ValueError as error:
        if isinstance(X, (list, tuple)):
            lengths = sorted({len(row) for row in X if hasattr(row, "__len__")})
            raise ValueError(
                f"the rows have different lengths, from {lengths[0]} to {lengths[-1]}; give one "
                "number for each word, or lists of words"
            ) from None
        raise error
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead; {_RESHAPE}")
    return array


def _compressed(X: Any) -> sp.csr_matrix:
    """Compressed rows of a number type that the compiled module knows."""
    kind = np.dtype(X.dtype)
    if kind.kind == "c":
        raise ValueError("Complex data not supported: counts of words must be whole numbers")
    if kind.kind in "OUSV":
        try:
            X = X.astype(np.float64)
        except (TypeError, ValueError) as error:
            # NumPy's message names what it could not read.
            raise type(error)(f"X must hold counts of words: {error}") from None
    elif kind.kind not in "biuf":
        raise ValueError(f"X must hold counts of words, got {kind}")
    elif kind == np.float16:  # which SciPy does not know
        X = X.astype(np.float32)
    elif kind.itemsize > 8:
        X = X.astype(np.float64)
    if not np.dtype(X.dtype).isnative:
        X = X.astype(np.dtype(X.dtype).newbyteorder("="))
    matrix = X.tocsr() if sp.issparse(X) else sp.csr_matrix(X)
    if not isinstance(matrix, sp.csr_matrix):  # a sparse array
        matrix = sp.csr_matrix(matrix)
    for name in ("indptr", "indices"):
        if not getattr(matrix, name).dtype.isnative:
            part = getattr(matrix, name)
            setattr(matrix, name, part.astype(part.dtype.newbyteorder("=")))
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _checked(matrix: sp.csr_matrix) -> sp.csr_matrix:
    n_samples, n_features = matrix.shape
    if n_samples == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={matrix.shape}) while a minimum of 1 is required."
        )
    if n_features == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={matrix.shape}) while a minimum of 1 is required."
        )
    return matrix
