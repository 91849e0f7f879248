"""Gaussian mixtures and hidden Markov models: numbers, laws and peers."""

import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import svtd
from sklearn.mixture import GaussianMixture as Theirs

DATA = Path(os.environ.get("SVTD_DATA", "/nowhere")) / "models"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="SVTD_DATA is not set")


def blobs(n=300, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, size=n)
    centres = np.array([[0.0, 0.0], [4.0, 1.0], [-3.0, 5.0]])
    return centres[labels] + rng.normal(size=(n, 2)) * [1.0, 0.5], labels


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
def test_the_mixture_answers_as_scikit_learn_does_with_the_same_numbers(shape):
    X, _ = blobs()
    ours = svtd.GaussianMixture(3, covariance_type=shape, error_bars=False).fit(X)
    theirs = ours.to_sklearn()
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-9)
    np.testing.assert_allclose(ours.bic(X), theirs.bic(X))
    np.testing.assert_allclose(ours.aic(X), theirs.aic(X))
    assert ours.precisions_.shape == theirs.precisions_.shape == ours.covariances_.shape


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
def test_the_mixture_is_at_least_as_high_as_ten_starts_of_scikit_learn(shape):
    X, _ = blobs(seed=5)
    ours = svtd.GaussianMixture(4, covariance_type=shape, prior=0.0, error_bars=False).fit(X)
    theirs = Theirs(4, covariance_type=shape, n_init=10, tol=1e-6, max_iter=500, random_state=1).fit(X)
    assert ours.score(X) >= theirs.score(X) - 2e-3


@pytest.mark.parametrize(
    "estimator",
    [svtd.GaussianMixture(3), svtd.HMM(3, "gaussian", prior=0.0), svtd.LatentClass(2, real=[0, 1])],
    ids=lambda estimator: type(estimator).__name__,
)
def test_progress_is_told_and_an_exception_from_the_callback_ends_the_fit(estimator, capsys):
    X, _ = blobs()
    steps = []
    estimator.set_params(callback=lambda *step: steps.append(step)).fit(X)
    assert {stage for stage, _, _ in steps} == {"learning"}
    parts = [done / of for _, done, of in steps]
    assert parts[0] == 0 and parts[-1] == 1 and len(parts) >= 3
    assert parts == sorted(parts)

    def stop(*step):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        estimator.set_params(callback=stop).fit(X)
    with pytest.raises(TypeError, match="callback must be callable"):
        estimator.set_params(callback=3).fit(X)
    estimator.set_params(callback=None, verbose=1).fit(X)
    assert f"[{type(estimator).__name__}] learning" in capsys.readouterr().err


def test_components_that_are_there_are_found_again_in_halves():
    X, _ = blobs(n=600)
    mixture = svtd.GaussianMixture(3, prior=1).fit(X)
    assert mixture.standing_ == ["reproduces"] * 3
    assert mixture.found_again_.shape == (3,) and (mixture.found_again_ > 0.9).all()
    assert svtd.GaussianMixture(3, error_bars=False).fit(X).standing_ is None
    rng = np.random.default_rng(3)
    states = np.repeat(rng.integers(0, 2, size=100), 8)
    steps = rng.normal(size=800) + 4 * states
    assert svtd.HMM(2, "gaussian").fit(steps).standing_ == ["reproduces"] * 2


@needs_data
def test_three_components_that_share_a_covariance_are_found_as_high_as_fifty_starts():
    faithful = pd.read_csv(DATA / "faithful.csv")
    ours = svtd.GaussianMixture(3, covariance_type="tied", prior=0, error_bars=False).fit(faithful)
    theirs = Theirs(3, covariance_type="tied", n_init=50, tol=1e-10, max_iter=5000, reg_covar=0, random_state=0)
    best = theirs.fit(faithful).score(faithful) * len(faithful)
    assert abs(ours.log_likelihood_ - best) < 1e-3
    np.testing.assert_allclose(ours.to_sklearn().score(faithful) * len(faithful), ours.log_likelihood_)


@needs_data
def test_the_geyser_is_found_as_published():
    faithful = pd.read_csv(DATA / "faithful.csv")
    model = svtd.GaussianMixture(2, prior=0).fit(faithful)
    assert abs(model.log_likelihood_ + 1130.264) < 5e-4
    assert list(model.feature_names_in_) == ["eruptions", "waiting"]


def test_weights_and_missing_values_are_taken():
    X, _ = blobs()
    weights = np.where(np.arange(len(X)) < 100, 2.0, 1.0)
    weighted = svtd.GaussianMixture(3, prior=1, error_bars=False).fit(X, sample_weight=weights)
    repeated = svtd.GaussianMixture(3, prior=1, error_bars=False).fit(np.vstack([X, X[:100]]))
    np.testing.assert_allclose(weighted.means_, repeated.means_, atol=1e-4)
    holes = X.copy()
    holes[::9, 0] = np.nan
    missing = svtd.GaussianMixture(3).fit(holes)
    assert np.isfinite(missing.predict_proba(holes)).all()
    assert (missing.means_error_ > 0).all()


def test_the_data_choose_the_number_of_components():
    X, _ = blobs(600)
    model = svtd.GaussianMixture("auto", max_components=5, error_bars=False).fit(X)
    assert len(model.weights_) == 3 and sorted(model.path_) == [1, 2, 3, 4, 5]


