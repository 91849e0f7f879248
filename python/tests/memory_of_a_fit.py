"""Fits a model on a matrix of many entries, and prints how much memory that added.

Run as a process of its own by ``test_memory.py``.
"""

import json
import resource
import sys

import numpy as np
import scipy.sparse as sp
import svtd


def peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def matrix(n_entries, n_words=20_000, per_document=80):
    """Documents of 80 different words, as CountVectorizer would give them."""
    n_documents = n_entries // per_document
    rng = np.random.default_rng(0)
    indices = np.empty(n_documents * per_document, dtype=np.int32)
    # One word of each of 80 strips, and topics that prefer some strips' beginnings.
    width = n_words // per_document
    strips = np.arange(per_document, dtype=np.int32) * width
    for start in range(0, n_documents, 10_000):
        stop = min(start + 10_000, n_documents)
        topic = rng.integers(0, 5, size=(stop - start, 1))
        offsets = (rng.random((stop - start, per_document)) ** (1 + topic) * width).astype(np.int32)
        indices[start * per_document : stop * per_document] = (strips + offsets).ravel()
    data = np.ones(len(indices), dtype=np.int64)
    data[::3] = 2
    indptr = np.arange(0, len(indices) + 1, per_document, dtype=np.int32)
    return sp.csr_matrix((data, indices, indptr), shape=(n_documents, n_words))


def main(cls, n_entries, k):
    X = matrix(n_entries)
    X.has_canonical_format = True
    passed_in = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    # What the process and the libraries need anyway.
    getattr(svtd, cls)(2, allow_fewer=True).fit(X[:1000])
    before = peak()
    getattr(svtd, cls)(k, allow_fewer=True, n_jobs=2).fit(X)
    print(json.dumps({"passed_in": passed_in, "added": peak() - before}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
