"""Outputs cut like their references: the edit distance is that of a plain search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.textbook import compute_distance

from metra.errors import CorpusError, LengthError
from metra.text.sentences.resegmentation import find_cuts, make_key, resegment


def find_minimum(words, segments):
    """Try every way to cut the words."""
    best = {0: 0}
    for versions in segments:
        longer = {}
        for start, edits in best.items():
            for end in range(start, len(words) + 1):
                part = words[start:end]
                total = edits + min(
                    compute_distance(part, version) for version in versions
                )
                longer[end] = min(total, longer.get(end, total))
        best = longer
    return best[len(words)]


WORDS = st.lists(st.integers(0, 3), max_size=12)
VERSIONS = st.lists(st.lists(st.integers(-1, 3), max_size=5), min_size=1, max_size=3)
SEGMENTS = st.lists(VERSIONS, min_size=1, max_size=4)


def check_cuts(words, segments, preferred=()):
    cuts = find_cuts(words, segments, preferred)
    positions = [cut.position for cut in cuts]
    assert positions == sorted(positions)
    assert positions[0] == 0
    assert positions[-1] == len(words)
    assert len(cuts) == len(segments) + 1
    for start, cut, versions in zip(positions, cuts[1:], segments, strict=False):
        part = words[start : cut.position]
        assert cut.edits == min(compute_distance(part, version) for version in versions)
    assert sum(cut.edits for cut in cuts) == find_minimum(words, segments)
    return positions


@pytest.mark.seed("5.68")
@given(WORDS, SEGMENTS, st.sets(st.integers(0, 12)))
def test_the_edit_distance_is_minimal(words, segments, preferred):
    check_cuts(words, segments, preferred)


@given(WORDS, SEGMENTS, st.sets(st.integers(0, 12)), st.integers(0, 3))
def test_slack_is_the_most_that_a_cut_costs(words, segments, preferred, slack):
    cuts = find_cuts(words, segments, preferred, slack)
    total = 0
    for left, right, versions in zip(cuts, cuts[1:], segments, strict=False):
        part = words[left.position : right.position]
        assert right.edits == min(
            compute_distance(part, version) for version in versions
        )
        total += right.edits
    most = find_minimum(words, segments) + slack * (len(segments) - 1)
    assert total <= most


def test_slack_moves_a_cut_to_the_end_of_a_sentence():
    output = "He was sent home early. Sources said the plan followed a speech."
    references = ["He was sent home", "early sources said that the plan was his speech"]
    exact, loose = (
        [part.text for part in resegment(output, references, slack=slack)]
        for slack in (0, 2)
    )
    assert exact[0] == "He was sent home"
    assert loose[0] == "He was sent home early."


def test_slack_lets_a_part_be_empty_at_the_end():
    parts = resegment("It rains here.", ["It rains here.", "It rains."], slack=2)
    assert [part.text for part in parts] == ["It rains here.", ""]


@given(
    st.lists(
        st.lists(st.integers(0, 9), min_size=1, max_size=40), min_size=1, max_size=9
    )
)
def test_a_copy_is_cut_where_the_reference_is(segments):
    words = [word for segment in segments for word in segment]
    starts = [0]
    for segment in segments:
        starts.append(starts[-1] + len(segment))
    cuts = find_cuts(words, [[segment] for segment in segments], starts)
    assert sum(cut.edits for cut in cuts) == 0
    assert [cut.position for cut in cuts] == starts


def test_a_word_that_occurs_often_is_found_everywhere():
    words = [0, 1] * 40
    check_cuts(words[:20], [[[0, 1] * 4], [[0, 1] * 6]])
    cuts = find_cuts(words, [[[0, 1] * 15], [[0, 1] * 25]])
    assert [cut.position for cut in cuts] == [0, 30, 80]


def test_equal_cuts_are_decided_by_sentences():
    references = ["Rain fell.", "People stayed in."]
    parts = resegment("Rain fell. Oh! People stayed in.", references)
    assert [part.text for part in parts] == ["Rain fell. Oh!", "People stayed in."]
    parts = resegment("Rain fell so they say. People stayed in.", references)
    assert [part.text for part in parts] == [
        "Rain fell so they say.",
        "People stayed in.",
    ]
    assert [part.edits for part in parts] == [3, 0]
    assert [part.loose_words for part in parts] == [0, 0]


def test_an_unsure_cut_says_how_many_words_are_loose():
    parts = resegment("rain fell and so people stayed", ["rain fell", "people stayed"])
    assert sum(part.edits for part in parts) == 2
    assert parts[1].loose_words == 2


def test_several_references():
    parts = resegment(
        "It rains we stay at home",
        [["It is raining", "we remain here"], [None, "we stay at home"]],
    )
    assert [part.text for part in parts] == ["It rains", "we stay at home"]
    assert [part.edits for part in parts] == [2, 0]


@pytest.mark.parametrize(
    ("output", "references", "expected"),
    [
        pytest.param("", ["a b", "c"], ["", ""], id="an empty output"),
        pytest.param("a b", ["a b", ""], ["a b", ""], id="an empty reference"),
        pytest.param("(A b) C", ["a b", "c"], ["(A b)", "C"], id="case and punctuation"),
        pytest.param(["a", "b c"], ["a b", "c"], ["a b", "c"], id="lines"),
        pytest.param("a  b\tc", ["a b", "c"], ["a  b", "c"], id="blanks are kept"),
        pytest.param("彼は来た雨だ", ["彼が来た", "雨だ"], ["彼は来た", "雨だ"],
                     id="no blanks"),
        pytest.param(["彼は", "来た雨だ"], ["彼が来た", "雨だ"], ["彼は来た", "雨だ"],
                     id="lines without blanks"),
    ],
)  # fmt: skip
def test_texts(output, references, expected):
    assert [part.text for part in resegment(output, references)] == expected


def test_what_is_compared_of_a_word():
    assert make_key("„Straße!“") == "strasse"
    assert make_key("—") == "—"
    assert make_key("&quot;It&#39;s") == "it's"


def test_confidence():
    parts = resegment("a b x y", ["a b", "c d e f"])
    assert [part.confidence for part in parts] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("references", "message"),
    [
        pytest.param([], "No reference segments were given", id="no stream"),
        pytest.param([[]], "No reference segments were given", id="no segment"),
        pytest.param([["a", None]], "Segment 2 has no reference", id="missing"),
    ],
)
def test_bad_references(references, message):
    with pytest.raises(CorpusError, match=message):
        resegment("a", references)


def test_unequal_streams():
    with pytest.raises(LengthError, match="reference 2 has 1 segment but"):
        resegment("a", [["a", "b"], ["a"]])
