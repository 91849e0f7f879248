"""Of topics that one split calls found again, how many are lost in other splits?

    SVTD_DATA=... python benches/found_elsewhere.py [choosing] [--splits 8] [--out rows.jsonl]

Every split deals the documents into two random halves, each fitted by itself as a whole is and matched to the whole. Each
split in turn is ours and the rest are unseen. *Ours*: how many of the ten words of the whole's topic are in both halves.
*Elsewhere*: how many of ten words the two halves share, the mean over the unseen splits; lost is fewer than five. *Held by few*:
the fit says that three documents or fewer hold half of the topic. Chance is not taken off: on text it is rarely what
decides. `choosing`: the corpora that the rule was chosen on, in place of those it is shown on. Needs the installed package
and pandas.
"""

import argparse
import json
import os
import re
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import svtd
from scipy.optimize import linear_sum_assignment

BARS = (7, 8, 9, 10)

# A passage with fewer words than this is left out.
FEWEST_WORDS = 10


def read(name):
    data = Path(os.environ["SVTD_DATA"])
    n, v, _ = np.loadtxt(data / f"docword.{name}.txt.gz", max_rows=3, dtype=int)
    d, w, c = np.loadtxt(data / f"docword.{name}.txt.gz", skiprows=3, dtype=int).T
    return sp.csr_matrix((c, (d - 1, w - 1)), shape=(n, v))


def passages(name, cut):
    """Parts of the texts of a folder as documents, over the words of its vocabulary."""
    data = Path(os.environ["SVTD_DATA"])
    number = {word: i for i, word in enumerate((data / f"vocab.{name}.txt").read_text().split())}
    rows = []
    for path in sorted((data / name).glob("*.txt")):
        for passage in cut([line for line in path.read_text().splitlines() if line.strip()]):
            words = re.findall(r"[^\W\d_]+", passage.lower())
            row = np.bincount([number[word] for word in words if word in number], minlength=len(number))
            if row.sum() >= FEWEST_WORDS:
                rows.append(sp.csr_matrix(row))
    return sp.vstack(rows).tocsr()


def corpora(choosing):
    news = read("20newsgroups")
    labels = (Path(os.environ["SVTD_DATA"]) / "labels.20newsgroups.txt").read_text().splitlines()

    def of(first, *prefixes):
        some = [d for d, label in enumerate(labels) if label.startswith(prefixes) and d % 6 > 1]
        return news[some[first::2]]

    if choosing:
        for first in (0, 1):
            yield f"20 newsgroups, one in six from {first}", news[first::6], (10, 20, 40)
        yield "reuters395", read("reuters395"), (10, 20)
        yield "state_union", read("state_union"), (10,)
        yield "divina_commedia", read("divina_commedia"), (10,)
        yield "20 newsgroups, one in six from 3", news[3::6], (10, 20, 50)
        yield "20 newsgroups, comp and sci", of(0, "comp", "sci"), (10, 20, 50)
        yield "20 newsgroups, rec and talk", of(0, "rec", "talk"), (10, 20, 50)
        return
    yield "state_union, paragraphs", passages("state_union", list), (10, 20, 50)
    thirty_six = lambda lines: (" ".join(lines[at : at + 36]) for at in range(0, len(lines), 36))
    yield "divina_commedia, twelve terzine", passages("divina_commedia", thirty_six), (10, 20)
    for first in (2, 4, 5):
        yield f"20 newsgroups, one in six from {first}", news[first::6], (10, 20, 50)
    yield "20 newsgroups, alt, soc and misc", of(1, "alt", "soc", "misc"), (10, 20)
    yield "20 newsgroups, sci and rec", of(1, "sci", "rec"), (10, 20, 50)


def fit(kind, k, counts, trust=False):
    estimator = svtd.LDA if kind == "LDA" else svtd.SingleTopic
    return estimator(k, trust=trust, splits=1, allow_fewer=True).fit(counts)


def likeliest(found):
    return [set(np.argsort(-row, kind="stable")[:10]) for row in found]


def matched(whole, half):
    distance = np.array([np.abs(half - row).sum(axis=1) for row in whole])
    rows, columns = linear_sum_assignment(distance)
    return dict(zip(rows.tolist(), columns.tolist()))


def splits(kind, k, counts, n_splits):
    """For each split and topic of the whole corpus: how many of its words both halves have, how many words the halves
    share, the distance between them, and whether few documents hold the topic."""
    model = fit(kind, k, counts, trust=True)
    whole = model.components_
    own = likeliest(whole)
    table = np.zeros((n_splits, len(whole), 4))
    table[:, :, 2] = 2
    table[:, :, 3] = ["driven by few" in said for said in model.topic_info_["warnings"]]
    for split in range(n_splits):
        order = np.random.default_rng(77 + split).permutation(counts.shape[0])
        halves = [fit(kind, k, counts[np.sort(order[half::2])]).components_ for half in (0, 1)]
        places, words = [matched(whole, half) for half in halves], [likeliest(half) for half in halves]
        for j in range(len(whole)):
            if all(j in place for place in places):
                x, y = (place[j] for place in places)
                both = words[0][x] & words[1][y]
                apart = np.abs(halves[0][x] - halves[1][y]).sum()
                table[split, j, :3] = len(own[j] & both), len(both), apart
    return table


def called_and_lost(table, bar, n, few):
    """Mean numbers, over all choices of `n` neighbouring splits, of topics found again by this threshold (`few`: including those held
    by few documents), and of those among them that the other splits do not find."""
    size = len(table)
    called = lost = 0.0
    for first in range(size):
        ours = [(first + i) % size for i in range(n)]
        rest = [i for i in range(size) if i not in ours]
        firm = (table[ours, :, 0].mean(axis=0) >= bar) & (few | (table[0, :, 3] == 0))
        called += firm.sum() / size
        lost += (firm & (table[rest, :, 1].mean(axis=0) < 5)).sum() / size
    return called, lost


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("choosing", nargs="?", choices=["choosing"])
    parser.add_argument("--splits", type=int, default=8)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    sums = {}
    for name, counts, numbers in corpora(asked.choosing):
        for kind in ("LDA", "single topic"):
            for k in numbers:
                table = splits(kind, k, counts, asked.splits)
                for key in ((n, bar, few) for n in (1, 2) for bar in BARS for few in (True, False)):
                    found = np.array(called_and_lost(table, key[1], key[0], key[2]))
                    sums[kind, *key] = sums.get((kind, *key), 0) + found
                if asked.out:
                    row = {"corpus": name, "model": kind, "k": k, "table": table.round(4).tolist()}
                    with asked.out.open("a") as out:
                        out.write(json.dumps(row) + "\n")
    print("| model | splits | words of ten | held by few | called | of these lost elsewhere | part |\n|---|---|---|---|---|---|---|")
    for (kind, n, bar, few), (called, lost) in sums.items():
        held_by_few = "as others" if few else "never"
        print(f"| {kind} | {n} | {bar} | {held_by_few} | {called:.1f} | {lost:.1f} | {lost / max(called, 1e-9):.2f} |")


if __name__ == "__main__":
    main()
