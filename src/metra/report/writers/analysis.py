"""Analyses beyond the scores: changed segments in words; buckets, n-grams and profiles.

Also outputs segmented like their references, with their unsure segments; retrieval runs.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Literal

from metra.analysis.buckets import Buckets, BucketScore
from metra.analysis.changes import SegmentChange, SystemChanges
from metra.analysis.ngrams import NgramChange, NgramChanges
from metra.analysis.profiles import Profiles, Trait
from metra.analysis.retrieval import RetrievalResult
from metra.analysis.segmentation import SegmentationSettings, SegmentedOutput
from metra.errors import OptionError, UnknownNameError, format_count, no_such
from metra.meta.findings import MetaReport
from metra.report import terminal
from metra.report.table import Style, format_score, format_signed
from metra.report.writers.headings import build_metric_columns, format_signature
from metra.report.writers.results import render, render_terminal
from metra.scoring.json import convert_record, convert_results, render_json
from metra.scoring.results import Results
from metra.scoring.table import Cell, Column, Table, make_table
from metra.stats.direction import find_direction

NARROWEST = 40
#: Sentences are not set in longer lines than this, however wide the screen is.
WIDEST = 96
#: Lines that one text may take.
MOST_LINES = 12
#: What only one side has: the signs before and after it, and its colour if it is right.
MARKS = {
    "before": ("[-", "-]", terminal.TONES["bad"]),
    "after": ("{+", "+}", terminal.TONES["good"]),
}
SIGNS = "[-only before-]  {+only after+}"
CHANGES_NOTE = (
    f"{SIGNS}. Red: correct word lost; green: correct word gained; yellow: in no "
    "reference."
)


def map_metric_columns(results: Results) -> dict[str, Column]:
    """Return the heading and the digits of each metric."""
    return dict(zip(results.specs, build_metric_columns(results), strict=True))


def _render_changes_terminal(
    changes: SystemChanges, columns: Mapping[str, Column], style: Style
) -> str:
    """Lay out the segments that improved, then those that worsened."""
    title = (
        f"What changed from {changes.baseline} to {changes.system}, "
        f"segments by {columns[changes.spec].heading}"
    )
    title = terminal.style_text(terminal.escape_controls(title), terminal.BOLD, style)
    counts = (
        f"{changes.improved_count:,} better, {changes.worsened_count:,} worse, "
        f"{changes.equal_count:,} equal"
    )
    if changes.short_count:
        excluded = format_count(changes.short_count, "segment")
        counts += f"; {excluded} of fewer than {changes.min_words} words excluded"
    blocks = [f"{title}\n{counts}"]
    for name, listed in (("better", changes.improved), ("worse", changes.worsened)):
        for rank, change in enumerate(listed, 1):
            lines = format_change(change, f"{name} {rank}", columns, style)
            blocks.append("\n".join(lines))
    if len(blocks) == 1:
        return f"{blocks[0]}\n\nNo segment to show."
    explained = CHANGES_NOTE if style.color else SIGNS
    note = "\n".join(wrap(explained, min(style.width or WIDEST, WIDEST)))
    note = f"{note}\n{format_signature(changes.signature, style.signature)}"
    return "\n\n".join([*blocks, terminal.style_text(note, terminal.DIM, style)])


def format_change(
    change: SegmentChange, name: str, columns: Mapping[str, Column], style: Style
) -> Iterator[str]:
    """Format a segment's scores and texts before and after, with the words that changed."""
    head = f"{name}: segment {change.number}"
    if change.document is not None:
        head += f", {terminal.escape_controls(change.document)}"
    tone = terminal.TONES["good" if name.startswith("better") else "bad"]
    scores = _format_scores(change, columns, style.digits)
    yield f"{terminal.style_text(head, tone, style)}  {scores}"
    texts = _list_texts(change)
    if change.source is not None:
        source = terminal.MarkedText(change.source, False, color=terminal.DIM)
        texts.insert(0, ("source", [source]))
    for label, pieces in texts:
        yield from _wrap_text(pieces, f"  {label:<7} ", style)
    if not change.diff.exact:
        yield "  The texts are too long for an exact word diff; more words may agree."


