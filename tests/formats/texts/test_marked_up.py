"""NIST's SGML and WMT's XML: what is read, however it is written, and what is refused."""

import re
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import load_cases

from metra.errors import FormatError, MetraError
from metra.formats.texts import sgml, wmt_xml
from metra.formats.texts.columns import Field
from metra.formats.texts.documents import ScannedContents

OUTPUT = Field("output", "A")


def scan(path: Path) -> ScannedContents:
    form = sgml if path.suffix == ".sgm" else wmt_xml
    return form.scan(str(path), "default")


def read(path: Path) -> dict[Field, dict[str, list[tuple[str, str]]]]:
    """All segments by text and document."""
    return {
        text: {document: [*part.segments.items()] for document, part in parts.items()}
        for text, parts in scan(path).parts.items()
    }


@pytest.fixture
def written(tmp_path):
    def write(content: str, suffix: str) -> Path:
        path = tmp_path / f"test{suffix}"
        path.write_bytes(content.encode(errors="surrogateescape"))
        return path

    return write


def test_sgml_with_all_sets(written):
    path = written(
        """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE mteval SYSTEM "ftp://example.org/mteval-xml-v1.3.dtd">
<!-- two references, two systems -->
<mteval>
<srcset setid="news" srclang="fr">
<doc docid="d1" genre="nw"><hl><seg id="1">un</seg></hl></doc></srcset>
<refset setid="news" srclang="fr" trglang="en" refid="R1">
<doc docid="d1"><seg id="1">one</seg></doc></refset>
<refset setid="news" srclang="any" trglang="en" refid="R2">
<doc docid="d1" origlang="fr"><seg id="1">won</seg></doc></refset>
<tstset setid="news" srclang="fr" trglang="en" sysid="S1">
<doc docid="d1"><seg id="1">a one</seg></doc></tstset>
<tstset setid="news" srclang="fr" trglang="en">
<doc docid="d1" sysid="S2"><seg id="1">1</seg></doc></tstset>
</mteval>
""",
        ".sgm",
    )
    assert read(path) == {
        Field("source", "source"): {"d1": [("1", "un")]},
        Field("reference", "R1"): {"d1": [("1", "one")]},
        Field("reference", "R2"): {"d1": [("1", "won")]},
        Field("output", "S1"): {"d1": [("1", "a one")]},
        Field("output", "S2"): {"d1": [("1", "1")]},
    }
    contents = scan(path)
    assert contents.labels == {"d1": {"genre": "nw", "origlang": "fr"}}


WHOLE = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest2021">
  <collection id="general">
    <doc origlang="ru" id="kp.1" domain="news">
      <src lang="ru">
        <p>
          <seg id="1">Раз.</seg>
        </p>
        <p>
          <seg id="2">Два &amp; три.</seg>
        </p>
      </src>
      <ref lang="en" translator="B">
        <p><seg id="1">One.</seg><seg id="2">Two &amp; three.</seg></p>
      </ref>
      <ref lang="en">
        <p><seg id="1">Once.</seg><seg id="2">Twice.</seg></p>
      </ref>
      <hyp system="Online-A" lang="en">
        <p><seg id="1">1.</seg><seg id="2">2 &lt; 3.</seg></p>
      </hyp>
    </doc>
  </collection>
  <collection id="other">
    <doc origlang="en" id="kp.2" testsuite="names">
      <supplemental type="notes"><p><seg id="1">Left alone.</seg></p></supplemental>
      <src lang="ru"><p><seg id="1">Пять.</seg></p></src>
      <hyp system="Online-A" lang="en"><p/></hyp>
    </doc>
  </collection>
