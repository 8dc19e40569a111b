"""A judgement: one answer of one judge about what one screen showed, and its scores.

The fields only: what an answer is worth depends on its protocol and is computed in
`metra.campaign`.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from metra.errors import FormatError
from metra.formats.stream import DAMAGE, describe_damage
from metra.text.scripts import is_language_code

#: Why a judge was given an output. A baseline measures how a judge reads any text; a
#: control measures what is found without the translation.
JudgementKind: TypeAlias = Literal[
    "judged", "reference", "control", "calibration", "repeat", "degraded", "baseline"
]
#: What enters the means of systems; references and controls are rows of their own there.
COUNTED: frozenset[str] = frozenset({"judged", "reference", "control"})
#: The side of a mark for what the output leaves out; it has no place of its own.
OMISSION = "missing"
#: Why an output was skipped, where it is so bad that judging it is a waste of time.
NOT_TRANSLATION = "not a translation"


# Not frozen: to make a frozen record of thirty fields takes eight times as long, and stores
# read a hundred thousand of them at once. Nothing changes one.
@dataclass(slots=True)
class Judgement:
    """Everything that an analysis or an export needs; places in code points, ends open.

    `systems` and `outputs` hold more than one entry where outputs were compared. Equal
    answers may share one `value`.
    """

    id: str
    campaign: str
    protocol: str
    protocol_version: str
    source_language: str
    target_language: str
    judge: str
    task: str
    kind: JudgementKind
    systems: tuple[str, ...]
    document: str
    #: Counted from 1 through the whole corpus.
    segment: int
    source: str | None
    outputs: tuple[str, ...]
    value: dict[str, Any]
    #: A later revision replaces an earlier one; all of them are kept.
    revision: int = 1
    #: The task that this one repeats or degrades.
    original: str | None = None
    shown_at: float | None = None
    first_action_at: float | None = None
    submitted_at: float | None = None
    wall_ms: int | None = None
    active_ms: int | None = None
    hidden_ms: int | None = None
    idle_ms: int | None = None
    paused_ms: int | None = None
    comment: str = ""
    #: Why the judge could not judge this; then there is no value.
    cannot: str | None = None
    #: The language in which the judge read the questions, and a hash of all its words;
    #: empty where that is not known.
    wording: str = ""
    wording_version: str = ""
    #: Start and end of the part of the output that was judged; None is all of it.
    portion: tuple[int, int] | None = None

    @property
    def counts(self) -> bool:
        """Whether it may enter the means of systems."""
        return self.kind in COUNTED and self.cannot is None


def build_imported_judgement(
    name: str, languages: tuple[str, str], *, system: str, output: str, **fields: Any
) -> Judgement:
    """Build a judgement of one output that another program asked for."""
    for code in languages:
        if not is_language_code(code):
            msg = f"The language is {code!r}; expected a code such as fr."
            raise FormatError(msg)
    return Judgement(
        id=name,
        task=name,
        protocol_version="",
        source_language=languages[0],
        target_language=languages[1],
        systems=(system,),
        outputs=(output,),
        **fields,
    )


#: Check a judgement's answer against its protocol and return it tidied, with the protocol's
#: version, or raise a ValueError that says what is wrong. Readers take such a function.
JudgementCheck: TypeAlias = Callable[[Judgement], Judgement]


@contextmanager
def refuse_line(place: str) -> Iterator[None]:
    """Turn whatever goes wrong in reading a line into an error that names its place."""
    try:
        yield
    except DAMAGE as error:
        msg = f"{place} cannot be read: {describe_damage(error)}."
        raise FormatError(msg) from None


class OutputScore(NamedTuple):
    """One score of one output, or the reason why there is none."""

    scorer: str
    native: float
    #: Higher is better here, whatever the native scale says.
    hundred: float
    higher_is_better: bool = True
    #: Why there is no score, in a few words; empty where there is one.
    reason: str = ""

    @property
    def is_defined(self) -> bool:
        """Whether there is a score."""
        return not self.reason


class ScoredJudgement(NamedTuple):
    """A judgement and the scores of each of its outputs, as writers take them."""

    judgement: Judgement
    scores: list[tuple[OutputScore, ...]]
    #: Whether documents were judged as a whole rather than segments.
    is_whole: bool = False

    def by_output(self) -> Iterator[tuple[str, str, tuple[OutputScore, ...]]]:
        """Yield the system, the text and the scores of each output."""
        judgement = self.judgement
        yield from zip(judgement.systems, judgement.outputs, self.scores, strict=True)


def get_marks(judgement: Judgement) -> list[dict[str, Any]]:
    """Return its error marks, whatever their step is called; none if it marks nothing."""
    lists = [value for value in judgement.value.values() if isinstance(value, list)]
    return [mark for marks in lists for mark in marks if isinstance(mark, dict)]


class AnswerStep(NamedTuple):
    """What a reader needs to know about a step of a protocol."""

    name: str
    #: Empty where the step asks for no error marks.
    severities: tuple[str, ...] = ()
    has_categories: bool = False


class JudgedText(NamedTuple):
    """One system's output of one item of another program's campaign, with its source."""

    system: str
    #: What the other program calls the item.
    item: str
    document: str
    source: str | None
    reference: str | None
    output: str
    #: Whether it checks judges: a degraded copy, a repeat, a tutorial.
    is_check: bool = False


def format_corpus(texts: Iterable[JudgedText]) -> tuple[str, int, int]:
    """Return a corpus as JSON lines, the number of its segments and of those left out.

    An item is a segment if all systems translated it. Checks are left out.
    """
    items: dict[tuple[str, str], dict[str, JudgedText]] = {}
    for text in texts:
        if not text.is_check:
            items.setdefault((text.document, text.item), {})[text.system] = text
    systems = list(dict.fromkeys(name for item in items.values() for name in item))
    lines = []
    for (document, _), outputs in items.items():
        if len(outputs) == len(systems):
            first = outputs[systems[0]]
            entry: dict[str, object] = {"doc": document}
            if first.source is not None:
                entry["source"] = first.source
            if first.reference is not None:
                entry["ref"] = first.reference
            entry["outputs"] = {name: outputs[name].output for name in systems}
            lines.append(json.dumps(entry, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines), len(lines), len(items) - len(lines)
