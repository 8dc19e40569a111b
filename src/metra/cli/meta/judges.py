"""Questions about judgements: `metra meta rank`, `agree`, `normalise`, `variance`, and others.

Questions of `metra.meta.questions` that are not written out here get their command from
their entry.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from metra.cli.meta import options as shared
from metra.meta.judge_options import (
    AgreeOptions,
    NormaliseOptions,
    RankOptions,
    VarianceOptions,
)
from metra.meta.questions import QUESTIONS

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
    from metra.meta.rank import QUESTION

    shared.require_one_language(asked.scores)
    name = asked.choose_scorer()
    answer = QUESTION.ask(asked.every_row, asked.selection, name, options)
    if asked.plot:
        from metra.report.pictures.heatmap import Heatmap, draw_heatmap

        title = "Which systems are better"
        caption = "p-values, row better than column; clusters framed"
        ranking = answer.ranking
        names, p = ranking.systems, ranking.p.tolist()
        heat = Heatmap(title, caption, names, p, "p", ranking.clusters)
        asked.write_pictures(draw_heatmap, heat)
    return QUESTION.lay_out(answer, options)


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
    from metra.meta.agree import QUESTION

    name = "" if options.runs else asked.choose_scorer()
    answer = QUESTION.ask(asked.every_row, asked.selection, name, options)
    if asked.plot:
        from metra.meta.judge_plots import build_gap_histogram, build_judge_plot
        from metra.report.pictures.judges import draw_histogram, draw_judge_plot

        agreement = answer.require_pairs()
        judges = build_judge_plot(agreement, answer.scorer, seed=options.seed)
        gaps = build_gap_histogram(agreement, answer.scorer)
        asked.write_drawn(
            partial(draw_judge_plot, judges), partial(draw_histogram, gaps)
        )
    return QUESTION.lay_out(answer, options)


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
        failed = question.find_failing_judges(asked.every_row, name, options.bad)
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


def __getattr__(name: str) -> click.Command:
    """Make the command of a question from its entry."""
    if name not in QUESTIONS:
        raise AttributeError(name)
    entry = QUESTIONS[name]

    def ask(asked: shared.MetaQuestion, options: Any) -> "MetaReport":
        from metra.meta.question import find_question

        scorer = asked.choose_scorer() if entry.of_scorer else ""
        question = find_question(name)
        answer = question.ask(asked.every_row, asked.selection, scorer, options)
        asked.selection = question.widen(asked.selection)
        return question.lay_out(answer, options)

    ask.__doc__, ask.__name__ = entry.write_help(name), name
    takes = (shared.SCORER,) if entry.of_scorer else ()
    return shared.question(entry.options, *takes)(ask)
