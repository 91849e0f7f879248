"""The same counts in any form give the same model."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import svtd
from numpy.testing import assert_array_equal


@pytest.fixture(scope="module")
def X(lda_corpus):
    return lda_corpus.X[:500]


@pytest.fixture(scope="module")
def reference(X):
    return svtd.LDA(3, trust=False).fit(X)


def same_bytes(a, b):
    return a._fitted.to_bytes() == b._fitted.to_bytes()


def shuffled(X):
    """Entries in another order, one of them in two parts."""
    coo = X.tocoo()
    order = np.random.default_rng(0).permutation(coo.nnz)
    row, col, data = coo.row[order], coo.col[order], coo.data[order].astype(np.int64)
    at = int(np.argmax(data > 1))
    data[at] -= 1
    row, col, data = np.append(row, row[at]), np.append(col, col[at]), np.append(data, 1)
    return sp.coo_matrix((data, (row, col)), shape=X.shape)


def wide(X):
    X = X.copy()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


FORMS = {
    "csr matrix": lambda X: X,
    "csr array": sp.csr_array,
    "csc": lambda X: X.tocsc(),
    "csc array": sp.csc_array,
    "coo with duplicates": shuffled,
    "coo array": lambda X: sp.coo_array(X),
    "lil": lambda X: X.tolil(),
    "int64 indices": wide,
    "float64": lambda X: X.astype(np.float64),
    "float32": lambda X: X.astype(np.float32),
    "int8": lambda X: X.astype(np.int8),
    "uint16": lambda X: X.astype(np.uint16),
    "uint64": lambda X: X.astype(np.uint64),
    "explicit zeros": lambda X: sp.csr_matrix(
        (np.append(X.data, 0), np.append(X.indices, 59), np.append(X.indptr[:-1], X.nnz + 1)),
        shape=X.shape,
    )
    if X[X.shape[0] - 1, 59] == 0
    else X,
    "numpy": lambda X: X.toarray(),
    "numpy by columns": lambda X: np.asfortranarray(X.toarray()),
    "numpy float16": lambda X: X.toarray().astype(np.float16),
    "list of lists": lambda X: X.toarray().tolist(),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_the_counts_does_not_matter(form, X, reference):
    given = FORMS[form](X)
    model = svtd.LDA(3, trust=False).fit(given)
    assert same_bytes(model, reference)
    assert_array_equal(model.transform(given), reference.transform(X))


NAMES = [f"word {i}" for i in range(60)]
TABLES = {
    "pandas": lambda X: pd.DataFrame(X.toarray(), columns=NAMES),
    "pandas sparse": lambda X: pd.DataFrame.sparse.from_spmatrix(X, columns=NAMES),
    "polars": lambda X: pl.DataFrame(X.toarray(), schema=NAMES),
    "pyarrow": lambda X: pa.table(dict(zip(NAMES, X.toarray().T))),
}


@pytest.mark.parametrize("library", TABLES)
def test_the_columns_of_a_table_are_the_words(library, X):
    table = TABLES[library](X)
    model = svtd.LDA(3, trust=False).fit(table)
    assert same_bytes(model, svtd.LDA(3, trust=False).fit(X, words=NAMES))
    assert list(model.feature_names_in_) == NAMES
    assert set(model.top_words(5)[0]) < set(NAMES)
    assert_array_equal(model.transform(table), model.transform(X.toarray()))


def test_columns_in_another_order_are_refused(X):
    model = svtd.LDA(3, trust=False).fit(TABLES["pyarrow"](X))
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        model.transform(TABLES["pyarrow"](X).select(NAMES[::-1]))
    with pytest.raises(ValueError, match="feature names"):
        model.transform(TABLES["pandas"](X)[NAMES[::-1]])


def test_lists_of_words_are_counted(X):
    documents = [[NAMES[i] for i in np.repeat(row.indices, row.data)] for row in X]
    model = svtd.LDA(3, trust=False).fit(documents)
    order = sorted(range(60), key=NAMES.__getitem__)
    by_name = svtd.LDA(3, trust=False).fit(X[:, order], words=[NAMES[i] for i in order])
    assert same_bytes(model, by_name)
    assert_array_equal(model.transform(documents), by_name.transform(X[:, order]))
    unknown = model.transform([["never", "seen"], documents[0] + ["never"]])
    assert_array_equal(unknown[1], model.transform(documents)[0])
    assert_array_equal(unknown[0], model.alpha_ / model.alpha_.sum())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda X: X * -1, "row 0, column .* holds -.*Negative values"),
        (lambda X: X * 0.5, "whole numbers. Is this tf-idf"),
        (lambda X: X.astype(np.int64) * 10**10, "the largest count that can be stored is 4294967295"),
        (lambda X: X * 0, "the corpus has no words"),
        (lambda X: X.astype(float) * np.nan, "NaN"),
        (lambda X: X.astype(complex), "(?i)complex"),
        (lambda X: X[:0], "0 sample"),
        (lambda X: X[:1], "1 sample"),
        (lambda X: X[:, :1], "1 feature"),
        (lambda X: X.toarray()[0], "2D"),
        (lambda X: [["a"], ["b"]], "no document has two words"),
    ],
)
def test_what_is_no_counts_is_refused_in_a_sentence(change, sentence, X):
    with pytest.raises(ValueError, match=sentence):
        svtd.LDA(2).fit(change(X))


def test_words_must_fit_the_columns(X):
    with pytest.raises(ValueError, match="3 words given for 60 columns"):
        svtd.LDA(3).fit(X, words=["a", "b", "c"])
    with pytest.raises(ValueError, match="listed twice"):
        svtd.LDA(3).fit(X, words=["a"] * 60)


def test_arrays_that_do_not_fit_each_other_are_refused():
    from svtd._svtd import Counts

    i32, f64 = np.int32, np.float64
    for indptr, indices, data, sentence in [
        ([0, 2], [0, 1], [1.0], "2 indices and 1 counts"),
        ([0, 3], [0, 1], [1.0, 1.0], "indptr ends with 3"),
        ([1, 2], [0, 1], [1.0, 1.0], "begin with 0"),
        ([0, 2, 1, 2], [0, 1], [1.0, 1.0], "never fall"),
        ([0, 2], [0, 7], [1.0, 1.0], "row 0 has a column outside of 0 to 2"),
        ([0, 2], [0, -1], [1.0, 1.0], "row 0 has a column outside"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            Counts([(np.array(indptr, i32), np.array(indices, i32), np.array(data, f64))], 3, 1)
    with pytest.raises(TypeError, match="indices must be one row of int32 or int64, got float64"):
        Counts([(np.array([0, 1], i32), np.array([0.0]), np.array([1.0]))], 3, 1)
