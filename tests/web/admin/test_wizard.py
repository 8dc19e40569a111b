"""A new campaign from files: pairing, wishes, cost, draft."""

import base64
import gzip
import json
import re
import zlib
from html import unescape

import openpyxl
import pytest

from metra.campaign.uploads import CampaignTexts, Upload, pair_uploads, unpack_texts
from metra.errors import MetraError
from metra.formats.convert import convert_files
from metra.formats.texts.sources import list_sources
from metra.store import campaigns, tasks

ONE = b"".join(b"output %d of one\n" % at for at in range(12))
TWO = b"".join(b"output %d of two\n" % at for at in range(12))
SOURCE = b"".join(b"source %d\n" % at for at in range(12))
SETTINGS = {
    "name": "spring",
    "protocol": "da",
    "source_language": "fr",
    "target_language": "en",
    "judges": "ann\nbob\r\n cleo \n\ndan",
    "each": "2",
    "calibration": "",
    "seed": "5",
    "repeats": "10",
    "degraded": "",
    "unit": "segment",
    "basis": "",
}


def upload(admin, **files):
    """Post files as a browser would: a name of a field, then pairs of name and bytes."""
    content = [
        (field, (name, data, "text/plain"))
        for field, pairs in files.items()
        for name, data in pairs
    ]
    browser = admin.browser
    return browser.client.post(
        "/admin/campaigns/new/files",
        data={"csrf": browser.csrf},
        files=content,
        headers={"Origin": browser.origin},
    )


def carried(page):
    return unescape(re.search(r'name="texts" value="([^"]+)"', page)[1])


def test_from_files_to_a_draft(admin, table):
    reply = upload(
        admin, outputs=[("one.txt", ONE), ("two.txt", TWO)], source=[("s.txt", SOURCE)]
    )
    assert reply.status_code == 200
    assert "12 segments, 2 systems, source." in reply.text
    _, *body = table(reply.text, "Contents of the files")
    assert [row[:2] for row in body] == [
        *(["output one", "12"], ["output two", "12"], ["source", "12"])
    ]
    texts = carried(reply.text)
    browser = admin.browser
    wishes = "/admin/campaigns/new/settings"
    looked = browser.form(wishes, texts=texts, go="check", **SETTINGS)
    assert looked.status_code == 200
    assert "4 judges × " in looked.text
    assert "each output judged by 2 judges" in looked.text
    made = browser.form(wishes, texts=carried(looked.text), go="create", **SETTINGS)
    assert made.status_code == 303
    key = made.headers["location"].rpartition("/")[2]
    with admin.house.store.reading() as db:
        stored = campaigns.get_campaign(db, key)
        assert len(tasks.list_campaign_tasks(db, key)) > 40
    settings = stored.campaign.settings
    assert stored.state == "draft"
    assert settings.judges == ("ann", "bob", "cleo", "dan")
    assert (settings.seed, settings.repeats, settings.degraded) == (5, 0.1, None)
    assert [system.name for system in stored.campaign.systems] == ["one", "two"]
    assert stored.campaign.systems[1].outputs[3] == "output 3 of two"
    assert stored.campaign.segments[11].source == "source 11"
    again = browser.form(wishes, texts=texts, go="create", **SETTINGS)
    assert again.status_code == 422
    assert "A campaign named &#39;spring&#39; already exists" in again.text


def test_files_that_do_not_belong_together(light_admin):
    short = ONE.rpartition(b"output 11")[0]
    reply = upload(light_admin, outputs=[("one.txt", ONE), ("two.txt", short)])
    assert reply.status_code == 422
    assert "two.txt" in reply.text
    assert "/tmp" not in reply.text


def test_no_files(light_admin):
    reply = upload(light_admin, source=[("s.txt", SOURCE)])
    assert reply.status_code == 422
    assert "There is no output to judge" in reply.text


def test_wishes_that_do_not_fit_are_said_and_kept(light_admin):
    page = upload(light_admin, outputs=[("one.txt", ONE), ("two.txt", TWO)]).text
    texts = carried(page)
    browser = light_admin.browser
    for change, says in (
        ({"protocol": "ldc"}, "ldc shows the reference, which the corpus does"),
        ({"each": "x"}, "each is &#39;x&#39;; expected a whole number."),
        ({"repeats": "x"}, "repeats is &#39;x&#39;; expected a percentage."),
        ({"repeats": "90"}, "expected a share from 0 to 0.5"),
        ({"judges": ""}, "judges is []; expected a list of different names"),
        ({"protocol": "none"}, "No protocol named &#39;none&#39;"),
    ):
        settings = SETTINGS | {"basis": "", "name": "<b>kept"} | change
        reply = browser.form(
            "/admin/campaigns/new/settings", texts=texts, go="create", **settings
        )
        assert reply.status_code == 422
        assert says in reply.text
        assert 'value="&lt;b&gt;kept"' in reply.text
        assert carried(reply.text) == texts


