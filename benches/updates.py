"""What does it cost to follow a corpus, and what does it lose?

    SVTD_DATA=... python benches/updates.py target/release/svtd batches
    SVTD_DATA=... python benches/updates.py target/release/svtd sweeps
    python benches/updates.py target/release/svtd moved
    SVTD_DATA=... python benches/updates.py target/release/svtd halves

`batches`: 20 newsgroups in ten batches, each tenth document held out. A fit of the first batch, then ten
updates (the first to the same documents), by `svtd add` and `svtd update`; the same as a stream; against one
fit of all. CPU seconds, held-out perplexity, and whether the number of a topic ever jumps.

`sweeps`: how many sweeps an update needs: held-out perplexity over that of a fit of all, when the model has
seen half the documents.

`moved`: how often a topic that has not changed is said to have moved, and one that has, by how many times its
error bars: corpora of known topics, half of which change a share of their words. `halves`: the same for halves of
real texts, which have not changed.

Recorded in benches/record/streams.md.
"""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

N_BATCHES = 10


def run(program, folder, line):
    """The standard output of a command, and its CPU seconds."""
    child = subprocess.Popen(
        [program, *line.split()], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    printed = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{line}: ended with {status}")
    return printed, usage.ru_utime + usage.ru_stime


def perplexity(program, folder, model, corpus):
    evaluated = json.loads(run(program, folder, f"evaluate {model} {corpus} --json")[0])
    return evaluated["completion"]["perplexity"]


def jumps(program, folder, old, new):
    """Sure matches of two models whose numbers differ."""
    compared = json.loads(run(program, folder, f"diff {old} {new} --json")[0])
    return sum(pair["old"] != pair["new"] for pair in compared["pairs"] if not pair["doubtful"])


def counted(name, data):
    """The counts of a corpus as (document, word, count), its words, and its number of documents."""
    with gzip.open(data / f"docword.{name}.txt.gz", "rt") as lines:
        n_documents = int(next(lines))
        next(lines), next(lines)
        table = np.loadtxt(lines, dtype=np.int64)
    return table, (data / f"vocab.{name}.txt").read_bytes(), n_documents


def write(folder, name, table, documents, vocabulary):
    """Some of the documents as a UCI docword file."""
    place = np.full(table[:, 0].max() + 2, -1)
    place[documents + 1] = np.arange(len(documents)) + 1
    rows = table[place[table[:, 0]] > 0].copy()
    rows[:, 0] = place[rows[:, 0]]
    n_words = vocabulary.count(b"\n")
    with open(folder / f"docword.{name}.txt", "w") as out:
        out.write(f"{len(documents)}\n{n_words}\n{len(rows)}\n")
        np.savetxt(out, rows, fmt="%d")
    (folder / f"vocab.{name}.txt").write_bytes(vocabulary)


def batches(program, data, folder):
    table, vocabulary, n = counted("20newsgroups", data)
    # Dealt out in an order that has nothing to do with the labels, and is the same every time.
    order = np.random.default_rng(0).permutation(n)
    held, rest = order[: n // 10], order[n // 10 :]
    write(folder, "held", table, held, vocabulary)
    write(folder, "all", table, rest, vocabulary)
    for b, part in enumerate(np.array_split(rest, N_BATCHES)):
        write(folder, f"b{b}", table, part, vocabulary)
    for trust in ["", " --no-trust"]:
        say = "with error bars" if not trust else "without"
        run(program, folder, "count docword.all.txt -o all.svtdc --force")
        _, whole = run(program, folder, f"fit all.svtdc -k 20{trust} -o all.svtd --force")
        cold = perplexity(program, folder, "all.svtd", "docword.held.txt")
        print(f"{say}: one fit of {len(rest)} documents {whole:.1f} s CPU, perplexity {cold:.1f}")
        run(program, folder, "count docword.b0.txt -o c.svtdc --force")
        _, first = run(program, folder, f"fit c.svtdc -k 20{trust} -o m0.svtd --force")
        updates, adding, n_jumps = 0.0, 0.0, 0
        for b in range(N_BATCHES):
            if b > 0:
                adding += run(program, folder, f"add c.svtdc docword.b{b}.txt")[1]
            printed, seconds = run(
                program, folder, f"update m{b}.svtd c.svtdc -o m{b + 1}.svtd --force --json"
            )
            updates += seconds
            wrong = jumps(program, folder, f"m{b}.svtd", f"m{b + 1}.svtd")
            n_jumps += wrong
            states = [topic["state"] for topic in json.loads(printed)["topics"]]
            found = perplexity(program, folder, f"m{b + 1}.svtd", "docword.held.txt")
            print(
                f"  update {b + 1}: {seconds:.2f} s, {states.count('moved')} moved, "
                f"{wrong} jumped, perplexity {found:.1f}"
            )
        print(
            f"  first fit {first:.1f} s, ten updates {updates:.1f} s ({updates / whole:.2f} of one fit), "
            f"additions {adding:.1f} s, {n_jumps} jumps, last perplexity {100 * (found / cold - 1):+.2f} % of the fit"
        )
    stream(program, data, folder)


def stream(program, data, folder):
    """The same from text, by one process."""
    with gzip.open(data / "20newsgroups.jsonl.gz", "rt") as lines:
        lines = list(lines)
    order = np.random.default_rng(0).permutation(len(lines))
    held, rest = order[: len(lines) // 10], order[len(lines) // 10 :]
    (folder / "held.jsonl").write_text("".join(lines[i] for i in held))
    (folder / "rest.jsonl").write_text("".join(lines[i] for i in rest))
    words = "--language english --min-df 5"
    _, whole = run(program, folder, f"fit rest.jsonl -k 20 {words} -o whole.svtd --force")
    cold = perplexity(program, folder, "whole.svtd", "held.jsonl")
    every = -(-len(rest) // N_BATCHES)
    printed, seconds = run(
        program, folder, f"fit rest.jsonl -k 20 {words} --every {every} -o s{{n}}.svtd --force --json"
    )
    n = len(printed.splitlines())
    n_jumps = sum(jumps(program, folder, f"s{i}.svtd", f"s{i + 1}.svtd") for i in range(1, n))
    found = perplexity(program, folder, f"s{n}.svtd", "held.jsonl")
    print(
        f"stream of text: one fit {whole:.1f} s CPU, perplexity {cold:.1f}; {n} models {seconds:.1f} s "
        f"({seconds / whole:.2f} of one fit), {n_jumps} jumps, last perplexity {100 * (found / cold - 1):+.2f} %"
    )


def sweeps(program, data, folder):
    for name, k in [("reuters395", 20), ("divina_commedia", 10), ("state_union", 10), ("20newsgroups", 20)]:
        table, vocabulary, n = counted(name, data)
        order = np.random.default_rng(0).permutation(n)
        held, rest = order[: n // 5], order[n // 5 :]
        write(folder, "held", table, held, vocabulary)
        write(folder, "all", table, rest, vocabulary)
        write(folder, "half", table, rest[: len(rest) // 2], vocabulary)
        run(program, folder, f"fit docword.half.txt -k {k} --no-trust --polish 18 -o half.svtd --force")
        run(program, folder, f"fit docword.all.txt -k {k} --no-trust --polish 18 -o all.svtd --force")
        cold = perplexity(program, folder, "all.svtd", "docword.held.txt")
        line = f"{name} (k = {k}): fit of all {cold:.1f}; after"
        for n_sweeps in [2, 4, 6, 8, 12, 18]:
            line_of = f"update half.svtd docword.all.txt --sweeps {n_sweeps} -o u.svtd --force"
            _, seconds = run(program, folder, line_of)
            found = perplexity(program, folder, "u.svtd", "docword.held.txt")
            line += f" {n_sweeps}: {100 * (found / cold - 1):+.2f} % ({seconds:.1f} s)"
        print(line)


def moved(program, _, folder):
    """Distances of topics over what error bars let expect, without a change and with one."""
    for label, n, k, length, n_documents in [
        ("chosen on", 300, 5, 60, 600), ("chosen on", 300, 8, 30, 1500),
        ("shown on", 800, 10, 100, 2000), ("shown on", 500, 6, 20, 3000),
    ]:
        ratios = {0.0: [], 0.1: [], 0.2: []}
        for seed in range(6):
            for change, found in ratios.items():
                rng = np.random.default_rng([seed, n])
                base = 1 / (np.arange(n) + 10.0)
                topics = np.array([rng.dirichlet(0.15 * n * base / base.sum()) for _ in range(k)])
                after = topics.copy()
                for j in range(0, k, 2):
                    after[j] = (1 - change) * topics[j] + change * rng.dirichlet(0.15 * n * base / base.sum())
                draw_lines(folder / "old.txt", topics, n_documents, length, rng)
                draw_lines(folder / "new.txt", after, n_documents, length, rng)
                flags = "--token-regex \\S+ --stop-words none --language english --format lines"
                run(program, folder, f"fit old.txt -k {k} --polish 18 {flags} -o old.svtd --force")
                printed, _ = run(program, folder, "update old.svtd new.txt --format lines -o new.svtd --force --json")
                old = components(program, folder, "old.svtd", n)
                of = match(old, topics)
                for topic in json.loads(printed)["topics"]:
                    if topic["old"] is None or topic["expected"] is None:
                        continue
                    if change == 0.0 or of[topic["old"] - 1] % 2 == 0:
                        found.append(topic["distance"] / topic["expected"])
        line = f"{label} {n} words, {k} topics, {n_documents} documents of {length}:"
        for change, found in ratios.items():
            found = np.array(found)
            line += f"\n  {100 * change:.0f} % of the words changed: {said(found)}"
        print(line, flush=True)


def said(found):
    """How often a bar is passed, and the largest."""
    found = np.array(found)
    beyond = ", ".join(f"{100 * np.mean(found > bar):.0f} % beyond {bar}" for bar in [1, 1.25, 1.5, 2])
    return f"{len(found)} topics, {beyond}; median {np.median(found):.2f}, largest {found.max():.2f}"


def halves(program, data, folder):
    """The same on real texts, whose halves differ by chance alone: half of them fitted, the other half updated."""
    for name, k in [("reuters395", 10), ("20newsgroups", 20)]:
        table, vocabulary, n = counted(name, data)
        found = []
        for seed in range(3):
            order = np.random.default_rng(seed).permutation(n)
            write(folder, "one", table, order[: n // 2], vocabulary)
            write(folder, "two", table, order[n // 2 :], vocabulary)
            for old, new in [("one", "two"), ("two", "one")]:
                run(program, folder, f"fit docword.{old}.txt -k {k} --splits 0 -o old.svtd --force")
                printed, _ = run(
                    program, folder, f"update old.svtd docword.{new}.txt -o new.svtd --force --json"
                )
                topics = json.loads(printed)["topics"]
                found += [t["distance"] / t["expected"] for t in topics if t["expected"] is not None]
        print(f"{name}, k = {k}, no change: {said(found)}", flush=True)


def draw_lines(path, topics, n_documents, length, rng):
    k, n = topics.shape
    mixtures = rng.dirichlet(np.full(k, 1 / k), size=n_documents)
    laws = mixtures @ topics
    with open(path, "w") as out:
        for law in laws:
            counts = rng.multinomial(rng.integers(length // 2, 3 * length // 2), law / law.sum())
            words = np.repeat(np.arange(n), counts)
            out.write(" ".join(f"w{i:04}x" for i in words) + "\n")


def components(program, folder, model, n):
    exported = json.loads(run(program, folder, f"export {model} --to json")[0])
    ids = [int(re.sub(r"\D", "", word)) for word in exported["vocabulary"]]
    found = np.zeros((len(exported["topic_word"]), n))
    found[:, ids] = exported["topic_word"]
    return found


def match(found, truth):
    """The topic of the truth that is nearest to each that was found."""
    return [int(np.argmin(np.abs(truth - topic).sum(axis=1))) for topic in found]


if __name__ == "__main__":
    program, what = str(Path(sys.argv[1]).resolve()), sys.argv[2]
    data = Path(os.environ.get("SVTD_DATA", "."))
    with tempfile.TemporaryDirectory() as folder:
        what = {"batches": batches, "sweeps": sweeps, "moved": moved, "halves": halves}[what]
        what(program, data, Path(folder))
