"""Long tables: a row for each system and segment, and several language pairs in one file."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from tests.cli.matrix.files import TABLES, write_lines, write_table
from tests.cli.matrix.framework import Case
from tests.cli.matrix.texts import (
    COUNT,
    DOCS,
    FRENCH,
    NUMBERS,
    REF,
    SHUFFLE,
    SOURCE,
    A,
    B,
    reorder,
)

CASES: dict[str, Case] = {}
BOTH = {"sysA": A, "sysB": B}
#: Rows of two systems: one system after the other, segment by segment, in no order.
BLOCKS = [(system, place) for system in range(2) for place in range(COUNT)]
BY_SEGMENT = [(system, place) for place in range(COUNT) for system in range(2)]
MIXED = [
    (n % 2, place) for n, place in enumerate(reorder([*range(COUNT)] * 2, SHUFFLE))
]
MIXED += [(1 - system, place) for system, place in MIXED]
ALL = ("id", "source", "ref")


def list_cells(
    rows: Sequence[tuple[int, int]],
    *,
    system: str = "system",
    text: str = "mt",
    shown: Sequence[str] = ALL,
) -> dict[str, list[str]]:
    """List the cells of rows, each of a system and a segment, by their headings."""
    by_name: Mapping[str, Sequence] = {
        "doc": DOCS,
        "id": NUMBERS,
        "seg_id": NUMBERS,
        "source": SOURCE,
        "ref": REF,
    }
    cells = {system: [f"sys{'AB'[own]}" for own, _ in rows]}
    for name in shown:
        cells[name] = [by_name[name][place] for _, place in rows]
    cells[text] = [(A, B)[own][place] for own, place in rows]
    return cells


def write_long(
    folder: Path, form: str, rows: Sequence[tuple[int, int]] = BLOCKS, **more
) -> list:
    return [write_table(folder, f"outputs.{form}", list_cells(rows, **more))]


for form in TABLES:
    for kind, rows in {
        "one system after the other": BLOCKS,
        "segment by segment": BY_SEGMENT,
        "in no order": MIXED,
    }.items():
        build = partial(write_long, form=form, rows=rows)
        CASES[f"long tables: {kind}, {form}"] = Case(build, BOTH)
for heading in (
    *("System", "system_id", "sys_id", "sysid", "sys", "engine", "model", "mt_system"),
    *(
        "system_name",
        "Engine",
        "MT engine",
        "provider",
        "systemID",
        "model_name",
        "run",
    ),
):
    for text in ("mt", "hypothesis", "target"):
        build = partial(write_long, form="tsv", system=heading, text=text)
        CASES[f"long tables: heading {heading}, texts in {text}"] = Case(build, BOTH)
for command in ("compare", "report", "convert", "web", "judge"):
    build = partial(write_long, form="tsv", rows=BLOCKS)
    CASES[f"long tables: {command}"] = Case(build, BOTH, command=command)


def write_beside(
    folder: Path, form: str, shown: Sequence[str], references: str, times: int = 1
) -> list:
    """Write a long table of outputs beside references in a file of their own."""
    out = write_table(folder, f"outputs.{form}", list_cells(BLOCKS, shown=shown))
    if references == "lines":
        return [out, "-r", write_lines(folder / "ref.txt", REF * times)]
    cells = {"id": NUMBERS * times, "ref": REF * times}
    return [out, "-r", write_table(folder, f"ref.{form}", cells)]


for form in ("tsv", "csv", "jsonl", "parquet", "xlsx"):
    for shown in ((), ("id",)):
        for references in ("lines", "table"):
            build = partial(write_beside, form=form, shown=shown, references=references)
            with_ids = "with ids" if shown else "without ids"
            name = f"long tables: {with_ids} beside references in {references}, {form}"
            CASES[name] = Case(build, BOTH)
    build = partial(write_beside, form=form, shown=(), references="lines", times=2)
    CASES[f"long tables: beside references repeated for each system, {form}"] = Case(
        build, BOTH
    )
LACKING = [row for row in BLOCKS if row != (1, 5)]
REPEATED = [*BLOCKS, (1, 5)]
for form in ("tsv", "jsonl", "parquet", "xlsx"):
    for kind, rows in {
        "a system lacks a segment": LACKING,
        "a row is repeated": REPEATED,
        "the table is pasted twice": BLOCKS * 2,
    }.items():
        build = partial(write_long, form=form, rows=rows)
        CASES[f"long tables: {kind}, {form}"] = Case(build, BOTH)


def write_one_system(folder: Path, form: str, system: str) -> list:
    """Write a table of one system whose name is in each row."""
    rows = [(0, place) for place in range(COUNT)]
    return [write_table(folder, f"out.{form}", list_cells(rows, system=system))]


for form in ("tsv", "csv", "jsonl", "xlsx", "parquet"):
    CASES[f"long tables: one system only, {form}"] = Case(
        partial(write_one_system, form=form, system="system")
    )

# Two language pairs: German to English and German to French, each with its references.
FRENCH_OUT = [
    *FRENCH[:4],
    *(line.replace("le ", "la ").replace("est", "était") for line in FRENCH[4:]),
]


def write_pairs(folder: Path, form: str, headings: Mapping[str, Sequence[str]]) -> list:
    """Write rows of two language pairs; `headings` have the two values of each column."""
    cells = {
        name: [first] * COUNT + [second] * COUNT
        for name, (first, second) in headings.items()
    }
    cells |= {"source": SOURCE * 2, "ref": REF + FRENCH, "mt": A + FRENCH_OUT}
    return [write_table(folder, f"out.{form}", cells)]


PAIRS = {
    "lp": {"lp": ("de-en", "de-fr")},
    "lang": {"lang": ("en", "fr")},
    "language_pair": {"language_pair": ("de-en", "de-fr")},
    "langs": {"langs": ("de-en", "de-fr")},
    "target_lang": {"target_lang": ("en", "fr")},
    "src_lang and tgt_lang": {"src_lang": ("de", "de"), "tgt_lang": ("en", "fr")},
    "source_language and target_language": {
        "source_language": ("German", "German"),
        "target_language": ("English", "French"),
    },
    "langpair": {"langpair": ("deu-eng", "deu-fra")},
}
LANGUAGE = r"language|lp|de-en|\blang|pairs"
for heading, values in PAIRS.items():
    for form in ("tsv", "jsonl", "parquet", "xlsx"):
        build = partial(write_pairs, form=form, headings=values)
        CASES[f"long tables: language pairs in {heading}, {form}"] = Case(
            build, scores={}, says=LANGUAGE
        )


def write_one_pair(folder: Path, form: str) -> list:
    cells = {"lp": ["de-en"] * COUNT, "source": SOURCE, "ref": REF, "mt": A}
    return [write_table(folder, f"out.{form}", cells)]


for form in TABLES:
    CASES[f"long tables: one language pair, {form}"] = Case(
        partial(write_one_pair, form=form), expect="read"
    )


def write_files(folder: Path, form: str, text: str, with_ref: bool = True) -> list:
    """Write a table for each system."""
    files = []
    for name, lines in BOTH.items():
        cells = {"source": SOURCE, "ref": REF, text: lines}
        cells = cells if with_ref else {text: lines}
        files.append(write_table(folder, f"{name}.{form}", cells))
    ref = ["-r", write_lines(folder / "ref.txt", REF)]
    return files if with_ref else [*files, *ref]


for form in TABLES:
    build = partial(write_files, form=form, text="mt")
    CASES[f"long tables: a file for each system, {form}"] = Case(
        build, BOTH, says="two columns for the"
    )
    build = partial(write_files, form=form, text="mt", with_ref=False)
    CASES[f"long tables: a file for each system beside references, {form}"] = Case(
        build, BOTH
    )
for command in ("compare", "report", "convert", "web", "judge"):
    build = partial(write_files, form="parquet", text="mt", with_ref=False)
    CASES[f"long tables: a Parquet file for each system, {command}"] = Case(
        build, BOTH, command=command, says="only one system"
    )


def write_shards(folder: Path) -> list:
    """Write parts of one table, as programs number them."""
    for number, rows in enumerate((slice(0, 10), slice(10, None))):
        cells = {"source": SOURCE[rows], "ref": REF[rows], "mt": A[rows]}
        write_table(folder, f"part-{number:05}.parquet", cells)
    return sorted(folder.glob("part-*"))


CASES["long tables: parts of a Parquet table"] = Case(write_shards, expect="read")
CASES["long tables: a folder of parts"] = Case(
    lambda folder: [write_shards(folder)[0].parent], expect="read"
)


def write_wide(folder: Path, form: str) -> list:
    cells = {"source": SOURCE, "ref": REF, "output:sysA": A, "output:sysB": B}
    return [write_table(folder, f"all.{form}", cells)]


for form in TABLES:
    CASES[f"long tables: a column for each system, {form}"] = Case(
        partial(write_wide, form=form), BOTH, expect="read"
    )
