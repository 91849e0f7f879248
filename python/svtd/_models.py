"""Functions shared by the estimators of records and sequences."""

from __future__ import annotations

import numbers
import sys
import warnings
from collections.abc import Callable
from typing import Any, Optional

import numpy as np

from ._parameters import threads, whole


def number_of_components(k: Any) -> Optional[int]:
    """The number of components asked for, or None where the data choose it."""
    if isinstance(k, str) and k == "auto":
        return None
    if not isinstance(k, numbers.Integral) or k < 1:
        raise ValueError(f"n_components must be a whole number of at least 1 or 'auto', got {k!r}")
    return int(k)


def estimator_threads(estimator: Any) -> int:
    """The number of threads that an estimator may use."""
    return threads(estimator.n_jobs)


def progress(estimator: Any) -> Optional[Callable[[str, int, int], None]]:
    """The progress function (stage, done, of): the estimator's `callback`, and lines if `verbose`."""
    callback, verbose = estimator.callback, estimator.verbose
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be callable with (stage, done, of), got {callback!r}")
    verbose = whole("verbose", int(verbose) if verbose in (True, False) else verbose, 0)

    def tell(stage: str, done: int, of: int) -> None:
        if verbose > 1 or (verbose and done == 0):
            part = f" {done}/{of}" if of > 1 else ""
            print(f"[{type(estimator).__name__}] {stage}{part}", file=sys.stderr, flush=True)
        if callback is not None:
            callback(stage, done, of)

    return tell if verbose or callback is not None else None


def names_of(estimator: Any) -> list[str]:
    """Names of the columns that an estimator was fitted on."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None:
        return [str(name) for name in names]
    return [f"x{a}" for a in range(estimator.n_features_in_)]


def publish_found_again(estimator: Any, found: dict[str, Any]) -> None:
    """Sets the attributes about halves of the records, if these were fitted."""
    looked = len(found["found_again"]) > 0
    estimator.found_again_ = np.asarray(found["found_again"]) if looked else None
    estimator.standing_ = list(found["standing"]) if looked else None


def tell_notes(estimator: Any) -> None:
    """Issues warnings about what the data did not support."""
    for note in estimator.notes_:
        warnings.warn(note, stacklevel=4)
