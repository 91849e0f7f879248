"""Gaussian mixtures under scikit-learn's names.

Code written for ``sklearn.mixture.GaussianMixture`` switches by one import. The search is different:
it uses no random numbers. In addition there are sample weights, missing values, standard errors, and
how many starts agree.
"""

from __future__ import annotations

import json
import numbers
import warnings
from collections.abc import Callable
from typing import Any, Optional, Union

import numpy as np

from ._answers import column_names, is_frame
from ._base import Estimator, check_is_fitted, validate_data
from ._models import estimator_threads, names_of, number_of_components, progress, publish_found_again, tell_notes
from ._parameters import seed as _seed
from ._svtd import gaussian_fit, gaussian_infer, gaussian_sample

_SHAPES = {"full": "full", "tied": "tied", "diag": "diagonal", "spherical": "spherical"}
_WITHOUT_EFFECT = {
    "tol": 1e-3,
    "reg_covar": 1e-6,
    "max_iter": 100,
    "n_init": 1,
    "init_params": "kmeans",
    "weights_init": None,
    "means_init": None,
    "precisions_init": None,
    "warm_start": False,
}
_said = False


class GaussianMixture(Estimator):
    """A Gaussian mixture, found without a random start.

    Parameters
    ----------
    n_components : int or "auto", default=1
        Number of components. With "auto" the criterion AIC3 chooses, up to `max_components`.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        The shape of covariances.
    prior : float or "auto", default="auto"
        Weight of the prior on covariances, in records. 0 is maximum likelihood, with variances
        kept above a millionth of the total. "auto" is 1, or for full covariances the best of 1,
        .1, .01, .001 and .0001 on held-out records.
    max_components : int, default=8
        The most components that "auto" tries.
    error_bars : bool, default=True
        Whether standard errors of weights and means are computed, and components looked for in
        halves of the records.
    effort : {0, 1, 2}, default=2
        How much to search: the starts only, moves up and down from the best of them, or from the
        best two.
    n_jobs : int, optional
        Number of threads. The result is the same, bit for bit, for any number.
    random_state : int, RandomState instance or None
        The seed of :meth:`sample`. A fit uses no random numbers.
    verbose : int, default=0
        1 prints each stage on stderr as it begins, 2 also its steps.
    callback : callable, optional
        Called with ``(stage, done, of)`` as the fit goes on. An exception it raises ends the fit.
    tol, reg_covar, max_iter, n_init, init_params, weights_init, means_init, precisions_init, \
warm_start, verbose_interval
        Accepted for compatibility with scikit-learn, without effect; a warning says so once.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Weights of the components, falling.
    means_ : ndarray of shape (n_components, n_features)
    covariances_ : ndarray
        As in scikit-learn: the shape depends on `covariance_type`.
    precisions_, precisions_cholesky_ : ndarray
        Inverses of the covariances, and their Cholesky factors.
    weights_error_, means_error_ : ndarray
        Standard errors, if `error_bars`.
    found_again_, standing_ : ndarray of shape (n_components,), list of str
        How well each component is found again: the overlap of its records between the mixtures of
        two independent halves, from 0 to 1, and as a word: "reproduces", "partly" or "not found
        again". None without `error_bars`.
    log_likelihood_ : float
        Log-likelihood of the training data.
    criteria_ : dict
        AIC, AIC3, BIC and others, with the number of parameters.
    prior_ : float
        The weight of the prior that was used.
    starts_ : list of dict
        Every start of the search, the objective it reached, and whether that is the best.
    lower_bound_ : float
        Log-likelihood per record, as in scikit-learn.
    converged_, n_iter_ : bool, int
        Whether EM converged, and its steps in all.

    Examples
    --------
    >>> import numpy as np, svtd
    >>> X = np.array([[0.0], [0.1], [-0.1], [5.0], [5.1], [4.9]])
    >>> mixture = svtd.GaussianMixture(2, covariance_type="spherical").fit(X)
    >>> sorted(mixture.means_.ravel().round(1).tolist())
    [0.0, 5.0]
    """

    n_features_in_: int
    feature_names_in_: np.ndarray[Any, Any]
    found_again_: Optional[np.ndarray[Any, Any]]
    standing_: Optional[list[str]]

    def __init__(
        self,
        n_components: Union[int, str] = 1,
        *,
        covariance_type: str = "full",
        prior: Union[float, str] = "auto",
        max_components: int = 8,
        error_bars: bool = True,
        effort: int = 2,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        callback: Optional[Callable[[str, int, int], None]] = None,
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        weights_init: Any = None,
        means_init: Any = None,
        precisions_init: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.prior = prior
        self.max_components = max_components
        self.error_bars = error_bars
        self.effort = effort
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> GaussianMixture:
        """Learn a mixture.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            The records; NaN where a value is missing.
        y : None
            Ignored.
        sample_weight : array of shape (n_samples,), optional
            The number of records that each row stands for.

        Returns
        -------
        self : object
            The fitted mixture.
        """
        self._say_what_has_no_effect()
        k = number_of_components(self.n_components)
        if self.covariance_type not in _SHAPES:
            raise ValueError(
                f"covariance_type must be one of {sorted(_SHAPES)}, got {self.covariance_type!r}"
            )
        automatic = isinstance(self.prior, str) and self.prior == "auto"
        if not automatic and not isinstance(self.prior, numbers.Real):
            raise ValueError(f"prior must be a number of at least 0 or 'auto', got {self.prior!r}")
        values = self._values(X, reset=True)
        options = {
            "n_components": k,
            "max_components": int(self.max_components),
            "covariance": _SHAPES[self.covariance_type],
            "prior": None if automatic else float(self.prior),
            "effort": int(self.effort),
            "error_bars": bool(self.error_bars),
        }
        weights = _weights(sample_weight, len(values))
        names = names_of(self)
        found = gaussian_fit(values, weights, names, options, estimator_threads(self), progress(self))
        self._publish(found, len(values) if weights is None else float(weights.sum()))
        return self

    def _publish(self, found: dict[str, Any], n_records: float) -> None:
        self.weights_ = found["weights"]
        self.means_ = found["means"]
        full = np.stack(found["covariances"])
        self.covariances_ = _as_sklearn(self.covariance_type, full)
        self._covariances = full[:1] if self.covariance_type == "tied" else full
        if "weights_error" in found:
            self.weights_error_ = found["weights_error"]
            self.means_error_ = found["means_error"]
        self.prior_ = found["prior"]
        self.criteria_ = json.loads(found["criteria"])
        self.path_ = {k: criteria for k, criteria in json.loads(found["path"])}
        self.starts_ = json.loads(found["starts"])
        publish_found_again(self, found)
        self.log_likelihood_ = self.criteria_["log_likelihood"]
        self.lower_bound_ = self.log_likelihood_ / n_records
        self.converged_ = found["converged"]
        self.n_iter_ = max(1, found["steps"])
        self.notes_ = list(found["notes"])
        tell_notes(self)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Learn a mixture and return the component of every record."""
        return self.fit(X, y, sample_weight).predict(X)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable component of every record."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every component for every record, from its observed values."""
        return self._infer(X)[0]

    def score_samples(self, X: Any) -> np.ndarray:
        """The log density of every record, over its observed values."""
        return self._infer(X)[1]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The mean log density."""
        scores = self.score_samples(X)
        return float(np.average(scores, weights=_weights(sample_weight, len(scores))))

    def aic(self, X: Any) -> float:
        """Akaike's criterion on `X`; the smaller, the better."""
        return float(-2 * self.score_samples(X).sum() + 2 * self.criteria_["n_parameters"])

    def bic(self, X: Any) -> float:
        """The Bayesian information criterion on `X`; the smaller, the better."""
        scores = self.score_samples(X)
        return float(-2 * scores.sum() + np.log(len(scores)) * self.criteria_["n_parameters"])

    def sample(self, n_samples: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Random records from the mixture, and their components."""
        check_is_fitted(self, "weights_")
        if n_samples < 1:
            raise ValueError(f"n_samples must be at least 1, got {n_samples}")
        seed = 0 if self.random_state is None else _seed(self.random_state)
        values, components = gaussian_sample(self._arrays(), int(n_samples), seed)
        return values.reshape(n_samples, -1), np.asarray(components)

    @property
    def precisions_(self) -> np.ndarray:
        """Inverses of the covariances, shaped as `covariances_`."""
        return _as_sklearn(self.covariance_type, np.linalg.inv(self._every_covariance()))

    @property
    def precisions_cholesky_(self) -> np.ndarray:
        """Cholesky factors of the precisions, as in scikit-learn."""
        check_is_fitted(self, "weights_")
        if self.covariance_type in ("diag", "spherical"):
            return np.asarray(1.0 / np.sqrt(self.covariances_))
        lower = np.linalg.cholesky(self._every_covariance())
        factors = np.linalg.inv(lower).transpose(0, 2, 1)
        return factors[0] if self.covariance_type == "tied" else factors

    def to_sklearn(self) -> Any:
        """The same mixture as scikit-learn's estimator."""
        check_is_fitted(self, "weights_")
        try:
            from sklearn.mixture import GaussianMixture as Theirs
        except ImportError:
            raise ImportError(
                "to_sklearn needs scikit-learn, which is not installed; try pip install scikit-learn"
            ) from None
        theirs = Theirs(n_components=len(self.weights_), covariance_type=self.covariance_type)
        theirs.weights_, theirs.means_ = self.weights_.copy(), self.means_.copy()
        theirs.covariances_ = self.covariances_.copy()
        theirs.precisions_cholesky_ = self.precisions_cholesky_
        theirs.precisions_ = self.precisions_
        theirs.converged_, theirs.n_iter_ = self.converged_, self.n_iter_
        theirs.lower_bound_ = self.lower_bound_
        theirs.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            theirs.feature_names_in_ = self.feature_names_in_
        return theirs

    # --- inside ---------------------------------------------------------------------------------

    def _every_covariance(self) -> np.ndarray:
        check_is_fitted(self, "weights_")
        return self._covariances

    def _arrays(self) -> dict[str, Any]:
        return {
            "covariance": _SHAPES[self.covariance_type],
            "weights": np.ascontiguousarray(self.weights_),
            "means": np.ascontiguousarray(self.means_),
            "covariances": np.ascontiguousarray(self._covariances),
        }

    def _infer(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self, "weights_")
        return gaussian_infer(self._values(X, reset=False), self._arrays(), estimator_threads(self))

    def _values(self, X: Any, reset: bool) -> np.ndarray:
        options: dict[str, Any] = {"dtype": np.float64, "ensure_all_finite": "allow-nan"}
        if reset:
            options["ensure_min_samples"] = 2
        if is_frame(X):
            column_names(X)
        return np.ascontiguousarray(validate_data(self, X, reset=reset, **options), dtype=float)

    def _say_what_has_no_effect(self) -> None:
        global _said
        changed = [name for name, usual in _WITHOUT_EFFECT.items() if _changed(getattr(self, name), usual)]
        if changed and not _said:
            _said = True
            warnings.warn(
                f"{', '.join(changed)} without effect: the search has its own starts and draws no "
                "random number (said once)",
                stacklevel=3,
            )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "weights_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.estimator_type = "density_estimator"
        return tags


def _changed(value: Any, usual: Any) -> bool:
    return value is not None if usual is None else value != usual


def _weights(sample_weight: Any, n: int) -> Optional[np.ndarray]:
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        return np.full(n, float(weights))
    if weights.ndim != 1:
        raise ValueError(f"sample_weight must be 1D, got {weights.ndim}D")
    return weights


def _as_sklearn(covariance_type: str, matrices: np.ndarray) -> np.ndarray:
    """Covariance matrices in scikit-learn's shape."""
    if covariance_type == "tied":
        return np.asarray(matrices[0])
    if covariance_type == "diag":
        return np.diagonal(matrices, axis1=1, axis2=2).copy()
    if covariance_type == "spherical":
        return matrices[:, 0, 0].copy()
    return matrices
