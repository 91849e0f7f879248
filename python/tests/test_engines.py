"""Documents that Dask or Spark hold: the same bytes as one process."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

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

        model = svtd.dask.LDA(3, trust=False).fit(self.array(counts, n), words=WORDS)
        assert file_of(model.model_) == file_of(alone[svtd.LDA])

    @pytest.mark.parametrize("kind", ["LDA", "SingleTopic"])
    def test_error_bars_and_topics_found_again_too(self, client, counts, kind):
        import svtd.dask

        model = getattr(svtd.dask, kind)(3).fit(self.array(counts, 3), words=WORDS)
        alone = getattr(svtd, kind)(3).fit(counts, words=WORDS)
        assert file_of(model.model_) == file_of(alone)
        assert alone.topic_info_["n_groups"].tolist() == [20] * 3

    def test_the_number_of_topics_is_chosen_where_the_documents_are(self, client, counts):
        import svtd.dask

        model = svtd.dask.LDA("auto", trust=False).fit(self.array(counts, 3), words=WORDS)
        alone = svtd.LDA("auto", trust=False).fit(counts, words=WORDS)
        assert file_of(model.model_) == file_of(alone)

    def test_single_topics_frames_and_bags(self, client, counts, alone):
        import dask.bag
        import dask.dataframe
        import pandas as pd
        import svtd.dask

        expected = file_of(alone[svtd.SingleTopic])
        frame = pd.DataFrame(counts.toarray(), columns=WORDS)
        frames = dask.dataframe.from_pandas(frame, npartitions=3)
        assert file_of(svtd.dask.SingleTopic(3, trust=False).fit(frames).model_) == expected
        tokens = [
            [WORDS[i] for i, x in zip(row.indices, row.data) for _ in range(int(x))] for row in counts
        ]
        bag = dask.bag.from_sequence(tokens, npartitions=4)
        assert file_of(svtd.dask.SingleTopic(3, trust=False).fit(bag, words=WORDS).model_) == expected

    def test_documents_are_asked_about_where_they_are(self, client, counts, alone):
        import svtd.dask

        array = self.array(counts, 3)
        model = svtd.dask.LDA(3, trust=False).fit(array, words=WORDS)
        shares = model.transform(array).compute()
        np.testing.assert_array_equal(np.asarray(shares), alone[svtd.LDA].transform(counts))

    @pytest.mark.parametrize("large", [1 << 20, -1], ids=["by tasks", "scattered"])
    def test_a_killed_worker_changes_nothing(self, counts, alone, large, monkeypatch):
        """However the questions travel: made by tasks, or on every worker as large ones are."""
        distributed = pytest.importorskip("distributed")
        import svtd.dask

        monkeypatch.setattr(svtd.dask, "_LARGE", large)
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"
        ) as cluster, distributed.Client(cluster) as client:
            killed = []

            def kill(stage, done, of):
                # In the middle of the sweeps, when the workers keep something between questions.
                if stage == "polish" and done == 3 and not killed:
                    killed.append(next(iter(client.run(os.getpid).values())))
                    os.kill(killed[0], signal.SIGKILL)

            model = svtd.dask.LDA(3, trust=False, client=client, callback=kill)
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
            svtd.dask.LDA(3, trust=False, callback=leave).fit(array, words=WORDS, checkpoint=tmp_path)
        kept = len(list(tmp_path.iterdir()))
        assert kept > 5
        model = svtd.dask.LDA(3, trust=False).fit(array, words=WORDS, checkpoint=tmp_path)
        assert file_of(model.model_) == file_of(alone[svtd.LDA])

    def test_bad_input_is_a_sentence(self, client, counts):
        import svtd.dask

        with pytest.raises(ValueError, match="59 names for 60 columns"):
            svtd.dask.LDA(3, trust=False).fit(self.array(counts, 2), words=WORDS[:59])
        with pytest.raises(TypeError, match="a dask array, data frame or bag is needed"):
            svtd.dask.LDA(3, trust=False).fit(counts)
        with pytest.raises(ValueError, match="whole number|0.5"):
            svtd.dask.LDA(3, trust=False).fit(self.array(counts * 0.5, 2))


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
model = svtd.spark.SingleTopic(k=3, vocabulary=words, groups=2, options={"trust": False}).fit(documents)
assert model.transform(documents).count() == counts.shape[0]
model.save(sys.argv[1] + "/model.svtd")
spark.stop()
"""


