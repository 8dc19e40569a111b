"""Files as people have them, in every format and command: none gives a silent wrong number.

`tests/cli/matrix` has the cases: a module a class of files. `wrong.txt` lists cases whose
outcome is wrong; it only shrinks, because a case on it that has become right fails.
"""

from pathlib import Path

import pytest
from tests.cli.matrix import CASES
from tests.cli.matrix.framework import run_case

WRONG = Path(__file__).with_name("matrix") / "wrong.txt"
KNOWN_WRONG = {*WRONG.read_text(encoding="utf-8").split("\n")} - {""}


@pytest.mark.parametrize("name", CASES)
def test_file_is_read_as_meant_or_refused(name, tmp_path, cli):
    outcome = run_case(CASES[name], tmp_path, cli)
    is_right = outcome.kind in CASES[name].expect.split()
    assert is_right != (name in KNOWN_WRONG), outcome


def test_known_wrong_cases_exist():
    assert CASES.keys() >= KNOWN_WRONG


def test_the_matrix_is_large():
    assert len(CASES) >= 300
