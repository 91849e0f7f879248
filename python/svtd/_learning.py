"""Learning: from documents and parameters to a fitted model.

``__init__`` only stores, ``fit`` checks and returns ``self``, learned attributes end in ``_``. Every
number comes from the compiled module; this module reads input, names things and arranges them.
Nothing of an estimator changes until a fit has succeeded.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Optional, cast

import numpy as np

from . import _inputs, _parameters
from ._base import Metadata, Transformer, check_is_fitted
from ._svtd import Counts, Fitted
from ._svtd import fit as _fit

if TYPE_CHECKING:
    import numpy.typing as npt
    import scipy.sparse as sp
    from typing_extensions import Self

    Floats = npt.NDArray[np.float64]

Progress = Callable[[str, int, int], object]


class Learning(Metadata, Transformer):
    """``fit`` and related methods, and how documents are read for a fitted model."""

    _kind: ClassVar[str]
    _fit_metadata = ("words", "sample_weight", "weights")

    n_components: Any
    method: Any
    weights: Any
    whitening: Any
    rows: Any
    polish: Any
    paper: Any
    trust: Any
    splits: Any
    allow_fewer: Any
    rival_options: Any
    random_state: Any
    n_jobs: Any
    memory: Any
    verbose: Any
    callback: Any

    components_: Floats
    topic_weights_: Floats
    singular_values_: Floats
    diagnostics_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    _fitted: Fitted
    _of_frame: bool

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        words: Any = None,
        sample_weight: Any = None,
        weights: Any = None,
    ) -> Self:
        """Learn the topics.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words, one row for each document: whole numbers that are not negative. A CSR
            matrix is read in place, without a copy. Lists of words and gensim's bags of words, or
            a stream of them, are counted first; texts are split into words first, as
            :class:`Vectorizer` does; of an ``AnnData`` the counts are found.
        y : None
            Ignored.
        words : sequence of str or mapping, optional
            The words, one for each column; or a mapping between words and columns, as
            ``CountVectorizer.vocabulary_`` or gensim's ``Dictionary``. Taken from the columns of a
            data frame or the steps before in a pipeline if not given; otherwise words are called
            ``"1"`` to ``"n"``.
        sample_weight : array of shape (n_samples,), optional
            How many times each document counts, in whole numbers; the same as repeating it.
        weights : array of shape (n_samples,), optional
            The weight of each document in the moments, instead of the parameter ``weights``. Given
            here, cross-validation splits it together with the documents.

        Returns
        -------
        self : object
            The fitted model.
        """
        self._learn(X, words, sample_weight, weights)
        return self

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        *,
        words: Any = None,
        sample_weight: Any = None,
        weights: Any = None,
    ) -> Floats:
        """Learn the topics and return the topics of each document.

        Equal to ``fit(X).transform(X)``, bit for bit.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.
        y : None
            Ignored.
        words, sample_weight, weights : optional
            As for :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            As :meth:`transform`.
        """
        mixtures = self._fit_infer(X, words, sample_weight, weights)
        return cast("Floats", self._in_container(mixtures, X))

    def fit_predict(
        self,
        X: Any,
        y: Any = None,
        *,
        words: Any = None,
        sample_weight: Any = None,
        weights: Any = None,
    ) -> npt.NDArray[np.int64]:
        """Learn the topics and return the main topic of each document.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.
        y : None
            Ignored.
        words, sample_weight, weights : optional
            As for :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            As :meth:`predict`.
        """
        mixtures = self._fit_infer(X, words, sample_weight, weights)
        return np.asarray(mixtures.argmax(axis=1), dtype=np.int64)

    def _fit_infer(self, X: Any, words: Any, sample_weight: Any, weights: Any) -> Floats:
        if not isinstance(X, (list, tuple)) and hasattr(X, "__next__"):
            X = list(X)  # documents that come once are needed twice
        counts = self._learn(X, words, sample_weight, weights)
        if sample_weight is not None:
            counts = self._ask(X)
        return self._fitted.infer(counts, self._threads())

    def _learn(self, X: Any, words: Any, sample_weight: Any, weights: Any) -> Counts:
        """Fits, and stores what was learned; nothing changes if anything fails before."""
        choices = self._choices(weights)
        threads = self._threads()
        times = _parameters.times(sample_weight)
        memory = _parameters.memory(self.memory)
        read = _inputs.for_fit(self, X, words, threads, times, memory)
        self._learn_counts(read.counts, choices, threads, read.is_frame)
        vars(self).pop("_seen", None)  # those of partial_fit, which begins anew
        return read.counts

    def _learn_counts(
        self, counts: Counts, choices: dict[str, Any], threads: int, of_frame: bool
    ) -> None:
        _check_weights(choices, counts.n_documents)
        self._adopt(_fit(counts, choices, threads, self._callback()), of_frame)

    def _choices(self, weights: Any = None) -> dict[str, Any]:
        seed = _parameters.seed(self.random_state)
        method, rival = _parameters.method(self._kind, self.method, self.rival_options, seed)
        alpha0 = getattr(self, "alpha0", None)
        return {
            "kind": self._kind,
            "n_components": _parameters.n_components(self.n_components),
            "alpha0": None if alpha0 is None else _parameters.positive("alpha0", alpha0),
            "paper": _parameters.flag("paper", self.paper),
            "method": method,
            "weights": _parameters.weights(self.weights if weights is None else weights),
            "whitening": _parameters.choice("whitening", self.whitening),
            "rows": _parameters.choice("rows", self.rows),
            "polish": _parameters.polish(self.polish),
            "allow_fewer": _parameters.flag("allow_fewer", self.allow_fewer),
            "trust": _parameters.flag("trust", self.trust),
            "splits": None if self.splits is None else _parameters.whole("splits", self.splits, 0),
            "seed": seed,
            "rival": rival,
        }

    def _adopt(self, fitted: Fitted, of_frame: bool) -> None:
        """Takes over a fitted model: completely, or not at all if a number cannot be read."""
        components = fitted.components()
        diagnostics = json.loads(fitted.diagnostics())
        values = np.asarray(diagnostics["eigenvalues"], dtype=np.float64)
        learned: dict[str, Any] = {
            "components_": components,
            "topic_weights_": fitted.topic_weights(),
            "diagnostics_": diagnostics,
            "singular_values_": values[: components.shape[0]],
            "n_features_in_": components.shape[1],
            "_fitted": fitted,
            "_of_frame": of_frame,
        }
        alpha, names = fitted.alpha(), fitted.words()
        if alpha is not None:
            learned["alpha_"] = alpha
        if names is not None:
            learned["feature_names_in_"] = np.asarray(names, dtype=np.object_)
        else:
            vars(self).pop("feature_names_in_", None)
        vars(self).update(learned)

    def _threads(self) -> int:
        return _parameters.threads(self.n_jobs)

    def _callback(self) -> Optional[Progress]:
        callback, verbose = self.callback, self.verbose
        if callback is not None and not callable(callback):
            raise TypeError(f"callback must be callable with (stage, done, of), got {callback!r}")
        verbose = _parameters.whole("verbose", int(verbose) if verbose in (True, False) else verbose, 0)
        if not verbose:
            return cast("Optional[Progress]", callback)

        def tell(stage: str, done: int, of: int) -> None:
            if verbose > 1 or done == 0:
                part = f" {done}/{of}" if of > 1 else ""
                print(f"[{type(self).__name__}] {stage}{part}", file=sys.stderr, flush=True)
            if callback is not None:
                callback(stage, done, of)

        return tell

    def _fitted_model(self) -> Fitted:
        check_is_fitted(self, "components_")
        return self._fitted

    def _matrix(self, X: Any) -> sp.csr_matrix:
        """The documents in the columns of the model."""
        fitted = self._fitted_model()
        known = _inputs.Known(
            words=fitted.words(),
            n_words=self.n_features_in_,
            word_choice=fitted.word_choice(),
            of_frame=self._of_frame,
            owner=type(self).__name__,
        )
        return _inputs.for_model(X, known)

    def _ask(self, X: Any, *, named: bool = False) -> Counts:
        """The documents as counts, with the names of their words where these matter."""
        names = self._fitted_model().words() if named else None
        return _inputs.counts(self._matrix(X), self._threads(), names, may_be_empty=True)


def _check_weights(choices: dict[str, Any], n_documents: int) -> None:
    weights = choices["weights"]
    if isinstance(weights, list) and len(weights) != n_documents:
        raise ValueError(
            f"weights has {len(weights)} numbers for {n_documents} documents; under "
            "cross-validation give them to fit, fit(X, weights=...), where they are cut with the "
            "documents"
        )
