"""The words that judges read: guides, translations, and a campaign's own words.

    [wording]
    language = "pt"
    title = "Receitas traduzidas"

    [wording.steps.adequacy]
    question = "Quanto do sentido do outro texto este texto exprime?"

Missing words are metra's own in that language, else the protocol's English. Several
languages are several tables, [[wording]]; judges read the one of their pages, else the first.
"""

import re
import string
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from metra.campaign.campaign import Campaign
from metra.campaign.protocols.record import Protocol, Step, collect_extra, hide_key
from metra.campaign.protocols.registry import PROTOCOLS, protocol
from metra.campaign.rules import STRING, TABLE, TEXT, Rule, check_table
from metra.campaign.words import (
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
from metra.errors import FormatError, MetraError
from metra.formats.stream import parse_toml

_TEXTS = Path(__file__).parent / "texts"


@cache
def read_guide(name: str) -> Wording:
    """Return the guide of a protocol in English, without steps; its title if it has none."""
    asked, path = protocol(name), _TEXTS / "guides" / f"{name}.en.toml"
    if not path.exists():
        return Wording(ENGLISH, "protocol", asked.title, (), (), ())
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    examples = tuple(
        build_example(asked, one, str(path)) for one in content["examples"]
    )
    guide = content["lead"], tuple(content["points"]), examples
    return Wording(ENGLISH, "protocol", *guide, ())


def build_example(
    asked: Protocol, content: Mapping[str, Any], place: str
) -> WorkedExample:
    """Return an example whose answer is checked as a judge's would be.

    Marks and tags quote the words that they stand on.
    """
    asked = asked.bind(content.get("material", {}), document="", segment=0)
    outputs = tuple(content["outputs"])
    answer = {
        step.replace("{step}", asked.steps[0].name): value
        for step, value in content["answer"].items()
    }
    for step in asked.steps:
        if step.name in answer:
            value = answer[step.name]
            answer[step.name] = step.asks.locate_quotes(value, outputs[0], place)
    checked = hide_key(asked.check(answer, asked.name_texts(outputs, None)))
    extra = collect_extra(asked.steps, outputs[0])
    return WorkedExample(content["other"], outputs, checked, content["why"], extra)


def freeze_wordings(campaign: Campaign, own: Sequence[Wording] = ()) -> Campaign:
    """Return a campaign with the words that its judges may read: its own, else metra's."""
    bare = replace(campaign, wordings=())
    return replace(campaign, wordings=tuple(own) or list_wordings(bare))


def list_wordings(campaign: Campaign) -> tuple[Wording, ...]:
    """Return the words that judges may read, also of campaigns that froze none.

    These are the protocol's words alone, or those in every language, by the settings.
    """
    if campaign.wordings:
        return campaign.wordings
    asked = campaign.protocol
    usual = ENGLISH if asked.name in OFFICIAL else JUDGES_OWN
    language = campaign.settings.guide_language or usual
    codes = LANGUAGES if language == JUDGES_OWN else (language,)
    return tuple(translate_protocol(asked, code) for code in codes)


def choose_campaign_wording(campaign: Campaign, language: str) -> Wording:
    """Return the words in the language of a judge's pages, else the first."""
    wordings = list_wordings(campaign)
    for wanted in (language, language.split("-")[0]):
        for wording in wordings:
            if wanted in (wording.language, wording.language.split("-")[0]):
                return wording
    return wordings[0]


def translate_protocol(asked: Protocol, language: str) -> Wording:
    """Return a protocol's words in one of metra's languages, else in English."""
    steps = tuple(map(get_step_words, asked.steps))
    wording = Wording(ENGLISH, "protocol", asked.title, (), (), steps)
    if asked.name in PROTOCOLS:
        wording = replace(read_guide(asked.name), steps=steps)
    content = read_catalogue(language).get(asked.name) if language != ENGLISH else None
    if content is None:
        return wording
    reasons = zip(wording.examples, content["why"], strict=True)
    translated = []
    for step, words in zip(asked.steps, steps, strict=True):
        entry = content["steps"].get(step.name, {})
        parts = _keep_current_parts(step, asked.name, entry)
        translated.append(overlay_words(words, language, parts, under=ENGLISH))
    return replace(
        wording,
        language=language,
        author="translation",
        lead=content["lead"],
        points=tuple(content["points"]),
        examples=tuple(replace(example, why=why) for example, why in reasons),
        steps=tuple(translated),
    )


@cache
def read_catalogue(language: str) -> dict[str, Any]:
    """Return a language's words for all protocols; none for an unknown language."""
    path = _TEXTS / "wordings" / f"{language}.toml"
    if language not in LANGUAGES or not path.exists():
        return {}
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _keep_current_parts(
    step: Step, name: str, entry: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parts of a translation whose English still stands in the step."""
    steps = {one.name: one for one in PROTOCOLS[name].steps}
    if step.name not in steps:
        return {}
    ours, theirs = get_step_words(steps[step.name]), get_step_words(step)
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


def _is_code(value: object) -> bool:
    return isinstance(value, str) and bool(_CODE.fullmatch(value))


def _are_paragraphs(value: object) -> bool:
    listed = value if isinstance(value, list) else [value]
    return bool(listed) and all(map(TEXT.fits, listed))


_SENTENCES = ("title", "lead")
_PARAGRAPHS = ("introduction", "paragraphs", "points")
_TEXTS_RULE = Rule(_are_paragraphs, "a text, or a list of paragraphs")
_WORDING = {
    "language": Rule(_is_code, "a language code such as pt"),
    **dict.fromkeys(_SENTENCES, TEXT),
    **dict.fromkeys(_PARAGRAPHS, _TEXTS_RULE),
    "steps": TABLE,
    "examples": Rule(
        lambda value: isinstance(value, list) and all(map(TABLE.fits, value)),
        "tables [[wording.examples]]",
    ),
}
_EXAMPLE = {
    "other": STRING,
    "outputs": _TEXTS_RULE,
    "answer": TABLE,
    "why": TEXT,
    "material": TABLE,
}
#: What may be filled in: in questions and labels, and in the guide.
_IN_STEPS, _IN_GUIDE = frozenset({"language"}), frozenset({"missing"})


def add_wordings(frozen: Campaign, given: object, place: str) -> Campaign:
    """Return a campaign with what its judges read: its own words, else metra's."""
    if given is None:
        return freeze_wordings(frozen)
    if frozen.settings.guide_language:
        msg = (
            f"{place} has guide_language and [wording]; expected one of them, "
            "because [wording] names its language."
        )
        raise FormatError(msg)
    return freeze_wordings(frozen, parse_wordings(given, frozen.protocol, place))


def read_wording(text: str) -> object:
    """Return words from lines of TOML, with or without [wording]; None if empty."""
    if not text.strip():
        return None
    table = parse_toml(text, "The wording", 'lines such as language = "pt"')
    return table["wording"] if list(table) == ["wording"] else table


def parse_wordings(given: object, asked: Protocol, place: str) -> tuple[Wording, ...]:
    """Return the words in the table, or the tables, [wording]; `place` names the file."""
    tables = given if isinstance(given, list) else [given]
    wordings = []
    for at, table in enumerate(tables, 1):
        where = f"{place}: wording" + (f" {at}" if len(tables) > 1 else "")
        check_table(table, _WORDING, where, needed=["language"])
        wordings.append(_parse_wording(table, asked, where))
    codes = [one.language for one in wordings]
    if len(set(codes)) < len(codes):
        msg = (
            f"{place}: two wordings have the same language; expected one per language."
        )
        raise FormatError(msg)
    return tuple(wordings)


def _parse_wording(table: Mapping[str, Any], asked: Protocol, where: str) -> Wording:
    code = table["language"]
    parts: dict[str, Any] = {}
    for name in (*_SENTENCES, *_PARAGRAPHS):
        if name in table:
            texts = tuple(
                _tidy_text(text, _IN_GUIDE, code, f"{where}.{name}")
                for text in _list_texts(table[name])
            )
            parts[name] = texts[0] if name in _SENTENCES else texts
    below = translate_protocol(asked, code.split("-")[0])
    elsewhere = {} if below.language == code else {"guide": below.language}
    if table.keys() & {"lead", "points", "paragraphs"}:
        # Points in another language than the lead above them would be a riddle.
        elsewhere = {}
        below = replace(below, lead="", points=())
    if "examples" in table:
        parts["examples"] = _parse_examples(table["examples"], asked, code, where)
        parts["examples_in"] = ""
    elif below.language != code:
        elsewhere["examples"] = below.language
    parts["steps"] = _parse_steps(table.get("steps", {}), asked, below, code, where)
    return replace(
        below, language=code, author="campaign", elsewhere=elsewhere, **parts
    )


def _parse_steps(
    given: object, asked: Protocol, below: Wording, code: str, where: str
) -> tuple[StepWords, ...]:
    rules = {step.name: TABLE for step in asked.steps}
    tables = check_table(given, rules, f"{where}.steps", what="step")
    steps = []
    for step in asked.steps:
        official, place = get_step_words(step), f"{where}.steps.{step.name}"
        parts = _parse_step(tables.get(step.name, {}), official, code, place)
        words = below.of_step(step)
        steps.append(overlay_words(words, code, parts, under=below.language))
    return tuple(steps)


def _parse_step(
    given: object, official: StepWords, code: str, where: str
) -> dict[str, Any]:
    """Return a step's words: every choice has a name or none has, and nothing else."""
    points = [format_point(anchor.at) for anchor in official.anchors]
    keys = {"labels": points, "texts": points, "names": [*official.names]}
    rules = {"name": TEXT, "question": TEXT}
    rules |= {part: TABLE for part, own in keys.items() if own}
    if official.brief:
        rules["brief"] = TEXT
    table = check_table(given, rules, where)
    if ("labels" in table) != ("texts" in table):
        msg = f"{where} has only labels or only texts; expected both for every point."
        raise FormatError(msg)
    parts: dict[str, Any] = {}
    for part, entry in table.items():
        place = f"{where}.{part}"
        if part not in keys:
            parts[part] = _tidy_text(entry, _IN_STEPS, code, place)
            continue
        # All of them are needed, so that no scale is in two languages.
        texts = dict.fromkeys(keys[part], TEXT)
        check_table(entry, texts, place, needed=texts)
        parts[part] = {
            key: _tidy_text(entry[key], _IN_STEPS, code, f"{place}.{key}")
            for key in texts
        }
    return parts


def _parse_examples(
    given: Sequence[Mapping[str, Any]], asked: Protocol, code: str, where: str
) -> tuple[WorkedExample, ...]:
    examples = []
    for at, table in enumerate(given, 1):
        place = f"{where}.examples {at}"
        content = _parse_example(table, asked, code, place)
        try:
            examples.append(build_example(asked, content, place))
        except FormatError:
            raise
        except MetraError as error:
            msg = f"{place}: {error}"
            raise FormatError(msg) from None
    return tuple(examples)


def _parse_example(
    table: Mapping[str, Any], asked: Protocol, code: str, place: str
) -> dict[str, Any]:
    check_table(table, _EXAMPLE, place, needed=["outputs", "answer", "why"])
    outputs = [text.strip() for text in _list_texts(table["outputs"])]
    if asked.contrastive != (len(outputs) > 1):
        expected = "two texts or more" if asked.contrastive else "one text"
        msg = f"{place} has the outputs {outputs}; expected {expected}."
        raise FormatError(msg)
    return {
        "other": table.get("other", "").strip(),
        "outputs": outputs,
        "answer": table["answer"],
        "why": _tidy_text(table["why"], _IN_GUIDE, code, f"{place}.why"),
        "material": table.get("material", {}),
    }


def _list_texts(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else given


def _tidy_text(given: str, places: frozenset[str], code: str, where: str) -> str:
    """Return a text on one line; braces may only hold `places`."""
    text = " ".join(given.split())
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        msg = f"{where} has a stray brace; expected braces around field names only."
        raise FormatError(msg) from None
    for name in (part[1] for part in parts if part[1] is not None):
        if name not in places:
            allowed = " or ".join(f"{{{one}}}" for one in sorted(places))
            msg = f"{where} has the field {{{name}}}; expected {allowed}, or no braces."
            raise FormatError(msg)
        if name == "language" and code.split("-")[0] not in LANGUAGES:
            msg = (
                f"{where} has the field {{{name}}}, but metra cannot name languages in "
                f"{code}; write the target language's name."
            )
            raise FormatError(msg)
    return text
