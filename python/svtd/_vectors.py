"""Rows of counts in Spark's formats: vectors of ``pyspark.ml``, and bytes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp


def columns(batches: Iterable[Any], *names: str) -> Iterator[tuple[Any, ...]]:
    """The values of these columns in the rows of batches."""
    for batch in batches:
        yield from zip(*(batch.column(name).to_pylist() for name in names))


def matrices(batches: Iterable[Any]) -> Iterator[sp.csr_matrix]:
    """Every batch of a column of vectors as a matrix."""
    for batch in batches:
        if batch.num_rows:
            yield matrix(batch.column("vector"))


def matrix(vectors: Any) -> sp.csr_matrix:
    """Vectors of ``pyspark.ml``, sparse (type 0) or dense (type 1), as rows."""
    kinds = vectors.field("type").to_numpy(zero_copy_only=False)
    if vectors.null_count or (len(kinds) and np.isnan(kinds.astype(float)).any()):
        raise ValueError("the column of counts has no vector in some rows; leave those rows out")
    values = vectors.field("values")
    lengths = np.diff(values.offsets.to_numpy(zero_copy_only=False))
    data = values.flatten().to_numpy(zero_copy_only=False)
    if (kinds == 1).all():
        if len(set(lengths)) > 1:
            raise ValueError("the vectors have different lengths; all need one place for each word")
        return sp.csr_matrix(data.reshape(len(kinds), -1))
    if (kinds == 1).any():
        raise ValueError("some vectors are dense and others sparse; make all of them sparse")
    sizes = set(vectors.field("size").to_pylist())
    if len(sizes) > 1:
        raise ValueError("the vectors have different lengths; all need one place for each word")
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    indices = vectors.field("indices").flatten().to_numpy(zero_copy_only=False)
    return sp.csr_matrix((data, indices, indptr), shape=(len(kinds), sizes.pop()))


def packed(rows: sp.csr_matrix) -> bytes:
    """Rows as bytes, each number in as few bytes as possible, because they pass from the JVM to Python in
    every round."""
    out = io.BytesIO()
    indptr, indices, data = (_narrow(part) for part in (rows.indptr, rows.indices, rows.data))
    np.savez(out, shape=rows.shape, indptr=indptr, indices=indices, data=data)
    return out.getvalue()


def _narrow(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Non-negative whole numbers in the smallest type that can hold them; others unchanged."""
    largest = values.max(initial=0)
    kind = np.min_scalar_type(int(largest) if np.isfinite(largest) else 0)
    narrow = values.astype(kind)
    return narrow if np.array_equal(narrow, values) else values


def unpacked(rows: bytes) -> sp.csr_matrix:
    with np.load(io.BytesIO(rows)) as found:
        parts = (found["data"], found["indices"].astype(np.int32), found["indptr"].astype(np.int64))
        return sp.csr_matrix(parts, shape=tuple(found["shape"]))
