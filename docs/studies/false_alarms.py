"""Measure the false-positive rates of tests and print the tables of a page.

    python docs/studies/false_alarms.py [SECTION TRIALS]

Two equally good systems, or two equally good metrics, are made again and again from a
seed; every test of metra is applied to them at p ≤ .05. The share of significant results
is the false-positive rate, which should be .05. Numbers go to false-alarms.json and into
the generated blocks of false-alarms.md, pictures to false-alarms-*.svg; with SECTION
(systems or metrics) only its own are measured, and with no trials only drawn again.
"""

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

# The matrices are small: threads would cost more than they save.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.random import Generator

from metra.meta.compare import compare
from metra.meta.correlate import parse_specs
from metra.report.pictures.forest import ForestPanel, ForestPlot, draw_forest
from metra.stats.arrays import Array, Codes, divide
from metra.stats.correlation import Options
from metra.stats.distributions import wilson_interval
from metra.stats.exact_tests import rank_test_p_values
from metra.stats.panel import ScorePanel
from metra.stats.ranking import count_wins
from metra.stats.resampling import Sample, bootstrap_scores
from metra.stats.significance import contrasts, make_two_sided, shifted_p_value

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "tools"))

from page_blocks import fill_block  # noqa: E402 (docs is no package)

ALPHA = 0.05
#: Of the intervals of rates: of the many cells of a table, about one may be off by chance.
LEVEL = 0.99
#: Most rows of a table on the page; the pictures and the numbers have all rates.
MOST_ROWS = 12
SEED = 2026
#: Exchanges or resamples of each test: the level is kept however few they are.
DRAWS = 199
SYSTEMS, SEGMENTS, DOCUMENTS, RATERS = 12, 200, 25, 8


class Judged(NamedTuple):
    """Two systems judged by raters, NaN where a rater did not judge: 2 × segments × raters."""

    values: Array
    document: Codes


class ItemWithDocument(NamedTuple):
    """A segment as panels have it."""

    segment: str
    document: str


@dataclass(frozen=True)
class Design:
    """A way in which two equally good things come about."""

    about: str
    make: Callable[[Generator], object]


def make_systems(
    rng: Generator, *, document: float = 0.0, rater: float = 0.0, raters: int = 1
) -> Judged:
    """Two equally good systems; deviations of what a document or a rater does to each."""
    codes = np.arange(SEGMENTS) * DOCUMENTS // SEGMENTS
    by_document = document * rng.normal(size=(2, DOCUMENTS))[:, codes]
    values = (
        rng.normal(size=(SEGMENTS, 1))  # how hard a segment is, for both
        + by_document[..., None]
        + rater * rng.normal(size=(2, 1, raters))
        + rng.normal(size=(2, SEGMENTS, raters))
    )
    return Judged(np.round(2 * values), codes)


def assign_raters(judged: Judged, rng: Generator) -> Judged:
    """Each segment is judged by two of the raters, who judge both systems."""
    kept = np.argsort(rng.random(judged.values.shape[1:]), axis=1) < 2
    return judged._replace(values=np.where(kept, judged.values, np.nan))


def make_metrics(
    rng: Generator, *, system: float = 0.0, document: float = 0.0
) -> ScorePanel:
    """Two equally good metrics of systems that differ in quality.

    Deviations are of what a metric adds to a system, and to a document of a system, for no
    reason of quality.
    """
    codes = np.arange(SEGMENTS) * DOCUMENTS // SEGMENTS
    quality = 0.3 * rng.normal(size=(SYSTEMS, 1))
    gold = np.round(2 * (quality + rng.normal(size=(SYSTEMS, SEGMENTS)))) / 2
    bias = system * rng.normal(size=(2, SYSTEMS, 1))
    bias = bias + document * rng.normal(size=(2, SYSTEMS, DOCUMENTS))[..., codes]
    metrics = gold + bias + 1.5 * rng.normal(size=(2, SYSTEMS, SEGMENTS))
    return ScorePanel(
        tuple(map(str, range(SYSTEMS))),
        tuple(ItemWithDocument(str(at), str(d)) for at, d in enumerate(codes)),
        "gold",
        gold,
        {"a": metrics[0], "b": metrics[1]},
        gold.mean(1),
        {"a": metrics[0].mean(1), "b": metrics[1].mean(1)},
    )


