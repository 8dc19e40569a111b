"""A workspace with a test set, as an import of files makes it."""

import random
from dataclasses import dataclass
from typing import Any

from tests.campaigns import Clock

from metra.campaign.uploads import CampaignTexts

WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "while",
    "rain",
    "fell",
    "and",
    "dogs",
    "ran",
    "home",
    "slowly",
]


def make_texts(systems: int = 3, segments: int = 40, seed: int = 1) -> CampaignTexts:
    """Outputs that get worse from system to system."""
    rng = random.Random(seed)
    refs = [" ".join(rng.choices(WORDS, k=8)) for _ in range(segments)]

    def spoil(text: str, share: float) -> str:
        return " ".join(
            rng.choice(WORDS) if rng.random() < share else word for word in text.split()
        )

    outputs = {
        f"system {at}": [spoil(text, 0.1 + 0.2 * at) for text in refs]
        for at in range(systems)
    }
    source = [f"source {at}" for at in range(segments)]
    documents = [f"d{at // 4}" for at in range(segments)]
    return CampaignTexts(outputs, [[*refs]], source, documents)


@dataclass
class Room:
    """A store with an account of each role in a workspace, and a test set in it."""

    store: Any
    clock: Clock
    workspace: str = "main"
    test_set: Any = None
    token: str | None = None

    def work(self) -> int:
        """Do all jobs; return how many there were."""
        from metra.workbench.worker import do_next_job

        count = 0
        while do_next_job(self.store, self.clock):
            count += 1
        return count


ROLES = {"ann": "owner", "oto": "organiser", "vic": "viewer"}


def make_room(store: Any, texts: CampaignTexts | None = None, **more: Any) -> Room:
    """Accounts ann (owner), oto (organiser), vic (viewer) and sue, who is no member."""
    from metra.store import access, workspaces
    from metra.workbench.imports import import_texts

    room = Room(store, Clock())
    by = {"now": room.clock(), "who": "ann"}
    with store.transaction() as db:
        for name in (*ROLES, "sue"):
            access.set_password(db, name, "a long password", **by)
        for name, role in (*ROLES.items(), ("sue", None)):
            workspaces.set_member(db, "main", name, role, **by)
        texts = texts or make_texts()
        room.test_set = import_texts(db, "main", "news", texts, **by, **more)
    return room
