#!/usr/bin/env python3
"""Makes a folder of text files of any size, to measure how reading them uses memory and time.

    tools/make_text_folder.py FOLDER MEGABYTES

Files of about 8 kB, a thousand to a subfolder. The words are made up: 100,000 spellings by Zipf's
law in sentences, and in each file two words that no other has, as names and misspellings are. The
same call makes the same bytes.
"""

import itertools
import pathlib
import random
import sys

SPELLINGS, SENTENCES, FILE = 100_000, 50_000, 8_000


def main(folder: pathlib.Path, megabytes: int) -> None:
    rng = random.Random(1)
    syllables = [c + v for c in "bcdfglmnprstvz" for v in "aeiou"]
    spellings = [
        "".join(rng.choices(syllables, k=1 + rank.bit_length() // 5)) + rng.choice(["", "n", "s", "r"])
        for rank in range(SPELLINGS)
    ]
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(SPELLINGS)))
    sentences = []
    for _ in range(SENTENCES):
        words = rng.choices(spellings, cum_weights=weights, k=rng.randint(6, 24))
        sentences.append(" ".join(words).capitalize() + ".")
    length = sum(map(len, sentences)) / SENTENCES + 1
    for i in range(megabytes * 1_000_000 // FILE):
        below = folder / f"{i // 1000:04}"
        if i % 1000 == 0:
            below.mkdir(parents=True)
        text = rng.choices(sentences, k=round(FILE / length))
        text.append(f"Only here: x{i:x}y and z{i:x}w.\n")
        (below / f"{i % 1000:03}.txt").write_text(" ".join(text))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), int(sys.argv[2]))
