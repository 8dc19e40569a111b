"""Files of translation tools: their units with ids, without codes; what is refused."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.errors import CorpusError, FormatError
from metra.formats.recognise import choose_format
from metra.formats.texts.columns import ReadingOptions
from metra.formats.texts.localisation.units import UnitFile, read_units
from metra.scoring.files import open_corpus

TMX = """<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="fr" segtype="sentence"/><body>
<tu><prop type="x">aside</prop>
 <tuv xml:lang="en-GB"><seg>one <bpt i="1">&lt;b></bpt>bold<ept i="1">&lt;/b></ept> &amp;
   more</seg></tuv>
 <tuv xml:lang="fr-FR"><seg>un</seg></tuv></tu>
<tu><tuv lang="FR"><seg>deux</seg></tuv><tuv lang="EN"><seg>two <hi>2</hi></seg></tuv></tu>
</body></tmx>"""
LANGUAGES = """<tmx><header srclang="*all*"/><body>
<tu tuid="a"><tuv lang="en"><seg>one</seg></tuv><tuv lang="fr"><seg>un</seg></tuv></tu>
<tu tuid="b"><tuv lang="de"><seg>zwei</seg></tuv><tuv lang="fr"><seg>deux</seg></tuv>
<tuv lang="en"><seg>two</seg></tuv></tu></body></tmx>"""
XLIFF = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file
 source-language="fr" target-language="en" original="a"><body>
<trans-unit id="1"><source>un <g id="1">gras</g></source><target>one <g id="1">bold</g><x
 id="2"/></target><alt-trans><source>no</source><target>no</target></alt-trans></trans-unit>
<trans-unit id="2"><source>deux</source></trans-unit>
</body></file></xliff>"""
XLIFF2 = """<xliff version="2.0" srcLang="fr" trgLang="en"><file id="f"><unit id="u">
<notes><note>aside</note></notes><segment><source>un <pc id="1">gras</pc></source>
<target>one <pc id="1">bold</pc></target></segment></unit>
<group id="g" translate="no"><unit id="n"><segment><source>no</source></segment></unit></group>
<unit id="v"><mtc:matches><mtc:match><source>no</source><target>no</target></mtc:match>
</mtc:matches><segment id="a" state="initial"><source>u<cp hex="0041"/></source></segment>
<ignorable><source> </source></ignorable><segment><source>d</source>
<target>t<sc id="1"/>w<ec startRef="1"/>o<ph id="2"/></target></segment></unit>
</file></xliff>"""
SEGMENTED = """<xliff version="1.2"><file original="a"><body><trans-unit id="1">
<source>Un. Deux.</source><seg-source><g id="1"><mrk mtype="seg" mid="7">Un.</mrk> <mrk
 mtype="seg" mid="8">Deux.</mrk></g></seg-source><target><mrk mtype="seg" mid="8">Two.</mrk>
<mrk mtype="seg" mid="7">On<mrk mtype="x-sdl-deleted">x</mrk>e.</mrk></target><sdl:seg-defs>
<sdl:seg id="7" conf="Draft"/></sdl:seg-defs></trans-unit>
<trans-unit id="2" translate="no"><source>no</source></trans-unit>
<trans-unit id="3"><source><x id="1"/></source><target><x id="1"/></target></trans-unit>
</body></file><file original="b"><body><trans-unit id="1"><source>a<x ctype="lb"/>b</source>
<target> </target></trans-unit><trans-unit id="4"><source>c</source><seg-source><mrk
 mtype="seg" mid="9">c</mrk></seg-source><target>C</target></trans-unit></body>
</file></xliff>"""
TRADOS = SEGMENTED.replace(
    "<xliff", '<xliff xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0"'
)
PHRASE = """<xliff xmlns:m="http://www.memsource.com/mxlf/2.0" version="1.2"><file original="a">
<body><group id="0"><trans-unit id="job:0"><source>{1&gt;Un&lt;1} {2}{3}{b&gt;x&lt;b}</source>
<target>{1&gt;One&lt;1} {2}{3}</target><alt-trans origin="memsource-tm"><target>no</target>
</alt-trans><m:tunit-metadata><m:mark id="1"/><m:mark id="2"/></m:tunit-metadata></trans-unit>
</group></body></file></xliff>"""
MEMOQ = """<xliff xmlns:mq="MQXliff" version="1.2"><file original="a"><body><trans-unit id="1"
 mq:status="Proofread"><source>un <bpt id="1" ctype="bold">{}</bpt>gras<ept id="1">{}</ept>
</source><target>one <ph id="1">&lt;mq:rxt/&gt;</ph>bold</target><mq:minorversions>
<mq:historical-unit><source>no</source><target>no</target></mq:historical-unit>
</mq:minorversions></trans-unit></body></file></xliff>"""
TTX = """<TRADOStag Version="2.0"><FrontMatter><UserSettings SourceLanguage="FR"
 TargetLanguage="EN"/></FrontMatter><Body><Raw><ut>&lt;p></ut><Tu MatchPercent="0"><Tuv
 Lang="FR">un <df Bold="on">gras</df><ut>x</ut></Tuv><Tuv Lang="EN">one bold</Tuv></Tu></Raw>
</Body></TRADOStag>"""
TXML = """<txml><skeleton>no</skeleton><translatable blockId="7"><segment segmentId="1"><ws>
</ws><source>un <ut x="1">&lt;b></ut>gras</source><target>one bold</target></segment><segment
 segmentId="2"><source>deux</source></segment></translatable></txml>"""