def test_what_has_no_effect_is_said_once(monkeypatch):
    from svtd import _gaussian

    monkeypatch.setattr(_gaussian, "_said", False)
    X, _ = blobs(60)
    with pytest.warns(UserWarning, match="n_init without effect"):
        svtd.GaussianMixture(2, n_init=5, error_bars=False).fit(X)
    assert _gaussian._said


@pytest.mark.parametrize(
    "X, message",
    [
        (np.column_stack([np.arange(9.0), np.ones(9)]), "components cannot differ in it"),
        (np.column_stack([np.arange(9.0) ** 2, 2 * np.arange(9.0) ** 2]), "repeats variable"),
        (np.random.default_rng(0).normal(size=(4, 9)), "do not determine a covariance"),
    ],
)
def test_bad_records_are_refused_in_one_sentence(X, message):
    with pytest.raises(svtd.FitError, match=message):
        svtd.GaussianMixture(2).fit(X)


def test_records_without_any_value_are_passed_over_and_counted():
    X, _ = blobs(60)
    gaps = np.vstack([X, np.full((2, X.shape[1]), np.nan)])
    with pytest.warns(UserWarning, match="2 of 62 records have no value"):
        model = svtd.GaussianMixture(2).fit(gaps)
    np.testing.assert_array_equal(model.means_, svtd.GaussianMixture(2).fit(X).means_)
    np.testing.assert_allclose(model.predict_proba(gaps)[-1], model.weights_)


def chain(n=600, seed=1):
    rng = np.random.default_rng(seed)
    A = np.array([[0.9, 0.1], [0.2, 0.8]])
    B = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])
    states, symbols = [0], []
    for _ in range(n):
        symbols.append(rng.choice(3, p=B[states[-1]]))
        states.append(rng.choice(2, p=A[states[-1]]))
    return np.array(symbols).reshape(-1, 1), np.array(states[:-1])


def observations(emissions):
    symbols, states = chain()
    rng = np.random.default_rng(2)
    if emissions == "categorical":
        return symbols
    if emissions == "poisson":
        return rng.poisson(np.where(states, 12, 3)).reshape(-1, 1)
    if emissions == "gaussian":
        return np.column_stack([rng.normal(3 * states), rng.normal(-states)])
    return np.array([rng.multinomial(5, [0.7, 0.2, 0.1] if s else [0.1, 0.2, 0.7]) for s in states])


@pytest.mark.parametrize("emissions", ["categorical", "poisson", "gaussian", "multinomial"])
def test_the_chain_answers_as_hmmlearn_does_with_the_same_numbers(emissions):
    X = observations(emissions)
    ours = svtd.HMM(2, emissions).fit(X, lengths=[400, 200])
    theirs = ours.to_hmmlearn()
    assert np.isclose(ours.score(X, lengths=[400, 200]), theirs.score(X, [400, 200]))
    posterior = ours.predict_proba(X, lengths=[400, 200])
    np.testing.assert_allclose(posterior, theirs.predict_proba(X, [400, 200]), atol=1e-8)
    logprob, path = ours.decode(X, lengths=[400, 200])
    their_logprob, their_path = theirs.decode(X, [400, 200])
    assert np.isclose(logprob, their_logprob) and (path == their_path).mean() > 0.999
    stationary = theirs.get_stationary_distribution()
    np.testing.assert_allclose(ours.get_stationary_distribution(), stationary, atol=1e-8)
    again = pickle.loads(pickle.dumps(ours))
    assert (again.predict(X) == ours.predict(X)).all()
    drawn, states = ours.sample(20, random_state=3, n_trials=5)
    assert drawn.shape == (20, X.shape[1]) and len(states) == 20


def test_labels_missing_values_and_lists_of_sequences_are_taken():
    symbols, _ = chain()
    labels = np.array(["well", "tired", "ill"], dtype=object)[symbols]
    labels[::7, 0] = None
    model = svtd.HMM(2).fit([labels[:300], labels[300:]])
    assert model.categories_ == [["ill", "tired", "well"]]
    assert (model.transmat_error_ > 0).all() and (model.dwell_times_ > 1).all()
    forecast = model.forecast([labels[:300]], horizon=3)[0]
    np.testing.assert_allclose(forecast.expected.sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="a category that the model has never seen"):
        model.score(np.array([["well"], ["dead"]], dtype=object))


@needs_data
def test_earthquakes_are_found_as_published():
    counts = pd.read_csv(DATA / "earthquakes.csv")[["count"]]
    for k, published in [(2, -341.8787), (3, -328.5275)]:
        model = svtd.HMM(k, "poisson", prior=0, error_bars=False).fit(counts)
        assert abs(model.log_likelihood_ - published) < 1e-4
        assert (np.diff(model.lambdas_.ravel()) > 0).all()


@pytest.mark.parametrize(
    "X, lengths, message",
    [
        ([[0], [1], [0]], [1, 1, 1], "every sequence has length 1"),
        ([[1], [1], [1]], None, "one category only"),
        ([[0], [1], [0]], [2], "lengths of the sequences sum to 2"),
    ],
)
def test_bad_sequences_are_refused_in_one_sentence(X, lengths, message):
    with pytest.raises(ValueError, match=message):
        svtd.HMM(2).fit(np.array(X), lengths=lengths)
