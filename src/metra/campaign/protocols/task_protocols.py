"""Protocols in which judges do something with a text instead of rating it.

They tag names and terms of the reference and reconcile them (the ISLE workbook's A3, after
Reeder et al. 2001, and A5b, Vanni and Miller 2002; Dabbadie et al. 2002, LREC workshop),
read, answer questions, fill templates and gaps, correct texts, and give verdicts on answers
of others. The metrics `entities` and `terminology` read the agreed lists.
"""

from dataclasses import replace
from functools import partial
from math import inf

from metra.campaign.protocols.chips import Chips
from metra.campaign.protocols.gaps import Gaps
from metra.campaign.protocols.questions import SLOTS, QuestionSet, Template, Verdict
from metra.campaign.protocols.record import Protocol, Step, ask_once
from metra.campaign.protocols.spans import TYPES, Missed, Reconcile, SpanTags
from metra.campaign.protocols.timed import FASTEST, FASTEST_ALOUD, Edit, Reading
from metra.errors import OptionError, refuse_first

#: Which protocol settles what raters have marked.
SETTLED_BY = {
    "entity-tagging": "entity-reconciliation",
    "term-marking": "term-reconciliation",
}
_ask_reference = partial(ask_once, basis="reference", seconds=45, over="reference")


def entity_tagging(*, types: tuple[str, ...] = TYPES) -> Protocol:
    """Tag every name with its type."""
    question = (
        "Mark every name, date, time, sum of money and percentage, with its type."
    )
    asks = SpanTags(_check_different("Entities: types", types))
    return _ask_reference("entity-tagging", "Names", question, asks, step="tags")


def entity_reconciliation(*, types: tuple[str, ...] = TYPES) -> Protocol:
    """Keep real names, where raters disagree."""
    question = (
        "Keep the marks that are names of this type, drop the rest, and correct "
        "boundaries."
    )
    asks = Reconcile(_check_different("Entities: types", types))
    name, title = "entity-reconciliation", "Names: agreed list"
    return _ask_reference(name, title, question, asks, step="kept")


def _check_different(what: str, names: tuple[str, ...]) -> tuple[str, ...]:
    if not names or len(set(names)) < len(names):
        msg = f"{what} is {list(names)}; expected different names."
        raise OptionError(msg)
    return tuple(names)


ENTITY_CHECK = ask_once(
    "entity-check",
    "Missed names",
    "These names were not found in the text. Does one of them occur in another form?",
    Missed(),
    ("basis",),
    "reference",
    step="missed",
    seconds=20,
    over="misses",
)
TERM_MARKING = _ask_reference(
    "term-marking",
    "Key terms",
    "Mark every technical term that a translation must get right.",
    SpanTags(),
    step="tags",
)
TERM_RECONCILIATION = _ask_reference(
    "term-reconciliation",
    "Key terms: agreed list",
    "Keep the terms that a translation must get right, drop the rest, and add "
    "accepted variants.",
    Reconcile(),
    step="kept",
)


def reading(
    *,
    natural: float = 0.0,
    worst_slow: float = 0.0,
    worst_fast: float = 2.0,
    slowest: float = 0.0,
    fastest: float = FASTEST,
) -> Protocol:
    """Read a text until it is understood well enough to answer questions about it.

    `natural` is the speed, in words per minute, that counts as that of natural text where
    there is no baseline text. `worst_slow` and `worst_fast` are the multiples of it for
    0 of 100. Who reads fewer words per minute than `slowest`, or more than `fastest`, has not
    read the text; 0 lets every speed count.
    """
    question = (
        "Start, read the text, and stop as soon as you understand it well enough to answer "
        "simple questions about it."
    )
    asks = Reading(False, natural, True, worst_slow, worst_fast, slowest, fastest)
    afterwards = (
        "Answer from what you have read. If you do not know, choose “I do not know”."
    )
    steps = (
        Step("reading-speed", question, _check_speeds("reading", asks)),
        Step("comprehension", afterwards, QuestionSet(hidden=True), optional=True),
    )
    return Protocol("reading", "Reading time", steps, "source", seconds=180, whole=True)


