"""The options that ask what lies behind the scores, and how they become wishes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from metra.cli import inputs

if TYPE_CHECKING:
    from metra.insight.findings import Wishes

OPTIONS = (
    click.option(
        "--changes",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Show the N segments that improved most and the N that worsened most.",
    ),
    click.option(
        "--changes-by",
        metavar="SPEC",
        help="Which metric sorts them; the first if not given.",
    ),
    click.option(
        "--changes-order",
        type=click.Choice(["gain", "impact"]),
        default="gain",
        show_default=True,
        help="Sort by the change of the segment's score, or of the corpus score by it.",
    ),
    click.option(
        "--min-change",
        type=click.FloatRange(0),
        default=0.0,
        metavar="POINTS",
        help="Show only segments whose score changed by so much.",
    ),
    click.option(
        "--min-words",
        type=click.IntRange(0),
        default=5,
        show_default=True,
        metavar="N",
        help="Show only segments whose references have so many words.",
    ),
    click.option(
        "--ngrams",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Show the N n-grams that were gained, lost, mended and broken most.",
    ),
    click.option(
        "--bucket",
        "buckets",
        multiple=True,
        metavar="KIND",
        help="Scores by length, source-length, frequency, document or score; with bounds as in "
        "length:10,20,40. May be given several times.",
    ),
    inputs.labels,
    click.option(
        "--frequency-corpus",
        metavar="FILE",
        help="Where words are counted for --bucket frequency; the references if not given.",
    ),
    click.option("--profiles", is_flag=True, help="Describe each system's output."),
)


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command all of these options."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def wishes(
    *,
    changes: int,
    changes_by: str | None,
    changes_order: str,
    min_change: float,
    min_words: int,
    ngrams: int,
    buckets: tuple[str, ...],
    labels: tuple[str, ...],
    frequency_corpus: str | None,
    profiles: bool,
    seed: int,
) -> "Wishes":
    """Read the files that the options name, and say what is to be found out."""
    from metra.insight.findings import Wishes
    from metra.io.labels import read_labels, read_lines

    return Wishes(
        changes=changes,
        changes_by=changes_by,
        changes_order=changes_order,
        min_change=min_change,
        min_words=min_words,
        ngrams=ngrams,
        buckets=buckets,
        labels=read_labels(labels),
        frequency_corpus=read_lines(frequency_corpus) if frequency_corpus else None,
        profiles=profiles,
        seed=seed,
    )
