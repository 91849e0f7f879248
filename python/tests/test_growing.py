"""Documents that come and go: the model is a function of the set of documents."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import svtd


def drawn(kind, n=240, seed=3):
    return svtd.generate(kind, n_samples=n, n_features=30, n_components=2, random_state=seed).X


MODELS = [("single-topic", svtd.SingleTopic), ("lda", svtd.LDA)]


@pytest.mark.parametrize(("kind", "model"), MODELS)
def test_the_order_of_batches_does_not_change_a_bit(kind, model):
    X = drawn(kind)
    a, b, c = X[:100], X[100:101], X[101:]
    new = lambda: model(2, trust=False)  # noqa: E731
    whole = new().fit(X)
    one = new().partial_fit(a).partial_fit(b).partial_fit(c)
    other = new().partial_fit(c, refit=False).partial_fit(b, refit=False).partial_fit(a)
    for grown in (one, other):
        assert grown.components_.tobytes() == whole.components_.tobytes()
        assert grown.topic_weights_.tobytes() == whole.topic_weights_.tobytes()
        assert grown._fitted.to_bytes() == whole._fitted.to_bytes()


@pytest.mark.parametrize(("kind", "model"), MODELS)
def test_removed_documents_leave_no_trace(kind, model):
    X, more = drawn(kind), drawn(kind, 60, seed=4)
    grown = model(2, trust=False).partial_fit(X).partial_fit(more, refit=False)
    grown.remove(sp.csr_matrix(more).toarray())
    assert grown._fitted.to_bytes() == model(2, trust=False).fit(X)._fitted.to_bytes()
    with pytest.raises(ValueError, match="60 of 60 documents to remove are not among"):
        grown.remove(more + sp.csr_matrix(np.ones(more.shape, dtype=int)))
    with pytest.raises(ValueError, match="no document would be left"):
        grown.remove(X)
    assert grown._seen.shelf.n_rows == X.shape[0]


def test_a_document_that_was_added_twice_is_removed_once():
    X = drawn("lda")
    grown = svtd.LDA(2, trust=False).partial_fit(X, refit=False)
    grown.partial_fit(X[:3], sample_weight=[2, 1, 1], refit=False)
    grown.remove(X[:1], refit=False).remove(X[:3])
    assert grown._fitted.to_bytes() == svtd.LDA(2, trust=False).fit(X)._fitted.to_bytes()


def test_models_merge_into_the_model_of_all_documents():
    X = drawn("lda")
    words = [f"w{i}" for i in range(X.shape[1])]
    one = svtd.LDA(2, trust=False).partial_fit(X[:150], words=words)
    other = svtd.LDA(2, trust=False).partial_fit(X[150:], words=words, refit=False)
    one.merge(other)
    whole = svtd.LDA(2, trust=False).fit(X, words=words)
    assert one._fitted.to_bytes() == whole._fitted.to_bytes()
    assert not hasattr(other, "components_")
    with pytest.raises(ValueError, match="the models have different words"):
        one.merge(svtd.LDA(2).partial_fit(X, refit=False))
    with pytest.raises(TypeError, match="expected a topic model"):
        one.merge("other")


def test_a_pickled_model_goes_on_where_it_was():
    X = drawn("single-topic")
    grown = svtd.SingleTopic(2, trust=False).partial_fit(X[:100])
    again = pickle.loads(pickle.dumps(grown)).partial_fit(X[100:])
    whole = svtd.SingleTopic(2, trust=False).fit(X)
    assert again.components_.tobytes() == whole.components_.tobytes()


def test_what_cannot_be_added_is_refused_and_changes_nothing():
    X = drawn("lda")
    grown = svtd.LDA(2, trust=False).partial_fit(X)
    before = grown._fitted.to_bytes()
    for bad, sentence in [
        (X[:, :-1], "X has 29 features, but LDA is expecting 30 features"),
        (X * 0.5, "whole number"),
        (["some text here"], "fitted on counts"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            grown.partial_fit(bad)
    assert grown._fitted.to_bytes() == before
    assert grown._seen.shelf.n_rows == X.shape[0]
    # Documents without a word are documents; the model knows nothing of their number.
    grown.partial_fit(sp.csr_matrix((2, 30), dtype=int))
    assert grown._seen.shelf.n_rows == X.shape[0] + 2
    with pytest.raises(ValueError, match="count the documents"):
        svtd.LDA(2).partial_fit(["sun and sea", "bread and wine"])
    fitted = svtd.LDA(2, trust=False).fit(X)
    with pytest.raises(ValueError, match="fitted with fit"):
        fitted.remove(X)
    with pytest.raises(ValueError, match="not fitted yet"):
        svtd.LDA(2).remove(X)


def test_fit_begins_anew():
    X = drawn("lda")
    grown = svtd.LDA(2, trust=False).partial_fit(X[:100]).fit(X)
    assert grown.components_.tobytes() == svtd.LDA(2, trust=False).fit(X).components_.tobytes()
    with pytest.warns(UserWarning, match="fit keeps no documents, so partial_fit begins anew"):
        grown.partial_fit(X[:100])
    assert grown._seen.shelf.n_rows == 100


@pytest.mark.parametrize(("kind", "model"), MODELS)
def test_a_bound_on_memory_changes_no_bit(kind, model, monkeypatch):
    monkeypatch.setattr("svtd._shelf.PART", 100)
    X, more = drawn(kind), drawn(kind, 60, seed=4)
    plain = model(2, trust=False).fit(X)
    bounded = model(2, trust=False, memory="16MiB").fit(X)
    assert bounded._fitted.to_bytes() == plain._fitted.to_bytes()
    grown = model(2, trust=False, memory=1 << 24).partial_fit(more, refit=False)
    grown.partial_fit(X[:200], refit=False).partial_fit(X[200:], refit=False)
    grown.merge(grown, refit=False).remove(X, refit=False).remove(more, refit=False)
    again = pickle.loads(pickle.dumps(grown))
    for one in (grown, again):
        assert one._seen.shelf.n_rows == X.shape[0] + 60
        one.remove(more)
        assert one._fitted.to_bytes() == plain._fitted.to_bytes()
    assert grown._seen.shelf.folder is not None


def test_what_is_no_bound_on_memory_is_refused():
    X = drawn("lda")
    for bad, error, sentence in [
        ("2", ValueError, "such as 400MB or 2GB"),
        ("much", ValueError, "such as 400MB or 2GB"),
        (-1, ValueError, "memory must be a number of bytes"),
        (2.5, TypeError, "memory must be a number of bytes"),
        (True, TypeError, "memory must be a number of bytes"),
        (1000, ValueError, "too low"),
    ]:
        for method in ("fit", "partial_fit"):
            with pytest.raises(error, match=sentence):
                getattr(svtd.LDA(2, memory=bad), method)(X)


def test_texts_are_counted_within_a_bound_too():
    texts = ["ship sail sea wind ship", "bread oven salt flour", "sea wind ship", "oven flour bread"]
    plain = svtd.SingleTopic(2, trust=False).fit(texts * 10)
    bounded = svtd.SingleTopic(2, trust=False, memory="20MB").fit(texts * 10)
    assert bounded._fitted.to_bytes() == plain._fitted.to_bytes()


@pytest.mark.parametrize("memory", [None, "40MB"])
def test_counts_beyond_31_bits_are_kept_as_they_are(memory):
    X = drawn("single-topic").astype(np.int64).tolil()
    X[0, 0] = 3_000_000_000
    X = sp.csr_matrix(X)
    new = lambda: svtd.SingleTopic(2, trust=False, polish="none", memory=memory)  # noqa: E731
    grown = new().partial_fit(X[:50], refit=False).partial_fit(X[50:])
    assert grown._fitted.to_bytes() == new().fit(X)._fitted.to_bytes()
