"""Settings that one flag takes: `KEY=VALUE,KEY=VALUE`, and a file with settings behind it."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import click

from metra.errors import no_such, not_possible


def parse_settings(
    flag: str, given: Iterable[str], keys: Sequence[str]
) -> dict[str, str]:
    """Read settings; a comma ends a value only if one of the keys follows it.

    >>> parse_settings("--read", ["delimiter=,,sheet=2"], ["delimiter", "sheet"])
    {'delimiter': ',', 'sheet': '2'}
    """
    return {key: value for key, (value,) in collect_settings(flag, given, keys).items()}


def collect_settings(
    flag: str,
    given: Iterable[str],
    keys: Sequence[str],
    repeatable: Collection[str] = (),
) -> dict[str, list[str]]:
    """Read settings, some of which may be given several times.

    >>> collect_settings("--read", ["ref=A,ref=B"], ["ref", "sheet"], ["ref"])
    {'ref': ['A', 'B']}
    """
    settings: dict[str, list[str]] = {}
    following = "|".join(map(re.escape, keys))
    for text in given:
        for setting in re.split(f",(?=(?:{following})=)", text):
            key, equals, value = setting.partition("=")
            if not equals:
                msg = f"{flag} {setting}: expected KEY=VALUE; keys: {', '.join(keys)}."
                raise click.UsageError(msg)
            if key not in keys:
                raise click.UsageError(no_such(f"setting of {flag}", key, keys))
            if key in settings and key not in repeatable:
                msg = f"{flag} sets {key} twice; give it once."
                raise click.UsageError(msg)
            settings.setdefault(key, []).append(value)
    return settings


def check_choice(
    flag: str, settings: Mapping[str, str], key: str, choices: Sequence[str]
) -> str:
    """Return a setting that must be one of the choices, of which the first is the default.

    >>> check_choice("--plot", {}, "title", ["yes", "no"])
    'yes'
    """
    value = settings.get(key, choices[0])
    if value not in choices:
        expected = (
            " or ".join(choices)
            if len(choices) == 2
            else f"one of {', '.join(choices)}"
        )
        raise click.UsageError(not_possible(f"{flag} {key}={value}", expected))
    return value


def split_file_settings(
    flag: str, given: str, keys: Sequence[str]
) -> tuple[str, dict[str, str]]:
    """Split `FILE:KEY=VALUE,…` into the file and its settings.

    >>> split_file_settings("--plot", "figure.pdf:width=page", ["width"])
    ('figure.pdf', {'width': 'page'})
    """
    path, colon, text = given.rpartition(":")
    if not colon or "=" not in text or "/" in text.partition("=")[0]:
        return given, {}
    return path, parse_settings(flag, [text], keys)
