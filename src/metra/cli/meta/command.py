"""The commands of `metra meta`: each is made from the entry of its question."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metra.cli import FLAGS, CommandWithViews
from metra.cli import name_flags as write_flags
from metra.cli import options as inputs
from metra.cli.derive import list_settings, options_from, split_names
from metra.cli.options import option
from metra.cli.settings import parse_settings, split_file_settings
from metra.errors import MetraError, not_possible
from metra.meta.questions import (
    FILE_PROTOCOLS,
    QUESTIONS,
    QuestionEntry,
    read_help,
)
from metra.report import FORMATS

if TYPE_CHECKING:
    from metra.meta.charts import Chart
    from metra.meta.findings import MetaReport
    from metra.scores.selection import Selection
    from metra.scores.table import Scores

#: Roles of columns, and other settings of `--read`.
_ROLES = (
    *("system", "segment", "document", "scorer", "value", "judge", "domain", "lang"),
    *("category", "severity", "target", "source", "start", "end"),
)
_KEYS = ("format", "unit", "mqm", "names", "lower", "higher", "gold", *_ROLES)
#: Flags for parameters that messages name, beyond those of all commands.
_FLAGS = FLAGS | {
    "columns": "--read",
    "eps": "--set eps",
    "folds": "--set folds",
    "judges_by": "--set judges-by",
    "lang": "--select lang=PAIR",
    "lower_is_better": "--read lower=NAME",
    "macro": "--set macro",
    "metrics": "--metric",
    "most_judges": "--set judges",
    "most_pairs": "--set pairs",
    "mqm_weights": "--read mqm",
    "pool": "--set pool",
    "scorer": "--scorer",
    "show": "--show",
    "these_raters": "--set these-raters",
    "unit": "--set over",
    "units": "--read unit",
}


class ResultFormat(click.Choice[str]):
    """A format, and the decimal places of its tables: `latex:digits=2`."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the name and the decimal places."""
        name, settings = split_file_settings("--format", value, ("digits",))
        digits = settings.get("digits", "3")
        if not digits.isdecimal() or int(digits) > 15:
            expected = "a whole number from 0 to 15"
            raise click.UsageError(not_possible(f"--format digits={digits}", expected))
        return super().convert(name, param, ctx), int(digits)


_OPTIONS = {
    "read": option(
        "--read KEY=VALUE,…",
        "Columns of a table of errors with other headings: system, segment, document, "
        "judge, category, severity, start and end, or target and source with the error "
        "in tags, as in category=Type,target=Marked.",
        multiple=True,
    ),
    "output": option(
        "--output outputs OUTPUT",
        "Output to score: a file, or a table with several systems. For error spans: "
        "the text that they are marked in.",
        multiple=True,
    ),
    "references": inputs.references,
    "source": inputs.source,
    "docs": option("--docs FILE", inputs.DOCUMENTS),
    "specs": option(
        "-m --score-with specs SPEC",
        "Score outputs, or a challenge set, with this metric (see `metra metrics`).",
        multiple=True,
        callback=inputs.split_specs,
    ),
    "gold": option(
        "--gold NAMES",
        "Scorer with the human judgements to compare with. Several, separated by "
        "commas, give one table each; A+B is the sum of both for the same judge and "
        "segment.",
        "",
    ),
    "metrics": option(
        "--metric metrics NAMES",
        "Metrics to evaluate; by default all scorers except human ones.",
        multiple=True,
        callback=split_names,
    ),
    "scorer": option(
        "--scorer NAME",
        "Scorer to use, if there are several. A+B is the sum of both for the same "
        "judge and segment.",
        "",
        show_default=False,
    ),
    "test-set": inputs.add_options(
        option(
            "-t --test-set test_set NAME",
            "Also read the scores of this mt-metrics-eval test set (see `metra "
            "testsets`).",
        ),
        option("-l --lang PAIR", "Only this language pair."),
    ),
    "plot": inputs.picture,
}
_SCORES = (
    option(
        "--select selection ROWS",
        "Rows that count, such as flagged=count, items=judged+calibration, "
        "judge=Ann+Bob, system!=baseline, domain=news, lang=en-de, from=2026-01-31 or "
        "to=; separated by commas. By default judged items count, and judges whom their "
        "campaign flagged are set apart.",
        "",
    ),
    option(
        "--read KEY=VALUE,…",
        "Ways of reading SCORES. format: the format, if it is not recognised; "
        "system, segment, document, scorer, value, judge, domain, lang, and of errors "
        "category, severity, target, source, start, end: the column of this role; unit: "
        "additional columns that identify what was scored; names: "
        "file with new names of systems (name, tab, new name); lower, higher: scorers "
        "for which these values are better; gold: file with the gold scores; mqm: "
        "weights of MQM errors, as SEVERITY[/CATEGORY]:POINTS, source:yes, "
        "cap:POINTS, per:100 words, unlisted:perfect or unlisted:unrated.",
        multiple=True,
    ),
)
_RESULT = (
    option(
        "--format form",
        "Output format; decimal places behind it, as in table:digits=4.",
        FORMATS[0],
        type=ResultFormat((*FORMATS, "csv")),
    ),
    inputs.out,
)


