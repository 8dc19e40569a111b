"""Rankings of several language pairs: each as if it were alone, and an overview of all."""

import json
from collections import defaultdict
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.panels import cells_by_name, score_matrix

from metra.errors import CorpusError
from metra.meta.options import RankOptions
from metra.meta.overview import combine_rankings
from metra.meta.question import Evidence, answer_evidence
from metra.scores.selection import DEFAULT
from metra.scores.table import Scorer, concatenate_scores

DA = Scorer("da", "da")


def draw_pair(lang, means, seed, width=40, scorer=DA):
    """Scores of systems by name, drawn around their means."""
    rng = np.random.default_rng(seed)
    values = np.array([*means.values()])[:, None] + rng.normal(size=(len(means), width))
    made = score_matrix(values, scorer, systems=[*means])
    return replace(made, items=tuple(each._replace(lang=lang) for each in made.items))


def rank(scores, **options):
    return answer_evidence("rank", Evidence(scores), RankOptions(trials=50, **options))


#: C is in one pair only, D in the other; A is far above, B and C are equal.
PAIRS = {
    "en-de": draw_pair("en-de", {"A": 9.0, "B": 1.0, "C": 1.0}, 1),
    "en-cs": draw_pair("en-cs", {"B": 1.0, "A": 9.0, "D": 5.0}, 2),
}
BOTH = concatenate_scores([*PAIRS.values()])


@pytest.mark.parametrize(
    "options", [{}, {"by": "wins"}, {"like": "wmt26"}, {"like": "wmt22"}]
)
def test_a_pair_beside_others_is_ranked_as_if_alone(options):
    [answer], report = rank(BOTH, **options)
    tables = {table.name: table for table in report.tables}
    for lang, scores in PAIRS.items():
        [alone], own = rank(scores, **options)
        of_pair = tables[f"{lang} ranking"]
        assert of_pair.caption == f"{lang}: {own.tables[0].caption}"
        assert of_pair.columns == own.tables[0].columns
        assert str(of_pair.rows) == str(own.tables[0].rows)
        assert str(answer.answers[lang].ranking.tests) == str(alone.ranking.tests)
        for note in own.notes:
            assert {note, f"{lang}: {note}"} & {*report.notes}
    assert next(iter(tables)) == "overview"
    assert "|lang:en-de,en-cs|" in report.signature


def test_an_overview_by_hand():
    _, report = rank(BOTH)
    heads = [column.heading for column in report.tables[0].columns]
    assert heads[1:4] == ["mean rank", "first cluster, %", "pairs"]
    rows = cells_by_name(report.tables[0])
    shown = {name: [cell.value for cell in cells] for name, cells in rows.items()}
    of_b = shown["B"][3]
    assert of_b in (2, 3)
    assert shown == {
        "A": [1.0, 100.0, 2, 1, 1],
        "D": [2.0, 0.0, 1, None, 2],
        "B": [(of_b + 3) / 2, 0.0, 2, of_b, 3],
        "C": [5.0 - of_b, 0.0, 1, 5 - of_b, None],
    }
    bold = [name for name, cells in rows.items() for cell in cells if cell.best]
    assert bold == ["A", "A"]
    assert report.notes[0] == (
        "Mean ranks are comparable only among systems that took part in the same "
        "language pairs: A, B; compare others pair by pair. The language pairs have 3 "
        "systems; – means that a system took no part."
    )
    assert "each of the 2 rankings has a false difference with a pr" in report.notes[1]
    assert "mean ranks and shares of first clusters are not tested" in report.notes[1]


def test_metras_own_clusters_stand_beside_those_of_organisers():
    # In both pairs the p-value is above .025 on the side of A.
    pairs = [
        draw_pair(lang, {"A": 0.3, "B": 0.0}, seed, 60)
        for seed, lang in enumerate(("en-de", "en-cs"))
    ]
    [answer], report = rank(concatenate_scores(pairs), like="wmt26")
    heads = [column.heading for column in report.tables[0].columns]
    assert heads[2:4] == ["first cluster, %", "first cluster (metra), %"]
    assert answer.own.shares == {"A": 100.0, "B": 100.0}
    assert answer.overview.shares == {"A": 100.0, "B": 0.0}
    assert "Every system took part in every language pair." in report.notes
    assert any(
        note.startswith("Clusters use p-values without") for note in report.notes
    )


