"""Judgements as files for other programs: one format a function, or all of them in a zip.

The codebook: what every column of an export means, in words, with the protocol asked.
"""

import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, astuple, fields
from typing import NamedTuple

from metra.campaign.campaign import Campaign
from metra.campaign.evaltrans import collect_added_outputs, shows_judged
from metra.campaign.exercise import compare_evaluators, convert_text_scores
from metra.campaign.files import appraise, jsonl, marot, mt_metrics_eval, tables
from metra.campaign.files import tables as long_table
from metra.campaign.files import tables as spreadsheet
from metra.campaign.files import tables as undefined
from metra.campaign.judgement import keep_latest, score_outputs
from metra.campaign.prefilled_marks import MarkChanges, count_mark_changes
from metra.campaign.protocols.registry import protocol
from metra.campaign.results import (
    NONE,
    average_systems,
    describe_word_counting,
    score_texts,
)
from metra.campaign.results import write_text_scores as text_table
from metra.campaign.summary import write_annotations
from metra.errors import CorpusError, OptionError
from metra.formats.annotations.judged_outputs import format_judged_outputs
from metra.formats.scores.judgement import Judgement

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
        f"{count} {kind}" for kind, count in Counter(one.kind for one in kept).items()
    )
    lines = [
        f"# {first.campaign}",
        "",
        f"{len(kept)} answers ({kinds}), {len(judgements)} with all revisions, by "
        f"{len({one.judge for one in kept})} judges.",
        "",
        f"Protocol: {asked.title} (`{asked.name}`, version {asked.version}); shown beside "
        f"the outputs: the {asked.basis}.",
    ]
    if campaign is not None:
        lines += [
            f"Seed of the assignment: {campaign.settings.seed}; campaign version "
            f"{campaign.version}."
        ]
    counted = describe_word_counting(kept)
    if counted:
        lines += ["", counted]
    for step in asked.steps:
        lines += ["", f"## {step.name}", "", step.question]
        lines += step.asks.describe()
    lines += _describe_wordings(kept, campaign)
    names = [field.name for field in fields(Judgement)]
    for title, columns in (
        (f"judgements.jsonl ({jsonl.SCHEMA}, every revision)", names),
        ("scores.tsv (last revisions; for metra meta)", tables.LONG_TABLE_COLUMNS),
        (
            "judgements.csv (last revisions; for spreadsheets)",
            tables.SPREADSHEET_COLUMNS,
        ),
    ):
        lines += ["", f"## {title}", "", "| column | meaning |", "| :-- | :-- |"]
        lines += [f"| {name} | {_describe_step(name, title)} |" for name in columns]
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
    """What judges read in place of the English above, and how many answers came of it."""
    if campaign is None or not campaign.wordings:
        return []
    counts = Counter(one.wording for one in judgements)
    title = "## What judges read (wordings.json has every word)"
    lines = ["", title, "", "| language | words | version | answers |"]
    lines.append("| :-- | :-- | :-- | --: |")
    lines += [
        f"| {one.language} | {_AUTHORS[one.author]} | {one.version} | "
        f"{counts[one.language]} |"
        for one in campaign.wordings
    ]
    for one in campaign.wordings:
        if one.author == "protocol" or not counts[one.language]:
            continue
        for step in campaign.protocol.steps:
            words = one.of_step(step)
            lines += ["", f"### {step.name} in {one.language}", "", words.question, ""]
            lines += [
                f"- {anchor.at:g}: {anchor.label}: {anchor.text}"
                for anchor in words.anchors
            ]
            lines += [f"- {key}: {text}" for key, text in words.names.items()]
    return lines


def _describe_step(name: str, title: str) -> str:
    if title.startswith("scores.tsv"):
        special = {
            "value": "The answer on its own scale.",
            "kind": "The question without -repeat, -degraded or -calibration.",
        }
        return special.get(name, MEANINGS[name])
    return MEANINGS[name]


#: What a file is called, and what it is, by format.
_FILES = {
    "jsonl": ("judgements.jsonl", "application/jsonl; charset=utf-8"),
    "tsv": ("scores.tsv", "text/tab-separated-values; charset=utf-8"),
    "csv": ("judgements.csv", "text/csv; charset=utf-8"),
    "appraise": ("appraise.csv", "text/csv; charset=utf-8"),
    "marot": ("marot.tsv", "text/tab-separated-values; charset=utf-8"),
    "mt-metrics-eval": ("mt-metrics-eval.zip", "application/zip"),
    "texts": ("texts.tsv", "text/tab-separated-values; charset=utf-8"),
    "annotations": ("annotations.tsv", "text/tab-separated-values; charset=utf-8"),
    "judged": ("judged.tsv", "text/tab-separated-values; charset=utf-8"),
    "keys": ("keys.jsonl", "application/jsonl; charset=utf-8"),
    "zip": ("campaign.zip", "application/zip"),
}
FORMATS = tuple(_FILES)
_TEXTS: dict[str, Callable[[Iterable[Judgement]], str]] = {
    "jsonl": jsonl.write,
    "tsv": long_table.write_long_table,
    "csv": spreadsheet.write_spreadsheet,
    "appraise": appraise.write,
    "marot": marot.write,
    "texts": lambda judgements: text_table(score_texts(judgements)),
}
#: The first day that a zip can tell: the same judgements give the same bytes.
_NO_DAY = (1980, 1, 1, 0, 0, 0)


