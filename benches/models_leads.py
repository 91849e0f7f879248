"""What three ideas gain: windows as views of a chain, bins as blocks of a mixture, found again for choosing k.

    python benches/models_leads.py windows --sets 8 --first-seed 61000
    python benches/models_leads.py bins --sets 8 --first-seed 62000
    python benches/models_leads.py again --sets 10 --first-seed 63000

`windows` and `bins` compare a start by itself with its neighbours, and whole fits with and without it. `again`
chooses the number of components by AIC3, by BIC, and by how many come back in halves of the records. Data are
drawn from known models; letters are those of the Commedia (SVTD_DATA), flowers, wines and tumours scikit-learn's.
Needs the package svtd, NumPy and scikit-learn.
"""

import argparse
import glob
import itertools
import os
import string
import unicodedata
import warnings

import numpy as np

import svtd
from models_peers import transitions_of, weights_of
from svtd import _svtd

warnings.filterwarnings("ignore")

# Steps of EM that are enough to converge.
CONVERGED = 5000


def distance(found, truth):
    """The mean absolute difference of two tables of laws, states in the order that suits them best."""
    k = len(truth)
    orders = itertools.permutations(range(k))
    return min(np.abs(found[list(order)] - truth).mean() for order in orders)


# Windows ------------------------------------------------------------------------------------------------------------

CHAINS = [
    # steps, symbols, states, probability to stay, how unlike the states are
    (2_000, 4, 2, 0.95, 4.0),
    (10_000, 4, 2, 0.99, 10.0),
    (3_000, 6, 3, 0.95, 3.0),
    (10_000, 6, 3, 0.98, 8.0),
]
STARTS = ("moments", "windows", "trigrams")


def persistent(setting, seed):
    """A chain whose states stay, and the laws of its symbols; the larger `alike`, the more alike are the laws."""
    n, m, k, stay, alike = setting
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.full(m, alike), size=k)
    moves = rng.random(n) > stay
    others, uniforms = rng.integers(1, k, size=n), rng.random(n)
    states = np.cumsum(np.where(moves, others, 0)) % k
    symbols = (uniforms[:, None] > laws.cumsum(axis=1)[states]).sum(axis=1)
    return np.minimum(symbols, m - 1), laws


def letters():
    """The letters of the Commedia, one sequence for each canto."""
    cantos = os.path.join(os.environ["SVTD_DATA"], "divina_commedia", "**", "*.txt")
    for path in sorted(glob.glob(cantos, recursive=True)):
        with open(path, encoding="utf-8") as file:
            text = unicodedata.normalize("NFD", file.read().lower())
        yield [ord(c) - ord("a") for c in text if c in string.ascii_lowercase]


def tried_starts(X, lengths, k, truth):
    """For every start: error of its emissions, how far below the best it ends; then the loss without windows."""
    data = svtd.HMM(k)._read(X, lengths, reset=True)
    options = {"n_components": k, "max_components": 8, "prior": 1.0, "effort": 2, "error_bars": False}
    found = _svtd.hmm_starts(data, options, [])
    truth, whole = found["emission"] if truth is None else truth, found["objective"]
    without = _svtd.hmm_starts(data, options, ["windows"])["objective"]
    row = []
    for name in STARTS:
        start = _svtd.hmm_starts(data, options, (name, 0))
        if start is None:
            row += [np.nan, np.nan]
            continue
        end = _svtd.hmm_starts(data, options, (name, CONVERGED))
        row += [distance(start["emission"], truth), whole - end["objective"]]
    return [*row, whole - without]


def tell_windows(name, rows):
    rows = np.array(rows)
    n = len(rows)
    cells = []
    for at in range(len(STARTS)):
        error, gap = rows[:, 2 * at], rows[:, 2 * at + 1]
        made = int(np.isfinite(error).sum())
        there = int((gap < 1e-3).sum())
        cell = f"{np.nanmean(error):.4f} / {there} of {made}" if made else "none / 0 of 0"
        cells.append(f"{cell} / {np.nanmean(gap):.2f}" if made else cell)
    print(f"| {name} | {n} | {' | '.join(cells)} | {(rows[:, -1] > 1e-3).sum()} of {n}, "
          f"{rows[:, -1].max():.2f} |", flush=True)


def windows(n_sets, first_seed):
    """Three consecutive symbols, three consecutive windows, and trigrams as classes, each by itself."""
    print("Every start: mean error of its emissions before any EM / how often EM from it reaches the maximum of the "
          "whole search, of how often it was made / mean gap in nats.\n")
    print("| sequences | sets | single symbols | windows | trigrams | lost without windows: sets, largest |")
    print("|---|---|---|---|---|---|")
    for setting in CHAINS:
        n, m, k, stay, _ = setting
        rows = []
        for seed in range(first_seed, first_seed + n_sets):
            symbols, laws = persistent(setting, seed)
            rows.append(tried_starts(symbols.reshape(-1, 1), None, k, laws))
        tell_windows(f"T={n}, {m} symbols, k={k}, stays {stay}", rows)
    sequences = [canto for canto in letters()]
    for n, k in itertools.product((6, len(sequences)), (2, 3)):
        X = np.concatenate(sequences[:n]).reshape(-1, 1)
        rows = [tried_starts(X, [len(canto) for canto in sequences[:n]], k, None)]
        tell_windows(f"letters of {n} cantos, k={k} (errors against the maximum)", rows)


