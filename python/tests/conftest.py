"""Corpora for all tests, and the command line program to compare with."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import scipy.sparse as sp
import svtd

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def lda_corpus():
    """2000 documents that mix four topics."""
    return svtd.generate(
        "lda", n_samples=2000, n_features=60, n_components=4, lengths=(20, 80), random_state=3
    )


@pytest.fixture(scope="session")
def single_corpus():
    """2000 documents about one of four topics each."""
    return svtd.generate(
        n_samples=2000, n_features=60, n_components=4, lengths=(20, 80), random_state=3
    )


@pytest.fixture(scope="session")
def spark():
    """Spark on this machine alone; a test is skipped without Spark or Java."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(params=["lda", "single-topic"])
def kind(request):
    return request.param


@pytest.fixture
def estimator(kind):
    return (svtd.LDA if kind == "lda" else svtd.SingleTopic)(n_components=4)


@pytest.fixture
def corpus(kind, lda_corpus, single_corpus):
    return lda_corpus if kind == "lda" else single_corpus


@pytest.fixture(scope="session")
def program():
    """The command line program: of ``SVTD_PROGRAM``, or as Cargo builds it."""
    path = Path(os.environ.get("SVTD_PROGRAM", ROOT / "target" / "debug" / "svtd"))
    if not path.exists():
        pytest.skip(f"{path} is not built; `make python` builds it")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def write_matrix_market(path, matrix):
    """The counts as a file that the command line reads."""
    coo = sp.coo_matrix(matrix)
    with open(path, "w") as out:
        out.write("%%MatrixMarket matrix coordinate integer general\n")
        out.write(f"{coo.shape[0]} {coo.shape[1]} {coo.nnz}\n")
        for d, i, x in zip(coo.row, coo.col, coo.data):
            out.write(f"{d + 1} {i + 1} {x}\n")
