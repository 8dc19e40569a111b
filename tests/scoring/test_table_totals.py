"""Functions of batches: whatever the cuts and the order, the totals are the same."""

import pickle
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metra
from metra.errors import CorpusError, FormatError, OptionError, UnfittedError
from metra.formats.texts.arrow_columns import NullValueError
from metra.scoring.plan import ScoringPlan, check_metrics
from metra.scoring.table_totals import (
    add_totals,
    count_totals,
    encode_weights,
    number_keys,
    score_rows,
    score_totals,
    scores_schema,
    totals_schema,
)
from metra.scoring.tables import check_schema
from metra.scoring.totals import GroupTotals

WORDS = "the a cat dog sat on mat , . house very big é 日本 «x»"
SPECS = ("bleu", "chrf", "ter", "wer", "meteor", "gtm:e=2", "f1", "nist", "ltv")


def table(rows: int = 500) -> pa.Table:
    rng = np.random.default_rng(7)
    words = WORDS.split(" ")

    def text(least: int = 0) -> str:
        return " ".join(rng.choice(words, rng.integers(least, 12)))

    refs = [text(1) for _ in range(rows)]
    return pa.table(
        {
            "hyp": [ref if rng.random() < 0.2 else text() for ref in refs],
            "other": [text() for _ in range(rows)],
            "ref": refs,
            "ref2": [None if rng.random() < 0.1 else text() for _ in range(rows)],
            "lp": rng.choice(["en-de", "fr-de", "ja-en"], rows).tolist(),
            "year": pa.array([None, 2003, 2004] * rows)[:rows],
            "doc": [f"d{at // 3}" for at in range(rows)],
        }
    )


def plan(**changed: object) -> ScoringPlan:
    known = {
        "metrics": SPECS,
        "outputs": (("A", "hyp"), ("B", "other")),
        "references": ("ref", "ref2"),
        "documents": "doc",
        "group_by": ("lp", "year"),
    }
    return ScoringPlan(**(known | changed))


def cut(rows: pa.Table, sizes: list[int]) -> list[pa.RecordBatch]:
    starts = np.cumsum([0, *sizes])
    bounds = [*(int(at) for at in starts if at < len(rows)), len(rows)]
    parts = pairwise(bounds)
    pieces = [rows.slice(start, stop - start) for start, stop in parts]
    return [batch for piece in pieces for batch in piece.combine_chunks().to_batches()]


def added(batches: list[pa.RecordBatch], wanted: ScoringPlan) -> list[dict]:
    weights = encode_weights(batches, wanted)
    totals = add_totals(count_totals(batch, wanted, weights) for batch in batches)
    names = [*wanted.group_by, "_system", "_metric"]
    return sorted(
        totals.to_pylist(), key=lambda row: [str(row[name]) for name in names]
    )


ROWS = table()
WHOLE = added(ROWS.to_batches(), plan())
WEIGHTS = encode_weights(ROWS.to_batches(), plan())


@settings(max_examples=12, deadline=None)
@given(sizes=st.lists(st.integers(1, 250), max_size=6), seed=st.integers(0, 99))
def test_cuts_and_order_change_no_digit(sizes, seed):
    batches = cut(ROWS, sizes)
    np.random.default_rng(seed).shuffle(batches)
    assert added(batches, plan()) == WHOLE


def test_rows_of_totals_may_come_in_any_order_and_parts():
    """Of one group, a part may have the row of one metric, and another that of the next."""
    wanted = plan(metrics=("bleu", "ter"), group_by=("lp", "doc"))
    totals = add_totals([count_totals(batch, wanted) for batch in cut(ROWS, [200] * 3)])
    order = np.random.default_rng(4).permutation(totals.num_rows)
    mixed = totals.take(pa.array(order))
    parts = [mixed.slice(at, 7) for at in range(0, len(order), 7)]
    assert score_totals(add_totals(parts), wanted) == score_totals(totals, wanted)
    twice = add_totals([totals, mixed])
    found = score_totals(twice, wanted)
    once = score_totals(totals, wanted)
    assert [2 * group.segments for group in once.groups] == [
        group.segments for group in found.groups
    ]


