#!/usr/bin/env python3
"""Compares what `svtd fit --dry-run` and `svtd check` predict with what fits take.

    benches/forecast.py path/to/svtd FOLDER THREADS [NAME=K,K ...]

FOLDER holds docword.NAME.txt, docword.NAME.txt.gz, or a file or folder of texts called NAME. Memory is the largest
resident set of the process, time is processor time over the number of threads (the machine may be busy with other
things).
"""

import json
import os
import pathlib
import subprocess
import sys


def run(program: str, *arguments: str) -> tuple[str, float, float]:
    """Standard output, peak memory in bytes, processor seconds."""
    process = subprocess.Popen([program, "-q", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = process.stdout.read().decode()
    _, _, used = os.wait4(process.pid, 0)
    return out, used.ru_maxrss * 1024.0, used.ru_utime + used.ru_stime


def main() -> None:
    program, folder, threads = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    print("| corpus | model | k | MB said | MB taken | taken / said | s said | s taken | taken / said | check, of the fit |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for case in sys.argv[4:]:
        name, numbers = case.split("=")
        paths = [folder / name] if (folder / name).exists() else sorted(folder.glob(f"docword.{name}.txt*"))
        path = str(paths[0])
        for model in ("lda", "single-topic"):
            for k in numbers.split(","):
                asked = [path, "-k", k, "--model", model, "--json", "--threads", threads]
                said = json.loads(run(program, "fit", "--dry-run", *asked)[0])
                out, taken, seconds = run(program, "fit", *asked)
                if not out:
                    print(f"| {name} | {model} | {k} | refused |")
                    continue
                polish = json.loads(out)["diagnostics"]["polish"]
                compared = isinstance(polish, dict) and any(
                    isinstance(what, dict) and what.get("held_out") for what in polish.values()
                )
                foretold = said["seconds_at_most" if compared else "seconds_estimated"]
                checked = run(program, "check", path, "--model", model, "--json", "--threads", threads)[2]
                memory = said["memory_bytes"]
                print(
                    f"| {name} | {model} | {k} | {memory / 1e6:.0f} | {taken / 1e6:.0f} | {taken / memory:.2f} "
                    f"| {foretold:.2f} | {seconds / int(threads):.2f} | {seconds / int(threads) / foretold:.2f} | {checked / seconds:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
