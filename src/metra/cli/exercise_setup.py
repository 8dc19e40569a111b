"""`metra exercise init`: everything for an exercise of a class, in one folder.

The folder has a store with a campaign for each human metric, and the scores of automatic
metrics. A participant has one link, which leads through all campaigns.
"""

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metra.cli import GroupedCommand
from metra.cli.options import option, split_specs
from metra.errors import OptionError, format_count

if TYPE_CHECKING:
    from metra.campaign.campaign import Campaign
    from metra.scoring.files import CorpusFiles

STORE, AUTOMATIC = "judge.db", "automatic.json"


@click.command(cls=GroupedCommand)
@click.argument("folder")
@click.argument("outputs", nargs=-1, required=True, metavar="[NAME=]OUTPUT...")
@option("-r --ref refs REF", "Reference. May be given several times.", multiple=True)
@option("-s --source SRC", "Source text.")
@option("--docs DOCS", "Text of each segment: an id per line.", required=True)
@option(
    "-l --lang PAIR", "Languages of source and outputs, such as fr-en.", required=True
)
@option(
    "-p --participant participants NAMES",
    "Names of participants, separated by commas. May be given several times.",
    multiple=True,
    required=True,
)
@option(
    "-m --metric metrics METRICS",
    "Human metrics (protocols) and automatic ones. May be given several times.",
    ("intelligibility", "clarity", "adequacy", "bleu:n=3"),
    multiple=True,
    callback=split_specs,
)
@option("--questions FILE", "Questions of comprehension; of reading without it.")
@option("--baseline FILE", "Text that everybody reads first, for reading times.")
@option("--templates FILE", "Expected templates, for template filling.")
@option("--organiser", "Organiser of the exercise, for the page of consent.", "")
@option("--contact", "Address for questions, for the same page.", "")
@option("--base-url", "Public address of the server.", "http://127.0.0.1:8000")
def init(
    folder: str,
    outputs: tuple[str, ...],
    refs: tuple[str, ...],
    source: str | None,
    docs: str,
    lang: str,
    participants: tuple[str, ...],
    metrics: tuple[str, ...],
    base_url: str,
    organiser: str,
    contact: str,
    **material: str | None,
) -> None:
    """Prepare an exercise: a campaign for each human metric, one link for each participant.

    Every participant judges every output of every text by every human metric, those
    first that show the outputs alone; readers see several versions of a text, which the
    results state. Automatic metrics are scored by text. The admin's password is
    $METRA_ADMIN_PASSWORD, or is asked for.

    \b
    metra exercise init class outputs/*.txt -r reference.1.txt -s source.fr.txt \\
        --docs docs.txt -l fr-en -p ann,bob,cleo -m clarity,adequacy -m bleu:n=3
    metra judge serve --store class/judge.db
    metra exercise class --unblind
    """
    from metra.campaign.assignment import estimate_screen_seconds
    from metra.cli.judge.campaigns import AT_KEYBOARD, open_store, read_password
    from metra.scoring.files import CorpusFiles
    from metra.store import access, campaigns, judges, tasks
    from metra.web.server import check_base_url

    check_base_url(base_url)
    home = Path(folder)
    if home.exists() and any(home.iterdir()):
        msg = f"{folder} is not empty; name a new folder."
        raise OptionError(msg)
    names = [name.strip() for part in participants for name in part.split(",")]
    files = CorpusFiles(outputs, refs, source, docs)
    about = {"organiser": organiser, "contact": contact}
    made = _build_campaigns(metrics, files, lang, names, material, about)
    password = read_password("admin", None)
    home.mkdir(parents=True, exist_ok=True)
    automatic = [spec for spec in metrics if spec not in made]
    if automatic:
        _score_automatic(home / AUTOMATIC, files, automatic)
    now = time.time()
    links: list[str] = []
    work: list[tasks.JudgeProgress] = []
    with (
        closing(open_store(str(home / STORE), create=True)) as store,
        store.transaction() as db,
    ):
        access.set_password(db, "admin", password, now=now, who=AT_KEYBOARD)
        people: dict[str, list[str]] = {name: [] for name in names}
        for place, campaign in enumerate(made.values()):
            key = campaigns.create_campaign(
                db, campaign, now=now + place, who=AT_KEYBOARD, state="open"
            )
            for judge in judges.list_judges(db, key):
                people[judge.label].append(judge.id)
            way = tasks.list_screens(db, judge.id)
            seconds = estimate_screen_seconds(campaign)
            work.append(tasks.compute_progress(db, judge.id, way, seconds))
        for name, parts in people.items():
            judges.join_judges(db, parts)
            token = judges.issue_link(db, parts[0], now=now, who=AT_KEYBOARD)
            links.append(f"{name}\t{base_url.rstrip('/')}/j/{token}")
    total = sum(each.of for each in work), sum(each.minutes_left for each in work)
    every = [
        (name, far.of, far.minutes_left) for name, far in zip(made, work, strict=True)
    ]
    for name, screens, minutes in [*every, ("each participant", *total)]:
        click.echo(f"{name}: {format_count(screens, 'screen')}, about {minutes} min")
    if automatic:
        click.echo(f"{', '.join(automatic)}: scored in {home / AUTOMATIC}")
    click.echo("\n" + "\n".join(links))
    click.echo(
        f"\nNext: metra judge serve --store {home / STORE}; when all are done, metra "
        f"exercise {folder} --unblind"
    )


