"""Files that are as they should be but look odd: they are read, and nobody is warned.

Numbered steps, dialogues, titles, code, short words and refrains are texts, where source,
reference and output all have them.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.cli.matrix.files import TABLES, write_lines, write_table
from tests.cli.matrix.framework import Case
from tests.cli.matrix.texts import (
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

#: What stands in source, reference and output alike, by the number of the segment.
TEXTS: dict[str, Callable[[str, int], str]] = {
    "numbered steps": lambda line, n: f"{n}. {line}",
    "numbered steps that begin again": lambda line, n: f"{1 + n % 6}. {line}",
    "legal paragraphs": lambda line, n: f"({n}) {line}",
    "bullets": lambda line, _: f"• {line}",
    "dialogues": lambda line, _: f"– {line}",
    "speakers": lambda line, n: f"{('Ann', 'Bob')[n % 2]}: {line}",
    "quoted lines": lambda line, n: f'"{line}"' if n % 3 else line,
    "tags of HTML": lambda line, n: f"<b>{line}</b>" if n % 4 == 0 else line,
    "placeholders": lambda line, n: f"{line} {{0}} %s" if n % 3 == 0 else line,
    "commands": lambda line, n: f"$ run --all {line}" if n % 5 == 0 else line,
    "times": lambda line, n: f"{line} (12:{n:02})",
    "years": lambda line, n: f"{1950 + n}: {line}",
    "hashtags": lambda line, n: f"{line} #news @ann" if n % 3 == 0 else line,
    "emoji": lambda line, n: f"{line} 🙂" if n % 3 == 0 else line,
    "addresses": lambda line, n: f"{line} https://example.org/{n}?a=1&b=2",
    "capital titles": lambda line, n: line.upper() if n % 6 == 1 else line,
    "notes": lambda line, n: f"Note: {line}" if n % 6 == 1 else line,
    "an ellipsis": lambda line, n: f"{line[:-1]} …" if n % 3 == 0 else line,
    "footnotes": lambda line, n: f"{line} [{n}]" if n % 4 == 0 else line,
    "formulas": lambda line, n: f"{line} a_{n} = b^2 \\cdot c" if n % 6 == 0 else line,
    "no punctuation": lambda line, _: line.rstrip(".!?\"'“"),
    "pipes": lambda line, n: f"{line} | more" if n % 5 == 0 else line,
    "a tab": lambda line, n: f"{line}\tmore" if n == 5 else line,
    "entities": lambda line, n: f"{line} &amp; more" if n == 5 else line,
    "mails": lambda line, n: f"{line} a@@b.org" if n == 5 else line,
    "two spaces": lambda line, _: line.replace(". ", ".  "),
    "empty lines": lambda line, n: "" if n in (6, 12, 18) else line,
    "repeated lines": lambda line, n: "…" if n % 6 == 0 else line,
    "small letters": lambda line, _: line.lower(),
    "all in capitals": lambda line, _: line.upper(),
    "first words": lambda line, _: " ".join(line.split()[:3]),
    "brackets": lambda line, n: f"[{line}]" if n % 3 == 0 else line,
    "questions": lambda line, _: f"Q: {line}",
    "headings of Markdown": lambda line, n: f"## {line}" if n % 6 == 1 else line,
}


def change_all(change: Callable[[str, int], str], lines: Sequence[str]) -> list[str]:
    return [change(line, number) for number, line in enumerate(lines, 1)]


def write_alike(
    folder: Path, change: Callable[[str, int], str], form: str, with_source: bool
) -> list:
    """Write texts that all have the same in the same places."""
    out, ref, source = (change_all(change, lines) for lines in (A, REF, SOURCE))
    if form != "txt":
        return [
            write_table(folder, f"a.{form}", {"source": source, "ref": ref, "mt": out})
        ]
    files = [write_lines(folder / "out.txt", out)]
    files += ["-r", write_lines(folder / "ref.txt", ref)]
    more = ["-s", write_lines(folder / "src.txt", source)] if with_source else []
    return [*files, *more]


for kind, change in TEXTS.items():
    for form, with_source in (("txt", False), ("txt", True), ("jsonl", True)):
        name = f"good: {kind}, {form}{'' if with_source else ' without a source'}"
        CASES[name] = Case(
            partial(write_alike, change=change, form=form, with_source=with_source),
            {"*": change_all(change, A)},
            change_all(change, REF),
            expect="read",
        )

#: Ids beside each other, in one order: of outputs, and of references.
LETTERS = [f"news-{number}" for number in NUMBERS]
WITHIN = [str(1 + place % 6) for place in range(COUNT)]
GAPS = [str(5 * number + 3) for number in range(COUNT)]
IDS: dict[str, tuple[dict[str, list], dict[str, list]]] = {
    "equal ids": ({"id": NUMBERS}, {"id": NUMBERS}),
    "ids with gaps": ({"id": GAPS}, {"id": GAPS}),
    "ids in no order": (
        {"id": reorder(NUMBERS, SHUFFLE)},
        {"id": reorder(NUMBERS, SHUFFLE)},
    ),
    "ids of letters": ({"seg_id": LETTERS}, {"seg_id": LETTERS}),
    "ids within documents": (
        {"doc": DOCS, "seg": WITHIN},
        {"doc": DOCS, "seg": WITHIN},
    ),
    "ids within documents in one file": ({"doc": DOCS, "seg": WITHIN}, {}),
    "ids of outputs only": ({"id": NUMBERS}, {}),
    "ids of references only": ({}, {"id": NUMBERS}),
    "documents of outputs only": ({"doc": DOCS}, {}),
    "documents of both": ({"doc": DOCS}, {"doc": DOCS}),
    "pandas' row numbers": ({"": NUMBERS}, {"": NUMBERS}),
    "whole numbers": ({"id": [*range(COUNT)]}, {"id": [*range(COUNT)]}),
    "a domain": ({"domain": ["news"] * COUNT}, {"domain": ["news"] * COUNT}),
    "one language pair": ({"lp": ["de-en"] * COUNT}, {}),
    "two domains": ({"domain": ["news"] * 12 + ["law"] * 12}, {}),
    "lengths": ({"length": [len(line) for line in A]}, {}),
}
for kind, (own, others) in IDS.items():
    for form in TABLES:
        if "" in own and form not in ("csv", "tsv", "xlsx"):
            continue
        if form == "csv;" and not (own and others):
            continue  # a column of texts with commas alone is no table of semicolons

        def write_ids(
            folder: Path, own: dict = own, others: dict = others, form: str = form
        ) -> list:
            out = write_table(folder, f"out.{form}", own | {"mt": A})
            ref = write_table(folder, f"ref.{form}", others | {"ref": REF})
            return [out, "-r", ref]

        CASES[f"good: {kind}, {form}"] = Case(write_ids, expect="read")

#: Headings that mean what they meant before.
HEADINGS: dict[str, tuple[Sequence[str], dict[str, list[str]]]] = {
    "src, ref, sysA, sysB": (("src", "ref", "sysA", "sysB"), {"sysA": A, "sysB": B}),
    "source, reference, output": (("source", "reference", "output"), {"*": A}),
    "source, ref:A, online-A": (("source", "ref:A", "online-A"), {"online-A": A}),
    "source, ref, hyp": (("source", "ref", "hyp"), {"*": A}),
    "Source, Reference, MT": (("Source", "Reference", "MT"), {"*": A}),
    "src, refA, output:x, output:y": (
        ("src", "refA", "output:x", "output:y"),
        {"x": A, "y": B},
    ),
    "source, ref, DeepL, Google": (
        ("source", "ref", "DeepL", "Google"),
        {"DeepL": A, "Google": B},
    ),
    "source, ref, GPT-4o, Llama 3.1 (8B)": (
        ("source", "ref", "GPT-4o", "Llama 3.1 (8B)"),
        {"GPT-4o": A, "Llama 3.1 (8B)": B},
    ),
    "source, ref, baseline, new": (
        ("source", "ref", "baseline", "new"),
        {"baseline": A, "new": B},
    ),
    "source, ref, 1, 2": (("source", "ref", "1", "2"), {"1": A, "2": B}),
}
for kind, (heads, systems) in HEADINGS.items():
    for form in TABLES:
        columns = dict(zip(heads, (SOURCE, REF, A, B), strict=False))
        CASES[f"good: headings {kind}, {form}"] = Case(
            partial(
                lambda folder, form, columns: [
                    write_table(folder, f"t.{form}", columns)
                ],
                **{"form": form, "columns": columns},
            ),
            systems,
            expect="read",
        )
