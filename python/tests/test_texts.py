"""Texts become words by the rules of the command line."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import svtd
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline

SKY = "The sun and the moon and many stars stood over the old town that night."
TABLE = "The bread and the wine and some oil were on the table for the guests."
HERDS = "The sheep and the goats and their shepherd were crossing the green hills."


@pytest.fixture(scope="module")
def texts():
    """Sentences about three things, each in words of its own order."""
    rng = np.random.default_rng(0)
    documents = []
    for i in range(240):
        words = (SKY, TABLE, HERDS)[i % 3].replace(".", "").split()
        documents.append(" ".join(rng.choice(words, size=12)) + ".")
    return documents


def test_texts_give_the_same_bytes_as_the_shell(kind, texts, program, tmp_path):
    (tmp_path / "texts.txt").write_text("\n".join(texts) + "\n")
    shell = tmp_path / "shell.svtd"
    program("fit", tmp_path / "texts.txt", "--format", "lines", "-k", 3, "--model", kind, "-o", shell)
    model = (svtd.LDA if kind == "lda" else svtd.SingleTopic)(3).fit(texts)
    model.save(tmp_path / "python.svtd")
    assert (tmp_path / "python.svtd").read_bytes() == shell.read_bytes()
    assert_array_equal(svtd.load(shell).transform(texts), model.transform(texts))


def test_a_model_of_texts_is_asked_about_texts(texts):
    model = svtd.SingleTopic(3).fit(texts)
    assert len(set(model.predict([SKY, TABLE, HERDS]))) == 3
    assert_array_equal(model.fit_transform(texts), model.transform(texts))
    prior = model.transform(["Nothing here is known."])
    assert np.allclose(prior, model.topic_weights_)


@pytest.mark.parametrize("form", [tuple, np.array, pd.Series, pl.Series, pa.array])
def test_a_column_of_texts_is_a_list_of_texts(form, texts):
    model = svtd.SingleTopic(3).fit(form(texts))
    assert model._fitted.to_bytes() == svtd.SingleTopic(3).fit(texts)._fitted.to_bytes()


def test_the_vectorizer_counts_what_a_model_would(texts):
    vectorizer = svtd.Vectorizer()
    X = vectorizer.fit_transform(texts)
    assert_array_equal(X.toarray(), vectorizer.transform(texts).toarray())
    direct = svtd.LDA(3).fit(texts)
    through = svtd.LDA(3).fit(X, words=vectorizer.get_feature_names_out())
    assert_array_equal(direct.components_, through.components_)
    assert "the" not in vectorizer.words_ and "sun" in vectorizer.words_
    again = pickle.loads(pickle.dumps(vectorizer))
    assert_array_equal(again.transform(texts[:5]).toarray(), X[:5].toarray())


def test_vectorizer_and_model_make_a_pipeline(texts):
    pipeline = make_pipeline(svtd.Vectorizer(), svtd.SingleTopic(3)).fit(texts)
    assert len(set(pipeline.predict([SKY, TABLE, HERDS]))) == 3


@pytest.mark.parametrize(
    ("parameters", "kept", "dropped"),
    [
        ({"stop_words": None}, "the", None),
        ({"stop_words": "english"}, "sun", "the"),
        ({"stop_words": ["sun"]}, "the", "sun"),
        ({"lowercase": False, "stop_words": None}, "The", None),
        ({"ngram_range": (2, 2), "min_df": 1}, None, "sun"),
        ({"stem": "english"}, "star", "stars"),
        ({"min_length": 4}, "bread", "sun"),
        ({"max_features": 1}, None, "nothing"),
        ({"token_regex": "[a-z]{5}"}, "bread", "sun"),
    ],
)
def test_every_choice_about_words_counts(parameters, kept, dropped, texts):
    words = svtd.Vectorizer(**parameters).fit(texts).words_
    assert kept is None or kept in words
    assert dropped not in words


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("one text", "got one text; put it in a list"),
        (["a text", None], "found None at position 1"),
        ([], "no text at all"),
        (["...", "!"], "word"),
    ],
)
def test_what_is_no_text_is_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        svtd.Vectorizer().fit(given)


def test_wrong_choices_about_words_are_refused(texts):
    for parameters in ({"numbers": "some"}, {"language": "elvish"}, {"stop_words": "elvish"},
                       {"ngram_range": (2, 1)}, {"max_df": 3.5}, {"token_regex": "("}):
        with pytest.raises(ValueError):
            svtd.Vectorizer(**parameters).fit(texts)


def test_a_model_of_counts_does_not_split_texts(texts):
    model = svtd.SingleTopic(3).fit(svtd.Vectorizer().fit_transform(texts))
    with pytest.raises(ValueError, match="fitted on counts"):
        model.transform(texts)
