"""Tools for single-cell data, in scanpy's manner: results go into the ``AnnData``.

>>> import anndata, svtd                                     # doctest: +SKIP
>>> svtd.tl.lda(adata, n_topics=20, layer="counts")          # doctest: +SKIP
>>> adata.obsm["X_svtd"], adata.obs["svtd_topic"]            # doctest: +SKIP
>>> svtd.tl.markers(adata, n=10)                             # doctest: +SKIP
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

import numpy as np

from . import _cells, _frames, _inputs, _parameters
from ._estimators import LDA, SingleTopic, of_kind

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["lda", "markers"]


def lda(
    adata: Any,
    n_topics: Union[int, Literal["auto"]] = 20,
    *,
    layer: Optional[str] = None,
    key_added: str = "svtd",
    copy: bool = False,
    model: Literal["lda", "single-topic"] = "lda",
    **parameters: Any,
) -> Optional[Any]:
    """Learn topics (gene programs, or regions that open together) from the counts of cells.

    Parameters
    ----------
    adata : AnnData
        Cells x genes, or cells x regions.
    n_topics : int or 'auto', default=20
        How many topics.
    layer : str, optional
        The layer with counts; ``X`` if not given. Other values (log-normalised, scaled) are an error
        that names the layer or ``raw`` with counts.
    key_added : str, default='svtd'
        The name under which results are stored.
    copy : bool, default=False
        Whether to return a copy with the results instead of writing into ``adata``.
    model : {'lda', 'single-topic'}, default='lda'
        Cells that mix topics, or cells of one kind each.
    **parameters
        As for :class:`svtd.LDA` or :class:`svtd.SingleTopic`, such as ``n_jobs`` and ``callback``.

    Returns
    -------
    AnnData or None
        A copy, if asked for. These are added:

        ``obsm["X_svtd"]``
            Cells x topics: the mixture of each cell.
        ``obs["svtd_topic"]``
            The main topic of each cell, a category.
        ``varm["svtd"]``
            Genes x topics: the probability of each gene in each topic.
        ``uns["svtd"]``
            ``params``, ``topic_weights``, ``alpha``, ``errors`` (the standard error of each number
            of ``varm``, if known), ``options`` (JSON, as in the model file), ``notes``, and
            ``sha256`` of the counts and genes that were fitted.
    """
    if not _cells.is_cells(adata):
        raise TypeError(f"adata must be an AnnData, got {type(adata).__name__}")
    if not isinstance(key_added, str) or not key_added:
        raise TypeError(f"key_added must be a string that is not empty, got {key_added!r}")
    estimator = of_kind(model)(n_topics, **parameters)
    choices, threads = estimator._choices(), estimator._threads()
    table = _cells.table(adata, layer)
    counts = _inputs.counts(table.matrix, threads, table.names)
    estimator._learn_counts(counts, choices, threads, False)
    mixtures = estimator._fitted.infer(counts, threads)
    target = adata.copy() if _parameters.flag("copy", copy) else adata
    _write(target, estimator, mixtures, key_added, layer)
    return target if copy else None


def _write(
    adata: Any,
    model: Union[LDA, SingleTopic],
    mixtures: np.ndarray[Any, Any],
    key: str,
    layer: Optional[str],
) -> None:
    import pandas

    fitted = model._fitted
    n_topics = mixtures.shape[1]
    names = [str(j) for j in range(n_topics)]
    main = pandas.Categorical([names[j] for j in mixtures.argmax(axis=1)], categories=names)
    kept: dict[str, Any] = {
        # Values that AnnData can write to a file: numbers, strings, arrays.
        "params": {
            "n_topics": n_topics,
            "layer": "X" if layer is None else layer,
            "model": fitted.kind,
        },
        "topic_weights": model.topic_weights_,
        "options": json.dumps(json.loads(fitted.options()), sort_keys=True),
        "notes": "\n".join(model.diagnostics_["notes"]),
        "sha256": fitted.corpus_digest,
    }
    alpha, errors = fitted.alpha(), fitted.component_errors()
    if alpha is not None:
        kept["alpha"] = alpha
    if errors is not None:
        kept["errors"] = np.ascontiguousarray(errors.T)
    adata.obsm[f"X_{key}"] = mixtures
    adata.varm[key] = np.ascontiguousarray(model.components_.T)
    adata.obs[f"{key}_topic"] = main
    adata.uns[key] = kept


def markers(adata: Any, n: int = 10, *, key: str = "svtd") -> pd.DataFrame:
    """The genes that distinguish each topic from the others, with their errors.

    Parameters
    ----------
    adata : AnnData
        After :func:`lda`.
    n : int, default=10
        How many genes of each topic at most.
    key : str, default='svtd'
        The ``key_added`` of :func:`lda`.

    Returns
    -------
    DataFrame
        As :meth:`svtd.LDA.markers`, genes as words.
    """
    if not _cells.is_cells(adata):
        raise TypeError(f"adata must be an AnnData, got {type(adata).__name__}")
    if key not in adata.varm or key not in adata.uns:
        raise ValueError(f"adata has no topics under {key!r}; call svtd.tl.lda first")
    kept, errors = adata.uns[key], adata.uns[key].get("errors")
    return _frames.marker_table(
        np.asarray(adata.varm[key]).T,
        np.asarray(kept["topic_weights"]),
        None if errors is None else np.asarray(errors).T,
        [str(gene) for gene in adata.var_names],
        _parameters.whole("n", n, 1),
    )
