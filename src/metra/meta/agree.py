"""The question `agree`: agreement of judges with each other, and with themselves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from metra.errors import CorpusError, format_count
from metra.meta.charts import Histogram, JudgePlot
from metra.meta.findings import (
    MetaReport,
    build_report,
    build_table,
    describe_draws,
    group_names,
)
from metra.meta.normalise import describe_excluded, normalise
from metra.meta.options import AgreeOptions
from metra.meta.question import Evidence, Question
from metra.scores import views
from metra.scores.table import Scores
from metra.scoring.table import Table
from metra.stats.agreement import ONE_WAY, SCALES, TWO_WAY
from metra.stats.arrays import Array, choose_round_step
from metra.stats.coefficients import pearson
from metra.stats.defaults import SEED
from metra.stats.judge_agreement import (
    LEAST_JUDGES,
    PAIR_COLUMNS,
    PAIR_FIGURES,
    JudgeAgreement,
    JudgePair,
    agree,
    compute_kappas,
    count_differences,
    share_near,
    unit_deviations,
    widen_intervals,
)
from metra.stats.ratings import Ratings

_MAIN = frozenset(
    (
        *("exact", "within", "comparisons", "mean linear", "mean quadratic"),
        *("alpha ordinal", "alpha interval", "mean spearman", "mean pearson"),
    )
)
#: How far points are moved either way on scales of a few steps, in steps (Turian et al. 2003).
SKEW = 0.2
#: Scales of more different values than this are taken for continuous: no point is moved.
MOST_STEPS = 25
#: Pairs that share fewer units than this are not the ones to show.
ENOUGH = 10
#: Of so many judgements all are shown; of more, the lowest and the highest.
MOST_SAID = 6


@dataclass(frozen=True)
class AgreementAnswer:
    """Agreement of judges on one scorer."""

    scorer: str
    ratings: Ratings
    #: None if no unit was judged by two judges; then judges are compared with themselves.
    agreement: JudgeAgreement | None
    #: The same with flagged judges if they are set apart, without them if they count; None
    #: if that is the same.
    other: JudgeAgreement | None
    is_apart: bool
    notes: Sequence[str] = ()


def ask_agreement(evidence: Evidence, options: AgreeOptions) -> AgreementAnswer:
    """Measure the agreement of judges on what two or more of them judged."""
    selected, scorer, notes = evidence.rows, evidence.scorer, list[str]()
    others = evidence.select_others()
    if options.scaling != "none":
        normalised = normalise(selected, scorer, options.scaling)
        notes, others = describe_excluded(normalised), None
        selected, scorer = normalised.scores, normalised.scores.names[0]
    repeated = replace(evidence.selection, kinds=frozenset({"repeat"}))
    repeats = repeated.select(evidence.scores)
    ratings = collect_judgements(selected, scorer, options, repeats)
    agreement = other = None
    only = _MAIN if options.brief else ()
    measure = partial(agree, within=options.within, seed=options.seed, only=only)
    if ratings.pairable().units or not len(ratings.repeats.judge):
        agreement = measure(ratings, trials=options.trials)
        agreement = widen_intervals(agreement, ratings, measure)
        if others is not None:
            of_others = collect_judgements(others, scorer, options)
            other = measure(of_others, trials=0) if of_others.pairable().units else None
    is_apart = evidence.selection.flagged == "apart"
    return AgreementAnswer(scorer, ratings, agreement, other, is_apart, notes)


def collect_judgements(
    scores: Scores, name: str, options: AgreeOptions, repeats: Scores | None = None
) -> Ratings:
    """Gather values of outputs, or comparisons of each two outputs that were ranked."""
    scores = views.promote_documents(scores, name)
    if options.ranks or scores.scorers[scores.find(name)].compares:
        return views.collect_comparisons(scores, name)
    return views.collect_ratings(scores, name, repeats)


def report_agreement(answer: AgreementAnswer, options: AgreeOptions) -> MetaReport:
    """Lay out the coefficients, the pairs of judges, the judges and the worst units."""
    ratings, agreement = answer.ratings, answer.agreement
    judges, units = len(ratings.judges), len(ratings.units)
    facts: dict[str, Any] = {"scorer": answer.scorer, "judges": judges}
    if agreement is None:
        note = (
            f"No unit was judged by two judges (judges: {judges}, units: {units:,}); "
            "judges are compared only with themselves."
        )
        tables = [build_intra_table(ratings, options.within)]
        facts["units"] = f"0/{units}"
        return build_report(tables, options, [*answer.notes, note], **facts)
    rows = [
        ("equal" if limit == 0 else f"{limit:g}", [share])
        for limit, share in count_differences(agreement.shared.gaps())
    ]
    caption = "Differences between two judgements"
    heads = ["share of pairs"]
    tables = [
        _build_overall_table(answer, agreement, options),
        build_table("maximum difference", heads, rows, caption, "differences"),
        build_pair_table(agreement.pairs, options),
        build_judge_table(ratings, options.within, options.most_judges),
    ]
    if len(ratings.repeats.judge):
        tables.append(build_intra_table(ratings, options.within, options.most_judges))
    worst = build_worst_table(ratings, options.worst)
    tables += [worst] if worst.rows else []
    names = [name for name in PAIR_COLUMNS if not options.brief or name != "kendall"]
    pairs = [{name: getattr(pair, name) for name in names} for pair in agreement.pairs]
    return build_report(
        tables,
        options,
        [*answer.notes, *_write_notes(ratings, agreement, options)],
        {"pairs": pairs},
        **facts,
        units=f"{agreement.units}/{units}",
        of="comparisons" if ratings.compares else None,
        **describe_draws(options, "segments" if len(ratings.segment) else "units"),
    )


def _build_overall_table(
    answer: AgreementAnswer, agreement: JudgeAgreement, options: AgreeOptions
) -> Table:
    """Build a line for each coefficient, with flagged judges beside if they are apart."""
    ratings, other = answer.ratings, answer.other
    rows = []
    for key, label, about in _ROWS:
        if key == "comparisons" and not ratings.compares:
            continue
        if options.brief and key not in _MAIN:
            continue
        value = agreement.values.get(key, np.nan)
        figures: list[Any] = [(value, agreement.intervals.get(key))]
        if other is not None:
            figures.append(other.values.get(key, np.nan))
        rows.append((label.format(within=f"{options.within:g}"), [*figures, about]))
    heads = ["value", "of"]
    if other is not None:
        heads.insert(1, "with flagged" if answer.is_apart else "without flagged")
    caption = f"Agreement of {len(ratings.judges)} judges on {answer.scorer}"
    caption += ", by pairwise comparison" if ratings.compares else ""
    return build_table("coefficient", heads, rows, caption, "overall")


def draw_agreement(
    answer: AgreementAnswer, options: AgreeOptions
) -> tuple[JudgePlot, Histogram]:
    """Draw the two judges who agree least, and the distances between judgements."""
    if answer.agreement is None:
        msg = "No unit was judged by two judges, so there is nothing to draw."
        raise CorpusError(msg)
    return draw_judges(answer.agreement, answer.scorer, options.seed)


AGREE = Question(
    "agree", ask_agreement, report_agreement, draw_agreement, title="Agreement on {}"
)

_PAIRS = "pairs of judges, by their shared units"


#: The coefficients: key, label, and the data that each is computed over.
_ROWS = (
    ("exact", "equal", "pairs of judgements"),
    ("within", "within {within}", "pairs of judgements"),
    ("sd", "mean standard deviation of a unit", "units, over their judges"),
    ("mean pearson", "Pearson's r", _PAIRS),
    ("mean spearman", "Spearman's rho", _PAIRS),
    ("mean kendall", "Kendall's tau-b", _PAIRS),
    ("mean kappa", "Cohen's kappa", _PAIRS),
    ("mean linear", "Cohen's kappa, linear", _PAIRS),
    ("mean quadratic", "Cohen's kappa, quadratic", _PAIRS),
    ("comparisons", "kappa as at WMT", "pairs of judgements; chance by all ties"),
    ("fleiss", "Fleiss' kappa", "units with two judges or more"),
    *(
        (f"alpha {s}", f"Krippendorff's alpha, {s}", "values of such units")
        for s in SCALES
    ),
    ("AC1", "Gwet's AC1", "all units"),
    ("AC2", "Gwet's AC2, quadratic", "all units"),
    *((name, name, "units, judges unknown") for name in ONE_WAY),
    *((name, name, "units judged by all") for name in TWO_WAY),
)


def build_pair_table(pairs: list[JudgePair], options: AgreeOptions) -> Table:
    """Build a line for every two judges; those who share most units first."""
    # Kendall's coefficient takes long.
    columns = [name for name in PAIR_FIGURES if not options.brief or name != "kendall"]
    names = ("n", "exact", "within", *columns)
    rows = [
        (f"{pair.first} – {pair.second}", [getattr(pair, name) for name in names])
        for pair in pairs[: options.most_pairs or None]
    ]
    heads = ["n", "equal", f"within {options.within:g}", *columns]
    return build_table("judges", heads, rows, "Pairs of judges", "pairs")


def build_judge_table(ratings: Ratings, within: float, most: int = 0) -> Table:
    """Build a line for each judge: spread, distance from the others, correlation.

    Of more judges than `most`, those are shown who correlate least with the others.
    """
    size = len(ratings.units)
    total = np.bincount(ratings.unit, ratings.value, size)[ratings.unit]
    others = ratings.counts[ratings.unit] - 1
    rest = (total - ratings.value) / np.maximum(others, 1)
    rows: list[_Row] = []
    for judge, name in enumerate(ratings.judges):
        given = ratings.judge == judge
        value = ratings.value[given]
        both = given & (others > 0)
        gap = ratings.value[both] - rest[both]
        figures = [
            float(value.mean()),
            float(value.std(ddof=1)) if len(value) > 1 else np.nan,
            float(gap.mean()) if len(gap) else np.nan,
            share_near(np.abs(gap), within)[1] if len(gap) else np.nan,
            float(pearson(ratings.value[both], rest[both])),
        ]
        rows.append((name, [len(value), *figures]))
    compared = "difference from others", f"within {within:g}", "r with others"
    heads = ["n", "mean", "sd", *compared]
    caption = "Each judge against the mean of the others"
    return build_table("judge", heads, _keep_least(rows, most), caption, "judges")


_Row: TypeAlias = tuple[str, list[float]]


def _keep_least(rows: list[_Row], most: int, column: int = -1) -> list[_Row]:
    """Keep the rows with the least figures in a column; all of them where they are few."""
    if not most or len(rows) <= most:
        return rows
    rows = sorted(rows, key=lambda row: np.nan_to_num(row[1][column], nan=np.inf))
    return rows[:most]


def build_intra_table(ratings: Ratings, within: float, most: int = 0) -> Table:
    """Build the table of judges who judged again: all together, then each.

    Of more judges than `most`, those are shown who agree least with themselves.
    """
    repeats = ratings.repeats
    choices = [("all", np.ones(len(repeats.judge), bool))]
    choices += [
        (ratings.judges[judge], repeats.judge == judge)
        for judge in np.unique(repeats.judge).tolist()
    ]
    rows: list[_Row] = []
    for name, chosen in choices:
        a, b = repeats.first[chosen], repeats.later[chosen]
        kappas = compute_kappas(a, b)
        figures = [
            *share_near(np.abs(a - b), within),
            float(np.abs(a - b).mean()),
            float((b - a).mean()),
            float(pearson(a, b)),
            *(kappas["kappa"], kappas["quadratic"]),
        ]
        rows.append((name, [len(a), *figures]))
    rows = [*rows[:1], *_keep_least(rows[1:], most, 3)]
    heads = [
        *("n", "equal", f"within {within:g}", "mean gap", "later − first"),
        *("pearson", "kappa", "quadratic"),
    ]
    caption = "Judges against their own repeated judgements"
    return build_table("judge", heads, rows, caption, "intra")


def build_worst_table(ratings: Ratings, most: int) -> Table:
    """Build the table of what judges disagree about most, with what each of them said."""
    size, deviations = ratings.counts, unit_deviations(ratings)
    order = np.argsort(-deviations, kind="stable")
    order = order[(size[order] >= 2) & (deviations[order] > 0)][:most]
    rows = []
    for unit in order.tolist():
        lines = np.flatnonzero(ratings.unit == unit)
        lines = lines[np.argsort(ratings.value[lines], kind="stable")]
        said = [
            f"{ratings.judges[ratings.judge[line]]}: {ratings.value[line]:.4g}"
            for line in lines
        ]
        if len(said) > MOST_SAID:
            said = [*said[: MOST_SAID // 2], "…", *said[-(MOST_SAID // 2) :]]
        rows.append((ratings.units[unit], [float(deviations[unit]), ", ".join(said)]))
    caption = "Units with the largest disagreement"
    return build_table("unit", ["sd", "judgements"], rows, caption, "worst")


def _write_notes(
    ratings: Ratings, agreement: JudgeAgreement, options: AgreeOptions
) -> list[str]:
    shared = format_count(agreement.units, "unit")
    answers = format_count(len(agreement.shared.unit), "pair")
    notes = [
        f"{shared} with two or more judges, {answers} of answers. A unit is what several "
        "judges may score: an output, or a document of a system.",
        "Kappa, alpha, AC and ICC: 1 is perfect agreement, 0 is agreement by chance.",
    ]
    alone = len(ratings.units) - agreement.units
    if alone:
        notes.append(
            f"{alone:,} of {len(ratings.units):,} units have only one judge and do "
            "not count for agreement."
        )
    if agreement.intervals:
        many = len(ratings.judges) >= LEAST_JUDGES
        whom = "other judges like these" if many else "these judges only"
        notes.append(
            f"[ ] are 95 % intervals: what other units would show, judged by {whom}."
        )
    reasons = group_names(agreement.reasons)
    notes += [f"– {', '.join(names)}: {why}." for why, names in reasons.items()]
    again = len(ratings.repeats.judge)
    if again:
        notes.append(
            f"{again:,} judgements repeat a judgement of the same judge: the first "
            "counts, later ones are in the table of repeated judgements."
        )
    hidden = len(agreement.pairs) - options.most_pairs
    if options.most_pairs and hidden > 0:
        notes.append(f"{hidden} more pairs of judges; `most_pairs` 0 shows all.")
    flat = sum(pair.spearman != pair.spearman for pair in agreement.pairs)
    if flat:
        notes.append(
            "Pairs of judges without a correlation, because one gave a constant "
            f"value: {flat}."
        )
    few = sum(pair.n < 3 for pair in agreement.pairs)
    if few:
        notes.append(f"Pairs of judges who share fewer than three units: {few}.")
    if 0 < options.most_judges < len(ratings.judges):
        notes.append(
            f"Shown are the {options.most_judges} of {len(ratings.judges)} judges who "
            "agree least with the others; `most_judges` 0 shows all."
        )
    return notes


def draw_judges(
    agreement: JudgeAgreement, name: str, seed: int = SEED
) -> tuple[JudgePlot, Histogram]:
    """Show the two judges whose ranks agree least, and differences of judgements.

    Points on a scale of steps are moved by a share of the smallest step.
    """
    defined = [pair for pair in agreement.pairs if pair.spearman == pair.spearman]
    enough = [pair for pair in defined if pair.n >= ENOUGH]
    pair = min(enough or defined or agreement.pairs, key=lambda pair: pair.spearman)
    steps = np.diff(np.unique(np.concatenate([pair.a, pair.b])))
    skew = SKEW * float(steps.min()) if 0 < len(steps) < MOST_STEPS else 0.0
    off = np.random.default_rng(seed).uniform(-skew, skew, (2, pair.n))
    rho = "undefined" if pair.spearman != pair.spearman else f"{pair.spearman:.3f}"
    moved = f", points moved by up to {skew:.2g}" if skew else ""
    plot = JudgePlot(
        f"The two judges of {name} who agree least",
        f"{pair.n} shared units, Spearman {rho}{moved}",
        f"judge {pair.first}",
        f"judge {pair.second}",
        list(zip(pair.a.tolist(), pair.b.tolist(), strict=True)),
        list(zip((pair.a + off[0]).tolist(), (pair.b + off[1]).tolist(), strict=True)),
    )
    gaps = agreement.shared.gaps()
    equal = 100 * float((gaps == 0).mean())
    return plot, Histogram(
        f"Distance between two judgements of {name}",
        f"{len(gaps):,} pairs of judgements, {equal:.0f} % of them equal",
        "difference",
        count_gaps(gaps),
    )


def count_gaps(gaps: Array, most: int = 12) -> list[tuple[str, int]]:
    """Count differences: each by itself where they are few, else in ranges.

    A range holds its upper end; only whole numbers have a lower end of their own.

    >>> count_gaps(np.array([0.0, 1, 1, 3]))
    [('0', 1), ('1', 2), ('2', 0), ('3', 1)]
    >>> count_gaps(np.array([0.0, 0.3, 7.5]), most=3)
    [('0', 1), ('>0–5', 1), ('5–10', 1)]
    """
    if not len(gaps):
        return []
    top = float(gaps.max())
    is_whole = bool((gaps == np.rint(gaps)).all())
    if is_whole and top < most:
        counts = np.bincount(gaps.astype(np.int64))
        return [(str(at), int(count)) for at, count in enumerate(counts)]
    step = choose_round_step(0.999999 * top, most - 1, (1, 2, 5, 10))
    bins = np.ceil(gaps[gaps > 0] / step - 1e-9).astype(np.int64)
    counts = np.bincount(np.maximum(bins, 1))[1:]
    bars = [("0", int((gaps == 0).sum()))]
    for at, count in enumerate(counts, 1):
        low, high = (at - 1) * step, at * step
        label = f"{low:g}–{high:g}" if low else f">0–{high:g}"
        if is_whole:
            label = f"{low + 1:g}–{high:g}" if step > 1 else f"{high:g}"
        bars.append((label, int(count)))
    return bars
