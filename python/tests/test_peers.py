"""Real peers on our output."""

import warnings

import joblib
import numpy as np
import pyLDAvis
import pytest
import svtd
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel
from numpy.testing import assert_allclose, assert_array_equal

NAMES = [f"w{i:02}" for i in range(60)]


@pytest.fixture(scope="module")
def model(lda_corpus):
    return svtd.LDA(4).fit(lda_corpus.X, words=NAMES)


def test_pyldavis_prepares_our_topics_and_keeps_their_numbers(model, lda_corpus):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        prepared = pyLDAvis.prepare(**model.to_pyldavis(lda_corpus.X), n_jobs=1)
    assert prepared.topic_order == [0, 1, 2, 3] or prepared.topic_order == [1, 2, 3, 4]
    shares = prepared.topic_coordinates["Freq"]
    weights = model.transform(lda_corpus.X).T @ np.asarray(lda_corpus.X.sum(axis=1)).ravel()
    assert_allclose(shares.sort_index(), 100 * weights / weights.sum(), rtol=1e-6)


def test_pyldavis_is_spared_words_and_documents_that_are_not_there(model, lda_corpus):
    X = lda_corpus.X[:20].tolil()
    X[3] = 0
    X[:, 7] = 0
    arguments = model.to_pyldavis(X.tocsr())
    assert "w07" not in arguments["vocab"] and len(arguments["doc_lengths"]) == 19
    assert_allclose(arguments["topic_term_dists"].sum(axis=1), 1.0)


def test_gensim_measures_the_coherence_of_our_topics(model, lda_corpus):
    texts = [[NAMES[i] for i in row.indices] for row in lda_corpus.X]
    coherence = CoherenceModel(
        topics=model.topics_for_coherence(5),
        texts=texts,
        dictionary=Dictionary(texts),
        coherence="u_mass",
        processes=1,
    )
    assert np.isfinite(coherence.get_coherence_per_topic()).all()
    likeliest = model.components_[0].argsort()[::-1][:5]
    assert model.topics_for_coherence(5)[0] == [NAMES[i] for i in likeliest]


def test_scikit_learn_goes_on_with_our_topics(model, lda_corpus):
    theirs = model.to_sklearn()
    topics = theirs.components_ / theirs.components_.sum(axis=1, keepdims=True)
    assert_allclose(topics, model.components_, atol=1e-5)
    same = theirs.transform(lda_corpus.X).argmax(axis=1) == model.predict(lda_corpus.X)
    assert same.mean() > 0.95
    assert theirs.get_feature_names_out().shape == (4,)
    assert np.isfinite(theirs.perplexity(lda_corpus.X[:50]))


def test_joblib_workers_give_the_same_bits(lda_corpus):
    models = [svtd.LDA(k, trust=False) for k in (2, 3, 4)]
    here = [model.fit_transform(lda_corpus.X[:500]) for model in models]
    work = (joblib.delayed(model.fit_transform)(lda_corpus.X[:500]) for model in models)
    for one, other in zip(here, joblib.Parallel(n_jobs=2)(work)):
        assert_array_equal(one, other)


def test_tables_of_results_go_through_pandas_polars_and_pyarrow_and_back(model, lda_corpus):
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    info = model.topic_info_
    for there_and_back in (
        lambda frame: pl.from_pandas(frame).to_pandas(),
        lambda frame: pa.Table.from_pandas(frame).to_pandas(),
    ):
        pd.testing.assert_frame_equal(there_and_back(info), info, check_dtype=False)
    mixtures = model.transform(lda_corpus.X[:10])
    assert_array_equal(pl.DataFrame(mixtures).to_numpy(), mixtures)
