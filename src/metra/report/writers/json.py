"""JSON, schema 1: the contract with other programs."""

from typing import Any

from metra.metrics.alignment import Alignment
from metra.report.table import convert_number
from metra.scoring.results import Results, Score, SystemComparison, SystemScores


def convert_results(results: Results) -> dict[str, Any]:
    """Return the results as plain dicts and lists, by key of the document."""
    shape: dict[str, Any] = {"segments": results.segments}
    if results.documents is not None:
        shape["documents"] = results.documents
    shape["references"] = results.references
    data: dict[str, Any] = {
        "evalset": shape,
        "systems": [
            _convert_system(entry) | _convert_levels(entry) for entry in results.systems
        ],
    }
    return data | _convert_comparisons(results) | _convert_groups(results)


def _convert_system(entry: SystemScores) -> dict[str, Any]:
    return {
        "name": entry.name,
        "scores": {spec: _convert_score(score) for spec, score in entry.scores.items()},
    }


def _convert_levels(entry: SystemScores) -> dict[str, Any]:
    """Return what is known of documents and segments, by level and spec."""
    data = {}
    for level, convert in (
        ("documents", _convert_documents),
        ("segments", _convert_segments),
        ("alignments", _convert_alignments),
        ("details", _convert_details),
    ):
        by_spec = {
            spec: value
            for spec, score in entry.scores.items()
            if (value := convert(score)) is not None
        }
        if by_spec:
            data[level] = by_spec
    return data


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


def _convert_comparison(comparison: SystemComparison) -> dict[str, Any]:
    ends = comparison.interval
    data: dict[str, Any] = {
        "metric": comparison.metric,
        "baseline": comparison.baseline,
        "system": comparison.system,
        "difference": convert_number(comparison.difference),
        "interval": None if ends is None else [convert_number(end) for end in ends],
        "standard_error": convert_number(comparison.standard_error),
        "effect": convert_number(comparison.effect),
        "p_value": convert_number(comparison.p_value),
        "p_holm": convert_number(comparison.p_holm),
        "significant": comparison.significant,
        "higher_is_better": comparison.higher_is_better,
        "test": comparison.test,
    }
    return data | ({"reason": comparison.reason} if comparison.reason else {})


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
