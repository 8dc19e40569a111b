"""The settings of a campaign: defaults, ranges, and how forms ask for them.

name = "spring"
protocol = "ldc"
source_language = "fr"
target_language = "en"
judges = ["ann", "bob", "cleo", "dan"]
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, TypeAlias, get_args

from metra.campaign.protocols.record import Basis
from metra.campaign.rules import (
    NUMBER,
    SWITCH,
    TABLE,
    TEXT,
    Rule,
    check_table,
    make_choice,
    make_count,
)
from metra.campaign.words import JUDGES_OWN, LANGUAGES
from metra.stats.defaults import SEED
from metra.text.scripts import is_language_code

Unit: TypeAlias = Literal["segment", "document"]
#: What a sample counts: segments, whole documents, or segments of each document.
SampleUnit: TypeAlias = Literal["segment", "document", "within-document"]


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
    #: Whether that holds for readers too, who then know a text from another version of it.
    several_versions: bool = False
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


def _is_code(value: object) -> bool:
    return isinstance(value, str) and is_language_code(value.strip())


def _are_names(value: object) -> bool:
    if not isinstance(value, list | tuple) or not all(map(TEXT.fits, value)):
        return False
    return 0 < len(set(value)) == len(value)


_SHARE = Rule(
    lambda value: NUMBER.fits(value) and 0 <= value <= 0.5, "a share from 0 to 0.5"
)
_GUIDE = (
    f"{', '.join(LANGUAGES)}, or {JUDGES_OWN} for the language of each judge's pages"
)
#: The rule of each setting.
_RULES = {
    "name": TEXT._replace(expected="a name"),
    "protocol": TEXT._replace(expected="a protocol's name, such as ldc"),
    "source_language": Rule(_is_code, "a language code such as fr"),
    "target_language": Rule(_is_code, "a language code such as en"),
    "judges": Rule(_are_names, "a list of different names"),
    "seed": make_count(0),
    "basis": make_choice(*get_args(Basis)),
    "unit": make_choice(*get_args(Unit)),
    "sample": make_count(1),
    "sample_by": make_choice(*get_args(SampleUnit)),
    "each": make_count(1),
    "calibration": make_count(0),
    "complete": SWITCH,
    "several_versions": SWITCH,
    "repeats": _SHARE,
    "degraded": _SHARE,
    "reference_as_system": SWITCH,
    "skip_nontranslations": SWITCH,
    "log_keys": SWITCH,
    "options": TABLE._replace(
        expected="a table that adapts the protocol, named like it"
    ),
    "organiser": TEXT._replace(expected="who runs the campaign"),
    "contact": TEXT._replace(expected="an address for questions"),
    "guide_language": Rule((*LANGUAGES, JUDGES_OWN).__contains__, _GUIDE),
}
#: The settings that a form asks for, by how it asks.
FORM_FIELDS: dict[str, tuple[str, ...]] = {
    "text": (
        *("name", "protocol", "source_language", "target_language", "basis", "unit"),
        *("sample_by", "organiser", "contact", "guide_language"),
    ),
    "count": ("seed", "sample", "each", "calibration"),
    "percent": ("repeats", "degraded"),
    "switch": (
        *("complete", "several_versions", "reference_as_system"),
        "skip_nontranslations",
    ),
}


def list_form_defaults() -> dict[str, str]:
    """Return the defaults that a form begins with, by setting."""
    shown = {*FORM_FIELDS["text"], *FORM_FIELDS["count"]}
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
    needed = ("name", "protocol", "source_language", "target_language", "judges")
    check_table(table, _RULES, place, needed=needed, what="setting")
    return Settings(**table | {"judges": tuple(table["judges"])})
