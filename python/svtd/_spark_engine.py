"""The executors of Spark as holders of documents: groups of documents, and how they are asked."""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import pyarrow as pa
import scipy.sparse as sp
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from . import _rounds, _vectors

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_BLOCKS = "group int, rows binary"
_LOOKED = "group int, rows binary, state binary, answer binary"
_ANSWERED = "group int, answer binary"

# Larger values than this, in bytes, are sent to the executors once and not with every task.
_LARGE = 1 << 20


class Engine:
    """The groups of a fit, kept by the executors."""

    def __init__(
        self, dataset: DataFrame, column: str, words: Optional[list[str]], n_groups: int
    ) -> None:
        self._name, self._session = _rounds.new_name(), dataset.sparkSession
        n_letters = sum(map(len, words)) if words is not None else 0
        self._words = _sent(self._session, words, n_letters)
        words = self._words
        vectors = dataset.select(unwrapped(dataset, column).alias("vector"))
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


def unwrapped(dataset: DataFrame, column: str) -> Column:
    """The parts of a column of vectors."""
    return F.unwrap_udt(F.col(column))


def _batch(**columns: list[Any]) -> pa.RecordBatch:
    types = {"group": pa.int32()}
    arrays = {name: pa.array(values, types.get(name, pa.binary())) for name, values in columns.items()}
    return pa.RecordBatch.from_pydict(arrays)
