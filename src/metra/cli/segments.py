"""The options that say which segments' alignments to show."""

import re

import click


def segment_numbers(
    _: click.Context, __: click.Parameter, value: str | None
) -> list[range] | None:
    """Read numbers and ranges of segments, counted from 1, such as 1,3-5."""
    if value is None:
        return None
    found = []
    for piece in value.split(","):
        numbers = re.fullmatch(r"\s*([0-9]{1,18})(?:-([0-9]{1,18}))?\s*", piece)
        first = int(numbers[1]) if numbers else 0
        last = int(numbers[2] or first) if numbers else 0
        if not 1 <= first <= last:
            msg = (
                f"{piece!r} names no segments; expected numbers from 1 and ranges such "
                "as 3-5, separated by commas."
            )
            raise click.BadParameter(msg)
        found.append(range(first, last + 1))
    return found


def check_alignment_options(
    show: bool, segments: list[range] | None, form: str, *, details: bool = False
) -> None:
    """Refuse options that do not go together."""
    if segments is not None and not show:
        msg = "--segments says which alignments to show; add --show-alignment."
        raise click.UsageError(msg)
    for option, given in {"--show-alignment": show, "--details": details}.items():
        if given and form not in ("table", "json"):
            msg = (
                f"{option} does not work with --format {form}; "
                "expected --format table or json."
            )
            raise click.UsageError(msg)
