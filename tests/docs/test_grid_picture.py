"""The picture on the page about grids is what metra draws."""

from pathlib import Path

from metra.corpus import examples

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_picture_is_up_to_date(cli, tmp_path):
    home, picture = Path(examples.HOME), tmp_path / "grid.svg"
    ran = cli(
        *("grid", home / "outputs" / "solid.txt", "-r", home / "reference.1.txt"),
        *("-r", home / "reference.2.txt", "--segment", "8", "-o", picture),
    )
    page = (ROOT / "docs" / "grid.svg").read_text(encoding="utf-8")
    assert ran.code == 0, ran.err
    assert picture.read_text("utf-8") == page, "see docs/report.md"
