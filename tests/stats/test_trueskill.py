"""TrueSkill: single updates as the library's, rankings of made and of judged systems."""

import csv
import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.panels import headings, scores_of

from metra.errors import CorpusError
from metra.meta.options import RankOptions
from metra.meta.question import Evidence
from metra.meta.rank import ask_ranking, report_ranking
from metra.scores.selection import DEFAULT
from metra.scores.table import ScoredItem, Scorer, build_score_table
from metra.scores.views import count_comparisons
from metra.stats import ranking
from metra.stats.coefficients import pearson
from metra.stats.ranking import PairwiseCounts, learn_skills, update_ratings

NAN = float("nan")


def rank(scores, name, **options):
    chosen = RankOptions(**options)
    answer = ask_ranking(Evidence(scores, DEFAULT, name), chosen)
    return report_ranking(answer, chosen), answer.ranking


MEAN = st.floats(-2, 2)
SPREAD = st.floats(0.1, 1)


@settings(max_examples=150, deadline=None)
@given(MEAN, SPREAD, MEAN, SPREAD, st.sampled_from([1, 0, -1]), st.floats(0.3, 9))
def test_a_comparison_moves_skills_as_the_library_does(m1, s1, m2, s2, result, beta):
    trueskill = pytest.importorskip("trueskill")
    env = trueskill.TrueSkill(mu=0, sigma=0.5, beta=beta, tau=0, draw_probability=0.25)
    places = {1: [0, 1], 0: [0, 0], -1: [1, 0]}[result]
    pair = [(env.create_rating(m1, s1),), (env.create_rating(m2, s2),)]
    one, other = ((np.array([m]), np.array([s**2])) for m, s in ((m1, s1), (m2, s2)))
    ours = update_ratings(one, other, np.array([result]), beta=beta)
    theirs = env.rate(pair, ranks=places)
    for (expected,), (mu, variance) in zip(theirs, ours, strict=True):
        # The library's normal distribution is a polynomial, good to seven digits.
        assert mu[0] == pytest.approx(expected.mu, abs=2e-6)
        assert variance[0] == pytest.approx(expected.sigma**2, abs=2e-6)


def test_skills_find_the_order_and_the_equals():
    rng = np.random.default_rng(3)
    quality = np.array([1.5, 0, 0, -1.5])
    values = (quality[:, None] + rng.normal(size=(4, 400))).round()
    findings, found = rank(scores_of(values, {}), "gold", by="trueskill", runs=40)
    assert (found.systems[0], found.systems[-1]) == ("s0", "s3")
    assert found.clusters == [1, 2, 2, 3]
    assert found.ranges == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert "trueskill" in headings(findings.tables[0])
    assert "trueskill:40 runs of 2400 matches|seed:12345" in findings.signature
    again = rank(scores_of(values, {}), "gold", by="trueskill", runs=40)[0]
    assert again == findings


def test_a_system_that_never_met_another_is_refused():
    never = PairwiseCounts(np.zeros((2, 2), int), np.zeros((2, 2), int))
    with pytest.raises(CorpusError, match="TrueSkill needs comparisons"):
        learn_skills(never)


@pytest.mark.parametrize("lang", ["cs-en", "fr-en"])
def test_judged_systems_are_ranked_much_as_by_expected_wins(shared, lang):
    folder = shared / "data" / "wmt12-ranking"
    lines = []
    with gzip.open(folder / "rankings.tsv.gz", "rt", encoding="utf-8") as given:
        for at, row in enumerate(csv.DictReader(given, delimiter="\t")):
            item = ScoredItem(f"{row['seg']} {at}")
            lines += [
                (row[f"system{n}"], item, -float(row[f"rank{n}"]))
                for n in range(1, 6)
                if row["lp"] == lang and row[f"rank{n}"] not in ("", "-1")
            ]
    systems, items, ranks = zip(*lines, strict=True)
    scores = build_score_table(systems, items, {Scorer("rank"): ranks})
    found = learn_skills(count_comparisons(scores, "rank"), runs=20, matches=4000)
    with (folder / f"{lang}.sys_scores.tsv").open(encoding="utf-8") as given:
        wins = {
            row["system"]: float(row["expected_wins"])
            for row in csv.DictReader(given, delimiter="\t")
        }
    expected = np.array([wins[name] for name in scores.systems])
    assert pearson(expected, found.means) > 0.98


