#!/usr/bin/env python3
"""Latent classes: svtd beside StepMix, on the same drawn data sets, losses included.

Every set is drawn from a model of known classes by its own seed and fitted by plain maximum
likelihood: by the program svtd (`fit --model classes --prior 0 --no-trust`, one call, no random
number), and by StepMix with ten random starts. StepMix's best solution is climbed further by the EM
written here until nothing is gained, so that its tolerance does not count as a worse maximum.

    python benches/classes_peers.py --sets 20 --out classes.jsonl     stop and start again at will
    python benches/classes_peers.py --out classes.jsonl --table
    python benches/classes_peers.py --large                           100,000 records, 30 items, k = 6
    python benches/classes_peers.py --coverage --sets 20              do 95 % intervals cover the truth?
    python benches/classes_peers.py --null --sets 20                  one class where there is no structure?

Needs the program svtd (SVTD_PROGRAM, or on the path), NumPy and stepmix. CPU seconds are those of a
fit: svtd's process with reading and writing, StepMix's fit alone, both on one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

# records, items, categories, classes, how much classes overlap (0 to 1), share of the rarest, missing
SETTINGS = {
    "150, 7x2, k=3": (150, 7, 2, 3, 0.3, None, 0.0),
    "500, 5x3, k=3": (500, 5, 3, 3, 0.2, None, 0.0),
    "500, 12x3, k=5, overlap": (500, 12, 3, 5, 0.6, None, 0.0),
    "1000, 10x2, k=4, one 5 %": (1000, 10, 2, 4, 0.3, 0.05, 0.0),
    "1000, 12x4, k=6, 20 % missing": (1000, 12, 4, 6, 0.4, None, 0.2),
}
SEED = 20_261_117


def drawn(setting: tuple, seed: int) -> np.ndarray:
    """Answers, -1 where missing."""
    return drawn_with_truth(setting, seed)[0]


def drawn_with_truth(setting: tuple, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Answers, -1 where missing, with the probabilities (items x classes x categories) and the shares."""
    n, items, categories, k, overlap, rarest, missing = setting
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(k, 5.0))
    if rarest is not None:
        shares = np.concatenate([[rarest], (1 - rarest) * rng.dirichlet(np.full(k - 1, 5.0))])
    common = rng.dirichlet(np.ones(categories), size=(items, 1))
    own = rng.dirichlet(np.ones(categories), size=(items, k))
    laws = overlap * common + (1 - overlap) * own
    classes = rng.choice(k, size=n, p=shares)
    answers = np.empty((n, items), dtype=int)
    for b in range(items):
        cumulative = laws[b].cumsum(axis=1)
        answers[:, b] = (rng.random(n)[:, None] > cumulative[classes]).sum(axis=1)
    answers = np.minimum(answers, categories - 1)
    if missing:
        answers[rng.random((n, items)) < missing] = -1
    return answers, laws, shares


def write_csv(answers: np.ndarray, path: Path) -> None:
    header = ",".join(f"q{b + 1}" for b in range(answers.shape[1]))
    rows = "\n".join(",".join("" if a < 0 else str(a) for a in row) for row in answers.tolist())
    path.write_text(f"{header}\n{rows}\n")


def fit(answers: np.ndarray, *flags: str) -> dict:
    """What svtd prints about a fit, as JSON."""
    program = os.environ.get("SVTD_PROGRAM", "svtd")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.csv"
        write_csv(answers, path)
        ran = subprocess.run(
            [program, "fit", path, "--model", "classes", "--json", "--quiet", *flags],
            capture_output=True, check=True, text=True,
        )
    return json.loads(ran.stdout)


def ours(answers: np.ndarray, k: int, extra: tuple = ()) -> dict:
    """svtd's log-likelihood and CPU seconds."""
    program = os.environ.get("SVTD_PROGRAM", "svtd")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.csv"
        write_csv(answers, path)
        columns = ",".join(f"q{b + 1}" for b in range(answers.shape[1]))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        ran = subprocess.run(
            [program, "fit", path, "--model", "classes", "-k", str(k), "--prior", "0", "--json",
             "--quiet", "--no-trust", "--threads", "1", "--code-items", columns, *extra],
            capture_output=True, check=True, text=True,
        )
        seconds = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    fitted = json.loads(ran.stdout)
    starts = [s for s in fitted["summary"]["starts"] if s["name"] != "up and down"]
    return {
        "log_likelihood": fitted["log_likelihood"], "cpu": cpu, "seconds": seconds,
        "agree": [sum(s["reached"] for s in starts), len(starts)],
    }


