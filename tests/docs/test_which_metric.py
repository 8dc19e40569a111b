"""The figures of the page on which metric to use are those of WMT 2023."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/which-metric.md"
COLUMNS = ("en-de,he-en,zh-en|sys|accuracy", "en-de|seg|KendallWithTiesOpt")


def test_figures_are_those_of_the_shared_task(shared, read_table):
    rows = read_table(shared / "data/wmt23-mqm-esa/expected_wmt23_metrics_task.tsv")
    known = {row["metric"].removesuffix("[noref]"): row for row in rows}
    page = PAGE.read_text(encoding="utf-8")
    printed = re.findall(
        r"^\| ([\w-]+).*?\| (yes|no) \| (0\.\d+) \| (0\.\d+) \|$", page, re.M
    )
    assert len(printed) == 6
    for name, reference, *figures in printed:
        row = known[name]
        assert figures == [f"{float(row[column]):.3f}" for column in COLUMNS]
        assert (reference == "no") == row["metric"].endswith("[noref]")
