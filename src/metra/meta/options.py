"""Options of questions about metrics: the command line derives its flags from them.

The docstring of a record is the help of its command, and of its options. Nothing here loads
numpy, so that `--help` is quick. `metra.cli.derive` explains the metadata of fields; `sign`
is a field's place in signatures: True or a name if it is always shown, False if never.
Other fields are shown if they differ from their default.
"""
# ruff: noqa: RUF009 -- the functions called for defaults return fields

from dataclasses import dataclass
from functools import partial
from typing import Literal

from metra.meta.option_fields import (
    Correction,
    Level,
    Rule,
    Scaling,
    Sides,
    Test,
    build_names,
    build_option,
    find_option,
    parse_counts,
    parse_values,
)
from metra.stats.defaults import DOCUMENTS, LENGTHS


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelateOptions:
    """Correlate metrics with human scores, with bootstrap intervals.

    With --output and -m, metra scores the outputs itself, and each resample of segments
    aggregates the statistics of corpus metrics such as BLEU again. --plot draws the
    coefficients with their intervals.

    \b
    metra meta correlate scores.tsv --gold mqm
    metra meta correlate scores.tsv --gold mqm --plot mqm.pdf:width=page
    metra meta correlate scores.tsv --gold mqm --level seg --coef acc*_eq:item --trials 0
    metra meta correlate scores.tsv --gold mqm --level doc --coef darr:item
    metra meta correlate test.tsv --gold mqm --level seg --set eps-from=dev.tsv
    metra meta correlate scores.tsv --gold mqm --level seg --set cross-fit=5
    metra meta correlate metrics.json esa.csv --gold esa --coef pearson --coef differentials
    metra meta correlate mqm.tsv --gold mqm --output outputs.tsv -r ref.txt -m bleu -m recall

    Options:
    coefficients: Coefficients, as NAME or NAME:GROUP (none, item, sys). Default for
        systems: pearson, spearman, accuracy, spa; for segments: acc*_eq:item,
        kendall-b:item, pearson.
    average: Weight all groups equally, or by their number of values.
    resample: Bootstrap over systems, segments or both.
    """

    level: Level = find_option("level")
    coefficients: tuple[str, ...] = build_names("--coef")
    average: Literal["macro", "micro"] = build_option("macro", rare=True)
    eps: float | None = find_option("eps")
    eps_from: tuple[str, ...] = find_option("eps_from")
    folds: int | None = find_option("folds")
    wmt: bool = find_option("wmt")
    resample: Literal["both", "sys", "item"] = build_option("both", rare=True)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """Correlate differences between systems, and count correctly ordered pairs.

    Differentials are Pearson's r of the differences over all pairs of systems. Accuracy is
    given for all pairs, and for pairs whose human scores differ with p below .05, .01 and
    .001. --plot draws the pairs; with several metrics, one numbered chart each.

    \b
    metra meta diff scores.tsv --gold mqm
    metra meta diff scores.tsv --gold mqm --metric BLEU --plot pairs.svg
    """

    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """Rank metrics by their agreement with human scores, with significance tests.

    For systems, the default is Williams' test of Pearson's r. The permutation tests swap
    the scores of two metrics at random, by system or, with --level seg, by segment, and
    count how often the difference is as large. Tests are two-sided, and p-values are
    corrected for multiple comparisons. --plot draws the p-values as a heat map.

    \b
    metra meta compare scores.tsv --gold mqm
    metra meta compare scores.tsv --gold mqm --level seg --coef acc*_eq:item --plot p.svg
    metra meta compare scores.tsv --gold da --test williams

    Options:
    coefficient: Coefficient; by default pearson for systems and acc*_eq:item for
        segments.
    test: Permutation test that swaps whole systems (perm-sys), documents, segments
        (perm-input) or single outputs (perm-both) between two metrics, a bootstrap of
        systems and segments (boot-both), or a formula. auto: williams for pearson of
        systems, perm-sys for other coefficients of systems, perm-input for segments.
        The output names the population that the result holds for.
    rule: greedy: a new cluster starts at a metric that loses to one of the current
        cluster; wmt: every metric above beats every metric below.
    wmt: Test as WMT's scorer does: the pairs test for segment accuracies; swaps of
        single outputs for spa and other segment coefficients; swaps of systems
        otherwise; one-sided, no correction, 1,000 trials, p = b/k.
    most_pairs: List pairs of metrics up to this number, and show a matrix for more; 0
        lists all.
    """

    level: Level = find_option("level")
    coefficient: str | None = build_option(None, flags="--coef", metavar="NAME[:GROUP]")
    test: Test = "auto"
    sides: Sides = find_option("sides")
    correction: Correction = find_option("correction")
    eps: float | None = find_option("eps")
    eps_from: tuple[str, ...] = find_option("eps_from")
    folds: int | None = find_option("folds")
    alpha: float = find_option("alpha")
    rule: Rule = build_option("greedy", flags="--clusters", rare=True, sign="clusters")
    wmt: bool = False
    most_pairs: int = build_option(28, flags="--pairs", low=0, rare=True, sign=False)
    trials: int | None = find_option("draws")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossOptions:
    """Correlate all scorers with each other, similar ones next to each other.

    \b
    metra meta cross scores.tsv --level seg --plot cross.svg
    metra meta cross scores.tsv --scorer BLEU,chrF,mqm --coef spearman

    Options:
    scorers: Scorers to compare, human ones included; all by default.
    coef: Coefficient; for segments with its grouping.
    """

    scorers: tuple[str, ...] = build_names("--scorer")
    level: Level = find_option("level")
    coef: str = build_option("pearson", metavar="NAME[:GROUP]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudoOptions:
    """Measure agreement on random documents of n segments, for metrics and judges.

    The human score is the mean of one random judgement per segment. With --output and -m,
    corpus metrics are aggregated from their statistics; other scores are averaged. If
    segments were judged twice, judges are compared with each other, even without a metric.
    Judges use different scales: if the same judges judged all systems of a segment,
    judges-by=segment, the default for such data, draws the same judge for all systems.

    \b
    metra meta pseudo scores.tsv --gold esa --plot curve.svg
    metra meta pseudo ratings.tsv --gold adequacy,fluency --set judges-by=document
    metra meta pseudo esa.tsv --gold esa --output outputs.tsv -r ref.txt -m bleu -m gtm

    Options:
    lengths: Numbers of segments in a document.
    documents: Number of documents to draw for each length.
    coef: Coefficient between the systems' scores on a document.
    judges_by: Draw judges for each cell, for each segment (the same judge for all its
        systems) or for each document. auto: segment if the same two judges judged at
        least half of the system pairs of a segment, else cell.
    test: Test every pair of metrics at each length (Wilcoxon).
    """

    lengths: tuple[int, ...] = build_option(
        LENGTHS,
        parse=partial(parse_counts, every="all"),
        default="1,2,5,10,20,50,100,200,all",
    )
    documents: int = build_option(DOCUMENTS, low=2, sign=True)
    coef: str = build_option("spearman", metavar="NAME", sign=True)
    scaling: Scaling = find_option("scaling", rare=True)
    judges_by: Literal["auto", "cell", "segment", "document"] = build_option(
        "auto", rare=True
    )
    test: bool = build_option(False, rare=True)
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RefsOptions:
    """Show how agreement depends on the number of references, by scoring with subsets of them.

    \b
    metra meta refs da.tsv --gold da --output out.tsv -r r1.txt -r r2.txt -r r3.txt -m bleu

    Options:
    level: Level of the scores: systems or segments.
    coef: The coefficient.
    counts: Number of references; may be given several times. By default all numbers, or
        1 to 8 and then doubling.
    most: Largest number of subsets to try for each number of references.
    """

    level: Literal["sys", "seg"] = "sys"
    coef: str = build_option("pearson", metavar="NAME[:GROUP]")
    counts: tuple[int, ...] = build_option((), flags="--count", low=1, sign=False)
    most: int = build_option(12, flags="--subsets", low=1, rare=True, sign="subsets")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions:
    """Find the value of a metric's option with the best agreement with human scores.

    The outputs are scored with every value, such as the recall weight of fmean (alpha), and
    the curve has bootstrap intervals. Cross-validation chooses the value on all folds of
    segments but one and evaluates it on that fold, next to the value in -m.

    \b
    metra meta tune mqm.tsv --gold mqm --output outputs.tsv -r ref.txt -m fmean
    metra meta tune mqm.tsv --gold mqm --output outputs.tsv -r ref.txt \\
        -m fmean -m fmean:stem=porter --values 0:1:0.1 --plot alpha.svg
    metra meta tune mqm.tsv --gold mqm --output outputs.tsv -r ref.txt \\
        -m chrf --parameter beta --values 0.5,1,2,3,4

    Options:
    parameter: Option whose values to try.
    values: Values to try: numbers separated by commas, or FROM:TO:STEP.
    level: Level of the scores: systems or segments.
    coef: The coefficient.
    folds: Number of folds of segments for cross-validation; 0 for none.
    """

    parameter: str = build_option("alpha", metavar="NAME", sign="tune")
    values: tuple[float, ...] = build_option(
        parse_values("0:1:0.05"), parse=parse_values, default="0:1:0.05"
    )
    level: Literal["sys", "seg"] = "sys"
    coef: str = build_option("pearson", metavar="NAME[:GROUP]")
    folds: int = build_option(5, low=0, rare=True)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RobustOptions:
    """Show the agreement over subsets of systems: the best, neighbours, all but one, random.

    A metric that separates very bad systems from good ones may still fail among good ones.

    \b
    metra meta robust scores.tsv --gold mqm --metric BLEU,COMET --plot top.svg

    Options:
    coef: The coefficient.
    choice: Subsets of systems: the best, four neighbours in the ranking, all but one,
        or random subsets (200 draws; mean and 95% range).
    """

    coef: str = build_option("pearson", metavar="NAME", sign=True)
    choice: Literal["top", "window", "leave-one-out", "subsets"] = build_option(
        "top", sign=True
    )
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterOptions:
    """Plot systems by gold and metric, with a fitted line, its band and outliers.

    Outliers are marked, and the coefficient is given with and without them. With several
    metrics the charts are numbered: plot-1.svg, plot-2.svg and so on.

    \b
    metra meta scatter scores.tsv --gold mqm --metric BLEU --plot bleu.svg

    Options:
    coef: The coefficient.
    outliers: Outliers by 2.5 robust deviations of the gold scores, or a file with one
        system per line.
    classes: Class of each system: its name, a tab and the class on each line.
    """

    coef: str = build_option("pearson", metavar="NAME", sign=True)
    outliers: str = build_option("mad", metavar="mad|FILE", rare=True, sign=False)
    classes: str | None = build_option(None, metavar="FILE", rare=True, sign=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """Rank metrics by the protocol of a WMT metrics task, or by a study file.

    wmt23: system accuracy over all language pairs, and for each pair Pearson's r of systems
    and of segments and acc*_eq. wmt24, wmt25: soft pairwise accuracy and acc*_eq. A study
    file names its files, gold scores, systems, metrics and columns; with --format latex its
    table is a two-column float.

    \b
    metra meta task wmt23 en-de=ende.tsv he-en=heen.tsv zh-en=zhen.tsv --gold mqm
    metra meta task study.toml --wmt --test --format latex

    Options:
    test: Test every pair of metrics, for each column and for the average, and form
        clusters.
    ci: Add bootstrap intervals over systems and segments, which charts show.
    trials: Number of trials; by default 1,000 for intervals and 10,000 for tests, or
        more if their number needs it.
    """

    wmt: bool = find_option("wmt")
    test: bool = False
    sides: Sides = find_option("sides")
    correction: Correction = find_option("correction")
    alpha: float = find_option("alpha")
    ci: bool = build_option(False, rare=True)
    trials: int | None = build_option(None, low=1, sign=False)
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanOptions:
    """Compare error spans with those marked by people, and raters with each other.

    ERRORS are files with error spans: MQM, ESA from Appraise, mt-metrics-eval ratings,
    results of Pearmut, metra judgements, xCOMET JSON, JSON lines. Precision, recall and F
    are computed over characters, as in WMT 2025's error span task, over spans matched one
    to one, and over identical spans. Intervals resample segments.

    \b
    metra meta spans mqm.tsv
    metra meta spans mqm.tsv xcomet.json --output sysA.txt --output sysB.txt
    metra meta spans mqm.tsv xcomet.json --gold rater1,rater2 --set combine=any,credit=1

    Options:
    gold: Raters to compare with; by default all human raters.
    combine: With several raters per output: compare with each in turn, with spans that
        any of them marked, or with spans that more than half of them marked.
    credit: Credit for an error with the wrong severity; 1 ignores
        severities.
    most_pairs: Number of pairs of raters to show; 0 for all.
    """

    gold: tuple[str, ...] = build_names("--gold")
    combine: Literal["each", "any", "most"] = build_option("each", rare=True)
    credit: float = build_option(0.5, low=0.0, high=1.0, rare=True, sign=True)
    most_pairs: int = build_option(15, flags="--pairs", low=0, rare=True, sign=False)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeOptions:
    """Count how often a metric prefers the good translation of a challenge set.

    PAIRS is a table with the columns good and bad, and optionally source, reference,
    phenomenon and langpair; the column names and JSON of ACES and DEMETR are recognised.
    Scores from other programs are in columns NAME-good and NAME-bad.

    \b
    metra meta challenge aces.tsv -m bleu -m chrf
    metra meta challenge scored.tsv --coef tau --set lower=MetricX

    Options:
    coef: accuracy: share of correctly ordered pairs; tau: that minus the share of
        wrongly ordered pairs. A tie counts as an error.
    by: Show one row per phenomenon or per language pair.
    most: Number of rows to show, those with most pairs first; 0 for all.
    lower: Metrics in columns of the file for which lower values are better.
    """

    coef: Literal["accuracy", "tau"] = build_option("accuracy", sign="challenge")
    by: Literal["phenomenon", "lang"] = build_option("phenomenon", rare=True)
    most: int = build_option(40, low=0, rare=True, sign=False)
    lower: tuple[str, ...] = build_names("--lower", rare=True)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectOptions:
    """Evaluate a metric for filtering outputs and for choosing the best of several.

    Filtering keeps outputs whose score reaches a threshold chosen on other
    segments; F weights precision twice. Re-ranking takes the output with the highest score.

    \b
    metra meta select scores.tsv --gold mqm --good -4

    Options:
    good: Lowest human score of a good output; by default the median. Perrella et al.
        use MQM -1 and -4.
    folds: Number of folds: each fold is filtered with the threshold of the others; 0
        fits the threshold to all segments, which is optimistic.
    """

    good: float | None = None
    folds: int = build_option(5, low=0, rare=True)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaOptions:
    """Estimate, for each metric, which difference between two systems people notice.

    A logistic curve is fitted to all pairs of systems: the share of pairs that human scores
    order the same way, by the size of the difference, starting at one half. --plot draws
    the curves.

    \b
    metra meta deltas scores.tsv --gold mqm --metric BLEU,chrF
    metra meta deltas scores.tsv --gold mqm --metric BLEU --at 0.5,1,2,4 --set sure=0.05

    Options:
    at: Differences to compute the agreement for: numbers separated by commas, or
        FROM:TO:STEP.
    sure: Use only pairs of systems whose human scores differ with a p-value below this.
    """

    at: tuple[float, ...] = build_option(
        (),
        parse=lambda given: parse_values(given) if given else (),
        default="",
        sign=False,
    )
    sure: float | None = build_option(None, low=0.0, high=1.0, rare=True)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelOptions:
    """Compare metrics with sentinels: baselines that do not compare output and source.

    Two sentinels predict the mean human score of the segment or of the system. With
    --output, -s and -r, others are fitted to lengths and characters of the source, the
    output or the reference. A metric no better than a sentinel may use only such
    cues.

    \b
    metra meta sentinel scores.tsv --gold mqm
    metra meta sentinel scores.tsv --gold mqm --output outputs.tsv -s source.txt -r ref.txt

    Options:
    coefficients: Coefficients of segments, as NAME or NAME:GROUP; by default pearson,
        pearson:sys, pearson:item and acc*_eq:item.
    folds: Number of folds: each is predicted from the others.
    """

    coefficients: tuple[str, ...] = build_names("--coef")
    folds: int = build_option(5, flag=False)
    trials: int = find_option("trials")
    seed: int = find_option("seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOptions:
    """Write a metric card: all meta-evaluation results for one metric on one page.

    --metric names the metric; its rank is among all metrics in the scores. --output, -s and
    -r add sentinels fitted to the texts. A challenge set contains the metric's scores in
    columns NAME-good and NAME-bad, or is scored with -m.

    \b
    metra meta card scores.tsv --gold mqm --metric COMET --html comet.html
    metra meta card scores.tsv --gold mqm --metric xCOMET --spans mqm.tsv \\
        --spans xcomet.json --html xcomet.html
    metra meta card mqm.tsv --gold mqm --output outputs.tsv -s src.txt -r ref.txt \\
        -m chrf --metric chrf --challenge aces.tsv --html chrf.html

    Options:
    html: Write the card to this HTML file.
    challenge: Challenge set, as for `metra meta challenge`.
    spans: Error spans marked by people or by the metric, as for `metra meta spans`.
    good: Lowest human score of a good output; by default the median.
    folds: Number of folds for thresholds and sentinels.
    """

    html: str | None = build_option(None, metavar="FILE", sign=False)
    challenge: str | None = build_option(None, metavar="PAIRS", sign=False)
    spans: tuple[str, ...] = build_option((), metavar="ERRORS", sign=False)
    good: float | None = build_option(None, flag=False)
    folds: int = build_option(5, flag=False)
    trials: int = find_option("trials", rare=True)
    seed: int = find_option("seed")
