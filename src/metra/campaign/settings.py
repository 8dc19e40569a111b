"""The settings of a campaign, each declared once with its range and its field in forms.

name = "spring"
protocol = "ldc"
source_language = "fr"
target_language = "en"
judges = ["ann", "bob", "cleo", "dan"]
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, TypeAlias, get_args

from metra.campaign.protocols.record import Basis
from metra.campaign.wording import JUDGES_OWN, LANGUAGES
from metra.errors import FormatError, no_such
from metra.stats.defaults import SEED

Unit: TypeAlias = Literal["segment", "document"]
#: How a form asks for a setting; empty where it does not, or has its own way.
FormField: TypeAlias = Literal["", "text", "count", "percent", "switch"]


@dataclass(frozen=True, slots=True)
class SettingRule:
    """Which values a setting may have, what to say of others, and how forms ask for it."""

    fits: Callable[[object], bool]
    expected: str
    form: FormField = ""


def _rule(
    fits: Callable[[object], bool], expected: str, form: FormField = ""
) -> dict[str, SettingRule]:
    return {"rule": SettingRule(fits, expected, form)}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_names(value: object) -> bool:
    if not isinstance(value, list | tuple) or not all(map(_is_text, value)):
        return False
    return 0 < len(set(value)) == len(value)


def _is_whole(least: int) -> Callable[[object], bool]:
    return lambda value: type(value) is int and value >= least


def _is_share(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value <= 0.5  # type: ignore[operator]


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)


def _is_table(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


_NAME = _rule(_is_text, "a name", "text")
_PROTOCOL = _rule(_is_text, "a protocol's name, such as ldc", "text")
_SOURCE = _rule(_is_text, "a language code such as fr", "text")
_TARGET = _rule(_is_text, "a language code such as en", "text")
_JUDGES = _rule(_are_names, "a list of different names")
_COUNT = _rule(_is_whole(0), "a whole number, 0 or more", "count")
_EACH = _rule(_is_whole(1), "a whole number, 1 or more", "count")
_BASIS = _rule(get_args(Basis).__contains__, "source or reference", "text")
_UNIT = _rule(get_args(Unit).__contains__, "segment or document", "text")
_SWITCH = _rule(_is_switch, "true or false", "switch")
_SHARE = _rule(_is_share, "a share from 0 to 0.5", "percent")
_OPTIONS = _rule(_is_table, "a table that adapts the protocol, named like it")
_GUIDE = _rule(
    (*LANGUAGES, JUDGES_OWN).__contains__,
    f"{', '.join(LANGUAGES)}, or {JUDGES_OWN} for the language of each judge's pages",
    "text",
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings; what is left out has the default that stands here."""

    name: str = field(metadata=_NAME)
    protocol: str = field(metadata=_PROTOCOL)
    source_language: str = field(metadata=_SOURCE)
    target_language: str = field(metadata=_TARGET)
    judges: tuple[str, ...] = field(metadata=_JUDGES)
    seed: int = field(default=SEED, metadata=_COUNT)
    #: Show the source or the reference; None is what the protocol asks for.
    basis: Basis | None = field(default=None, metadata=_BASIS)
    unit: Unit = field(default="segment", metadata=_UNIT)
    #: How many judges see each unit.
    each: int = field(default=2, metadata=_EACH)
    #: Texts that all judges see; None is a tenth of the texts, five at most.
    calibration: int | None = field(default=None, metadata=_COUNT)
    #: Whether a judge sees all systems' versions of a text.
    complete: bool = field(default=False, metadata=_SWITCH)
    #: Shares of a judge's tasks that come back as they were, and degraded; None is 0.05
    #: where that makes sense.
    repeats: float | None = field(default=None, metadata=_SHARE)
    degraded: float | None = field(default=None, metadata=_SHARE)
    #: Whether a reference takes part as if it were a system.
    reference_as_system: bool = field(default=False, metadata=_SWITCH)
    #: Whether what judges type into texts is recorded key by key, to be replayed; else keys
    #: are counted by kind.
    log_keys: bool = field(default=False, metadata=_rule(_is_switch, "true or false"))
    #: How the protocol is adapted, such as every = 6 in the table [cloze].
    options: dict[str, Any] = field(default_factory=dict, metadata=_OPTIONS)
    #: Who runs it and whom to ask, for the page on which judges consent.
    organiser: str = field(
        default="", metadata=_rule(_is_text, "who runs the campaign", "text")
    )
    contact: str = field(
        default="", metadata=_rule(_is_text, "an address for questions", "text")
    )
    #: In which language judges read questions and guide: a code, or "judge" for that of
    #: each judge's pages; None is English where the words are part of the protocol.
    guide_language: str | None = field(default=None, metadata=_GUIDE)


_RULES: dict[str, SettingRule] = {
    one.name: one.metadata["rule"] for one in fields(Settings)
}


def list_form_fields(form: FormField) -> tuple[str, ...]:
    """Return the names of the settings that forms ask for in a way."""
    return tuple(name for name, rule in _RULES.items() if rule.form == form)


def list_form_defaults() -> dict[str, str]:
    """Return the defaults that a form begins with, by setting."""
    shown = {*list_form_fields("text"), *list_form_fields("count")}
    return {
        one.name: str(one.default)
        for one in fields(Settings)
        if one.name in shown and one.default not in (MISSING, None, "")
    }


def derive_settings(
    first: Settings, *, name: str, protocol: str, judges: Sequence[str], each: int
) -> Settings:
    """Return the settings of a campaign that settles another: all is seen once, as it is."""
    return Settings(
        name=name,
        protocol=protocol,
        source_language=first.source_language,
        target_language=first.target_language,
        judges=tuple(judges),
        seed=first.seed,
        each=min(each, len(judges)),
        calibration=0,
        repeats=0.0,
        degraded=0.0,
        guide_language=first.guide_language,
    )


def check_settings(table: Mapping[str, Any], place: str) -> Settings:
    """Return the settings in a table; `place` names the file for messages.

    A table with the protocol's name adapts the protocol.
    """
    table = _move_options(table)
    for name in table:
        if name not in _RULES:
            raise FormatError(no_such("setting", name, _RULES, owner=place))
    for one in fields(Settings):
        if one.name not in table and one.default is one.default_factory is MISSING:
            msg = f"{place} has no {one.name}; expected {_RULES[one.name].expected}."
            raise FormatError(msg)
    for name, value in table.items():
        if not _RULES[name].fits(value):
            msg = f"{place}: {name} is {value!r}; expected {_RULES[name].expected}."
            raise FormatError(msg)
    return Settings(**dict(table) | {"judges": tuple(table["judges"])})


def _move_options(table: Mapping[str, Any]) -> dict[str, Any]:
    name = table.get("protocol")
    if not isinstance(name, str) or name not in table or name in _RULES:
        return dict(table)
    rest = {key: value for key, value in table.items() if key != name}
    return rest | {"options": table[name]}
