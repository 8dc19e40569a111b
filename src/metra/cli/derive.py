"""Click options derived from the fields of an options record.

A field's annotation gives the type (a `Literal` its choices, a tuple that the option may be
repeated), its default the default, and its metadata the rest:

- flags: what the option is called, if not after the field; several with blanks between
- metavar: how its value is shown
- low, high: the smallest and the largest value; with open, the values next to them
- parse: a function of the given text that returns the value; a ValueError refuses it
- split: names may be given with commas between them
- rare: it is a setting of the one option `--set KEY=VALUE,…`
- flag: False if it is set in Python only
"""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import click

from metra.cli.options import CountRange, FiniteFloat, FiniteRange, option
from metra.cli.settings import parse_settings
from metra.cli.usage import describe_values
from metra.errors import not_possible

if TYPE_CHECKING:
    from dataclasses import Field


def options_from(
    record: type, texts: Mapping[str, str], elsewhere: Mapping[str, str] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds an option for each field of a dataclass.

    `texts` are the help of options, by field; `elsewhere` names the answer that a setting
    of `--set` belongs to, if it is not this one. The command gets the record with what was
    given as its keyword argument `options`.
    """
    hints = get_type_hints(record)
    from dataclasses import fields  # not for commands that derive nothing

    entries = [each for each in fields(record) if each.metadata.get("flag", True)]
    rare = {
        _name_flag(each).strip("-"): derive_option(
            each, hints[each.name], texts.get(each.name)
        )
        for each in entries
        if each.metadata.get("rare")
    }

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(**given: Any) -> Any:
            values = _read_settings(rare, given.pop("settings", ()), elsewhere or {})
            common = (each.name for each in entries if not each.metadata.get("rare"))
            chosen = record(**values, **{name: given.pop(name) for name in common})
            return command(**given, options=chosen)

        if rare:
            _build_settings(rare)(call)
        for entry in reversed(entries):
            if not entry.metadata.get("rare"):
                derive_option(entry, hints[entry.name], texts.get(entry.name))(call)
        return call

    return decorate


def list_settings(record: type) -> list[str]:
    """Return the keys of `--set` for the fields of a record."""
    from dataclasses import fields

    rare = (each for each in fields(record) if each.metadata.get("rare"))
    return [_name_flag(each).strip("-") for each in rare]


def _name_flag(entry: "Field[Any]") -> str:
    return str(entry.metadata.get("flags", f"--{entry.name.replace('_', '-')}"))


def _build_settings(rare: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Build the option for settings of rare use."""
    keys = []
    for key, derive in rare.items():
        param = _make_parameter(derive)
        choices = getattr(param.type, "choices", ())
        listed = f" ({', '.join(choices)})" if choices else ""
        keys.append(f"{key}{listed}: {(param.help or '').rstrip('.')}")
    text = f"Settings that are rarely needed. {'; '.join(keys)}."
    return option("--set settings KEY=VALUE,…", text, multiple=True)


def _make_parameter(derive: Callable[..., Any]) -> click.Option:
    def hold() -> None:
        """Hold the parameters of a decorator."""

    derive(hold)
    (param,) = hold.__click_params__  # type: ignore[attr-defined]
    return param


def _read_settings(
    rare: Mapping[str, Callable[..., Any]],
    given: Iterable[str],
    elsewhere: Mapping[str, str],
) -> dict[str, Any]:
    """Read the values of `--set` as their own options would."""
    values = {}
    keys = [*dict.fromkeys([*rare, *elsewhere])]
    for key, text in parse_settings("--set", given, keys).items():
        if key not in rare:
            msg = f"--set {key} belongs to {elsewhere[key]}; leave it out here."
            raise click.UsageError(msg)
        param = _make_parameter(rare[key])
        try:
            value = param.process_value(
                click.get_current_context(), [text] if param.multiple else text
            )
        except click.BadParameter as reason:
            place, values_words = f"--set {key}={text}", describe_values(param.type)
            msg = f"{place}: {reason.message}"
            if values_words and "expected" not in reason.message:  # click's own words
                msg = not_possible(place, values_words)
            raise click.UsageError(msg) from None
        values[str(param.name)] = value
    return values


def derive_option(
    entry: "Field[Any]", hint: Any, help_text: str | None = None
) -> Callable[..., Any]:
    """Return the click option of one field."""
    from dataclasses import MISSING

    about = entry.metadata
    flags = _name_flag(entry)
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
    return option(f"{flags} {entry.name}", help_text, default, **settings)


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
