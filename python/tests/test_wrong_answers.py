"""Answers that once were wrong without a word, or errors that spoke of our insides."""

import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import svtd
from conftest import write_matrix_market
from gensim.corpora import Dictionary
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer

NAMES = [f"w{i:02}" for i in range(60)]


@pytest.fixture(scope="module")
def X(lda_corpus):
    return lda_corpus.X[:600]


@pytest.fixture(scope="module")
def tokens(X):
    return [[NAMES[i] for i in np.repeat(row.indices, row.data)] for row in X]


def tables(X, names):
    """The same counts in every kind of table that has names."""
    dense = X.toarray()
    yield "pandas", pd.DataFrame(dense, columns=names)
    yield "sparse pandas", pd.DataFrame.sparse.from_spmatrix(X, columns=names)
    yield "polars", pl.DataFrame(dense, schema=list(names))
    yield "pyarrow", pa.table(dict(zip(names, dense.T)))


# 1. Columns are matched by name.


def models_that_know_their_words(X, tokens, folder):
    model = svtd.LDA(3, trust=False)
    by_words = clone(model).fit(X, words=NAMES)
    by_words.save(folder / "a.svtd", overwrite=True)
    yield "words=", by_words
    yield "token lists", clone(model).fit(tokens)
    yield "loaded", svtd.load(folder / "a.svtd")


def test_columns_in_another_order_are_matched_by_name(X, tokens, tmp_path):
    order = np.random.default_rng(0).permutation(60)
    for how, model in models_that_know_their_words(X, tokens, tmp_path):
        expected = model.transform(X)
        assert list(model.feature_names_in_) == NAMES
        for library, table in tables(X[:, order], [NAMES[i] for i in order]):
            assert_allclose(model.transform(table), expected, atol=1e-9, err_msg=f"{how}, {library}")


def test_missing_words_count_as_zero_and_unknown_ones_are_told(X, tokens, tmp_path):
    kept = list(range(0, 60, 2))
    only_some = X.copy().tolil()
    only_some[:, 1::2] = 0
    for how, model in models_that_know_their_words(X, tokens, tmp_path):
        frame = pd.DataFrame(X[:, kept].toarray(), columns=[NAMES[i] for i in kept])
        frame.insert(3, "never seen", 7)
        with pytest.warns(UserWarning, match="1 of 31 columns .* left out: 'never seen'"):
            found = model.transform(frame)
        assert_allclose(found, model.transform(only_some.tocsr()), atol=1e-9, err_msg=how)
        with pytest.raises(ValueError, match="none of the 2 columns is a word"):
            model.transform(pd.DataFrame({"x": [1, 2], "y": [1, 2]}))


def test_a_loaded_model_knows_its_words(X, tmp_path):
    svtd.SingleTopic(3).fit(X, words=NAMES).save(tmp_path / "a.svtd")
    loaded = svtd.load(tmp_path / "a.svtd")
    assert loaded.feature_names_in_.tolist() == NAMES


# 2. What ``words`` may be.


def test_a_vocabulary_of_scikit_learn_names_the_right_columns(tokens):
    vectorizer = CountVectorizer(analyzer=lambda tokens: tokens)
    counts = vectorizer.fit_transform(tokens)
    shuffled = dict(sorted(vectorizer.vocabulary_.items(), key=lambda item: -item[1]))
    right = svtd.LDA(3, trust=False).fit(counts, words=vectorizer.get_feature_names_out())
    for mapping in (vectorizer.vocabulary_, shuffled):
        model = svtd.LDA(3, trust=False).fit(counts, words=mapping)
        assert model.top_words(5) == right.top_words(5)


def test_a_dictionary_of_gensim_names_the_right_columns(tokens):
    dictionary = Dictionary(tokens)
    bags = [dictionary.doc2bow(document) for document in tokens]
    model = svtd.LDA(3, trust=False).fit(bags, words=dictionary)
    assert list(model.feature_names_in_) == [dictionary[i] for i in range(60)]
    assert sorted(model.feature_names_in_) == NAMES


@pytest.mark.parametrize(
    ("words", "error", "sentence"),
    [
        (set(NAMES), TypeError, "words must be a sequence .* or a mapping"),
        ("".join("w" for _ in range(60)), TypeError, "words must be a sequence"),
        (iter(NAMES), TypeError, "words must be a sequence"),
        (7, TypeError, "words must be a sequence"),
        (list(range(60)), TypeError, "words must be strings, found int 0 at position 0"),
        (NAMES[:3], ValueError, "3 words given for 60 columns"),
        ({"a": 0}, ValueError, "words names 1 of 60 columns"),
        ({"a": 0, "b": 0}, ValueError, "both 'a' and 'b' in column 0"),
        ({"a": 99}, ValueError, "'a' in column 99, but the columns are 0 to 59"),
        ({"a": "b"}, TypeError, "words must map each word to the number"),
    ],
)
def test_what_is_neither_words_nor_a_mapping_is_refused(words, error, sentence, X):
    with pytest.raises(error, match=sentence):
        svtd.LDA(3).fit(X, words=words)


