"""What a benchmark is: a race against a peer, or a limit to stay within."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from inputs import Corpus


def nothing() -> None:
    """Do nothing: the peer keeps nothing between two calls."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A program that does the same job, and how to make it forget what it did before."""

    name: str
    reset: Callable[[], object] = nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """The same job by a peer and by metra, timed turn by turn.

    `agree` is called first and raises DisagreementError: what differs is never timed.
    """

    task: str
    #: Name and size of the input, as `inputs.corpus` takes them.
    text: tuple[str, int]
    peer: Peer
    theirs: Callable[[Corpus], object]
    ours: Callable[[Corpus], object]
    agree: Callable[[Corpus], None]
    #: How many times faster metra must be, by the lower quartile of the rounds.
    goal: float | None = None
    clock: Literal["cpu", "wall"] = "cpu"
    rounds: int = 5
    #: The share of the job that the peer does, where all of it would take too long; its
    #: time is divided by it.
    peers_share: float = 1.0
    #: Whether it is short enough for --quick.
    quick: bool = True
    #: Whether times are given for each segment or for the whole run.
    per: Literal["segment", "run"] = "segment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A number that must stay within bounds; the median of the samples counts."""

    task: str
    measure: Callable[[], list[float]]
    unit: str
    least: float | None = None
    most: float | None = None
    quick: bool = True


class DisagreementError(Exception):
    """Two programs that should give the same numbers do not: where, and which numbers."""

    def __init__(self, corpus: Corpus, segment: int | None, theirs: Any, ours: Any):
        super().__init__(corpus, segment, theirs, ours)

    def __str__(self) -> str:
        corpus, segment, theirs, ours = self.args
        lines = [f"on {corpus.name}, {len(corpus)} segments:"]
        if segment is not None:
            lines.append(f"  first differing segment: {segment + 1}")
            lines.append(f"  output:    {corpus.hyps[segment]!r}")
            lines += [f"  reference: {ref[segment]!r}" for ref in corpus.refs]
        lines += [f"  peer:  {theirs}", f"  metra: {ours}"]
        return "\n".join(lines)
