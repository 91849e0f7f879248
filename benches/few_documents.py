#!/usr/bin/env python3
"""Do 95 % intervals of words cover the truth where documents are few?

    benches/few_documents.py path/to/svtd [SETS]

Corpora are drawn by `svtd generate` (300 words, 4 topics, 60 to 140 words a document, seeds from 700 on), fitted with all
defaults, and topics matched to the true ones. Words with a true probability above half of the mean count. Needs NumPy.
"""

import itertools
import json
import subprocess
import sys
import tempfile

import numpy as np

N_WORDS, N_TOPICS, FIRST_SEED = 300, 4, 700

# Half a 95 % interval in standard errors of the jackknife: Student's t with 19 degrees of freedom.
HALF_INTERVAL = 2.09


def run(program: str, folder: str, line: str) -> str:
    """Standard output of a command."""
    ran = subprocess.run([program, "-q", *line.split()], cwd=folder, check=True, capture_output=True, text=True)
    return ran.stdout


def learned(exported: dict) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities and their errors, words x topics; words are numbered from 1."""
    shape = (N_WORDS, len(exported["topics"]))
    found, errors = np.zeros(shape), np.full(shape, np.nan)
    for j, topic in enumerate(exported["topics"]):
        for word in topic["words"]:
            i = int("".join(c for c in word["word"] if c.isdigit())) - 1
            found[i, j] = word["probability"]
            if word.get("error") is not None:
                errors[i, j] = word["error"]
    return found, errors


def covered(program: str, model: str, n_documents: int, seed: int) -> np.ndarray:
    """Whether each interval covers."""
    with tempfile.TemporaryDirectory() as folder:
        run(program, folder, f"generate {model} --docs {n_documents} --words {N_WORDS} -k {N_TOPICS} "
                             f"--lengths uniform:60..140 --seed {seed} -o drawn")
        run(program, folder, f"fit docword.drawn.txt -k {N_TOPICS} --model {model} -o m.svtd")
        found, errors = learned(json.loads(run(program, folder, f"topics m.svtd --json --top {N_WORDS}")))
        truth = np.load(f"{folder}/drawn.topic-word.npy")
    truth = truth if truth.shape[0] == N_WORDS else truth.T
    orders = itertools.permutations(range(found.shape[1]))
    order = list(min(orders, key=lambda order: np.abs(found[:, order] - truth).sum()))
    known = (truth > 0.5 / N_WORDS) & np.isfinite(errors[:, order])
    return (np.abs(found[:, order] - truth) <= HALF_INTERVAL * errors[:, order])[known]


def main() -> None:
    program, n_sets = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12
    print("| model | documents | sets | intervals | covered | lowest, highest of a set |\n|---|--:|--:|--:|--:|---|")
    for model in ("lda", "single-topic"):
        for n_documents in (100, 200, 400, 800):
            sets = [covered(program, model, n_documents, FIRST_SEED + s) for s in range(n_sets)]
            shares = [one.mean() for one in sets]
            n = sum(one.size for one in sets)
            print(f"| {model} | {n_documents} | {n_sets} | {n} | {np.mean(shares):.3f} | {min(shares):.3f}, {max(shares):.3f} |",
                  flush=True)


if __name__ == "__main__":
    main()
