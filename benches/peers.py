#!/usr/bin/env python3
"""svtd beside scikit-learn, gensim and tomotopy: the same corpora, one run, losses included.

Every fit runs in a process of its own with two threads, and is charged for starting up and for
reading its input: CPU seconds and peak memory are those of the whole process. Topics come back as
one table, words x topics, and everything after that is common code: held-out perplexity by one
inference (`svtd`'s fixed point would favour ours, so it is written here in NumPy), coherence, and
for the generated corpus the distance to the true topics.

    python benches/peers.py --quick                 a minute: small corpora, to see that it works
    python benches/peers.py --out peers.jsonl       everything; stop and start again at will
    python benches/peers.py --out peers.jsonl --only 20newsgroups/20,generated/10/svtd
    python benches/peers.py --out peers.jsonl --table

Needs svtd itself (`pip install .`), python/requirements-bench.txt, and for 20 newsgroups the
folder SVTD_DATA. A fit that takes longer than --cap seconds is stopped and reported as such.

Settings: those each library documents as its defaults where a user has no reason to change them.
  svtd           LDA(k): topics, and how far to believe each of them
  svtd-topics    LDA(k, trust=False): topics alone, as from everyone else here
  svtd-shell     the same by the command line (the program SVTD_PROGRAM), which imports no Python
  scikit-learn   LatentDirichletAllocation(k, n_jobs=2): batch, 10 iterations
  gensim         LdaMulticore(k, workers=2, passes=1)
  gensim-10      the same with passes=10, as its tutorials advise
  tomotopy       LDAModel(k), 100 sweeps, as in the example of its documentation
  tomotopy-1000  the same with 1000 sweeps
  tomotopy-mean  LDAModel(k, eta=.05), 1000 sweeps, mean of 20 samples 10 sweeps apart
  corpus         the corpus as a whole in place of every topic: what a fit has to beat
  bayes          tomotopy told the law that topics and mixtures of the generated corpus were drawn
                 from, 400 sweeps, mean of 40 samples: what to expect of the topics given the words;
                 on average nothing that does not know the truth is closer, in squared distance
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

THREADS = 2
LIBRARIES = [
    "svtd", "svtd-topics", "svtd-shell", "scikit-learn", "gensim", "gensim-10",
    "tomotopy", "tomotopy-1000", "tomotopy-mean", "corpus", "bayes",
]
TOPICS = {"20newsgroups": [20, 50, 100], "generated": [10, 50, 100]}
EVERY = 5  # documents 5, 10, ... are held out
# Of the generated corpus so many held-out documents are looked at, which were drawn in no order. Of
# 20 newsgroups all are: the documents stand by newsgroup, and a part would leave some groups out.
GENERATED_TEST = 2000
ALPHA = 0.1  # of the common inference
TOP = 10  # words of a topic that coherence looks at


# --- corpora ---------------------------------------------------------------------------------


def newsgroups(quick: bool) -> sp.csr_matrix:
    """The counts of 20 newsgroups; quick: every eighth document."""
    folder = os.environ.get("SVTD_DATA")
    if folder is None:
        raise SystemExit("20newsgroups needs the folder SVTD_DATA; see CONTRIBUTING.md")
    with gzip.open(Path(folder) / "docword.20newsgroups.txt.gz", "rt") as lines:
        shape = (int(next(lines)), int(next(lines)))
        next(lines)
        entries = np.loadtxt(lines, dtype=np.int64)
    counts = sp.csr_matrix((entries[:, 2], (entries[:, 0] - 1, entries[:, 1] - 1)), shape=shape)
    return counts[::8] if quick else counts


def generated(k: int, quick: bool):
    """100 000 documents over 20 000 words, and the topics they were drawn from."""
    import svtd

    n_samples, n_features = (2000, 500) if quick else (100_000, 20_000)
    drawn = svtd.generate(
        "lda", n_samples=n_samples, n_features=n_features, n_components=k,
        lengths=(20, 150), zipf=True, random_state=1,
    )
    return drawn.X, drawn.components


def split(counts: sp.csr_matrix):
    """Documents to fit, and documents held out without the words that the first do not have."""
    held_out = np.arange(counts.shape[0]) % EVERY == EVERY - 1
    train, test = counts[~held_out], counts[held_out]
    known = np.asarray(train.sum(axis=0)).ravel() > 0
    test = test.multiply(known.astype(test.dtype)[np.newaxis, :]).tocsr().astype(test.dtype)
    test.eliminate_zeros()
    return train[np.diff(train.indptr) > 0], test


# --- fits, each in its own process -----------------------------------------------------------


def fit_svtd(counts, k, seed, trust=True):
    import svtd

    return svtd.LDA(k, n_jobs=THREADS, trust=trust).fit(counts).components_


def fit_sklearn(counts, k, seed):
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(k, n_jobs=THREADS, random_state=seed).fit(counts)
    return model.components_


def fit_gensim(counts, k, seed, passes=1):
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaMulticore

    names = {i: str(i) for i in range(counts.shape[1])}
    corpus = Sparse2Corpus(counts, documents_columns=False)
    model = LdaMulticore(
        corpus, num_topics=k, id2word=names, workers=THREADS, passes=passes, random_state=seed
    )
    return model.get_topics()


def fit_tomotopy(counts, k, seed, sweeps=100, n_samples=1, apart=10, **options):
    import tomotopy

    word_prior = options.pop("word_prior", None)
    model = tomotopy.LDAModel(k=k, seed=seed, **options)
    for d in range(counts.shape[0]):
        span = slice(counts.indptr[d], counts.indptr[d + 1])
        model.add_doc(np.repeat(counts.indices[span], counts.data[span]).astype(str).tolist())
    if word_prior is not None:
        model.optim_interval = 0
        for word in np.unique(counts.indices):
            model.set_word_prior(str(word), [float(word_prior[word])] * k)
    order = None
    total = 0.0
    model.train(sweeps - apart * (n_samples - 1), workers=THREADS)
    for sample in range(n_samples):
        if sample:
            model.train(apart, workers=THREADS)
        if order is None:
            order = [int(word) for word in model.used_vocabs]
        total = total + np.array([model.get_topic_word_dist(j) for j in range(k)])
    topics = np.zeros((k, counts.shape[1]))
    topics[:, order] = total / n_samples
    return topics


def fit_bayes(counts, k, seed):
    """With the law of `generated`: concentration n / 2 around 1 / (rank + 5), alpha 1 in all."""
    n = counts.shape[1]
    frequencies = 1.0 / (np.arange(1, n + 1) + 5.0)
    word_prior = 0.5 * n * frequencies / frequencies.sum()
    return fit_tomotopy(
        counts, k, seed, sweeps=400, n_samples=40, apart=5, alpha=1.0 / k, word_prior=word_prior
    )


def fit_corpus(counts, k, seed):
    return np.repeat(np.asarray(counts.sum(axis=0), dtype=float).reshape(1, -1), k, axis=0)


FITS = {
    "svtd": fit_svtd,
    "svtd-topics": lambda counts, k, seed: fit_svtd(counts, k, seed, trust=False),
    "scikit-learn": fit_sklearn,
    "gensim": fit_gensim,
    "gensim-10": lambda counts, k, seed: fit_gensim(counts, k, seed, passes=10),
    "tomotopy": fit_tomotopy,
    "tomotopy-1000": lambda counts, k, seed: fit_tomotopy(counts, k, seed, sweeps=1000),
    "tomotopy-mean": lambda counts, k, seed: fit_tomotopy(
        counts, k, seed, sweeps=1000, n_samples=20, eta=0.05
    ),
    "corpus": fit_corpus,
    "bayes": fit_bayes,
}


def child(library: str, counts: str, k: int, seed: int, out: str) -> None:
    """The process of one fit: reads, fits, writes topics that sum to one."""
    topics = FITS[library](sp.load_npz(counts), k, seed)
    np.save(out, topics / topics.sum(axis=1, keepdims=True))


def fit(library: str, counts: Path, k: int, seed: int, cap: float):
    """Topics, CPU seconds, wall seconds and peak bytes of one fit; None if it took too long."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/topics.npy"
        command = [sys.executable, __file__, "--child", library, str(counts), str(k), str(seed), out]
        if library == "svtd-shell":
            command = shell(counts, k, folder)
        environment = dict(os.environ, OMP_NUM_THREADS=str(THREADS), OPENBLAS_NUM_THREADS=str(THREADS))
        began = time.monotonic()
        with open(f"{folder}/messages", "w+") as messages:
            process = subprocess.Popen(
                command, env=environment, stdout=subprocess.DEVNULL, stderr=messages
            )
            status, used, peak, stopped = wait(process.pid, began + cap)
            wall = time.monotonic() - began
            cpu = used.ru_utime + used.ru_stime
            if stopped:
                return None, cpu, wall, 0
            if status:
                messages.seek(0)
                raise RuntimeError(messages.read()[-2000:])
        if library == "svtd-shell":
            export(folder, out)
        return np.load(out), cpu, wall, peak


