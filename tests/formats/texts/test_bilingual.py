"""TMX and XLIFF: pairs of texts, without codes, and without entities that grow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.errors import FormatError
from metra.formats.texts.bilingual import read_pairs
from metra.scoring.files import open_corpus

TMX = """<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="fr" segtype="sentence"/><body>
<tu><prop type="x">aside</prop>
 <tuv xml:lang="en-GB"><seg>one <bpt i="1">&lt;b></bpt>bold<ept i="1">&lt;/b></ept> &amp;
   more</seg></tuv>
 <tuv xml:lang="fr-FR"><seg>un</seg></tuv></tu>
<tu><tuv lang="FR"><seg>deux</seg></tuv><tuv lang="EN"><seg>two <hi>2</hi></seg></tuv></tu>
</body></tmx>"""
XLIFF = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file
 source-language="fr" target-language="en" original="a"><body>
<trans-unit id="1"><source>un <g id="1">gras</g></source><target>one <g id="1">bold</g><x
 id="2"/></target><alt-trans><source>no</source><target>no</target></alt-trans></trans-unit>
<trans-unit id="2"><source>deux</source></trans-unit>
</body></file></xliff>"""
XLIFF2 = """<xliff version="2.0" srcLang="fr" trgLang="en"><file id="f"><unit id="u">
<notes><note>aside</note></notes><segment><source>un <pc id="1">gras</pc></source>
<target>one <pc id="1">bold</pc></target></segment></unit></file></xliff>"""
CASES = [
    pytest.param(
        "a.tmx", TMX, [("un", "one bold & more"), ("deux", "two 2")], id="TMX"
    ),
    pytest.param(
        "a.xlf", XLIFF, [("un gras", "one bold"), ("deux", "")], id="XLIFF 1.2"
    ),
    pytest.param("a.xliff", XLIFF2, [("un gras", "one bold")], id="XLIFF 2"),
    pytest.param(
        "b.tmx",
        TMX.replace('srclang="fr"', 'srclang="*all*"'),
        [("one bold & more", "un"), ("deux", "two 2")],
        id="without a source language the first is the original",
    ),
]


@pytest.mark.parametrize(("name", "content", "expected"), CASES)
def test_pairs(write, name, content, expected):
    path = str(write(name, content.encode()))
    assert [tuple(pair) for pair in read_pairs(path)] == expected


def test_as_a_corpus(write):
    path = str(write("sys.tmx", TMX.encode()))
    corpus = open_corpus([f"one={path}"], [path], path)
    [chunk] = corpus.chunks(10)
    assert chunk.systems["one"].text[0] == "one bold & more"
    assert chunk.refs[0].text[1] == "two 2"
    assert chunk.source.text[1] == "deux"


BOMB = """<!DOCTYPE tmx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>
<tmx><body><tu><tuv lang="fr"><seg>&b;</seg></tuv></tu></body></tmx>"""
OUTSIDE = """<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<tmx><body><tu><tuv lang="fr"><seg>&a;</seg></tuv></tu></body></tmx>"""
WRONG = [
    pytest.param(BOMB, "line 1 declares the entity 'a', which is not", id="bomb"),
    pytest.param(OUTSIDE, "declares the entity 'a'", id="another file"),
    pytest.param("<tmx>", "line 1, column 6 is not XML: no element found", id="open"),
    pytest.param("<tmx/>", "contains no translation", id="empty"),
]


@pytest.mark.parametrize(("content", "says"), WRONG)
def test_what_is_refused(write, content, says):
    with pytest.raises(FormatError, match=says):
        read_pairs(str(write("a.tmx", content.encode())))


@given(st.lists(st.text("aé&<>😀語'\" ", min_size=1), min_size=1))
def test_texts_come_back(tmp_path_factory, texts):
    from xml.sax.saxutils import escape

    units = "".join(
        f"<tu><tuv lang='fr'><seg>s</seg></tuv><tuv lang='en'><seg>{escape(text)}</seg>"
        "</tuv></tu>"
        for text in texts
    )
    path = tmp_path_factory.getbasetemp() / "there-and-back.tmx"
    content = f"<tmx><header srclang='fr'/><body>{units}</body></tmx>"
    path.write_text(content, encoding="utf-8")
    assert [pair.target for pair in read_pairs(str(path))] == texts
