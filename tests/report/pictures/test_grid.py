"""The bitext grid: what it shows, as text to the letter and as a picture that is whole."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metra
from metra.errors import CorpusError
from metra.metrics.alignment import AlignedSegment, Alignment, Link, WordRange
from metra.report.pictures import grid, grid_text
from metra.report.pictures.grid import MOST_WORDS, build_plot
from metra.report.table import Style
from metra.report.terminal import measure_width

SVG = "{http://www.w3.org/2000/svg}"


def segment(hyp, refs, spec="gtm:e=2"):
    return metra.grid(hyp, refs, spec).segment


def text(hyp, refs, spec="gtm:e=2", **style):
    return grid_text.render(segment(hyp, refs, spec), Style(**style))


def picture(hyp, refs, spec="gtm:e=2"):
    return ET.fromstring(grid.render(segment(hyp, refs, spec)))


FIGURE = """\
output, segment 1, gtm:e=2
score 61.10; precision 57.28; recall 65.47; f 61.10; size 4.58; hyp_len 8; mean_ref_len 7

    reference
    a b c d e f g
  ┌───────────────
b │   ■
c │     ■
x │
d │       ■
e │         ■
f │           ■
g │             ■
a │ ■

■ run
  run: d e f g (output 4–7, reference 4–7)
  run: b c (output 1–2, reference 2–3)
  run: a (output 8, reference 1)"""

SEVERAL = """\
output, segment 1, gtm:e=2
score 74.54; precision 74.54; recall 74.54; f 74.54; size 2.24; hyp_len 3; mean_ref_len 3

        reference 1, reference 2
                    b
                    e
        c   b     d l
        a w o     o o
        t e w   a g w
      ┌───────────────
  cat │ ■     │
   we │   ■   │
below │       │     ■

