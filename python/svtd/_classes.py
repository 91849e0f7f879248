"""Latent classes: scikit-learn's contract over tables of records.

Categories may be strings, codes or booleans; ``None`` and ``NaN`` are missing answers, which need
no imputation. Every number comes from the compiled module.
"""

from __future__ import annotations

import json
import numbers
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _frames
from ._answers import answers, column_labels, column_names, is_frame, is_missing
from ._base import Estimator, check_is_fitted
from ._models import progress
from ._svtd import RecordModel, fit_classes, load_records, restore_records
from ._svtd import n_threads as _n_threads

_WEIGHTS = " weight of the record "


class LatentClass(Estimator):
    """Latent class analysis: hidden groups among records, and how each group answers.

    The search is deterministic: it draws no random number, reaches as high as the best of ten
    random starts of the usual programs in about 95 of 100 data sets, and says how many of its own
    starts agree.

    Parameters
    ----------
    n_components : int or "auto", default=2
        Number of classes; ``"auto"`` lets ``criterion`` choose it.
    prior : float, default=1.0
        Weight of the prior record in every class; 0 is plain maximum likelihood.
    effort : {"best-two", "best", "starts"}, default="best-two"
        How much to search beyond the starts.
    criterion : {"aic3", "aic", "bic", "adjusted-bic", "caic"}, default="aic3"
        The criterion that chooses the number of classes.
    error_bars : bool, default=True
        Whether standard errors are computed, and classes looked for in halves of the records.
    categorical, real, counts : sequence of column names or positions, optional
        The kinds of the columns. By default strings, booleans and whole numbers of at most twenty
        values are categories, other numbers are real.
    n_jobs : int, default=-1
        Number of threads; changes no result.
    verbose : int, default=0
        1 prints each stage on stderr as it begins, 2 also its steps.
    callback : callable, optional
        Called with ``(stage, done, of)`` as the fit goes on. An exception it raises ends the fit.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components_,)
        Share of each class, the largest first.
    weights_error_ : ndarray or None
        Their standard errors.
    found_again_, standing_ : ndarray of shape (n_components_,), list of str
        How well each class is found again: the overlap of its records between the classes of two
        independent halves, from 0 to 1, and as a word: "reproduces", "partly" or "not found again".
        None without `error_bars`.
    log_likelihood_, aic_, aic3_, bic_, caic_, adjusted_bic_ : float
        Log-likelihood at the estimate and information criteria.
    relative_entropy_ : float
        1 when every record's class is certain.
    agreement_ : tuple of int
        How many of the starts reached the best objective, and how many there were.
    n_components_ : int
        Number of classes.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> import svtd
    >>> answers = [["y", "y", "y"], ["y", "y", "n"], ["n", "n", "n"], ["n", "n", None]] * 10
    >>> model = svtd.LatentClass(n_components=2).fit(answers)
    >>> labels = model.predict(answers)
    >>> bool(labels[0] == labels[1] != labels[2])
    True
    """

    def __init__(
        self,
        n_components: Union[int, str] = 2,
        *,
        prior: float = 1.0,
        effort: str = "best-two",
        criterion: str = "aic3",
        error_bars: bool = True,
        categorical: Optional[Sequence[Any]] = None,
        real: Optional[Sequence[Any]] = None,
        counts: Optional[Sequence[Any]] = None,
        n_jobs: int = -1,
        verbose: int = 0,
        callback: Optional[Callable[[str, int, int], None]] = None,
    ) -> None:
        self.n_components = n_components
        self.prior = prior
        self.effort = effort
        self.criterion = criterion
        self.error_bars = error_bars
        self.categorical = categorical
        self.real = real
        self.counts = counts
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> LatentClass:
        """Learn classes.

        Parameters
        ----------
        X : {array, data frame, list of rows} of shape (n_samples, n_features)
            Answers: strings, codes, booleans or numbers; ``None`` and ``NaN`` are missing.
        y : None
            Ignored.
        sample_weight : array of shape (n_samples,), optional
            How often each record counts.

        Returns
        -------
        self : object
            The fitted model.
        """
        names, columns = self._read(X, reset=True)
        n_samples = len(columns[0]) if columns else 0
        if n_samples == 1:
            raise ValueError("found 1 sample (n_samples=1); classes need more records than that")
        table = list(zip(names, columns))
        if sample_weight is not None:
            weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
            if weights.shape != (n_samples,):
                raise ValueError(
                    f"sample_weight.shape == {weights.shape}, expected {(n_samples,)}"
                )
            if not weights.any():
                raise ValueError("every sample_weight is zero, so no record counts; give some a weight")
            table.append((_WEIGHTS, weights))
        choices = {
            "n_components": self._n_classes(),
            "prior": float(self.prior),
            "effort": self.effort,
            "criterion": self.criterion,
            "error_bars": bool(self.error_bars),
            "real": self._named(names, self.real),
            "counts": self._named(names, self.counts),
            "categorical": self._named(names, self.categorical),
            "weights": None if sample_weight is None else _WEIGHTS,
        }
        self._model = fit_classes(table, choices, _n_threads(self.n_jobs), progress(self))
        self._publish()
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Learn classes and return the likeliest class of every record.

        Parameters
        ----------
        X : {array, data frame, list of rows} of shape (n_samples, n_features)
            Answers.
        y : None
            Ignored.
        sample_weight : array of shape (n_samples,), optional
            How often each record counts.

        Returns
        -------
        ndarray of shape (n_samples,)
            As :meth:`predict`.
        """
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of every record, from 0.

        Parameters
        ----------
        X : {array, data frame, list of rows} of shape (n_samples, n_features)
            Answers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers of classes.
        """
        return np.asarray(self._infer(X)["class"] - 1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class for every record.

        Parameters
        ----------
        X : {array, data frame, list of rows} of shape (n_samples, n_features)
            Answers.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            Rows sum to one.
        """
        inferred = self._infer(X)
        return np.column_stack([inferred[f"class{j + 1}"] for j in range(self.n_components_)])

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of records.

        Parameters
        ----------
        X : {array, data frame, list of rows} of shape (n_samples, n_features)
            Answers.
        y : None
            Ignored.

        Returns
        -------
        float
            The higher, the better the records are explained.
        """
        check_is_fitted(self)
        names, columns = self._read(X, reset=False)
        return self._model.evaluate(list(zip(names, columns)))["log_likelihood_per_record"]

    def sample(self, n_samples: int = 1, random_state: int = 0) -> Any:
        """Random records from the classes, as a data frame.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, default=0
            The seed: the same seed gives the same records.

        Returns
        -------
        data frame
            A column for each item.
        """
        check_is_fitted(self)
        return _frames.frame(dict(self._model.draw(int(n_samples), int(random_state))))

    def answers(self) -> Any:
        """The probability of every answer in every class, with standard errors, as a data frame."""
        return self._table("answers")

    def items(self) -> Any:
        """How much information every item gives about the class, as a data frame."""
        return self._table("information")

    def pairs(self) -> Any:
        """The dependence between pairs of items that the classes do not explain, largest first."""
        return self._table("pairs")

    def classification(self) -> Any:
        """The mean probability of every class among records of every likeliest class."""
        return self._table("classification")

    def save(self, path: Any, *, overwrite: bool = False) -> None:
        """Write the model file that ``svtd infer`` and :meth:`load` read.

        Parameters
        ----------
        path : str or path
            Where.
        overwrite : bool, default=False
            Whether a file that exists is replaced.
        """
        check_is_fitted(self)
        self._model.save(str(path), overwrite)

    @classmethod
    def load(cls, path: Any) -> LatentClass:
        """Read a model file.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        LatentClass
            The fitted model.
        """
        model = load_records(str(path))
        if model is None or model.kind() != "classes":
            raise ValueError(f"{path} holds no latent classes")
        self = cls()
        self._model = model
        self._names = list(dict.fromkeys(model.tables()["answers"]["item"]))
        self.n_features_in_ = len(self._names)
        self._publish()
        self.n_components = self.n_components_
        return self

    def _table(self, name: str) -> Any:
        check_is_fitted(self)
        return _frames.frame(self._model.tables()[name])

    def _infer(self, X: Any) -> dict[str, Any]:
        check_is_fitted(self)
        names, columns = self._read(X, reset=False)
        return self._model.infer(list(zip(names, columns)))

    def _n_classes(self) -> Optional[int]:
        if isinstance(self.n_components, str):
            if self.n_components != "auto":
                raise ValueError(f"n_components must be a number or 'auto', got {self.n_components!r}")
            return None
        if isinstance(self.n_components, bool) or not isinstance(self.n_components, numbers.Integral):
            raise ValueError(f"n_components must be a whole number, got {self.n_components!r}")
        if self.n_components < 1:
            raise ValueError(f"n_components must be at least 1, got {self.n_components}")
        return int(self.n_components)

    def _named(self, names: list[str], chosen: Optional[Sequence[Any]]) -> list[str]:
        if chosen is None:
            return []
        return [names[c] if isinstance(c, numbers.Integral) else str(c) for c in chosen]

    def _read(self, X: Any, *, reset: bool) -> tuple[list[str], list[Any]]:
        """Names and columns of X."""
        if hasattr(X, "tocsr"):
            raise TypeError(
                "Sparse data was passed, but dense answers are needed: a cell that is not stored "
                "could be 0 or missing; try X.toarray()"
            )
        if is_frame(X):
            names = column_names(X)
            columns = [answers(X[label]) for label in column_labels(X)]
            shape = (len(columns[0]) if columns else 0, len(names))
        else:
            rows = X if hasattr(X, "dtype") else np.asarray(X, dtype=object)
            rows = np.asarray(rows)
            if rows.ndim != 2:
                raise ValueError(
                    f"Expected 2D array, got {rows.ndim}D array instead. Reshape your data: a row "
                    "for each record, a column for each item"
                )
            names = [f"x{j}" for j in range(rows.shape[1])]
            columns = [answers(rows[:, j]) for j in range(rows.shape[1])]
            shape = rows.shape
        if shape[0] == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
        if shape[1] == 0:
            raise ValueError(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
        for name, column in zip(names, columns):
            if isinstance(column, np.ndarray) and np.isinf(column).any():
                raise ValueError(f"Input X contains infinity in column {name!r}")
        self._check_names(X, names, reset=reset)
        return names, columns

    def _check_names(self, X: Any, names: list[str], *, reset: bool) -> None:
        if reset:
            self.n_features_in_ = len(names)
            self._names = names
            if is_frame(X) and all(isinstance(label, str) for label in column_labels(X)):
                self.feature_names_in_ = np.asarray(names, dtype=object)
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"X has {len(names)} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )

    def _publish(self) -> None:
        fitted = json.loads(self._model.json())
        arrays = {name: values.reshape(shape) for name, (shape, values) in self._model.arrays().items()}
        criteria = fitted["summary"]["criteria"]
        self.n_components_ = fitted["n_classes"]
        self.weights_ = arrays["shares"]
        self.weights_error_ = arrays.get("shares_error")
        shares = self._model.tables()["classes"]
        self.found_again_ = np.asarray(shares["found_again"]) if "standing" in shares else None
        self.standing_ = list(shares["standing"]) if "standing" in shares else None
        self.log_likelihood_ = criteria["log_likelihood"]
        self.aic_ = criteria["aic"]
        self.aic3_ = criteria["aic3"]
        self.bic_ = criteria["bic"]
        self.caic_ = criteria["caic"]
        self.adjusted_bic_ = criteria["sample_adjusted_bic"]
        self.relative_entropy_ = fitted["summary"]["relative_entropy"]
        starts = [s for s in fitted["summary"]["starts"] if s["name"] != "up and down"]
        self.agreement_ = (sum(s["reached"] for s in starts), len(starts))
        self.notes_ = fitted["notes"]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        model = state.pop("_model", None)
        if model is not None:
            state["_bytes"] = bytes(model.to_bytes())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        content = state.pop("_bytes", None)
        self.__dict__.update(state)
        if content is not None:
            restored: Any = restore_records(content)
            self._model = restored

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