def format_outputs(
    change: SegmentChange, names: tuple[str, str], style: Style
) -> Iterator[str]:
    """Format both outputs of a segment, each after its name, with the words that changed."""
    width = max(map(len, names))
    for name, (_, pieces) in zip(names, _list_texts(change)[:2], strict=True):
        yield from _wrap_text(pieces, f"  {name:<{width}}  ", style)


def _wrap_text(
    pieces: Sequence[terminal.MarkedText], label: str, style: Style
) -> list[str]:
    room = max(style.width or 100, NARROWEST)
    return terminal.wrap_marked_text(pieces, label, room, MOST_LINES, style)


def _format_scores(
    change: SegmentChange, columns: Mapping[str, Column], digits: int
) -> str:
    shown = []
    for spec, entry in change.scores.items():
        places = digits + columns[spec].more_digits
        before, after = (format_score(x, places) for x in (entry.before, entry.after))
        difference = format_signed(entry.after - entry.before, places)
        shown.append(f"{columns[spec].heading} {before} → {after} ({difference})")
    return ", ".join(shown)


def _list_texts(change: SegmentChange) -> list[tuple[str, list[terminal.MarkedText]]]:
    """List outputs and references by label, with marks on words of only one output."""
    mark = terminal.MarkedText
    texts = []
    for label, output in (("before", change.diff.before), ("after", change.diff.after)):
        opening, closing, tone = MARKS[label]
        pieces = []
        for piece in output:
            color = tone if piece.in_reference else terminal.YELLOW
            signs = (opening, closing, color) if piece.kind != "kept" else ()
            pieces.append(mark(piece.text, bool(piece.space), *signs))
        texts.append((label, pieces))
    several = len(change.references) > 1
    for number, reference in enumerate(change.references, 1):
        if reference is not None:
            label = f"ref {number}" if several else "ref"
            texts.append((label, [mark(reference, False)]))
    return texts


CORNERS = {"length": "words", "frequency": "frequency"}
#: The lists of n-gram changes: what the counts are of, how they changed, what that is.
NGRAM_LISTS = {
    "gained": ("matched", "more", "better"),
    "mended": ("wrong", "less", "better"),
    "lost": ("matched", "less", "worse"),
    "broken": ("wrong", "more", "worse"),
}
NGRAMS_NOTE = (
    "Counts in both systems and in the references; number of segments in which they "
    "rose and fell; sorted by weight = (rose − fell) / √(rose + fell + 1). (+3): "
    "three overlapping n-grams show the same change."
)


def render_with_changes(
    results: Results, changes: Sequence[SystemChanges], form: str, style: Style
) -> str:
    """Write the results as `render` does, and the most changed segments after them."""
    if not changes:
        return render(results, form, style)
    if form == "json":
        listed = {"changes": convert_record(changes)}
        return render_json(convert_results(results) | listed)
    columns = map_metric_columns(results)
    blocks = [_render_changes_terminal(entry, columns, style) for entry in changes]
    return "\n\n".join([render_terminal(results, style), *blocks])


def check_format(form: str) -> None:
    """Refuse, before the work begins, a format that cannot show changes."""
    if form not in ("table", "json"):
        msg = f"The format {form} does not support changes; expected table, json."
        raise OptionError(msg)


def build_bucket_table(
    buckets: Buckets, spec: str, metrics: Mapping[str, Column]
) -> Table:
    """Lay out every system's scores by one metric in each bucket."""
    others = [name for name in buckets.systems if name != buckets.baseline]
    # Two systems leave room for the interval of their difference.
    pair = len(others) == 1
    headings = [buckets.unit, *buckets.systems]
    if pair:
        headings += ["difference", "95% interval"]
    up = buckets.directions[spec]
    rows = []
    for bucket in buckets.buckets:
        scores = [bucket.scores[name][spec] for name in buckets.systems]
        cells = [Cell(f"{bucket.count}{'?' if bucket.small else ' '}")]
        if pair:
            rival = bucket.scores[others[0]][spec]
            mark, tone = _mark_difference(rival, up)
            difference = rival.difference or 0.0
            cells += [Cell(entry.score) for entry in scores]
            cells.append(Cell(difference, signed=True, prefix=f"{mark} ", tone=tone))
            cells.append(Cell("", rival.difference_interval, signed=True))
        else:
            for entry in scores:
                mark, tone = _mark_difference(entry, up)
                cells.append(Cell(entry.score, suffix=f" {mark}", tone=tone))
        rows.append((bucket.label, cells))
    corner = CORNERS.get(buckets.kind, buckets.title)
    direction = None if up is None else find_direction(up)
    metric = metrics.get(spec, Column(spec))._replace(direction=direction)
    more = metric.more_digits
    columns = [Column(heading, more_digits=more) for heading in headings]
    caption, name = f"{metric.title} by {buckets.title}", f"{buckets.title}-{spec}"
    return make_table(corner, columns, rows, caption=caption, name=name)


