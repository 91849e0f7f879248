"""What both models share: inference for documents, and saving."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union, cast

import numpy as np

from . import _html, _interop, _parameters
from ._base import check_is_fitted
from ._growing import Growing

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


class TopicModel(Growing):
    """Transform, predict, score, save."""

    def transform(self, X: Any) -> Floats:
        """The topics of each document.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words. Columns that have names are matched to the words of the model by name;
            absent words count as zero, and unknown ones are left out with a warning. A model that
            was fitted to a data frame needs its columns in the same order, as in scikit-learn.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            For :class:`LDA` the mixture of topics of each document, for :class:`SingleTopic` the
            probability that it is about each topic. Rows sum to one; a document without words the
            model knows gets the prior.
        """
        return cast("Floats", self._in_container(self.predict_proba(X), X))

    def predict_proba(self, X: Any) -> Floats:
        """The same numbers as :meth:`transform`, always as an array.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The share or probability of every topic.
        """
        return self._fitted_model().infer(self._ask(X), self._threads())

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """The number of the main topic of each document, from 0; the lowest wins ties.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.

        Returns
        -------
        ndarray of shape (n_samples,)
            Topics.
        """
        return np.asarray(self.predict_proba(X).argmax(axis=1), dtype=np.int64)

    def inverse_transform(self, X: Any) -> Floats:
        """The expected words of documents with these topic shares.

        Parameters
        ----------
        X : array of shape (n_samples, n_components)
            Shares of topics, as :meth:`transform` returns them.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The probability of each word; times the length of a document, its expected counts.
        """
        check_is_fitted(self, "components_")
        shares = np.asarray(X, dtype=np.float64)
        if shares.ndim != 2 or shares.shape[1] != self.components_.shape[0]:
            raise ValueError(
                f"X must have a column for each of {self.components_.shape[0]} topics, got an array "
                f"of shape {shares.shape}"
            )
        return shares @ self.components_

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of a word that the model has not seen; higher is better.

        Every occurrence of every word falls at random into one of two halves of its document (by a
        hash of the document's content, the word and the number of the occurrence). The topics of the
        document are inferred from one half, and the words of the other are predicted. So no model can
        do well by memorising documents or by expecting words to be repeated, and models of any kind and
        size can be compared. The order of rows and columns does not matter.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words, preferably of documents to which the model was not fitted.
        y : None
            Ignored.

        Returns
        -------
        float
            The mean natural logarithm of the probability of a word.
        """
        return self._completion(X)[0]

    def score_error(self, X: Any) -> float:
        """The standard error of :meth:`score` over the documents.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.

        Returns
        -------
        float
            The error; NaN when fewer than two different documents were scored. The difference of two models
            on the same documents is known better than that: see :meth:`ahead_of`.
        """
        error = self._completion(X)[1]
        return float("nan") if error is None else error

    def ahead_of(self, other: TopicModel, X: Any) -> tuple[float, float]:
        """The difference of the scores of this and another model, on the same words of the same documents.

        Parameters
        ----------
        other : LDA or SingleTopic
            A fitted model that knows the same words.
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words, preferably of documents to which neither model was fitted.

        Returns
        -------
        tuple of float
            The difference of the scores, and its standard error over the documents. A difference
            within its error should not be called a difference.
        """
        ours, theirs = self._fitted_model(), other._fitted_model()
        found = ours.ahead_of(theirs, self._ask(X, named=True), self._threads())
        if found is None:
            raise ValueError(
                "the two models cannot be compared: they do not know the same words, or fewer than "
                "two different documents have any of them; fit both on the same columns"
            )
        return found

    def _completion(self, X: Any) -> tuple[float, Optional[float]]:
        mean, error = self._fitted_model().completion(self._ask(X, named=True), self._threads())
        if mean is None:
            raise ValueError(
                "no word that the model knows fell into the halves to be predicted, so there is no "
                "score; are the columns those the model was fitted on, and the documents not empty?"
            )
        return mean, error

    def perplexity(self, X: Any, y: Any = None) -> float:
        """``exp(-score(X))``: the number of equally likely words that would be as hard to predict.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            Counts of words.
        y : None
            Ignored.

        Returns
        -------
        float
            The perplexity; lower is better.
        """
        return float(np.exp(-self.score(X)))

    # --- being named --------------------------------------------------------------------------

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The names of the columns that ``transform`` returns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
            ``lda0``, ``lda1``, and so on.
        """
        check_is_fitted(self, "components_")
        prefix = type(self).__name__.lower()
        return np.asarray([f"{prefix}{i}" for i in range(self._n_features_out)], dtype=np.object_)

    def _words(self) -> list[str]:
        return self._fitted.words() or [str(i + 1) for i in range(self.n_features_in_)]

    # --- keeping and handing over -------------------------------------------------------------

    def save(self, path: Union[str, os.PathLike[str]], *, overwrite: bool = False) -> None:
        """Write the model file, which ``svtd`` on the command line reads as well.

        Parameters
        ----------
        path : str or path
            The file.
        overwrite : bool, default=False
            Whether an existing file may be replaced.
        """
        self._fitted_model().save(os.fspath(path), _parameters.flag("overwrite", overwrite))

    def to_pyldavis(self, X: Any) -> dict[str, Any]:
        """The arguments of ``pyLDAvis.prepare``, with the numbers of topics kept.

        Parameters
        ----------
        X : {sparse matrix, array, data frame} of shape (n_samples, n_features), or documents
            The documents to show.

        Returns
        -------
        dict
            For ``pyLDAvis.prepare(**model.to_pyldavis(X))``. Words that do not occur in ``X`` and
            documents without words are left out, because pyLDAvis divides by them.
        """
        return _interop.to_pyldavis(self, self._matrix(X))

    def to_sklearn(self) -> Any:
        """A fitted ``LatentDirichletAllocation`` with these topics.

        Its numbers are pseudo-counts that normalise to ``components_``. Tools that know
        scikit-learn's model (pyLDAvis, topicwizard) accept it; its own ``transform`` is
        scikit-learn's, close to ours but not the same.

        Returns
        -------
        sklearn.decomposition.LatentDirichletAllocation
            The fitted model.
        """
        check_is_fitted(self, "components_")
        return _interop.to_sklearn(self)

    def _repr_html_(self) -> str:
        return _html.page(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        # Whole numbers: scikit-learn has no tag for counts, and uses this one.
        tags.input_tags.categorical = True
        return tags
