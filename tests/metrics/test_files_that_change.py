"""A measure that reads a file, made again after the file has changed."""

import pytest

import metra
from metra.metrics import registry

CASES = [
    pytest.param(
        "terminology:file={here}/terms.tsv",
        {"terms.tsv": "term\tsegment\ncat\t1\n"},
        {"terms.tsv": "term\tsegment\ndog\t1\n"},
        id="a table",
    ),
    pytest.param(
        "untranslated:dictionary={here}/words.txt",
        {"words.txt": "the\ncat\nsat\n"},
        {"words.txt": "the\nsat\n"},
        id="a list of words",
    ),
    pytest.param(
        "quality:model={here}/model.toml",
        {
            "terms.tsv": "term\tsegment\ncat\t1\n",
            "model.toml": """name = "n"
context = "c"
[[measure]]
spec = "terminology:file={here}/terms.tsv"
weight = 1
worst = 0
best = 100
""",
        },
        {"terms.tsv": "term\tsegment\ndog\t1\n"},
        id="a file that a file names",
    ),
]


def write(folder, files) -> None:
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")


@pytest.mark.parametrize(("spec", "before", "after"), CASES)
def test_what_is_in_the_file_now_counts(spec, before, after, tmp_path):
    spec = spec.replace("{here}", str(tmp_path))

    def score() -> float:
        given = ["the cat sat"], [["the cat sat"]], spec
        return metra.score(*given, source=["le chat dog cat"]).score

    write(tmp_path, before)
    first = score()
    write(tmp_path, after)
    assert score() != first
    write(tmp_path, before)
    assert score() == first


def test_what_has_not_changed_is_not_made_again(tmp_path):
    write(tmp_path, {"terms.tsv": "term\tsegment\ncat\t1\n"})
    spec = f"terminology:file={tmp_path}/terms.tsv"
    assert registry.metric(spec) is registry.metric(spec)
    assert registry.metric("bleu:tok=intl,n=2") is registry.metric("bleu:tok=intl,n=2")
    assert registry.metric("gtm:e=1.5") is registry.metric("gtm:e=1.5")
