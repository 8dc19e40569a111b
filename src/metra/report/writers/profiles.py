"""Profiles of systems as a table, and what stands out in words."""

from collections.abc import Callable

from metra.analysis.profiles import Profiles, Trait, TraitValue
from metra.errors import UnknownNameError, format_count, no_such
from metra.report import terminal
from metra.report.table import (
    Style,
    escape_markdown,
    render_markdown_table,
)
from metra.scoring.json import convert_record, render_json
from metra.scoring.table import Cell, Table, make_table

NOTHING = "·"
UNKNOWN = "–"
#: Segments that are listed.
MOST = 50


def render_profiles(
    profiles: Profiles, form: str, style: Style, show: str | None = None
) -> str:
    """Write profiles by themselves; `show` names a trait whose segments are listed."""
    names = [trait.name for trait in profiles.traits]
    if show is not None and show not in names:
        raise UnknownNameError(no_such("trait", show, names))
    return _WRITERS[form](profiles, style, show)


def render_profiles_terminal(profiles: Profiles, style: Style) -> str:
    """Lay out the table and the readings."""
    names = [terminal.escape_controls(profile.system) for profile in profiles.profiles]
    left = max(map(terminal.measure_width, names)) + 2
    readings = []
    for name, profile in zip(names, profiles.profiles, strict=True):
        blanks = " " * (left - terminal.measure_width(name))
        bold = terminal.style_text(name, terminal.BOLD, style)
        readings.append(f"{bold}{blanks}{profile.reading}")
    below = terminal.style_text(_describe_corpus(profiles), terminal.DIM, style)
    table = terminal.render_table(build_profile_table(profiles), style)
    return "\n\n".join([table, "\n".join(readings), below])


def _render_markdown(profiles: Profiles) -> str:
    """Write the table, the readings, and what the columns mean."""
    readings = [
        f"- **{escape_markdown(profile.system)}**: {profile.reading}"
        for profile in profiles.profiles
    ]
    meanings = "\n".join(f"- {line}" for line in _explain_traits(profiles))
    below = escape_markdown(_describe_corpus(profiles))
    table = render_markdown_table(build_profile_table(profiles), Style())
    return "\n\n".join([table, "\n".join(readings), meanings, below])


def build_profile_table(profiles: Profiles) -> Table:
    """Lay out systems and traits; the references come last, where they have the trait."""
    traits = profiles.traits
    rows = [
        (
            profile.system,
            [_build_cell(profile.traits[t.name], t, UNKNOWN) for t in traits],
        )
        for profile in profiles.profiles
    ]
    if profiles.references:
        references = [TraitValue(value=profiles.references.get(t.name)) for t in traits]
        cells = [_build_cell(v, t, "") for v, t in zip(references, traits, strict=True)]
        rows.append(("(references)", cells))
    headings = [t.title if t.unit == "ratio" else f"{t.title} %" for t in traits]
    return make_table("system", headings, rows, name="profiles")


def _render_terminal(profiles: Profiles, style: Style, show: str | None) -> str:
    meanings = "\n".join(
        terminal.style_text(terminal.wrap_sentence(line, style), terminal.DIM, style)
        for line in _explain_traits(profiles)
    )
    text = f"{render_profiles_terminal(profiles, style)}\n\n{meanings}"
    if show is None:
        return text
    listed = []
    for profile in profiles.profiles:
        segments = profile.traits[show].segments
        numbers = ", ".join(map(str, segments[:MOST])) or "none"
        more = ", …" if len(segments) > MOST else ""
        listed.append(f"{terminal.escape_controls(profile.system)}: {numbers}{more}")
    return "\n".join([text, "", f"Segments that show {show}:", *listed])


_WRITERS: dict[str, Callable[[Profiles, Style, str | None], str]] = {
    "table": _render_terminal,
    "json": lambda profiles, *_: render_json({"profiles": convert_record(profiles)}),
    "markdown": lambda profiles, *_: _render_markdown(profiles),
}


def _build_cell(trait_value: TraitValue, trait: Trait, blank: str) -> Cell:
    if trait_value.value is None:
        return Cell(blank)
    if trait_value.value == 0:
        return Cell(NOTHING)
    digits = 2 if trait.unit == "ratio" else 1
    return Cell(trait_value.value, digits=digits)


def _describe_corpus(profiles: Profiles) -> str:
    words = format_count(round(profiles.reference_words), "word")
    segments = format_count(profiles.segments, "segment")
    references = f"references of {words}" if profiles.references else "no references"
    return f"{segments}; {references}; {profiles.preparation}"


def _explain_traits(profiles: Profiles) -> list[str]:
    missing = "the source" if profiles.references else "references or the source"
    signs = f"{NOTHING} none   {UNKNOWN} unknown without {missing}"
    return [*(f"{trait.title}: {trait.meaning}" for trait in profiles.traits), signs]
