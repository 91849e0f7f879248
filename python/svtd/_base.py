"""The scikit-learn estimator interface, without importing scikit-learn.

scikit-learn is imported only when its users need it: for tags, for metadata routing, for its
exceptions. So ``import svtd`` takes no longer than NumPy and SciPy, and a model works the same where
scikit-learn is not installed.

scikit-learn calls by name, not by class: ``clone``, ``Pipeline``, ``GridSearchCV`` and its own
checks accept these estimators. Only ``isinstance(model, sklearn.base.BaseEstimator)`` is false.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Optional, TypeVar

import numpy as np

from . import _frames

if TYPE_CHECKING:
    import numpy.typing as npt

OLDEST_SKLEARN = (1, 6)
"""The first scikit-learn that asks estimators for tags the way we answer."""

Container = Literal["default", "pandas", "polars"]

_E = TypeVar("_E", bound="Estimator")
_T = TypeVar("_T", bound="Transformer")
_M = TypeVar("_M", bound="Metadata")


class NotFittedError(ValueError, AttributeError):
    """A method was called that needs a fitted model."""


def raise_not_fitted(estimator: object) -> NoReturn:
    """Raises scikit-learn's exception if scikit-learn is in use, and ours otherwise."""
    sentence = (
        f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with appropriate "
        "arguments before using this estimator."
    )
    if "sklearn" in sys.modules and sys.modules["sklearn"] is not None:
        from sklearn.exceptions import NotFittedError as Theirs

        raise Theirs(sentence)
    raise NotFittedError(sentence)


def check_is_fitted(estimator: object, attribute: Optional[str] = None) -> None:
    """Raises an error for an estimator without this fitted attribute, or without any."""
    learned = vars(estimator)
    if attribute is None:
        known = any(name.endswith("_") and not name.startswith("_") for name in learned)
    else:
        known = attribute in learned
    if not known:
        raise_not_fitted(estimator)


def validate_data(estimator: Any, X: Any, *, reset: bool, **options: Any) -> Any:
    """A table of numbers, checked by scikit-learn if available, otherwise by a minimal check.

    For estimators of real numbers; counts are checked by ``_tables``.
    """
    try:
        from sklearn.utils.validation import validate_data as theirs
    except ImportError:
        table = np.asarray(X, dtype=options.get("dtype"))
        if table.ndim != 2 or 0 in table.shape:
            raise ValueError(f"expected a table of rows and columns, got shape {table.shape}") from None
        if reset:
            estimator.n_features_in_ = table.shape[1]
        elif table.shape[1] != estimator.n_features_in_:
            raise ValueError(
                f"X has {table.shape[1]} features, but {type(estimator).__name__} is expecting "
                f"{estimator.n_features_in_} features as input"
            ) from None
        return table
    return theirs(estimator, X, reset=reset, **options)


def warn_of_old_sklearn() -> None:
    """Warns, once, if the scikit-learn in use is too old for our estimators."""
    sklearn = sys.modules.get("sklearn")
    version = str(getattr(sklearn, "__version__", ""))
    parts = version.split(".")[:2]
    if len(parts) == 2 and all(part.isdecimal() for part in parts):
        if tuple(map(int, parts)) < OLDEST_SKLEARN:
            warnings.warn(
                f"svtd's models are scikit-learn estimators from scikit-learn 1.6 on, and this is "
                f"{version}: pipelines and searches may treat them wrongly; "
                "try pip install --upgrade scikit-learn",
                UserWarning,
                stacklevel=3,
            )


class Estimator:
    """Parameters are the arguments of ``__init__``, stored under the same names."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        parameters = inspect.signature(cls.__init__).parameters
        return sorted(name for name in parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            For scikit-learn; no parameter is an estimator.

        Returns
        -------
        dict
            Every parameter of ``__init__``.
        """
        # This is called first when an estimator is cloned.
        warn_of_old_sklearn()
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self: _E, **params: Any) -> _E:
        """Change parameters.

        Parameters
        ----------
        **params : dict
            New values by name.

        Returns
        -------
        self : object
            The same estimator.
        """
        known = self._get_param_names()
        for name in params:
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {type(self).__name__}; "
                    f"valid parameters are: {known!r}"
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in ((name, getattr(self, name, None)) for name in self._get_param_names())
            if value is not defaults[name].default and repr(value) != repr(defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(),
        )


class Transformer(Estimator):
    """Converts the result of ``transform`` to the container that was asked for."""

    def set_output(self: _T, *, transform: Optional[Container] = None) -> _T:
        """What ``transform`` and ``fit_transform`` return.

        Parameters
        ----------
        transform : {'default', 'pandas', 'polars'}, optional
            An array, or a data frame of that library. ``None`` changes nothing.

        Returns
        -------
        self : object
            The same estimator.
        """
        if transform is None:
            return self
        if transform not in ("default", "pandas", "polars"):
            raise ValueError(
                f"transform must be 'default', 'pandas' or 'polars', got {transform!r}"
            )
        # scikit-learn's own name for it, which its clone copies.
        self._sklearn_output_config = {"transform": transform}
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        return tags

    def _output(self) -> str:
        chosen = getattr(self, "_sklearn_output_config", {}).get("transform")
        if chosen is None and sys.modules.get("sklearn") is not None:
            import sklearn

            chosen = sklearn.get_config().get("transform_output")
        return chosen or "default"

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        raise NotImplementedError

    def _in_container(self, values: npt.NDArray[np.float64], X: Any) -> Any:
        """The values in the container that the caller wants, with the index of a data frame kept."""
        output = self._output()
        if output == "default":
            return values
        return _frames.output(output, values, list(self.get_feature_names_out()), X)


UNCHANGED = "$UNCHANGED$"
"""What scikit-learn passes for a request that stays as it was."""


class Metadata:
    """The metadata that ``fit`` takes besides ``X``, for scikit-learn's metadata routing."""

    _fit_metadata: tuple[str, ...] = ()

    def get_metadata_routing(self) -> Any:
        """The metadata requests of this estimator; see scikit-learn's guide to metadata routing.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
            The requests of ``fit``.
        """
        import copy

        from sklearn.utils.metadata_routing import MetadataRequest

        chosen = getattr(self, "_metadata_request", None)
        if chosen is not None:
            return copy.deepcopy(chosen)
        request = MetadataRequest(owner=self)
        for name in self._fit_metadata:
            request.fit.add_request(param=name, alias=None)
        return request

    def set_fit_request(self: _M, **requests: Any) -> _M:
        """Which metadata ``fit`` asks for, when scikit-learn routes it.

        Parameters
        ----------
        **requests : dict
            ``True``, ``False``, ``None`` or an alias for each of ``words``, ``sample_weight`` and
            ``weights``.

        Returns
        -------
        self : object
            The same estimator.
        """
        unknown = sorted(set(requests) - set(self._fit_metadata))
        if unknown:
            raise TypeError(f"fit takes {', '.join(self._fit_metadata)}, not {', '.join(unknown)}")
        routing = self.get_metadata_routing()
        for name, alias in requests.items():
            if alias != UNCHANGED:
                routing.fit.add_request(param=name, alias=alias)
        self._metadata_request = routing
        return self


__all__ = [
    "Container",
    "Estimator",
    "Metadata",
    "NotFittedError",
    "Transformer",
    "check_is_fitted",
    "validate_data",
    "warn_of_old_sklearn",
]
