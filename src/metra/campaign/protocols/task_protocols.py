"""Protocols in which judges do something with a text instead of rating it.

They tag names and terms of the reference and reconcile them (the ISLE workbook's A3, after
Reeder et al. 2001, and A5b, Vanni and Miller 2002; Dabbadie et al. 2002, LREC workshop),
read, answer questions, fill templates and gaps, correct texts, and give verdicts on answers
of others. The metrics `entities` and `terminology` read the agreed lists.
"""

from metra.campaign.protocols.chips import Chips
from metra.campaign.protocols.edit import Edit
from metra.campaign.protocols.gaps import Gaps
from metra.campaign.protocols.missed import Missed
from metra.campaign.protocols.questions import QuestionSet
from metra.campaign.protocols.reading import Reading
from metra.campaign.protocols.record import Protocol, Step
from metra.campaign.protocols.tags import TYPES, Reconcile, SpanTags
from metra.campaign.protocols.template import SLOTS, Template
from metra.campaign.protocols.verdict import Verdict
from metra.errors import OptionError

#: Which protocol settles what raters have marked.
SETTLED_BY = {
    "entity-tagging": "entity-reconciliation",
    "term-marking": "term-reconciliation",
}


def entity_tagging(*, types: tuple[str, ...] = TYPES) -> Protocol:
    """Tag every name with its type."""
    question = (
        "Mark every name, date, time, sum of money and percentage, with its type."
    )
    step = Step("tags", question, SpanTags(_check_types(types)))
    return _build_tagging("entity-tagging", "Names", step)


def entity_reconciliation(*, types: tuple[str, ...] = TYPES) -> Protocol:
    """Keep the names that are names, where raters disagree."""
    question = "Keep what is a name of this type, drop the rest, and correct its ends."
    step = Step("kept", question, Reconcile(_check_types(types)))
    return _build_tagging("entity-reconciliation", "Names: agreed list", step)


def _check_types(types: tuple[str, ...]) -> tuple[str, ...]:
    if not types or len(set(types)) < len(types):
        msg = f"Entities: types is {list(types)}; expected different names."
        raise OptionError(msg)
    return tuple(types)


def _build_tagging(name: str, title: str, step: Step) -> Protocol:
    return Protocol(name, title, (step,), "reference", seconds=45, over="reference")


ENTITY_CHECK = Protocol(
    "entity-check",
    "Missed names",
    (
        Step(
            "missed",
            "These names were not found in the text. Is one of them there in another form?",
            Missed(),
            ("basis",),
        ),
    ),
    "reference",
    seconds=20,
    over="misses",
)
TERM_MARKING = _build_tagging(
    "term-marking",
    "Key terms",
    Step(
        "tags",
        "Mark every term of the subject that a translation has to get right.",
        SpanTags(),
    ),
)
TERM_RECONCILIATION = _build_tagging(
    "term-reconciliation",
    "Key terms: agreed list",
    Step(
        "kept",
        "Keep the terms that matter, drop the rest, and add other accepted wordings.",
        Reconcile(),
    ),
)


AFTERWARDS = Step(
    "comprehension",
    "Answer from what you have read. Say so if you do not know.",
    QuestionSet(hidden=True),
    optional=True,
)


def reading(*, natural: float = 0.0) -> Protocol:
    """Read a text until it is understood well enough to answer questions about it.

    `natural` is the speed, in words per minute, that counts as that of natural text where
    there is no baseline text.
    """
    question = (
        "Start, read the text, and stop as soon as you understand it well enough to answer "
        "simple questions about it."
    )
    step = Step(
        "reading-speed", question, Reading(natural=_check_speed("reading", natural))
    )
    return Protocol(
        "reading",
        "Reading time",
        (step, AFTERWARDS),
        "source",
        seconds=180,
        whole=True,
    )


def reading_aloud(*, natural: float = 0.0, first: int = 4) -> Protocol:
    """Read the first paragraph aloud: the first segments of each text."""
    if first < 0:
        msg = (
            f"reading-aloud: first is {first}; expected segments, or 0 for all of them."
        )
        raise OptionError(msg)
    question = "Start, read the text aloud at your own pace, and stop at its end."
    asks = Reading(aloud=True, natural=_check_speed("reading-aloud", natural))
    return Protocol(
        "reading-aloud",
        "Reading aloud",
        (Step("oral-reading-speed", question, asks),),
        "source",
        seconds=60,
        whole=True,
        first=first,
    )


