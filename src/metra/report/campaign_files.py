"""A campaign as files: judgements for other programs, figures, and all with a codebook.

To add a format, write it in `metra.scores` and add a line to `EXPORT_FORMATS`. Figures are
those of the questions in `metra.meta`.
"""

import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import islice
from typing import IO, Any, NamedTuple, TypeAlias, cast, get_args

from metra.campaign.campaign import Campaign
from metra.campaign.codebook import write_codebook
from metra.campaign.judgement import build_campaign_scores, keep_latest
from metra.campaign.measurements import collect_added_outputs, shows_judged
from metra.campaign.protocols.questions import Template, pair_answer
from metra.campaign.protocols.record import Protocol
from metra.campaign.protocols.registry import protocol
from metra.campaign.protocols.spans import Marks
from metra.campaign.second_look import (
    choose_gold_standard,
    write_annotations,
    write_gold_standard,
)
from metra.errors import CorpusError, OptionError
from metra.formats.annotations.judged_outputs import format_judged_outputs
from metra.formats.atomic import drain_spool, open_spool
from metra.formats.compression import check_member_name
from metra.formats.table import NONE, write_table
from metra.meta.exercise import run_exercise
from metra.meta.judges import add_flags
from metra.meta.measures import TextRow, tabulate_texts
from metra.meta.question import answer_all, answer_question
from metra.report.writers.exercise import write_exercise_tables, write_text_table
from metra.scores import long_table, mqm, mt_metrics_eval
from metra.scores.judgement import Judgement
from metra.scores.judgement_jsonl import format_lines
from metra.scores.selection import (
    DEFAULT,
    Flagged,
    Selection,
    list_flagged,
    select_judgements,
)
from metra.scores.table import Scores
from metra.stats.resampling import check_settings

_MEDIA_TYPES = {
    "tsv": "text/tab-separated-values; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "zip": "application/zip",
}
#: The text of a file, also in parts.
Text: TypeAlias = str | Iterable[str]
#: Lines that are written at once, and bytes of an export up to which it is in memory.
_LINES_AT_ONCE = 1000
_IN_MEMORY = 1 << 24
#: The first day that a zip can tell: the same judgements give the same bytes.
_NO_DAY = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class ExportedFile:
    """An exported file, ready to send or write; a large one lies on the disk, unnamed."""

    name: str
    media_type: str
    size: int
    _file: IO[bytes]

    def read_parts(self) -> Iterator[bytes]:
        """Yield the content once; then the file is closed, and gone from the disk."""
        with self._file:
            yield from drain_spool(self._file)

    @cached_property
    def content(self) -> bytes:
        """All of it at once."""
        return b"".join(self.read_parts())


@dataclass(frozen=True)
class ExportRequest:
    """An export: all judgements, the campaign and the rows that count."""

    judgements: Sequence[Judgement]
    campaign: Campaign | None = None
    #: The log of what judges typed, where the campaign records it.
    keys: str = ""
    selection: Selection = DEFAULT

    # Several files are made of the same parts.
    @cached_property
    def kept(self) -> list[Judgement]:
        """The last revisions."""
        return keep_latest(self.judgements)

    @cached_property
    def kept_scores(self) -> Scores:
        """The last revisions as a table of scores, with the flags of judges."""
        return replace(build_campaign_scores(self.kept), flags=self.scores.flags)

    @cached_property
    def texts(self) -> list[TextRow]:
        """The scores of whole texts."""
        return tabulate_texts(self.scores, self.selection)

    @cached_property
    def scores(self) -> Scores:
        """All answers as a table of scores, with the flags of judges."""
        return add_flags(build_campaign_scores(self.judgements))


class ExportFormat(NamedTuple):
    """A format: the file that it makes, and the protocols that it has a place for."""

    file: str
    #: Return the text of the file, also in parts, or of a zip the files with their paths.
    write: Callable[[ExportRequest], Text | Iterable[tuple[str, Text]]]
    fits: Callable[[Protocol], bool] = lambda _: True


def list_formats(name: str, *, keys: bool = False) -> tuple[str, ...]:
    """List the formats for a protocol's answers; `keys` says whether keys are recorded."""
    asked = protocol(name)
    return tuple(
        form
        for form, record in EXPORT_FORMATS.items()
        if record.fits(asked) and (keys or form != "keys")
    )