def test_the_same_scores_as_in_memory():
    totals = add_totals(count_totals(b, plan(), WEIGHTS) for b in ROWS.to_batches())
    found = score_totals(totals, plan())
    columns = ROWS.to_pydict()
    evalset = metra.EvalSet([columns["ref"], columns["ref2"]], documents=columns["doc"])
    outputs = {"A": columns["hyp"], "B": columns["other"]}
    expected = metra.evaluate(evalset, outputs, list(SPECS))
    assert found.segments == expected.segments
    assert found.references == expected.references
    for entry in expected.systems:
        for spec, score in entry.scores.items():
            mine = found[entry.name][spec]
            assert mine.score == pytest.approx(score.score, abs=1e-9, nan_ok=True)
            assert mine.signature == score.signature
            assert mine.parts.keys() == score.parts.keys()


def test_a_group_is_scored_as_if_it_were_alone():
    specs = ("bleu", "chrf", "ter")
    wanted = plan(metrics=specs, group_by=("lp",), references=("ref",))
    found = score_totals(
        add_totals([count_totals(ROWS.to_batches()[0], wanted)]), wanted
    )
    assert [group.key for group in found.groups] == [
        {"lp": "en-de"},
        {"lp": "fr-de"},
        {"lp": "ja-en"},
    ]
    assert sum(group.segments for group in found.groups) == len(ROWS)
    for group in found.groups:
        rows = [row for row in ROWS.to_pylist() if row["lp"] == group.key["lp"]]
        alone = metra.evaluate(
            metra.EvalSet([[row["ref"] for row in rows]]),
            {"A": [row["hyp"] for row in rows]},
            specs,
        )
        for spec in specs:
            assert group.systems[0].scores[spec].score == alone["A"][spec].score


def test_segment_scores_are_further_columns():
    wanted = plan(segments=True)
    batch = ROWS.to_batches()[0]
    found = score_rows(batch, wanted, WEIGHTS)
    assert found.schema == scores_schema(wanted, batch.schema)
    assert found.select(batch.schema.names) == batch
    columns = ROWS.to_pydict()
    expected = metra.evaluate(
        metra.EvalSet([columns["ref"], columns["ref2"]], documents=columns["doc"]),
        {"A": columns["hyp"], "B": columns["other"]},
        list(SPECS),
        levels=["segment"],
    )
    for system in "AB":
        for spec in SPECS:
            scores = found.column(f"{spec}/{system}").to_numpy(zero_copy_only=False)
            np.testing.assert_allclose(
                scores, expected[system][spec].segments, atol=1e-12
            )


def test_what_cannot_be_scored_is_null():
    rows = pa.table({"hyp": [""], "ref": [""]}).to_batches()[0]
    wanted = ScoringPlan(
        metrics=("wer", "f1"), outputs=(("A", "hyp"),), references=("ref",)
    )
    found = score_rows(rows, wanted).to_pylist()[0]
    expected = metra.score([""], [""], "f1").score
    assert (found["f1/A"] is None) == (expected != expected)


def test_no_rows_have_no_totals():
    empty = ROWS.slice(0, 0).to_batches() or [
        pa.RecordBatch.from_pylist([], ROWS.schema)
    ]
    totals = count_totals(empty[0], plan(metrics=("bleu",)))
    assert totals.num_rows == 0
    assert totals.schema == totals_schema(plan(metrics=("bleu",)), ROWS.schema)
    with pytest.raises(CorpusError, match="The table has no rows"):
        score_totals(totals, plan(metrics=("bleu",)))
    with pytest.raises(CorpusError, match="No totals were given"):
        add_totals([])
    assert score_rows(empty[0], plan(metrics=("bleu",))).num_rows == 0


def test_plans_travel():
    wanted = plan()
    assert pickle.loads(pickle.dumps(wanted)) == wanted
    assert wanted.fingerprint() == plan().fingerprint()
    changes = (
        {"metrics": ("bleu:tok=intl",)},
        {"group_by": ()},
        {"outputs": (("A", "other"),)},
    )
    assert len({plan(**change).fingerprint() for change in ({}, *changes)}) == 4


