"""The estimators: scikit-learn's contract over the compiled module.

``__init__`` only stores, ``fit`` checks and returns ``self``, what was learned ends in ``_``.
Every number comes from the compiled module; what is done here is reading input, naming things and
laying them out.
"""

from __future__ import annotations

import json
import operator
import numbers
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import numpy as np
import scipy.sparse as sp

from . import _frames, _html, _inputs, _interop, _report, _vectorizer
from ._base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    check_is_fitted,
)
from ._svtd import Counts, Fitted
from ._svtd import fit as _fit
from ._svtd import load as _load
from ._svtd import n_threads as _n_threads
from ._svtd import report as _write_report

Progress = Callable[[str, int, int], None]


class _TopicModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What both models share."""

    _kind: str

    # --- learning -----------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, words: Optional[Sequence[str]] = None) -> Any:
        """Learn the topics.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
            Counts of words, one row for each document: whole numbers that are not negative. A CSR
            matrix is read in place, without a copy. A list of lists of words is counted first, a
            list of texts is split into words first, as :class:`Vectorizer` does.
        y : None
            Ignored.
        words : sequence of str, optional
            The words, one for each column. Taken from the columns of a data frame if not given;
            otherwise words are called ``"1"`` to ``"n"``.

        Returns
        -------
        self : object
            The fitted model.
        """
        self._learn(X, words)
        return self

    def fit_transform(
        self, X: Any, y: Any = None, *, words: Optional[Sequence[str]] = None
    ) -> np.ndarray:
        """Learn the topics and say what each document is about.

        Equal to ``fit(X).transform(X)``, bit for bit.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
            Counts of words.
        y : None
            Ignored.
        words : sequence of str, optional
            The words, one for each column.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            As :meth:`transform`.
        """
        counts = self._learn(X, words)
        return self._fitted.infer(counts, self._threads())

    def _learn(self, X: Any, words: Optional[Sequence[str]]) -> Counts:
        choices = self._choices()
        counts = self._read(X, words)
        self._fitted = _fit(counts, choices, self._threads(), self._callback())
        self._publish()
        return counts

    def _read(self, X: Any, words: Optional[Sequence[str]]) -> Counts:
        if _vectorizer.is_texts(X) and words is None:
            counts = _vectorizer.Vectorizer()._learn(X)
            self._forget_names()
            return counts
        if _inputs.is_token_lists(X):
            X, words = _inputs.count_tokens(X, words)
            self._forget_names()
        matrix = _inputs.rows(self, X, reset=True)
        if matrix.shape[0] == 1:
            raise ValueError("found 1 sample (n_samples=1); topics need more documents than that")
        if matrix.shape[1] == 1:
            raise ValueError("found 1 feature(s) (n_features=1); topics need more words than that")
        if words is None:
            words = getattr(self, "feature_names_in_", None)
        return _inputs.counts(matrix, self._threads(), words)

    def _forget_names(self) -> None:
        """Words that were counted are no columns that a caller must keep in order."""
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _choices(self) -> dict[str, Any]:
        weights = self.weights
        if weights is not None and not isinstance(weights, str):
            weights = np.asarray(weights, dtype=np.float64).tolist()
        k = self.n_components
        automatic = isinstance(k, str) and k == "auto"
        if not automatic and (not isinstance(k, numbers.Integral) or k < 1):
            raise ValueError(f"n_components must be a whole number of at least 1 or 'auto', got {k!r}")
        return {
            "kind": self._kind,
            "n_components": None if automatic else int(k),
            "alpha0": getattr(self, "alpha0", None),
            "paper": bool(self.paper),
            "method": self.method,
            "weights": weights,
            "whitening": self.whitening,
            "rows": self.rows,
            "polish": self.polish,
            "allow_fewer": bool(self.allow_fewer),
            "trust": bool(self.trust),
            "seed": _seed(self.random_state),
        }

    def _publish(self) -> None:
        fitted = self._fitted
        self.components_ = fitted.components()
        self.topic_weights_ = fitted.topic_weights()
        alpha = fitted.alpha()
        if alpha is not None:
            self.alpha_ = alpha
        self.diagnostics_ = json.loads(fitted.diagnostics())
        self.singular_values_ = np.asarray(self.diagnostics_["eigenvalues"])[: self._n_features_out]
        self.n_features_in_ = self.components_.shape[1]

    def _threads(self) -> int:
        if self.n_jobs is not None:
            return _n_threads(int(self.n_jobs))
        allowed = os.environ.get("OMP_NUM_THREADS", "")
        return int(allowed) if allowed.isdecimal() and int(allowed) > 0 else _n_threads(-1)

    def _callback(self) -> Optional[Progress]:
        callback, verbose = self.callback, self.verbose
        if not verbose:
            return callback

        def tell(stage: str, done: int, of: int) -> None:
            if verbose > 1 or done == 0:
                part = f" {done}/{of}" if of > 1 else ""
                print(f"[{type(self).__name__}] {stage}{part}", file=sys.stderr, flush=True)
            if callback is not None:
                callback(stage, done, of)

        return tell

    # --- asking -------------------------------------------------------------------------------

    def _ask(self, X: Any) -> Counts:
        return _inputs.counts(self._matrix(X), self._threads(), may_be_empty=True)

    def transform(self, X: Any) -> np.ndarray:
        """What each document is about.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
            Counts of words.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            For :class:`LDA` the mixture of topics of each document, for :class:`SingleTopic` the
            probability that it is about each topic. Rows sum to one; a document without words the
            model knows gets the prior.
        """
        return self._fitted_model().infer(self._ask(X), self._threads())

    def _fitted_model(self) -> Fitted:
        check_is_fitted(self, "components_")
        return self._fitted

    def predict_proba(self, X: Any) -> np.ndarray:
        """The same numbers as :meth:`transform`, always as an array.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
            Counts of words.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The share or probability of every topic.
        """
        return self._fitted_model().infer(self._ask(X), self._threads())

    def predict(self, X: Any) -> np.ndarray:
        """The number of the main topic of each document, from 0; the lowest wins ties.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
            Counts of words.

        Returns
        -------
        ndarray of shape (n_samples,)
            Topics.
        """
        return self.predict_proba(X).argmax(axis=1)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of a word that the model has not seen; higher is better.

        Every occurrence of every word falls into one of two halves of its document, as if by a coin
        (a hash of the document's content, the word and the number of the occurrence); what the
        document is about is told from one half, and the words of the other are predicted. So no
        model can do well by learning documents by heart or by expecting words to be repeated, and
        models of any kind and size can be compared. The order of rows and columns does not matter.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
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
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
            Counts of words.

        Returns
        -------
        float
            The error; NaN when fewer than two documents were scored. The difference of two models
            on the same documents is known better than that: see :meth:`ahead_of`.
        """
        error = self._completion(X)[1]
        return float("nan") if error is None else error

    def ahead_of(self, other: Any, X: Any) -> tuple[float, float]:
        """How far the score is ahead of another model's on the same words of the same documents.

        Parameters
        ----------
        other : LDA or SingleTopic
            A fitted model that knows the same words.
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
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
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
            Counts of words.
        y : None
            Ignored.

        Returns
        -------
        float
            The perplexity; lower is better.
        """
        return float(np.exp(-self.score(X)))

    # --- looking ------------------------------------------------------------------------------

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def _words(self) -> list[str]:
        return self._fitted.words() or [str(i + 1) for i in range(self.n_features_in_)]

    def top_words(self, n: int = 10, relevance: float = 0.6) -> list[list[str]]:
        """The words that tell each topic best.

        Parameters
        ----------
        n : int, default=10
            How many words of each topic.
        relevance : float, default=0.6
            1 orders words by how often they occur in the topic, 0 by how much more often than
            elsewhere (Sievert and Shirley 2014).

        Returns
        -------
        list of list of str
            One list for each topic.
        """
        fitted = self._fitted_model()
        return fitted.top_words(n, float(relevance))

    @property
    def topic_info_(self) -> Any:
        """The topics as a data frame: weight, words, and how far to believe each."""
        check_is_fitted(self, "components_")
        return _frames.topic_info(self)

    def word_info(self, n: int = 10) -> Any:
        """The likeliest words of every topic as a data frame, with their standard errors.

        Parameters
        ----------
        n : int, default=10
            How many words of each topic.

        Returns
        -------
        DataFrame
            Columns ``topic``, ``word``, ``probability``, ``error``. An interval of two errors to
            either side covers the truth about 95 times in 100 if the model is right; ``error`` is
            NaN when it is not known (``trust=False``, or too few documents).
        """
        self._fitted_model()
        return _frames.word_info(self, n)

    def explain(self, X: Any, document: int = 0) -> Any:
        """Why a document has its topics: which of its words pull it where.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
            Counts of words.
        document : int, default=0
            The row of the document.

        Returns
        -------
        DataFrame
            A row for each word the model knows, the hardest pulls first: ``word``, ``count`` and a
            column for each topic. For LDA a pull is how many of its tokens are about the topic, for
            SingleTopic evidence in nats.
        """
        counts = self._ask(X)
        return _frames.explanation(*self._fitted.explain(counts, operator.index(document)))

    def document_info(self, X: Any) -> Any:
        """Documents as a data frame: length, main topic and its share.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
            Counts of words.

        Returns
        -------
        DataFrame
            Columns ``length``, ``topic``, ``share``.
        """
        counts = self._ask(X)
        mixtures = self._fitted.infer(counts, self._threads())
        return _frames.document_info(counts, mixtures)

    def topics_for_coherence(self, n: int = 10) -> list[list[str]]:
        """The ``n`` likeliest words of each topic, as ``gensim.models.CoherenceModel`` takes them.

        Parameters
        ----------
        n : int, default=10
            How many words of each topic.

        Returns
        -------
        list of list of str
            One list for each topic.
        """
        return self.top_words(n, relevance=1.0)

    def to_pyldavis(self, X: Any) -> dict[str, Any]:
        """What ``pyLDAvis.prepare`` takes, with the numbers of topics kept.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts
            The documents to show.

        Returns
        -------
        dict
            For ``pyLDAvis.prepare(**model.to_pyldavis(X))``. Words that do not occur in ``X`` and
            documents without words are left out, because pyLDAvis divides by them.
        """
        matrix = self._matrix(X)
        return _interop.to_pyldavis(self, matrix)

    def _matrix(self, X: Any) -> sp.csr_matrix:
        check_is_fitted(self, "components_")
        if _vectorizer.is_texts(X):
            choice = self._fitted.word_choice()
            if choice is None:
                raise ValueError(
                    "the model was fitted on counts, so it does not know how to split texts into "
                    "words; count them as it was done for the fit, for example with svtd.Vectorizer"
                )
            return _vectorizer.count_known(_vectorizer.texts(X), choice, self._words())
        if _inputs.is_token_lists(X):
            return _inputs.count_tokens(X, self._words())[0]
        return _inputs.rows(self, X, reset=False)

    @property
    def topic_names_(self) -> list[Optional[str]]:
        """What people call the topics, ``None`` for those without a name; see :meth:`name_topics`."""
        return self._fitted_model().names()

    def name_topics(self, names: Sequence[Optional[str]]) -> Any:
        """Give the topics names, which :meth:`save` keeps and the command line shows.

        Parameters
        ----------
        names : sequence of str or None
            One for each topic; ``None`` or an empty string leaves a topic without a name.

        Returns
        -------
        self : object
            The model.
        """
        self._fitted = self._fitted_model().with_names([name or None for name in names])
        return self

    def report(
        self,
        X: Any = None,
        path: Optional[Union[str, os.PathLike[str]]] = None,
        *,
        documents: Optional[Sequence[str]] = None,
        time: Any = None,
        labels: Any = None,
        names: Optional[Sequence[str]] = None,
        sweep: Any = None,
        title: Optional[str] = None,
        n_documents: Optional[int] = None,
        n_words: Optional[int] = None,
        min_documents: int = 1,
        no_text: bool = False,
        overwrite: bool = True,
    ) -> _report.Report:
        """One HTML page that shows what was found and how far to believe it.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts, optional
            The documents, for mixtures, examples, time and labels; without them the page shows what
            the model alone knows.
        path : path-like, optional
            The file to write.
        documents : sequence of str, optional
            The text of each document, of which passages are shown; ``X`` itself if that is texts.
        time : sequence, optional
            When each document is from: years, dates or strings such as ``"1861-03-04"``.
        labels : sequence, optional
            A label for each document, to see the topics by; not used by any fit.
        names : sequence of str, optional
            What each document is called; the index of a data frame if that is not just numbers.
        sweep : dict or Sweep, optional
            What :func:`svtd.sweep` returned, for the section on how many topics.
        title : str, optional
            The title of the page.
        n_documents : int, optional
            How many documents are shown; 500 if not given.
        n_words : int, optional
            How many words of each topic are shown; 20 if not given.
        min_documents : int, default=1
            Words that fewer documents have are hidden.
        no_text : bool, default=False
            Leave out what documents say.
        overwrite : bool, default=True
            Whether a file that is there may be replaced.

        Returns
        -------
        Report
            The page; a notebook shows it in a frame of its own.
        """
        fitted = self._fitted_model()
        if documents is None and X is not None and _vectorizer.is_texts(X):
            documents = _vectorizer.texts(X)
        counts = None if X is None else self._ask(X)
        n = None if counts is None else counts.n_documents
        if n is None and any(given is not None for given in (documents, time, labels, names)):
            raise ValueError("documents, time, labels and names belong to rows of X; give X as well")
        if names is None and X is not None:
            names = _report.names_of(X, documents)
        page = {
            "texts": _report.strings(documents, "documents", n),
            "names": _report.strings(names, "names", n),
            "time": _report.times(time, n),
            "labels": _report.strings(labels, "labels", n),
            "sweep": None if sweep is None else _report.sweep_json(sweep),
            "title": title,
            "n_documents": n_documents,
            "n_words": n_words,
            "min_documents": int(min_documents),
            "no_text": bool(no_text),
            "command": f"{self!r}.report(...)",
            "again": [f"model = {self!r}.fit(X)", "model.report(X, ...)"],
        }
        html = _write_report(fitted, counts, page, path, bool(overwrite), self._threads())
        return _report.Report(html, None if path is None else os.fspath(path))

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

    # --- keeping ------------------------------------------------------------------------------

    def save(self, path: Union[str, os.PathLike[str]], *, overwrite: bool = False) -> None:
        """Write the model file, which ``svtd`` on the command line reads as well.

        Parameters
        ----------
        path : str or path
            Where to.
        overwrite : bool, default=False
            Whether a file of that name may be replaced.
        """
        self._fitted_model().save(os.fspath(path), overwrite)

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> Any:
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
        model = load(path)
        if not isinstance(model, cls):
            raise ValueError(
                f"{os.fspath(path)} holds a {type(model).__name__}, not a {cls.__name__}; "
                f"open it with svtd.{type(model).__name__}.load or svtd.load"
            )
        return model

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


