"""A question about scores: the answer for a selection of rows, its layout and its charts.

`metra meta`, the results page of a campaign, exports of figures, the report and the exercise
ask the same questions, so the same rows give the same figures everywhere.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from metra.errors import CorpusError, OptionError
from metra.formats.texts.columns import ReadingOptions
from metra.formats.texts.long_tables import has_pairs
from metra.meta.charts import Chart
from metra.meta.findings import MetaReport, merge_pairs
from metra.meta.normalise import describe_excluded, normalise
from metra.meta.options import Scaling
from metra.meta.questions import JUDGEMENT_QUESTIONS, QUESTIONS
from metra.scores.alignment import align_tables, attach_outputs
from metra.scores.selection import DEFAULT, Selection
from metra.scores.table import Scores, add_total, concatenate_scores
from metra.scores.views import average_documents, build_panel, promote_documents
from metra.scoring.evaluate import make_metrics
from metra.scoring.files import CorpusFiles, FileCorpus, read_texts
from metra.scoring.scorers import score_systems
from metra.stats.panel import ScorePanel, SegmentStatistics
from metra.stats.parallel import Progress

Options = TypeVar("Options")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Question(Generic[Options, Answer]):
    """A question, asked of evidence."""

    name: str
    #: Return the answer; with `pairs` in its entry, for the panel of one language pair.
    ask: Callable[["Evidence", Options], Answer]
    #: Lay out an answer as tables, notes and a signature.
    lay_out: Callable[[Answer, Options], MetaReport]
    draw: Callable[[Answer, Options], Sequence[Chart]] = lambda *_: ()
    #: Heading on a page, with a place for the scorer.
    title: str = ""
    #: Return the selection that the question uses, if it counts other rows than figures
    #: about systems do.
    widen: Callable[[Selection], Selection] = lambda selection: selection


@dataclass
class Evidence:
    """Scores that a question is asked of, and input that questions share."""

    scores: Scores
    selection: Selection = DEFAULT
    scorer: str = ""
    gold: str = ""
    metrics: tuple[str, ...] = ()
    #: Outputs to score with metrics, and how to show progress.
    outputs: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    source: str | None = None
    docs: str | None = None
    specs: tuple[str, ...] = ()
    track: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(
        lambda *_: None
    )
    #: Files that are no scores, such as error spans, a challenge set or a study.
    files: tuple[str, ...] = ()
    #: Headings of roles in tables of error spans.
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    #: Gold and metrics of one language pair, if it is asked of each.
    panel: ScorePanel = field(init=False)

    def __post_init__(self) -> None:
        """Select the rows that count, and note missing parts of a total."""
        self.rows = self.selection.select(self.scores)
        self.statistics: dict[str, SegmentStatistics] = {}
        # A total, such as adequacy+fluency, gets a scorer.
        name = self.gold or self.scorer
        rows, lacking = add_total(self.rows, name)
        if rows is not self.rows:
            self.rows = self.scores = rows
        if lacking:
            self.notes.append(
                f"{name} needs all its parts; excluded because a part is missing: "
                f"{lacking:,}."
            )

    def choose_scorer(self) -> str:
        """Return the scorer that was asked for, or the only one."""
        names = self.rows.names
        if not names:
            msg = "The files contain no scores; expected those of at least one scorer."
            raise OptionError(msg)
        if not self.scorer and len(names) > 1:
            listed = ", ".join(names)
            msg = f"The files contain several scorers; choose one with `scorer`: {listed}."
            raise OptionError(msg)
        return names[self.rows.find(self.scorer)] if self.scorer else names[0]

    def select_others(self) -> Scores | None:
        """Return the rows of the other choice about flagged judges; None if it is the same."""
        if not self.scores.flags or self.selection.flagged == "out":
            return None
        others = self.selection.select_flagged(self.scores)
        if self.scorer not in others.names:
            return None
        counts = (len(rows.lines(self.scorer)) for rows in (self.rows, others))
        return others if len({*counts}) == 2 else None

    def normalise(self, name: str, method: Scaling) -> str:
        """Add a scorer of normalised judgements, and return its name."""
        if method == "none":
            return name
        normalised = normalise(self.rows, name, method)
        self.notes += describe_excluded(normalised)
        self.rows = concatenate_scores([self.rows, normalised.scores])
        return normalised.scores.names[0]

    def open_corpus(self) -> FileCorpus:
        """Open the outputs to score."""
        files = CorpusFiles(self.outputs, self.references, self.source, self.docs)
        if any(map(has_pairs, files.list_sources())):
            pair = require_one_language(self.rows)
            files = files._replace(reading=ReadingOptions(pair=pair))
        return files.open()

    def score_outputs(self, specs: Sequence[str]) -> None:
        """Score the outputs with metrics, and add the scores."""
        lang = require_one_language(self.rows)
        corpus = self.open_corpus()
        with self.track() as progress:
            automatic, self.statistics = score_systems(
                corpus, make_metrics(specs), lang=lang, progress=progress
            )
        if len(self.rows.output):
            automatic = attach_outputs(automatic, read_texts(corpus))
        names = "the outputs", "The table of scores"
        aligned = align_tables([automatic, self.rows], names, base=0)
        self.rows = concatenate_scores(aligned[::-1])

    def build_panels(self, metrics: Sequence[str] | None = None) -> list[ScorePanel]:
        """Line up gold and metrics for each language pair by itself."""
        metrics = self.metrics or metrics
        parts = [self.rows.only(lang=lang) for lang in self.rows.languages]
        return [
            build_gold_panel(part, self.gold, metrics, self.statistics)
            for part in parts
        ]


def build_gold_panel(
    scores: Scores,
    gold: str,
    metrics: Sequence[str] | None,
    statistics: Mapping[str, SegmentStatistics] | None = None,
) -> ScorePanel:
    """Line up people with metrics, by document if people judged whole documents."""
    promoted = promote_documents(scores, gold)
    pooled = statistics if promoted is scores else None
    return build_panel(promoted, gold, metrics, statistics=pooled)


def require_one_language(scores: Scores) -> str:
    """Return the only language pair; scores of several do not belong together."""
    if len(scores.languages) > 1:
        listed = ", ".join(filter(None, scores.languages))
        msg = f"The scores cover several language pairs; choose one with `lang`: {listed}."
        raise OptionError(msg)
    return next(iter(scores.languages), "")


def answer_evidence(
    name: str, evidence: Evidence, options: Any
) -> tuple[list[Any], MetaReport]:
    """Ask a question; return the answers by language pair, and the report of all."""
    question, entry = find_question(name), QUESTIONS[name]
    check_choices(options)
    scores, scorer = evidence.scores, evidence.gold or evidence.scorer
    _prepare_evidence(evidence, entry.takes, options)
    if "pairs" in entry.takes:
        panels = evidence.build_panels()
        answers = []
        for panel in panels:
            evidence.panel = panel
            answers.append(question.ask(evidence, options))
        reports = [question.lay_out(answer, options) for answer in answers]
        report = merge_pairs(reports, panels)
    else:
        answers = [question.ask(evidence, options)]
        report = question.lay_out(answers[0], options)
    words = report.selection
    if len(scores):
        scorer = scorer or evidence.scorer or next(iter(evidence.rows.names), "")
        words = question.widen(evidence.selection).describe(scores, scorer)
    notes = [*report.notes, *evidence.rows.notes, *evidence.notes]
    return answers, replace(report, notes=notes, selection=words)


def _prepare_evidence(evidence: Evidence, takes: frozenset[str], options: Any) -> None:
    """Choose the scorer, score outputs and average documents, as a question needs it."""
    if "one-pair" in takes:
        require_one_language(evidence.rows)
    if "scorer" in takes and "own" not in takes and len(evidence.scores):
        evidence.scorer = evidence.choose_scorer()
    given = bool(evidence.outputs), bool(evidence.specs)
    if "own" in takes and any(given) and not all(given):
        msg = (
            "`outputs` and -m belong together: the outputs, and the metric to score "
            "them with."
        )
        raise OptionError(msg)
    if all(given) and "own" in takes:
        evidence.score_outputs(evidence.specs)
    if getattr(options, "level", "") == "doc":
        evidence.rows = average_documents(evidence.rows, evidence.gold or None)
        evidence.statistics = {}


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question with its answer for one scorer, laid out, or the reason for having none."""

    question: Question[Any, Any]
    scorer: str
    answer: Any = None
    report: MetaReport | None = None
    problem: str = ""


