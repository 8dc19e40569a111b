"""One registry: the same file has the same scores in every command."""

import json
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest
from tests.campaign.answers import read_judgements
from tests.judged import read_question

import metra
from metra.campaign.judgement import build_campaign_scores
from metra.campaign.protocols.registry import PROTOCOLS
from metra.errors import CorpusError, FormatError, MetraError
from metra.report.campaign_files import export_judgements
from metra.scores import pearmut
from metra.scores.long_table import TableFormat
from metra.scores.registry import (
    SCORE_FORMATS,
    read_evaluator_file,
    read_score_files,
    read_scores,
    recognise_score_format,
)
from metra.scores.selection import DEFAULT
from metra.scores.table import Scorer

VALUES = {"a": [80.0, 60.0], "b": [40.0, 15.0]}
CELLS = [
    (system, number, value)
    for system, values in VALUES.items()
    for number, value in enumerate(values, 1)
]
#: Lines of all kinds of items: only the first four count.
APPRAISE = [f"ann,{s},{n},TGT,fr,en,{v},d,False" for s, n, v in CELLS]
APPRAISE += ["ann,a,1,BAD,fr,en,5.0,d,False", "ann,a,2,CHK,fr,en,1.0,d,False"]
ESA = [f"{line},[]" for line in APPRAISE]
DA_SCORES = [f"{system}\t{value}" for system, _, value in CELLS]
COMET = [f"{s}.txt\tSegment {n - 1}\tscore: {v}" for s, n, v in CELLS]


