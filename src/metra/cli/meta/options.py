"""Options that the questions of `metra meta` share, and what they come to."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

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
    from metra.scoring.files import FileCorpus
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
    "--gold NAMES",
    "The scorer to compare with: judgements. Several give a table each.",
    required=True,
)
_gold_from = option(
    "--gold-from SCORES",
    "Take the gold from this file; the same scorer of other files is left out.",
    multiple=True,
)


def gold(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add whose judgements are compared with, and where they come from."""
    return _gold(_gold_from(command))


metrics = name_option(
    "--metric metrics", "Scorers to look at; all but people's where none is named."
)
scorer = option(
    "--scorer name NAME", "Whose judgements; needed where there are several scorers."
)
plot = option("--plot FILE", "Draw a picture (SVG) into this file.")

#: What every question takes.
_QUESTION = (
    click.argument("paths", nargs=-1, required=True, metavar="SCORES..."),
    name_option(
        "--lower-is-better lower", "Scorers whose lower values are the better ones."
    ),
    name_option("--without", "Systems to leave out."),
    option("--lang PAIR", "Only this language pair."),
    option("--domain NAME", "Only this domain."),
    name_option(
        "--unit units",
        "More columns that tell apart what was scored, such as condition; tables and "
        "JSON lines only.",
    ),
    option("--input-format", inputs.INPUT_FORMAT, choices=["auto", *INPUT_FORMATS]),
    inputs.form,
    inputs.out,
    option("--digits", inputs.DIGITS, 3, type=click.IntRange(0, 15)),
)

#: What is scored right here.
_OWN = (
    option(
        "--output outputs OUTPUT",
        "Output to score here: a file, or a table of several systems.",
        multiple=True,
    ),
    inputs.references,
    inputs.source,
    # A question may have an option of its own for a number of documents.
    option("--docs FILE", inputs.DOCUMENTS),
    option(
        "-m --score-with specs SPEC",
        "Score --output by this measure (see `metra metrics`), and keep its statistics.",
        multiple=True,
    ),
)


