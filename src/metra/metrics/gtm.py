"""GTM: precision and recall of a matching of words that rewards long runs."""

import math
from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np

from metra import _core
from metra.metrics.alignment import Alignment, Link, build_alignments, make_link
from metra.metrics.options import Case, Range
from metra.metrics.record import AnyBatch, Array, Metric, Parts, metric_factory
from metra.text.preparation import make_preparation

RUN, CAPPED = "run", "capped run"
KINDS = (RUN, CAPPED, "insertion", "deletion")


@metric_factory
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

    A matching pairs equal words of output and reference one to one. Its size is the e-th
    root of the sum of length^e over its runs, the stretches that are consecutive on both
    sides; precision is the size of the largest matching divided by the output's length,
    recall by the reference's, the score is F = 2PR/(P+R). With e=1 order does not matter;
    the larger e, the more it does. Several references are joined, no run passes from one
    to the next, and no more words count than the references have on average. Sizes and
    lengths are summed over segments before anything is divided.

    Turian, Shen and Melamed 2003, "Evaluation of machine translation and its evaluation",
    MT Summit IX. Defaults equal the program GTM 1.4 at every level.

    Options:
        e: the exponent, at least 1: how much longer runs are worth.
        match: how the matching is found: greedy, the longest run that is left, as the
            program does; paper, the same, but with several references hits are deleted
            from the shortest runs until the mean length (rounded down) is reached, as the
            paper says; exact, the largest matching there is, then the cap of greedy.
        nodes: how many partial matchings exact may look at in a segment before it settles
            for the best one so far; the part `unproved` counts such segments.
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
        align=align,
        aggregate=aggregate,
        parts=parts,
        settled=text.versions() | ({"tok": tok} if tok == "none" else {}),
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
