"""The file itself: whole, the same each time, with a policy that allows its own parts only."""

import base64
import hashlib
import json
import re
import subprocess
import sys
import zlib

import pytest

import metra
from metra.report.html.tables import format_difference, make_number_cell
from metra.scoring.table import Cell


@pytest.fixture(scope="module")
def arguments(root):
    folder = root / "examples"
    outputs = [folder / "outputs" / f"{name}.txt" for name in ("solid", "terse")]
    return ["report", *outputs, "-r", folder / "reference.1.txt"]


@pytest.fixture
def page(cli, arguments, tmp_path) -> str:
    path = tmp_path / "report.html"
    ran = cli(*arguments, "-o", path)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith(f"metra: wrote {path}, ")
    return path.read_text(encoding="utf-8")


def test_python_writes_the_same_page(page, root, tmp_path):
    """All but the command and the files."""
    folder = root / "examples"
    evalset = metra.EvalSet(metra.read(folder / "reference.1.txt"))
    outputs = {
        name: metra.read(folder / "outputs" / f"{name}.txt")
        for name in ("solid", "terse")
    }
    path = metra.report(evalset, outputs, tmp_path / "python.html")
    assert path == tmp_path / "python.html"
    footer = re.compile(r"<footer>.*</footer>", re.DOTALL)
    assert footer.sub("", path.read_text(encoding="utf-8")) == footer.sub("", page)


def test_a_report_that_cannot_be_is_not_begun(tmp_path):
    path = tmp_path / "report.html"
    with pytest.raises(metra.MetraError, match="No system named 'c'"):
        metra.report(metra.EvalSet(["a"]), {"b": ["a"]}, path, baseline="c")
    assert not path.exists()


def test_the_package_can_be_called_whatever_is_imported_first():
    """`metra.report` is a function to its users and a package to its modules."""
    for first in ("import metra.report.table", "from metra import report", ""):
        code = f"import metra\n{first}\nassert callable(metra.report)"
        subprocess.run([sys.executable, "-c", code], check=True)


def test_the_policy_allows_its_own_style_and_script_only(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    policy = policy.replace("&#x27;", "'")
    assert policy.startswith("default-src 'none'; ")
    for name in ("style", "script"):
        text = re.search(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<[^>]+ (style|on\w+)=", page)
    assert not re.search(r'(src|href)="(?!#|data:)', page)


def test_the_data_hold_every_text_and_score(page):
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert data["systems"] == ["solid", "terse"]
    assert [len(output) for output in data["outputs"]] == [28, 28]
    assert [spec["spec"] for spec in data["metrics"]] == ["bleu", "chrf", "ter"]
    assert len(data["scores"][2][1]) == 28
    grids = [
        json.loads(zlib.decompress(base64.b64decode(packed)))
        for packed in data["grids"].values()
    ]
    assert len(grids) == 28
    pictures = [picture for entry in grids for picture in entry.values()]
    assert all(picture.startswith("<svg") for picture in pictures)


def test_the_same_call_gives_the_same_bytes(cli, arguments, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    path = tmp_path / "report.html"
    found = []
    for _ in range(2):
        cli(*arguments, "-o", path)
        found.append(path.read_bytes())
    assert found[0] == found[1]
    assert b"2023-11-14" in found[0]


def test_a_report_that_fails_leaves_what_was_there(cli, arguments, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("before")
    ran = cli(*arguments, "--baseline", "nobody", "-o", path)
    assert ran.code == 2
    assert "No system named 'nobody'" in ran.err
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_judgements_that_do_not_fit_are_refused(cli, arguments, write, tmp_path):
    judged = write("j.tsv", ["system\tsegment\tscore", "solid\t29\t3"])
    ran = cli(*arguments, "--judgements", judged, "-o", tmp_path / "r.html")
    assert ran.code == 2
    assert "segment 29, but the test set has 28 segments" in ran.err
    assert not (tmp_path / "r.html").exists()


def test_a_label_file_becomes_a_bucket(cli, write, arguments, tmp_path):
    labels = write("kind.txt", ["short", "long"] * 14)
    path = tmp_path / "report.html"
    ran = cli(*arguments, "--labels", f"kind={labels}", "-o", path)
    assert ran.code == 0, ran.err
    page = path.read_text(encoding="utf-8")
    assert ">By kind</h3>" in page
    assert 'data-csv="kind-bleu"' in page


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.234, "+1.23"), (-1.236, "−1.24"), (0.0, "0.00"), (-0.001, "0.00")],
)
def test_differences_have_signs(value, text):
    assert format_difference(value, 2) == text


def test_a_number_keeps_its_digits_for_programs():
    third = '<td class="num" data-v="0.3333333333">0.33</td>'
    assert make_number_cell(Cell(1 / 3)) == third
    assert make_number_cell(Cell(float("nan"))) == '<td class="num" data-v="">–</td>'
