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
from metra.analysis.changes import Change, Changes
from metra.analysis.findings import Findings, Wishes
from metra.analysis.ngrams import NgramChange, NgramChanges
from metra.analysis.profiles import Profile, Profiles, Trait, TraitValue
from metra.analysis.word_diff import Piece, ReferencePiece
from metra.errors import OptionError, UnknownNameError, no_such
from metra.report import render, text_writers
from metra.report.json import SCHEMA
from metra.report.json import as_data as results_data
from metra.report.layout import Cell, Sheet, Style, as_data, counted, interval, number
from metra.report.scores import signed
from metra.report.terminal import (
    BOLD,
    DIM,
    TONES,
    Stretch,
    block,
    fitted,
    lines,
    merged,
    printable,
    styled,
    width,
)
from metra.report.text_writers import escaped
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


def render_changes_terminal(changes: Changes, style: Style) -> str:
    """Lay out the segments that improved, then those that worsened."""
    blocks = [f"{styled(printable(_title(changes)), BOLD, style)}\n{_counts(changes)}"]
    for name, found in (("better", changes.improved), ("worse", changes.worsened)):
        for rank, change in enumerate(found, 1):
            blocks.append("\n".join(_block(change, name, rank, style)))
    if not changes.improved and not changes.worsened:
        blocks.append("No segment to show.")
    else:
        note = fitted(CHANGES_NOTE if style.color else SIGNS, style)
        blocks.append(styled(f"{note}\n{changes.signature}", DIM, style))
    return "\n\n".join(blocks)


def render_changes_markdown(changes: Changes) -> str:
    """Write the segments as lists: what went is struck out, what came is bold."""
    blocks = [f"### {escaped(_title(changes))}", _counts(changes)]
    for name, found in (("better", changes.improved), ("worse", changes.worsened)):
        for change in found:
            heading = f"**Segment {change.number}**, {name}: {_scores(change, 2)}"
            texts = [
                *([("source", escaped(change.source))] if change.source else []),
                ("before", _struck(change.diff.before, "~~")),
                ("after", _struck(change.diff.after, "**")),
                *(
                    (label, _reference(entry))
                    for label, entry in _references(change)
                    if entry is not None
                ),
            ]
            listed = "\n".join(f"- {label}: {text}" for label, text in texts)
            blocks.append(f"{heading}\n\n{listed}")
    return "\n\n".join(blocks)


def _title(changes: Changes) -> str:
    how = "" if changes.order == "gain" else ", by the change of the corpus score"
    return (
        f"What changed from {changes.baseline} to {changes.system}, "
        f"segments by {changes.spec}{how}"
    )


def _counts(changes: Changes) -> str:
    said = (
        f"{changes.improved_count:,} better, {changes.worsened_count:,} worse, "
        f"{changes.equal_count:,} equal"
    )
    if changes.short_count:
        said += (
            f"; {counted(changes.short_count, 'segment')} of fewer than "
            f"{changes.min_words} reference words left out"
        )
    if changes.min_change:
        said += f"; changes of at least {changes.min_change:g} are shown"
    return said


def _block(change: Change, name: str, rank: int, style: Style) -> list[str]:
    room = max(style.width or 100, NARROWEST)
    place = f"segment {change.number}"
    if change.document is not None:
        place += f", {printable(change.document)}"
    head = f"{name} {rank}: {place}"
    tone = TONES["good" if name == "better" else "bad"]
    found = [f"{styled(head, tone, style)}  {_scores(change, style.digits)}"]

    def add(label: str, stretches: Sequence[Stretch]) -> None:
        label = f"  {label:<7} "
        found.extend(lines(merged(stretches), label, room, MOST_LINES, style))

    if change.source is not None:
        add("source", [Stretch(change.source, False, color=DIM)])
    add("before", [_only(piece, "[-", "-]", "bad") for piece in change.diff.before])
    add("after", [_only(piece, "{+", "+}", "good") for piece in change.diff.after])
    for label, entry in _references(change):
        if entry is not None:
            add(label, [_of_reference(piece) for piece in entry])
    if not change.diff.exact:
        found.append(
            "  The texts are too long to compare word for word; more may agree."
        )
    return found


