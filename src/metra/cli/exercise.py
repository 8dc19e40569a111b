"""`metra exercise`: evaluators compared, and people with metrics, from 0 to 100."""

import os
from typing import TYPE_CHECKING

import click

from metra.cli import GroupedCommand, name_flags, options
from metra.cli.options import option
from metra.errors import OptionError

if TYPE_CHECKING:
    from metra.campaign.exercise import Exercise
    from metra.campaign.score_scales import NativeScore


@click.command(cls=GroupedCommand)
@click.argument("files", nargs=-1, metavar="[EVALUATOR=]SCORES...")
@option(
    "--store url STORE",
    "A store of campaigns, as of `metra judge`: a file, or an address of PostgreSQL. All "
    "its campaigns whose systems may be named take part.",
)
@option(
    "--campaign campaigns NAME",
    "Only this campaign of the store, which is $METRA_STORE or judge.db if not given. May "
    "be given several times.",
    multiple=True,
)
@option(
    "--unblind",
    "Show the systems' names before a campaign is closed; that is written to the log.",
    is_flag=True,
)
@option(
    "--scale scales MEASURE=WORST..BEST",
    "Which scores are worth 0 and 100, such as clarity=0..3. May be given several times.",
    multiple=True,
)
@option(
    "--model FILE",
    "A quality model (TOML): its scales, and one figure by its weights.",
)
@option(
    "--names FILE",
    "Other names for systems: a name as in the files, a tab, its new name, one a line.",
)
@option("--human NAME", "A measure that people take. May be repeated.", multiple=True)
@option(
    "--automated NAME", "A measure that programs take. May be repeated.", multiple=True
)
@option(
    "--level",
    "Compare translations of single texts, or systems over all texts; auto: texts where "
    "all measures share some.",
    choices=["auto", "text", "system"],
)
@options.form
@options.out
@options.digits
@option("--html page FILE", "Write a report to this HTML file, too.")
@option("--title", "The heading of the report.", "Collective exercise")
@option(
    "--tables folder FOLDER",
    "Write results, reliability, correlations and their matrix there, with tabs.",
)
def exercise(
    files: tuple[str, ...],
    url: str | None,
    campaigns: tuple[str, ...],
    unblind: bool,
    scales: tuple[str, ...],
    model: str | None,
    names: str | None,
    human: tuple[str, ...],
    automated: tuple[str, ...],
    level: str,
    form: str,
    out: str | None,
    digits: int,
    page: str | None,
    title: str,
    folder: str | None,
) -> None:
    """Compare evaluators, people with metrics, and metrics with each other.

    SCORES are what evaluators hand in: files that `metra score` wrote in any format, exports
    of `metra judge`, tables with the columns metric, evaluator, text, translation and score
    (0 to 100), or any scores that `metra meta` reads. Scores of a file that names no judges
    are of EVALUATOR, or of an evaluator called after the file. Campaigns come from a store.

    Every unit is mapped to 0 to 100, higher being better, and the mapping is shown. Each
    measure and system gets the mean and the standard deviation over evaluators; each measure
    its evaluators' agreement; each two measures their correlation.

    \b
    metra exercise ann=ann.json bob=bob.tsv clarity.tsv --scale clarity=0..3
    metra exercise scores/*.json --store judge.db --model gisting.toml --html exercise.html
    """
    from metra.campaign.evaluator_files import read_evaluator_files
    from metra.campaign.exercise_study import rename_systems, run_exercise
    from metra.campaign.score_scales import parse_scale
    from metra.cli.output import build_provenance, build_style, write_output
    from metra.formats.annotations.quality_model import read_quality_model
    from metra.report.writers.exercise import build_exercise_report
    from metra.report.writers.meta import render

    given = dict(map(parse_scale, scales))
    weights = read_quality_model(model) if model else None
    scores = read_evaluator_files(files)
    left_out: list[str] = []
    if url is not None or campaigns:
        scores += _read_store(url, campaigns, unblind, left_out)
        if left_out and not scores:
            msg = "All campaigns still hide their systems' names; close one, or give --unblind."
            raise OptionError(msg)
    if names:
        from metra.formats.scores.long_table import read_named_pairs

        scores = rename_systems(scores, read_named_pairs(names))
    study = run_exercise(
        scores,
        scales=given,
        model=weights,
        level=level,  # type: ignore[arg-type]
        human=human,
        automated=automated,
    )
    notes = [name_flags(note) for note in [*study.notes, *left_out]]
    if page is not None:
        from metra.report.html.exercise import render_exercise

        inputs = [*files, *filter(None, (url, model, names))]
        provenance = build_provenance(inputs)
        write_output(render_exercise(study, provenance, title, notes), page)
    if folder is not None:
        _write_tables(study.exercise, folder)
    report = build_exercise_report(study, notes)
    write_output(render(report, form, build_style(out, digits=digits)), out)


def _read_store(
    url: str | None, names: tuple[str, ...], unblind: bool, left_out: list[str]
) -> "list[NativeScore]":
    """Read campaigns; those whose systems may not be named are refused or left out."""
    import time
    from contextlib import closing

    from metra.campaign.campaign import FIRST
    from metra.campaign.evaluator_files import convert_judgements
    from metra.cli.judge.campaigns import AT_KEYBOARD, open_store

    address = url or os.environ.get("METRA_STORE") or "judge.db"
    scores: list[NativeScore] = []
    with closing(open_store(address)) as store:
        from metra.store.campaigns import (
            find_by_name,
            get_campaign,
            list_campaigns,
            unblind_campaign,
        )
        from metra.store.second_looks import read_completed

        with store.transaction() as db:
            every = [get_campaign(db, row[0]) for row in reversed(list_campaigns(db))]
            chosen = [find_by_name(db, name) for name in names]
            for stored in chosen or every:
                # Campaigns that settle another one have no scores of their own.
                if FIRST in stored.campaign.material:
                    continue
                if stored.is_blind and unblind:
                    now = time.time()
                    unblind_campaign(db, stored.id, now=now, who=AT_KEYBOARD)
                elif stored.is_blind:
                    problem = f"{stored.name} still hides its systems' names"
                    if names:
                        msg = f"{problem}; close it, or give --unblind."
                        raise OptionError(msg)
                    left_out.append(f"Left out: {problem}.")
                    continue
                judgements = read_completed(db, stored)
                scores += convert_judgements(judgements, stored.name)
    return scores


def _write_tables(compared: "Exercise", folder: str) -> None:
    from pathlib import Path

    from metra.cli.output import write_output

    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in compared.tables().items():
        write_output(text.removesuffix("\n"), str(Path(folder) / name))
