"""Do the bands of `svtd trends` cover the shares of a year?

Draws corpora whose shares per year are known (LDA, the prior of each year its own), fits them with
`svtd fit`, asks `svtd trends` and counts how many of the 95 % bands hold the truth. Beside it stands
what the mixtures of `svtd infer` would give: their mean over a year with the same kind of band.

    python benches/trends.py target/debug/svtd [CORPORA]

prints what is recorded in benches/record/trends.md.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import t as student

KINDS = [
    # words, topics, years, documents a year, lengths, concentration of bursts
    (200, 4, 10, 50, (10, 40), None),
    (300, 5, 12, 80, (40, 120), None),
    (300, 5, 30, 20, (100, 300), None),
    (300, 8, 12, 80, (40, 120), None),
    (300, 5, 12, 80, (40, 120), 100.0),
]


def shares(years, k):
    """Waves, none far below a twentieth of the largest."""
    at = np.arange(years)[:, None] / years + np.arange(k) / k
    waves = 0.05 + 0.5 * (1 + np.sin(2 * np.pi * at))
    return waves / waves.sum(axis=1, keepdims=True)


def draw(kind, seed):
    n, k, years, per_year, (shortest, longest), bursts = kind
    rng = np.random.default_rng(seed)
    base = 1 / (np.arange(n) + 10.0)
    topics = np.array([rng.dirichlet(0.15 * n * base / base.sum()) for _ in range(k)])
    truth = shares(years, k)
    rows = ["id,year,text"]
    for year in range(years):
        for d in range(per_year):
            law = rng.dirichlet(truth[year]) @ topics
            if bursts is not None:
                law = rng.dirichlet(np.maximum(bursts * law, 1e-9))
            length = rng.integers(shortest, longest + 1)
            words = rng.choice(n, size=length, p=law / law.sum())
            rows.append(f"{year}-{d},{1900 + year}," + " ".join(f"w{i:03}x" for i in words))
    return "\n".join(rows) + "\n", topics, truth


def run(program, folder, line):
    done = subprocess.run(
        [program, *line.split()], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


def coverage(program, kind, seed):
    """Bands that cover and their widths: of trends, and of the mixtures of inference."""
    text, topics, truth = draw(kind, seed)
    k, years, per_year = kind[1:4]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "c.csv").write_text(text)
        words = "--min-df 1 --stop-words none --language english"
        run(program, folder, f"fit c.csv -k {k} {words} --no-trust -q -o m.svtd")
        trends = json.loads(run(program, folder, "trends m.svtd c.csv --time year --every 1y --json"))
        model = json.loads(run(program, folder, f"topics m.svtd --top {kind[0]} --json"))
        mixtures = run(program, folder, "infer m.svtd c.csv -q").splitlines()[1:]
    found = np.zeros((k, kind[0]))
    for j, topic in enumerate(model["topics"]):
        for word in topic["words"]:
            found[j, int(word["word"][1:4])] = word["probability"]
    distance = np.abs(topics[:, None] - found[None]).sum(axis=2)
    order = linear_sum_assignment(distance)[1]
    low, high = np.zeros((years, k)), np.zeros((years, k))
    for j in range(k):
        for share in trends["topics"][order[j]]["shares"]:
            year = int(share["period"]) - 1900
            low[year, j], high[year, j] = share["low"], share["high"]
    by_trends = (low <= truth) & (truth <= high), high - low
    theta = np.array([[float(x) for x in row.split(",")[1:]] for row in mixtures])[:, order]
    theta = theta.reshape(years, per_year, k)
    reach = student.ppf(0.975, per_year - 1) * theta.std(axis=1, ddof=1) / np.sqrt(per_year)
    by_inference = np.abs(theta.mean(axis=1) - truth) <= reach, 2 * reach
    return by_trends, by_inference, distance[np.arange(k), order].mean() / 2


def main():
    program = str(Path(sys.argv[1]).resolve())
    corpora = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    print(f"{corpora} corpora of each kind")
    print("words  k  years x documents, lengths          topics off  trends: covers  width  infer: covers  width")
    for kind in KINDS:
        runs = [coverage(program, kind, 7000 + seed) for seed in range(corpora)]
        n, k, years, per_year, lengths, bursts = kind
        name = f"{years} x {per_year}, {lengths[0]} to {lengths[1]}" + (", bursts" if bursts else "")
        numbers = [np.mean([run[at][what] for run in runs]) for at in (0, 1) for what in (0, 1)]
        off = np.mean([run[2] for run in runs])
        print(
            f"{n:5} {k:2}  {name:35}  {off:10.3f}  {numbers[0]:14.3f}  {numbers[1]:5.3f}  "
            f"{numbers[2]:13.3f}  {numbers[3]:5.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
