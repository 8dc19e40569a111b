"""JSON documents, schema 1: the contract with other programs."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from metra import __version__
from metra.scoring.results import GroupScores, Results, Score, SystemScores

if TYPE_CHECKING:
    from metra.scoring.compare import SystemComparison

#: The version of every JSON document.
SCHEMA = 1
#: Keys of a comparison in the document, in this order.
COMPARISON = (
    *("metric", "baseline", "system", "difference", "interval"),
    *("standard_error", "effect", "p_value", "p_holm", "p_bh"),
    *("significant", "higher_is_better", "test", "family", "family_size", "gain"),
)
#: Keys of a score, and those that are left out where there is no value.
SCORE = (
    *("score", "interval", "signature", "higher_is_better", "target"),
    *("segment_signature", "parts"),
)
_LEFT_OUT = ("interval", "target", "segment_signature")
#: Keys of a metric's note.
DETAIL = ("note", "text", "about", "count", "segments")


def convert_results(results: Results) -> dict[str, Any]:
    """Return the results as plain dicts and lists, by key of the document."""
    shape: dict[str, Any] = {"segments": results.segments}
    if results.documents is not None:
        shape["documents"] = results.documents
    shape["references"] = results.references
    if results.layouts:
        shape["layouts"] = dict(results.layouts)
    if results.joined:
        shape["joined"] = results.joined
    systems = [_list_scores(entry) | _list_levels(entry) for entry in results.systems]
    data: dict[str, Any] = {"evalset": shape, "systems": systems}
    if results.terms is not None:
        data["comparisons"] = [*map(convert_comparison, results.comparisons)]
        if results.clusters is not None:
            data["clusters"] = results.clusters
    if results.groups is not None:
        data["groups"] = [*map(_convert_group, results.groups)]
    return convert_record(data)


def convert_comparison(entry: "SystemComparison") -> dict[str, Any]:
    """Return a comparison as a dict, with the reason if there was no test."""
    data = {name: getattr(entry, name) for name in COMPARISON}
    return data | ({"reason": entry.reason} if entry.reason else {})


def write_results(results: Results) -> Iterator[str]:
    """Write results as JSON, in pieces: groups a line each, as there may be very many."""
    import json

    if results.groups is None:
        yield render_json(convert_results(results))
        return
    document = render_json(convert_results(replace(results, groups=None)))
    end = "\n}"
    yield document.removesuffix(end) + ',\n "groups": ['
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for place, group in enumerate(results.groups):
        line = encode(convert_record(_convert_group(group)))
        yield f"{',' if place else ''}\n  {line}"
    yield f"\n ]{end}"


def _convert_group(group: GroupScores) -> dict[str, Any]:
    return {
        "key": {name: _convert_key(value) for name, value in group.key.items()},
        "segments": group.segments,
        "systems": list(map(_list_scores, group.systems)),
    }


def render_json(data: dict[str, Any]) -> str:
    """Write a JSON document with the versions of metra and of the schema first."""
    import json

    return json.dumps(build_document(data), ensure_ascii=False, indent=1)


def build_document(data: dict[str, Any]) -> dict[str, Any]:
    """Put the versions of metra and of the schema before the keys of a document."""
    return {"metra": __version__, "schema": SCHEMA, **data}


def convert_record(value: Any, number: Callable[[float], Any] | None = None) -> Any:
    """Return a record, or whatever is in one, as plain dicts, lists and numbers.

    `number` converts floats; `convert_number` unless it is given.
    """
    if isinstance(value, float):
        return (number or convert_number)(value)
    # The kinds that there are most of first: to ask an abstract class takes much longer.
    if value is None or isinstance(value, (str, int, bytes)):
        return value
    if isinstance(value, (dict, Mapping)):
        return {str(key): convert_record(entry, number) for key, entry in value.items()}
    if isinstance(value, (list, tuple, Sequence)):
        return [convert_record(entry, number) for entry in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: convert_record(getattr(value, field.name), number)
            for field in fields(value)
        }
    return value


def convert_number(value: float) -> float | int | None:
    """Return counts as whole numbers, and None for what JSON has no number for."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def _list_scores(entry: SystemScores) -> dict[str, Any]:
    scores = {}
    for spec, score in entry.scores.items():
        data = {name: getattr(score, name) for name in SCORE}
        scores[spec] = {
            name: value
            for name, value in data.items()
            if value is not None or name not in _LEFT_OUT
        }
    return {"name": entry.name, "scores": scores}


def _list_levels(entry: SystemScores) -> dict[str, Any]:
    """Return scores of documents and segments and their details, by level and spec."""
    levels: dict[str, dict[str, Any]] = {}
    for spec, score in entry.scores.items():
        values = {
            "documents": score.documents,
            "segments": None if score.segments is None else score.segments.tolist(),
            "alignments": _list_alignments(score),
            "details": None
            if score.details is None
            else [{name: getattr(d, name) for name in DETAIL} for d in score.details],
        }
        for level, own in values.items():
            if own is not None:
                levels.setdefault(level, {})[spec] = own
    return levels


def _list_alignments(score: Score) -> list[dict[str, Any]] | None:
    if score.alignments is None:
        return None
    names = ("chosen", "unit", "counts", "hyp", "ref", "links")
    return [
        {
            "segment": number,
            "references": [
                {"reference": each.reference + 1}
                | {name: getattr(each, name) for name in names}
                for each in alignments
            ],
        }
        for number, alignments in score.alignments.items()
    ]


def _convert_key(value: object) -> object:
    """Keep whole numbers as numbers; all else is text."""
    return value if value is None or isinstance(value, (bool, int)) else str(value)
