"""What a notebook shows: a table that escapes names and takes on the page's colours."""

from html.parser import HTMLParser

import metra
from metra.report.writers.alignments import MARKS


class Cells(HTMLParser):
    """Collect the text of each cell and the names of all elements and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.elements: list[str] = []
        self.styles = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.styles += dict(attrs).get("style") or ""
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1] and data != "\n":
            self.rows[-1][-1] += data


def show(outputs: dict[str, list[str]], **options: object) -> tuple[str, Cells]:
    refs = ["the cat sat on the mat", "it did not move", "nobody saw the dog"]
    refs *= len(next(iter(outputs.values()))) // len(refs)
    results = metra.evaluate(metra.EvalSet(refs), outputs, ["bleu", "ter"], **options)
    html = results._repr_html_()
    return html, Cells(html)


GOOD = ["the cat sat on the mat", "it did not move", "nobody saw a dog"]
BAD = ["a cat sat", "it moved", "nobody saw"]


def test_the_table():
    html, cells = show({"good": GOOD, "bad": BAD}, ci=True, trials=20)
    head, good, bad = cells.rows[:3]
    assert head == ["system", "bleu ↑", "ter ↓"]
    assert good[0] == "good"
    assert good[1].startswith("82.")
    _, many = show({"good": GOOD * 4, "bad": BAD * 4}, ci=True, trials=20)
    assert many.rows[1][1].endswith("]")
    assert html.count("<b>") == 2  # the best of each metric
    assert "3 segments, 1 reference" in html
    assert "bleu|n:4|tok:13a" in html
    assert bad[0] == "bad"


def test_names_are_escaped():
    html, cells = show({"<script>alert(1)</script>": GOOD, "a&b": BAD})
    assert "script" not in cells.elements
    assert [row[0] for row in cells.rows[:3]] == [
        "system",
        "<script>alert(1)</script>",
        "a&b",
    ]
    assert "&lt;script&gt;" in html


def test_the_colours_are_the_pages():
    """A colour of ours would be wrong in one of the themes."""
    html, cells = show({"good": GOOD, "bad": BAD})
    assert "color" not in cells.styles
    assert "background" not in cells.styles
    assert "style" not in cells.elements
    assert html.startswith("<div")


def test_levels_do_not_make_the_output_longer():
    _, plain = show({"good": GOOD})
    html, cells = show({"good": GOOD}, levels=["segment"])
    assert len(cells.rows) == len(plain.rows)
    assert "to_pandas(&#x27;segment&#x27;)" in html or "to_pandas('segment')" in html


def test_numbers_stay_below_each_other_in_a_comparison():
    """The baseline has no mark; a hidden one takes its room."""
    refs = [f"{n} cats sat on {n} mats in the sun" for n in range(12)]
    outputs = {"base": [ref[4:] for ref in refs], "best": refs}
    results = metra.compare(metra.EvalSet(refs), outputs, ["bleu", "ter"], trials=100)
    html = results._repr_html_()
    first, base, best = Cells(html).rows[:3]
    assert first == ["system", "bleu ↑", "ter ↓"]
    assert (base[1][-2:], best[1][-2:]) == (" ▲", " ▲")
    assert html.count("visibility:hidden") == 2
    assert "best: significantly better than base by bleu and ter." in html


def test_an_alignment():
    (alignment,) = metra.align("the <sub> stops", ["the <bus> stops here"])
    assert repr(alignment) == (
        "reference 1, chosen: 1 substitution, 0 insertions, 1 deletion, 2 hits\n"
        "REF  the <bus> stops here\n"
        "HYP  the <sub> stops ****\n"
        "         S           D"
    )
    html = alignment._repr_html_()
    assert "&lt;bus&gt;" in html
    assert html.count("background") == 2
    assert 'title="deletion"' in html
    assert html.count("<small>S</small>") == html.count("<small>D</small>") == 1
    assert 'dir="auto"' in html
    assert ">****<" in html
    (empty,) = metra.align("", [""])
    assert "both sides are empty" in empty._repr_html_()
    assert "both sides are empty" in repr(empty)


def test_alignments_of_characters_stand_close():
    (words,) = metra.align("a b", ["a c"])
    (letters,) = metra.align("a b", ["a c"], "cer")
    assert "column-gap:.3em" in words._repr_html_()
    assert "column-gap:0" in letters._repr_html_()


def test_kinds_of_links_have_different_hues():
    (alignment,) = metra.align("the cats came now", ["my the cat came"], "meteor")
    html = alignment._repr_html_()
    for kind in ("stem", "insertion", "deletion"):
        assert f'title="{kind}" style="background:hsl({MARKS[kind][2]} ' in html
