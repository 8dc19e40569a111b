"""The picture on the page about grids is what metra draws."""

from pathlib import Path

from metra.corpus import examples

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_picture_is_up_to_date(cli):
    home = Path(examples.HOME)
    ran = cli(
        *("grid", home / "outputs" / "solid.txt", "-r", home / "reference.1.txt"),
        *("-r", home / "reference.2.txt", "--segment", "8", "--format", "svg"),
    )
    page = (ROOT / "docs" / "grid.svg").read_text(encoding="utf-8")
    assert ran.out == page, "run: metra grid … -o docs/grid.svg, as docs/grid.md says"
