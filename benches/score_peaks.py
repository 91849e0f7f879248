"""Does the cross-validated score peak at the true number of topics?

    python benches/score_peaks.py [--seed 61000] [--corpora 10]

Drawn corpora of K = 3, 4 and 10 topics: 1000 words (Zipf base, topics Dirichlet around it with
concentration 200), 2000 documents of 80 words on average; LDA with alpha = 1/K, or one topic a document. Five folds;
every number of topics is scored on the same held-out documents. K is *within an error* when it is behind the peak by no more
than the standard error of that difference over the five folds; *within two*, by no more than twice the error over the
documents, as `ahead_of` has it, added up over the folds. Where superfluous topics change nothing, one error is
exceeded by chance in a sixth of all comparisons and two in a fortieth. *Behind*: by how much at most, as a part of
the perplexity. Needs the installed package.
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


def scores(kind, counts, numbers, true):
    """Numbers of topics x folds: scores, and errors of the differences to the true number over the documents."""
    fold = np.arange(counts.shape[0]) % FOLDS
    estimator = svtd.LDA if kind == "LDA" else svtd.SingleTopic
    found, errors = np.zeros((2, len(numbers), FOLDS))
    for f in range(FOLDS):
        models = [estimator(k, trust=False, allow_fewer=True).fit(counts[fold != f]) for k in numbers]
        for i, model in enumerate(models):
            found[i, f] = model.score(counts[fold == f])
            errors[i, f] = model.ahead_of(models[true], counts[fold == f])[1]
    return found, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=61000)
    parser.add_argument("--corpora", type=int, default=10)
    parser.add_argument("--topics", type=int, nargs="+", default=list(GRID))
    parser.add_argument("--models", nargs="+", default=["LDA", "single topic"])
    asked = parser.parse_args()
    n = asked.corpora
    print("| model | K | corpora | peak at K | within an error | within two | behind | peaks |\n|---|---|---|---|---|---|---|---|")
    for kind in asked.models:
        for k in asked.topics:
            numbers = GRID[k]
            true = numbers.index(k)
            exact, one, two, most, peaks = 0, 0, 0, 0.0, []
            for corpus in range(n):
                found, errors = scores(kind, draw(kind, k, asked.seed + 100 * k + corpus), numbers, true)
                best = int(found.mean(axis=1).argmax())
                behind = found[best] - found[true]
                exact += best == true
                one += behind.mean() <= behind.std(ddof=1) / np.sqrt(FOLDS)
                two += behind.mean() <= 2 * np.sqrt((errors[best] ** 2).sum()) / FOLDS
                most = max(most, behind.mean())
                peaks.append(numbers[best])
            print(f"| {kind} | {k} | {n} | {exact} | {one} | {two} | {100 * most:.4f} % | {sorted(peaks)} |", flush=True)


if __name__ == "__main__":
    main()
