"""Options that the questions of `metra meta` share, and what they come to."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from metra.cli import name_flags
from metra.cli import options as inputs
from metra.cli.derive import split_names
from metra.cli.options import option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from metra.formats.scores.record import Scores
    from metra.meta.correlate import CorrelationSpec
    from metra.meta.findings import MetaReport
    from metra.meta.options import Scaling
    from metra.stats.panel import ScorePanel, SegmentStatistics

INPUT_FORMATS = (
    *("long", "jsonl", "matrix", "metra-json", "metra-judgements", "metra-tsv"),
    *("mt-metrics-eval", "da", "mqm", "mqm-wmt", "esa", "appraise"),
)


def name_option(names: str, help_text: str) -> Callable[..., Any]:
    """Make an option that takes names."""
    return option(
        names, help_text, multiple=True, callback=split_names, metavar="NAMES"
    )


_gold = option(
    "--gold",
    "The scorer to compare with: judgements. Several give a table each.",
    required=True,
    metavar="NAMES",
)
_gold_from = option(
    "--gold-from",
    "Take the gold from this file; the same scorer of other files is left out.",
    multiple=True,
    metavar="SCORES",
)


def gold(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add whose judgements are compared with, and where they come from."""
    return _gold(_gold_from(command))


metrics = name_option(
    "--metric metrics", "Scorers to look at; all but people's where none is named."
)
scorer = option(
    "--scorer name",
    "Whose judgements; needed where there are several scorers.",
    metavar="NAME",
)
plot = option("--plot", "Draw a picture (SVG) into this file.", metavar="FILE")

#: What every question takes.
_QUESTION = (
    click.argument("paths", nargs=-1, required=True, metavar="SCORES..."),
    name_option(
        "--lower-is-better lower", "Scorers whose lower values are the better ones."
    ),
    name_option("--without", "Systems to leave out."),
    option("--lang", "Only this language pair.", metavar="PAIR"),
    option("--domain", "Only this domain.", metavar="NAME"),
    name_option(
        "--unit units",
        "More columns that tell apart what was scored, such as condition; tables and "
        "JSON lines only.",
    ),
    inputs.input_format_of(*INPUT_FORMATS),
    inputs.form,
    inputs.out,
    inputs.digits_of(3),
)

#: What is scored right here.
_OWN = (
    option(
        "--output outputs",
        "Output to score here: a file, or a table of several systems.",
        multiple=True,
        metavar="OUTPUT",
    ),
    inputs.references,
    inputs.source,
    # A question may have an option of its own for a number of documents.
    option("--docs", inputs.DOCUMENTS, metavar="FILE"),
    option(
        "-m --score-with specs",
        "Score --output by this measure (see `metra metrics`), and keep its statistics.",
        multiple=True,
        metavar="SPEC",
    ),
)


class OwnOutputs(NamedTuple):
    """Outputs that are scored right here, with what metrics need for it."""

    outputs: tuple[str, ...]
    references: tuple[str, ...]
    source: str | None
    docs: str | None
    specs: tuple[str, ...]


