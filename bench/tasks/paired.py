"""Paired tests of five systems by four metrics: resampling alone, statistics at hand."""

import math
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any

import fresh
import numpy as np
from agree import same_score
from expand import perturbed
from inputs import SEED, Corpus, corpus
from peers import SACREBLEU
from record import DisagreementError, Limit, Race
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

import metra
from metra.stats import resampling, significance, totals
from tasks.memory import STATUS, memory_now

SYSTEMS = 5
SPECS = ("bleu", "chrf", "chrf:word_order=2", "ter")
PAIRS = [(at, at + 4 * other) for other in range(1, SYSTEMS) for at in range(4)]


def samples(text: Corpus) -> list[resampling.Sample]:
    """Statistics of five systems by four metrics: a system's four, then the next one's."""
    return _samples(text.name, len(text))


@lru_cache(maxsize=1)
def _samples(name: str, count: int) -> list[resampling.Sample]:
    text = corpus(name, count)
    found = []
    for hyps in _systems(text):
        for spec in SPECS:
            result = metra.score(hyps, text.refs, spec)
            found.append(resampling.Sample(result.rows, result.metric.aggregate))
    return found


def randomised(text: Corpus, trials: int) -> list[float]:
    return significance.randomisation_p_values(samples(text), PAIRS, trials=trials)


def bootstrapped(text: Corpus, trials: int) -> list[float | None]:
    _, found = significance.contrasts(
        samples(text), PAIRS, test="bootstrap", trials=trials
    )
    return [contrast.p_value for contrast in found]


def sacrebleus(text: Corpus, trials: int, test: str) -> list[float]:
    """Run sacreBLEU's test on statistics that are given to it instead of made by it."""
    ready = _prepared(text.name, len(text))
    test_run = PairedTest(
        [(str(at), [str(at)] * len(text)) for at in range(SYSTEMS)],
        ready,
        None,
        test_type=test,
        n_samples=trials,
    )
    _, scores = test_run()
    names = [name for name in scores if name != "System"]
    found = [[result.p_value for result in scores[name][1:]] for name in names]
    return [p for system in zip(*found, strict=True) for p in system]


def agree(text: Corpus, trials: int, test: str) -> None:
    """Compare scores to the last digit and p-values within the error of random draws.

    sacreBLEU's bootstrap takes absolute differences before it moves them to the mean 0, and
    counts one side; ours is two-sided. So its way is followed here on our resamples.
    """
    ready = _prepared(text.name, len(text))
    given = samples(text)
    for metric, sample in zip(ready.values(), given, strict=False):
        theirs = metric._compute_score_from_stats(
            np.sum(metric._extract_corpus_statistics(["0"], None), 0)
        )
        same_score(
            text, theirs.score, float(sample.aggregate(totals.sum_rows(sample.rows)))
        )
    ours = randomised(text, trials) if test == "ar" else list(_folded(text, trials))
    for left, right in zip(sacrebleus(text, trials, test), ours, strict=True):
        error = math.sqrt(2 * left * (1 - left) / trials)
        if abs(left - right) > 5 * error + 3 / trials:
            raise DisagreementError(text, None, left, right)


def _folded(text: Corpus, trials: int) -> Iterator[float]:
    given = samples(text)
    drawn = resampling.bootstrap_scores(
        given, trials=trials, rng=np.random.default_rng(1)
    )
    scores = [sample.aggregate(totals.sum_rows(sample.rows)) for sample in given]
    for one, two in PAIRS:
        gaps = np.abs(drawn[two] - drawn[one])
        large = np.sum(gaps - gaps.mean() > abs(scores[two] - scores[one]))
        yield float(large + 1) / (trials + 1)


def _systems(text: Corpus) -> Iterator[list[str]]:
    """Give the output, and copies of it in which some segments are changed."""
    yield text.hyps
    for at in range(1, SYSTEMS):
        rng = Random(SEED + at)
        yield [
            perturbed(hyp, ref, rng) if rng.random() < 0.02 * at**2 else hyp
            for hyp, ref in zip(text.hyps, text.refs[0], strict=True)
        ]


@lru_cache(maxsize=1)
def _prepared(name: str, count: int) -> dict[str, Any]:
    """Make sacreBLEU's metrics, each with our statistics in its own order of columns."""
    text = corpus(name, count)
    made = {"BLEU": BLEU(), "chrF": CHRF(), "chrF++": CHRF(word_order=2), "TER": TER()}
    for at, (kind, metric) in enumerate(made.items()):
        rows = [sample.rows for sample in samples(text)[at::4]]
        if kind == "BLEU":
            rows = [np.concatenate([some[:, 8:], some[:, :8]], axis=1) for some in rows]
        elif kind == "TER":
            rows = [np.stack([some[:, :4].sum(1), some[:, 4]], axis=1) for some in rows]
        lists = [some.astype(int).tolist() for some in rows]
        metric.num_refs = 1
        # A "hypothesis" is the number of its system.
        metric._extract_corpus_statistics = lambda hyps, _, lists=lists: lists[
            int(hyps[0])
        ]
    return made


def memory_apart(test: str, count: int) -> list[float]:
    """Memory that a test takes beyond the statistics, in a process of its own."""
    if not STATUS.exists():
        return []
    return [fresh.call("tasks.paired", "memory", test, count)]


def memory(test: str, count: int) -> float:
    """Memory in MB that 100 trials take beyond the statistics of five systems."""
    small, large = corpus("english", 2_000), corpus("english", count)
    calls = {"ar": randomised, "bootstrap": bootstrapped}
    calls[test](small, 20)  # so that everything is loaded
    samples(large)
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = memory_now("VmRSS")
    calls[test](large, 500)
    return memory_now("VmHWM") - before


def _race(task: str, test: str, trials: int, goal: float, *, quick: bool) -> Race:
    ours = randomised if test == "ar" else bootstrapped
    return Race(
        task=f"{task}, {trials:,} trials",
        text=("english", 3_000),
        peer=SACREBLEU,
        theirs=partial(sacrebleus, trials=trials, test=test),
        ours=partial(ours, trials=trials),
        agree=partial(agree, trials=trials, test=test),
        goal=goal,
        rounds=3 if quick else 1,
        quick=quick,
        per="run",
    )


TASKS = [
    _race("randomisation, 5 systems, 4 metrics", "ar", 1_000, 15, quick=True),
    _race("randomisation, 5 systems, 4 metrics", "ar", 10_000, 15, quick=False),
    _race("paired bootstrap, 5 systems, 4 metrics", "bs", 1_000, 20, quick=True),
    _race("paired bootstrap, 5 systems, 4 metrics", "bs", 10_000, 20, quick=False),
    Limit(
        task="memory of randomisation beyond rows, 100k",
        measure=partial(memory_apart, "ar", 100_000),
        unit="MB",
        most=200,
        quick=False,
    ),
    Limit(
        task="memory of the paired bootstrap beyond rows, 100k",
        measure=partial(memory_apart, "bootstrap", 100_000),
        unit="MB",
        most=200,
        quick=False,
    ),
]
