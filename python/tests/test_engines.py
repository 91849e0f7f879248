"""Documents that Dask or Spark hold: the same bytes as one process."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import svtd

N, WORDS = 900, [f"word{i}" for i in range(60)]


def bursts(seed):
    """Documents whose words come in bursts, as in text: no candidates have to be compared."""
    drawn = svtd.generate(n_samples=N, n_features=len(WORDS), n_components=3, random_state=seed)
    return sp.csr_matrix(drawn.X) * 3


def file_of(model):
    return model._fitted.to_bytes()


@pytest.fixture(scope="module")
def counts():
    return bursts(1)


@pytest.fixture(scope="module")
def alone(counts):
    return {
        svtd.LDA: svtd.LDA(3, trust=False).fit(counts, words=WORDS),
        svtd.SingleTopic: svtd.SingleTopic(3, trust=False).fit(counts, words=WORDS),
    }


def parts_of(counts, n):
    edges = np.linspace(0, counts.shape[0], n + 1).astype(int)
    return [counts[start:end] for start, end in zip(edges[:-1], edges[1:])]


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"
    ) as cluster, distributed.Client(cluster) as client:
        yield client


class TestDask:
    @staticmethod
    def array(counts, n):
        dask = pytest.importorskip("dask")
        import dask.array as da

        pieces = [
            da.from_delayed(dask.delayed(part), shape=part.shape, dtype=part.dtype, meta=sp.csr_matrix((0, 0)))
            for part in parts_of(counts, n)
        ]
        return da.concatenate(pieces)

    @pytest.mark.parametrize("n", [1, 3, 8])
    def test_the_model_file_has_the_same_bytes_for_any_partitions(self, client, counts, alone, n):
        import svtd.dask

        model = svtd.dask.LDA(3).fit(self.array(counts, n), words=WORDS)
        assert file_of(model.model_) == file_of(alone[svtd.LDA])

    def test_single_topics_frames_and_bags(self, client, counts, alone):
        import dask.bag
        import dask.dataframe
        import pandas as pd
        import svtd.dask

        expected = file_of(alone[svtd.SingleTopic])
        frame = pd.DataFrame(counts.toarray(), columns=WORDS)
        frames = dask.dataframe.from_pandas(frame, npartitions=3)
        assert file_of(svtd.dask.SingleTopic(3).fit(frames).model_) == expected
        tokens = [
            [WORDS[i] for i, x in zip(row.indices, row.data) for _ in range(int(x))] for row in counts
        ]
        bag = dask.bag.from_sequence(tokens, npartitions=4)
        assert file_of(svtd.dask.SingleTopic(3).fit(bag, words=WORDS).model_) == expected

    def test_documents_are_asked_about_where_they_are(self, client, counts, alone):
        import svtd.dask

        array = self.array(counts, 3)
        model = svtd.dask.LDA(3).fit(array, words=WORDS)
        shares = model.transform(array).compute()
        np.testing.assert_array_equal(np.asarray(shares), alone[svtd.LDA].transform(counts))

    def test_a_killed_worker_changes_nothing(self, counts, alone):
        distributed = pytest.importorskip("distributed")
        import svtd.dask

        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"
        ) as cluster, distributed.Client(cluster) as client:
            killed = []

            def kill(stage, done, of):
                # In the middle of the sweeps, when the workers keep something between questions.
                if stage == "polish" and done == 3 and not killed:
                    killed.append(next(iter(client.run(os.getpid).values())))
                    os.kill(killed[0], signal.SIGKILL)

            model = svtd.dask.LDA(3, client=client, callback=kill)
            model.fit(self.array(counts, 4), words=WORDS)
            assert killed and file_of(model.model_) == file_of(alone[svtd.LDA])

    def test_a_fit_that_was_left_goes_on_from_its_checkpoint(self, client, counts, alone, tmp_path):
        import svtd.dask

        class Left(Exception):
            pass

        def leave(stage, done, of):
            if stage == "polish" and done == 5:
                raise Left

        array = self.array(counts, 2)
        with pytest.raises(Left):
            svtd.dask.LDA(3, callback=leave).fit(array, words=WORDS, checkpoint=tmp_path)
        kept = len(list(tmp_path.iterdir()))
        assert kept > 5
        model = svtd.dask.LDA(3).fit(array, words=WORDS, checkpoint=tmp_path)
        assert file_of(model.model_) == file_of(alone[svtd.LDA])

    def test_bad_input_is_a_sentence(self, client, counts):
        import svtd.dask

        with pytest.raises(ValueError, match="trust must be left out"):
            svtd.dask.LDA(3, trust=True)
        with pytest.raises(ValueError, match="n_components must be a number here"):
            svtd.dask.LDA("auto")
        with pytest.raises(ValueError, match="59 names for 60 columns"):
            svtd.dask.LDA(3).fit(self.array(counts, 2), words=WORDS[:59])
        with pytest.raises(TypeError, match="a dask array, data frame or bag is needed"):
            svtd.dask.LDA(3).fit(counts)
        with pytest.raises(ValueError, match="whole number|0.5"):
            svtd.dask.LDA(3).fit(self.array(counts * 0.5, 2))


@pytest.fixture(scope="module")
def spark():
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


@pytest.fixture(scope="module")
def documents(spark, counts):
    from pyspark.ml.linalg import Vectors

    def vector(row):
        places, values = row.indices.tolist(), row.data.astype(float).tolist()
        return Vectors.sparse(row.shape[1], places, values)

    rows = [(i, vector(row)) for i, row in enumerate(counts)]
    return spark.createDataFrame(rows, ["id", "features"])


CONNECT = """
import sys
import scipy.sparse as sp
from pyspark.ml.linalg import Vectors
from pyspark.sql import SparkSession
from pyspark.sql.connect.session import SparkSession as Connected
import svtd.spark

