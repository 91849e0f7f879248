"""Single-cell data: the counts of an ``AnnData``, found or asked for by name."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import scipy.sparse as sp

from . import _tables

_LOOKED_AT = 1 << 22
"""Numbers looked at in one piece, to stay within bounds of memory."""


def is_cells(X: Any) -> bool:
    """Whether this is an ``AnnData``."""
    return _tables.library(X) == "anndata" and all(
        hasattr(X, name) for name in ("obs", "var", "layers")
    )


def table(adata: Any, layer: Optional[str] = None) -> _tables.Table:
    """Cells x genes of a layer, or of ``X``; an error if these are not counts, with where counts are."""
    if layer is None:
        found, name = _in_memory(adata.X), "X"
    else:
        if layer not in adata.layers:
            there = ", ".join(repr(str(key)) for key in adata.layers) or "none"
            raise ValueError(f"layer {layer!r} is not there; adata.layers has {there}")
        found, name = _in_memory(adata.layers[layer]), f"layers[{layer!r}]"
    if found is None:
        raise ValueError(f"adata.{name} is empty; {_advice(adata, layer)}")
    odd = _no_count(found)
    if odd is not None:
        raise ValueError(
            f"adata.{name} holds {odd:g}, so it is no table of counts (log-normalised or scaled?); "
            f"{_advice(adata, layer)}"
        )
    names = [str(gene) for gene in adata.var_names]
    if len(set(names)) != len(names):
        seen: set[str] = set()
        twice = next(gene for gene in names if gene in seen or seen.add(gene))  # type: ignore[func-returns-value]
        raise ValueError(
            f"the gene {twice!r} occurs twice in adata.var_names; call adata.var_names_make_unique()"
        )
    return _tables.Table(_tables.read(found).matrix, names)


def _in_memory(values: Any) -> Any:
    """The values in memory, if they are in an open file or computed lazily."""
    for name in ("to_memory", "compute"):
        if hasattr(values, name):
            return getattr(values, name)()
    return values


def _no_count(values: Any) -> Optional[float]:
    """The first number that is not a count."""
    data = values.data if sp.issparse(values) else np.asarray(values).ravel()
    if data.dtype.kind in "bu":
        return None
    for start in range(0, len(data), _LOOKED_AT):
        piece = data[start : start + _LOOKED_AT]
        wrong = np.flatnonzero(~((piece >= 0) & (piece == np.floor(piece))))
        if len(wrong):
            return float(piece[wrong[0]])
    return None


def _advice(adata: Any, layer: Optional[str]) -> str:
    """Where the object has counts."""
    for key in adata.layers:
        if key != layer and _no_count(_in_memory(adata.layers[key])) is None:
            return f"adata.layers[{key!r}] holds counts: give layer={str(key)!r}"
    if layer is not None and adata.X is not None and _no_count(_in_memory(adata.X)) is None:
        return "adata.X holds counts: leave out layer"
    raw = getattr(adata, "raw", None)
    if raw is not None and _no_count(_in_memory(raw.X)) is None:
        return "adata.raw holds counts: give adata.raw.to_adata()"
    return "keep the counts when you normalise: adata.layers['counts'] = adata.X.copy()"