@pytest.mark.parametrize(
    "kind",
    [
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int8(), pa.large_string()),
    ],
    ids=str,
)
def test_strings_are_strings_in_any_layout(kind):
    rows = table(60)
    changed = rows
    for name in ("hyp", "ref", "ref2", "lp", "doc"):
        at = changed.schema.get_field_index(name)
        values = pa.array(rows[name].to_pylist(), pa.string())
        if pa.types.is_dictionary(kind):
            values = values.dictionary_encode().cast(kind)
        else:
            values = values.cast(kind)
        changed = changed.set_column(at, name, values)
    wanted = plan(metrics=("bleu", "ltv"))
    check_schema(wanted, changed.schema)
    assert added(changed.to_batches(), wanted) == added(rows.to_batches(), wanted)


NULLS = [
    pytest.param({"hyp": ["a", None], "ref": ["a", "b"]}, "hyp", id="output"),
    pytest.param({"hyp": ["a", "b"], "ref": ["a", None]}, "ref", id="only reference"),
    pytest.param(
        {"hyp": ["a", "b"], "ref": pa.array([None, None], pa.null())}, "ref", id="all"
    ),
]


@pytest.mark.parametrize(("columns", "name"), NULLS)
def test_nulls_are_refused(columns, name):
    batch = pa.table(columns).to_batches()[0]
    wanted = {"metrics": ("chrf",), "outputs": (("A", "hyp"),), "references": ("ref",)}
    with pytest.raises(
        NullValueError, match=f"is null in the column {name!r}"
    ) as found:
        count_totals(batch, ScoringPlan(**wanted))
    assert found.value.column == name
    assert found.value.row == batch.column(name).to_pylist().index(None)


def test_bytes_that_are_no_text_are_refused():
    bad = pa.array([b"ok", b"\xff\xfe"], pa.binary()).view(pa.string())
    batch = pa.record_batch({"hyp": bad, "ref": ["a", "b"]})
    wanted = ScoringPlan(
        metrics=("bleu",), outputs=(("A", "hyp"),), references=("ref",)
    )
    with pytest.raises(CorpusError, match="Segment 2 of the column 'hyp' is not UTF-8"):
        count_totals(batch, wanted)


SCHEMAS = [
    pytest.param(
        {"references": ("reff",)}, "has no column 'reff'. Did you mean 'ref'", id="name"
    ),
    pytest.param({"references": ("year",)}, "'year' of type int64", id="number"),
    pytest.param({"references": ("list",)}, "'list' of type list", id="nested"),
    pytest.param({"group_by": ("score",)}, "which cannot be a group", id="float key"),
    pytest.param({"group_by": ("list",)}, "which cannot be a group", id="nested key"),
    pytest.param(
        {"group_by": ("_sums",)}, "totals have a column of the same name.", id="ours"
    ),
    pytest.param(
        {"segments": True, "metrics": ("wer",)}, "a column 'wer/A' already", id="taken"
    ),
    pytest.param({"references": ("twice",)}, "two columns 'twice'", id="twice"),
]


@pytest.mark.parametrize(("changed", "message"), SCHEMAS)
def test_tables_that_do_not_fit_are_refused(changed, message):
    schema = ROWS.schema
    for name, kind in (
        ("score", pa.float64()),
        ("list", pa.list_(pa.string())),
        ("_sums", pa.string()),
        ("wer/A", pa.float64()),
        ("twice", pa.string()),
        ("twice", pa.string()),
    ):
        schema = schema.append(pa.field(name, kind))
    with pytest.raises((FormatError, OptionError), match=message):
        check_schema(plan(**changed), schema)


MEASURES = [
    pytest.param({"metrics": ("nist",), "references": ()}, "nist needs ref", id="ref"),
    pytest.param({"documents": None}, "ltv needs documents", id="documents"),
    pytest.param(
        {"metrics": ("terminology:file={here}/terms.tsv",)},
        "reads the whole test set before it scores",
        id="fit",
    ),
    pytest.param(
        {"metrics": ("terminology:file={here}/terms.tsv,unit=document",)},
        "needs whole documents",
        id="documents in one piece",
    ),
    pytest.param({"metrics": ("bleu", "bleu")}, "'bleu' is given twice", id="twice"),
    pytest.param({"metrics": ()}, "at least one metric", id="none"),
]


