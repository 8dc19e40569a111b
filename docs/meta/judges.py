"""How far do judges agree, and how long must a document be? Prints the tables of judges.md.

python docs/meta/judges.py FOLDER [--plots]

FOLDER holds test sets with judgements in four folders: wmt23-mqm-esa (en-de and zh-en),
tradopad-adequacy, elitr-adequacy-fluency and ort-encs-48refs. Only numbers are printed;
--plots draws the pictures beside this file.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from metra.corpus.outputs import Outputs
from metra.meta.agree import draw_judges
from metra.meta.charts import CurvePlot
from metra.meta.correlate import parse_specs
from metra.meta.normalise import normalise
from metra.meta.options import RefsOptions
from metra.meta.pseudo import JUDGES, gather_judgements
from metra.meta.variants import correlate_subsets
from metra.report.pictures.plots import draw_curves, draw_histogram, draw_judge_plot
from metra.scores.table import (
    ScoredItem,
    Scorer,
    Scores,
    add_total,
    build_score_table,
    concatenate_scores,
)
from metra.scores.views import build_panel, collect_ratings
from metra.scoring.evaluate import make_metrics
from metra.scoring.scorers import score_systems
from metra.stats.bootstrap import bootstrap, compute_bounds
from metra.stats.correlation import Options
from metra.stats.defaults import SEED
from metra.stats.judge_agreement import JudgeAgreement, agree
from metra.stats.panel import ScorePanel
from metra.stats.pseudo_documents import DocumentCurves, draw_documents

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "studies"))

from data_sets import (  # noqa: E402 (docs is no package)
    read_adequacy,
    read_elitr,
    read_ort,
    read_rows,
    read_wmt23,
)

LENGTHS = (1, 2, 5, 10, 20, 50, 100, 0)
METRICS = (
    "bleu:smooth=exp", "nist", "f1", "gtm:e=1", "gtm:e=2", "recall", "meteor", "chrf", "ter",
)  # fmt: skip
OTHERS = ("COMET", "XCOMET-Ensemble")
DRAWN = ("COMET", "gtm:e=2", "gtm:e=1", "bleu:smooth=exp", "recall")
FIGURES = (
    ("equal", "exact"), ("within 1", "within"), ("mean Pearson", "mean pearson"),
    ("mean Spearman", "mean spearman"), ("kappa", "mean kappa"),
    ("kappa, quadratic", "mean quadratic"), ("Fleiss", "fleiss"),
    ("alpha, nominal", "alpha nominal"), ("alpha, ordinal", "alpha ordinal"),
    ("alpha, interval", "alpha interval"), ("AC1", "AC1"), ("ICC(1,1)", "ICC(1,1)"),
)  # fmt: skip


def main(folder: Path, *, plots: bool) -> None:
    """Print the tables one after the other."""
    adequacy = agreement_of(read_adequacy(folder))
    found = {"adequacy, 25 judges": adequacy}
    for lang in ("en-de", "zh-en"):
        for method in ("none", "z"):
            label = f"MQM {lang}{', z' if method == 'z' else ''}"
            found[label] = agreement_of(three_raters(folder, lang), method)
    print_agreement(found)
    lined, drawn = documents(folder)
    print_curves(lined, drawn)
    print_crossed(crossed_judges(folder))
    independent = by_number(folder, 4, [1, 2, 3, 4])
    edited = by_number(folder, 48, [1, 2, 4, 8, 16, 48])
    for studies in (independent, edited):
        for level, study in studies.items():
            print_references(level, study)
    if plots:
        draw(adequacy, lined, drawn, independent)


def agreement_of(scores: Scores, method: str = "none") -> JudgeAgreement:
    """Compute all coefficients, perhaps of values put on one scale."""
    if method != "none":
        scores = normalise(scores, scores.names[0], method).scores  # type: ignore[arg-type]
    return agree(collect_ratings(scores, scores.names[0]))


def three_raters(folder: Path, lang: str) -> Scores:
    """Outputs that three raters marked, alone or beside another output."""
    path = folder / "wmt23-mqm-esa" / f"{lang}.sxs_mqm_ratings.tsv.gz"
    lines = list(read_rows(path))
    systems = [f"{line['system']} {line['condition']}" for line in lines]
    items = [ScoredItem(line["seg"]) for line in lines]
    values = {Scorer("mqm", "mqm"): [float(line["mqm"]) for line in lines]}
    return build_score_table(systems, items, values, [line["rater"] for line in lines])


def documents(folder: Path) -> tuple[ScorePanel, DocumentCurves]:
    """Two campaigns of ESA judged the same outputs: two judgements of each."""
    judged = read_wmt23(folder, "en-de")
    outputs, tables = judged.outputs, folder / "wmt23-mqm-esa"
    metrics = make_metrics(METRICS)
    mine, statistics = score_systems(Outputs(judged.evalset, outputs), metrics)
    marks = [
        row
        for row in read_rows(tables / "en-de.annotations.tsv.gz")
        if row["protocol"] in ("ESA-1", "ESA-2")
        and row["is_control"] == "no"
        and row["system"] in outputs
    ]
    esa = build_score_table(
        [mark["system"] for mark in marks],
        [ScoredItem(mark["seg"]) for mark in marks],
        {Scorer("esa", "esa"): [float(mark["score"]) for mark in marks]},
        [f"{mark['protocol']} {mark['annotator']}" for mark in marks],
    )
    z = normalise(esa, "esa", "z").scores
    given = [
        row
        for row in read_rows(tables / "en-de.seg_scores.tsv.gz")
        if row["system"] in outputs
    ]
    neural = build_score_table(
        [row["system"] for row in given],
        [ScoredItem(row["seg"]) for row in given],
        {
            Scorer(n, "metric"): [float(row[n] or "nan") for row in given]
            for n in OTHERS
        },
    )
    scores = concatenate_scores([z, mine, neural])
    lined = build_panel(scores, "esa-z", [*metrics, *OTHERS], statistics=statistics)
    return lined, draw_documents(
        lined, gather_judgements(scores, lined), lengths=LENGTHS
    )


def crossed_judges(folder: Path) -> dict[str, DocumentCurves]:
    """Two judges judged all systems of a segment, Czech-English: each way to draw them."""
    elitr = read_elitr(folder, "cs-en")
    people, total = elitr.people, "adequacy+fluency"
    pairs = np.unique(np.stack([people.item, people.judge]), axis=1)
    twice = np.bincount(pairs[0], minlength=len(people.items)) > 1
    parts = people.keep_lines(twice[people.item])
    scores, lined = elitr.line_up(
        total, ["bleu:smooth=exp", "chrf"], people=add_total(parts, total)[0]
    )
    judged = gather_judgements(scores, lined)
    print(f"{len(lined.systems)} systems, {lined.compared} segments, {total}\n")
    return {
        unit: draw_documents(lined, judged, lengths=LENGTHS, judges_by=unit)
        for unit in ("cell", "segment", "document")
    }


@dataclass(frozen=True)
class ReferenceStudy:
    """Mean r by number of references, and what the last number gains over the first."""

    counts: list[int]
    means: dict[str, list[float]]
    #: 95 % intervals of the gain over resampled systems and segments, drawn alike for both.
    gains: dict[str, tuple[float, float] | None]


def by_number(
    folder: Path, streams: int, counts: list[int]
) -> dict[str, ReferenceStudy]:
    """Pearson's r of segments and of systems: four independent references, then edits."""
    ort = read_ort(folder, streams)
    metrics = ["bleu", "f1", "gtm:e=1", "recall", "chrf", "ter"]

    @cache
    def score(chosen: tuple[int, ...]) -> ScorePanel:
        return ort.line_up("da", metrics, references=chosen)[1]

    studies = {}
    for level in ("seg", "sys"):
        ask = parse_specs(["pearson"], level, Options())[0]
        options = RefsOptions(counts=tuple(counts), most=6, seed=SEED)
        found = correlate_subsets(score, streams, ask, options)  # type: ignore[arg-type]
        # The same seed draws the same systems and segments for every panel.
        few, many = (
            [
                bootstrap(score(subset), level, ask.options)
                for subset in found.subsets[at]
            ]
            for at in (0, -1)
        )
        gains = {
            name: compute_bounds(
                np.mean([drawn[name] for drawn in many], axis=0)
                - np.mean([drawn[name] for drawn in few], axis=0)
            )
            for name in metrics
        }
        means = {
            name: [float(np.nanmean(each)) for each in line]
            for name, line in found.values.items()
        }
        studies[level] = ReferenceStudy(found.counts, means, gains)
    return studies