def domains(values, names):
    items = [ScoredItem(str(at), domain=name) for at, name in enumerate(names)]
    systems = [f"s{at}" for at in range(len(values)) for _ in items]
    values_by_scorer = {Scorer("da", "human"): np.ravel(values)}
    return build_score_table(systems, items * len(values), values_by_scorer)


def test_domains_count_the_same():
    # s1 is better in the large domain, s0 far better in the small one.
    scores = domains([[1, 1, 1, 9], [2, 2, 2, 2]], ["news", "news", "news", "chat"])
    plain, _ = rank(scores, "da")
    findings, found = rank(scores, "da", macro="domain")
    means = [row[4].value for row in findings.tables[0].rows]
    assert found.systems == ["s0", "s1"]
    assert means == [5, 2]
    assert [row[4].value for row in plain.tables[0].rows] == [3, 2]
    assert "macro:domain" in findings.signature


def test_domains_count_the_same_in_the_test():
    rng = np.random.default_rng(0)
    gaps = np.concatenate([rng.normal(0.8, 1, 400), rng.normal(-0.8, 1, 20)])
    scores = domains([gaps, np.zeros(420)], ["news"] * 400 + ["chat"] * 20)
    _, plain = rank(scores, "da")
    _, macro = rank(scores, "da", macro="domain")
    assert plain.p[0, 1] < 1e-6
    assert 0.2 < macro.p[0, 1] < 0.9


def test_a_domain_that_lacks_a_system_is_left_out():
    scores = domains([[1, 2, 3], [2, 1, NAN]], ["news", "chat", "law"])
    findings, _ = rank(scores, "da", macro="domain")
    gone = "Excluded, because a system has no scores there: domain law."
    assert gone in findings.notes
    assert findings.tables[0].rows[0][4].value == 1.5


def test_macro_needs_a_domain_of_every_segment():
    with pytest.raises(CorpusError, match="1 of 2 segments have no domain"):
        rank(domains([[1, 2], [2, 1]], ["news", ""]), "da", macro="domain")


@pytest.mark.parametrize(
    ("runs", "upsets", "reach"), [(100, 3, 1), (100, 4, 2), (2, 1, 2), (3, 1, 1)]
)
def test_ranges_of_ranks_leave_out_the_rarest(monkeypatch, runs, upsets, reach):
    skills = np.array([[2.0, 1, 0]] * (runs - upsets) + [[1.0, 2, 0]] * upsets)
    monkeypatch.setattr(ranking, "_run_matches", lambda *_: skills)
    met = PairwiseCounts(np.ones((3, 3), np.int64), np.zeros((3, 3), np.int64))
    found = learn_skills(met, runs=runs)
    assert found.ranges == [(1, reach), (3 - reach, 2), (3, 3)]
    assert found.means.tolist() == pytest.approx(skills.mean(0).tolist())


def test_matches_are_as_many_as_there_are_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(ranking, "_run_matches", lambda *_: np.zeros((1, 3)))
    wins = np.array([[0, 3, 1], [0, 0, 2], [1, 0, 0]])
    draws = np.array([[0, 0, 2], [0, 0, 0], [2, 0, 0]])
    for times, matches in ((1, 9), (1111, 9999), (1112, 10_000), (5000, 10_000)):
        counted = PairwiseCounts(wins * times, draws * times)
        assert learn_skills(counted, runs=1).matches == matches
    assert learn_skills(counted, runs=1, matches=12_000).matches == 12_000