QT = """<?xml version="1.0"?><!DOCTYPE TS><TS version="2.1" language="en"><context>
<name>C</name>
<message><source>un<byte value="x41"/></source><comment>c</comment><translation
 type="unfinished">one</translation></message>
<message numerus="yes"><source>%n f</source><translation><numerusform>1</numerusform>
<numerusform>2</numerusform></translation></message>
<message><source>no</source><translation type="vanished">no</translation></message>
</context></TS>"""
RESX = """<root><resheader name="resmimetype"><value>text/microsoft-resx</value></resheader>
<data name="a" xml:space="preserve"><value>one &lt;b></value><comment>no</comment></data>
<data name="b" type="System.Drawing.Point"><value>4, 4</value></data>
<data name="&gt;&gt;c.Name"><value>no</value></data></root>"""
ANDROID = r"""<resources xmlns:x="urn:oasis:names:tc:xliff:document:1.2"><!-- no -->
<string name="a">it\'s <b>a</b>
  <x:g id="n">%1$s</x:g>\u00e9</string><string name="b" translatable="false">no</string>
<string-array name="c"><item>0</item><item>1</item></string-array>
<plurals name="d"><item quantity="one">" 1  "</item><item quantity="other">2</item></plurals>
<color name="e">no</color></resources>"""
PO = r"""# a comment
#Another
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\n"

#, c-format, fuzzy
msgctxt "menu"
msgid "un"
msgstr "ön" "e\"\n"
"""
PO += (
    '"\u2028more"\n'
    + r"""msgid "%d f"
msgid_plural "%d fs"
msgstr[0] "1"
msgstr[1] ""

#~ msgid "no"
#~ msgstr "no"
"""
)
PROPERTIES = r"""# no = no
! no
a\ b : caf\u00e9
c=one \
   two\\
d one=two
e
c=last"""
STRINGS = r"""/* no "a" = "b"; */
"a" = "o\"ne;"; // no
b = "two\U00e9
more";"""
ARB = """{"@@locale": "de", "a": "eins", "@a": {"description": "no"}}"""
SRT = r"""1
00:00:01,000 --> 00:00:02,000 X1:1
<i>One</i> {\an8}
42

2
00:00:02,500 --> 00:00:03,000

3
00:01:00,000 --> 00:01:02,000
3 < 4
"""
VTT = """WEBVTT - a title
Kind: captions

NOTE no

STYLE
::cue {}

intro
00:01.000 --> 00:02.000 align:start
<v Ann>One &amp; <00:01.500>two
- three
"""
SBV = "0:00:01.000,0:00:02.000\nOne\ntwo\n"
ASS = r"""[Script Info]
Title: no

[Events]
Format: Layer, Start, End, Style, Text
Dialogue: 0,0:00:01.00,0:00:02.00,Default,{\i1}One{\i0},\Ntwo
Comment: 0,0:00:01.00,0:00:02.00,Default,no
Dialogue: 0,0:00:01.00,0:00:02.00,Default,{\p1}m 0 0{\p0}
"""
#: A file of each kind, its format, and its units: ids, sources and targets.
CASES = [
    pytest.param(
        *("tmx", TMX, [("", "un", "one bold & more"), ("", "deux", "two 2")]), id="TMX"
    ),
    pytest.param(
        "tmx",
        LANGUAGES.replace('<tuv lang="de"><seg>zwei</seg></tuv>', ""),
        [("a", "one", "un"), ("b", "two", "deux")],
        id="TMX without a source language: that of the first text, and one of the others",
    ),
    pytest.param(
        *("xliff", XLIFF, [("1", "un gras", "one bold"), ("2", "deux", None)]),
        id="XLIFF 1.2",
    ),
    pytest.param(
        "xliff",
        XLIFF2,
        [("u", "un gras", "one bold"), ("v:a", "uA", None), ("v:2", "d", "two")],
        id="XLIFF 2",
    ),
    pytest.param(
        "xliff",
        SEGMENTED,
        [
            *(("1:7", "Un.", "One."), ("1:8", "Deux.", "Two.")),
            *(("1", "a b", None), ("4", "c", "C")),
        ],
        id="segments of a unit",
    ),
    pytest.param(
        "xliff",
        TRADOS,
        [
            *(("7", "Un.", "One."), ("8", "Deux.", "Two.")),
            *(("1", "a b", None), ("4", "c", "C")),
        ],
        id="Trados numbers segments in the whole file",
    ),
    pytest.param("xliff", PHRASE, [("0", "Un x", "One ")], id="Phrase"),
    pytest.param("xliff", MEMOQ, [("1", "un gras", "one bold")], id="memoQ"),
    pytest.param("ttx", TTX, [("", "un gras", "one bold")], id="TTX"),
    pytest.param(
        *("txml", TXML, [("7:1", "un gras", "one bold"), ("7:2", "deux", None)]),
        id="TXML",
    ),
    pytest.param(
        "qt",
        QT,
        [
            ("C/unA/c", "unA", "one"),
            ("C/%n f[0]", "%n f", "1"),
            ("C/%n f[1]", "%n f", "2"),
        ],
        id="Qt",
    ),
    pytest.param("resx", RESX, [("a", None, "one <b>")], id="RESX"),
    pytest.param(
        "android",
        ANDROID,
        [
            ("a", None, "it's a %1$sé"),
            *(("c[0]", None, "0"), ("c[1]", None, "1")),
            *(("d[one]", None, " 1  "), ("d[other]", None, "2")),
        ],
        id="Android",
    ),
    pytest.param(
        "po",
        PO,
        [
            ("menu/un", "un", 'öne" \u2028more'),
            *(("%d f[0]", "%d f", "1"), ("%d f[1]", "%d fs", None)),
        ],
        id="PO",
    ),
    pytest.param(
        "properties",
        PROPERTIES,
        [
            ("a b", None, "café"),
            ("c", None, "last"),
            ("d", None, "one=two"),
            ("e", None, ""),
        ],
        id="properties",
    ),
    pytest.param(
        *("strings", STRINGS, [("a", None, 'o"ne;'), ("b", None, "twoé more")]),
        id="Apple's strings",
    ),
    pytest.param("arb", ARB, [("a", None, "eins")], id="ARB"),
    pytest.param(
        "subtitles",
        SRT,
        [
            ("00:00:01.000", None, "One 42"),
            *(("00:00:02.500", None, ""), ("00:01:00.000", None, "3 < 4")),
        ],
        id="SRT",
    ),
    pytest.param(
        *("subtitles", VTT, [("00:00:01.000", None, "One & two - three")]), id="WebVTT"
    ),
    pytest.param("subtitles", SBV, [("00:00:01.000", None, "One two")], id="SBV"),
    pytest.param("subtitles", ASS, [("00:00:01.000", None, "One, two")], id="ASS"),
]


