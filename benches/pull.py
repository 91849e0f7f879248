#!/usr/bin/env python3
"""What smoothing does to the error bars of single topics where documents are few.

    python benches/pull.py

Corpora are drawn (300 words, 4 topics, 60 to 140 words a document) and every document's topic is known, so nothing but the
counts, their smoothing and the jackknife over twenty groups is left. Coverage of 95 % intervals whose variance is that of the
jackknife and: the pull seen in the counts (before), the pull that the smoothing itself expects (`trust/pull.rs`), the
larger of both, and that with the width of a score interval. Shares missed below and above in brackets.
Needs NumPy.
"""

import numpy as np

N_WORDS, N_TOPICS, GROUPS, T = 300, 4, 20, 2.09
FLOOR, CEILING = 0.3, 10.0


def smoothing(counts, lengths, weights):
    """The concentration of topics that the corpus tells (`fit/smoothing.rs`)."""
    tokens, squares = counts.sum(), (counts.astype(float) ** 2).sum()
    pairs = (lengths.astype(float) ** 2).sum() - tokens
    within = (squares - tokens) / pairs
    between = ((counts.sum(0).astype(float) ** 2).sum() - squares) / (tokens * tokens - tokens - pairs)
    strength = (1 - (weights**2).sum()) * (1 - between) / (within - between) - 1
    return np.clip(strength, FLOOR * N_WORDS, CEILING * N_WORDS)


def entries(n_documents, seed):
    """Truth, estimate, variance of the jackknife, squares of both pulls, and variance per probability, of every entry."""
    rng = np.random.default_rng(seed)
    topics = rng.random((N_WORDS, N_TOPICS))
    topics /= topics.sum(0)
    shares = rng.random(N_TOPICS)
    about = rng.choice(N_TOPICS, size=n_documents, p=shares / shares.sum())
    lengths = rng.integers(60, 141, size=n_documents)
    counts = np.array([rng.multinomial(c, topics[:, j]) for c, j in zip(lengths, about)])
    group = rng.integers(0, GROUPS, size=n_documents)
    common = counts.sum(0) / counts.sum()
    strength = smoothing(counts, lengths, np.bincount(about, minlength=N_TOPICS) / n_documents)
    for j in range(N_TOPICS):
        own = counts[about == j]
        if len(own) == 0:
            continue
        sums = own.sum(0)
        mass = sums.sum() + strength
        estimate = (sums + strength * common) / mass
        parts = np.array([own[group[about == j] == g].sum(0) for g in range(GROUPS)])
        left = (mass - parts.sum(1))[:, None]
        steps = parts.sum(1)[:, None] / left * estimate - parts / left
        variance = (GROUPS - 1) * steps.var(0)
        seen = ((estimate - sums / sums.sum()) / T) ** 2
        per = np.full(N_WORDS, variance.sum())
        yield np.array([topics[:, j], estimate, variance, seen, strength * common / mass**2, per])


def main():
    print("| documents | pull seen | pull expected | the larger of both | and a score interval |\n|--:|--:|--:|--:|--:|")
    for n_documents in (100, 200, 400, 800, 3200):
        sets = [t for s in range(30) for t in entries(n_documents, 1000 + s)]
        table = np.concatenate(sets, axis=1)
        truth, estimate, variance, seen, expected, per = table[:, table[0] > 0.5 / N_WORDS]

        def coverage(more):
            reach = T * np.sqrt(variance + more)
            below, above = np.mean(estimate < truth - reach), np.mean(estimate > truth + reach)
            return f"{1 - below - above:.3f} ({below:.3f}, {above:.3f})"

        larger = np.maximum(seen, expected)
        columns = [coverage(seen), coverage(expected), coverage(larger), coverage(larger + (T * per / 2) ** 2)]
        print(f"| {n_documents} | {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    main()
