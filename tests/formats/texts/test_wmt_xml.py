"""WMT's XML: what is read, however it is written, and what is refused in which words."""

from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metra.errors import FormatError
from metra.formats.texts import wmt_xml
from metra.formats.texts.columns import Field

OUTPUT = Field("output", "A")


def read(path: Path) -> dict[Field, dict[str, list[tuple[str, str]]]]:
    """All segments by text and document."""
    contents = wmt_xml.scan(str(path), "default")
    return {
        text: {
            document: [(key, segment.text) for key, segment in part.segments.items()]
            for document, part in parts.items()
        }
        for text, parts in contents.parts.items()
    }


@pytest.fixture
def written(tmp_path):
    def write(content: str | bytes) -> Path:
        path = tmp_path / "test.xml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


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


def test_a_whole_file(written):
    path = written(WHOLE)
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
    contents = wmt_xml.scan(str(path), "default")
    assert contents.labels == {
        "kp.1": {"collection": "general", "origlang": "ru", "domain": "news"},
        "kp.2": {"collection": "other", "origlang": "en", "testsuite": "names"},
    }


def in_document(segments: str) -> str:
    return (
        '<dataset id="t">\n<doc id="d" origlang="en">\n'
        f'<hyp system="A" lang="en">\n{segments}\n</hyp>\n</doc>\n</dataset>\n'
    )


READ = [
    pytest.param('<p><seg id="1">a b</seg></p>', "a b", id="as it should be"),
    pytest.param("<seg id='1' type='x'>a b</seg>", "a b", id="no paragraph"),
    pytest.param('<seg id="1"> a  b </seg>', " a  b ", id="blanks stay as they are"),
    pytest.param(
        '<seg id="1">\n   a\r\n\r\n  b \n</seg>', "a b", id="lines are joined"
    ),
    pytest.param('<seg id="1">a&#10;&#xA;b\nc</seg>', "a\n\nb c", id="written breaks stay"),
    pytest.param('<seg id="1">a&#13;b&#9;c</seg>', "a\rb\tc", id="return and tab"),
    pytest.param('<seg id="1"></seg>', "", id="empty"),
    pytest.param('<seg id="1"/>', "", id="closes itself"),
    pytest.param('<seg id="1">&amp;lt; &#233;</seg>', "&lt; é", id="decoded once"),
    pytest.param('<seg id="1"><![CDATA[a < b]]></seg>', "a < b", id="CDATA"),
    pytest.param('<seg id="1">a<!-- no -->b</seg>', "ab", id="comment"),
    pytest.param('<seg id="1">\u4e2d\U0001f600\u2028</seg>', "\u4e2d\U0001f600\u2028",
                 id="any script"),
]  # fmt: skip


@pytest.mark.parametrize(("segment", "expected"), READ)
def test_segments(written, segment, expected):
    assert read(written(in_document(segment))) == {OUTPUT: {"d": [("1", expected)]}}


def test_byte_order_mark_and_carriage_returns(written):
    text = in_document('<seg id="1">a</seg>').replace("\n", "\r\n")
    found = read(written(b"\xef\xbb\xbf" + text.encode()))
    assert found == {OUTPUT: {"d": [("1", "a")]}}


EXPECTED = (
    "; expected WMT's XML: <dataset> around <doc> around <src>, <ref> and <hyp> around "
    "<seg>."
)
NOT_XML = "; expected WMT's XML, all tags closed and < and & written as &lt; and &amp;."