def read(path, form, codes="drop") -> UnitFile:
    return read_units(str(path), form, codes, "auto")


@pytest.mark.parametrize(("form", "content", "units"), CASES)
def test_units(write, form, content, units):
    file = read(write("a", content.encode()), form)
    assert [unit[:3] for unit in file.units] == units


@pytest.mark.parametrize(("form", "content", "units"), CASES)
def test_such_files_are_never_plain_text(write, form, content, units):
    assert units
    path = write("a.properties" if form == "properties" else "a.txt", content.encode())
    assert choose_format(str(path)).name == form


CODES = [
    ("keep", "xliff", XLIFF, '<g>un</g>|one <g>bold</g><x id="2"/>'),
    ("placeholders", "xliff", XLIFF, "one {1>bold<1}{2}"),
    ("keep", "tmx", TMX, "one <b>bold</b> & more"),
    ("placeholders", "tmx", TMX, "one {1>bold<1} & more"),
    ("placeholders", "xliff", PHRASE, "{1>One<1} {2}{3}"),
    ("keep", "subtitles", SRT, r"<i>One</i> {\an8} 42"),
]


@pytest.mark.parametrize(("codes", "form", "content", "expected"), CODES)
def test_inline_codes(write, codes, form, content, expected):
    file = read(write("a", content.encode()), form, codes)
    assert file.units[0].target == expected.rpartition("|")[2]