def one_hot(answers: np.ndarray) -> tuple[np.ndarray, list[int]]:
    blocks, sizes = [], []
    for column in answers.T:
        size = column.max() + 1
        blocks.append((column[:, None] == np.arange(size)).astype(float))
        sizes.append(size)
    return np.hstack(blocks), sizes


def climbed(answers: np.ndarray, shares: np.ndarray, laws: list[np.ndarray]) -> float:
    """The log-likelihood where plain EM from these parameters ends. Patterns are counted once."""
    patterns, counts = np.unique(answers, axis=0, return_counts=True)
    hot, sizes = one_hot(patterns)
    edges = np.cumsum([0, *sizes])
    p = np.vstack([law[:size] for law, size in zip(laws, sizes)])
    p = np.maximum(p, 1e-300)
    last = -np.inf
    for _ in range(20_000):
        logs = hot @ np.log(np.maximum(p, 1e-300)) + np.log(np.maximum(shares, 1e-300))
        top = logs.max(axis=1, keepdims=True)
        r = np.exp(logs - top)
        total = r.sum(axis=1, keepdims=True)
        value = float((counts * (np.log(total) + top)[:, 0]).sum())
        if value - last < 1e-9 + 1e-11 * abs(value):
            return value
        last = value
        r = r / total * counts[:, None]
        shares = r.sum(axis=0) / r.sum()
        sums = hot.T @ r
        p = np.vstack([
            sums[a:b] / np.maximum(sums[a:b].sum(axis=0), 1e-300) for a, b in zip(edges, edges[1:])
        ])
    return last


def stepmix(answers: np.ndarray, k: int, n_init: int, seed: int) -> dict:
    """StepMix's best of several random starts, climbed further, and CPU seconds of its fit."""
    from stepmix.stepmix import StepMix

    holes = bool((answers < 0).any())
    X = np.where(answers < 0, np.nan, answers).astype(float)
    kind = "categorical_nan" if holes else "categorical"
    model = StepMix(n_components=k, measurement=kind, n_init=n_init, max_iter=1000, abs_tol=1e-8,
                    random_state=seed, verbose=0, progress_bar=0)
    before = time.process_time()
    model.fit(X)
    cpu = time.process_time() - before
    parameters = model.get_parameters()
    pis = parameters["measurement"]["pis"]
    sizes = [int(column.max()) + 1 for column in answers.T]
    per_item = pis.shape[1] // answers.shape[1]
    laws = [pis[:, b * per_item:b * per_item + sizes[b]].T for b in range(answers.shape[1])]
    shares = np.asarray(parameters["weights"])
    return {"log_likelihood": climbed(answers, shares, laws), "cpu": cpu}


def run(out: Path, sets: range, n_init: int) -> None:
    done = {(r["setting"], r["set"]) for r in read(out)}
    for i in sets:
        for at, (name, setting) in enumerate(SETTINGS.items()):
            if (name, i) in done:
                continue
            seed = SEED + 1000 * at + i
            answers = drawn(setting, seed)
            k = setting[3]
            record = {"setting": name, "set": i, "seed": seed, "svtd": ours(answers, k),
                      "stepmix": stepmix(answers, k, n_init, i)}
            with out.open("a") as file:
                file.write(json.dumps(record) + "\n")


