"""Corpora whose truth is known."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
import scipy.sparse as sp

from ._svtd import draw


class Generated(NamedTuple):
    """A drawn corpus and its truth."""

    X: sp.csr_matrix
    """Counts, documents x words."""
    components: np.ndarray
    """The probability of each word in each topic."""
    weights: np.ndarray
    """The weights of the topics; for LDA the Dirichlet parameter."""
    documents: np.ndarray
    """The topic of each document; for LDA its mixture."""


def generate(
    model: str = "single-topic",
    *,
    n_samples: int = 1000,
    n_features: int = 100,
    n_components: int = 5,
    lengths: tuple[int, int] = (3, 100),
    alpha0: Optional[float] = None,
    zipf: bool = False,
    random_state: int = 0,
) -> Generated:
    """Draw a corpus from a model, and keep the truth.

    The same numbers as ``svtd generate`` draws from the same seed.

    Parameters
    ----------
    model : {'single-topic', 'lda'}, default='single-topic'
        What a document is: about one topic, or a mixture of topics.
    n_samples, n_features, n_components : int
        How many documents, words and topics.
    lengths : (int, int), default=(3, 100)
        The shortest and the longest document; all lengths between are equally likely.
    alpha0 : float, optional
        LDA: the sum of the Dirichlet parameter, even over the topics; 1 if not given.
    zipf : bool, default=False
        Words as unequal as in text, instead of uniform random numbers.
    random_state : int, default=0
        Where everything comes from.

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
    if model not in ("single-topic", "lda"):
        raise ValueError(f"model must be 'single-topic' or 'lda', got {model!r}")
    if model == "single-topic" and alpha0 is not None:
        raise ValueError("alpha0 is for model='lda'; a single-topic model has no mixtures")
    if model == "lda" and alpha0 is None:
        alpha0 = 1.0
    if alpha0 is not None and not alpha0 > 0:
        raise ValueError(f"alpha0 must be a positive number, got {alpha0}")
    sizes = {"n_samples": n_samples, "n_features": n_features, "n_components": n_components}
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")
    (indptr, indices, data), components, weights, documents = draw(
        (n_samples, n_features, n_components), tuple(lengths), alpha0, zipf, random_state
    )
    X = sp.csr_matrix((data, indices, indptr), shape=(n_samples, n_features))
    return Generated(X, components, weights, documents)
