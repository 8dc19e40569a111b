"""The question `report_task`: the protocols of WMT's metrics tasks, each in one word.

wmt23: system-level accuracy pooled over the language pairs, weighing as much as there are
pairs, and for each pair Pearson of systems, Pearson of segments and acc*_eq (Freitag et al.
2023, WMT). wmt24 and wmt25: soft pairwise accuracy and acc*_eq for each pair, all alike
(Freitag et al. 2024). Correlations are mapped to 0..1 before they are averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metra.errors import CorpusError, UnknownNameError, no_such
from metra.meta.correlate import CorrelationSpec, correlate_panel, describe_spa
from metra.meta.findings import MetaReport, build_count, build_signature
from metra.scoring.table import Cell, make_table, mark_best
from metra.stats.arrays import Array, Codes
from metra.stats.correlation import Options
from metra.stats.multiplicity import clusters_greedy
from metra.stats.panel import ScorePanel
from metra.stats.permutation import choose_swap, prepare_swaps


@dataclass(frozen=True)
class ProtocolColumn:
    """One column of a protocol: a coefficient of one language pair, and its weight."""

    name: str
    panels: tuple[ScorePanel, ...]
    question: CorrelationSpec
    weight: float


def _wmt23(panels: Sequence[ScorePanel], options: Options) -> list[ProtocolColumn]:
    pooled = replace(options, coef="accuracy")
    names = ",".join(panel.lang for panel in panels)
    parts = [
        ProtocolColumn(
            f"{names} sys accuracy".strip(),
            tuple(panels),
            CorrelationSpec(pooled, "sys"),
            len(panels),
        )
    ]
    for panel in panels:
        for level, coef, group in (
            ("sys", "pearson", "none"),
            ("seg", "pearson", "none"),
            ("seg", "acc*_eq", "item"),
        ):
            chosen = replace(options, coef=coef, group=group)  # type: ignore[arg-type]
            parts.append(
                ProtocolColumn(
                    f"{panel.lang} {level} {coef}".strip(),
                    (panel,),
                    CorrelationSpec(chosen, level),
                    1,
                )
            )
    return parts


def _wmt24(panels: Sequence[ScorePanel], options: Options) -> list[ProtocolColumn]:
    parts = []
    for panel in panels:
        soft = replace(options, coef="spa")
        ties = replace(options, coef="acc*_eq", group="item")
        parts.append(
            ProtocolColumn(
                f"{panel.lang} sys spa".strip(),
                (panel,),
                CorrelationSpec(soft, "sys"),
                1,
            )
        )
        parts.append(
            ProtocolColumn(
                f"{panel.lang} seg acc*_eq".strip(),
                (panel,),
                CorrelationSpec(ties, "seg"),
                1,
            )
        )
    return parts


PROTOCOLS = {"wmt23": _wmt23, "wmt24": _wmt24, "wmt25": _wmt24}


def report_task(
    protocol: str,
    panels: Sequence[ScorePanel],
    options: Options,
    *,
    test: bool = False,
    alpha: float = 0.05,
) -> MetaReport:
    """Score all metrics that every language pair has, and rank them by the average."""
    if protocol not in PROTOCOLS:
        raise UnknownNameError(no_such("protocol", protocol, PROTOCOLS))
    panels = sorted(panels, key=lambda panel: panel.lang)
    shared = [n for n in panels[0].names if all(n in panel.names for panel in panels)]
    if not shared:
        msg = "No metric has scores of every language pair; the protocol averages over them."
        raise CorpusError(msg)
    panels = [panel.of_metrics(shared) for panel in panels]
    parts = PROTOCOLS[protocol](panels, options)
    scores = np.array([_score_part(part) for part in parts])  # parts × metrics
    weights = np.array([part.weight for part in parts])
    weights = weights / weights.sum()
    average = _average(parts, scores, weights)
    order = np.argsort(-average, kind="stable")
    columns = [mark_best([Cell(float(average[at])) for at in order])]
    if test:
        p = _p_values(parts, order, weights, options)
        columns.append([build_count(c) for c in clusters_greedy(p, alpha)])
    columns += [mark_best([Cell(float(row[at])) for at in order]) for row in scores]
    heads = ["average", *(["cluster"] if test else []), *(part.name for part in parts)]
    rows = [
        (shared[at], list(cells))
        for at, cells in zip(order.tolist(), zip(*columns, strict=True), strict=True)
    ]
    notes = [
        f"{panel.lang}: {note}" if panel.lang else note
        for panel in panels
        for note in panel.notes
    ]
    gone = {n for panel in panels for n in panel.names} - set(shared)
    if gone:
        notes.append(
            f"Not in every language pair and so left out: {', '.join(sorted(gone))}."
        )
    soft = describe_spa([part.question for part in parts])
    line = build_signature(
        task=protocol,
        gold=panels[0].gold_name,
        lang=",".join(panel.lang for panel in panels),
        sys=",".join(str(len(panel.systems)) for panel in panels),
        spa_p=soft,
        test=f"joint exchange k={options.trials}" if test else None,
        clusters="greedy" if test else None,
        seed=options.seed if test or soft else None,
    )
    title = f"{protocol} protocol, gold {panels[0].gold_name}"
    return MetaReport(
        [make_table("metric", heads, rows, caption=title, name=protocol)], line, notes
    )


def _score_part(part: ProtocolColumn) -> Array:
    """The coefficients of all metrics; pairs of systems are pooled over language pairs."""
    found = [correlate_panel(panel, part.question) for panel in part.panels]
    names = list(found[0])
    for name in names:
        for panel, results in zip(part.panels, found, strict=True):
            if results[name].reason:
                place = ", ".join(filter(None, (panel.lang, name, part.name)))
                msg = f"{place}: {results[name].reason}"
                raise CorpusError(msg)
    pairs = np.array([len(p.systems) * (len(p.systems) - 1) / 2 for p in part.panels])
    each = np.array([[results[name].value for name in names] for results in found])
    return np.einsum("p,pm->m", pairs, each) / pairs.sum()


def _average(parts: Sequence[ProtocolColumn], scores: Array, weights: Array) -> Array:
    """Weigh the parts' scores, all mapped to 0..1: parts × metrics to metrics."""
    lowest = np.array([part.question.options.coefficient.lowest for part in parts])
    rescaled = (scores - lowest[:, None]) / (1 - lowest[:, None])
    return np.einsum("p,pm->m", weights, rescaled)


