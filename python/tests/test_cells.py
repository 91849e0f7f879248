"""Single cells with scanpy and anndata, and topics with topicwizard: peers that want an older pandas.

``python/test.sh`` runs these in an environment of their own.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import svtd
from numpy.testing import assert_allclose, assert_array_equal

sc = pytest.importorskip("scanpy", reason="scanpy has an environment of its own")
ad = pytest.importorskip("anndata")


@pytest.fixture(scope="module")
def bundled():
    """The 10x data that come with scanpy: scaled X, and log-normalised counts in ``raw``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sc.datasets.pbmc68k_reduced()


@pytest.fixture(scope="module")
def cells(bundled):
    """The same with its counts, which the log-normalised values give back: a cell's smallest value
    stands for one molecule."""
    normalised = bundled.raw.X.copy().tocsr()
    normalised.data = np.expm1(normalised.data)
    for row in range(normalised.shape[0]):
        span = slice(*normalised.indptr[row : row + 2])
        normalised.data[span] = np.rint(normalised.data[span] / normalised.data[span].min())
    adata = ad.AnnData(normalised, obs=bundled.obs[["bulk_labels"]].copy(), var=bundled.raw.var[[]].copy())
    adata.layers["counts"] = adata.X.copy()
    return adata


@pytest.fixture(scope="module")
def fitted(cells):
    adata = cells.copy()
    assert svtd.tl.lda(adata, n_topics=5, layer="counts") is None
    return adata


def test_results_go_where_scanpy_looks_for_them(fitted):
    assert fitted.obsm["X_svtd"].shape == (700, 5)
    assert_allclose(fitted.obsm["X_svtd"].sum(axis=1), 1.0)
    assert fitted.varm["svtd"].shape == (765, 5)
    assert_allclose(fitted.varm["svtd"].sum(axis=0), 1.0)
    assert isinstance(fitted.obs["svtd_topic"].dtype, pd.CategoricalDtype)
    assert_array_equal(fitted.obs["svtd_topic"].astype(int), fitted.obsm["X_svtd"].argmax(axis=1))
    kept = fitted.uns["svtd"]
    assert kept["params"] == {"n_topics": 5, "layer": "counts", "model": "lda"}
    assert kept["errors"].shape == (765, 5) and (kept["errors"] >= 0).all()
    assert len(kept["sha256"]) == 64 and "n_topics" in kept["options"]


def test_the_topics_are_kinds_of_cells(fitted):
    table = pd.crosstab(fitted.obs["svtd_topic"], fitted.obs["bulk_labels"])
    assert (table.max(axis=0) / table.sum(axis=0)).mean() > 0.5
    genes = svtd.tl.markers(fitted, n=15)
    assert list(genes.columns) == ["topic", "word", "probability", "error", "elsewhere", "log_fold", "z"]
    assert genes.groupby("topic").size().max() <= 15
    blood = fitted.obs.loc[fitted.obs["bulk_labels"] == "CD14+ Monocyte", "svtd_topic"].mode()[0]
    of_monocytes = set(genes.loc[genes["topic"] == int(blood), "word"])
    assert of_monocytes & {"LYZ", "S100A8", "S100A9", "CST3", "FTL", "FCER1G", "TYROBP"}


def test_scanpy_goes_on_with_the_topics(fitted, tmp_path):
    adata = fitted.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sc.pp.neighbors(adata, use_rep="X_svtd", n_neighbors=10, method="gauss")
        adata.write_h5ad(tmp_path / "cells.h5ad")
    again = ad.read_h5ad(tmp_path / "cells.h5ad")
    assert_array_equal(again.obsm["X_svtd"], fitted.obsm["X_svtd"])
    assert again.uns["svtd"]["sha256"] == fitted.uns["svtd"]["sha256"]
    pd.testing.assert_frame_equal(svtd.tl.markers(again), svtd.tl.markers(fitted))


def test_a_copy_leaves_the_original_alone(cells):
    copied = svtd.tl.lda(cells, n_topics=3, key_added="programs", copy=True, trust=False)
    assert "X_programs" in copied.obsm and "X_programs" not in cells.obsm
    assert "errors" not in copied.uns["programs"]
    assert svtd.tl.markers(copied, 2, key="programs")["error"].isna().all()


def test_what_is_no_counts_is_refused_and_the_counts_are_named(bundled, cells):
    with pytest.raises(ValueError, match=r"adata.X holds -.* no table of counts .* adata.layers\['counts'\] = "):
        svtd.tl.lda(bundled, n_topics=3)
    logged = cells.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sc.pp.normalize_total(logged)
        sc.pp.log1p(logged)
    for ask in (lambda: svtd.tl.lda(logged), lambda: svtd.LDA(3).fit(logged)):
        with pytest.raises(ValueError, match=r"adata.layers\['counts'\] holds counts: give layer='counts'"):
            ask()
    del logged.layers["counts"]
    logged.raw = cells
    with pytest.raises(ValueError, match=r"adata.raw holds counts: give adata.raw.to_adata\(\)"):
        svtd.tl.lda(logged)
    with pytest.raises(ValueError, match="layer 'spliced' is not there; adata.layers has 'counts'"):
        svtd.tl.lda(cells, layer="spliced")
    with pytest.raises(TypeError, match="adata must be an AnnData, got ndarray"):
        svtd.tl.lda(np.ones((3, 3)))