def own(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what is scored right here, so that corpus scores can be pooled anew."""
    for add_option in reversed(_OWN):
        command = add_option(command)
    return command


@dataclass
class MetaQuestion:
    """What a question is asked of, and what the shared options say about it."""

    scores: "Scores"
    gold: str = ""
    metrics: tuple[str, ...] = ()
    #: The scorer whose judgements are looked at.
    name: str | None = None
    plot: str | None = None
    #: Outputs that are scored right here, with what metrics need for it.
    outputs: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    source: str | None = None
    docs: str | None = None
    specs: tuple[str, ...] = ()
    #: The statistics behind scores that were computed here.
    statistics: "dict[str, SegmentStatistics]" = field(default_factory=dict)
    #: What is said below the answer.
    notes: list[str] = field(default_factory=list)

    def require_one_language(self) -> None:
        """Refuse a mixture of language pairs, whose scores do not belong together."""
        _require_one_language(self.scores)

    def select_level(self, level: str, gold: str | None = None) -> None:
        """Take documents for what is scored, where these are compared."""
        if level == "doc":
            from metra.formats.scores.panel import average_documents

            self.scores = average_documents(self.scores, gold)

    def choose_scorer(self) -> str:
        """Take the scorer that was asked for, or the only one there is."""
        names = self.scores.names
        if self.name is None and len(names) > 1:
            msg = (
                "There are several scorers; choose one with --scorer: "
                f"{', '.join(names)}."
            )
            raise click.UsageError(msg)
        return names[self.scores.find(self.name)] if self.name else names[0]

    def normalise_scores(self, name: str, method: "Scaling") -> str:
        """Add a scorer of normalised judgements, return its name, and note who is left out."""
        if method == "none":
            return name
        from metra.formats.scores.record import concatenate_scores
        from metra.meta.normalise import normalise

        normalised = normalise(self.scores, name, method)
        left_out = normalised.left_out.items()
        gone = [f"{judge} ({spread.left_out})" for judge, spread in left_out]
        if gone:
            self.notes.append(f"Judges left out: {', '.join(gone)}.")
        self.scores = concatenate_scores([self.scores, normalised.scores])
        return normalised.scores.names[0]

    def add_own_scores(self) -> None:
        """Score outputs by our own metrics and put the scores beside the others."""
        if not self.outputs and not self.specs:
            return
        if not (self.outputs and self.specs):
            msg = (
                "--output and -m belong together: what to score, and by which measure."
            )
            raise click.UsageError(msg)
        from metra.cli.output import show_progress
        from metra.formats.scores.record import concatenate_scores
        from metra.scoring.evaluate import make_metrics
        from metra.scoring.scorers import score_systems

        self.require_one_language()
        lang = self.scores.languages[0]
        corpus = self.open_corpus()
        with show_progress() as progress:
            automatic, self.statistics = score_systems(
                corpus, make_metrics(self.specs), lang=lang, progress=progress
            )
        self.scores = concatenate_scores([self.scores, automatic])

    def open_corpus(self) -> "FileCorpus":
        """Open the outputs that are scored right here."""
        from metra.scoring.files import open_corpus

        return open_corpus(self.outputs, self.references, self.source, self.docs)

    def build_panels(self, scores: "Scores | None" = None) -> "list[ScorePanel]":
        """Line up gold and metrics for each language pair by itself."""
        from metra.formats.scores.panel import build_panel

        chosen = self.scores if scores is None else scores
        statistics = self.statistics if scores is None else None
        return [
            build_panel(
                chosen.only(lang=lang),
                self.gold,
                self.metrics or None,
                statistics=statistics,
            )
            for lang in chosen.languages
        ]

    def fit_thresholds(
        self, specs: "list[CorrelationSpec]", eps_from: tuple[str, ...]
    ) -> "list[CorrelationSpec]":
        """Take the thresholds of ties from other scores, if such are named."""
        if not eps_from:
            return specs
        if not any(spec.options.calibrates for spec in specs):
            msg = "--eps-from is for acc*_eq, without --eps and --cross-fit."
            raise click.UsageError(msg)
        from metra.campaign.judgement_files import ALL_SCORE_FORMATS
        from metra.formats.scores.read import read_score_files
        from metra.meta.correlate import transfer_thresholds

        others = read_score_files(eps_from, formats=ALL_SCORE_FORMATS)
        lower = [s.name for s in self.scores.scorers if not s.higher_is_better]
        others = others.with_lower_is_better([n for n in lower if n in others.names])
        _require_one_language(others)
        (lined_up,) = self.build_panels(others)
        source = ",".join(Path(path).name for path in eps_from)
        return transfer_thresholds(specs, lined_up, source)

    def write_pictures(self, *pictures: str) -> None:
        """Write the picture; several are numbered before the suffix."""
        from metra.cli.output import write_output

        path = Path(str(self.plot))
        for number, picture in enumerate(pictures, 1):
            numbered = path.with_name(f"{path.stem}-{number}{path.suffix}")
            write_output(picture, str(numbered if len(pictures) > 1 else path))
        if not pictures:
            self.notes.append(f"{path} is not written: there is nothing to draw.")


_SHARED = {entry.name for entry in fields(MetaQuestion)}


def question(command: Callable[..., "MetaReport"]) -> Callable[..., None]:
    """Read what every question reads, ask it of the scores, and show the answer.

    The command gets the `MetaQuestion` as its argument `asked`.
    """

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
        **given: Any,
    ) -> None:
        from metra.campaign.judgement_files import ALL_SCORE_FORMATS
        from metra.cli.output import build_style, write_output
        from metra.formats.scores.read import read_score_files
        from metra.meta.findings import merge_reports
        from metra.report.writers.meta import render

        read = partial(
            read_score_files,
            input_format=input_format,
            units=units,
            wmt=given.get("wmt", False),
            formats=ALL_SCORE_FORMATS,
        )
        scores = read(paths)
        notes = []
        golds = _split_golds(given, [*scores.names])
        for each in golds if gold_from else ():
            scores = scores.with_values_of(each, read(gold_from))
            notes.append(f"{each} is of {', '.join(gold_from)} only.")
        if lower:
            scores = scores.with_lower_is_better(lower)
        scores = _filter_scores(scores, lang, domain, without)
        shared = {name: given.pop(name) for name in _SHARED & given.keys()}
        reports = {}
        for each in golds if len(golds) > 1 else [shared.get("gold", "")]:
            asked = MetaQuestion(scores, **shared | {"gold": each})
            answer = command(asked=asked, **given)
            answer = replace(answer, notes=[*answer.notes, *asked.notes])
            reports[each] = answer
        if len(reports) > 1:
            answer = merge_reports(reports)
        # Notes name flags, not parameters.
        named = [name_flags(note) for note in [*answer.notes, *notes]]
        answer = replace(answer, notes=named)
        write_output(render(answer, form, build_style(out, digits=digits)), out)

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


def _split_golds(given: "Mapping[str, Any]", known: list[str]) -> list[str]:
    """The golds that were named, with commas between them, unless a name has commas."""
    named = str(given.get("gold", ""))
    golds = [named] if named in known else [*split_names(None, None, (named,))]
    if len(golds) > 1 and given.get("plot"):
        msg = "--plot draws one gold at a time; name one with --gold."
        raise click.UsageError(msg)
    return golds


def _require_one_language(scores: "Scores") -> None:
    if len(scores.languages) > 1:
        known = ", ".join(filter(None, scores.languages))
        msg = f"The scores are of several language pairs; choose one with --lang: {known}."
        raise click.UsageError(msg)


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
