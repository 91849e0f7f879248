"""Hidden Markov models and Gaussian mixtures beside hmmlearn and scikit-learn, on drawn data.

For every setting of the tables in docs, data sets are drawn from seeds that were not used before.
Peers run their ten starts; the best of them is climbed again under our objective, so that a loose
tolerance does not count as a worse maximum. Reported are: on how many sets ours is at least as high,
mean gaps to the best known, held-out log-likelihood, CPU seconds.

    python benches/models_peers.py gaussian --sets 20 --first-seed 7000
    python benches/models_peers.py hmm --sets 20
    python benches/models_peers.py large

Needs the package svtd, scikit-learn and hmmlearn.
"""

import argparse
import os
import time
import warnings

# One thread for everybody, so that CPU seconds compare.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

import svtd
from svtd import _svtd

warnings.filterwarnings("ignore")

GAUSSIAN = [
    # records, variables, components, covariance, share of the smallest
    (150, 2, 3, "full", None),
    (500, 4, 4, "full", None),
    (1000, 2, 6, "full", None),
    (2000, 10, 5, "full", 0.05),
    (500, 5, 4, "diag", None),
    (2000, 20, 8, "diag", None),
    (1000, 10, 6, "spherical", 0.05),
]

HMM = [
    # emissions, steps, symbols, states, how persistent
    ("categorical", 200, 4, 2, "persistent"),
    ("categorical", 1000, 6, 3, "persistent"),
    ("categorical", 1000, 8, 4, "unstructured"),
    ("categorical", 800, 6, 3, "nearly equal"),
    ("categorical", 1000, 3, 4, "persistent"),
    ("poisson", 200, 1, 3, "persistent"),
    ("poisson", 500, 1, 4, "persistent"),
    ("gaussian", 500, 1, 3, "persistent"),
]


def clock():
    return time.process_time()


def weights_of(rng, k, least):
    if least is None:
        return rng.dirichlet(np.full(k, 5.0))
    return np.concatenate([[least], (1 - least) * rng.dirichlet(np.full(k - 1, 10.0))])


def draw_gaussian(setting, seed):
    n, d, k, shape, least = setting
    rng = np.random.default_rng(seed)
    weights = weights_of(rng, k, least)
    means = rng.normal(size=(k, d)) * (2.0 if d < 10 else 1.2)
    roots = []
    for _ in range(k):
        if shape == "full":
            roots.append(rng.normal(size=(d, d)) / np.sqrt(d) + 0.3 * np.eye(d))
        elif shape == "diag":
            roots.append(np.diag(rng.uniform(0.4, 1.6, size=d)))
        else:
            roots.append(np.eye(d) * rng.uniform(0.6, 1.4))
    labels = rng.choice(k, size=2 * n, p=weights)
    noise = rng.normal(size=(2 * n, d))
    X = np.array([means[j] + roots[j] @ z for j, z in zip(labels, noise)])
    return X[:n], X[n:]


def as_full(mixture, d):
    covariances = mixture.covariances_
    k = len(mixture.weights_)
    if mixture.covariance_type == "diag":
        return np.array([np.diag(c) for c in covariances])
    if mixture.covariance_type == "spherical":
        return np.array([np.eye(d) * c for c in covariances])
    return np.asarray(covariances).reshape(k, d, d)


