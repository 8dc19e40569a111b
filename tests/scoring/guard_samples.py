"""Texts for the tests of guards, and what the guards say about texts."""

from pathlib import Path

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.scoring.evaluate import make_metrics
from metra.scoring.guards import TextGuard, list_toks


def find_problems(outputs, refs, source=None, metrics=("bleu",), chunk=2048):
    """Say what the guards warn of, with their names."""
    by_segment = list(zip(*refs, strict=True)) or None
    corpus = Outputs(EvalSet(source=source, refs_per_segment=by_segment), outputs)
    guard = TextGuard(list_toks(make_metrics(metrics)))
    for part in corpus.chunks(chunk):
        guard.visit(part)
    return guard.find_problems()


def read_kinds():
    """Read references and outputs of many kinds of text, by the name of the kind."""
    content = Path(__file__).with_name("guard_texts.txt").read_text(encoding="utf-8")
    kinds = {}
    for part in content.split("\n== ")[1:]:
        kind, *lines = part.removesuffix("\n").split("\n")
        pairs = (line.split(" | ") for line in lines)
        refs, outputs = zip(*pairs, strict=True)
        kinds[kind] = list(refs), list(outputs)
    return kinds