STANDALONE = """
import os, signal, sys, threading, time
import scipy.sparse as sp
from pyspark.ml.linalg import Vectors
from pyspark.sql import SparkSession
import svtd.spark

folder, master = sys.argv[1:]
spark = (
    SparkSession.builder.master(master)
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.memory", "512m")
    .config("spark.executor.memory", "512m")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)

# The tasks of the third look wait at the first executor that comes to one, until it is dead.
def killed_here(folder):
    try:
        os.mkdir(folder + "/begun")
    except FileExistsError:
        return
    with open(folder + "/victim.part", "w") as file:
        file.write(os.environ["VICTIM"])
    os.rename(folder + "/victim.part", folder + "/victim")
    time.sleep(60)

usual, looks = svtd.spark.Engine._looks, []

def waiting(engine, question):
    mapped = usual(engine, question)
    looks.append(1)
    if len(looks) != 3:
        return mapped
    def wait(batches):
        killed_here(folder)
        yield from mapped(batches)
    return wait

svtd.spark.Engine._looks = waiting

def kill():
    while not os.path.exists(folder + "/victim"):
        time.sleep(0.05)
    os.killpg(int(open(folder + "/victim").read()), signal.SIGKILL)
    open(folder + "/killed", "w").close()

threading.Thread(target=kill, daemon=True).start()
counts = sp.load_npz(folder + "/counts.npz").tocsr()
vector = lambda row: Vectors.sparse(row.shape[1], row.indices.tolist(), row.data.astype(float).tolist())
documents = spark.createDataFrame([(vector(row),) for row in counts], ["features"]).repartition(2)
words = [f"word{i}" for i in range(counts.shape[1])]
estimator = svtd.spark.LDA(k=3, vocabulary=words, groups=2, options={"polish": 12, "trust": False})
estimator.fit(documents).save(folder + "/model.svtd")
"""


@pytest.fixture
def standalone(tmp_path):
    """A master and two workers, each a process of its own with its own group."""
    pyspark = pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none")
    home = pathlib.Path(pyspark.__file__).parent
    env = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
    }
    running = []

    def start(name, *words):
        log = tmp_path / f"{name}.log"
        command = [str(home / "bin/spark-class"), f"org.apache.spark.deploy.{name.split('-')[0]}", *words]
        # What runs in this process group is known to the tasks by its number.
        script = 'export VICTIM=$$; exec "$@"'
        with log.open("wb") as out:
            process = subprocess.Popen(
                ["bash", "-c", script, "bash", *command],
                env=env, stdout=out, stderr=out, start_new_session=True,
            )
        running.append(process)
        return log

    def said(log, pattern):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = re.search(pattern, log.read_text(errors="replace"))
            if found:
                return found.group(0)
            time.sleep(0.1)
        pytest.fail(f"no {pattern} in a minute: {log.read_text(errors='replace')[-2000:]}")

    try:
        master = start("master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        address = said(master, r"spark://127\.0\.0\.1:\d+")
        for i in range(2):
            folder = tmp_path / f"work{i}"
            worker = start(
                f"worker.Worker-{i}", address, "--host", "127.0.0.1", "--webui-port", "0",
                "--cores", "1", "--memory", "1g", "--work-dir", str(folder),
            )
            said(worker, "Successfully registered with master")
        yield address, env
    finally:
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=60)


