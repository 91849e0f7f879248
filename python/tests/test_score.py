"""The score, written a second time from its description: halves of documents by hashes, the mixture
from one half, the words of the other predicted."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
import svtd
from numpy.testing import assert_allclose

MASK = (1 << 64) - 1
BLOCKS = 1 << 12


def mixed(z):
    """The finishing step of splitmix64."""
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def entries(X):
    X = sp.csr_matrix(X)
    for d in range(X.shape[0]):
        row = X[d]
        yield [(int(i), int(x)) for i, x in zip(row.indices, row.data) if x > 0]


def keys(documents, n_words, names):
    """The keys of the words and of the documents."""

    def of_documents(words):
        return [mixed(sum(mixed(words[i] ^ mixed(x)) for i, x in d) & MASK) for d in documents]

    if names is not None:
        words = []
        for name in names:
            key = mixed(len(name.encode()))
            for byte in name.encode():
                key = mixed(key ^ byte)
            words.append(key)
    else:
        words = [0] * n_words
        for _ in range(2):
            sums = [0] * n_words
            for d, key in zip(documents, of_documents(words)):
                for i, x in d:
                    sums[i] = (sums[i] + mixed(key ^ mixed(x))) & MASK
            words = [mixed(s) for s in sums]
    return words, of_documents(words)


def out_of(count, key, word, rank):
    """How many of so many occurrences are held out: a coin for each of the first 2^18, the others at once."""

    def coins(block):
        return mixed(key ^ mixed(word ^ mixed((rank << 32) | block)))

    tossed = min(count, 64 * BLOCKS)
    whole, left = divmod(tossed, 64)
    heads = sum(coins(block).bit_count() for block in range(whole))
    heads += (coins(whole) & ((1 << left) - 1)).bit_count()
    rest = count - tossed
    deviation = (coins(BLOCKS).bit_count() - 32) / 4
    more = math.floor(0.5 * rest + 0.5 * deviation * math.sqrt(rest) + 0.5)
    return heads + min(max(more, 0), rest)


def halves(document, key, words, frequency):
    """The observed and the held-out words of a document."""
    order = sorted(document, key=lambda e: (words[e[0]], e[1], -frequency[e[0]], e[0]))
    observed, held_out = [], []
    last, rank = None, 0
    for i, x in order:
        rank = rank + 1 if words[i] == last else 0
        last = words[i]
        out = out_of(x, key, words[i], rank)
        if x > out:
            observed.append((i, x - out))
        if out:
            held_out.append((i, out))
    return observed, held_out


def mixture(observed, topics, alpha):
    """Collapsed variational inference, words in turn, until it moves by less than 1e-3 a word."""
    gamma = [topics[:, i] * alpha for i, _ in observed]
    gamma = [g / g.sum() for g in gamma]
    counts = sum((x * g for (_, x), g in zip(observed, gamma)), np.zeros(len(alpha)))
    length = sum(x for _, x in observed)
    for _ in range(20):
        before = counts.copy()
        for place, (i, x) in enumerate(observed):
            fresh = topics[:, i] * np.maximum(counts - gamma[place] + alpha, 0)
            if fresh.sum() > 0:
                fresh = fresh / fresh.sum()
                counts = counts + x * (fresh - gamma[place])
                gamma[place] = fresh
        if np.abs(counts - before).sum() < 1e-3 * length:
            break
    return (counts + alpha) / (length + alpha.sum())


def posterior(observed, topics, weights):
    logs = np.log(weights)
    for i, x in observed:
        logs = logs + x * np.log(np.maximum(topics[:, i], 1e-12))
    p = np.exp(logs - logs.max())
    return p / p.sum()


def score(model, X, names=None):
    """The mean log probability of a held-out word, and its standard error."""
    documents = list(entries(X))
    topics, weights = model.components_, model.topic_weights_
    words, of_documents = keys(documents, topics.shape[1], names)
    frequency = weights @ topics
    scores, tokens = [], []
    for document, key in zip(documents, of_documents):
        observed, held_out = halves(document, key, words, frequency)
        if hasattr(model, "alpha_"):
            theta = mixture(observed, topics, model.alpha_)
        else:
            theta = posterior(observed, topics, weights)
        scores.append(sum(x * np.log(max(theta @ topics[:, i], 1e-12)) for i, x in held_out))
        tokens.append(sum(x for _, x in held_out))
    scores, tokens = np.array(scores), np.array(tokens)
    mean = scores.sum() / tokens.sum()
    scored = tokens > 0
    n = scored.sum()
    squares = ((scores - mean * tokens)[scored] ** 2).sum()
    return mean, np.sqrt(n / (n - 1) * squares) / tokens.sum()


def test_the_score_is_what_its_description_says(estimator, corpus):
    estimator.set_params(trust=False).fit(corpus.X)
    new = corpus.X[:150]
    mean, error = score(estimator, new)
    assert_allclose(estimator.score(new), mean, rtol=0, atol=1e-12)
    assert_allclose(estimator.score_error(new), error, rtol=0, atol=1e-12)


def test_counts_of_billions_are_scored_as_the_description_says(estimator, corpus):
    estimator.set_params(trust=False).fit(corpus.X)
    new = corpus.X[:8].astype(np.int64).tolil()
    new[0, 5], new[1, 7], new[1, 8], new[2, 9] = 4_000_000_000, 2**18, 2**18 + 1, 10**6
    mean, error = score(estimator, new)
    assert_allclose(estimator.score(new.tocsr()), mean, rtol=0, atol=1e-12)
    assert_allclose(estimator.score_error(new.tocsr()), error, rtol=0, atol=1e-12)


def test_words_without_names_that_occur_alike_are_scored_as_the_description_says(kind, estimator):
    drawn = svtd.generate(kind, n_samples=600, n_features=900, n_components=4, lengths=(20, 80), random_state=5)
    estimator.set_params(trust=False).fit(drawn.X[:560])
    new = drawn.X[560:]
    words, _ = keys(list(entries(new)), 900, None)
    seen = np.asarray(new.sum(axis=0)).ravel() > 0
    assert len({words[i] for i in np.flatnonzero(seen)}) < 0.9 * seen.sum()
    mean, error = score(estimator, new)
    assert_allclose(estimator.score(new), mean, rtol=0, atol=1e-12)
    assert_allclose(estimator.score_error(new), error, rtol=0, atol=1e-12)


def test_words_with_names_are_told_by_their_names(estimator, corpus):
    pandas = pytest.importorskip("pandas")
    names = [f"parola{i}" for i in range(60)]
    frame = pandas.DataFrame(corpus.X[:400].toarray(), columns=names)
    estimator.set_params(trust=False).fit(frame)
    mean, _ = score(estimator, frame.to_numpy()[:80], names)
    assert_allclose(estimator.score(frame[:80]), mean, rtol=0, atol=1e-12)


def test_the_order_of_columns_and_documents_does_not_matter(estimator, corpus):
    training, new = corpus.X[:1500], corpus.X[1500:]
    columns = np.random.default_rng(1).permutation(60)
    rows = np.random.default_rng(2).permutation(500)
    names = [f"parola{i}" for i in range(60)]
    before = estimator.set_params(trust=False).fit(training, words=names).score(new)
    assert_allclose(estimator.score(new[rows]), before, rtol=0, atol=1e-12)
    # Words are known by their names, whatever the order of their columns.
    moved = [names[i] for i in columns]
    after = estimator.fit(training[:, columns], words=moved).score(new[:, columns])
    assert_allclose(after, before, rtol=0, atol=1e-12)


def test_pairs_of_models_are_compared_on_the_same_words(corpus):
    training, new = corpus.X[:1500], corpus.X[1500:]
    four, one = (svtd.LDA(k, trust=False).fit(training) for k in (4, 1))
    ahead, error = four.ahead_of(one, new)
    assert_allclose(ahead, four.score(new) - one.score(new), rtol=0, atol=1e-12)
    assert ahead > error > 0
    assert four.ahead_of(four, new) == (0.0, 0.0)
    other = svtd.LDA(2, trust=False).fit(training[:, :40])
    with pytest.raises(ValueError):
        four.ahead_of(other, new)