# 3. Models that a classical rival learned.


def test_a_rival_is_carried_from_the_shell_and_asked_for_in_python(X, program, tmp_path):
    write_matrix_market(tmp_path / "x.mtx", X)
    for cls, method, flags, options in [
        (svtd.LDA, "gibbs", ["--burn-in", 20, "--samples", 3], {"burn_in": 20, "samples": 3}),
        (svtd.SingleTopic, "em", ["--restarts", 2, "--start", "kmeans++"], {"restarts": 2, "start": "kmeans++"}),
        (svtd.SingleTopic, "em", ["--restarts", 2], {"restarts": 2}),
    ]:
        kind = "lda" if cls is svtd.LDA else "single-topic"
        flags = ["-k", 3, "--model", kind, "--method", method, "--seed", 5, "--force", *flags]
        program("fit", tmp_path / "x.mtx", "-o", tmp_path / "shell.svtd", *flags)
        shell = (tmp_path / "shell.svtd").read_bytes()
        loaded = cls.load(tmp_path / "shell.svtd")
        assert loaded.method == method
        assert clone(loaded).fit(X)._fitted.to_bytes() == shell
        asked = cls(3, method=method, rival_options=options, random_state=5).fit(X)
        assert asked._fitted.to_bytes() == shell


def test_a_rival_of_the_other_model_is_refused(X):
    with pytest.raises(ValueError, match="method='em' is for SingleTopic"):
        svtd.LDA(3, method="em").fit(X)
    with pytest.raises(ValueError, match="method='gibbs' is for LDA"):
        svtd.SingleTopic(3, method="gibbs").fit(X)
    with pytest.raises(ValueError, match="rival_options of method='gibbs' are .* not 'sweeps'"):
        svtd.LDA(3, method="gibbs", rival_options={"sweeps": 3}).fit(X)
    with pytest.raises(ValueError, match="rival_options is for"):
        svtd.LDA(3, rival_options={"samples": 3}).fit(X)


# 4. scikit-learn's own figures for our topics.


@pytest.mark.parametrize("sparse_topics", [False, True])
def test_the_perplexity_of_scikit_learn_is_sane(sparse_topics, lda_corpus):
    X = lda_corpus.X
    if sparse_topics:  # words that a topic does not have at all are what made it absurd
        words = [f"w{i}" for i in range(120)]
        rng = np.random.default_rng(0)
        halves = [rng.multinomial(40, np.r_[p, np.zeros(60)]) for p in rng.dirichlet(np.ones(60), 300)]
        others = [rng.multinomial(40, np.r_[np.zeros(60), p]) for p in rng.dirichlet(np.ones(60), 300)]
        X = sp.csr_matrix(np.array(halves + others))
        assert X.shape[1] == len(words)
    model = svtd.LDA(2 if sparse_topics else 4).fit(X)
    ours = model.to_sklearn()
    theirs = LatentDirichletAllocation(
        ours.n_components, doc_topic_prior=ours.doc_topic_prior, topic_word_prior=0.01, random_state=0
    ).fit(X)
    assert ours.perplexity(X) < 1.05 * theirs.perplexity(X)
    assert ours.perplexity(X) > 0.8 * theirs.perplexity(X)
    topics = ours.components_ / ours.components_.sum(axis=1, keepdims=True)
    assert np.abs(topics - model.components_).max() < 1e-3


# 5. A refit that fails changes nothing.


@pytest.mark.parametrize(
    "wrong",
    [
        lambda model, X: model.fit(X * 0.5),
        lambda model, X: model.fit(pd.DataFrame(X.toarray() * -1, columns=NAMES[::-1])),
        lambda model, X: model.fit([["a", "b"], ["c"]]),
        lambda model, X: model.fit(["only words", "without sense"]),
        lambda model, X: model.set_params(n_components=70).fit(X),
        lambda model, X: model.set_params(callback=lambda *step: 1 / 0).fit(X),
        lambda model, X: model.fit(X[:, :40], words=["a"] * 40),
    ],
)
def test_a_failed_refit_leaves_the_model_as_it_was(wrong, X):
    model = svtd.LDA(3, trust=False).fit(pd.DataFrame(X.toarray(), columns=NAMES))
    before = {name: value for name, value in vars(model).items() if name.endswith("_")}
    bytes_before, mixtures = model._fitted.to_bytes(), model.predict_proba(X.toarray())
    with pytest.raises((ValueError, ZeroDivisionError)):
        wrong(model, X)
    after = {name: value for name, value in vars(model).items() if name.endswith("_")}
    assert before.keys() == after.keys()
    assert all(before[name] is after[name] for name in before)
    assert model._fitted.to_bytes() == bytes_before
    assert_array_equal(model.predict_proba(X.toarray()), mixtures)