def _mark_difference(
    score: BucketScore, higher_is_better: bool | None
) -> tuple[str, Literal["", "good", "bad"]]:
    """Return the sign of a difference, and its tone if it is significant."""
    if score.difference is None or higher_is_better is None:
        return " ", ""
    if score.difference == 0:
        return "=", ""
    ends = score.difference_interval
    significant = ends is not None and (ends[0] > 0 or ends[1] < 0)
    if (score.difference > 0) == higher_is_better:
        return ("▲", "good") if significant else ("△", "")
    return ("▼", "bad") if significant else ("▽", "")


def build_ngram_tables(changes: NgramChanges) -> list[Table]:
    """Lay out each list that has something in it: better first, then worse."""
    headings = [changes.baseline, changes.system, "references"]
    headings += ["rose", "fell", "weight", "segments"]
    tables = []
    for name, (what, how, verdict) in NGRAM_LISTS.items():
        rows = [
            (
                f"{' '.join(entry.words)}"
                f"{f'  (+{entry.stands_for})' if entry.stands_for else ''}",
                _build_ngram_cells(entry, what),
            )
            for entry in getattr(changes, name)
        ]
        kind = "Reference n-grams" if what == "matched" else "N-grams in no reference"
        caption = f"{kind} that {changes.system} has {how} often"
        if rows:
            caption = f"{caption} ({verdict})"
            label = f"{name}-{changes.system}"
            tables.append(make_table(name, headings, rows, caption=caption, name=label))
    return tables


def _build_ngram_cells(entry: NgramChange, what: str) -> list[Cell]:
    before, after = getattr(entry, f"{what}_before"), getattr(entry, f"{what}_after")
    more = ", …" if entry.rose + entry.fell > 3 else ""
    counts = before, after, entry.reference, entry.rose, entry.fell
    segments = ", ".join(map(str, entry.segments[:3])) + more
    return [
        Cell(str(text)) for text in (*counts, format_signed(entry.weight, 2), segments)
    ]


NOTHING = "·"
UNKNOWN = "–"
#: Segments with a trait that are listed.
MOST_SEGMENTS = 50


def build_profile_report(profiles: Profiles, show: str | None = None) -> MetaReport:
    """Lay out the profiles and readings; `show` names a trait whose segments are listed."""
    names = [trait.name for trait in profiles.traits]
    if show is not None and show not in names:
        raise UnknownNameError(no_such("trait", show, names))
    notes = [f"{profile.system}: {profile.reading}" for profile in profiles.profiles]
    for profile in profiles.profiles if show else ():
        segments = profile.traits[show or ""].segments
        numbers = ", ".join(map(str, segments[:MOST_SEGMENTS])) or "none"
        more = ", …" if len(segments) > MOST_SEGMENTS else ""
        notes.append(f"segments of {profile.system} that show {show}: {numbers}{more}")
    notes += [f"{trait.title}: {trait.meaning}" for trait in profiles.traits]
    has_references = profiles.reference_words > 0
    missing = "the source" if has_references else "references or the source"
    notes.append(f"{NOTHING} none   {UNKNOWN} unknown without {missing}")
    words = format_count(round(profiles.reference_words), "word")
    references = f"references of {words}" if has_references else "no references"
    notes.append(f"{format_count(profiles.segments, 'segment')}; {references}")
    data = {"profiles": convert_record(profiles)}
    table = build_profile_table(profiles)
    return MetaReport([table], profiles.preparation, notes, data)


