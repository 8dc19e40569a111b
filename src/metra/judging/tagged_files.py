"""Agreed names and terms as the files that `entities` and `terminology` read."""

from collections.abc import Iterable

from metra.annotations.terms import BETWEEN
from metra.errors import CorpusError
from metra.human.files.one_line import one_line
from metra.human.judgement import Judgement, latest


def entities_table(judgements: Iterable[Judgement]) -> str:
    """Write a table of names: segment, document, type and text."""
    lines = ["segment\tdocument\ttype\ttext"]
    for one, tag in _tags(judgements):
        cells = (str(one.segment), one.document, tag["type"], tag["text"])
        lines.append("\t".join(map(one_line, cells)))
    return "".join(f"{line}\n" for line in lines)


def terms_table(judgements: Iterable[Judgement]) -> str:
    """Write a table of terms: each occurrence once, with its accepted variants."""
    lines = ["term\tvariants\tsegment"]
    for one, tag in _tags(judgements):
        cells = (tag["text"], BETWEEN.join(tag.get("variants", ())), str(one.segment))
        lines.append("\t".join(map(one_line, cells)))
    return "".join(f"{line}\n" for line in lines)


def _tags(judgements: Iterable[Judgement]) -> list[tuple[Judgement, dict[str, str]]]:
    """All tags by text and place; of one judge only, who has settled them."""
    kept = sorted(
        (one for one in latest(judgements) if one.counts), key=lambda one: one.segment
    )
    judges = sorted({one.judge for one in kept})
    texts = [one.segment for one in kept]
    if len(set(texts)) < len(texts):
        msg = (
            f"{' and '.join(judges)} tagged the same texts; reconcile their tags before "
            "you write a file of them."
        )
        raise CorpusError(msg)
    return [
        (one, tag)
        for one in kept
        for step in one.value.values()
        for tag in step["tags"]
    ]