spark = (
    SparkSession.builder.remote("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .getOrCreate()
)
assert isinstance(spark, Connected)
counts = sp.load_npz(sys.argv[1] + "/counts.npz").tocsr()
vector = lambda row: Vectors.sparse(row.shape[1], row.indices.tolist(), row.data.astype(float).tolist())
documents = spark.createDataFrame([(vector(row),) for row in counts], ["features"]).repartition(3)
words = [f"word{i}" for i in range(counts.shape[1])]
model = svtd.spark.SingleTopic(k=3, vocabulary=words, groups=2).fit(documents)
assert model.transform(documents).count() == counts.shape[0]
model.save(sys.argv[1] + "/model.svtd")
spark.stop()
"""


class TestSpark:
    @pytest.mark.parametrize("n", [1, 7, 64])
    def test_the_model_file_has_the_same_bytes_for_any_partitions(self, documents, alone, n):
        import svtd.spark

        estimator = svtd.spark.SingleTopic(k=3, vocabulary=WORDS, groups=2)
        model = estimator.fit(documents.repartition(n))
        assert file_of(model.toLocal()) == file_of(alone[svtd.SingleTopic])

    def test_mixtures_of_topics_and_a_column_of_vectors(self, documents, counts, alone):
        import svtd.spark

        model = svtd.spark.LDA(k=3, vocabulary=WORDS, groups=2).fit(documents)
        assert file_of(model.toLocal()) == file_of(alone[svtd.LDA])
        told = model.transform(documents).orderBy("id").select("topicDistribution").collect()
        shares = np.array([row[0].toArray() for row in told])
        np.testing.assert_array_equal(shares, alone[svtd.LDA].transform(counts))
        words = model.describeTopics(4)
        assert list(words.columns) == ["topic", "term", "probability"] and len(words) == 12
        assert set(words.term) <= set(WORDS)

    def test_over_spark_connect(self, spark, counts, alone, tmp_path):
        """In a process of its own: one process has sessions of one kind only."""
        pytest.importorskip("grpc")
        sp.save_npz(tmp_path / "counts.npz", counts)
        script = tmp_path / "connect.py"
        script.write_text(CONNECT)
        done = subprocess.run(
            [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert (tmp_path / "model.svtd").read_bytes() == file_of(alone[svtd.SingleTopic])

    def test_weights_are_refused(self, spark):
        from pyspark.ml.linalg import Vectors
        import svtd.spark

        frame = spark.createDataFrame([(Vectors.sparse(3, [0, 2], [0.5, 1.25]),)], ["features"])
        with pytest.raises(Exception, match="whole number|0.5"):
            svtd.spark.LDA(k=2, groups=2).fit(frame)

    def test_the_guide_runs(self, spark, tmp_path, monkeypatch):
        guide = pathlib.Path(__file__).parents[2] / "docs/guides/spark.md"
        blocks = re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL)
        assert blocks
        monkeypatch.chdir(tmp_path)
        names = {}
        for block in blocks:
            exec(compile(block, str(guide), "exec"), names)
        model = svtd.load("topics.svtd")
        groups = [{"ship", "sea", "wind", "sail", "harbour"}, {"bread", "oven", "flour", "salt", "yeast"}]
        tops = [set(words) for words in model.top_words(5)]
        assert all(group in tops for group in groups)
