"""GTM: precision and recall of a matching of words that rewards long runs."""

import math
from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np

from metra import _core
from metra.metrics.alignment import Alignment, Link, build_alignments, make_link
from metra.metrics.options import Case, Range
from metra.metrics.record import AnyBatch, Array, Metric, Notes, Parts, metric_factory
from metra.text.preparation import make_preparation

RUN, CAPPED = "run", "capped run"
KINDS = (RUN, CAPPED, "insertion", "deletion")


@metric_factory(title="GTM", papers="turian2003")
def gtm(
    *,
    e: Annotated[float, Range(1)] = 1.0,
    match: Literal["greedy", "paper", "exact"] = "greedy",
    nodes: Annotated[int, Range(0)] = 200_000,
    tok: str = "none",
    case: Case = "mixed",
    stem: str = "no",
) -> Metric:
    """F-measure of word matches that rewards long runs, 0 to 100. Higher is better.

    A matching links equal words of output and reference one to one. A run is a sequence
    of matched words, consecutive on both sides. The size of a matching is the
    e-th root of the sum of length^e over its runs. Precision is the size of the largest
    matching divided by the output length, recall is the size divided by the reference
    length, and the score is F = 2PR/(P+R). With e=1 word order does not matter; with a
    larger e it matters more. Several references are joined. A run cannot span two
    references, and the number of matched words is limited to the mean reference length.
    Sizes and lengths are summed over segments before the division.

    Turian, Shen and Melamed 2003, "Evaluation of machine translation and its
    evaluation", MT Summit IX. Defaults equal the program GTM 1.4 at every level.

    Options:
        e: exponent, at least 1: how strongly long runs are rewarded.
        match: search for the matching: greedy repeatedly takes the longest remaining
            run, as the program does; paper does the same, but with several references
            deletes hits from the shortest runs until the mean length (rounded down) is
            reached, as in the paper; exact finds the largest matching and then applies
            the limit of greedy.
        nodes: maximum number of partial matchings that exact examines in a segment
            before it returns the best one found; the part `unproved` counts such
            segments.
        tok: tokeniser; none splits at ASCII white space, as the program does.
    """
    white = "java-white" if tok == "none" else tok
    text = make_preparation(tok=white, case=case, stem=stem)
    search = e, match, nodes

    def align(batch: AnyBatch, index: int) -> list[Alignment]:
        """Link the runs of the matching, and say which of them the cap keeps out."""
        blocks, _ = _core.gtm_blocks(batch.hits(text), index, *search)

        def find_links(place: int) -> Iterator[Link]:
            """Make a block's hits that count one link, those that do not another."""
            for hyp, reference, ref, length, counted in blocks:
                first = math.ceil(counted)
                for kind, start, stop in ((RUN, 0, first), (CAPPED, first, length)):
                    words = stop - start
                    if reference == place and words > 0:
                        yield make_link(kind, hyp + start, ref + start, words, words)

        return build_alignments(
            batch, index, text, find_links, kinds=KINDS, chosen=None
        )

    exact = ("unproved",) if match == "exact" else ()
    return Metric(
        name="gtm",
        columns=("size", "hyp_len", "mean_ref_len", *exact),
        rows=lambda batch: _core.gtm_rows(batch.hits(text), *search),
        aggregate=aggregate,
        parts=parts,
        settled=text.versions() | ({"tok": tok} if tok == "none" else {}),
        notes=Notes(align=align),
    )


def aggregate(totals: Array) -> Array:
    """F of each row of totals; 0 where a side has no words."""
    precision, recall = _compute_shares(totals)
    both = precision + recall
    return 100 * 2 * precision * recall / np.where(both == 0, 1, both)


def parts(totals: Array) -> Parts:
    """The pieces of one corpus score."""
    precision, recall = _compute_shares(totals)
    names = ("size", "hyp_len", "mean_ref_len", "unproved")[: len(totals)]
    return {
        "precision": float(100 * precision),
        "recall": float(100 * recall),
        "f": float(aggregate(totals)),
        **dict(zip(names, totals.tolist(), strict=True)),
    }


def _compute_shares(totals: Array) -> tuple[Array, Array]:
    size, hyp_len, ref_len = np.moveaxis(totals[..., :3], -1, 0)
    precision = size / np.where(hyp_len == 0, 1, hyp_len)
    recall = size / np.where(ref_len == 0, 1, ref_len)
    return precision, recall
