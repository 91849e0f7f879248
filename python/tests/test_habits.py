"""What people who come from scikit-learn, gensim and BERTopic do without thinking."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
import svtd
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

SKY = "sun moon stars night light sky dawn dusk"
FOOD = "bread wine oil salt cheese table guests supper"
NAMES = [f"w{i:02}" for i in range(60)]


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice((SKY, FOOD)[i % 2].split(), size=12)) for i in range(200)]


@pytest.fixture(scope="module")
def X(lda_corpus):
    return lda_corpus.X[:600]


@pytest.fixture(scope="module")
def model(X):
    return svtd.LDA(3).fit(X, words=NAMES)


# --- scikit-learn


def words_of(model):
    return sorted(sorted(words) for words in model.top_words(8))


EXPECTED = sorted([sorted(SKY.split()), sorted(FOOD.split())])


@pytest.mark.parametrize("vectorizer", [CountVectorizer(), svtd.Vectorizer(language="english")])
def test_a_pipeline_knows_its_words(vectorizer, texts):
    pipeline = make_pipeline(clone(vectorizer), svtd.SingleTopic(2)).fit(texts)
    assert words_of(pipeline[-1]) == EXPECTED
    pipeline.fit_transform(texts)
    assert words_of(pipeline[-1]) == EXPECTED
    # In the middle of a pipeline, and inside a search.
    labels = np.arange(len(texts)) % 2
    longer = make_pipeline(clone(vectorizer), svtd.SingleTopic(2), LogisticRegression())
    assert longer.fit(texts, labels).score(texts, labels) > 0.95
    assert words_of(longer[1]) == EXPECTED
    search = GridSearchCV(longer, {"singletopic__n_components": [2]}, cv=2).fit(texts, labels)
    assert words_of(search.best_estimator_[1]) == EXPECTED


def test_what_the_vectorizer_returns_has_its_words(texts):
    vectorizer = svtd.Vectorizer(language="english")
    model = svtd.SingleTopic(2).fit(vectorizer.fit_transform(texts))
    assert words_of(model) == EXPECTED
    other = svtd.Vectorizer(language="english", max_features=9).fit(texts)
    assert model.transform(other.transform(texts[:3])).shape == (3, 2)


def test_a_matrix_outside_of_a_pipeline_has_numbers(texts):
    counts = CountVectorizer().fit_transform(texts)
    assert svtd.SingleTopic(2).fit(counts)._fitted.words() is None


def test_outputs_go_through_a_pipeline_as_frames(texts):
    pipeline = make_pipeline(CountVectorizer(), svtd.SingleTopic(2))
    pipeline[-1].set_output(transform="pandas")
    frame = pipeline.fit_transform(texts)
    assert list(frame.columns) == ["singletopic0", "singletopic1"]
    with sklearn.config_context(transform_output="polars"):
        assert isinstance(pipeline[-1].set_output(transform="polars").transform(pipeline[0].transform(texts)), pl.DataFrame)
    with pytest.raises(ValueError, match="transform must be 'default', 'pandas' or 'polars'"):
        svtd.LDA().set_output(transform="excel")


def test_more_topics_than_words_are_no_error_where_fewer_are_allowed(single_corpus):
    few = single_corpus.X[:, :6]
    for cls in (svtd.SingleTopic, svtd.LDA):
        model = cls(50, allow_fewer=True).fit(few)
        assert 1 <= model.components_.shape[0] <= 6
        with pytest.raises(ValueError, match="50 topics asked of a vocabulary of 6 words"):
            cls(50).fit(few)
    em = svtd.SingleTopic(50, method="em", rival_options={"restarts": 1}, allow_fewer=True)
    assert em.fit(few).components_.shape[0] <= 6


def test_fit_predict_is_fit_then_predict(estimator, corpus):
    assert_array_equal(estimator.fit_predict(corpus.X), clone(estimator).fit(corpus.X).predict(corpus.X))


def test_a_sample_weight_is_so_many_documents(kind, corpus):
    X = corpus.X[:400]
    weights = np.random.default_rng(1).integers(0, 4, size=400)
    repeated = X[np.repeat(np.arange(400), weights)]
    for model in (svtd.LDA(3), svtd.SingleTopic(3)):
        weighted = clone(model).fit(X, sample_weight=weights)
        plain = clone(model).fit(repeated)
        assert_array_equal(weighted.components_, plain.components_)
        assert_array_equal(clone(model).fit_transform(X, sample_weight=weights), weighted.transform(X))
    texts = ["sun moon stars", "bread wine oil"] * 10
    twice = svtd.SingleTopic(2).fit(texts, sample_weight=[2] * 20)
    assert_array_equal(twice.components_, svtd.SingleTopic(2).fit(np.repeat(texts, 2)).components_)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([0.5] * 600, "sample_weight counts a document so many times.* found 0.5 for document 0"),
        ([1] * 5, "sample_weight has 5 numbers for 600 documents"),
        ([0] * 600, "sample_weight is zero for every document"),
        ([[1, 2]], "sample_weight must be one number for each document"),
        ([-1] * 600, "sample_weight must be finite and not negative"),
    ],
)
def test_sample_weights_that_cannot_be_are_refused(weights, sentence, X):
    with pytest.raises(ValueError, match=sentence):
        svtd.LDA(3).fit(X, sample_weight=weights)


def test_weights_of_documents_are_cut_with_them_under_cross_validation(X):
    weights = np.linspace(1, 3, X.shape[0])
    model = svtd.SingleTopic(3, polish="none", trust=False)
    scores = cross_val_score(model, X, cv=3, params={"weights": weights}, error_score="raise")
    assert np.isfinite(scores).all()
    search = GridSearchCV(model, {"n_components": [2, 3]}, cv=2, error_score="raise")
    search.fit(X, weights=weights)
    again = clone(model).set_params(**search.best_params_).fit(X, weights=weights)
    assert_array_equal(search.best_estimator_.components_, again.components_)
    with pytest.raises(ValueError, match=r"weights has 600 numbers for .* give them to fit"):
        cross_val_score(clone(model).set_params(weights=weights), X, cv=3, error_score="raise")


def test_metadata_is_routed_where_it_is_asked_for(X):
    times = np.ones(X.shape[0], dtype=int)
    with sklearn.config_context(enable_metadata_routing=True):
        model = svtd.SingleTopic(3, trust=False).set_fit_request(sample_weight=True, words=False)
        pipeline = Pipeline([("topics", model)])
        pipeline.fit(X, sample_weight=times)
        assert clone(model).get_metadata_routing().fit.requests["sample_weight"] is True
    with pytest.raises(TypeError, match="fit takes words, sample_weight, weights, not tau"):
        svtd.LDA().set_fit_request(tau=True)


def test_inverse_transform_is_the_words_to_expect(model, X):
    mixtures = model.transform(X)
    expected = model.inverse_transform(mixtures)
    assert_allclose(expected, mixtures @ model.components_)
    assert_allclose(expected.sum(axis=1), 1.0)


def test_an_older_scikit_learn_is_told(monkeypatch):
    monkeypatch.setattr(sklearn, "__version__", "1.5.2")
    with pytest.warns(UserWarning, match="from scikit-learn 1.6 on, and this is 1.5.2"):
        clone(svtd.LDA())


def test_the_index_of_a_frame_is_kept(X, model):
    index = [f"doc {i}" for i in range(X.shape[0])]
    frame = pd.DataFrame(X.toarray(), columns=NAMES, index=index)
    assert list(model.document_info(frame).index) == index
    assert list(model.set_output(transform="pandas").transform(frame).index) == index
    model.set_output(transform="default")


def test_importing_and_fitting_do_not_touch_scikit_learn():
    program = """
