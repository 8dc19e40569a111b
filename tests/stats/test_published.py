"""P-values that another program has published: MultEval, by way of sacreBLEU.

The figures stand in test/test_significance.py of sacreBLEU's source distribution: LIUM-NMT
against other systems of WMT17, English into German. The statistics of the segments are in
data/wmt17_en_de.npz, made by make_wmt17.py.
"""

from pathlib import Path

import numpy as np
import pytest

import metra
from metra.stats import significance
from metra.stats.resampling import Sample

DATA = Path(__file__).parent / "data" / "wmt17_en_de.npz"

# MultEval, 10,000 shuffles: BLEU, TER.
PUBLISHED = {
    "FBK": (0.0218, 0.09569),
    "KIT": (0.0410, 0.0002),
    "LMU-nmt-reranked": (0.09029, 0.0001),
    "LMU-nmt-single": (0.58494, 0.0054),
    "online-B": (0.94111, 0.82242),
    "RWTH-nmt-ensemble": (0.0207, 0.07539),
    "xmu": (0.71073, 0.0001),
}
NAMES = list(PUBLISHED)


def near(expected: float, theirs: int, ours: int) -> object:
    """Five standard errors of the difference of two shares, and the ones that are added."""
    variance = expected * (1 - expected) * (1 / theirs + 1 / ours)
    return pytest.approx(expected, abs=5 * variance**0.5 + 2 / theirs + 2 / ours)


@pytest.fixture(scope="module")
def samples():
    """By system: BLEU's and TER's rows, from words, matches and edits."""
    with np.load(DATA) as data:
        counts = {name: data[name].astype(float) for name in data.files}
    length = counts.pop("reference")
    bleu, ter = metra.metric("bleu:tok=none").aggregate, metra.metric("ter").aggregate
    found = {}
    for name, (words, *matches, edits) in ((n, c.T) for n, c in counts.items()):
        ngrams = [np.maximum(words - order, 0) for order in range(4)]
        none = np.zeros(len(words))
        found[name] = (
            Sample(np.stack([*matches, *ngrams, words, length], 1), bleu),
            Sample(np.stack([edits, none, none, none, length], 1), ter),
        )
    return found


@pytest.mark.parametrize("which", [0, 1], ids=["bleu", "ter"])
def test_randomisation_finds_what_multeval_found(samples, which):
    chosen = [samples[name][which] for name in ["LIUM-NMT", *NAMES]]
    pairs = [(0, at) for at in range(1, len(chosen))]
    found = significance.randomisation_p_values(chosen, pairs)
    for name, p in zip(NAMES, found, strict=True):
        assert p == near(PUBLISHED[name][which], 10_000, 10_000), name
