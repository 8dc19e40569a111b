"""What can be scored: columns of every kind, and the message for everything else."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import metra
from metra.corpus.batch import Batch, BatchPosition, Sentence
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, LengthError
from metra.text.preparation import Preparation

HYPS = ["the cat sat on the mat", "", "é 中 😀 four words"]
REFS = [
    ["the cat sat on a mat", "nothing", "é 中 😀 four"],
    ["a cat sat", "", "four words"],
]
LACKING = [["the cat sat on a mat", None, "é 中 😀 four"], ["a cat sat", "", None]]

KINDS = {
    "list": list,
    "tuple": tuple,
    "numpy objects": lambda column: np.array(column, dtype=object),
    "pandas": lambda column: pd.Series(column, index=[7, 7, 3]),
    "pandas objects": lambda column: pd.Series(column, dtype=object),
    "pandas strings": lambda column: pd.Series(column, dtype="string"),
    "pandas categories": lambda column: pd.Series(column, dtype="category"),
    "pandas on Arrow": lambda column: pd.Series(
        column, dtype=pd.ArrowDtype(pa.string())
    ),
    "pandas values": lambda column: pd.Series(column, dtype="string").to_numpy(),
    "polars": pl.Series,
    "polars categories": lambda column: pl.Series(column, dtype=pl.Categorical),
    "Arrow": pa.array,
    "large Arrow": lambda column: pa.array(column, pa.large_string()),
    "Arrow in chunks": lambda column: pa.chunked_array([column[:1], column[1:]]),
    "Arrow dictionary": lambda column: pa.array(column).dictionary_encode(),
    "generator": lambda column: (text for text in column),
}


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_every_kind_score_the_same(kind):
    make = KINDS[kind]
    expected = metra.score(HYPS, REFS)
    found = metra.score(make(HYPS), [make(ref) for ref in REFS])
    assert found.rows.tolist() == expected.rows.tolist()
    assert found.signature == expected.signature


@pytest.mark.parametrize("kind", KINDS)
def test_missing_references_of_every_kind(kind):
    make = KINDS[kind]
    expected = metra.score(HYPS, LACKING)
    found = metra.score(make(HYPS), [make(ref) for ref in LACKING])
    assert found.rows.tolist() == expected.rows.tolist()
    assert "|nrefs:var|" in found.signature


def test_numpy_strings():
    for dtype in ("U", np.dtypes.StringDType()):
        hyps, refs = np.array(HYPS, dtype), np.array(REFS[0], dtype)
        assert metra.score(hyps, [refs]).score == metra.score(HYPS, REFS[:1]).score


def test_not_a_number_is_missing():
    lacking = [[*ref[:2], float("nan")] for ref in REFS[1:]]
    assert metra.score(HYPS, [REFS[0], *lacking]).nrefs == "var"


def test_one_stream_may_stand_alone():
    expected = metra.score(HYPS, [REFS[0]]).rows.tolist()
    for kind in ("list", "tuple", "pandas", "polars", "Arrow", "numpy objects"):
        assert metra.score(HYPS, KINDS[kind](REFS[0])).rows.tolist() == expected


def test_references_of_each_segment():
    expected = metra.score(HYPS, LACKING)
    found = metra.score(
        HYPS,
        refs_per_segment=[
            ["the cat sat on a mat", "a cat sat"],
            [""],
            ["é 中 😀 four", None],
        ],
    )
    assert found.score == expected.score
    assert found.nrefs == "var"


def test_references_of_each_segment_as_a_column_of_lists():
    lists = pa.array([["a b", "c"], ["d"], ["e"]])
    for column in (lists.to_pylist(), pl.Series(lists.to_pylist())):
        assert metra.score(HYPS, refs_per_segment=column).nrefs == "var"


FRAME = {"x": ["a", "b"], "y": ["c", "d"]}
SEQUENCE = "expected a sequence of strings, one per segment."
WRONG = [
    pytest.param("a b", ["c"], f"hyps is one str; {SEQUENCE}",
                 id="one string for outputs"),
    pytest.param(b"a", ["c"], f"hyps is one bytes; {SEQUENCE}",
                 id="bytes for outputs"),
    pytest.param({"a": 1}, ["c"], f"hyps is a dict; {SEQUENCE}",
                 id="a dict"),
    pytest.param({"a", "b"}, [["a", "b"]],
                 f"hyps is a set; {SEQUENCE}",
                 id="a set has no order"),
    pytest.param(3, ["c"], "hyps is a value of type int; expected a sequence of strings.",
                 id="a number"),
    pytest.param(pd.DataFrame(FRAME), [["a", "b"]],
                 "hyps is a DataFrame; expected one of its columns, one string per "
                 "segment.",
                 id="a pandas table, whose length is its number of rows"),
    pytest.param(["a", "b"], pd.DataFrame(FRAME),
                 "refs is a DataFrame; expected one of its columns, one string per "
                 "segment.",
                 id="a pandas table of references"),
    pytest.param(["a", "b"], [pl.DataFrame(FRAME)],
                 "reference 1 is a DataFrame; expected one of its columns, one "
                 "string per segment.",
                 id="a polars table"),
    pytest.param(pa.table(FRAME), [["a", "b"]],
                 "hyps is a Table; expected one of its columns, one string per "
                 "segment.",
                 id="an Arrow table"),
    pytest.param(["a", 3], [["b", "c"]],
                 "Segment 2 of the output 'hyps' is a value of type int; expected a string.",
                 id="a number among strings"),
    pytest.param(["a", "\ud800"], [["b", "c"]],
                 "Segment 2 of the output 'hyps' is a lone surrogate; expected a string.",
                 id="half a character"),
    pytest.param(["a", None], [["b", "c"]],
                 "Segment 2 of the output 'hyps' is missing; every segment needs an "
                 "output; use an empty string if the system gave none.",
                 id="a missing output"),
    pytest.param(["a", "b", "e"], [["c", None, "e"], ["d", None, "f"]],
                 "Segment 2 has no reference; give at least one, an empty string if "
                 "nothing is expected.",
                 id="no reference at all"),
    pytest.param(["a", "b"], [["c", b"d"]],
                 "Segment 2 of reference 1 is a value of type bytes; expected a string.",
                 id="bytes among strings"),
    pytest.param(["a"], [], 
                 "No references were given; expected at least one stream of segments.",
                 id="no stream"),
    pytest.param(["a"], "b", f"refs is one str; {SEQUENCE}",
                 id="one string for references"),
    pytest.param(["a", "b"], ["c", ["d"]],
                 "refs mixes strings and sequences; expected a list of streams, each a "
                 "sequence of strings, or refs_per_segment=.",
                 id="strings and streams"),
    pytest.param([], [[]],
                 "The input has no segments; expected at least one line in every "
                 "stream.",
                 id="nothing to score"),
]  # fmt: skip


@pytest.mark.parametrize(("hyps", "refs", "message"), WRONG)
def test_wrong_columns(hyps, refs, message):
    with pytest.raises(CorpusError) as caught:
        metra.score(hyps, refs)
    assert str(caught.value) == message


def test_references_are_given_one_way():
    with pytest.raises(CorpusError) as caught:
        metra.score(["a"], ["a"], refs_per_segment=[["a"]])
    assert str(caught.value) == ("Give either refs or refs_per_segment, not both.")


@pytest.mark.parametrize(
    ("per_segment", "message"),
    [
        (
            ["a", "b"],
            "refs_per_segment[0] is one str; expected a sequence of strings, one per "
            "segment.",
        ),
        (
            [["a"], []],
            "Segment 2 has no reference; give at least one, an empty string if "
            "nothing is expected.",
        ),
        (
            [["a"]],
            "hyps has 2 segments but reference 1 has 1; "
            "each entry must be one segment, in the same order everywhere.",
        ),
        (
            [["a", "b"]],
            "hyps has 2 segments but reference 1 has 1; "
            "each entry must be one segment, in the same order everywhere. "
            "If entries of refs_per_segment are streams, give refs.",
        ),
    ],
    ids=["strings", "an empty list", "too few", "streams"],
)
def test_wrong_references_of_segments(per_segment, message):
    with pytest.raises(CorpusError) as caught:
        metra.score(["x", "y"], refs_per_segment=per_segment)
    assert str(caught.value) == message


LENGTHS = [
    (
        {"refs": [["a", "b"], ["c"]], "documents": ["x", "y", "z"]},
        "reference 2 has 1 segment but reference 1 has 2",
    ),
    (
        {"refs": [["a"]], "source": ["x", "y"]},
        "the source has 2 segments but reference 1 has 1",
    ),
    (
        {"refs": [["a"]], "documents": []},
        "the list of documents has 0 segments but reference 1 has 1",
    ),
]


# Each case: outputs, references by segment given as refs, and what is said about lengths.
BY_SEGMENT = [
    pytest.param(
        ["x", "y", "z"],
        [["a", "b"], ["c", "d"], ["e", "f"]],
        "hyps has 3 segments but reference 1 has 2",
        id="fewer references than segments",
    ),
    pytest.param(
        ["x", "y"],
        [["a", "b", "c"], ("d", "e", "f")],
        "hyps has 2 segments but reference 1 has 3",
        id="more references than segments",
    ),
    pytest.param(
        ["x", "y"],
        [["a"], ["b", "c"]],
        "reference 2 has 2 segments but reference 1 has 1",
        id="numbers that vary",
    ),
]


@pytest.mark.parametrize(("hyps", "refs", "message"), BY_SEGMENT)
def test_references_by_segment_where_streams_are_expected(hyps, refs, message):
    with pytest.raises(LengthError) as caught:
        metra.score(hyps, refs)
    assert str(caught.value) == (
        f"{message}; each entry must be one segment, in the same order everywhere. "
        "If entries of refs are the references of a segment, give refs_per_segment."
    )
    assert metra.score(hyps, refs_per_segment=refs).score == 0


def test_columns_of_lists():
    hyps, refs = ["a b", "c d", "e f"], [["a b", "x"], ["c d", "y"], ["z", "e f"]]
    arrays = [np.array(texts) for texts in refs]
    for make in (pd.Series, pl.Series, pa.array, np.array, lambda _: pd.Series(arrays)):
        column = make(refs)
        with pytest.raises(CorpusError) as caught:
            metra.score(hyps, column)
        assert str(caught.value) == (
            "refs is a column of lists; expected a column of strings or a list of "
            "such columns. If each entry holds the references of a segment, use "
            "refs_per_segment."
        )
        assert metra.score(hyps, None, "wer", refs_per_segment=column).score == 0


def test_lengths_that_fit_no_reading_get_no_hint():
    with pytest.raises(LengthError) as caught:
        metra.score(["x", "y", "z", "w"], [["a", "b"], ["c", "d"], ["e", "f"]])
    assert "refs_per_segment" not in str(caught.value)


SQUARE = [["the cat sat", "the cat was sitting"], ["a dog barked", "one dog barked"]]


def test_references_that_can_be_read_both_ways_are_refused():
    hyps = ["the cat sat", "a dog barked"]
    for refs in (SQUARE, tuple(map(tuple, SQUARE))):
        with pytest.raises(CorpusError) as caught:
            metra.score(hyps, refs)
        assert str(caught.value) == (
            "refs has 2 entries of 2 texts each, so an entry could be a stream or "
            "the references of a segment; give refs_per_segment=refs if entries are "
            "segments, or refs_per_segment=list(zip(*refs)) if they are streams."
        )
    with pytest.raises(CorpusError, match="could be a stream"):
        EvalSet(SQUARE)
    spec = "wer"
    assert metra.score(hyps, metric=spec, refs_per_segment=SQUARE).score == 0
    streams = list(zip(*SQUARE, strict=True))
    assert metra.score(hyps, metric=spec, refs_per_segment=streams).score > 0


def test_references_that_both_readings_agree_on_are_taken():
    assert metra.score(["a b"], [["a b"]], "wer").score == 0
    mirrored = [["a", "b"], ["b", "a"]]
    assert metra.score(["b", "b"], mirrored, "wer").score == 0


@pytest.mark.parametrize("kind", ["numpy objects", "pandas", "polars", "Arrow"])
def test_columns_of_tables_are_streams(kind):
    hyps = ["the cat sat", "the cat was sitting", "x"]
    streams = [KINDS[kind]([*column, "x"]) for column in SQUARE]
    streams.append(KINDS[kind](["a", "b", "c"]))
    assert metra.score(hyps, streams, "wer").score == 0


@pytest.mark.parametrize(("given", "message"), LENGTHS)
def test_unequal_lengths(given, message):
    with pytest.raises(LengthError) as caught:
        EvalSet(**given)
    assert str(caught.value) == (
        f"{message}; each entry must be one segment, in the same order everywhere."
    )


def test_unequal_outputs():
    with pytest.raises(LengthError) as caught:
        metra.evaluate(EvalSet([["a"]]), {"x": ["a"], "y": ["a", "b"]}, ["bleu"])
    assert str(caught.value).startswith("y has 2 segments but reference 1 has 1; ")


def test_no_outputs():
    with pytest.raises(CorpusError) as caught:
        metra.evaluate(EvalSet([["a"]]), {}, ["bleu"])
    assert str(caught.value) == (
        "No output was given; give the segments of at least one system."
    )


def test_positions_count_from_the_start_of_the_corpus():
    hyps = ["a"] * 2000
    hyps[1500] = None
    with pytest.raises(
        CorpusError, match="Segment 1501 of the output 'hyps' is missing"
    ):
        metra.score(hyps, [["a"] * 2000])
    hyps[1500] = 7
    with pytest.raises(
        CorpusError, match="Segment 1501 of the output 'hyps' is a value"
    ):
        metra.score(hyps, [["a"] * 2000])


@pytest.mark.parametrize(
    "documents",
    [
        ["x", "y"],
        ("x", "y"),
        np.array(["x", "y"]),
        pd.Series(["x", "y"]),
        pa.array(["x", "y"]),
    ],
    ids=["list", "tuple", "numpy", "pandas", "Arrow"],
)
def test_documents_of_every_kind(documents):
    evalset = EvalSet([["a", "b"]], documents=documents)
    assert evalset.documents == ["x", "y"]
    assert all(type(document) is str for document in evalset.documents)


def test_one_string_is_no_list_of_documents():
    with pytest.raises(CorpusError, match="the list of documents is one str; expected"):
        EvalSet([["a", "b"]], documents="xy")


def test_an_evalset_knows_its_length():
    assert len(EvalSet([["a", "b"]])) == 2
    assert len(Batch(["a", "b"], [["a", "b"]])) == 2
    assert len(Sentence("a", ["b"])) == 1


def test_tokens_and_hits_are_made_once():
    batch = Batch(["a b"], [["a c"]])
    chosen = Preparation("13a", "mixed", "no")
    assert batch.hits(chosen) is batch.hits(chosen)
    assert batch.hyps.tokens(chosen) is batch.hyps.tokens(chosen)


def test_systems_share_their_references():
    corpus = Outputs(EvalSet([["a b"]]), {"x": ["a"], "y": ["b"]})
    chunk = next(corpus.chunks(10))
    assert chunk.batch("x").refs[0] is chunk.batch("y").refs[0]


@pytest.mark.parametrize("size", [1, 2])
def test_the_source_goes_with_the_outputs(size):
    corpus = Outputs(EvalSet([["a", "b"]], ["x", None]), {"sys": ["c", "d"]})
    assert corpus.has_source
    batches = [chunk.batch("sys") for chunk in corpus.chunks(size)]
    found = [batch.source.text[at] for batch in batches for at in range(len(batch))]
    assert found == ["x", None]
    assert Batch(["c"], [["a"]], ["x"]).source.text[0] == "x"
    assert Batch(["c"], [["a"]]).source is None


def test_a_batch_knows_its_place():
    evalset = EvalSet([["a", "b", "c"]], documents=["d1", "d1", "d2"])
    corpus = Outputs(evalset, {"x": ["1", "2", "3"]})
    places = [chunk.batch("x").place for chunk in corpus.chunks(2)]
    assert places == [
        BatchPosition("x", 0, ["d1", "d1"], ("x",)),
        BatchPosition("x", 2, ["d2"], ("x",)),
    ]
    assert Batch(["c"], [["a"]]).place == BatchPosition()


def test_a_batch_may_be_a_view_of_part_of_a_column():
    corpus = Outputs(EvalSet([["a", "b", "c"]]), {"x": pa.array(["1", "2", "3"])})
    texts = [chunk.systems["x"].text[0] for chunk in corpus.chunks(1)]
    assert texts == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("refs", "message"),
    [
        ("a b", "refs is one string; expected the list of the segment's references."),
        ([], "refs is empty; a segment needs at least one reference."),
    ],
)
def test_a_sentence_needs_a_list_of_references(refs, message):
    with pytest.raises(CorpusError) as caught:
        metra.metric("bleu").sentence("a", refs)
    assert str(caught.value) == message
