"""The codebook of an export: the columns of its files, and the words that judges read."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from importlib.resources import files

from metra.campaign.campaign import Campaign
from metra.campaign.judgement import keep_latest
from metra.campaign.protocols.kind import KEY
from metra.campaign.protocols.registry import protocol
from metra.errors import format_count
from metra.scores import judgement_jsonl, long_table
from metra.scores.judgement import Judgement
from metra.text.words import Counted

_TEXTS: dict[str, dict[str, str]] = tomllib.loads(
    files("metra.campaign").joinpath("texts/codebook.toml").read_text("utf-8")
)
#: Meaning of each entry of a judgement.
MEANINGS = _TEXTS["columns"]


def write_codebook(
    judgements: Sequence[Judgement],
    campaign: Campaign | None = None,
    *,
    counted: str = "",
) -> str:
    """Explain the files of an export, and count their answers.

    `counted` names the rows that figures count, in a few words.
    """
    first = judgements[0]
    asked = campaign.protocol if campaign is not None else protocol(first.protocol)
    kept = keep_latest(judgements)
    counts = Counter(judgement.kind for judgement in kept)
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    lines = [
        f"# {first.campaign}",
        "",
        f"{format_count(len(kept), 'answer')} ({kinds}), {len(judgements)} including "
        "all revisions, from "
        f"{format_count(len({one.judge for one in kept}), 'judge')}.",
        "",
        f"Protocol: {asked.title} (`{asked.name}`, version {asked.version}); shown "
        f"with the outputs: the {asked.basis}.",
    ]
    if campaign is not None:
        lines.append(
            f"Seed of the assignment: {campaign.settings.seed}; campaign version "
            f"{campaign.version}."
        )
    if counted:
        lines += ["", f"System means (systems.tsv, mt-metrics-eval) count {counted}."]
    for note in (describe_readers(campaign), describe_word_counting(kept)):
        lines += ["", note] if note else []
    for step in asked.steps:
        lines += ["", f"## {step.name}", "", step.question, "", step.asks.document()]
    lines += _describe_wordings(kept, campaign)
    names = [field.name for field in fields(Judgement)]
    schema, table = judgement_jsonl.SCHEMA, long_table.JUDGEMENT_COLUMNS
    sheet = long_table.SPREADSHEET_COLUMNS
    for title, columns, meanings in (
        (f"judgements.jsonl ({schema}, every revision)", names, MEANINGS),
        (
            "scores.tsv (last revisions; for metra meta)",
            table,
            MEANINGS | _TEXTS["scores"],
        ),
        ("judgements.csv (last revisions; for spreadsheets)", sheet, MEANINGS),
    ):
        lines += ["", f"## {title}", "", "| column | meaning |", "| :-- | :-- |"]
        lines += [f"| {name} | {meanings[name]} |" for name in columns]
    return "".join(f"{line}\n" for line in lines)


def _describe_wordings(
    judgements: Sequence[Judgement], campaign: Campaign | None
) -> list[str]:
    """Describe what judges read in place of the English above, with counts of answers."""
    if campaign is None or not campaign.wordings:
        return []
    counts = Counter(judgement.wording for judgement in judgements)
    title = "## Wording (full text in wordings.json)"
    lines = ["", title, "", "| language | wording | version | answers |"]
    lines.append("| :-- | :-- | :-- | --: |")
    lines += [
        f"| {wording.language} | {_TEXTS['authors'][wording.author]} | {wording.version} | "
        f"{counts[wording.language]} |"
        for wording in campaign.wordings
    ]
    return lines


def describe_readers(campaign: Campaign | None) -> str:
    """Return a sentence if readers saw several versions of a text; empty where none did."""
    if campaign is None or not campaign.needs_fresh_eyes or not campaign.blocks:
        return ""
    return _TEXTS["readers"]["several"]


def describe_word_counting(judgements: Iterable[Judgement]) -> str:
    """Return a sentence on how words were counted; empty where none were."""
    ways: set[Counted] = {
        step[KEY]["counted"]
        for one in judgements
        for step in one.value.values()
        if isinstance(step, Mapping) and "counted" in step.get(KEY, {})
    }
    if not ways:
        return ""
    return _TEXTS["words"][ways.pop() if len(ways) == 1 else "both"]
