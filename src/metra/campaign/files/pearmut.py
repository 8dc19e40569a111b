"""Pearmut's files: campaigns as JSON, and what its judges did as JSON lines.

A line of results is a screen: a document whose items one judge annotated for one or more
systems. Marks count UTF-16 units, and their end is the last one inside; what lies behind the
end of the text marks what is missing. A later line of the same judge and screen replaces an
earlier one, and a reset masks all before it. Zouhar et al. 2026, arXiv 2601.02933.

Texts as other programs' campaigns hold them, and how they become a corpus.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from metra.campaign.protocols.marks import Marks, find_marks
from metra.campaign.protocols.record import Protocol
from metra.campaign.protocols.registry import PROTOCOLS
from metra.errors import FormatError
from metra.formats.scores.judgement import OMISSION, Judgement
from metra.formats.stream import parse_json
from metra.text.offsets import code_points_inclusive


class JudgedText(NamedTuple):
    """One system's output of one item, with what was shown beside it."""

    system: str
    #: What the other program calls the item.
    item: str
    document: str
    source: str | None
    reference: str | None
    output: str
    #: Whether it was made to be noticed: a spoilt copy, a repeat, a tutorial.
    is_check: bool = False


def write_corpus(texts: Iterable[JudgedText]) -> tuple[str, int, int]:
    """Write a corpus as JSON lines; give also how many segments it has and how many not.

    An item is a segment where all systems translated it. Checks stay out.
    """
    items: dict[tuple[str, str], dict[str, JudgedText]] = {}
    for text in texts:
        if not text.is_check:
            items.setdefault((text.document, text.item), {})[text.system] = text
    systems = list(dict.fromkeys(name for item in items.values() for name in item))
    lines = []
    for (document, _), outputs in items.items():
        if len(outputs) == len(systems):
            first = outputs[systems[0]]
            entry: dict[str, object] = {"doc": document}
            if first.source is not None:
                entry["source"] = first.source
            if first.reference is not None:
                entry["ref"] = first.reference
            entry["outputs"] = {name: outputs[name].output for name in systems}
            lines.append(json.dumps(entry, ensure_ascii=False))
    kept = len(lines)
    return "".join(f"{line}\n" for line in lines), kept, len(items) - kept


_RESET = "__RESET__"
#: Which protocol of ours asks what each of Pearmut's asks.
_OURS = {"da": "da", "esa": "esa", "cesa": "esa", "esa-ai": "esa", "mqm": "mqm"}
#: Pauses longer than this count as so many seconds only, as Pearmut counts.
_LONGEST_PAUSE = 61.0


def read_campaign(text: str, place: str) -> list[JudgedText]:
    """Read the texts of a campaign; those of tutorials and random checks as checks."""
    campaign = _object(text, place)
    data = campaign.get("data")
    if not isinstance(data, list):
        msg = f"{place} has no list of data; expected a campaign of Pearmut."
        raise FormatError(msg)
    found: dict[tuple[str, str, str], JudgedText] = {}
    for is_check, documents in (
        (False, data),
        (True, campaign.get("data_welcome", [])),
        (True, campaign.get("data_random", [])),
    ):
        for items in _documents(documents):
            name = _key(items[0])
            for item in items:
                for system, output in _outputs(item, place).items():
                    key = system, _key(item), output
                    found[key] = JudgedText(
                        system,
                        _key(item),
                        name,
                        _text(item.get("src")),
                        _text(item.get("ref")),
                        output,
                        is_check,
                    )
    return list(found.values())


def read_results(
    text: str,
    place: str,
    *,
    languages: tuple[str, str],
    campaign: str = "pearmut",
    protocol: str | None = None,
) -> list[Judgement]:
    """Read what the judges did; without a name, the marks tell which protocol it was."""
    entries = [
        (f"{place}, line {at}", _object(line, f"{place}, line {at}"))
        for at, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]
    asked = PROTOCOLS[protocol or _guess_protocol(entry for _, entry in entries)]
    segments: dict[str, int] = {}
    found: list[Judgement] = []
    for where, entry in entries:
        if entry.get("annotation") == _RESET:
            found = [one for one in found if not _is_reset(one, entry)]
            continue
        try:
            found += _screen(entry, asked, segments, languages, campaign)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            msg = f"{where} cannot be read: {str(error).rstrip('.')}."
            raise FormatError(msg) from None
    return _number_revisions(found)


def _screen(
    entry: Mapping[str, Any],
    asked: Protocol,
    segments: dict[str, int],
    languages: tuple[str, str],
    campaign: str,
) -> Iterator[Judgement]:
    items, annotations = entry["item"], entry["annotation"]
    if any("form" in item for item in items):
        return  # questions about the judge, not about a text
    judge, screen = str(entry["user_id"]), str(entry["item_i"])
    document = _key(items[0])
    answered = sum(len(by_system) for by_system in annotations)
    shown_at, submitted_at, active = _compute_times(entry.get("actions", []))
    for item, by_system in zip(items, annotations, strict=True):
        outputs = _outputs(item, "the item")
        segment = segments.setdefault(_key(item), len(segments) + 1)
        for system, answer in by_system.items():
            output = outputs[system]
            name = f"{campaign}:{judge}:{screen}:{segment}:{system}"
            texts = {"output": output}
            yield Judgement(
                id=name,
                campaign=campaign,
                protocol=asked.name,
                protocol_version=asked.version,
                source_language=languages[0],
                target_language=languages[1],
                judge=judge,
                task=name,
                kind="judged" if screen.isdecimal() else "calibration",
                systems=(system,),
                document=document,
                segment=segment,
                source=_text(item.get("src")),
                outputs=(output,),
                value=asked.relax_rules().check(_value(answer, asked, output), texts),
                shown_at=shown_at,
                submitted_at=submitted_at,
                active_ms=None if active is None else round(1000 * active / answered),
                comment=str(entry.get("comment") or ""),
            )


