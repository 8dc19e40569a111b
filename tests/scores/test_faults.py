"""Files of scores with rows that are no scores, or values that cannot be."""

import numpy as np
import pytest

from metra.errors import MetraError
from metra.scores.registry import read_score_files

#: ESA and COMET of three systems and six segments.
ESA = {s: [10 * n + 5 * at for n in range(6)] for at, s in enumerate("ABC")}
BASE = [
    (s, n, values[n], values[n] / 100) for s, values in ESA.items() for n in range(6)
]
SYSTEMS = [(s, "", sum(values) / 6, 0.5) for s, values in ESA.items()]


def write(path, rows, heading="segment", mark="\t"):
    lines = [("system", heading, "esa", "COMET"), *rows]
    path.write_text("\n".join(mark.join(map(str, line)) for line in lines))
    return str(path)


def change(segment="{n}", esa="{e}", comet="{c}"):
    texts = (segment, esa, comet)
    cells = [{"n": n, "e": e, "c": c} for _, n, e, c in BASE]
    return [
        (row[0], *(t.format(**cell) for t in texts))
        for row, cell in zip(BASE, cells, strict=True)
    ]


TOTALS = [
    [*BASE, *((s, "sum", sum(ESA[s]), 0.5) for s in "ABC")],
    [*BASE, *((s, "Mittelwert", 30, 0.5) for s in "ABC")],
    [*BASE, *(("Average", n, 10 * n + 5, (10 * n + 5) / 100) for n in range(6))],
    [*BASE, ("avg", "", 30, 0.3)],
]


@pytest.mark.parametrize("rows", TOTALS)
def test_rows_of_totals_are_left_out(tmp_path, rows):
    expected = read_score_files([write(tmp_path / "base.tsv", BASE)])
    scores = read_score_files([write(tmp_path / "scores.tsv", rows)])
    assert scores.systems == expected.systems
    assert scores.matrix("esa").tolist() == expected.matrix("esa").tolist()
    assert "rows of totals" in scores.notes[0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*SYSTEMS, ("TOTAL", "", 70, 0.5)], "a system 'TOTAL' that is not the mean or"),
        ([(s, n, e if n else -1, c) for s, n, e, c in BASE], "3 are not from 0 to 100: -1 (A"),
        ([(s, n, e, c * (1 + 99 * (s == "B"))) for s, n, e, c in BASE], "COMET from 0 to 1"),
        ([(s, n % 2, e, c) for s, n, e, c in BASE], "segment 0 of A has 3 values of COMET"),
        (change(esa="{e}%"), "line 2: esa is '0%'; expected a number"),
        (change(esa="−{e}"), "line 2: esa is '−0'; expected"),
        (BASE[6:] + change("0{n}")[:6], "numbers of segments in two ways, such as 05; write"),
        (change(comet="1,234.5"), "line 2: COMET is '1,234.5'"),
    ],
)  # fmt: skip
def test_impossible_values_are_refused(tmp_path, rows, message):
    with pytest.raises(MetraError) as refused:
        read_score_files([write(tmp_path / "scores.tsv", rows)])
    assert message in str(refused.value)


def test_points_for_thousands_are_refused(tmp_path):
    rows = [(s, n, e, "993" if n else "1.373") for s, n, e, _ in BASE]
    with pytest.raises(MetraError, match=r"COMET has 1\.373, which may be 1373 beside"):
        read_score_files([write(tmp_path / "scores.csv", rows, mark=";")])


@pytest.mark.parametrize("spelling", ["{n:02d}", "{n}.0"])
def test_numbers_of_segments_may_be_spelt_otherwise(tmp_path, spelling):
    other = change(segment=spelling, esa="")
    gold = change(comet="")
    files = [write(tmp_path / f"{n}.tsv", r) for n, r in enumerate((gold, other))]
    scores = read_score_files(files)
    assert np.isfinite(scores.matrix("esa") + scores.matrix("COMET")).all()
    assert "joined as numbers" in scores.notes[0]


@pytest.mark.parametrize("end", [6, 5])
def test_a_judge_who_counts_from_0_is_joined_with_others(tmp_path, end):
    rows = [f"{j}\tA\t{n + at}\t{n}" for at, j in enumerate("KL") for n in range(6)]
    path = tmp_path / "judges.tsv"
    path.write_text("\n".join(["judge\tsystem\tsegment\tvalue", *rows[: 6 + end]]))
    scores = read_score_files([str(path)])
    # Only ranges of the same length are certain.
    assert bool(scores.notes) is (end == 6)
    assert len(scores.segments) == 6


@pytest.mark.parametrize(
    "heading", ["id", "line", "index", "No.", "#", "custom_id", "item_id", "sent_id"]
)
def test_ids_of_segments_have_the_headings_of_texts(tmp_path, heading):
    scores = read_score_files([write(tmp_path / "scores.tsv", BASE, heading)])
    assert (scores.names, len(scores.segments)) == (["esa", "COMET"], 6)
    numbered = [(s, at, *rest) for at, (s, _, *rest) in enumerate(BASE)]
    rows = read_score_files([write(tmp_path / "scores.tsv", numbered, heading)])
    # A number of its own for each row is no segment.
    assert len(rows.segments) == 0