import sys
import numpy as np, scipy.sparse as sp
import svtd
X = sp.csr_matrix(np.random.default_rng(0).poisson(1, size=(60, 12)))
model = svtd.SingleTopic(2, allow_fewer=True).fit(X)
model.transform(X), model.top_words(3), model.get_params()
loaded = sorted(name for name in sys.modules if name.split(".")[0] in ("sklearn", "pandas", "polars", "joblib"))
assert not loaded, loaded
repr(model), model.__sklearn_tags__()
assert "sklearn" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# --- gensim


def bags(X):
    return [list(zip(row.indices.tolist(), row.data.tolist())) for row in X]


def test_bags_of_words_and_streams_of_them_are_counts(X, model):
    expected = svtd.LDA(3).fit(X, words=NAMES)._fitted.to_bytes()
    words = dict(enumerate(NAMES))
    assert svtd.LDA(3).fit(bags(X), words=words)._fitted.to_bytes() == expected
    assert svtd.LDA(3).fit((bag for bag in bags(X)), words=words)._fitted.to_bytes() == expected

    class Corpus:
        def __iter__(self):
            return iter(bags(X))

    assert svtd.LDA(3).fit(Corpus(), words=words)._fitted.to_bytes() == expected
    assert_array_equal(model.transform(bags(X)), model.transform(X))
    assert_array_equal(model.transform(bag for bag in bags(X)), model.transform(X))
    tokens = ([NAMES[i] for i, n in bag for _ in range(n)] for bag in bags(X))
    assert_array_equal(model.transform(tokens), model.transform(X))
    with pytest.warns(UserWarning, match="1 counts are of words with numbers beyond the 60"):
        model.transform([[(0, 1), (99, 2)], [(1, 1)]])
    with pytest.raises(ValueError, match="document 1 is no bag of words"):
        model.transform([[(0, 1)], ["a"]])


