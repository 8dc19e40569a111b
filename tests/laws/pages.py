"""Tables, texts and stated selections of an HTML page, whatever its layout."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset(("br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
_SILENT = frozenset(("script", "style", "svg"))


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its pieces of text, and its attributes."""

    pieces: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All pieces, a blank between any two."""
        return " ".join(self.pieces)

    @property
    def name(self) -> str:
        """The first piece: the name in a row's header, without badges and flags."""
        return self.pieces[0] if self.pieces else ""


@dataclass(frozen=True)
class Table:
    """A table with the names that a reader sees or hears for it."""

    label: str
    heading: str
    #: The name of the file that a reader can save it as.
    file: str = ""
    caption: list[str] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, str, str]:
        """The label, the caption and the heading above."""
        return self.label, " ".join(self.caption), self.heading

    def read_rows(self) -> Iterator[dict[str, Cell]]:
        """Yield each row by the heading of its columns; `after X` where X stands twice."""
        if not self.rows:
            return
        header: list[str] = []
        for cell in self.rows[0]:
            text = cell.text
            header.append(f"{text} after {header[-1]}" if text in header else text)
        for row in self.rows[1:]:
            yield dict(zip(header, row, strict=False))


@dataclass(frozen=True)
class Page:
    """Everything on a page that the law reads."""

    tables: list[Table]
    text: str
    #: The text under each heading.
    sections: dict[str, str]
    #: The different texts of elements with the class `selection`.
    selections: list[str]

    def find_tables(self, name: str) -> Iterator[tuple[re.Match[str], Table]]:
        """Yield tables with a name that matches all of a pattern."""
        for table in self.tables:
            matches = (re.fullmatch(name, one) for one in table.names)
            if match := next(filter(None, matches), None):
                yield match, table


def parse_page(html: str) -> Page:
    """Parse the HTML of a page."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    sections = {
        heading: " ".join(" ".join(pieces).split())
        for heading, pieces in parser.sections.items()
    }
    selections = [" ".join(" ".join(one).split()) for one in parser.selections]
    return Page(
        parser.tables,
        " ".join(sections.values()),
        sections,
        list(dict.fromkeys(filter(None, selections))),
    )


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Table] = []
        self.sections: dict[str, list[str]] = {"": []}
        self.selections: list[list[str]] = []
        self.heading = ""
        #: The open elements: tag, label, and whether it states a selection.
        self.open: list[tuple[str, str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        given = {name: value or "" for name, value in attrs}
        if tag == "table":
            labels = [label for _, label, _ in self.open if label]
            label = given.get("aria-label") or (labels[-1] if labels else "")
            self.tables.append(Table(label, self.heading, given.get("data-csv", "")))
        elif tag == "tr" and self.tables:
            self.tables[-1].rows.append([])
        elif tag in ("td", "th") and self.tables and self.tables[-1].rows:
            self.tables[-1].rows[-1].append(Cell(attributes=given))
        if tag in _HEADINGS:
            self.heading = ""
        states = "selection" in given.get("class", "").split()
        if states:
            self.selections.append([])
        self.open.append((tag, given.get("aria-label", ""), states))

    def handle_endtag(self, tag: str) -> None:
        if tag not in [name for name, _, _ in self.open]:
            return
        while self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        tags = [tag for tag, _, _ in self.open]
        if not data.strip() or not _SILENT.isdisjoint(tags):
            return
        piece = " ".join(data.split())
        if not _HEADINGS.isdisjoint(tags):
            self.heading = f"{self.heading} {piece}".strip()
        self.sections.setdefault(self.heading, []).append(data)
        if any(states for _, _, states in self.open):
            self.selections[-1].append(data)
        if "caption" in tags:
            self.tables[-1].caption.append(piece)
        elif "table" in tags and ("td" in tags or "th" in tags):
            self.tables[-1].rows[-1][-1].pieces.append(piece)
