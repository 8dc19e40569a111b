"""`metra grid` on a file with several systems; tests/golden_run has its pictures."""

import pytest


@pytest.fixture
def table(write):
    return write("two.tsv", ["A\tB\tref", "a b\tb a\ta b"])


def test_one_of_several_systems(cli, table):
    ran = cli("grid", table, "-n", "1", "--system", "B")
    assert ran.out.startswith("B, segment 1, gtm:e=2\n")


REFUSED = [
    pytest.param(
        ["-n", "1"], "The input has 2 systems; choose one of A, B.", id="none"
    ),
    pytest.param(
        ["-n", "1", "--system", "C"], "No system named 'C'. Known: A, B.", id="unknown"
    ),
    pytest.param([], "needs -n NUMBER", id="no segment"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_is_refused(cli, table, arguments, message):
    assert message in cli.refusal("grid", table, *arguments)
