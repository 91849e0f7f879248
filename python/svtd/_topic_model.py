"""What both models share: learning, asking about documents, and keeping what was learned.

``__init__`` only stores, ``fit`` checks and returns ``self``, what was learned ends in ``_``.
Every number comes from the compiled module; what is done here is reading input, naming things and
laying them out. Nothing of an estimator changes until a fit has succeeded.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Optional, Union, cast

import numpy as np

from . import _html, _inputs, _interop, _parameters
from ._base import Metadata, Transformer, check_is_fitted
from ._svtd import Counts, Fitted
from ._svtd import fit as _fit

if TYPE_CHECKING:
    import numpy.typing as npt
    import scipy.sparse as sp
    from typing_extensions import Self

    Floats = npt.NDArray[np.float64]

Progress = Callable[[str, int, int], object]


class TopicModel(Metadata, Transformer):
    """Fit, transform, score, save."""

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
    allow_fewer: Any
    rival_options: Any
    random_state: Any
    n_jobs: Any
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

    # --- learning -----------------------------------------------------------------------------

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
            How much each document counts in the moments, in place of the parameter ``weights``.
            Given here, cross-validation cuts it with the documents.

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
        """Learn the topics and say what each document is about.

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
        """Learn the topics and say which is the main one of each document.

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
        """Fits, and keeps what was learned; nothing changes if anything fails before."""
        choices = self._choices(weights)
        threads = self._threads()
        times = _parameters.times(sample_weight)
        read = _inputs.for_fit(self, X, words, threads, times)
        self._learn_counts(read.counts, choices, threads, read.is_frame)
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
            "seed": seed,
            "rival": rival,
        }

    def _adopt(self, fitted: Fitted, of_frame: bool) -> None:
        """Becomes this model: all of it, or none of it if a number cannot be read."""
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

    # --- asking -------------------------------------------------------------------------------

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

    def _ask(self, X: Any) -> Counts:
        return _inputs.counts(self._matrix(X), self._threads(), may_be_empty=True)

    def transform(self, X: Any) -> Floats:
        """What each document is about.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words. Columns that have names are matched to the words of the model by name;
            absent words count as zero, and unknown ones are left out with a warning. A model that
            was fitted on a data frame wants its columns in their order, as scikit-learn's do.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            For :class:`LDA` the mixture of topics of each document, for :class:`SingleTopic` the
            probability that it is about each topic. Rows sum to one; a document without words the
            model knows gets the prior.
        """
        return cast("Floats", self._in_container(self.predict_proba(X), X))

    def predict_proba(self, X: Any) -> Floats:
        """The same numbers as :meth:`transform`, always as an array.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The share or probability of every topic.
        """
        return self._fitted_model().infer(self._ask(X), self._threads())

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """The number of the main topic of each document, from 0; the lowest wins ties.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.

        Returns
        -------
        ndarray of shape (n_samples,)
            Topics.
        """
        return np.asarray(self.predict_proba(X).argmax(axis=1), dtype=np.int64)

    def inverse_transform(self, X: Any) -> Floats:
        """The words to expect of documents with these shares of topics.

        Parameters
        ----------
        X : array of shape (n_samples, n_components)
            Shares of topics, as :meth:`transform` returns them.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The probability of each word; times the length of a document, its expected counts.
        """
        check_is_fitted(self, "components_")
        shares = np.asarray(X, dtype=np.float64)
        if shares.ndim != 2 or shares.shape[1] != self.components_.shape[0]:
            raise ValueError(
                f"X must have a column for each of {self.components_.shape[0]} topics, got an array "
                f"of shape {shares.shape}"
            )
        return shares @ self.components_

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of a word that the model has not seen; higher is better.

        Every occurrence of every word falls into one of two halves of its document, as if by a coin
        (a hash of the document's content, the word and the number of the occurrence); what the
        document is about is told from one half, and the words of the other are predicted. So no
        model can do well by learning documents by heart or by expecting words to be repeated, and
        models of any kind and size can be compared. The order of rows and columns does not matter.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words, best of documents the model was not fitted on.
        y : None
            Ignored.

        Returns
        -------
        float
            The mean natural logarithm of the probability of a word.
        """
        return self._completion(X)[0]

    def score_error(self, X: Any) -> float:
        """The standard error of :meth:`score` over the documents.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.

        Returns
        -------
        float
            The error; NaN when fewer than two documents were scored. The difference of two models
            on the same documents is known better than that: see :meth:`ahead_of`.
        """
        error = self._completion(X)[1]
        return float("nan") if error is None else error

    def ahead_of(self, other: TopicModel, X: Any) -> tuple[float, float]:
        """How far the score is ahead of another model's on the same words of the same documents.

        Parameters
        ----------
        other : LDA or SingleTopic
            A fitted model that knows the same words.
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words, best of documents neither model was fitted on.

        Returns
        -------
        tuple of float
            The difference of the scores, and its standard error over the documents. A difference
            within its error is no difference.
        """
        ours, theirs = self._fitted_model(), other._fitted_model()
        found = ours.ahead_of(theirs, self._ask(X), self._threads())
        if found is None:
            raise ValueError(
                "the two models cannot be compared: they do not know the same words, or fewer than "
                "two documents have any of them; fit both on the same columns"
            )
        return found

    def _completion(self, X: Any) -> tuple[float, Optional[float]]:
        mean, error = self._fitted_model().completion(self._ask(X), self._threads())
        if mean is None:
            raise ValueError(
                "no word that the model knows fell into the halves to be predicted, so there is no "
                "score; are the columns those the model was fitted on, and the documents not empty?"
            )
        return mean, error

    def perplexity(self, X: Any, y: Any = None) -> float:
        """``exp(-score(X))``: among how many equally likely words the model hesitates.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.
        y : None
            Ignored.

        Returns
        -------
        float
            The perplexity; lower is better.
        """
        return float(np.exp(-self.score(X)))

    # --- being named --------------------------------------------------------------------------

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The names of the columns that ``transform`` returns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
            ``lda0``, ``lda1``, and so on.
        """
        check_is_fitted(self, "components_")
        prefix = type(self).__name__.lower()
        return np.asarray([f"{prefix}{i}" for i in range(self._n_features_out)], dtype=np.object_)

    def _words(self) -> list[str]:
        return self._fitted.words() or [str(i + 1) for i in range(self.n_features_in_)]

    # --- keeping and handing over -------------------------------------------------------------

    def save(self, path: Union[str, os.PathLike[str]], *, overwrite: bool = False) -> None:
        """Write the model file, which ``svtd`` on the command line reads as well.

        Parameters
        ----------
        path : str or path
            Where to.
        overwrite : bool, default=False
            Whether a file of that name may be replaced.
        """
        self._fitted_model().save(os.fspath(path), _parameters.flag("overwrite", overwrite))

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> Self:
        """Read a model file written by :meth:`save` or by ``svtd fit``.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        SingleTopic or LDA
            The model, with the parameters it was fitted with.
        """
        from ._estimators import load

        model = load(path)
        if not isinstance(model, cls):
            raise ValueError(
                f"{os.fspath(path)} holds a {type(model).__name__}, not a {cls.__name__}; "
                f"open it with svtd.{type(model).__name__}.load or svtd.load"
            )
        return model

    def to_pyldavis(self, X: Any) -> dict[str, Any]:
        """What ``pyLDAvis.prepare`` takes, with the numbers of topics kept.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            The documents to show.

        Returns
        -------
        dict
            For ``pyLDAvis.prepare(**model.to_pyldavis(X))``. Words that do not occur in ``X`` and
            documents without words are left out, because pyLDAvis divides by them.
        """
        return _interop.to_pyldavis(self, self._matrix(X))

    def to_sklearn(self) -> Any:
        """A fitted ``LatentDirichletAllocation`` with these topics.

        Its numbers are pseudo-counts that normalise to ``components_``. Tools that know
        scikit-learn's model (pyLDAvis, topicwizard) accept it; its own ``transform`` is
        scikit-learn's, close to ours but not the same.

        Returns
        -------
        sklearn.decomposition.LatentDirichletAllocation
            The fitted model.
        """
        check_is_fitted(self, "components_")
        return _interop.to_sklearn(self)

    def _repr_html_(self) -> str:
        return _html.page(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        # Whole numbers: scikit-learn has no name for counts, and this is how it says so.
        tags.input_tags.categorical = True
        return tags


def _check_weights(choices: dict[str, Any], n_documents: int) -> None:
    weights = choices["weights"]
    if isinstance(weights, list) and len(weights) != n_documents:
        raise ValueError(
            f"weights has {len(weights)} numbers for {n_documents} documents; under "
            "cross-validation give them to fit, fit(X, weights=...), where they are cut with the "
            "documents"
        )
