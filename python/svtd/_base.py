"""The estimator base: scikit-learn's where it is installed, otherwise the least that works.

scikit-learn is not required. Without it, estimators still fit, transform and save; they have
``get_params`` and ``set_params``, and no ``set_output``. With it, they are estimators like any
other, from version 1.6 on.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import scipy.sparse as sp

try:
    from sklearn.base import (
        BaseEstimator,
        ClassNamePrefixFeaturesOutMixin,
        TransformerMixin,
    )
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted, validate_data

    HAS_SKLEARN = True
except ImportError:  # scikit-learn is missing, or older than 1.6
    HAS_SKLEARN = False

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """The model was asked for something it only knows once it is fitted."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters are what ``__init__`` takes, kept under the same names."""

        @classmethod
        def _get_param_names(cls) -> list[str]:
            parameters = inspect.signature(cls.__init__).parameters
            return sorted(name for name in parameters if name != "self")

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> BaseEstimator:
            known = self._get_param_names()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(f"invalid parameter {name!r}; valid parameters are {known!r}")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            defaults = inspect.signature(type(self).__init__).parameters
            changed = [
                f"{name}={value!r}"
                for name, value in self.get_params().items()
                if value is not defaults[name].default and value != defaults[name].default
            ]
            return f"{type(self).__name__}({', '.join(changed)})"

    class TransformerMixin:  # type: ignore[no-redef]
        pass

    class ClassNamePrefixFeaturesOutMixin:  # type: ignore[no-redef]
        def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
            check_is_fitted(self, "components_")
            prefix = type(self).__name__.lower()
            names = [f"{prefix}{i}" for i in range(self._n_features_out)]
            return np.asarray(names, dtype=object)

    def check_is_fitted(estimator: Any, attributes: str) -> None:  # type: ignore[misc]
        if not hasattr(estimator, attributes):
            raise NotFittedError(f"this {type(estimator).__name__} is not fitted yet; call fit first")

    def validate_data(estimator: Any, X: Any, *, reset: bool, **_: Any) -> Any:  # type: ignore[misc]
        names = getattr(X, "columns", None)
        if not sp.issparse(X):
            X = np.asarray(X)
        if X.ndim != 2:
            raise ValueError(
                f"expected a 2D table, documents x words, got {X.ndim}D; reshape your data"
            )
        if 0 in X.shape:
            raise ValueError(f"found {X.shape[0]} documents and {X.shape[1]} words; one is required")
        if reset:
            estimator.n_features_in_ = X.shape[1]
            if names is not None and all(isinstance(name, str) for name in names):
                estimator.feature_names_in_ = np.asarray(names, dtype=object)
        elif X.shape[1] != estimator.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
                f"{estimator.n_features_in_} features as input"
            )
        return X.tocsr() if sp.issparse(X) else X


__all__ = [
    "HAS_SKLEARN",
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "NotFittedError",
    "TransformerMixin",
    "check_is_fitted",
    "validate_data",
]
