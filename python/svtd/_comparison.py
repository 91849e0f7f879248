"""Two models side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Optional, Union

from . import _frames, _parameters
from ._base import check_is_fitted
from ._estimators import LDA, SingleTopic
from ._svtd import compare

if TYPE_CHECKING:
    import pandas as pd


class TopicPair(NamedTuple):
    """A topic of the old model and its partner in the new one."""

    old: int
    """The topic of the old model, from 0."""
    new: int
    """The topic of the new model, from 0."""
    distance: float
    """Total variation, from 0 (equal) to 1 (nothing in common)."""
    doubtful: bool
    """Whether each is no closer to the other than to a topic of its own model."""
    gained: list[str]
    """The words whose probability grew most."""
    lost: list[str]
    """The words whose probability fell most."""


class Comparison(NamedTuple):
    """What two models have in common."""

    pairs: list[TopicPair]
    """Topics that were matched one to one, so that the sum of distances is least."""
    mean_distance: Optional[float]
    """The mean distance of the pairs."""
    only_old: list[int]
    """Topics of the old model without a partner."""
    only_new: list[int]
    """Topics of the new model without a partner."""
    n_shared_words: int
    """Words that both vocabularies have."""
    n_words_only_old: int
    """Words that only the old vocabulary has."""
    n_words_only_new: int
    """Words that only the new vocabulary has."""

    def to_frame(self) -> pd.DataFrame:
        """The pairs as a data frame."""
        return _frames.frame(
            {name: [getattr(pair, name) for pair in self.pairs] for name in TopicPair._fields}
        )


def diff(
    old: Union[LDA, SingleTopic], new: Union[LDA, SingleTopic], n_words: int = 5
) -> Comparison:
    """Which topics of two models are the same, and what changed.

    Words are matched by name, topics one to one so that the sum of their distances is smallest.

    Parameters
    ----------
    old, new : LDA or SingleTopic
        Two fitted models.
    n_words : int, default=5
        How many words that grew and fell are listed for each pair.

    Returns
    -------
    Comparison
        ``pairs`` and the topics without a partner.

    Examples
    --------
    >>> import svtd
    >>> X = svtd.generate(n_samples=2000, n_features=30, n_components=3, random_state=0).X
    >>> model = svtd.SingleTopic(3).fit(X)
    >>> svtd.diff(model, model).mean_distance
    0.0
    >>> [(pair.old, pair.new) for pair in svtd.diff(model, model).pairs]
    [(0, 0), (1, 1), (2, 2)]
    """
    for name, model in (("old", old), ("new", new)):
        if not isinstance(model, (LDA, SingleTopic)):
            raise TypeError(f"{name} must be a fitted model, got {type(model).__name__}")
        check_is_fitted(model, "components_")
    found = compare(old._fitted, new._fitted, _parameters.whole("n_words", n_words, 0))
    found["pairs"] = [TopicPair(*pair) for pair in found["pairs"]]
    return Comparison(**found)
