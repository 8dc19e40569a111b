"""The most changed segments for the terminal and in Markdown, with their word diffs.

Profiles as a table, and what stands out in words.
What was found beyond the scores: sections below the tables, or keys in the JSON document.
Scores by bucket, as tables: one for each metric.
n-grams that changed, as tables: better first, then worse.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from metra import __version__
from metra.analysis.buckets import Bucket, Buckets, BucketScore
from metra.analysis.changes import SegmentChange, SystemChanges
from metra.analysis.findings import AnalysisOptions, AnalysisResults
from metra.analysis.ngrams import NgramChange, NgramChanges
from metra.analysis.profiles import Profile, Profiles, Trait, TraitValue
from metra.analysis.word_diff import OutputPiece, ReferencePiece
from metra.errors import OptionError, UnknownNameError, no_such
from metra.report import render, text_writers
from metra.report.json import SCHEMA
from metra.report.json import convert_results as results_data
from metra.report.layout import (
    ReportTable,
    Style,
    TableCell,
    convert_record,
    format_count,
    format_interval,
    format_score,
)
from metra.report.scores import format_signed
from metra.report.terminal import (
    BOLD,
    DIM,
    TONES,
    MarkedText,
    escape_controls,
    measure_width,
    merge_marks,
    render_table,
    style_text,
    wrap_marked_text,
    wrap_sentence,
)
from metra.report.text_writers import escape_markdown
from metra.scoring.results import Results

NARROWEST = 40
#: Lines that one text may take.
MOST_LINES = 12
SIGNS = (
    "[-only before-]  {+only after+}; in a reference: words that only one of them has."
)
CHANGES_NOTE = (
    f"{SIGNS} Red is a right word lost, green a right word won, yellow a word that no "
    "reference has."
)
YELLOW = "\x1b[33m"


def render_changes_terminal(changes: SystemChanges, style: Style) -> str:
    """Lay out the segments that improved, then those that worsened."""
    blocks = [
        f"{style_text(escape_controls(_format_title(changes)), BOLD, style)}\n"
        f"{_format_counts(changes)}"
    ]
    for name, found in (("better", changes.improved), ("worse", changes.worsened)):
        for rank, change in enumerate(found, 1):
            blocks.append("\n".join(_format_change(change, name, rank, style)))
    if not changes.improved and not changes.worsened:
        blocks.append("No segment to show.")
    else:
        note = wrap_sentence(CHANGES_NOTE if style.color else SIGNS, style)
        blocks.append(style_text(f"{note}\n{changes.signature}", DIM, style))
    return "\n\n".join(blocks)


def render_changes_markdown(changes: SystemChanges) -> str:
    """Write the segments as lists: what went is struck out, what came is bold."""
    blocks = [f"### {escape_markdown(_format_title(changes))}", _format_counts(changes)]
    for name, found in (("better", changes.improved), ("worse", changes.worsened)):
        for change in found:
            heading = (
                f"**Segment {change.number}**, {name}: {_format_scores(change, 2)}"
            )
            texts = [
                *(
                    [("source", escape_markdown(change.source))]
                    if change.source
                    else []
                ),
                ("before", _format_output_pieces(change.diff.before, "~~")),
                ("after", _format_output_pieces(change.diff.after, "**")),
                *(
                    (label, _format_reference_pieces(entry))
                    for label, entry in _list_references(change)
                    if entry is not None
                ),
            ]
            listed = "\n".join(f"- {label}: {text}" for label, text in texts)
            blocks.append(f"{heading}\n\n{listed}")
    return "\n\n".join(blocks)


def _format_title(changes: SystemChanges) -> str:
    how = "" if changes.order == "gain" else ", by the change of the corpus score"
    return (
        f"What changed from {changes.baseline} to {changes.system}, "
        f"segments by {changes.spec}{how}"
    )


def _format_counts(changes: SystemChanges) -> str:
    said = (
        f"{changes.improved_count:,} better, {changes.worsened_count:,} worse, "
        f"{changes.equal_count:,} equal"
    )
    if changes.short_count:
        said += (
            f"; {format_count(changes.short_count, 'segment')} of fewer than "
            f"{changes.min_words} reference words left out"
        )
    if changes.min_change:
        said += f"; changes of at least {changes.min_change:g} are shown"
    return said


def _format_change(
    change: SegmentChange, name: str, rank: int, style: Style
) -> list[str]:
    room = max(style.width or 100, NARROWEST)
    place = f"segment {change.number}"
    if change.document is not None:
        place += f", {escape_controls(change.document)}"
    head = f"{name} {rank}: {place}"
    tone = TONES["good" if name == "better" else "bad"]
    found = [f"{style_text(head, tone, style)}  {_format_scores(change, style.digits)}"]

    def add(label: str, stretches: Sequence[MarkedText]) -> None:
        label = f"  {label:<7} "
        found.extend(
            wrap_marked_text(merge_marks(stretches), label, room, MOST_LINES, style)
        )

    if change.source is not None:
        add("source", [MarkedText(change.source, False, color=DIM)])
    add(
        "before",
        [_mark_output_piece(piece, "[-", "-]", "bad") for piece in change.diff.before],
    )
    add(
        "after",
        [_mark_output_piece(piece, "{+", "+}", "good") for piece in change.diff.after],
    )
    for label, entry in _list_references(change):
        if entry is not None:
            add(label, [_mark_reference_piece(piece) for piece in entry])
    if not change.diff.exact:
        found.append(
            "  The texts are too long to compare word for word; more may agree."
        )
    return found


def _format_scores(change: SegmentChange, digits: int) -> str:
    return ", ".join(
        f"{spec} {format_score(entry.before, digits)} → {format_score(entry.after, digits)} "
        f"({format_signed(entry.after - entry.before, digits)})"
        for spec, entry in change.scores.items()
    )


def _list_references(
    change: SegmentChange,
) -> list[tuple[str, Sequence[ReferencePiece] | None]]:
    several = len(change.diff.references) > 1
    return [
        (f"ref {at}" if several else "ref", entry)
        for at, entry in enumerate(change.diff.references, 1)
    ]


def _mark_output_piece(
    piece: OutputPiece, opening: str, closing: str, tone: str
) -> MarkedText:
    """Mark the words that the other output does not have there."""
    space = bool(piece.space)
    if piece.kind == "kept":
        return MarkedText(piece.text, space)
    color = TONES[tone] if piece.in_reference else YELLOW
    return MarkedText(piece.text, space, opening, closing, color)


def _mark_reference_piece(piece: ReferencePiece) -> MarkedText:
    space = bool(piece.space)
    if piece.found_by == "before":
        return MarkedText(piece.text, space, "[-", "-]", TONES["bad"])
    if piece.found_by == "after":
        return MarkedText(piece.text, space, "{+", "+}", TONES["good"])
    return MarkedText(piece.text, space)


def _format_output_pieces(pieces: Sequence[OutputPiece], sign: str) -> str:
    return _join_pieces(
        (p.text, p.space, sign if p.kind != "kept" else "") for p in pieces
    )


def _format_reference_pieces(pieces: Sequence[ReferencePiece]) -> str:
    signs = {"before": "~~", "after": "**"}
    return _join_pieces((p.text, p.space, signs.get(p.found_by, "")) for p in pieces)


def _join_pieces(marked: Iterable[tuple[str, str, str]]) -> str:
    """Join pieces, neighbours with the same sign under one; white space becomes a blank."""
    text = ""
    for sign, group in groupby(marked, key=lambda piece: piece[2]):
        words = "".join(
            f"{escape_markdown(word)}{' ' if space else ''}" for word, space, _ in group
        )
        inner = words.rstrip(" ")
        text += f"{sign}{inner}{sign}{words[len(inner) :]}" if inner else ""
    return text


NOTHING = "·"
UNKNOWN = "–"


def render_profiles(
    profiles: Profiles, form: str, style: Style, show: str | None = None
) -> str:
    """Write profiles by themselves; `show` names a trait whose segments are to be listed."""
    if show is not None and show not in {trait.name for trait in profiles.traits}:
        names = [trait.name for trait in profiles.traits]
        raise UnknownNameError(no_such("trait", show, names))
    if form == "json":
        data = {
            "metra": __version__,
            "schema": SCHEMA,
            "profiles": convert_record(profiles),
        }
        return json.dumps(data, ensure_ascii=False, indent=1)
    if form == "markdown":
        return render_profiles_markdown(profiles)
    meanings = "\n".join(
        style_text(wrap_sentence(line, style), DIM, style)
        for line in _explain_traits(profiles)
    )
    text = f"{render_profiles_terminal(profiles, style)}\n\n{meanings}"
    if show is None:
        return text
    listed = [
        f"{escape_controls(profile.system)}: {list_trait_segments(profile, show) or 'none'}"
        for profile in profiles.profiles
    ]
    return "\n".join([text, "", f"Segments that show {show}:", *listed])


def build_profile_table(profiles: Profiles) -> ReportTable:
    """Lay out systems and traits; the references come last, where they have the trait."""
    rows = [
        (
            profile.system,
            [
                _build_trait_cell(profile.traits[trait.name], trait)
                for trait in profiles.traits
            ],
        )
        for profile in profiles.profiles
    ]
    references = [
        _build_trait_cell(
            TraitValue(value=profiles.references.get(trait.name)), trait, blank=""
        )
        for trait in profiles.traits
    ]
    headings = [_format_heading(trait) for trait in profiles.traits]
    return ReportTable("system", headings, [*rows, ("(references)", references)])


def render_profiles_terminal(profiles: Profiles, style: Style) -> str:
    """Lay out the table and the readings."""
    names = [escape_controls(profile.system) for profile in profiles.profiles]
    left = max(map(measure_width, names))
    readings = [
        f"{style_text(name, BOLD, style)}{' ' * (left - measure_width(name))}  "
        f"{profile.reading}"
        for name, profile in zip(names, profiles.profiles, strict=True)
    ]
    below = style_text(_describe_corpus(profiles), DIM, style)
    return "\n\n".join(
        [render_table(build_profile_table(profiles), style), "\n".join(readings), below]
    )


def render_profiles_markdown(profiles: Profiles) -> str:
    """Write the table, the readings, and what the columns mean."""
    readings = [
        f"- **{text_writers.escape_markdown(profile.system)}**: {profile.reading}"
        for profile in profiles.profiles
    ]
    meanings = "\n".join(f"- {line}" for line in _explain_traits(profiles))
    below = text_writers.escape_markdown(_describe_corpus(profiles))
    table = text_writers.render_markdown_table(build_profile_table(profiles))
    return "\n\n".join([table, "\n".join(readings), meanings, below])


def list_trait_segments(profile: Profile, trait: str, most: int = 50) -> str:
    """Name the first segments that show a trait.

    Nothing where it is not a matter of segments, or where none shows it.
    """
    found = profile.traits[trait].segments
    more = ", …" if len(found) > most else ""
    return ", ".join(map(str, found[:most])) + more


def _format_heading(trait: Trait) -> str:
    return trait.title if trait.unit == "ratio" else f"{trait.title} %"


def _build_trait_cell(
    found: TraitValue, trait: Trait, blank: str = UNKNOWN
) -> TableCell:
    if found.value is None:
        return TableCell(blank)
    digits = 2 if trait.unit == "ratio" else 1
    if found.value == 0:
        return TableCell(NOTHING)
    interval = ""
    if found.interval is not None:
        low, high = found.interval
        interval = f"[{low:.{digits}f}, {high:.{digits}f}]"
    return TableCell(f"{found.value:.{digits}f}", interval)


def _describe_corpus(profiles: Profiles) -> str:
    words = format_count(round(profiles.reference_words), "word")
    segments = format_count(profiles.segments, "segment")
    return f"{segments}; references of {words}; {profiles.preparation}"


def _explain_traits(profiles: Profiles) -> list[str]:
    signs = f"{NOTHING} none   {UNKNOWN} cannot be told without the source"
    return [*(f"{trait.title}: {trait.meaning}" for trait in profiles.traits), signs]


#: The formats that have room for texts.
FORMS = ("table", "json", "markdown")


def render_with_findings(
    results: Results, found: AnalysisResults, form: str, style: Style
) -> str:
    """Write the results as `render` does, and what was found after them."""
    if not any((found.changes, found.ngrams, found.buckets, found.profiles)):
        return render(results, form, style)
    if form == "json":
        data = results_data(results) | convert_findings(found)
        return json.dumps(data, ensure_ascii=False, indent=1)
    sections = (
        render_findings_markdown(found, style)
        if form == "markdown"
        else render_findings_terminal(found, style)
    )
    return "\n\n".join([render(results, form, style), *sections])


def check_format(form: str, wishes: AnalysisOptions) -> None:
    """Refuse, before the work begins, a format that cannot show what is wished for."""
    if form not in FORMS and wishes.any:
        msg = (
            f"The format {form} has no room for changes, n-grams, buckets and profiles; "
            f"expected {', '.join(FORMS)}."
        )
        raise OptionError(msg)


def convert_findings(found: AnalysisResults) -> dict[str, Any]:
    """Give what was found as plain dicts and lists, by key of the JSON document."""
    data = convert_record(found)
    return {key: value for key, value in data.items() if value}


def render_findings_terminal(found: AnalysisResults, style: Style) -> Iterator[str]:
    """Lay out every section for a terminal."""
    # What is not shown is not loaded either: these bring all of insight along.

    for entry in found.changes:
        yield render_changes_terminal(entry, style)
    for sheets, note in _build_tables(found, style):
        for sheet in sheets:
            yield render_table(sheet, style)
        yield style_text(
            "\n".join(wrap_sentence(line, style) for line in note), DIM, style
        )
    if found.profiles is not None:
        yield render_profiles_terminal(found.profiles, style)


def render_findings_markdown(found: AnalysisResults, style: Style) -> Iterator[str]:
    """Write every section in Markdown."""

    for entry in found.changes:
        yield render_changes_markdown(entry)
    for sheets, note in _build_tables(found, style):
        for sheet in sheets:
            yield text_writers.render_markdown_table(sheet)
        yield "\n".join(map(text_writers.escape_markdown, note))
    if found.profiles is not None:
        yield render_profiles_markdown(found.profiles)


def _build_tables(
    found: AnalysisResults, style: Style
) -> Iterator[tuple[list[ReportTable], list[str]]]:
    """Lay out what is tables in every format, each with what explains it."""

    for entry in found.ngrams:
        sheets = build_ngram_tables(entry)
        if sheets:
            yield sheets, [NGRAMS_NOTE, entry.preparation]
        else:
            yield [], [f"No n-gram changed from {entry.baseline} to {entry.system}."]
    for parted in found.buckets:
        yield build_bucket_tables(parted, style), [explain_buckets(parted)]


BUCKETS_NOTE = (
    "▲ better, ▼ worse than {baseline} by a bootstrap of the bucket's segments; hollow △ ▽: it "
    "may be chance; ?: {small}, which say little. No correction for the number of buckets."
)


CORNERS = {"length": "words", "source-length": "words", "frequency": "frequency"}
CORNERS |= {"score": "score"}


def build_bucket_tables(buckets: Buckets, style: Style) -> list[ReportTable]:
    """Lay out the buckets of every metric."""
    return [_build_bucket_table(buckets, spec, style) for spec in buckets.directions]


def explain_buckets(buckets: Buckets) -> str:
    """Explain the signs."""
    from metra.analysis.buckets import SMALL

    small = f"fewer than {SMALL} {buckets.unit}"
    if buckets.baseline is None:
        return f"?: {small}, which say little."
    return BUCKETS_NOTE.format(baseline=buckets.baseline, small=small)


def _build_bucket_table(buckets: Buckets, spec: str, style: Style) -> ReportTable:
    arrow = "↑" if buckets.directions[spec] else "↓"
    others = [name for name in buckets.systems if name != buckets.baseline]
    # Two systems leave room for the interval of their difference.
    pair = buckets.baseline is not None and len(others) == 1
    headings = [buckets.unit, *buckets.systems]
    if pair:
        headings += ["difference", "95% interval"]
    rows = []
    for bucket in buckets.buckets:
        scores = [bucket.scores[name][spec] for name in buckets.systems]
        cells = [TableCell(f"{bucket.count}{_format_size_warning(bucket)}")]
        if pair:
            cells += [
                TableCell(format_score(entry.score, style.digits)) for entry in scores
            ]
            cells += _build_difference_cells(
                bucket.scores[others[0]][spec], buckets, spec, style
            )
        else:
            cells += [
                _build_score_cell(entry, buckets, spec, style) for entry in scores
            ]
        rows.append((bucket.label, cells))
    corner = CORNERS.get(buckets.kind, buckets.title)
    return ReportTable(corner, headings, rows, f"{spec} {arrow} by {buckets.title}")


def _format_size_warning(bucket: Bucket) -> str:
    return "?" if bucket.small else " "


def _build_score_cell(
    found: BucketScore, buckets: Buckets, spec: str, style: Style
) -> TableCell:
    text = format_score(found.score, style.digits)
    if buckets.baseline is None:
        return TableCell(text, format_interval(found.interval, style.digits))
    if found.difference is None:
        return TableCell(f"{text}  ")
    mark, tone = _mark_difference(found, buckets.directions[spec])
    return TableCell(f"{text} {mark}", "", False, tone)


def _build_difference_cells(
    found: BucketScore, buckets: Buckets, spec: str, style: Style
) -> list[TableCell]:
    mark, tone = _mark_difference(found, buckets.directions[spec])
    difference = format_signed(found.difference or 0.0, style.digits)
    return [
        TableCell(f"{mark} {difference}", "", False, tone),
        TableCell(
            "", format_interval(found.difference_interval, style.digits, format_signed)
        ),
    ]


def _mark_difference(found: BucketScore, higher_is_better: bool) -> tuple[str, str]:
    """Give the sign of a difference, and the tone of one that is beyond doubt."""
    difference = found.difference or 0.0
    if difference == 0:
        return "=", ""
    ends = found.difference_interval
    sure = ends is not None and (ends[0] > 0 or ends[1] < 0)
    if (difference > 0) == higher_is_better:
        return ("▲", "good") if sure else ("△", "")
    return ("▼", "bad") if sure else ("▽", "")


TITLES = {
    "gained": "n-grams of the references that {system} has more often: better",
    "mended": "n-grams beyond those of the references that {system} has less often: better",
    "lost": "n-grams of the references that {system} has less often: worse",
    "broken": "n-grams beyond those of the references that {system} has more often: worse",
}
NGRAMS_NOTE = (
    "Counts of both systems and of the references; in how many segments they rose and fell; "
    "weight = (rose − fell) / √(rose + fell + 1), which sorts. (+3): three n-grams inside, "
    "around or beside it tell of the same change."
)


def build_ngram_tables(changes: NgramChanges) -> list[ReportTable]:
    """Lay out each list that has something in it."""
    found = []
    for name, title in TITLES.items():
        entries: Sequence[NgramChange] = getattr(changes, name)
        if entries:
            what = "matched" if name in ("gained", "lost") else "wrong"
            rows = [
                (_format_ngram(entry), _build_ngram_cells(entry, what))
                for entry in entries
            ]
            headings = [changes.baseline, changes.system, "references"]
            headings += ["rose", "fell", "weight", "segments"]
            found.append(
                ReportTable(name, headings, rows, title.format(system=changes.system))
            )
    return found


def _format_ngram(entry: NgramChange) -> str:
    more = f"  (+{entry.stands_for})" if entry.stands_for else ""
    return " ".join(entry.words) + more


def _build_ngram_cells(entry: NgramChange, what: str) -> list[TableCell]:
    changed = entry.rose + entry.fell
    places = ", ".join(map(str, entry.segments[:3]))
    return [
        TableCell(str(getattr(entry, f"{what}_before"))),
        TableCell(str(getattr(entry, f"{what}_after"))),
        TableCell(str(entry.reference)),
        TableCell(str(entry.rose)),
        TableCell(str(entry.fell)),
        TableCell(format_signed(entry.weight, 2)),
        TableCell(places + (", …" if changed > 3 else "")),
    ]