def reading_aloud(
    *,
    natural: float = 0.0,
    worst_slow: float = 0.0,
    worst_fast: float = 2.0,
    slowest: float = 0.0,
    fastest: float = FASTEST_ALOUD,
    first: int = 4,
) -> Protocol:
    """Read the first paragraph aloud: the first segments of each text."""
    name = "reading-aloud"
    if first < 0:
        msg = f"{name}: first is {first}; expected a number of segments, or 0 for all."
        raise OptionError(msg)
    asks = Reading(True, natural, True, worst_slow, worst_fast, slowest, fastest)
    return ask_once(
        name,
        "Reading aloud",
        "Start, read the text aloud at your own pace, and stop at its end.",
        _check_speeds(name, asks),
        step="oral-reading-speed",
        seconds=60,
        whole=True,
        first=first,
    )


def _check_speeds(name: str, asks: Reading) -> Reading:
    """Return the question, or say which speed is out of its range."""
    wrong = {
        f"natural is {asks.natural:g}; expected words per minute": not (
            0 <= asks.natural < inf
        ),
        f"worst_slow is {asks.worst_slow:g}; expected a multiple of the natural speed from "
        "0 and below 1": not 0 <= asks.worst_slow < 1,
        f"worst_fast is {asks.worst_fast:g}; expected a multiple of the natural speed above "
        "1": not 1 < asks.worst_fast < inf,
        f"slowest is {asks.slowest:g} and fastest is {asks.fastest:g}; expected words per "
        "minute, the slowest below the fastest, or 0 for no bound": not (
            0 <= asks.slowest < (asks.fastest or inf) and asks.fastest < inf
        ),
    }
    refuse_first(wrong, name, OptionError)
    return replace(asks, natural=float(asks.natural))


def comprehension(*, hidden: bool = False, control: bool = True) -> Protocol:
    """Ask questions about a text.

    With `hidden` the text is read first and out of sight while the questions are answered.
    With `control` some judges answer without having seen any version of the text, which
    shows how much can be answered without reading.
    """
    question = (
        "Start, read the text, and stop as soon as you understand it well enough to answer "
        "questions about it."
    )
    answer = "Answer from the text. If you do not know, choose “I do not know”."
    steps = (
        Step("reading-speed", question, Reading(compared=False), optional=not hidden),
        Step("comprehension", answer, QuestionSet(hidden=hidden)),
    )
    return Protocol(
        "comprehension",
        "Comprehension",
        steps,
        "source",
        seconds=300,
        whole=True,
        control="no text" if control else "",
    )


def templates(*, slots: tuple[str, ...] = SLOTS) -> Protocol:
    """Fill in who did what to whom.

    `slots` are those of texts for which the reference's template names none.
    """
    return ask_once(
        "templates",
        "Template filling",
        "Fill in what the text says; leave a slot empty if the text gives no value "
        "for it.",
        Template(_check_different("templates: slots", slots)),
        step="template",
        seconds=300,
        whole=True,
    )


def cloze(
    *, every: int = 8, offset: int = 0, beside: bool = False, original: bool = False
) -> Protocol:
    """Take out every n-th word.

    `offset` is the first word taken out (0: the n-th). `beside` shows the source or the
    reference, which makes it a test of fidelity. `original` lets the original text take
    part, as a measure of how much a text repeats itself.
    """
    if every < 2 or not 0 <= offset <= every:
        msg = (
            f"cloze: every is {every} and offset is {offset}; expected 2 or more for "
            "every, and 0 to every for offset."
        )
        raise OptionError(msg)
    return ask_once(
        "cloze",
        "Cloze test",
        "One word is missing in each gap. Enter the word that you think was there; "
        "leave the gap empty if you have no idea.",
        Gaps(every, offset),
        ("basis",) if beside else (),
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
    return ask_once(
        "correction",
        "Correction",
        "Start, correct the text, and finish. You may pause at any time.",
        Edit(brief, float(worst_minutes), float(worst_keys)),
        ("basis",),
        seconds=900,
        whole=True,
    )


MINIMAL_CORRECTION = ask_once(
    "minimal-correction",
    "Minimal correction",
    "Make this sentence grammatical {language} with as few changes as possible. "
    "It does not have to make sense.",
    Chips(),
    basis="reference",
    step="syntax",
    seconds=60,
)

VERDICTS = ask_once(
    "verdicts",
    "Close answers",
    "Is this answer close enough in meaning to the expected one?",
    Verdict(),
    basis="reference",
    step="verdict",
    seconds=6,
)