def build_profile_table(profiles: Profiles) -> Table:
    """Lay out systems and traits."""
    traits = profiles.traits
    rows = [
        (
            profile.system,
            [_build_trait_cell(profile.traits[t.name].value, t) for t in traits],
        )
        for profile in profiles.profiles
    ]
    headings = [t.title if t.unit == "ratio" else f"{t.title} %" for t in traits]
    return make_table("system", headings, rows, name="profiles")


def _build_trait_cell(value: float | None, trait: Trait) -> Cell:
    if not value:
        return Cell(UNKNOWN if value is None else NOTHING)
    return Cell(value, digits=2 if trait.unit == "ratio" else 1)


LISTED = 10
_WIDTH = 44

_KINDS = {
    "align": ("one", "joined", "divided", "omitted"),
    "resegment": ("cut", "empty"),
}


def build_segmentation_report(
    outputs: Sequence[SegmentedOutput], settings: SegmentationSettings
) -> MetaReport:
    """Lay out the numbers of each system, then its least sure segments."""
    kinds = _KINDS[settings.method]
    is_aligned = settings.method == "align"
    rows = []
    for output in outputs:
        counts = Counter(record.kind for record in output.segments)
        numbers = [counts[kind] for kind in kinds]
        edits = sum(record.edits or 0 for record in output.segments)
        numbers.append(output.added if is_aligned else edits)
        numbers.append(len(output.unsure))
        rows.append((output.system, [Cell(output.confidence), *map(Cell, numbers)]))
    counted = (*kinds, "added" if is_aligned else "edits", "unsure")
    heads = [Column("confidence"), *(Column(name, digits=0) for name in counted)]
    tables = [make_table("system", heads, rows, name="systems")]
    tables += [_list_unsure(output) for output in outputs if output.unsure]
    note = format_count(len(outputs[0].segments) if outputs else 0, "segment")
    documents = max((output.documents for output in outputs), default=0)
    if documents:
        note += f", {format_count(documents, 'document')}, each aligned separately"
    segments = {o.system: [each._asdict() for each in o.segments] for o in outputs}
    signature = settings.format_signature()
    return MetaReport(tables, signature, [note], {"segments": segments})


def _list_unsure(output: SegmentedOutput) -> Table:
    unsure = output.unsure
    rows = []
    for record in unsure[:LISTED]:
        texts = (
            terminal.shorten_text(text, _WIDTH)
            for text in (record.output, record.reference)
        )
        cells = Cell(record.confidence), Cell(record.reason), *map(Cell, texts)
        rows.append((str(record.number), [*cells]))
    caption = f"{output.system}: {len(unsure)} unsure"
    if len(unsure) > LISTED:
        caption += f", the first {LISTED}"
    names = ("why", "output", "reference")
    heads = [Column("confidence"), *(Column(name, "left") for name in names)]
    about = {"caption": caption, "name": f"unsure-{output.system}"}
    return make_table("segment", heads, rows, **about)


def build_retrieval_report(result: RetrievalResult) -> MetaReport:
    """Lay out the runs, first that of the reference, with which the others are compared."""
    reference = result.runs[0]
    rows = []
    for run in result.runs:
        share = 100 * run.map / reference.map if reference.map else None
        figures = (
            Cell(run.map, run.map_interval),
            Cell(run.mean_ndcg, run.ndcg_interval),
        )
        rows.append((run.name, [*figures, Cell(share, digits=1)]))
    heads = ["MAP", "nDCG", "% of reference"]
    table = make_table("run", heads, rows, name="runs")
    queries = len(reference.average_precision)
    notes = [f"{queries} queries, {result.documents} documents; 95 % intervals"]
    if result.left_out:
        listed = ", ".join(result.left_out)
        notes.append(f"excluded, because no document is relevant: {listed}")
    by_query = {
        run.name: {
            query: {
                "average_precision": run.average_precision[query],
                "ndcg": run.ndcg[query],
                "ranked": list(run.ranked[query]),
            }
            for query in run.average_precision
        }
        for run in result.runs
    }
    return MetaReport([table], result.signature, notes, {"queries": by_query})
