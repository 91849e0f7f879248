"""Checks parameters for the compiled module, and restores them from a model file.

A wrong type is a ``TypeError``, a wrong value a ``ValueError``; both name the parameter.
"""

from __future__ import annotations

import numbers
import os
import tempfile
from typing import Any, Optional

import numpy as np

from ._svtd import bytes_of, n_threads

RIVALS: dict[str, dict[str, Any]] = {
    "em": {"restarts": 10, "start": "random"},
    "gibbs": {"burn_in": 200, "samples": 30, "eta": 0.05},
}
"""The classical rivals and the defaults of their options, which are the command line's."""


def whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least ``least``."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number of at least {least}, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)


def number(name: str, value: Any) -> float:
    """A real number that is finite."""
    if isinstance(value, (bool, np.bool_, str)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return float(value)


def positive(name: str, value: Any) -> float:
    """A positive number."""
    if isinstance(value, (bool, np.bool_, str)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a positive number, got {value!r}")
    if not (np.isfinite(float(value)) and float(value) > 0):
        raise ValueError(f"{name} must be a positive number, got {value!r}")
    return float(value)


def share(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    found = number(name, value)
    if not 0 <= found <= 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value}")
    return found


def flag(name: str, value: Any) -> bool:
    """True or false."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise TypeError(f"{name} must be True or False, got {value!r}")


def choice(name: str, value: Any) -> Optional[str]:
    """A name, or ``None`` for the default; the compiled module knows the valid names."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {value!r}")
    return value


def n_components(value: Any, *, words: str = "n_components") -> Optional[int]:
    """The number of topics; ``None`` for ``'auto'``."""
    if isinstance(value, str) and value == "auto":
        return None
    if (
        isinstance(value, (bool, np.bool_))
        or not isinstance(value, numbers.Integral)
        or value < 1
    ):
        raise ValueError(f"{words} must be a whole number of at least 1 or 'auto', got {value!r}")
    return int(value)


def polish(value: Any) -> Any:
    """``'auto'``, ``'none'``, a number of steps, or ``None`` for the default."""
    if value is None or isinstance(value, str):
        return value
    needed = "polish must be 'auto', 'none' or a number of steps of at least 1"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{needed}, got {value!r}")
    if value < 1:
        raise ValueError(f"{needed}, got {value!r}")
    return int(value)


def weights(value: Any) -> Any:
    """The name of a law, or a list with a number for each document."""
    if value is None or isinstance(value, str):
        return value
    return one_for_each("weights", value).tolist()


def one_for_each(name: str, value: Any) -> np.ndarray[Any, Any]:
    """A number that is finite and not negative for each document."""
    try:
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number for each document, got {value!r}") from None
    if found.ndim != 1:
        raise ValueError(
            f"{name} must be one number for each document, got an array of shape {found.shape}; "
            "Sample weights must be 1D array or scalar"
        )
    wrong = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))
    if len(wrong):
        raise ValueError(
            f"{name} must be finite and not negative, found {found[wrong[0]]} for document {wrong[0]}"
        )
    return found


def times(sample_weight: Any) -> Optional[np.ndarray[Any, Any]]:
    """How often each document counts: whole numbers, equivalent to repeating the document."""
    if sample_weight is None:
        return None
    found = one_for_each("sample_weight", sample_weight)
    if len(found) and not found.any():
        raise ValueError("sample_weight is zero for every document; one must count")
    broken = np.flatnonzero(found != np.floor(found))
    if len(broken):
        raise ValueError(
            "sample_weight counts a document so many times, so it must be whole numbers, found "
            f"{found[broken[0]]} for document {broken[0]}; for weights in the moments alone, give "
            "weights"
        )
    return found.astype(np.int64)


