"""Files of translation tools, of subtitles and of programs, under their names and others."""

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

from tests.cli.matrix.files import write_lines
from tests.cli.matrix.framework import Case
from tests.cli.matrix.texts import COUNT, REF, SHUFFLE, SOURCE, A, bleu, reorder

CASES: dict[str, Case] = {}
#: Writes pairs of originals and translations as the content of a file.
Render = Callable[[Sequence[str], Sequence[str]], bytes]
XML = '<?xml version="1.0" encoding="utf-8"?>\n'


def number_pairs(sources: Sequence[str], targets: Sequence[str]) -> list[tuple]:
    return [*zip(range(1, len(targets) + 1), sources, targets, strict=True)]


def render(
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    unit: str,
    head: str = "",
    foot: str = "",
    encoding: str = "utf-8",
    clean: Callable[[str], str] = str,
) -> bytes:
    """Fill a text for each pair: {n}, {source} and {target}."""
    units = (
        unit.replace("{n}", str(number))
        .replace("{source}", clean(source))
        .replace("{target}", clean(target))
        .replace("{time}", f"00:00:{number:02}")
        .replace("{next}", f"00:00:{number + 1:02}")
        for number, source, target in number_pairs(sources, targets)
    )
    return (head + "".join(units) + foot).encode(encoding)