def answer_question(
    name: str,
    scores: Scores,
    selection: Selection,
    scorer: str = "",
    options: Any = None,
) -> AnsweredQuestion:
    """Ask a question about judgements; the answer names the rows that count."""
    question = find_question(name)
    chosen = QUESTIONS[name].options() if options is None else options
    check_choices(chosen)
    try:
        answer = question.ask(Evidence(scores, selection, scorer), chosen)
    except CorpusError as reason:
        return AnsweredQuestion(question, scorer, problem=str(reason))
    words = question.widen(selection).describe(scores, scorer)
    report = replace(question.lay_out(answer, chosen), selection=words)
    return AnsweredQuestion(question, scorer, answer, report)


def answer_all(
    scores: Scores,
    selection: Selection,
    options: Mapping[str, Any] | None = None,
    names: Sequence[str] = JUDGEMENT_QUESTIONS,
) -> list[AnsweredQuestion]:
    """Ask every question about judgements of each scorer of people."""
    selected = selection.select(scores)
    scorers = [scorer.name for scorer in selected.scorers if scorer.human]
    return [
        answer_question(name, scores, selection, scorer, (options or {}).get(name))
        for name in names
        for scorer in (scorers if QUESTIONS[name].of_scorer else [""])
    ]


def check_choices(options: Any) -> None:
    """Refuse values other than the choices of its option."""
    for name, hint in get_type_hints(type(options)).items():
        value = getattr(options, name)
        kinds = hint, *get_args(hint)
        choices = [
            each
            for kind in kinds
            if get_origin(kind) is Literal
            for each in get_args(kind)
        ]
        if choices and value not in choices and value is not None:
            expected = ", ".join(choices)
            msg = f"{name}={value!r} is not possible; expected one of {expected}."
            raise OptionError(msg)


def find_question(name: str) -> Question[Any, Any]:
    """Load a question by its name."""
    module = import_module(f"metra.meta.{QUESTIONS[name].module}")
    question: Question[Any, Any] = getattr(module, name.upper())
    return question
