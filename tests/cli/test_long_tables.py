"""Tables whose rows belong to systems or language pairs, and one table for each system."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import metra
from metra.errors import FormatError

SOURCES = ["s one", "s two", "s three"]
REFERENCES = [
    "the cat sat on the mat",
    "a dog is in the house",
    "it is a good day today",
]
OUTPUTS = {
    "A": ["the cat sat on the mat", "a dog is in a house", "it is a good day"],
    "B": ["cat is on the mat", "the dog in the house", "it was a good day today"],
}


def make_rows(columns, systems=("A", "B")):
    """Return rows of systems below each other, those of the second in another order."""
    rows = []
    for place, system in enumerate(systems):
        for at in [0, 1, 2] if place == 0 else [2, 0, 1]:
            values = {
                **dict.fromkeys(("system", "sys_id", "engine", "Model"), system),
                **dict.fromkeys(("output", "hypothesis", "mt"), OUTPUTS[system][at]),
                "source": SOURCES[at],
                "ref": REFERENCES[at],
                "doc": f"d{at}",
                "seg": str(at),
                "id": str(3 * place + at),
                "domain": "news",
                "score": f"0.{place}{at}",
            }
            rows.append({name: values[name] for name in columns})
    return rows


def write_table(folder, name, rows):
    """Write rows in the format that the name tells."""
    path = folder / name
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".xlsx":
        import xlsxwriter

        with xlsxwriter.Workbook(path) as book:
            sheet = book.add_worksheet()
            for number, row in enumerate(
                [dict(zip(rows[0], rows[0], strict=False)), *rows]
            ):
                for column, cell in enumerate(row.values()):
                    sheet.write_string(number, column, cell)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    else:
        out = io.StringIO()
        mark = "\t" if path.suffix == ".tsv" else ","
        writer = csv.DictWriter(out, [*rows[0]], delimiter=mark, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        path.write_text(out.getvalue())
    return path


def score(cli, *arguments):
    """Return the BLEU score of each system."""
    systems = json.loads(cli.ok("score", *arguments, "--format", "json").out)["systems"]
    return {each["name"]: each["scores"]["bleu"]["score"] for each in systems}


@pytest.fixture
def expected(cli, write):
    """The scores of the same outputs in plain files."""
    files = [write(f"{name}.txt", lines) for name, lines in OUTPUTS.items()]
    return score(cli, *files, "-r", write("ref.txt", REFERENCES))


KEYS = [  # the columns beside the reference
    pytest.param("t.tsv", "system doc seg ref output", id="document and segment"),
    pytest.param("t.csv", "system seg source ref hypothesis", id="segment"),
    pytest.param("t.jsonl", "sys_id doc ref mt", id="document"),
    pytest.param("t.json", "engine source ref output", id="source"),
    pytest.param("t.xlsx", "Model ref output", id="reference"),
    pytest.param("t.parquet", "system doc source ref mt score", id="parquet"),
    pytest.param("t.tsv", "system id source ref output", id="number of the row"),
]


@pytest.mark.parametrize(("name", "columns"), KEYS)
def test_systems_below_each_other(cli, tmp_path, expected, name, columns):
    path = write_table(tmp_path, name, make_rows(columns.split()))
    assert score(cli, path) == expected


def test_other_columns_stay(cli, tmp_path):
    rows = make_rows(["system", "doc", "seg", "ref", "output", "domain", "score"])
    path = write_table(tmp_path, "t.tsv", rows)
    groups = cli.ok("score", path, "--group-by", "domain", "--format", "json").out
    [group] = json.loads(groups)["groups"]
    assert [each["name"] for each in group["systems"]] == ["A", "B"]
    refused = cli.refusal("score", path, "--group-by", "score")
    assert "has no column 'score'" in refused
    groups = cli.ok("score", path, "--group-by", "system", "--format", "json").out
    assert [group["key"] for group in json.loads(groups)["groups"]] == [
        {"system": "A"},
        {"system": "B"},
    ]


@pytest.mark.parametrize("name", ["file.tsv", "file.parquet"])
def test_one_system_is_named_by_its_column(cli, tmp_path, expected, name):
    rows = make_rows(["system", "doc", "ref", "output"], ["B"])
    path = write_table(tmp_path, name, rows)
    assert score(cli, path) == {"B": expected["B"]}
    assert score(cli, f"mine={path}") == {"mine": expected["B"]}
    prompt = [{**row, "system": "You are a translator.\nTranslate."} for row in rows]
    path = write_table(tmp_path, name, prompt)
    assert len(score(cli, path)) == 1


def test_sentences_may_repeat_in_the_same_order(cli, tmp_path):
    rows = [
        {"system": system, "source": "Yes.", "ref": ref, "output": ref}
        for system in "AB"
        for ref in ("yes it is so", "of course it is")
    ]
    path = write_table(tmp_path, "t.tsv", rows)
    assert score(cli, path) == {"A": pytest.approx(100), "B": pytest.approx(100)}


def change(number, **cells):
    """Return a change of one row; without cells, it is left out."""

    def apply(rows):
        return (
            rows[:number]
            + ([rows[number] | cells] if cells else [])
            + rows[number + 1 :]
        )

    return apply


ALL = "system doc seg source ref output"
WRONG = [
    pytest.param(
        ALL,
        change(4),
        "system 'B', lacks 1 segment (doc 'd0', seg '0'), which",
        id="gone",
    ),
    pytest.param(
        ALL,
        change(5, doc="d0", seg="0"),
        "system 'B', repeats 1 segment (doc 'd0', seg '0'); ids must differ",
        id="twice",
    ),
    pytest.param(
        ALL,
        change(4, ref="no"),
        "rows 1 and 5 are one segment, but the reference is 'the cat "
        "sat on the mat' and 'no'; they must agree.",
        id="reference",
    ),
    pytest.param(
        ALL, change(3, source="x"), "the source is 's three' and 'x'", id="source"
    ),
    pytest.param(
        ALL, change(3, system=""), "row 4 has no name in the column", id="no name"
    ),
    pytest.param("system output", change(9), "add a column seg", id="no key"),
]


@pytest.mark.parametrize("name", ["t.tsv", "t.parquet"])
@pytest.mark.parametrize(("columns", "apply", "message"), WRONG)
def test_rows_that_do_not_belong_together(cli, tmp_path, name, columns, apply, message):
    path = write_table(tmp_path, name, apply(make_rows(columns.split())))
    assert message in cli.refusal("score", path, "-r", path)


def test_what_cannot_be_one_system(cli, tmp_path, monkeypatch):
    path = write_table(tmp_path, "t.parquet", make_rows(ALL.split()))
    assert "2 systems, such as A and B, but one name is given" in cli.refusal(
        "score", f"x={path}"
    )
    folder = tmp_path / "out"
    refused = cli.refusal("score", path, "--scores-out", folder)
    assert "a column for each system" in refused
    monkeypatch.setenv("METRA_LIMITS", "rows=5")
    refused = cli.refusal(
        "score", write_table(tmp_path, "t.tsv", make_rows(ALL.split()))
    )
    assert "Or split the file by them" in refused


PAIR_COLUMNS = [
    pytest.param({"lp": ["en-de", "cs-uk"]}, "cs-uk", id="lp"),
    pytest.param({"language_pair": ["eng_Latn-deu_Latn", "ces_Latn-ukr_Cyrl"]}, "cs-uk",
                 id="FLORES"),
    pytest.param({"lang": ["en_de", "cs_uk"]}, "ces-ukr", id="underscores"),
    pytest.param({"src_lang": ["en", "cs"], "tgt_lang": ["de_DE", "uk_UA"]}, "cs-uk",
                 id="two columns"),
    pytest.param({"doc_id": ["W_###_news_###_eng_Latn_###_deu_Latn_###_x",
                             "W_###_news_###_ces_Latn_###_ukr_Cyrl_###_x"]}, "cs-uk",
                 id="WMT26"),
    pytest.param({"doc_id": ["en-de_DE_#_news_#_x", "cs-uk_UA_#_news_#_x"]}, "cs-uk",
                 id="WMT25"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["t.tsv", "t.jsonl", "t.parquet"])
@pytest.mark.parametrize(("columns", "asked"), PAIR_COLUMNS)
def test_rows_of_one_pair(cli, tmp_path, expected, name, columns, asked):
    rows = make_rows(["ref", "output"], ["A"])
    others = [{**row, "output": "no"} for row in rows]
    mixed = [
        row
        | {
            column: f"{pair[at]}{n if column == 'doc_id' else ''}"
            for column, pair in columns.items()
        }
        for n, both in enumerate(zip(others, rows, strict=True))
        for at, row in enumerate(both)
    ]
    path = write_table(tmp_path, name, mixed)
    refused = cli.refusal("score", path)
    assert "has 2 language pairs (cs-uk, en-de), whose scores do not belong" in refused
    for command in ("compare", "report", "profile"):
        refused = cli.refusal(command, f"A={path}", f"B={path}")
        assert "choose one with -l PAIR" in refused
    assert score(cli, f"A={path}", "-l", asked) == {"A": expected["A"]}
    assert "it has: cs-uk, en-de" in cli.refusal("score", path, "-l", "en-fr")
    one = write_table(tmp_path, f"one-{name}", mixed[1::2])
    assert score(cli, f"A={one}") == score(cli, f"A={one}", "-l", asked)
    assert "has no language pair en-fr" in cli.refusal("score", one, "-l", "en-fr")


def test_pairs_that_differ_in_the_script(cli, tmp_path, expected):
    rows = make_rows(["ref", "output"], ["A"])
    mixed = [
        {**row, "lp": pair}
        for row in rows
        for pair in ("en-sr_Cyrl_RS", "en-sr_Latn_RS")
    ]
    path = write_table(tmp_path, "t.tsv", mixed)
    refused = cli.refusal("score", path, "-l", "en-sr")
    assert "2 pairs en-sr: en-sr_Cyrl_RS, en-sr_Latn_RS; choose one" in refused
    assert score(cli, f"A={path}", "-l", "en-sr_Latn") == {"A": expected["A"]}


ONE_EACH = [  # columns of both tables, and the heading of the second one's reference
    pytest.param("a.tsv", "seg source ref output", "ref", id="ids"),
    pytest.param("a.csv", "source ref output", "reference", id="sources"),
    pytest.param("a.jsonl", "doc ref hypothesis", "ref", id="documents"),
    pytest.param("a.parquet", "doc seg ref output", "ref", id="Parquet with ids"),
    pytest.param("a.parquet", "source ref mt", "ref", id="Parquet with sources"),
]


@pytest.mark.parametrize(("name", "columns", "heading"), ONE_EACH)
def test_one_table_for_each_system(cli, tmp_path, expected, name, columns, heading):
    suffix = name[1:]
    first, second = (make_rows(columns.split(), [system]) for system in "AB")
    renamed = [
        {heading if key == "ref" else key: cell for key, cell in row.items()}
        for row in reversed(second)
    ]
    files = [
        write_table(tmp_path, f"A{suffix}", first),
        write_table(tmp_path, f"B{suffix}", renamed),
    ]
    assert score(cli, *files) == expected
    assert "1 reference;" in cli.ok("score", *files).out
    renamed[0][heading] = "another"
    write_table(tmp_path, f"B{suffix}", renamed)
    refused = cli.refusal("score", *files)
    assert "'another'" in refused or "may be two systems or two parts" in refused


PARQUET = [  # rows of two files, and what they are
    pytest.param(("x", "y"), "ref mt", [0, 1], [2], "one", id="other references"),
    pytest.param(("x", "y"), "seg ref mt", [0, 1], [2], "one", id="other ids"),
    pytest.param(("part-0", "part-1"), "seg ref mt", [0, 1], [0, 1], "one", id="parts"),
    pytest.param(("t-1-of-2", "t-2-of-2"), "ref mt", [0], [0], "one", id="1 of 2"),
    pytest.param(("x", "y"), "seg ref mt", [0, 1], [1, 0], "two", id="same ids"),
    pytest.param(
        ("sys1", "sys2"), "ref mt", [0, 1], [0, 1], "two", id="same references"
    ),
    pytest.param(("x", "y"), "seg ref mt", [0, 1], [1, 2], "unclear", id="some ids"),
    pytest.param(("x", "y"), "ref mt", [0, 1, 2], [0, 1], "unclear", id="fewer"),
    pytest.param(("x", "y"), "mt", [0, 1], [0, 1], "unclear", id="nothing"),
]


@pytest.mark.parametrize(("names", "columns", "first", "second", "kind"), PARQUET)
def test_parts_or_systems(cli, tmp_path, names, columns, first, second, kind):
    rows = make_rows(columns.split(), ["A"])
    for name, chosen in zip(names, (first, second), strict=True):
        own = [rows[number] for number in chosen]
        write_table(tmp_path, f"{name}.parquet", own)
    files = [tmp_path / f"{name}.parquet" for name in names]
    if kind == "unclear":
        refused = cli.refusal("score", *files)
        assert "may be two systems or two parts of one table" in refused
        cli.ok("profile", tmp_path)
        return
    for given in (files, [tmp_path]):
        assert len(score(cli, *given)) == (2 if kind == "two" else 1)
    named = [f"{file.stem}={file}" for file in files]
    if len(first) == len(second):
        assert [*score(cli, *named)] == [*names]


def test_reading_in_python(tmp_path):
    rows = [{**row, "lp": "en-de"} for row in make_rows(ALL.split())]
    others = [{**row, "lp": "en-fr", "output": "x"} for row in rows]
    path = write_table(tmp_path, "t.tsv", rows + others)
    assert metra.read(path, pair="en-de").outputs == OUTPUTS
    with pytest.raises(FormatError, match="has 2 language pairs"):
        metra.read(path)


def test_each_pair_by_groups(cli, tmp_path):
    rows = [
        {**row, "lp": f"en-{at}"}
        for at in ("de", "fr")
        for row in make_rows(ALL.split())
    ]
    path = write_table(tmp_path, "t.tsv", rows)
    assert "group" in cli.ok("score", path, "--group-by", "lp,system").out


POOLED = [
    pytest.param("t.csv", "method", "column method (A, B)", id="CSV"),
    pytest.param("t.jsonl", "model_id", "column model_id (A, B)", id="JSON lines"),
    pytest.param("t.parquet", "variable", "column variable (A, B)", id="Parquet"),
    pytest.param("t.xlsx", "llm", "column llm (A, B)", id="workbook"),
]


@pytest.mark.parametrize(("name", "column", "message"), POOLED)
def test_systems_in_a_column_of_another_name(cli, tmp_path, name, column, message):
    rows = make_rows(["system", "seg", "source", "ref", "output", "domain"])
    renamed = [{column: row.pop("system"), **row} for row in rows]
    path = write_table(tmp_path, name, renamed)
    refused = cli.refusal("score", path)
    assert f"once for each value of the {message}, which" in refused
    assert "name the systems in one column system" in refused
    assert len(score(cli, path, "--group-by", column)) == 1
    path = write_table(tmp_path, name, renamed[:4])
    assert len(score(cli, path)) == 1


def test_systems_in_two_columns(cli, tmp_path):
    rows = make_rows(["system", "source", "ref", "output"])
    rows = [{"model": "m", "prompt": row.pop("system"), **row} for row in rows]
    path = write_table(tmp_path, "t.csv", rows)
    assert "column model and prompt (A, B)" in cli.refusal("score", path)


def make_repeats(*changes):
    rows = make_rows(["id", "source", "ref", "output"], ["A"])
    return [*rows, *({**rows[at], **cells} for at, cells in changes)]


REPEATED = [
    pytest.param(
        make_repeats((0, {}), (1, {})),
        "repeats 2 segments (id '0'; id '1'), and",
        id="ids",
    ),
    pytest.param(
        [{"ref": f"text {at % 8}", "output": f"a text {at}"} for at in range(16)],
        "has each segment 2 times, and",
        id="all",
    ),
]


@pytest.mark.parametrize(("rows", "message"), REPEATED)
def test_repeated_segments(cli, tmp_path, rows, message):
    path = write_table(tmp_path, "t.csv", rows)
    assert message in cli.ok("score", path).err


def test_repeated_ids_with_other_outputs(cli, tmp_path):
    path = write_table(tmp_path, "t.csv", make_repeats((1, {"output": "ERROR"})))
    assert "repeats 1 segment (id '1'), with another output in row 4" in (
        cli.refusal("score", path)
    )
    restart = [{**row, "id": "1"} for row in make_repeats((1, {"output": "x"}))]
    assert not cli.ok("score", write_table(tmp_path, "t.csv", restart)).err


SHARED = [  # further columns of both files, and what they are joined by
    pytest.param("t.jsonl", {"key": ["x", "y", "z"]}, "key", id="key"),
    pytest.param("t.csv", {"Input": SOURCES, "domain": ["n"] * 3}, "Input", id="text"),
    pytest.param("t.tsv", {"custom_id": ["a", "b", "c"]}, "custom_id", id="known"),
    pytest.param("t.parquet", {"hash": ["9", "7", "8"]}, "hash", id="Parquet"),
    pytest.param(
        "t.csv",
        {"Filename": ["p", "p", "q"], "Segment ID": ["1", "2", "1"]},
        "Filename and Segment ID",
        id="files",
    ),
]


@pytest.mark.parametrize(("name", "columns", "key"), SHARED)
def test_keys_of_any_name(cli, tmp_path, expected, name, columns, key):
    outputs, texts = [], []
    for at, cells in enumerate(zip(*columns.values(), strict=True)):
        row = dict(zip(columns, cells, strict=True))
        outputs.append({**row, "n": "1", "hyp": OUTPUTS["A"][at]})
        texts.append({**row, "n": "9", "ref": REFERENCES[at]})
    output = write_table(tmp_path, name, outputs)
    for order in ([2, 0, 1], [0, 1, 2]):
        path = write_table(tmp_path, f"ref-{name}", [texts[at] for at in order])
        assert score(cli, f"A={output}", "-r", path) == {"A": expected["A"]}
        ran = cli.ok("score", output, "-r", path)
        assert order[0] == 0 or f"3 segments joined by {key}" in ran.out
