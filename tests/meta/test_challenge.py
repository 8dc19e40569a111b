"""The question `challenge`: contrastive files of every kind, metrics and outside scores."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metra
from metra.errors import MetraError
from metra.formats.annotations.challenge_set import ChallengeSet, read_challenge_set
from metra.meta.challenge import (
    ALL,
    MEAN,
    report_challenge,
    score_challenge,
)
from metra.meta.options import ChallengeOptions
from metra.stats.distributions import wilson_interval

#: Columns as ACES has them, with another program's scores; the last pair is no pair.
ACES = [
    "source\tgood-translation\tincorrect-translation\treference\tphenomena\tlangpair"
    "\tX-good\tX-bad",
    "le chat dort\tthe cat sleeps\tthe dog sleeps\tthe cat is asleep\tantonym\tfr-en\t2\t1",
    "il pleut\tit rains\tit snows\tit is raining\tantonym\tfr-en\t2\t2",
    "trois pommes\tthree apples\tfour apples\tthree apples\tnumber\tit-en\t1\t3",
    "trois pommes\tthree apples\tten apples\tthree apples\tnumber\tfr-en\t4\t",
    "deux\ttwo\ttwo\ttwo\tnumber\tfr-en\t4\t1",
]
DEMETR = {
    "src_sent": "il pleut",
    "mt_sent": "it rains",
    "pert_sent": "it snows",
    "eng_sent": "it is raining",
    "pert_name": "critical_id7_antonym",
    "lang_tag": "french",
    "pert_check": True,
}


@pytest.fixture
def aces(write):
    return read_challenge_set(str(write("aces.tsv", ACES)))


def test_a_table_as_aces_has_it(aces):
    assert (aces.good[0], aces.bad[0]) == ("the cat sleeps", "the dog sleeps")
    assert aces.phenomenon[2:4] == ["number", "number"]
    assert aces.lang[2] == "it-en"
    good, bad = aces.scores["X"]
    assert list(good) == [2, 2, 1, 4, 4]
    assert math.isnan(bad[3])


FORMS = [
    pytest.param(json.dumps([DEMETR, DEMETR]), id="array"),
    pytest.param("\n".join([json.dumps(DEMETR)] * 2), id="lines"),
]


@pytest.mark.parametrize("text", FORMS)
def test_json_as_demetr_has_it(text, write):
    found = read_challenge_set(str(write("d.json", [text])))
    assert (len(found), found.reference) == (2, ["it is raining"] * 2)
    assert (found.phenomenon[0], found.lang[0]) == ("critical_id7_antonym", "french")


def test_accuracy_counts_ties_as_mistakes_and_leaves_out_what_is_no_pair(aces):
    found = score_challenge(aces, ["chrf"], ChallengeOptions(trials=50))
    mine = found.scores["X"]
    assert (mine["antonym"].pairs, mine["antonym"].right, mine["antonym"].tied) == (
        2,
        1,
        1,
    )
    assert mine["antonym"].accuracy == 0.5
    assert mine["antonym"].tau == 0
    # One of the two pairs has no score.
    assert (mine["number"].pairs, mine["number"].accuracy) == (1, 0)
    assert (mine[ALL].pairs, mine[ALL].accuracy) == (3, pytest.approx(1 / 3))
    assert mine[MEAN].accuracy == 0.25
    assert (found.pairs, found.equal, found.sources) == (5, 1, 3)
    chrf = found.scores["chrf"]
    assert chrf[ALL].pairs == 4
    scores = [
        [metra.score([text], [[ref]], "chrf").score for text in pair]
        for *pair, ref in zip(aces.good, aces.bad, aces.reference, strict=True)
        if pair[0] != pair[1]
    ]
    assert chrf[ALL].right == sum(good > bad for good, bad in scores)
    # Two pairs share a source: three cases.
    assert mine[ALL].interval == wilson_interval(1 / 3, 3)
    assert chrf["number"].interval == wilson_interval(1.0, 1)


def test_lower_may_be_better(aces):
    options = ChallengeOptions(lower=("X",), trials=0)
    found = score_challenge(aces, (), options).scores["X"]
    assert (found["antonym"].right, found["number"].right) == (0, 1)
    assert found[ALL].interval is None


def test_a_metric_whose_lower_scores_are_better_is_turned(aces):
    found = score_challenge(aces, ["ter"], ChallengeOptions(trials=0))
    assert found.scores["ter"]["number"].right == 2


def test_command_and_report(aces, write, cli):
    path = write("aces.tsv", ACES)
    ran = cli("meta", "card", "--show=challenge", path, "-m", "bleu")
    assert ran.code == 0, ran.err
    assert "1 of 5 pairs have equal translations and are excluded." in ran.out
    assert "Ties, which count as errors: X 1" in ran.out
    assert "Pairs without a score: X 1." in ran.out
    report = report_challenge(
        score_challenge(aces, (), ChallengeOptions()), ChallengeOptions()
    )
    assert "|pairs:4|" in str(report.signature)
    rows = {each["phenomenon"]: each for each in report.data["challenge"]}
    assert rows["antonym"]["tau"] == 0
    counted = {name: rows["antonym"][name] for name in ("pairs", "right", "tied")}
    assert counted == {"pairs": 2, "right": 1, "tied": 1}


REFUSED = [
    pytest.param(["good\tx", "a\tb"], "has no column of bad translations", id="no bad"),
    pytest.param(["good\tbad"], "contains no pairs", id="empty"),
    pytest.param(["good\tbad\tX-good", "a\tb\t1"], "but no X-bad", id="one side"),
    pytest.param(
        ["good\tbad\tX-good\tX-bad", "a\tb\tone\t2"],
        "line 2 has 'one' in the column X-good; expected a number",
        id="text",
    ),
    pytest.param(["[1]"], "entry 1 is not an object", id="numbers"),
]


@pytest.mark.parametrize(("lines", "message"), REFUSED)
def test_refused_files(lines, message, write, cli):
    ran = cli(
        "meta", "card", "--show=challenge", write("pairs.tsv", lines), "-m", "bleu"
    )
    assert ran.code == 2
    assert message in ran.err


def test_refused_questions(write, cli):
    bare = ChallengeSet("p", ["a"], ["b"], None, None, [""], [""], {})
    with pytest.raises(MetraError, match="No metric to evaluate"):
        score_challenge(bare, (), ChallengeOptions())
    same = ChallengeSet("p", ["a"], ["a"], None, None, [""], [""], {"X": ([1], [2])})
    with pytest.raises(MetraError, match="All pairs of p have equal translations"):
        score_challenge(same, (), ChallengeOptions())
    path = write("aces.tsv", ACES)
    ran = cli("meta", "card", "--show=challenge", path, path)
    assert ran.code == 2
    assert "Give one challenge set; found 2 files." in ran.err


@given(st.integers(1, 400), st.data())
def test_wilson_holds_the_share_and_solves_the_score_test(count, data):
    share = data.draw(st.integers(0, count)) / count
    low, high = wilson_interval(share, count)
    assert low <= share <= high
    for end in (low, high):
        if 1e-9 < end < 1 - 1e-9:
            error = math.sqrt(end * (1 - end) / count)
            assert abs(share - end) / error == pytest.approx(1.959964, abs=1e-4)
    assert wilson_interval(0.5, 0) is None


def test_the_mean_of_phenomena_draws_sources():
    rng = np.random.default_rng(5)
    good = rng.normal(0.4, 1, 60)
    pairs = ChallengeSet(
        "p",
        [f"g{at}" for at in range(60)],
        ["b"] * 60,
        [f"s{at // 2}" for at in range(60)],
        None,
        ["one", "two"] * 30,
        [""] * 60,
        {"X": (good.tolist(), [0.0] * 60)},
    )
    found = score_challenge(pairs, (), ChallengeOptions(trials=200)).scores["X"]
    low, high = found[MEAN].interval
    assert low < found[MEAN].accuracy < high
    assert found[ALL].interval == wilson_interval(found[ALL].accuracy, 30)


#: Phenomena of ACES with the weight of their category.
PHENOMENA = {
    "addition": 5,
    "omission": 5,
    "ambiguous-translation-wrong-sense-frequent": 5,
    "anaphoric_group_it-they:deletion": 5,
    "coreference-based-on-commonsense": 5,
    "hallucination-number-level-1": 5,
    "xnli-omission-neutral": 5,
    "lexical-overlap": 5,
    "modal_verb:deletion": 5,
    "nonsense": 5,
    "ordering-mismatch": 5,
    "overly-literal-vs-correct-idiom": 5,
    "pleonastic_it:deletion": 5,
    "copy-source": 1,
    "untranslated-vs-synonym": 1,
    "do-not-translate": 1,
    "hyponym-replacement": 5,
    "hypernym-replacement": 5,
    "antonym-replacement": 1,
    "commonsense-only-ref-ambiguous": 1,
    "real-world-knowledge-entailment": 1,
    "similar-language-low": 1,
    "punctuation:deletion_all": 0.1,
}
MISTRANSLATIONS = list(PHENOMENA)[2:13]


def make_aces(phenomena, seed):
    rng = np.random.default_rng(seed)
    names = [str(name) for name in rng.permutation([*phenomena] * 8)]
    texts = [f"text {at}" for at in range(len(names))]
    good, bad = rng.integers(0, 3, (2, len(names))).astype(float).tolist()
    sources = [f"source {at // 2}" for at in range(len(names))]
    langs = ["de-en"] * len(names)
    marred = [f"{text} not" for text in texts]
    scores = {"X": (good, bad)}
    return ChallengeSet("x", texts, marred, sources, None, names, langs, scores)


def test_the_aces_score_averages_phenomena_then_adds_up_categories():
    made = make_aces(PHENOMENA, 5)
    found = score_challenge(made, (), ChallengeOptions(trials=200))
    taus = {}
    for name in PHENOMENA:
        rows = [at for at, each in enumerate(made.phenomenon) if each == name]
        good, bad = made.scores["X"]
        right = sum(good[at] > bad[at] for at in rows)
        taus[name] = (2 * right - len(rows)) / len(rows)
    groups = [
        MISTRANSLATIONS,
        ["copy-source", "untranslated-vs-synonym"],
        list(PHENOMENA)[18:21],
    ]
    groups += [[name] for name in PHENOMENA if not any(name in g for g in groups)]
    expected = sum(
        PHENOMENA[group[0]] * sum(taus[name] for name in group) / len(group)
        for group in groups
    )
    value, (low, high) = found.aces["X"]
    assert len(groups) == 10
    assert value == pytest.approx(expected)
    assert -29.1 <= low < value < high <= 29.1
    report = report_challenge(found, ChallengeOptions())
    assert report.tables[0].rows[2][0].value == "ACES-Score"
    assert report.data["aces_score"]["X"]["value"] == value


@pytest.mark.parametrize(
    "phenomena",
    [
        pytest.param([*PHENOMENA][1:], id="a category lacks"),
        pytest.param([*PHENOMENA, "tone"], id="a phenomenon that ACES has not"),
    ],
)
def test_no_aces_score_of_other_phenomena(phenomena):
    found = score_challenge(make_aces(phenomena, 1), (), ChallengeOptions(trials=0))
    assert not found.aces
