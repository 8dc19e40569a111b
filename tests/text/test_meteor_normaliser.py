"""METEOR's normaliser against the tokens that METEOR 1.5 made."""

import gzip

import pytest
from tests.tables import load_cases

from metra.text.meteor_normaliser import tokenize_segment

CASES = load_cases("meteor: English")


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_rule(text, expected):
    assert " ".join(tokenize_segment(text)) == expected


OTHER_LANGUAGES = load_cases("meteor: other languages")


@pytest.mark.parametrize(("lang", "text", "expected"), OTHER_LANGUAGES)
def test_rule_of_another_language(lang, text, expected):
    assert " ".join(tokenize_segment(text, lang)) == expected


@pytest.mark.parametrize(
    ("name", "system"), [("edge", "edge"), ("nist4", "sample_system")]
)
def test_equals_the_original_program(shared, name, system):
    packed = shared / "gold" / "meteor" / f"{name}.ref1.en.default.norm.align.tsv.gz"
    rows = [line.split("\t") for line in _lines(gzip.decompress(packed.read_bytes()))]
    data = shared / "gold" / "data" / name
    docs = _lines((data / "docs.tsv").read_bytes())
    place = {tuple(line.split("\t")[:2]): at for at, line in enumerate(docs)}
    hyps = _lines((data / f"hyp.{system}.txt").read_bytes())
    refs = _lines((data / "ref.1.txt").read_bytes())
    assert len(rows) == len(hyps) + 1
    for _, document, segment, hyp, ref, *_ in rows[1:]:
        at = place[document, segment]
        assert " ".join(tokenize_segment(hyps[at])) == hyp
        assert " ".join(tokenize_segment(refs[at])) == ref


def _lines(content):
    lines = content.decode().split("\n")
    return lines[:-1] if lines[-1] == "" else lines
