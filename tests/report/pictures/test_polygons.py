"""The study's tables and pictures, as they are shown."""

from xml.etree import ElementTree

import pytest

from metra.analysis.word_stability import compute_match_sets, compute_stability
from metra.report.pictures import polygons
from metra.report.table import Style
from metra.report.writers.salience import format_stability_lines, render_stability
from metra.text.salience import Tokens


def text(*documents: str) -> list[tuple[Tokens, list[str]]]:
    names = [f"d{at}" for at in range(len(documents))]
    return [(Tokens([words.split() for words in documents]), names)]


@pytest.fixture
def found():
    first = text("a b c", "a d d e", "f g a")
    second = text("a b h", "a d e e", "f a")
    return compute_stability(first, second, names=("A & B", "<C>"), width=1)


def test_the_picture_is_one_whole_svg(found):
    drawn = polygons.draw_polygons(found)
    root = ElementTree.fromstring(drawn)
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}title").text == (
        "Salience of words that A & B and <C> share and do not share"
    )
    classes = sum(len(entry.polygons["S"].shares) for entry in found.sets)
    classes += sum(len(entry.polygons["tf.idf"].shares) for entry in found.sets)
    marks = [*root.iter(f"{space}circle"), *root.iter(f"{space}polygon")]
    points = [mark for mark in marks if len(mark)]
    assert len(points) == classes
    paths = [p for p in root.iter(f"{space}path") if "curve" in p.get("class")]
    assert len(paths) == 8  # two panels of four
    bottom = float(root.get("height"))
    heights = [
        float(point.get("cy") or point.get("points").split(",")[1].split()[0])
        for point in points
    ]
    assert 0 <= min(heights) <= max(heights) <= bottom


def test_the_tables_say_what_is_common(found):
    shown = render_stability(found, Style())
    # 2/3, 3/4 and 4/5 of the words; 2/3, all and 4/5 of the types
    assert "1 word                      73.9 %           82.2 %" in shown
    assert "in both, by A & B" in shown
    assert "3 documents; the first translation is A & B" in shown


def test_the_long_table_has_every_number(found):
    header, *rows = (line.split("\t") for line in format_stability_lines(found))
    assert header == ["table", "set", "weight", "from", "to", "value"]
    assert all(len(row) == len(header) for row in rows)
    tokens = f"{found.overlaps[0].tokens:.10g}"
    assert rows[0] == ["overlap", "tokens", "", "1", "1", tokens]
    for weight in ("tf.idf", "S"):
        for entry in found.sets:
            own = [row for row in rows if row[:3] == ["share", entry.name, weight]]
            assert sum(float(row[5]) for row in own) == pytest.approx(1)


def test_the_picture_of_matches_has_a_dot_for_each_set():
    first, second = text("a b c c", "a d d e"), text("a b c h", "a d e e")
    systems = {"<one>": first, "two & three": text("a", "d q")}
    sets = compute_match_sets(
        [first, second], systems, names=("A & B", "<C>"), threshold=0.8
    )
    root = ElementTree.fromstring(polygons.draw_match_sets(sets))
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}title").text == "Matches by salience: A & B and <C>"
    titles = [mark.find(f"{space}title") for mark in root.iter() if mark is not root]
    hints = [title.text for title in titles if title is not None]
    filled = [sum(map(bool, entry.sizes.values())) for entry in sets]
    assert len(hints) == 2 * sum(filled)
    # A & B is a copy of the first: all of every set.
    own = [hint for hint in hints[: 2 * filled[0]] if hint.startswith("<one>")]
    assert own
    assert {hint.split(": ")[1] for hint in own} == {"100"}
    bottom = float(root.get("height"))
    assert all(float(t.get("y")) < bottom for t in root.iter(f"{space}text"))
    assert "two & three: " in root.find(f"{space}desc").text