_SHARED = """method : {'joint', 'svtd', 'tensor-power', 'eigenvectors', 'singular-vectors', 'als'}, optional
        How the topics are told apart: all words jointly (the default), the paper's one pivot word,
        or one of the rivals the paper compares with, which draw random numbers.
    weights : {'optimal', 'paper', 'zou', 'three-words'} or array of shape (n_samples,), optional
        How much a document counts. The default is ``'optimal'``: least variance for the lengths
        at hand.
    whitening : {'scaled', 'plain'}, optional
        How words are weighted before the pair moment is decomposed. The default is ``'scaled'``.
    rows : {'kept', 'removed'}, optional
        Method ``'svtd'``: whether a word's slice of the third moment keeps its own row.
    polish : {'auto', 'none'} or int, optional
        What follows the moments: {polish}, nothing, or a number of steps.
    paper : bool, default=False
        The algorithm of the paper to the letter; what is chosen beside it wins.
    trust : bool, default=True
        Whether to look which topics come back in independent halves of the documents, and for
        error bars, at the cost of about another fit.
    allow_fewer : bool, default=False
        Accept fewer topics when the data shows no more, instead of raising :class:`FitError`.
    random_state : int, RandomState instance or None, default=None
        Only for the methods and weights that draw random numbers; ``None`` is 0.
    n_jobs : int, optional
        Threads; ``-1`` for all processors. ``None`` takes ``OMP_NUM_THREADS``, or all. The result
        never depends on it.
    verbose : int, default=0
        1 tells each stage on stderr as it begins, 2 also its steps.
    callback : callable, optional
        Called with ``(stage, done, of)`` as the fit goes on. An exception it raises ends the fit."""