def print_references(level: str, study: ReferenceStudy) -> None:
    """Measures down, numbers of references across, and the gain of the last one."""
    heads = [*map(str, study.counts), f"gain of {study.counts[-1]}"]
    print(f"Pearson's r, level {level}\n\n| metric | {' | '.join(heads)} |")
    print(f"| :-- |{' --: |' * len(heads)}")
    for name, line in study.means.items():
        low, high = study.gains[name] or (float("nan"), float("nan"))
        gain = f"{line[-1] - line[0]:+.3f} [{low:+.3f}, {high:+.3f}]"
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in line)} | {gain} |")
    print()


def print_agreement(found: dict[str, JudgeAgreement]) -> None:
    """Coefficients down, sets of judgements across."""
    print(f"| | {' | '.join(found)} |\n| :-- |{' --: |' * len(found)}")
    sizes = [f"{each.units:,}" for each in found.values()]
    print(f"| units | {' | '.join(sizes)} |")
    for label, key in FIGURES:
        print(
            f"| {label} | {' | '.join(shown(each, key) for each in found.values())} |"
        )
    print()


def shown(found: JudgeAgreement, key: str) -> str:
    """Write a coefficient, or a dash."""
    value = found.values.get(key, float("nan"))
    return f"{value:.3f}" if value == value else "–"


