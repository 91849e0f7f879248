"""Two builds of the program side by side: CPU and wall seconds of whole fits, in one run.

    python benches/builds.py OLD NEW [--documents 30000,300000] [--topics 50,100] [--threads 1,2] [--repeat 3]

OLD and NEW are `svtd` programs. Corpora are drawn by OLD (100,000 words as unequal as in text, 100 topics,
about 240 different words a document) and kept in a temporary folder; with SVTD_DATA set, 20 newsgroups is
fitted too. The builds take turns, so that a busy hour is shared by both; a row has the medians.
Fits are without trust, which differs between builds.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def timed(command):
    """CPU seconds, wall seconds and peak megabytes of a command."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed")
    return used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss / 1000


def drawn(program, model, n_documents, folder):
    """A corpus file, drawn by the program unless it is there."""
    corpus = folder / f"{model}-{n_documents}.svtdc"
    if not corpus.exists():
        name = folder / f"{model}-{n_documents}"
        law = ["--zipf", "--lengths", "lognormal:5.8,0.6", "--seed", "7"]
        sizes = ["--docs", str(n_documents), "--words", "100000", "-k", "100"]
        subprocess.run([program, "generate", model, *sizes, *law, "-o", name, "-q"], check=True)
        counts = folder / f"docword.{name.name}.txt"
        subprocess.run([program, "count", counts, "-o", corpus, "-q"], check=True)
        for left in [counts, *folder.glob(f"{name.name}.*.npy"), *folder.glob(f"{name.name}.*.csv")]:
            left.unlink()
    return corpus


def row(name, old, new, corpus, model, k, threads, repeat, folder):
    """Fits by turns, and a row of the table."""
    flags = ["-k", str(k), "--model", model, "--threads", str(threads), "--no-trust", "--force", "-q"]
    fit = lambda program: timed([program, "fit", str(corpus), *flags, "-o", str(folder / "model.svtd")])
    turns = [(fit(old), fit(new)) for _ in range(repeat)]
    (old_cpu, old_wall, old_mb), (new_cpu, new_wall, new_mb) = (
        [statistics.median(turn[build][what] for turn in turns) for what in range(3)] for build in (0, 1)
    )
    print(
        f"| {name} | {model}, {k} | {threads} | {old_cpu:.2f} | {new_cpu:.2f} | {new_cpu / old_cpu:.2f} "
        f"| {old_wall:.2f} | {new_wall:.2f} | {new_wall / old_wall:.2f} | {old_mb:.0f} | {new_mb:.0f} |",
        flush=True,
    )
    return old_wall, new_wall


def numbers(text):
    return [int(part) for part in text.split(",") if part]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--documents", type=numbers, default=[30000, 300000])
    parser.add_argument("--topics", type=numbers, default=[50, 100])
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--models", default="lda,single-topic")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", type=pathlib.Path, help="where drawn corpora are kept and looked for")
    asked = parser.parse_args()
    print("| corpus | model, k | threads | old CPU s | new CPU s | ratio | old s | new s | ratio | old MB | new MB |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    sums = {threads: [0.0, 0.0] for threads in asked.threads}
    with tempfile.TemporaryDirectory() as made:
        folder = asked.folder or pathlib.Path(made)
        data = os.environ.get("SVTD_DATA")
        if data:
            corpus = folder / "newsgroups.svtdc"
            counts = pathlib.Path(data) / "docword.20newsgroups.txt.gz"
            vocabulary = pathlib.Path(data) / "vocab.20newsgroups.txt"
            subprocess.run(
                [asked.old, "count", counts, "--vocab", vocabulary, "--force", "-q", "-o", corpus],
                check=True, stdout=subprocess.DEVNULL,
            )
            for k in [20, 50, 100]:
                row("20 newsgroups", asked.old, asked.new, corpus, "lda", k, 2, asked.repeat, folder)
        for n_documents in asked.documents:
            for model in asked.models.split(","):
                corpus = drawn(asked.old, model, n_documents, folder)
                for k in asked.topics:
                    for threads in asked.threads:
                        name = f"{n_documents} documents"
                        took = row(name, asked.old, asked.new, corpus, model, k, threads, asked.repeat, folder)
                        sums[threads] = [before + seconds for before, seconds in zip(sums[threads], took)]
    for threads, (old, new) in sums.items():
        if old:
            print(f"\nall drawn rows on {threads} threads: {old:.1f} s before, {new:.1f} s now, ratio {new / old:.2f}")


if __name__ == "__main__":
    main()
