"""Turian, Shen and Melamed 2003: the grid, judges, and documents of different lengths."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
from data_sets import read_adequacy, read_elitr, read_ort
from differences import (
    Estimate,
    average_documents,
    correlate_systems,
    make_claim,
    make_estimate,
    settle,
)
from study_page import Claim, GridExample, Section, StudyTable, Verdict

import metra
from metra.meta.agree import draw_judges
from metra.meta.charts import CurvePlot
from metra.meta.normalise import normalise
from metra.meta.pseudo import JUDGES, gather_judgements
from metra.scores.views import collect_ratings
from metra.stats.arrays import Array
from metra.stats.bootstrap import draw_resamples, fisher_interval
from metra.stats.defaults import SEED, TRIALS
from metra.stats.judge_agreement import agree
from metra.stats.panel import ScorePanel
from metra.stats.pseudo_documents import DocumentCurves, draw_documents

LENGTHS = (1, 2, 5, 10, 20, 50, 100, 0)
#: The paper's metrics, on text as it is.
METRICS = {
    "GTM e=1": "gtm:e=1,tok=13a",
    "GTM e=2": "gtm:e=2,tok=13a",
    "BLEU": "bleu:smooth=none",
    "NIST": "nist",
    "NIST unweighted": "nist:info=equal",
}
GTM = "GTM e=1"
#: What the paper's figures compare it with; its text says NIST as well.
PAPER_RIVALS = ("BLEU", "NIST unweighted")
#: What the picture of one and three references shows.
DRAWN = (GTM, "BLEU", "NIST unweighted")
#: Shares of the changes, the largest first, that section 3.2 is measured on.
SHARES = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
ONE = GridExample("b c x d e f g a", ("a b c d e f g",), "gtm:e=2")
SEVERAL = GridExample(
    "the cat sat on the red mat",
    ("the cat sat there", "on the mat a cat sat"),
    "gtm:e=2,match=paper",
)


def make_grids(data: Path) -> Section:
    """Figures 1 and 2: a matching with one reference, and one that the cap cuts."""
    del data
    by_exponent = {e: _read_parts(ONE, f"gtm:e={e}") for e in (1, 2)}
    parts = _read_parts(SEVERAL, SEVERAL.spec)
    sizes = [by_exponent[e]["size"] for e in (1, 2)]
    is_same = [round(size, 4) for size in sizes] == [7, 4.5826]
    claim = Claim(
        "runs of four, two and one words have a maximum match size of 7 with e = 1, and of "
        "√21, about 4.6, with e = 2.",
        f"sizes {sizes[0]:.0f} and {sizes[1]:.4f}; precision "
        f"{by_exponent[2]['precision']:.2f} and recall {by_exponent[2]['recall']:.2f}. "
        "(One sentence, no interval.)",
        verdicts={"the example": "supports" if is_same else "against"},
    )
    cap = Claim(
        "with several references, the number of hits is limited to the mean reference "
        "length.",
        f"references of 4 and 6 words limit it to {parts['mean_ref_len']:.0f} hits; "
        f"size {parts['size']:.4f}, precision {parts['precision']:.2f}, recall "
        f"{parts['recall']:.2f}. (One sentence, no interval.)",
        verdicts={
            "the example": "supports" if parts["mean_ref_len"] == 5 else "against"
        },
    )
    return Section((claim, cap), pictures={"grid": ONE, "grid-references": SEVERAL})


def _read_parts(example: GridExample, spec: str) -> Mapping[str, float]:
    refs = [[text] for text in example.references]
    return metra.score([example.output], refs, spec).parts


def make_judge_plot(data: Path) -> Section:
    """Figure 3: the two judges of adequacy who agree least."""
    agreement = agree(collect_ratings(read_adequacy(data), "adequacy"))
    worst = min(agreement.pairs, key=lambda pair: pair.spearman)
    rho = worst.spearman
    lowest = Estimate(rho, *fisher_interval(rho, worst.n, variance=1 + rho * rho / 2))
    mean = agreement.values["mean spearman"]
    claim = Claim(
        "the two judges of adequacy who agree least do not agree at all: Spearman 0.019 over "
        "227 sentences.",
        "25 judges graded the same 100 outputs from 1 to 5. The pair of judges who agree "
        f"least has a Spearman correlation of {lowest}; the mean over pairs is {mean:.2f} "
        "(without an interval).",
    )
    plot = draw_judges(agreement, "adequacy")[0]
    return Section((claim,), pictures={"judges": plot})


@cache
def draw_curves_of(data: Path, direction: str, kind: str, more: str) -> "Curves":
    """Draw documents of ELITR by each metric, judges' values as z."""
    judged = read_elitr(data, direction)
    specs = {name: _add_options(spec, more) for name, spec in METRICS.items()}
    people = normalise(judged.people, kind, "z").scores
    scores, panel = judged.line_up(f"{kind}-z", list(specs.values()), people=people)
    found = draw_documents(panel, gather_judgements(scores, panel), lengths=LENGTHS)
    return Curves(specs, panel, found)


