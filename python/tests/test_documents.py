"""Every example in the docs and docstrings runs."""

import doctest
import inspect
import json
import os
import shutil
import subprocess
import sys

import pytest
import svtd
from conftest import ROOT

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_the_guide_runs():
    failed, tried = doctest.testfile(
        str(ROOT / "docs" / "python.md"), module_relative=False, optionflags=FLAGS
    )
    assert failed == 0 and tried > 40


# The one about engines needs them, and is run by test_engines.py; sites are asked on the command line.
ELSEWHERE = {"spark", "sites"}
GUIDES = sorted(path for path in (ROOT / "docs" / "guides").glob("*.md") if path.stem not in ELSEWHERE)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_the_python_of_every_guide_runs(guide, tmp_path, monkeypatch):
    if "SVTD_DATA" in guide.read_text() and "SVTD_DATA" not in os.environ:
        pytest.skip("SVTD_DATA is not set")
    shutil.copytree(guide.parent / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data")
    failed, tried = doctest.testfile(str(guide), module_relative=False, optionflags=FLAGS)
    assert failed == 0 and tried > 3


@pytest.mark.parametrize("module", ["svtd", "svtd._choosing", "svtd._classes", "svtd._comparison", "svtd._estimators", "svtd._gaussian", "svtd._generate", "svtd._hmm", "svtd._vectorizer"])
def test_the_docstrings_run(module):
    failed, tried = doctest.testmod(sys.modules[module], optionflags=FLAGS)
    assert failed == 0 and tried > 0


@pytest.mark.parametrize("cls", [svtd.LDA, svtd.SingleTopic])
def test_every_parameter_and_method_is_documented(cls):
    parameters = inspect.signature(cls).parameters
    assert all(f"\n    {name} :" in cls.__doc__ for name in parameters), cls.__doc__
    ours = [base for base in cls.__mro__ if base.__module__.startswith("svtd")]
    public = [name for base in ours for name in vars(base) if not name.startswith("_")]
    assert len(public) > 40 and all(inspect.getdoc(getattr(cls, name)) for name in public)


def test_the_version_is_that_of_the_workspace():
    metadata = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )
    packages = json.loads(metadata.stdout)["packages"]
    assert {p["version"] for p in packages if p["name"].startswith("svtd")} == {svtd.__version__}


def test_the_stub_names_what_the_module_has():
    from svtd import _svtd

    stub = (ROOT / "python" / "svtd" / "_svtd.pyi").read_text()
    names = [name for name in vars(_svtd) if not name.startswith("_")]
    names += [n for c in (_svtd.Counts, _svtd.Fitted) for n in vars(c) if not n.startswith("_")]
    missing = [name for name in names if f" {name}" not in stub and f"{name}:" not in stub]
    assert not missing and (ROOT / "python" / "svtd" / "py.typed").exists()