def _value(answer: Mapping[str, Any], asked: Protocol, output: str) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for step in asked.steps:
        asks = find_marks([step.asks])
        if asks is not None:
            marks = (_mark(one, asks, output) for one in answer["error_spans"])
            value[step.name] = [mark for mark in marks if mark is not None]
        elif answer.get("score") is None and answer.get("sliders"):
            msg = f"sliders of its own ({', '.join(answer['sliders'])}) have no place here"
            raise FormatError(msg)
        else:
            value[step.name] = answer["score"]
    return value


def _mark(span: Mapping[str, Any], asks: Marks, output: str) -> dict[str, Any] | None:
    """A mark in our terms; None for one without severity, which was never finished."""
    severity = str(span.get("severity") or "").lower()
    severity = {"critical": "major"}.get(severity, severity)
    if not severity or (severity == "neutral" and severity not in asks.severities):
        return None
    mark: dict[str, Any] = {"severity": severity}
    if asks.categories:
        mark["category"] = str(span.get("category") or "other").lower()
    if span["start_i"] == OMISSION:
        return mark | {"side": OMISSION}
    place = code_points_inclusive(output, span["start_i"], span["end_i"])
    if place.start >= len(output):
        return mark | {"side": OMISSION}
    return mark | {"side": "output", "start": place.start, "end": place.end}


def _guess_protocol(entries: Iterator[Mapping[str, Any]]) -> str:
    spans = [
        span
        for entry in entries
        if isinstance(entry.get("annotation"), list)
        for by_system in entry["annotation"]
        if isinstance(by_system, Mapping)
        for answer in by_system.values()
        if isinstance(answer, Mapping)
        for span in answer.get("error_spans") or []
    ]
    if any(span.get("category") for span in spans):
        return "mqm"
    return "esa" if spans else "da"


def find_protocol(text: str, place: str) -> str | None:
    """Which protocol of ours a campaign asks; None if it does not say."""
    info = _object(text, place).get("info")
    name = str(info.get("protocol", "")) if isinstance(info, Mapping) else ""
    if not name:
        return None
    if name.lower() not in _OURS:
        msg = f"{place} follows {name!r}; expected {', '.join(_OURS)}."
        raise FormatError(msg)
    return _OURS[name.lower()]


def _is_reset(judgement: Judgement, reset: Mapping[str, Any]) -> bool:
    """Whether a reset takes a judgement back: the judge's, on that screen or on all."""
    if judgement.judge != str(reset.get("user_id")):
        return False
    screen = reset.get("item_i")
    place = f"{judgement.campaign}:{judgement.judge}:{screen}:"
    return screen is None or judgement.task.startswith(place)


def _number_revisions(judgements: list[Judgement]) -> list[Judgement]:
    """Number the revisions of each answer, in the order of the lines."""
    from dataclasses import replace

    counts: dict[str, int] = {}
    found = []
    for one in judgements:
        counts[one.task] = counts.get(one.task, 0) + 1
        revision = counts[one.task]
        name = one.id if revision == 1 else f"{one.id}:{revision}"
        found.append(replace(one, id=name, revision=revision))
    return found


def _compute_times(actions: Any) -> tuple[float | None, float | None, float | None]:
    times = [float(action["time"]) for action in actions if "time" in action]
    if not times:
        return None, None, None
    active = sum(min(later - at, _LONGEST_PAUSE) for at, later in pairwise(times))
    return times[0], times[-1], active


def _documents(data: Any) -> Iterator[list[dict[str, Any]]]:
    """Documents, however deep: by task, or all in one list."""
    if isinstance(data, list) and data and all(isinstance(one, dict) for one in data):
        if "tgt" in data[0]:
            yield data
    elif isinstance(data, list):
        for one in data:
            yield from _documents(one)


def _outputs(item: Mapping[str, Any], place: str) -> dict[str, str]:
    outputs = item.get("tgt")
    if not isinstance(outputs, Mapping):
        msg = f"{place}: tgt is {type(outputs).__name__}; expected texts by system."
        raise FormatError(msg)
    return {str(name): str(text) for name, text in outputs.items()}


def _key(item: Mapping[str, Any]) -> str:
    """An item's id; without one, what was translated tells items apart."""
    return str(item.get("item_id") or item.get("src") or item.get("ref") or "")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _object(text: str, place: str) -> dict[str, Any]:
    found = parse_json(text, place)
    if not isinstance(found, dict):
        msg = f"{place} is no JSON object; expected what Pearmut writes."
        raise FormatError(msg)
    return found
