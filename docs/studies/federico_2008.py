"""Federico 2008: brevity penalties, BLEU or NIST, graders, and systems of different nature."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from data_sets import (
    JudgedSet,
    read_adequacy,
    read_elitr,
    read_wmt12,
    read_wmt23_errors,
)
from differences import (
    Coefficients,
    Estimate,
    correlate_systems,
    make_claim,
    make_estimate,
)
from study_page import Claim, Section, StudyTable, Verdict

import metra
from metra.meta.agree import draw_judges
from metra.meta.charts import CurvePlot
from metra.meta.systems import (
    SubsetCorrelations,
    build_system_clouds,
    correlate_subset,
)
from metra.scores.table import Scores
from metra.scores.views import collect_ratings
from metra.stats.arrays import Array, Codes
from metra.stats.bootstrap import draw_resamples, fisher_interval
from metra.stats.coefficients import pearson
from metra.stats.correlation import Options
from metra.stats.curves import fit_line
from metra.stats.defaults import SEED, TRIALS
from metra.stats.judge_agreement import JudgeAgreement, agree
from metra.stats.panel import ScorePanel

METRICS = {"BLEU": "bleu", "NIST": "nist"}
KINDS = ("adequacy", "fluency")
WINS = "share of wins"
#: Products of which WMT's report calls three rule-based; the data does not say which.
PRODUCTS = ("onlineC", "onlineD", "onlineE", "onlineF")
CLASSES = ("statistical", "rule-based")


def compute_penalties(name: str, ratios: Iterable[float]) -> Array:
    """Return the brevity penalty by the output's length in parts of the reference's."""
    spec = {"BLEU": "bleu:n=1", "NIST": "nist:n=1,info=equal"}[name]
    find_parts = metra.metric(spec).parts
    return np.array([find_parts(np.array([0, 0, x, 1.0]))["bp"] for x in ratios])


def make_penalties(data: Path) -> Section:
    """The picture of both brevity penalties, and where they meet."""
    del data
    ratios = np.arange(0.05, 1.2001, 0.05)
    lines = {name: compute_penalties(name, ratios) for name in ("BLEU", "NIST")}
    fine = np.linspace(0.5, 0.99, 4901)
    harder = compute_penalties("BLEU", fine) < compute_penalties("NIST", fine)
    meet = float(fine[harder.argmax()])
    is_harder = harder[fine > 0.9].all() and not harder[fine < 0.7].any()
    shares = [0.9, 2 / 3, 0.5]
    penalties = {
        name: dict(zip(shares, compute_penalties(name, shares).tolist(), strict=True))
        for name in lines
    }
    claims = (
        Claim(
            "BLEU penalises slightly short outputs more than NIST does, and NIST penalises "
            "very short outputs much more.",
            f"the curves cross at {meet:.3f} of the length. At nine tenths BLEU keeps "
            f"{penalties['BLEU'][0.9]:.3f} of the score and NIST {penalties['NIST'][0.9]:.3f}; "
            f"at two thirds {penalties['BLEU'][2 / 3]:.3f} and {penalties['NIST'][2 / 3]:.3f}; "
            f"at one half {penalties['BLEU'][0.5]:.3f} and {penalties['NIST'][0.5]:.3f}. "
            "(Formulas, so there is no interval.)",
            verdicts={"the formulas": "supports" if is_harder else "against"},
        ),
    )
    plot = CurvePlot(
        "Brevity penalties by the relative length of the output",
        "factor of the score; 1 for outputs as long as the reference or longer",
        "output words / reference words",
        "penalty",
        [f"{ratio:.2f}".removesuffix("0") for ratio in ratios],
        {name: line.tolist() for name, line in lines.items()},
    )
    return Section(claims, pictures={"penalties": plot})


@cache
def read_both_kinds(data: Path) -> list[JudgedSet]:
    """Read the sets that have adequacy and fluency apart."""
    return [
        read_elitr(data, "cs-en"),
        read_elitr(data, "en-cs"),
        read_wmt23_errors(data, "zh-en"),
        read_wmt23_errors(data, "en-de"),
    ]


def make_bleu_or_nist(data: Path) -> Section:
    """Correlate BLEU and NIST with fluency and with adequacy."""
    rows = []
    for_fluency, for_adequacy = {}, {}
    for judged in read_both_kinds(data):
        by_kind: dict[str, Coefficients] = {}
        for kind in KINDS:
            _, panel = judged.line_up(kind, list(METRICS.values()))
            by_kind[kind] = correlate_systems(panel)
        systems = len(judged.outputs)
        for name, spec in METRICS.items():
            estimates = [str(by_kind[kind].estimate(spec)) for kind in KINDS]
            rows.append((judged.name, str(systems), name, *estimates))
        for_fluency[judged.name] = by_kind["fluency"].subtract("bleu", "nist")
        for_adequacy[judged.name] = by_kind["adequacy"].subtract("nist", "bleu")
    claims = (
        make_claim(
            "BLEU correlates better with fluency than NIST does.",
            "r of BLEU minus r of NIST with fluency, with systems and segments resampled",
            for_fluency,
        ),
        make_claim(
            "NIST correlates better with adequacy than BLEU does.",
            "r of NIST minus r of BLEU with adequacy, with systems and segments resampled",
            for_adequacy,
        ),
    )
    heads = ("set", "systems", "metric", "r with adequacy", "r with fluency")
    table = StudyTable(heads, tuple(rows), text=3)
    return Section(claims, (table,))


@cache
def compare_graders(data: Path) -> dict[str, JudgeAgreement]:
    """Compare judges of three kinds of grades; five steps make one step of ELITR 0.2."""
    found = {
        "adequacy, 1 to 5, 25 judges": _agree(read_adequacy(data), "adequacy", 1.0)
    }
    for kind in ("fluency", "adequacy"):
        people = [read_elitr(data, each).people for each in ("cs-en", "en-cs")]
        for each, direction in zip(people, ("cs-en", "en-cs"), strict=True):
            found[f"ELITR {direction}, {kind}"] = _agree(each, kind, 0.2)
    return found


def _agree(people: Scores, kind: str, within: float) -> JudgeAgreement:
    return agree(collect_ratings(people, kind), within=within, only=("exact", "within"))


def make_graders(data: Path) -> Section:
    """Shares of differences between two grades of the same output."""
    graders = compare_graders(data)
    rows = []
    for name, found in graders.items():
        shares = [_estimate_share(found, key) for key in ("exact", "within")]
        pairs = f"{len(found.shared.a):,}"
        rows.append((name, pairs, *(str(share) for share in shares)))
    five = next(iter(graders.values()))
    equal, near = (_estimate_share(five, key) for key in ("exact", "within"))
    fluency, adequacy = (
        [
            _estimate_share(found, "exact")
            for name, found in graders.items()
            if kind in name
        ]
        for kind in (", fluency", ", adequacy")
    )
    claims = (
        Claim(
            "graders of fluency give the same grade to a third of the sentences (33 %), and at "
            "most one apart to two thirds (65 %).",
            "25 judges of adequacy on a scale of five points: "
            f"{equal} of the pairs of grades are equal, {near} are at most one apart.",
        ),
        Claim(
            "adequacy is graded slightly less consistently than fluency.",
            "share of equal grades in ELITR for fluency and adequacy: "
            + "; ".join(
                f"{direction} {one} and {other}"
                for direction, one, other in zip(
                    ("cs-en", "en-cs"), fluency, adequacy, strict=True
                )
            )
            + ".",
            verdicts={
                f"ELITR {direction}": _compare_shares(one, other)
                for direction, one, other in zip(
                    ("cs-en", "en-cs"), fluency, adequacy, strict=True
                )
            },
        ),
    )
    heads = ("grades", "pairs", "equal", "at most one step apart")
    histograms = {
        "grades": draw_judges(five, "adequacy, 1 to 5")[1],
        "grades-fluency": draw_judges(
            graders["ELITR cs-en, fluency"], "fluency, 0 to 1"
        )[1],
    }
    return Section(claims, (StudyTable(heads, tuple(rows)),), histograms)


def _estimate_share(found: JudgeAgreement, key: str) -> Estimate:
    return Estimate(found.values[key], *found.intervals[key])


def _compare_shares(better: Estimate, worse: Estimate) -> Verdict:
    """Compare by intervals; any that overlap leave the claim undecided."""
    if better.high < worse.low:
        return "against"
    return "supports" if better.low > worse.high else "undecided"


def make_rule_based(data: Path) -> Section:
    """Correlate with and without the products that are taken for rule-based."""
    rows, losses, offsets, pictures, kinship = [], {}, {}, {}, []
    for direction in ("de-en", "es-en", "fr-en"):
        judged = read_wmt12(data, direction)
        _, panel = judged.line_up(WINS, list(METRICS.values()))
        is_product = np.array([name in PRODUCTS for name in panel.systems])
        results = {
            label: correlate_subset(panel, np.flatnonzero(chosen), Options())
            for label, chosen in (
                ("all", np.ones_like(is_product)),
                (CLASSES[0], ~is_product),
                (CLASSES[1], is_product),
            )
        }
        scatter = SubsetCorrelations(
            panel, Options(), results, np.zeros_like(is_product)
        )
        for label, spec in METRICS.items():
            whole = scatter.results["all"][spec]
            without = scatter.results[CLASSES[0]][spec]
            cells = [
                f"{result.value:.2f} [{low:.2f}, {high:.2f}]"
                for result in (without, whole)
                for low, high in [fisher_interval(result.value, result.n)]
            ]
            counts = f"{without.n} of {whole.n}"
            rows.append((judged.name, counts, label, *cells))
        kinship += _measure_kinship(judged)
        losses[judged.name] = _estimate_loss(panel, "bleu")
        offsets[judged.name] = _estimate_offset(panel, "bleu")
        [cloud, *_] = build_system_clouds(scatter)
        pictures[f"wins-{direction}"] = replace(
            cloud,
            title=f"BLEU and share of wins, {judged.name}",
            down="BLEU",
            outliers=is_product.tolist(),
            hollow=CLASSES[1],
            caption=f"{cloud.caption}; hollow: {CLASSES[1]}",
        )
    claim = make_claim(
        "automatic scores correlate with human scores if all systems are statistical, and are "
        "useless if some systems are rule-based.",
        "r of BLEU with the share of wins for statistical systems minus r for all systems, "
        "with systems resampled",
        losses,
    )
    placed = make_claim(
        "automatic scores cannot compare systems of different types: they are too low for "
        "rule-based systems.",
        "share of wins of rule-based systems above the regression line of the statistical "
        "systems (share of wins by BLEU), with systems of each type resampled",
        offsets,
    )
    heads = ("set", "statistical", "metric", "r, statistical only", "r, all systems")
    tables = (
        StudyTable(heads, tuple(rows), text=3),
        StudyTable(
            ("set", "systems", "lowest", "median", "highest"),
            tuple(kinship),
            text=2,
            caption="BLEU of each system, with the outputs of all other statistical systems as "
            "references:",
        ),
    )
    return Section((claim, placed), tables, pictures)


def _measure_kinship(judged: JudgedSet) -> Iterator[tuple[str, ...]]:
    """Compare outputs with those of the statistical systems: neither people nor references."""
    for kind in CLASSES:
        scores = []
        for name, texts in judged.outputs.items():
            if CLASSES[name in PRODUCTS] == kind:
                others = [
                    other
                    for rival, other in judged.outputs.items()
                    if rival != name and rival not in PRODUCTS
                ]
                scores.append(metra.score(texts, others, "bleu").score)
        shown = [f"{value:.1f}" for value in np.quantile(scores, [0, 0.5, 1])]
        yield judged.name, kind, *shown


def _estimate_loss(panel: ScorePanel, spec: str) -> Estimate:
    """Estimate what r loses by the products; both are of the same resample of systems."""
    kept = np.array([name not in PRODUCTS for name in panel.systems])
    gold, scores = panel.system_gold, panel.system_metrics[spec]
    observed = pearson(gold[kept], scores[kept]) - pearson(gold, scores)
    draws = []
    for sample in draw_resamples(len(kept), 0, TRIALS, SEED, "sys"):
        for chosen in sample.systems:
            inner = chosen[kept[chosen]]
            draws.append(
                pearson(gold[inner], scores[inner])
                - pearson(gold[chosen], scores[chosen])
                if len(inner) > 2
                else np.nan
            )
    return make_estimate(float(observed), np.array(draws, np.float64))


def _estimate_offset(panel: ScorePanel, spec: str) -> Estimate:
    """Estimate how far rule-based systems lie above the line of the statistical ones."""
    kept = np.array([name not in PRODUCTS for name in panel.systems])
    gold, scores = panel.system_gold, panel.system_metrics[spec]
    places = np.flatnonzero(kept), np.flatnonzero(~kept)

    def measure(statistical: Codes, rule_based: Codes) -> float:
        line = fit_line(scores[statistical], gold[statistical])
        if line is None:
            return np.nan
        expected = line.slope * scores[rule_based] + line.intercept
        return float((gold[rule_based] - expected).mean())

    rng = np.random.default_rng(SEED)
    draws = [
        measure(*(rng.choice(each, len(each)) for each in places))
        for _ in range(TRIALS)
    ]
    return make_estimate(measure(*places), np.array(draws))


#: Sections that read no set.
OWN = ("penalties",)
SECTIONS = {
    "penalties": make_penalties,
    "bleu-or-nist": make_bleu_or_nist,
    "graders": make_graders,
    "rule-based": make_rule_based,
}
