"""What a campaign wishes, read from a table such as a TOML file gives, and checked.

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


@dataclass(frozen=True, slots=True)
class Settings:
    """The wishes; what is left out has the default that stands here."""

    name: str
    protocol: str
    source_language: str
    target_language: str
    judges: tuple[str, ...]
    seed: int = SEED
    #: Show the source or the reference; None is what the protocol asks for.
    basis: Basis | None = None
    unit: Unit = "segment"
    #: How many judges see each unit.
    each: int = 2
    #: Texts that all judges see; None is a tenth of the texts, five at most.
    calibration: int | None = None
    #: Whether a judge sees all systems' versions of a text.
    complete: bool = False
    #: Shares of a judge's tasks that come back as they were, and spoilt; None is 0.05
    #: where that makes sense.
    repeats: float | None = None
    degraded: float | None = None
    #: Whether a reference takes part as if it were a system.
    reference_as_system: bool = False
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


def derive_settings(
    first: Settings, *, name: str, protocol: str, judges: Sequence[str], each: int
) -> Settings:
    """The wishes of a campaign that settles another: everything is seen once, unspoilt."""
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
    """Check each wish; `place` names the file for the message.

    A table with the protocol's name adapts the protocol.
    """
    table = _with_options(table)
    known = {entry.name: entry for entry in fields(Settings)}
    for name in table:
        if name not in known:
            msg = no_such("setting", name, known, owner=place)
            raise FormatError(msg)
    for name, entry in known.items():
        if name not in table and entry.default is entry.default_factory is MISSING:
            msg = f"{place} has no {name}; expected {_RULES[name][1]}."
            raise FormatError(msg)
    for name, value in table.items():
        fits, expected = _RULES[name]
        if not fits(value):
            msg = f"{place}: {name} is {value!r}; expected {expected}."
            raise FormatError(msg)
    return Settings(**dict(table) | {"judges": tuple(table["judges"])})


def _with_options(table: Mapping[str, Any]) -> dict[str, Any]:
    name = table.get("protocol")
    if not isinstance(name, str) or name not in table or name in _RULES:
        return dict(table)
    rest = {key: value for key, value in table.items() if key != name}
    return rest | {"options": table[name]}


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _names(value: object) -> bool:
    listed = isinstance(value, list | tuple) and all(map(_text, value))
    return listed and 0 < len(set(value)) == len(value)  # type: ignore[call-overload,arg-type]


def _whole(least: int) -> Callable[[object], bool]:
    return lambda value: type(value) is int and value >= least


def _share(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value <= 0.5  # type: ignore[operator]


def _switch(value: object) -> bool:
    return isinstance(value, bool)


def _table(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(name, str) for name in value)


_RULES: dict[str, tuple[Callable[[object], bool], str]] = {
    "name": (_text, "a name"),
    "protocol": (_text, "a protocol's name, such as ldc"),
    "source_language": (_text, "a language code such as fr"),
    "target_language": (_text, "a language code such as en"),
    "judges": (_names, "a list of different names"),
    "seed": (_whole(0), "a whole number, 0 or more"),
    "basis": (get_args(Basis).__contains__, "source or reference"),
    "unit": (get_args(Unit).__contains__, "segment or document"),
    "each": (_whole(1), "a whole number, 1 or more"),
    "calibration": (_whole(0), "a whole number, 0 or more"),
    "complete": (_switch, "true or false"),
    "repeats": (_share, "a share from 0 to 0.5"),
    "degraded": (_share, "a share from 0 to 0.5"),
    "reference_as_system": (_switch, "true or false"),
    "log_keys": (_switch, "true or false"),
    "options": (_table, "a table that adapts the protocol, named like it"),
    "organiser": (_text, "who runs the campaign"),
    "contact": (_text, "an address for questions"),
    "guide_language": (
        (*LANGUAGES, JUDGES_OWN).__contains__,
        f"{', '.join(LANGUAGES)}, or {JUDGES_OWN} for the language of each judge's pages",
    ),
}
