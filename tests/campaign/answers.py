"""Judgements made up for tests, as short as they can be."""

from statistics import fmean

import numpy as np

from metra.campaign.imports import parse_judgements, read_file
from metra.campaign.judgement import build_campaign_scores
from metra.campaign.protocols.registry import protocol
from metra.meta.judges import add_flags
from metra.meta.options import FlagRules, RankOptions
from metra.meta.question import Evidence
from metra.meta.rank import ask_ranking
from metra.scores.judgement import Judgement
from metra.scores.selection import DEFAULT
from metra.scores.views import promote_documents


def made(system, segment, judge, score, kind="judged", name="adequacy", **more):
    """One answer; `score` is a number, or the whole value."""
    value = {name: score} if not isinstance(score, dict) else score
    fields = {
        "id": "",
        "campaign": "c",
        "protocol": name,
        "protocol_version": protocol(name).version,
        "source_language": "fr",
        "target_language": "en",
        "judge": judge,
        "task": f"{judge} {system} {segment} {kind}",
        "kind": kind,
        "systems": (system,),
        "document": f"d{segment // 2}",
        "segment": segment,
        "source": None,
        "outputs": ("x",),
        "value": value,
    }
    return Judgement(**fields | more)


def compare(segment, judge, systems, ranks, name="ranking"):
    """An answer that puts outputs in order, 1 being the best."""
    return made(
        *("", segment, judge, {name: list(ranks)}),
        name=name,
        systems=systems,
        outputs=tuple("abcdef"[: len(systems)]),
        task=f"{judge} {segment} {sorted(systems)}",
    )


def read_judgements(paths, **options):
    """The judgements of files."""
    return parse_judgements([read_file(path) for path in paths], **options)


def table_of(answers, **rules):
    """The table of scores of answers, with the flags of their judges."""
    return add_flags(build_campaign_scores(answers), FlagRules(**rules))


def rank(answers, selection=DEFAULT, scorer="", **options):
    """The answer about the ranking by the only scorer, or by the one that is named."""
    scores = table_of(answers)
    [name] = [scorer] if scorer else scores.names
    return ask_ranking(Evidence(scores, selection, name), RankOptions(**options))


def average(answers, selection=DEFAULT):
    """Mean, mean from 0 to 100 and items by system and scorer, of one system too."""
    scores = selection.select(build_campaign_scores(answers))
    means = {}
    for name in scores.names:
        lines = promote_documents(scores, name)
        native, hundred = (lines.matrix(name, column=c) for c in ("value", "hundred"))
        for system, own, of_100 in zip(lines.systems, native, hundred, strict=True):
            has_value = np.isfinite(own)
            if has_value.any():
                figures = (fmean(each[has_value].tolist()) for each in (own, of_100))
                means[system, name] = (*figures, int(has_value.sum()))
    return means