def test_as_a_corpus(write):
    path = str(write("sys.tmx", TMX.encode()))
    corpus = open_corpus([f"one={path}"], [path], path)
    [chunk] = corpus.chunks(10)
    assert chunk.systems["one"].text[0] == "one bold & more"
    assert chunk.refs[0].text[1] == "two 2"
    assert chunk.source.text[1] == "deux"


def test_an_output_brings_its_source_which_others_must_have_too(write):
    one, two = (str(write(name, TMX.encode())) for name in ("a.tmx", "b.tmx"))
    [chunk] = open_corpus([one, two], [one]).chunks(10)
    assert chunk.source.text[0] == "un"
    same = str(write("same.txt", b"deux\nun\n"))
    [chunk] = open_corpus([one], [two], same).chunks(10)
    assert (chunk.source.text[0], chunk.systems["a"].text[0]) == ("deux", "two 2")
    with pytest.raises(CorpusError, match="lacks 2 segments"):
        open_corpus([one], [two], str(write("other.txt", b"eins\nzwei\n")))


UNITS = """<xliff version="1.2"><file original="a"><body>{}</body></file></xliff>"""
UNIT = '<trans-unit id="{0}"><source>s{0}</source><target>t{0}</target></trans-unit>'


def test_conversion_keeps_originals_ids_documents_and_states(cli, write, tmp_path):
    path, out = write("a.sdlxliff", TRADOS.encode()), tmp_path / "a.tsv"
    cli("convert", path, "--read", "untranslated=empty", "-o", out)
    lines = [line.split("\t") for line in out.read_text().split("\n")]
    assert lines[0] == ["source", "output:a", "doc", "seg", "label:state a"]
    assert lines[1] == ["Un.", "One.", "a", "7", "Draft"]
    assert lines[3] == ["a b", "", "b", "1", ""]


def test_units_are_joined_by_their_ids(write):
    one, two = (
        str(write(name, UNITS.format("".join(map(UNIT.format, order))).encode()))
        for name, order in (("a.xlf", "123"), ("b.xlf", "312"))
    )
    corpus = open_corpus([one], [two])
    [chunk] = corpus.chunks(10)
    assert [chunk.refs[0].text[at] for at in range(3)] == ["t1", "t2", "t3"]


def test_units_without_translation_are_refused_or_empty(write):
    path = str(write("a.xlf", XLIFF.encode()))
    with pytest.raises(FormatError) as raised:
        open_corpus([path], [path])
    assert str(raised.value) == (
        f"{path} has no translation for 1 of 2 units: 2; translate them, or give "
        "`untranslated` for empty outputs."
    )
    reading = ReadingOptions(untranslated="empty")
    corpus = open_corpus([path], [], reading=reading)
    [chunk] = corpus.chunks(10)
    assert [chunk.systems["a"].text[at] for at in range(2)] == ["one bold", ""]


NOTES = [
    (
        "xliff",
        XLIFF2,
        "1 not to be translated left out, 1 in state initial, 1 without translation",
    ),
    (
        "xliff",
        TRADOS,
        "1 not to be translated left out, 1 in state Draft, 1 without translation",
    ),
    ("qt", QT, "1 vanished left out, 1 in state unfinished"),
    ("po", PO, "1 obsolete left out, 1 in state fuzzy, 1 without translation"),
    ("properties", PROPERTIES, "1 repeated left out"),
    ("android", ANDROID, "1 not to be translated left out"),
    ("ttx", TTX, ""),
]


@pytest.mark.parametrize(("form", "content", "expected"), NOTES)
def test_what_is_left_out_is_said(write, form, content, expected):
    path = str(write("a", content.encode()))
    reading = ReadingOptions(untranslated="empty")
    corpus = open_corpus([path], reading=reading, input_format=form)
    assert corpus.layouts.get(path, "") == expected