@pytest.mark.parametrize(("changed", "message"), MEASURES)
def test_measures_that_cannot_be_are_refused(changed, message, tmp_path):
    (tmp_path / "terms.tsv").write_text("term\tsegment\nAda\t1\n")
    changed = dict(changed)
    changed["metrics"] = tuple(
        spec.replace("{here}", str(tmp_path)) for spec in changed.get("metrics", SPECS)
    )
    with pytest.raises(OptionError, match=message):
        check_metrics(plan(**changed))


def test_weights_come_first():
    with pytest.raises(UnfittedError, match="nist, ltv: these metrics need weights"):
        count_totals(ROWS.to_batches()[0], plan())


KINDS = {
    "texts": [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())],
    "numbers": [pa.int8(), pa.int64(), pa.uint64()],
    "days": [pa.date32(), pa.date64()],
    "yes or no": [pa.bool_()],
}
VALUES = {
    "texts": ["", "a", "b", "é"],
    "numbers": [0, 1, 7, 100],
    "days": [date(2003, 1, 1), date(2004, 2, 29)],
    "yes or no": [False, True],
}


@st.composite
def pieces_of_groups(draw):
    """Batches with two columns of keys, of types that may change, and a number for each."""
    kinds = draw(st.lists(st.sampled_from([*KINDS]), min_size=1, max_size=2))
    pieces = []
    for _ in range(draw(st.integers(1, 6))):
        size = draw(st.integers(0, 8))
        columns = []
        for kind in kinds:
            value = st.sampled_from([None, *VALUES[kind]])
            values = draw(st.lists(value, min_size=size, max_size=size))
            columns.append(pa.array(values, draw(st.sampled_from(KINDS[kind]))))
        names = [f"key{at}" for at in range(len(columns))]
        pieces.append(pa.record_batch(columns, names))
    return pieces


@settings(max_examples=150, deadline=None)
@given(pieces_of_groups())
def test_groups_are_those_of_a_plain_dictionary(pieces):
    expected: dict[tuple, float] = {}
    pair, number, totals = ("A", "bleu"), 0, GroupTotals()
    for piece in pieces:
        keys, places = number_keys(piece, plan(group_by=tuple(piece.schema.names)))
        assert len({*keys}) == len(keys)
        rows = np.zeros((len(keys), 3))
        columns = [column.to_pylist() for column in piece.columns]
        for place, key in zip(places, zip(*columns, strict=True), strict=True):
            number += 1
            rows[place] += [1, 0, number]
            expected[key] = expected.get(key, 0) + number
        totals.add(GroupTotals(keys, {pair: rows}))
    found = zip(totals.keys, totals.rows[pair].tolist(), strict=True)
    assert {key: sums for key, (*_, sums) in found} == expected
    assert totals.keys == [*expected]
    assert totals.sum()[pair].segments == sum(piece.num_rows for piece in pieces)


def test_the_same_moment_in_two_zones_is_one_group():
    noon = datetime(2003, 1, 1, 12, tzinfo=UTC)
    totals = GroupTotals()
    for zone in ("UTC", "Europe/Berlin", "UTC"):
        kind = pa.timestamp("us", zone)
        times = pa.array([noon, noon + timedelta(hours=1), None], kind)
        batch = pa.record_batch([times], ["time"])
        keys, _ = number_keys(batch, plan(group_by=("time",)))
        totals.add(GroupTotals(keys, {("A", "bleu"): np.ones((3, 3))}))
    assert totals.keys == [(noon,), (noon + timedelta(hours=1),), (None,)]
    assert totals.rows["A", "bleu"].tolist() == [[3.0] * 3] * 3


def test_groups_that_only_some_systems_have_are_nothing_for_the_others():
    totals = GroupTotals()
    for system, key in (("A", "x"), ("B", "y"), ("A", "z")):
        totals.add(GroupTotals([(key,)], {(system, "bleu"): np.ones((1, 3))}))
    assert totals.keys == [("x",), ("y",), ("z",)]
    rows = {pair: rows[:, 0].tolist() for pair, rows in totals.rows.items()}
    assert rows == {("A", "bleu"): [1, 0, 1], ("B", "bleu"): [0, 1, 0]}
