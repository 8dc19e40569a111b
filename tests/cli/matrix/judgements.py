"""Files of scores and judgements: shuffled, swapped, twice, without rows, in other units."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from tests.cli.matrix.files import write_lines, write_table
from tests.cli.matrix.framework import Case
from tests.cli.matrix.texts import (
    AS_TEXT,
    COUNT,
    DOCS,
    NUMBERS,
    REF,
    SHUFFLE,
    SOURCE,
    A,
    B,
    reorder,
)

CASES: dict[str, Case] = {}
#: Scores of segments of another program.
OF_A = [round(0.6 + 0.01 * number, 4) for number in range(COUNT)]
OF_B = [round(0.5 + 0.003 * number, 4) for number in range(COUNT)]
MEANS = {"A": sum(OF_A) / COUNT, "B": sum(OF_B) / COUNT}
SEGMENTS = {
    f"{name} {number}": value
    for name, values in (("A", OF_A), ("B", OF_B))
    for number, value in enumerate(values, 1)
}


def write_texts(folder: Path) -> list:
    out = [write_lines(folder / f"{n}.txt", t) for n, t in (("A", A), ("B", B))]
    return [*out, "-r", write_lines(folder / "ref.txt", REF)]


def score(
    folder: Path,
    content: str,
    name: str = "scores.tsv",
    spec: str = "comet",
    options: str = "",
) -> list:
    """Give two outputs and a file of scores."""
    (folder / name).write_text(content, encoding="utf-8")
    return [*write_texts(folder), "-m", f"{spec}@{folder / name}{options}"]


def add(
    kind: str,
    content: str,
    name: str = "scores.tsv",
    *,
    spec: str = "comet",
    both: bool = True,
    **more,
) -> None:
    """Add cases of a file of scores: means of systems, and scores of segments."""
    build = partial(score, content=content, name=name, spec=spec)
    CASES[f"scores: {kind}"] = Case(build, scores=MEANS, **more)
    if both:
        CASES[f"scores: {kind}, of segments"] = Case(
            build, scores=SEGMENTS, command="segments", **more
        )


def list_comet(
    order_a: Sequence[int] = range(COUNT),
    order_b: Sequence[int] = range(COUNT),
    names: Sequence[str] = ("A.txt", "B.txt"),
    texts: bool = True,
) -> str:
    """Format COMET's JSON: segments of each file with their texts."""
    listed = {}
    for name, outputs, values, order in zip(
        names, (A, B), (OF_A, OF_B), (order_a, order_b), strict=True
    ):
        entries = []
        for place in order:
            entry = {"src": SOURCE[place], "mt": outputs[place], "ref": REF[place]}
            entries.append((entry if texts else {}) | {"COMET": values[place]})
        listed[name] = entries
    return json.dumps(listed, ensure_ascii=False, indent=1)


RIGHT = {"expect": "read"}
add("COMET's JSON", list_comet(), "comet.json", **RIGHT)
add("COMET's JSON without texts", list_comet(texts=False), "comet.json", **RIGHT)
add("COMET's JSON, shuffled", list_comet(SHUFFLE, SHUFFLE), "comet.json")
add("COMET's JSON, one system shuffled", list_comet(SHUFFLE), "comet.json")
add("COMET's JSON, sorted as texts", list_comet(AS_TEXT, AS_TEXT), "comet.json")
add("COMET's JSON, systems swapped", list_comet(names=("B.txt", "A.txt")), "comet.json")
add("COMET's JSON, a segment less", list_comet(range(COUNT - 1)), "comet.json")
add(
    "COMET's JSON, a segment twice",
    list_comet([*range(5), 4, *range(6, COUNT)]),
    "comet.json",
)
add(
    "COMET's JSON, names with folders",
    list_comet(names=("out/v1/A.txt", "out/v1/B.txt")),
    "comet.json",
    **RIGHT,
)
add("COMET's JSON, other names", list_comet(names=("x.txt", "y.txt")), "comet.json")
OTHER_TEXTS = json.loads(list_comet())
for entries in OTHER_TEXTS.values():
    for entry in entries:
        entry["mt"] = entry["mt"].upper()
