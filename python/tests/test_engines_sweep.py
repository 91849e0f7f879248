"""Numbers of topics compared where Dask or Spark hold the documents: the same result as in one process."""

import numpy as np
import pytest

import svtd

WORDS = [f"word{i}" for i in range(50)]


@pytest.fixture(scope="module")
def counts():
    drawn = svtd.generate(n_samples=600, n_features=len(WORDS), n_components=3, random_state=2)
    return drawn.X.tocsr()


@pytest.fixture(scope="module")
def alone(counts):
    return {
        kind: svtd.sweep(counts, range(2, 5), model=kind, words=WORDS).details
        for kind in ("lda", "single-topic")
    }


class TestDask:
    @pytest.fixture(scope="class")
    def client(self):
        distributed = pytest.importorskip("distributed")
        with distributed.Client(
            processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as client:
            yield client

    @staticmethod
    def array(counts, n):
        import dask.array as da

        rows = -(-counts.shape[0] // n)
        return da.from_array(counts.toarray(), chunks=(rows, 20))

    @pytest.mark.parametrize("kind", ["lda", "single-topic"])
    @pytest.mark.parametrize("n", [1, 4])
    def test_the_result_is_that_of_one_process_for_any_partitions(self, client, counts, alone, kind, n):
        import svtd.dask

        swept = svtd.dask.sweep(self.array(counts, n), range(2, 5), model=kind, words=WORDS, client=client)
        assert swept.details == alone[kind]
        assert swept.fits["n_topics"].tolist() == [2, 3, 4]

    def test_a_comparison_that_was_left_goes_on_from_its_checkpoint(
        self, client, counts, alone, tmp_path, monkeypatch
    ):
        import svtd.dask

        class Left(Exception):
            pass

        asked, ask = [], svtd.dask._Engine.ask

        def leaving(engine, question):
            asked.append(1)
            if len(asked) == 6:
                raise Left
            return ask(engine, question)

        monkeypatch.setattr(svtd.dask._Engine, "ask", leaving)
        array = self.array(counts, 2)
        with pytest.raises(Left):
            svtd.dask.sweep(array, range(2, 5), words=WORDS, checkpoint=tmp_path)
        assert len(list(tmp_path.iterdir())) >= 5
        before = len(asked)
        swept = svtd.dask.sweep(array, range(2, 5), words=WORDS, checkpoint=tmp_path)
        assert swept.details == alone["lda"]
        again = len(asked) - before
        svtd.dask.sweep(array, range(2, 5), words=WORDS, checkpoint=tmp_path)
        assert again > 0 and len(asked) == before + again

    def test_what_cannot_be_compared_is_a_sentence(self, client, counts):
        import svtd.dask

        with pytest.raises(ValueError, match="without gaps"):
            svtd.dask.sweep(self.array(counts, 2), [2, 4], words=WORDS)
        with pytest.raises(ValueError, match="'lda' or 'single-topic', got 'hmm'"):
            svtd.dask.sweep(self.array(counts, 2), range(2, 4), model="hmm", words=WORDS)


class TestSpark:
    def test_the_result_is_that_of_one_process(self, spark, counts, alone):
        from pyspark.ml.linalg import Vectors
        import svtd.spark

        rows = [(Vectors.dense(np.asarray(row.todense(), dtype=float).ravel()),) for row in counts]
        documents = spark.createDataFrame(rows, ["features"]).repartition(3)
        swept = svtd.spark.sweep(
            documents, range(2, 5), model="single-topic", vocabulary=WORDS, groups=2
        )
        assert swept.details == alone["single-topic"]
