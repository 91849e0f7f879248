#!/usr/bin/env python3
"""Makes the seeds of the fuzz targets, crates/svtd-fuzz/seeds/TARGET/NAME.

The first byte of a reader's seed chooses options; the rest is a small file of its format. Usage:

    tools/build_fuzz_seeds.py path/to/svtd

`svtd` writes the seeds in our own formats (a counted corpus, models).
"""

import gzip
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEEDS = ROOT / "crates/svtd-fuzz/seeds"
FIXTURES = ROOT / "crates/svtd/tests/data"

DOCWORD = "4\n5\n7\n1 1 2\n1 2 1\n2 2 3\n2 3 1\n3 1 1\n3 5 4\n4 4 2\n"
MTX = "%%MatrixMarket matrix coordinate integer general\n% words\n4 5 5\n1 1 2\n1 2 1\n2 3 1\n3 5 4\n4 4 2\n"
TEXTS = [
    "The sea and the ships of the harbour, 1945.",
    "Wheat, barns and the harvest; don't forget the barns!",
    "Ships sail: the sea's harbour is U.S. ground 3.5",
    "Na\u00efve caf\u00e9 \u6f22\u5b57 \U0001f600 soft\u00adhyphen L'amor",
]

PLAIN = {
    "docword": {"small": DOCWORD, "transposed": "\x01" + DOCWORD, "zeros": "2\n2\n2\n1 1 0\n2 2 3.0\n"},
    "mtx": {
        "integer": MTX,
        "real": MTX.replace("integer", "real").replace(" 2\n", " 2.0\n"),
        "pattern": "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 1\n2 3\n",
    },
    "lda-c": {"small": "2 0:2 1:1\n2 1:3 2:1\n0\n1 3:2\n"},
    "svmlight": {"small": "1 1:2 3:1 # a\n-1 2:1\n+1 qid:3 1:4294967295\n"},
    "counts-csv": {
        "commas": "document,sea,ship,wheat\na,1,2,0\nb,0,0,3\n\"c,d\",1,0,1\n",
        "tabs": "sea\tship\n1\t2\n0\t1\n",
    },
    "lines": {"text": "\n".join(TEXTS) + "\n", "windows": "\x02" + "Caf\u00e9\nna\u00efve\n"},
    "jsonl": {
        "objects": "".join(f'{{"id": {i}, "text": "{t}", "label": "x"}}\n' for i, t in enumerate(TEXTS)),
        "words": '{"tokens": ["sea", "new york", "sea"]}\n{"tokens": []}\n',
    },
    "csv": {
        "commas": 'id,text,label\n1,"The sea, the ships",x\n2,"Wheat ""and"" barns",y\n',
        "semicolons": "text;n\nsea ships;1\nwheat barns;2\n",
    },
    "tsv": {"tabs": "id\ttext\n1\tsea ships\n2\twheat barns\n"},
    "vocabulary": {"words": "sea\nship\nwheat\n\u6f22\u5b57\n"},
    "tokenizer": {"text": "\n".join(TEXTS), "ngrams": "\x08" + "\n".join(TEXTS), "regex": "\x18" + TEXTS[3]},
}
NO_OPTIONS = {"vocabulary"}


def write(target: str, name: str, data: bytes) -> None:
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def with_options(target: str, text: str) -> bytes:
    data = text.encode()
    if target in NO_OPTIONS or data[:1] < b"\x20" and data[:1] not in (b"\n", b"\t"):
        return data
    return b"\0" + data


def main() -> None:
    program = str(pathlib.Path(sys.argv[1]).resolve())
    for target, seeds in PLAIN.items():
        for name, text in seeds.items():
            write(target, name, with_options(target, text))
            if target not in NO_OPTIONS | {"tokenizer"}:
                write("any", f"{target}-{name}", b"\0" + text.lstrip("\x01\x02").encode())
    write("any", "gzip", b"\0" + gzip.compress(DOCWORD.encode(), mtime=0))
    for path in sorted(FIXTURES.iterdir()):
        if path.stat().st_size < 1 << 13:
            write(path.suffix[1:], path.stem, b"\0" + path.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "docword.t.txt").write_text(DOCWORD)
        (place / "texts.txt").write_text("\n".join(TEXTS * 10) + "\n")

        def svtd(*arguments: str) -> None:
            subprocess.run([program, "-q", *arguments], cwd=place, check=True, stdout=subprocess.DEVNULL)

        svtd("count", "docword.t.txt", "-o", "a.svtdc")
        svtd("count", "texts.txt", "--min-df", "1", "-o", "b.svtdc")
        svtd("fit", "texts.txt", "-k", "2", "--min-df", "1", "-o", "lda.svtd")
        svtd("fit", "texts.txt", "-k", "2", "--min-df", "1", "--model", "single-topic", "-o", "single.svtd")
        for name in ["a", "b"]:
            write("svtdc", name, b"\0" + (place / f"{name}.svtdc").read_bytes())
        for name in ["lda", "single"]:
            write("model", name, (place / f"{name}.svtd").read_bytes())
    # Choices of the structured target: the kinds of corpora it knows, each with some bytes to draw from.
    noise = bytes((i * 167 + 13) % 256 for i in range(400))
    for kind in range(8):
        head = bytes([kind, kind * 37 % 256, kind * 91 % 256, 48 + kind])
        write("fit", f"kind-{kind}", head + bytes([kind % 4, 200, kind % 3, 255, kind % 4, kind % 5]) + noise)


if __name__ == "__main__":
    main()