add("COMET's JSON of other outputs", json.dumps(OTHER_TEXTS), "comet.json")
LINES = [
    f"{name}.txt\tSegment {number}\tscore: {value:.4f}"
    for name, values in (("A", OF_A), ("B", OF_B))
    for number, value in enumerate(values)
]
END = ["A.txt\tscore: 0.7150", "B.txt\tscore: 0.5345"]
add("COMET's lines", "\n".join([*LINES, *END]) + "\n", "comet.txt", **RIGHT)
add("COMET's lines, sorted", "\n".join(sorted(LINES)) + "\n", "comet.txt", **RIGHT)
add(
    "COMET's lines below a log",
    "\n".join(["Global seed set to 1", "Predicting: 100%|███| 3/3", *LINES, *END])
    + "\n",
    "comet.txt",
)
add("COMET's lines twice", "\n".join([*LINES, *LINES]) + "\n", "comet.txt")


def list_table(
    order: Sequence[int] = range(COUNT),
    numbers: Sequence = NUMBERS,
    numbers_b: Sequence | None = None,
    *,
    mark: str = "\t",
    comma: bool = False,
    heads: Sequence[str] = ("system", "segment", "comet"),
    names: Sequence[str] = ("A", "B"),
) -> str:
    rows = [mark.join(heads)]
    for name, values, own in (
        (names[0], OF_A, numbers),
        (names[1], OF_B, numbers_b or numbers),
    ):
        for place in order:
            value = f"{values[place]:.4f}"
            value = value.replace(".", ",") if comma else value
            rows.append(mark.join([name, str(own[place]), value]))
    return "\n".join(rows) + "\n"


FROM_0 = [str(number) for number in range(COUNT)]
add("a table", list_table(), **RIGHT)
add("a table, shuffled", list_table(SHUFFLE), **RIGHT)
add("a table, sorted as texts", list_table(AS_TEXT), **RIGHT)
add("a table from 0", list_table(numbers=FROM_0))
add("a table from 0, shuffled", list_table(SHUFFLE, numbers=FROM_0))
add("a table from 0 and from 1", list_table(numbers=FROM_0, numbers_b=NUMBERS))
add("a table with 001", list_table(SHUFFLE, [f"{n:0>3}" for n in NUMBERS]))
add("a table with 1.0", list_table(SHUFFLE, [f"{n}.0" for n in NUMBERS]))
add("a table of names, shuffled", list_table(SHUFFLE, [f"s{n}" for n in NUMBERS]))
add("a table, decimal commas", list_table(mark=";", comma=True), "scores.csv")
add("a table, decimal commas and tabs", list_table(comma=True))
add("a table, semicolons", list_table(mark=";"), "scores.csv")
add("a table, other names", list_table(names=("a", "b")))
add("a table, names of files", list_table(names=("A.txt", "B.txt")))
add("a table, swapped names", list_table(names=("A", "A")))
add("a table twice", list_table() + list_table().partition("\n")[2])
add("a table twice, with headings", list_table() * 2)
add("a table, a row less", list_table().rpartition("B\t24")[0])
add("a table, a mean below", list_table() + "A\tmean\t0.7150\n")
add("a table, an average below", list_table() + "Average\t\t0.6\n")
add("a table with an empty cell", list_table().replace("0.7000", "", 1))
add("a table with nan", list_table().replace("0.7000", "nan", 1))
add("a table with inf", list_table().replace("0.7000", "inf", 1))
add("a table with n/a", list_table().replace("0.7000", "n/a", 1))
add("a table of thousands", list_table().replace("0.7000", "1,234.5", 1))
add("ter of a column comet", list_table(), spec="ter")
add(
    "ter of a column COMET-22",
    list_table(heads=("system", "segment", "COMET-22")),
    spec="ter",
)
add("bleu of a column comet", list_table(), spec="bleu")
add("comet of a column TER", list_table(heads=("system", "segment", "TER")))
add("mycomet of a column comet", list_table(), spec="mycomet")
add("a heading score", list_table(heads=("system", "segment", "score")))
add("headings sys, seg_id", list_table(heads=("sys", "seg_id", "comet")))
add("headings model, line", list_table(heads=("model", "line", "comet")))
add(
    "headings system_id, segment_id",
    list_table(heads=("system_id", "segment_id", "comet")),
)
WIDE = "segment\tA\tB\n" + "".join(
    f"{n}\t{a}\t{b}\n" for n, a, b in zip(NUMBERS, OF_A, OF_B, strict=True)
)
add("a column for each system", WIDE)
for name, spec in (("hter", "hter"), ("HTER", "HTER"), ("TER", "ter"), ("WER", "wer")):
    content = list_table(heads=("system", "segment", name))

    def check_direction(folder: Path, content: str = content, spec: str = spec) -> list:
        arguments = score(folder, content, spec=spec)
        return ["compare", *arguments, "--trials", "20", "--format", "json"]

    CASES[f"scores: direction of {name}"] = Case(
        check_direction, scores={"higher_is_better": False}, command="direction"
    )


