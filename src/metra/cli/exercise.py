"""`metra exercise`: evaluators compared, and people with metrics, from 0 to 100."""

import os
from typing import TYPE_CHECKING

import click

from metra.cli import GroupedCommand, name_flags, options, output
from metra.cli.options import option
from metra.errors import OptionError

if TYPE_CHECKING:
    from metra.scores.table import Scores


@click.command(cls=GroupedCommand)
@click.argument("files", nargs=-1, metavar="[EVALUATOR=]SCORES...")
@option(
    "--store url STORE",
    "Store of `metra judge`: a file or a PostgreSQL address. All its campaigns with "
    "visible system names are included.",
)
@option(
    "--campaign campaigns NAME",
    "Include only this campaign of the store (default store: $METRA_STORE or "
    "judge.db). May be given several times.",
    multiple=True,
)
@option(
    "--unblind",
    "Show system names before a campaign is closed; this is logged.",
    is_flag=True,
)
@option(
    "--scale scales MEASURE=WORST..BEST",
    "Scores that map to 0 and 100, such as clarity=0..3. May be given several times.",
    multiple=True,
)
@option(
    "--model FILE",
    "Quality model (TOML): its scales, and an overall score from its weights.",
)
@option(
    "--human NAME",
    "Metric scored by people. May be given several times.",
    multiple=True,
)
@option(
    "--automated NAME",
    "Metric computed by a program. May be given several times.",
    multiple=True,
)
@option(
    "--level",
    "Compare translations of single texts, or systems over all texts; auto: texts if "
    "all metrics share some.",
    choices=["auto", "text", "system"],
)
@options.form
@options.out
@option(
    "--tables folder FOLDER",
    "Write results, reliability and correlations to this folder, as tab-separated "
    "tables.",
)
def exercise(
    files: tuple[str, ...],
    url: str | None,
    campaigns: tuple[str, ...],
    unblind: bool,
    scales: tuple[str, ...],
    model: str | None,
    human: tuple[str, ...],
    automated: tuple[str, ...],
    level: str,
    form: str,
    out: str | None,
    folder: str | None,
) -> None:
    """Compare human evaluators and metrics on a common scale from 0 to 100.

    SCORES are files from evaluators: output of `metra score` as JSON or TSV, exports of
    `metra judge`, tables with the columns metric, evaluator, text, translation and score (0
    to 100), or any scores that `metra meta` reads. If a file names no judges, its evaluator
    is EVALUATOR, or the name of the file. Campaigns are read from a store.

    All scores are mapped to 0 to 100, higher is better, and the mapping is shown. The
    results are the mean and the standard deviation over evaluators for each metric and
    system, the agreement of evaluators for each metric, and the correlation of each pair of
    metrics.

    \b
    metra exercise ann=ann.json bob=bob.tsv clarity.tsv --scale clarity=0..3
    metra exercise scores/*.json --store judge.db --model gisting.toml
    """
    from metra.campaign.protocols.registry import list_question_scales
    from metra.formats.annotations.quality_model import read_quality_model
    from metra.meta.exercise import run_exercise
    from metra.report.writers.exercise import (
        build_exercise_report,
        write_exercise_tables,
    )
    from metra.report.writers.meta import render
    from metra.scores.registry import read_evaluator_files
    from metra.scores.scale import parse_scale

    given = dict(map(parse_scale, scales))
    weights = read_quality_model(model) if model else None
    tables = read_evaluator_files(files)
    left_out: list[str] = []
    if url is not None or campaigns:
        tables |= _read_store(url, campaigns, unblind, left_out)
        if left_out and not tables:
            msg = (
                "All campaigns still hide their system names; close one, or give "
                "--unblind."
            )
            raise OptionError(msg)
    study = run_exercise(
        tables,
        scales=given,
        protocol_scales=list_question_scales(),
        model=weights,
        level=level,  # type: ignore[arg-type]
        human=human,
        automated=automated,
    )
    notes = [name_flags(note) for note in [*study.notes, *left_out]]
    if folder is not None:
        os.makedirs(folder, exist_ok=True)
        for name, text in write_exercise_tables(study).items():
            path = os.path.join(folder, name)
            output.write_output(text.removesuffix("\n"), path)
    report = build_exercise_report(study, notes)
    output.write_output(render(report, form, output.build_style(out)), out)


def _read_store(
    url: str | None, names: tuple[str, ...], unblind: bool, left_out: list[str]
) -> "dict[str, Scores]":
    """Read campaigns; those whose systems may not be named are refused or left out."""
    import time
    from contextlib import closing

    from metra.campaign.campaign import FIRST
    from metra.campaign.judgement import build_campaign_scores
    from metra.cli.judge.campaigns import AT_KEYBOARD, open_store
    from metra.meta.judges import add_flags

    address = url or os.environ.get("METRA_STORE") or "judge.db"
    tables: dict[str, Scores] = {}
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
                    problem = f"{stored.name} still hides its system names"
                    if names:
                        msg = f"{problem}; close it, or give --unblind."
                        raise OptionError(msg)
                    left_out.append(f"Left out: {problem}.")
                    continue
                scores = build_campaign_scores(read_completed(db, stored))
                tables[stored.name] = add_flags(scores)
    return tables