def gaussian_row(setting, seeds, prior):
    from sklearn.mixture import GaussianMixture

    _, d, k, shape, _ = setting
    names = {"full": "full", "diag": "diagonal", "spherical": "spherical"}
    won, gaps, cpu, held = 0, [], np.zeros(3), []
    losses = []
    for seed in seeds:
        X, new = draw_gaussian(setting, seed)
        start = clock()
        ours = svtd.GaussianMixture(k, covariance_type=shape, prior=prior, error_bars=False, n_jobs=1)
        ours.fit(X)
        middle = clock()
        theirs = GaussianMixture(k, covariance_type=shape, n_init=10, tol=1e-6, max_iter=1000,
                                 random_state=seed).fit(X)
        theirs_done = clock()
        default = svtd.GaussianMixture(k, covariance_type=shape, error_bars=False, n_jobs=1).fit(X)
        cpu += [middle - start, theirs_done - middle, clock() - theirs_done]
        arrays = {"covariance": names[shape], "weights": theirs.weights_, "means": theirs.means_,
                  "covariances": np.ascontiguousarray(as_full(theirs, d))}
        again = _svtd.gaussian_climb(X, arrays, prior)["objective"]
        mine = _svtd.gaussian_climb(X, ours._arrays(), prior)["objective"]
        best = max(mine, again)
        gaps.append((best - mine, best - again))
        won += mine >= again - 1e-6 * abs(again) - 1e-6
        if mine < again - 1e-6 * abs(again) - 1e-6:
            losses.append((seed, round(again - mine, 3)))
        held.append((ours.score(new), default.score(new), theirs.score(new)))
    gaps, held = np.array(gaps), np.array(held)
    better = int((held[:, 1] >= held[:, 2] - 1e-6).sum())
    label = f"N={setting[0]}, d={d}, k={k}, {shape}" + (", one 5 %" if setting[4] else "")
    print(f"| {label} | {won} of {len(seeds)} | {gaps[:, 0].mean():.2f} ({gaps[:, 0].max():.1f}) / "
          f"{gaps[:, 1].mean():.2f} ({gaps[:, 1].max():.1f}) | {held[:, 0].mean():.4f} / "
          f"{held[:, 1].mean():.4f} / {held[:, 2].mean():.4f} | {better} of {len(seeds)} | "
          f"{cpu[0] / len(seeds):.2f} / {cpu[2] / len(seeds):.2f} / {cpu[1] / len(seeds):.2f} "
          f"({cpu[0] / cpu[1]:.2f}, {cpu[2] / cpu[1]:.2f}) | {losses} |", flush=True)
    return won, better


def transitions_of(rng, k, kind):
    if kind == "unstructured":
        return rng.dirichlet(np.full(k, 1.0), size=k)
    if kind == "nearly equal":
        return 0.75 * np.full((k, k), 1 / k) + 0.25 * rng.dirichlet(np.full(k, 1.0), size=k)
    stay = rng.uniform(0.75, 0.95, size=k)
    A = rng.dirichlet(np.full(k, 2.0), size=k) * (1 - stay)[:, None]
    return A + np.diag(1 - A.sum(axis=1))


def draw_hmm(setting, seed):
    emissions, n, m, k, kind = setting
    rng = np.random.default_rng(seed)
    A = transitions_of(rng, k, kind)
    laws = rng.dirichlet(np.full(max(m, 2), 0.7), size=k)
    rates = np.sort(rng.uniform(1, 20, size=k))
    means = np.sort(rng.normal(size=k) * 2)
    state, values = 0, []
    for _ in range(2 * n):
        state = rng.choice(k, p=A[state])
        if emissions == "categorical":
            values.append(rng.choice(m, p=laws[state]))
        elif emissions == "poisson":
            values.append(rng.poisson(rates[state]))
        else:
            values.append(means[state] + 0.7 * rng.normal())
    X = np.array(values).reshape(-1, 1)
    return X[:n], X[n:]


def peer_hmm(setting, X, seed):
    from hmmlearn import hmm

    emissions, _, m, k, _ = setting
    best = None
    for start in range(10):
        state = 1000 * seed + start
        if emissions == "categorical":
            model = hmm.CategoricalHMM(k, n_iter=1000, tol=1e-4, random_state=state, n_features=m)
        elif emissions == "poisson":
            model = hmm.PoissonHMM(k, n_iter=1000, tol=1e-4, random_state=state)
        else:
            model = hmm.GaussianHMM(k, n_iter=1000, tol=1e-4, random_state=state)
        try:
            model.fit(X)
            score = model.score(X)
        except ValueError:
            continue
        if best is None or score > best[0]:
            best = (score, model)
    return best[1]


def hmm_arrays(ours, setting, peer):
    arrays = ours._arrays()
    emission = {"categorical": "emissionprob_", "poisson": "lambdas_"}
    if setting[0] == "gaussian":
        variances = np.array([np.diag(c) for c in peer.covars_])
        rows = np.hstack([peer.means_, variances])
    else:
        rows = getattr(peer, emission[setting[0]])
    return {**arrays, "initial": np.ascontiguousarray(peer.startprob_),
            "transitions": np.ascontiguousarray(peer.transmat_),
            "emission": np.ascontiguousarray(rows[:, : arrays["emission"].shape[1]])}


