"""NIST's SGML: what is read, however it is written, and what is refused in which words."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metra.errors import FormatError, MetraError
from metra.formats.texts import sgml
from metra.formats.texts.columns import Field

OUTPUT = Field("output", "A")


def read(path: Path) -> dict[Field, dict[str, list[tuple[str, str]]]]:
    """All segments by text and document."""
    contents = sgml.scan(str(path), "default")
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
        path = tmp_path / "test.sgm"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_sets_in_one_file(written):
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
"""
    )
    assert read(path) == {
        Field("source", "source"): {"d1": [("1", "un")]},
        Field("reference", "R1"): {"d1": [("1", "one")]},
        Field("reference", "R2"): {"d1": [("1", "won")]},
        Field("output", "S1"): {"d1": [("1", "a one")]},
        Field("output", "S2"): {"d1": [("1", "1")]},
    }
    contents = sgml.scan(str(path), "default")
    assert contents.labels == {"d1": {"genre": "nw", "origlang": "fr"}}


def in_document(segments: str) -> str:
    return (
        '<tstset setid="t" srclang="a" trglang="b">\n<doc docid="d" sysid="A">\n'
        f"{segments}\n</doc>\n</tstset>\n"
    )


READ = [
    pytest.param('<seg id="1">a b</seg>', [("1", "a b")], id="as it should be"),
    pytest.param("<SEG ID=1>a</SEG >", [("1", "a")], id="no case, no quotes"),
    pytest.param("<seg id = '1' >a</seg>", [("1", "a")], id="single quotes"),
    pytest.param('<seg\nid="1"\n>a</seg\n>', [("1", "a")], id="tag over lines"),
    pytest.param("<seg>a</seg><seg>b</seg>", [("1", "a"), ("2", "b")], id="no ids"),
    pytest.param(
        '<seg id="1"> a  b </seg>', [("1", " a  b ")], id="blanks stay as they are"
    ),
    pytest.param(
        '<seg id="1">\n  a\r\n\r\n   b\tc  \n</seg>',
        [("1", "a b\tc")],
        id="lines are joined by one blank",
    ),
    pytest.param('<seg id="1">a\rb</seg>', [("1", "a b")], id="carriage return alone"),
    pytest.param('<seg id="1"></seg>', [("1", "")], id="empty"),
    pytest.param('<seg id="1"/>', [("1", "")], id="closes itself"),
    pytest.param('<seg id="1">\n</seg>', [("1", "")], id="nothing but a line break"),
    pytest.param(
        '<seg id="1">&lt;&gt;&quot;&apos;&amp;</seg>', [("1", "<>\"'&")], id="entities"
    ),
    pytest.param(
        '<seg id="1">&amp;lt; &amp;amp;</seg>', [("1", "&lt; &amp;")], id="decoded once"
    ),
    pytest.param(
        '<seg id="1">AT&T &eacute; &#233; &</seg>',
        [("1", "AT&T &eacute; &#233; &")],
        id="other entities stay",
    ),
    pytest.param(
        '<seg id="1">a < b <unk> <3 <!-- c --> </unk></seg>',
        [("1", "a < b <unk> <3 <!-- c --> </unk>")],
        id="what is no tag of the format is text",
    ),
    pytest.param(
        '<seg id="1" type="x" lang=en>a</seg>', [("1", "a")], id="more attributes"
    ),
    pytest.param(
        '<hl><seg id="1">a</seg></hl><p><seg id="2">b</seg></p>',
        [("1", "a"), ("2", "b")],
        id="headline and paragraph",
    ),
    pytest.param(
        '<url>http://x/?a&b</url><seg id="1">a</seg><br/>',
        [("1", "a")],
        id="unknown elements are skipped",
    ),
    pytest.param(
        '<seg id="a&amp;b">a</seg><seg id=x/y>b</seg><seg id=z/>',
        [("a&b", "a"), ("x/y", "b"), ("z", "")],
        id="ids are any text",
    ),
    pytest.param(
        '<!-- <seg id="1">x</seg> --><seg id="1">a</seg>',
        [("1", "a")],
        id="comments between segments",
    ),
    pytest.param('<seg id="1">caf\u00e9 \u4e2d\U0001f600\u2028\u00a0</seg>',
                 [("1", "caf\u00e9 \u4e2d\U0001f600\u2028\u00a0")], id="any script"),
]  # fmt: skip