# Bins ---------------------------------------------------------------------------------------------------------------

MIXTURES = [
    # records, variables, components, covariance, share of the smallest
    (300, 4, 3, "full", None),
    (500, 5, 4, "diag", None),
    (1000, 10, 5, "full", 0.05),
]
FOLDS = 5


def mixture(setting, seed):
    n, d, k, shape, least = setting
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(k, d)) * (2.0 if d < 10 else 1.2)
    roots = rng.normal(size=(k, d, d)) / np.sqrt(d) + 0.3 * np.eye(d)
    if shape == "diag":
        roots = np.array([np.diag(rng.uniform(0.4, 1.6, size=d)) for _ in range(k)])
    labels = rng.choice(k, size=n, p=weights_of(rng, k, least))
    return means[labels] + np.einsum("uab,ub->ua", roots[labels], rng.normal(size=(n, d))), labels


def density(arrays, X):
    return _svtd.gaussian_infer(X, arrays, 1)


def variants(X, k, shape):
    """The default fit, which chooses its prior; then with a prior of one record: all starts, without bins, bins
    alone with EM."""
    names = {"full": "full", "diag": "diagonal"}
    options = {"n_components": k, "max_components": 8, "covariance": names[shape], "effort": 2, "error_bars": False}
    trials = {"default": (None, []), "all starts": (1.0, []), "without bins": (1.0, ["bins"]),
              "bins alone": (1.0, ("bins", CONVERGED))}
    found = {name: _svtd.gaussian_starts(X, {**options, "prior": prior}, trial)
             for name, (prior, trial) in trials.items()}
    return {name: None if one is None else {"covariance": names[shape], "weights": one["weights"],
                                            "means": one["means"],
                                            "covariances": np.ascontiguousarray(one["covariances"])}
            for name, one in found.items()}


def judged(X, labels, k, shape):
    """Held-out log-likelihood per record over five folds, and agreement with the labels, of every variant."""
    from sklearn.metrics import adjusted_rand_score

    folds = np.random.default_rng(0).permutation(len(X)) % FOLDS
    held = {}
    for fold in range(FOLDS):
        for name, arrays in variants(np.ascontiguousarray(X[folds != fold]), k, shape).items():
            score = np.nan if arrays is None else density(arrays, np.ascontiguousarray(X[folds == fold]))[1].sum()
            held[name] = held.get(name, 0.0) + score / len(X)
    agreed = {}
    for name, arrays in variants(X, k, shape).items():
        agreed[name] = np.nan
        if arrays is not None:
            agreed[name] = adjusted_rand_score(labels, density(arrays, X)[0].argmax(axis=1))
    return [held[name] for name in held] + [agreed[name] for name in held]


def tell_bins(name, rows):
    means = np.nanmean(np.array(rows), axis=0)
    held, agreed = (" / ".join(f"{x:.{n}f}" for x in part) for n, part in ((4, means[:4]), (3, means[4:])))
    print(f"| {name} | {len(rows)} | {held} | {agreed} |", flush=True)


def bins(n_sets, first_seed):
    """Bins of the variables as items of a latent class model, as one more start of a mixture."""
    from sklearn import datasets

    print("Held-out log-likelihood per record, and agreement with the labels (ARI), of four fits: the default, which "
          "chooses its prior / all starts, prior 1 / without bins, prior 1 / bins alone, prior 1.\n")
    print("| data | sets | held-out per record | ARI |")
    print("|---|---|---|---|")
    for setting in MIXTURES:
        rows = [judged(*mixture(setting, seed), setting[2], setting[3])
                for seed in range(first_seed, first_seed + n_sets)]
        tell_bins("drawn, N={}, d={}, k={}, {}".format(*setting[:4]), rows)
    for name, load, k in (("iris", datasets.load_iris, 3), ("wine", datasets.load_wine, 3),
                          ("breast cancer", datasets.load_breast_cancer, 2)):
        X, labels = load(return_X_y=True)
        for shape in ("diag", "full"):
            tell_bins(f"{name}, k={k}, {shape}", [judged(np.ascontiguousarray(X), labels, k, shape)])


# Found again --------------------------------------------------------------------------------------------------------


def draw_classes(n, items, categories, k, overlap, rng):
    laws = overlap * rng.dirichlet(np.ones(categories), size=(items, 1)) \
        + (1 - overlap) * rng.dirichlet(np.ones(categories), size=(items, k))
    of = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 5.0)))
    answers = [(rng.random(n)[:, None] > laws[b].cumsum(axis=1)[of]).sum(axis=1) for b in range(items)]
    X = np.minimum(np.array(answers).T, categories - 1)
    return lambda k: svtd.LatentClass(k, categorical=list(range(items)), n_jobs=1).fit(X)


