"""Build the page of a study: claims, tables and pictures of each section.

The numbers of a study are kept in NAME.json. Its pictures are drawn, and the generated
blocks of its page written, from that file alone: tests need no data to compare them.
"""

import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import metra
from metra.analysis import word_stability
from metra.meta.charts import CurvePlot, Heatmap, Histogram, JudgePlot, ScatterPoints
from metra.report.pictures.heatmap import draw_heatmap
from metra.report.pictures.plots import (
    draw_curves,
    draw_histogram,
    draw_judge_plot,
    draw_polygons,
    draw_scatter,
)
from metra.stats.curves import LineFit

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "tools"))

from page_blocks import fill_block  # noqa: E402 (docs is no package)

Verdict = Literal["supports", "undecided", "against"]
#: What results say of a claim, as the table of claims counts them.
VERDICTS: tuple[Verdict, ...] = ("supports", "against", "undecided")
#: Titles of pictures whose records have none.
UNTITLED = {
    "grid": "The grid of an output and its references",
    "polygons": "Distribution of words over classes of salience",
    "matches": "Share of each set that each system matches",
}
#: Sets in the languages of each paper.
OWN_SETS = {"lavie-2004": ("WMT23 zh-en",)}
#: Digits that numbers are kept with.
DIGITS = 6
#: Most cells of a table on a page, without and with pictures, and most tables of a section.
MOST_CELLS = (36, 20)
MOST_TABLES = 2
#: Most results of the claims of a section that a page shows unfolded.
MOST_RESULTS = 4


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper, in our words, and our results, with intervals.

    Each set, or each metric on one set, has a verdict of its own. Counts that describe the
    paper's own campaign have none, because other data cannot contradict them.
    """

    paper: str
    here: str
    #: Figures with their intervals, by set, if `here` ends with a colon.
    figures: Mapping[str, str] = field(default_factory=dict)
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StudyTable:
    """A table as it is printed; the first columns, named in `text`, hold words."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text: int = 1
    caption: str = ""


@dataclass(frozen=True, slots=True)
class GridExample:
    """Texts of our own whose grid is drawn."""

    output: str
    references: tuple[str, ...]
    spec: str