@pytest.mark.parametrize(("segments", "expected"), READ)
def test_segments(written, segments, expected):
    assert read(written(in_document(segments))) == {OUTPUT: {"d": expected}}


def test_byte_order_mark_and_carriage_returns(written):
    text = in_document('<seg id="1">a</seg>').replace("\n", "\r\n")
    assert read(written(b"\xef\xbb\xbf" + text.encode())) == {
        OUTPUT: {"d": [("1", "a")]}
    }


def test_the_first_of_two_system_names_counts(written):
    path = written(
        '<tstset><DOC sysid="A" sysid="ref" docid="d"><seg>a</seg></DOC></tstset>'
    )
    assert list(read(path)) == [OUTPUT]


def test_a_system_without_a_name_is_named_after_its_file(written):
    path = written('<tstset><doc docid="d"><seg>a</seg></doc></tstset>')
    assert list(read(path)) == [Field("output", "default")]


EXPECTED = (
    "; expected <srcset>, <refset> or <tstset> around <doc> around <seg>, each closed in "
    "turn."
)
REFUSED = [
    pytest.param("", "{path} contains no <srcset>, <refset> or <tstset>; expected "
                     "NIST SGML.",
                 id="empty file"),
    pytest.param("<tstset><doc docid='d'><seg id='1'>a</seg>\n",
                 "{path}, line 2: the file ends, but the <doc> of line 1 is open" + EXPECTED,
                 id="document not closed"),
    pytest.param("<tstset><doc docid='d'><seg id='1'>a\n",
                 "{path}, line 2: the file ends, but the <seg> of line 1 is open" + EXPECTED,
                 id="segment not closed at the end"),
    pytest.param(in_document("<seg id='1'>a\n<seg id='2'>b</seg>"),
                 "{path}, line 4: <seg> is inside the <seg> of line 3, which is "
                 "not closed" + EXPECTED, id="segment not closed"),
    pytest.param(in_document("<seg id='1'>a"),
                 "{path}, line 4: </doc> is inside the <seg> of line 3, which is "
                 "not closed" + EXPECTED, id="document ends inside of a segment"),
    pytest.param(in_document("<p><seg id='1'>a</seg>"),
                 "{path}, line 4: </doc> found instead of </p>, because the <p> of "
                 "line 3 is still open" + EXPECTED, id="wrong nesting"),
    pytest.param("</doc>", "{path}, line 1: </doc> has no opening tag" + EXPECTED,
                 id="closed without being opened"),
    pytest.param("<tstset>" + "<b>" * 30,
                 "{path}, line 1: tags are nested deeper than 20 here" + EXPECTED,
                 id="deep nesting"),
    pytest.param("<tstset><seg id=1>a</seg></tstset>",
                 "{path}, line 1: <seg> is outside any <doc>" + EXPECTED,
                 id="segment outside of a document"),
    pytest.param("<doc docid=d><seg id=1>a</seg></doc>",
                 "{path}, line 1: <doc> is outside any set" + EXPECTED,
                 id="document outside of a set"),
    pytest.param("<tstset><doc docid=d>\n<doc docid=e></doc></doc></tstset>",
                 "{path}, line 2: <doc> is inside another <doc>" + EXPECTED,
                 id="document inside of a document"),
    pytest.param("<tstset>\n<refset></refset></tstset>",
                 "{path}, line 2: <refset> is inside <tstset>" + EXPECTED,
                 id="set inside of a set"),
    pytest.param("<tstset>\n<doc sysid=x></doc></tstset>",
                 "{path}, line 2: <doc> has no docid" + EXPECTED, id="no document id"),
    pytest.param(in_document("some text\n<seg id=1>a</seg>"),
                 (
                 "{path}, line 4: there is text outside any <seg> before it: 'some "
                 "text'"
             )
                 + EXPECTED, id="text outside of a segment"),
    pytest.param(in_document("<seg id=7>a</seg>\n<seg id=7>b</seg>"),
                 "{path}, line 4: segment '7' of document 'd' occurs twice in the "
                 "output 'A'; ids must differ.", id="segment twice"),
    pytest.param(in_document("<seg id=1>a</seg>\n<seg id=2>b</seg>\n<seg id=1>b</seg>"),
                 "{path}, line 5: segment '1' of document 'd' occurs twice in the "
                 "output 'A'; ids must differ.", id="number twice"),
    pytest.param("<tstset>\n" + "<doc docid=d sysid=A><seg>a</seg></doc>\n" * 2 + "</tstset>",
                 "{path}, line 3: document 'd' occurs twice in the output 'A', first "
                 "on line 2; ids must differ.", id="document twice"),
    pytest.param('<!DOCTYPE mteval [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><tstset></tstset>',
                 "{path}, line 1 has a declaration in '<!DOCTYPE mteval [<!ENTITY a "
                 "\"aaaa\"><!EN'; declarations are not supported, so remove it.",
                 id="entity bomb"),
    pytest.param('<!ENTITY a SYSTEM "file:///etc/passwd"><tstset></tstset>',
                 "{path}, line 1: <!ENTITY> is a declaration, which is not supported"
                 + EXPECTED,
                 id="external entity"),
    pytest.param("<tstset>\n<!-- never ends",
                 "{path}, line 2: a comment is not closed by -->.", id="comment not closed"),
    pytest.param("<tstset>\n<doc docid=\"d>x</doc></tstset>",
                 "{path}, line 2: '<doc docid=\"d>x</doc></tstset>' starts like a "
                 "tag but does not end like one; expected <NAME KEY=\"VALUE\"> on "
                 "few lines, or &lt; for a <.",
                 id="quote not closed"),
    pytest.param("<tstset>\n<doc docid></doc></tstset>",
                 "{path}, line 2: the attributes of <doc> cannot be read: 'docid'; expected "
                 'KEY="VALUE" pairs.', id="attribute without a value"),
    pytest.param('<?xml version="1.0" encoding="ISO-8859-1"?><tstset></tstset>',
                 "{path} declares the encoding ISO-8859-1; convert the file to UTF-8 "
                 "and change its declaration.", id="another encoding declared"),
    pytest.param("<tstset>".encode("utf-16"), "{path} is UTF-16; convert the file to UTF-8.",
                 id="UTF-16"),
    pytest.param("<tstset>".encode("utf-32"), "{path} is UTF-32; convert the file to UTF-8.",
                 id="UTF-32"),
    pytest.param(in_document("<seg id=1>caf\u00e9</seg>").encode("latin-1"),
                 "{path}, line 3: byte 14 of the line is 0xe9, which is not UTF-8; convert the "
                 "file to UTF-8.", id="Latin-1"),
    pytest.param(b"<tstset>\n\xc3", "{path}, line 2: byte 1 of the line is 0xc3, which is not "
                 "UTF-8; convert the file to UTF-8.", id="breaks off inside of a character"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), REFUSED)
def test_refusals(written, content, message):
    path = written(content)
    with pytest.raises(FormatError) as raised:
        read(path)
    assert str(raised.value) == message.format(path=path)


texts = st.text(
    st.sampled_from("ab<>&\"'; \t\u00e9\u4e2d\U0001f600\u2028/!-\0")
    | st.characters(exclude_categories=["Cs"]),
    max_size=12,
)
blank = st.sampled_from(["", " ", "\n", "\r\n", "\t", "<!-- - > -->"])


@st.composite
def surfaces(draw):
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
            text = draw(texts).replace("\r", "").replace("\n", "")
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


@given(surfaces())
@settings(max_examples=150, deadline=None)
def test_the_same_segments_however_they_are_written(tmp_path_factory, surface):
    content, expected = surface
    path = tmp_path_factory.mktemp("sgml") / "test.sgm"
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
