"""Answers of meta-evaluation: tables with notes, a signature and the rows that count."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from metra import __version__
from metra.errors import format_count
from metra.meta.questions import read_words
from metra.scoring.table import Cell, Column, Table, make_table
from metra.stats.arrays import Array, drop_nan
from metra.stats.panel import ScorePanel
from metra.stats.significance import PairTests

#: How outputs are grouped, behind the name of a coefficient.
_GROUPINGS = ("none", "item", "sys")


def build_table(
    corner: str,
    heads: Sequence[str | Column],
    rows: Iterable[tuple[str, Iterable[Any]]],
    caption: str,
    name: str,
) -> Table:
    """Build a table of named rows of values, as `build_cell` shows them."""
    cells = [(row_name, [*map(build_cell, values)]) for row_name, values in rows]
    return make_table(corner, heads, cells, caption=caption, name=name)


def build_cell(value: Any) -> Cell:
    """Build a cell of a count, a figure (with its interval), a text or a cell.

    A count has no digits after the point, and NaN is missing.
    """
    if isinstance(value, Cell):
        return value
    if isinstance(value, tuple):
        return build_figure(*value)
    if isinstance(value, int | np.integer):
        return build_count(int(value))
    return build_figure(value) if isinstance(value, float) else Cell(value)


@dataclass(frozen=True, slots=True)
class MetaReport:
    """The answer to a question: tables with their notes, signature and selection."""

    tables: Sequence[Table]
    signature: str
    notes: Sequence[str] = ()
    #: More for programs: what JSON gets besides the tables.
    data: Mapping[str, Any] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    #: The rows that count, in a few words.
    selection: str = ""
    #: The parts of the signature, without those about a panel.
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def glossary(self) -> list[str]:
        """The meaning of columns, in the words of somebody who knows no statistics."""
        words, meanings = read_words(), dict[str, str]()
        for table in self.tables:
            for heading in (column.heading for column in table.columns[1:]):
                first, _, last = heading.partition(" ")
                if own := words.get(f"{table.name.split()[0]} {heading}"):
                    meanings[f"{heading} of {table.name}"] = own
                parts = [first, last] if last in _GROUPINGS else [heading]
                parts = [last] if first in ("sys", "seg") else parts
                meanings |= {part: words[part] for part in parts if part in words}
        return [f"{heading}: {meaning}" for heading, meaning in meanings.items()]

    @property
    def selection_notes(self) -> list[str]:
        """The sentence about the rows that count, if there is one."""
        return [f"Counted: {self.selection}."] if self.selection else []


def build_report(
    tables: Sequence[Table],
    options: Any,
    notes: Iterable[str] = (),
    data: Mapping[str, Any] | None = None,
    *,
    panel: ScorePanel | None = None,
    **facts: object,
) -> MetaReport:
    """Build a report whose signature has facts, and options that differ from defaults."""
    parts = facts | {
        name: value for name, value in sign_options(options) if name not in facts
    }
    signature = build_signature(panel, **parts)
    return MetaReport(tables, signature, [*notes], data or {}, facts=parts)


def sign_options(options: Any) -> Iterator[tuple[str, object]]:
    """Yield options for a signature: those declared to be shown, and changed ones.

    >>> from metra.meta.options import RankOptions
    >>> dict(sign_options(RankOptions(macro="domain")))
    {'by': 'mean', 'macro': 'domain', 'alpha': 0.05}
    """
    for entry in fields(options):
        shown = entry.metadata.get("sign")
        value = getattr(options, entry.name)
        if shown is False or (shown is None and value == entry.default):
            continue
        flag = entry.metadata.get("flags", entry.name).strip("-")
        if isinstance(value, tuple):
            value = ",".join(map(str, value))
        yield (
            shown if isinstance(shown, str) else flag,
            "yes" if value is True else value,
        )


def merge_pairs(
    reports: Sequence[MetaReport], panels: Sequence[ScorePanel]
) -> MetaReport:
    """Put the answers for several language pairs under each other."""
    notes = [
        f"{panel.place}{note}"
        for panel, report in zip(panels, reports, strict=True)
        for note in (*panel.notes, *report.notes)
    ]
    first = reports[0]
    if len(reports) == 1:
        return replace(first, notes=notes)
    facts: dict[str, Any] = {
        **first.facts,
        "lang": ",".join(panel.lang for panel in panels),
    }
    data: dict[str, list[Any]] = {}
    for report in reports:
        for key, value in report.data.items():
            data.setdefault(key, []).extend(value)
    tables = [table for report in reports for table in report.tables]
    return MetaReport(tables, build_signature(**facts), notes, data, facts=facts)


def describe_tests(tests: PairTests, *, wmt: bool) -> dict[str, Any]:
    """Return how metrics were tested, for a signature."""
    p = "b/k" if wmt else "(b+1)/(k+1)"
    return {
        "test": f"{tests.test} k={tests.draws}" if tests.draws else tests.test,
        "sides": tests.sides,
        "units": "+".join(tests.units),
        "p": p if tests.draws else None,
    }


def describe_draws(options: Any, units: str, name: str = "boot") -> dict[str, Any]:
    """Return how intervals were drawn, for a signature; nothing if they were not.

    >>> from metra.meta.options import SentinelOptions
    >>> describe_draws(SentinelOptions(trials=50), "both")
    {'boot': 'both k=50', 'seed': 12345}
    """
    if not options.trials:
        return {name: None, "seed": None}
    return {name: f"{units} k={options.trials}", "seed": options.seed}


def merge_reports(by_gold: Mapping[str, MetaReport]) -> MetaReport:
    """Put the answers for several golds under each other, each with its signature."""
    tables, notes = [], []
    data: dict[str, dict[str, Any]] = {}
    for gold, report in by_gold.items():
        tables += [
            table._replace(name=f"{gold} {table.name}") for table in report.tables
        ]
        notes += [f"{gold}: {note}" for note in report.notes]
        for key, value in report.data.items():
            data.setdefault(key, {})[gold] = value
    signatures = [report.signature for report in by_gold.values()]
    merged = {key: _merge_values(values) for key, values in data.items()}
    selections = dict.fromkeys(report.selection for report in by_gold.values())
    words = " / ".join(selections)
    return MetaReport(tables, "\n".join(signatures), notes, merged, selection=words)


def merge_languages(by_lang: Mapping[str, MetaReport]) -> MetaReport:
    """Put the same answer for several language pairs under each other, with one signature."""
    notes: dict[str, list[str]] = {}
    facts: dict[str, dict[str, None]] = {}
    data: dict[str, dict[str, Any]] = {}
    for lang, report in by_lang.items():
        for note in report.notes:
            notes.setdefault(note, []).append(lang)
        for name, value in report.facts.items():
            facts.setdefault(name, {})[str(value or "")] = None
        for key, value in report.data.items():
            data.setdefault(key, {})[lang] = value
    parts: dict[str, Any] = {name: "/".join(values) for name, values in facts.items()}
    parts["lang"] = ",".join(by_lang)
    tables = [
        table._replace(name=f"{lang} {table.name}", caption=f"{lang}: {table.caption}")
        for lang, report in by_lang.items()
        for table in report.tables
    ]
    named = [
        note if len(langs) == len(by_lang) else f"{name_some(langs)}: {note}"
        for note, langs in notes.items()
    ]
    return MetaReport(tables, build_signature(**parts), named, data, facts=parts)


def _merge_values(by_gold: dict[str, Any]) -> Any:
    """Put lists of records, which name their gold, in a row; keep the rest by gold."""
    if all(
        isinstance(value, list) and all(isinstance(each, dict) for each in value)
        for value in by_gold.values()
    ):
        return [each for value in by_gold.values() for each in value]
    return by_gold


def group_names(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    """Group names by the reason why they have no figure; an empty reason is none."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        if reason:
            names.setdefault(reason, []).append(name)
    return names


