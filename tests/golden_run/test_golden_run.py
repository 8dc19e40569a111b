"""What metra printed and wrote before is what it prints and writes now."""

import difflib
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.golden_run.record import all_cases, place_of, run_case

CASES = all_cases()
NEEDS = ("pyarrow", "dask", "sqlalchemy", "fastapi", "jinja2", "bm25s", "httpx2")
MISSING = [name for name in NEEDS if find_spec(name) is None]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder for material that cases share."""
    return tmp_path_factory.mktemp("golden")


@pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=name) for name, case in CASES.items()],
)
def test_nothing_has_changed(case, home):
    place = place_of(case.name)
    expected = place.read_text(encoding="utf-8") if place.exists() else ""
    found = run_case(case, home)
    if found != expected:
        lines = difflib.unified_diff(
            expected.splitlines(),
            found.splitlines(),
            "expected",
            "found",
            "",
            "",
            2,
            "",
        )
        pytest.fail(
            "\n".join(list(lines)[:120]) + "\n\nIf this is meant, accept it with: "
            f"python tests/golden_run/record.py --write --only {case.name}\n"
            "Outputs in full: --keep DIR, here and on the version before.",
            pytrace=False,
        )


def test_no_expected_file_is_left_over():
    place = place_of("x").parent
    known = {place_of(name) for name in CASES}
    assert set(place.rglob("*.txt")) <= known
