"""JSON, schema 1: the contract with other programs."""

import json
from typing import Any

from metra import __version__
from metra.metrics.alignment import Alignment
from metra.report.layout import Style, convert_number
from metra.scoring.results import Results, Score, SystemComparison, SystemScores

SCHEMA = 1


def render(results: Results, _: Style) -> str:
    """Write everything that was found, numbers in full."""
    return json.dumps(convert_results(results), ensure_ascii=False, indent=1)


def convert_results(results: Results) -> dict[str, Any]:
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
                _convert_system(entry)
                | _wrap_level(
                    "documents", _collect_by_spec(entry.scores, _convert_documents)
                )
                | _wrap_level(
                    "segments", _collect_by_spec(entry.scores, _convert_segments)
                )
                | _wrap_level(
                    "alignments", _collect_by_spec(entry.scores, _convert_alignments)
                )
                | _wrap_level(
                    "details", _collect_by_spec(entry.scores, _convert_details)
                )
                for entry in results.systems
            ],
        }
        | _convert_comparisons(results)
        | _convert_groups(results)
    )


def _convert_system(entry: SystemScores) -> dict[str, Any]:
    return {
        "name": entry.name,
        "scores": _collect_by_spec(entry.scores, _convert_score),
    }


def _convert_groups(results: Results) -> dict[str, Any]:
    """Give each group's key, with numbers as numbers and all else as text."""
    if results.groups is None:
        return {}
    return {
        "groups": [
            {
                "key": {name: _convert_key(value) for name, value in group.key.items()},
                "segments": group.segments,
                "systems": [_convert_system(entry) for entry in group.systems],
            }
            for group in results.groups
        ]
    }


def _convert_key(value: object) -> object:
    return value if value is None or isinstance(value, (bool, int)) else str(value)


def _convert_comparisons(results: Results) -> dict[str, Any]:
    if results.terms is None:
        return {}
    data: dict[str, Any] = {
        "comparisons": [_convert_comparison(entry) for entry in results.comparisons]
    }
    if results.clusters is not None:
        data["clusters"] = {
            spec: [list(members) for members in clusters]
            for spec, clusters in results.clusters.items()
        }
    return data


def _convert_comparison(found: SystemComparison) -> dict[str, Any]:
    ends = found.interval
    data: dict[str, Any] = {
        "metric": found.metric,
        "baseline": found.baseline,
        "system": found.system,
        "difference": convert_number(found.difference),
        "interval": None if ends is None else [convert_number(end) for end in ends],
        "standard_error": _convert_optional(found.standard_error),
        "effect": _convert_optional(found.effect),
        "p_value": _convert_optional(found.p_value),
        "p_holm": _convert_optional(found.p_holm),
        "significant": found.significant,
        "higher_is_better": found.higher_is_better,
        "test": found.test,
    }
    return data | ({"reason": found.reason} if found.reason else {})


def _convert_optional(value: float | None) -> float | int | None:
    return None if value is None else convert_number(value)


def _collect_by_spec(scores: Any, part: Any) -> dict[str, Any]:
    found = {spec: part(score) for spec, score in scores.items()}
    return {spec: value for spec, value in found.items() if value is not None}


def _wrap_level(name: str, found: dict[str, Any]) -> dict[str, Any]:
    return {name: found} if found else {}


def _convert_score(score: Score) -> dict[str, Any]:
    data: dict[str, Any] = {"score": convert_number(score.score)}
    if score.interval is not None:
        data["interval"] = [convert_number(end) for end in score.interval]
    data["signature"] = score.signature
    data["higher_is_better"] = score.higher_is_better
    if score.segment_signature:
        data["segment_signature"] = score.segment_signature
    data["parts"] = {
        name: [convert_number(value) for value in part]
        if isinstance(part, list)
        else convert_number(part)
        for name, part in score.parts.items()
    }
    return data


def _convert_documents(score: Score) -> dict[str, Any] | None:
    if score.documents is None:
        return None
    return {name: convert_number(value) for name, value in score.documents.items()}


def _convert_segments(score: Score) -> list[Any] | None:
    if score.segments is None:
        return None
    return [convert_number(value) for value in score.segments.tolist()]


def _convert_alignments(score: Score) -> list[Any] | None:
    if score.alignments is None:
        return None
    return [
        {
            "segment": number,
            "references": [_convert_alignment(entry) for entry in alignments],
        }
        for number, alignments in score.alignments.items()
    ]


def _convert_details(score: Score) -> list[Any] | None:
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


def _convert_alignment(alignment: Alignment) -> dict[str, Any]:
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
