"""Methods with gensim's names, so that its tools accept our models."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _parameters
from ._base import check_is_fitted
from ._reporting import Reporting

if TYPE_CHECKING:
    import numpy.typing as npt

Pairs = list[tuple[int, float]]
Named = list[tuple[str, float]]


class GensimHabits(Reporting):
    """``get_topics``, ``show_topics``, ``get_document_topics``, ``id2word``."""

    def get_topics(self) -> npt.NDArray[np.float64]:
        """The topics, as gensim calls ``components_``.

        Returns
        -------
        ndarray of shape (n_components, n_features)
            The probability of each word in each topic.
        """
        check_is_fitted(self, "components_")
        return self.components_

    @property
    def num_topics(self) -> int:
        """How many topics there are."""
        check_is_fitted(self, "components_")
        return int(self.components_.shape[0])

    @property
    def id2word(self) -> Any:
        """The words by column: gensim's ``Dictionary`` if gensim is in use, otherwise a dict.

        ``gensim.models.CoherenceModel(model=model, texts=texts)`` takes it from here.
        """
        check_is_fitted(self, "components_")
        words = self._words()
        if sys.modules.get("gensim") is None:
            return dict(enumerate(words))
        from gensim.corpora import Dictionary

        dictionary = Dictionary()
        dictionary.token2id = {word: i for i, word in enumerate(words)}
        dictionary.id2token = dict(enumerate(words))
        return dictionary

    def show_topic(self, topicid: int, topn: int = 10) -> Named:
        """The likeliest words of a topic.

        Parameters
        ----------
        topicid : int
            The topic, from 0.
        topn : int, default=10
            How many words.

        Returns
        -------
        list of (str, float)
            Words and their probabilities, the likeliest first.
        """
        row = self.components_[self._topic("topicid", topicid)]
        words = self._words()
        order = np.argsort(-row, kind="stable")[: _parameters.whole("topn", topn, 1)]
        return [(words[i], float(row[i])) for i in order]

    def _topic(self, name: str, topic: Any) -> int:
        check_is_fitted(self, "components_")
        number, n_topics = _parameters.whole(name, topic, 0), self.num_topics
        if number >= n_topics:
            raise ValueError(f"{name} must be a topic from 0 to {n_topics - 1}, got {number}")
        return number

    def show_topics(
        self, num_topics: int = -1, num_words: int = 10, log: bool = False, formatted: bool = True
    ) -> list[tuple[int, Union[str, Named]]]:
        """Topics with their likeliest words.

        Parameters
        ----------
        num_topics : int, default=-1
            How many topics, the heaviest first; -1 for all.
        num_words : int, default=10
            How many words of each.
        log : bool, default=False
            For gensim; ignored.
        formatted : bool, default=True
            Whether each topic is a string such as ``0.120*"sun" + 0.110*"moon"``.

        Returns
        -------
        list of (int, str) or list of (int, list of (str, float))
            A pair for each topic.
        """
        check_is_fitted(self, "components_")
        n_topics = self.components_.shape[0]
        shown = n_topics if num_topics == -1 else _parameters.whole("num_topics", num_topics, 1)
        topics: list[tuple[int, Union[str, Named]]] = []
        for j in range(min(shown, n_topics)):
            words = self.show_topic(j, num_words)
            text = " + ".join(f'{p:.3f}*"{word}"' for word, p in words)
            topics.append((j, text if formatted else words))
        return topics

    def get_document_topics(
        self, bow: Iterable[Any], minimum_probability: Optional[float] = None
    ) -> Union[Pairs, list[Pairs]]:
        """The topics of a document, or of each document of a corpus.

        Parameters
        ----------
        bow : list of (int, int), or iterable of such lists
            A bag of words, or a corpus of them.
        minimum_probability : float, optional
            Topics with less are left out; .01 if not given.

        Returns
        -------
        list of (int, float) or list of list of (int, float)
            Topics and their shares.
        """
        least = 0.01 if minimum_probability is None else minimum_probability
        least = _parameters.share("minimum_probability", least)
        listed = list(bow)
        one = not listed or (isinstance(listed[0], tuple) and len(listed[0]) == 2)
        mixtures = self.predict_proba([listed] if one else listed)
        found = [
            [(j, float(p)) for j, p in enumerate(mixture) if p >= least] for mixture in mixtures
        ]
        return found[0] if one else found

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