def test_a_pair_that_cannot_be_ranked_is_named():
    gaps = draw_pair("en-uk", {"A": 1.0, "B": 2.0}, 4)
    gaps.value[:40:2] = gaps.value[41::2] = np.nan
    [answer], report = rank(concatenate_scores([BOTH, gaps]), by="arr")
    assert list(answer.answers) == ["en-de", "en-cs"]
    reason = "en-uk is left out: Systems cannot be ranked by arr: no segment has scores"
    assert [note for note in report.notes if note.startswith(reason)]
    with pytest.raises(
        CorpusError, match="en-de is left out: 40 of 40 segments have no"
    ):
        rank(BOTH, macro="domain")


def test_metrics_rank_several_pairs_together():
    metrics = [
        draw_pair(lang, {"A": 3.0, "B": 2.0, "C": 1.0}, seed, scorer=Scorer(name))
        for seed, (lang, name) in enumerate([("en-de", "m"), ("en-cs", "m")])
    ]
    [answer], report = rank(concatenate_scores(metrics), by="autorank")
    heads = [column.heading for column in report.tables[0].columns]
    assert heads == ["system", "mean rank", "pairs", "en-de", "en-cs"]
    assert answer.overview.averages == [1.0, 2.0, 3.0]
    assert not any("cluster" in note for note in report.notes)


def test_one_command_gives_all_formats(write, cli):
    lines = ["system\tsegment\tlang\tda"]
    lines += [
        f"{name}\t{at}\t{lang}\t{10 * place + (7 * at + place) % 5}"
        for lang, names in (("en-de", "ABC"), ("en-cs", "AB"))
        for place, name in enumerate(names)
        for at in range(30)
    ]
    path = write("s.tsv", lines)
    options = ("--scorer", "da", "--format")
    data = json.loads(cli("meta", "rank", path, *options, "json").out)
    assert [row["mean rank"] for row in data["tables"]["overview"]] == [
        1.0,
        1.5,
        2.5,
    ]
    assert list(data["p"]) == ["en-de", "en-cs"]
    latex = cli("meta", "rank", path, *options, "latex").out
    assert r"C & 1.00 & 100.0 & 1 & \textbf{1} & – \\" in latex
    assert "* or bold: in the first cluster of its language pair" in latex
    markdown = cli("meta", "rank", path, *options, "markdown").out
    assert "| C | 1.00 | 100.0 | 1 | **1** | – |" in markdown
    picture = str(path).replace("s.tsv", "p.svg")
    assert cli("meta", "rank", path, "--scorer", "da", "--plot", picture).code == 0


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c", "d"]),
        st.dictionaries(st.sampled_from("VWXYZ"), st.integers(1, 4), min_size=1),
        min_size=1,
    )
)
def test_overview_against_a_plain_twin(clusters_by_pair):
    rankings = {}
    places = defaultdict(dict)
    for pair, clusters in clusters_by_pair.items():
        ordered = sorted(clusters, key=lambda name: (clusters[name], name))
        numbers = [clusters[name] for name in ordered]
        ranks = list(range(1, len(ordered) + 1))
        rankings[pair] = SimpleNamespace(systems=ordered, ranks=ranks, clusters=numbers)
        for rank_, name, number in zip(ranks, ordered, numbers, strict=True):
            places[name][pair] = rank_, number
    overview = combine_rankings(rankings)
    expected = {
        name: sum(rank_ for rank_, _ in own.values()) / len(own)
        for name, own in places.items()
    }
    assert dict(zip(overview.systems, overview.averages, strict=True)) == (
        pytest.approx(expected)
    )
    assert overview.averages == sorted(overview.averages)
    for name, own in places.items():
        first = [number == 1 for _, number in own.values()]
        assert overview.shares[name] == pytest.approx(100 * sum(first) / len(own))


def test_names_and_order_of_pairs_change_nothing():
    [one], _ = rank(BOTH)
    [other], _ = rank(concatenate_scores([*PAIRS.values()][::-1]))
    assert one.overview.systems == other.overview.systems
    assert one.overview.averages == other.overview.averages
    np.testing.assert_array_equal(one.overview.ranks, other.overview.ranks[:, ::-1])
    assert DEFAULT.select(BOTH).languages == ["en-de", "en-cs"]
