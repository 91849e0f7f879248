"""Latent classes and raters from Python."""

import pickle

import numpy as np
import pandas as pd
import pytest
import svtd


def survey(n=400, seed=0):
    """Two kinds of people, five yes/no questions, a tenth of the answers missing."""
    rng = np.random.default_rng(seed)
    kind = rng.random(n) < 0.4
    yes = rng.random((n, 5)) < np.where(kind, 0.85, 0.15)[:, None]
    cells = np.where(yes, "yes", "no").astype(object)
    cells[rng.random((n, 5)) < 0.1] = None
    return pd.DataFrame(cells, columns=[f"q{b}" for b in range(5)]), kind


def test_classes_are_found_in_a_data_frame_with_missing_answers():
    frame, kind = survey()
    model = svtd.LatentClass(n_components=2).fit(frame)
    labels = model.predict(frame)
    agreement = np.mean(labels == kind)
    assert max(agreement, 1 - agreement) > 0.9
    assert model.weights_.sum() == pytest.approx(1)
    assert (model.weights_error_ > 0).all()
    assert list(model.answers().columns) == ["item", "answer", "class1", "error1", "class2", "error2"]
    np.testing.assert_allclose(model.predict_proba(frame).sum(axis=1), 1)
    assert model.log_likelihood_ == pytest.approx(model.score(frame) * len(frame))


def test_classes_that_are_there_are_found_again_and_a_third_is_not(tmp_path):
    frame, _ = survey(n=1000)
    model = svtd.LatentClass(n_components=2).fit(frame)
    assert model.standing_ == ["reproduces"] * 2
    assert (model.found_again_ > 0.8).all()
    assert "not found again" in svtd.LatentClass(n_components=3).fit(frame).standing_
    model.save(tmp_path / "m.svtd")
    assert svtd.LatentClass.load(tmp_path / "m.svtd").standing_ == model.standing_
    assert svtd.LatentClass(2, error_bars=False).fit(frame).found_again_ is None


def test_the_data_choose_the_number_of_classes():
    frame, _ = survey()
    assert svtd.LatentClass("auto", error_bars=False).fit(frame).n_components_ == 2


def test_a_model_survives_its_file_and_a_pickle(tmp_path):
    frame, _ = survey()
    model = svtd.LatentClass(2, error_bars=False).fit(frame)
    model.save(tmp_path / "m.svtd")
    for other in (svtd.LatentClass.load(tmp_path / "m.svtd"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(frame), model.predict_proba(frame))


def test_a_weight_is_as_good_as_a_repeated_record():
    frame, _ = survey(100)
    weights = np.arange(100) % 3 + 1
    weighted = svtd.LatentClass(2, error_bars=False).fit(frame, sample_weight=weights)
    repeated = svtd.LatentClass(2, error_bars=False).fit(frame.loc[frame.index.repeat(weights)])
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-9)


def test_numbers_stand_beside_categories():
    frame, kind = survey()
    frame["age"] = np.where(kind, 60.0, 30.0) + np.random.default_rng(1).normal(size=len(frame))
    model = svtd.LatentClass(2, real=["age"]).fit(frame)
    assert "mean" in list(model.answers()["answer"])
    agreement = np.mean(model.predict(frame) == kind)
    assert max(agreement, 1 - agreement) > 0.98


def test_what_cannot_be_fitted_is_told_in_a_sentence():
    frame, _ = survey(20)
    with pytest.raises(svtd.FitError, match="no item has two different answers"):
        svtd.LatentClass(2).fit(np.ones((5, 2)))
    with pytest.raises(ValueError, match="a weight of at least 0"):
        svtd.LatentClass(2).fit(frame, sample_weight=-np.ones(20))
    with pytest.raises(ValueError, match="n_components must be at least 1"):
        svtd.LatentClass(0).fit(frame)
    model = svtd.LatentClass(2, error_bars=False).fit(frame)
    frame.loc[0, "q0"] = "perhaps"
    with pytest.raises(svtd.FitError, match="an answer seen in the fit"):
        model.predict(frame)


def test_raters_are_ranked_without_a_gold_standard():
    rng = np.random.default_rng(2)
    truth = rng.random(300) < 0.5
    accuracy = {"ann": 0.95, "bob": 0.8, "cleo": 0.6, "dan": 0.7}
    items, raters, labels = [], [], []
    for item, right in enumerate(truth):
        for rater, p in accuracy.items():
            items.append(item)
            raters.append(rater)
            labels.append("x" if right == (rng.random() < p) else "y")
    model = svtd.Raters().fit(items, raters, labels)
    for rater, p in accuracy.items():
        assert abs(model.accuracy_[rater] - p) < 4 * model.accuracy_error_[rater] + 0.02
    found = model.predict(items, raters, labels)
    assert np.mean([(found[str(i)] == "x") == t for i, t in enumerate(truth)]) > 0.9
