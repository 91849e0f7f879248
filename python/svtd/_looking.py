"""Inspecting a model: its words, topics and documents, as lists and data frames."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from . import _frames, _inputs, _parameters
from ._base import check_is_fitted
from ._topic_model import TopicModel

if TYPE_CHECKING:
    import pandas as pd


class Looking(TopicModel):
    """Result tables. They are pandas data frames, or polars if there is no pandas."""

    def top_words(self, n: int = 10, relevance: float = 0.6) -> list[list[str]]:
        """The words that describe each topic best.

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
        n = _parameters.whole("n", n, 1)
        return fitted.top_words(n, _parameters.share("relevance", relevance))

    @property
    def topic_info_(self) -> pd.DataFrame:
        """The topics as a data frame: weight, words, and how reliable each is."""
        check_is_fitted(self, "components_")
        return _frames.topic_info(self)

    def word_info(self, n: int = 10) -> pd.DataFrame:
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
        return _frames.word_info(self, _parameters.whole("n", n, 1))

    def markers(self, n: int = 10) -> pd.DataFrame:
        """The words (genes, variants) that distinguish each topic from the others, with their errors.

        Words are ordered by the difference between their probability in the topic and their mean
        probability in the other topics, in standard errors of that difference.

        Parameters
        ----------
        n : int, default=10
            How many words of each topic at most.

        Returns
        -------
        DataFrame
            Columns ``topic``, ``word``, ``probability``, ``error``, ``elsewhere`` (the mean
            probability in the other topics, by their weights), ``log_fold`` (natural logarithm of
            ``probability / elsewhere``) and ``z`` (``probability - elsewhere`` in standard errors), the
            largest ``z`` first. If errors are not known, ``error`` and ``z`` are NaN and words are
            ordered by ``probability - elsewhere``.
        """
        self._fitted_model()
        return _frames.markers(self, _parameters.whole("n", n, 1))

    def explain(self, X: Any, document: int = 0) -> pd.DataFrame:
        """Why a document has its topics: which of its words point to which topic.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.
        document : int, default=0
            The row of the document, from 0.

        Returns
        -------
        DataFrame
            One row for each word that the model knows, strongest pulls first: ``word``, ``count`` and a
            column for each topic. For LDA a pull is how many of its tokens are about the topic, for
            SingleTopic evidence in nats.
        """
        counts = self._ask(X)
        try:
            row = operator.index(document)
        except TypeError:
            raise TypeError(f"document must be the number of a row, got {document!r}") from None
        if row < 0:
            raise ValueError(
                f"document must be a row from 0 to {counts.n_documents - 1}, got {document}"
            )
        return _frames.explanation(*self._fitted.explain(counts, row))

    def document_info(self, X: Any) -> pd.DataFrame:
        """Documents as a data frame: length, main topic and its share.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.

        Returns
        -------
        DataFrame
            Columns ``length``, ``topic``, ``share``; the index of a pandas object is kept.
        """
        counts = self._ask(X)
        mixtures = self._fitted.infer(counts, self._threads())
        return _frames.document_info(counts.lengths, mixtures, _inputs.index_of(X))