class ExportedFile(NamedTuple):
    """A file that is ready to be sent or written."""

    name: str
    media_type: str
    content: bytes


def list_formats(name: str, *, keys: bool = False) -> tuple[str, ...]:
    """The formats that have a place for a protocol's answers; `keys` if those are recorded."""
    asked = protocol(name)
    tags = asked.over != "outputs"
    fitting = {
        "appraise": name in ("da", "da-sqm", "esa"),
        "marot": name == "mqm",
        "mt-metrics-eval": not (asked.contrastive or tags),
        "texts": not tags,
        "annotations": tags,
        "judged": shows_judged(asked),
        "keys": keys,
    }
    return tuple(form for form in FORMATS if fitting.get(form, True))


def export_judgements(
    form: str,
    judgements: Sequence[Judgement],
    campaign: Campaign | None = None,
    *,
    keys: str = "",
) -> ExportedFile:
    """Write judgements in a format; a campaign, if it is known, tells what a zip adds.

    `keys` is the log of what judges typed, where the campaign records it.
    """
    if form not in FORMATS:
        msg = f"No format named {form!r} for judgements; known: {', '.join(FORMATS)}."
        raise OptionError(msg)
    if not judgements:
        msg = "There are no judgements to export yet."
        raise CorpusError(msg)
    if form == "zip":
        more = {_FILES["keys"][0]: keys} if keys else {}
        content = zip_files(_write_everything(judgements, campaign) | more)
    elif form == "keys":
        content = _require_keys(keys).encode()
    elif form == "mt-metrics-eval":
        content = zip_files(write_metrics_files(judgements, campaign))
    elif form == "annotations":
        content = _write_annotations(judgements, campaign)[1].encode()
    elif form == "judged":
        content = _write_judged_outputs(judgements).encode()
    else:
        content = _TEXTS[form](judgements).encode()
    return ExportedFile(*_FILES[form], content)


def write_metrics_files(
    judgements: Sequence[Judgement], campaign: Campaign | None = None
) -> dict[str, str]:
    """The files of mt-metrics-eval by their paths: texts, scores, and marks by judge."""
    counted = [one for one in keep_latest(judgements) if one.counts]
    if not counted:
        msg = "There are no judgements that count for systems yet."
        raise CorpusError(msg)
    first = counted[0]
    pair = f"{first.source_language}-{first.target_language}"
    systems = list(dict.fromkeys(name for one in counted for name in one.systems))
    segments = max(one.segment for one in counted)
    if campaign is not None:
        segments = len(campaign.segments)
        known = dict.fromkeys(systems)
        systems = [s.name for s in campaign.systems if s.name in known] or systems
    found: dict[str, str] = {}
    scorers = {
        scored.scorer: None
        for one in counted
        for scores in score_outputs(one)
        for scored in scores
        if scored.is_defined
    }
    for scorer in scorers:
        found[f"human-scores/{pair}.{scorer}.seg.score"] = mt_metrics_eval.write_scores(
            counted, scorer, systems=systems, segments=segments
        )
    if any(step.asks.marks_errors for step in protocol(first.protocol).steps):
        for judge in sorted({one.judge for one in counted}):
            name = f"{pair}.{first.protocol}.{_format_file_name(judge)}.seg.rating"
            found[f"human-scores/{name}"] = mt_metrics_eval.write_ratings(
                counted, systems=systems, segments=segments, judge=judge
            )
    names = mt_metrics_eval.make_file_names(systems)
    found |= _write_texts(counted, pair, names, segments)
    found["systems.tsv"] = "".join(
        f"{name}\t{' '.join(system.split())}\n" for system, name in names.items()
    )
    return found


def _write_texts(
    counted: Sequence[Judgement], pair: str, names: dict[str, str], segments: int
) -> dict[str, str]:
    """Sources, documents and outputs as far as they were judged, a line a segment."""
    sources, documents = [""] * segments, [""] * segments
    outputs = {name: [""] * segments for name in names}
    for one in counted:
        at = one.segment - 1
        sources[at], documents[at] = one.source or "", one.document
        for system, output in zip(one.systems, one.outputs, strict=True):
            outputs[system][at] = output
    found = {
        f"sources/{pair}.txt": _join_lines(sources),
        f"documents/{pair}.docs": _join_lines(
            [f"all\t{name}" for name in documents], "\t"
        ),
    }
    for system, texts in outputs.items():
        found[f"system-outputs/{pair}/{names[system]}.txt"] = _join_lines(texts)
    return found


def _join_lines(texts: Iterable[str], kept: str = "") -> str:
    from metra.formats.table import replace_line_breaks

    return "".join(
        f"{kept.join(map(replace_line_breaks, text.split(kept) if kept else [text]))}\n"
        for text in texts
    )