SYSTEM_DESIGNS = {
    "paired": Design("segments are independent", make_systems),
    "documents": Design(
        "a system does better in some documents (sd .5)",
        lambda rng: make_systems(rng, document=0.5),
    ),
    "raters": Design(
        "8 raters judge all segments, and lean to one system (sd .2)",
        lambda rng: make_systems(rng, rater=0.2, raters=RATERS),
    ),
    "assigned raters": Design(
        "the same, but two raters judge a segment",
        lambda rng: assign_raters(make_systems(rng, rater=0.2, raters=RATERS), rng),
    ),
}
METRIC_DESIGNS = {
    "paired": Design("errors of a metric are independent", make_metrics),
    "documents": Design(
        "errors are shared within a system's document (sd .5)",
        lambda rng: make_metrics(rng, document=0.5),
    ),
    "systems": Design(
        "a metric likes or dislikes a system (sd .15)",
        lambda rng: make_metrics(rng, system=0.15),
    ),
}


def mean(totals: Array) -> Array:
    """The mean of rows of sums and counts."""
    return divide(totals[..., 0], totals[..., 1])


def test_systems(judged: Judged, rng: Generator) -> Iterator[tuple[str, float]]:
    """Ask every test of two systems."""
    values = judged.values
    by_segment = np.nanmean(values, 2)
    rows = [np.column_stack([each, np.ones(SEGMENTS)]) for each in by_segment]
    by_document = [
        np.column_stack([np.bincount(judged.document, x) for x in each.T])
        for each in rows
    ]
    seed = int(rng.integers(2**31))
    for unit, units in (("segments", rows), ("documents", by_document)):
        samples = [Sample(each, mean) for each in units]
        for test, name in (("ar", "randomisation"), ("bootstrap", "bootstrap")):
            _, (found,) = contrasts(
                samples, [(0, 1)], test=test, trials=DRAWS, resamples=2, seed=seed
            )
            yield f"{name} of {unit}", found.p_value or 0.0
    yield "bootstrap of segments and raters", cross_raters(values, rng)
    means = np.stack([each[:, 0] / each[:, 1] for each in by_document])
    for unit, each in (("segments", by_segment), ("documents", means)):
        p = rank_test_p_values(each, paired=True)
        yield f"signed ranks of {unit}", float(make_two_sided(p)[0, 1])
    p = rank_test_p_values(by_segment, paired=False)
    yield "rank sum of segments", float(make_two_sided(p)[0, 1])
    wins = count_wins(by_segment)
    most, decided = max(wins[0, 1], wins[1, 0]), int(wins[0, 1] + wins[1, 0])
    tail = sum(math.comb(decided, k) for k in range(most, decided + 1)) / 2**decided
    yield "sign test of segments", min(1.0, 2 * tail)


def cross_raters(values: Array, rng: Generator) -> float:
    """The bootstrap that draws segments and raters, as campaigns do it."""
    there = np.isfinite(values)
    share = divide(there, there.sum(2, keepdims=True))
    cells = np.stack([np.where(there, values, 0.0) * share, share], -1)
    size = values.shape[1:]
    units = [each.ravel() for each in np.indices(size)]
    samples = [Sample(each.reshape(-1, 2), mean) for each in cells]
    drawn = bootstrap_scores(samples, trials=DRAWS, rng=rng, units=units)
    observed = np.subtract(*(float(mean(s.rows.sum(0))) for s in samples))
    return shifted_p_value(drawn[0] - drawn[1], float(observed), sides="two-sided")


_EXCHANGES = ("perm-sys", "perm-doc", "perm-input", "perm-both")
#: The coefficients of metrics, and the tests of each: all that metra offers for it.
COEFFICIENTS: dict[tuple[str, str], tuple[str, ...]] = {
    ("sys", "pearson"): (*_EXCHANGES, "boot-both", "williams"),
    ("sys", "accuracy"): (*_EXCHANGES, "boot-both"),
    ("sys", "spa"): (*_EXCHANGES, "boot-both"),
    ("seg", "acc_eq:item"): (*_EXCHANGES, "boot-both", "wilcoxon", "pairs"),
    ("seg", "pearson"): (*_EXCHANGES, "boot-both", "williams"),
}


def test_metrics(panel: ScorePanel, rng: Generator) -> Iterator[tuple[str, float]]:
    """Ask every test of two metrics."""
    options = Options(draws=DRAWS, p="normal", seed=int(rng.integers(2**31)))
    for (level, coef), tests in COEFFICIENTS.items():
        question = parse_specs([coef], level, options)[0]
        for test in tests:
            found = compare(panel, question, test=test)  # type: ignore[arg-type]
            yield f"{coef} ({level}): {test}", float(found.p[0, 1])


