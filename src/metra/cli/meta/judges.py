"""`metra meta rank`, `agree`, `normalise` and `variance`: questions about judgements."""

from functools import partial
from typing import TYPE_CHECKING

from metra.cli.meta import options as shared
from metra.meta.judge_options import (
    AgreeOptions,
    NormaliseOptions,
    RankOptions,
    VarianceOptions,
)

if TYPE_CHECKING:
    from metra.meta.findings import MetaReport


@shared.question(RankOptions, shared.SCORER, plot=True)
def rank(asked: shared.MetaQuestion, options: RankOptions) -> "MetaReport":
    """Rank systems by judgements or a metric, with clusters and rank ranges.

    The rank range of a system reaches up to the next system that is significantly better
    and down to the next that is significantly worse. --plot draws the p-values as a heat
    map.

    \b
    metra meta rank esa.csv --scorer esa --by z
    metra meta rank esa.csv --scorer esa --macro domain
    metra meta rank rankings.tsv --scorer rank --ranks --by trueskill --runs 1000
    metra meta rank scores.tsv --scorer mqm --against BLEU,COMET --auto BLEU,chrF,COMET
    """
    from metra.meta.rank import rank_by_scorer, report_ranking

    shared.require_one_language(asked.scores)
    name = asked.choose_scorer()
    # WMT's standardisation takes in the checks of each worker.
    scores = asked.every if options.like else asked.scores
    if options.ranks:  # which become shares, in rows of their own
        scores = scores.drop_optional()
    ranking = rank_by_scorer(scores, name, options)
    if asked.plot:
        from metra.report.pictures.heatmap import Heatmap, draw_heatmap

        title = "Which systems are better"
        caption = "p-values, row better than column; clusters framed"
        names, p = ranking.systems, ranking.p.tolist()
        heat = Heatmap(title, caption, names, p, "p", ranking.clusters)
        asked.write_pictures(draw_heatmap, heat)
    return report_ranking(ranking, options)


@shared.question(AgreeOptions, shared.SCORER, plot=True)
def agree(asked: shared.MetaQuestion, options: AgreeOptions) -> "MetaReport":
    """Measure agreement between judges: in pairs, overall, and with themselves.

    The table needs a column with the judge. --plot draws the two judges who agree least
    (plot-1.svg) and the distances between judgements (plot-2.svg).

    \b
    metra meta agree ratings.tsv
    metra meta agree mqm.tsv --scorer mqm --normalise z --plot judges.svg
    metra meta agree rankings.tsv --scorer rank --ranks
    metra meta agree gemba.tsv --runs gemba-1,gemba-2,gemba-3
    """
    from metra.meta.agree import (
        collect_judgements,
        compute_agreement,
        report_agreement,
        report_repeats,
        take_runs_for_judges,
    )

    if options.runs:
        asked.scores = take_runs_for_judges(asked.scores, options.runs)
    name = asked.normalise_scores(asked.choose_scorer(), options.scaling)
    if options.ranks:
        asked.scores = asked.scores.drop_optional()
    elif not options.runs:
        asked.include_repeats(name)
    ratings = collect_judgements(asked.scores, name, options)
    if len(ratings.repeats.judge) and not ratings.pairable().units and not asked.plot:
        return report_repeats(ratings, name, options)
    agreement = compute_agreement(ratings, options)
    if asked.plot:
        from metra.meta.judge_plots import build_gap_histogram, build_judge_plot
        from metra.report.pictures.judges import draw_histogram, draw_judge_plot

        judges = build_judge_plot(agreement, name, seed=options.seed)
        gaps = build_gap_histogram(agreement, name)
        asked.write_drawn(
            partial(draw_judge_plot, judges), partial(draw_histogram, gaps)
        )
    return report_agreement(ratings, name, agreement, options)


@shared.question(NormaliseOptions, shared.SCORER)
def normalise(asked: shared.MetaQuestion, options: NormaliseOptions) -> "MetaReport":
    """Normalise each judge's values to one scale, and report on the judges.

    The new scorer is named NAME-METHOD, such as mqm-z. Judges who always gave the same
    value are excluded and listed.

    \b
    metra meta normalise ratings.tsv --scores z.tsv
    metra meta normalise da.csv --method rank --bad BAD_REF --scores ranks.tsv
    """
    from metra.cli.output import write_output
    from metra.meta import normalise as question
    from metra.meta.findings import name_some
    from metra.scores.long_table import format_long_table

    scores, name = asked.scores, asked.choose_scorer()
    failed: dict[str, str] = {}
    if options.bad:
        failed = question.find_failing_judges(asked.every, name, options.bad)
        if options.bad in scores.systems:
            scores = scores.only(without_systems=[options.bad])
    # A judge of degraded outputs only has gone with them.
    left_out = [*options.left_out, *(j for j in failed if j in scores.judges)]
    normalised = question.normalise(scores, name, options.method, left_out=left_out)
    if failed:
        listed = name_some([f"{judge} ({why})" for judge, why in failed.items()])
        asked.notes.append(f"Judges who did not score {options.bad} lower: {listed}.")
    if options.to:
        write_output(format_long_table(normalised.scores), options.to)
    most = options.most_judges
    return question.report_normalisation(normalised, name, options.method, most)


@shared.question(VarianceOptions, shared.SCORER)
def variance(asked: shared.MetaQuestion, options: VarianceOptions) -> "MetaReport":
    """Estimate variance components of judgements: systems, documents, segments, raters.

    The variance components are those of a generalisability study, estimated with
    Henderson's method I, which does not need a balanced design. The expected correlation of
    two panels of raters is the upper bound for metrics. `metra meta power` plans a study
    with these components.

    \b
    metra meta variance ratings.tsv
    metra meta variance mqm.tsv --scorer mqm --normalise z --raters 1,2,3,5
    """
    from metra.meta.variance import compute_variance, report_variance

    shared.require_one_language(asked.scores)
    name = asked.normalise_scores(asked.choose_scorer(), options.scaling)
    components = compute_variance(asked.scores, name, options)
    return report_variance(components, name, options)