def score_one(
    folder: Path, content: str, name: str = "comet.txt", spec: str = "comet"
) -> list:
    """Give one output and a file of its scores."""
    (folder / name).write_text(content, encoding="utf-8")
    out = write_lines(folder / "A.txt", A)
    ref = write_lines(folder / "ref.txt", REF)
    return [out, "-r", ref, "-m", f"{spec}@{folder / name}"]


COLUMN = [f"{value:.4f}" for value in OF_A]
ONE: dict[str, tuple[Sequence[str], str]] = {
    "a column of numbers": (COLUMN, "read"),
    "a column with a heading": (["comet", *COLUMN], ""),
    "a column and its mean": ([*COLUMN, f"{MEANS['A']:.4f}"], ""),
    "a column, a line less": (COLUMN[1:], "refused"),
    "a column with an empty line": ([*COLUMN[:5], "", *COLUMN[6:]], "refused"),
    "numbers of lines before a blank": (
        [f"{n} {value}" for n, value in enumerate(COLUMN, 1)],
        "",
    ),
    "numbers of lines before a tab": (
        [f"{n}\t{value}" for n, value in enumerate(COLUMN, 1)],
        "",
    ),
    "a column of decimal commas": ([value.replace(".", ",") for value in COLUMN], ""),
    "a column in per cent": ([f"{100 * value:.2f}%" for value in OF_A], ""),
    "a Python list": ([str(OF_A)], ""),
    "a table of one system's": (
        ["segment\tcomet", *map("\t".join, zip(NUMBERS, COLUMN, strict=True))],
        "",
    ),
    "a shuffled table of one system's": (
        [
            "segment\tcomet",
            *map(
                "\t".join,
                zip(*(reorder(c, SHUFFLE) for c in (NUMBERS, COLUMN)), strict=True),
            ),
        ],
        "",
    ),
    "lines of texts and numbers": (
        [f"{text}\t{value}" for text, value in zip(A, COLUMN, strict=True)],
        "",
    ),
}
for kind, (lines, expect) in ONE.items():
    content = "\n".join(lines) + "\n"
    expect = expect or "read refused warned"
    CASES[f"scores: {kind}"] = Case(
        partial(score_one, content=content), scores={"A": MEANS["A"]}, expect=expect
    )
    CASES[f"scores: {kind}, of segments"] = Case(
        partial(score_one, content=content),
        scores={key: value for key, value in SEGMENTS.items() if key[0] == "A"},
        expect=expect,
        command="segments",
    )


def list_metricx(order: Sequence[int], ids: bool, texts: bool = True) -> str:
    lines = []
    for place in order:
        entry: dict = {"source": SOURCE[place], "hypothesis": A[place]} if texts else {}
        entry |= {"segment_id": NUMBERS[place]} if ids else {}
        lines.append(json.dumps(entry | {"prediction": OF_A[place]}))
    return "\n".join(lines) + "\n"


for kind, content, expect in (
    ("in order", list_metricx(range(COUNT), False), "read"),
    ("shuffled", list_metricx(SHUFFLE, False), "read refused warned"),
    ("shuffled, with ids", list_metricx(SHUFFLE, True), "read"),
    ("sorted as texts, with ids", list_metricx(AS_TEXT, True, False), "read"),
):
    for command, truth in (
        ("score", {"A": MEANS["A"]}),
        ("segments", {key: value for key, value in SEGMENTS.items() if key[0] == "A"}),
    ):
        CASES[f"scores: MetricX's lines, {kind}, {command}"] = Case(
            partial(score_one, content=content, name="m.jsonl", spec="metricx"),
            scores=truth,
            expect=expect,
            command=command,
        )