def _scores(change: Change, digits: int) -> str:
    return ", ".join(
        f"{spec} {number(entry.before, digits)} → {number(entry.after, digits)} "
        f"({signed(entry.after - entry.before, digits)})"
        for spec, entry in change.scores.items()
    )


def _references(
    change: Change,
) -> list[tuple[str, Sequence[ReferencePiece] | None]]:
    several = len(change.diff.references) > 1
    return [
        (f"ref {at}" if several else "ref", entry)
        for at, entry in enumerate(change.diff.references, 1)
    ]


def _only(piece: Piece, opening: str, closing: str, tone: str) -> Stretch:
    """Mark the words that the other output does not have there."""
    space = bool(piece.space)
    if piece.kind == "kept":
        return Stretch(piece.text, space)
    color = TONES[tone] if piece.in_reference else YELLOW
    return Stretch(piece.text, space, opening, closing, color)


def _of_reference(piece: ReferencePiece) -> Stretch:
    space = bool(piece.space)
    if piece.found_by == "before":
        return Stretch(piece.text, space, "[-", "-]", TONES["bad"])
    if piece.found_by == "after":
        return Stretch(piece.text, space, "{+", "+}", TONES["good"])
    return Stretch(piece.text, space)


def _struck(pieces: Sequence[Piece], sign: str) -> str:
    return _joined((p.text, p.space, sign if p.kind != "kept" else "") for p in pieces)


def _reference(pieces: Sequence[ReferencePiece]) -> str:
    signs = {"before": "~~", "after": "**"}
    return _joined((p.text, p.space, signs.get(p.found_by, "")) for p in pieces)