# 6. Every wrong argument is a sentence that names it.


@pytest.fixture(scope="module")
def fitted(X):
    return svtd.LDA(3, trust=False).fit(X, words=NAMES)


ASKED = [
    (lambda m, X: m.top_words(-1), ValueError, "n must be a whole number of at least 1, got -1"),
    (lambda m, X: m.top_words(2.5), TypeError, "n must be a whole number of at least 1, got 2.5"),
    (lambda m, X: m.top_words(3, relevance=7), ValueError, "relevance must lie between 0 and 1, got 7"),
    (lambda m, X: m.top_words(3, relevance="a"), TypeError, "relevance must be a number, got 'a'"),
    (lambda m, X: m.word_info(-1), ValueError, "n must be a whole number of at least 1"),
    (lambda m, X: m.explain(X, -1), ValueError, "document must be a row from 0 to 599, got -1"),
    (lambda m, X: m.explain(X, "a"), TypeError, "document must be the number of a row, got 'a'"),
    (lambda m, X: m.inverse_transform(np.ones((2, 7))), ValueError, "a column for each of 3 topics"),
    (lambda m, X: m.get_topic(3), ValueError, "topic must be a topic from 0 to 2, got 3"),
    (lambda m, X: m.merge_topics([0]), ValueError, "topics_to_merge needs two topics"),
    (lambda m, X: m.transform([None]), ValueError, "2D"),
    (lambda m, X: svtd.diff(m, m, n_words=-1), ValueError, "n_words must be a whole number"),
    (lambda m, X: svtd.diff(m, 3), TypeError, "new must be a fitted model, got int"),
    (lambda m, X: svtd.sweep(X, "abc"), TypeError, "n_components must be a range"),
    (lambda m, X: svtd.sweep(X, [2, 4]), ValueError, "n_components must be a range"),
    (lambda m, X: svtd.check(X, n_components=-2), ValueError, "n_components must be a whole number"),
    (lambda m, X: svtd.check(X, alpha0="a"), TypeError, "alpha0 must be a positive number, got 'a'"),
    (lambda m, X: svtd.generate(n_samples=-3), ValueError, "n_samples must be a whole number of at least 1"),
    (lambda m, X: svtd.generate(lengths=(5, 2)), ValueError, "lengths must go from less to more"),
    (lambda m, X: svtd.generate(random_state="a"), TypeError, "random_state must be a whole number"),
]


@pytest.mark.parametrize(("ask", "error", "sentence"), ASKED)
def test_a_wrong_question_is_refused_in_a_sentence(ask, error, sentence, fitted, X):
    with pytest.raises(error, match=sentence):
        ask(fitted, X)


@pytest.mark.parametrize(
    ("parameters", "error", "sentence"),
    [
        ({"polish": -3}, ValueError, "polish must be 'auto', 'none' or a number .* got -3"),
        ({"polish": 1.5}, TypeError, "polish must be 'auto', 'none' or a number .* got 1.5"),
        ({"alpha0": "a"}, TypeError, "alpha0 must be a positive number, got 'a'"),
        ({"alpha0": float("nan")}, ValueError, "alpha0 must be a positive number, got nan"),
        ({"weights": np.ones((3, 2))}, ValueError, r"weights must be one number .* shape \(3, 2\)"),
        ({"weights": ["a"]}, TypeError, "weights must be a number for each document"),
        ({"weights": [1.0, -1.0]}, ValueError, "weights must be finite and not negative, found -1"),
        ({"weights": [1.0, 2.0]}, ValueError, "weights has 2 numbers for 600 documents"),
        ({"method": 3}, TypeError, "method must be a string, got 3"),
        ({"whitening": 3}, TypeError, "whitening must be a string, got 3"),
        ({"trust": "no"}, TypeError, "trust must be True or False, got 'no'"),
        ({"splits": -1}, ValueError, "splits must be a whole number of at least 0, got -1"),
        ({"splits": 1.5}, TypeError, "splits must be a whole number of at least 0, got 1.5"),
        ({"n_jobs": "all"}, TypeError, "n_jobs must be a whole number or None, got 'all'"),
        ({"random_state": "a"}, TypeError, "random_state must be a whole number"),
        ({"random_state": 2**70}, ValueError, r"random_state must be below 2\*\*64"),
        ({"n_components": True}, ValueError, "n_components must be a whole number"),
        ({"verbose": "loud"}, TypeError, "verbose must be a whole number"),
        ({"callback": 3}, TypeError, "callback must be callable"),
    ],
)
def test_a_wrong_parameter_is_refused_in_a_sentence(parameters, error, sentence, X):
    with pytest.raises(error, match=sentence):
        svtd.LDA(**{"n_components": 3, **parameters}).fit(X)