def quote(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


XLIFF_HEAD = (
    XML + '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" '
    'xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0" '
    'xmlns:m="http://www.memsource.com/mxlf/2.0" xmlns:mq="MQXliff">\n'
    '<file original="a.docx" source-language="de-DE" target-language="en-GB" '
    'datatype="x-file"><header/><body>\n'
)
XLIFF_FOOT = "</body></file></xliff>\n"
XLIFF2_HEAD = (
    XML + '<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" '
    'srcLang="de" trgLang="en"><file id="f1">\n'
)
XLIFF2_FOOT = "</file></xliff>\n"


def xliff(unit: str, head: str = XLIFF_HEAD, foot: str = XLIFF_FOOT, **more) -> Render:
    return partial(render, unit=unit, head=head, foot=foot, clean=escape, **more)


def xliff2(unit: str) -> Render:
    return xliff(unit, XLIFF2_HEAD, XLIFF2_FOOT)


PLAIN_UNIT = (
    '<trans-unit id="{n}"><source>{source}</source>\n<target>{target}</target>'
    "</trans-unit>\n"
)
SDL_UNIT = (
    '<trans-unit id="9e-{n}"><source>{source}</source><seg-source><mrk mtype="seg" '
    'mid="{n}">{source}</mrk></seg-source><target><mrk mtype="seg" mid="{n}">{target}'
    '</mrk></target><sdl:seg-defs><sdl:seg id="{n}" conf="Translated" percent="80">'
    '<sdl:value key="SegmentHash">-12</sdl:value></sdl:seg></sdl:seg-defs></trans-unit>\n'
)
PO_HEAD = (
    'msgid ""\nmsgstr ""\n"Project-Id-Version: 1\\n"\n'
    '"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
)
PO_UNIT = '#: a.c:{n}\nmsgid "{source}"\nmsgstr "{target}"\n\n'


def po(unit: str = PO_UNIT, head: str = PO_HEAD, **more) -> Render:
    return partial(render, unit=unit, head=head, clean=quote, **more)


def render_properties(_: Sequence[str], targets: Sequence[str]) -> bytes:
    """Write Java's properties, which have escapes for other letters than ASCII."""
    lines = (
        f"key.{number} = "
        + "".join(c if c.isascii() else f"\\u{ord(c):04x}" for c in target)
        for number, target in enumerate(targets, 1)
    )
    return "".join(f"{line}\n" for line in lines).encode()


def render_json(
    _: Sequence[str], targets: Sequence[str], nested: bool = False
) -> bytes:
    keys = {f"key{number}": target for number, target in enumerate(targets, 1)}
    return json.dumps({"app": keys} if nested else keys, indent=2).encode()


def render_arb(sources: Sequence[str], targets: Sequence[str]) -> bytes:
    texts: dict = {"@@locale": "en"}
    for number, source, target in number_pairs(sources, targets):
        texts |= {f"key{number}": target, f"@key{number}": {"description": source}}
    return json.dumps(texts, indent=1).encode()


def zip_parts(parts: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return file.getvalue()


def render_idml(_: Sequence[str], targets: Sequence[str]) -> bytes:
    story = "".join(f"<Content>{escape(text)}</Content><Br/>" for text in targets)
    parts = {"mimetype": "application/vnd.adobe.indesign-idml-package"}
    return zip_parts({**parts, "Stories/Story_u1.xml": f"<Story>{story}</Story>"})


def render_docx(_: Sequence[str], targets: Sequence[str]) -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{escape(t)}</w:t></w:r></w:p>" for t in targets)
    parts = {"[Content_Types].xml": "<Types/>"}
    return zip_parts({**parts, "word/document.xml": f"<w:document>{body}</w:document>"})


def break_lines(text: str) -> str:
    """Break a subtitle into two lines."""
    first, blank, rest = text.partition(" ")
    words = rest.split(" ")
    middle = len(words) // 2
    return f"{first}{blank}{' '.join(words[:middle])}\n{' '.join(words[middle:])}"


def subtitles(unit: str, head: str = "", clean: Callable[[str], str] = str) -> Render:
    return partial(render, unit=unit, head=head, clean=clean)


TTX_HEAD = (
    "<?xml version='1.0'?>\n<TRADOStag Version=\"2.0\"><FrontMatter><UserSettings "
    'SourceLanguage="DE-DE" TargetLanguage="EN-GB"/></FrontMatter><Body><Raw>\n'
)
TTX_UNIT = (
    '<Tu MatchPercent="0"><Tuv Lang="DE-DE">{source}</Tuv>'
    '<Tuv Lang="EN-GB">{target}</Tuv></Tu>\n'
)
TMX_HEAD = (
    XML
    + '<tmx version="1.4"><header srclang="de" datatype="plaintext" segtype="sentence" '
    'adminlang="en" creationtool="x" creationtoolversion="1" o-tmf="x"/><body>\n'
)
TMX_UNIT = (
    '<tu tuid="{n}"><tuv xml:lang="de"><seg>{source}</seg></tuv><tuv xml:lang="en">'
    "<seg>{target}</seg></tuv></tu>\n"
)

#: A file for each pair of texts, by the end of its name and what is in it.
FORMATS: dict[str, Render] = {
    "xlf": xliff(PLAIN_UNIT),
    "xliff": xliff(PLAIN_UNIT),
    "xlf, note, then alt-trans": xliff(
        '<trans-unit id="{n}"><source>{source}</source><target state="final">{target}'
        "</target><note>Check.</note><alt-trans><source>{source}</source><target>No."
        "</target></alt-trans></trans-unit>\n"
    ),
    "xlf, alt-trans first": xliff(
        '<trans-unit id="{n}"><alt-trans><target>No.</target></alt-trans><source>{source}'
        "</source><target>{target}</target></trans-unit>\n"
    ),
    "xlf, codes": xliff(
        '<trans-unit id="{n}"><source><g id="1">{source}</g></source><target><bpt id="1">'
        '&lt;b&gt;</bpt>{target}<ept id="1">&lt;/b&gt;</ept><x id="2"/></target>'
        "</trans-unit>\n"
    ),
    "xlf, segments": xliff(
        '<trans-unit id="{n}"><source>{source}</source><seg-source><mrk mtype="seg" '
        'mid="0">{source}</mrk></seg-source><target><mrk mtype="seg" mid="0">{target}'
        "</mrk></target></trans-unit>\n"
    ),
    "xlf, groups": xliff(
        '<group id="g{n}"><trans-unit id="1"><source>{source}</source><target>{target}'
        "</target></trans-unit></group>\n"
    ),
    "xlf, version 2": xliff2(
        '<unit id="{n}"><segment><source>{source}</source><target>{target}</target>'
        "</segment></unit>\n"
    ),
    "xlf, version 2, codes": xliff2(
        '<unit id="{n}"><originalData><data id="d1">&lt;b&gt;</data></originalData>'
        '<segment id="1"><source><pc id="1">{source}</pc></source><target><pc id="1">'
        "{target}</pc></target></segment><ignorable><source> </source></ignorable>"
        "</unit>\n"
    ),
    "sdlxliff": xliff(SDL_UNIT, encoding="utf-8-sig"),
    "mxliff": xliff(
        '<group id="{n}"><trans-unit id="a:{n}" m:score="0.0" m:confirmed="1"><source>'
        '{source}</source><target>{target}</target><alt-trans origin="machine-trans">'
        "<target>No.</target></alt-trans></trans-unit></group>\n"
    ),
    "mqxliff": xliff(
        '<trans-unit id="{n}" mq:status="ManuallyConfirmed"><source xml:space="preserve">'
        '{source}</source><target xml:space="preserve">{target}</target>'
        "<mq:minorversions><mq:historical-unit><target>No.</target></mq:historical-unit>"
        "</mq:minorversions></trans-unit>\n"
    ),
    "tmx": xliff(TMX_UNIT, TMX_HEAD, "</body></tmx>\n"),
    "po": po(),
    "po, without a head": po(head=""),
    "po, wrapped": po('msgid ""\n"{source}"\nmsgstr ""\n"{target}"\n\n'),
    "po, contexts": po('msgctxt "menu"\nmsgid "{source}"\nmsgstr "{target}"\n\n'),
    "po, an id": po('msgid "key.{n}"\nmsgstr "{target}"\n\n'),
    "po, UTF-16": po(encoding="utf-16"),
    "po, old texts": po(PO_UNIT + '#~ msgid "x{n}"\n#~ msgstr "No."\n\n'),
    "strings": po('/* {source} */\n"key.{n}" = "{target}";\n', head=""),
    "strings, one a line": po('"key.{n}" = "{target}";\n', head=""),
    "strings, UTF-16": po('"key.{n}" = "{target}";\n', head="", encoding="utf-16"),
    "ts": xliff(
        "<message><source>{source}</source><translation>{target}</translation></message>\n",
        XML
        + '<!DOCTYPE TS>\n<TS version="2.1" language="en"><context><name>W</name>\n',
        "</context></TS>\n",
    ),
    "resx": xliff(
        '<data name="key{n}" xml:space="preserve"><value>{target}</value></data>\n',
        XML + '<root><resheader name="version"><value>2.0</value></resheader>\n',
        "</root>\n",
    ),
    "xml, Android": xliff(
        '<string name="key{n}">{target}</string>\n',
        XML + "<resources>\n",
        "</resources>\n",
    ),
    "plist": xliff(
        "<key>key{n}</key><string>{target}</string>\n",
        XML + '<plist version="1.0"><dict>\n',
        "</dict></plist>\n",
    ),
    "ttx": xliff(TTX_UNIT, TTX_HEAD, "</Raw></Body></TRADOStag>\n", encoding="utf-16"),
    "txml": xliff(
        '<translatable blockId="{n}"><segment segmentId="{n}"><source>{source}</source>'
        "<target>{target}</target></segment></translatable>\n",
        XML + '<txml version="1.0" locale="DE" targetlocale="EN">\n',
        "</txml>\n",
    ),
    "tbx": xliff(
        '<termEntry id="{n}"><langSet xml:lang="de"><tig><term>{source}</term></tig>'
        '</langSet><langSet xml:lang="en"><tig><term>{target}</term></tig></langSet>'
        "</termEntry>\n",
        XML + '<martif type="TBX"><text><body>\n',
        "</body></text></martif>\n",
    ),
    "idml": render_idml,
    "docx": render_docx,
    "properties": render_properties,
    "ini": subtitles("key{n}={target}\n", "[texts]\n"),
    "json, keys": render_json,
    "json, nested keys": partial(render_json, nested=True),
    "arb": render_arb,
    "yml": partial(render, unit='  key{n}: "{target}"\n', head="en:\n", clean=quote),
    "php": partial(
        *(render,),
        **{"unit": '  "key{n}" => "{target}",\n', "head": "<?php return [\n"},
        foot="];\n",
        clean=quote,
    ),
    "rc": partial(
        *(render,),
        **{"unit": '  IDS_{n} "{target}"\n', "head": "STRINGTABLE\nBEGIN\n"},
        foot="END\n",
    ),
    "tex": partial(
        *(render,),
        **{
            "unit": "{target}\n\n",
            "head": "\\documentclass{article}\n\\begin{document}\n",
        },
        foot="\\end{document}\n",
        clean=lambda text: text.replace("%", "\\%").replace("&", "\\&"),
    ),
    "md": subtitles("* {target}\n", "# News\n\n"),
    "md, a table": subtitles("| {n} | {target} |\n", "| id | text |\n|---|---|\n"),
    "html": xliff("<p>{target}</p>\n", "<html><body>\n", "</body></html>\n"),
    "srt": subtitles("{n}\n{time},000 --> {next},000\n{target}\n\n"),
    "srt, two lines": subtitles(
        "{n}\n{time},000 --> {next},000\n{target}\n\n", clean=break_lines
    ),
    "vtt": subtitles("{time}.000 --> {next}.000\n{target}\n\n", "WEBVTT\n\n"),
    "sbv": subtitles("{time}.000,{next}.000\n{target}\n\n"),
    "ass": subtitles(
        "Dialogue: 0,{time}.00,{next}.00,Default,,0,0,0,,{target}\n",
        "[Script Info]\nTitle: x\n\n[Events]\nFormat: Layer, Start, End, Style, "
        "Name, MarginL, MarginR, MarginV, Effect, Text\n",
    ),
    "lrc": subtitles("[{time}.00]{target}\n"),
    "lrc, minutes": subtitles("[00:{n}.10] {target}\n"),
    "stm": subtitles("talk1 1 spk {n}.00 {n}.90 <o,f0,male> {target}\n"),
    "trn": subtitles("{target} (talk1-{n})\n"),
    "ctm": subtitles("talk1 A {n}.00 0.40 {target}\n"),
    "sub": subtitles("{{n}0}{{n}9}{target}\n"),
    "ttml": xliff(
        '<p begin="{time}" end="{next}">{target}</p>\n',
        XML + '<tt xmlns="http://www.w3.org/ns/ttml"><body><div>\n',
        "</div></body></tt>\n",
    ),
}
BINARY = ("idml", "docx")


def write_both(folder: Path, form: str, suffix: str) -> list:
    """Write outputs and references in the same format."""
    content = FORMATS[form]
    out, ref = folder / f"out{suffix}", folder / f"ref{suffix}"
    out.write_bytes(content(SOURCE, A))
    ref.write_bytes(content(SOURCE, REF))
    return [out, "-r", ref]


def write_beside_lines(folder: Path, form: str, suffix: str) -> list:
    out, *_ = write_both(folder, form, suffix)
    return [out, "-r", write_lines(folder / "lines.en", REF)]


def write_beside_source(folder: Path, form: str, suffix: str) -> list:
    """Write outputs whose file has the source as well, beside lines of references."""
    out, *rest = write_beside_lines(folder, form, suffix)
    return [out, *rest, "-s", out]


for form in FORMATS:
    end = f".{form.partition(',')[0]}"
    CASES[f"translators: {form}"] = Case(
        partial(write_both, form=form, suffix=end), says=r"\.\w+|looks like|format"
    )
    CASES[f"translators: {form} beside lines"] = Case(
        partial(write_beside_lines, form=form, suffix=end)
    )
    if form not in BINARY:
        CASES[f"translators: {form} under the name of a text"] = Case(
            partial(write_both, form=form, suffix=".txt")
        )
for form in (
    "xlf",
    "po",
    "strings",
    "srt",
    "properties",
    "json, keys",
    "ts",
    "sdlxliff",
):
    end = f".{form.partition(',')[0]}"
    for command in ("convert", "web", "judge"):
        CASES[f"translators: {form}, {command}"] = Case(
            partial(write_both, form=form, suffix=end), command=command
        )
for form in ("xlf", "po", "strings", "ts", "srt", "sdlxliff", "json, keys", "html"):
    CASES[f"translators: {form}, piped"] = Case(
        partial(write_both, form=form, suffix=f".{form.partition(',')[0]}"),
        command="piped",
    )
for form in ("xlf", "po", "ts", "srt", "sdlxliff", "mxliff"):
    CASES[f"translators: {form} without a suffix"] = Case(
        partial(write_both, form=form, suffix="")
    )
    CASES[f"translators: {form} under the name of a language"] = Case(
        partial(write_both, form=form, suffix=".en")
    )
for form in ("xlf", "tmx", "sdlxliff", "mxliff", "xlf, version 2"):
    CASES[f"translators: {form} with its source"] = Case(
        partial(write_beside_source, form=form, suffix=f".{form.partition(',')[0]}")
    )


def write_odd(
    folder: Path, units: Callable[[int], str], name: str = "out.xlf", **more: str
) -> list:
    """Write units of which some are special, beside lines of references."""
    head, foot = more.get("head", XLIFF_HEAD), more.get("foot", XLIFF_FOOT)
    clean = quote if name.endswith(".po") else escape
    body = "".join(
        units(number)
        .replace("{source}", clean(source))
        .replace("{target}", clean(target))
        for number, source, target in number_pairs(SOURCE, A)
    )
    path = folder / name
    path.write_text((head + body + foot).replace("{n}", "1"), encoding="utf-8")
    return [path, "-r", write_lines(folder / "ref.txt", REF)]


def unit(number: int, target: str = "<target>{target}</target>", more: str = "") -> str:
    return f'<trans-unit id="{number}"{more}><source>{{source}}</source>{target}</trans-unit>\n'


EMPTY = {"*": bleu([*A[:6], "", *A[7:]])}
LEFT_OUT = {"*": bleu([*A[:6], *A[7:]], [*REF[:6], *REF[7:]])}
ODD: dict[str, tuple] = {
    "a unit without a target": (
        lambda n: unit(n, "" if n == 7 else "<target>{target}</target>"),
        (EMPTY, LEFT_OUT),
    ),
    "a unit with an empty target": (
        lambda n: unit(n, "<target/>" if n == 7 else "<target>{target}</target>"),
        (EMPTY, LEFT_OUT),
    ),
    "a unit that is not to be translated": (
        lambda n: (
            unit(n)
            + (
                '<trans-unit id="x" translate="no"><source>v 1.2</source>'
                "<target>v 1.2</target></trans-unit>\n"
                if n == 7
                else ""
            )
        ),
        (),
    ),
    "Phrase's codes": (
        lambda n: unit(n, "<target>{1&gt;{target}&lt;1}</target>"),
        (),
    ),
    "Phrase's single codes": (
        lambda n: unit(n, "<target>{target}{1}</target>"),
        (),
    ),
    "ids shuffled": (lambda n: unit(SHUFFLE[n - 1] + 1), ()),
    "two translations of a unit": (
        lambda n: unit(n, "<target>{target}</target><target>No.</target>"),
        (),
    ),
    "a comment inside": (
        lambda n: unit(n, "<target><!-- old -->{target}</target>"),
        (),
    ),
    "sub-flows": (
        lambda n: unit(
            n, '<target>{target}<ph id="1"><sub>a footnote</sub></ph></target>'
        ),
        (),
    ),
    "deleted words": (
        lambda n: unit(
            n, '<target>{target}<mrk mtype="x-sdl-deleted">really old</mrk></target>'
        ),
        (),
    ),
    "inserted words": (
        lambda n: unit(n, '<target><mrk mtype="x-sdl-added">{target}</mrk></target>'),
        (),
    ),
    "comments of reviewers": (
        lambda n: unit(n, '<target><mrk mtype="x-sdl-comment">{target}</mrk></target>'),
        (),
    ),
}
for kind, (units, also) in ODD.items():
    CASES[f"translators: xlf, {kind}"] = Case(
        partial(write_odd, units=units),
        also=also,
        says=r"code|target|empty|no text|translat|Phrase|\{1",
    )
PO_ODD: dict[str, tuple] = {
    "fuzzy": (
        lambda n: ("#, fuzzy\n" if n == 7 else "") + PO_UNIT,
        (LEFT_OUT, EMPTY),
    ),
    "without a translation": (
        lambda n: PO_UNIT.replace("{target}", "") if n == 7 else PO_UNIT,
        (LEFT_OUT, EMPTY),
    ),
    "plurals": (
        lambda n: (
            'msgid "{source}"\nmsgid_plural "{source}s"\nmsgstr[0] "{target}"\n'
            'msgstr[1] "No."\n\n'
            if n == 7
            else PO_UNIT
        ),
        (),
    ),
}
for kind, (units, also) in PO_ODD.items():
    CASES[f"translators: po, {kind}"] = Case(
        partial(write_odd, units=units, name="out.po", head=PO_HEAD, foot=""),
        also=also,
        says="fuzzy|plural|empty|no text|translat",
    )
TS_HEAD = (
    XML + '<!DOCTYPE TS>\n<TS version="2.1" language="en"><context><name>W</name>\n'
)
TS_UNIT = (
    "<message><source>{source}</source><translation>{target}</translation></message>\n"
)
TS_ODD: dict[str, tuple] = {
    "unfinished": (
        lambda n: (
            TS_UNIT.replace("<translation>", '<translation type="unfinished">')
            if n == 7
            else TS_UNIT
        ),
        (LEFT_OUT, EMPTY),
    ),
    "unfinished and empty": (
        lambda n: (
            '<message><source>{source}</source><translation type="unfinished"/></message>'
            if n == 7
            else TS_UNIT
        ),
        (LEFT_OUT, EMPTY),
    ),
    "plurals": (
        lambda n: (
            '<message numerus="yes"><source>{source}</source><translation><numerusform>'
            "{target}</numerusform><numerusform>No.</numerusform></translation></message>"
            if n == 7
            else TS_UNIT
        ),
        (),
    ),
    "vanished": (
        lambda n: (
            TS_UNIT
            + (
                '<message><source>x</source><translation type="vanished">No.'
                "</translation></message>\n"
                if n == 7
                else ""
            )
        ),
        (),
    ),
}
for kind, (units, also) in TS_ODD.items():
    foot = "</context></TS>\n"
    CASES[f"translators: ts, {kind}"] = Case(
        partial(write_odd, units=units, name="out.ts", head=TS_HEAD, foot=foot),
        also=also,
        says="unfinished|plural|empty|no text|translat",
    )


def write_segments(folder: Path, name: str = "out.sdlxliff") -> list:
    """Write units of two segments each, beside lines: a segment is not a unit."""
    units = []
    for number in range(0, COUNT, 2):
        pairs = [(number + n, SOURCE[number + n], A[number + n]) for n in (0, 1)]
        sides = (
            " ".join(
                f'<mrk mtype="seg" mid="{pair[0]}">{escape(pair[side])}</mrk>'
                for pair in pairs
            )
            for side in (1, 2)
        )
        source, target = sides
        units.append(
            f'<trans-unit id="u{number}"><source>{escape(SOURCE[number])} '
            f"{escape(SOURCE[number + 1])}</source><seg-source>{source}</seg-source>"
            f"<target>{target}</target></trans-unit>\n"
        )
    path = folder / name
    path.write_text(XLIFF_HEAD + "".join(units) + XLIFF_FOOT, encoding="utf-8")
    return [path, "-r", write_lines(folder / "ref.txt", REF)]


CASES["translators: sdlxliff, two segments a unit"] = Case(write_segments)
CASES["translators: xlf, two segments a unit"] = Case(
    partial(write_segments, name="out.xlf")
)


def write_shuffled_units(folder: Path, form: str = "xlf") -> list:
    """Write units in another order in the file of references, with the same ids."""
    end = form.partition(",")[0]
    out, ref = folder / f"out.{end}", folder / f"ref.{end}"
    out.write_bytes(FORMATS[form](SOURCE, A))
    units = {
        "xlf": PLAIN_UNIT,
        "sdlxliff": SDL_UNIT,
        "po": PO_UNIT,
        "strings": '"key.{n}" = "{target}";\n',
        "properties": "key.{n} = {target}\n",
        "tmx": TMX_UNIT,
        "ts": TS_UNIT,
    }[end]
    clean = quote if end in ("po", "strings") else escape
    pairs = reorder(number_pairs(SOURCE, REF), SHUFFLE)
    body = "".join(
        units.replace("{n}", str(n))
        .replace("{source}", clean(source))
        .replace("{target}", clean(target) if end != "properties" else target)
        for n, source, target in pairs
    )
    heads = {
        "po": (PO_HEAD, ""),
        "strings": ("", ""),
        "properties": ("", ""),
        "tmx": (TMX_HEAD, "</body></tmx>\n"),
        "ts": (TS_HEAD, "</context></TS>\n"),
    }
    head, foot = heads.get(end, (XLIFF_HEAD, XLIFF_FOOT))
    ref.write_text(head + body + foot, encoding="utf-8")
    return [out, "-r", ref]


for form in ("xlf", "sdlxliff", "po", "strings", "properties", "tmx", "ts"):
    CASES[f"translators: {form}, units in another order"] = Case(
        partial(write_shuffled_units, form=form), says="another order"
    )