def _add_options(spec: str, more: str) -> str:
    return f"{spec}{',' if ':' in spec else ':'}{more}" if more else spec


class Curves:
    """Coefficients by length of document, of metrics by their names in the paper."""

    def __init__(
        self, specs: Mapping[str, str], panel: ScorePanel, found: DocumentCurves
    ) -> None:
        self.specs, self.panel, self.found = specs, panel, found
        self.lengths = found.lengths
        by_name = {name: found.by_name[spec] for name, spec in specs.items()}
        self.values = by_name | ({JUDGES: found.judges} if found.judges else {})

    def subtract(self, name: str, other: str, length: int) -> Estimate:
        """Return by how much one is ahead of another, document by document."""
        place = self.lengths.index(length)
        return average_documents(self.values[name][place] - self.values[other][place])

    def average(self, name: str) -> list[Estimate]:
        """Average over documents, length by length."""
        return [average_documents(values) for values in self.values[name]]


def make_adequacy_panel(data: Path) -> Section:
    """Figure 4a: correlation with adequacy by length."""
    return _make_length_panel(data, "adequacy")


def make_fluency_panel(data: Path) -> Section:
    """Figure 4b: correlation with fluency by length."""
    return _make_length_panel(data, "fluency")


def _make_length_panel(data: Path, kind: str) -> Section:
    curves = {
        f"ELITR {each}": draw_curves_of(data, each, kind, "")
        for each in ("cs-en", "en-cs")
    }
    judges = {name: each.average(JUDGES) for name, each in curves.items()}
    claims = [
        Claim(
            "on short documents judges hardly agree with each other (here: rho below 0.5).",
            "correlation between judges on one segment and on all: "
            + "; ".join(
                f"{name} {line[0]}, {line[-1]}" for name, line in judges.items()
            )
            + " (intervals over documents).",
            verdicts={
                name: settle(Estimate(0.5 - s.value, 0.5 - s.high, 0.5 - s.low))
                for name, (s, *_) in judges.items()
            },
        ),
        _compare_with_judges(curves),
        _compare_with_rivals(curves, PAPER_RIVALS),
        _compare_with_rivals(curves, ("NIST",)),
    ]
    pictures = {
        f"{kind}-{name.split()[1]}": _plot_lengths(
            each,
            f"Agreement with {kind} by document length, {name}",
            f"{len(each.panel.systems)} systems, {each.panel.compared} segments, 1,000 "
            "documents of each length",
        )
        for name, each in curves.items()
    }
    tables = tuple(
        _tabulate_lengths(each, f"{name}, mean Spearman")
        for name, each in curves.items()
    )
    return Section(tuple(claims), tables, pictures)


