"""Ids of segments and documents: shuffled, repeated, missing, and written in other ways."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tests.cli.matrix.files import TABLES, write_lines, write_table
from tests.cli.matrix.framework import Build, Case
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
    bleu,
    reorder,
)

CASES: dict[str, Case] = {}
IN_DOCUMENT = [str(1 + place % 6) for place in range(COUNT)]
#: Two pairs of rows swapped, which no look at the texts as a whole shows.
SWAPPED = [1, 0, *range(2, 10), 11, 10, *range(12, COUNT)]


def write_pair(
    folder: Path,
    *,
    form: str,
    heading: str,
    ids: Sequence = NUMBERS,
    order: Sequence[int] = SHUFFLE,
    ref_ids: Sequence | None = None,
) -> list:
    """Write outputs in an order of their own beside references in theirs."""
    own = {heading: reorder(list(ids), list(order)), "mt": reorder(A, list(order))}
    refs = {heading: list(ids if ref_ids is None else ref_ids), "ref": REF}
    return [
        write_table(folder, f"out.{form}", own),
        "-r",
        write_table(folder, f"ref.{form}", refs),
    ]


for form in TABLES:
    for heading in ("id", "seg_id", "segment_id"):
        build = partial(write_pair, form=form, heading=heading)
        CASES[f"ids: rows shuffled, {heading}, {form}"] = Case(build)
for heading in (
    *("ID", "Id", "segid", "sid", "Segment ID", "segment", "seg", "line", "#", "No."),
    *(
        "index",
        "key",
        "uid",
        "sentence_id",
        "sent_id",
        "item",
        "Nr.",
        "row",
        "example_id",
    ),
    *("guid", "docSegId", "globalSegId", "idx", "number", "line_number"),
):
    build = partial(write_pair, form="tsv", heading=heading)
    CASES[f"ids: rows shuffled, heading {heading}"] = Case(build)
for form in ("tsv", "jsonl", "parquet", "xlsx"):
    build = partial(write_pair, form=form, heading="id", order=AS_TEXT)
    CASES[f"ids: rows sorted as texts, {form}"] = Case(build)
for command in ("compare", "report", "convert", "web", "judge"):
    build = partial(write_pair, form="tsv", heading="id")
    both = {"A": A, "B": B}

    def write_both(folder: Path, build: Build = build, command: str = command) -> list:
        out, *rest = build(folder)
        if command not in ("compare", "report"):
            return [out, *rest]
        other = reorder(B, SHUFFLE)
        ids = reorder(NUMBERS, SHUFFLE)
        second = write_table(folder, "B.tsv", {"id": ids, "mt": other})
        return [out.rename(folder / "A.tsv"), second, *rest]

    is_two = command in ("compare", "report")
    systems = both if is_two else {"*": A}
    CASES[f"ids: rows shuffled, {command}"] = Case(write_both, systems, command=command)
NAMES = [f"news_{number}" for number in NUMBERS]
ZEROS = [f"{number:03}" for number in range(1, COUNT + 1)]
FROM_0 = [str(number) for number in range(COUNT)]
ODD_IDS: dict[
    str, tuple
] = {  # the ids of outputs and of references; of one segment each
    "names": (NAMES, NAMES),
    "whole numbers": ([*range(1, COUNT + 1)], [*range(1, COUNT + 1)]),
    "007 beside 7": (ZEROS, NUMBERS),
    "1.0 beside 1": ([f"{number}.0" for number in NUMBERS], NUMBERS),
    "blanks behind": ([f"{number} " for number in NUMBERS], NUMBERS),
    "capitals": ([name.upper() for name in NAMES], NAMES),
}
for kind, (own, others) in ODD_IDS.items():
    for form in ("tsv", "jsonl", "xlsx"):
        build = partial(write_pair, form=form, heading="id", ids=own, ref_ids=others)
        CASES[f"ids: shuffled, {kind}, {form}"] = Case(build)
IN_ORDER = range(COUNT)
for form in ("tsv", "jsonl", "parquet"):
    for kind, own, others in (
        ("from 0 beside from 1", FROM_0, NUMBERS),
        ("from 1 beside from 0", NUMBERS, FROM_0),
        ("007 beside 7", ZEROS, NUMBERS),
        ("other names", NAMES, NUMBERS),
    ):
        build = partial(
            *(write_pair,),
            **{"form": form, "heading": "id", "ids": own, "ref_ids": others},
            order=IN_ORDER,
        )
        CASES[f"ids: in order, {kind}, {form}"] = Case(build)


def write_documents(
    folder: Path, form: str, doc: str = "doc", seg: str = "seg_id", by: str = "document"
) -> list:
    """Write ids within documents; documents, or all rows, are in another order."""
    documents = [*range(12, 24), *range(6), *range(6, 12)]
    order = documents if by == "document" else SHUFFLE

    def fill(order: Sequence[int], text: str, lines: list[str]) -> dict:
        cells = {doc: DOCS, seg: IN_DOCUMENT, text: lines}
        return {name: reorder(column, list(order)) for name, column in cells.items()}

    out = write_table(folder, f"out.{form}", fill(order, "mt", A))
    return [out, "-r", write_table(folder, f"ref.{form}", fill(IN_ORDER, "ref", REF))]


for form in TABLES:
    build = partial(write_documents, form=form)
    CASES[f"ids: documents in another order, {form}"] = Case(build)
    build = partial(write_documents, form=form, doc="doc_id", by="row")
    CASES[f"ids: documents, rows shuffled, {form}"] = Case(build)
for doc, seg in (
    ("document", "segment"),
    ("docid", "segid"),
    ("doc", "id"),
    ("document_id", "segment_id"),
    ("docId", "segId"),
    ("file", "line"),
):
    build = partial(write_documents, form="tsv", doc=doc, seg=seg, by="row")
    CASES[f"ids: documents by {doc} and {seg}"] = Case(build)


def write_uneven(
    folder: Path, own: list[str], texts: list[str], others: list[str] = NUMBERS
) -> list:
    """Write ids of outputs that are not those of the references."""
    out = write_table(folder, "out.tsv", {"id": own, "mt": texts})
    return [out, "-r", write_table(folder, "ref.tsv", {"id": others, "ref": REF})]


LACKS = [*range(5), *range(6, COUNT)]
TWICE = [*range(5), 4, *range(6, COUNT)]
for kind, build in {
    "one is missing and one is twice": partial(
        write_uneven, own=reorder(NUMBERS, TWICE), texts=reorder(A, TWICE)
    ),
    "two rows of one id in both files": partial(
        write_uneven,
        own=reorder(reorder(NUMBERS, TWICE), SHUFFLE),
        texts=reorder(A, SHUFFLE),
        others=reorder(NUMBERS, TWICE),
    ),
    "an id is unknown": partial(write_uneven, own=[*NUMBERS[:-1], "99"], texts=A),
    "an id is empty": partial(write_uneven, own=["", *NUMBERS[1:]], texts=A),
    "ids of both files are all empty": partial(
        write_uneven, own=[""] * COUNT, texts=A, others=[""] * COUNT
    ),
    "a row less": partial(
        write_uneven, own=reorder(NUMBERS, LACKS), texts=reorder(A, LACKS)
    ),
}.items():
    CASES[f"ids: {kind}"] = Case(build)


def write_beside_lines(folder: Path, heading: str = "id", form: str = "tsv") -> list:
    """Write shuffled outputs with ids beside references without."""
    cells = {heading: reorder(NUMBERS, SHUFFLE), "mt": reorder(A, SHUFFLE)}
    out = write_table(folder, f"out.{form}", cells)
    return [out, "-r", write_lines(folder / "ref.txt", REF)]


for form in ("tsv", "jsonl", "xlsx", "parquet"):
    build = partial(write_beside_lines, form=form)
    CASES[f"ids: shuffled beside lines, id, {form}"] = Case(build)
    build = partial(write_beside_lines, form=form, heading="")
    CASES[f"ids: shuffled beside lines, pandas' row numbers, {form}"] = Case(
        partial(
            write_beside_lines,
            form=form,
            heading="" if form in ("tsv", "xlsx") else "__index_level_0__",
        )
    )


def write_ids_beside_references(folder: Path) -> list:
    cells = {"id": reorder(NUMBERS, SHUFFLE), "ref": reorder(REF, SHUFFLE)}
    ref = write_table(folder, "ref.tsv", cells)
    return [write_lines(folder / "out.txt", A), "-r", ref]


def write_pandas(folder: Path, heading: str = "") -> list:
    """Write a sample of rows with pandas' row numbers on both sides."""
    numbers = [*range(COUNT)]
    out = {heading: reorder(numbers, SHUFFLE), "mt": reorder(A, SHUFFLE)}
    ref = {heading: numbers, "ref": REF}
    return [
        write_table(folder, "out.csv", out),
        "-r",
        write_table(folder, "ref.csv", ref),
    ]