@dataclass(frozen=True, slots=True)
class MatchPlot:
    """Where systems' matches with each reference fall."""

    sets: tuple[word_stability.MatchSets, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One or more recomputed figures or tables of a paper."""

    claims: tuple[Claim, ...] = ()
    tables: tuple[StudyTable, ...] = ()
    #: By name: what is drawn, as one of the records in `PICTURES`.
    pictures: Mapping[str, Any] = field(default_factory=dict)


def draw_grid(example: GridExample) -> str:
    """Draw the grid of an example."""
    grid = metra.grid(example.output, list(example.references), example.spec)
    return str(grid.svg())


def draw_matches(plot: MatchPlot) -> str:
    """Draw where systems' matches with the first reference fall."""
    first = plot.sets[0]
    filled = [name for name in word_stability.SETS if first.sizes[name]]
    series = {
        system.system: [100 * system.matches[n] / first.sizes[n] for n in filled]
        for system in first.systems
    }
    title = f"Matches by salience: {first.reference} beside {first.other}"
    caption = "c: in both references, d: in one; h: highly salient, l: not"
    names = f"n-grams of {first.reference} by set", "% matched"
    return draw_curves(CurvePlot(title, caption, *names, filled, series))


#: The records that pictures are kept as, and what draws them.
PICTURES: dict[str, tuple[type, Callable[[Any], str]]] = {
    "curves": (CurvePlot, draw_curves),
    "scatter": (ScatterPoints, draw_scatter),
    "judges": (JudgePlot, draw_judge_plot),
    "heatmap": (Heatmap, draw_heatmap),
    "histogram": (Histogram, draw_histogram),
    "polygons": (word_stability.StabilityResult, draw_polygons),
    "matches": (MatchPlot, draw_matches),
    "grid": (GridExample, draw_grid),
}


def read_numbers(name: str) -> dict[str, Any]:
    """Read the numbers of a study, section by section; nothing before its first run."""
    path = HERE / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_study(name: str, numbers: Mapping[str, Any]) -> None:
    """Write the numbers, the pictures and the generated blocks of the page."""
    lines = [
        f"{json.dumps(section)}: {json.dumps(record, ensure_ascii=False, allow_nan=False)}"
        for section, record in numbers.items()
    ]
    _write(HERE / f"{name}.json", "{\n" + ",\n".join(lines) + "\n}\n")
    for path, drawing in draw_pictures(name, numbers).items():
        _write(path, drawing)
    page = HERE / f"{name}.md"
    _write(page, fill_page(page.read_text(encoding="utf-8"), name, numbers))


def pack_section(section: Section) -> dict[str, Any]:
    """Turn a section into what JSON can hold, numbers rounded."""
    pictures = {}
    for name, picture in section.pictures.items():
        kinds = [
            kind for kind, (record, _) in PICTURES.items() if record is type(picture)
        ]
        pictures[name] = {"picture": kinds[0], **_round_numbers(asdict(picture))}
    return {
        "claims": [asdict(claim) for claim in section.claims],
        "tables": [json.loads(json.dumps(asdict(table))) for table in section.tables],
        "pictures": pictures,
    }


def draw_pictures(name: str, numbers: Mapping[str, Any]) -> dict[Path, str]:
    """Draw all pictures of a study, by the files they belong in."""
    drawings = {}
    for section in numbers.values():
        for picture, record in section["pictures"].items():
            draw = PICTURES[record["picture"]][1]
            drawings[HERE / f"{name}-{picture}.svg"] = f"{draw(_restore(record))}\n"
    return drawings


def fill_page(page: str, name: str, numbers: Mapping[str, Any]) -> str:
    """Fill the generated blocks of a page: all claims first, then section by section."""
    claims = number_claims(numbers)
    for section, record in numbers.items():
        page = fill_block(page, section, _write_section(name, record, claims))
    return fill_block(page, "claims", _write_claims(name, page, numbers, claims))


def number_claims(numbers: Mapping[str, Any]) -> dict[str, int]:
    """Number claims in the order of the page; sections may repeat a claim."""
    claims = [
        claim["paper"] for record in numbers.values() for claim in record["claims"]
    ]
    return {claim: number for number, claim in enumerate(dict.fromkeys(claims), 1)}


def _write_claims(
    name: str, page: str, numbers: Mapping[str, Any], claims: Mapping[str, int]
) -> str:
    """Tabulate the claims of all sections with what each result says of them."""
    lines = [
        "| | the paper says that … | here | figures |",
        "| --: | :-- | :-- | :-- |",
    ]
    for paper, number in claims.items():
        sections, verdicts = [], {}
        for section, record in numbers.items():
            own = [claim for claim in record["claims"] if claim["paper"] == paper]
            sections += [_link_heading(page, section)] if own else []
            for claim in own:
                verdicts |= {(section, key): v for key, v in claim["verdicts"].items()}
        result = describe_verdicts(name, verdicts)
        lines.append(
            f"| {number} | {paper.removesuffix('.')} | {result} | {', '.join(sections)} |"
        )
    return "\n" + "\n".join(lines) + "\n"


def describe_verdicts(name: str, verdicts: Mapping[tuple[str, str], Verdict]) -> str:
    """Count what results say of a claim; those under the paper's conditions come first."""
    if not verdicts:
        return "no verdict"
    own = {
        key: each for key, each in verdicts.items() if key[1] in OWN_SETS.get(name, ())
    }
    parts = [
        f"**{each}** on {key[1]}, the paper's languages" for key, each in own.items()
    ]
    others = [each for key, each in verdicts.items() if key not in own]
    counts = [
        f"{number} {'support' if each == 'supports' and number > 1 else each}"
        for each in VERDICTS
        if (number := others.count(each))
    ]
    if len(others) == 1 and not own:
        counts = others
    return "; ".join([*parts, ", ".join(counts)]) if counts else "; ".join(parts)


def _link_heading(page: str, section: str) -> str:
    """Link the heading that a section's block stands under, by the part before a colon."""
    above = page[: page.index(f"generated: {section} ")]
    heading = re.findall(r"^##+ (.*)$", above, re.MULTILINE)[-1]
    slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).lower())
    return f"[{heading.partition(':')[0]}](#{slug})"


