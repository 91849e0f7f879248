"""What the Python package costs before it does anything: import time, and the size of a wheel.

    python benches/python_costs.py [--wheel dist/svtd-*.whl]

Times are medians of several fresh interpreters. ``beyond`` is what comes on top of importing NumPy
and ``scipy.sparse``, by ``-X importtime`` for the import alone and by the clock with a small fit.
"""

import argparse
import os
import statistics
import subprocess
import sys

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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", help="a wheel to weigh")
    arguments = parser.parse_args()
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
