"""Test sets as NIST's SGML and WMT's XML, for tests of what reads them."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

#: Columns of texts by name: `source`, `ref:NAME`, `output:NAME`.
Texts = Mapping[str, Sequence[str]]
_SETS = {"source": "srcset", "ref": "refset", "output": "tstset"}
_TAGS = {"source": "src", "ref": "ref", "output": "hyp"}
_NAMES = {"ref": "translator", "output": "system"}


def write_sgml(texts: Texts, documents: Sequence[str]) -> str:
    """Return a file with a set for each text."""
    sets = []
    for column, segments in texts.items():
        role, _, name = column.partition(":")
        system = f" sysid={quoteattr(name)}" if name else ""
        sets.append(f'<{_SETS[role]} setid="s" srclang="fr" trglang="en">\n')
        for document, places in _group(documents):
            lines = _write_segments(segments[place] for place in places)
            sets.append(f"<doc docid={quoteattr(document)}{system}>\n{lines}</doc>\n")
        sets.append(f"</{_SETS[role]}>\n")
    return f"<mteval>\n{''.join(sets)}</mteval>\n"


def write_wmt_xml(texts: Texts, documents: Sequence[str]) -> str:
    """Return a file with a document for each group of segments."""
    parts = []
    for document, places in _group(documents):
        parts.append(f"<doc id={quoteattr(document)}>\n")
        for column, segments in texts.items():
            role, _, name = column.partition(":")
            named = f" {_NAMES[role]}={quoteattr(name)}" if name else ""
            lines = _write_segments(segments[place] for place in places)
            parts.append(f"<{_TAGS[role]}{named}>\n{lines}</{_TAGS[role]}>\n")
        parts.append("</doc>\n")
    return f'<dataset id="s">\n{"".join(parts)}</dataset>\n'


def _group(documents: Sequence[str]) -> list[tuple[str, list[int]]]:
    places = groupby(range(len(documents)), lambda place: documents[place])
    return [(document, [*group]) for document, group in places]


def _write_segments(segments) -> str:
    return "".join(
        f'<seg id="{number}">{escape(text)}</seg>\n'
        for number, text in enumerate(segments, 1)
    )
