"""Profiles as a table, and what stands out in words."""

import json

from metra import __version__
from metra.errors import UnknownNameError, no_such
from metra.insight.profiles import Profile, Profiles, Trait, TraitValue
from metra.report import markdown
from metra.report.json import SCHEMA
from metra.report.layout import Cell, Sheet, Style, counted
from metra.report.records import as_data
from metra.report.table import BOLD, DIM, block, printable, styled, width
from metra.report.wrapped import fitted

NOTHING = "·"
UNKNOWN = "–"


def render(profiles: Profiles, form: str, style: Style, show: str | None = None) -> str:
    """Write profiles by themselves; `show` names a trait whose segments are to be listed."""
    if show is not None and show not in {trait.name for trait in profiles.traits}:
        names = [trait.name for trait in profiles.traits]
        raise UnknownNameError(no_such("trait", show, names))
    if form == "json":
        data = {"metra": __version__, "schema": SCHEMA, "profiles": as_data(profiles)}
        return json.dumps(data, ensure_ascii=False, indent=1)
    if form == "markdown":
        return in_markdown(profiles)
    meanings = "\n".join(
        styled(fitted(line, style), DIM, style) for line in _meanings(profiles)
    )
    text = f"{terminal(profiles, style)}\n\n{meanings}"
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


def terminal(profiles: Profiles, style: Style) -> str:
    """Lay out the table and the readings."""
    names = [printable(profile.system) for profile in profiles.profiles]
    left = max(map(width, names))
    readings = [
        f"{styled(name, BOLD, style)}{' ' * (left - width(name))}  {profile.reading}"
        for name, profile in zip(names, profiles.profiles, strict=True)
    ]
    below = styled(_shape(profiles), DIM, style)
    return "\n\n".join([block(sheet(profiles), style), "\n".join(readings), below])


def in_markdown(profiles: Profiles) -> str:
    """Write the table, the readings, and what the columns mean."""
    readings = [
        f"- **{markdown.escaped(profile.system)}**: {profile.reading}"
        for profile in profiles.profiles
    ]
    meanings = "\n".join(f"- {line}" for line in _meanings(profiles))
    below = markdown.escaped(_shape(profiles))
    table = markdown.block(sheet(profiles))
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
