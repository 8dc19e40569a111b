"""Agreed names and terms as the files that `entities` and `terminology` read."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from metra.annotations.terms import BETWEEN
from metra.errors import CorpusError
from metra.human.files.one_line import one_line
from metra.human.judgement import Judgement, latest
from metra.human.protocols.entries import KEY


def entities_table(judgements: Iterable[Judgement]) -> str:
    """Write a table of names: segment, document, type and text."""
    lines = ["segment\tdocument\ttype\ttext"]
    for one, tag in _tags(judgements):
        cells = (str(one.segment), one.document, tag["type"], tag["text"])
        lines.append("\t".join(map(one_line, cells)))
    return "".join(f"{line}\n" for line in lines)


def checked_table(
    judgements: Iterable[Judgement], names: Mapping[str, Sequence[Sequence[str]]]
) -> str:
    """Write a table of names, by segment from 1, with the other forms that were found."""
    forms = accepted_forms(judgements)
    lines = ["segment\ttype\ttext\tvariants"]
    for segment, listed in names.items():
        for kind, text in listed:
            variants = BETWEEN.join(forms.get((int(segment), kind, text), ()))
            lines.append("\t".join(map(one_line, (segment, kind, text, variants))))
    return "".join(f"{line}\n" for line in lines)


def accepted_forms(
    judgements: Iterable[Judgement],
) -> dict[tuple[int, str, str], list[str]]:
    """The other forms of each name, by segment, type and text.

    A form counts if more than half of those who looked at its output found the name there.
    """
    looked: dict[tuple[int, str, str, str], list[str | None]] = {}
    for one in latest(judgements):
        if not one.counts:
            continue
        for step in one.value.values():
            for (kind, text), place in zip(
                step[KEY]["names"], step["found"], strict=True
            ):
                case = step[KEY]["segment"], kind, text, one.outputs[0]
                form = None if place is None else place["text"]
                looked.setdefault(case, []).append(form)
    found: dict[tuple[int, str, str], list[str]] = {}
    for (segment, kind, text, _), forms in looked.items():
        if fmean(form is not None for form in forms) > 0.5:
            kept = found.setdefault((segment, kind, text), [])
            kept += [f for f in dict.fromkeys(forms) if f is not None and f not in kept]
    return found


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
