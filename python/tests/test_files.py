"""One model file for the shell and for Python."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import svtd
from conftest import write_matrix_market
from numpy.testing import assert_array_equal
from sklearn.base import clone

CHOICES = [
    ({}, []),
    ({"polish": "none"}, ["--polish", "none"]),
    ({"polish": 5, "trust": False}, ["--polish", "5", "--no-trust"]),
    ({"splits": 1}, ["--splits", "1"]),
    ({"splits": 0}, ["--splits", "0"]),
    ({"paper": True}, ["--paper"]),
    ({"paper": True, "method": "joint"}, ["--paper", "--method", "joint"]),
    ({"method": "als", "random_state": 7}, ["--method", "als", "--seed", "7"]),
    ({"weights": "three-words", "random_state": 7}, ["--weights", "three-words", "--seed", "7"]),
    ({"weights": "zou", "whitening": "plain"}, ["--weights", "zou", "--whitening", "plain"]),
]


@pytest.mark.parametrize(("parameters", "flags"), CHOICES)
def test_shell_and_python_write_the_same_bytes(
    kind, estimator, corpus, parameters, flags, program, tmp_path
):
    write_matrix_market(tmp_path / "x.mtx", corpus.X)
    shell, python = tmp_path / "shell.svtd", tmp_path / "python.svtd"
    program("fit", tmp_path / "x.mtx", "-k", 4, "--model", kind, "-o", shell, *flags)
    estimator.set_params(**parameters).fit(corpus.X).save(python)
    assert shell.read_bytes() == python.read_bytes()


def test_a_model_of_the_shell_opens_in_python_and_the_other_way_round(
    kind, estimator, corpus, program, tmp_path
):
    names = [f"w{i}" for i in range(60)]
    (tmp_path / "words.txt").write_text("\n".join(names) + "\n")
    counts = tmp_path / "x.mtx"
    write_matrix_market(counts, corpus.X)
    vocab = ("--vocab", tmp_path / "words.txt")
    program("fit", counts, *vocab, "-k", 4, "--model", kind, "-o", tmp_path / "a.svtd")
    opened = type(estimator).load(tmp_path / "a.svtd")
    fitted = estimator.fit(corpus.X, words=names)
    assert_array_equal(opened.components_, fitted.components_)
    assert_array_equal(opened.transform(corpus.X), fitted.transform(corpus.X))
    assert opened.top_words(5) == fitted.top_words(5)

    fitted.save(tmp_path / "b.svtd")
    program("infer", tmp_path / "b.svtd", counts, *vocab, "-o", tmp_path / "mixtures.npy")
    assert_array_equal(np.load(tmp_path / "mixtures.npy"), fitted.transform(corpus.X))


def test_a_loaded_model_has_the_parameters_it_was_fitted_with(estimator, corpus, tmp_path):
    for parameters, _ in CHOICES:
        model = clone(estimator).set_params(**parameters).fit(corpus.X)
        model.save(tmp_path / "a.svtd", overwrite=True)
        again = clone(svtd.load(tmp_path / "a.svtd")).fit(corpus.X)
        assert again._fitted.to_bytes() == model._fitted.to_bytes(), parameters


def test_nothing_is_overwritten_unless_allowed(estimator, corpus, tmp_path):
    estimator.fit(corpus.X).save(tmp_path / "a.svtd")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        estimator.save(tmp_path / "a.svtd")
    estimator.save(tmp_path / "a.svtd", overwrite=True)


def test_what_cannot_be_opened_is_told(estimator, corpus, tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        svtd.load(tmp_path / "nothing.svtd")
    (tmp_path / "junk.svtd").write_bytes(b"not a model at all")
    with pytest.raises(ValueError, match=r"junk\.svtd"):
        svtd.load(tmp_path / "junk.svtd")
    estimator.fit(corpus.X).save(tmp_path / "a.svtd")
    other = svtd.SingleTopic if isinstance(estimator, svtd.LDA) else svtd.LDA
    with pytest.raises(ValueError, match=rf"holds a {type(estimator).__name__}, not"):
        other.load(tmp_path / "a.svtd")


def test_a_pickle_opens_in_another_process(estimator, corpus, tmp_path):
    estimator.fit(corpus.X)
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(estimator))
    np.save(tmp_path / "X.npy", corpus.X[:50].toarray())
    program = (
        "import pickle, sys, numpy as np\n"
        "model = pickle.load(open(sys.argv[1] + '/model.pickle', 'rb'))\n"
        "X = np.load(sys.argv[1] + '/X.npy')\n"
        "np.save(sys.argv[1] + '/out.npy', model.transform(X))\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    assert_array_equal(np.load(tmp_path / "out.npy"), estimator.transform(corpus.X[:50]))


def test_the_same_seed_draws_the_same_corpus_in_the_shell(kind, program, tmp_path):
    flags = ["--docs", 50, "--words", 30, "-k", 3, "--zipf", "--seed", 5, "-o", tmp_path / "drawn"]
    program("generate", kind, *flags)
    drawn = svtd.generate(kind, n_samples=50, n_features=30, n_components=3, zipf=True, random_state=5)
    lines = (tmp_path / "docword.drawn.txt").read_text().split("\n")[3:-1]
    entries = np.array([line.split() for line in lines], dtype=int)
    coo = drawn.X.tocoo()
    assert_array_equal(entries, np.column_stack([coo.row + 1, coo.col + 1, coo.data]))
    assert_array_equal(np.load(tmp_path / "drawn.topic-word.npy"), drawn.components)
