"""Methods with BERTopic's names: labels, examples, search, topics over time, merging."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _documents, _frames, _inputs, _parameters
from ._base import check_is_fitted
from ._gensim import GensimHabits, Named

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Self

_NAME_WORDS = 4
"""Words in a topic's name, as BERTopic has it."""


class BertopicHabits(GensimHabits):
    """``get_topic_info``, ``get_topic``, ``find_topics``, ``topics_over_time``, ``merge_topics``."""

    @property
    def topic_labels_(self) -> list[str]:
        """The label of each topic: its given name, or its number and first words."""
        words = self.top_words(_NAME_WORDS)
        unnamed = [f"{j}_{'_'.join(first)}" for j, first in enumerate(words)]
        return [name or label for name, label in zip(self.topic_names_, unnamed)]

    def set_topic_labels(self, labels: Union[Sequence[str], Mapping[int, str]]) -> Self:
        """Name topics; the names are stored with the model, in its file and in copies of it.

        Parameters
        ----------
        labels : sequence of str, or mapping from topics to str
            A name for each topic, or for some of them.

        Returns
        -------
        self : object
            The same model.
        """
        names: list[Optional[str]] = self.topic_names_
        if isinstance(labels, Mapping):
            for topic, name in labels.items():
                names[self._topic("labels", topic)] = name
            given: Sequence[Any] = list(labels.values())
        elif isinstance(labels, str) or not isinstance(labels, Sequence):
            raise TypeError(f"labels must be a sequence or a mapping, got {labels!r}")
        elif len(labels) != len(names):
            raise ValueError(f"{len(labels)} labels given for {len(names)} topics")
        else:
            names, given = list(labels), labels
        for name in given:
            if not isinstance(name, str) or not name.strip():
                raise ValueError(f"labels must be strings that are not empty, got {name!r}")
        return self.name_topics(names)

    def get_topic(self, topic: int, n: int = 10) -> Named:
        """The words of a topic.

        Parameters
        ----------
        topic : int
            The topic, from 0.
        n : int, default=10
            How many words.

        Returns
        -------
        list of (str, float)
            The words that describe the topic best, with their probabilities in it.
        """
        topic = self._topic("topic", topic)
        place = {word: i for i, word in enumerate(self._words())}
        words = self.top_words(n)[topic]
        return [(word, float(self.components_[topic, place[word]])) for word in words]

    def get_topic_info(self, topic: Optional[int] = None, X: Any = None) -> pd.DataFrame:
        """The topics in BERTopic's columns.

        Parameters
        ----------
        topic : int, optional
            One topic only.
        X : documents, optional
            As for :meth:`transform`; then ``Count`` is the number of these documents whose main topic this
            is. Otherwise it is the topic's weight times the number of documents of the fit.

        Returns
        -------
        DataFrame
            Columns ``Topic``, ``Count``, ``Name``, ``Representation``.
        """
        check_is_fitted(self, "components_")
        shown = range(self.num_topics) if topic is None else [self._topic("topic", topic)]
        if X is None:
            n_documents = self.diagnostics_["n_documents"]
            counts = np.rint(self.topic_weights_ * n_documents).astype(int)
        else:
            counts = np.bincount(self.predict(X), minlength=self.num_topics)
        names, words = self.topic_labels_, self.top_words(10)
        return _frames.frame(
            {
                "Topic": list(shown),
                "Count": [int(counts[j]) for j in shown],
                "Name": [names[j] for j in shown],
                "Representation": [words[j] for j in shown],
            }
        )

    def representative_documents(self, X: Any, n: int = 3) -> pd.DataFrame:
        """The documents that are most about each topic.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words, or texts.
        n : int, default=3
            How many documents of each topic.

        Returns
        -------
        DataFrame
            Columns ``topic``, ``document`` (the row, or its label in the index of a pandas object),
            ``share``, and for texts ``text``; the largest share first, then the longest document.
        """
        n = _parameters.whole("n", n, 1)
        index, texts = _inputs.index_of(X), _texts(X)
        if texts is not None:
            X = texts
        counts = self._ask(X)
        mixtures, lengths = self._fitted.infer(counts, self._threads()), np.asarray(counts.lengths)
        columns: dict[str, list[Any]] = {"topic": [], "document": [], "share": []}
        rows: list[int] = []
        for j in range(mixtures.shape[1]):
            # A document without a known word has only the prior, and is not representative.
            order = [d for d in np.lexsort((-lengths, -mixtures[:, j])) if lengths[d] > 0][:n]
            rows.extend(int(d) for d in order)
            columns["topic"].extend([j] * len(order))
            columns["share"].extend(float(mixtures[d, j]) for d in order)
        columns["document"] = [index[d] if index is not None else d for d in rows]
        if texts is not None:
            columns["text"] = [texts[d] for d in rows]
        return _frames.frame(columns)

    def find_topics(self, query: str, top_n: int = 5) -> tuple[list[int], list[float]]:
        """The topics that match a few words.

        Parameters
        ----------
        query : str
            Words, such as ``"bread and wine"``.
        top_n : int, default=5
            How many topics.

        Returns
        -------
        topics : list of int
            The likeliest first.
        shares : list of float
            The share of each in the words that the model knows.
        """
        fitted = self._fitted_model()
        if not isinstance(query, str):
            raise TypeError(f"query must be a string, got {query!r}")
        if fitted.word_choice() is not None:
            asked: list[Any] = [query]
        else:
            known = set(self._words())
            tokens = [word if word in known else word.lower() for word in query.split()]
            asked = [[word.strip(".,;:!?\"'()") if word not in known else word for word in tokens]]
        counts = self._ask(asked)
        if counts.lengths[0] == 0:
            raise ValueError(f"the model knows none of the words of query {query!r}")
        shares = fitted.infer(counts, self._threads())[0]
        order = np.argsort(-shares, kind="stable")[: _parameters.whole("top_n", top_n, 1)]
        return [int(j) for j in order], [float(shares[j]) for j in order]

    def topics_over_time(
        self, X: Any, timestamps: Sequence[Any], nr_bins: Optional[int] = None
    ) -> pd.DataFrame:
        """How much of each topic there was at each time.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words, or texts.
        timestamps : sequence of length n_samples
            When each document was written: numbers, dates, or strings that sort by time.
        nr_bins : int, optional
            Number of bins of equal length for numbers and dates, each named by its beginning. If not
            given, every time is a bin of its own.

        Returns
        -------
        DataFrame
            Columns ``Topic``, ``Words``, ``Frequency`` (the shares of the documents added up),
            ``Share`` (their mean) and ``Timestamp``, by time and topic.
        """
        mixtures = self.predict_proba(X)
        times = np.asarray(timestamps)
        if times.ndim != 1 or len(times) != len(mixtures):
            raise ValueError(f"timestamps must be {len(mixtures)} times, one for each document, got {times.shape}")
        if nr_bins is not None:
            times = _binned(times, _parameters.whole("nr_bins", nr_bins, 1))
        moments, at = np.unique(times, return_inverse=True)
        words = [", ".join(first) for first in self.top_words(5)]
        columns: dict[str, list[Any]] = {
            name: [] for name in ("Topic", "Words", "Frequency", "Share", "Timestamp")
        }
        for i, moment in enumerate(moments):
            part = mixtures[at == i]
            for j in range(mixtures.shape[1]):
                columns["Topic"].append(j)
                columns["Words"].append(words[j])
                columns["Frequency"].append(float(part[:, j].sum()))
                columns["Share"].append(float(part[:, j].mean()))
                columns["Timestamp"].append(moment)
        return _frames.frame(columns)

    def merge_topics(self, topics_to_merge: Sequence[Any]) -> Self:
        """Merge topics that mean the same.

        A merged topic has the sum of the weights of its parts and the weighted mean of their words;
        standard errors are not carried over. Topics are then renumbered by weight.

        Parameters
        ----------
        topics_to_merge : list of int, or list of lists of int
            Topics that become one; several groups at once are a list of lists.

        Returns
        -------
        self : object
            The same estimator, now with fewer topics. ``n_components`` is left as it was asked for.
        """
        fitted = self._fitted_model()
        listed = list(topics_to_merge)
        groups = listed if listed and not np.isscalar(listed[0]) else [listed]
        checked: list[list[int]] = []
        for group in groups:
            topics = [self._topic("topics_to_merge", topic) for topic in group]
            if len(topics) < 2:
                raise ValueError(f"topics_to_merge needs two topics or more to make one, got {group!r}")
            checked.append(topics)
        together = [topic for group in checked for topic in group]
        if len(set(together)) != len(together):
            raise ValueError("topics_to_merge names a topic twice; a topic can join one group only")
        self._adopt(fitted.merged(checked), self._of_frame)
        return self


def _texts(X: Any) -> Optional[list[str]]:
    """The texts, if the documents are texts."""
    if _inputs.is_documents(X):
        documents = _documents.read(X)
        if documents is not None and documents.kind == "texts":
            return _documents.texts(documents.each)
    return None


def _binned(times: np.ndarray[Any, Any], n_bins: int) -> np.ndarray[Any, Any]:
    if times.dtype.kind not in "iufmM":
        raise ValueError("nr_bins needs timestamps that are numbers or dates (numpy.datetime64)")
    first, last = times.min(), times.max()
    if first == last:
        return times
    # As shares of the whole range, which works for numbers and dates alike.
    place = ((times - first) / (last - first) * n_bins).astype(int).clip(0, n_bins - 1)
    if times.dtype.kind in "mM":
        span = (last - first).astype("int64")
        steps = np.array([span * b // n_bins for b in range(n_bins)])
        return np.asarray(first + steps[place].astype((last - first).dtype))
    return np.asarray(first + (last - first) * place / n_bins)
