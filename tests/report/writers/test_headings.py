"""Short names of measures in tables."""

import pytest

from metra.report.writers.headings import shorten_specs

CASES = [
    pytest.param(["bleu", "bleu:tok=intl"], ["bleu", "bleu:tok=intl"], id="no files"),
    pytest.param(["ie:a=x/y.tsv,b=z.tsv"], ["ie"], id="files are left out"),
    pytest.param(["x:file=a/b,k=3"], ["x:k=3"], id="other options stay"),
    pytest.param(
        ["q:m=a/b.toml", "q:m=a/c.toml", "i:f=d.tsv"],
        ["q:m=b.toml", "q:m=c.toml", "i"],
        id="files tell measures apart",
    ),
    pytest.param(
        ["q:m=a/b.toml", "q:m=c/b.toml"],
        ["q:m=a/b.toml", "q:m=c/b.toml"],
        id="so do folders",
    ),
    pytest.param(
        ["meteor:variant=1.5"], ["meteor:variant=1.5"], id="a number is no file"
    ),
    pytest.param(
        ["q:m=a\\b.toml", "q:m=c.toml"], ["q:m=b.toml", "q:m=c.toml"], id="\\"
    ),
]


@pytest.mark.parametrize(("specs", "expected"), CASES)
def test_short_names(specs, expected):
    assert list(shorten_specs(specs).values()) == expected
