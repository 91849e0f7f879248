"""How many topics `svtd fit -k auto` finds in drawn corpora whose words come in bursts.

    python benches/bursty.py --program target/release/svtd [--seed 7000] [--few]

Documents mix K topics over 3000 words (Zipf base, topics Dirichlet around it with concentration 300,
alpha = 1/K) and have 120 words on average; the words of a document are drawn from a law of its own,
Dirichlet around that of its mixture. The smaller that concentration, the more words are repeated.
Needs NumPy. One corpus a row. With --few the corpora have 40 to 300 documents, short ones or speeches
of 4000 words.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

N_WORDS = 3000
SETTINGS = [
    (10, 2000, 100),
    (10, 2000, 300),
    (10, 2000, 1000),
    (20, 4000, 100),
    (20, 4000, 300),
    (20, 4000, 1000),
    (10, 4000, 100),
    (10, 4000, 300),
    (20, 2000, 300),
    (10, 4000, 1000),
    (20, 2000, 100),
    (20, 2000, 1000),
]
FEW = [
    (k, n, concentration, words)
    for words in (120, 4000)
    for concentration in (100, 1000)
    for k, n in ((1, 65), (1, 200), (3, 40), (3, 100), (5, 65), (5, 300), (10, 100), (10, 300))
]


def draw(k, n_documents, concentration, words, seed):
    """The documents as lists of (word, count), words from 1."""
    rng = np.random.default_rng(seed)
    base = 1 / (np.arange(1, N_WORDS + 1) + 5.0)
    topics = rng.dirichlet(300 * base / base.sum(), size=k)
    for _ in range(n_documents):
        law = rng.dirichlet(np.full(k, 1 / k)) @ topics
        length = max(3, rng.negative_binomial(3, 3 / (words + 3)))
        law = rng.dirichlet(np.maximum(concentration * law, 1e-12))
        counts = rng.multinomial(length, law / law.sum())
        yield [(word + 1, counts[word]) for word in np.flatnonzero(counts)]


def write(path, documents):
    lines = [f"{d} {word} {x}" for d, words in enumerate(documents, 1) for word, x in words]
    path.write_text("\n".join([f"{len(documents)}", f"{N_WORDS}", f"{len(lines)}", *lines, ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="svtd")
    parser.add_argument("--seed", type=int, default=7000)
    parser.add_argument("--few", action="store_true", help="few documents")
    asked = parser.parse_args()
    settings = FEW if asked.few else [(*setting, 120) for setting in SETTINGS]
    print("| K | documents | words | concentration | chosen | repeats explained | clear directions | found of asked for |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "docword.drawn.txt"
        for row, (k, n, concentration, words) in enumerate(settings, 1):
            write(path, list(draw(k, n, concentration, words, asked.seed + row)))
            command = [asked.program, "fit", path, "-k", "auto", "--no-trust", "--json", "--quiet"]
            ran = subprocess.run(command, capture_output=True, text=True, check=True)
            options = json.loads(ran.stdout)["options"]
            chosen = options["chosen"]
            found = ", ".join(
                f"{c['n_found']:g} of {c['n_topics']}" for c in chosen.get("counted", [])
            )
            clear = sum(z > 3 for z in chosen["z_scores"])
            share = chosen.get("repeats_explained", float("nan"))
            print(
                f"| {k} | {n} | {words} | {concentration} | {options['n_topics']} | {share:.2f} | {clear} "
                f"| {found} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