class TestStandalone:
    def test_a_killed_worker_changes_nothing(self, standalone, counts, tmp_path):
        """With its executor, while this has a task in hand and keeps what sweeps go on from."""
        address, env = standalone
        sp.save_npz(tmp_path / "counts.npz", counts)
        script = tmp_path / "driver.py"
        script.write_text(STANDALONE)
        done = subprocess.run(
            [sys.executable, str(script), str(tmp_path), address],
            env=env, capture_output=True, text=True, timeout=600,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert (tmp_path / "killed").exists()
        alone = svtd.LDA(3, trust=False, polish=12).fit(counts, words=WORDS)
        assert (tmp_path / "model.svtd").read_bytes() == file_of(alone)


class TestSpark:
    @pytest.mark.parametrize("n", [1, 7, 64])
    def test_the_model_file_has_the_same_bytes_for_any_partitions(self, documents, alone, n):
        import svtd.spark

        estimator = svtd.spark.SingleTopic(k=3, vocabulary=WORDS, groups=2, options={"trust": False})
        model = estimator.fit(documents.repartition(n))
        assert file_of(model.toLocal()) == file_of(alone[svtd.SingleTopic])

    def test_mixtures_of_topics_and_a_column_of_vectors(self, documents, counts, alone):
        import svtd.spark

        model = svtd.spark.LDA(k=3, vocabulary=WORDS, groups=2, options={"trust": False}).fit(documents)
        assert file_of(model.toLocal()) == file_of(alone[svtd.LDA])
        rows = model.transform(documents).orderBy("id").select("topicDistribution").collect()
        shares = np.array([row[0].toArray() for row in rows])
        np.testing.assert_array_equal(shares, alone[svtd.LDA].transform(counts))

    def test_error_bars_and_topics_found_again_too(self, documents, counts):
        import svtd.spark

        model = svtd.spark.SingleTopic(k=3, vocabulary=WORDS, groups=2).fit(documents)
        assert file_of(model.toLocal()) == file_of(svtd.SingleTopic(3).fit(counts, words=WORDS))
        assert min(model.describeTopics(4).first().termErrors) > 0

    def test_large_questions_are_broadcast_and_forgotten(self, spark, documents, alone, monkeypatch):
        import svtd.spark
        from pyspark import Broadcast

        sent, forgotten = [], []
        broadcast, destroy = type(spark.sparkContext).broadcast, Broadcast.destroy
        monkeypatch.setattr(
            type(spark.sparkContext), "broadcast", lambda *a: sent.append(broadcast(*a)) or sent[-1]
        )
        monkeypatch.setattr(Broadcast, "destroy", lambda b: forgotten.append(b) or destroy(b))
        monkeypatch.setattr("svtd._spark_engine._LARGE", -1)
        model = svtd.spark.SingleTopic(k=3, vocabulary=WORDS, groups=2, options={"trust": False}).fit(documents)
        assert file_of(model.toLocal()) == file_of(alone[svtd.SingleTopic])
        assert len(sent) > 5 and len(forgotten) == len(sent)

    def test_topics_are_described_as_in_pyspark(self, spark, counts, alone, tmp_path):
        import svtd.spark

        model = svtd.spark.LDAModel(alone[svtd.LDA])
        described = model.describeTopics(4)
        names = ["topic", "termIndices", "terms", "termWeights", "termErrors"]
        assert described.columns == names
        rows = described.orderBy("topic").collect()
        assert [row.topic for row in rows] == [0, 1, 2]
        for row in rows:
            assert row.terms == [WORDS[i] for i in row.termIndices] and row.termErrors is None
            assert row.termWeights == model.topicsMatrix()[row.termIndices, row.topic].tolist()
        whole = svtd.LDA(3).fit(counts, words=WORDS)
        whole.save(tmp_path / "whole.svtd")
        first = svtd.spark.LDAModel.load(tmp_path / "whole.svtd").describeTopics(4).first()
        assert len(first.termErrors) == 4 and min(first.termErrors) > 0

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
