"""Terms that are right: worked by hand, against a plain twin, and on shared tasks' data."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metra
from metra.errors import CorpusError, OptionError

SOURCE = ["Le frein à disque.", "Les freins", "Rien", "Le Frein et le frein"]
OUTPUTS = ["The disc brake", "The brakes", "The brake", "A retarder"]
TERMS = [
    "term\tvariants\tsource",
    "brake\tbrakes\tfrein",
    "disc brake\t\tfrein à disque",
]


@pytest.fixture
def terms(write):
    return str(write("terms.tsv", TERMS))


def score(spec, outputs=OUTPUTS, source=SOURCE):
    return metra.score(outputs, metric=spec, source=source)


@pytest.mark.parametrize(
    ("options", "segments", "parts"),
    [
        pytest.param(
            "",
            [100, None, None, 0],
            {"right": 2, "by_variant": 0, "due": 3},
            id="two terms are due in segment 1, one, once, in segment 4",
        ),
        pytest.param(
            ",source_stem=french",
            [100, 100, None, 0],
            {"right": 3, "by_variant": 1, "due": 4},
            id="freins is a form of frein, and brakes a variant",
        ),
        pytest.param(
            ",source_stem=french,variants=no",
            [100, 0, None, 0],
            {"right": 2, "by_variant": 0, "due": 4},
            id="variants are wrong",
        ),
        pytest.param(
            ",source_stem=french,variants=no,stem=english",
            [100, 100, None, 0],
            {"right": 3, "by_variant": 0, "due": 4},
            id="brakes is a form of brake",
        ),
        pytest.param(
            ",source_stem=french,variants=no,inside=yes",
            [100, 100, None, 0],
            {"right": 3, "by_variant": 0, "due": 4},
            id="brakes has brake in it",
        ),
    ],
)
def test_by_hand(terms, options, segments, parts):
    result = score(f"terminology:file={terms}{options}")
    found = [None if math.isnan(s) else s for s in result.segments.tolist()]
    assert found == segments
    assert result.parts == parts
    assert result.score == pytest.approx(100 * parts["right"] / parts["due"])


def test_letter_case_counts_if_so_wished(terms):
    outputs = ["The Disc Brake", "", "", "BRAKE"]
    assert score(f"terminology:file={terms}", outputs).score == 100
    assert score(f"terminology:file={terms},case=mixed", outputs).score == 0
    inside = f"terminology:file={terms},case=mixed,inside=yes"
    assert score(inside, ["The disc brakeman", "", "", "BRAKE"]).parts["right"] == 2


def test_terms_of_segments_need_no_source(write):
    path = write("t.tsv", ["segment\tterm", "1\tdisc brake", "4\tbrake", "4\tretarder"])
    result = metra.score(OUTPUTS, metric=f"terminology:file={path}")
    assert result.parts == {"right": 2, "by_variant": 0, "due": 3}


def test_by_document(terms, write, cli):
    output, source = write("o.txt", OUTPUTS), write("s.txt", SOURCE)
    docs = write("d.txt", ["a", "a", "b", "b"])
    spec = f"terminology:file={terms},unit=document"
    ran = cli("score", output, "-s", source, "--docs", docs, "-m", spec, "--level",
              "document", "--details", "--format", "json")  # fmt: skip
    (system,) = json.loads(ran.out)["systems"]
    # In b frein is due, and the output has brake, though in another segment.
    assert system["documents"][spec] == {"a": 100, "b": 100}
    assert system["scores"][spec]["parts"]["due"] == 3
    listed = write("l.tsv", ["document\tterm", "a\tdisc", "a\tdrum", "b\tretarder"])
    spec = f"terminology:file={listed},unit=document"
    ran = cli(
        "score", output, "--docs", docs, "-m", spec, "--details", "--format", "json"
    )
    (system,) = json.loads(ran.out)["systems"]
    assert system["scores"][spec]["parts"] == {"right": 2, "by_variant": 0, "due": 3}
    assert [entry["text"] for entry in system["details"][spec]] == ["drum"]


def test_a_list_of_key_terms_of_one_text(write):
    path = write("t.tsv", ["term", "brake", "drum"])
    spec = f"terminology:file={path},unit=document"
    assert metra.score(OUTPUTS, metric=spec).parts["right"] == 1
    evalset = metra.EvalSet(documents=["a", "a", "b", "b"])
    with pytest.raises(CorpusError) as caught:
        metra.evaluate(evalset, {"x": OUTPUTS}, [spec])
    assert str(caught.value) == (
        f"{path} does not say in which of the 2 documents 'brake' is required; add a "
        "column document, segment or source."
    )


def test_details(terms):
    metric = metra.metric(f"terminology:file={terms}")
    (missing,) = metric.notes.details(metra.Batch(OUTPUTS, source=SOURCE))
    assert (missing.at, missing.text, missing.about) == (
        3,
        "brake",
        {"source": "frein"},
    )


def test_refusals(write, terms):
    lone = write("t.tsv", ["term", "brake"])
    with pytest.raises(OptionError) as caught:
        metra.metric(f"terminology:file={lone}")
    assert str(caught.value) == (
        f"terminology: {lone} does not say in which segments 'brake' is required; add "
        "a column segment or source, or give unit=document."
    )
    blank = write("b.tsv", ["term\tsource", "\u00a0\u3000x\ty", "…\tz"])
    assert metra.metric(f"terminology:file={blank}")
    with pytest.raises(CorpusError, match="needs the source; give `source`"):
        metra.score(OUTPUTS, metric=f"terminology:file={terms}")


words = st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join)
few = st.lists(st.sampled_from("abcd"), min_size=1, max_size=2).map(" ".join)
entries = st.lists(st.tuples(few, few), min_size=1, max_size=5, unique=True)


@given(st.lists(st.tuples(words, words), min_size=1, max_size=5), entries)
def test_twin(tmp_path_factory, pairs, entries):
    path = tmp_path_factory.mktemp("t") / "t.tsv"
    lines = ["term\tsource", *(f"{term}\t{source}" for term, source in entries)]
    path.write_text("\n".join(lines))
    outputs, sources = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = score(f"terminology:file={path}", outputs, sources).parts
    due = [
        f" {term} " in f" {output} "
        for output, source in pairs
        for term, own in entries
        if f" {own} " in f" {source} "
    ]
    assert (found["right"], found["due"]) == (sum(due), len(due))
