"""Files as people have them, in every format and command: none gives a silent wrong number.

`tests/cli/matrix` has the cases: a module a class of files. Where a file may be read or
refused, `read.txt` lists those that are read, so that none is refused without notice.
"""

from pathlib import Path

import pytest
from tests.cli.matrix import CASES
from tests.cli.matrix.framework import run_case

LIST = Path(__file__).with_name("matrix") / "read.txt"
READ = {*LIST.read_text(encoding="utf-8").split("\n")} - {""}
#: Cases whose outcome is wrong: it only shrinks.
KNOWN_WRONG: set[str] = set()


@pytest.mark.parametrize("name", CASES)
def test_file_is_read_as_meant_or_refused(name, tmp_path, cli):
    outcome = run_case(CASES[name], tmp_path, cli)
    right = ["read"] if name in READ else CASES[name].expect.split()
    assert (outcome.kind in right) != (name in KNOWN_WRONG), outcome


def test_listed_cases_exist():
    assert CASES.keys() >= READ | KNOWN_WRONG


def test_the_matrix_is_large():
    assert len(CASES) >= 300
