"""The names of columns, and matching columns to the words of a model by name."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np
import scipy.sparse as sp

from ._tables import Table

_SHOWN = 5


def given(words: Any, n_columns: int) -> list[str]:
    """The words of the columns, from any form of ``words`` that a caller may give.

    A sequence has a word for each column. A mapping goes from words to columns, as
    ``CountVectorizer.vocabulary_`` does, or from columns to words, as gensim's ``Dictionary``.
    """
    listed = _from_mapping(words, n_columns) if isinstance(words, Mapping) else _listed(words)
    for i, word in enumerate(listed):
        if not isinstance(word, str):
            raise TypeError(
                f"words must be strings, found {type(word).__name__} {word!r} at position {i}"
            )
    if len(listed) != n_columns:
        raise ValueError(f"{len(listed)} words given for {n_columns} columns; give one for each")
    return [str(word) for word in listed]


def _listed(words: Any) -> list[Any]:
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(words, name):
            listed = getattr(words, name)()
            if isinstance(listed, list):
                return listed
    if isinstance(words, Sequence) and not isinstance(words, (str, bytes)):
        return list(words)
    raise TypeError(
        "words must be a sequence with a word for each column, or a mapping from words to columns "
        f"such as CountVectorizer.vocabulary_, got {type(words).__name__}"
    )


def _from_mapping(words: Mapping[Any, Any], n_columns: int) -> list[Any]:
    pairs = list(words.items())
    if pairs and not isinstance(pairs[0][0], str):
        pairs = [(word, column) for column, word in pairs]
    named: list[Any] = [None] * n_columns
    for word, column in pairs:
        if isinstance(column, (bool, np.bool_)) or not isinstance(column, (int, np.integer)):
            raise TypeError(
                "words must map each word to the number of its column, or each number to its word; "
                f"found {word!r} with {column!r}"
            )
        if not 0 <= column < n_columns:
            raise ValueError(
                f"words puts {word!r} in column {column}, but the columns are 0 to {n_columns - 1}"
            )
        if named[column] is not None:
            raise ValueError(f"words puts both {named[column]!r} and {word!r} in column {column}")
        named[column] = word
    if None in named:
        missing = sum(word is None for word in named)
        raise ValueError(
            f"words names {n_columns - missing} of {n_columns} columns; the first without a word "
            f"is column {named.index(None)}"
        )
    return named


def matched(table: Table, words: Sequence[str]) -> sp.csr_matrix:
    """The counts of these words in this order: absent ones are zero, others are left out with a warning."""
    names = table.names
    assert names is not None
    if list(names) == list(words):
        return table.matrix
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the column {twice!r} occurs twice; columns are matched by name")
    place = {word: i for i, word in enumerate(words)}
    target = np.array([place.get(name, -1) for name in names], dtype=np.int64)
    known = target >= 0
    if not known.any():
        raise ValueError(
            f"none of the {len(names)} columns is a word that the model knows: {_some(names)}; its "
            f"words are {_some(words)}"
        )
    matrix = table.matrix
    if not known.all():
        unknown = [name for name, is_known in zip(names, known) if not is_known]
        warnings.warn(
            f"{len(unknown)} of {len(names)} columns are words that the model does not know, and "
            f"were left out: {_some(unknown)}",
            UserWarning,
            stacklevel=5,
        )
        matrix = matrix[:, known]
    arrays = (matrix.data, target[known][matrix.indices], matrix.indptr)
    found = sp.csr_matrix(arrays, shape=(matrix.shape[0], len(words)))
    found.sort_indices()
    return found


def refuse_other_columns(names: Sequence[str], fitted: Sequence[str]) -> None:
    """Raises scikit-learn's error if a data frame's columns are not those of the fit, in that order.

    scikit-learn requires this of an estimator that was fitted to a data frame; all others match by name.
    """
    if list(names) == list(fitted):
        return
    unseen = sorted(set(names) - set(fitted))
    missing = sorted(set(fitted) - set(names))
    message = "The feature names should match those that were passed during fit.\n"
    if unseen:
        message += "Feature names unseen at fit time:\n" + _lines(unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _lines(missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    message += (
        "Put them in place first, for example with "
        "X.reindex(columns=model.feature_names_in_, fill_value=0)."
    )
    raise ValueError(message)


def _lines(names: Sequence[str]) -> str:
    more = "- ...\n" if len(names) > _SHOWN else ""
    return "".join(f"- {name}\n" for name in names[:_SHOWN]) + more


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(str(name)) for name in names[:_SHOWN])
    return f"{shown}, ..." if len(names) > _SHOWN else shown


def pipeline_words(estimator: object, n_columns: int) -> Optional[list[str]]:
    """The words of the steps before ``estimator`` in the scikit-learn pipeline that fits it.

    A pipeline passes a bare sparse matrix to a step: the names that ``CountVectorizer`` learned are
    not passed on. So we inspect the caller: a ``Pipeline`` that contains this estimator knows the
    names of what it passed. Without one, words are numbered.
    """
    import sys

    module = sys.modules.get("sklearn.pipeline")
    if module is None:
        return None
    frame: Any = sys._getframe(1)
    for _ in range(_FRAMES):
        frame = frame.f_back
        if frame is None:
            return None
        caller = frame.f_locals.get("self")
        if isinstance(caller, module.Pipeline):
            return _names_before(caller, estimator, n_columns)
    return None


_FRAMES = 16
"""How far up a pipeline may stand: its own wrappers take a few frames of each."""


def _names_before(pipeline: Any, estimator: object, n_columns: int) -> Optional[list[str]]:
    steps = [step for _, step in pipeline.steps]
    at = next((i for i, step in enumerate(steps) if step is estimator), None)
    if not at:
        return None
    try:
        names = list(pipeline[:at].get_feature_names_out())
    except (AttributeError, ValueError, NotImplementedError):
        # The step has no names for its columns; scikit-learn raises any of these errors.
        return None
    return [str(name) for name in names] if len(names) == n_columns else None
