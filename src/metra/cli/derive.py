"""Click options derived from the fields of an options record.

A field's annotation gives the type (a `Literal` its choices, a tuple that the option may be
repeated), its default the default, and its metadata the rest:

- help: the text of `--help`
- flags: what the option is called, if not after the field; several with blanks between
- metavar: how its value is shown
- low, high: the smallest and the largest value; with open, the values next to them
- parse: a function of the given text that returns the value; a ValueError refuses it
- split: names may be given with commas between them
"""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import click

from metra.cli.options import CountRange, FiniteFloat, FiniteRange, option

if TYPE_CHECKING:
    from dataclasses import Field


def options_from(
    record: type, parameter: str = "options"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds an option for each field of a dataclass.

    The command gets the record with what was given as its keyword argument `parameter`.
    """
    hints = get_type_hints(record)
    from dataclasses import fields  # not for commands that derive nothing

    entries = fields(record)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(**given: Any) -> Any:
            chosen = record(**{entry.name: given.pop(entry.name) for entry in entries})
            return command(**given, **{parameter: chosen})

        for entry in reversed(entries):
            derive_option(entry, hints[entry.name])(call)
        return call

    return decorate


def derive_option(entry: "Field[Any]", hint: Any) -> Callable[..., Any]:
    """Return the click option of one field."""
    from dataclasses import MISSING

    about = entry.metadata
    flags = about.get("flags", f"--{entry.name.replace('_', '-')}")
    default = None if entry.default is MISSING else entry.default
    settings: dict[str, Any] = {}
    if "metavar" in about:
        settings["metavar"] = about["metavar"]
    if hint is bool:
        default, settings["is_flag"] = None, True
    elif "parse" in about:
        # The default is shown, and read, as it would be given.
        default, settings["callback"] = about["default"], _call_parser(about["parse"])
    elif get_origin(hint) is tuple:
        default, settings["multiple"] = None, True
        settings["type"] = _choose_type(get_args(hint)[0], about)
        if about.get("split"):
            settings |= {"callback": split_names, "metavar": "NAMES"}
    else:
        settings["type"] = _choose_type(hint, about)
    return option(f"{flags} {entry.name}", about.get("help"), default, **settings)


def split_names(_: object, __: object, given: Iterable[str]) -> tuple[str, ...]:
    """Split names that were given several times, or with commas between them.

    It is the callback of options; context and parameter do not matter.
    """
    names = (name.strip() for names in given for name in names.split(","))
    return tuple(filter(None, names))


def _choose_type(hint: Any, about: Mapping[str, Any]) -> "click.ParamType[Any]":
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    if get_origin(hint) is Literal:
        return click.Choice(kinds)
    kind = kinds[0] if kinds else hint
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    limits: dict[str, Any] = {"min": about.get("low"), "max": about.get("high")}
    is_limited = any(limit is not None for limit in limits.values())
    if kind is int:
        return CountRange(**limits) if is_limited else click.INT
    if kind is float:
        is_open = about.get("open", False)
        ends = {"min_open": is_open, "max_open": is_open}
        return FiniteRange(**limits, **ends) if is_limited else FiniteFloat()
    return click.STRING


def _call_parser(parse: Callable[[str], Any]) -> Callable[..., Any]:
    def callback(_: click.Context, __: click.Parameter, given: str) -> Any:
        try:
            return parse(given)
        except ValueError as reason:
            raise click.BadParameter(str(reason)) from None

    return callback