def test_units_with_ids_of_another_tool_are_joined_by_their_sources(write):
    head = "<tmx><header srclang='fr'/><body>"
    unit = """<tu tuid="x{0}"><tuv lang="fr"><seg>s{0}</seg></tuv><tuv lang="en"><seg>t{0}
</seg></tuv></tu>"""
    memory = "".join(map(unit.format, "312"))
    one = str(write("a.xlf", UNITS.format("".join(map(UNIT.format, "123"))).encode()))
    two = str(write("b.tmx", f"{head}{memory}</body></tmx>".encode()))
    corpus = open_corpus([one], [two])
    [chunk] = corpus.chunks(10)
    assert [chunk.refs[0].text[at] for at in range(3)] == ["t1", "t2", "t3"]
    assert corpus.joined == "3 segments joined by source"


PAIRS = [("en-fr", "one two", "un deux"), ("fr-en", "un deux", "one two")]


@pytest.mark.parametrize(("pair", "sources", "targets"), PAIRS)
def test_two_of_several_languages_are_chosen(write, pair, sources, targets):
    path = str(write("a.tmx", LANGUAGES.encode()))
    corpus = open_corpus([path], reading=ReadingOptions(pair=pair))
    [chunk] = corpus.chunks(10)
    texts = [
        " ".join(str(x.text[at]) for at in range(2))
        for x in (chunk.source, chunk.systems["a"])
    ]
    assert texts == [sources, targets]
    assert corpus.layouts[path] == "1 in de left out"


BOMB = """<!DOCTYPE tmx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>
<tmx><body><tu><tuv lang="fr"><seg>&b;</seg></tuv></tu></body></tmx>"""
OUTSIDE = """<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<tmx><body><tu><tuv lang="fr"><seg>&a;</seg></tuv></tu></body></tmx>"""
UNKNOWN = TMX.replace("deux", "deux&nbsp;")
EXTRA = SEGMENTED.replace('mid="9"', 'mid="3"').replace(
    "<target>C</target>", '<target><mrk mtype="seg" mid="5">C</mrk></target>'
)
TWICE = SEGMENTED.replace('mid="8">Two', 'mid="7">Two')
WRONG = [
    ("tmx", BOMB, "line 1 declares or uses the entity 'a', which is not"),
    ("tmx", OUTSIDE, "declares or uses the entity 'a'"),
    ("tmx", UNKNOWN, "line 7 declares or uses the entity 'nbsp'"),
    ("tmx", LANGUAGES, "has several languages .en, fr, de.; choose two with `pair`"),
    ("tmx", "<tmx>", "line 1, column 6 is not XML: no element found"),
    ("tmx", "<tmx/>", "contains no units with texts; expected tmx with at least one"),
    (
        "xliff",
        EXTRA,
        "unit '4' has the segment '5' in its target only; expected it in both",
    ),
    (
        *("tmx", LANGUAGES.replace('"*all*"', '"it"')),
        "contains no units with texts; 2 without a text in it; expected tmx",
    ),
    ("po", 'msgid "a"\nmsgid "b"\n', "line 2 has 'msgid \"b\"'; expected a new msgid"),
    ("po", 'msgid "a"\ndomain x\n', "line 2 has 'domain x'"),
    ("po", 'msgid ""\nmsgstr "Content-Type: x; charset=utf-9"', "is not in utf-9"),
    ("properties", "=a", "has '=a'; expected key=value"),
    ("strings", '"a" = "b"', 'line 1 has \'"a" = "b"\'; expected "key" = "value";'),
    ("arb", '{"a": {"b": "c"}}', "has 'a': {'b': 'c'}; expected a text for each key"),
    (
        "subtitles",
        SRT + "\nlost",
        "line 13 begins a subtitle without one line of times",
    ),
]


@pytest.mark.parametrize(("form", "content", "says"), WRONG)
def test_what_is_refused(write, form, content, says):
    with pytest.raises(FormatError, match=says):
        read(write("a", content.encode()), form)


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
    targets = [unit.target or "" for unit in read(path, "tmx").units]
    assert targets == [text if text.strip() else "" for text in texts]