def seed(random_state: Any) -> int:
    """The seed for a ``random_state``, as in scikit-learn."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, got {random_state}")
        if int(random_state) >= 2**64:
            raise ValueError(f"random_state must be below 2**64, got {random_state}")
        return int(random_state)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31 - 1))
    raise TypeError(
        "random_state must be a whole number, a NumPy RandomState or Generator, or None, got "
        f"{random_state!r}"
    )


def threads(n_jobs: Any) -> int:
    """The number of threads, at most the number of processors."""
    if n_jobs is None:
        allowed = os.environ.get("OMP_NUM_THREADS", "")
        n_jobs = int(allowed) if allowed.isdecimal() and int(allowed) > 0 else -1
    if isinstance(n_jobs, (bool, np.bool_)) or not isinstance(n_jobs, numbers.Integral):
        raise TypeError(f"n_jobs must be a whole number or None, got {n_jobs!r}")
    return n_threads(max(min(int(n_jobs), 2**31), -(2**31)))


def memory(value: Any) -> Optional[tuple[int, str]]:
    """A memory limit in bytes, and the folder for what exceeds it."""
    if value is None:
        return None
    if isinstance(value, str):
        n_bytes = bytes_of(value)
    elif isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_)):
        n_bytes = int(value)
    else:
        raise TypeError(f"memory must be a number of bytes, a size such as '2GB', or None, got {value!r}")
    if n_bytes < 0:
        raise ValueError(f"memory must be a number of bytes, a size such as '2GB', or None, got {value!r}")
    # The folder for small files is often itself in memory, so it is used only if asked for.
    large = "/var/tmp"
    chosen = "TMPDIR" not in os.environ and os.path.isdir(large)
    return min(n_bytes, 2**63), large if chosen else tempfile.gettempdir()


def method(kind: str, value: Any, options: Any, seeded: int) -> tuple[Optional[str], Any]:
    """The decomposition method, and the classical rival if one is asked for."""
    value = choice("method", value)
    if value not in RIVALS:
        if options is not None:
            raise ValueError("rival_options is for method='em' and method='gibbs'")
        return value, None
    if (kind, value) not in (("single-topic", "em"), ("lda", "gibbs")):
        other = "SingleTopic" if value == "em" else "LDA"
        raise ValueError(f"method={value!r} is for {other}")
    if options is not None and not isinstance(options, dict):
        raise TypeError(f"rival_options must be a dict, got {options!r}")
    chosen: dict[str, Any] = dict(RIVALS[value])
    for name, given in (options or {}).items():
        if name not in chosen:
            known = ", ".join(repr(known) for known in chosen)
            raise ValueError(f"rival_options of method={value!r} are {known}, not {name!r}")
        chosen[name] = _rival_option(name, given)
    return None, {"name": value, "seed": seeded, **chosen}


def _rival_option(name: str, value: Any) -> Any:
    if name == "eta":
        return positive("eta", value)
    if name == "start":
        if value not in ("random", "kmeans++"):
            raise ValueError(f"start must be 'random' or 'kmeans++', got {value!r}")
        return value
    return whole(name, value, 1)


def of_file(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a model file as parameters of an estimator."""
    parameters: dict[str, Any] = {
        "n_components": "auto" if options.get("chosen") else options["n_topics"],
        "whitening": options["whitening"],
        "rows": options["rows"],
        "allow_fewer": options["allow_fewer"],
        "trust": options["trust"],
        "splits": options.get("splits"),
    }
    for name in ("method", "weights"):
        given = options[name]
        if isinstance(given, dict):
            ((given, details),) = given.items()
            if given == "custom":
                given = details
            else:
                parameters["random_state"] = details["seed"]
        parameters[name] = given
    polished = options["polish"]
    parameters["polish"] = polished["steps"] if isinstance(polished, dict) else polished
    if options.get("alpha0") is not None:
        parameters["alpha0"] = options["alpha0"]
    learner = options.get("learner", "moments")
    if isinstance(learner, dict):
        ((name, details),) = learner.items()
        parameters["method"] = name
        parameters["random_state"] = details["seed"]
        kept = {key: details[key] for key in RIVALS[name]}
        if kept.get("start") == "k-means-plus-plus":
            kept["start"] = "kmeans++"
        parameters["rival_options"] = None if kept == RIVALS[name] else kept
    return parameters
