"""Does recall matter, and does stemming help? Prints the tables of recall.md.

python docs/meta/recall.py FOLDER

FOLDER holds the WMT23 test sets: LP.segments.tsv.gz with references, LP.outputs.tsv.gz with
a column for each system, LP.seg_scores.tsv.gz with a column mqm. Only numbers are printed.
"""

import csv
import gzip
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.formats.scores.panel import build_panel
from metra.formats.scores.record import (
    ScoredItem,
    Scorer,
    build_score_table,
    concatenate_scores,
)
from metra.meta.compare import compare
from metra.meta.correlate import correlate_panel, parse_specs
from metra.meta.options import TuneOptions
from metra.meta.tune import list_variants, tune_option
from metra.scoring.evaluate import make_metrics
from metra.scoring.scorers import score_systems
from metra.stats.bootstrap import bootstrap, compute_bounds
from metra.stats.correlation import Options
from metra.stats.panel import ScorePanel

SETS = (
    ("zh-en", "refA", "english"),
    ("he-en", "refB", "english"),
    ("en-de", "refA", "german"),
)
#: As the program of the paper's time did: lower case, words cut as for BLEU.
COMMON = "case=lower"
STEMMED = (
    "nist", "bleu", "precision", "recall", "f1", "fmean", "gtm:e=1", "gtm:e=2", "wer", "per",
    "ter",
)  # fmt: skip
OTHERS = ("chrf", "cer", "meteor", "bleu:average=arithmetic,case=lower")


@dataclass(frozen=True)
class Row:
    """One measure's figures: r, its interval over segments only, and over both."""

    r: float
    by_segment: tuple[float, float]
    by_both: tuple[float, float]


def main(folder: Path) -> None:
    """Print a table for each test set."""
    for lang, reference, language in SETS:
        specs = [spec for name in STEMMED for spec in pair(name, language)]
        made = judged(folder, lang, reference, [*specs, *OTHERS])
        print(
            f"### {lang}: {len(made.systems)} systems, {made.compared} judged segments\n"
        )
        print_table(made, language)
    print_tuning(folder)


def print_tuning(folder: Path) -> None:
    """Print which weight of recall is best, and what it is worth on other segments."""
    print("| pair | measure | best α | 95 % | r | r of 0.9 | held out | of 0.9 |")
    print("| :-- | :-- | --: | :-: | --: | --: | --: | --: |")
    ask = parse_specs(["pearson"], "sys", Options())[0]
    for lang, reference, language in SETS:
        for spec in pair("fmean", language):
            default, variants = list_variants(spec, "alpha", TuneOptions().values)
            made = judged(folder, lang, reference, [*variants.values()])
            curve = tune_option(made, spec, default, variants, ask, TuneOptions())
            low, high = curve.best_interval or (0.0, 1.0)
            cells = [
                *(lang, "stemmed" if "stem=" in spec else "words"),
                *(f"{curve.best:.2f}", f"{low:.2f} to {high:.2f}"),
                f"{curve.coefficient(curve.best):.3f}",
                f"{curve.coefficient(default):.3f}",
                f"{np.mean([fold.held_out for fold in curve.folds]):.3f}",
                f"{np.mean([fold.default for fold in curve.folds]):.3f}",
            ]
            print(f"| {' | '.join(cells)} |")


def judged(folder: Path, lang: str, reference: str, specs: Sequence[str]) -> ScorePanel:
    """Score the outputs and put the scores beside the judgements."""
    refs = [row[reference] for row in rows(folder / f"{lang}.segments.tsv.gz")]
    lines = list(rows(folder / f"{lang}.outputs.tsv.gz"))
    systems = [
        name for name in lines[0] if name != "seg" and not name.startswith("ref")
    ]
    outputs = {name: [line[name] for line in lines] for name in systems}
    measures = make_metrics(specs)
    scores, statistics = score_systems(Outputs(EvalSet([refs]), outputs), measures)
    marks = [
        r for r in rows(folder / f"{lang}.seg_scores.tsv.gz") if r["system"] in outputs
    ]
    gold = build_score_table(
        [mark["system"] for mark in marks],
        [ScoredItem(mark["seg"]) for mark in marks],
        {Scorer("mqm", "mqm"): [float(mark["mqm"] or "nan") for mark in marks]},
    )
    return build_panel(concatenate_scores([gold, scores]), "mqm", statistics=statistics)


def pair(name: str, language: str) -> tuple[str, str]:
    """Name a measure without and with stemming."""
    plain = f"{name}{',' if ':' in name else ':'}{COMMON}"
    return plain, f"{plain},stem={language}"


def print_table(made: ScorePanel, language: str) -> None:
    """One line a measure: plain and stemmed, system scores and differences."""
    found = {coef: figures(made, coef) for coef in ("pearson", "differentials")}
    print("| measure | r | stemmed | ± (segments) | 95 % (both) | diff. | stemmed |")
    print("| :-- | --: | --: | --: | :-: | --: | --: |")
    lines = []
    for name in (*STEMMED, *OTHERS):
        plain, stemmed = pair(name, language) if name in STEMMED else (name, "")
        first = found["pearson"][plain]
        low, high = first.by_segment
        cells = [
            name,
            f"{first.r:.3f}",
            f"{found['pearson'][stemmed].r:.3f}" if stemmed else "",
            f"{(high - low) / 2:.3f}",
            f"{first.by_both[0]:.2f} to {first.by_both[1]:.2f}",
            f"{found['differentials'][plain].r:.3f}",
            f"{found['differentials'][stemmed].r:.3f}" if stemmed else "",
        ]
        lines.append((first.r, f"| {' | '.join(cells)} |"))
    print("\n".join(line for _, line in sorted(lines, reverse=True)) + "\n")
    print(f"{verdicts(made, language)}\n")


def figures(made: ScorePanel, coef: str) -> dict[str, Row]:
    """Coefficients of all measures, with both intervals."""
    ask = parse_specs([coef], "sys", Options())[0]
    observed = correlate_panel(made, ask)
    segments = bootstrap(made, "sys", ask.options, drawn="item")
    both = bootstrap(made, "sys", ask.options)
    return {
        name: Row(
            result.value, compute_bounds(segments[name]), compute_bounds(both[name])
        )
        for name, result in observed.items()
    }


def verdicts(made: ScorePanel, language: str) -> str:
    """Test recall against precision and BLEU, and count where stemming helps."""
    ask = parse_specs(["pearson"], "sys", Options())[0]
    parts = []
    for one, other in (("recall", "precision"), ("recall", "bleu"), ("fmean", "f1")):
        names = [pair(one, language)[0], pair(other, language)[0]]
        tested = compare(made.of_metrics(names), ask, test="williams")
        better, worse = (name.partition(":")[0] for name in tested.names)
        parts.append(f"{better} over {worse} p = {tested.p[0, 1]:.3f}")
    draws = bootstrap(made, "sys", ask.options, drawn="item")
    gains = []
    for name in STEMMED:
        plain, stemmed = pair(name, language)
        gain = draws[stemmed] - draws[plain]
        low, high = np.quantile(gain, [0.025, 0.975])
        gains.append(1 if low > 0 else -1 if high < 0 else 0)
    counts = (
        f"{gains.count(1)} better, {gains.count(-1)} worse, {gains.count(0)} undecided"
    )
    return f"Williams: {'; '.join(parts)}. Stemming, over segments: {counts} of {len(gains)}."


def rows(path: Path) -> Iterator[dict[str, str]]:
    """Read a table without quoting."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
