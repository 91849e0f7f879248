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
    if hasattr(model, "alpha_"):
        columns["alpha"] = model.alpha_
    for name in ("documents", "clipped"):
        columns[name] = np.array([topic[name] for topic in topics])
    columns["warnings"] = ["; ".join(flags) for flags in model._fitted.flags()]
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