def write_three(folder: Path) -> list:
    """Write two systems and the references, each in an order of its own."""
    back = [*reversed(range(COUNT))]
    files = [
        ("A", "mt", A, SHUFFLE),
        ("B", "mt", B, back),
        ("ref", "ref", REF, AS_TEXT),
    ]
    first, second, ref = (
        write_table(
            folder,
            f"{name}.jsonl",
            {"id": reorder(NAMES, order), role: reorder(lines, order)},
        )
        for name, role, lines, order in files
    )
    return [first, second, "-r", ref]


def write_source(folder: Path) -> list:
    """Write outputs beside a source whose rows are shuffled."""
    out = write_table(folder, "out.tsv", {"id": NUMBERS, "mt": A, "ref": REF})
    cells = {"id": reorder(NUMBERS, SHUFFLE), "source": reorder(SOURCE, SHUFFLE)}
    return [out, "-s", write_table(folder, "src.tsv", cells)]


def write_document_list(folder: Path) -> list:
    """Write shuffled rows of documents beside a list of documents in order."""
    columns = {"doc": DOCS, "seg": IN_DOCUMENT, "mt": A, "ref": REF}
    cells = {name: reorder(column, SHUFFLE) for name, column in columns.items()}
    lines = map("\t".join, zip(DOCS, IN_DOCUMENT, strict=True))
    listed = write_lines(folder / "docs.txt", [*lines])
    return [write_table(folder, "out.tsv", cells), "--docs", listed]


