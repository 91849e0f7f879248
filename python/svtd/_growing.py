"""Adding and removing documents: ``partial_fit``, ``remove`` and ``merge``.

The model keeps the counts of the documents it has seen, 8 bytes for each non-zero count, and is
fitted again to all of them. So it is a function of the set of documents, bit for bit: it does not
depend on the batches they came in, on their order, or on documents that were removed again. Every
call with ``refit=True`` costs as much as a fit of all documents. With ``memory`` the counts are kept
in a temporary file, and the fit stays within that limit.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np
import scipy.sparse as sp

from . import _cells, _documents, _inputs, _parameters
from ._base import raise_not_fitted
from ._learning import Learning
from ._shelf import Shelf
from ._svtd import Counts

if TYPE_CHECKING:
    from typing_extensions import Self


class Seen(NamedTuple):
    """The documents to which a model is fitted."""

    shelf: Shelf
    words: Optional[list[str]]
    of_frame: bool


class Growing(Learning):
    """A model to which documents can be added, and from which they can be removed."""

    _seen: Seen

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        *,
        words: Any = None,
        sample_weight: Any = None,
        refit: bool = True,
    ) -> Self:
        """Add documents, and learn from all that were added so far.

        ``partial_fit(A).partial_fit(B)`` gives the same model as ``partial_fit(B).partial_fit(A)``
        and as ``fit`` of both together, bit for bit. ``fit`` itself keeps no documents: after it
        ``partial_fit`` begins anew, with a warning.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features)
            Counts of words. The first call determines the words; later ones are read as by
            :meth:`transform`. Texts and lists of words are rejected in the first call, because their
            words would depend on which came first: count them, for example with :class:`Vectorizer`.
        y : None
            Ignored.
        words : sequence of str or mapping, optional
            As for :meth:`fit`; for the first call.
        sample_weight : array of shape (n_samples,), optional
            How many times each document counts, in whole numbers.
        refit : bool, default=True
            Whether to learn at once, which costs a fit of all documents. With ``False`` they are
            only kept; the last call of a series then learns from all of them.

        Returns
        -------
        self : object
            The model.
        """
        refit = _parameters.flag("refit", refit)
        seen = vars(self).get("_seen")
        if seen is None and "components_" in vars(self):
            warnings.warn(
                "fit keeps no documents, so partial_fit begins anew with these; give all of them by "
                "partial_fit to learn from all of them",
                UserWarning,
                stacklevel=2,
            )
        times = _parameters.times(sample_weight)
        if seen is None:
            return self._keep(self._first(X, words, times), refit)
        more = _repeated(self._read(X, seen), times)
        return self._keep(seen._replace(shelf=seen.shelf.with_rows([more])), refit)

    def remove(self, X: Any, *, refit: bool = True) -> Self:
        """Remove documents, and learn from the others.

        The model is then as if it had never seen them, bit for bit.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features)
            The documents, as they were added: for each, one with the same counts is removed.
        refit : bool, default=True
            As for :meth:`partial_fit`.

        Returns
        -------
        self : object
            The model.
        """
        refit = _parameters.flag("refit", refit)
        seen = self._documents_seen()
        gone = self._read(X, seen)
        shelf, n_missing = seen.shelf.without(gone)
        if n_missing:
            raise ValueError(
                f"{n_missing} of {gone.shape[0]} documents to remove are not among those that the "
                "model has seen; nothing was removed"
            )
        if not shelf.n_rows:
            raise ValueError("no document would be left; begin with a new model instead")
        return self._keep(seen._replace(shelf=shelf), refit)

    def merge(self, other: Growing, *, refit: bool = True) -> Self:
        """Add the documents that another model has seen, and learn from all of them.

        Parameters
        ----------
        other : SingleTopic or LDA
            A model that was given its documents by :meth:`partial_fit`, over the same words. It is
            not changed.
        refit : bool, default=True
            As for :meth:`partial_fit`.

        Returns
        -------
        self : object
            The model.
        """
        refit = _parameters.flag("refit", refit)
        if not isinstance(other, Growing):
            raise TypeError(f"expected a topic model to merge with, got {type(other).__name__}")
        mine, theirs = self._documents_seen(), other._documents_seen()
        if mine.shelf.n_columns != theirs.shelf.n_columns or mine.words != theirs.words:
            raise ValueError(
                f"the models have different words ({mine.shelf.n_columns} and "
                f"{theirs.shelf.n_columns} of them); count the documents of both over the same "
                "words"
            )
        # A model may be merged with itself, so its documents are determined before any is added.
        both = mine.shelf.with_rows(theirs.shelf.matrices())
        return self._keep(mine._replace(shelf=both), refit)

    def _first(self, X: Any, words: Any, times: Optional[np.ndarray[Any, Any]]) -> Seen:
        is_documents = not _cells.is_cells(X) and _documents.read(X) is not None
        if is_documents and words is None:
            raise ValueError(
                "partial_fit needs words that do not depend on which documents come first; count "
                "the documents, for example with svtd.Vectorizer, or give words"
            )
        memory = _parameters.memory(self.memory)
        read = _inputs.for_fit(self, X, words, self._threads(), times, memory)
        indptr, indices, data = read.counts.rows()
        shape = (read.counts.n_documents, read.counts.n_words)
        matrix = sp.csr_matrix((data, indices, indptr), shape=shape)
        shelf = Shelf(shape[1], None if memory is None else memory[1]).with_rows([matrix])
        return Seen(shelf, read.counts.words(), read.is_frame)

    def _read(self, X: Any, seen: Seen) -> sp.csr_matrix:
        known = _inputs.Known(
            words=seen.words,
            n_words=seen.shelf.n_columns,
            word_choice=None,
            of_frame=seen.of_frame,
            owner=type(self).__name__,
        )
        matrix = _inputs.for_model(X, known)
        # Read by the compiled module, which rejects values that are not counts.
        counts = _inputs.counts(matrix, self._threads(), may_be_empty=True)
        indptr, indices, data = counts.rows()
        return sp.csr_matrix((data, indices, indptr), shape=matrix.shape)

    def _documents_seen(self) -> Seen:
        if "_seen" in vars(self):
            return self._seen
        if "components_" in vars(self):
            raise ValueError(
                f"this {type(self).__name__} was fitted with fit, which keeps no documents; give them "
                "by partial_fit"
            )
        raise_not_fitted(self)

    def _keep(self, seen: Seen, refit: bool) -> Self:
        """Replaces the model's documents by these; nothing changes if a fit to them fails."""
        if refit:
            choices, threads = self._choices(), self._threads()
            memory = _parameters.memory(self.memory)
            counts = Counts(
                seen.shelf.parts(), seen.shelf.n_columns, threads, seen.words, memory=memory
            )
            self._learn_counts(counts, choices, threads, seen.of_frame)
        self._seen = seen
        return self


def _repeated(matrix: sp.csr_matrix, times: Optional[np.ndarray[Any, Any]]) -> sp.csr_matrix:
    if times is None:
        return matrix
    if len(times) != matrix.shape[0]:
        raise ValueError(
            f"sample_weight has {len(times)} numbers for {matrix.shape[0]} documents"
        )
    return matrix[np.repeat(np.arange(matrix.shape[0]), times)]
