#!/usr/bin/env python3
"""Compares what `svtd fit --dry-run` foretells with what fits really take.

    tools/compare_forecast.py PROGRAM

Draws corpora of several sizes with `svtd generate`, asks for the forecast of each, then fits, one
thread each, and prints a table: seconds, and the most memory at a time.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

SIZES = [
    # documents, words, topics, mean length, model
    (2_000, 2_000, 10, 60, "lda"),
    (20_000, 5_000, 20, 80, "lda"),
    (60_000, 20_000, 40, 100, "lda"),
    (20_000, 5_000, 20, 80, "single-topic"),
    (60_000, 20_000, 40, 100, "single-topic"),
]


def measured(command):
    """Seconds on the clock, seconds of the processor, and bytes at the peak."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    seconds = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - began, seconds, 1024 * usage.ru_maxrss


def main(program):
    program = os.path.abspath(program)
    print("| model | documents | words | counts | k | seconds foretold | taken | of the processor "
          "| memory foretold | taken |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for documents, words, k, length, model in SIZES:
            name = f"{model}{documents}"
            sizes = ["--docs", str(documents), "--words", str(words), "-k", str(k), "--zipf"]
            draw = [program, "generate", model, *sizes, "--lengths", f"negbin:{length},3", "-o", name, "-q"]
            subprocess.run(draw, check=True, stdout=subprocess.DEVNULL)
            fit = [program, "fit", f"docword.{name}.txt", "-k", str(k), "--model", model,
                   "--allow-fewer", "--threads", "1", "-q"]
            forecast = json.loads(subprocess.check_output([*fit, "--dry-run", "--json"]))
            clock, seconds, peak = measured(fit)
            print(f"| {model} | {documents} | {words} | {forecast['n_nonzeros']} | {k} "
                  f"| {forecast['seconds_estimated']:.2f} | {clock:.2f} | {seconds:.2f} "
                  f"| {forecast['memory_bytes'] / 1e6:.0f} MB | {peak / 1e6:.0f} MB |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