def test_a_model_is_fitted_on_cells_and_asked_about_them(cells):
    model = svtd.LDA(3, trust=False).fit(cells)
    assert list(model.feature_names_in_) == list(cells.var_names)
    shuffled = cells[:, ::-1].copy()
    assert_allclose(model.transform(shuffled), model.transform(cells), atol=1e-9)
    assert list(model.document_info(cells).index) == list(cells.obs_names)
    twice = ad.AnnData(cells.X[:, :2], var=pd.DataFrame(index=["A", "A"]))
    with pytest.raises(ValueError, match="the gene 'A' occurs twice .*var_names_make_unique"):
        svtd.LDA(2).fit(twice)


@pytest.mark.parametrize("how", ["csr", "csc", "dense", "gzip", "lzf", "layer"])
def test_the_command_line_reads_what_anndata_writes(how, cells, program, tmp_path):
    adata = cells.copy()
    adata.X = {"csc": sp.csc_matrix, "dense": lambda X: X.toarray()}.get(how, sp.csr_matrix)(cells.X)
    flags = []
    if how == "layer":
        adata.X = np.log1p(adata.X.toarray())
        flags = ["--layer", "counts"]
    else:
        del adata.layers["counts"]
    compression = how if how in ("gzip", "lzf") else None
    adata.write_h5ad(tmp_path / "cells.h5ad", compression=compression)
    fit = ["-k", 3, "--no-trust", "-o", tmp_path / "shell.svtd", *flags]
    program("fit", tmp_path / "cells.h5ad", *fit)
    python = svtd.LDA(3, trust=False).fit(cells)
    assert (tmp_path / "shell.svtd").read_bytes() == python._fitted.to_bytes()
    printed = program("infer", tmp_path / "shell.svtd", tmp_path / "cells.h5ad", *flags, "--format", "h5ad")
    assert cells.obs_names[0] in printed


def test_markers_of_the_shell_are_those_of_python(cells, program, tmp_path):
    model = svtd.LDA(4).fit(cells)
    model.save(tmp_path / "cells.svtd")
    program("export", tmp_path / "cells.svtd", "--to", "markers", "--top", 7, "-o", tmp_path / "cells")
    shell = pd.read_csv(tmp_path / "cells.markers.csv")
    python = model.markers(7)
    assert list(shell["word"]) == list(python["word"])
    assert_array_equal(shell["topic"] - 1, python["topic"])
    assert_allclose(shell["z"], python["z"], rtol=1e-9)


@pytest.mark.parametrize("version", [2, 3])
def test_the_command_line_reads_the_file_of_10x(version, cells, program, tmp_path):
    h5py = pytest.importorskip("h5py")
    X = cells.X.tocsr().astype(np.int32)
    X.sort_indices()
    with h5py.File(tmp_path / "cells.h5", "w") as file:
        group = file.create_group("matrix" if version == 3 else "hg19")
        packed = {"compression": "gzip", "shuffle": True, "chunks": True}
        for name in ("data", "indices"):
            group.create_dataset(name, data=getattr(X, name), **packed)
        group.create_dataset("indptr", data=X.indptr.astype(np.int64))
        group.create_dataset("shape", data=np.array(X.shape[::-1], dtype=np.int32))
        group.create_dataset("barcodes", data=np.array(cells.obs_names, dtype="S"))
        names = np.array(cells.var_names, dtype="S")
        if version == 3:
            features = group.create_group("features")
            features.create_dataset("id", data=names)
            features.create_dataset("name", data=names)
            features.create_dataset("feature_type", data=np.array([b"Gene Expression"] * len(names)))
            features.create_dataset("genome", data=np.array([b"hg19"] * len(names)))
        else:
            group.create_dataset("genes", data=names)
            group.create_dataset("gene_names", data=names)
    theirs = sc.read_10x_h5(tmp_path / "cells.h5")
    assert_array_equal(theirs.X.toarray(), X.toarray())
    program("fit", tmp_path / "cells.h5", "-k", 3, "--no-trust", "-o", tmp_path / "shell.svtd")
    python = svtd.LDA(3, trust=False).fit(theirs)
    assert (tmp_path / "shell.svtd").read_bytes() == python._fitted.to_bytes()


def test_topicwizard_takes_a_pipeline_with_our_model():
    topicwizard = pytest.importorskip("topicwizard.pipeline")
    from sklearn.feature_extraction.text import CountVectorizer

    rng = np.random.default_rng(0)
    halves = ("sun moon stars night sky", "bread wine oil salt cheese")
    texts = [" ".join(rng.choice(halves[i % 2].split(), size=8)) for i in range(100)]
    pipeline = topicwizard.make_topic_pipeline(CountVectorizer(), svtd.SingleTopic(2)).fit(texts)
    data = pipeline.prepare_topic_data(texts)
    assert data["document_topic_matrix"].shape == (100, 2)
    assert data["topic_term_matrix"].shape == (2, 10)
