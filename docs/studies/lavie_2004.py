"""Lavie, Sagae and Jayaraman 2004: does recall matter, and does stemming help?"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from data_sets import JudgedSet, read_elitr, read_wmt23
from differences import Coefficients, Estimate, correlate_systems, make_claim
from study_page import Claim, Section, StudyTable, Verdict

from metra.meta.charts import CurvePlot
from metra.meta.compare import compare
from metra.meta.correlate import parse_specs
from metra.meta.options import TuneOptions
from metra.meta.variants import TuningCurve, list_variants, tune_option
from metra.scores.table import Scores, add_total
from metra.stats.correlation import Options
from metra.stats.panel import ScorePanel

TOTAL = "adequacy+fluency"
#: As the program of the paper's time did: lower case, words cut as for BLEU.
COMMON = "case=lower"
#: The paper's metrics, then others that can be stemmed, then those that are as they are.
PAPER = ("nist", "bleu", "precision", "recall", "f1", "fmean")
STEMMED = (*PAPER, "gtm:e=1", "gtm:e=2", "wer", "per", "ter")
ARITHMETIC = "bleu:average=arithmetic,case=lower"
OTHERS = ("chrf", "cer", "meteor", ARITHMETIC)


@dataclass(frozen=True)
class Evidence:
    """One set: gold and metrics lined up, and coefficients by what is resampled."""

    judged: JudgedSet
    people: Scores
    panel: ScorePanel
    segments: Coefficients
    both: Coefficients
    differentials: Coefficients

    def name(self, metric: str, *, stemmed: bool = False) -> str:
        """Name a metric as the panel does, without or with stemming."""
        if metric in OTHERS:
            return metric
        plain = f"{metric}{',' if ':' in metric else ':'}{COMMON}"
        return f"{plain},stem={self.judged.stem}" if stemmed else plain

    def subtract(self, metric: str, other: str) -> Estimate:
        """Return the difference between two metrics, over segments."""
        return self.segments.subtract(self.name(metric), self.name(other))

    def stem(self, metric: str) -> Estimate:
        """Return the effect of stemming on a metric, over segments."""
        stemmed = self.name(metric, stemmed=True)
        return self.segments.subtract(stemmed, self.name(metric))


@cache
def gather_evidence(data: Path) -> dict[str, Evidence]:
    """Score all sets; error marks or totals of adequacy and fluency are the gold."""
    sets = [
        (read_wmt23(data, "zh-en"), "mqm"),
        (read_wmt23(data, "he-en", "refB"), "mqm"),
        (read_wmt23(data, "en-de"), "mqm"),
        (read_elitr(data, "cs-en"), TOTAL),
    ]
    return {judged.name: _score_set(judged, gold) for judged, gold in sets}


def _score_set(judged: JudgedSet, gold: str) -> Evidence:
    people, _ = add_total(judged.people, gold)
    plain = [f"{name}{',' if ':' in name else ':'}{COMMON}" for name in STEMMED]
    stemmed = [f"{spec},stem={judged.stem}" for spec in plain]
    _, panel = judged.line_up(gold, [*plain, *stemmed, *OTHERS], people=people)
    return Evidence(
        judged,
        people,
        panel,
        correlate_systems(panel, drawn="item"),
        correlate_systems(panel),
        correlate_systems(panel, "differentials", drawn="item"),
    )


def make_system_tables(data: Path) -> Section:
    """Tables 1 and 2: Pearson's r of systems' scores with people's."""
    evidence = gather_evidence(data)
    claims = (
        make_claim(
            "recall correlates better with people than precision.",
            "r of recall minus r of precision, with intervals over segments",
            {
                name: each.subtract("recall", "precision")
                for name, each in evidence.items()
            },
        ),
        make_claim(
            "recall correlates better than BLEU.",
            "r of recall minus r of BLEU, with intervals over segments",
            {name: each.subtract("recall", "bleu") for name, each in evidence.items()},
        ),
        make_claim(
            "recall correlates better than NIST.",
            "r of recall minus r of NIST, with intervals over segments",
            {name: each.subtract("recall", "nist") for name, each in evidence.items()},
        ),
        make_claim(
            "Fmean, which favours recall, correlates better than F1.",
            "r of Fmean minus r of F1, with intervals over segments",
            {name: each.subtract("fmean", "f1") for name, each in evidence.items()},
        ),
        _judge_stemming(evidence),
        make_claim(
            "BLEU with an arithmetic mean of the n-gram precisions correlates better.",
            "r of arithmetic minus r of geometric BLEU, with intervals over segments",
            {
                name: each.subtract(ARITHMETIC, "bleu")
                for name, each in evidence.items()
            },
        ),
    )
    tables = tuple(_tabulate_systems(each) for each in evidence.values())
    return Section(claims, tables)


