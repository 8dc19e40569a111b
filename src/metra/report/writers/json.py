"""JSON, schema 1: the contract with other programs."""

from typing import TYPE_CHECKING, Any

from metra.metrics.alignment import Alignment
from metra.report.table import convert_record
from metra.scoring.results import Results, Score, SystemScores

if TYPE_CHECKING:
    from metra.scoring.compare import SystemComparison

#: What the document has of a comparison, in this order.
COMPARISON = (
    *("metric", "baseline", "system", "difference", "interval"),
    *("standard_error", "effect", "p_value", "p_holm"),
    *("significant", "higher_is_better", "test"),
)


def convert_results(results: Results) -> dict[str, Any]:
    """Return the results as plain dicts and lists, by key of the document."""
    shape: dict[str, Any] = {"segments": results.segments}
    if results.documents is not None:
        shape["documents"] = results.documents
    shape["references"] = results.references
    systems = [_list_scores(entry) | _list_levels(entry) for entry in results.systems]
    data = {"evalset": shape, "systems": systems}
    return convert_record(data | _list_comparisons(results) | _list_groups(results))


def _list_scores(entry: SystemScores) -> dict[str, Any]:
    scores = {spec: _build_score(score) for spec, score in entry.scores.items()}
    return {"name": entry.name, "scores": scores}


def _build_score(score: Score) -> dict[str, Any]:
    data: dict[str, Any] = {"score": score.score}
    if score.interval is not None:
        data["interval"] = score.interval
    data["signature"] = score.signature
    data["higher_is_better"] = score.higher_is_better
    if score.segment_signature:
        data["segment_signature"] = score.segment_signature
    return data | {"parts": score.parts}


def _list_levels(entry: SystemScores) -> dict[str, Any]:
    """Return what is known of documents and segments, by level and spec."""
    levels: dict[str, dict[str, Any]] = {}
    for spec, score in entry.scores.items():
        for level, values in (
            ("documents", score.documents),
            ("segments", None if score.segments is None else score.segments.tolist()),
            ("alignments", _list_alignments(score)),
            ("details", _list_details(score)),
        ):
            if values is not None:
                levels.setdefault(level, {})[spec] = values
    return levels


def _list_alignments(score: Score) -> list[dict[str, Any]] | None:
    if score.alignments is None:
        return None
    return [
        {"segment": number, "references": list(map(_build_alignment, alignments))}
        for number, alignments in score.alignments.items()
    ]


def _build_alignment(alignment: Alignment) -> dict[str, Any]:
    return {
        "reference": alignment.reference + 1,
        "chosen": alignment.chosen,
        "unit": alignment.unit,
        "counts": alignment.counts,
        "hyp": alignment.hyp,
        "ref": alignment.ref,
        "links": [
            {"kind": link.kind, "hyp": link.hyp, "ref": link.ref}
            for link in alignment.links
        ],
    }


def _list_details(score: Score) -> list[dict[str, Any]] | None:
    if score.details is None:
        return None
    return [
        {
            "note": entry.note,
            "text": entry.text,
            "about": entry.about,
            "count": entry.count,
            "segments": entry.segments,
        }
        for entry in score.details
    ]


def _list_comparisons(results: Results) -> dict[str, Any]:
    if results.terms is None:
        return {}
    comparisons = list(map(_build_comparison, results.comparisons))
    clusters = {} if results.clusters is None else {"clusters": results.clusters}
    return {"comparisons": comparisons} | clusters


def _build_comparison(comparison: "SystemComparison") -> dict[str, Any]:
    data = {name: getattr(comparison, name) for name in COMPARISON}
    return data | ({"reason": comparison.reason} if comparison.reason else {})


def _list_groups(results: Results) -> dict[str, Any]:
    """Return each group's key, with whole numbers as numbers and all else as text."""
    if results.groups is None:
        return {}
    return {
        "groups": [
            {
                "key": {name: _convert_key(value) for name, value in group.key.items()},
                "segments": group.segments,
                "systems": list(map(_list_scores, group.systems)),
            }
            for group in results.groups
        ]
    }


def _convert_key(value: object) -> object:
    return value if value is None or isinstance(value, (bool, int)) else str(value)
