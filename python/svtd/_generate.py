"""Corpora with known parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Optional

import numpy as np
import scipy.sparse as sp

from . import _parameters
from ._svtd import draw

if TYPE_CHECKING:
    import numpy.typing as npt


class Generated(NamedTuple):
    """A generated corpus and its true parameters."""

    X: sp.csr_matrix
    """Counts, documents x words."""
    components: npt.NDArray[np.float64]
    """The probability of each word in each topic."""
    weights: npt.NDArray[np.float64]
    """The weights of the topics; for LDA the Dirichlet parameter."""
    documents: npt.NDArray[Any]
    """The topic of each document; for LDA its mixture."""


def generate(
    model: Literal["single-topic", "lda"] = "single-topic",
    *,
    n_samples: int = 1000,
    n_features: int = 100,
    n_components: int = 5,
    lengths: tuple[int, int] = (3, 100),
    alpha0: Optional[float] = None,
    zipf: bool = False,
    random_state: Any = 0,
) -> Generated:
    """Generate a random corpus, together with its true parameters.

    The numbers are those of ``svtd generate`` with the same seed.

    Parameters
    ----------
    model : {'single-topic', 'lda'}, default='single-topic'
        The model: a document is about one topic, or a mixture of topics.
    n_samples, n_features, n_components : int
        How many documents, words and topics.
    lengths : (int, int), default=(3, 100)
        The shortest and the longest document; all lengths between are equally likely.
    alpha0 : float, optional
        LDA: the sum of the Dirichlet parameter, equal for all topics; 1 if not given.
    zipf : bool, default=False
        Word frequencies as uneven as in text, instead of uniform random numbers.
    random_state : int, RandomState or Generator, default=0
        The source of randomness.

    Returns
    -------
    Generated
        ``X, components, weights, documents``.

    Examples
    --------
    >>> import svtd
    >>> drawn = svtd.generate(n_samples=10, n_features=6, n_components=2, lengths=(5, 5))
    >>> drawn.X.sum(axis=1).ravel().tolist()
    [[5, 5, 5, 5, 5, 5, 5, 5, 5, 5]]
    """
    if alpha0 is not None:
        alpha0 = _parameters.positive("alpha0", alpha0)
    sizes = (
        _parameters.whole("n_samples", n_samples, 1),
        _parameters.whole("n_features", n_features, 1),
        _parameters.whole("n_components", n_components, 1),
    )
    try:
        shortest, longest = (_parameters.whole("lengths", length, 1) for length in lengths)
    except ValueError:
        raise ValueError(f"lengths must be two whole numbers of at least 1, got {lengths!r}") from None
    if shortest > longest or longest >= 2**32:
        raise ValueError(f"lengths must go from less to more, below 2**32, got {lengths!r}")
    seed = _parameters.seed(random_state)
    flag = _parameters.flag("zipf", zipf)
    (indptr, indices, data), components, weights, documents = draw(
        sizes, (shortest, longest), (model, alpha0), flag, seed, _parameters.threads(None)
    )
    X = sp.csr_matrix((data, indices, indptr), shape=sizes[:2])
    return Generated(X, components, weights, documents)
