"""All protocols and kinds of questions by their names."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from metra.campaign.protocols.rating_protocols import (
    ADEQUACY,
    CLARITY,
    DA,
    DA_SQM,
    ESA,
    INTELLIGIBILITY,
    LDC,
    MQM,
    PAIRWISE,
    RANKING,
    evaltrans,
)
from metra.campaign.protocols.record import Protocol
from metra.campaign.protocols.task_protocols import (
    ENTITY_CHECK,
    MINIMAL_CORRECTION,
    TERM_MARKING,
    TERM_RECONCILIATION,
    VERDICTS,
    cloze,
    comprehension,
    correction,
    entity_reconciliation,
    entity_tagging,
    reading,
    reading_aloud,
    templates,
)
from metra.errors import FormatError, UnknownNameError, no_such

#: Protocols that campaigns may adapt, by what makes them.
_ADAPTABLE: dict[str, Callable[..., Protocol]] = {
    "correction": correction,
    "cloze": cloze,
    "reading": reading,
    "reading-aloud": reading_aloud,
    "comprehension": comprehension,
    "templates": templates,
    "entity-tagging": entity_tagging,
    "entity-reconciliation": entity_reconciliation,
    "evaltrans": evaltrans,
}

PROTOCOLS = {
    known.name: known
    for known in (
        *(LDC, ADEQUACY, DA, DA_SQM, ESA, MQM, PAIRWISE, RANKING),
        *(INTELLIGIBILITY, CLARITY, MINIMAL_CORRECTION),
        *(ENTITY_CHECK, TERM_MARKING, TERM_RECONCILIATION, VERDICTS),
        *(make() for make in _ADAPTABLE.values()),
    )
}


#: Every kind of question that a protocol uses, by its name.
KINDS = {
    step.asks.kind: type(step.asks)
    for known in PROTOCOLS.values()
    for step in known.steps
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
    make = _ADAPTABLE.get(name)
    known = signature(make).parameters if make else {}
    for option, value in options.items():
        if make is None or option not in known:
            raise FormatError(no_such("option", option, known, owner=name))
        _check_option(name, option, value, known[option].default)
    given = {
        option: tuple(value) if isinstance(value, list) else value
        for option, value in options.items()
    }
    return make(**given) if make else PROTOCOLS[name]


def _check_option(name: str, option: str, value: object, default: object) -> None:
    """Raise an error if an option is not of the type of its default."""
    number = type(value) in (int, float)
    fits, expected = {
        bool: (isinstance(value, bool), "true or false"),
        int: (type(value) is int, "a whole number"),
        float: (number, "a number"),
        str: (isinstance(value, str), "a text"),
        tuple: (
            isinstance(value, list | tuple)
            and all(isinstance(one, str) for one in value),
            "a list of texts",
        ),
    }[type(default)]
    if not fits:
        msg = f"{name}: {option} is {value!r}; expected {expected}."
        raise FormatError(msg)