def _judge_stemming(evidence: dict[str, Evidence]) -> Claim:
    """Count on each set the metrics that stemming helps and harms."""
    parts: list[str] = []
    verdicts: dict[str, Verdict] = {}
    for name, each in evidence.items():
        gains = [each.stem(metric) for metric in PAPER]
        better = sum(gain.low > 0 for gain in gains)
        worse = sum(gain.high < 0 for gain in gains)
        largest = max(gains, key=lambda gain: abs(gain.value))
        parts.append(
            f"{name} improves {better} and harms {worse} of {len(gains)}, largest change "
            f"{largest.signed}"
        )
        nearly_all = better >= len(gains) - 1
        verdicts[name] = (
            "supports" if nearly_all else "against" if worse > better else "undecided"
        )
    return Claim(
        "stemming improves nearly all metrics.",
        "number of metrics that stemming improves or harms, by intervals over segments: "
        f"{'; '.join(parts)}.",
        verdicts=verdicts,
    )


def _tabulate_systems(each: Evidence) -> StudyTable:
    """Lay out one set, the best metric first."""
    lines = []
    for metric in (*STEMMED, *OTHERS):
        name = each.name(metric)
        plain, both = each.segments.estimate(name), each.both.estimate(name)
        cells = [metric, f"{plain.value:.3f}", f"{plain.half:.3f}"]
        cells.append(f"{both.low:.2f} to {both.high:.2f}")
        if metric in STEMMED:
            stemmed = each.segments.estimate(each.name(metric, stemmed=True))
            cells += [f"{stemmed.value:.3f}", f"{stemmed.half:.3f}"]
        else:
            cells += ["", ""]
        lines.append((-plain.value, tuple(cells)))
    return StudyTable(
        ("metric", "r", "±", "95 % (both)", "r stemmed", "±"),
        tuple(cells for _, cells in sorted(lines)),
        caption=f"**{_describe_set(each)}**",
    )


def _describe_set(each: Evidence) -> str:
    panel = each.panel
    return (
        f"{each.judged.name}, {panel.gold_name}: {len(panel.systems)} systems, "
        f"{panel.compared} judged segments"
    )


def make_differential_tables(data: Path) -> Section:
    """Tables 3 and 4: Pearson's r of the differences between systems."""
    evidence = gather_evidence(data)
    differences = {
        name: each.differentials.subtract(each.name("recall"), each.name("bleu"))
        for name, each in evidence.items()
    }
    claim = make_claim(
        "differences between systems give the same result: recall correlates better than "
        "BLEU.",
        "r of recall minus r of BLEU for differences, with intervals over segments",
        differences,
    )
    return Section((claim,), tuple(map(_tabulate_differentials, evidence.values())))


def _tabulate_differentials(each: Evidence) -> StudyTable:
    lines = []
    for metric in PAPER:
        cells = [metric]
        for stemmed in (False, True):
            found = each.differentials.estimate(each.name(metric, stemmed=stemmed))
            cells += [f"{found.value:.3f}", f"{found.half:.3f}"]
        lines.append((cells[1], tuple(cells)))
    return StudyTable(
        ("metric", "r", "±", "r stemmed", "±"),
        tuple(cells for _, cells in sorted(lines, reverse=True)),
        caption=f"**{_describe_set(each)}**",
    )


