"""What users have, as compressed rows of counts.

=====================================================  ==========================================
given                                                  read as
=====================================================  ==========================================
SciPy sparse, any format, matrix or array              its counts, duplicates added up
NumPy, pandas, polars, pyarrow tables                  documents x words
a list of lists of words                               counted; words in alphabetical order
=====================================================  ==========================================

A CSR matrix is handed over as it is: the compiled module reads its three arrays in place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Optional

import numpy as np
import scipy.sparse as sp

from ._base import validate_data
from ._svtd import Counts


def is_token_lists(X: Any) -> bool:
    """Whether the documents are lists of words."""
    if not isinstance(X, (list, tuple)) or not X:
        return False
    first = next((document for document in X if len_or_none(document)), None)
    return isinstance(first, (list, tuple)) and isinstance(first[0], str)


def len_or_none(document: Any) -> Optional[int]:
    try:
        return len(document)
    except TypeError:
        return None


def count_tokens(
    documents: Iterable[Sequence[str]], words: Optional[Sequence[str]] = None
) -> tuple[sp.csr_matrix, list[str]]:
    """Counts words; those of ``words`` in that order, or all in alphabetical order."""
    counted = [Counter(document) for document in documents]
    if words is None:
        words = sorted(set().union(*counted)) if counted else []
    columns = {word: i for i, word in enumerate(words)}
    indptr, indices, data = [0], [], []
    for counter in counted:
        entries = sorted((columns[w], n) for w, n in counter.items() if w in columns)
        indices.extend(column for column, _ in entries)
        data.extend(n for _, n in entries)
        indptr.append(len(indices))
    arrays = (np.array(data, dtype=np.int64), np.array(indices, dtype=np.int32), indptr)
    return sp.csr_matrix(arrays, shape=(len(counted), len(words))), list(words)


def table(X: Any) -> tuple[Any, Optional[list[str]]]:
    """A table scikit-learn can read, and the names of its columns if it cannot see them itself."""
    if type(X).__module__.partition(".")[0] == "pyarrow":
        columns = [np.asarray(column) for column in X.columns]
        return np.column_stack(columns), [str(name) for name in X.schema.names]
    return X, None


def rows(estimator: Any, X: Any, *, reset: bool) -> sp.csr_matrix:
    """Documents x words, checked by scikit-learn; ``n_features_in_`` and names are set or met."""
    X, names = table(X)
    checked = validate_data(
        estimator, X, reset=reset, accept_sparse="csr", dtype="numeric", accept_large_sparse=True
    )
    if names is not None:
        if reset:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        elif list(getattr(estimator, "feature_names_in_", names)) != names:
            raise ValueError("the columns are not those the model was fitted on, in that order")
    if not sp.issparse(checked):
        if checked.dtype == np.float16:  # which SciPy does not know
            checked = checked.astype(np.float32)
        checked = sp.csr_matrix(checked)
    if not checked.has_canonical_format:
        checked = checked.copy()
        checked.sum_duplicates()
    return checked


def counts(
    matrix: sp.csr_matrix,
    threads: int,
    words: Optional[Sequence[str]] = None,
    *,
    may_be_empty: bool = False,
) -> Counts:
    """The corpus of a matrix."""
    named = None if words is None else [str(word) for word in words]
    if named is not None and len(named) != matrix.shape[1]:
        raise ValueError(f"{len(named)} words given for {matrix.shape[1]} columns; give one for each")
    if matrix.dtype.kind not in "biuf" or matrix.dtype.itemsize > 8:
        matrix = matrix.astype(np.float64)
    arrays = (matrix.indptr, matrix.indices, matrix.data)
    return Counts(arrays, matrix.shape[1], threads, named, may_be_empty)
