"""How much memory a fit adds to the arrays it is given."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "memory_of_a_fit.py"


@pytest.mark.parametrize("cls", ["SingleTopic", "LDA"])
def test_a_fit_of_many_counts_adds_at_most_two_and_a_half_times_the_arrays(cls):
    command = [sys.executable, str(PROGRAM), cls, "8000000", "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    measured = json.loads(done.stdout)
    assert measured["passed_in"] > 90e6
    assert measured["added"] < 2.5 * measured["passed_in"], measured