REFUSED = [
    pytest.param("", "{path}, line 1, column 1 is not XML: no element found" + NOT_XML,
                 id="empty file"),
    pytest.param("<html></html>", "{path}, line 1: the file begins with <html>" + EXPECTED,
                 id="other XML"),
    pytest.param("<dataset>\n<doc id='d'>",
                 "{path}, line 2, column 13 is not XML: no element found" + NOT_XML,
                 id="breaks off"),
    pytest.param("<dataset>\n<!-- never ends",
                 "{path}, line 2, column 1 is not XML: unclosed token" + NOT_XML,
                 id="comment not closed"),
    pytest.param("<dataset>\n<doc id='d'></dataset>",
                 "{path}, line 2, column 15 is not XML: mismatched tag" + NOT_XML,
                 id="wrong nesting"),
    pytest.param(in_document("<seg id='1'>AT&T</seg>"),
                 "{path}, line 4, column 17 is not XML: not well-formed (invalid token)"
                 + NOT_XML, id="bare ampersand"),
    pytest.param(in_document("<seg id='1'>&eacute;</seg>"),
                 "{path}, line 4, column 13 is not XML: undefined entity" + NOT_XML,
                 id="unknown entity"),
    pytest.param('<!DOCTYPE d [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><dataset>&b;</dataset>',
                 "{path}, line 1: <!DOCTYPE> is a declaration, which is not supported"
                 + EXPECTED,
                 id="entity bomb"),
    pytest.param('<!DOCTYPE d SYSTEM "file:///etc/passwd"><dataset/>',
                 "{path}, line 1: <!DOCTYPE> is a declaration, which is not supported"
                 + EXPECTED,
                 id="external declarations"),
    pytest.param("<dataset>" + "<p>" * 30,
                 "{path}, line 1: tags are nested deeper than 20 here" + EXPECTED,
                 id="deep nesting"),
    pytest.param("<dataset><doc id='d'>\n<doc id='e'/></doc></dataset>",
                 "{path}, line 2: <doc> is inside another <doc>" + EXPECTED,
                 id="document inside of a document"),
    pytest.param("<dataset>\n<doc/></dataset>",
                 "{path}, line 2: <doc> has no id" + EXPECTED, id="no document id"),
    pytest.param("<dataset><doc id='d'/>\n<doc id='d'/></dataset>",
                 "{path}, line 2: document 'd' occurs twice" + EXPECTED,
                 id="document twice"),
    pytest.param("<dataset>\n<src/></dataset>",
                 "{path}, line 2: <src> is outside <doc>, or inside another text"
                 + EXPECTED, id="text outside of a document"),
    pytest.param("<dataset><doc id='d'>\n<src><ref/></src></doc></dataset>",
                 "{path}, line 2: <ref> is outside <doc>, or inside another text"
                 + EXPECTED, id="text inside of a text"),
    pytest.param("<dataset><doc id='d'>\n<hyp/></doc></dataset>",
                 "{path}, line 2: <hyp> has no system" + EXPECTED, id="no system"),
    pytest.param("<dataset><doc id='d'>\n<seg id='1'/></doc></dataset>",
                 "{path}, line 2: <seg> is outside <src>, <ref> and <hyp>" + EXPECTED,
                 id="segment outside of a text"),
    pytest.param(in_document("<seg>a</seg>"),
                 "{path}, line 4: <seg> has no id" + EXPECTED, id="no segment id"),
    pytest.param(in_document("<seg id='1'>a <b>c</b></seg>"),
                 "{path}, line 4: <b> is inside <seg>, which may contain only text" + EXPECTED,
                 id="tag inside of a segment"),
    pytest.param(in_document("stray <seg id='1'>a</seg>"),
                 "{path}, line 4: there is text outside any <seg>" + EXPECTED,
                 id="text outside of a segment"),
    pytest.param(in_document("<seg id='1'>a</seg>\n<seg id='1'>b</seg>"),
                 "{path}, line 5: segment '1' of document 'd' occurs twice in the "
                 "output 'A'; ids must differ.", id="segment twice"),
    pytest.param("<dataset><doc id='d'>\n<ref translator='B'/>\n<ref translator='B'/></doc>"
                 "</dataset>",
                 "{path}, line 3: document 'd' occurs twice in the reference 'B', "
                 "first on line 2; ids must differ.", id="translator twice"),
    pytest.param("<?xml version='1.0' encoding='latin-1'?><dataset/>",
                 "{path} declares the encoding latin-1; convert the file to UTF-8 "
                 "and change its declaration.", id="another encoding declared"),
    pytest.param(in_document("<seg id='1'>café</seg>").encode("latin-1"),
                 "{path}, line 4: byte 16 of the line is 0xe9, which is not UTF-8; convert the "
                 "file to UTF-8.", id="Latin-1"),
    pytest.param("<dataset/>".encode("utf-16"),
                 "{path} is UTF-16; convert the file to UTF-8.", id="UTF-16"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), REFUSED)
def test_refusals(written, content, message):
    path = written(content)
    with pytest.raises(FormatError) as raised:
        read(path)
    assert str(raised.value) == message.format(path=path)


# All that XML can write, with line breaks as references.
texts = st.text(
    st.sampled_from("ab<>&\"'; \t\r\n\u00e9\u4e2d\U0001f600\u2028")
    | st.characters(min_codepoint=32, max_codepoint=0xFFFD, exclude_categories=["Cs"]),
    max_size=12,
)
blank = st.sampled_from(["", " ", "\n", "\r\n", "\t", "<!-- - > -->"])


@st.composite
def surfaces(draw):
    """A file, written in one of many ways, and the segments in it."""
    pieces = [draw(blank), "<dataset>"]
    expected: dict[str, list[tuple[str, str]]] = {}
    for number in range(draw(st.integers(1, 3))):
        expected[f"d{number}"] = []
        pieces += [draw(blank), f"<doc id='d{number}'>{draw(blank)}<hyp system='A'>"]
        for place in range(draw(st.integers(0, 4))):
            text = draw(texts)
            raw = escape(text, {"\n": "&#10;", "\r": "&#xD;"})
            pieces += [
                draw(blank),
                f'<seg id="{place}"{draw(blank.filter(str.isspace))}>',
            ]
            pieces += [raw, "</seg>"]
            expected[f"d{number}"].append((str(place), text))
        pieces += [draw(blank), "</hyp></doc>"]
    return "".join([*pieces, "</dataset>", draw(blank)]), expected


@given(surfaces())
@settings(max_examples=150, deadline=None)
def test_the_same_segments_however_they_are_written(tmp_path_factory, surface):
    content, expected = surface
    path = tmp_path_factory.mktemp("xml") / "test.xml"
    path.write_bytes(content.encode())
    assert read(path) == {OUTPUT: expected}
