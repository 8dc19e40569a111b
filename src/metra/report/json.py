"""JSON, schema 1: the contract with other programs."""

import json
from typing import Any

from metra import __version__
from metra.metrics.alignment import Alignment
from metra.report.layout import Style, number_records
from metra.scoring.results import Comparison, Results, Score, SystemScores

SCHEMA = 1


def render(results: Results, _: Style) -> str:
    """Write everything that was found, numbers in full."""
    return json.dumps(as_data(results), ensure_ascii=False, indent=1)


def as_data(results: Results) -> dict[str, Any]:
    """Give the results as plain dicts and lists."""
    shape: dict[str, Any] = {"segments": results.segments}
    if results.documents is not None:
        shape["documents"] = results.documents
    shape["references"] = results.references
    return (
        {
            "metra": __version__,
            "schema": SCHEMA,
            "evalset": shape,
            "systems": [
                _system(entry)
                | _level("documents", _each(entry.scores, _documents))
                | _level("segments", _each(entry.scores, _segments))
                | _level("alignments", _each(entry.scores, _alignments))
                | _level("details", _each(entry.scores, _details))
                for entry in results.systems
            ],
        }
        | _compared(results)
        | _grouped(results)
    )


def _system(entry: SystemScores) -> dict[str, Any]:
    return {"name": entry.name, "scores": _each(entry.scores, _score)}


def _grouped(results: Results) -> dict[str, Any]:
    """Give each group's key, with numbers as numbers and all else as text."""
    if results.groups is None:
        return {}
    return {
        "groups": [
            {
                "key": {name: _key(value) for name, value in group.key.items()},
                "segments": group.segments,
                "systems": [_system(entry) for entry in group.systems],
            }
            for group in results.groups
        ]
    }


def _key(value: object) -> object:
    return value if value is None or isinstance(value, (bool, int)) else str(value)


def _compared(results: Results) -> dict[str, Any]:
    if results.terms is None:
        return {}
    data: dict[str, Any] = {
        "comparisons": [_comparison(entry) for entry in results.comparisons]
    }
    if results.clusters is not None:
        data["clusters"] = {
            spec: [list(members) for members in clusters]
            for spec, clusters in results.clusters.items()
        }
    return data


def _comparison(found: Comparison) -> dict[str, Any]:
    ends = found.interval
    data: dict[str, Any] = {
        "metric": found.metric,
        "baseline": found.baseline,
        "system": found.system,
        "difference": number_records(found.difference),
        "interval": None if ends is None else [number_records(end) for end in ends],
        "standard_error": _optional(found.standard_error),
        "effect": _optional(found.effect),
        "p_value": _optional(found.p_value),
        "p_holm": _optional(found.p_holm),
        "significant": found.significant,
        "higher_is_better": found.higher_is_better,
        "test": found.test,
    }
    return data | ({"reason": found.reason} if found.reason else {})


def _optional(value: float | None) -> float | int | None:
    return None if value is None else number_records(value)


def _each(scores: Any, part: Any) -> dict[str, Any]:
    found = {spec: part(score) for spec, score in scores.items()}
    return {spec: value for spec, value in found.items() if value is not None}


def _level(name: str, found: dict[str, Any]) -> dict[str, Any]:
    return {name: found} if found else {}


def _score(score: Score) -> dict[str, Any]:
    data: dict[str, Any] = {"score": number_records(score.score)}
    if score.interval is not None:
        data["interval"] = [number_records(end) for end in score.interval]
    data["signature"] = score.signature
    data["higher_is_better"] = score.higher_is_better
    if score.segment_signature:
        data["segment_signature"] = score.segment_signature
    data["parts"] = {
        name: [number_records(value) for value in part]
        if isinstance(part, list)
        else number_records(part)
        for name, part in score.parts.items()
    }
    return data


def _documents(score: Score) -> dict[str, Any] | None:
    if score.documents is None:
        return None
    return {name: number_records(value) for name, value in score.documents.items()}


def _segments(score: Score) -> list[Any] | None:
    if score.segments is None:
        return None
    return [number_records(value) for value in score.segments.tolist()]


def _alignments(score: Score) -> list[Any] | None:
    if score.alignments is None:
        return None
    return [
        {"segment": number, "references": [_alignment(entry) for entry in alignments]}
        for number, alignments in score.alignments.items()
    ]


def _details(score: Score) -> list[Any] | None:
    if score.details is None:
        return None
    return [
        {
            "note": entry.note,
            "text": entry.text,
            "about": dict(entry.about),
            "count": entry.count,
            "segments": list(entry.segments),
        }
        for entry in score.details
    ]


def _alignment(alignment: Alignment) -> dict[str, Any]:
    return {
        "reference": alignment.reference + 1,
        "chosen": alignment.chosen,
        "unit": alignment.unit,
        "counts": alignment.counts,
        "hyp": list(alignment.hyp),
        "ref": list(alignment.ref),
        "links": [
            {"kind": link.kind, "hyp": list(link.hyp), "ref": list(link.ref)}
            for link in alignment.links
        ],
    }
