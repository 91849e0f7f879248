"""Types are checked as a user's checker would, and say what a user relies on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

BIN = Path(sys.executable).parent

USE = """
from typing import Union
import numpy as np
import numpy.typing as npt
import pandas as pd
import svtd
from typing_extensions import assert_type

X = svtd.generate("lda", n_samples=100).X
model = svtd.LDA(n_components=3, method="gibbs", polish="none").fit(X)
assert_type(model, svtd.LDA)
assert_type(svtd.SingleTopic().fit(X), svtd.SingleTopic)
assert_type(svtd.LDA.load("a.svtd"), svtd.LDA)
assert_type(svtd.load("a.svtd"), Union[svtd.SingleTopic, svtd.LDA])
assert_type(model.transform(X), npt.NDArray[np.float64])
assert_type(model.set_params(n_components=4), svtd.LDA)
assert_type(model.set_output(transform="pandas"), svtd.LDA)
assert_type(model.topic_info_, pd.DataFrame)
assert_type(model.word_info(3), pd.DataFrame)
assert_type(model.top_words(3), list[list[str]])
assert_type(svtd.Vectorizer().fit(["a"]), svtd.Vectorizer)
svtd.LDA(method="magic")  # WRONG
svtd.SingleTopic(method="gibbs")  # WRONG
svtd.LDA(whitening="none")  # WRONG
svtd.generate("lsa")  # WRONG
"""


def run(*command, cwd=ROOT):
    environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def test_mypy_is_content_with_the_package():
    done = run(BIN / "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", "-p", "svtd", cwd=ROOT / "python")
    assert done.returncode == 0, done.stdout


def test_pyright_is_content_with_the_package():
    done = run(BIN / "pyright", "--pythonpath", sys.executable, "-p", ROOT / "pyproject.toml")
    assert done.returncode == 0, done.stdout


@pytest.fixture
def use(tmp_path):
    path = tmp_path / "use.py"
    path.write_text(USE)
    wrong = [i for i, line in enumerate(USE.split("\n"), 1) if line.endswith("# WRONG")]
    return path, wrong


def test_mypy_sees_what_a_user_relies_on(use):
    path, wrong = use
    done = run(BIN / "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", path)
    lines = {int(line.split(":")[1]) for line in done.stdout.split("\n") if ": error:" in line}
    assert lines == set(wrong), done.stdout


def test_pyright_sees_what_a_user_relies_on(use):
    path, wrong = use
    (path.parent / "pyrightconfig.json").write_text(
        '{"extraPaths": ["%s"], "useLibraryCodeForTypes": false}' % (ROOT / "python")
    )
    done = run(BIN / "pyright", "--pythonpath", sys.executable, "-p", path.parent)
    lines = {int(line.split(":")[1]) for line in done.stdout.split("\n") if " - error:" in line}
    assert lines == set(wrong), done.stdout