</dataset>
"""


def test_xml_with_all_texts(written):
    path = written(WHOLE, ".xml")
    assert read(path) == {
        Field("source", "source"): {
            "kp.1": [("1", "Раз."), ("2", "Два & три.")],
            "kp.2": [("1", "Пять.")],
        },
        Field("reference", "B"): {"kp.1": [("1", "One."), ("2", "Two & three.")]},
        Field("reference", "default"): {"kp.1": [("1", "Once."), ("2", "Twice.")]},
        Field("output", "Online-A"): {
            "kp.1": [("1", "1."), ("2", "2 < 3.")],
            "kp.2": [],
        },
    }
    contents = scan(path)
    assert contents.labels == {
        "kp.1": {"collection": "general", "origlang": "ru", "domain": "news"},
        "kp.2": {"collection": "other", "origlang": "en", "testsuite": "names"},
    }


def in_sgml(segments: str) -> str:
    return (
        '<tstset setid="t" srclang="a" trglang="b">\n<doc docid="d" sysid="A">\n'
        f"{segments}\n</doc>\n</tstset>\n"
    )


def in_xml(segments: str) -> str:
    return (
        '<dataset id="t">\n<doc id="d" origlang="en">\n'
        f'<hyp system="A" lang="en">\n{segments}\n</hyp>\n</doc>\n</dataset>\n'
    )


SGML_READ = load_cases("sgml: read")


XML_READ = load_cases("xml: read")


@pytest.mark.parametrize(("segments", "expected"), SGML_READ)
def test_segments_of_sgml(written, segments, expected):
    found = read(written(in_sgml(segments), ".sgm"))
    assert found == {OUTPUT: {"d": [*map(tuple, expected)]}}


@pytest.mark.parametrize(("segment", "expected"), XML_READ)
def test_segments_of_xml(written, segment, expected):
    found = read(written(in_xml(segment), ".xml"))
    assert found == {OUTPUT: {"d": [("1", expected)]}}


@pytest.mark.parametrize(("suffix", "frame"), [(".sgm", in_sgml), (".xml", in_xml)])
def test_byte_order_mark_and_carriage_returns(written, suffix, frame):
    text = frame('<seg id="1">a</seg>').replace("\n", "\r\n")
    found = read(written("\ufeff" + text, suffix))
    assert found == {OUTPUT: {"d": [("1", "a")]}}


def test_the_first_of_two_system_names_counts(written):
    path = written(
        '<tstset><DOC sysid="A" sysid="ref" docid="d"><seg>a</seg></DOC></tstset>',
        ".sgm",
    )
    assert list(read(path)) == [OUTPUT]


def test_a_system_without_a_name_is_named_after_its_file(written):
    path = written('<tstset><doc docid="d"><seg>a</seg></doc></tstset>', ".sgm")
    assert list(read(path)) == [Field("output", "default")]


@pytest.mark.parametrize(
    ("suffix", "content", "message"),
    [
        pytest.param(suffix, *case.values, id=f"{suffix} {case.id}")
        for suffix, cases in ((".sgm", "sgml: refused"), (".xml", "xml: refused"))
        for case in load_cases(cases)
    ],
)
def test_refusals(written, suffix, content, message):
    path = written(content, suffix)
    with pytest.raises(FormatError) as raised:
        read(path)
    assert str(raised.value) == message.format(path=path)


sgml_texts = st.text(
    st.sampled_from("ab<>&\"'; \t\u00e9\u4e2d\U0001f600\u2028/!-\0")
    | st.characters(exclude_categories=["Cs"]),
    max_size=12,
)
blank = st.sampled_from(["", " ", "\n", "\r\n", "\t", "<!-- - > -->"])


@st.composite
def sgml_surfaces(draw):
    """A set in SGML, written in one of many ways, and the segments in it."""

    def tag(name: str, attributes: str = "") -> str:
        cased = draw(st.sampled_from([name, name.upper(), name.title()]))
        return f"<{cased}{attributes}{draw(st.sampled_from(['', ' ', chr(10)]))}>"

    pieces = [draw(blank), tag("tstset", " setid=x")]
    expected: dict[str, list[tuple[str, str]]] = {}
    for number in range(draw(st.integers(1, 3))):
        name = f"d{number}"
        quote = draw(st.sampled_from(["", "'", '"']))
        expected[name] = []
        pieces += [draw(blank), tag("doc", f" docid={quote}{name}{quote} sysid=A")]
        for place in range(draw(st.integers(0, 4))):
            text = draw(sgml_texts).replace("\r", "").replace("\n", "")
            raw = text.replace("&", "&amp;").replace("<", "&lt;")
            if draw(st.booleans()):
                raw = raw.replace(">", "&gt;").replace('"', "&quot;")
            pieces += [
                draw(blank),
                tag("seg", f" id={quote}{place}{quote}"),
                raw,
                tag("/seg"),
            ]
            expected[name].append((str(place), text))
        pieces += [draw(blank), tag("/doc")]
    return "".join([*pieces, tag("/tstset"), draw(blank)]), expected


# All that XML can write, with line breaks as references.
xml_texts = st.text(
    st.sampled_from("ab<>&\"'; \t\r\n\u00e9\u4e2d\U0001f600\u2028")
    | st.characters(min_codepoint=32, max_codepoint=0xFFFD, exclude_categories=["Cs"]),
    max_size=12,
)


@st.composite
def xml_surfaces(draw):
    """A file, written in one of many ways, and the segments in it."""
    pieces = [draw(blank), "<dataset>"]
    expected: dict[str, list[tuple[str, str]]] = {}
    for number in range(draw(st.integers(1, 3))):
        expected[f"d{number}"] = []
        pieces += [draw(blank), f"<doc id='d{number}'>{draw(blank)}<hyp system='A'>"]
        for place in range(draw(st.integers(0, 4))):
            text = draw(xml_texts)
            raw = escape(text, {"\n": "&#10;", "\r": "&#xD;"})
            pieces += [
                draw(blank),
                f'<seg id="{place}"{draw(blank.filter(str.isspace))}>',
            ]
            pieces += [raw, "</seg>"]
            expected[f"d{number}"].append((str(place), text))
        pieces += [draw(blank), "</hyp></doc>"]
    return "".join([*pieces, "</dataset>", draw(blank)]), expected


@pytest.mark.parametrize(
    ("suffix", "surfaces"), [(".sgm", sgml_surfaces()), (".xml", xml_surfaces())]
)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_the_same_segments_however_they_are_written(
    tmp_path_factory, suffix, surfaces, data
):
    content, expected = data.draw(surfaces)
    path = tmp_path_factory.mktemp("written") / f"test{suffix}"
    path.write_bytes(content.encode())
    assert read(path) == {OUTPUT: expected}


@given(st.text("<>/=\"' \n&;!-?[]asegdoctptx1", max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused_in_one_sentence(tmp_path_factory, junk):
    path = tmp_path_factory.mktemp("junk") / "test.sgm"
    path.write_text(f"<tstset><doc docid=d sysid=A>{junk}</doc></tstset>")
    try:
        answer = str(list(read(path)))
    except MetraError as error:
        answer = str(error)
    assert answer == str([OUTPUT]) or re.fullmatch(rf"{path}.*\.", answer, re.DOTALL)
