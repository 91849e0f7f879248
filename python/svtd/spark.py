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
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Optional, Union, cast

import numpy as np

from . import _choosing, _rounds, _vectors
from ._estimators import load as _load
from ._estimators import of_kind

try:
    import pyarrow as pa
    from pyspark import keyword_only
    from pyspark.ml import Estimator, Model
    from pyspark.ml.functions import array_to_vector
    from pyspark.ml.param import Param, Params, TypeConverters
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    from ._spark_engine import Engine, unwrapped
except ImportError as error:  # pragma: no cover
    raise ImportError("svtd.spark needs PySpark and PyArrow: pip install 'svtd[spark]'") from error

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["LDA", "LDAModel", "SingleTopic", "SingleTopicModel", "sweep"]

_DESCRIBED = (
    "topic int, termIndices array<int>, terms array<string>, termWeights array<double>, "
    "termErrors array<double>"
)


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
        self._words = _named(vocabulary)
        self._groups, self._checkpoint, self._options = groups, checkpoint, options
        self._estimator()

    def _estimator(self) -> _rounds.Model:
        options = {"n_components": self.getK(), **self._options}
        return _rounds.check_options(of_kind(self._kind), options)

    def _fit(self, dataset: DataFrame) -> _TopicModel:
        estimator = self._estimator()
        with closing(Engine(dataset, self.getFeaturesCol(), self._words, self._groups)) as engine:
            local = _rounds.learn(estimator, engine.ask, self._checkpoint)
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
        column = array_to_vector(mixtures(unwrapped(dataset, self.getFeaturesCol())))
        return dataset.withColumn(self.getTopicDistributionCol(), column)


class LDAModel(_TopicModel):
    """A model in which documents mix topics."""


class SingleTopicModel(_TopicModel):
    """A model in which each document has one topic."""


def sweep(
    dataset: DataFrame,
    k: Any = range(2, 31),
    *,
    model: _choosing.Kind = "lda",
    alpha0: float = 1.0,
    featuresCol: str = "features",
    vocabulary: Optional[Sequence[str]] = None,
    groups: int = 8,
    checkpoint: Optional[Union[str, os.PathLike[str]]] = None,
) -> _choosing.Sweep:
    """Compare all numbers of topics of a range, where the documents are.

    The result is that of :func:`svtd.sweep` in one process.

    Parameters
    ----------
    dataset : DataFrame
        The documents, as for ``fit``.
    k : range, default=range(2, 31)
        The numbers of topics; the range has no gaps.
    model : {'lda', 'single-topic'}, default='lda'
        The model: documents mix topics, or each is about one topic.
    alpha0 : float, default=1.0
        LDA: the sum of the Dirichlet parameter.
    featuresCol : str, default='features'
        The column of counts: a vector for each document, sparse or dense.
    vocabulary : sequence of str, optional
        The words, one for each place of the vectors.
    groups : int, default=8
        The largest number of tasks in a round; the result does not depend on it.
    checkpoint : path, optional
        A folder of the driver that keeps every answer: an interrupted comparison continues where it
        stopped when it is run again with the same folder.

    Returns
    -------
    Sweep
        ``fits``, ``directions`` and ``recommended``, as of :func:`svtd.sweep`.
    """
    compared = _rounds.Compared.checked(k, model, alpha0, None)
    with closing(Engine(dataset, featuresCol, _named(vocabulary), groups)) as engine:
        return compared.sweep(engine.ask, checkpoint)


def _named(vocabulary: Optional[Sequence[str]]) -> Optional[list[str]]:
    return None if vocabulary is None else [str(word) for word in vocabulary]