def _build_campaigns(
    metrics: tuple[str, ...],
    files: "CorpusFiles",
    lang: str,
    names: list[str],
    material: dict[str, str | None],
    about: dict[str, str],
) -> "dict[str, Campaign]":
    """Build a campaign for each human metric, in which everybody judges everything."""
    from metra.campaign.creation import freeze_campaign
    from metra.campaign.protocols.registry import PROTOCOLS
    from metra.campaign.settings import check_settings
    from metra.campaign.uploads import read_material

    human = [PROTOCOLS[spec] for spec in metrics if spec in PROTOCOLS]
    # Who answers without a text has read no version of it; references come last.
    human.sort(key=lambda asked: (any(s.shows for s in asked.steps), not asked.control))
    if not human:
        msg = (
            "`metrics` has no human metric; name one or more protocols, such as clarity, "
            "adequacy or cloze."
        )
        raise OptionError(msg)
    source_language, dash, target_language = lang.partition("-")
    if not dash:
        msg = f"`lang` is {lang!r}; expected two languages, such as fr-en."
        raise OptionError(msg)
    corpus = files.open()
    campaigns = {}
    for asked in human:
        kinds = [step.asks for step in asked.steps]
        wanted = {kind.document_material for kind in kinds}
        wanted |= {"baseline"} if any(kind.needs_baseline for kind in kinds) else set()
        if "comprehension" in metrics and asked.name == "reading":
            wanted.discard("questions")
        table = {
            **{"name": asked.title, "protocol": asked.name, "judges": names},
            **{"source_language": source_language, "target_language": target_language},
            **{"each": len(names), "calibration": 0, "repeats": 0, "degraded": 0},
            **{"complete": True, "several_versions": True},
            **{name: text for name, text in about.items() if text},
        }
        own = {name: path for name, path in material.items() if path and name in wanted}
        settings = check_settings(table, f"The campaign {asked.name}")
        campaigns[asked.name] = freeze_campaign(settings, corpus, read_material(own))
    return campaigns


def _score_automatic(path: Path, files: "CorpusFiles", specs: list[str]) -> None:
    """Write the scores of texts by automatic metrics, as `metra score` does."""
    from metra.cli.score import score

    arguments = [*files.outputs, "--format", "json", "--level", "system,document"]
    for flag, values in (
        ("--docs", [files.documents]),
        ("-r", files.references),
        ("-s", [files.source]),
        ("-m", specs),
        ("-o", [str(path)]),
    ):
        arguments += [part for value in values if value for part in (flag, value)]
    score.main(arguments, standalone_mode=False)
