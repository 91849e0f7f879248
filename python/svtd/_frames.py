"""Result tables as data frames: of pandas, or else of polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def frame(columns: dict[str, Any], index: Any = None) -> pd.DataFrame:
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
        return cast("pd.DataFrame", polars.DataFrame(columns))
    return pandas.DataFrame(columns, index=index)


def output(library: str, values: np.ndarray[Any, Any], names: list[str], X: Any) -> Any:
    """The result of ``transform`` as a data frame, with the index of a pandas object."""
    if library == "polars":
        import polars

        return polars.DataFrame(values, schema=names, orient="row")
    import pandas

    index = X.index if isinstance(X, (pandas.DataFrame, pandas.Series)) else None
    return pandas.DataFrame(values, index=index, columns=names, copy=False)


def topic_info(model: Any) -> pd.DataFrame:
    """One row for each topic."""
    topics = model.diagnostics_["topics"]
    columns: dict[str, Any] = {
        "topic": np.arange(len(topics)),
        "weight": model.topic_weights_,
        "name": model.topic_labels_,
        "words": [" ".join(words) for words in model.top_words(10)],
    }
    if hasattr(model, "alpha_"):
        columns["alpha"] = model.alpha_
    for name in ("documents", "clipped"):
        columns[name] = np.array([topic[name] for topic in topics])
    trusted = [topic.get("trust") or {} for topic in topics]
    halves = [trust.get("halves") or {} for trust in trusted]
    for name in ("found_again", "by_chance", "half_distance"):
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


def word_info(model: Any, n: int) -> pd.DataFrame:
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


def markers(model: Any, n: int) -> pd.DataFrame:
    """The words that distinguish each topic of a model from the others."""
    errors = model._fitted.component_errors()
    return marker_table(model.components_, model.topic_weights_, errors, model._words(), n)


def marker_table(
    topics: np.ndarray[Any, Any],
    weights: np.ndarray[Any, Any],
    errors: Any,
    names: list[str],
    n: int,
) -> pd.DataFrame:
    """Words ordered by their difference in standard errors; by the difference where errors are unknown."""
    columns: dict[str, list[Any]] = {
        name: []
        for name in ("topic", "word", "probability", "error", "elsewhere", "log_fold", "z")
    }
    for j in range(len(topics)):
        others = np.delete(weights, j)
        rest = others @ np.delete(topics, j, axis=0) / max(others.sum(), np.finfo(float).tiny)
        excess = topics[j] - rest
        if errors is None:
            error = np.full(len(rest), np.nan)
            z = error
            order = np.argsort(-excess, kind="stable")
        else:
            shares = others / max(others.sum(), np.finfo(float).tiny)
            spread = np.sqrt(errors[j] ** 2 + shares**2 @ np.delete(errors, j, axis=0) ** 2)
            error = errors[j]
            z = np.divide(excess, spread, out=np.zeros_like(excess), where=spread > 0)
            order = np.lexsort((-excess, -z))
        for i in order[:n]:
            if excess[i] <= 0:
                break
            columns["topic"].append(j)
            columns["word"].append(str(names[i]))
            columns["probability"].append(float(topics[j, i]))
            columns["error"].append(float(error[i]))
            columns["elsewhere"].append(float(rest[i]))
            fold = np.log(topics[j, i] / rest[i]) if rest[i] > 0 else np.inf
            columns["log_fold"].append(float(fold))
            columns["z"].append(float(z[i]))
    return frame(columns)


def explanation(
    words: list[str], counts: list[int], pulls: np.ndarray[Any, Any]
) -> pd.DataFrame:
    """The words of a document, strongest pulls first."""
    order = np.argsort(-np.abs(pulls).max(axis=1, initial=0.0), kind="stable")
    columns: dict[str, Any] = {"word": [words[i] for i in order], "count": np.array(counts, dtype=int)[order]}
    for j in range(pulls.shape[1]):
        columns[f"topic{j}"] = pulls[order, j]
    return frame(columns)


def document_info(lengths: Any, mixtures: np.ndarray[Any, Any], index: Any) -> pd.DataFrame:
    """One row for each document."""
    columns = {
        "length": np.asarray(lengths),
        "topic": mixtures.argmax(axis=1),
        "share": mixtures.max(axis=1),
    }
    return frame(columns, index)
