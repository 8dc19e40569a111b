"""Judgements made up for tests, as short as they can be."""

from metra.campaign.imports import parse_judgements, read_file
from metra.campaign.protocols.registry import protocol
from metra.scores.judgement import Judgement


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


def read_judgements(paths, **options):
    """The judgements of files."""
    return parse_judgements([read_file(path) for path in paths], **options)
