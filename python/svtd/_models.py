"""What the estimators of records and sequences share."""

from __future__ import annotations

import numbers
import warnings
from typing import Any, Optional

from ._parameters import threads


def number_of_components(k: Any) -> Optional[int]:
    """The number asked for, or None where the data choose."""
    if isinstance(k, str) and k == "auto":
        return None
    if not isinstance(k, numbers.Integral) or k < 1:
        raise ValueError(f"n_components must be a whole number of at least 1 or 'auto', got {k!r}")
    return int(k)


def estimator_threads(estimator: Any) -> int:
    """The number of threads that an estimator may use."""
    return threads(estimator.n_jobs)


def names_of(estimator: Any) -> list[str]:
    """Names of the columns that an estimator was fitted on."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None:
        return [str(name) for name in names]
    return [f"x{a}" for a in range(estimator.n_features_in_)]


def tell_notes(estimator: Any) -> None:
    """Warns of what the data did not support."""
    for note in estimator.notes_:
        warnings.warn(note, stacklevel=4)
