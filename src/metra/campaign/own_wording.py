"""The words that judges read: guides, translations, and a campaign's own words.

    [wording]
    language = "pt"
    title = "Receitas traduzidas"

    [wording.steps.adequacy]
    question = "Quanto do sentido do outro texto este texto exprime?"

What is left out is metra's own in that language, else the protocol's English. Several
languages are several tables, [[wording]]; judges read the one of their pages, else the first.
"""

import re
import string
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from metra.campaign.campaign import Campaign
from metra.campaign.protocols.record import Protocol, Step, hide_key
from metra.campaign.protocols.registry import PROTOCOLS, protocol
from metra.campaign.settings import Settings
from metra.campaign.wording import (
    ENGLISH,
    JUDGES_OWN,
    LANGUAGES,
    OFFICIAL,
    StepWords,
    Wording,
    WorkedExample,
    format_point,
    get_step_words,
    overlay_words,
)
from metra.errors import FormatError, MetraError, no_such

_HERE = Path(__file__).parent / "texts" / "guides"


@dataclass(frozen=True, slots=True)
class Guide:
    """How to judge by a protocol."""

    lead: str
    points: tuple[str, ...]
    examples: tuple[WorkedExample, ...]


@cache
def read_guide(name: str) -> Guide:
    """Return the guide of a protocol in English, or its title where it has none."""
    path = _HERE / f"{name}.en.toml"
    if not path.exists():
        return Guide(protocol(name).title, (), ())
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return Guide(
        content["lead"],
        tuple(content["points"]),
        tuple(
            build_example(protocol(name), one, f"{path}") for one in content["examples"]
        ),
    )


def build_example(
    asked: Protocol, content: Mapping[str, Any], place: str
) -> WorkedExample:
    """Return an example whose answer is checked as a judge's would be.

    Marks and tags quote the words that they stand on.
    """
    asked = asked.bind(content.get("material", {}), document="", segment=0)
    outputs = tuple(content["outputs"])
    written = {
        step.replace("{step}", asked.steps[0].name): value
        for step, value in content["answer"].items()
    }
    asks = {step.name: step.asks for step in asked.steps}
    answer = {
        name: asks[name].locate_quotes(value, outputs[0], place)
        if name in asks
        else value
        for name, value in written.items()
    }
    texts = {str(at): text for at, text in enumerate(outputs, 1)}
    if not asked.contrastive:
        texts = {"output": outputs[0]}
    checked = hide_key(asked.check(answer, texts))
    extra = {
        step.name: step.asks.extra(outputs[0])
        for step in asked.steps
        if step.asks.has_extra
    }
    return WorkedExample(content["other"], outputs, checked, content["why"], extra)


_WORDINGS_HERE = Path(__file__).parent / "texts" / "wordings"


def freeze_wordings(campaign: Campaign, own: Sequence[Wording] = ()) -> Campaign:
    """Return a campaign with the words that its judges may read."""
    wordings = tuple(own) or _list_builtin_wordings(
        campaign.settings, campaign.protocol
    )
    return replace(campaign, wordings=wordings)


def list_wordings(campaign: Campaign) -> tuple[Wording, ...]:
    """Return the words that judges may read, also of campaigns that froze none."""
    return campaign.wordings or _list_builtin_wordings(
        campaign.settings, campaign.protocol
    )


def choose_campaign_wording(campaign: Campaign, language: str) -> Wording:
    """Return the words in the language of a judge's pages, else the first."""
    wordings = list_wordings(campaign)
    for wanted in (language, language.split("-")[0]):
        for wording in wordings:
            if wanted in (wording.language, wording.language.split("-")[0]):
                return wording
    return wordings[0]


def find_wording_version(campaign: Campaign, language: str) -> str:
    """Return the hash of the words in a language that judges read; empty if unknown."""
    versions = (one.version for one in campaign.wordings if one.language == language)
    return next(versions, "")


