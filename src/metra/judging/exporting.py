"""Judgements as files for other programs: one format a function, or all of them in a zip."""

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, astuple, fields
from typing import NamedTuple

from metra.annotations.judged import written
from metra.errors import CorpusError, OptionError
from metra.human.campaign import Campaign
from metra.human.files import (
    appraise,
    jsonl,
    long_table,
    marot,
    mt_metrics_eval,
    spreadsheet,
    undefined,
)
from metra.human.judgement import Judgement, latest
from metra.human.prefilled import Changed, changes
from metra.human.protocols import protocol
from metra.human.protocols.marks import Marks
from metra.human.remembering import shows_judged
from metra.judging.codebook import codebook
from metra.judging.exercise import exercise, of_text_scores
from metra.judging.measured import annotations
from metra.judging.results import system_means
from metra.judging.running import added_outputs
from metra.judging.text_scores import NONE, text_scores
from metra.judging.text_scores import table as text_table

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
    "tsv": long_table.write,
    "csv": spreadsheet.write,
    "appraise": appraise.write,
    "marot": marot.write,
    "texts": lambda judgements: text_table(text_scores(judgements)),
}
#: The first day that a zip can tell: the same judgements give the same bytes.
_NO_DAY = (1980, 1, 1, 0, 0, 0)


class Exported(NamedTuple):
    """A file that is ready to be sent or written."""

    name: str
    media_type: str
    content: bytes


def formats_for(name: str, *, keys: bool = False) -> tuple[str, ...]:
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


def export(
    form: str,
    judgements: Sequence[Judgement],
    campaign: Campaign | None = None,
    *,
    keys: str = "",
) -> Exported:
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
        content = zipped(_everything(judgements, campaign) | more)
    elif form == "keys":
        content = _logged(keys).encode()
    elif form == "mt-metrics-eval":
        content = zipped(metrics_files(judgements, campaign))
    elif form == "annotations":
        content = _annotations(judgements, campaign)[1].encode()
    elif form == "judged":
        content = _judged(judgements).encode()
    else:
        content = _TEXTS[form](judgements).encode()
    return Exported(*_FILES[form], content)


def metrics_files(
    judgements: Sequence[Judgement], campaign: Campaign | None = None
) -> dict[str, str]:
    """The files of mt-metrics-eval by their paths: texts, scores, and marks by judge."""
    counted = [one for one in latest(judgements) if one.counts]
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
        for scores in one.scores()
        for scored in scores
        if scored.defined
    }
    for scorer in scorers:
        found[f"human-scores/{pair}.{scorer}.seg.score"] = mt_metrics_eval.write_scores(
            counted, scorer, systems=systems, segments=segments
        )
    asks = [step.asks for step in protocol(first.protocol).steps]
    if any(isinstance(ask, Marks) for ask in asks):
        for judge in sorted({one.judge for one in counted}):
            name = f"{pair}.{first.protocol}.{_file_name(judge)}.seg.rating"
            found[f"human-scores/{name}"] = mt_metrics_eval.write_ratings(
                counted, systems=systems, segments=segments, judge=judge
            )
    names = mt_metrics_eval.file_names(systems)
    found |= _texts(counted, pair, names, segments)
    found["systems.tsv"] = "".join(
        f"{name}\t{' '.join(system.split())}\n" for system, name in names.items()
    )
    return found


def _texts(
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
        f"sources/{pair}.txt": _lines(sources),
        f"documents/{pair}.docs": _lines([f"all\t{name}" for name in documents], "\t"),
    }
    for system, texts in outputs.items():
        found[f"system-outputs/{pair}/{names[system]}.txt"] = _lines(texts)
    return found


def _lines(texts: Iterable[str], kept: str = "") -> str:
    from metra.human.files.one_line import one_line

    return "".join(
        f"{kept.join(map(one_line, text.split(kept) if kept else [text]))}\n"
        for text in texts
    )