def __getattr__(name: str) -> CommandWithViews:
    """Make the command that asks some questions, each with options of its own."""
    places = {question: each.command.split() for question, each in QUESTIONS.items()}
    asked = {words[-1]: each for each, words in places.items() if words[0] == name}
    if not asked:
        raise AttributeError(name)
    first, *others = asked.values()
    chooser = " ".join(places[first][1:-1])
    elsewhere = {
        key: f"{chooser} {value}"
        for value, question in asked.items()
        for key in list_settings(QUESTIONS[question].options)
    }
    views: dict[str, CommandWithViews] = {}
    for value, question in asked.items():
        # The option that stands for any value has a field of its own.
        choices = (
            [] if value.isupper() or not others else [_make_choice(chooser, asked)]
        )
        views[value] = _make_command(question, choices, elsewhere)
        views[value].chooser, views[value].views = chooser, views
    return next(iter(views.values()))


def _make_choice(chooser: str, asked: Mapping[str, str]) -> Callable[..., Any]:
    """Make the option that chooses among the questions of a command."""
    default, question = next(iter(asked.items()))
    words = [value for value in asked if not value.isupper()]
    return option(
        f"{chooser} view",
        read_help(question)[1]["view"],
        default,
        metavar=f"[{'|'.join(asked)}]",
        type=click.Choice(words) if len(words) == len(asked) else None,
        shell_complete=lambda _, __, begun: [w for w in words if w.startswith(begun)],
        expose_value=False,
    )


def _make_command(
    question: str, choices: list[Callable[..., Any]], elsewhere: Mapping[str, str]
) -> CommandWithViews:
    """Make the command of one question."""
    entry = QUESTIONS[question]
    answer = _answer_files if "files" in entry.takes else _answer_scores
    command: Callable[..., Any]
    command = partial(_show_report, partial(answer, question, entry))
    shared = _RESULT if "files" in entry.takes else (*_SCORES, *_RESULT)
    own = [each for word, each in _OPTIONS.items() if word in entry.takes]
    paths = click.argument("paths", nargs=-1, metavar=entry.files)
    about, texts = read_help(question)
    derived = options_from(entry.options, texts, elsewhere)
    for add in reversed([paths, *choices, *shared, *own, derived]):
        command = add(command)
    return click.command(question, cls=CommandWithViews, help=about)(command)


def _show_report(
    answer: "Callable[..., MetaReport]",
    *,
    form: tuple[str, int],
    out: str | None,
    **given: Any,
) -> None:
    """Write an answer in the format that was asked for; messages name flags."""
    from metra.cli.output import build_style, write_output
    from metra.report.writers.meta import render

    try:
        report = name_flags(answer(**given))
    except MetraError as error:
        error.args = (_write_flags(str(error)),)
        raise
    style = build_style(out, digits=form[1])
    write_output(render(report, form[0], style), out)


def _write_flags(message: str) -> str:
    """Replace parameters in backticks by flags, and their values by settings."""
    text = write_flags(message, _FLAGS)
    return re.sub(r"(?:set )?(--set [\w-]+) (?:to (\w+)|(\d+))", r"\1=\2\3", text)


