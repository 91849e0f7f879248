"""The notebook view of a model: its parameters, and its topics once it is fitted."""

from __future__ import annotations

from html import escape
from typing import Any


def page(model: Any) -> str:
    """A small table without script, style sheet or address."""
    title = f"<pre>{escape(repr(model))}</pre>"
    if not hasattr(model, "components_"):
        return title
    rows = "".join(
        f"<tr><td>{number}</td><td>{100 * weight:.1f} %</td>"
        f"<td style='text-align:left'>{escape(' '.join(words))}</td>"
        f"<td style='text-align:left'>{escape('; '.join(flags))}</td></tr>"
        for number, (weight, words, flags) in enumerate(
            zip(model.topic_weights_, model.top_words(10), model._fitted.flags())
        )
    )
    notes = "".join(f"<li>{escape(note)}</li>" for note in model.diagnostics_["notes"])
    return (
        f"{title}<table><thead><tr><th>topic</th><th>weight</th><th>words</th><th>warnings</th>"
        f"</tr></thead><tbody>{rows}</tbody></table>" + (f"<ul>{notes}</ul>" if notes else "")
    )
