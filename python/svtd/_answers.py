"""Converts columns of answers for the compiled module."""

from __future__ import annotations

import numbers
from typing import Any, Optional

import numpy as np


def is_frame(X: Any) -> bool:
    """Whether columns have names."""
    return hasattr(X, "columns") and hasattr(X, "__getitem__") and not isinstance(X, dict)


def column_labels(X: Any) -> list[Any]:
    """The labels by which the columns of a frame are asked for."""
    # The columns of a pyarrow table are their cells.
    return list(X.column_names if hasattr(X, "column_names") else X.columns)


def column_names(X: Any) -> list[str]:
    """The names of the columns as text; an error where two have one name, since neither could be asked for."""
    places: dict[str, int] = {}
    for place, name in enumerate(map(str, column_labels(X)), start=1):
        first = places.setdefault(name, place)
        if first != place:
            raise ValueError(f"columns {first} and {place} of X are both named {name!r}; rename one")
    return list(places)


def answers(values: Any) -> Any:
    """A column for the compiled module: numbers, or labels with None where missing."""
    array = np.asarray(values)
    if array.dtype.kind in "fiu":
        return np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind == "b":
        return [str(value) for value in array.tolist()]
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: answers are labels or real numbers")
    cells = array.tolist()
    known = [cell for cell in cells if not is_missing(cell)]
    if all(isinstance(cell, numbers.Real) and not isinstance(cell, bool) for cell in known):
        return np.array([np.nan if is_missing(c) else float(c) for c in cells], dtype=np.float64)
    for cell in known:
        if isinstance(cell, (dict, list, set, tuple)):
            raise TypeError(
                f"argument must be a string or a number: a cell holds {type(cell).__name__}"
            )
    return [None if is_missing(cell) else str(cell) for cell in cells]


def is_missing(cell: Any) -> bool:
    """Whether a cell is missing."""
    if cell is None:
        return True
    try:
        return bool(cell != cell)
    except TypeError:
        # pandas.NA compares to itself as neither true nor false.
        return True


def labels(values: Any) -> list[Optional[str]]:
    """A column as labels, None where missing."""
    return [None if is_missing(cell) else str(cell) for cell in np.asarray(values).tolist()]
