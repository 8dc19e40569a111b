"""Options that the questions of `metra meta` share, and what they come to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metra.cli import GroupedCommand, name_flags
from metra.cli import options as inputs
from metra.cli.derive import options_from, split_names
from metra.cli.options import option

if TYPE_CHECKING:
    from metra.meta.correlate import CorrelationSpec
    from metra.meta.findings import MetaReport
    from metra.meta.options import Scaling
    from metra.report.chart import PictureLayout
    from metra.scores.selection import Selection
    from metra.scores.table import Scores
    from metra.scoring.files import FileCorpus
    from metra.stats.panel import ScorePanel, SegmentStatistics

INPUT_FORMATS = (
    *("long", "jsonl", "matrix", "metra-json", "metra-judgements", "metra-tsv"),
    *("metra-table", "metra-zip", "spreadsheet", "results", "pearmut"),
    *("mt-metrics-eval", "da", "mqm", "mqm-wmt", "esa", "appraise"),
    *("comet-json", "comet", "metricx", "wmt25", "wmt25-human", "column", "folder"),
)


def name_option(names: str, help_text: str) -> Callable[..., Any]:
    """Make an option that takes names."""
    return option(
        names, help_text, multiple=True, callback=split_names, metavar="NAMES"
    )


_GOLD_FROM = option(
    "--gold-from SCORES",
    "Take the gold scores from this file, and ignore that scorer in other files.",
    multiple=True,
)
_GOLD_HELP = (
    "Scorer with the human judgements to compare with. Several, separated by commas, "
    "give one table each; A+B is the sum of both for the same judge and segment."
)
#: Whose judgements are compared with, and where they come from.
GOLD = (option("--gold NAMES", _GOLD_HELP, required=True), _GOLD_FROM)
#: The same where a study may name them.
OPTIONAL_GOLD = (option("--gold NAMES", _GOLD_HELP, ""), _GOLD_FROM)
METRIC = name_option(
    "--metric metrics", "Metrics to evaluate; by default all scorers except human ones."
)
SCORER = option(
    "--scorer name NAME",
    "Scorer to use, if there are several. A+B is the sum of both for the same judge "
    "and segment.",
)

#: How an answer is written.
RESULT = (
    inputs.form,
    inputs.out,
    option("--digits", inputs.DIGITS, 3, type=click.IntRange(0, 15)),
)

#: What every question takes.
_QUESTION = (
    name_option(
        "--lower-is-better lower", "Scorers for which lower values are better."
    ),
    name_option("--without", "Systems to exclude."),
    option(
        "-t --test-set test_set NAME",
        "Also read the scores of this mt-metrics-eval test set (see `metra testsets`).",
    ),
    option(
        "--select selection ROWS",
        "Rows that count, such as flagged=count,items=judged+calibration,judge=Ann+Bob, "
        "from=2026-01-31 or to=. By default judged items count, and judges whom their "
        "campaign flagged are set apart.",
        "",
    ),
    option("-l --lang PAIR", "Only this language pair."),
    option("--domain NAME", "Only this domain."),
    name_option(
        "--unit units",
        "Additional columns that identify what was scored, such as condition (tables "
        "and JSON lines only).",
    ),
    option(
        "--column columns ROLE=HEADING",
        "Column to use for a role, such as system=model, if its heading is not "
        "recognised; roles: system, segment, document, scorer, value, judge, domain, "
        "lang (tables and JSON lines only).",
        multiple=True,
    ),
    option(
        "--system-names FILE",
        "New names of systems: the name in the scores, a tab and the new name on "
        "each line.",
    ),
    option(
        "--mqm-weights WEIGHTS",
        "MQM error weights that differ from the default: SEVERITY[/CATEGORY]:POINTS, "
        "source:yes, cap:POINTS, per:100 words; separated by commas.",
    ),
    option("--input-format", inputs.INPUT_FORMAT, choices=["auto", *INPUT_FORMATS]),
    *RESULT,
)

#: The parameters that say something about the scores rather than about the answer.
ABOUT_SCORES = (
    *("lower", "without", "lang", "domain", "units", "columns", "system_names"),
    *("mqm_weights", "input_format"),
)

#: What is scored right here, so that corpus scores can be pooled anew.
OWN = (
    option(
        "--output outputs OUTPUT",
        "Output to score: a file, or a table with several systems.",
        multiple=True,
    ),
    inputs.references,
    inputs.source,
    # A question may have an option of its own for a number of documents.
    option("--docs FILE", inputs.DOCUMENTS),
    option(
        "-m --score-with specs SPEC",
        "Score --output with this metric (see `metra metrics`).",
        multiple=True,
        callback=inputs.split_specs,
    ),
)


@dataclass
class MetaQuestion:
    """The scores that a question is asked of, and the shared options."""

    #: The rows that count, all rows, and the selection between them.
    scores: "Scores"
    every_row: "Scores"
    selection: "Selection"
    gold: str = ""
    metrics: tuple[str, ...] = ()
    #: The scorer whose judgements are looked at.
    name: str | None = None
    #: The protocol of a WMT metrics task.
    protocol: str = ""
    plot: str | None = None
    #: The size, letters and title of pictures.
    layout: "PictureLayout | None" = None
    #: Outputs that are scored right here, with what metrics need for it.
    outputs: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    source: str | None = None
    docs: str | None = None
    specs: tuple[str, ...] = ()
    #: A page to write, and a challenge set and marked errors for it.
    page: str | None = None
    contrasts: str | None = None
    errors: tuple[str, ...] = ()
    #: The files of scores.
    paths: tuple[str, ...] = ()
    #: The statistics behind scores that were computed here.
    statistics: "dict[str, SegmentStatistics]" = field(default_factory=dict)
    #: What is said below the answer.
    notes: list[str] = field(default_factory=list)

    @property
    def has_scores(self) -> bool:
        """True if any files of scores are given."""
        return bool(len(self.scores))

    def select_level(self, level: str, gold: str | None = None) -> None:
        """Take documents for what is scored, where these are compared."""
        if level == "doc":
            from metra.scores.views import average_documents

            self.scores = average_documents(self.scores, gold)

    def add_total(self, name: str) -> None:
        """Add the scorer of a total, such as adequacy+fluency, and note what lacks a part."""
        from metra.scores.table import add_total

        scores, lacking = add_total(self.scores, name)
        if scores is not self.scores:
            self.scores = self.every_row = scores
        if lacking:
            self.notes.append(
                f"{name} needs all its parts; excluded because a part is missing: "
                f"{lacking:,}."
            )

    def choose_scorer(self) -> str:
        """Take the scorer that was asked for, or the only one."""
        self.add_total(self.name or "")
        names = self.scores.names
        if self.name is None and len(names) > 1:
            known = ", ".join(names)
            msg = (
                f"The files contain several scorers; choose one with --scorer: {known}."
            )
            raise click.UsageError(msg)
        if not names:
            msg = "The files contain no scores; expected those of at least one scorer."
            raise click.UsageError(msg)
        return self.scores.names[self.scores.find(self.name)] if self.name else names[0]

    def normalise_scores(self, name: str, method: "Scaling") -> str:
        """Add a scorer of normalised judgements, return its name, and note who is left out."""
        if method == "none":
            return name
        from metra.meta.findings import name_some
        from metra.meta.normalise import normalise
        from metra.scores.table import concatenate_scores

        normalised = normalise(self.scores, name, method)
        left_out = normalised.left_out.items()
        gone = [f"{judge} ({spread.left_out})" for judge, spread in left_out]
        if gone:
            self.notes.append(f"Excluded judges: {name_some(gone)}.")
        self.scores = concatenate_scores([self.scores, normalised.scores])
        return normalised.scores.names[0]

    def add_own_scores(self) -> None:
        """Score outputs by our own metrics and put the scores beside the others."""
        if not self.outputs and not self.specs:
            return
        if not (self.outputs and self.specs):
            msg = (
                "--output and -m belong together: the outputs, and the metric to "
                "score them with."
            )
            raise click.UsageError(msg)
        from metra.cli.output import show_progress
        from metra.scores.table import concatenate_scores
        from metra.scoring.evaluate import make_metrics
        from metra.scoring.scorers import score_systems

        require_one_language(self.scores)
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

    @property
    def has_metrics(self) -> bool:
        """True if metrics are named, or have scores."""
        from metra.scores.views import list_metrics

        return bool(self.metrics or list_metrics(self.scores, self.gold))

    def build_panels(self, metrics: Sequence[str] | None = None) -> "list[ScorePanel]":
        """Line up gold and metrics for each language pair by itself."""
        from metra.meta.correlate import build_gold_panel

        gold, statistics = self.gold, self.statistics
        metrics = self.metrics or metrics
        parts = [self.scores.only(lang=lang) for lang in self.scores.languages]
        return [build_gold_panel(part, gold, metrics, statistics) for part in parts]

    def fit_thresholds(
        self, specs: "list[CorrelationSpec]", eps_from: tuple[str, ...]
    ) -> "list[CorrelationSpec]":
        """Take the thresholds of ties from other scores, if such are named."""
        if not eps_from:
            return specs
        if not any(spec.options.calibrates for spec in specs):
            msg = "--eps-from needs acc*_eq, and excludes --eps and --cross-fit."
            raise click.UsageError(msg)
        from metra.meta.correlate import transfer_thresholds
        from metra.scores.registry import read_score_files
        from metra.scores.selection import DEFAULT
        from metra.scores.table import add_total
        from metra.scores.views import build_panel
        from metra.stats.direction import LOWER

        others = DEFAULT.select(read_score_files(eps_from))
        lower = [s.name for s in self.scores.scorers if s.direction == LOWER]
        others = others.with_lower_is_better([n for n in lower if n in others.names])
        others, _ = add_total(others, self.gold)
        require_one_language(others)
        lined_up = build_panel(others.only(), self.gold, self.metrics or None)
        source = ",".join(Path(path).name for path in eps_from)
        return transfer_thresholds(specs, lined_up, source)

    def write_pictures(self, draw: "Callable[..., str]", *plots: Any) -> None:
        """Draw each plot and write the picture; several are numbered before the suffix."""
        self.write_drawn(*(partial(draw, plot) for plot in plots))

    def write_drawn(self, *pictures: "Callable[[PictureLayout], str]") -> None:
        """Write pictures that are drawn for a layout."""
        from metra.cli.output import write_picture

        path = Path(str(self.plot))
        for number, draw in enumerate(pictures, 1):
            numbered = path.with_name(f"{path.stem}-{number}{path.suffix}")
            write_picture(
                draw, str(numbered if len(pictures) > 1 else path), self.layout
            )
        if not pictures:
            self.notes.append(f"{path} was not written: there is nothing to draw.")


def question(
    record: type,
    *takes: Callable[..., Any],
    first: Any = None,
    plot: bool = False,
    needs_scores: bool = True,
    check: Callable[[dict[str, Any]], None] | None = None,
) -> Callable[[Callable[..., "MetaReport"]], click.Command]:
    """Make a command that reads scores, asks a question of them and shows the answer.

    The question is a function of a `MetaQuestion`, `asked`, and of its own `options`.
    `first` is an argument that stands before the scores; some questions can be asked
    without any scores. `check` refuses options that do not go together.
    """
    shown = "SCORES..." if needs_scores else "[SCORES]..."
    paths = click.argument("paths", nargs=-1, metavar=shown)
    picture = inputs.picture if plot else None
    added = [first, paths, *_QUESTION, *takes, options_from(record), picture]

    def decorate(answer: Callable[..., "MetaReport"]) -> click.Command:
        command: Callable[..., Any] = wraps(answer)(
            partial(_show_answer, answer, check, needs_scores)
        )
        for add_option in filter(None, reversed(added)):
            command = add_option(command)
        return click.command(cls=GroupedCommand)(command)

    return decorate


def _show_answer(
    ask: Callable[..., "MetaReport"],
    check: Callable[[dict[str, Any]], None] | None,
    needs_scores: bool,
    *,
    test_set: str | None,
    **given: Any,
) -> None:
    if test_set is not None:
        from metra.formats.testsets.lookup import list_score_files

        given["paths"] += tuple(list_score_files(test_set, given["lang"] or ""))
    elif needs_scores and not given["paths"]:
        msg = "SCORES are missing; name files, or a test set with -t."
        raise click.UsageError(msg)
    if check is not None:
        check(given)
    _answer_question(ask, **given)


def _answer_question(
    ask: Callable[..., "MetaReport"],
    *,
    paths: tuple[str, ...],
    lower: tuple[str, ...],
    input_format: str,
    units: tuple[str, ...],
    columns: tuple[str, ...],
    system_names: str | None,
    mqm_weights: str | None,
    form: str,
    out: str | None,
    digits: int,
    options: Any,
    gold_from: tuple[str, ...] = (),
    gold: str = "",
    selection: str = "",
    **given: Any,
) -> None:
    from metra.cli.output import show_progress
    from metra.meta.findings import merge_reports
    from metra.scores.long_table import read_named_pairs
    from metra.scores.mqm import parse_weighting
    from metra.scores.registry import parse_roles, read_score_files
    from metra.scores.selection import parse_selection
    from metra.scores.table import build_score_table, list_parts
    from metra.stats.parallel import count_blocks

    read = partial(
        read_score_files,
        input_format=input_format,
        units=units,
        columns=parse_roles(columns),
        mqm_weights=parse_weighting(mqm_weights) if mqm_weights else None,
        wmt=getattr(options, "wmt", False),
    )
    names = read_named_pairs(system_names) if system_names else {}
    scores = read(paths) if paths else build_score_table([], [], {})
    scores = scores.rename_systems(names)
    # Several golds have commas between them, unless a name has commas.
    golds = [gold] if gold in scores.names else [*split_names(None, None, (gold,))]
    if len(golds) > 1 and given.get("plot"):
        msg = "--plot draws one gold scorer; name one with --gold."
        raise click.UsageError(msg)
    notes = []
    for each in golds if gold_from else ():
        other = read(gold_from).rename_systems(names)
        for part in list_parts(each, other.names):
            scores = scores.with_values_of(part, other)
        notes.append(f"{each} is taken from {', '.join(gold_from)} only.")
    if lower:
        scores = scores.with_lower_is_better(lower)
    scores = _filter_scores(scores, *map(given.pop, ("lang", "domain", "without")))
    chosen = parse_selection(selection)
    chosen.check_names(scores)
    selected = chosen.select(scores)
    if len(scores) and not len(selected):
        msg = f"No row is left: {chosen.describe(scores)}. Change --select."
        raise click.UsageError(msg)
    reports = {}
    for each in golds if len(golds) > 1 else [gold]:
        asked = MetaQuestion(selected, scores, chosen, each, paths=paths, **given)
        asked.add_total(each)
        with show_progress("steps") as report, count_blocks(report):
            answer = ask(asked=asked, options=options)
        scorer = each or asked.name or next(iter(asked.scores.names), "")
        words = asked.selection.describe(scores, scorer) if len(scores) else ""
        answer = replace(answer, notes=[*answer.notes, *asked.notes], selection=words)
        reports[each] = answer
    if len(reports) > 1:
        answer = merge_reports(reports)
    show_report(replace(answer, notes=[*answer.notes, *notes]), form, out, digits)


def show_report(answer: "MetaReport", form: str, out: str | None, digits: int) -> None:
    """Write an answer in the format that was asked for; its notes name flags."""
    from metra.cli.output import build_style, write_output
    from metra.report.writers.meta import render

    style = build_style(out, digits=digits)
    write_output(render(name_note_flags(answer), form, style), out)


def name_note_flags(answer: "MetaReport") -> "MetaReport":
    """Let the notes of an answer name flags, not parameters."""
    return replace(answer, notes=[name_flags(note) for note in answer.notes])


def _filter_scores(
    scores: "Scores", lang: str | None, domain: str | None, without: tuple[str, ...]
) -> "Scores":
    """Keep one language pair and domain, and say so where nothing is left."""
    kept = scores.only(lang=lang, domain=domain, without_systems=without)
    if len(scores) and not len(kept):
        domains = dict.fromkeys(item.domain for item in scores.items)
        known = {"--lang": scores.languages, "--domain": list(domains)}
        filters = [
            f"{flag} {value} (known: {', '.join(filter(None, known[flag])) or 'none'})"
            for flag, value in (("--lang", lang), ("--domain", domain))
            if value is not None
        ]
        msg = f"No score is left with {' and '.join(filters) or 'these systems'}."
        raise click.UsageError(msg)
    return kept


def require_one_language(scores: "Scores") -> None:
    """Refuse a mixture of language pairs, whose scores do not belong together."""
    if len(scores.languages) > 1:
        known = ", ".join(filter(None, scores.languages))
        msg = (
            f"The scores cover several language pairs; choose one with --lang: {known}."
        )
        raise click.UsageError(msg)