# MQM: errors of two raters; segments 1, 4, 7, … have none.
SEVERITIES = {0: "no-error", 1: "minor", 2: "major"}
COSTS = {0: 0.0, 1: -1.0, 2: -5.0}
MQM_HEAD = (
    *("system", "doc", "doc_id", "seg_id", "rater", "source", "target"),
    *("category", "severity"),
)


def find_kind(system: str, place: int) -> int:
    """Choose the kind of a segment's error."""
    return place % 3 if system == "A" else place % 2


def list_mqm(system: str, texts: Sequence[str], without: bool = False) -> list[str]:
    """List rows of errors; `without` rows of segments that have no error."""
    rows = []
    for place, text in enumerate(texts):
        kind = find_kind(system, place)
        if kind == 0 and without:
            continue
        category = "no-error" if kind == 0 else "Accuracy/Mistranslation"
        cells = [system, DOCS[place], str(1 + place % 6), NUMBERS[place], "rater1"]
        cells += [SOURCE[place], text, category, SEVERITIES[kind]]
        rows.append("\t".join(cells))
    return rows


MQM_MEANS = {
    name: sum(COSTS[find_kind(name, place)] for place in range(COUNT)) / COUNT
    for name in ("A", "B")
}


def rank(folder: Path, content: str, name: str = "mqm.tsv") -> list:
    (folder / name).write_text(content, encoding="utf-8")
    return [folder / name]


def add_judged(
    kind: str,
    content: str,
    truth: Mapping[str, float],
    expect: str = "read refused warned",
    *,
    name: str = "mqm.tsv",
    spec: str = "mqm",
    options: str = "",
    says: str = "",
    as_metric: bool = True,
) -> None:
    """Add cases of judgements: ranked, and as a metric beside BLEU."""
    CASES[f"judgements: {kind}, ranked"] = Case(
        partial(rank, content=content, name=name),
        scores=truth,
        command="rank",
        expect=expect,
        says=says,
    )
    if as_metric:
        CASES[f"judgements: {kind}, as a metric"] = Case(
            partial(score, content=content, name=name, spec=spec, options=options),
            scores=truth,
            expect=expect,
            says=says,
        )


HEAD = "\t".join(MQM_HEAD)
ALL_ROWS = [*list_mqm("A", A), *list_mqm("B", B)]
ERRORS = [*list_mqm("A", A, True), *list_mqm("B", B, True)]
MISSING = "missing|no-error|error-free|lack"
add_judged("MQM", "\n".join([HEAD, *ALL_ROWS]) + "\n", MQM_MEANS, "read")
add_judged(
    "MQM, shuffled",
    "\n".join([HEAD, *reorder(ALL_ROWS, SHUFFLE), *ALL_ROWS[24:]]) + "\n",
    {"A": MQM_MEANS["A"], "B": MQM_MEANS["B"]},
    "read",
)
add_judged(
    "MQM without rows of error-free segments",
    "\n".join([HEAD, *ERRORS]) + "\n",
    MQM_MEANS,
    says=MISSING,
)
add_judged(
    "MQM, one system without such rows",
    "\n".join([HEAD, *list_mqm("A", A), *list_mqm("B", B, True)]) + "\n",
    MQM_MEANS,
    says=MISSING,
)
add_judged(
    "MQM twice",
    "\n".join([HEAD, *ALL_ROWS, *ALL_ROWS]) + "\n",
    MQM_MEANS,
    says="twice|repeat|again|duplicate|same",
)
add_judged(
    "MQM twice with headings",
    "\n".join([HEAD, *ALL_ROWS, HEAD, *ALL_ROWS]) + "\n",
    MQM_MEANS,
    says="twice|repeat|again|duplicate|same|heading",
)
SMALL_LETTERS = [
    row.replace("major", "Major").replace("minor", "Minor") for row in ALL_ROWS
]
add_judged("MQM, capitals", "\n".join([HEAD, *SMALL_LETTERS]) + "\n", MQM_MEANS, "read")
OTHER = [row.replace("\tmajor", "\tserious") for row in ALL_ROWS]
add_judged("MQM, other severities", "\n".join([HEAD, *OTHER]) + "\n", MQM_MEANS)
BLANK_SEVERITY = [row.replace("\tmajor", "\t") for row in ALL_ROWS]
add_judged(
    "MQM, errors without a severity",
    "\n".join([HEAD, *BLANK_SEVERITY]) + "\n",
    MQM_MEANS,
    says="severity",
)