def test_gensim_measures_the_model_itself(X):
    tokens = [[NAMES[i] for i in np.repeat(row.indices, row.data)] for row in X]
    dictionary = Dictionary(tokens)
    corpus = [dictionary.doc2bow(document) for document in tokens]
    model = svtd.LDA(3, trust=False).fit(corpus, words=dictionary)
    for measure in (
        CoherenceModel(model=model, corpus=corpus, dictionary=dictionary, coherence="u_mass", topn=5),
        CoherenceModel(model=model, texts=tokens, coherence="c_v", topn=5, processes=1),
    ):
        assert np.isfinite(measure.get_coherence())
    by_model = CoherenceModel(model=model, corpus=corpus, dictionary=dictionary, coherence="u_mass", topn=5)
    by_words = CoherenceModel(
        topics=model.topics_for_coherence(5), corpus=corpus, dictionary=dictionary, coherence="u_mass"
    )
    assert_allclose(by_model.get_coherence_per_topic(), by_words.get_coherence_per_topic())


def test_topics_are_shown_as_gensim_shows_them(model, X):
    assert model.get_topics() is model.components_ and model.num_topics == 3
    (number, text), *_ = model.show_topics(num_topics=1, num_words=2)
    word, p = model.show_topic(0, 2)[0]
    assert number == 0 and text.startswith(f'{p:.3f}*"{word}" + ')
    assert model.show_topics(formatted=False, num_words=2)[2][1] == model.show_topic(2, 2)
    bag = bags(X)[0]
    one = model.get_document_topics(bag)
    assert_allclose([p for _, p in model.get_document_topics(bag, 0.0)], model.transform([bag])[0])
    assert all(p >= 0.01 for _, p in one)
    assert model.get_document_topics(bags(X)[:3])[0] == one


# --- BERTopic


def test_topics_have_names_that_last(model, X, tmp_path):
    model = clone(model).fit(X, words=NAMES)
    assert model.topic_labels_[0] == "0_" + "_".join(model.top_words(4)[0])
    model.set_topic_labels({1: "the second"})
    assert model.topic_labels_[1] == "the second" and model.topic_labels_[0].startswith("0_")
    model.save(tmp_path / "named.svtd")
    assert svtd.load(tmp_path / "named.svtd").topic_labels_ == model.topic_labels_
    assert list(model.topic_info_["name"]) == model.topic_labels_
    assert model.set_topic_labels(["a", "b", "c"]).topic_labels_ == ["a", "b", "c"]
    with pytest.raises(ValueError, match="2 labels given for 3 topics"):
        model.set_topic_labels(["a", "b"])


def test_topics_are_told_as_bertopic_tells_them(model, X):
    info = model.get_topic_info()
    assert list(info.columns) == ["Topic", "Count", "Name", "Representation"] and len(info) == 3
    assert model.get_topic_info(X=X)["Count"].sum() == X.shape[0]
    assert len(model.get_topic_info(1)) == 1
    words = model.get_topic(0, 5)
    assert [word for word, _ in words] == model.top_words(5)[0]
    assert all(p == model.components_[0, NAMES.index(word)] for word, p in words)


def test_representative_documents_are_the_most_typical(texts):
    model = svtd.SingleTopic(2).fit(texts)
    series = pd.Series(texts, index=[f"t{i}" for i in range(len(texts))])
    typical = model.representative_documents(series, n=2)
    assert list(typical.columns) == ["topic", "document", "share", "text"] and len(typical) == 4
    for row in typical.itertuples():
        assert series[row.document] == row.text
        assert model.predict([row.text])[0] == row.topic