def draw_points(n, d, k, shape, apart, rng):
    means = apart * rng.normal(size=(k, d))
    roots = rng.normal(size=(k, d, d)) / np.sqrt(d) + 0.5 * np.eye(d)
    if shape != "full":
        roots = np.array([np.eye(d) * rng.uniform(0.6, 1.4, size=d if shape == "diag" else 1) for _ in range(k)])
    of = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 5.0)))
    X = means[of] + np.einsum("uab,ub->ua", roots[of], rng.normal(size=(n, d)))
    # The prior with which `-k auto` compares.
    return lambda k: svtd.GaussianMixture(k, covariance_type=shape, prior=1.0, n_jobs=1).fit(X)


def draw_chain(n, m, k, rng):
    A = transitions_of(rng, k, "persistent")
    laws, means = rng.dirichlet(np.full(max(m, 2), 1.0), size=k), 2 * rng.normal(size=k)
    state, values = 0, []
    for _ in range(n):
        state = rng.choice(k, p=A[state])
        values.append(rng.choice(m, p=laws[state]) if m else means[state] + rng.normal())
    X = np.array(values).reshape(-1, 1)
    return lambda k: svtd.HMM(k, "categorical" if m else "gaussian", n_jobs=1).fit(X)


CHOICES = [
    # what, the true number, how it is drawn
    ("classes, 500, 10x2", 3, lambda rng: draw_classes(500, 10, 2, 3, 0.2, rng)),
    ("classes, 500, 10x2, overlap", 3, lambda rng: draw_classes(500, 10, 2, 3, 0.5, rng)),
    ("classes, 1000, 12x3, overlap", 4, lambda rng: draw_classes(1000, 12, 3, 4, 0.5, rng)),
    ("classes, 2000, 8x2", 4, lambda rng: draw_classes(2000, 8, 2, 4, 0.2, rng)),
    ("classes, 500, 10x2, none", 1, lambda rng: draw_classes(500, 10, 2, 1, 0.0, rng)),
    ("mixture, 300, d=2, full", 3, lambda rng: draw_points(300, 2, 3, "full", 1.5, rng)),
    ("mixture, 500, d=4, full", 4, lambda rng: draw_points(500, 4, 4, "full", 1.2, rng)),
    ("mixture, 500, d=5, diagonal", 4, lambda rng: draw_points(500, 5, 4, "diag", 0.9, rng)),
    ("mixture, 1000, d=10, spherical", 6, lambda rng: draw_points(1000, 10, 6, "spherical", 0.7, rng)),
    ("mixture, 500, d=3, full, none", 1, lambda rng: draw_points(500, 3, 1, "full", 0.0, rng)),
    ("chain, 1000, 6 symbols", 3, lambda rng: draw_chain(1000, 6, 3, rng)),
    ("chain, 500, Gaussian", 3, lambda rng: draw_chain(500, 0, 3, rng)),
    ("chain, 1000, 6 symbols, none", 1, lambda rng: draw_chain(1000, 6, 1, rng)),
]
RULES = ("AIC3", "BIC", "most found again", "all found again", "AIC3, all found again")


def criteria_of(model):
    if isinstance(model, svtd.LatentClass):
        return {"aic3": model.aic3_, "bic": model.bic_}
    return model.criteria_


def choices(fit, most):
    """The number of components by every rule."""
    fits = {k: fit(k) for k in range(1, most + 1)}
    criteria = {k: criteria_of(model) for k, model in fits.items()}
    again = {k: sum(s == "reproduces" for s in model.standing_ or []) for k, model in fits.items()}
    whole = [1] + [k for k in fits if k > 1 and again[k] == k]
    least = {c: min(criteria, key=lambda k: criteria[k][c]) for c in ("aic3", "bic")}
    among = min(whole, key=lambda k: criteria[k]["aic3"])
    return [least["aic3"], least["bic"], max(1, *again.values()), max(whole), among]


def again(n_sets, first_seed):
    """AIC3 and BIC beside the number of components that are found again in halves."""
    print("Sets with the right number of components (mean number chosen). Most found again: the largest number that "
          "reproduces in any fit of 1 to two above the truth; all found again: the largest fit all of which "
          "reproduces; the last: the least AIC3 among such fits.\n")
    print(f"| data | true | sets | {' | '.join(RULES)} |")
    print("|---|---|---|" + "---|" * len(RULES))
    for name, truth, draw in CHOICES:
        # Two above the truth at least, and four for data without structure.
        most = max(truth + 2, 4)
        chosen = np.array([choices(draw(np.random.default_rng(seed)), most)
                           for seed in range(first_seed, first_seed + n_sets)])
        cells = [f"{(own == truth).sum()} ({own.mean():.1f})" for own in chosen.T]
        print(f"| {name} | {truth} | {n_sets} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", choices=["windows", "bins", "again"])
    parser.add_argument("--sets", type=int, default=8, help="data sets for each setting")
    parser.add_argument("--first-seed", type=int, default=61000)
    options = parser.parse_args()
    asked = {"windows": windows, "bins": bins, "again": again}
    asked[options.question](options.sets, options.first_seed)


if __name__ == "__main__":
    main()