def export_judgements(
    form: str,
    judgements: Sequence[Judgement],
    campaign: Campaign | None = None,
    *,
    keys: str = "",
    flagged: Flagged = "apart",
) -> ExportedFile:
    """Write judgements in a format; a campaign, if it is formats, tells what a zip adds.

    `keys` is the log of what judges typed, where the campaign records it. Judges with a
    flag are left out of means of systems (`apart`), count as others do (`count`), or are
    left out of everything (`out`).
    """
    if form not in EXPORT_FORMATS:
        formats = ", ".join(EXPORT_FORMATS)
        msg = f"No format named {form!r} for judgements; known: {formats}."
        raise OptionError(msg)
    if not judgements:
        msg = "There are no judgements to export yet."
        raise CorpusError(msg)
    check_settings(
        "An export",
        {f"flagged={flagged!r}": (flagged in get_args(Flagged), "apart, count or out")},
    )
    request = ExportRequest(judgements, campaign, keys, Selection(flagged=flagged))
    if flagged == "out":
        request = replace(request, judgements=_drop_flagged(request))
    record = EXPORT_FORMATS[form]
    written: Any = record.write(request)
    kind = record.file.rpartition(".")[2]
    file = open_spool(_IN_MEMORY)
    try:
        if kind == "zip":
            _pack_files(written, file)
        else:
            file.writelines(_encode_parts(written))
    except BaseException:
        file.close()
        raise
    return ExportedFile(record.file, _MEDIA_TYPES[kind], file.tell(), file)


def _drop_flagged(request: ExportRequest) -> list[Judgement]:
    flags = request.scores.flags
    kept = [one for one in request.judgements if not flags.get(one.judge)]
    if not kept:
        msg = (
            "All judges are flagged, so nothing is left to export; set `flagged` to apart "
            "or count."
        )
        raise CorpusError(msg)
    return kept


def _pack_files(files: Iterable[tuple[str, Text]], out: IO[bytes]) -> None:
    """Pack files as they come, so that no more than a part of one is in memory."""
    with zipfile.ZipFile(out, "w") as packed:
        for name, text in files:
            check_member_name(name, "The export")
            with packed.open(zipfile.ZipInfo(name, _NO_DAY), "w") as member:
                for part in _encode_parts(text):
                    member.write(part)


def _encode_parts(text: Text) -> Iterator[bytes]:
    if isinstance(text, str):
        yield text.encode()
        return
    lines = iter(text)
    while part := "".join(islice(lines, _LINES_AT_ONCE)):
        yield part.encode()


def write_metrics_files(request: ExportRequest) -> Iterator[tuple[str, str]]:
    """Return the files of mt-metrics-eval with their paths: scores, marks by judge, texts.

    They are of the answers that count, without those of judges who are set apart.
    """
    scores, campaign = request.kept_scores, request.campaign
    kept = select_judgements(request.kept, scores, request.selection)
    kept = [one for one in kept if one.counts]
    if not kept:
        msg = "There are no judgements that count towards system scores yet."
        raise CorpusError(msg)
    systems = dict.fromkeys(name for one in kept for name in one.systems)
    segments = max(one.segment for one in kept)
    if campaign is not None:
        names = [system.name for system in campaign.systems if system.name in systems]
        systems = dict.fromkeys([*names, *systems])
        # Files that were imported may use few of the numbers of a corpus.
        numbers = map(campaign.number, range(len(campaign.segments)))
        segments = max(segments, *numbers)
    step = protocol(kept[0].protocol).marks_step
    return mt_metrics_eval.format_folder(
        *(kept, request.selection.select(scores)),
        systems=list(systems),
        segments=segments,
        weights=None if step is None else cast(Marks, step.asks).costs,
    )