def shell(counts: Path, k: int, folder: str) -> list[str]:
    """The same fit by the command line."""
    program = os.environ.get("SVTD_PROGRAM", "svtd")
    fit = f"fit {counts} --model lda -k {k} --no-trust --quiet --threads {THREADS}"
    return [program, *fit.split(), "-o", f"{folder}/model.svtd"]


def export(folder: str, out: str) -> None:
    """The topics of the model that the command line saved."""
    import svtd

    np.save(out, svtd.load(f"{folder}/model.svtd").components_)


def wait(pid: int, until: float):
    """Exit status, use and peak bytes of a process, and whether it had to be stopped.

    The peak is asked for while it runs: what the system says at the end is never less than what
    this process held when it started the other.
    """
    stopped, peak = False, 0
    while True:
        peak = max(peak, high_water(pid))
        done, status, used = os.wait4(pid, os.WNOHANG)
        if done:
            return status, used, peak, stopped
        if not stopped and time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            stopped = True
        time.sleep(0.02)


def high_water(pid: int) -> int:
    """The most memory a process has held; 0 where the system does not report it."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


# --- one judge for all -----------------------------------------------------------------------


def perplexity(topics: np.ndarray, test: sp.csr_matrix, sweeps: int = 50) -> float:
    """Of one half of each document given the other; every token falls into one of them by a coin.

    The coins are the same for every library (one fixed seed). Dealing tokens alternately, as was done
    before, puts repeats of a word evenly into both halves and flatters whoever expects them. The mixture maximises likelihood times a Dirichlet(1 + ALPHA) prior, by EM from the uniform
    mixture: the same for every library, and none's own.
    """
    topics = np.maximum(topics, 1e-12)
    topics = topics / topics.sum(axis=1, keepdims=True)
    total, tokens = 0.0, 0
    coins = np.random.default_rng(20261117)
    for d in range(test.shape[0]):
        span = slice(test.indptr[d], test.indptr[d + 1])
        words = np.repeat(test.indices[span], test.data[span])
        heads = coins.random(len(words)) < 0.5
        observed, held_out = words[heads], words[~heads]
        if not len(held_out):
            continue
        likelihood = topics[:, observed]
        theta = np.full(len(topics), 1.0 / len(topics))
        for _ in range(sweeps):
            shares = likelihood * theta[:, None]
            fresh = (shares / shares.sum(axis=0)).sum(axis=1) + ALPHA
            fresh /= fresh.sum()
            settled = np.abs(fresh - theta).sum() < 1e-4
            theta = fresh
            if settled:
                break
        total += np.log(theta @ topics[:, held_out]).sum()
        tokens += len(held_out)
    return float(np.exp(-total / tokens))


def npmi(topics: np.ndarray, test: sp.csr_matrix) -> float:
    """Mean normalised pointwise mutual information of top words, in unseen documents."""
    present = (test > 0).astype(np.float64).tocsc()
    n, scores = present.shape[0], []
    for topic in topics:
        top = topic.argsort()[::-1][:TOP]
        both = (present[:, top].T @ present[:, top]).toarray() / n
        alone = np.diag(both)
        for i in range(TOP):
            for j in range(i):
                if both[i, j] == 0:
                    scores.append(-1.0)
                elif both[i, j] < 1:
                    ratio = np.log(both[i, j] / (alone[i] * alone[j]))
                    scores.append(ratio / -np.log(both[i, j]))
    return float(np.mean(scores))


def topic_distance(truth: np.ndarray, topics: np.ndarray) -> float:
    """Mean L1 distance of topics matched one to one."""
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    distances = cdist(truth, topics, "cityblock")
    return float(distances[linear_sum_assignment(distances)].mean())


# --- the run ---------------------------------------------------------------------------------


def run(arguments: argparse.Namespace) -> None:
    done = {row["name"]: row for row in read(arguments.out)}
    with tempfile.TemporaryDirectory() as folder:
        for corpus in TOPICS:
            for k in ([5] if arguments.quick else TOPICS[corpus]):
                names = [
                    f"{corpus}/{k}/{library}"
                    for library in LIBRARIES
                    if library != "bayes" or corpus == "generated"
                ]
                wanted = [n for n in names if n not in done and is_wanted(n, arguments.only)]
                if not wanted:
                    continue
                truth = None
                if corpus == "generated":
                    counts, truth = generated(k, arguments.quick)
                else:
                    counts = newsgroups(arguments.quick)
                train, test = split(counts)
                path = Path(folder) / "train.npz"
                sp.save_npz(path, train, compressed=False)
                if corpus == "generated":
                    test = test[:GENERATED_TEST]
                for name in wanted:
                    library = name.rsplit("/", 1)[1]
                    topics, cpu, wall, peak = fit(library, path, k, 1, arguments.cap)
                    row = {"name": name, "cpu": cpu, "wall": wall, "peak": peak}
                    if topics is None:
                        row["stopped"] = arguments.cap
                    else:
                        row["perplexity"] = perplexity(topics, test)
                        row["npmi"] = npmi(topics, test)
                        if truth is not None:
                            row["distance"] = topic_distance(truth, topics)
                    done[name] = row
                    if arguments.out:
                        with open(arguments.out, "a") as out:
                            out.write(json.dumps(row) + "\n")
                    print(json.dumps(row), file=sys.stderr, flush=True)
    table(done.values())


def is_wanted(name: str, only: str) -> bool:
    """Whether this name contains one of the names asked for."""
    asked = only.split(",") if only else [name]
    return any(f"/{name}/".find(f"/{part}/") >= 0 for part in asked)


def read(path):
    if path is None or not Path(path).exists():
        return []
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def table(rows) -> None:
    """A table in Markdown, in the order of the settings above."""
    def place(row):
        corpus, k, library = row["name"].split("/")
        return list(TOPICS).index(corpus), int(k), LIBRARIES.index(library)

    print("| corpus | k | library | CPU s | wall s | peak MB | held-out perplexity | NPMI | topic L1 |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in sorted(rows, key=place):
        corpus, k, library = row["name"].split("/")
        if "stopped" in row:
            rest = f"stopped after {row['stopped']:.0f} s | | | | |"
            print(f"| {corpus} | {k} | {library} | {row['cpu']:.1f} | {rest}")
            continue
        distance = f"{row['distance']:.3f}" if "distance" in row else ""
        print(
            f"| {corpus} | {k} | {library} | {row['cpu']:.1f} | {row['wall']:.1f} | "
            f"{row['peak'] / 1e6:.0f} | {row['perplexity']:.0f} | {row['npmi']:.3f} | {distance} |"
        )


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        library, counts, k, seed, out = sys.argv[2:]
        return child(library, counts, int(k), int(seed), out)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small corpora and five topics")
    parser.add_argument(
        "--only", default="", metavar="NAMES",
        help="some of the fits: corpus, corpus/k, library or corpus/k/library, with commas between",
    )
    parser.add_argument("--out", metavar="FILE", help="keep results here, and go on from them")
    parser.add_argument("--cap", type=float, default=3600, help="seconds a fit may take")
    parser.add_argument("--table", action="store_true", help="only print what FILE holds")
    arguments = parser.parse_args()
    if arguments.table:
        return table(read(arguments.out))
    run(arguments)


if __name__ == "__main__":
    main()
