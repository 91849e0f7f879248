"""Our topics as other libraries take them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

LEAST_COUNT = 1e-6
"""The pseudo-count of a word that a topic does not have."""


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
    n_components = model.components_.shape[0]
    prior = float(np.mean(getattr(model, "alpha_", 1.0 / n_components)))
    n_tokens = model.diagnostics_["n_tokens"]
    counts = model.components_ * model.topic_weights_[:, np.newaxis] * n_tokens
    eta = 1.0 / n_components
    sklearn_model = LatentDirichletAllocation(n_components=n_components, doc_topic_prior=prior)
    # Its bound takes logarithms of words that a topic does not have.
    sklearn_model.components_ = np.maximum(counts, LEAST_COUNT)
    sklearn_model.exp_dirichlet_component_ = np.maximum(model.components_, LEAST_COUNT / n_tokens)
    sklearn_model.doc_topic_prior_ = prior
    sklearn_model.topic_word_prior_ = eta
    sklearn_model.n_features_in_ = model.n_features_in_
    if hasattr(model, "feature_names_in_"):
        sklearn_model.feature_names_in_ = model.feature_names_in_
    sklearn_model.n_batch_iter_ = 1
    sklearn_model.n_iter_ = 0
    sklearn_model.bound_ = float("nan")
    sklearn_model.random_state_ = np.random.RandomState(0)
    return sklearn_model
