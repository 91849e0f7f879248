"""Tables of what was learned, in the data frame library at hand: pandas, or else polars."""

from __future__ import annotations

from typing import Any

import numpy as np


def frame(columns: dict[str, Any]) -> Any:
    """A data frame of these columns."""
    try:
        import pandas
    except ImportError:
        try:
            import polars
        except ImportError:
            raise ImportError(
                "a data frame needs pandas or polars, and neither is installed; try "
                "pip install pandas"
            ) from None
        return polars.DataFrame(columns)
    return pandas.DataFrame(columns)


def topic_info(model: Any) -> Any:
    """One row for each topic."""
    topics = model.diagnostics_["topics"]
    columns = {
        "topic": np.arange(len(topics)),
        "weight": model.topic_weights_,
        "words": [" ".join(words) for words in model.top_words(10)],
    }
    if any(model.topic_names_):
        columns["name"] = [name or "" for name in model.topic_names_]
    if hasattr(model, "alpha_"):
        columns["alpha"] = model.alpha_
    for name in ("documents", "clipped"):
        columns[name] = np.array([topic[name] for topic in topics])
    trusted = [topic.get("trust") or {} for topic in topics]
    halves = [trust.get("halves") or {} for trust in trusted]
    for name in ("found_again", "half_distance"):
        columns[name] = np.array([_number(figures.get(name)) for figures in halves])
    columns["standing"] = [standing or "not judged" for standing in model._fitted.standings()]
    columns["z"] = np.array([_number(trust.get("z")) for trust in trusted])
    stability = [trust.get("stability") or {} for trust in trusted]
    for name in ("expected_error", "n_changed", "n_groups"):
        columns[name] = np.array([_number(figures.get(name)) for figures in stability])
    columns["warnings"] = ["; ".join(flags) for flags in model._fitted.flags()]
    return frame(columns)


def _number(value: Any) -> float:
    return np.nan if value is None else float(value)


def word_info(model: Any, n: int) -> Any:
    """The likeliest words of every topic, each in a row of its own."""
    names = model._words()
    order = np.argsort(-model.components_, axis=1, kind="stable")[:, :n]
    topic = np.repeat(np.arange(len(order)), order.shape[1])
    word = order.ravel()
    errors = model._fitted.component_errors()
    known = np.full(len(word), np.nan) if errors is None else errors[topic, word]
    return frame(
        {
            "topic": topic,
            "word": [str(names[i]) for i in word],
            "probability": model.components_[topic, word],
            "error": known,
        }
    )


def explanation(words: list[str], counts: list[int], pulls: np.ndarray) -> Any:
    """The words of a document, those that pull hardest first."""
    order = np.argsort(-np.abs(pulls).max(axis=1, initial=0.0), kind="stable")
    columns = {"word": [words[i] for i in order], "count": np.array(counts, dtype=int)[order]}
    for j in range(pulls.shape[1]):
        columns[f"topic{j}"] = pulls[order, j]
    return frame(columns)


def document_info(counts: Any, mixtures: np.ndarray) -> Any:
    """One row for each document."""
    return frame(
        {
            "length": np.asarray(counts.lengths),
            "topic": mixtures.argmax(axis=1),
            "share": mixtures.max(axis=1),
        }
    )