■ run
  run: cat we (output 1–2, reference 1, 1–2)
  run: below (output 3, reference 2, 3)"""


@pytest.mark.parametrize(
    ("hyp", "refs", "expected"),
    [
        pytest.param("b c x d e f g a", ["a b c d e f g"], FIGURE, id="the paper's"),
        pytest.param(
            "cat we below", ["cat we bow", "a dog below"], SEVERAL, id="a barrier"
        ),
    ],
)
def test_text(hyp, refs, expected):
    assert text(hyp, refs) == expected


def test_signs_tell_without_colour():
    found = text("a b c d e f", ["a b c x y", "d e f z", "a b d"])
    rows = [line for line in found.split("\n") if " │ " in line]
    assert [line.count("■") for line in rows] == [1, 0, 0, 1, 1, 1]
    assert [line.count("□") for line in rows] == [0, 1, 1, 0, 0, 0]
    assert "■ run   □ capped run   · equal words without a match" in found


def test_letters_stand_for_other_links():
    found = text("a cat sat", ["the cat sits"], "wer")
    assert "S substitution   ■ hit" in found
    assert [line[-1] for line in found.split("\n") if " │ " in line] == ["S", "■", "S"]


def test_words_to_words_fill_their_block():
    link = Link("paraphrase", WordRange(0, 2), WordRange(0, 1))
    texts = {"hyp": ("passed", "away"), "ref": ("died",), "links": (link,)}
    alignment = Alignment(**texts, kinds=("paraphrase",), reference=0, chosen=True)
    about = {"system": "s", "number": 1, "spec": "m", "score": 1.0, "parts": {}}
    made = AlignedSegment(**about, alignments=[alignment])
    found = grid_text.render(made, Style())
    assert [line[-1] for line in found.split("\n") if " │ " in line] == ["P", "P"]
    assert "paraphrase: passed away = died (output 1–2, reference 1)" in found
    drawn = ET.fromstring(grid.render(made))
    [block] = drawn.findall(f"{SVG}rect[@class='paraphrase']")[:1]
    assert float(block.get("height")) > float(block.get("width"))


@pytest.fixture
def paraphrases(tmp_path):
    table = tmp_path / "table"
    table.write_text("0.5\nso as to\nin order to\n", encoding="utf-8")
    return f"paraphrase={table}"


def test_stages_differ_in_shape_not_in_colour_alone(paraphrases):
    spec = f"meteor:lang=en,modules=exact+stem+paraphrase,{paraphrases}"
    pair = "he walked so as to see", ["he walks in order to see"]
    shown = text(*pair, spec)
    assert "■ exact   S stem   P paraphrase" in shown
    assert "paraphrase: so as to = in order to (output 3–5, reference 3–5)" in shown
    signs = {
        sign.get("class"): sign.get("d").split("m", 1)[1]
        for sign in picture(*pair, spec).iter(f"{SVG}path")
        if sign.get("class") in grid.SHAPES
    }
    assert set(signs) == {"stem", "paraphrase"}
    assert len(set(signs.values())) == 2


def test_a_phrase_is_one_block_with_one_sign(paraphrases):
    spec = f"meteor:modules=exact+paraphrase,{paraphrases}"
    [block] = build_plot(segment("so as to", ["in order to"], spec)).blocks
    assert (block.height, block.width, list(block.cells)) == (3, 3, [])


@pytest.mark.parametrize(("words", "fits"), [(5, True), (120, False)])
def test_only_small_pictures_are_made_to_fit(words, fits):
    """A wide one made to fit the page would not grow when the page is magnified."""
    drawn = picture("a b", [" ".join(map(str, range(words)))])
    assert ("max-width" in drawn.get("style", "")) == fits


def test_only_the_reference_that_counts_is_shown():
    shown = build_plot(segment("a b", ["c", "a b"], "wer"))
    assert [panel.words for panel in shown.panels] == [("a", "b")]
    assert shown.name(shown.panels[0]) == "reference 2"


def test_wide_grids_go_on_below():
    words = [f"w{at}" for at in range(30)]
    found = text(" ".join(words), [" ".join(words)], width=40)
    assert max(map(measure_width, found.split("\n")[3:60])) <= 40
    assert found.count("┌") == 2
    assert "reference, words 1–17" in found
    assert "reference, words 18–30" in found
    assert sum(line.count("■") for line in found.split("\n") if "│" in line) == 30


def test_colour_changes_nothing_else():
    case = "a b c d e f", ["a b c x y", "d e f z", "a b d"]
    colored = text(*case, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text(*case)


def test_no_words():
    assert text("", ["a"]).endswith("One side has no words.")
    assert text("a", [""]).endswith("One side has no words.")
    assert picture("", [""]).find(f"{SVG}desc").text.endswith("No words are linked.")


def test_a_grid_has_a_limit():
    words = "w " * (MOST_WORDS + 1)
    with pytest.raises(CorpusError, match="Segment 1 has 601 output words and 1 refe"):
        text(words, ["w"])
    assert picture(words[2:], ["w"]) is not None


def test_picture_shows_every_hit_once():
    drawn = picture("the cat on the mat", ["the cat sat on the mat", "the mat"])
    dots = len(drawn.findall(f"{SVG}circle"))
    small = drawn.findall(f"{SVG}path[@class='hit']")
    dots += sum(path.get("d").count("M") for path in small)
    legend = 3  # one sign for each kind
    rows, columns = "the cat on the mat", "the cat sat on the mat the mat"
    cells = sum(a == b for a in rows.split() for b in columns.split())
    assert dots == cells + legend
    assert len(drawn.findall(f"{SVG}rect[@class='barrier']")) == 1


def test_blocks_cover_their_dots():
    drawn = picture("b c x d e f g a", ["a b c d e f g"])
    *blocks, _ = drawn.findall(f"{SVG}rect[@class='equal']")  # the last: the legend's
    assert [float(block.get("width")) for block in blocks] == [63, 31, 15]
    *signs, _ = drawn.findall(f"{SVG}circle[@class='equal']")
    dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in signs]
    for block, count in zip(blocks, (4, 2, 1), strict=True):
        left, top = float(block.get("x")), float(block.get("y"))
        size = float(block.get("width"))
        inside = [x for x, y in dots if 0 < x - left < size and 0 < y - top < size]
        assert len(inside) == count


def test_picture_in_words():
    drawn = picture("b c x d e f g a", ["a b c d e f g"])
    title = drawn.find(f"{SVG}title").text
    assert title == drawn.get("aria-label") == "output, segment 1, gtm:e=2"
    assert drawn.find(f"{SVG}desc").text == (
        "Grid of 8 output words (rows) and 7 words of 1 reference (columns); score 61.10; "
        "precision 57.28; recall 65.47; f 61.10; size 4.58; hyp_len 8; mean_ref_len 7. "
        "Linked, longest first: run: d e f g (output 4–7, reference 4–7); "
        "run: b c (output 1–2, reference 2–3); run: a (output 8, reference 1);"
    )
    assert drawn.get("role") == "img"


def test_picture_needs_nothing_else_and_knows_the_dark():
    drawn = grid.render(segment("a b", ["a b"]))
    assert "prefers-color-scheme: dark" in drawn
    assert re.findall(r"https?://[^\"]+", drawn) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<(script|image|use|foreignObject)|href|url\(|@import", drawn)


def test_long_words_are_cut_and_told_in_full():
    word = "Donaudampfschifffahrtsgesellschaft"
    drawn = picture(word, [word])
    labels = [label for label in drawn.findall(f"{SVG}text") if len(label)]
    assert {label.text for label in labels} == {"Donaudampfschif…"}
    assert {label.find(f"{SVG}title").text for label in labels} == {word}


#: What shapes letters or orders them, and the end of a line.
JOINERS = set("\n\u2068\u2069\u200c\u200d\u200e\u200f\u061c")
ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=30)


@settings(max_examples=60)
@given(ANY_TEXT, st.lists(ANY_TEXT, min_size=1, max_size=3))
def test_any_text_can_be_drawn(hyp, refs):
    drawn = picture(hyp, refs)
    assert drawn.tag == f"{SVG}svg"
    allowed = {"svg", "title", "desc", "style", "rect", "path", "text", "circle"}
    assert {element.tag.removeprefix(SVG) for element in drawn.iter()} <= allowed
    signs = set(text(hyp, refs, width=60)) - JOINERS
    assert all(sign.isprintable() for sign in signs)


def test_printing_and_notebooks():
    made = metra.grid("a b", ["a c"])
    assert str(made) == repr(made) == text("a b", ["a c"])
    assert made._repr_svg_() == made.svg() == grid.render(made.segment)
    with pytest.raises(CorpusError, match="refs is one string"):
        metra.grid("a", "a")
