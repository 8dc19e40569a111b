"""Text is escaped wherever it stands; only markup is markup."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from metra.report.html.explorer import _escape_json
from metra.report.html.markup import join_markup, mark_safe, tag

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)


class Read(HTMLParser):
    """What a reader finds in the markup: elements, attributes, text."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


@given(TEXT, TEXT)
def test_text_comes_back_as_it_was(text, value):
    read = Read(tag("td", text, title=value))
    assert read.tags == [("td", {"title": value})]
    seen = text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
    assert read.text == seen or any("\ufdd0" <= c <= "\ufdef" for c in text)


def test_markup_stays_markup_and_text_becomes_text():
    assert join_markup("<b>", tag("b", "x"), mark_safe("<i>")) == "&lt;b&gt;<b>x</b><i>"


def test_attributes_that_are_not_wanted_are_not_there():
    assert tag("input", hidden=True, checked=False, id=None) == "<input hidden>"


def test_numbers_and_lists_are_children():
    assert tag("p", 1, [tag("b"), ["a", None]]) == "<p>1<b></b>a</p>"


@given(st.text(st.sampled_from('</script!->"\\ a\u2028\u2029'), max_size=40))
def test_json_in_a_page_ends_neither_its_element_nor_a_line(text):
    import json

    inert = _escape_json(json.dumps(text, ensure_ascii=False))
    assert "<" not in inert
    assert "\u2028" not in inert
    assert json.loads(inert) == text