def make_tuning(data: Path) -> Section:
    """The weight of recall: a curve over alpha, and what the best is worth elsewhere."""
    lines, rows, claims = {}, [], {}
    for each in gather_evidence(data).values():
        for stemmed in (False, True):
            curve = _tune_weight(each, stemmed)
            low, high = curve.best_interval or (0.0, 1.0)
            held_out, usual = (
                np.mean([getattr(fold, field) for fold in curve.folds])
                for field in ("held_out", "default")
            )
            rows.append(
                (
                    each.judged.name,
                    "stems" if stemmed else "words",
                    f"{curve.best:.2f}",
                    f"{low:.2f} to {high:.2f}",
                    f"{curve.coefficient(curve.best):.3f}",
                    f"{curve.coefficient(curve.default):.3f}",
                    *(f"{mean:.3f}" for mean in (held_out, usual)),
                )
            )
            if not stemmed:
                claims[each.judged.name] = Estimate(curve.best, low, high)
                lines[each.judged.name] = curve
    listed = "; ".join(f"{name} {estimate}" for name, estimate in claims.items())
    claim = Claim(
        "agreement is highest when recall has almost all the weight (0.9 in Fmean).",
        "best weight of recall, with the range that contains 95 % of the best weights over "
        f"resampled systems and segments: {listed}.",
        verdicts={name: _judge_weight(best) for name, best in claims.items()},
    )
    first = next(iter(lines.values()))
    plot = CurvePlot(
        "Agreement by the weight of recall in Fmean",
        "Pearson's r of systems; 0 is precision, 0.5 is F1, 1 is recall",
        "weight of recall",
        "Pearson's r",
        [f"{value:g}" for value in first.values],
        {name: curve.list_coefficients(first.values) for name, curve in lines.items()},
    )
    heads = (
        *("set", "matches", "best weight", "95 % interval", "r", "r with 0.9"),
        *("held out", "held out with 0.9"),
    )
    return Section((claim,), (StudyTable(heads, tuple(rows), text=2),), {"alpha": plot})


def _judge_weight(best: Estimate) -> Verdict:
    """Ask whether recall has most of the weight, and 0.9 may be the best one."""
    if best.high < 0.9:
        return "against"
    return "supports" if best.low >= 0.5 else "undecided"


def _tune_weight(each: Evidence, stemmed: bool) -> TuningCurve:
    """Try every weight of recall on one set."""
    options = TuneOptions()
    question = parse_specs(["pearson"], "sys", Options())[0]
    spec = each.name("fmean", stemmed=stemmed)
    default, variants = list_variants(spec, "alpha", options.values)
    gold = each.panel.gold_name
    _, panel = each.judged.line_up(gold, [*variants.values()], people=each.people)
    return tune_option(panel, spec, default, variants, question, options)


def make_tests(data: Path) -> Section:
    """Williams' test of the order of metrics, which answers for other systems."""
    question = parse_specs(["pearson"], "sys", Options())[0]
    rows = []
    for each in gather_evidence(data).values():
        cells = [each.judged.name]
        for pair in (("recall", "precision"), ("recall", "bleu"), ("fmean", "f1")):
            names = [each.name(metric) for metric in pair]
            tested = compare(each.panel.of_metrics(names), question, test="williams")
            better, worse = (name.partition(":")[0] for name in tested.names)
            cells.append(f"{better} > {worse}, p = {tested.p[0, 1]:.3f}")
        rows.append(tuple(cells))
    heads = ("set", "recall, precision", "recall, BLEU", "Fmean, F1")
    return Section(tables=(StudyTable(heads, tuple(rows), text=4),))


SECTIONS = {
    "systems": make_system_tables,
    "differentials": make_differential_tables,
    "alpha": make_tuning,
    "williams": make_tests,
}