def _answer_files(
    name: str,
    entry: QuestionEntry,
    *,
    paths: tuple[str, ...],
    options: Any,
    **given: Any,
) -> "MetaReport":
    """Answer a question about files that hold no scores."""
    from metra.meta.question import Evidence, answer_evidence
    from metra.scores.table import build_score_table

    if len(paths) < (2 if name == "task" else 1):
        msg = f"{_name_command()} needs {entry.files.strip('.')}."
        raise click.UsageError(msg)
    given["columns"] = parse_settings("--read", given.pop("read", ()), _ROLES)
    evidence = Evidence(build_score_table([], [], {}), files=paths, **given)
    return answer_evidence(name, evidence, options)[1]


def _answer_scores(
    name: str,
    entry: QuestionEntry,
    *,
    paths: tuple[str, ...],
    options: Any,
    selection: str,
    read: tuple[str, ...],
    lang: str | None = None,
    gold: str = "",
    test_set: str | None = None,
    plot: str | None = None,
    print_width: float | None = None,
    **given: Any,
) -> "MetaReport":
    """Read scores, and answer a question for each gold."""
    from metra.cli.output import show_progress, write_output
    from metra.meta.findings import merge_reports
    from metra.meta.question import Evidence, answer_evidence
    from metra.stats.parallel import count_blocks

    if name == "task" and paths[:1] and paths[0] in FILE_PROTOCOLS:
        specs = given["specs"]
        return _answer_files(name, entry, paths=paths, options=options, specs=specs)
    protocol, paths = (paths[:1], paths[1:]) if name == "task" else ((), paths)
    if test_set is not None:
        from metra.formats.testsets.lookup import list_score_files

        paths += tuple(list_score_files(test_set, lang or ""))
    settings = parse_settings("--read", read, _KEYS)
    selection, lang = _split_language(selection, lang)
    _check_input(name, entry, protocol, paths, gold)
    scores, chosen, notes = _read_scores(
        paths, settings, gold, lang, selection, wmt=getattr(options, "wmt", False)
    )
    golds = _split_golds(gold, scores)
    if len(golds) > 1 and plot:
        msg = "--plot draws one gold scorer; name one with --gold."
        raise click.UsageError(msg)
    reports = {}
    for each in golds:
        evidence = Evidence(
            scores, chosen, gold=each, files=protocol, track=show_progress, **given
        )
        with show_progress("steps") as progress, count_blocks(progress):
            answers, reports[each] = answer_evidence(name, evidence, options)
            if plot:
                notes += _draw_charts(name, answers, options, plot, print_width)
        if name == "normalise" and options.to:
            from metra.scores.long_table import format_long_table

            normalised = answers[0].normalised.scores
            write_output(format_long_table(normalised), options.to)
    merged = merge_reports(reports) if len(reports) > 1 else reports[each]
    return replace(merged, notes=[*merged.notes, *notes])


def _check_input(
    name: str,
    entry: QuestionEntry,
    protocol: tuple[str, ...],
    scores: tuple[str, ...],
    gold: str,
) -> None:
    """Refuse a question without scores or a gold."""
    if name == "task" and not protocol:
        msg = (
            "metra meta task needs a protocol: wmt23, wmt24, wmt25, wmt26, "
            "wmt26-error-free or wmt25-correction."
        )
        raise click.UsageError(msg)
    if any(path.endswith(".toml") for path in protocol):
        msg = (
            f"{protocol[0]}: study files are no longer read; write metra meta task "
            "wmt24 en-de=FILE cs-uk=FILE --gold NAME, with --read names=FILE,gold=FILE "
            "and --select system!=NAME."
        )
        raise click.UsageError(msg)
    if not scores and not entry.files.startswith("["):
        remedy = ", or a test set with -t" if "test-set" in entry.takes else ""
        msg = f"SCORES are missing; name files{remedy}."
        raise click.UsageError(msg)
    if "gold" in entry.takes and not gold:
        msg = (
            f"{_name_command()} needs --gold NAMES (scorer with the human judgements to "
            f"compare with). See {_name_command()} --help."
        )
        raise click.UsageError(msg)


def _name_command() -> str:
    return click.get_current_context().command_path