def _check_speed(name: str, words: float) -> float:
    if words < 0:
        msg = f"{name}: natural is {words:g}; expected words per minute."
        raise OptionError(msg)
    return float(words)


def comprehension(*, hidden: bool = False, control: bool = True) -> Protocol:
    """Ask questions about a text.

    With `hidden` the text is read first and out of sight while the questions are answered.
    With `control` some judges answer without having seen any version of the text, which
    shows how much can be answered without reading.
    """
    before = Step(
        "reading-speed",
        "Start, read the text, and stop as soon as you understand it well enough to answer "
        "questions about it.",
        Reading(compared=False),
        optional=not hidden,
    )
    asks = Step(
        "comprehension",
        "Answer from the text. Say so if you do not know.",
        QuestionSet(hidden=hidden),
    )
    return Protocol(
        "comprehension",
        "Comprehension",
        (before, asks),
        "source",
        seconds=300,
        whole=True,
        control="no text" if control else "",
    )


def templates(*, slots: tuple[str, ...] = SLOTS) -> Protocol:
    """Fill in who did what to whom.

    `slots` are those of texts for which the reference's template names none.
    """
    if not slots or len(set(slots)) < len(slots):
        msg = f"templates: slots is {list(slots)}; expected different names."
        raise OptionError(msg)
    question = "Fill in what the text says; leave empty what it does not say."
    return Protocol(
        "templates",
        "Template filling",
        (Step("template", question, Template(tuple(slots))),),
        "source",
        seconds=300,
        whole=True,
    )


_QUESTION = (
    "One word is missing in each gap. Write the word that you think stood there; leave the "
    "gap empty if you have no idea."
)


def cloze(
    *,
    every: int = 8,
    offset: int = 0,
    beside: bool = False,
    original: bool = False,
) -> Protocol:
    """Take out every n-th word.

    `offset` is the first word taken out (0: the n-th). `beside` shows the source or the
    reference, which makes it a test of fidelity. `original` lets the original text take
    part, as a measure of how much a text repeats itself.
    """
    if every < 2 or not 0 <= offset <= every:
        msg = (
            f"cloze: every is {every} and offset is {offset}; expected every from 2, and an "
            "offset from 0 to every."
        )
        raise OptionError(msg)
    return Protocol(
        "cloze",
        "Cloze test",
        (Step("cloze", _QUESTION, Gaps(every, offset), ("basis",) if beside else ()),),
        "source",
        seconds=420,
        whole=True,
        control="original" if original else "",
    )


_BRIEF = (
    "The text will be published: correct what a careful reader would not accept, and leave "
    "the rest."
)


def correction(
    *, brief: str = _BRIEF, worst_minutes: float = 1.0, worst_keys: float = 6.0
) -> Protocol:
    """Correct a text as the brief says.

    `worst_minutes` for ten words and `worst_keys` for a word are 0 of 100: about what it
    takes to write a translation anew.
    """
    if not (worst_minutes > 0 and worst_keys > 0):
        msg = (
            f"correction: worst_minutes is {worst_minutes:g} and worst_keys is "
            f"{worst_keys:g}; expected numbers above 0."
        )
        raise OptionError(msg)
    asks = Edit(brief, float(worst_minutes), float(worst_keys))
    question = "Start, correct the text, and finish. You may pause at any time."
    return Protocol(
        "correction",
        "Correction",
        (Step("correction", question, asks, ("basis",)),),
        "source",
        seconds=900,
        whole=True,
    )


MINIMAL_CORRECTION = Protocol(
    "minimal-correction",
    "Minimal correction",
    (
        Step(
            "syntax",
            "Make this sentence grammatical {language} with as few changes as possible. "
            "It need not make sense.",
            Chips(),
        ),
    ),
    "reference",
    seconds=60,
)


VERDICTS = Protocol(
    "verdicts",
    "Close answers",
    (
        Step(
            "verdict",
            "Is this answer close enough in meaning to the expected one?",
            Verdict(),
        ),
    ),
    "reference",
    seconds=6,
)