def read(out: Path) -> list[dict]:
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def table(records: list[dict]) -> str:
    """A row for each setting; a gap is nats below the better of the two."""
    lines = [
        "| setting | sets | ours >= StepMix 10 | mean gap ours (max) | mean gap StepMix (max) | "
        "CPU s ours / StepMix | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    won = all_sets = 0
    for name in SETTINGS:
        own = [r for r in records if r["setting"] == name]
        if not own:
            continue
        a = np.array([r["svtd"]["log_likelihood"] for r in own])
        b = np.array([r["stepmix"]["log_likelihood"] for r in own])
        best = np.maximum(a, b)
        at_least = int((a >= b - 1e-6 * np.abs(b)).sum())
        won, all_sets = won + at_least, all_sets + len(own)
        cpu = [np.mean([r[who]["cpu"] for r in own]) for who in ("svtd", "stepmix")]
        lines.append(
            f"| {name} | {len(own)} | {at_least} | {np.mean(best - a):.3f} ({np.max(best - a):.2f}) | "
            f"{np.mean(best - b):.3f} ({np.max(best - b):.2f}) | {cpu[0]:.2f} / {cpu[1]:.1f} | "
            f"1/{cpu[1] / cpu[0]:.0f} |"
        )
    lines.append(f"\nAt least StepMix's best of ten on {won} of {all_sets} sets.")
    return "\n".join(lines)


# records, items, categories, classes, overlap, share of the rarest, missing
COVERAGE = {
    "500, 10x2, k=3": (500, 10, 2, 3, 0.1, None, 0.0),
    "2000, 8x3, k=3": (2000, 8, 3, 3, 0.1, None, 0.0),
    "1000, 10x3, k=3, 15 % missing": (1000, 10, 3, 3, 0.1, None, 0.15),
}


def coverage(n_sets: int) -> None:
    """How many of the 95 % intervals of answers between .02 and .98, in classes above .15, cover."""
    print("| setting | sets | intervals | covered |\n|---|---|---|---|")
    for at, (name, setting) in enumerate(COVERAGE.items()):
        covered = intervals = sets = 0
        i = 0
        while sets < n_sets:
            seed, i = SEED + 50_000 + 1000 * at + i, i + 1
            answers, laws, shares = drawn_with_truth(setting, seed)
            k = setting[3]
            # Classes that can be told from each other and are not rare: others have no fixed names.
            apart = min(np.abs(laws[:, a] - laws[:, b]).sum() for a in range(k) for b in range(a))
            if shares.min() < 0.15 or apart / setting[1] < 0.4:
                continue
            sets += 1
            # Sorted: error bars follow the content of the records, not their order.
            rows = fit(answers[np.lexsort(answers.T)], "-k", str(k))["answers"]
            found = np.array([[row[f"class{j + 1}"] for j in range(k)] for row in rows])
            # A column is text when some estimates have no error.
            error = np.array([[float(row[f"error{j + 1}"] or np.nan) for j in range(k)] for row in rows])
            truth = laws.transpose(0, 2, 1).reshape(-1, k)
            distance = np.abs(found[:, :, None] - truth[:, None, :]).sum(axis=0)
            for j in range(k):
                t = int(distance[j].argmin())
                inside = (truth[:, t] > 0.02) & (truth[:, t] < 0.98) & np.isfinite(error[:, j])
                hit = np.abs(found[:, j] - truth[:, t]) <= 2.09 * error[:, j]
                covered += int((hit & inside).sum())
                intervals += int(inside.sum())
        print(f"| {name} | {sets} | {intervals} | {covered / intervals:.3f} |", flush=True)


def null(n_sets: int) -> None:
    """How often -k auto finds one class where answers are independent."""
    ones = 0
    for i in range(n_sets):
        rng = np.random.default_rng(SEED + 90_000 + i)
        n, items, categories = [(300, 8, 2), (1000, 10, 3), (2000, 6, 2)][i % 3]
        laws = rng.dirichlet(np.full(categories, 2.0), size=items)
        answers = np.column_stack([rng.choice(categories, size=n, p=law) for law in laws])
        ones += fit(answers, "-k", "auto", "--no-trust")["n_classes"] == 1
    print(f"one class on {ones} of {n_sets} sets without structure")


def large() -> None:
    """100,000 records of 30 items of three categories in six classes."""
    setting = (100_000, 30, 3, 6, 0.5, None, 0.0)
    answers = drawn(setting, SEED)
    print("svtd", json.dumps(ours(answers, 6)), flush=True)
    print("StepMix, one start", json.dumps(stepmix(answers, 6, 1, 0)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("classes.jsonl"))
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="number of the first set, for other seeds")
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--null", action="store_true")
    args = parser.parse_args()
    if args.large:
        large()
    elif args.coverage:
        coverage(args.sets)
    elif args.null:
        null(args.sets)
    elif args.table:
        print(table(read(args.out)))
    else:
        run(args.out, range(args.first, args.first + args.sets), args.starts)


if __name__ == "__main__":
    sys.exit(main())
