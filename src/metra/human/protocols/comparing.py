"""Comparing outputs: two at a time, or all of them in order, ties allowed."""

from metra.human.protocols.orders import Order
from metra.human.protocols.record import Protocol, Step

PAIRWISE = Protocol(
    "pairwise",
    "Which is better?",
    (
        Step(
            "pairwise",
            "Which text expresses the meaning of the other text better?",
            Order(),
            ("basis",),
        ),
    ),
    "source",
    outputs=2,
    seconds=20,
)

RANKING = Protocol(
    "ranking",
    "Ranking",
    (
        Step(
            "ranking",
            "Put the texts in order, the best first; equally good ones share a rank.",
            Order(),
            ("basis",),
        ),
    ),
    "source",
    outputs=0,
    seconds=15,
)
