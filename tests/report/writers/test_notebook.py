"""What a notebook shows: a table that escapes names and takes on the page's colours."""

from html.parser import HTMLParser

import metra


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
    names = [row[0] for row in cells.rows[:3]]
    assert names == ["system", "<script>alert(1)</script>", "a&b"]
    assert "&lt;script&gt;" in html


def test_the_colours_are_the_pages():
    """A colour of ours would be wrong in one of the themes."""
    html, cells = show({"good": GOOD, "bad": BAD})
    assert "color" not in cells.styles
    assert "background" not in cells.styles
    assert "color" not in html
    assert html.startswith("<div")


def test_levels_do_not_make_the_output_longer():
    _, plain = show({"good": GOOD})
    html, cells = show({"good": GOOD}, levels=["segment"])
    assert len(cells.rows) == len(plain.rows)
    assert "to_pandas(&#x27;segment&#x27;)" in html or "to_pandas('segment')" in html


def test_significant_differences_are_marked():
    refs = [f"{n} cats sat on {n} mats in the sun" for n in range(12)]
    outputs = {"base": [ref[4:] for ref in refs], "best": refs}
    results = metra.compare(metra.EvalSet(refs), outputs, ["bleu", "ter"], trials=100)
    html = results._repr_html_()
    first, base, best = Cells(html).rows[:3]
    assert first == ["system", "bleu ↑", "ter ↓"]
    assert ("▲" in base[1], "▲" in best[1]) == (False, True)
    assert "best: significantly better than base by bleu and ter." in html


def test_an_alignment():
    (alignment,) = metra.align("the <sub> stops", ["the <bus> stops here"])
    assert repr(alignment) == (
        "reference 1, chosen: 1 substitution, 0 insertions, 1 deletion, 2 hits\n"
        "REF  the <bus> stops here\n"
        "HYP  the <sub> stops ****\n"
        "         S           D"
    )
