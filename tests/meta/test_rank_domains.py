"""Rankings in which every domain counts the same."""

import numpy as np
import pytest

from metra.errors import CorpusError
from metra.meta.options import RankOptions
from metra.meta.question import Evidence
from metra.meta.rank import ask_ranking, report_ranking
from metra.scores.selection import DEFAULT
from metra.scores.table import ScoredItem, Scorer, build_score_table

NAN = float("nan")


def rank(scores, name, **options):
    chosen = RankOptions(**options)
    answer = ask_ranking(Evidence(scores, DEFAULT, name), chosen)
    return report_ranking(answer, chosen), answer.ranking


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
