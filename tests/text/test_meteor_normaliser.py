"""METEOR's normaliser against the tokens that METEOR 1.5 made."""

import gzip

import pytest

from metra.text.meteor_normaliser import tokenize_segment

CASES = [
    pytest.param("U.S. forces", "us forces", id="dots inside a word go"),
    pytest.param("He met Mr. Li.", "he met mr. li .", id="a title keeps its dot"),
    pytest.param("No. 5 or no.", "no. 5 or no .", id="No. before a number"),
    pytest.param("etc. and so on", "etc. and so on", id="a small letter follows"),
    pytest.param("wait... what", "wait ... what", id="dots in a row are one token"),
    pytest.param("1,234 , a,b", "1,234 , a , b", id="commas between digits stay"),
    pytest.param("It's the 1990's dogs'", "it 's the 1990 's dogs '", id="apostrophes"),
    pytest.param("well-known – or--not", "well known - or not", id="dashes"),
    pytest.param("‘a’ “b” ''c''", '\' a \' " b " " c "', id="quotes are made alike"),
    pytest.param("a,b,c", "a , b,c", id="of two commas in a row of letters, one"),
    pytest.param("Bonn. Écoles", "bonn . écoles", id="a capital follows"),
    pytest.param("Bonn. écoles", "bonn . écoles", id="small letters are a to z"),
    pytest.param("a\u200bb c\u2009d", "a \u200b b c d", id="blanks"),
    pytest.param("", "", id="empty"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_rule(text, expected):
    assert " ".join(tokenize_segment(text)) == expected


OTHER_LANGUAGES = [  # tokens by METEOR 1.5
    pytest.param("de", "Das war's am 3. Mai", "das war ' s am 3. mai", id="ordinal"),
    pytest.param("de", "z.B. ca. 5", "zb ca. 5", id="German abbreviations"),
    pytest.param("fr", "L'ami d’hier", "l' ami d' hier", id="French apostrophes"),
    pytest.param("fr", "chap. 3 et 'x'", "chap. 3 et ' x '", id="French abbreviation"),
    pytest.param("es", "El Sr. Paz. Fin", "el sr. paz . fin", id="Spanish title"),
    pytest.param("cz", "Dr. Novák", "dr . novák", id="Czech has no abbreviations"),
    pytest.param("ru", "в 1998 г. Он", "в 1998 г. он", id="Russian year"),
    pytest.param("ru", "дом. он", "дом . он", id="Cyrillic is no small letter"),
]


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
