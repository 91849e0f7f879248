"""Topic models of documents in Dask: ``pip install svtd[dask]``.

>>> from dask.distributed import Client                        # doctest: +SKIP
>>> import dask.array as da, svtd.dask                         # doctest: +SKIP
>>> client = Client()                                          # doctest: +SKIP
>>> model = svtd.dask.LDA(n_components=20).fit(counts)         # doctest: +SKIP
>>> model.model_.topic_info_                                   # doctest: +SKIP

The model has the same bytes as ``svtd.LDA(n_components=20)`` fitted in one process, error bars included,
whatever the number of partitions and workers. If a worker dies, only its current work is lost.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import scipy.sparse as sp

from . import _choosing, _documents, _rounds, _tables, _words
from ._estimators import LDA as _LDA
from ._estimators import SingleTopic as _SingleTopic

if TYPE_CHECKING:
    from typing_extensions import Self

try:
    import distributed
except ImportError as error:  # pragma: no cover
    raise ImportError("svtd.dask needs Dask: pip install 'svtd[dask]'") from error

__all__ = ["LDA", "SingleTopic", "sweep"]

_RETRIES = 3

# Questions larger than this, in bytes, do not travel through the scheduler.
_LARGE = 1 << 20

# The exceptions when data without a task to recreate it were lost with their workers.
_LOST = (CancelledError, distributed.scheduler.KilledWorker)


class _OnDask:
    """What both models share: fitting and inference where the documents are."""

    _kind: type[_rounds.Model]

    def __init__(self, n_components: int = 10, *, client: Any = None, **options: Any) -> None:
        self.client = client
        self._options = {"n_components": n_components, **options}
        _rounds.check_options(self._kind, self._options)

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        words: Optional[Sequence[str]] = None,
        checkpoint: Optional[Union[str, os.PathLike[str]]] = None,
    ) -> Self:
        """Learn the topics.

        Parameters
        ----------
        X : dask array, data frame or bag
            Counts of words, one row for each document (blocks of an array may be SciPy's sparse
            matrices); or a bag of lists of words, whose words ``words`` names.
        y : None
            Ignored.
        words : sequence of str, optional
            The words, one for each column. Taken from the columns of a data frame if not given.
        checkpoint : path, optional
            A folder that keeps every answer: an interrupted fit continues where it stopped when it is
            run again with the same folder.

        Returns
        -------
        self : object
            The fitted model; ``model_`` is the ordinary one.
        """
        model = _rounds.check_options(self._kind, self._options)
        words, parts = _partitions(X, words)
        with _client(self.client) as client:
            engine = _Engine(client, parts, words)
            self.model_ = _rounds.learn(model, engine.ask, checkpoint)
        return self

    def transform(self, X: Any) -> Any:
        """The topics of each document, computed lazily where the documents are.

        Parameters
        ----------
        X : dask array or data frame, or what ``svtd``'s own models read
            Counts of words, columns as in ``fit``.

        Returns
        -------
        dask array of shape (n_samples, n_components), or an array
            The share of each topic in each document.
        """
        model = self.model_
        k = model.components_.shape[0]
        if hasattr(X, "map_blocks"):
            rows = X.rechunk({1: -1})
            return rows.map_blocks(
                _transformed, model, dtype=np.float64, chunks=(rows.chunks[0], (k,)), meta=np.empty((0, k))
            )
        if hasattr(X, "to_dask_array"):
            parts = X.map_partitions(_transformed, model, meta=np.empty((0, k)))
            return parts.to_dask_array(lengths=True) if hasattr(parts, "to_dask_array") else parts
        return model.transform(X)


class LDA(_OnDask):
    """Documents that mix topics; the parameters are those of :class:`svtd.LDA`.

    Parameters
    ----------
    n_components : int, default=10
        How many topics to learn.
    client : dask.distributed.Client, optional
        The client to use; by default the current client, or a new one in this process.
    **options
        As for :class:`svtd.LDA`.
    """

    _kind = _LDA


class SingleTopic(_OnDask):
    """Documents about one topic each; the parameters are those of :class:`svtd.SingleTopic`.

    Parameters
    ----------
    n_components : int, default=10
        How many topics to learn.
    client : dask.distributed.Client, optional
        The client to use; by default the current client, or a new one in this process.
    **options
        As for :class:`svtd.SingleTopic`.
    """

    _kind = _SingleTopic


def sweep(
    X: Any,
    n_components: Any = range(2, 31),
    *,
    model: _choosing.Kind = "lda",
    alpha0: float = 1.0,
    words: Optional[Sequence[str]] = None,
    client: Any = None,
    checkpoint: Optional[Union[str, os.PathLike[str]]] = None,
    n_jobs: Optional[int] = None,
) -> _choosing.Sweep:
    """Compare all numbers of topics of a range, where the documents are.

    The result is that of :func:`svtd.sweep` in one process.

    Parameters
    ----------
    X : dask array, data frame or bag
        The documents, as for ``fit``.
    n_components : range, default=range(2, 31)
        The numbers of topics; the range has no gaps.
    model : {'lda', 'single-topic'}, default='lda'
        The model: documents mix topics, or each is about one topic.
    alpha0 : float, default=1.0
        LDA: the sum of the Dirichlet parameter.
    words : sequence of str, optional
        The words of the columns, as for ``fit``.
    client : dask.distributed.Client, optional
        The client to use; by default the current client, or a new one in this process.
    checkpoint : path, optional
        A folder that keeps every answer: an interrupted comparison continues where it stopped when it
        is run again with the same folder.
    n_jobs : int, optional
        Threads of this process.

    Returns
    -------
    Sweep
        ``fits``, ``directions`` and ``recommended``.
    """
    compared = _rounds.Compared.checked(n_components, model, alpha0, n_jobs)
    words, parts = _partitions(X, words)
    with _client(client) as client:
        return compared.sweep(_Engine(client, parts, words).ask, checkpoint)


class _Engine:
    """The groups of a fit, kept by the workers."""

    def __init__(self, client: Any, parts: list[Any], words: _rounds.Words) -> None:
        self._client = client
        self._name = _rounds.new_name()
        self._words = client.submit(_same, words, pure=False)
        parts = client.compute(parts)
        surveys = client.map(_rounds.survey, parts, words=self._words, pure=False, retries=_RETRIES)
        bits = _rounds.n_bits(client.gather(surveys), len(client.scheduler_info()["workers"]))
        dealt = client.map(
            _rounds.dealt, parts, words=self._words, bits=bits, pure=False, retries=_RETRIES
        )
        n_words = client.submit(_width, parts[0], pure=False)
        self._groups = [
            client.submit(_gathered, group, dealt, n_words, pure=False, retries=_RETRIES)
            for group in range(1 << bits)
        ]
        self._states: list[Any] = [None] * len(self._groups)
        self._looks_so_far = _rounds.Looks()

    def ask(self, question: bytes) -> bytes:
        looks = _rounds.leaves_state(question)
        if looks and _rounds.begins_run(question):
            self._begin_run()
        try:
            answers = self._asked(question)
        except _LOST:
            # Scattered data are not recreated when the workers that held them are gone. The states
            # of the groups follow from the questions so far, which are asked again.
            if looks:
                self._states = [None] * len(self._groups)
                for earlier in self._looks_so_far:
                    self._asked(earlier)
            answers = self._asked(question)
        if looks:
            self._looks_so_far.append(question)
        return _rounds.added(question, answers)

    def _begin_run(self) -> None:
        self._looks_so_far.clear()
        self._states = [None] * len(self._groups)

    def _asked(self, question: bytes) -> list[Optional[bytes]]:
        client = self._client
        sent = self._sent(question)
        replies = [
            client.submit(
                _reply,
                f"{self._name}-{group}",
                rows,
                self._words,
                sent,
                self._states[group],
                pure=False,
                retries=_RETRIES,
            )
            for group, rows in enumerate(self._groups)
        ]
        if not _rounds.leaves_state(question):
            return [reply[0] for reply in client.gather(replies)]
        # The state of a group stays with the workers.
        states = [client.submit(_part, reply, 1, pure=False) for reply in replies]
        answers: list[Optional[bytes]] = client.gather(
            [client.submit(_part, reply, 0, pure=False) for reply in replies]
        )
        self._states = states
        return answers

    def _sent(self, question: bytes) -> Any:
        """The question at the workers: made by a task if it is small, sent to all of them if it is large."""
        if len(question) > _LARGE:
            try:
                return self._client.scatter(question, broadcast=True, hash=False)
            except OSError:
                # A worker left while the question was being sent. A task is run again wherever it
                # is needed.
                pass
        return self._client.submit(_same, question, pure=False)


@contextmanager
def _client(client: Any) -> Iterator[Any]:
    """The given client, the current one, or a new one in this process."""
    if client is not None:
        yield client
        return
    try:
        present = distributed.get_client()
    except ValueError:
        present = None
    if present is not None:
        yield present
        return
    with distributed.Client(processes=False, dashboard_address=None) as own:
        yield own


def _partitions(X: Any, words: Any) -> tuple[_rounds.Words, list[Any]]:
    """The words, and every partition as a lazy table of counts."""
    import dask

    names = None if words is None else _words.given(words, len(words))
    if hasattr(X, "map_blocks"):
        if X.ndim != 2:
            raise ValueError(f"counts need two dimensions, documents x words; got {X.ndim}")
        if names is not None and len(names) != X.shape[1]:
            raise ValueError(f"words has {len(names)} names for {X.shape[1]} columns")
        return names, list(X.rechunk({1: -1}).to_delayed().ravel())
    if hasattr(X, "columns"):
        names = [str(column) for column in X.columns] if names is None else names
        return names, list(X.to_delayed())
    if hasattr(X, "to_delayed"):
        if names is None:
            raise ValueError("a bag of lists of words needs words=, so that all partitions count alike")
        count = dask.delayed(_counted)
        return names, [count(part, names) for part in X.to_delayed()]
    raise TypeError(f"a dask array, data frame or bag is needed, got {type(X).__name__}")


def _counted(documents: Any, words: list[str]) -> sp.csr_matrix:
    """Counts lists of words over given words; other words are ignored."""
    return _documents.count_tokens(documents, words)[0]


def _gathered(group: int, dealt: list[dict[int, sp.csr_matrix]], n_words: int) -> sp.csr_matrix:
    pieces = [part[group] for part in dealt if group in part]
    return sp.vstack(pieces, format="csr") if pieces else sp.csr_matrix((0, n_words), dtype=np.int64)


def _reply(
    name: str, rows: sp.csr_matrix, words: _rounds.Words, question: bytes, state: Optional[bytes]
) -> tuple[Optional[bytes], Optional[bytes]]:
    if rows.shape[0] == 0:
        return None, None
    return _rounds.reply(name, lambda: rows, words, question, state)


def _transformed(block: Any, model: _rounds.Model) -> Any:
    return model.transform(block)


def _width(part: Any) -> int:
    return int(_tables.read(part).matrix.shape[1])


def _part(reply: tuple[Any, Any], at: int) -> Any:
    return reply[at]


def _same(value: Any) -> Any:
    return value
