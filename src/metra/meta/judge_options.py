"""The options of questions about judges and judgements; see `metra.meta.options`."""
# ruff: noqa: RUF009 -- the functions called for defaults return fields

from dataclasses import dataclass
from typing import Literal

from metra.meta.option_fields import (
    PROBABILITY,
    Correction,
    Scaling,
    build_names,
    build_option,
    find_option,
    parse_counts,
    parse_deviations,
    parse_values,
)
from metra.stats.defaults import TRIALS


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions:
    """Rank systems by judgements or a metric, with clusters and rank ranges.

    The rank range of a system reaches up to the next significantly better system and
    down to the next significantly worse one. --plot draws the p-values as a heat
    map.

    \b
    metra meta rank esa.csv --scorer esa --by z
    metra meta rank esa.csv --scorer esa --set macro=domain
    metra meta rank rankings.tsv --scorer rank --ranks --by trueskill --set runs=1000
    metra meta rank scores.tsv --scorer mqm --against BLEU,COMET

    Options:
    by: mean over segments; z: mean of judges' z-scores; arr: average rank over
        documents; wins: expected wins; trueskill: skills learned from comparisons, as
        at WMT until 2016.
    macro: Weight each document or domain equally, in the mean and in the test.
    rule: wmt: every system above beats every system below; neighbours: a system beats
        the next one; greedy: a new cluster starts at a system that loses to one of the
        current cluster; range: no rank range crosses the boundary (always used for
        trueskill).
    ranks: The values are ranks (1 is best) that a judge gave to some or all systems of
        a segment. The mean is the mean share of other systems that a system beats; a
        tie counts as half a win.
    unit: Unit of intervals and tests: segments, documents, or segments and judges
        (crossed, by bootstrap only).
    test: One-sided test of the values that systems are ranked by. auto: the sign test
        for wins; otherwise Wilcoxon's signed-rank test if systems share segments, else
        Mann-Whitney.
    correction: Correction of the p-values that determine clusters and ranges: none (as
        at WMT), Holm or Benjamini-Hochberg.
    alpha: Significance level.
    wmt: Rank as WMT's scripts for direct assessment do: all judgements of an output
        count equally; means have 15 digits; the test is Mann-Whitney's.
    like: Rank as WMT does, starting from raw direct assessments: workers who do not
        detect degraded items are excluded, each worker's scores are standardised over
        everything that they judged, and the rest follows --wmt. Standardised
        scores (some below zero) are used unchanged.
    against: Scorers whose rankings to compare with this one.
    runs: Number of trueskill runs on different samples; the rank range covers 95% of
        them.
    trials: Number of resamples.
    """

    by: Literal["mean", "z", "arr", "wins", "trueskill"] = build_option(
        "mean", sign=True
    )
    macro: Literal["none", "document", "domain"] = build_option("none", rare=True)
    rule: Literal["wmt", "neighbours", "greedy", "range"] = build_option(
        "wmt", flags="--clusters", rare=True
    )
    ranks: bool = False
    unit: Literal["segment", "document", "crossed"] = build_option(
        "segment", flags="--over", rare=True
    )
    test: Literal["auto", "signed-rank", "rank-sum", "sign", "bootstrap"] = "auto"
    correction: Correction = build_option("none", rare=True)
    alpha: float = build_option(0.05, rare=True, sign=True, **PROBABILITY)
    wmt: bool = False
    like: Literal["da"] | None = None
    against: tuple[str, ...] = build_names("--against")
    runs: int = build_option(100, low=1, rare=True)
    trials: int = build_option(TRIALS, low=1, sign=False)
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeOptions:
    """Measure agreement between judges: in pairs, overall, and with themselves.

    The table needs a column with the judge. --plot draws the two judges who agree least
    (plot-1.svg) and the distances between judgements (plot-2.svg).

    \b
    metra meta agree ratings.tsv
    metra meta agree mqm.tsv --scorer mqm --normalise z --plot judges.svg
    metra meta agree rankings.tsv --scorer rank --ranks

    Options:
    within: Judgements that differ by at most this count as close.
    ranks: The values are ranks (1 is best) that a judge gave to some or all systems of
        a segment. Agreement is then on which of two outputs is better, as at WMT, and
        intervals resample segments.
    most_pairs: Number of pairs of judges to show; 0 for all.
    most_judges: Number of judges to show, lowest agreement first; 0 for all.
    worst: Number of units with the largest disagreement to list.
    brief: Only the coefficients of a results page, which take less time.
    """

    within: float = build_option(1.0, rare=True, sign=True)
    scaling: Scaling = find_option("scaling")
    ranks: bool = False
    most_pairs: int = build_option(15, flags="--pairs", low=0, rare=True, sign=False)
    most_judges: int = build_option(20, flags="--judges", low=0, rare=True, sign=False)
    worst: int = build_option(5, low=0, rare=True, sign=False)
    brief: bool = build_option(False, flag=False, sign=False)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class NormaliseOptions:
    """Normalise each judge's values to one scale, and report on the judges.

    The new scorer is named NAME-METHOD, such as mqm-z. Judges who always gave the same
    value are excluded and listed.

    \b
    metra meta normalise ratings.tsv --scores z.tsv
    metra meta normalise da.csv --method rank --bad BAD_REF --scores ranks.tsv

    Options:
    method: z: mean 0, standard deviation 1; min-max and rank: 0 to 1; none: quality
        control only.
    most_judges: Number of judges to show, excluded ones first; 0 for all.
    bad: Degraded items: their system, or `degraded` for items of this kind, also called
        BAD_REF in WMT files and BAD in Appraise files. Judges who do not score them
        lower (paired t-test, p below .05) are excluded, and so are the degraded items.
    to: Write the new scorer to this file, as a long table.
    """

    method: Literal["z", "min-max", "rank", "none"] = build_option("z", sign=True)
    most_judges: int = build_option(20, flags="--judges", low=0, rare=True, sign=False)
    bad: str | None = build_option(None, metavar="NAME", sign=False)
    to: str | None = build_option(None, flags="--scores", metavar="FILE", sign=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceOptions:
    """Estimate variance components of judgements: systems, documents, segments, raters.

    The variance components are those of a generalisability study, estimated with
    Henderson's method I, which does not need a balanced design. The expected correlation of
    two panels of raters is the upper bound for metrics. `metra meta power` plans a study
    with these components.

    \b
    metra meta variance ratings.tsv
    metra meta variance mqm.tsv --scorer mqm --normalise z --raters 1,2,3,5

    Options:
    raters: Sizes of the rater panels to compare.
    studies: Number of simulated studies of the same design, for intervals; 0 omits
        them.
    """

    scaling: Scaling = find_option("scaling")
    raters: tuple[int, ...] = build_option(
        (1, 2, 3), parse=parse_counts, default="1,2,3"
    )
    studies: int = build_option(200, flags="--trials", low=0, sign=False)
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerOptions:
    """Plan a study: how many segments and raters separate the systems.

    The plan uses the judgements of a pilot study, or assumed variances (--like, --sd).
    --plot draws the share of separated pairs, or the detectable difference, by number of
    segments. `metra meta variance` explains the variances.

    \b
    metra meta power pilot.tsv --scorer esa --segments 200,400,800 --raters 1,2,3
    metra meta power pilot.tsv --scorer esa --plot power.pdf:width=column
    metra meta power --like esa --set systems=12,difference=1,2,4
    metra meta power --sd system=2,system×segment=10,rating=15 --segments 300,600

    Options:
    segments: Numbers of segments to plan for.
    raters: Numbers of judgements per output to plan for.
    pool: Number of raters; by default as in the pilot study, or as many as judge an
        output.
    segments_per_document: Segments per document; by default as in the pilot study.
    these_raters: Treat the raters as fixed, not as a sample of raters.
    power: Power: the probability of detecting a difference.
    alpha: Significance level.
    most_pairs: Number of system pairs to show, those closest to the power first; 0 for
        all.
    like: Without scores: plan with the variances of a published study.
    assumed: Without scores: plan with these standard deviations, such as
        system=2,system×segment=9,rating=12.
    systems: Without scores: number of systems.
    differences: Without scores: differences to compute the power for.
    """

    segments: tuple[int, ...] = build_option(
        (100, 200, 400, 800, 1600), parse=parse_counts, default="100,200,400,800,1600"
    )
    raters: tuple[int, ...] = build_option(
        (1, 2, 3), parse=parse_counts, default="1,2,3"
    )
    pool: int | None = build_option(None, low=1, rare=True)
    segments_per_document: float | None = build_option(None, low=1, rare=True)
    these_raters: bool = build_option(False, rare=True)
    power: float = build_option(0.8, low=0.06, high=0.999, rare=True, sign=True)
    alpha: float = build_option(0.05, rare=True, sign=True, **PROBABILITY)
    most_pairs: int = build_option(15, flags="--pairs", low=0, rare=True, sign=False)
    scaling: Scaling = find_option("scaling", rare=True)
    like: Literal["esa", "mqm", "da"] | None = None
    assumed: tuple[tuple[str, float], ...] = build_option(
        (),
        flags="--sd",
        sign=False,
        parse=parse_deviations,
        default="",
        metavar="NAME=NUMBER,…",
    )
    systems: int = build_option(2, low=2, rare=True)
    differences: tuple[float, ...] = build_option(
        (1.0, 2.0, 5.0),
        flags="--difference",
        parse=parse_values,
        default="1,2,5",
        rare=True,
    )


#: Faster than anybody reads.
WORDS_PER_MINUTE = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagRules:
    """Describe each judge: leniency, drift, repeats, degraded items, speed, flags.

    \b
    metra meta judges judgements.jsonl --scorer da

    Options:
    words_per_minute: Faster reading counts as too fast.
    too_fast: Share of answers that may be too fast.
    degraded: Degraded items needed before they are tested.
    alpha: A judge must score degraded items lower with a p-value below this.
    repeats: Repeats needed before they are compared.
    distance: Largest allowed mean difference between repeats, of 100.
    """

    words_per_minute: float = build_option(
        WORDS_PER_MINUTE, low=1, rare=True, sign=True
    )
    too_fast: float = build_option(0.1, low=0, high=1, rare=True)
    degraded: int = build_option(5, low=1, rare=True)
    alpha: float = build_option(0.05, rare=True, **PROBABILITY)
    repeats: int = build_option(5, low=1, rare=True)
    distance: float = build_option(25.0, low=0, rare=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaceOptions:
    """Show the active time of answers, by judge.

    \b
    metra meta pace judgements.jsonl
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingOptions:
    """List outputs without a score, with the reasons.

    \b
    metra meta missing judgements.jsonl
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionOptions:
    """Show quartiles and the spread of each system's scores.

    \b
    metra meta distribution judgements.jsonl --scorer da
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceOptions:
    """Compare the outputs of each pair of systems, judge by judge.

    \b
    metra meta preferences judgements.jsonl --scorer da
    """