def translate_protocol(asked: Protocol, language: str) -> Wording:
    """Return a protocol's words in one of metra's languages, else in English."""
    steps = tuple(map(get_step_words, asked.steps))
    ours = (
        read_guide(asked.name)
        if asked.name in PROTOCOLS
        else Guide(asked.title, (), ())
    )
    wording = Wording(ENGLISH, "protocol", ours.lead, ours.points, ours.examples, steps)
    content = read_catalogue(language).get(asked.name) if language != ENGLISH else None
    if content is None:
        return wording
    entries = content["steps"]
    return replace(
        wording,
        language=language,
        author="translation",
        lead=content["lead"],
        points=tuple(content["points"]),
        examples=tuple(
            replace(example, why=why)
            for example, why in zip(ours.examples, content["why"], strict=True)
        ),
        steps=tuple(
            overlay_words(
                words,
                language,
                _keep_current_parts(step, asked.name, entries.get(step.name, {})),
                under=ENGLISH,
            )
            for step, words in zip(asked.steps, steps, strict=True)
        ),
    )


@cache
def read_catalogue(language: str) -> dict[str, Any]:
    """Return a language's words for all protocols; none for an unknown language."""
    path = _WORDINGS_HERE / f"{language}.toml"
    if language not in LANGUAGES or not path.exists():
        return {}
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _list_builtin_wordings(settings: Settings, asked: Protocol) -> tuple[Wording, ...]:
    """Return the protocol's words alone, or those in every language, by the settings."""
    usual = ENGLISH if asked.name in OFFICIAL else JUDGES_OWN
    language = settings.guide_language or usual
    codes = LANGUAGES if language == JUDGES_OWN else (language,)
    return tuple(translate_protocol(asked, code) for code in codes)


