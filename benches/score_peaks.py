"""Does the cross-validated score peak at the true number of topics?

    python benches/score_peaks.py [--seed 61000] [--corpora 10]

Drawn corpora of K = 3, 4 and 10 topics: 1000 words (Zipf base, topics Dirichlet around it with
concentration 200), 2000 documents of 80 words on average; LDA with alpha = 1/K, or one topic a document. Five folds;
every number of topics is scored on the same held-out documents. A peak elsewhere counts as one at K when K is behind it
by no more than the standard error of that difference over the folds. Needs the installed package.
"""

import argparse

import numpy as np
import scipy.sparse as sp
import svtd

N_WORDS, N_DOCUMENTS, LENGTH, FOLDS = 1000, 2000, 80, 5
GRID = {3: [2, 3, 4, 5, 6, 12], 4: [2, 3, 4, 5, 6, 8, 12], 10: [7, 8, 9, 10, 11, 12, 15, 20]}


def draw(kind, k, seed):
    rng = np.random.default_rng(seed)
    base = 1 / (np.arange(1, N_WORDS + 1) + 5.0)
    topics = rng.dirichlet(200 * base / base.sum(), size=k)
    if kind == "LDA":
        mixtures = rng.dirichlet(np.full(k, 1 / k), size=N_DOCUMENTS)
    else:
        mixtures = np.eye(k)[rng.integers(k, size=N_DOCUMENTS)]
    lengths = np.maximum(3, rng.negative_binomial(3, 3 / (LENGTH + 3), size=N_DOCUMENTS))
    rows = [rng.multinomial(n, law / law.sum()) for n, law in zip(lengths, mixtures @ topics)]
    return sp.csr_matrix(np.array(rows))


def scores(kind, counts, numbers):
    """Numbers of topics x folds."""
    fold = np.arange(counts.shape[0]) % FOLDS
    estimator = svtd.LDA if kind == "LDA" else svtd.SingleTopic
    fit = lambda k, f: estimator(k, trust=False, allow_fewer=True).fit(counts[fold != f])
    return np.array([[fit(k, f).score(counts[fold == f]) for f in range(FOLDS)] for k in numbers])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=61000)
    parser.add_argument("--corpora", type=int, default=10)
    asked = parser.parse_args()
    print("| model | K | corpora | peak at K | or within its error | peaks |\n|---|---|---|---|---|---|")
    for kind in ("LDA", "single topic"):
        for k, numbers in GRID.items():
            exact, within, peaks = 0, 0, []
            for corpus in range(asked.corpora):
                found = scores(kind, draw(kind, k, asked.seed + 100 * k + corpus), numbers)
                best, true = int(found.mean(axis=1).argmax()), numbers.index(k)
                behind = found[best] - found[true]
                exact += best == true
                within += behind.mean() <= behind.std(ddof=1) / np.sqrt(FOLDS)
                peaks.append(numbers[best])
            n = asked.corpora
            print(f"| {kind} | {k} | {n} | {exact} | {within} | {sorted(peaks)} |", flush=True)


if __name__ == "__main__":
    main()
