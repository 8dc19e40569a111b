"""A table of scores as text: a line for each value."""

from metra.meta.scores import Scores

COLUMNS = (
    "system",
    "segment",
    "document",
    "scorer",
    "value",
    "judge",
    "kind",
    "domain",
    "lang",
    "higher_is_better",
)


def long_table(scores: Scores) -> str:
    """Write the scores as tab-separated lines that can be read again to the last digit."""
    lines = ["\t".join(COLUMNS)]
    columns = (scores.system, scores.item, scores.scorer, scores.judge, scores.value)
    for system, at, who, judge, value in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        item, scorer = scores.items[at], scores.scorers[who]
        cells = (
            scores.systems[system],
            item.segment,
            item.document,
            scorer.name,
            repr(value),
            scores.judges[judge] if judge >= 0 else "",
            scorer.kind,
            item.domain,
            item.lang,
            "true" if scorer.higher_is_better else "false",
        )
        lines.append("\t".join(cells))
    return "\n".join(lines)
