"""The hit map of a batch: which tokens of the outputs equal which of the references."""

from collections.abc import Sequence

from metra._core import Hits, Tokens
from metra.text.preparation import Preparation, prepare, whole_tokenizer
from metra.text.segments import pack

__all__ = ["Hits", "Tokens", "hit_map", "sentence_hits"]


def hit_map(hyps: Tokens, refs: Sequence[Tokens]) -> Hits:
    """Compare each output with its references once, for every measure that asks."""
    return Hits(hyps, list(refs))


def sentence_hits(hyp: str, refs: Sequence[str], chosen: Preparation) -> Hits:
    """Compare one output with its references."""
    cut = whole_tokenizer(chosen)
    if cut is not None:
        return cut.hits(hyp, refs)
    columns = [prepare(pack([ref], "refs"), chosen) for ref in refs]
    return Hits(prepare(pack([hyp], "hyp"), chosen), columns)
