"""The page that compares BLEU and NIST: its code runs, its picture is up to date."""

import re
import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_code_of_the_page_runs():
    page = (DOCS / "bleu-or-nist.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    names: dict[str, object] = {}
    exec("\n".join(blocks), names)  # the page's own asserts are the test
    assert len(blocks) == 7
    assert names["loaded"]


def test_the_picture_is_drawn_by_its_script():
    drawing = runpy.run_path(str(DOCS / "penalties.py"))["drawing"]()
    assert (DOCS / "penalties.svg").read_text(encoding="utf-8") == drawing
