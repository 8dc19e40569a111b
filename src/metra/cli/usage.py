"""Usage errors in one sentence each: the command or option, the problem, the remedy."""

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from importlib.resources import files
from typing import Any

import click

from metra.cli import CommandWithViews
from metra.errors import format_message, not_possible


def describe_usage_error(error: click.ClickException) -> str:
    """Word an error that click found in the arguments.

    >>> describe_usage_error(click.UsageError("--ci needs 2 segments."))
    '--ci needs 2 segments.'
    """
    for kind, describe in _KINDS.items():
        if isinstance(error, kind):
            return format_message(describe(error))
    return format_message(error.message)


def describe_values(kind: "click.ParamType[Any]") -> str:
    """Say which values a type of click takes; nothing if any text will do.

    >>> describe_values(click.IntRange(1)), describe_values(click.Choice(["a", "b"]))
    ('a whole number of at least 1', 'a or b')
    """
    if isinstance(kind, click.Choice):
        return _join_names(str(choice) for choice in kind.choices)
    noun = {"integer": "a whole number", "float": "a number"}.get(
        kind.name.removesuffix(" range"), ""
    )
    if not isinstance(kind, click.IntRange | click.FloatRange):
        return noun
    low, high = kind.min, kind.max
    if low is None and high is None:
        return noun
    if low is not None and high is not None:
        ends = ", both excluded" if kind.min_open and kind.max_open else ""
        return f"{noun} from {low:g} to {high:g}{ends}"
    if low is not None:
        return f"{noun} {'above' if kind.min_open else 'of at least'} {low:g}"
    return f"{noun} {'below' if kind.max_open else 'of at most'} {high:g}"


def find_advice(command: str, flag: str, flags: Collection[str]) -> str:
    """Return the sentence of a flag that a command, or its group, had once, or nothing.

    One for several commands counts only if all flags in it are among `flags`.
    """
    lines = files("metra.cli").joinpath("removed_flags.txt").read_text("utf-8")
    for line in lines.split("\n"):
        place, _, rest = line.partition(" " + flag + " ")
        is_own = command in (place, f"metra {place}")
        is_shared = place == "*" or command.startswith(f"metra {place} ")
        if rest and (is_own or (is_shared and {*_FLAG.findall(rest)} <= {*flags})):
            return rest
    return ""


_FLAG = re.compile(r"(?<!\S)--[a-z][a-z-]*")


def _describe_option(error: click.NoSuchOption) -> str:
    path = _name_command(error)
    flags = []
    if error.ctx is not None:
        params = error.ctx.command.get_params(error.ctx)
        flags = [
            flag for param in params for flag in (*param.opts, *param.secondary_opts)
        ]
    name = error.option_name
    command = error.ctx and error.ctx.command
    if isinstance(command, CommandWithViews) and (views := command.find_views(name)):
        return f"{path} has no option {name}; it belongs to {_join_names(views)}."
    if advice := find_advice(path, name, flags):
        return f"{path} no longer has {name}: {advice}"
    begun = [flag for flag in flags if flag.startswith(name)] if name[2:] else []
    near = begun or get_close_matches(name, flags, n=1, cutoff=0.7)
    guess = f"; did you mean {_join_names(near[:3])}?" if near else "."
    return f"{path} has no option {name}{guess} {_point_to_help(error)}"


def _describe_missing(error: click.MissingParameter) -> str:
    path, param = _name_command(error), error.param
    if isinstance(param, click.Option) and error.ctx is not None:
        written = f"{param.opts[0]} {param.make_metavar(error.ctx)}"
        meaning = re.split(r"[.;:]", param.help or "")[0]
        about = f" ({meaning[0].lower()}{meaning[1:]})" if meaning else ""
        return f"{path} needs {written}{about}. {_point_to_help(error)}"
    name = param.make_metavar(error.ctx) if param and error.ctx else error.param_hint
    return f"{path} needs {_clean(name)}; {_write_usage(error)} {_point_to_help(error)}"


def _describe_value(error: click.BadParameter) -> str:
    param = error.param
    hint = error.param_hint or (
        param.get_error_hint(error.ctx) if param and error.ctx else ""
    )
    place = _clean(hint).split(" / ")[-1]
    match = _CLICK_VALUE.match(error.message)
    expected = describe_values(param.type) if param is not None and match else ""
    if not expected or match is None or param is None:
        return f"{place}: {error.message}" if place else error.message
    value = match[1].strip("'\"")
    return not_possible(f"{place} {value}", expected)


# How click says that a value is not possible: the value, then the reason.
_CLICK_VALUE = re.compile(r"(.+?) is not (?:a valid |in the range |one of )", re.DOTALL)


def _describe_option_usage(error: click.BadOptionUsage) -> str:
    """Word what click's parser says, which knows no context."""
    name = error.option_name
    if "requires" in error.message:
        return f"{name} needs a value; write it after {name}, or leave {name} out."
    if "does not take" in error.message:
        return f"{name} takes no value; write {name} alone."
    return error.message


def _describe_extra(error: click.UsageError) -> str:
    match = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", error.message)
    if not match:
        return error.message
    return (
        f"{_name_command(error)} takes no more arguments, but got {match[1]}; "
        f"{_write_usage(error)} {_point_to_help(error)}"
    )


# The first kind that an error is of words it; kinds of kinds come first.
_KINDS: dict[type[click.ClickException], Any] = {
    click.NoSuchOption: _describe_option,
    click.MissingParameter: _describe_missing,
    click.BadParameter: _describe_value,
    click.BadOptionUsage: _describe_option_usage,
    click.UsageError: _describe_extra,
}


def _name_command(error: click.UsageError) -> str:
    return error.ctx.command_path if error.ctx else "metra"


def _write_usage(error: click.UsageError) -> str:
    usage = (
        error.ctx.get_usage().removeprefix("Usage: ") if error.ctx else "metra --help"
    )
    return f"write {usage}" if usage.endswith(".") else f"write {usage}."


def _point_to_help(error: click.UsageError) -> str:
    return f"See {_name_command(error)} --help."


def _clean(names: Any) -> str:
    """Write names of parameters without the quotes that click puts around them."""
    text = names if isinstance(names, str) else " / ".join(names or ())
    return text.replace("'", "").rstrip(".")


def _join_names(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