def _write_everything(request: ExportRequest) -> Iterator[tuple[str, Text]]:
    judgements, campaign = request.judgements, request.campaign
    asked = protocol(judgements[0].protocol)
    fitting = list_formats(asked.name)
    for form in ("jsonl", "tsv", "csv", "marot", "texts"):
        if form in fitting:
            record = EXPORT_FORMATS[form]
            yield record.file, cast(Text, record.write(request))
    texts = [kept.segment for kept in request.kept if kept.counts]
    if "mt-metrics-eval" in fitting and texts:
        for path, text in write_metrics_files(request):
            yield f"mt-metrics-eval/{path}", text
    # Tags of several raters have to be settled first.
    if "annotations" in fitting and len(set(texts)) == len(texts):
        annotations = write_annotations(judgements, campaign)
        yield from [annotations] if annotations else []
    if "judged" in fitting:
        yield "judged.tsv", _write_judged_outputs(request)
    if any(step.asks.kind == Template.kind for step in asked.steps):
        yield "fillers.tsv", _write_fillers(request.kept, asked)
    yield from _write_tables(request)
    own = asked if campaign is None else campaign.protocol
    yield "protocol.json", own.as_json() + "\n"
    if campaign is not None:
        yield from _write_campaign_files(judgements, campaign).items()
    words = request.selection.describe(request.scores)
    yield "codebook.md", write_codebook(judgements, campaign, counted=words)
    if request.keys:
        yield EXPORT_FORMATS["keys"].file, request.keys


def _write_tables(request: ExportRequest) -> Iterator[tuple[str, str]]:
    """Yield what the answers come to: evaluators, systems, judges, and missing scores."""
    if request.texts:
        study = run_exercise({"": request.scores}, request.selection)
        tables = write_exercise_tables(study)
        yield from ((f"exercise/{path}", text) for path, text in tables.items())
    yield "systems.tsv", _write_systems(request)
    yield "judges.tsv", _write_judges(request)
    missing = answer_question("missing", request.scores, request.selection).answer
    if missing.skipped:
        rows = (
            (one.system, one.skipped, one.answers, one.share) for one in missing.skipped
        )
        header = ("system", "skipped", "answers", "share")
        yield "skipped.tsv", write_table([header, *rows])
    yield "undefined.tsv", long_table.format_undefined(request.kept_scores)


def _write_campaign_files(
    judgements: Sequence[Judgement], campaign: Campaign
) -> dict[str, str]:
    """Return what only the campaign tells: settings, protocol, words, references."""
    files: dict[str, str] = {}
    if campaign.protocol.over == "references":
        # Nothing while choices are missing.
        with suppress(CorpusError):
            choices = choose_gold_standard(judgements, campaign)
            files[EXPORT_FORMATS["gold"].file] = write_gold_standard(choices)
    # The settings with seed and version, and counts; no secret.
    about = asdict(campaign.settings) | {
        "version": campaign.version,
        "protocol_version": campaign.protocol.version,
        "segments": len(campaign.segments),
        "calibration_texts": campaign.calibration,
        "degraded_share": campaign.degraded,
    }
    files["campaign.json"] = _write_json(about)
    # Every word that judges may have read, by language, with its version.
    words = [asdict(one) | {"version": one.version} for one in campaign.wordings]
    if words:
        files["wordings.json"] = _write_json(words)
    return files


def _require_annotations(request: ExportRequest) -> str:
    annotations = write_annotations(request.judgements, request.campaign)
    if annotations is None:
        msg = "This campaign has no tags; expected names or terms marked by raters."
        raise OptionError(msg)
    return annotations[1]


def _require_keys(request: ExportRequest) -> str:
    if not request.keys:
        msg = (
            "No keys were recorded; only correction campaigns with log_keys = true "
            "record what judges type."
        )
        raise OptionError(msg)
    return request.keys


def _require_gold_standard(request: ExportRequest) -> str:
    campaign = request.campaign
    if campaign is None or campaign.protocol.over != "references":
        msg = (
            "This campaign has no chosen references; expected a gold-standard "
            "campaign from a store."
        )
        raise OptionError(msg)
    return write_gold_standard(choose_gold_standard(request.judgements, campaign))


def _write_judged_outputs(request: ExportRequest) -> str:
    outputs = collect_added_outputs(request.judgements)
    return "".join(f"{line}\n" for line in format_judged_outputs(outputs))


def _write_fillers(kept: Iterable[Judgement], asked: Protocol) -> str:
    """Return a table of what was filled into templates, beside what was expected."""
    names = [step.name for step in asked.steps if step.asks.kind == Template.kind]
    about_judgement = ("system", "judge", "document")
    about_filler = ("template", "slot", "expected", "filled", "category")
    rows: list[list[object]] = [[*about_judgement, *about_filler]]
    for one in kept:
        if not one.counts or one.cannot is not None:
            continue
        for name in names:
            about = [one.systems[0], one.judge, one.document]
            for pair in pair_answer(one.value[name]):
                rows.append([cell or "" for cell in (*about, *pair)])
    return write_table(rows)