class SingleTopic(_TopicModel):
    """A topic model in which each document is about one topic.

    The spectral estimate of Ruffini, Casanellas and Gavaldà, improved by EM. There is no random
    start: the same counts give the same bits.

    Parameters
    ----------
    n_components : int or 'auto', default=10
        How many topics to learn; ``'auto'`` for as many as stand out of the noise.
    {shared}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The probability of each word in each topic; rows sum to one. Topics are ordered by falling
        weight.
    topic_weights_ : ndarray of shape (n_components,)
        The share of documents about each topic.
    singular_values_ : ndarray of shape (n_components,)
        The leading values of the scaled pair moment.
    diagnostics_ : dict
        How far to believe the fit; ``diagnostics_["notes"]`` are sentences to read.
    topic_info_ : DataFrame
        The topics with their weights, words and warnings.
    n_features_in_ : int
        The number of columns seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if they have any.

    See Also
    --------
    LDA : Documents that mix topics.

    Examples
    --------
    >>> import svtd
    >>> drawn = svtd.generate(n_samples=3000, n_features=40, n_components=3, random_state=1)
    >>> model = svtd.SingleTopic(n_components=3).fit(drawn.X)
    >>> model.transform(drawn.X).shape
    (3000, 3)
    >>> bool(abs(model.topic_weights_.sum() - 1) < 1e-9)
    True
    """

    _kind = "single-topic"

    def __init__(
        self,
        n_components: Union[int, str] = 10,
        *,
        method: Optional[str] = None,
        weights: Any = None,
        whitening: Optional[str] = None,
        rows: Optional[str] = None,
        polish: Union[str, int, None] = None,
        paper: bool = False,
        trust: bool = True,
        allow_fewer: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Progress] = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.weights = weights
        self.whitening = whitening
        self.rows = rows
        self.polish = polish
        self.paper = paper
        self.trust = trust
        self.allow_fewer = allow_fewer
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback


class LDA(_TopicModel):
    """Latent Dirichlet Allocation: a topic model in which documents mix topics.

    The spectral estimate of Ruffini, Casanellas and Gavaldà, then sweeps over the counts that are
    kept only if they predict held-out words better. There is no random start: the same counts
    give the same bits.

    Parameters
    ----------
    n_components : int or 'auto', default=10
        How many topics to learn; ``'auto'`` for as many as stand out of the noise.
    alpha0 : float, default=1.0
        The sum of the Dirichlet parameter that the moments assume; small when documents have few
        topics. After the polish its value hardly matters.
    {shared}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The probability of each word in each topic; rows sum to one. Topics are ordered by falling
        weight.
    topic_weights_ : ndarray of shape (n_components,)
        The share of each topic in the corpus.
    alpha_ : ndarray of shape (n_components,)
        The Dirichlet parameter of the mixtures; a document without words gets
        ``alpha_ / alpha_.sum()``.
    singular_values_ : ndarray of shape (n_components,)
        The leading values of the scaled pair moment.
    diagnostics_ : dict
        How far to believe the fit; ``diagnostics_["notes"]`` are sentences to read.
    topic_info_ : DataFrame
        The topics with their weights, words and warnings.
    n_features_in_ : int
        The number of columns seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if they have any.

    See Also
    --------
    SingleTopic : Documents about one topic each.

    Examples
    --------
    >>> import svtd
    >>> drawn = svtd.generate("lda", n_samples=3000, n_features=40, n_components=3, random_state=1)
    >>> model = svtd.LDA(n_components=3).fit(drawn.X)
    >>> mixtures = model.transform(drawn.X)
    >>> bool(abs(mixtures.sum(axis=1) - 1).max() < 1e-9)
    True
    """

    _kind = "lda"

    def __init__(
        self,
        n_components: Union[int, str] = 10,
        *,
        alpha0: float = 1.0,
        method: Optional[str] = None,
        weights: Any = None,
        whitening: Optional[str] = None,
        rows: Optional[str] = None,
        polish: Union[str, int, None] = None,
        paper: bool = False,
        trust: bool = True,
        allow_fewer: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
        callback: Optional[Progress] = None,
    ) -> None:
        self.n_components = n_components
        self.alpha0 = alpha0
        self.method = method
        self.weights = weights
        self.whitening = whitening
        self.rows = rows
        self.polish = polish
        self.paper = paper
        self.trust = trust
        self.allow_fewer = allow_fewer
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback


for _cls, _polish in ((SingleTopic, "EM until it settles"), (LDA, "sweeps if they predict better")):
    if _cls.__doc__:  # Python -OO has none
        _cls.__doc__ = _cls.__doc__.replace("{shared}", _SHARED.replace("{polish}", _polish))


def load(path: Union[str, os.PathLike[str]]) -> Any:
    """Read a model file of either kind.

    Parameters
    ----------
    path : str or path
        A file written by ``save`` or by ``svtd fit``.

    Returns
    -------
    SingleTopic or LDA
        The model, with the parameters it was fitted with.
    """
    fitted = _load(os.fspath(path))
    options = json.loads(fitted.options())
    model: Any = {"lda": LDA, "single-topic": SingleTopic}[fitted.kind](**_parameters(options))
    model._fitted = fitted
    model._publish()
    return model


def _parameters(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a model file as parameters of an estimator."""
    parameters = {
        "n_components": "auto" if options.get("chosen") else options["n_topics"],
        "whitening": options["whitening"],
        "rows": options["rows"],
        "allow_fewer": options["allow_fewer"],
        "trust": options["trust"],
    }
    for name in ("method", "weights"):
        choice = options[name]
        if isinstance(choice, dict):
            ((choice, details),) = choice.items()
            if choice == "custom":
                choice = details
            else:
                parameters["random_state"] = details["seed"]
        parameters[name] = choice
    polish = options["polish"]
    parameters["polish"] = polish["steps"] if isinstance(polish, dict) else polish
    if options.get("alpha0") is not None:
        parameters["alpha0"] = options["alpha0"]
    return parameters


def _seed(random_state: Any) -> int:
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, got {random_state}")
        return int(random_state)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    return int(random_state.integers(2**31 - 1))