# Direct assessment: two judges, values from 0 to 100.
DA = {
    "A": [60 + place % 30 for place in range(COUNT)],
    "B": [40 + place % 25 for place in range(COUNT)],
}
DA_MEANS = {name: sum(values) / COUNT for name, values in DA.items()}


def list_da(
    heads: Sequence[str] = ("judge", "system", "segment", "score"),
    order: Sequence[int] = range(COUNT),
    mark: str = "\t",
    change: Callable[[str], str] = str,
    number: Callable[[int], str] = str,
) -> str:
    rows = [mark.join(heads)]
    rows += [
        mark.join(["ann", system, number(place + 1), change(str(values[place]))])
        for system, values in DA.items()
        for place in order
    ]
    return "\n".join(rows) + "\n"


def cut_rows(content: str, count: int) -> str:
    return "".join(content.splitlines(keepends=True)[:-count])


TABLE = list_da()
#: Values that are missing or odd count as they stand.
ODD = {"": [72.0], "nan": [72.0], "600": [94.0], "-1": [71.5 - 61 / 24]}
for value, (mean,) in ODD.items():
    add_judged(
        f"a value {value or 'that is empty'}",
        TABLE.replace("\t60\n", f"\t{value}\n", 1),
        DA_MEANS | {"A": mean},
        name="da.tsv",
        spec="da",
        options=":better=higher",
    )
CASES["judgements: a system lacks three rows"] = Case(
    partial(rank, content=cut_rows(TABLE, 3), name="da.tsv"),
    scores=DA_MEANS | {"B": sum(DA["B"][:-3]) / (COUNT - 3)},
    command="rank",
)
for kind, content, name, expect in (
    ("a table", TABLE, "da.tsv", "read"),
    ("a table, shuffled", list_da(order=SHUFFLE), "da.tsv", "read"),
    ("commas", list_da(mark=","), "da.csv", "read"),
    ("semicolons", list_da(mark=";"), "da.csv", ""),
    ("decimal commas", list_da(mark=";", change=lambda v: f"{v},0"), "da.csv", ""),
    ("rows from 0", list_da(number=lambda n: str(n - 1)), "da.tsv", "read"),
    ("the table twice", TABLE + TABLE.partition("\n")[2], "da.tsv", ""),
    ("the table twice with headings", TABLE * 2, "da.tsv", ""),
    ("a value ok", TABLE.replace("\t60\n", "\tok\n", 1), "da.tsv", ""),
    ("per cent", list_da(change=lambda v: f"{v}%"), "da.tsv", ""),
    ("values of 100", list_da(change=lambda v: f"{v}/100"), "da.tsv", ""),
    (
        "headings annotator, model, item, rating",
        list_da(("annotator", "model", "item", "rating")),
        "da.tsv",
        "",
    ),
    (
        "headings Evaluator, System, Segment ID, Score",
        list_da(("Evaluator", "System", "Segment ID", "Score")),
        "da.tsv",
        "",
    ),
    ("names with blanks behind", TABLE.replace("\tA\t1\t", "\tA \t1\t"), "da.tsv", ""),
    ("a mean below", TABLE + "mean\t\t\t60\n", "da.tsv", ""),
):
    add_judged(
        kind,
        content,
        DA_MEANS,
        expect or "read refused warned",
        name=name,
        spec="da",
        options=":better=higher",
        says="repeat|twice|several|lack|missing|no number|value|range|-1|600|empty|balanced",
        as_metric=kind not in ("a table",),
    )


def write_da_table(folder: Path, form: str) -> list:
    """Write judgements in a format of tables."""
    columns = {
        "judge": ["ann"] * 2 * COUNT,
        "system": ["A"] * COUNT + ["B"] * COUNT,
        "segment": NUMBERS * 2,
        "score": [*DA["A"], *DA["B"]],
    }
    return [write_table(folder, f"da.{form}", columns)]


for form in ("xlsx", "jsonl", "csv", "csv;", "parquet", "json"):
    CASES[f"judgements: {form}"] = Case(
        partial(write_da_table, form=form), scores=DA_MEANS, command="rank"
    )
