"""What has no score, and why: a line each, so that nothing is missed in silence."""

from collections import Counter
from collections.abc import Iterable

from metra.human.files.one_line import one_line
from metra.human.judgement import Judgement, latest

COLUMNS = ("system", "scorer", "segment", "document", "judge", "reason")


def write(judgements: Iterable[Judgement]) -> str:
    """Write a table of the last revisions that have no score, or could not be judged."""
    lines = ["\t".join(COLUMNS)]
    for judgement in latest(judgements):
        place = str(judgement.segment), judgement.document, judgement.judge
        reasons = [
            (system, scored.scorer, scored.reason)
            for system, scores in zip(
                judgement.systems, judgement.scores(), strict=True
            )
            for scored in scores
            if not scored.defined
        ]
        if judgement.cannot is not None:
            reasons = [
                (system, judgement.protocol, f"could not be judged: {judgement.cannot}")
                for system in judgement.systems
            ]
        for system, scorer, reason in reasons:
            lines.append("\t".join(map(one_line, (system, scorer, *place, reason))))
    return "".join(f"{line}\n" for line in lines)


def by_system(
    judgements: Iterable[Judgement],
) -> dict[tuple[str, str], Counter[str]]:
    """How often there is no score, by system, scorer and reason, of what counts."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for one in latest(judgements):
        for system, scores in zip(one.systems, one.scores(), strict=True):
            for scored in scores if one.counts else ():
                if not scored.defined:
                    reasons = found.setdefault((system, scored.scorer), Counter())
                    reasons[scored.reason] += 1
    return found
