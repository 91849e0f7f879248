"""Converts our topics for other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

ETA = 0.01
"""The Dirichlet parameter of a topic's words that ``to_sklearn`` assumes.

It is also the pseudo-count of a word that a topic does not have: where the two are equal, the word
adds nothing to scikit-learn's bound, and where a count is far below it, the bound takes the
logarithm of next to nothing and becomes absurd.
"""


def to_pyldavis(model: Any, matrix: sp.csr_matrix) -> dict[str, Any]:
    """The arguments of ``pyLDAvis.prepare``."""
    lengths = np.asarray(matrix.sum(axis=1)).ravel()
    frequencies = np.asarray(matrix.sum(axis=0)).ravel()
    shown, present = lengths > 0, (frequencies > 0) & (model.components_.sum(axis=0) > 0)
    if not present.any():
        raise ValueError("none of the documents has a word that the model knows")
    topics = model.components_[:, present]
    words = np.asarray(model._words(), dtype=object)
    return {
        "topic_term_dists": topics / topics.sum(axis=1, keepdims=True),
        "doc_topic_dists": model.predict_proba(matrix[shown]),
        "doc_lengths": lengths[shown],
        "vocab": words[present].tolist(),
        "term_frequency": frequencies[present],
        "sort_topics": False,
        "start_index": 0,
    }


def to_sklearn(model: Any) -> Any:
    """A fitted ``LatentDirichletAllocation``."""
    try:
        from sklearn.decomposition import LatentDirichletAllocation
    except ImportError:
        raise ImportError(
            "to_sklearn needs scikit-learn, which is not installed; try pip install scikit-learn"
        ) from None
    from scipy.special import psi

    n_components = model.components_.shape[0]
    prior = float(np.mean(getattr(model, "alpha_", 1.0 / n_components)))
    n_tokens = model.diagnostics_["n_tokens"]
    counts = model.components_ * model.topic_weights_[:, np.newaxis] * n_tokens
    theirs = LatentDirichletAllocation(
        n_components=n_components, doc_topic_prior=prior, topic_word_prior=ETA
    )
    theirs.components_ = np.maximum(counts, ETA)
    # exp(E[log beta]) under its Dirichlet posterior, as its own fit leaves it.
    total = theirs.components_.sum(axis=1, keepdims=True)
    theirs.exp_dirichlet_component_ = np.exp(psi(theirs.components_) - psi(total))
    theirs.doc_topic_prior_ = prior
    theirs.topic_word_prior_ = ETA
    theirs.n_features_in_ = model.n_features_in_
    if model._of_frame:
        theirs.feature_names_in_ = model.feature_names_in_
    theirs.n_batch_iter_ = 1
    theirs.n_iter_ = 0
    theirs.random_state_ = np.random.RandomState(0)
    return theirs
