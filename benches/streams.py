"""How much memory does a stream take?

    python benches/streams.py target/release/svtd DOCUMENTS EVERY [FLAGS ...]

Draws a stream of text from a known LDA model (20 topics, 20,000 words, documents of 100 words), pipes it
through `svtd fit - --every EVERY` with the flags given, and prints the largest resident memory of the
process, its CPU seconds and its wall time. Nothing of the stream is kept here: documents are drawn a block
at a time. Recorded in benches/record/streams.md.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_WORDS, N_TOPICS, LENGTH, BLOCK = 20_000, 20, 100, 20_000


def blocks(n_documents):
    """Blocks of documents as bytes, a document a line."""
    rng = np.random.default_rng(0)
    base = 1 / (np.arange(N_WORDS) + 10.0)
    topics = [rng.dirichlet(0.02 * N_WORDS * base / base.sum()) for _ in range(N_TOPICS)]
    laws = np.cumsum(topics, axis=1)
    letters = np.frombuffer(b"abcdefghijklmnopqrst", dtype="S1")
    digits = np.indices((20, 20, 20, 20)).reshape(4, -1)[:, :N_WORDS]
    # Words of four letters between an x and a blank, so that none is a stop word.
    words = np.array([b"x" + b"".join(letters[d] for d in word) for word in digits.T], dtype="S5")
    table = np.char.add(words, b" ").astype("S6")
    for start in range(0, n_documents, BLOCK):
        n = min(BLOCK, n_documents - start)
        mixtures = np.cumsum(rng.dirichlet(np.full(N_TOPICS, 0.1), size=n), axis=1)
        topic = (rng.random((n, LENGTH))[:, :, None] > mixtures[:, None, :]).sum(axis=2)
        topic = np.minimum(topic, N_TOPICS - 1).ravel()
        order = np.argsort(topic, kind="stable")
        drawn = np.empty(n * LENGTH, dtype=np.int64)
        bounds = np.searchsorted(topic[order], np.arange(N_TOPICS + 1))
        for j in range(N_TOPICS):
            of_topic = order[bounds[j] : bounds[j + 1]]
            found = np.searchsorted(laws[j], rng.random(len(of_topic)))
            drawn[of_topic] = np.minimum(found, N_WORDS - 1)
        text = table[drawn].view("S1").reshape(n, 6 * LENGTH)
        text[:, -1] = b"\n"
        yield text.tobytes()


def main():
    program, n_documents, every = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    flags = sys.argv[4:]
    with tempfile.TemporaryDirectory() as folder:
        line = [str(Path(program).resolve()), "fit", "-", "--format", "lines", "-k", str(N_TOPICS)]
        line += ["--language", "english", "--every", every, "-o", "m.svtd", *flags]
        begin = time.monotonic()
        child = subprocess.Popen(line, cwd=folder, stdin=subprocess.PIPE)
        for block in blocks(n_documents):
            child.stdin.write(block)
        child.stdin.close()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - begin
    print(
        f"{n_documents * LENGTH / 1e6:.0f} M words, flags {' '.join(flags) or '-'}: ended with {status}; "
        f"largest resident memory {usage.ru_maxrss / 1e6:.2f} GB, "
        f"{usage.ru_utime:.0f} s CPU and {usage.ru_stime:.0f} s in the system, {seconds:.0f} s in all"
    )


if __name__ == "__main__":
    main()
