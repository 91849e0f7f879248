"""What the Python package costs before it does anything: import time, and the size of a wheel. With
``--interrupt`` instead how soon long work answers Ctrl-C, in seconds.

    python benches/python_costs.py [--wheel dist/svtd-*.whl] [--interrupt]

Times are medians of several fresh interpreters. ``beyond`` is what comes on top of importing NumPy
and ``scipy.sparse``, by ``-X importtime`` for the import alone and by the clock with a small fit.
"""

import argparse
import os
import signal
import statistics
import subprocess
import sys
import threading
import time

RUNS = 7
FIT = """
import time
import numpy as np, scipy.sparse as sp
X = sp.csr_matrix(np.random.default_rng(0).poisson(1.0, size=(500, 60)))
started = time.perf_counter()
import svtd
imported = time.perf_counter()
svtd.LDA(3, allow_fewer=True).fit(X)
print(imported - started, time.perf_counter() - started)
"""


def importtime():
    """Milliseconds of `import svtd`, and of NumPy and scipy.sparse within it."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import svtd"], capture_output=True, text=True, check=True
    )
    found = {}
    for line in done.stderr.splitlines():
        cells = line.removeprefix("import time:").split("|")
        if len(cells) == 3 and cells[1].strip().isdecimal():
            found[cells[2].strip()] = int(cells[1]) / 1000
    return found["svtd"], found.get("numpy", 0.0), found.get("scipy.sparse", 0.0), "sklearn" in found


def with_fit():
    done = subprocess.run([sys.executable, "-c", FIT], capture_output=True, text=True, check=True)
    return tuple(1000 * float(part) for part in done.stdout.split())


def interrupted():
    """Prints how long after Ctrl-C long work raises, the longest and the median of a few moments."""
    import scipy.sparse as sp
    import svtd

    X = svtd.generate(
        "lda", n_samples=30000, n_features=3000, n_components=20, lengths=(50, 150), random_state=0
    ).X
    model = svtd.LDA(30, trust=False, polish="none").fit(X[:3000])
    many = sp.vstack([X] * 10).tocsr()
    works = {
        "fit": lambda: svtd.LDA(60, polish=200).fit(X),
        "transform": lambda: model.transform(many),
        "score": lambda: model.score(many),
        "sweep": lambda: svtd.sweep(X, range(2, 60)),
        "generate": lambda: svtd.generate(n_samples=5_000_000, n_features=5000),
    }
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name, work in works.items():
        waits = []
        for after in [0.3, 0.6, 1.0, 1.5, 2.0]:
            sent = []

            def interrupt():
                sent.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)

            timer = threading.Timer(after, interrupt)
            timer.start()
            try:
                work()
                timer.cancel()
            except KeyboardInterrupt:
                waits.append(time.monotonic() - sent[0])
        if waits:
            print(f"| {name} | {max(waits):.2f} | {statistics.median(waits):.2f} | {len(waits)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", help="a wheel to weigh")
    parser.add_argument("--interrupt", action="store_true", help="measure how soon Ctrl-C is answered")
    arguments = parser.parse_args()
    if arguments.interrupt:
        return interrupted()
    imports = [importtime() for _ in range(RUNS)]
    assert not any(touched for *_, touched in imports), "scikit-learn was imported"
    svtd, numpy, scipy = (statistics.median(column) for column in list(zip(*imports))[:3])
    print(f"| import svtd, NumPy and scipy.sparse included | {svtd:.0f} ms |")
    print(f"| of that NumPy | {numpy:.0f} ms |")
    print(f"| of that scipy.sparse | {scipy:.0f} ms |")
    print(f"| beyond them | {svtd - numpy - scipy:.0f} ms |")
    imported, fitted = (statistics.median(column) for column in zip(*(with_fit() for _ in range(RUNS))))
    print(f"| import svtd after them, by the clock | {imported:.0f} ms |")
    print(f"| and a fit of 500 x 60 counts | {fitted:.0f} ms |")
    if arguments.wheel:
        print(f"| the wheel | {os.path.getsize(arguments.wheel) / 2**20:.1f} MiB |")


if __name__ == "__main__":
    main()