def _compare_with_judges(curves: Mapping[str, Curves]) -> Claim:
    """Look for lengths at which a metric agrees with judges better than judges do."""
    parts: list[str] = []
    verdicts: dict[str, Verdict] = {}
    for name, each in curves.items():
        gaps = {
            (metric, length): each.subtract(metric, JUDGES, length)
            for metric in METRICS
            for length in each.lengths
        }
        ahead = sum(gap.low > 0 for gap in gaps.values())
        (metric, length), best = max(gaps.items(), key=lambda entry: entry[1].value)
        parts.append(
            f"{name} {ahead} of {len(gaps)}, at most {best.signed} "
            f"({metric}, {length} segments)"
        )
        verdicts[name] = settle(best)
    return Claim(
        "at some lengths metrics agree with judges better than judges agree with each other.",
        "combinations of metric and length at which the metric is ahead of judges: "
        f"{'; '.join(parts)} (intervals over documents).",
        verdicts=verdicts,
    )


def _compare_with_rivals(curves: Mapping[str, Curves], rivals: Sequence[str]) -> Claim:
    """Compare GTM with its rivals, document by document, over all lengths."""
    return make_claim(
        f"the F-measure with e = 1 ranks systems better than {' and '.join(rivals)}.",
        f"{GTM} minus the other metric, mean over lengths, with intervals over documents",
        {
            f"{rival}, {name}": average_documents(
                np.concatenate(each.values[GTM]) - np.concatenate(each.values[rival])
            )
            for rival in rivals
            for name, each in curves.items()
        },
    )


def _plot_lengths(curves: Curves, title: str, caption: str) -> CurvePlot:
    return CurvePlot(
        title,
        caption,
        "segments in a document",
        "mean Spearman",
        [str(length) for length in curves.lengths],
        {name: [each.value for each in curves.average(name)] for name in curves.values},
        dashed=[JUDGES],
    )


def _tabulate_lengths(curves: Curves, caption: str) -> StudyTable:
    widest = max(each.half for name in curves.values for each in curves.average(name))
    return StudyTable(
        ("", *(str(length) for length in curves.lengths)),
        tuple(
            (name, *(f"{each.value:.3f}" for each in curves.average(name)))
            for name in curves.values
        ),
        caption=f"{caption} (intervals over documents: at most ± {widest:.3f}):",
    )


def make_all_segments(data: Path) -> Section:
    """Put the differences on all segments to other systems and segments too."""
    rows, gaps = [], {}
    for kind in ("adequacy", "fluency"):
        for direction in ("cs-en", "en-cs"):
            curves = draw_curves_of(data, direction, kind, "")
            found = correlate_systems(curves.panel, "spearman")
            name = f"ELITR {direction}, {kind}"
            rows.append(
                (name, *(str(found.estimate(spec)) for spec in curves.specs.values()))
            )
            specs = curves.specs
            gaps[name] = found.subtract(specs[GTM], specs["BLEU"])
    claim = make_claim(
        "the F-measure with e = 1 is significantly more reliable than BLEU.",
        "Spearman on all segments, GTM e=1 minus BLEU, with systems and segments resampled",
        gaps,
    )
    table = StudyTable(("set", *METRICS), tuple(rows))
    return Section((claim,), (table,))


def make_stem_panel(data: Path) -> Section:
    """Figure 5a: the same with lower case and stems, one reference."""
    plain = draw_curves_of(data, "cs-en", "adequacy", "")
    curves = draw_curves_of(data, "cs-en", "adequacy", "case=lower,stem=english")
    gains = {
        name: average_documents(
            np.concatenate(curves.values[name]) - np.concatenate(plain.values[name])
        )
        for name in METRICS
    }
    changes = StudyTable(
        ("metric", "change, mean over lengths"),
        tuple((name, gain.signed) for name, gain in gains.items()),
        caption="Effect of lower-casing and stemming, with intervals over documents:",
    )
    plot = _plot_lengths(
        curves,
        "Agreement with adequacy, lower case and stems, ELITR cs-en",
        f"{len(curves.panel.systems)} systems, {curves.panel.compared} segments, 1,000 "
        "documents of each length",
    )
    table = _tabulate_lengths(curves, "ELITR cs-en, mean Spearman")
    claims = tuple(
        _compare_with_rivals({"ELITR cs-en": curves}, rivals)
        for rivals in (PAPER_RIVALS, ("NIST",))
    )
    return Section(claims, (table, changes), {"stems": plot})