def stationary_score(theirs, A, new):
    values, vectors = np.linalg.eig(A.T)
    law = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    theirs.startprob_ = np.abs(law) / np.abs(law).sum()
    try:
        return theirs.score(new) / len(new)
    except Exception:
        return np.nan


def hmm_row(setting, seeds):
    """Ours without a prior and by default, each against the peer's best climbed under the same objective."""
    priors = (0.0, 1.0)
    won, losses = [0, 0], [[], []]
    gaps, cpu, held = [], np.zeros(3), []
    for seed in seeds:
        X, new = draw_hmm(setting, seed)
        if setting[0] == "categorical" and new.max() > X.max():
            new = np.minimum(new, X.max())
        ours, spent = [], []
        for prior in priors:
            start = clock()
            ours.append(svtd.HMM(setting[3], setting[0], prior=prior, error_bars=False, n_jobs=1).fit(X))
            spent.append(clock() - start)
        start = clock()
        theirs = peer_hmm(setting, X, seed)
        cpu += [*spent, clock() - start]
        row = []
        for at, (prior, model) in enumerate(zip(priors, ours)):
            data = model._read(X, None, reset=False)
            again = _svtd.hmm_climb(data, hmm_arrays(model, setting, theirs), prior)["objective"]
            mine = _svtd.hmm_climb(data, model._arrays(), prior)["objective"]
            row += [max(again - mine, 0.0), max(mine - again, 0.0)]
            beaten = mine < again - 1e-6 * abs(again) - 1e-5
            won[at] += not beaten
            if beaten:
                losses[at].append((seed, round(again - mine, 3)))
        gaps.append(row)
        scores = [model.score(new) / len(new) for model in ours]
        held.append((*scores, stationary_score(theirs, theirs.transmat_, new)))
    gaps, held, n_sets = np.array(gaps), np.array(held), len(seeds)
    better = int((held[:, 1] >= np.nan_to_num(held[:, 2], nan=-np.inf) - 1e-6).sum())
    emissions, n, m, k, kind = setting
    print(f"| {emissions}, T={n}, {m} symbols, k={k}, {kind} | {won[0]} of {n_sets} | "
          f"{gaps[:, 0].mean():.2f} ({gaps[:, 0].max():.1f}) / {gaps[:, 1].mean():.2f} ({gaps[:, 1].max():.1f}) | "
          f"{won[1]} of {n_sets} | "
          f"{gaps[:, 2].mean():.2f} ({gaps[:, 2].max():.1f}) / {gaps[:, 3].mean():.2f} ({gaps[:, 3].max():.1f}) | "
          f"{np.nanmean(held[:, 0]):.4f} / {np.nanmean(held[:, 1]):.4f} / {np.nanmean(held[:, 2]):.4f} | "
          f"{better} of {n_sets} | "
          f"{cpu[0] / n_sets:.2f} / {cpu[1] / n_sets:.2f} / {cpu[2] / n_sets:.2f} "
          f"({cpu[0] / cpu[2]:.2f}, {cpu[1] / cpu[2]:.2f}) | {losses[0]} {losses[1]} |", flush=True)
    return won