def own(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what is scored right here, so that corpus scores can be pooled anew.

    The command gets it as its keyword argument `own`.
    """

    @wraps(command)
    def collect(**given: Any) -> Any:
        chosen = OwnOutputs(**{name: given.pop(name) for name in OwnOutputs._fields})
        return command(own=chosen, **given)

    for add_option in reversed(_OWN):
        add_option(collect)
    return collect


def fit_thresholds(
    questions: "list[CorrelationSpec]",
    eps_from: tuple[str, ...],
    scores: "Scores",
    gold: str,
    metrics: tuple[str, ...],
) -> "list[CorrelationSpec]":
    """Take the thresholds of ties from other scores, if such are named."""
    options = [question.options for question in questions]
    if not eps_from:
        return questions
    if not any(each.calibrates for each in options):
        msg = "--eps-from is for acc*_eq, without --eps and --cross-fit."
        raise click.UsageError(msg)
    from metra.campaign.judgement_files import ALL_SCORE_FORMATS
    from metra.formats.scores.read import read_score_files
    from metra.meta.correlate import transfer_thresholds

    others = read_score_files(eps_from, formats=ALL_SCORE_FORMATS)
    lower = [each.name for each in scores.scorers if not each.higher_is_better]
    others = others.with_lower_is_better([n for n in lower if n in others.names])
    (lined_up,) = build_panels(require_one_language(others), gold, metrics)
    source = ",".join(Path(path).name for path in eps_from)
    return transfer_thresholds(questions, lined_up, source)


def question(command: Callable[..., "MetaReport"]) -> Callable[..., None]:
    """Read what every question reads, ask it of the scores, and show the answer."""

    @wraps(command)
    def ask(
        *,
        paths: tuple[str, ...],
        lower: tuple[str, ...],
        without: tuple[str, ...],
        lang: str | None,
        domain: str | None,
        input_format: str,
        units: tuple[str, ...],
        form: str,
        out: str | None,
        digits: int,
        gold_from: tuple[str, ...] = (),
        **asked: Any,
    ) -> None:
        from metra.campaign.judgement_files import ALL_SCORE_FORMATS
        from metra.formats.scores.read import read_score_files
        from metra.meta.findings import merge_reports

        read = partial(
            read_score_files,
            input_format=input_format,
            units=units,
            wmt=asked.get("wmt", False),
            formats=ALL_SCORE_FORMATS,
        )
        scores = read(paths)
        notes = []
        golds = _split_golds(asked, [*scores.names])
        for each in golds if gold_from else ():
            scores = scores.with_values_of(each, read(gold_from))
            notes.append(f"{each} is of {', '.join(gold_from)} only.")
        if lower:
            scores = scores.with_lower_is_better(lower)
        scores = _filter_scores(scores, lang, domain, without)
        if len(golds) > 1:
            report = merge_reports(
                {g: command(scores=scores, **asked | {"gold": g}) for g in golds}
            )
        else:
            report = command(scores=scores, **asked)
        write_findings(add_notes(report, notes), form, out, digits)

    for add_option in reversed(_QUESTION):
        add_option(ask)
    return ask


def _filter_scores(
    scores: "Scores", lang: str | None, domain: str | None, without: tuple[str, ...]
) -> "Scores":
    """Keep one language pair and domain, and say so where nothing is left."""
    kept = scores.only(lang=lang, domain=domain, without_systems=without)
    if len(scores) and not len(kept):
        domains = dict.fromkeys(item.domain for item in scores.items)
        known = {"--lang": scores.languages, "--domain": list(domains)}
        told = [
            f"{flag} {value} (known: {', '.join(filter(None, known[flag])) or 'none'})"
            for flag, value in (("--lang", lang), ("--domain", domain))
            if value is not None
        ]
        msg = f"No score is left with {' and '.join(told) or 'these systems'}."
        raise click.UsageError(msg)
    return kept


def _split_golds(asked: "Mapping[str, Any]", known: list[str]) -> list[str]:
    """The golds that were named, with commas between them, unless a name has commas."""
    named = str(asked.get("gold", ""))
    golds = [named] if named in known else [*split_names(None, None, (named,))]
    if len(golds) > 1 and asked.get("plot"):
        msg = "--plot draws one gold at a time; name one with --gold."
        raise click.UsageError(msg)
    return golds


def select_level(scores: "Scores", level: str, gold: str | None = None) -> "Scores":
    """Take documents for what is scored, where these are compared."""
    if level != "doc":
        return scores
    from metra.formats.scores.panel import average_documents

    return average_documents(scores, gold)


def build_panels(
    scores: "Scores",
    gold: str,
    metrics: tuple[str, ...],
    statistics: "Mapping[str, SegmentStatistics] | None" = None,
) -> "list[ScorePanel]":
    """Line up gold and metrics for each language pair by itself."""
    from metra.formats.scores.panel import build_panel

    return [
        build_panel(
            scores.only(lang=lang), gold, metrics or None, statistics=statistics
        )
        for lang in scores.languages
    ]


def add_own_scores(
    scores: "Scores", own: OwnOutputs
) -> "tuple[Scores, dict[str, SegmentStatistics]]":
    """Score outputs by our own metrics and put the scores beside the others."""
    if not own.outputs and not own.specs:
        return scores, {}
    if not (own.outputs and own.specs):
        msg = "--output and -m belong together: what to score, and by which measure."
        raise click.UsageError(msg)
    from metra.cli.output import show_progress
    from metra.formats.scores.record import concatenate_scores
    from metra.scoring.evaluate import make_metrics
    from metra.scoring.files import open_corpus
    from metra.scoring.scorers import score_systems

    lang = require_one_language(scores).languages[0]
    corpus = open_corpus(own.outputs, own.references, own.source, own.docs)
    with show_progress() as progress:
        automatic, statistics = score_systems(
            corpus, make_metrics(own.specs), lang=lang, progress=progress
        )
    return concatenate_scores([scores, automatic]), statistics


def require_one_language(scores: "Scores") -> "Scores":
    """Refuse a mixture of language pairs, whose scores do not belong together."""
    if len(scores.languages) > 1:
        known = ", ".join(filter(None, scores.languages))
        msg = f"The scores are of several language pairs; choose one with --lang: {known}."
        raise click.UsageError(msg)
    return scores


def choose_scorer(scores: "Scores", name: str | None) -> str:
    """Take the scorer that was asked for, or the only one there is."""
    if name is None and len(scores.names) > 1:
        known = ", ".join(scores.names)
        msg = f"There are several scorers; choose one with --scorer: {known}."
        raise click.UsageError(msg)
    return scores.names[scores.find(name)] if name else scores.names[0]


def normalise_scores(
    scores: "Scores", name: str, method: "Scaling"
) -> "tuple[Scores, str, list[str]]":
    """Add a scorer of normalised judgements; give its name, and a note on who is left out."""
    if method == "none":
        return scores, name, []
    from metra.formats.scores.record import concatenate_scores
    from metra.meta.normalise import normalise

    normalised = normalise(scores, name, method)
    made, left_out = normalised.scores, normalised.left_out
    gone = [f"{judge} ({spread.left_out})" for judge, spread in left_out.items()]
    notes = [f"Judges left out: {', '.join(gone)}."] if gone else []
    return concatenate_scores([scores, made]), made.names[0], notes


def add_notes(findings: "MetaReport", notes: list[str]) -> "MetaReport":
    """Say something more about what was found."""
    return replace(findings, notes=[*findings.notes, *notes])


def convert_nan(rows: Any) -> list[list[float | None]]:
    """Give numbers as they are drawn: None for what is none."""
    return [[None if value != value else float(value) for value in row] for row in rows]


def draw_heatmap(
    title: str,
    caption: str,
    names: "Sequence[str]",
    values: Any,
    kind: Literal["p", "r"],
    clusters: "Sequence[int]" = (),
) -> str:
    """Draw numbers of pairs as a heat map."""
    from metra.report.pictures import heatmap

    numbers = convert_nan(values)
    return heatmap.draw_heatmap(
        heatmap.Heatmap(title, caption, names, numbers, kind, clusters)
    )


def write_pictures(path: str, pictures: list[str]) -> list[str]:
    """Write the picture; several are numbered before the suffix. Say if there is none."""
    from metra.cli.output import write_output

    for at, picture in enumerate(pictures, 1):
        place = Path(path)
        if len(pictures) > 1:
            place = place.with_name(f"{place.stem}-{at}{place.suffix}")
        write_output(picture, str(place))
    return [] if pictures else [f"{path} is not written: there is nothing to draw."]


def write_findings(
    findings: "MetaReport", form: str, out: str | None, digits: int
) -> None:
    """Print what was found, or put it into a file; notes name flags, not parameters."""
    from metra.cli.output import build_style, write_output
    from metra.report.writers.meta import render

    notes = [name_flags(note) for note in findings.notes]
    named = replace(findings, notes=notes)
    write_output(render(named, form, build_style(out, digits=digits)), out)
