"""The two models, with their parameters, and reading either from a file."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

from . import _parameters
from ._bertopic import BertopicHabits
from ._learning import Progress
from ._svtd import load as _load

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Self

Moments = Literal["joint", "svtd", "tensor-power", "eigenvectors", "singular-vectors", "als"]
Weights = Union[Literal["optimal", "paper", "zou", "three-words"], "npt.ArrayLike"]
Whitening = Literal["scaled", "plain"]
Rows = Literal["kept", "removed"]
Polish = Union[Literal["auto", "none"], int]

_SHARED = """method : {'joint', 'svtd', 'tensor-power', 'eigenvectors', 'singular-vectors', 'als', '{rival}'}, optional
        How the topics are separated: by all words jointly (the default), by the paper's one pivot
        word, by one of the rivals the paper compares with, or by a classical method without moments,
        ``'{rival}'`` ({classical}). Rivals use random numbers.
    weights : {'optimal', 'paper', 'zou', 'three-words'} or array of shape (n_samples,), optional
        How documents are weighted. The default is ``'optimal'``: smallest variance for the given
        lengths.
    whitening : {'scaled', 'plain'}, optional
        How words are weighted before the pair moment is decomposed. The default is ``'scaled'``.
    rows : {'kept', 'removed'}, optional
        Method ``'svtd'``: whether a word's slice of the third moment keeps its own row.
    polish : {'auto', 'none'} or int, optional
        What follows the moments: {polish}, nothing, or a number of passes.
    paper : bool, default=False
        Exactly the algorithm of the paper; other parameters that are given take precedence.
    trust : bool, default=True
        Whether to estimate the errors of the fit: which topics come back in independent halves of
        the documents, and error bars. Costs half a fit to two fits; less above ten million counts,
        and more where a fit takes a fraction of a second.
    splits : int, optional
        How often the documents are split into such halves; 0 for never. The default is 2 where a
        fit takes under a second, 1 otherwise.
    allow_fewer : bool, default=False
        Accept fewer topics when the data show no more, instead of raising :class:`FitError`.
    rival_options : dict, optional
        Method ``'{rival}'``: {options}.
    random_state : int, RandomState instance or None, default=None
        Only for the methods and weights that use random numbers; ``None`` is 0.
    n_jobs : int, optional
        Threads; ``-1`` for all processors, and never more than there are. ``None`` takes
        ``OMP_NUM_THREADS``, or all. The result does not depend on it.
    memory : int or str, optional
        How much of the counts a fit keeps in memory, in bytes or as ``'2GB'``; the rest is kept in
        a temporary file, in the folder named by ``TMPDIR`` or else in ``/var/tmp``. This includes the
        counts that ``partial_fit`` keeps. The result does not depend on it. Tables of words x topics,
        and the input of a call, need memory in addition.
    verbose : int, default=0
        1 prints each stage on stderr as it begins, 2 also its steps.
    callback : callable, optional
        Called with ``(stage, done, of)`` as the fit goes on. An exception it raises ends the fit."""


class _Loading(BertopicHabits):
    """``load``, which reads a model file."""

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
        model = load(path)
        if not isinstance(model, cls):
            raise ValueError(
                f"{os.fspath(path)} holds a {type(model).__name__}, not a {cls.__name__}; "
                f"open it with svtd.{type(model).__name__}.load or svtd.load"
            )
        return model


class SingleTopic(_Loading):
    """A topic model in which each document is about one topic.

    The spectral estimate of Ruffini, Casanellas and Gavaldà, improved by EM. There is no random
    start: the same counts give the same bits.

    Parameters
    ----------
    n_components : int or 'auto', default=10
        How many topics to learn; ``'auto'`` lets the data choose.
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
        How reliable the fit is; ``diagnostics_["notes"]`` are sentences to read.
    topic_info_ : DataFrame
        The topics with their weights, words and warnings.
    n_features_in_ : int
        The number of columns seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The words of the columns, if they have names.
    topic_names_ : list of str
        The name of each topic.

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
        n_components: Union[int, Literal["auto"]] = 10,
        *,
        method: Optional[Union[Moments, Literal["em"]]] = None,
        weights: Optional[Weights] = None,
        whitening: Optional[Whitening] = None,
        rows: Optional[Rows] = None,
        polish: Optional[Polish] = None,
        paper: bool = False,
        trust: bool = True,
        splits: Optional[int] = None,
        allow_fewer: bool = False,
        rival_options: Optional[dict[str, Any]] = None,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        memory: Optional[Union[int, str]] = None,
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
        self.splits = splits
        self.allow_fewer = allow_fewer
        self.rival_options = rival_options
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback


class LDA(_Loading):
    """Latent Dirichlet Allocation: a topic model in which documents mix topics.

    The spectral estimate of Ruffini, Casanellas and Gavaldà, then passes of collapsed variational
    Bayes, which are kept where words are repeated more than topics explain, or where they predict
    held-out words better. There is no random start: the same counts give the same bits.

    Parameters
    ----------
    n_components : int or 'auto', default=10
        How many topics to learn; ``'auto'`` lets the data choose.
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
        How reliable the fit is; ``diagnostics_["notes"]`` are sentences to read.
    topic_info_ : DataFrame
        The topics with their weights, words and warnings.
    n_features_in_ : int
        The number of columns seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The words of the columns, if they have names.
    topic_names_ : list of str
        The name of each topic.

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

    alpha_: npt.NDArray[np.float64]

    def __init__(
        self,
        n_components: Union[int, Literal["auto"]] = 10,
        *,
        alpha0: float = 1.0,
        method: Optional[Union[Moments, Literal["gibbs"]]] = None,
        weights: Optional[Weights] = None,
        whitening: Optional[Whitening] = None,
        rows: Optional[Rows] = None,
        polish: Optional[Polish] = None,
        paper: bool = False,
        trust: bool = True,
        splits: Optional[int] = None,
        allow_fewer: bool = False,
        rival_options: Optional[dict[str, Any]] = None,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        memory: Optional[Union[int, str]] = None,
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
        self.splits = splits
        self.allow_fewer = allow_fewer
        self.rival_options = rival_options
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback


_RIVALS = {
    "em": ("EM from many starts", "``restarts`` (10) and ``start`` (``'random'`` or ``'kmeans++'``)"),
    "gibbs": ("Gibbs sampling", "``burn_in`` (200), ``samples`` (30) and ``eta`` (.05)"),
}

for _cls, _rival, _polish in (
    (SingleTopic, "em", "EM until it settles"),
    (LDA, "gibbs", "sweeps if they predict better"),
):
    if _cls.__doc__:  # Python -OO has none
        _classical, _options = _RIVALS[_rival]
        _parts = {"polish": _polish, "rival": _rival, "classical": _classical, "options": _options}
        _shared = _SHARED
        for _name, _text in _parts.items():
            _shared = _shared.replace("{" + _name + "}", _text)
        _cls.__doc__ = _cls.__doc__.replace("{shared}", _shared)


def load(path: Union[str, os.PathLike[str]]) -> Union[SingleTopic, LDA]:
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
    parameters = _parameters.of_file(json.loads(fitted.options()))
    model = of_kind(fitted.kind)(**parameters)
    model._adopt(fitted, False)
    return model


def of_kind(kind: str) -> Union[type[LDA], type[SingleTopic]]:
    """The estimator of this kind of model."""
    for estimator in (LDA, SingleTopic):
        if estimator._kind == kind:
            return estimator
    raise ValueError(f"model must be 'lda' or 'single-topic', got {kind!r}")
