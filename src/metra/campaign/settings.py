"""The settings of a campaign: defaults, ranges, and how forms ask for them.

name = "spring"
protocol = "ldc"
source_language = "fr"
target_language = "en"
judges = ["ann", "bob", "cleo", "dan"]
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from metra.campaign.protocols.record import Basis
from metra.campaign.wording import JUDGES_OWN, LANGUAGES
from metra.errors import FormatError, no_such
from metra.stats.defaults import SEED
from metra.text.scripts import is_language_code

Unit: TypeAlias = Literal["segment", "document"]
#: What a sample counts: segments, whole documents, or segments of each document.
SampleUnit: TypeAlias = Literal["segment", "document", "within-document"]
#: How a form asks for a setting; empty where it does not, or has its own way.
FormField: TypeAlias = Literal["", "text", "count", "percent", "switch"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings with their defaults."""

    name: str
    protocol: str
    source_language: str
    target_language: str
    judges: tuple[str, ...]
    seed: int = SEED
    #: Show the source or the reference; None is what the protocol asks for.
    basis: Basis | None = None
    unit: Unit = "segment"
    #: How many segments or documents are drawn, by the seed, to be judged; None is all.
    sample: int | None = None
    sample_by: SampleUnit = "segment"
    #: How many judges see each unit.
    each: int = 2
    #: Texts that all judges see; None is a tenth of the texts, five at most.
    calibration: int | None = None
    #: Whether a judge sees all systems' versions of a text.
    complete: bool = False
    #: Shares of a judge's tasks that come back as they were, and degraded; None is 0.05
    #: where that makes sense.
    repeats: float | None = None
    degraded: float | None = None
    #: Whether a reference takes part as if it were a system.
    reference_as_system: bool = False
    #: Whether judges may say that an output is not a translation, and go on.
    skip_nontranslations: bool = False
    #: Whether what judges type into texts is recorded key by key, to be replayed; else keys
    #: are counted by kind.
    log_keys: bool = False
    #: How the protocol is adapted, such as every = 6 in the table [cloze].
    options: dict[str, Any] = field(default_factory=dict)
    #: Who runs it and whom to ask, for the page on which judges consent.
    organiser: str = ""
    contact: str = ""
    #: In which language judges read questions and guide: a code, or "judge" for that of
    #: each judge's pages; None is English where the words are part of the protocol.
    guide_language: str | None = None


class SettingRule(NamedTuple):
    """Which values a setting may have, what to say of others, and how forms ask for it."""

    fits: Callable[[Any], bool]
    expected: str
    form: FormField = ""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_code(value: object) -> bool:
    return isinstance(value, str) and is_language_code(value.strip())


def _are_names(value: object) -> bool:
    if not isinstance(value, list | tuple) or not all(map(_is_text, value)):
        return False
    return 0 < len(set(value)) == len(value)


def _is_whole(least: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and value >= least


def _is_share(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 0.5


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)


def _is_table(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


_COUNT = SettingRule(_is_whole(0), "a whole number, 0 or more", "count")
_SHARE = SettingRule(_is_share, "a share from 0 to 0.5", "percent")
_SWITCH = SettingRule(_is_switch, "true or false", "switch")
_BASES, _UNITS, _GUIDES = get_args(Basis), get_args(Unit), (*LANGUAGES, JUDGES_OWN)
_SAMPLES = get_args(SampleUnit)
_GUIDE = (
    f"{', '.join(LANGUAGES)}, or {JUDGES_OWN} for the language of each judge's pages"
)
#: The rule of each setting.
_RULES = {
    "name": SettingRule(_is_text, "a name", "text"),
    "protocol": SettingRule(_is_text, "a protocol's name, such as ldc", "text"),
    "source_language": SettingRule(_is_code, "a language code such as fr", "text"),
    "target_language": SettingRule(_is_code, "a language code such as en", "text"),
    "judges": SettingRule(_are_names, "a list of different names"),
    "seed": _COUNT,
    "basis": SettingRule(_BASES.__contains__, "source or reference", "text"),
    "unit": SettingRule(_UNITS.__contains__, "segment or document", "text"),
    "sample": SettingRule(_is_whole(1), "a whole number, 1 or more", "count"),
    "sample_by": SettingRule(_SAMPLES.__contains__, ", ".join(_SAMPLES), "text"),
    "each": SettingRule(_is_whole(1), "a whole number, 1 or more", "count"),
    "calibration": _COUNT,
    "complete": _SWITCH,
    "repeats": _SHARE,
    "degraded": _SHARE,
    "reference_as_system": _SWITCH,
    "skip_nontranslations": _SWITCH,
    "log_keys": SettingRule(_is_switch, "true or false"),
    "options": SettingRule(
        _is_table, "a table that adapts the protocol, named like it"
    ),
    "organiser": SettingRule(_is_text, "who runs the campaign", "text"),
    "contact": SettingRule(_is_text, "an address for questions", "text"),
    "guide_language": SettingRule(_GUIDES.__contains__, _GUIDE, "text"),
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
    first: Settings, name: str, protocol: str, judges: Sequence[str], each: int
) -> Settings:
    """Return the settings of a campaign that settles another: all is seen once, as it is."""
    return Settings(
        *(name, protocol, first.source_language, first.target_language),
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
    table = dict(table)
    asked = table.get("protocol")
    if isinstance(asked, str) and asked in table and asked not in _RULES:
        table["options"] = table.pop(asked)
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
    return Settings(**table | {"judges": tuple(table["judges"])})