def test_a_table_whose_headings_nobody_knows():
    """The source would be judged as a system's output."""
    content = "Foo;Bar;Baz\na;b;c\nd;e;f\n"
    found = pair_uploads([Upload("output", "t.csv", content.encode("utf-16"))])
    assert found.warnings == (
        "There are only columns of outputs: Foo, Bar, Baz. Name other columns source, "
        "ref or doc.",
    )


def test_a_table_with_headings_of_other_languages(light_admin):
    """The page says what each column was taken for."""
    content = "Quelle;Mensch;Maschine;Kommentar\na;b;c;gut\nd;e;f;\n".encode("utf-16")
    page = upload(light_admin, outputs=[("t.csv", content)]).text
    assert carried(page)
    assert (
        "t.csv (semicolons, not quoted, utf-16; source: Quelle, ref: Mensch, outputs: "
        "Maschine; ignored: Kommentar)"
    ) in unescape(page)
    found = pair_uploads([Upload("output", "t.csv", content)])
    texts = CampaignTexts({"t": ["c", "f"]}, [["b", "e"]], ["a", "d"], None)
    assert found.texts == texts


def test_a_table_with_a_column_that_may_be_anything(light_admin):
    reply = upload(
        light_admin, outputs=[("t.csv", b"Quelle;Target;Foo\na;b;c\nd;e;f\n")]
    )
    assert reply.status_code == 422
    assert (
        "t.csv has 'Foo', which may be the output of a system or something else; it has: "
        "Quelle (source), Target (target), Foo (?)."
    ) in unescape(reply.text)


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".json"])
def test_tables_that_metra_writes(tmp_path, suffix):
    table = tmp_path / "t.tsv"
    table.write_text('src\tref\toutput:x\na\t"b", c\t=d\n')
    out = tmp_path / f"t{suffix}"
    convert_files(list_sources([str(table)], use="any"), str(out))
    found = pair_uploads([Upload("output", out.name, out.read_bytes())])
    assert found.texts == CampaignTexts({"x": ["=d"]}, [['"b", c']], ["a"], None)


def test_a_workbook_with_two_sheets(tmp_path):
    path = tmp_path / "t.xlsx"
    book = openpyxl.Workbook()
    for sheet in (book.active, book.create_sheet("More")):
        sheet.append(["source", "output"])
        sheet.append(["a", "b"])
    book.save(path)
    problem = "^t.xlsx has 2 sheets: 'Sheet', 'More'; choose one with `sheet`.$"
    with pytest.raises(MetraError, match=problem):
        pair_uploads([Upload("output", "t.xlsx", path.read_bytes())])


def test_warnings_about_what_judges_would_notice():
    found = pair_uploads([Upload("output", "one.txt", b"a\n\na\n" * 4)])
    assert found.warnings == (
        "one has 4 empty segments.",
        "one repeats earlier text in 10 of 12 segments; judges will notice.",
        "There is only one system, so its scores cannot be compared.",
    )


def test_tables_and_memories_can_be_chosen_too():
    tmx = (
        b"<tmx><header srclang='fr'/><body><tu><tuv lang='fr'><seg>un</seg></tuv>"
        b"<tuv lang='en'><seg>one</seg></tuv></tu></body></tmx>"
    )
    table = b"source\toutput\tref\tdoc\nun\tone\tONE\td\n"
    found = pair_uploads(
        [Upload("output", "a.tmx", tmx), Upload("source", "a.tmx", tmx)]
    )
    assert (found.texts.outputs, found.texts.source) == ({"a": ["one"]}, ["un"])
    found = pair_uploads([Upload("output", "b.tsv", table)])
    texts = found.texts
    assert (texts.outputs, texts.references) == ({"b": ["one"]}, [["ONE"]])
    assert (texts.source, texts.documents) == (["un"], ["d"])
    assert unpack_texts(texts.pack()) == texts


@pytest.mark.parametrize(
    ("upload", "says"),
    [
        (
            Upload("output", "x.txt", b"\xff\xfa"),
            "x.txt, line 1: byte 1 of the line is 0xff",
        ),
        (Upload("output", "x.xml", b"<a/>"), "x.xml begins with"),
        (Upload("output", "../../etc/x.jsonl", b"{"), "x.jsonl is not JSON"),
        (Upload("output", "x.json", b"{}"), "x.json has no text columns"),
        (
            Upload("output", "x.csv", b"source,ref;output\nd,e;f\n"),
            "commas or semicolons; choose one with `delimiter`.",
        ),
    ],
)
def test_files_that_cannot_be_read(upload, says):
    with pytest.raises(MetraError) as refused:
        pair_uploads([upload])
    assert says in str(refused.value)
    assert "tmp" not in str(refused.value)