def measure(
    designs: Mapping[str, Design],
    tests: Callable[..., Iterator[tuple[str, float]]],
    trials: int,
) -> dict[str, dict[str, float]]:
    """Return the false-positive rate of each test in each design."""
    rates: dict[str, dict[str, float]] = {}
    for number, (name, design) in enumerate(designs.items()):
        alarms: dict[str, int] = {}
        for trial in range(trials):
            rng = np.random.default_rng([SEED, number, trial])
            for test, p in tests(design.make(rng), rng):
                alarms[test] = alarms.get(test, 0) + (p <= ALPHA)
        print(f"{name}: {trials} trials", file=sys.stderr, flush=True)
        for test, count in alarms.items():
            rates.setdefault(test, {})[name] = count / trials
    return rates


def build_table(rates: Mapping[str, Mapping[str, float]], trials: int) -> str:
    """Lay out the rates; those whose interval lies above the level are bold."""
    designs = list(next(iter(rates.values())))
    lines = [f"| test | {' | '.join(designs)} |", "| :-- |" + " --: |" * len(designs)]
    for test, by_design in rates.items():
        cells = []
        for rate in by_design.values():
            low, _ = wilson_interval(rate, trials, LEVEL) or (0.0, 1.0)
            cells.append(f"**{rate:.3f}**" if low > ALPHA else f"{rate:.3f}")
        lines.append(f"| {test} | {' | '.join(cells)} |")
    return "\n".join(lines)


def write_block(
    rates: Mapping[str, Mapping[str, float]], trials: int, drawn: str
) -> str:
    """Write the block of a section: a short table, and the picture of all rates."""
    table = f"{build_table(rates, trials)}\n\n" if len(rates) <= MOST_ROWS else ""
    return f"{table}{drawn}"


def draw_rates(
    section: str, rates: Mapping[str, Mapping[str, float]], trials: int
) -> str:
    """Draw the rates with their intervals, a panel for each design."""
    panels = []
    for design in next(iter(rates.values())):
        shares = [by_design[design] for by_design in rates.values()]
        intervals = [wilson_interval(share, trials, LEVEL) for share in shares]
        panels.append(ForestPanel(design, shares, intervals))
    names = [_shorten_name(test) for test in rates]
    groups = [name.partition(":")[0] for name in names]
    clusters = [groups.index(group) for group in groups] if ":" in names[0] else []
    title = f"False-positive rates of tests of {section}"
    caption = (
        f"share of {trials:,} cases with p ≤ .05, and its 99 % interval; line: .05"
    )
    return draw_forest(ForestPlot(title, caption, names, panels, clusters, ALPHA))


def _shorten_name(test: str) -> str:
    """Return a name that a picture has room for."""
    if ":" in test:
        return re.sub(r"(:item)? \((\w+)\)", r" \2", test)
    return test.replace("segments and raters", "crossed").replace(" of ", ", ")


def write_page(numbers: Mapping[str, Any]) -> None:
    """Write the tables into the page, and the pictures."""
    page = HERE / "false-alarms.md"
    text = page.read_text(encoding="utf-8")
    for name, section in numbers.items():
        rates, trials = section["rates"], section["trials"]
        picture = f"false-alarms-{name}.svg"
        drawn = f"![False-positive rates of tests of {name}]({picture})"
        text = fill_block(text, name, write_block(rates, trials, drawn))
        svg = f"{draw_rates(name, rates, trials)}\n"
        (HERE / picture).write_text(svg, encoding="utf-8")
    page.write_text(text, encoding="utf-8")


#: The designs and the tests of each section.
SECTIONS: dict[str, tuple[dict[str, Design], Callable[..., Any]]] = {
    "systems": (SYSTEM_DESIGNS, test_systems),
    "metrics": (METRIC_DESIGNS, test_metrics),
}
NUMBERS = HERE / "false-alarms.json"


def main(arguments: list[str]) -> int:
    """Measure a section, or both, and write the page."""
    chosen = arguments[:1] or list(SECTIONS)
    trials = int(arguments[1]) if arguments[1:] else 1000
    for name in chosen if trials else ():
        rates = measure(*SECTIONS[name], trials)
        numbers = json.loads(NUMBERS.read_text()) if NUMBERS.exists() else {}
        numbers[name] = {"trials": trials, "rates": rates}
        NUMBERS.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    write_page(json.loads(NUMBERS.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