def write_mixed(folder: Path) -> list:
    """Write shuffled outputs in JSON lines beside references in TSV."""
    cells = {"id": reorder([*range(1, COUNT + 1)], SHUFFLE), "mt": reorder(A, SHUFFLE)}
    out = write_table(folder, "out.jsonl", cells)
    return [out, "-r", write_table(folder, "ref.tsv", {"id": NUMBERS, "ref": REF})]


def write_other_headings(folder: Path) -> list:
    """Write shuffled rows whose ids have another heading in each file."""
    cells = {"seg_id": reorder(NUMBERS, SHUFFLE), "mt": reorder(A, SHUFFLE)}
    out = write_table(folder, "out.tsv", cells)
    ref = write_table(folder, "ref.tsv", {"segment": NUMBERS, "ref": REF})
    return [out, "-r", ref]


def write_own_ids(folder: Path) -> list:
    """Write one table of everything with ids in no order: the order does not matter."""
    columns = {"id": NUMBERS, "source": SOURCE, "ref": REF, "mt": A}
    cells = {name: reorder(column, SHUFFLE) for name, column in columns.items()}
    return [write_table(folder, "all.tsv", cells)]


def write_domains(folder: Path) -> list:
    """Write ids that start again in each domain, in other orders."""
    domains = [f"d{1 + place % 3}" for place in range(COUNT)]
    ids = [str(1 + place // 3) for place in range(COUNT)]
    own = {"domain": domains, "id": ids, "mt": A}
    out = {name: reorder(column, SHUFFLE) for name, column in own.items()}
    ref = {"domain": domains, "id": ids, "ref": REF}
    return [
        write_table(folder, "out.tsv", out),
        "-r",
        write_table(folder, "ref.tsv", ref),
    ]


for kind, build in {
    "shuffled references beside lines": write_ids_beside_references,
    "pandas' row numbers without a heading, both shuffled": write_pandas,
    "pandas' row numbers as Unnamed: 0": partial(write_pandas, heading="Unnamed: 0"),
    "three files, each in its order": write_three,
    "shuffled rows beside a list of documents": write_document_list,
    "JSON lines of numbers beside a TSV": write_mixed,
    "other headings in each file": write_other_headings,
    "ids within domains": write_domains,
}.items():
    CASES[f"ids: {kind}"] = Case(build)
CASES["ids: three files, each in its order"] = Case(write_three, {"A": A, "B": B})
CASES["ids: one table in no order"] = Case(write_own_ids, expect="read")
CASES["ids: shuffled source"] = Case(write_source, expect="read refused warned")
CASES["ids: shuffled source, copied lines"] = Case(
    partial(write_source), command="web", expect="read refused warned"
)


def write_columns(folder: Path, own: dict, others: dict, form: str = "tsv") -> list:
    out = write_table(folder, f"out.{form}", own)
    return [out, "-r", write_table(folder, f"ref.{form}", others)]


def shuffle(
    columns: dict[str, list], order: Sequence[int] = SHUFFLE
) -> dict[str, list]:
    return {name: reorder([*column], [*order]) for name, column in columns.items()}


#: Two segments have one source, as titles and greetings do.
TWINS = [*SOURCE[:20], SOURCE[0], SOURCE[1], *SOURCE[22:]]
HALF = range(12)
PAIRS: dict[str, tuple[dict, dict]] = {
    "sources that occur twice, shuffled": (
        shuffle({"source": TWINS, "mt": A}),
        {"source": TWINS, "ref": REF},
    ),
    "sources that occur twice, in order": (
        {"source": TWINS, "mt": A},
        {"source": TWINS, "ref": REF},
    ),
    "sources with other blanks, shuffled": (
        shuffle({"source": [f"{line} " for line in SOURCE], "mt": A}),
        {"source": SOURCE, "ref": REF},
    ),
    "sources and ids that disagree": (
        {"id": NUMBERS, "source": SOURCE, "mt": A},
        {"id": NUMBERS, **shuffle({"source": SOURCE, "ref": REF})},
    ),
    "names of documents that differ": (
        shuffle({"doc": DOCS, "seg": IN_DOCUMENT, "mt": A}),
        {"doc": [d.replace("-", "_") for d in DOCS], "seg": IN_DOCUMENT, "ref": REF},
    ),
    "documents without ids of segments, shuffled": (
        shuffle({"doc": DOCS, "mt": A}),
        {"doc": DOCS, "ref": REF},
    ),
    "documents in one file only, shuffled": (
        shuffle({"doc": DOCS, "seg": IN_DOCUMENT, "mt": A}),
        {"ref": REF},
    ),
    "numbers that begin again, without documents": (
        shuffle({"seg": IN_DOCUMENT, "mt": A}),
        {"seg": IN_DOCUMENT, "ref": REF},
    ),
    "several references of an id, below each other": (
        {"id": NUMBERS, "mt": A},
        {"id": NUMBERS * 2, "ref": REF + B},
    ),
    "half of the segments": (
        {"id": NUMBERS[:12], "mt": A[:12]},
        {"id": NUMBERS, "ref": REF},
    ),
    "more segments than references": (
        {"id": NUMBERS, "mt": A},
        {"id": NUMBERS[:12], "ref": REF[:12]},
    ),
    "ids in another column's name": (
        shuffle({"segment_id": NUMBERS, "mt": A}),
        {"id": NUMBERS, "ref": REF},
    ),
    "two columns of ids that disagree": (
        shuffle({"id": NUMBERS, "seg_id": NUMBERS, "mt": A}),
        {"id": NUMBERS, "seg_id": [*reversed(NUMBERS)], "ref": REF},
    ),
}
for kind, (own, others) in PAIRS.items():
    for form in ("tsv", "jsonl", "parquet"):
        also = [{"*": bleu(A[:12], REF[:12])}] if kind.startswith("half") else []
        CASES[f"ids: {kind}, {form}"] = Case(
            partial(write_columns, own=own, others=others, form=form),
            also=also,
            says="source|id",
        )


def write_frames(folder: Path, ids: Sequence) -> list:
    """Write pandas' tables, whose index is a column of Parquet."""
    import pandas as pd

    frame = pd.DataFrame({"mt": A, "ref": REF}, index=list(ids))
    frame[["mt"]].iloc[SHUFFLE].to_parquet(folder / "out.parquet")
    frame[["ref"]].to_parquet(folder / "ref.parquet")
    return [folder / "out.parquet", "-r", folder / "ref.parquet"]


CASES["ids: pandas' index in Parquet"] = Case(partial(write_frames, ids=NAMES))
CASES["ids: pandas' index of numbers in Parquet"] = Case(
    partial(write_frames, ids=range(5, 5 + COUNT))
)
CASES["ids: numbers of pandas as fractions"] = Case(
    partial(
        write_columns,
        **{"own": shuffle({"id": [float(n) for n in NUMBERS], "mt": A})},
        others={"id": [int(n) for n in NUMBERS], "ref": REF},
        form="parquet",
    )
)

for form in TABLES:
    for heading in ("id", "seg_id", "segment", "line", "No."):
        build = partial(write_pair, form=form, heading=heading, order=SWAPPED)
        CASES[f"ids: rows swapped, {heading}, {form}"] = Case(build)
    if form != "csv;":  # a column of texts with commas alone
        CASES[f"ids: rows swapped, sources, {form}"] = Case(
            partial(
                write_columns,
                own=shuffle({"source": SOURCE, "mt": A}, SWAPPED),
                others={"source": SOURCE, "ref": REF},
                form=form,
            )
        )
# Whoever gives lines in another order is told so.
for name, case in CASES.items():
    says = "|".join(
        filter(None, [case.says, "another order", "two columns|given 2 times"])
    )
    CASES[name] = case._replace(says=says)
