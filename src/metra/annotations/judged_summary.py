"""What a collection of judged outputs holds, in words."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from metra.annotations.judged import MOST, Judged
from metra.errors import UnknownNameError


def summary(judged: Sequence[Judged]) -> str:
    """Count what was judged, and by whom."""
    if not judged:
        return "Nothing is judged yet."
    outputs = {entry[:2] for entry in judged}
    perfect = {entry[:2] for entry in judged if entry.score == MOST}
    lines = [
        f"judgements       {len(judged)}",
        f"outputs          {len(outputs)}, {len(perfect)} of them judged perfect",
        f"source sentences {len({entry.source for entry in judged})}",
        f"mean score       {fmean(entry.score for entry in judged):.2f}",
    ]
    judges = Counter(entry.judge or "(unnamed)" for entry in judged)
    listed = ", ".join(f"{name} {count}" for name, count in judges.most_common())
    return "\n".join([*lines, f"judges           {listed}"])


def of_source(judged: Sequence[Judged], source: str) -> str:
    """List the outputs of one source sentence, the best first."""
    given: dict[str, list[Judged]] = {}
    for entry in judged:
        if entry.source == source:
            given.setdefault(entry.output, []).append(entry)
    if not given:
        msg = f"No output of the source sentence {source!r} is judged."
        raise UnknownNameError(msg)
    means = {
        output: fmean(entry.score for entry in entries)
        for output, entries in given.items()
    }
    return "\n".join(
        f"{means[output]:5.2f}  {output}  ({_judges(given[output])})"
        for output in sorted(means, key=lambda output: -means[output])
    )


def _judges(entries: Sequence[Judged]) -> str:
    return ", ".join(f"{entry.judge or 'unnamed'} {entry.score:g}" for entry in entries)