FILES = Path(__file__).parents[4] / "shared/data/localisation-files"
#: Units of each file, those that are missing, and why it is refused.
PUBLISHED = {
    "CharDist.properties": (14, 0),  # translate-toolkit 3.20.4: 14
    "Commands.properties": (103, 0),  # translate-toolkit: 103
    "Complete_valid_utf8_bom_crlf.ts": (7, 2),
    "ExcludeIncludeTest15987.sdlxliff": (3, 3),
    "ExportTest1B.tmx": (2, 0),  # translate-toolkit, as all files of TMX here
    "ImportTest1L.tmx": "has several languages",
    "ImportTest2A.tmx": (7, 0),
    "Manual-12-AltTrans.xlf": (6, 4),  # translate-toolkit: 6 translatable, 2 translated
    "SameSourceAndTarget.html.xlf": (4, 0),
    "SameSourceWithCode.html.xlf": (5, 0),
    "SameTargetWithCode.html.xlf": (5, 0),
    "Test01.docx.txml": (10, 7),
    "Test01.po": (6, 2),
    "Test01.properties": (61, 0),  # translate-toolkit: 66, with 5 keys twice
    "Test01.xlf": (11, 3),  # 8 units, 3 of them with 2 segments
    "Test02.html.txml": (10, 6),
    "Test02_allseg.html.ttx": (76, 0),
    "Test02_noseg.html.ttx": "contains no units with texts",
    "Test04.po": "line 28 has 'domain TheDomain1'",  # as GNU gettext and translate-toolkit
    "TestInQT.ts": (6, 3),  # translate-toolkit: 7, 1 of them obsolete
    "TestRules07.strings": (5, 0),
    "Test_DrupalRussianCP1251.po": (17, 6),  # translate-toolkit: 17, 11 translated
    "Test_en_fr_new.po": (3, 0),  # translate-toolkit: 3
    "autoSample.ts": (4, 0),
    "header_with_prop_and_note.tmx": (1, 0),
    "home_swing15979.sdlxliff": (13, 13),
    "home_tagcloud_hell15993.sdlxliff": (8, 8),
    "ibm_tbx.tbx": "is a glossary",
    "invalid_xml_entity.xlf": "line 8, column 29 is not XML",
    "maryland.tbx": "is a glossary",
    "okapi_intro_test15977.sdlxliff": (15, 15),
    "quoted-code-type-values.sdlxliff": "contains no units with texts",  # only codes
    "resxtest.resx": (22, 0),
    "segmented.xlf": (3, 0),
    "srttest.srt": (3, 0),
    "supplementals15982.sdlxliff": (3, 3),
    "tasks_Test_SDL_XLIFF_18961_es_ES_xliff_PART0008.xlf": (6, 5),
    "test01.odt.po": (4, 0),  # translate-toolkit: 4
    "test01.odt.xlf": (4, 0),
    "test01.tbx": "is a glossary",
    "test07-subfilter.json_esc.xlf": (3, 0),
    "test07-subfilter.json_sym.xlf": (3, 0),
    "testWithDup.xlf": (9, 0),  # 7 units, 1 of them with 3 segments
    "test_with_placeholders.resx": (1, 0),
}


@pytest.mark.skipif(not FILES.is_dir(), reason="published files are not here")
def test_published_files():
    found = {}
    for path in FILES.iterdir():
        if path.suffix == ".md":
            continue
        try:
            file = read(path, choose_format(str(path)).name)
        except FormatError as error:
            message = str(error).removeprefix(str(path))
            expected = PUBLISHED[path.name]
            is_known = isinstance(expected, str) and expected in message
            found[path.name] = expected if is_known else message
        else:
            found[path.name] = (len(file.units), len(file.list_missing()))
            ids = [unit.id for unit in file.units if unit.id]
            assert len({*ids}) == len(ids)
    assert found == PUBLISHED


@pytest.mark.skipif(not FILES.is_dir(), reason="published files are not here")
@pytest.mark.parametrize(
    "path", sorted(FILES.glob("*.sdlxliff")), ids=lambda path: path.name
)
def test_segments_of_trados(path):
    space = "{urn:oasis:names:tc:xliff:document:1.2}"
    segments = [
        (mark.get("mid"), re.sub(r"\s*\n\s*", " ", "".join(mark.itertext())))
        for unit in ElementTree.parse(path).iter(f"{space}seg-source")
        for mark in unit.iter(f"{space}mrk")
        if mark.get("mtype") == "seg"
    ]
    if segments:
        file = read(path, "xliff")
        assert [(unit.id, unit.source) for unit in file.units] == segments
    else:
        with pytest.raises(FormatError, match="no units with texts"):
            read(path, "xliff")
