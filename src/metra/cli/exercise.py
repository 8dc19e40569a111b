"""`metra exercise`: evaluators compared, and people with metrics, from 0 to 100."""

import os
import time
from collections.abc import Container, Iterator
from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING

import click

from metra.cli import CommandWithInit, name_flags, options, output
from metra.cli.options import option, split_specs
from metra.errors import OptionError

if TYPE_CHECKING:
    from metra.scores.table import Scores


class _ExerciseCommand(CommandWithInit):
    init_module = "metra.cli.exercise_setup"


@click.command(cls=_ExerciseCommand)
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
    "-m --metric metrics NAME",
    "Include only this metric, human or automated. May be given several times.",
    multiple=True,
    callback=split_specs,
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
    metrics: tuple[str, ...],
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
    metrics. A folder of `metra exercise init` stands for its store and automatic scores;
    the comments of its participants are added.

    \b
    metra exercise init class outputs/*.txt --docs docs.txt -l fr-en -p ann,bob -m clarity
    metra exercise class --unblind
    metra exercise ann=ann.json bob=bob.tsv clarity.tsv --scale clarity=0..3
    metra exercise scores/*.json --store judge.db --model gisting.toml
    """
    from metra.campaign.protocols.registry import list_question_scales
    from metra.formats.annotations.quality_model import read_quality_model
    from metra.meta.exercise import choose_metrics, name_by_campaign, run_exercise
    from metra.report.writers.exercise import (
        build_exercise_report,
        write_exercise_tables,
    )
    from metra.report.writers.meta import render
    from metra.scores.registry import read_evaluator_files
    from metra.scores.scale import parse_scale

    files, url = _expand_folder(files, url)
    given = dict(map(parse_scale, scales))
    weights = read_quality_model(model) if model else None
    tables = read_evaluator_files(files)
    store = _CampaignStore(url, campaigns, unblind) if url or campaigns else None
    if store is not None:
        tables |= name_by_campaign(store.read_scores())
        if store.hidden and not tables:
            msg = (
                "All campaigns still hide their system names; close one, or give "
                "--unblind."
            )
            raise OptionError(msg)
    chosen = choose_metrics(tables, metrics)
    study = run_exercise(
        chosen,
        scales=given,
        protocol_scales=list_question_scales(),
        model=weights,
        level=level,  # type: ignore[arg-type]
        human=human,
        automated=automated,
    )
    notes = [name_flags(note) for note in study.notes]
    notes += store.list_notes(chosen) if store else []
    remarks = [each for each in store.remarks if each[1] in chosen] if store else []
    report = build_exercise_report(study, notes, remarks)
    texts = {out: render(report, form, output.build_style(out))}
    if folder is not None:
        os.makedirs(folder, exist_ok=True)
        for name, text in write_exercise_tables(study).items():
            texts[os.path.join(folder, name)] = text.removesuffix("\n")
    with store.unblind() if store else nullcontext():
        for path, text in reversed(texts.items()):
            output.write_output(text, path)


def _expand_folder(
    files: tuple[str, ...], url: str | None
) -> tuple[tuple[str, ...], str | None]:
    """Return the files and the store of a folder that `metra exercise init` made."""
    if len(files) != 1 or not os.path.isdir(files[0]):
        return files, url
    from metra.cli.exercise_setup import AUTOMATIC, STORE

    automatic, store = (os.path.join(files[0], name) for name in (AUTOMATIC, STORE))
    if not os.path.exists(store):
        msg = f"{files[0]} has no {STORE}; name a folder of `metra exercise init`."
        raise OptionError(msg)
    return ((automatic,) if os.path.exists(automatic) else ()), url or store


class _CampaignStore:
    """The campaigns of a store whose systems may be named, or shall be from now on."""

    def __init__(self, url: str | None, names: tuple[str, ...], unblind: bool) -> None:
        self._address = url or os.environ.get("METRA_STORE") or "judge.db"
        self._names, self._unblinds = names, unblind
        self._blind: list[str] = []
        #: Comments of participants: who, on which campaign, and what.
        self.remarks: list[tuple[str, str, str]] = []
        #: Campaigns that still hide their system names.
        self.hidden: list[str] = []
        #: Campaigns by a sentence on what their readers had seen before.
        self._readers: dict[str, list[str]] = {}

    def list_notes(self, campaigns: Container[str]) -> Iterator[str]:
        """Say what was left out and, of some campaigns, what readers had seen before."""
        if self.hidden:
            names = ", ".join(self.hidden)
            yield f"Left out, as they still hide their system names; give --unblind: {names}."
        for note, of in self._readers.items():
            shown = ", ".join(name for name in of if name in campaigns)
            yield from [f"{shown}: {note}"] * bool(shown)

    def read_scores(self) -> "dict[str, Scores]":
        """Read the scores of campaigns; those with hidden names are refused or left out."""
        from metra.campaign.campaign import FIRST
        from metra.campaign.codebook import describe_readers
        from metra.campaign.judgement import build_campaign_scores
        from metra.cli.judge.campaigns import open_store
        from metra.meta.judges import add_flags

        tables: dict[str, Scores] = {}
        with closing(open_store(self._address)) as store:
            from metra.store import campaigns, judges
            from metra.store.second_looks import read_completed

            with store.reading() as db:
                keys = [row[0] for row in reversed(campaigns.list_campaigns(db))]
                chosen = [campaigns.find_by_name(db, name) for name in self._names]
                for stored in chosen or [
                    campaigns.get_campaign(db, key) for key in keys
                ]:
                    # Campaigns that settle another one have no scores of their own.
                    if FIRST in stored.campaign.material:
                        continue
                    if stored.is_blind and not self._unblinds:
                        self._refuse(stored.name)
                        continue
                    if stored.is_blind:
                        self._blind.append(stored.id)
                    self.remarks += [
                        (judge.label, stored.name, judge.remark)
                        for judge in judges.list_judges(db, stored.id)
                        if judge.remark
                    ]
                    note = describe_readers(stored.campaign)
                    if note:
                        self._readers.setdefault(note, []).append(stored.name)
                    scores = build_campaign_scores(read_completed(db, stored))
                    tables[stored.name] = add_flags(scores)
        return tables

    def _refuse(self, name: str) -> None:
        problem = f"{name} still hides its system names"
        if self._names:
            msg = f"{problem}; close it, or give --unblind."
            raise OptionError(msg)
        self.hidden.append(name)

    @contextmanager
    def unblind(self) -> Iterator[None]:
        """Log the unblinding of what was read, unless an error is raised inside."""
        from metra.cli.judge.campaigns import AT_KEYBOARD, open_store

        if not self._blind:
            yield
            return
        with closing(open_store(self._address)) as store, store.transaction() as db:
            from metra.store.campaigns import unblind_campaign

            for key in self._blind:
                unblind_campaign(db, key, now=time.time(), who=AT_KEYBOARD)
            yield