def write_lines(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def write_table(header: str, row: str) -> Callable[[Path], Path]:
    """A table with tabs; a row is a format of system, number and value."""
    lines = [header, *(row.format(*cell) for cell in CELLS)]
    tabbed = ["\t".join(line.split()) for line in lines]
    return lambda folder: write_lines(folder / "t.tsv", tabbed)


def write_objects(name: str, make: Callable[..., object]) -> Callable[[Path], Path]:
    return lambda folder: write_lines(
        folder / name, [json.dumps(make(*cell)) for cell in CELLS]
    )


def write_export(form: str) -> Callable[[Path], Path]:
    """An export of a campaign with repeated and degraded items."""

    def write(folder: Path) -> Path:
        judgements = read_judgements([str(write_lines(folder / "a.csv", APPRAISE))])
        export = export_judgements(form, judgements)
        path = folder / export.name
        path.write_bytes(export.content)
        return path

    return write


def write_results(form: str) -> Callable[[Path], Path]:
    """What `metra score` writes about scores that were made elsewhere."""

    def write(folder: Path) -> Path:
        from metra.cli import cli

        scores = write_objects("m.jsonl", build_value)(folder)
        path = folder / f"scores.{form}"
        level = "system" if form == "table" else "system,segment"
        words = ["score", "--scores", f"{scores}:better=higher", "--level", level]
        cli([*words, "--format", form, "-o", str(path)], standalone_mode=False)
        return path

    return write


def build_value(system: str, number: int, value: float) -> object:
    return {"system": system, "segment": number, "scorer": "comet", "value": value}


def build_prediction(system: str, number: int, value: float) -> object:
    return {"system_id": system, "segment_id": number, "prediction": value}


def build_round(system: str, number: int, value: float) -> object:
    answer = {system: {"human1": value, "annotator1": "ann"}}
    return {"doc_id": f"fr-en_#_news_#_d_#_{number - 1}", "scores": answer}


def build_screen(system: str, number: int, value: float) -> object:
    item = {"item_id": f"i{number}", "src": f"s{number}", "tgt": {system: "x"}}
    answer = {system: {"score": value, "error_spans": []}}
    screen = list(VALUES).index(system) * 2 + number
    return {"user_id": "ann", "item_i": screen, "item": [item], "annotation": [answer]}


def write_column(folder: Path) -> Path:
    return write_lines(folder / "a.txt", [str(value) for value in VALUES["a"]])


def write_columns(folder: Path) -> Path:
    for system, values in VALUES.items():
        write_lines(folder / "f" / f"{system}.txt", [*map(str, values)])
    return folder / "f"


def write_paragraphs(folder: Path) -> Path:
    for system, values in VALUES.items():
        entry = {"document_id": "d", "metric_scores": {"COMET": values}}
        write_lines(folder / "f" / f"{system}.jsonl", [json.dumps(entry)])
    return folder / "f" / "a.jsonl"


def write_comet(folder: Path) -> Path:
    segments = {s: [{"COMET": value} for value in VALUES[s]] for s in VALUES}
    return write_lines(folder / "comet.json", [json.dumps(segments)])


def write_mqm(folder: Path) -> Path:
    rows = ["system doc globalSegId rater category severity"]
    rows += ["a d 1 ann no-error no-error", "a d 2 ann fluency minor"]
    rows += ["b d 1 ann accuracy major", "b d 2 ann accuracy major"]
    return write_lines(folder / "m.tsv", ["\t".join(row.split()) for row in rows])


ALL = ("meta", "metric", "report", "exercise")
METRIC = ("meta", "metric", "exercise")
#: A file in each format, the commands that it is for, and options of `-m`.
FILES: dict[str, tuple[Callable[[Path], Path], tuple[str, ...], str]] = {
    "long": (
        write_table("system segment scorer value judge", "{} {} da {} ann"),
        ALL,
        "",
    ),
    "matrix": (write_table("system segment da judge", "{} {} {} ann"), ALL, ""),
    "jsonl": (write_objects("t.jsonl", build_value), METRIC, ""),
    "da": (write_table("SYS SID RAW.SCR Z.SCR N", "{} {} {} 0.5 1"), ALL, ":scorer=da"),
    "metra-judgements": (write_export("jsonl"), ALL, ""),
    "metra-zip": (write_export("zip"), ALL, ""),
    "spreadsheet": (write_export("csv"), ALL, ""),
    "results": (write_export("texts"), ("meta", "exercise"), ""),
    "appraise": (lambda folder: write_lines(folder / "a.csv", APPRAISE), ALL, ""),
    "esa": (lambda folder: write_lines(folder / "e.csv", ESA), ALL, ""),
    "mqm": (write_mqm, ALL, ""),
    "pearmut": (write_objects("p.jsonl", build_screen), ALL, ""),
    "wmt25-human": (write_objects("h.jsonl", build_round), METRIC, ""),
    "mt-metrics-eval": (
        lambda folder: write_lines(
            folder / "human-scores" / "fr-en.da.seg.score", DA_SCORES
        ),
        *(ALL, ""),
    ),
    "metra-json": (write_results("json"), METRIC, ""),
    "metra-tsv": (write_results("tsv"), METRIC, ""),
    "comet-json": (write_comet, METRIC, ""),
    "comet": (lambda folder: write_lines(folder / "c.txt", COMET), METRIC, ""),
    "metricx": (write_objects("x.jsonl", build_prediction), METRIC, ""),
    "folder": (write_columns, ALL, ":better=higher"),
    "wmt25": (write_paragraphs, METRIC, ""),
    "column": (write_column, ("metric",), ":better=higher"),
}


def test_every_format_has_a_file_here():
    """The rounding of WMT is asked for by its name only."""
    assert {*FILES} == {name for name, form in SCORE_FORMATS.items() if form.read} - {
        "mqm-wmt"
    }


def read_meta(path: Path, **_: str) -> dict[str, float]:
    scores = DEFAULT.select(read_scores(str(path)))
    name = scores.names[0]
    values = scores.matrix(name, level=scores.find_level(name))
    return dict(zip(scores.systems, values.mean(1), strict=True))


def read_metric(path: Path, *, options: str) -> dict[str, float]:
    metric = metra.metric(f"x@{path}{options}")
    systems = {each or "a": ["", ""] for each in metric.notes.scored.systems}
    results = metra.evaluate(metra.EvalSet(), systems, [metric])
    return {name: results[name][results.specs[0]].score for name in systems}


def read_report(path: Path, **_: str) -> dict[str, float]:
    scores = read_question(str(path))
    means = scores.matrix(scores.names[0]).mean(1)
    return dict(zip(scores.systems, means, strict=True))


def read_exercise(path: Path, **_: str) -> dict[str, float]:
    scores = DEFAULT.select(read_evaluator_file(str(path)))
    lines = scores.lines(scores.names[0])
    return {
        name: fmean(lines.value[lines.system == at].tolist())
        for at, name in enumerate(lines.systems)
    }


COMMANDS = {
    **{"meta": read_meta, "metric": read_metric},
    **{"report": read_report, "exercise": read_exercise},
}


@pytest.mark.parametrize("form", FILES)
def test_every_command_reads_the_same_scores(tmp_path, form):
    write, commands, options = FILES[form]
    path = write(tmp_path)
    assert recognise_score_format(str(path)) == form
    expected = {name: fmean(values) for name, values in VALUES.items()}
    if form == "mqm":
        expected = {"a": -0.5, "b": -5.0}
    for command in commands:
        means = COMMANDS[command](path, options=options)
        # A column is of one system, and so is a file of paragraphs.
        wanted = {"a": expected["a"]} if form in ("column", "wmt25") else expected
        assert means == pytest.approx(wanted), command


REFUSED = {
    **dict.fromkeys(("metra-json", "comet", "metricx", "wmt25"), "no human judgements"),
    "wmt25-human": r"calls a segment 'd#1'; expected its number",
    "results": "judgements are of whole documents; give outputs and references with one",
}


@pytest.mark.parametrize("form", REFUSED)
def test_reports_refuse_what_people_did_not_judge_by_segments(tmp_path, form):
    with pytest.raises(MetraError, match=REFUSED[form]):
        read_question(str(FILES[form][0](tmp_path)))


def test_metrics_need_scores_of_segments(tmp_path):
    with pytest.raises(CorpusError, match="has no segment scores"):
        metra.metric(f"x@{FILES['results'][0](tmp_path)}")


def test_printed_tables_are_refused_with_what_to_write(tmp_path):
    path = write_results("table")(tmp_path)
    with pytest.raises(FormatError, match="write scores with `metra score --format j"):
        read_scores(str(path))


def test_judgements_are_a_metric_of_the_command_line(cli, tmp_path):
    path = write_export("jsonl")(tmp_path)
    ran = cli("score", "--scores", f"da={path}", "--format", "json")
    assert ran.code == 0, ran.err
    [first, second] = json.loads(ran.out)["systems"]
    means = [next(iter(each["scores"].values()))["score"] for each in (first, second)]
    assert means == [70, 27.5]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.db", "SQLite format 3\0", "is a store of campaigns; export one with `metra j"),
        ("fr-en.mqm.ann.seg.rating", "a\tNone\n", "has error marks without scores; give"),
        ("c.json", '{"data": [], "info": {}}', "is a Pearmut campaign without judgem"),
        ("b.json", '[{"items": []}]', "has Appraise batches without judgements; give App"),
    ],
)  # fmt: skip
def test_files_without_scores_are_refused_with_advice(write, name, content, message):
    path = write(name, content.encode())
    for read in (read_scores, read_question, read_evaluator_file):
        with pytest.raises(MetraError, match=message):
            read(str(path))
    with pytest.raises(MetraError, match=message):
        metra.metric(f"x@{path}")


def test_formats_without_scores_give_advice():
    for form in SCORE_FORMATS.values():
        assert (form.read is None) == bool(form.advice), form.name


def test_a_zip_names_the_file_that_is_wrong(tmp_path):
    import zipfile

    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("judgements.jsonl", '{"schema": "metra-judgement/1"}\n')
    with pytest.raises(
        FormatError, match=r"export.zip, judgements.jsonl, line 1 has no"
    ):
        read_scores(str(path))


SPANS = [
    {"start_i": 0, "end_i": 0, "severity": "major", "category": "accuracy/omission"},
    {"start_i": 1, "end_i": 1, "severity": "minor", "category": "fluency/punctuation"},
]


@pytest.mark.parametrize("name", ["da", "esa", "mqm"])
def test_results_of_pearmut_have_the_scores_of_their_protocols(tmp_path, name):
    spans = {"da": [], "esa": [{**s, "category": None} for s in SPANS], "mqm": SPANS}
    lines = []
    for screen, (system, number, value) in enumerate([*CELLS, CELLS[0]]):
        entry = build_screen(system, number, value + 5 * (screen == 4))
        entry["item"][0]["tgt"][system] = "abc"
        entry["annotation"][0][system]["error_spans"] = spans[name][: screen % 3]
        entry["item_i"] = screen % 4  # the last line replaces the first
        lines.append(json.dumps(entry))
    path = write_lines(tmp_path / "p.jsonl", lines)
    names = [step.name for step in PROTOCOLS[name].steps]
    assert [*pearmut.STEPS[name]] == names
    scores = read_scores(str(path))
    expected = build_campaign_scores(read_judgements([str(path)]))
    wanted = expected.lines(name)
    for column in ("value", "hundred", "kind", "system", "item"):
        given = getattr(scores, column).tolist()
        assert given == pytest.approx(getattr(wanted, column).tolist()), column
    assert scores.names == [name]
    assert scores.scorers[0].direction == wanted.scorers[expected.find(name)].direction
    assert scores.languages == [""]


def test_a_table_with_fixed_headings_is_a_declaration(write):
    """The example of CONTRIBUTING.md."""
    form = TableFormat(
        "survey",
        (("participant", "item", "engine", "rating", "item class"),),
        {"judge": ("participant",), "system": ("engine",), "check": ("item class",)},
        scorers={"rating": Scorer("rating", "human")},
        item_kinds={"real": "judged", "trap": "degraded"},
    )
    rows = ["Participant\tItem\tEngine\tRating\tItem class"]
    rows += ["ann\t1\ta\t4\treal", "ann\t2\ta\t1\ttrap", "bob\t1\tb\t3\treal"]
    scores = form.read(str(write("s.tsv", rows)))
    assert (scores.systems, scores.judges) == (("a", "b"), ("ann", "bob"))
    assert [item.segment for item in scores.items] == ["1", "2"]
    assert DEFAULT.select(scores).value.tolist() == [4, 3]
    with pytest.raises(FormatError, match="of the type 'odd'; expected real, trap"):
        form.read(str(write("s.tsv", [rows[0], "ann\t1\ta\t4\todd"])))


def test_results_of_pearmut_that_begin_with_answers_are_no_output_of_comet(write):
    entry = build_screen("a", 1, 50.0)
    first = {"annotation": entry.pop("annotation")}
    path = write("p.jsonl", [json.dumps(first | entry)])
    assert recognise_score_format(str(path)) == "pearmut"


def test_files_without_a_language_are_of_the_only_one(write):
    """System scores of a file join those of the pair, as its segments do."""
    gold = write(
        "gold.tsv", ["system\tsegment\tscorer\tvalue\tlang", "A\t1\tda\t5\tfr-en"]
    )
    rows = ["system\tsegment\tscorer\tvalue", "A\t1\tbleu\t3", "A\t\tbleu\t9"]
    own = write("own.tsv", rows)
    scores = read_score_files([str(gold), str(own)])
    assert scores.languages == ["fr-en"]
    assert scores.system_scores("bleu").tolist() == [9]
    named = read_score_files([str(gold), f"fr-en={own}"])
    assert named.system_scores("bleu").tolist() == [9]
