"""The check of a corpus before a fit, and the choice of the number of topics."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

import numpy as np

from . import _frames, _inputs, _parameters
from ._estimators import LDA, SingleTopic, of_kind
from ._svtd import check as _check
from ._svtd import sweep as _sweep

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["lda", "single-topic"]


class Sweep:
    """A comparison of all numbers of topics of a range; see :func:`sweep`.

    Attributes
    ----------
    fits : DataFrame
        A row for each number of topics: ``n_topics``, ``log_likelihood`` of held-out words and its
        ``standard_error``, how far it is behind the best (``behind``) with the standard error of that
        difference (``behind_error``), ``npmi``, ``exclusivity``; for some of them, how many topics come
        back in independent halves of the documents (``n_found``) and how many of ten words do on average
        (``mean_words``), NaN for the others.
    directions : DataFrame
        The directions of the pair moment: ``eigenvalue``, ``cross_validated``, ``z``.
    recommended : range
        The numbers of topics worth looking at.
    reasons : list of str
        Why these numbers, in sentences.
    details : dict
        All results.
    """

    def __init__(self, details: dict[str, Any]) -> None:
        self.details = details
        low, high = details["recommendation"]["low"], details["recommendation"]["high"]
        self.recommended = range(low, high + 1)
        self.reasons: list[str] = details["reasons"]

    @property
    def fits(self) -> pd.DataFrame:
        scores = ("n_topics", "log_likelihood", "standard_error", "behind", "behind_error")
        halves = ("n_found", "mean_words")
        rows = []
        for fit in self.details["fits"]:
            found = fit["halves"] or dict.fromkeys(halves)
            behind, error = fit["behind"] or (None, None)
            rows.append({**fit, **found, "n_topics": fit["n_topics"], "behind": behind, "behind_error": error})
        return _columns(rows, (*scores, "npmi", "exclusivity", *halves))

    @property
    def directions(self) -> pd.DataFrame:
        return _columns(self.details["directions"], ("eigenvalue", "cross_validated", "z"))

    def __repr__(self) -> str:
        tried = [fit["n_topics"] for fit in self.details["fits"]]
        return (
            f"Sweep({tried[0]} to {tried[-1]} topics; look at "
            f"{self.recommended[0]} to {self.recommended[-1]})"
        )


def _columns(rows: list[dict[str, Any]], names: tuple[str, ...]) -> pd.DataFrame:
    columns = {}
    for name in names:
        values = [row[name] for row in rows]
        missing = any(value is None for value in values)
        columns[name] = np.array(values, dtype=float) if missing else np.array(values)
    return _frames.frame(columns)


def check(
    X: Any,
    *,
    model: Kind = "lda",
    n_components: Optional[int] = None,
    alpha0: float = 1.0,
    words: Any = None,
    n_jobs: Optional[int] = None,
) -> dict[str, Any]:
    """What can be learned from a corpus, before anything is fitted to it.

    Parameters
    ----------
    X : as for ``fit``
        Counts of words or texts.
    model : {'lda', 'single-topic'}, default='lda'
        The model: documents mix topics, or each is about one topic.
    n_components : int, optional
        The number of topics of the planned fit; as many as are visible if not given.
    alpha0 : float, default=1.0
        LDA: the sum of the Dirichlet parameter.
    words : sequence of str or mapping, optional
        The words of the columns, as for ``fit``.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    dict
        The results of ``svtd check --json``: sizes, short documents, copies, long documents, effective
        numbers of documents, visible topics (``visible``), and if it cannot be fitted, why
        (``refusal``).

    Examples
    --------
    >>> import svtd
    >>> X = svtd.generate(n_samples=2000, n_features=40, n_components=3, random_state=0).X
    >>> svtd.check(X, model="single-topic")["visible"]["n_topics"]
    3
    """
    estimator = estimator_of(model, alpha0=alpha0, n_jobs=n_jobs)
    k = None if n_components is None else _parameters.whole("n_components", n_components, 1)
    choices, threads = estimator._choices(), estimator._threads()
    counts = _inputs.for_fit(estimator, X, words, threads).counts
    found: dict[str, Any] = json.loads(_check(counts, choices, k, threads))
    return found


def sweep(
    X: Any,
    n_components: Any = range(2, 31),
    *,
    model: Kind = "lda",
    alpha0: float = 1.0,
    words: Any = None,
    n_jobs: Optional[int] = None,
) -> Sweep:
    """Compare all numbers of topics of a range, from the same passes over the data.

    Parameters
    ----------
    X : as for ``fit``
        Counts of words or texts.
    n_components : range, default=range(2, 31)
        The numbers of topics; the range has no gaps.
    model : {'lda', 'single-topic'}, default='lda'
        The model: documents mix topics, or each is about one topic.
    alpha0 : float, default=1.0
        LDA: the sum of the Dirichlet parameter.
    words : sequence of str or mapping, optional
        The words of the columns, as for ``fit``.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    Sweep
        ``fits``, ``directions``, ``recommended`` and ``reasons``.

    Examples
    --------
    >>> import svtd
    >>> X = svtd.generate(n_samples=2000, n_features=40, n_components=3, random_state=0).X
    >>> swept = svtd.sweep(X, range(2, 7), model="single-topic")
    >>> 3 in swept.recommended
    True
    >>> swept.fits["n_topics"].tolist()
    [2, 3, 4, 5, 6]
    """
    least, most = ends(n_components)
    estimator = estimator_of(model, alpha0=alpha0, n_jobs=n_jobs)
    choices, threads = estimator._choices(), estimator._threads()
    counts = _inputs.for_fit(estimator, X, words, threads).counts
    swept = _sweep(counts, choices, least, most, threads)
    return Sweep(json.loads(swept))


def ends(n_components: Any) -> tuple[int, int]:
    """The first and the last number of a range without gaps."""
    try:
        numbers = [_parameters.whole("n_components", k, 1) for k in n_components]
    except ValueError:
        raise ValueError(
            f"n_components must be a range of whole numbers from 1 without gaps, got {n_components!r}"
        ) from None
    except TypeError:
        raise TypeError(
            f"n_components must be a range of whole numbers, got {n_components!r}"
        ) from None
    if not numbers or numbers != list(range(numbers[0], numbers[-1] + 1)):
        raise ValueError("n_components must be a range of whole numbers from 1 without gaps")
    return numbers[0], numbers[-1]


def estimator_of(
    model: str, *, alpha0: float, n_jobs: Optional[int]
) -> Union[LDA, SingleTopic]:
    """An estimator for the model of this name."""
    estimator = of_kind(model)
    if estimator is LDA:
        return LDA(alpha0=alpha0, n_jobs=n_jobs)
    return estimator(n_jobs=n_jobs)