def test_numbers_in_the_byte_order_of_other_machines_are_read(X, fitted):
    for kind in (">i4", ">f8", ">u2"):
        sparse = X.copy()
        sparse.data = sparse.data.astype(kind)
        for other in (X.toarray().astype(kind), sparse):
            assert_array_equal(fitted.transform(other), fitted.transform(X))


def test_lists_of_words_may_stand_in_any_column(tokens, fitted):
    expected = fitted.transform(tokens)
    array = np.empty(len(tokens), dtype=object)
    array[:] = tokens
    for form in (pd.Series(tokens), pl.Series(tokens), pa.array(tokens), array, tuple(tokens)):
        assert_array_equal(fitted.transform(form), expected)
        again = svtd.LDA(3, trust=False).fit(form)
        assert again._fitted.to_bytes() == svtd.LDA(3, trust=False).fit(tokens)._fitted.to_bytes()


def test_a_chunked_array_of_texts_is_a_list_of_texts():
    texts = ["the sun and the stars and the moon", "bread and wine and oil and salt"] * 20
    model = svtd.SingleTopic(2).fit(pa.chunked_array([texts[:7], texts[7:]]))
    assert model._fitted.to_bytes() == svtd.SingleTopic(2).fit(texts)._fitted.to_bytes()


@pytest.mark.parametrize("missing", [None, float("nan"), 3])
def test_what_is_no_text_is_told_with_its_place(missing):
    texts = ["the sun and the stars", "bread and wine"] * 10
    with pytest.raises(ValueError, match="expected texts, found .* at position 0; drop or fill"):
        svtd.SingleTopic(2).fit([missing] + texts)
    with pytest.raises(ValueError, match="expected texts, found .* at position 5"):
        svtd.SingleTopic(2).fit(pd.Series(texts[:5] + [missing] + texts[5:], dtype=object))


def test_documents_without_words_get_the_prior_in_any_form(fitted):
    prior = fitted.alpha_ / fitted.alpha_.sum()
    assert_allclose(fitted.transform([[], []]), np.tile(prior, (2, 1)))
    with pytest.raises(ValueError, match="no words"):
        svtd.LDA(2).fit([[], []])


def test_stop_words_may_be_any_collection():
    texts = ["the sun and the stars and the moon", "bread and wine and oil"] * 5
    expected = svtd.Vectorizer(stop_words=["the", "and"]).fit(texts).words_
    for given in (np.array(["the", "and"]), {"the", "and"}, ("the", "and"), pd.Series(["the", "and"])):
        assert svtd.Vectorizer(stop_words=given).fit(texts).words_ == expected
    with pytest.raises(TypeError, match="stop_words must be 'auto', a language, a list"):
        svtd.Vectorizer(stop_words=3).fit(texts)


def test_more_threads_than_processors_cost_nothing(X):
    started = time.monotonic()
    model = svtd.SingleTopic(3, trust=False, n_jobs=20_000).fit(X)
    model.transform(X)
    assert time.monotonic() - started < 4
    assert model._fitted.to_bytes() == svtd.SingleTopic(3, trust=False, n_jobs=1).fit(X)._fitted.to_bytes()


def test_nan_is_told_as_what_it_is(X):
    dense = X.toarray().astype(float)
    dense[3, 5] = np.nan
    with pytest.raises(ValueError, match="row 3, column 5 holds NaN; fill or drop"):
        svtd.LDA(3).fit(dense)
    dense[3, 5] = np.inf
    with pytest.raises(ValueError, match="row 3, column 5 holds inf"):
        svtd.LDA(3).fit(dense)


def test_a_column_of_text_in_a_frame_is_named(X):
    frame = pd.DataFrame(X.toarray(), columns=NAMES).assign(title="a poem")
    with pytest.raises(ValueError, match="column 'title' holds text"):
        svtd.LDA(3).fit(frame)


def test_nothing_warns_where_nothing_is_wrong(X, fitted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.transform(X)
        fitted.transform(pd.DataFrame(X.toarray(), columns=NAMES))


@pytest.mark.parametrize(
    "model",
    [svtd.LatentClass(2), svtd.GaussianMixture(2), svtd.HMM(2, emissions="gaussian")],
    ids=lambda model: type(model).__name__,
)
def test_two_columns_of_one_name_are_refused(model):
    frame = pd.DataFrame(np.arange(60.0).reshape(20, 3) % 7, columns=["a", "b", "a"])
    with pytest.raises(ValueError, match="columns 1 and 3 of X are both named 'a'; rename one"):
        model.fit(frame)
