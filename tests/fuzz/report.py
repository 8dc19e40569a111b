"""The sum of what happened to mutated files and requests, as a section of a page."""

import json
import subprocess
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Report:
    """The sum of all pieces."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    memory: int = 0
    processor: float = 0.0

    @property
    def mutations(self) -> int:
        """How many were tried."""
        return sum(self.outcomes.values())

    def add_piece(
        self, seed: int, done: "subprocess.CompletedProcess[str]"
    ) -> list[str]:
        """Add what a process has counted, or that it died; return what went wrong."""
        if done.returncode:
            self.outcomes["process", "crash"] += 1
            faults = [f"crash: --seed {seed}: {done.returncode}\n{done.stdout[-2000:]}"]
        else:
            piece = json.loads(done.stdout.strip().split("\n")[-1])
            for title, outcome, number in piece["outcomes"]:
                self.outcomes[title, outcome] += number
            faults = piece["faults"]
            self.memory = max(self.memory, piece["memory"])
            self.processor += piece["processor"]
        self.faults += faults
        return faults

    def count(self, outcome: str) -> int:
        """Return how often something happened."""
        return sum(n for (_, what), n in self.outcomes.items() if what == outcome)

    def describe(self) -> str:
        """Say how far it is."""
        figures = {name: self.count(name) for name in OUTCOMES}
        return f"{self.mutations} {figures} {self.memory} MB"

    def format(self) -> str:
        """Return the section of the page in Markdown."""
        figures = "\n".join(
            f"| {meaning} | {self.count(name):,} |"
            for name, meaning in OUTCOMES.items()
        )
        groups: Counter[tuple[str, str]] = Counter()
        for (title, outcome), number in self.outcomes.items():
            groups[title.partition(":")[0], outcome] += number
        names = sorted({name for name, _ in groups})
        rows = "\n".join(
            f"| {name} | {groups[name, 'read']:,} | {groups[name, 'refused']:,} | "
            f"{sum(groups[name, what] for what in OUTCOMES if what not in FINE):,} |"
            for name in names
        )
        return MUTATIONS.format(
            mutations=f"{self.mutations:,}",
            figures=figures,
            rows=rows,
            memory=f"{self.memory:,}",
            processor=f"{self.processor:,.0f}",
        )


FINE = ("read", "refused")
OUTCOMES = {
    "read": "read, or answered",
    "refused": "refused in one sentence",
    "no sentence": "refused otherwise",
    "traceback": "traceback, or status 500",
    "hang": "hang",
    "exit": "unknown exit code",
    "crash": "process that died",
}
MUTATIONS = """\
{mutations} mutations of a valid sample of every format and of requests to every route of the
judging app, in processes of 1,000 mutations: {processor} seconds of processor time, {memory}
MB in the largest process. Written by `python tests/fuzz/run.py --write`; `make fuzz` draws
other mutations.

| outcome | mutations |
| :-- | --: |
{figures}

| file or request | read | refused | faults |
| :-- | --: | --: | --: |
{rows}
"""
