"""Builds the small matrices and tables in crates/svtd/tests/data as SciPy and pyarrow write them.

All but one of them are one corpus of three documents over five words, of our own making:

    0 1 0 0 3
    0 0 0 0 0
    0 2 0 0 0

`texts.parquet` has the sentences of the command line's tests (`TEXTS` there) in every type that text
may have in a column.

Needs scipy and pyarrow; the files are committed, so nobody has to run this to test.
"""

import pathlib
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

HERE = pathlib.Path(__file__).resolve().parent.parent / "crates/svtd/tests/data"


def matrices(folder):
    dense = np.array([[0, 1, 0, 0, 3], [0, 0, 0, 0, 0], [0, 2, 0, 0, 0]])
    csr = sp.csr_matrix(dense)
    sp.save_npz(folder / "csr.npz", csr)
    sp.save_npz(folder / "csc-plain.npz", sp.csc_matrix(dense), compressed=False)
    sp.save_npz(folder / "real.npz", csr.astype(np.float64))
    sp.save_npz(folder / "transposed.npz", csr.T.tocsr().astype(np.float32))
    wide = sp.csr_array(dense.astype(np.uint8))
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    sp.save_npz(folder / "int64.npz", wide)
    # Two entries that mean one, and a zero.
    row, col, data = [2, 0, 0, 2, 1], [1, 4, 1, 1, 0], [1, 3, 1, 1, 0]
    sp.save_npz(folder / "coo-repeated.npz", sp.coo_matrix((data, (row, col)), shape=(3, 5)))
    sp.save_npz(folder / "tfidf.npz", csr * 0.5)
    sp.save_npz(folder / "negative.npz", -csr)
    sp.save_npz(folder / "dia.npz", sp.dia_matrix(dense))
    np.savez(folder / "arrays.npz", counts=dense)


def tables(folder):
    text = ["amor stelle stelle stelle", None, "amor amor"]
    tokens = [["amor", "stelle", "stelle", "stelle"], [], ["amor", "amor"]]
    pq.write_table(
        pa.table(
            {
                "id": ["inferno", "purgatorio", "paradiso"],
                "text": text,
                "tokens": tokens,
                "indices": pa.array([[1, 4], None, [1]], pa.list_(pa.int32())),
                "counts": pa.array([[1, 3], [], [2]], pa.list_(pa.int64())),
                "weights": pa.array([[0.5, 3.0], [], [2.0]], pa.list_(pa.float64())),
                "class": pa.array([1, 2, 1], pa.int8()),
                "date": pa.array([0, 1, 2], pa.date32()),
            }
        ),
        folder / "documents.parquet",
        compression="snappy",
    )
    for name, compression in [("zstd", "zstd"), ("gzip", "gzip"), ("lz4", "lz4"), ("plain", "none")]:
        table = pa.table({"text": pa.array(text, pa.large_string()).dictionary_encode()})
        pq.write_table(table, folder / f"text-{name}.parquet", compression=compression)


TEXTS = [
    "The ships sailed from the harbour and the sailors sang of the sea",
    "The farmers planted the wheat and the harvest filled the barns",
    "Sailors and ships crossed the sea toward another harbour",
    "Wheat and barns, farmers and harvest: the fields were full of wheat",
    "A storm on the sea drove the ships back into the harbour with their sailors",
    "The harvest of wheat was good, said the farmers, and the barns were full",
    "The sea was calm; the sailors rested in the harbour beside their ships",
    "Farmers store wheat in barns after the harvest",
]


def texts(folder):
    table = pa.table(
        {
            "id": [f"d{i}" for i in range(8)],
            "text": pa.array(TEXTS, pa.string()),
            "large": pa.array(TEXTS, pa.large_string()),
            "view": pa.array(TEXTS, pa.string_view()),
            "dictionary": pa.array(TEXTS).dictionary_encode(),
            "title": [text.split()[0] for text in TEXTS],
            "words": [text.lower().replace(",", "").replace(":", "").replace(";", "").split() for text in TEXTS],
            "label": [f"l{i % 2}" for i in range(8)],
            "year": pa.array(range(1881, 1889), pa.int16()),
        }
    )
    # Three row groups, so that reading has to go from one to the next.
    pq.write_table(table, folder / "texts.parquet", compression="zstd", row_group_size=3)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    folder.mkdir(parents=True, exist_ok=True)
    matrices(folder)
    tables(folder)
    texts(folder)
