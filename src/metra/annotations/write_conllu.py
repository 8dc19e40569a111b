"""Parses written as CoNLL-U, with comments that say which segment a sentence is of."""

from collections.abc import Iterable, Iterator, Sequence

from metra.annotations.conllu import Parse


def conllu(segments: Iterable[Sequence[Parse]], *, made_by: str = "") -> Iterator[str]:
    """Give the lines of a file with the sentences of each segment."""
    if made_by:
        yield f"# parser = {made_by}"
    for number, sentences in enumerate(segments, 1):
        for parse in sentences:
            yield f"# segment = {number}"
            for place, word in enumerate(parse.words, 1):
                columns = (place, *word, "_", "_")
                yield "\t".join(map(str, columns))
            yield ""
