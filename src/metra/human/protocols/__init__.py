"""How people are asked: one record a protocol, found by its name."""

from metra.errors import UnknownNameError, no_such
from metra.human.protocols.comparing import PAIRWISE, RANKING
from metra.human.protocols.direct import DA, DA_SQM
from metra.human.protocols.error_spans import ESA, MQM
from metra.human.protocols.ldc import ADEQUACY, LDC
from metra.human.protocols.record import Protocol

__all__ = ["PROTOCOLS", "Protocol", "protocol"]

PROTOCOLS = {
    known.name: known
    for known in (LDC, ADEQUACY, DA, DA_SQM, ESA, MQM, PAIRWISE, RANKING)
}


def protocol(name: str) -> Protocol:
    """Find a protocol by its name.

    >>> protocol("da").steps[0].asks.high
    100.0
    """
    if name not in PROTOCOLS:
        raise UnknownNameError(no_such("protocol", name, PROTOCOLS))
    return PROTOCOLS[name]