def test_what_a_protocol_needs_is_pasted_and_kept(light_admin):
    documents = b"".join(b"d\n" for _ in range(12))
    files = {
        "outputs": [("one.txt", ONE)],
        "source": [("s.txt", SOURCE)],
        "documents": [("d.txt", documents)],
    }
    reply = upload(light_admin, **files)
    assert "verdicts" not in reply.text
    wishes = SETTINGS | {"protocol": "reading", "repeats": "", "each": "1"}
    browser, place = light_admin.browser, "/admin/campaigns/new/settings"
    texts = carried(reply.text)
    lacking = browser.form(place, texts=texts, go="check", **wishes)
    assert lacking.status_code == 422
    assert "give files.baseline" in lacking.text
    more = {
        "options": "natural = 200",
        "questions": "document\tquestion\tanswer\r\nd\tWhy?\tso\r\n",
    }
    wrong = more | {"questions": "document\tquestion\r\nd\tWhy?\r\n"}
    refused = browser.form(place, texts=texts, go="check", **wishes | wrong)
    assert "questions.tsv, line 1: the column" in unescape(refused.text)
    refused = browser.form(place, texts=texts, **wishes | more | {"options": "x ="})
    assert "The table of options is not TOML" in refused.text
    made = browser.form(place, texts=texts, go="create", **wishes | more)
    assert made.status_code == 303, made.text
    key = made.headers["location"].rpartition("/")[2]
    with light_admin.house.store.reading() as db:
        frozen = campaigns.get_campaign(db, key).campaign
    assert frozen.settings.options == {"natural": 200}
    assert frozen.material == {"questions": {"d": [["Why?", ["so"], []]]}}
    assert [step.name for step in frozen.protocol.steps] == [
        "reading-speed",
        "comprehension",
    ]
    assert frozen.repeats == 0


def test_the_server_has_limits_of_its_own(admin, monkeypatch):
    wide = "\t".join(f"output:{at}" for at in range(2001)).encode() + b"\n"
    reply = upload(admin, outputs=[("wide.tsv", wide)])
    assert reply.status_code == 422
    assert "wide.tsv has more than 2,000 columns in a table" in reply.text
    monkeypatch.setenv("METRA_LIMITS", "unpacked=100")
    reply = upload(admin, outputs=[("one.txt.gz", gzip.compress(ONE))])
    assert reply.status_code == 422
    assert "one.txt.gz has more than 100 bytes unpacked" in reply.text


def pack(**texts):
    whole = {"outputs": {"a": ["x"] * 9}, "references": [], "source": ["s"] * 9}
    content = json.dumps(whole | {"documents": None} | texts).encode()
    return base64.b85encode(zlib.compress(content)).decode()


TAMPERED = {
    "no texts": "",
    "not packed": "x" * 50,
    "another kind": base64.b85encode(zlib.compress(b"[1]")).decode(),
    "unknown field": pack(more=1),
    "an output is a number": pack(outputs={"a": 3}),
    "outputs are a list": pack(outputs=[["x"] * 9]),
    "a text is a number": pack(outputs={"a": [1] * 9}),
    "lengths differ": pack(source=["x"] * 8),
    "no outputs": pack(outputs={}),
    "an output is missing": pack(outputs={"a": ["x"] * 8 + [None]}),
    "deep": pack(source=[[[]]]),
    "a reference is a text": pack(references=["x" * 9]),
}


def test_texts_that_were_tampered_with(admin):
    path = "/admin/campaigns/new/settings"
    for name, texts in TAMPERED.items():
        reply = admin.browser.form(path, go="check", texts=texts, **SETTINGS)
        assert reply.status_code == 422, name
        assert "The form lost part of the texts; choose the files" in reply.text, name
    reply = admin.browser.form(path, go="check", texts=pack(), **SETTINGS)
    assert reply.status_code == 200


def test_files_are_looked_at_as_for_scores():
    lines = [f"the cat number {at} sat on the mat" for at in range(12)]
    marked = "".join(f"<think>hm</think>{line}\n" for line in lines).encode()
    rows = ["src\tmt", *(f"{at}\t{line}" for at, line in enumerate(lines))]
    heads = "".join(f"{row}\n" for row in [*rows[:6], rows[0], *rows[6:]])
    uploads = [
        Upload("output", "a.txt", marked),
        Upload("output", "b.tsv", heads.encode()),
    ]
    warnings = pair_uploads(uploads).warnings
    assert warnings[0] == "b.tsv repeats its headings; left out: line 7."
    assert warnings[1].startswith(
        "The output 'a' has the reasoning of a model (<think>) in 12 of the 12 lines"
    )