_SYSTEM_COLUMNS = (
    *("system", "scorer", "rank", "cluster", "items", "judgements", "native"),
    *("native_low", "native_high", "hundred", "low", "high", "reason", "judges"),
)


def _write_systems(request: ExportRequest) -> str:
    """Return a table of the systems: means, ranks and intervals of each scorer.

    Where flagged judges are set apart, the means with them come after those without.
    """
    answered = answer_all(request.scores, request.selection, names=["rank"])
    answers = [one.answer for one in answered if one.answer]
    has_both = [bool(answer.other and answer.is_apart) for answer in answers]
    pairs = list(zip(answers, has_both, strict=True))
    rankings = [(one.ranking, "not flagged" if both else "all") for one, both in pairs]
    rankings += [(one.other, "all") for one, both in pairs if both]
    rows: list[tuple[object, ...]] = [_SYSTEM_COLUMNS]
    for ranking, judges in rankings:
        for at, system in enumerate(ranking.systems):
            hundred: tuple[object, ...] = ("", "", "")
            if ranking.hundreds is not None:
                ends = ranking.hundred_intervals[at] or ("", "")
                hundred = (float(ranking.hundreds[at]), *ends)
            places = ranking.ranks[at], ranking.clusters[at]
            counts = ranking.sizes[at], ranking.answers[at]
            native = ranking.means[at], *(ranking.intervals[at] or ("", ""))
            about = system, ranking.scorer.name, *places, *counts
            rows.append((*about, *native, *hundred, "", judges))
    ranked = {row[:2] for row in rows}
    missing = answer_question("missing", request.scores, request.selection).answer
    nothing = "", "", 0, 0, NONE, "", "", NONE, "", ""
    for key, reasons in missing.counts.items():
        if key not in ranked:
            rows.append((*key, *nothing, "; ".join(sorted(reasons)), "all"))
    return write_table(rows)


def _write_judges(request: ExportRequest) -> str:
    """Return a table of the judges: whether they are in means of systems, and flags."""
    scores = request.scores
    # Judges with a flag may not count for systems.
    apart = set(list_flagged(scores)) - set(request.selection.select(scores).judges)
    answers = Counter(one.judge for one in request.kept)
    rows = (
        (judge, count, "no" if judge in apart else "yes", "; ".join(reasons))
        for judge, count in sorted(answers.items())
        for reasons in [scores.flags.get(judge, ())]
    )
    return write_table([("judge", "answers", "in_means", "flags"), *rows])


def _write_json(content: object) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _asks_about_outputs(asked: Protocol) -> bool:
    return asked.over == "outputs"


#: In the order in which they are offered.
EXPORT_FORMATS: Mapping[str, ExportFormat] = {
    "jsonl": ExportFormat(
        "judgements.jsonl", lambda of: format_lines(of.judgements, of.scores)
    ),
    "tsv": ExportFormat(
        "scores.tsv", lambda of: long_table.format_judgement_table(of.kept_scores)
    ),
    "csv": ExportFormat(
        "judgements.csv",
        lambda of: long_table.format_spreadsheet(of.kept, of.kept_scores),
    ),
    "marot": ExportFormat(
        "marot.tsv",
        lambda of: mqm.format_marot(of.kept),
        lambda asked: asked.name == "mqm",
    ),
    "mt-metrics-eval": ExportFormat(
        "mt-metrics-eval.zip",
        write_metrics_files,
        lambda asked: not asked.contrastive and _asks_about_outputs(asked),
    ),
    "texts": ExportFormat(
        "texts.tsv", lambda of: write_text_table(of.texts), _asks_about_outputs
    ),
    "annotations": ExportFormat(
        "annotations.tsv",
        _require_annotations,
        lambda asked: asked.over in ("reference", "misses"),
    ),
    "gold": ExportFormat(
        "reference.txt",
        _require_gold_standard,
        lambda asked: asked.over == "references",
    ),
    "judged": ExportFormat("judged.tsv", _write_judged_outputs, shows_judged),
    "keys": ExportFormat("keys.jsonl", _require_keys),
    "zip": ExportFormat("campaign.zip", _write_everything),
}