def _read_scores(
    paths: tuple[str, ...],
    settings: Mapping[str, str],
    gold: str,
    lang: str | None,
    selection: str,
    *,
    wmt: bool,
) -> "tuple[Scores, Selection, list[str]]":
    """Read the scores as `--read` says, and the rows that count."""
    from metra.scores.long_table import read_named_pairs
    from metra.scores.mqm import parse_weighting
    from metra.scores.registry import read_score_files
    from metra.scores.selection import parse_selection
    from metra.scores.table import build_score_table, list_parts
    from metra.stats.direction import HIGHER, LOWER

    mqm = settings.get("mqm")
    read = partial(
        read_score_files,
        input_format=settings.get("format", "auto"),
        units=split_names(None, None, [settings.get("unit", "")]),
        columns={role: settings[role] for role in _ROLES if role in settings},
        mqm_weights=parse_weighting(mqm) if mqm else None,
        wmt=wmt,
    )
    names = read_named_pairs(settings["names"]) if "names" in settings else {}
    scores = read(paths) if paths else build_score_table([], [], {})
    scores = scores.rename_systems(names)
    notes = []
    for each in _split_golds(gold, scores) if "gold" in settings else ():
        other = read([settings["gold"]]).rename_systems(names)
        for part in list_parts(each, other.names):
            scores = scores.with_values_of(part, other)
        notes.append(f"{each} is taken from {settings['gold']} only.")
    for key, direction in {"lower": LOWER, "higher": HIGHER}.items():
        given = split_names(None, None, [settings.get(key, "")])
        scores = scores.with_direction(given, direction)
    notes += [
        f"Higher values of {each} are taken to be better; if they are costs, add "
        f"--read lower={each}."
        for each in scores.list_ambiguous()
    ]
    if lang is not None and lang not in scores.languages:
        listed = ", ".join(filter(None, scores.languages)) or "none"
        msg = f"No score is of {lang} (known: {listed})."
        raise click.UsageError(msg)
    scores = scores.only(lang=lang)
    chosen = parse_selection(selection)
    chosen.check_names(scores)
    if len(scores) and not len(chosen.select(scores)):
        msg = f"No row is left: {chosen.describe(scores)}. Change --select."
        raise click.UsageError(msg)
    return scores, chosen, notes


def _split_language(selection: str, lang: str | None) -> tuple[str, str | None]:
    """Split the language pair off the selection, unless -l gives one."""
    parts = [part.strip() for part in selection.split(",")]
    pairs = [part.removeprefix("lang=") for part in parts if part.startswith("lang=")]
    if len([*pairs, *filter(None, [lang])]) > 1:
        msg = "The language pair is given twice; give --select lang=PAIR once."
        raise click.UsageError(msg)
    rest = ",".join(part for part in parts if not part.startswith("lang="))
    return rest, pairs[0] if pairs else lang


def _split_golds(gold: str, scores: "Scores") -> list[str]:
    """Split golds at commas, unless a name has commas."""
    names = [gold] if gold in scores.names else split_names(None, None, (gold,))
    return [*names] or [""]


def _draw_charts(
    name: str,
    answers: list[Any],
    options: Any,
    plot: str,
    width: float | None,
) -> list[str]:
    """Draw the charts of all answers; several are numbered before the suffix."""
    from metra.cli.output import write_picture
    from metra.meta.question import find_question

    draw = find_question(name).draw
    charts = [chart for answer in answers for chart in draw(answer, options)]
    path = Path(plot)
    for number, chart in enumerate(charts, 1):
        numbered = path.with_name(f"{path.stem}-{number}{path.suffix}")
        place = str(numbered if len(charts) > 1 else path)
        write_picture(partial(_draw, chart), place, width)
    return [] if charts else [f"{path} was not written: there is nothing to draw."]


def _draw(chart: "Chart", width: float | None) -> str:
    from metra.meta import charts
    from metra.report.pictures import forest, heatmap, plots

    draw: dict[type, Callable[..., str]] = {
        charts.CurvePlot: plots.draw_curves,
        charts.ForestPlot: forest.draw_forest,
        charts.Heatmap: heatmap.draw_heatmap,
        charts.Histogram: plots.draw_histogram,
        charts.JudgePlot: plots.draw_judge_plot,
        charts.ScatterPoints: plots.draw_scatter,
    }
    return draw[type(chart)](chart, width)


def name_flags(report: "MetaReport") -> "MetaReport":
    """Let the notes of a report name flags, not parameters."""
    return replace(report, notes=[*map(_write_flags, report.notes)])
