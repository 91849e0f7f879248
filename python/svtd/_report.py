"""The page of a model: the result of ``model.report``, and its notebook view."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from html import escape
from typing import Any, Optional

HEIGHT = 900
"""Pixels of a page in a notebook; it scrolls inside."""


class Report:
    """A page: one HTML file that loads nothing else.

    A notebook shows it in a separate frame that may run its script and save files, but can neither
    read the notebook nor reach a network.

    Attributes
    ----------
    html : str
        The page.
    path : str or None
        Where it was written.
    """

    def __init__(self, html: str, path: Optional[str]) -> None:
        self.html = html
        self.path = path

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Write the page to a file, replacing an existing one.

        Parameters
        ----------
        path : path-like
            The file.
        """
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.html)
        self.path = os.fspath(path)

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" width="100%" height="{HEIGHT}" '
            f'style="border:0" title="svtd report" srcdoc="{escape(self.html)}"></iframe>'
        )

    def __repr__(self) -> str:
        where = f", written to {self.path!r}" if self.path else ""
        return f"<svtd report of {len(self.html):,} characters{where}>"


def strings(values: Any, what: str, n: Optional[int]) -> Optional[list[str]]:
    """A column of a data frame, an array or a list as strings; missing values are empty."""
    if values is None:
        return None
    listed = list(values.tolist() if hasattr(values, "tolist") else values)
    if n is not None and len(listed) != n:
        raise ValueError(f"{what} has {len(listed)} entries for {n} documents; give one for each")
    return ["" if value is None or value != value else _written(value) for value in listed]


def _written(value: Any) -> str:
    # Dates and time stamps print as 1861-03-04; NumPy's nanoseconds do not.
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def times(values: Any, n: Optional[int]) -> Optional[list[str]]:
    """As :func:`strings`; dates of NumPy as ``1861-03-04``."""
    dtype = getattr(values, "dtype", None)
    if dtype is not None and getattr(dtype, "kind", "") == "M":
        values = getattr(values, "to_numpy", lambda: values)().astype("datetime64[D]").astype(str)
    return strings(values, "time", n)


def names_of(X: Any, documents: Optional[Sequence[str]]) -> Optional[list[str]]:
    """The labels of the rows of a data frame, unless they are only numbers."""
    index = getattr(X, "index", None)
    if index is None or callable(index):
        return None
    listed = [str(label) for label in index]
    return None if listed == [str(i) for i in range(len(listed))] else listed


def sweep_json(sweep: Any) -> str:
    """A comparison of numbers of topics in the form that the compiled module reads."""
    return json.dumps(getattr(sweep, "details", sweep))