def large():
    """A million steps of five states; a hundred thousand records of twenty variables."""
    from hmmlearn import hmm
    from sklearn.mixture import GaussianMixture

    rng = np.random.default_rng(1)
    k, m, n = 5, 8, 1_000_000
    A = 0.85 * np.eye(k) + 0.15 * rng.dirichlet(np.full(k, 1.0), size=k)
    B = rng.dirichlet(np.full(m, 0.6), size=k)
    jumps, emits = rng.random(n), rng.random(n)
    cumulated, state, states = A.cumsum(axis=1), 0, np.empty(n, dtype=int)
    for t in range(n):
        state = min(int(np.searchsorted(cumulated[state], jumps[t])), k - 1)
        states[t] = state
    X = (B.cumsum(axis=1)[states] < emits[:, None]).sum(axis=1).clip(0, m - 1).reshape(-1, 1)
    start, cpu = time.time(), clock()
    ours = svtd.HMM(k, error_bars=False).fit(X)
    print(f"HMM, T = {n}, k = {k}, {m} symbols: svtd {time.time() - start:.0f} s ({clock() - cpu:.0f} CPU s), "
          f"log-likelihood {ours.log_likelihood_:.1f}", flush=True)
    order = np.argmin(np.abs(ours.emissionprob_[:, None, :] - B[None]).sum(axis=2), axis=0)
    print(f"  largest error of an emission {np.abs(ours.emissionprob_[order] - B).max():.4f}, of a transition "
          f"{np.abs(ours.transmat_[np.ix_(order, order)] - A).max():.4f}", flush=True)
    start = time.time()
    theirs = hmm.CategoricalHMM(k, n_iter=100, tol=1, random_state=0).fit(X)
    print(f"  hmmlearn, one start of {theirs.monitor_.iter} steps: {time.time() - start:.0f} s, "
          f"log-likelihood {theirs.score(X):.1f}", flush=True)

    n, d, k = 100_000, 20, 10
    means = rng.normal(size=(k, d)) * 1.5
    roots = rng.normal(size=(k, d, d)) / np.sqrt(d) + 0.4 * np.eye(d)
    labels = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 5.0)))
    X = means[labels] + np.einsum("uab,ub->ua", roots[labels], rng.normal(size=(n, d)))
    start, cpu = time.time(), clock()
    ours = svtd.GaussianMixture(k, error_bars=False).fit(X)
    print(f"Gaussian, N = {n}, d = {d}, k = {k}, full: svtd {time.time() - start:.0f} s ({clock() - cpu:.0f} CPU s), "
          f"log-likelihood {ours.log_likelihood_:.1f}", flush=True)
    start = time.time()
    theirs = GaussianMixture(k, n_init=1, random_state=0).fit(X)
    print(f"  scikit-learn, one start of {theirs.n_iter_} steps: {time.time() - start:.0f} s, "
          f"log-likelihood {theirs.score(X) * n:.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=["gaussian", "hmm", "large"])
    parser.add_argument("--sets", type=int, default=15, help="data sets for each setting")
    parser.add_argument("--first-seed", type=int, default=7000)
    parser.add_argument("--prior", type=float,
                        help="weight of the prior under which Gaussian mixtures are compared (.01)")
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.sets)
    if options.model == "large":
        large()
    elif options.model == "gaussian":
        print("| setting | ours >= scikit-learn 10 | mean gap ours (max) / scikit-learn (max) | held-out per record "
              "ours, ours by default, scikit-learn | default >= scikit-learn held-out | CPU s ours / by default / "
              "scikit-learn (ratios) | losses (seed, nats) |")
        print("|---|---|---|---|---|---|---|")
        prior = 0.01 if options.prior is None else options.prior
        rows = [gaussian_row(setting, seeds, prior) for setting in GAUSSIAN]
        n_sets = len(GAUSSIAN) * len(seeds)
        print(f"\nas high: {sum(row[0] for row in rows)} of {n_sets}; "
              f"held-out: {sum(row[1] for row in rows)} of {n_sets}")
    else:
        print("| setting | prior 0: ours >= hmmlearn 10 | mean gap ours (max) / hmmlearn (max) | default (prior 1): "
              "ours >= hmmlearn 10 | mean gap ours (max) / hmmlearn (max) | held-out per step prior 0 / default / "
              "hmmlearn | default >= hmmlearn held-out | CPU s prior 0 / default / hmmlearn (ratios) | losses "
              "(seed, nats) at prior 0, by default |")
        print("|---|---|---|---|---|---|---|---|---|")
        rows = [hmm_row(setting, seeds) for setting in HMM]
        n_sets = len(HMM) * len(seeds)
        plain, default = (sum(row[at] for row in rows) for at in (0, 1))
        print(f"\nprior 0: {plain} of {n_sets}; default: {default} of {n_sets}")


if __name__ == "__main__":
    main()
