"""The page that compares BLEU and NIST: its code runs."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_code_of_the_page_runs():
    page = (DOCS / "bleu-or-nist.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    names: dict[str, object] = {}
    exec("\n".join(blocks), names)  # the page's own asserts are the test
    assert len(blocks) == 7
    assert names["loaded"]