def _p_values(
    parts: Sequence[ProtocolColumn], order: Codes, weights: Array, options: Options
) -> Array:
    """One joint test: the averages after exchanges that are drawn in every part alike."""
    size = len(order)
    tested = [
        replace(
            part,
            question=replace(part.question, options=part.question.options.in_tests),
        )
        for part in parts
    ]
    average = _average(parts, np.array([_score_part(part) for part in tested]), weights)
    p = np.full((size, size), np.nan)
    after = []
    for part in parts:
        each = []
        for panel in part.panels:
            ask = part.question
            swap = choose_swap(panel, ask.level, ask.options)
            each.append(prepare_swaps(panel, ask.level, ask.options, swap))
        after.append(each)
    for i in range(size):
        for j in range(i + 1, size):
            a, b = int(order[i]), int(order[j])
            gap = np.zeros(options.trials)
            for part, each, weight in zip(parts, after, weights, strict=True):
                scale = 1 - part.question.options.coefficient.lowest
                pairs = [len(x.systems) * (len(x.systems) - 1) / 2 for x in part.panels]
                for swap_in, share in zip(each, pairs, strict=True):
                    first, second = swap_in(a, b)
                    gap += weight * share / sum(pairs) * (first - second) / scale
            reached = int((gap >= average[a] - average[b] - 1e-12).sum())
            p[i, j] = (reached + 1) / (options.trials + 1)
    return p