def test_topics_are_found_by_words(texts):
    for model in (
        svtd.SingleTopic(2).fit(texts),
        svtd.SingleTopic(2).fit([text.split() for text in texts]),
    ):
        topics, shares = model.find_topics("Bread and wine!", top_n=1)
        assert model.top_words(8)[topics[0]][0] in FOOD and shares[0] > 0.9
        with pytest.raises(ValueError, match="knows none of the words of query 'zebra'"):
            model.find_topics("zebra")


def test_topics_go_up_and_down_with_time(texts):
    model = svtd.SingleTopic(2).fit(texts)
    years = np.where(np.arange(len(texts)) % 2 == 0, 1990, 2020)
    over_time = model.topics_over_time(texts, years)
    sky = model.find_topics("sun moon", 1)[0][0]
    shares = over_time[over_time["Topic"] == sky].set_index("Timestamp")["Share"]
    assert shares[1990] > 0.95 and shares[2020] < 0.05
    dates = np.datetime64("2000-01-01") + np.arange(len(texts))
    binned = model.topics_over_time(texts, dates, nr_bins=4)
    assert binned["Timestamp"].nunique() == 4
    assert_allclose(binned["Frequency"].sum(), len(texts))
    with pytest.raises(ValueError, match="timestamps must be 200 times"):
        model.topics_over_time(texts, [1, 2])


def test_topics_are_merged(model, X, tmp_path):
    merged = clone(model).fit(X, words=NAMES)
    before, weights, alpha = merged.components_, merged.topic_weights_, merged.alpha_
    merged.set_topic_labels(["a", "b", "c"]).merge_topics([0, 2])
    assert merged.components_.shape == (2, 60) and merged.topic_labels_ == ["a", "b"]
    mean = (weights[0] * before[0] + weights[2] * before[2]) / (weights[0] + weights[2])
    assert_allclose(merged.components_[0], mean)
    assert_allclose(merged.topic_weights_, [weights[0] + weights[2], weights[1]])
    assert_allclose(merged.alpha_.sum(), alpha.sum())
    assert_allclose(merged.transform(X).sum(axis=1), 1.0)
    merged.save(tmp_path / "merged.svtd")
    assert_array_equal(svtd.load(tmp_path / "merged.svtd").components_, merged.components_)
    with pytest.raises(ValueError, match="names a topic twice"):
        clone(model).fit(X).merge_topics([[0, 1], [1, 2]])


def test_markers_tell_topics_apart_with_their_errors(model):
    markers = model.markers(4)
    assert list(markers.columns) == ["topic", "word", "probability", "error", "elsewhere", "log_fold", "z"]
    assert len(markers) == 12 and (markers["z"] > 2).all() and (markers["log_fold"] > 0).all()
    falling = [group["z"].is_monotonic_decreasing for _, group in markers.groupby("topic")]
    assert all(falling)


# --- the vectorizer


def test_the_vectorizer_speaks_scikit_learn(texts):
    vectorizer = svtd.Vectorizer(ngram_range=(1, 2), min_df=1, max_features=20).fit(texts)
    assert vectorizer.vocabulary_ == {word: i for i, word in enumerate(vectorizer.words_)}
    assert len(vectorizer.vocabulary_) == 20
    counts = vectorizer.transform(texts)
    assert sp.issparse(counts) and counts.shape == (200, 20)
    model = svtd.SingleTopic(2).fit(counts, words=vectorizer.vocabulary_)
    assert model.feature_names_in_.tolist() == vectorizer.words_


@pytest.mark.parametrize(
    ("parameters", "error", "sentence"),
    [
        ({"ngram_range": 3}, TypeError, "ngram_range must be two whole numbers"),
        ({"ngram_range": (2, 1)}, ValueError, "ngram_range must go from less to more"),
        ({"min_length": 0}, ValueError, "min_length must be a whole number of at least 1"),
        ({"numbers": "some"}, ValueError, "numbers must be one of 'drop', 'keep', got 'some'"),
        ({"apostrophes": "some"}, ValueError, "apostrophes must be one of"),
        ({"max_features": 0}, ValueError, "max_features must be a whole number of at least 1"),
        ({"min_df": -1}, ValueError, "min_df must be a whole number of at least 0"),
        ({"max_df": 1.5}, ValueError, "max_df must lie between 0 and 1"),
        ({"lowercase": "yes"}, TypeError, "lowercase must be True or False"),
        ({"language": 3}, TypeError, "language must be a string"),
    ],
)
def test_wrong_choices_of_the_vectorizer_are_refused_in_words(parameters, error, sentence, texts):
    with pytest.raises(error, match=sentence):
        svtd.Vectorizer(**parameters).fit(texts)