def _everything(
    judgements: Sequence[Judgement], campaign: Campaign | None
) -> dict[str, str]:
    asked = protocol(judgements[0].protocol)
    found = {
        _FILES[form][0]: _TEXTS[form](judgements)
        for form in formats_for(asked.name)
        if form in _TEXTS
    }
    counted = any(one.counts for one in latest(judgements))
    if "mt-metrics-eval" in formats_for(asked.name) and counted:
        found |= {
            f"mt-metrics-eval/{path}": text
            for path, text in metrics_files(judgements, campaign).items()
        }
    if "annotations" in formats_for(asked.name) and _settled(judgements):
        made = annotations(judgements, campaign)
        found |= {} if made is None else {made[0]: made[1]}
    if "judged" in formats_for(asked.name):
        found["judged.tsv"] = _judged(judgements)
    results = of_text_scores(text_scores(judgements))
    if results:
        tables = exercise(results).tables()
        found |= {f"exercise/{path}": text for path, text in tables.items()}
    found["systems.tsv"] = _systems(judgements)
    found["undefined.tsv"] = undefined.write(judgements)
    found["protocol.json"] = asked.as_json() + "\n"
    if campaign is not None and (rows := changes(campaign, judgements)):
        found["prefilled.tsv"] = _table(
            [[field.name for field in fields(Changed)], *map(astuple, rows)]
        )
    if campaign is not None:
        found["campaign.json"] = _about(campaign)
        found["protocol.json"] = campaign.protocol.as_json() + "\n"
        if campaign.wordings:
            found["wordings.json"] = _wordings(campaign)
    found["codebook.md"] = codebook(judgements, campaign)
    return found


def _settled(judgements: Sequence[Judgement]) -> bool:
    """Whether no text has the tags of more than one rater."""
    texts = [one.segment for one in latest(judgements) if one.counts]
    return len(set(texts)) == len(texts)


def _annotations(
    judgements: Sequence[Judgement], campaign: Campaign | None
) -> tuple[str, str]:
    found = annotations(judgements, campaign)
    if found is None:
        msg = "There are no tags here; expected names or terms that raters marked."
        raise OptionError(msg)
    return found


def _logged(keys: str) -> str:
    if not keys:
        msg = (
            "No keys were recorded; only campaigns with log_keys = true record what judges "
            "type, in texts that they correct."
        )
        raise OptionError(msg)
    return keys


def _judged(judgements: Sequence[Judgement]) -> str:
    return "".join(f"{line}\n" for line in written(added_outputs(judgements)))


def _systems(judgements: Sequence[Judgement]) -> str:
    """The table of the seeds: each system from 0 to 100, with its interval."""
    lines = ["system\tscorer\titems\tjudgements\tnative\thundred\tlow\thigh\treason"]
    known = set()
    for mean in system_means(judgements):
        known.add((mean.system, mean.scorer))
        ends = mean.hundred_interval or ("", "")
        cells = (mean.system, mean.scorer, mean.items, mean.judgements)
        values = (repr(mean.native), repr(mean.hundred), *map(str, ends), "")
        lines.append("\t".join(" ".join(str(c).split()) for c in (*cells, *values)))
    for (system, scorer), reasons in undefined.by_system(judgements).items():
        if (system, scorer) not in known:
            why = "; ".join(sorted(reasons))
            nothing = system, scorer, 0, 0, NONE, NONE, "", "", why
            lines.append("\t".join(" ".join(str(c).split()) for c in nothing))
    return "".join(f"{line}\n" for line in lines)


def _table(rows: Iterable[Iterable[object]]) -> str:
    return "".join(
        "\t".join(" ".join(str(cell).split()) for cell in row) + "\n" for row in rows
    )


def _about(campaign: Campaign) -> str:
    """The wishes with the seed and the version, and how much there is; no secret."""
    about = asdict(campaign.settings) | {
        "version": campaign.version,
        "protocol_version": campaign.protocol.version,
        "segments": len(campaign.segments),
        "calibration_texts": campaign.calibration,
        "degraded_share": campaign.degraded,
    }
    return json.dumps(about, indent=2, ensure_ascii=False) + "\n"


def _wordings(campaign: Campaign) -> str:
    """Every word that judges may have read, by language, with its version."""
    read = [asdict(one) | {"version": one.version} for one in campaign.wordings]
    return json.dumps(read, indent=2, ensure_ascii=False) + "\n"


def zipped(files: dict[str, str]) -> bytes:
    """Pack files by their names; the same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(zipfile.ZipInfo(name, _NO_DAY), text.encode())
    return out.getvalue()


def _file_name(judge: str) -> str:
    """A judge's name as part of a file's: letters, digits and hyphens only.

    >>> _file_name("Ann B./x")
    'Ann-B--x'
    """
    return "".join(letter if letter.isalnum() else "-" for letter in judge) or "judge"
