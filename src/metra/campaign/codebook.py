"""The codebook of an export: what every column means, and how the protocol asked."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields

from metra.campaign.campaign import Campaign
from metra.campaign.judgement import keep_latest
from metra.campaign.protocols.registry import protocol
from metra.campaign.results import describe_word_counting
from metra.formats.scores.judgement import Judgement
from metra.formats.scores.judgement_jsonl import SCHEMA
from metra.formats.scores.long_table import JUDGEMENT_COLUMNS
from metra.formats.scores.spreadsheet import SPREADSHEET_COLUMNS

#: What each entry of a judgement means.
MEANINGS = {
    "id": "Name of this answer; different for every answer and revision.",
    "campaign": "The campaign's name.",
    "protocol": "How judges were asked.",
    "protocol_version": "Hash of every word of the protocol.",
    "source_language": "Language that was translated.",
    "target_language": "Language that was translated into.",
    "judge": "Who answered.",
    "task": "The unit that the judge was given; a document has several items.",
    "kind": "judged, reference and control count for systems; all other kinds do not.",
    "systems": "Whose outputs were on the screen, in order.",
    "document": "The document of the segment.",
    "segment": "Number of the segment, from 1 through the whole corpus.",
    "source": "The source text, if there is one.",
    "outputs": "The texts that were judged, in the order of systems.",
    "value": "The answer, by step; places in code points, ends not included.",
    "revision": "1 for the first answer; the highest replaces the others.",
    "original": "For repeats and degraded copies: the task that they are of.",
    "shown_at": "When the screen was first shown; seconds since 1970, server's clock.",
    "first_action_at": "When the judge first did something.",
    "submitted_at": "When the answer came in.",
    "wall_ms": "Milliseconds from shown to submitted.",
    "active_ms": "Milliseconds at work; never more than the wall time.",
    "hidden_ms": "Milliseconds while the page was not seen.",
    "idle_ms": "Milliseconds without any action.",
    "paused_ms": "Milliseconds in a break that the judge took.",
    "comment": "What the judge wrote about it.",
    "cannot": "Why the judge could not judge it; then there is no value.",
    "wording": "Language in which the judge read questions and guide.",
    "wording_version": "Hash of every word of them; wordings.json has the words.",
    "system": "Whose output it is.",
    "scorer": "Which question was answered.",
    "native": "The answer on its own scale.",
    "hundred": "The same between 0 and 100, higher is better.",
    "reason": "Why there is no score; empty where there is one.",
    "lang": "The language pair.",
    "higher_is_better": "Whether larger native values are better.",
    "active_seconds": "Seconds at work.",
    "output": "The text that was judged.",
}


def write_codebook(
    judgements: Sequence[Judgement], campaign: Campaign | None = None
) -> str:
    """Explain the files of an export, and count what is in them."""
    first = judgements[0]
    asked = campaign.protocol if campaign is not None else protocol(first.protocol)
    kept = keep_latest(judgements)
    kinds = ", ".join(
        f"{count} {kind}"
        for kind, count in Counter(judgement.kind for judgement in kept).items()
    )
    lines = [
        f"# {first.campaign}",
        "",
        f"{len(kept)} answers ({kinds}), {len(judgements)} with all revisions, by "
        f"{len({judgement.judge for judgement in kept})} judges.",
        "",
        f"Protocol: {asked.title} (`{asked.name}`, version {asked.version}); shown beside "
        f"the outputs: the {asked.basis}.",
    ]
    if campaign is not None:
        lines += [
            f"Seed of the assignment: {campaign.settings.seed}; campaign version "
            f"{campaign.version}."
        ]
    if note := describe_word_counting(kept):
        lines += ["", note]
    for step in asked.steps:
        lines += ["", f"## {step.name}", "", step.question]
        lines += step.asks.describe()
    lines += _describe_wordings(kept, campaign)
    names = [field.name for field in fields(Judgement)]
    for title, columns in (
        (f"judgements.jsonl ({SCHEMA}, every revision)", names),
        ("scores.tsv (last revisions; for metra meta)", JUDGEMENT_COLUMNS),
        ("judgements.csv (last revisions; for spreadsheets)", SPREADSHEET_COLUMNS),
    ):
        lines += ["", f"## {title}", "", "| column | meaning |", "| :-- | :-- |"]
        lines += [f"| {name} | {_describe_column(name, title)} |" for name in columns]
    return "".join(f"{line}\n" for line in lines)


#: Whose words a wording has.
_AUTHORS = {
    "protocol": "the protocol's own",
    "translation": "translated by metra; nobody has validated the translation",
    "campaign": "the campaign's own",
}


def _describe_wordings(
    judgements: Sequence[Judgement], campaign: Campaign | None
) -> list[str]:
    """Describe what judges read in place of the English above, with counts of answers."""
    if campaign is None or not campaign.wordings:
        return []
    counts = Counter(judgement.wording for judgement in judgements)
    title = "## What judges read (wordings.json has every word)"
    lines = ["", title, "", "| language | words | version | answers |"]
    lines.append("| :-- | :-- | :-- | --: |")
    lines += [
        f"| {wording.language} | {_AUTHORS[wording.author]} | {wording.version} | "
        f"{counts[wording.language]} |"
        for wording in campaign.wordings
    ]
    for wording in campaign.wordings:
        language = wording.language
        if wording.author == "protocol" or not counts[language]:
            continue
        for step in campaign.protocol.steps:
            words = wording.of_step(step)
            lines += ["", f"### {step.name} in {language}", "", words.question, ""]
            lines += [
                f"- {anchor.at:g}: {anchor.label}: {anchor.text}"
                for anchor in words.anchors
            ]
            lines += [f"- {key}: {text}" for key, text in words.names.items()]
    return lines


def _describe_column(name: str, title: str) -> str:
    if title.startswith("scores.tsv"):
        special = {
            "value": "The answer on its own scale.",
            "kind": "The question without -repeat, -degraded or -calibration.",
        }
        return special.get(name, MEANINGS[name])
    return MEANINGS[name]
