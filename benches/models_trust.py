"""Models of records: do 95 % intervals cover, is nothing found in noise, what do bars and halves cost?

    python benches/models_trust.py coverage --sets 20 --first-seed 31000
    python benches/models_trust.py null --sets 40 --first-seed 41000
    python benches/models_trust.py cost --sets 3

Data are drawn from known models. Needs the package svtd and NumPy.
"""

import argparse
import time
import warnings

import numpy as np

import svtd
from models_peers import transitions_of

warnings.filterwarnings("ignore")

# Half a 95 % interval in standard errors of the jackknife: Student's t with 19 degrees of freedom.
HALF_INTERVAL = 2.09


def covered(found, error, truth):
    """How many intervals cover, of how many, where there is an error."""
    known = np.isfinite(error)
    return np.array([(known & (np.abs(found - truth) <= HALF_INTERVAL * error)).sum(), known.sum()])


def nearest(found, truth, scale):
    """For every row of `truth` the nearest of `found`; None when two share one."""
    distance = (np.abs(truth[:, None, :] - found[None]) / scale).sum(axis=2)
    order = distance.argmin(axis=1)
    return order if len(set(order)) == len(order) else None


def coverage_gaussian(n, d, k, shape, seed):
    """Intervals of means and of weights; None where weights are small or centres near each other."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(k, 5.0))
    means = 3.0 * rng.normal(size=(k, d))
    roots = rng.normal(size=(k, d, d)) / np.sqrt(d) + 0.5 * np.eye(d)
    if shape == "diag":
        roots = np.array([np.diag(rng.uniform(0.5, 1.5, size=d)) for _ in range(k)])
    apart = min(np.linalg.norm(means[a] - means[b]) for a in range(k) for b in range(a))
    if weights.min() < 0.15 or apart < 2.5:
        return None
    labels = rng.choice(k, size=n, p=weights)
    X = means[labels] + np.einsum("uab,ub->ua", roots[labels], rng.normal(size=(n, d)))
    model = svtd.GaussianMixture(k, covariance_type=shape, n_jobs=1).fit(X)
    order = nearest(model.means_, means, 1.0)
    if order is None:
        return np.array([0, k * d]), np.array([0, k])
    return (covered(model.means_[order], model.means_error_[order], means),
            covered(model.weights_[order], model.weights_error_[order], weights))


def coverage_hmm(emissions, n, m, k, seed):
    """Intervals of emissions and of transitions; None where states are rare or alike."""
    rng = np.random.default_rng(seed)
    A = transitions_of(rng, k, "persistent")
    if emissions == "categorical":
        truth = rng.dirichlet(np.full(m, 0.7), size=k)
    elif emissions == "poisson":
        truth = np.sort(rng.uniform(1, 25, size=k))[:, None]
    else:
        truth = np.sort(rng.normal(size=k) * 3)[:, None]
    values, vectors = np.linalg.eig(A.T)
    law = np.abs(np.real(vectors[:, np.argmin(np.abs(values - 1))]))
    near = {"categorical": 0.6, "poisson": 5.0, "gaussian": 1.5}[emissions]
    apart = min(np.abs(truth[a] - truth[b]).sum() for a in range(k) for b in range(a))
    if (law / law.sum()).min() < 0.15 or apart < near:
        return None
    state, X = 0, []
    for _ in range(n):
        state = rng.choice(k, p=A[state])
        if emissions == "categorical":
            X.append(rng.choice(m, p=truth[state]))
        else:
            X.append(rng.poisson(truth[state, 0]) if emissions == "poisson" else rng.normal(truth[state, 0]))
    model = svtd.HMM(k, emissions, n_jobs=1).fit(np.array(X).reshape(-1, 1))
    width = truth.shape[1]
    order = nearest(model._emission[:, :width], truth, 1.0)
    if order is None:
        return np.array([0, truth.size]), np.array([0, k * k])
    inside = (A > 0.02) & (A < 0.98)
    rows = np.ix_(order, order)
    emission_error = np.array(model.emission_error_[order][:, :width])
    if emissions == "categorical":
        emission_error[(truth < 0.02) | (truth > 0.98)] = np.nan
    return (covered(model._emission[order][:, :width], emission_error, truth),
            covered(model.transmat_[rows], np.where(inside, model.transmat_error_[rows], np.nan), A))


def coverage_sequences(n_sequences, n, m, k, seed):
    """Intervals of emissions and of transitions where there are many sequences, sorted by their content."""
    rng = np.random.default_rng(seed)
    A = transitions_of(rng, k, "persistent")
    truth = rng.dirichlet(np.full(m, 0.7), size=k)
    apart = min(np.abs(truth[a] - truth[b]).sum() for a in range(k) for b in range(a))
    if apart < 0.6:
        return None
    sequences = []
    for _ in range(n_sequences):
        state, steps = rng.choice(k), []
        for _ in range(n):
            state = rng.choice(k, p=A[state])
            steps.append(rng.choice(m, p=truth[state]))
        sequences.append(steps)
    X = np.array(sorted(sequences)).reshape(-1, 1)
    model = svtd.HMM(k, "categorical", n_jobs=1).fit(X, [n] * n_sequences)
    order = nearest(model._emission, truth, 1.0)
    if order is None:
        return np.array([0, truth.size]), np.array([0, k * k])
    inside, rows = (A > 0.02) & (A < 0.98), np.ix_(order, order)
    inner = (truth > 0.02) & (truth < 0.98)
    return (covered(model._emission[order], np.where(inner, model.emission_error_[order], np.nan), truth),
            covered(model.transmat_[rows], np.where(inside, model.transmat_error_[rows], np.nan), A))


def coverage_raters(n_items, n_raters, seed):
    """Intervals of accuracies and of the shares of labels; items sorted by their ratings."""
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.3, 0.7)
    right = rng.uniform(0.65, 0.95, size=n_raters)
    truth = rng.random(n_items) < share
    said = np.where(rng.random((n_items, n_raters)) < right, truth[:, None], ~truth[:, None])
    said = said[np.lexsort(said.T)]
    items, raters = np.indices(said.shape).reshape(2, -1)
    kept = rng.random(items.size) < 0.8
    labels = np.where(said.ravel(), "yes", "no")
    model = svtd.Raters(n_jobs=1).fit(items[kept], raters[kept], labels[kept])
    names = sorted(model.accuracy_, key=int)
    own = np.array([model.accuracy_[name] for name in names])
    error = np.array([model.accuracy_error_[name] for name in names])
    yes = list(model.labels_).index("yes")
    return covered(own, error, right), covered(model.shares_[[yes]], model.shares_error_[[yes]], np.array([share]))


def coverage(n_sets, first_seed):
    """The share of 95 % intervals that cover the truth."""
    settings = [
        ("Gaussian, N=500, d=3, k=3, diagonal", coverage_gaussian, (500, 3, 3, "diag"), ("means", "weights")),
        ("Gaussian, N=1000, d=3, k=3, full", coverage_gaussian, (1000, 3, 3, "full"), ("means", "weights")),
        ("HMM, T=400, Poisson, k=2", coverage_hmm, ("poisson", 400, 1, 2), ("rates", "transitions")),
        ("HMM, T=1000, Gaussian, k=3", coverage_hmm, ("gaussian", 1000, 1, 3), ("means", "transitions")),
        ("HMM, T=3000, 6 symbols, k=3", coverage_hmm, ("categorical", 3000, 6, 3), ("emissions", "transitions")),
        ("HMM, 80 sorted sequences of 40 steps, 5 symbols, k=2", coverage_sequences, (80, 40, 5, 2),
         ("emissions", "transitions")),
        ("raters, 300 items sorted by their ratings, 6 raters", coverage_raters, (300, 6), ("accuracies", "shares")),
    ]
    print("| setting | sets | intervals | covered |\n|---|---|---|---|")
    for name, run, setting, parts in settings:
        sums, done, seed = [np.zeros(2), np.zeros(2)], 0, first_seed
        while done < n_sets:
            found = run(*setting, seed)
            seed += 1
            if found is not None:
                done += 1
                sums = [total + own for total, own in zip(sums, found)]
        for of, (hit, all_of) in zip(parts, sums):
            print(f"| {name}: {of} | {n_sets} | {all_of:.0f} | {hit / all_of:.3f} |", flush=True)


def null(n_sets, first_seed):
    """How often "auto" finds one component where records are alike and steps independent."""
    ones = {}
    for seed in range(first_seed, first_seed + n_sets):
        rng = np.random.default_rng(seed)
        n, d = [(200, 2), (500, 4), (1000, 3)][seed % 3]
        root = rng.normal(size=(d, d)) / np.sqrt(d) + 0.5 * np.eye(d)
        X = rng.normal(size=(n, d)) @ root.T
        codes = rng.choice(5, size=(2 * n, 1), p=rng.dirichlet(np.full(5, 3.0)))
        counts = rng.poisson(rng.uniform(2, 10), size=(n, 1))
        options = {"max_components": 4, "error_bars": False, "n_jobs": 1}
        models = {
            "Gaussian, full": svtd.GaussianMixture("auto", **options).fit(X),
            "Gaussian, diagonal (independent variables)":
                svtd.GaussianMixture("auto", covariance_type="diag", **options).fit(rng.normal(size=(n, d))),
            "HMM, 5 symbols": svtd.HMM("auto", **options).fit(codes),
            "HMM, Poisson": svtd.HMM("auto", "poisson", **options).fit(counts),
        }
        for name, model in models.items():
            criteria = model.path_
            least = {c: min(criteria, key=lambda k: criteria[k][c]) for c in ("aic3", "aic", "bic")}
            own = ones.setdefault(name, np.zeros(3))
            own += [least[c] == 1 for c in ("aic3", "aic", "bic")]
    print("| data without structure | sets | one by AIC3 (default) | by AIC | by BIC |\n|---|---|---|---|---|")
    for name, (aic3, aic, bic) in ones.items():
        print(f"| {name} | {n_sets} | {aic3:.0f} | {aic:.0f} | {bic:.0f} |")


COSTS = [
    # what, how it is drawn and fitted
    ("latent classes, 1000 x 8 items of 3, k=3", lambda rng: classes_of(rng, 1000, 8, 3, 3)),
    ("latent classes, 20,000 x 12 items of 3, k=4", lambda rng: classes_of(rng, 20_000, 12, 3, 4)),
    ("hidden Markov model, 2000 steps, 6 symbols, k=3", lambda rng: chain_of(rng, 2000, 6, 3)),
    ("hidden Markov model, 20,000 steps, 6 symbols, k=3", lambda rng: chain_of(rng, 20_000, 6, 3)),
    ("Gaussian mixture, 1000 x 4, k=3, full", lambda rng: points_of(rng, 1000, 4, 3)),
    ("Gaussian mixture, 20,000 x 8, k=5, full", lambda rng: points_of(rng, 20_000, 8, 5)),
]


def classes_of(rng, n, items, categories, k):
    laws = rng.dirichlet(np.ones(categories), size=(k, items))
    of = rng.choice(k, size=n)
    answers = (rng.random((n, items, 1)) > np.cumsum(laws[of], axis=2)[:, :, :-1]).sum(axis=2)
    return svtd.LatentClass(k, categorical=list(range(items)), n_jobs=1), answers


def chain_of(rng, n, symbols, k):
    stay = 0.8 * np.eye(k) + 0.2 / k
    laws = rng.dirichlet(np.ones(symbols), size=k)
    state, steps = 0, []
    for _ in range(n):
        state = rng.choice(k, p=stay[state])
        steps.append([rng.choice(symbols, p=laws[state])])
    return svtd.HMM(k, n_jobs=1), np.array(steps)


def points_of(rng, n, d, k):
    centres = 3 * rng.standard_normal((k, d))
    points = centres[rng.choice(k, size=n)] + rng.standard_normal((n, d))
    return svtd.GaussianMixture(k, n_jobs=1), points


def cost(n_sets, first_seed):
    """CPU seconds of a fit's three parts: the search, the error bars, the search in halves."""
    print("| setting | search | error bars | found again | found again over the search |")
    print("|---|---|---|---|---|")
    for name, draw in COSTS:
        spent = []
        for s in range(n_sets):
            model, X = draw(np.random.default_rng(first_seed + s))
            steps = [time.process_time()]
            plain = draw(np.random.default_rng(first_seed + s))[0].set_params(error_bars=False)
            plain.fit(X)
            steps.append(time.process_time())
            marks = []
            start = time.process_time()
            model.set_params(callback=lambda *_: marks.append(time.process_time())).fit(X)
            # The last two progress reports: after the error bars, and at the end.
            search = steps[1] - steps[0]
            spent.append((search, marks[-2] - start - search, marks[-1] - marks[-2]))
        search, bars, again = np.mean(spent, axis=0)
        print(f"| {name} | {search:.2f} | {bars:.2f} | {again:.2f} | {again / search:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", choices=["coverage", "null", "cost"])
    parser.add_argument("--sets", type=int, default=20, help="data sets for each setting")
    parser.add_argument("--first-seed", type=int, default=31000)
    options = parser.parse_args()
    asked = {"coverage": coverage, "null": null, "cost": cost}
    asked[options.question](options.sets, options.first_seed)


if __name__ == "__main__":
    main()
