"""How many topics, before and while fitting."""

import json

import pytest
import svtd
from conftest import write_matrix_market


def test_auto_finds_the_number_of_topics_and_writes_what_the_shell_writes(
    kind, estimator, corpus, program, tmp_path
):
    write_matrix_market(tmp_path / "x.mtx", corpus.X)
    shell = tmp_path / "shell.svtd"
    program("fit", tmp_path / "x.mtx", "-k", "auto", "--model", kind, "-o", shell)
    model = estimator.set_params(n_components="auto").fit(corpus.X)
    assert model.components_.shape[0] == 4
    model.save(tmp_path / "python.svtd")
    assert (tmp_path / "python.svtd").read_bytes() == shell.read_bytes()
    assert svtd.load(shell).n_components == "auto"


def test_check_tells_what_the_shell_tells(kind, corpus, program, tmp_path):
    write_matrix_market(tmp_path / "x.mtx", corpus.X)
    printed = json.loads(program("check", tmp_path / "x.mtx", "--model", kind, "--json"))
    checked = svtd.check(corpus.X, model=kind)
    assert checked["visible"]["n_topics"] == 4
    for name, value in checked.items():
        assert printed[name] == value, name


def test_sweep_judges_every_number_and_recommends_the_true_one(kind, corpus):
    swept = svtd.sweep(corpus.X, range(2, 8), model=kind)
    assert swept.fits["n_topics"].tolist() == [2, 3, 4, 5, 6, 7]
    assert 4 in swept.recommended
    assert (swept.directions["z"][:4] > 3).all()
    assert "2 to 7 topics" in repr(swept)


@pytest.mark.parametrize("wrong", [[], [2, 4], range(0, 3), [3, 2]])
def test_a_sweep_needs_a_range_without_gaps(wrong, lda_corpus):
    with pytest.raises(ValueError, match="without gaps"):
        svtd.sweep(lda_corpus.X, wrong)


def test_two_models_are_compared_topic_by_topic(lda_corpus):
    names = [f"w{i}" for i in range(60)]
    four = svtd.LDA(4, trust=False).fit(lda_corpus.X, words=names)
    five = svtd.LDA(5, trust=False).fit(lda_corpus.X[:1000], words=names)
    found = svtd.diff(four, five)
    assert len(found.pairs) == 4 and len(found.only_new) == 1 and found.only_old == []
    assert 0 < found.mean_distance < 1 and found.n_shared_words == 60
    assert set(found.pairs[0].gained) < set(names)
    assert found.to_frame()["old"].tolist() == [0, 1, 2, 3]
    other = svtd.LDA(2, trust=False).fit(lda_corpus.X, words=[f"v{i}" for i in range(60)])
    with pytest.raises(ValueError, match="in common|do not match"):
        svtd.diff(four, other)