def _joined(marked: Iterable[tuple[str, str, str]]) -> str:
    """Join pieces, neighbours with the same sign under one; white space becomes a blank."""
    text = ""
    for sign, group in groupby(marked, key=lambda piece: piece[2]):
        words = "".join(
            f"{escaped(word)}{' ' if space else ''}" for word, space, _ in group
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
        data = {"metra": __version__, "schema": SCHEMA, "profiles": as_data(profiles)}
        return json.dumps(data, ensure_ascii=False, indent=1)
    if form == "markdown":
        return render_profiles_markdown(profiles)
    meanings = "\n".join(
        styled(fitted(line, style), DIM, style) for line in _meanings(profiles)
    )
    text = f"{render_profiles_terminal(profiles, style)}\n\n{meanings}"
    if show is None:
        return text
    listed = [
        f"{printable(profile.system)}: {flagged(profile, show) or 'none'}"
        for profile in profiles.profiles
    ]
    return "\n".join([text, "", f"Segments that show {show}:", *listed])


def sheet(profiles: Profiles) -> Sheet:
    """Lay out systems and traits; the references come last, where they have the trait."""
    rows = [
        (
            profile.system,
            [_cell(profile.traits[trait.name], trait) for trait in profiles.traits],
        )
        for profile in profiles.profiles
    ]
    references = [
        _cell(TraitValue(value=profiles.references.get(trait.name)), trait, blank="")
        for trait in profiles.traits
    ]
    headings = [_heading(trait) for trait in profiles.traits]
    return Sheet("system", headings, [*rows, ("(references)", references)])


def render_profiles_terminal(profiles: Profiles, style: Style) -> str:
    """Lay out the table and the readings."""
    names = [printable(profile.system) for profile in profiles.profiles]
    left = max(map(width, names))
    readings = [
        f"{styled(name, BOLD, style)}{' ' * (left - width(name))}  {profile.reading}"
        for name, profile in zip(names, profiles.profiles, strict=True)
    ]
    below = styled(_shape(profiles), DIM, style)
    return "\n\n".join([block(sheet(profiles), style), "\n".join(readings), below])


def render_profiles_markdown(profiles: Profiles) -> str:
    """Write the table, the readings, and what the columns mean."""
    readings = [
        f"- **{text_writers.escaped(profile.system)}**: {profile.reading}"
        for profile in profiles.profiles
    ]
    meanings = "\n".join(f"- {line}" for line in _meanings(profiles))
    below = text_writers.escaped(_shape(profiles))
    table = text_writers.markdown_block(sheet(profiles))
    return "\n\n".join([table, "\n".join(readings), meanings, below])


def flagged(profile: Profile, trait: str, most: int = 50) -> str:
    """Name the first segments that show a trait.

    Nothing where it is not a matter of segments, or where none shows it.
    """
    found = profile.traits[trait].segments
    more = ", …" if len(found) > most else ""
    return ", ".join(map(str, found[:most])) + more


def _heading(trait: Trait) -> str:
    return trait.title if trait.unit == "ratio" else f"{trait.title} %"


def _cell(found: TraitValue, trait: Trait, blank: str = UNKNOWN) -> Cell:
    if found.value is None:
        return Cell(blank)
    digits = 2 if trait.unit == "ratio" else 1
    if found.value == 0:
        return Cell(NOTHING)
    interval = ""
    if found.interval is not None:
        low, high = found.interval
        interval = f"[{low:.{digits}f}, {high:.{digits}f}]"
    return Cell(f"{found.value:.{digits}f}", interval)


def _shape(profiles: Profiles) -> str:
    words = counted(round(profiles.reference_words), "word")
    segments = counted(profiles.segments, "segment")
    return f"{segments}; references of {words}; {profiles.preparation}"


def _meanings(profiles: Profiles) -> list[str]:
    signs = f"{NOTHING} none   {UNKNOWN} cannot be told without the source"
    return [*(f"{trait.title}: {trait.meaning}" for trait in profiles.traits), signs]


#: The formats that have room for texts.
FORMS = ("table", "json", "markdown")


def render_with(results: Results, found: Findings, form: str, style: Style) -> str:
    """Write the results as `render` does, and what was found after them."""
    if not any((found.changes, found.ngrams, found.buckets, found.profiles)):
        return render(results, form, style)
    if form == "json":
        data = results_data(results) | data_of(found)
        return json.dumps(data, ensure_ascii=False, indent=1)
    sections = (
        render_findings_markdown(found, style)
        if form == "markdown"
        else render_findings_terminal(found, style)
    )
    return "\n\n".join([render(results, form, style), *sections])


def refuse_format(form: str, wishes: Wishes) -> None:
    """Refuse, before the work begins, a format that cannot show what is wished for."""
    if form not in FORMS and wishes.any:
        msg = (
            f"The format {form} has no room for changes, n-grams, buckets and profiles; "
            f"expected {', '.join(FORMS)}."
        )
        raise OptionError(msg)


def data_of(found: Findings) -> dict[str, Any]:
    """Give what was found as plain dicts and lists, by key of the JSON document."""
    data = as_data(found)
    return {key: value for key, value in data.items() if value}


def render_findings_terminal(found: Findings, style: Style) -> Iterator[str]:
    """Lay out every section for a terminal."""
    # What is not shown is not loaded either: these bring all of insight along.

    for entry in found.changes:
        yield render_changes_terminal(entry, style)
    for sheets, note in _tables(found, style):
        for sheet in sheets:
            yield block(sheet, style)
        yield styled("\n".join(fitted(line, style) for line in note), DIM, style)
    if found.profiles is not None:
        yield render_profiles_terminal(found.profiles, style)


def render_findings_markdown(found: Findings, style: Style) -> Iterator[str]:
    """Write every section in Markdown."""

    for entry in found.changes:
        yield render_changes_markdown(entry)
    for sheets, note in _tables(found, style):
        for sheet in sheets:
            yield text_writers.markdown_block(sheet)
        yield "\n".join(map(text_writers.escaped, note))
    if found.profiles is not None:
        yield render_profiles_markdown(found.profiles)


def _tables(found: Findings, style: Style) -> Iterator[tuple[list[Sheet], list[str]]]:
    """Lay out what is tables in every format, each with what explains it."""

    for entry in found.ngrams:
        sheets = ngram_sheets(entry)
        if sheets:
            yield sheets, [NGRAMS_NOTE, entry.preparation]
        else:
            yield [], [f"No n-gram changed from {entry.baseline} to {entry.system}."]
    for parted in found.buckets:
        yield bucket_sheets(parted, style), [note(parted)]


BUCKETS_NOTE = (
    "▲ better, ▼ worse than {baseline} by a bootstrap of the bucket's segments; hollow △ ▽: it "
    "may be chance; ?: {small}, which say little. No correction for the number of buckets."
)


CORNERS = {"length": "words", "source-length": "words", "frequency": "frequency"}
CORNERS |= {"score": "score"}


def bucket_sheets(buckets: Buckets, style: Style) -> list[Sheet]:
    """Lay out the buckets of every metric."""
    return [_sheet(buckets, spec, style) for spec in buckets.directions]


def note(buckets: Buckets) -> str:
    """Explain the signs."""
    from metra.analysis.buckets import SMALL

    small = f"fewer than {SMALL} {buckets.unit}"
    if buckets.baseline is None:
        return f"?: {small}, which say little."
    return BUCKETS_NOTE.format(baseline=buckets.baseline, small=small)


def _sheet(buckets: Buckets, spec: str, style: Style) -> Sheet:
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
        cells = [Cell(f"{bucket.count}{_doubt(bucket)}")]
        if pair:
            cells += [Cell(number(entry.score, style.digits)) for entry in scores]
            cells += _difference(bucket.scores[others[0]][spec], buckets, spec, style)
        else:
            cells += [_score(entry, buckets, spec, style) for entry in scores]
        rows.append((bucket.label, cells))
    corner = CORNERS.get(buckets.kind, buckets.title)
    return Sheet(corner, headings, rows, f"{spec} {arrow} by {buckets.title}")


def _doubt(bucket: Bucket) -> str:
    return "?" if bucket.small else " "


def _score(found: BucketScore, buckets: Buckets, spec: str, style: Style) -> Cell:
    text = number(found.score, style.digits)
    if buckets.baseline is None:
        return Cell(text, interval(found.interval, style.digits))
    if found.difference is None:
        return Cell(f"{text}  ")
    mark, tone = _mark(found, buckets.directions[spec])
    return Cell(f"{text} {mark}", "", False, tone)


def _difference(
    found: BucketScore, buckets: Buckets, spec: str, style: Style
) -> list[Cell]:
    mark, tone = _mark(found, buckets.directions[spec])
    difference = signed(found.difference or 0.0, style.digits)
    return [
        Cell(f"{mark} {difference}", "", False, tone),
        Cell("", interval(found.difference_interval, style.digits, signed)),
    ]


def _mark(found: BucketScore, higher_is_better: bool) -> tuple[str, str]:
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


def ngram_sheets(changes: NgramChanges) -> list[Sheet]:
    """Lay out each list that has something in it."""
    found = []
    for name, title in TITLES.items():
        entries: Sequence[NgramChange] = getattr(changes, name)
        if entries:
            what = "matched" if name in ("gained", "lost") else "wrong"
            rows = [(_words(entry), _cells(entry, what)) for entry in entries]
            headings = [changes.baseline, changes.system, "references"]
            headings += ["rose", "fell", "weight", "segments"]
            found.append(
                Sheet(name, headings, rows, title.format(system=changes.system))
            )
    return found


def _words(entry: NgramChange) -> str:
    more = f"  (+{entry.stands_for})" if entry.stands_for else ""
    return " ".join(entry.words) + more


def _cells(entry: NgramChange, what: str) -> list[Cell]:
    changed = entry.rose + entry.fell
    places = ", ".join(map(str, entry.segments[:3]))
    return [
        Cell(str(getattr(entry, f"{what}_before"))),
        Cell(str(getattr(entry, f"{what}_after"))),
        Cell(str(entry.reference)),
        Cell(str(entry.rose)),
        Cell(str(entry.fell)),
        Cell(signed(entry.weight, 2)),
        Cell(places + (", …" if changed > 3 else "")),
    ]
