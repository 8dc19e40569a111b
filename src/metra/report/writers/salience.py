"""Salience lists, and studies of two translations, as tables."""

from collections.abc import Sequence
from itertools import pairwise

from metra.analysis.word_stability import SETS, WEIGHTS, MatchSets, StabilityResult
from metra.errors import format_count
from metra.formats.annotations.weights import rank_words
from metra.formats.table import DelimitedTable
from metra.meta.findings import MetaReport
from metra.report.table import MISSING, Style
from metra.report.terminal import render_table
from metra.scoring.table import Cell, Table, make_table
from metra.stats.arrays import drop_nan

WORD_COLUMNS = ("tf", "df", "tf.idf", "S")


def build_stability_report(study: StabilityResult) -> MetaReport:
    """Lay out the overlaps, the mean salience of each set, and the polygons."""
    tables = [_build_overlap_table(study), _build_salience_table(study)]
    tables += [_build_polygon_table(study, weight) for weight in WEIGHTS]
    note = (
        f"{format_count(study.documents, 'document')}; the first translation is "
        f"{study.references[0]}, the second {study.references[1]}. Overlaps are means over "
        "documents of common n-grams over the mean of both sides; mean tf.idf and mean S are "
        "over the words of a set that have the score; shares are of all words of a set."
    )
    return MetaReport(tables, "", [note])


SET_NAMES = {
    "dh": "different high",
    "dl": "different low",
    "cl": "common low",
    "ch": "common high",
}


def build_match_report(sets: Sequence[MatchSets]) -> MetaReport:
    """Lay out how much of each set systems match, and where their matches fall."""
    builders = (_build_recall_table, _build_match_table)
    tables = [build(entry) for entry in sets for build in builders]
    first = sets[0]
    note = (
        f"{format_count(first.documents, 'document')}; n-grams of up to "
        f"{format_count(first.n, 'word')}, counted by document. High: {first.weight} of the "
        f"most salient word is above {first.threshold:g} in the reference's own list. "
        "Common: the other reference has it too; matches are assigned to common "
        "n-grams first."
    )
    return MetaReport(tables, "", [note])


def _build_recall_table(sets: MatchSets) -> Table:
    rows = [("n-grams", [Cell(sets.sizes[name], digits=0) for name in SETS])]
    for system in sets.systems:
        pairs = [(system.matches[name], sets.sizes[name]) for name in SETS]
        rows.append((system.system, [_build_share_cell(*pair) for pair in pairs]))
    caption = f"Recall of each set of {sets.reference}, compared with {sets.other}"
    about = {"caption": caption, "name": f"recall-{sets.reference}"}
    return make_table("system", [*SET_NAMES.values()], rows, **about)


def _build_match_table(sets: MatchSets) -> Table:
    rows = []
    for system in sets.systems:
        pairs = [(system.total, system.ngrams)]
        pairs += [(system.matches[name], system.total) for name in SETS]
        cells = [_build_share_cell(*pair) for pair in pairs]
        rows.append((system.system, [Cell(system.total, digits=0), *cells]))
    headings = ["matches", "of its n-grams", *SET_NAMES.values()]
    caption = f"Distribution of the matches with {sets.reference}"
    about = {"caption": caption, "name": f"matches-{sets.reference}"}
    return make_table("system", headings, rows, **about)


def _build_share_cell(part: int, whole: int) -> Cell:
    return _build_percent_cell(part / whole) if whole else Cell(MISSING)


def render_word_list(
    table: DelimitedTable, style: Style, *, by: str, document: str | None, top: int
) -> str:
    """Show the words of one document, or of every document, ranked by a weight."""
    headings = [name for name in WORD_COLUMNS if name in table.header]
    places = [table.header.index(name) for name in headings]
    word = table.header.index("word")
    blocks = []
    for name, rows in rank_words(table, by, document).items():
        cells = [
            (row[word], [_build_word_cell(row[place]) for place in places])
            for row in rows[:top]
        ]
        ranked = make_table("word", headings, cells, caption=name)
        blocks.append(render_table(ranked, style))
    return "\n\n".join(blocks)


def _build_overlap_table(study: StabilityResult) -> Table:
    rows = []
    for entry in study.overlaps:
        cells = [_build_percent_cell(share) for share in (entry.tokens, entry.types)]
        rows.append((format_count(entry.n, "word"), cells))
    headings = ("tokens in common", "types in common")
    about = {"caption": "Overlap", "name": "overlap"}
    return make_table("n-grams of up to", headings, rows, **about)


def _build_salience_table(study: StabilityResult) -> Table:
    rows = []
    for entry in study.sets:
        means = [Cell(drop_nan(entry.means[weight]), digits=4) for weight in WEIGHTS]
        without = _build_percent_cell(entry.polygons["S"].without)
        rows.append((entry.name, [Cell(entry.tokens, digits=0), *means, without]))
    headings = ("tokens", *(f"mean {weight}" for weight in WEIGHTS), "without S")
    about = {"caption": "Salience", "name": "salience"}
    return make_table("words", headings, rows, **about)


def _build_polygon_table(study: StabilityResult, weight: str) -> Table:
    polygons = [entry.polygons[weight] for entry in study.sets]
    rows = []
    if any(polygon.without for polygon in polygons):
        cells = [_build_percent_cell(polygon.without) for polygon in polygons]
        rows.append(("none", cells))
    bounds = polygons[0].bounds
    for at, (low, high) in enumerate(pairwise(bounds)):
        cells = [_build_percent_cell(polygon.shares[at]) for polygon in polygons]
        rows.append((f"{low:g} to {high:g}", cells))
    names = [entry.name for entry in study.sets]
    about = {"caption": f"Distribution of words by {weight}", "name": weight}
    return make_table(weight, names, rows, **about)


def _build_percent_cell(share: float) -> Cell:
    return Cell(100 * share, digits=1, suffix=" %")


def _build_word_cell(text: str) -> Cell:
    """Show two digits of what has a point, all else as it is, and a dash for nothing."""
    if not text:
        return Cell(MISSING)
    try:
        return Cell(float(text), digits=2) if "." in text or "e" in text else Cell(text)
    except ValueError:
        return Cell(text)
