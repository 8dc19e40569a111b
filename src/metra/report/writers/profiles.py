"""Profiles of systems as a table, and what stands out in words."""

from metra.analysis.profiles import Profile, Profiles, Trait, TraitValue
from metra.errors import UnknownNameError, no_such
from metra.report import terminal
from metra.report.table import (
    Style,
    convert_record,
    escape_markdown,
    format_count,
    render_json,
    render_markdown_table,
)
from metra.scoring.table import Cell, Table, make_table

NOTHING = "·"
UNKNOWN = "–"


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


def render_profiles_markdown(profiles: Profiles) -> str:
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
    rows = [
        (
            profile.system,
            [
                _build_trait_cell(profile.traits[trait.name], trait, UNKNOWN)
                for trait in profiles.traits
            ],
        )
        for profile in profiles.profiles
    ]
    references = [
        _build_trait_cell(
            TraitValue(value=profiles.references.get(trait.name)), trait, ""
        )
        for trait in profiles.traits
    ]
    headings = [
        trait.title if trait.unit == "ratio" else f"{trait.title} %"
        for trait in profiles.traits
    ]
    return make_table("system", headings, [*rows, ("(references)", references)])


def list_trait_segments(profile: Profile, trait: str, most: int = 50) -> str:
    """Name the first segments that show a trait.

    The text is empty if the trait is not one of segments, or if none shows it.
    """
    segments = profile.traits[trait].segments
    more = ", …" if len(segments) > most else ""
    return ", ".join(map(str, segments[:most])) + more


def _render_terminal(profiles: Profiles, style: Style, show: str | None) -> str:
    meanings = "\n".join(
        terminal.style_text(terminal.wrap_sentence(line, style), terminal.DIM, style)
        for line in _explain_traits(profiles)
    )
    text = f"{render_profiles_terminal(profiles, style)}\n\n{meanings}"
    if show is None:
        return text
    listed = [
        f"{terminal.escape_controls(profile.system)}: "
        f"{list_trait_segments(profile, show) or 'none'}"
        for profile in profiles.profiles
    ]
    return "\n".join([text, "", f"Segments that show {show}:", *listed])


def _render_json(profiles: Profiles, _: Style, __: str | None) -> str:
    return render_json({"profiles": convert_record(profiles)})


def _render_markdown(profiles: Profiles, _: Style, __: str | None) -> str:
    return render_profiles_markdown(profiles)


_WRITERS = {
    "table": _render_terminal,
    "json": _render_json,
    "markdown": _render_markdown,
}


def _build_trait_cell(trait_value: TraitValue, trait: Trait, blank: str) -> Cell:
    if trait_value.value is None:
        return Cell(blank)
    if trait_value.value == 0:
        return Cell(NOTHING)
    digits = 2 if trait.unit == "ratio" else 1
    return Cell(trait_value.value, trait_value.interval, digits=digits)


def _describe_corpus(profiles: Profiles) -> str:
    words = format_count(round(profiles.reference_words), "word")
    segments = format_count(profiles.segments, "segment")
    return f"{segments}; references of {words}; {profiles.preparation}"


def _explain_traits(profiles: Profiles) -> list[str]:
    signs = f"{NOTHING} none   {UNKNOWN} cannot be told without the source"
    return [*(f"{trait.title}: {trait.meaning}" for trait in profiles.traits), signs]