def _keep_current_parts(
    step: Step, name: str, entry: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parts of a translation whose English still stands in the step."""
    known = {one.name: one for one in PROTOCOLS[name].steps}
    if step.name not in known:
        return {}
    ours, theirs = get_step_words(known[step.name]), get_step_words(step)
    same = {
        "name": True,
        "question": ours.question == theirs.question,
        "labels": ours.anchors == theirs.anchors,
        "texts": ours.anchors == theirs.anchors,
        "names": set(theirs.names) <= set(entry.get("names", ())),
        "brief": ours.brief == theirs.brief,
    }
    kept = {part: text for part, text in entry.items() if same[part]}
    if "names" in kept:
        kept["names"] = {key: kept["names"][key] for key in theirs.names}
    return kept


_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_TEXTS = ("title", "lead")
_PARAGRAPHS = ("introduction", "paragraphs", "points")
_KNOWN = ("language", *_TEXTS, *_PARAGRAPHS, "steps", "examples")
_EXAMPLE = ("other", "outputs", "answer", "why", "material")
_LANGUAGE = "language"
_MISSING = "missing"
#: What may be filled in: in questions and labels, and in the guide.
_IN_STEPS = frozenset({_LANGUAGE})
_IN_GUIDE = frozenset({_MISSING})


def add_wordings(frozen: Campaign, given: object, place: str) -> Campaign:
    """Return a campaign with what its judges read: its own words, else metra's."""
    if given is None:
        return freeze_wordings(frozen)
    if frozen.settings.guide_language:
        msg = (
            f"{place} has guide_language and [wording]; expected one of them, because a "
            "wording says which language it is in."
        )
        raise FormatError(msg)
    return freeze_wordings(frozen, parse_wordings(given, frozen.protocol, place))


def read_wording(text: str) -> object:
    """Return words from lines of TOML, with or without [wording]; None if empty."""
    if not text.strip():
        return None
    try:
        table = tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        msg = (
            f'The wording is no TOML: {error}; expected lines such as language = "pt".'
        )
        raise FormatError(msg) from None
    return table["wording"] if list(table) == ["wording"] else table


def parse_wordings(given: object, asked: Protocol, place: str) -> tuple[Wording, ...]:
    """Return the words in the table, or the tables, [wording]; `place` names the file."""
    tables = given if isinstance(given, list) else [given]
    wordings = []
    for at, table in enumerate(tables, 1):
        where = f"{place}: wording" + (f" {at}" if len(tables) > 1 else "")
        if not isinstance(table, Mapping):
            msg = f"{where} is {table!r}; expected a table of words."
            raise FormatError(msg)
        wordings.append(_parse_wording(table, asked, where))
    codes = [one.language for one in wordings]
    if len(set(codes)) < len(codes):
        msg = f"{place}: two wordings are in one language; expected one for each."
        raise FormatError(msg)
    return tuple(wordings)


def _parse_wording(table: Mapping[str, Any], asked: Protocol, where: str) -> Wording:
    _refuse_unknown(table, _KNOWN, "entry", where)
    code = table.get("language")
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        msg = (
            f"{where}: language is {code!r}; expected the code of the language that these "
            "words are in, such as pt."
        )
        raise FormatError(msg)
    texts: dict[str, Any] = {
        name: _parse_text(table[name], _IN_GUIDE, code, f"{where}.{name}")
        for name in _TEXTS
        if name in table
    }
    texts |= {
        name: _parse_texts(table[name], _IN_GUIDE, code, f"{where}.{name}")
        for name in _PARAGRAPHS
        if name in table
    }
    below = translate_protocol(asked, code.split("-")[0])
    elsewhere = {} if below.language == code else {"guide": below.language}
    if "lead" in table or "points" in table or "paragraphs" in table:
        # Points in another language than the lead above them would be a riddle.
        elsewhere = {}
        below = replace(below, lead="", points=())
    examples = below.examples
    examples_in = below.examples_in
    if "examples" in table:
        examples = _parse_examples(table["examples"], asked, code, where)
        examples_in = ""
    elif below.language != code:
        elsewhere = elsewhere | {"examples": below.language}
    steps = _parse_steps(table.get("steps", {}), asked, below, code, where)
    return replace(
        below,
        language=code,
        author="campaign",
        steps=steps,
        examples=examples,
        examples_in=examples_in,
        elsewhere=elsewhere,
        **texts,
    )


def _parse_steps(
    given: object, asked: Protocol, below: Wording, code: str, where: str
) -> tuple[StepWords, ...]:
    if not isinstance(given, Mapping):
        msg = f"{where}.steps is {given!r}; expected a table for each step."
        raise FormatError(msg)
    known = [step.name for step in asked.steps]
    _refuse_unknown(given, known, "step", f"{where}.steps")
    return tuple(
        overlay_words(
            below.of_step(step),
            code,
            _parse_step(
                given.get(step.name, {}),
                get_step_words(step),
                code,
                f"{where}.steps.{step.name}",
            ),
            under=below.language,
        )
        for step in asked.steps
    )


def _parse_step(
    given: object, official: StepWords, code: str, where: str
) -> dict[str, Any]:
    """Return a step's words: every choice has a name or none has, and nothing else."""
    points = [format_point(anchor.at) for anchor in official.anchors]
    wanted = {
        "name": None,
        "question": None,
        **({"labels": points, "texts": points} if points else {}),
        **({"names": list(official.names)} if official.names else {}),
        **({"brief": None} if official.brief else {}),
    }
    if not isinstance(given, Mapping):
        msg = f"{where} is {given!r}; expected a table of words."
        raise FormatError(msg)
    _refuse_unknown(given, wanted, "entry", where)
    if ("labels" in given) != ("texts" in given):
        msg = f"{where} has labels or texts alone; expected both, for every point of the scale."
        raise FormatError(msg)
    parts: dict[str, Any] = {}
    for part, entry in given.items():
        keys = wanted[part]
        if keys is None:
            parts[part] = _parse_text(entry, _IN_STEPS, code, f"{where}.{part}")
            continue
        if not isinstance(entry, Mapping):
            msg = f"{where}.{part} is {entry!r}; expected a text for each of {', '.join(keys)}."
            raise FormatError(msg)
        _refuse_unknown(entry, keys, "entry", f"{where}.{part}")
        lacking = [key for key in keys if key not in entry]
        if lacking:
            msg = (
                f"{where}.{part} has nothing for {lacking[0]!r}; expected a text for each of "
                f"{', '.join(keys)}, so that no scale is in two languages."
            )
            raise FormatError(msg)
        parts[part] = {
            key: _parse_text(entry[key], _IN_STEPS, code, f"{where}.{part}.{key}")
            for key in keys
        }
    return parts


def _parse_examples(
    given: object, asked: Protocol, code: str, where: str
) -> tuple[Any, ...]:
    tables = isinstance(given, list) and all(isinstance(one, Mapping) for one in given)
    if not tables:
        msg = f"{where}.examples is {given!r}; expected tables [[wording.examples]]."
        raise FormatError(msg)
    found = []
    for at, table in enumerate(given, 1):  # type: ignore[arg-type,var-annotated]
        place = f"{where}.examples {at}"
        _refuse_unknown(table, _EXAMPLE, "entry", place)
        for name in ("outputs", "answer", "why"):
            if name not in table:
                msg = f"{place} has no {name}; expected outputs, answer and why."
                raise FormatError(msg)
        outputs = _parse_texts(table["outputs"], None, code, f"{place}.outputs")
        many = len(outputs) > 1 if asked.contrastive else len(outputs) == 1
        if not many or not isinstance(table["answer"], Mapping):
            expected = "two texts or more" if asked.contrastive else "one text"
            msg = (
                f"{place} has the outputs {list(outputs)}; expected {expected}, and an "
                "answer with an entry for each step."
            )
            raise FormatError(msg)
        content = {
            "other": _parse_text(table["other"], None, code, f"{place}.other")
            if table.get("other")
            else "",
            "outputs": outputs,
            "answer": table["answer"],
            "why": _parse_text(table["why"], _IN_GUIDE, code, f"{place}.why"),
            "material": table.get("material", {}),
        }
        try:
            found.append(build_example(asked, content, place))
        except FormatError:
            raise
        except MetraError as error:
            msg = f"{place}: {error}"
            raise FormatError(msg) from None
    return tuple(found)


def _refuse_unknown(
    table: Mapping[str, Any],
    known: Sequence[str] | Mapping[str, Any],
    what: str,
    where: str,
) -> None:
    for name in table:
        if name not in known:
            raise FormatError(no_such(what, name, known, owner=where))


def _parse_texts(
    given: object, places: frozenset[str] | None, code: str, where: str
) -> tuple[str, ...]:
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, list) or not given:
        msg = f"{where} is {given!r}; expected a text, or a list of paragraphs."
        raise FormatError(msg)
    return tuple(
        _parse_text(one, places, code, f"{where} {at}")
        for at, one in enumerate(given, 1)
    )


def _parse_text(
    given: object, places: frozenset[str] | None, code: str, where: str
) -> str:
    """Return a text on one line; braces may only hold `places`, None allows all."""
    if not isinstance(given, str) or not given.strip():
        msg = f"{where} is {given!r}; expected a text."
        raise FormatError(msg)
    text = " ".join(given.split())
    if places is None:
        return given.strip()
    for name in _find_placeholders(text, where):
        if name not in places:
            allowed = " or ".join(f"{{{one}}}" for one in sorted(places))
            msg = f"{where} has the place {{{name}}}; expected {allowed}, or no braces."
            raise FormatError(msg)
        if name == _LANGUAGE and code.split("-")[0] not in LANGUAGES:
            msg = (
                f"{where} has the place {{{name}}}, but metra cannot name languages in "
                f"{code}; write the target language's name."
            )
            raise FormatError(msg)
    return text


def _find_placeholders(text: str, where: str) -> list[str]:
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        msg = f"{where} has a brace of its own; expected braces around places alone."
        raise FormatError(msg) from None
    return [name for _, name, _, _ in parts if name is not None]
