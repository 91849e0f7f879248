"""Converts sequences of observations for the compiled module."""

from __future__ import annotations

import numbers
from typing import Any, Optional, Sequence

import numpy as np

from ._answers import column_labels, column_names, is_frame


def sequence_lengths(X: Any, y: Any, lengths: Optional[Sequence[int]]) -> Optional[Sequence[int]]:
    """hmmlearn's second argument is lengths; scikit-learn's is y, which has a value for each step."""
    if lengths is not None or y is None or np.ndim(y) == 0:
        return lengths
    return None if np.shape(y)[0] == np.shape(X)[0] else y


def steps(X: Any, lengths: Optional[Sequence[int]]) -> tuple[np.ndarray, list[int], Any]:
    """Steps x columns, the length of each sequence, and the names of the columns."""
    names = column_names(X) if is_frame(X) else None
    if names is not None and not all(isinstance(label, str) for label in column_labels(X)):
        names = None
    if isinstance(X, (list, tuple)) and X and all(isinstance(one, np.ndarray) for one in X):
        if lengths is not None:
            raise ValueError("give a list of sequences or lengths, not both")
        parts = [one.reshape(len(one), -1) for one in X]
        return np.concatenate(parts), [len(one) for one in parts], None
    to_numpy = getattr(X, "to_numpy", None)
    if to_numpy is not None:
        X = to_numpy()
    if hasattr(X, "toarray"):
        raise TypeError("X is sparse; an HMM needs a dense array of steps")
    table = np.asarray(X)
    if table.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if table.dtype.kind in "OUS" and table.ndim == 1:
        table = np.asarray(X, dtype=object)
    if table.ndim == 1:
        table = table.reshape(-1, 1)
    if table.ndim != 2:
        raise ValueError(f"expected a 2D table, steps x columns, got {table.ndim}D; reshape your data")
    if 0 in table.shape:
        raise ValueError(
            f"found array with {table.shape[0]} sample(s) and {table.shape[1]} feature(s) "
            f"(shape={table.shape}) while a minimum of 1 is required."
        )
    if lengths is None:
        return table, [len(table)], names
    lengths = [int(length) for length in np.asarray(lengths).ravel()]
    if any(length < 1 for length in lengths):
        raise ValueError(f"lengths must be positive, got {lengths[:10]}")
    return table, lengths, names


def missing_steps(column: np.ndarray) -> np.ndarray:
    """Where observations are missing."""
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    if column.dtype.kind == "O":
        return np.array([x is None or x != x for x in column], dtype=bool)
    return np.zeros(len(column), dtype=bool)


def as_label(x: Any) -> Any:
    """Whole numbers as integers, so that 1.0 and 1 are one category."""
    if isinstance(x, np.generic):
        x = x.item()
    return int(x) if isinstance(x, float) and x.is_integer() else x


def categories(observed: np.ndarray) -> list[Any]:
    """The categories in order: if they are whole numbers, all up to the largest."""
    labels = {as_label(x) for x in observed}
    if labels and all(isinstance(x, numbers.Integral) and not isinstance(x, bool) for x in labels):
        if min(labels) >= 0 and max(labels) < 10_000:
            return list(range(max(labels) + 1))
    return sorted(labels, key=lambda label: (str(type(label)), label))


def real_numbers(table: np.ndarray) -> np.ndarray:
    """The table as finite numbers or NaN."""
    try:
        values = table.astype(np.float64)
    except ValueError:
        raise ValueError(
            "X holds values that are not numbers; give emissions='categorical' for labels"
        ) from None
    if np.isinf(values).any():
        raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
    return values
