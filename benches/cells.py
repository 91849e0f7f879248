"""A fit of generated single-cell data as sparse as open chromatin is: about 1 % of regions per cell.

    python benches/cells.py --cells 170000 --regions 220000 --topics 20

Prints the sizes, every stage as it begins and its seconds as reported by the callback, and the peak
memory.
"""

import argparse
import resource
import time

import svtd


def peak_gib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=17_000)
    parser.add_argument("--regions", type=int, default=22_000)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--trust", action="store_true")
    arguments = parser.parse_args()
    mean = arguments.regions // 100
    started = time.monotonic()
    X = svtd.generate(
        "lda",
        n_samples=arguments.cells,
        n_features=arguments.regions,
        n_components=arguments.topics,
        lengths=(mean // 2, mean + mean // 2),
        random_state=1,
    ).X
    share = X.nnz / (X.shape[0] * X.shape[1])
    arrays = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**30
    print(f"{X.shape[0]} cells x {X.shape[1]} regions, {X.nnz} counts ({100 * share:.2f} %), {arrays:.2f} GiB of arrays")
    print(f"drawn in {time.monotonic() - started:.0f} s; peak {peak_gib():.2f} GiB")
    stages, last = {}, [0, time.monotonic(), None]
    began = printed = time.monotonic()

    def watch(stage, done, of):
        nonlocal printed
        now = time.monotonic()
        stages[last[2]] = stages.get(last[2], 0.0) + now - last[1]
        if stage is not None and (stage != last[2] or now - printed > 60):
            printed = now
            print(f"  {now - began:.0f} s: {stage}, {done} of {of}; peak {peak_gib():.2f} GiB", flush=True)
        last[0], last[1], last[2] = last[0] + 1, now, stage

    started = time.monotonic()
    model = svtd.LDA(arguments.topics, trust=arguments.trust, callback=watch).fit(X)
    watch(None, 0, 1)
    seconds = time.monotonic() - started
    cpu = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    print(
        f"{arguments.topics} topics fitted in {seconds:.0f} s ({cpu:.0f} s of processors since the start), "
        f"progress reported {last[0]} times; peak {peak_gib():.2f} GiB"
    )
    for stage, spent in sorted(stages.items(), key=lambda item: -item[1]):
        if stage is not None:
            print(f"  {stage}: {spent:.0f} s")
    started = time.monotonic()
    model.transform(X)
    print(f"mixtures of all cells in {time.monotonic() - started:.0f} s; peak {peak_gib():.2f} GiB")


if __name__ == "__main__":
    main()
