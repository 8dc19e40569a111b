"""The question `preferences`: outputs of two systems compared judge by judge."""

from itertools import combinations
from typing import NamedTuple

from metra.meta.findings import MetaReport, build_count, build_figure, build_signature
from metra.meta.judge_options import PreferenceOptions
from metra.meta.question import Question
from metra.scores.selection import Selection
from metra.scores.table import Scores
from metra.scores.views import collect_rankings, count_comparisons, promote_documents
from metra.scoring.table import make_table


class Preferences(NamedTuple):
    """Wins of the first system, ties and wins of the second, for each two systems."""

    scorer: str
    pairs: dict[tuple[str, str], tuple[int, int, int]]


def ask_preferences(
    scores: Scores, selection: Selection, scorer: str, _: PreferenceOptions
) -> Preferences:
    """Compare the outputs of each two systems on items that a judge gave both."""
    rows = promote_documents(selection.select(scores), scorer)
    if rows.scorers[rows.find(scorer)].compares:
        rows, _rankings = collect_rankings(rows, scorer)
    counts = count_comparisons(rows, scorer)
    pairs = {}
    for one, other in combinations(range(len(rows.systems)), 2):
        wins, losses = int(counts.wins[one, other]), int(counts.wins[other, one])
        met = int(counts.met[one, other])
        if met:
            names = rows.systems[one], rows.systems[other]
            pairs[names] = wins, met - wins - losses, losses
    return Preferences(scorer, pairs)


def report_preferences(answer: Preferences, _: PreferenceOptions) -> MetaReport:
    """Lay out the share of comparisons that each of two systems wins."""
    lines = []
    for (one, other), (wins, ties, losses) in answer.pairs.items():
        total = wins + ties + losses
        shares = (build_figure(100 * count / total) for count in (wins, ties, losses))
        lines.append((f"{one} – {other}", [build_count(total), *shares]))
    heads = ["n", "first better, %", "equal, %", "second better, %"]
    caption = f"Preferences by {answer.scorer}"
    table = make_table("systems", heads, lines, caption=caption, name="preferences")
    return MetaReport([table], build_signature(scorer=answer.scorer))


QUESTION = Question(
    "preferences", "Preferences by {}", ask_preferences, report_preferences
)