def _write_section(
    name: str, record: Mapping[str, Any], claims: Mapping[str, int]
) -> str:
    """Write the claims, pictures and short tables of a section; many results are folded."""
    results = [
        _write_results(claim, claims[claim["paper"]]) for claim in record["claims"]
    ]
    pictures = [
        f"![{drawn.get('title') or UNTITLED[drawn['picture']]}]({name}-{picture}.svg)"
        for picture, drawn in record["pictures"].items()
    ]
    tables = [*map(_write_table, select_tables(record))]
    count = sum(len(claim["verdicts"]) for claim in record["claims"])
    parts = [*results, *pictures, *tables]
    if count > MOST_RESULTS:
        numbers = [claims[claim["paper"]] for claim in record["claims"]]
        title = f"{_name_claims(numbers)}: {count} results with their intervals"
        opening = f"<details markdown>\n<summary>{title}</summary>"
        parts = [*pictures, opening, *results, *tables, "</details>"]
    return "\n" + "\n\n".join(parts) + "\n"


def _name_claims(numbers: Sequence[int]) -> str:
    """Name claims by their numbers, first and last if none between them is left out."""
    first, last = min(numbers), max(numbers)
    if first == last:
        return f"Claim {first}"
    if len(numbers) == last - first + 1 > 2:
        return f"Claims {first} to {last}"
    return f"Claims {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def _write_results(claim: Mapping[str, Any], number: int) -> str:
    """Write the results of a claim, each with its verdict."""
    verdicts = claim["verdicts"]
    figures = "; ".join(
        f"{key} {value} *{verdicts[key]}*" for key, value in claim["figures"].items()
    )
    listed = "; ".join(
        f"{key} *{verdict}*" for key, verdict in verdicts.items() if not figures
    )
    ending = f" {figures}." if figures else f" Verdict: {listed}." if listed else ""
    return f"**Claim {number}:** {claim['here']}{ending}"


def select_tables(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tables of a section that its page shows; NAME.json has all of them."""
    tables = record["tables"] if len(record["tables"]) <= MOST_TABLES else []
    most = MOST_CELLS[bool(record["pictures"])]
    return [
        table for table in tables if len(table["rows"]) * len(table["heads"]) <= most
    ]


def _write_table(table: Mapping[str, Any]) -> str:
    """Write a table as Markdown, its caption above."""
    words = table["text"]
    marks = [":--" if at < words else "--:" for at in range(len(table["heads"]))]
    lines = [
        f"| {' | '.join(row)} |" for row in (table["heads"], marks, *table["rows"])
    ]
    caption = f"{table['caption']}\n\n" if table["caption"] else ""
    return caption + "\n".join(lines)


def _restore(record: Mapping[str, Any]) -> Any:
    """Make a picture's record of what JSON holds."""
    fields = {name: value for name, value in record.items() if name != "picture"}
    kind = PICTURES[record["picture"]][0]
    if kind is CurvePlot:
        fields["series"] = {
            name: [math.nan if value is None else value for value in line]
            for name, line in fields["series"].items()
        }
    if kind is Heatmap:
        fields["values"] = [
            [math.nan if value is None else value for value in row]
            for row in fields["values"]
        ]
    if kind is ScatterPoints and fields["fit"] is not None:
        fields["fit"] = LineFit(**fields["fit"])
    if kind is word_stability.StabilityResult:
        fields["sets"] = [_restore_words(**each) for each in fields["sets"]]
    if kind is MatchPlot:
        fields["sets"] = [_restore_matches(**each) for each in fields["sets"]]
    return kind(**fields)


def _restore_matches(*, systems: Sequence[Any], **fields: Any) -> Any:
    matches = tuple(word_stability.SystemMatches(**each) for each in systems)
    return word_stability.MatchSets(systems=matches, **fields)


def _restore_words(*, polygons: Mapping[str, Any], **fields: Any) -> Any:
    restored = {
        weight: word_stability.FrequencyPolygon(**each)
        for weight, each in polygons.items()
    }
    return word_stability.WordSet(polygons=restored, **fields)


def _round_numbers(value: Any) -> Any:
    """Round the numbers within records, so that last digits of a machine do not show."""
    if isinstance(value, Mapping):
        return {name: _round_numbers(each) for name, each in value.items()}
    if isinstance(value, str) or not isinstance(value, Iterable | float):
        return value
    if isinstance(value, Iterable):
        return [_round_numbers(each) for each in value]
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
