"""Names for topics, and the page that shows a model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _documents
from ._looking import Looking
from ._report import Report, names_of, strings, sweep_json, times
from ._svtd import report as _write_report

if TYPE_CHECKING:
    from typing_extensions import Self


class Reporting(Looking):
    """``report``, and names of topics."""

    @property
    def topic_names_(self) -> list[Optional[str]]:
        """The names of the topics, ``None`` for those without a name; see :meth:`name_topics`."""
        return self._fitted_model().names()

    def name_topics(self, names: Sequence[Optional[str]]) -> Self:
        """Name the topics; :meth:`save` stores the names and the command line shows them.

        Parameters
        ----------
        names : sequence of str or None
            One for each topic; ``None`` or an empty string leaves a topic without a name.

        Returns
        -------
        self : object
            The model.
        """
        self._fitted = self._fitted_model().with_names([name or None for name in names])
        return self

    def report(
        self,
        X: Any = None,
        path: Optional[Union[str, os.PathLike[str]]] = None,
        *,
        documents: Optional[Sequence[str]] = None,
        time: Any = None,
        labels: Any = None,
        names: Optional[Sequence[str]] = None,
        sweep: Any = None,
        title: Optional[str] = None,
        n_documents: Optional[int] = None,
        n_words: Optional[int] = None,
        min_documents: int = 1,
        no_text: bool = False,
        overwrite: bool = True,
    ) -> Report:
        """One HTML page that shows what was found and how reliable it is.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or texts, optional
            The documents, for mixtures, examples, time and labels; without them the page shows only
            the model.
        path : path-like, optional
            The file to write.
        documents : sequence of str, optional
            The text of each document, of which passages are shown; ``X`` itself if that is texts.
        time : sequence, optional
            The time of each document: years, dates or strings such as ``"1861-03-04"``.
        labels : sequence, optional
            A label for each document, to group the topics by; not used by any fit.
        names : sequence of str, optional
            The name of each document; the index of a data frame if that is not just numbers.
        sweep : dict or Sweep, optional
            The result of :func:`svtd.sweep`, for the section on the number of topics.
        title : str, optional
            The title of the page.
        n_documents : int, optional
            How many documents are shown; 500 if not given.
        n_words : int, optional
            How many words of each topic are shown; 20 if not given.
        min_documents : int, default=1
            Words in fewer documents than this are hidden.
        no_text : bool, default=False
            Leave out the documents' text.
        overwrite : bool, default=True
            Whether an existing file may be replaced.

        Returns
        -------
        Report
            The page; a notebook shows it in a separate frame.
        """
        fitted = self._fitted_model()
        if documents is None and X is not None:
            read = _documents.read(X)
            documents = _documents.texts(X) if read is not None and read.kind == "texts" else None
        counts = None if X is None else self._ask(X)
        n = None if counts is None else counts.n_documents
        if n is None and any(given is not None for given in (documents, time, labels, names)):
            raise ValueError("documents, time, labels and names belong to rows of X; give X as well")
        if names is None and X is not None:
            names = names_of(X, documents)
        page = {
            "texts": strings(documents, "documents", n),
            "names": strings(names, "names", n),
            "time": times(time, n),
            "labels": strings(labels, "labels", n),
            "sweep": None if sweep is None else sweep_json(sweep),
            "title": title,
            "n_documents": n_documents,
            "n_words": n_words,
            "min_documents": int(min_documents),
            "no_text": bool(no_text),
            "command": f"{self!r}.report(...)",
            "again": [f"model = {self!r}.fit(X)", "model.report(X, ...)"],
        }
        html = _write_report(fitted, counts, page, path, bool(overwrite), self._threads())
        return Report(html, None if path is None else os.fspath(path))
