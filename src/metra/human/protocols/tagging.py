"""Names and terms of the reference: marked by raters, then reconciled.

The ISLE workbook's A3 (after Reeder et al. 2001) and A5b (Vanni and Miller 2002); Dabbadie
et al. 2002, LREC workshop. The measures `entities` and `terminology` read what comes of it.
"""

from metra.errors import OptionError
from metra.human.protocols.missed import Missed
from metra.human.protocols.record import Protocol, Step
from metra.human.protocols.tags import TYPES, Reconcile, Tags

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
    return _over_reference("entity-tagging", "Names", question, Tags(_types(types)))


def entity_reconciliation(*, types: tuple[str, ...] = TYPES) -> Protocol:
    """Keep the names that are names, where raters disagree."""
    question = "Keep what is a name of this type, drop the rest, and correct its ends."
    asks = Reconcile(_types(types))
    return _over_reference(
        "entity-reconciliation", "Names: agreed list", question, asks
    )


def _types(types: tuple[str, ...]) -> tuple[str, ...]:
    if not types or len(set(types)) < len(types):
        msg = f"Entities: types is {list(types)}; expected different names."
        raise OptionError(msg)
    return tuple(types)


def _over_reference(
    name: str, title: str, question: str, asks: Tags | Reconcile
) -> Protocol:
    step = Step("tags" if isinstance(asks, Tags) else "kept", question, asks)
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
TERM_MARKING = _over_reference(
    "term-marking",
    "Key terms",
    "Mark every term of the subject that a translation has to get right.",
    Tags(),
)
TERM_RECONCILIATION = _over_reference(
    "term-reconciliation",
    "Key terms: agreed list",
    "Keep the terms that matter, drop the rest, and add other accepted wordings.",
    Reconcile(),
)
