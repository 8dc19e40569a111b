"""All protocols and kinds of questions by their names."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from metra.campaign.protocols import rating_protocols as ratings
from metra.campaign.protocols import task_protocols as tasks
from metra.campaign.protocols.record import Protocol
from metra.errors import FormatError, UnknownNameError, no_such
from metra.scores.scale import ScoreScale

#: Protocols that campaigns may adapt, by what makes them.
_ADAPTABLE: dict[str, Callable[..., Protocol]] = {
    "correction": tasks.correction,
    "cloze": tasks.cloze,
    "reading": tasks.reading,
    "reading-aloud": tasks.reading_aloud,
    "comprehension": tasks.comprehension,
    "templates": tasks.templates,
    "entity-tagging": tasks.entity_tagging,
    "entity-reconciliation": tasks.entity_reconciliation,
    "evaltrans": ratings.evaltrans,
}
PROTOCOLS = {
    known.name: known
    for known in (
        *(ratings.LDC, ratings.ADEQUACY, ratings.DA, ratings.DA_SQM, ratings.ESA),
        *(ratings.MQM, ratings.PAIRWISE, ratings.RANKING, ratings.INTELLIGIBILITY),
        *(ratings.CLARITY, tasks.MINIMAL_CORRECTION, tasks.ENTITY_CHECK),
        *(tasks.TERM_MARKING, tasks.TERM_RECONCILIATION, tasks.VERDICTS),
        *(make() for make in _ADAPTABLE.values()),
        ratings.GOLD_STANDARD,
    )
}
#: Every kind of question that a protocol uses, by its name.
KINDS = {
    step.asks.kind: type(step.asks)
    for known in PROTOCOLS.values()
    for step in known.steps
}


def list_question_scales() -> dict[str, ScoreScale | None]:
    """Return the questions of protocols, with the ends of their scales; None without one.

    >>> str(list_question_scales()["clarity"]), list_question_scales()["cloze"]
    ('0..3', None)
    """
    steps = [step for asked in PROTOCOLS.values() for step in asked.steps]
    ends = {step.name: step.asks.native_range for step in steps}
    return {
        name: ScoreScale(*both, "protocol") if both else None
        for name, both in ends.items()
    }


def protocol(name: str, options: Mapping[str, Any] | None = None) -> Protocol:
    """Return a protocol by its name, adapted as the options say.

    >>> protocol("da").steps[0].asks.high
    100.0
    >>> protocol("cloze", {"every": 6}).steps[0].asks.every
    6
    """
    if name not in PROTOCOLS:
        raise UnknownNameError(no_such("protocol", name, PROTOCOLS))
    if not options:
        return PROTOCOLS[name]
    make = _ADAPTABLE.get(name, lambda: PROTOCOLS[name])
    parameters = signature(make).parameters
    for option, value in options.items():
        if option not in parameters:
            raise FormatError(no_such("option", option, parameters, owner=name))
        fits, expected = _OPTION_TYPES[type(parameters[option].default)]
        if not fits(value):
            msg = f"{name}: {option} is {value!r}; expected {expected}."
            raise FormatError(msg)
    return make(
        **{key: tuple(v) if isinstance(v, list) else v for key, v in options.items()}
    )


def _are_texts(value: object) -> bool:
    listed = isinstance(value, list | tuple)
    return listed and all(isinstance(one, str) for one in value)  # type: ignore[attr-defined]


#: What options may be, by the types of their defaults.
_OPTION_TYPES: dict[type, tuple[Callable[[object], bool], str]] = {
    bool: (lambda value: isinstance(value, bool), "true or false"),
    int: (lambda value: type(value) is int, "a whole number"),
    float: (lambda value: type(value) in (int, float), "a number"),
    str: (lambda value: isinstance(value, str), "a text"),
    tuple: (_are_texts, "a list of texts"),
}