def make_reference_panel(data: Path) -> Section:
    """Figure 5b: one and three references, by length."""
    judged = read_ort(data)
    specs = {name: _add_options(spec, "case=lower") for name, spec in METRICS.items()}
    specs.pop("GTM e=2")
    values: dict[tuple[str, int], list[list[Array]]] = defaultdict(list)
    wholes: dict[tuple[str, int], list[Array]] = defaultdict(list)
    for count in (1, 3):
        for chosen in combinations(range(4), count):
            scores, panel = judged.line_up(
                "da", list(specs.values()), references=chosen
            )
            cells = gather_judgements(scores, panel)
            found = draw_documents(panel, cells, lengths=LENGTHS)
            whole = correlate_systems(panel, "spearman")
            for name, spec in specs.items():
                values[name, count].append(found.by_name[spec])
                wholes[name, count].append(whole.draws[spec])
    # The same documents are drawn each time, so subsets are averaged document by document.
    means = {key: _average_subsets(lines) for key, lines in values.items()}
    lengths, systems = found.lengths, len(panel.systems)
    gains = {
        name: [
            average_documents(three - one)
            for one, three in zip(means[name, 1], means[name, 3], strict=True)
        ]
        for name in specs
    }
    everywhere = {
        name: make_estimate(
            gains[name][-1].value,
            np.mean(wholes[name, 3], axis=0) - np.mean(wholes[name, 1], axis=0),
        )
        for name in specs
    }
    claims = (
        make_claim(
            "more references generally increase the agreement of metrics with people.",
            "three references minus one, mean over all lengths but the last, with intervals "
            "over documents",
            {
                name: average_documents(
                    np.concatenate(means[name, 3][:-1])
                    - np.concatenate(means[name, 1][:-1])
                )
                for name in specs
            },
        ),
        make_claim(
            "more references generally increase the agreement of metrics with people, also for "
            "other systems and segments.",
            "three references minus one on all segments, with systems and segments resampled",
            everywhere,
        ),
        _judge_anomaly(gains["BLEU"], lengths),
        _judge_long_documents(means, lengths),
    )
    lines = {
        f"{name}, {count}": [
            average_documents(each).value for each in means[name, count]
        ]
        for name in specs
        for count in (1, 3)
    }
    drawn = {
        f"{name}, {count}": lines[f"{name}, {count}"]
        for name in DRAWN
        for count in (3, 1)
    }
    plot = CurvePlot(
        "Agreement with people by document length, one and three references, WMT20 en-cs",
        f"{systems} systems, 160 segments, lower case; mean over subsets of four references",
        "segments in a document",
        "mean Spearman",
        [str(length) for length in lengths],
        drawn,
        dashed=[name for name in drawn if name.endswith(", 1")],
        colours={
            f"{name}, {count}": at for at, name in enumerate(DRAWN) for count in (1, 3)
        },
    )
    heads = ("metric, references", *(str(length) for length in lengths))
    rows = [(name, *(f"{value:.3f}" for value in line)) for name, line in lines.items()]
    return Section(claims, (StudyTable(heads, tuple(rows)),), {"references": plot})


def _average_subsets(lines: Sequence[Sequence[Array]]) -> list[Array]:
    return [np.mean(subsets, axis=0) for subsets in zip(*lines, strict=True)]


def _judge_anomaly(gains: Sequence[Estimate], lengths: Sequence[int]) -> Claim:
    """Ask whether BLEU loses by more references on long documents."""
    long = [
        (length, gain)
        for length, gain in zip(lengths, gains, strict=True)
        if length >= 50
    ]
    long = long[:-1]  # all segments make only one document
    listed = "; ".join(f"{gain.signed} at {length} segments" for length, gain in long)
    negated = [Estimate(-g.value, -g.high, -g.low) for _, g in long]
    return Claim(
        "on long documents BLEU correlates worse with three references than with one.",
        f"BLEU with three references minus one: {listed} (intervals over documents).",
        verdicts={"WMT20 en-cs": settle(*negated)},
    )


