"""What an engine costs: CPU seconds of a fit on Spark and on Dask over those of one process.

    python benches/engines.py [--documents 100000]

Draws documents of an LDA model with about a hundred different words each, so a hundred thousand of
them have 12 million counts. Fits them in one process with one thread, on Dask (two workers of one
thread) and on Spark (``local[2]``), all on this machine, and compares the model files. CPU seconds are
those of this process and of all processes it started, from the documents being at the engine to the
model; drawing and loading documents is not in them. A round is a question that every task answers; dealing is what comes before the
second: a survey, the documents dealt into groups by their content, the first question.
Needs ``dask[distributed]``, ``pyspark`` and Java.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys

import numpy as np
import psutil
import scipy.sparse as sp

import svtd
import svtd._rounds
from svtd import _svtd

PARTITIONS = 4


def cpu():
    """CPU seconds of this process and of its descendants, those that ended included."""
    total = 0.0
    me = psutil.Process()
    for process in [me, *me.children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


class Measured:
    """CPU seconds of a stretch."""

    def __enter__(self):
        gc.collect()
        self._start = cpu()
        return self

    def __exit__(self, *_):
        self.cpu = cpu() - self._start


class Rounds:
    """Counts the questions of a fit, by kind, with what they weigh, and tells dealing from asking."""

    def __init__(self):
        self.kinds, self.out, self.cpu, self.begun = {}, 0, 0.0, None
        self._learn = svtd._rounds.learn

    def __enter__(self):
        def learn(model, ask, checkpoint):
            def counted(question):
                name = _svtd.question_name(question)
                self.kinds[name] = self.kinds.get(name, 0) + 1
                self.out += len(question)
                answer = ask(question)
                # The first question waits for the documents to be dealt.
                self.begun = cpu() if self.begun is None else self.begun
                return answer

            fitted = self._learn(model, counted, checkpoint)
            self.cpu = cpu() - self.begun
            return fitted

        svtd._rounds.learn = learn
        return self

    def __exit__(self, *_):
        svtd._rounds.learn = self._learn

    @property
    def n(self):
        return sum(self.kinds.values())


def drawn(n_documents, n_words, k):
    return sp.csr_matrix(
        svtd.generate(
            "lda", n_samples=n_documents, n_features=n_words, n_components=k, lengths=(80, 200), zipf=True
        ).X
    )


def parts_of(counts):
    edges = np.linspace(0, counts.shape[0], PARTITIONS + 1).astype(int)
    return [counts[start:end] for start, end in zip(edges[:-1], edges[1:])]


def on_dask(counts, kind, k):
    import dask
    import dask.array as da
    import distributed

    import svtd.dask

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", memory_limit=0
    ) as cluster, distributed.Client(cluster) as client:
        held = client.scatter(parts_of(counts))
        pieces = [
            da.from_delayed(
                dask.delayed(part), shape=rows.shape, dtype=rows.dtype, meta=sp.csr_matrix((0, 0))
            )
            for part, rows in zip(held, parts_of(counts))
        ]
        array = da.concatenate(pieces)
        with Rounds() as rounds, Measured() as spent:
            model = getattr(svtd.dask, kind)(k, client=client, n_jobs=1).fit(array)
        return model.model_, rounds, spent


def on_spark(counts, kind, k, groups):
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import SparkSession

    import svtd.spark

    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "4g")
        .config("spark.sql.shuffle.partitions", str(groups))
        .getOrCreate()
    )
    try:
        documents = None
        n_words = counts.shape[1]
        for start in range(0, counts.shape[0], 20_000):
            rows = [
                (Vectors.sparse(n_words, row.indices.tolist(), row.data.astype(float).tolist()),)
                for row in counts[start : start + 20_000]
            ]
            more = spark.createDataFrame(rows, ["features"])
            documents = more if documents is None else documents.union(more)
        documents = documents.coalesce(PARTITIONS).persist()
        documents.count()
        estimator = getattr(svtd.spark, kind)(k=k, groups=groups, options={"n_jobs": 1})
        with Rounds() as rounds, Measured() as spent:
            model = estimator.fit(documents)
        return model.toLocal(), rounds, spent
    finally:
        spark.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--groups", type=int, default=4, help="tasks of a round on Spark")
    parser.add_argument("--models", default="SingleTopic,LDA")
    parser.add_argument("--engines", default="dask,spark")
    args = parser.parse_args()
    counts = drawn(args.documents, args.words, args.topics)
    print(f"{counts.nnz / 1e6:.1f} M counts, {counts.shape[0]} documents, {counts.shape[1]} words, k = {args.topics}")
    print("| model | where | CPU s | over one process | of it dealing | rounds | CPU s a round | beyond one process | MB out a round | same bytes |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for kind in args.models.split(","):
        with Measured() as alone:
            model = getattr(svtd, kind)(args.topics, trust=False, n_jobs=1).fit(counts)
        expected = model._fitted.to_bytes()
        print(f"| {kind} | one process, one thread | {alone.cpu:.1f} | 1 | | | | | | |", flush=True)
        for engine in args.engines.split(","):
            if engine == "dask":
                found, rounds, spent = on_dask(counts, kind, args.topics)
            else:
                found, rounds, spent = on_spark(counts, kind, args.topics, args.groups)
            same = "yes" if found._fitted.to_bytes() == expected else "NO"
            dealing = spent.cpu - rounds.cpu
            beyond = (rounds.cpu - alone.cpu) / rounds.n
            print(
                f"| {kind} | {engine} | {spent.cpu:.1f} | {spent.cpu / alone.cpu:.2f} | {dealing:.1f} | {rounds.n} "
                f"| {rounds.cpu / rounds.n:.2f} | {beyond:+.2f} | {rounds.out / rounds.n / 1e6:.2f} | {same} |",
                flush=True,
            )
            print(f"{engine}: {json.dumps(rounds.kinds)}", file=sys.stderr)


if __name__ == "__main__":
    main()
