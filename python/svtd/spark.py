"""Topic models of documents in Spark: ``pip install svtd[spark]``.

>>> from svtd.spark import LDA                                              # doctest: +SKIP
>>> model = LDA(k=20, vocabulary=words).fit(documents)                      # doctest: +SKIP
>>> model.describeTopics().show()                                           # doctest: +SKIP
>>> model.transform(documents)                                              # doctest: +SKIP
>>> model.toLocal().save("topics.svtd")                                     # doctest: +SKIP

The estimators are those of ``pyspark.ml``: a column of vectors in, a column of vectors out. They
use only data frame calls, so they run on a classic session and over Spark Connect. The model
has the same bytes as ``svtd.LDA(k)`` fitted in one process, error bars included, for any number of
partitions; if an executor dies, only its current work is lost.

``svtd`` must be installed where the executors run.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union, cast

import numpy as np
import scipy.sparse as sp

from . import _rounds, _vectors
from ._estimators import LDA as _LDA
from ._estimators import SingleTopic as _SingleTopic
from ._estimators import load as _load

try:
    import pyarrow as pa
    from pyspark import keyword_only
    from pyspark.ml import Estimator, Model
    from pyspark.ml.functions import array_to_vector
    from pyspark.ml.param import Param, Params, TypeConverters
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F
except ImportError as error:  # pragma: no cover
    raise ImportError("svtd.spark needs PySpark and PyArrow: pip install 'svtd[spark]'") from error

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["LDA", "LDAModel", "SingleTopic", "SingleTopicModel"]

_BLOCKS = "group int, rows binary"
_LOOKED = "group int, rows binary, state binary, answer binary"
_ANSWERED = "group int, answer binary"
_DESCRIBED = (
    "topic int, termIndices array<int>, terms array<string>, termWeights array<double>, "
    "termErrors array<double>"
)

# Larger values than this, in bytes, are sent to the executors once and not with every task.
_LARGE = 1 << 20

_KINDS: dict[str, type[_rounds.Model]] = {"lda": _LDA, "single-topic": _SingleTopic}


class _Columns(Params):
    """The parameters that an estimator and its model share."""

    k: Param[int]
    featuresCol: Param[str]
    topicDistributionCol: Param[str]

    def __init__(self) -> None:
        super().__init__()
        self.k = Param(self, "k", "how many topics to learn", TypeConverters.toInt)
        self.featuresCol = Param(
            self, "featuresCol", "the column of counts, a vector for each document", TypeConverters.toString
        )
        self.topicDistributionCol = Param(
            self, "topicDistributionCol", "the column that transform adds", TypeConverters.toString
        )
        self._setDefault(k=10, featuresCol="features", topicDistributionCol="topicDistribution")

    def getK(self) -> int:
        """How many topics to learn."""
        return cast(int, self.getOrDefault(self.k))

    def getFeaturesCol(self) -> str:
        """The column of counts."""
        return cast(str, self.getOrDefault(self.featuresCol))

    def getTopicDistributionCol(self) -> str:
        """The column that ``transform`` adds."""
        return cast(str, self.getOrDefault(self.topicDistributionCol))


class _OnSpark(Estimator, _Columns):
    """What both estimators share."""

    _kind: str
    _model: type[_TopicModel]

    def _prepare(
        self,
        vocabulary: Optional[Sequence[str]],
        groups: int,
        checkpoint: Optional[Union[str, os.PathLike[str]]],
        options: dict[str, Any],
    ) -> None:
        self._words = None if vocabulary is None else [str(word) for word in vocabulary]
        self._groups, self._checkpoint, self._options = groups, checkpoint, options
        self._estimator()

    def _estimator(self) -> _rounds.Model:
        options = {"n_components": self.getK(), **self._options}
        return _rounds.check_options(_KINDS[self._kind], options)

    def _fit(self, dataset: DataFrame) -> _TopicModel:
        estimator = self._estimator()
        engine = _Engine(dataset, self.getFeaturesCol(), self._words, self._groups)
        try:
            local = _rounds.learn(estimator, engine.ask, self._checkpoint)
        finally:
            engine.close()
        return self._copyValues(self._model(local))


class LDA(_OnSpark):
    """Documents that mix topics.

    Parameters
    ----------
    k : int, default=10
        How many topics to learn.
    featuresCol : str, default='features'
        The column of counts: a vector for each document, sparse or dense.
    vocabulary : sequence of str, optional
        The words, one for each place of the vectors, as ``CountVectorizerModel.vocabulary``.
    topicDistributionCol : str, default='topicDistribution'
        The column that ``transform`` adds.
    groups : int, default=8
        The largest number of tasks in a round; the model does not depend on it.
    checkpoint : path, optional
        A folder of the driver that keeps every answer: an interrupted fit continues where it stopped
        when it is run again with the same folder.
    options : dict, optional
        Further parameters of :class:`svtd.LDA`. With ``trust=False`` there are fewer rounds.
    """

    _kind = "lda"

    @keyword_only
    def __init__(
        self,
        *,
        k: int = 10,
        featuresCol: str = "features",
        vocabulary: Optional[Sequence[str]] = None,
        topicDistributionCol: str = "topicDistribution",
        groups: int = 8,
        checkpoint: Optional[Union[str, os.PathLike[str]]] = None,
        options: Optional[dict[str, Any]] = None,
    ) -> None:
        super().__init__()
        self._model = LDAModel
        self._set(k=k, featuresCol=featuresCol, topicDistributionCol=topicDistributionCol)
        self._prepare(vocabulary, groups, checkpoint, options or {})


class SingleTopic(_OnSpark):
    """Documents about one topic each.

    Parameters
    ----------
    k : int, default=10
        How many topics to learn.
    featuresCol : str, default='features'
        The column of counts: a vector for each document, sparse or dense.
    vocabulary : sequence of str, optional
        The words, one for each place of the vectors, as ``CountVectorizerModel.vocabulary``.
    topicDistributionCol : str, default='topicDistribution'
        The column that ``transform`` adds.
    groups : int, default=8
        The largest number of tasks in a round; the model does not depend on it.
    checkpoint : path, optional
        A folder of the driver that keeps every answer: an interrupted fit continues where it stopped
        when it is run again with the same folder.
    options : dict, optional
        Further parameters of :class:`svtd.SingleTopic`. With ``trust=False`` there are fewer
        rounds.
    """

    _kind = "single-topic"

    @keyword_only
    def __init__(
        self,
        *,
        k: int = 10,
        featuresCol: str = "features",
        vocabulary: Optional[Sequence[str]] = None,
        topicDistributionCol: str = "topicDistribution",
        groups: int = 8,
        checkpoint: Optional[Union[str, os.PathLike[str]]] = None,
        options: Optional[dict[str, Any]] = None,
    ) -> None:
        super().__init__()
        self._model = SingleTopicModel
        self._set(k=k, featuresCol=featuresCol, topicDistributionCol=topicDistributionCol)
        self._prepare(vocabulary, groups, checkpoint, options or {})


class _TopicModel(Model, _Columns):
    """A fitted model."""

    def __init__(self, local: _rounds.Model) -> None:
        super().__init__()
        self._local = local

    def toLocal(self) -> _rounds.Model:
        """The ordinary model of ``svtd``."""
        return self._local

    def topicsMatrix(self) -> np.ndarray[Any, Any]:
        """The probability of each word (rows) in each topic (columns)."""
        return np.asarray(self._local.components_).T

    def describeTopics(self, maxTermsPerTopic: int = 10) -> DataFrame:
        """The likeliest words of every topic, as a data frame of Spark.

        Columns as in ``pyspark.ml``: ``topic`` (its place in ``topicDistribution``, from 0),
        ``termIndices`` and ``termWeights``; and ``terms``, the words themselves, and
        ``termErrors``, the standard errors of the weights. A model that was fitted
        with ``trust=False`` has null there.
        """
        words, errors = self._local._words(), self._local._fitted.component_errors()
        rows: list[tuple[Any, ...]] = []
        for j, topic in enumerate(np.asarray(self._local.components_)):
            best = np.argsort(-topic, kind="stable")[:maxTermsPerTopic]
            terms = [str(words[i]) for i in best]
            reach = None if errors is None else np.asarray(errors)[j, best].tolist()
            rows.append((j, best.tolist(), terms, topic[best].tolist(), reach))
        return SparkSession.builder.getOrCreate().createDataFrame(rows, _DESCRIBED)

    def save(self, path: Union[str, os.PathLike[str]], overwrite: bool = False) -> None:
        """Write the model file, which every ``svtd`` reads."""
        self._local.save(path, overwrite=overwrite)

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> _TopicModel:
        """Read a model file."""
        return cls(_load(path))

    def _transform(self, dataset: DataFrame) -> DataFrame:
        model = self._local

        def mixtures(vectors: Any) -> Any:
            import pandas as pd

            parts = [pa.array(vectors[name], from_pandas=True) for name in vectors.columns]
            rows = pa.StructArray.from_arrays(parts, list(vectors.columns))
            shares = model.transform(_vectors.matrix(rows))
            return pd.Series(list(np.asarray(shares)))

        # Spark reads the kind of a function off its annotations, which it must find as classes.
        import pandas as pd

        mixtures.__annotations__ = {"vectors": pd.DataFrame, "return": pd.Series}
        mixtures = F.pandas_udf(mixtures, "array<double>")
        column = array_to_vector(mixtures(_unwrapped(dataset, self.getFeaturesCol())))
        return dataset.withColumn(self.getTopicDistributionCol(), column)


class LDAModel(_TopicModel):
    """A model in which documents mix topics."""


class SingleTopicModel(_TopicModel):
    """A model in which each document has one topic."""


class _Engine:
    """The groups of a fit, kept by the executors."""

    def __init__(
        self, dataset: DataFrame, column: str, words: Optional[list[str]], n_groups: int
    ) -> None:
        self._name, self._session = _rounds.new_name(), dataset.sparkSession
        n_letters = sum(map(len, words)) if words is not None else 0
        self._words = _sent(self._session, words, n_letters)
        words = self._words
        vectors = dataset.select(_unwrapped(dataset, column).alias("vector"))
        surveys = vectors.mapInArrow(_surveyed(words), "answer binary").collect()
        surveys = [bytes(row.answer) for row in surveys if row.answer is not None]
        bits = _rounds.n_bits(surveys, max(1, n_groups // 2))
        pieces = vectors.mapInArrow(_dealt(words, bits), _BLOCKS)
        blocks = pieces.groupBy("group").applyInArrow(_united, _BLOCKS)
        self._n_groups = 1 << bits
        self._blocks = blocks.repartition(self._n_groups, "group").persist()
        self._looked: Optional[DataFrame] = None
        self._looks_so_far = _rounds.Looks()

    def ask(self, question: bytes) -> bytes:
        if not _rounds.leaves_state(question):
            with self._sent(question) as sent:
                answered = self._blocks.mapInArrow(self._answered(sent), _ANSWERED)
                return self._sum(question, answered)
        if _rounds.begins_run(question):
            self._looks_so_far.clear()
            self._looked = None
        try:
            looked = self._look(question)
            answer = self._sum(question, looked.select("group", "answer"))
        except Exception:
            # The states of the groups are at the executors, and one of them may be gone: they
            # follow from the questions so far, which are asked again.
            self._looked = None
            for earlier in self._looks_so_far:
                self._looked = self._look(earlier)
            looked = self._look(question)
            answer = self._sum(question, looked.select("group", "answer"))
        self._looks_so_far.append(question)
        self._looked = looked
        return answer

    def _look(self, question: bytes) -> DataFrame:
        before = self._looked if self._looked is not None else _without_state(self._blocks)
        with self._sent(question) as sent:
            # A plan that contained every question would grow without bound.
            return before.mapInArrow(self._looks(sent), _LOOKED).localCheckpoint()

    @contextmanager
    def _sent(self, question: bytes) -> Iterator[_Sent]:
        """The question for the tasks, until they have answered."""
        sent = _sent(self._session, question, len(question))
        try:
            yield sent
        finally:
            _forget(sent)

    def close(self) -> None:
        """Releases what the executors keep."""
        self._blocks.unpersist()
        self._looked = None
        _forget(self._words)

    def _sum(self, question: bytes, answered: DataFrame) -> bytes:
        answers: list[Optional[bytes]] = [None] * self._n_groups
        for row in answered.collect():
            answers[row.group] = bytes(row.answer)
        return _rounds.added(question, answers)

    def _answered(self, question: _Sent) -> _Mapped:
        name, words = self._name, self._words

        def answered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for group, rows in _vectors.columns(batches, "group", "rows"):
                answer = _reply(name, group, rows, words, question, None).answer
                yield _batch(group=[group], answer=[answer])

        return answered

    def _looks(self, question: _Sent) -> _Mapped:
        name, words = self._name, self._words

        def looks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for group, rows, state in _vectors.columns(batches, "group", "rows", "state"):
                reply = _reply(name, group, rows, words, question, state)
                yield _batch(group=[group], rows=[rows], state=[reply.state], answer=[reply.answer])

        return looks


_Mapped = Callable[[Iterable["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


class _Inline(NamedTuple):
    """A value that is sent with every task."""

    value: Any


# Or a broadcast variable, which has a ``value`` as well.
_Sent = Any


def _sent(session: Any, value: Any, size: int) -> _Sent:
    """A value for all tasks: by broadcast if it is large. Connect has no broadcasts."""
    if size <= _LARGE or not isinstance(session, SparkSession):
        return _Inline(value)
    return session.sparkContext.broadcast(value)


def _forget(sent: _Sent) -> None:
    """Frees a broadcast variable, at the executors and in the files of the driver."""
    if not isinstance(sent, _Inline):
        sent.destroy()


def _surveyed(words: _Sent) -> _Mapped:
    def surveyed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for matrix in _vectors.matrices(batches):
            yield _batch(answer=[_rounds.survey(matrix, words.value)])

    return surveyed


def _dealt(words: _Sent, bits: int) -> _Mapped:
    def dealt(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for matrix in _vectors.matrices(batches):
            for group, rows in _rounds.dealt(matrix, words.value, bits).items():
                yield _batch(group=[group], rows=[_vectors.packed(rows)])

    return dealt


def _united(pieces: pa.Table) -> pa.Table:
    """The pieces of a group, concatenated."""
    rows = sp.vstack([_vectors.unpacked(piece) for piece in pieces["rows"].to_pylist()], format="csr")
    return pa.Table.from_batches([_batch(group=[pieces["group"][0].as_py()], rows=[_vectors.packed(rows)])])


def _reply(
    name: str,
    group: int,
    rows: bytes,
    words: _Sent,
    question: _Sent,
    state: Optional[bytes],
) -> _rounds.Reply:
    return _rounds.reply(
        f"{name}-{group}", lambda: _vectors.unpacked(rows), words.value, question.value, state
    )


def _without_state(blocks: DataFrame) -> DataFrame:
    return blocks.withColumn("state", F.lit(None).cast("binary"))


def _unwrapped(dataset: DataFrame, column: str) -> Column:
    """The parts of a column of vectors."""
    return F.unwrap_udt(F.col(column))


def _batch(**columns: list[Any]) -> pa.RecordBatch:
    types = {"group": pa.int32()}
    arrays = {name: pa.array(values, types.get(name, pa.binary())) for name, values in columns.items()}
    return pa.RecordBatch.from_pydict(arrays)
