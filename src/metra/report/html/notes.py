"""How to read the numbers, how they were made, and from what."""

from collections.abc import Sequence
from dataclasses import dataclass

from metra import __version__
from metra.insight.study import Study
from metra.report.html.markup import Html, joined, tag
from metra.report.layout import signatures


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a report comes from."""

    command: str
    files: Sequence[str]
    made: str


READING = (
    (
        "Scores",
        "↑ means that more is better, ↓ that less is. A system's score is not the mean of "
        "its segments' scores: most metrics add up counts first. Scores of two metrics, "
        "or of two test sets, cannot be compared with each other.",
    ),
    (
        "Intervals",
        "The 95% interval says how far the score would vary with another test set of the "
        "same kind and size, by resampling this one. Two intervals that overlap do not "
        "prove that two systems are equal, nor do two that do not overlap say by how much "
        "they differ: systems are compared on the same segments for that.",
    ),
    (
        "Single segments",
        "One segment's score is a rough hint. Read the words before you believe it. Where "
        "a metric scores single segments by another configuration than the corpus, that "
        "has a signature of its own below.",
    ),
    (
        "Colours",
        "Words that two outputs do not share are underlined: with a solid line if a "
        "reference has them too, with a wavy line if none has. Nothing is told by colour "
        "alone.",
    ),
    (
        "The grid",
        "Output words go down, reference words across. Blocks are runs of words that both "
        "have in the same order; long blocks near the diagonal mean a close translation.",
    ),
)


def section(study: Study) -> Html:
    """Explain, and give the signatures."""
    return joined(
        tag("dl", [[tag("dt", word), tag("dd", text)] for word, text in READING]),
        tag("h3", "Signatures"),
        tag(
            "p",
            "Whoever repeats the scores needs these: every option of every metric, the "
            "resampling, and metra's version.",
        ),
        tag(
            "ul",
            [tag("li", tag("code", s)) for s in signatures(study.results)],
            class_="signatures",
        ),
    )


def footer(provenance: Provenance) -> Html:
    """Say by what, when and from which files the report was made."""
    return tag(
        "footer",
        tag(
            "p",
            f"Made by metra {__version__}, {provenance.made}. ",
            "Everything is in this one file; it loads nothing from elsewhere.",
        ),
        tag(
            "details",
            tag("summary", "Command and files"),
            tag("pre", tag("code", provenance.command), tabindex=0),
            tag("ul", [tag("li", tag("bdi", path)) for path in provenance.files]),
        ),
    )
