"""TER against the programs that define it."""

from itertools import compress, product

import numpy as np
import pytest
from sacrebleu.metrics import TER

import metra
from metra import Batch


@pytest.fixture
def gold(shared):
    return shared / "gold"


@pytest.fixture
def batch(gold, read_lines):
    def read(evalset, kind, system, references):
        folder = gold / "data" / evalset
        refs = [read_lines(folder / f"ref.{name}.{kind}") for name in references]
        return Batch(read_lines(folder / f"hyp.{system}.{kind}"), refs)

    return read


def test_average_length_and_fewest_edits():
    result = metra.score(["a b c d e"], [["a b x d e y"], ["a b c"], ["a b"]], "ter")
    assert result.parts == {
        "edits": 2.0,
        "insertions": 0.0,
        "deletions": 1.0,
        "substitutions": 1.0,
        "shifts": 0.0,
        "ref_len": 11 / 3,
    }


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param("ter", 0.0, id="lower case by default"),
        pytest.param("ter:case=mixed", 50.0, id="case counts"),
        pytest.param(
            "ter:case=mixed,stem=english,tok=none", 50.0, id="stems keep case"
        ),
    ],
)
def test_case(spec, expected):
    assert metra.metric(spec).sentence("The cat", ["the cat"]) == expected


def test_stems():
    assert metra.metric("ter:stem=english").sentence("cats run", ["cat runs"]) == 0


def test_another_tokeniser():
    for style in ("sacrebleu", "tercom"):
        metric = metra.metric(f"ter:tok=char,style={style}")
        assert metric.sentence("abc", ["acb"]) == pytest.approx(100 / 3)
        assert "|tok:char|" in metric.signature()


LETTERS = {"N": "normalized=yes", "s": "case=mixed", "P": "punct=no"}

LETTERS_RUN = ("default", "s", "N", "Ns", "NsP")

TERCOM_RUNS = [
    *(("edge", "txt", refs, run) for refs in ("1", "123") for run in LETTERS_RUN),
    *(("nist4", "txt", "1234", run) for run in LETTERS_RUN),
    ("wmt21ruen", "tok", "A", "default"),
    ("wmt21ruen", "tok", "AB", "default"),
    ("wmt21ruen", "txt", "A", "Ns"),
]


@pytest.fixture
def tercom_files(gold, read_table):
    def read(evalset, kind, references, letters):
        stem = f"{evalset}.{kind}.ref{references}.tercom-0.7.25.{letters}"
        return (
            read_table(gold / "ter" / f"{stem}.{level}.tsv") for level in ("seg", "sys")
        )

    return read


def tercom_options(letters):
    return [LETTERS[letter] for letter in letters if letters != "default"]


@pytest.mark.parametrize("run", TERCOM_RUNS, ids=".".join)
def test_style_tercom_equals_tercom(batch, tercom_files, run):
    """Every segment's edits by kind and length, and every system's score: no exception."""
    segments, systems = tercom_files(*run)
    spec = ",".join(["ter:style=tercom", *tercom_options(run[3])])
    for system in systems:
        metric = metra.metric(spec)
        rows = metric.rows(batch(*run[:2], system["system"], run[2]))
        expected = [row for row in segments if row["system"] == system["system"]]
        names = ("ins", "del", "sub", "shifts", "ref_words")
        numbers = np.array([[float(row[name]) for name in names] for row in expected])
        np.testing.assert_allclose(rows, numbers, rtol=0, atol=1e-9)
        assert rows[:, :4].sum() == float(system["edits"])
        score = metric.aggregate(rows.sum(0))
        assert score == pytest.approx(100 * float(system["TER"]), abs=1e-9)


SACREBLEU_RUNS = [
    ("edge", "1"),
    ("edge", "123"),
    ("nist4", "1234"),
    ("wmt21ruen", "A"),
    ("wmt21ruen", "AB"),
]


# sacreBLEU normalises references twice: `he's,` in the second reference of this segment.
TWICE = {("wmt21ruen", "AB"): [647]}


@pytest.mark.parametrize("run", SACREBLEU_RUNS, ids=".".join)
def test_default_equals_sacrebleu(gold, batch, read_table, run):
    """Segment scores to the last digit, with `normalized` but for what twice changes."""
    evalset, references = run
    segments = read_table(gold / "pycross" / f"{evalset}.ref{references}.seg.tsv")
    systems = read_table(gold / "pycross" / f"{evalset}.ref{references}.sys.tsv")
    totals = {(row["system"], row["metric"]): float(row["score"]) for row in systems}
    columns = {
        "sb_ter": "ter",
        "sb_ter_cs": "ter:case=mixed",
        "sb_ter_norm_cs": "ter:normalized=yes,case=mixed",
    }
    for system in dict.fromkeys(row["system"] for row in segments):
        data = batch(evalset, "txt", system, references)
        expected = [row for row in segments if row["system"] == system]
        for column, spec in columns.items():
            metric = metra.metric(spec)
            rows = metric.rows(data)
            known = TWICE.get(run, []) if column == "sb_ter_norm_cs" else []
            if column in expected[0]:
                peers = np.array([float(row[column]) for row in expected])
                different = np.flatnonzero(metric.aggregate(rows) != peers) + 1
                assert different.tolist() == known
            if not known:
                total = metric.aggregate(rows.sum(0))
                assert total == pytest.approx(totals[system, column], abs=1e-9)


def test_sacrebleu_normalises_references_twice():
    """The one deviation from sacreBLEU: what one pass leaves together, the second parts."""
    assert TER(normalized=True).sentence_score("up ..5", ["up ..5"]).score == 50
    assert metra.metric("ter:normalized=yes").sentence("up ..5", ["up ..5"]) == 0


def test_all_combinations_of_options_equal_sacrebleu():
    names = {
        "normalized=yes": "normalized",
        "punct=no": "no_punct",
        "asian=yes": "asian_support",
        "case=mixed": "case_sensitive",
    }
    hyps = [
        "Well, «das» 東京、です 。",
        "東京は、「大きい」町です。Ok!",
        "No: the Bus's; stops",
    ]
    refs = [
        "well , «das» 東京 です",
        "東京は大きい町です。 ok",
        "no, The bus 's stops 。",
    ]
    scores = set()
    for wanted in product((False, True), repeat=4):
        options = list(compress(names, wanted))
        rows = metra.metric(f"ter:{','.join(options)}").rows(Batch(hyps, [refs]))
        peer = TER(**dict(zip(names.values(), wanted, strict=True)))
        for row, hyp, ref in zip(rows, hyps, refs, strict=True):
            score = peer.sentence_score(hyp, [ref])
            expected = [score.num_edits, score.ref_length]
            assert [row[:4].sum(), row[4]] == expected, options
        scores.add(tuple(rows.ravel().tolist()))
    # Only `asian` alone changes nothing.
    assert len(scores) == 14
