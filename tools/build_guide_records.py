#!/usr/bin/env python3
"""Draws the made-up tables behind the guides on records: a survey and slides read by pathologists.

    python tools/build_guide_records.py docs/guides/data
"""

import random
import sys
from pathlib import Path


def survey(path: Path) -> None:
    """600 people about how they get about: three habits, some answers missing, weights."""
    draw = random.Random(11)
    habits = [
        # share, then for each question the chances of its answers
        (0.5, [[0.85, 0.1, 0.05], [0.1, 0.3, 0.6], [0.9, 0.1], [0.2, 0.8], [0.7, 0.2, 0.1]]),
        (0.3, [[0.1, 0.7, 0.2], [0.1, 0.5, 0.4], [0.3, 0.7], [0.3, 0.7], [0.2, 0.3, 0.5]]),
        (0.2, [[0.05, 0.15, 0.8], [0.75, 0.2, 0.05], [0.4, 0.6], [0.9, 0.1], [0.1, 0.3, 0.6]]),
    ]
    questions = [
        ("to_work", ["car", "bus", "bicycle"]),
        ("cycles", ["often", "sometimes", "never"]),
        ("owns_car", ["yes", "no"]),
        ("lives_near_work", ["yes", "no"]),
        ("parking", ["more", "as it is", "less"]),
    ]
    lines = [",".join([name for name, _ in questions] + ["weight"])]
    for _ in range(600):
        _, chances = draw.choices(habits, [share for share, _ in habits])[0]
        cells = []
        for (_, answers), p in zip(questions, chances):
            answer = draw.choices(answers, p)[0]
            gap = draw.random()
            cells.append("NA" if gap < 0.06 else "-9" if gap < 0.1 else answer)
        cells.append(draw.choice(["0.8", "1", "1.25"]))
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n")


def slides(wide: Path, long: Path) -> None:
    """118 slides, 7 pathologists who say whether they see carcinoma."""
    draw = random.Random(7)
    seen = {
        # chance of a yes on a clear slide, a doubtful one, a carcinoma
        "A": (0.05, 0.55, 0.99), "B": (0.10, 0.98, 0.99), "C": (0.01, 0.03, 0.90),
        "D": (0.01, 0.03, 0.70), "E": (0.04, 0.85, 0.99), "F": (0.01, 0.02, 0.55),
        "G": (0.01, 0.75, 0.99),
    }
    rows, ratings = [",".join(seen)], ["item,rater,label"]
    for slide in range(1, 119):
        kind = draw.choices([0, 1, 2], [0.38, 0.27, 0.35])[0]
        answers = ["yes" if draw.random() < p[kind] else "no" for p in seen.values()]
        rows.append(",".join(answers))
        ratings += [f"{slide},{rater},{a}" for rater, a in zip(seen, answers)]
    wide.write_text("\n".join(rows) + "\n")
    long.write_text("\n".join(ratings) + "\n")


def main() -> None:
    folder = Path(sys.argv[1])
    survey(folder / "survey.csv")
    slides(folder / "slides.csv", folder / "ratings.csv")


if __name__ == "__main__":
    main()
