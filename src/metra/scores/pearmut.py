"""Pearmut's files: campaigns as JSON, and its judges' answers as JSON lines.

A line of results is a screen: a document whose items one judge annotated for one or more
systems. Marks count UTF-16 units, and their end is the last one inside; a mark behind the
end of the text is an omission. A later line of the same judge and screen replaces an
earlier one, and a reset masks all before it. Zouhar et al. 2026, arXiv 2601.02933.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeAlias

from metra.errors import FormatError
from metra.formats.lines import read_lines
from metra.formats.recognise import FileHead
from metra.formats.stream import format_path, load_json, parse_json
from metra.scores.judgement import (
    OMISSION,
    Judgement,
    JudgementCheck,
    attach_outputs,
    build_imported_judgement,
    build_scores,
    find_latest,
    refuse_line,
)
from metra.scores.mqm import MQM_WEIGHTS, find_cost
from metra.scores.spans import Spans, collect_spans
from metra.scores.table import LANGUAGE_PAIR, ScoreRow, Scores, concatenate_scores
from metra.text.words import from_utf16_inclusive

#: A line of results, and its place for messages.
Entry: TypeAlias = tuple[str, dict[str, Any]]
_RESET = "__RESET__"
#: Which protocol of ours asks what each of Pearmut's asks.
_PROTOCOLS = {"da": "da", "esa": "esa", "cesa": "esa", "esa-ai": "esa", "mqm": "mqm"}
#: Pauses longer than this count as so many seconds only, as Pearmut counts.
_LONGEST_PAUSE = 61.0


#: The steps of these protocols, with the severities of their marks; another protocol has a
#: single score. Only marks of MQM have categories.
STEPS: dict[str, dict[str, tuple[str, ...]]] = {
    "da": {"da": ()},
    "esa": {"errors": ("minor", "major"), "esa": ()},
    "mqm": {"mqm": ("major", "minor", "neutral")},
}
#: Points of errors from which on an output has the worst score.
_WORST = 25


#: Ids of tutorials and attention checks of WMT, and the version behind a campaign's name.
_CHECK = re.compile(r"_#_tutorial_#_|^attention_check_")
_VERSION = re.compile(r" v\d+$")
#: The beginning of results, or of the results of the first campaign; entries can be long.
_HEAD = re.compile(
    r'\s*\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*\[\s*\{\s*)?(?:"(?:user_id|item_i)"\s*:[^{\[]*)?'
    r'"(?:annotation"\s*:\s*(?:\[\s*(?:\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{|null)|"__RESET__)'
    r'|(?:item|actions)"\s*:\s*\[)'
)


def is_results(head: FileHead) -> bool:
    """Tell results of a campaign, or those of several by campaign in one object."""
    keys = (head.first_object or {}).keys()
    return {"annotation", "user_id"} <= keys or _HEAD.match(head.text) is not None


def _split_campaigns(lines: Sequence[str], place: str) -> dict[str, list[Entry]]:
    """List the entries of each campaign; one that has a file of its own has no name."""
    try:
        content = load_json("\n".join(lines), place)
    except ValueError:
        content = {}
    if not isinstance(content, dict) or not content or "annotation" in content:
        return {"": _parse_lines(lines, place)}
    return {
        name: _place_entries(each, f"{place}, {name}") for name, each in content.items()
    }


def _find_pair(name: str) -> str:
    """Return the language pair that a campaign's name ends with, or nothing.

    >>> _find_pair("wmt25_#_en-cs"), _find_pair("ces_Latn---deu_Latn v3")
    ('en-cs', 'ces_Latn-deu_Latn')
    """
    pair = _VERSION.sub("", name.rpartition("_#_")[2]).replace("---", "-")
    return pair if LANGUAGE_PAIR.fullmatch(pair) else ""


def read_results(path: str) -> Scores:
    """Read the scores of outputs; those of MQM are the points of the marked errors."""
    tables = []
    for name, judgements in _read_judgements(path).items():
        scores = attach_outputs(build_scores(judgements, _score_answer), judgements)
        # Only the names of campaigns may name languages.
        lang = _find_pair(name) or name
        items = (item._replace(lang=lang) for item in scores.items)
        tables.append(replace(scores, items=tuple(items)))
    return concatenate_scores(tables)


def _read_judgements(path: str) -> dict[str, list[Judgement]]:
    """Read the judgements of each campaign, as they stand."""
    campaigns = _split_campaigns(read_lines(path), format_path(path))
    protocol = _guess_protocol(campaigns)
    return {
        name: _parse_entries(
            entries, protocol, ("und", "und"), lambda one: one, name or "pearmut"
        )
        for name, entries in campaigns.items()
    }


def read_result_spans(path: str) -> Spans:
    """Read the marks of the last revision of each answer."""
    campaigns = _read_judgements(path)
    if len(campaigns) > 1:
        names = ", ".join(campaigns)
        msg = f"{format_path(path)} has several campaigns ({names}); give one of them."
        raise FormatError(msg)
    (judgements,) = campaigns.values()
    latest = (judgements[at] for at in find_latest(judgements).values())
    return collect_spans(latest, path)


def _score_answer(judgement: Judgement) -> list[tuple[ScoreRow]]:
    name = judgement.protocol
    if name != "mqm":
        if judgement.value[name] is None:
            msg = f"the answer of {judgement.judge} ({judgement.id}) has no score"
            raise FormatError(msg)
        value = float(judgement.value[name])
        return [(ScoreRow(name, value, value),)]
    marks = judgement.value[name]
    costs = (find_cost(MQM_WEIGHTS, m["severity"], m["category"]) for m in marks)
    points = sum(costs) / 10
    hundred = 100 * max(0.0, 1 - points / _WORST)
    return [(ScoreRow(name, points, hundred, higher_is_better=False),)]


def find_protocol(text: str, path: str) -> str | None:
    """Return which protocol of ours a campaign follows; None if it does not say."""
    info = _parse_object(text, path).get("info")
    name = str(info.get("protocol", "")) if isinstance(info, Mapping) else ""
    if not name:
        return None
    if name.lower() not in _PROTOCOLS:
        msg = f"{path} follows {name!r}; expected {', '.join(_PROTOCOLS)}."
        raise FormatError(msg)
    return _PROTOCOLS[name.lower()]


def parse_results(
    lines: Sequence[str],
    path: str,
    *,
    languages: tuple[str, str],
    check: JudgementCheck,
    campaign: str = "pearmut",
    protocol: str | None = None,
) -> list[Judgement]:
    """Parse what the judges did; without a `protocol`, the marks tell which one it was.

    Campaigns in one file have their own languages, where their names say which.
    """
    campaigns = _split_campaigns(lines, path)
    asked = protocol or _guess_protocol(campaigns)
    judgements = []
    for name, entries in campaigns.items():
        source, dash, target = _find_pair(name).partition("-")
        pair = (source, target) if dash else languages
        judgements += _parse_entries(entries, asked, pair, check, name or campaign)
    return judgements


def _parse_lines(lines: Iterable[str], path: str) -> list[Entry]:
    return [
        (f"{path}, line {number}", _parse_object(line, f"{path}, line {number}"))
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]


def _place_entries(entries: Any, place: str) -> list[Entry]:
    """List the results of a campaign with their places."""
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        return [(f"{place}, entry {at}", entry) for at, entry in enumerate(entries, 1)]
    msg = f"{place} is not a list of Pearmut's results; expected objects with annotations."
    raise FormatError(msg)


def _parse_entries(
    entries: Iterable[Entry],
    asked: str,
    languages: tuple[str, str],
    check: JudgementCheck,
    campaign: str,
) -> list[Judgement]:
    steps = STEPS.get(asked, {asked: ()})
    segments: dict[tuple[str, int], int] = {}
    judgements: list[Judgement] = []
    for place, entry in entries:
        if entry.get("annotation") == _RESET:
            judgements = [one for one in judgements if not _is_reset(one, entry)]
            continue
        with refuse_line(place):
            screen = _parse_screen(entry, asked, steps, segments, languages, campaign)
            judgements += map(check, screen)
    return _number_revisions(judgements)


def _parse_screen(
    entry: Mapping[str, Any],
    protocol: str,
    steps: Mapping[str, Sequence[str]],
    segments: dict[tuple[str, int], int],
    languages: tuple[str, str],
    campaign: str,
) -> Iterator[Judgement]:
    items, annotations = entry["item"], entry["annotation"]
    if any("form" in item for item in items):
        return  # questions about the judge, not about a text
    judge, screen = str(entry["user_id"]), str(entry["item_i"])
    document = _get_key(items[0])
    answered = sum(len(by_system or ()) for by_system in annotations)
    shown_at, submitted_at, active = _compute_times(entry.get("actions", []))
    seen: Counter[str] = Counter()
    for item, by_system in zip(items, annotations, strict=True):
        source = item.get("src")
        outputs, key = _get_outputs(item), _get_key(item)
        # Several items of a document may have the same id.
        seen[key] += 1
        segment = segments.setdefault((key, seen[key]), len(segments) + 1)
        # Tutorials and attention checks have rules, or ids that say so.
        is_judged = screen.isdecimal() and not item.get("validation")
        is_judged = is_judged and not _CHECK.search(key)
        for system, answer in (by_system or {}).items():
            if not is_judged and answer.get("score") is None and protocol != "mqm":
                continue  # a tutorial may be skipped
            output = outputs[system]
            yield build_imported_judgement(
                f"{campaign}:{judge}:{screen}:{segment}:{system}",
                languages,
                system=system,
                output=output,
                campaign=campaign,
                protocol=protocol,
                judge=judge,
                kind="judged" if is_judged else "calibration",
                document=document,
                segment=segment,
                source=source if isinstance(source, str) else None,
                value={
                    step: _get_value(answer, severities, output)
                    for step, severities in steps.items()
                },
                shown_at=shown_at,
                submitted_at=submitted_at,
                active_ms=None if active is None else round(1000 * active / answered),
                comment=str(entry.get("comment") or ""),
            )


def _get_value(
    answer: Mapping[str, Any], severities: Sequence[str], output: str
) -> object:
    if severities:
        marks = (_parse_mark(x, severities, output) for x in answer["error_spans"])
        return [mark for mark in marks if mark is not None]
    if answer.get("score") is None and answer.get("sliders"):
        msg = f"sliders of its own ({', '.join(answer['sliders'])}) are not supported"
        raise FormatError(msg)
    return answer["score"]


def _parse_mark(
    span: Mapping[str, Any], severities: Sequence[str], output: str
) -> dict[str, Any] | None:
    """Return a mark in our terms; None for one without severity, never finished."""
    severity = str(span.get("severity") or "").lower()
    severity = {"critical": "major"}.get(severity, severity)
    if not severity or (severity == "neutral" and severity not in severities):
        return None
    mark: dict[str, Any] = {"severity": severity}
    if severities == STEPS["mqm"]["mqm"]:
        mark["category"] = str(span.get("category") or "other").lower()
    if span["start_i"] != OMISSION:
        start, end = from_utf16_inclusive(output, span["start_i"], span["end_i"])
        if start < len(output):
            return mark | {"side": "output", "start": start, "end": end}
    return mark | {"side": OMISSION}


def _guess_protocol(campaigns: Mapping[str, Sequence[Entry]]) -> str:
    spans = [
        span
        for entries in campaigns.values()
        for _, entry in entries
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


def _is_reset(judgement: Judgement, reset: Mapping[str, Any]) -> bool:
    """Return True if a reset takes a judgement back: on that screen or on all."""
    if judgement.judge != str(reset.get("user_id")):
        return False
    screen = reset.get("item_i")
    place = f"{judgement.campaign}:{judgement.judge}:{screen}:"
    return screen is None or judgement.task.startswith(place)


def _number_revisions(judgements: list[Judgement]) -> list[Judgement]:
    """Number the revisions of each answer, in the order of the lines."""
    counts: Counter[str] = Counter()
    numbered = []
    for judgement in judgements:
        counts[judgement.task] += 1
        revision = counts[judgement.task]
        name = judgement.id if revision == 1 else f"{judgement.id}:{revision}"
        numbered.append(replace(judgement, id=name, revision=revision))
    return numbered


def _compute_times(actions: Any) -> tuple[float | None, float | None, float | None]:
    times = [float(action["time"]) for action in actions if "time" in action]
    if not times:
        return None, None, None
    active = sum(min(end - start, _LONGEST_PAUSE) for start, end in pairwise(times))
    return times[0], times[-1], active


def _get_outputs(item: Mapping[str, Any]) -> dict[str, str]:
    outputs = item.get("tgt")
    if not isinstance(outputs, Mapping):
        msg = f"the item: tgt is {type(outputs).__name__}; expected texts by system."
        raise FormatError(msg)
    return {str(name): str(text) for name, text in outputs.items()}


def _get_key(item: Mapping[str, Any]) -> str:
    """Return an item's id; without one, what was translated tells items apart."""
    return str(item.get("item_id") or item.get("src") or item.get("ref") or "")


def _parse_object(text: str, place: str) -> dict[str, Any]:
    entry = parse_json(text, place)
    if not isinstance(entry, dict):
        msg = f"{place} is not a JSON object; expected what Pearmut writes."
        raise FormatError(msg)
    return entry
