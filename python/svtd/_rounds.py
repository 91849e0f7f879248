"""Documents held by an engine: the work of its workers, and how a fit asks them questions.

Documents are assigned to groups by the leading bits of their keys, so a group depends only on the
set of documents: not on partitions, hosts or the order of rows. A fit asks every group the same
question and adds the answers along a fixed tree. So the model has the same bytes as a fit in one
process, for any number of partitions and workers.
"""

from __future__ import annotations

import collections
import json
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import scipy.sparse as sp

from . import _choosing, _inputs, _parameters, _tables
from ._estimators import LDA, SingleTopic
from ._svtd import (
    Counts,
    Holder,
    first_question,
    fit_elsewhere,
    groups,
    is_first_look,
    n_blocks,
    question_name,
    sum_answers,
    sweep_elsewhere,
)

Words = Optional[Sequence[str]]
Model = Union[LDA, SingleTopic]

# More groups than this would give the driver too many partial sums.
_MOST_BITS = 6

# Number of respondents that a worker keeps ready between two questions.
_KEPT = 8
_holders: collections.OrderedDict[str, Holder] = collections.OrderedDict()


def new_name() -> str:
    """A unique name for the groups of one fit."""
    return uuid.uuid4().hex


def counts_of(matrix: Any, words: Words) -> Counts:
    """Rows of counts, whether sparse or dense."""
    rows = _tables.read(matrix).matrix
    return _inputs.counts(rows, 1, list(words) if words is not None else None, may_be_empty=True)


def survey(matrix: Any, words: Words) -> bytes:
    """The answer of a partition to the first question."""
    return Holder(counts_of(matrix, words)).answer(first_question(), 1)


def n_bits(surveys: Sequence[bytes], n_workers: int) -> int:
    """The number of groups of the documents, as a number of bits of their keys.

    Two groups for each worker, if the documents make that many blocks; the model does not depend on it.
    """
    question = first_question()
    total = sum_answers(question, list(surveys))
    blocks = n_blocks(question, total) or 1
    wanted = (2 * max(n_workers, 1) - 1).bit_length()
    return min(int(blocks).bit_length() - 1, wanted, _MOST_BITS)


def added(question: bytes, answers: Sequence[Optional[bytes]]) -> bytes:
    """The sum of the answers of all groups, ``None`` for a group without documents."""
    return sum_answers(question, answers)


def leaves_state(question: bytes) -> bool:
    """Whether a group keeps a state after its answer, for the next question."""
    return question_name(question) in ("look", "deal")


def dealt(matrix: Any, words: Words, bits: int) -> dict[int, sp.csr_matrix]:
    """The rows of a partition by their groups."""
    rows = _tables.read(matrix).matrix
    group_of = np.asarray(groups(counts_of(rows, words), bits), dtype=np.int64)
    return {int(group): rows[group_of == group] for group in np.unique(group_of)}


def begins_run(question: bytes) -> bool:
    """Whether this is the first of a run of questions, which needs no state."""
    return is_first_look(question)


class Looks:
    """The questions of a run so far, in a temporary file once they are large."""

    _IN_MEMORY = 1 << 26

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Starts a run."""
        self._file = tempfile.SpooledTemporaryFile(max_size=self._IN_MEMORY)  # noqa: SIM115
        self._sizes: list[int] = []

    def append(self, question: bytes) -> None:
        """Adds a question that every group has answered."""
        self._file.seek(0, os.SEEK_END)
        self._file.write(question)
        self._sizes.append(len(question))

    def __iter__(self) -> Iterator[bytes]:
        at = 0
        for size in list(self._sizes):
            self._file.seek(at)
            yield self._file.read(size)
            at += size


class Reply(NamedTuple):
    """The answer of a group, and the state it keeps for the next question."""

    answer: bytes
    state: Optional[bytes]


def reply(
    name: str,
    rows: Callable[[], sp.csr_matrix],
    words: Words,
    question: bytes,
    state: Optional[bytes],
) -> Reply:
    """Answers for a group, reusing the respondent of the previous question if there is one."""
    holder = _holders.pop(name, None)
    if holder is None:
        holder = Holder(counts_of(rows(), words))
    _holders[name] = holder
    while len(_holders) > _KEPT:
        _holders.popitem(last=False)
    looks = leaves_state(question)
    if looks and state is not None:
        holder.resume(state, question)
    answer = holder.answer(question, 1)
    return Reply(answer, holder.state() if looks else None)


def check_options(kind: type[Model], options: Mapping[str, Any]) -> Model:
    """The estimator for the model, after checking the options for an engine."""
    return kind(**options)


def learn(
    model: Model,
    ask: Callable[[bytes], bytes],
    checkpoint: Optional[Union[str, os.PathLike[str]]],
) -> Model:
    """Fits the estimator by asking questions."""
    choices = model._choices()
    threads = _parameters.threads(model.n_jobs)
    fitted = fit_elsewhere(ask, choices, threads, model._callback(), checkpoint)
    model._adopt(fitted, of_frame=False)
    return model


class Compared(NamedTuple):
    """Numbers of topics to compare, checked before any document is asked about."""

    estimator: Model
    least: int
    most: int

    @classmethod
    def checked(cls, n_components: Any, model: str, alpha0: float, n_jobs: Optional[int]) -> Compared:
        """The arguments of ``sweep``."""
        estimator = _choosing.estimator_of(model, alpha0=alpha0, n_jobs=n_jobs)
        return cls(estimator, *_choosing.ends(n_components))

    def sweep(
        self,
        ask: Callable[[bytes], bytes],
        checkpoint: Optional[Union[str, os.PathLike[str]]],
    ) -> _choosing.Sweep:
        """Compares the numbers of topics by asking questions."""
        choices, threads = self.estimator._choices(), self.estimator._threads()
        found = sweep_elsewhere(ask, choices, self.least, self.most, threads, checkpoint)
        return _choosing.Sweep(json.loads(found))
