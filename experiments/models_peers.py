"""The models of `svtd reproduce models` beside StepMix, hmmlearn and scikit-learn.

    python experiments/models_peers.py -o crates/svtd-experiments/data/models_peers.csv

Draws data sets from the laws that `svtd reproduce models` draws from, by NumPy, so the samples are
others; fits each by our default and by the peer, as shipped, from one random start and from the best of
ten; and tells the error of the parameters, matched, and CPU seconds. `svtd reproduce models` prints the
table it wrote. Needs the package svtd, stepmix, hmmlearn and scikit-learn. One thread each.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

import svtd

warnings.filterwarnings("ignore")

K = 3
TRANSITIONS = np.array([[0.8, 0.1, 0.1], [0.1, 0.7, 0.2], [0.2, 0.1, 0.7]])
EMISSIONS = np.array([[0.5, 0.2, 0.1, 0.1, 0.1], [0.1, 0.1, 0.5, 0.2, 0.1], [0.1, 0.1, 0.1, 0.2, 0.5]])
WEIGHTS = np.array([0.5, 0.2, 0.3])
MEANS = np.array([[2.0, 0.0, -1.0, 0.5, 0.0], [-1.5, 1.5, 0.5, 0.0, 1.0], [0.0, -1.0, 1.5, 2.0, -1.0]])
VARIANCES = np.array([0.6, 1.0, 0.8])
ITEMS, CATEGORIES = 8, 3


def differences(found, truth):
    """Absolute differences over the best order of the components."""
    orders = (np.abs(found[list(order)] - truth) for order in itertools.permutations(range(K)))
    return min(orders, key=lambda d: d.max())


def classes(n, rng):
    shares = 0.5 + rng.random(K)
    shares /= shares.sum()
    truth = rng.dirichlet(np.ones(CATEGORIES), size=(K, ITEMS))
    of = rng.choice(K, size=n, p=shares)
    u = rng.random((n, ITEMS, 1))
    answers = (u > np.cumsum(truth[of], axis=2)[:, :, :-1]).sum(axis=2)

    def ours():
        model = svtd.LatentClass(K, categorical=list(range(ITEMS)), error_bars=False, n_jobs=1).fit(answers)
        found = np.zeros((K, ITEMS, CATEGORIES))
        for row in model.answers().itertuples():
            laws = [getattr(row, f"class{j + 1}") for j in range(K)]
            found[:, int(row.item[1:]), int(row.answer)] = laws
        return found

    def peer(n_init):
        from stepmix.stepmix import StepMix

        model = StepMix(K, measurement="categorical", n_init=n_init, random_state=1, progress_bar=0, verbose=0)
        model.fit(answers)
        parameters = model.get_parameters()["measurement"]
        return np.asarray(parameters["pis"]).reshape(K, ITEMS, -1)[:, :, :CATEGORIES]

    # Mean, as in the table of latent classes.
    return ours, peer, lambda found: differences(found, truth).mean()


def hmm(n, rng):
    states = np.zeros(n, dtype=int)
    cumulated = np.cumsum(TRANSITIONS, axis=1)
    u = rng.random(n)
    states[0] = rng.choice(K)
    for t in range(1, n):
        states[t] = np.searchsorted(cumulated[states[t - 1]], u[t])
    states = np.minimum(states, K - 1)
    v = rng.random((n, 1))
    symbols = (v > np.cumsum(EMISSIONS[states], axis=1)[:, :-1]).sum(axis=1)[:, None]

    def ours():
        return svtd.HMM(K, emissions="categorical", error_bars=False, n_jobs=1).fit(symbols).emissionprob_

    def peer(n_init):
        from hmmlearn.hmm import CategoricalHMM

        runs = [CategoricalHMM(K, random_state=seed, n_iter=200, tol=1e-2).fit(symbols) for seed in range(n_init)]
        return max(runs, key=lambda run: run.score(symbols)).emissionprob_

    return ours, peer, lambda found: differences(found, EMISSIONS).max()


def gaussian(n, rng):
    of = rng.choice(K, size=n, p=WEIGHTS)
    points = MEANS[of] + np.sqrt(VARIANCES[of])[:, None] * rng.standard_normal((n, MEANS.shape[1]))

    def ours():
        return svtd.GaussianMixture(K, covariance_type="spherical", error_bars=False, n_jobs=1).fit(points).means_

    def peer(n_init):
        from sklearn.mixture import GaussianMixture

        return GaussianMixture(K, covariance_type="spherical", n_init=n_init, random_state=1).fit(points).means_

    return ours, peer, lambda found: differences(np.asarray(found), MEANS).max()


MODELS = {
    "latent classes": (classes, "StepMix", [300, 1000, 3000, 10_000]),
    "hidden Markov model": (hmm, "hmmlearn", [1000, 10_000]),
    "Gaussian mixture": (gaussian, "scikit-learn", [1000, 10_000, 100_000]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--sets", type=int, default=8)
    parser.add_argument("--first-seed", type=int, default=31_000)
    args = parser.parse_args()
    rows = []
    for model, (draw, name, sizes) in MODELS.items():
        for n in sizes:
            found = {}
            # The first is not told: imports and caches are in it.
            for s in range(-1, args.sets):
                ours, peer, error = draw(n, np.random.default_rng(args.first_seed + s))
                contestants = {
                    "our default": ours,
                    f"{name}, one start": lambda: peer(1),
                    f"{name}, best of ten": lambda: peer(10),
                }
                for contestant, fit in contestants.items():
                    start = time.process_time()
                    fitted = fit()
                    spent = time.process_time() - start
                    if s >= 0:
                        found.setdefault(contestant, []).append((error(np.asarray(fitted)), spent))
            for contestant, runs in found.items():
                errors, spent = np.array(runs).T
                spread = errors.std(ddof=1) / np.sqrt(len(errors)) if len(errors) > 1 else 0.0
                rows.append((model, n, contestant, len(errors), *(f"{x:.6g}" for x in (errors.mean(), spread, spent.mean()))))
                print(*rows[-1], flush=True)
    with open(args.output, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["model", "N", "method", "sets", "error", "standard_error", "cpu_s"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
