"""The sweeps of two builds side by side: held-out text, and topics of drawn corpora against the truth.

    SVTD_DATA=... python benches/sweeps.py OLD NEW [--corpora comp,rec] [--topics 20,50] [--drawn plain,bursty]

Text: every fifth document is held out, twice (documents 5, 10, ... and 2, 7, ...; all of 20 newsgroups once). A row has
the mean perplexity and NPMI of `svtd evaluate`, and the change. Drawn: 4000 documents of 120 words on average over
3000 words (Zipf base, topics Dirichlet around it with concentration 300, alpha = 1/K), plain or with words that come in
bursts (each document's words are Dirichlet around its mixture, concentration 300); the L1 distance between topics and
truth, matched one to one, mean over topics and over several corpora. Needs NumPy and SciPy.
"""

import argparse
import gzip
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np
from scipy.optimize import linear_sum_assignment

PARTS = {"comp": ["comp"], "rec": ["rec"], "sci": ["sci"], "talk": ["talk", "soc", "alt"]}
N_WORDS, N_DOCUMENTS = 3000, 4000


def read(data, name):
    """Documents as lists of (word, count), and the number of words."""
    with gzip.open(data / f"docword.{name}.txt.gz", "rt") as file:
        n_documents, n_words, _ = (int(file.readline()) for _ in range(3))
        documents = [[] for _ in range(n_documents)]
        for line in file:
            d, word, count = line.split()
            documents[int(d) - 1].append((word, count))
    return documents, n_words


def of(data, corpus):
    """A corpus by its name: a part of 20 newsgroups, all of it, or another."""
    if corpus not in PARTS:
        return read(data, "20newsgroups" if corpus == "all" else corpus)
    documents, n_words = read(data, "20newsgroups")
    labels = (data / "labels.20newsgroups.txt").read_text().split()
    return [d for d, label in zip(documents, labels) if label.split(".")[0] in PARTS[corpus]], n_words


def write(path, documents, n_words):
    lines = [f"{d} {word} {x}" for d, words in enumerate(documents, 1) for word, x in words]
    path.write_text("\n".join([f"{len(documents)}", f"{n_words}", f"{len(lines)}", *lines, ""]))


def fit(program, counts, k, model):
    flags = ["-k", str(k), "--model", "lda", "--no-trust", "--allow-fewer", "--force", "-q"]
    subprocess.run([program, "fit", counts, *flags, "-o", model], check=True, capture_output=True)


def on_text(programs, data, corpus, topics, folder):
    """Rows of perplexities and NPMI."""
    documents, n_words = of(data, corpus)
    folds = [4] if corpus == "all" else [4, 1]
    for fold in folds:
        write(folder / f"train{fold}.txt", [d for n, d in enumerate(documents) if n % 5 != fold], n_words)
        write(folder / f"test{fold}.txt", [d for n, d in enumerate(documents) if n % 5 == fold], n_words)
    for k in topics:
        found = np.zeros((2, 2))
        for build, program in enumerate(programs):
            for fold in folds:
                fit(program, folder / f"train{fold}.txt", k, folder / "model.svtd")
                command = [program, "evaluate", folder / "model.svtd", folder / f"test{fold}.txt", "--json"]
                evaluated = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
                found[build] += [np.log(evaluated["completion"]["perplexity"]), evaluated["coherence"]["npmi"]]
        (old, old_npmi), (new, new_npmi) = found / len(folds)
        print(
            f"| {corpus} | {k} | {np.exp(old):.0f} | {np.exp(new):.0f} | {100 * (np.exp(new - old) - 1):+.2f} % "
            f"| {old_npmi:.3f} | {new_npmi:.3f} | {new_npmi - old_npmi:+.3f} |",
            flush=True,
        )


def draw(k, bursty, seed):
    """Documents and the true topics."""
    rng = np.random.default_rng(seed)
    base = 1 / (np.arange(1, N_WORDS + 1) + 5.0)
    topics = rng.dirichlet(300 * base / base.sum(), size=k)
    documents = []
    for _ in range(N_DOCUMENTS):
        law = rng.dirichlet(np.full(k, 1 / k)) @ topics
        length = max(3, rng.negative_binomial(3, 3 / 123))
        if bursty:
            law = rng.dirichlet(np.maximum(300 * law, 1e-12))
        counts = rng.multinomial(length, law / law.sum())
        documents.append([(word + 1, counts[word]) for word in np.flatnonzero(counts)])
    return documents, topics


def distance(program, model, truth, folder):
    """The L1 distance between the topics of a model and the true ones, matched one to one."""
    table = folder / "topics.npy"
    subprocess.run([program, "export", model, "--topic-word", table, "--force", "-q"], check=True)
    found = np.load(table)
    between = np.abs(truth[:, None, :] - found[None, :, :]).sum(axis=2)
    return between[linear_sum_assignment(between)].mean()


def on_drawn(programs, kind, k, seed, n_corpora, folder):
    """A row of distances to the truth."""
    errors = np.zeros((2, n_corpora))
    for corpus in range(n_corpora):
        documents, truth = draw(k, kind == "bursty", seed + corpus)
        write(folder / "drawn.txt", documents, N_WORDS)
        for build, program in enumerate(programs):
            fit(program, folder / "drawn.txt", k, folder / "model.svtd")
            errors[build, corpus] = distance(program, folder / "model.svtd", truth, folder)
    old, new = errors.mean(axis=1)
    print(f"| {kind} | {k} | {old:.4f} | {new:.4f} | {100 * (new / old - 1):+.1f} % |", flush=True)


def names(text):
    return [part for part in text.split(",") if part]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--corpora", type=names, default=["comp", "rec"])
    parser.add_argument("--topics", type=names, default=["20", "50"])
    parser.add_argument("--drawn", type=names, default=["plain", "bursty"])
    parser.add_argument("--drawn-topics", type=names, default=["10", "20"])
    parser.add_argument("--drawn-corpora", type=int, default=5)
    parser.add_argument("--seed", type=int, default=83000)
    asked = parser.parse_args()
    programs = [asked.old, asked.new]
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        if asked.corpora:
            print("| corpus | k | perplexity before | now | | NPMI before | now | |\n|---|--:|--:|--:|--:|--:|--:|--:|")
        for corpus in asked.corpora:
            data = pathlib.Path(os.environ["SVTD_DATA"])
            on_text(programs, data, corpus, [int(k) for k in asked.topics], folder)
        if asked.drawn:
            print("\n| drawn | K | distance before | now | |\n|---|--:|--:|--:|--:|")
        for kind in asked.drawn:
            for k in asked.drawn_topics:
                on_drawn(programs, kind, int(k), asked.seed, asked.drawn_corpora, folder)


if __name__ == "__main__":
    main()