def name_some(names: Sequence[str], most: int = 6) -> str:
    """Write names with commas between them; of many, the first and how many more there are.

    >>> name_some("abc"), name_some("abcdefgh")
    ('a, b, c', 'a, b, c, d, e, f and 2 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


#: Tests of metrics, in words.
TESTS = {
    "williams": "Williams' test",
    "perm-sys": "permutation of systems",
    "perm-doc": "permutation of documents",
    "perm-input": "permutation of segments",
    "perm-both": "permutation of outputs",
    "boot-both": "bootstrap of systems and segments",
    "pairs": "permutation of pairs of outputs",
}


def describe_differences(tests: PairTests, alpha: float) -> str:
    """Say how many differences are significant, by which test, and for whom that holds."""
    upper = np.triu_indices(len(tests.p), 1)
    plain, holm, bh = (
        int((p[upper] < alpha).sum()) for p in (tests.p, tests.holm, tests.bh)
    )
    pairs = len(upper[0])
    return (
        f"{holm} of {pairs} differences {'is' if holm == 1 else 'are'} significant "
        f"(p < {alpha:g} after Holm's correction for {format_count(pairs, 'pair')}; "
        f"{TESTS.get(tests.test, tests.test)}, {tests.sides}); {plain} without "
        f"correction, {bh} with Benjamini and Hochberg's. The result applies to "
        f"{tests.population}."
    )


def export_tests(tests: PairTests, **more: Array) -> dict[str, object]:
    """Return the tests for programs: p-values as matrices, plain and corrected, and more."""
    matrices = {"p": tests.p, "holm": tests.holm, "bh": tests.bh, **more}
    data: dict[str, object] = {
        name: [[drop_nan(value) for value in row] for row in matrix.tolist()]
        for name, matrix in matrices.items()
    }
    return {
        **data,
        "test": tests.test,
        "sides": tests.sides,
        "population": tests.population,
    }


def build_count(value: int) -> Cell:
    """Build a cell of a count or a rank, which has no digits after the point."""
    return Cell(value, digits=0)


def build_figure(value: float, interval: tuple[float, float] | None = None) -> Cell:
    """Build a cell of a figure, which is missing where it is NaN."""
    return Cell(drop_nan(float(value)), interval)


def build_matrix(
    corner: str,
    names: Sequence[str],
    values: Array,
    *,
    caption: str,
    name: str,
    missing: str | None = None,
) -> Table:
    """Build a table with the same names down and across, where numbers stand for them."""
    numbers = [str(number) for number in range(1, len(names) + 1)]
    rows = [
        (f"{number} {each}", [Cell(x if x == x else missing) for x in row])
        for number, each, row in zip(numbers, names, values.tolist(), strict=True)
    ]
    return make_table(corner, numbers, rows, caption=caption, name=name, names=names)


def build_signature(panel: ScorePanel | None = None, **parts: object) -> str:
    """Return the line that says how an answer came about.

    Names and values stand in the order given, without None and empty ones.

    >>> build_signature(coef="pearson", group="none", eps=None).rpartition("|")[0]
    'meta|coef:pearson|group:none'
    """
    about: dict[str, object] = {}
    if panel is not None:
        about["gold"] = panel.gold_name
        about["lang"] = panel.lang
        about["sys"] = len(panel.systems)
        if panel.gold.size:
            unit = "doc" if parts.get("level") == "doc" else "seg"
            about[unit] = f"{panel.compared}/{panel.gold.shape[1]}"
    pieces = [
        f"{name.replace('_', '-')}:{f'{value:g}' if isinstance(value, float) else value}"
        for name, value in {**parts, **about}.items()
        if value is not None and value != ""
    ]
    return "|".join(["meta", *pieces, f"v:{__version__}"])
