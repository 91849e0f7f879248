"""Raters without a gold standard."""

from __future__ import annotations

import json
from typing import Any

from . import _frames
from ._answers import labels as _labels
from ._svtd import RecordModel, fit_raters
from ._svtd import n_threads as _n_threads


class Raters:
    """How often each rater is right, without a gold standard (Dawid and Skene 1979).

    Parameters
    ----------
    prior : float, default=1.0
        Weight of the prior ratings of every rater; 0 is maximum likelihood.
    error_bars : bool, default=True
        Whether standard errors are computed.
    n_jobs : int, default=-1
        Number of threads; changes no result.

    Examples
    --------
    >>> import svtd
    >>> items = [i for i in range(20) for _ in range(3)]
    >>> raters = ["ann", "bob", "cleo"] * 20
    >>> labels = ["cat" if i % 2 or r == "cleo" else "dog" for i, r in zip(items, raters)]
    >>> model = svtd.Raters().fit(items, raters, labels)
    >>> bool(model.accuracy_["ann"] > model.accuracy_["cleo"])
    True
    """

    def __init__(self, *, prior: float = 1.0, error_bars: bool = True, n_jobs: int = -1) -> None:
        self.prior = prior
        self.error_bars = error_bars
        self.n_jobs = n_jobs

    def fit(self, items: Any, raters: Any, labels: Any) -> Raters:
        """Learn raters from ratings: three sequences of equal length, one element for each rating."""
        columns = [("item", _labels(items)), ("rater", _labels(raters)), ("label", _labels(labels))]
        threads = _n_threads(self.n_jobs)
        self._model: RecordModel = fit_raters(
            columns, float(self.prior), bool(self.error_bars), threads
        )
        tables = self._model.tables()
        names = tables["raters"]["rater"]
        self.accuracy_ = dict(zip(names, tables["raters"]["accuracy"].tolist()))
        self.accuracy_error_ = dict(zip(names, tables["raters"]["error"].tolist()))
        self.labels_ = tables["labels"]["label"]
        self.shares_ = tables["labels"]["share"]
        self.shares_error_ = tables["labels"]["error"]
        self.log_likelihood_ = json.loads(self._model.json())["log_likelihood"]
        return self

    def predict(self, items: Any, raters: Any, labels: Any) -> dict[str, str]:
        """The likeliest true label of every item."""
        columns = [("item", _labels(items)), ("rater", _labels(raters)), ("label", _labels(labels))]
        inferred = self._model.infer(columns)
        return dict(zip(inferred["item"], inferred["label"]))

    def confusions(self) -> Any:
        """How often every rater gives which label for each true label, as a data frame."""
        return _frames.frame(self._model.tables()["confusions"])