def _write_everything(
    judgements: Sequence[Judgement], campaign: Campaign | None
) -> dict[str, str]:
    asked = protocol(judgements[0].protocol)
    found = {
        _FILES[form][0]: _TEXTS[form](judgements)
        for form in list_formats(asked.name)
        if form in _TEXTS
    }
    counted = any(one.counts for one in keep_latest(judgements))
    if "mt-metrics-eval" in list_formats(asked.name) and counted:
        found |= {
            f"mt-metrics-eval/{path}": text
            for path, text in write_metrics_files(judgements, campaign).items()
        }
    if "annotations" in list_formats(asked.name) and _is_settled(judgements):
        made = write_annotations(judgements, campaign)
        found |= {} if made is None else {made[0]: made[1]}
    if "judged" in list_formats(asked.name):
        found["judged.tsv"] = _write_judged_outputs(judgements)
    results = convert_text_scores(score_texts(judgements))
    if results:
        tables = compare_evaluators(results).tables()
        found |= {f"exercise/{path}": text for path, text in tables.items()}
    found["systems.tsv"] = _write_systems(judgements)
    found["undefined.tsv"] = undefined.write_undefined(judgements)
    found["protocol.json"] = asked.as_json() + "\n"
    if campaign is not None and (rows := count_mark_changes(campaign, judgements)):
        found["prefilled.tsv"] = _write_table(
            [[field.name for field in fields(MarkChanges)], *map(astuple, rows)]
        )
    if campaign is not None:
        found["campaign.json"] = _write_campaign(campaign)
        found["protocol.json"] = campaign.protocol.as_json() + "\n"
        if campaign.wordings:
            found["wordings.json"] = _write_wordings(campaign)
    found["codebook.md"] = write_codebook(judgements, campaign)
    return found


def _is_settled(judgements: Sequence[Judgement]) -> bool:
    """Whether no text has the tags of more than one rater."""
    texts = [one.segment for one in keep_latest(judgements) if one.counts]
    return len(set(texts)) == len(texts)


def _write_annotations(
    judgements: Sequence[Judgement], campaign: Campaign | None
) -> tuple[str, str]:
    found = write_annotations(judgements, campaign)
    if found is None:
        msg = "There are no tags here; expected names or terms that raters marked."
        raise OptionError(msg)
    return found


def _require_keys(keys: str) -> str:
    if not keys:
        msg = (
            "No keys were recorded; only campaigns with log_keys = true record what judges "
            "type, in texts that they correct."
        )
        raise OptionError(msg)
    return keys


def _write_judged_outputs(judgements: Sequence[Judgement]) -> str:
    return "".join(
        f"{line}\n" for line in format_judged_outputs(collect_added_outputs(judgements))
    )


def _write_systems(judgements: Sequence[Judgement]) -> str:
    """The table of the seeds: each system from 0 to 100, with its interval."""
    lines = ["system\tscorer\titems\tjudgements\tnative\thundred\tlow\thigh\treason"]
    known = set()
    for mean in average_systems(judgements):
        known.add((mean.system, mean.scorer))
        ends = mean.hundred_interval or ("", "")
        cells = (mean.system, mean.scorer, mean.items, mean.judgements)
        values = (repr(mean.native), repr(mean.hundred), *map(str, ends), "")
        lines.append("\t".join(" ".join(str(c).split()) for c in (*cells, *values)))
    for (system, scorer), reasons in undefined.count_undefined(judgements).items():
        if (system, scorer) not in known:
            why = "; ".join(sorted(reasons))
            nothing = system, scorer, 0, 0, NONE, NONE, "", "", why
            lines.append("\t".join(" ".join(str(c).split()) for c in nothing))
    return "".join(f"{line}\n" for line in lines)


def _write_table(rows: Iterable[Iterable[object]]) -> str:
    return "".join(
        "\t".join(" ".join(str(cell).split()) for cell in row) + "\n" for row in rows
    )


def _write_campaign(campaign: Campaign) -> str:
    """The wishes with the seed and the version, and how much there is; no secret."""
    about = asdict(campaign.settings) | {
        "version": campaign.version,
        "protocol_version": campaign.protocol.version,
        "segments": len(campaign.segments),
        "calibration_texts": campaign.calibration,
        "degraded_share": campaign.degraded,
    }
    return json.dumps(about, indent=2, ensure_ascii=False) + "\n"


def _write_wordings(campaign: Campaign) -> str:
    """Every word that judges may have read, by language, with its version."""
    read = [asdict(one) | {"version": one.version} for one in campaign.wordings]
    return json.dumps(read, indent=2, ensure_ascii=False) + "\n"


def zip_files(files: dict[str, str]) -> bytes:
    """Pack files by their names; the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(zipfile.ZipInfo(name, _NO_DAY), text.encode())
    return out.getvalue()


def _format_file_name(judge: str) -> str:
    """A judge's name as part of a file's: letters, digits and hyphens only.

    >>> _format_file_name("Ann B./x")
    'Ann-B--x'
    """
    return "".join(letter if letter.isalnum() else "-" for letter in judge) or "judge"
