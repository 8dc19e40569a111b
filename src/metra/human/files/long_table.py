"""The long table that `metra meta` reads: a line for each score of each output.

What does not count for systems has a scorer of its own, such as `da-repeat`, so that no
mean can mix it in by mistake. Scores are on the native scale, with its direction. What was
judged as a whole text has a document and no segment. What has no score has no line; it is
in the table of `undefined`.
"""

from collections.abc import Iterable

from metra.human.files.one_line import one_line
from metra.human.judgement import Judgement, latest
from metra.human.protocols import protocol

COLUMNS = (
    "system",
    "scorer",
    "value",
    "segment",
    "document",
    "judge",
    "kind",
    "lang",
    "higher_is_better",
    "hundred",
)


def write(judgements: Iterable[Judgement]) -> str:
    """Write the last revision of each judgement."""
    lines = ["\t".join(COLUMNS)]
    for judgement in latest(judgements):
        ending = "" if judgement.counts else f"-{judgement.kind}"
        whole = protocol(judgement.protocol).whole
        lang = f"{judgement.source_language}-{judgement.target_language}"
        for system, scores in zip(judgement.systems, judgement.scores(), strict=True):
            for scored in scores:
                if not scored.defined:
                    continue
                cells = (
                    system,
                    f"{scored.scorer}{ending}",
                    repr(scored.native),
                    "" if whole else str(judgement.segment),
                    judgement.document,
                    judgement.judge,
                    scored.scorer,
                    lang,
                    "true" if scored.higher_is_better else "false",
                    repr(scored.hundred),
                )
                lines.append("\t".join(map(one_line, cells)))
    return "".join(f"{line}\n" for line in lines)