def print_curves(lined: ScorePanel, found: DocumentCurves) -> None:
    """Scorers down, lengths across."""
    print(
        f"{len(lined.systems)} systems, {lined.compared} segments; judges drawn by "
        f"{found.judges_by}, {100 * found.crossed:.0f} % of pairs crossed\n"
    )
    lines = {name: found.mean(name) for name in found.by_name}
    lines[JUDGES] = found.judge_mean()
    print_lines("metric", found.lengths, lines)


def print_crossed(found: dict[str, DocumentCurves]) -> None:
    """Ways to draw judges down, lengths across: judges with judges, then the metrics."""
    lines = {f"{JUDGES}, by {unit}": each.judge_mean() for unit, each in found.items()}
    for name in found["segment"].by_name:
        for unit in ("cell", "segment"):
            lines[f"{name}, by {unit}"] = found[unit].mean(name)
    print_lines("scorer", found["segment"].lengths, lines)


def print_lines(
    corner: str, heads: Sequence[int], lines: dict[str, list[float]]
) -> None:
    """Print a table of means."""
    print(
        f"| {corner} | {' | '.join(map(str, heads))} |\n| :-- |{' --: |' * len(heads)}"
    )
    for name, line in lines.items():
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in line)} |")
    print()


def draw(
    adequacy: JudgeAgreement,
    lined: ScorePanel,
    found: DocumentCurves,
    references: dict[str, ReferenceStudy],
) -> None:
    """Write the pictures."""
    save = partial(Path.write_text, encoding="utf-8", newline="\n")
    save(
        HERE / "judges-pair.svg",
        draw_judge_plot(draw_judges(adequacy, "adequacy")[0]),
    )
    save(
        HERE / "judges-gaps.svg",
        draw_histogram(draw_judges(adequacy, "adequacy")[1]),
    )
    lines = {name: found.mean(name) for name in DRAWN}
    lines[JUDGES] = found.judge_mean()
    by_length = CurvePlot(
        "Mean Spearman with people by length of document",
        f"{len(lined.systems)} systems, 1,000 documents of each length, ESA, z per judge, "
        f"judges drawn by {found.judges_by}",
        "segments in a document",
        "Spearman's rho",
        [str(n) for n in found.lengths],
        lines,
        dashed=[JUDGES],
    )
    save(HERE / "judges-length.svg", draw_curves(by_length))
    for level, what, file in (
        ("seg", "segments", "judges-references.svg"),
        ("sys", "systems", "judges-references-systems.svg"),
    ):
        gains = references[level].gains.values()
        clear = sum(ends is not None and ends[0] > 0 for ends in gains)
        by_count = CurvePlot(
            f"Pearson of {what} by number of references",
            "12 systems, 160 segments, English-Czech; metrics with a significant gain: "
            f"{clear} of {len(gains)}",
            "references",
            "Pearson's r",
            [str(n) for n in references[level].counts],
            references[level].means,
        )
        save(HERE / file, draw_curves(by_count))


if __name__ == "__main__":
    main(Path(sys.argv[1]), plots="--plots" in sys.argv)