def _judge_long_documents(
    means: Mapping[tuple[str, int], Sequence[Array]], lengths: Sequence[int]
) -> Claim:
    """Ask whether metrics with one reference agree less on long documents."""
    short, long = lengths.index(5), lengths.index(100)
    losses = {
        f"{name}, one reference": average_documents(lines[short] - lines[long])
        for (name, count), lines in means.items()
        if count == 1
    }
    return make_claim(
        "some metrics agree less with people on long documents than on short ones.",
        "documents of 5 segments minus documents of 100, with intervals over documents",
        losses,
    )


def make_changes(data: Path) -> Section:
    """Section 3.2: do the segments that a metric sees change most change for people?"""
    rows, lines, claims = [], {}, []
    curves = draw_curves_of(data, "cs-en", "adequacy", "")
    shares = {
        name: _share_signs(curves.panel, spec) for name, spec in curves.specs.items()
    }
    for name, estimates in shares.items():
        rows.append((name, *(str(each) for each in estimates)))
        lines[name] = [100 * each.value for each in estimates]
    claims.append(
        make_claim(
            "the segments whose score changes most show the effect of a change to the system "
            "best.",
            "share of segments whose adequacy changes in the same direction: the 5 % whose "
            "score changes most minus all segments, with intervals over segments",
            {
                name: _subtract_shares(curves.panel, spec)
                for name, spec in curves.specs.items()
            },
        )
    )
    heads = tuple(f"{100 * share:.0f} %" for share in SHARES)
    plot = CurvePlot(
        "Segments in which adequacy and score change in the same direction",
        "ELITR cs-en, all pairs of 12 systems as two versions of a system",
        "share of segments, largest score changes first",
        "% in the same direction",
        heads,
        lines,
    )
    table = StudyTable(("metric", *heads), tuple(rows))
    return Section(tuple(claims), (table,), {"changes": plot})


def _share_signs(panel: ScorePanel, spec: str) -> list[Estimate]:
    """Return by share of the changes how often people's change has the same sign."""
    agree_by_share, all_by_share = _count_signs(panel, spec)
    observed = agree_by_share.sum(1) / all_by_share.sum(1)
    draws = _resample_shares(agree_by_share, all_by_share)
    return [make_estimate(*each) for each in zip(observed, draws.T, strict=True)]


def _subtract_shares(panel: ScorePanel, spec: str) -> Estimate:
    """Return how much more often the largest changes agree than all do."""
    agree_by_share, all_by_share = _count_signs(panel, spec)
    observed = agree_by_share.sum(1) / all_by_share.sum(1)
    draws = _resample_shares(agree_by_share, all_by_share)
    return make_estimate(observed[0] - observed[-1], draws[:, 0] - draws[:, -1])


def _count_signs(panel: ScorePanel, spec: str) -> tuple[Array, Array]:
    """Count by share and segment the changes, and those in people's direction.

    Changes that people or the metric do not see are left out.
    """
    gold, scores = panel.gold, panel.metrics[spec]
    segments = gold.shape[1]
    agreeing, counted = np.zeros((2, len(SHARES), segments))
    for one, other in combinations(range(len(panel.systems)), 2):
        human, change = gold[one] - gold[other], scores[one] - scores[other]
        seen = np.flatnonzero((np.abs(human) > 0) & (np.abs(change) > 0))
        order = seen[np.argsort(-np.abs(change[seen]), kind="stable")]
        for at, share in enumerate(SHARES):
            top = order[: max(1, round(share * len(order)))]
            counted[at, top] += 1
            agreeing[at, top] += np.sign(human[top]) == np.sign(change[top])
    return agreeing, counted


def _resample_shares(agreeing: Array, counted: Array) -> Array:
    draws = [
        (sample.segments @ agreeing.T) / (sample.segments @ counted.T)
        for sample in draw_resamples(2, agreeing.shape[1], TRIALS, SEED, "item")
    ]
    return np.concatenate(draws)


#: Sections that read no set.
OWN = ("grids",)
SECTIONS = {
    "grids": make_grids,
    "judges": make_judge_plot,
    "adequacy": make_adequacy_panel,
    "fluency": make_fluency_panel,
    "all-segments": make_all_segments,
    "stems": make_stem_panel,
    "references": make_reference_panel,
    "changes": make_changes,
}
