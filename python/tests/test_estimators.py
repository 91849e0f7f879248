"""What an estimator promises about its numbers."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import svtd
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline


def test_rows_sum_to_one_and_nothing_is_nan(estimator, corpus):
    estimator.fit(corpus.X)
    for rows in (estimator.components_, estimator.transform(corpus.X)):
        assert np.isfinite(rows).all() and (rows >= 0).all()
        assert_allclose(rows.sum(axis=1), 1.0, atol=1e-9)
    assert_allclose(estimator.topic_weights_.sum(), 1.0, atol=1e-9)
    assert (np.diff(estimator.topic_weights_) <= 1e-9).all()


def test_the_truth_is_found(estimator, corpus):
    estimator.fit(corpus.X)
    distance = np.abs(estimator.components_[:, None] - corpus.components[None]).sum(axis=2)
    assert (distance.min(axis=1) < 0.25).all(), distance.min(axis=1)


def test_fit_transform_is_fit_then_transform_bit_for_bit(estimator, corpus):
    together = estimator.fit_transform(corpus.X)
    assert_array_equal(together, clone(estimator).fit(corpus.X).transform(corpus.X))


def test_threads_never_change_a_bit(estimator, corpus):
    one = clone(estimator).set_params(n_jobs=1).fit(corpus.X)
    three = clone(estimator).set_params(n_jobs=3).fit(corpus.X)
    assert one._fitted.to_bytes() == three._fitted.to_bytes()
    assert_array_equal(one.transform(corpus.X), three.transform(corpus.X))


def test_perplexity_is_exactly_the_exponential_of_the_score(estimator, corpus):
    estimator.fit(corpus.X)
    score = estimator.score(corpus.X)
    assert estimator.perplexity(corpus.X) == np.exp(-score)
    assert np.log(1 / 60) < score < 0


def test_a_document_without_words_gets_the_prior(estimator, corpus):
    estimator.fit(corpus.X)
    with_one = sp.vstack([sp.csr_matrix((1, 60), dtype=corpus.X.dtype), corpus.X[:1]]).tocsr()
    empty = estimator.transform(with_one)[0]
    prior = getattr(estimator, "alpha_", estimator.topic_weights_)
    assert_allclose(empty, prior / prior.sum(), atol=1e-12)


def test_only_documents_without_words_get_the_prior_too(estimator, corpus):
    estimator.fit(corpus.X)
    prior = getattr(estimator, "alpha_", estimator.topic_weights_)
    empty = estimator.transform(np.zeros((2, 60), dtype=int))
    assert_allclose(empty, np.tile(prior / prior.sum(), (2, 1)), atol=1e-12)


def test_predictions_agree_with_transform(estimator, corpus):
    mixtures = estimator.fit_transform(corpus.X)
    assert_array_equal(estimator.predict(corpus.X), mixtures.argmax(axis=1))
    assert_array_equal(estimator.predict_proba(corpus.X), mixtures)


def test_it_must_be_fitted_before_it_is_asked(estimator, corpus):
    for ask in (estimator.transform, estimator.predict, estimator.score, estimator.document_info, estimator.explain):
        with pytest.raises(NotFittedError):
            ask(corpus.X)
    for ask in (estimator.top_words, estimator.word_info, estimator.to_sklearn):
        with pytest.raises(NotFittedError):
            ask()


def test_tables_tell_topics_and_documents(estimator, corpus):
    estimator.fit(corpus.X)
    info = estimator.topic_info_
    assert isinstance(info, pd.DataFrame) and len(info) == 4
    assert_array_equal(info["weight"], estimator.topic_weights_)
    assert (info["z"] > 3).all() and (info["expected_error"] > 0).all()
    words = estimator.word_info(5)
    assert len(words) == 20 and (words["error"] > 0).all()
    assert_array_equal(words["probability"][:5], np.sort(estimator.components_[0])[::-1][:5])
    documents = estimator.document_info(corpus.X)
    assert_array_equal(documents["length"], np.asarray(corpus.X.sum(axis=1)).ravel())
    assert_array_equal(documents["topic"], estimator.predict(corpus.X))


def test_a_document_is_explained_by_its_words(estimator, corpus):
    mixtures = estimator.fit_transform(corpus.X)
    pulls = estimator.explain(corpus.X, 3)
    assert pulls["count"].sum() == corpus.X[3].sum()
    topics = pulls[[f"topic{j}" for j in range(4)]].to_numpy()
    assert topics.sum(axis=0).argmax() == mixtures[3].argmax()
    if isinstance(estimator, svtd.LDA):
        assert_allclose(topics.sum(axis=1), pulls["count"])
    with pytest.raises(IndexError, match="no document 9999"):
        estimator.explain(corpus.X, 9999)


def test_outputs_are_named_and_take_the_form_asked_for(estimator, corpus):
    pandas = estimator.set_output(transform="pandas").fit_transform(corpus.X)
    prefix = type(estimator).__name__.lower()
    assert list(pandas.columns) == [f"{prefix}{j}" for j in range(4)]
    polars = estimator.set_output(transform="polars").transform(corpus.X)
    assert_array_equal(polars.to_numpy(), pandas.to_numpy())


def test_grid_search_in_two_processes_chooses_among_pipelines(kind, lda_corpus):
    words = [" ".join(f"w{i}" for i in np.repeat(row.indices, row.data)) for row in lda_corpus.X[:400]]
    cls = svtd.LDA if kind == "lda" else svtd.SingleTopic
    pipeline = make_pipeline(CountVectorizer(), cls(allow_fewer=True))
    name = f"{cls.__name__.lower()}__n_components"
    search = GridSearchCV(pipeline, {name: [1, 4]}, cv=2, n_jobs=2, error_score="raise")
    search.fit(words)
    assert search.best_params_[name] == 4


def test_fewer_topics_than_asked_for_are_an_error_unless_allowed():
    two = np.array([[4, 4, 0, 0], [0, 0, 4, 4]] * 10)
    with pytest.raises(svtd.FitError, match=r"shows 2 topics, not 3 .*allow_fewer=True"):
        svtd.SingleTopic(3).fit(two)
    model = svtd.SingleTopic(3, allow_fewer=True).fit(two)
    assert model.components_.shape == (2, 4)
    assert model.transform(two).shape == (20, 2)
    assert len(model.get_feature_names_out()) == 2


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_components": 0}, "n_components must be a whole number of at least 1 or 'auto', got 0"),
        ({"n_components": 2.5}, "n_components must be a whole number"),
        ({"method": "magic"}, "method must be one of 'joint', 'svtd', .* got 'magic'"),
        ({"polish": 0}, "polish must be 'auto', 'none' or a number of steps"),
        ({"weights": "heavy"}, "weights must be one of 'optimal'"),
        ({"alpha0": -1.0}, "alpha0 must be a positive number, got -1"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"random_state": -3}, "random_state must not be negative"),
    ],
)
def test_wrong_parameters_are_refused_in_a_sentence(parameters, sentence, lda_corpus):
    with pytest.raises(ValueError, match=sentence):
        svtd.LDA(**parameters).fit(lda_corpus.X)


def test_weights_of_documents_count(single_corpus):
    topics = single_corpus.documents
    model = svtd.SingleTopic(4, polish="none")
    plain = model.fit(single_corpus.X).topic_weights_
    weights = np.where(topics == topics[0], 1.0, 3.0)
    weighted = clone(model).set_params(weights=weights).fit(single_corpus.X).topic_weights_
    assert np.abs(plain - weighted).max() > 0.01


def test_tf_idf_is_refused_with_an_explanation(estimator, corpus):
    weights = TfidfTransformer().fit_transform(corpus.X)
    with pytest.raises(ValueError, match="whole numbers. Is this tf-idf"):
        estimator.fit(weights)


def test_progress_is_told_and_an_exception_from_the_callback_ends_the_fit(estimator, corpus, capsys):
    steps = []
    estimator.set_params(callback=lambda *step: steps.append(step)).fit(corpus.X)
    assert ("whitening", 0) in {step[:2] for step in steps}
    assert all(of >= 1 and done >= 0 for _, done, of in steps)

    def stop(*step):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        estimator.set_params(callback=stop).fit(corpus.X)
    estimator.set_params(callback=None, verbose=1).fit(corpus.X)
    assert "] whitening" in capsys.readouterr().err


def test_a_notebook_shows_topics_and_escapes_words(estimator, corpus):
    assert "LDA" in svtd.LDA()._repr_html_()
    words = [f"<b>{i}" for i in range(60)]
    page = estimator.fit(corpus.X, words=words)._repr_html_()
    assert "&lt;b&gt;" in page and "<b>" not in page and page.count("<tr>") == 5
