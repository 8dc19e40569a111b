"""P-values that other programs have published: Moses and MultEval, by way of sacreBLEU.

The figures stand in test/test_significance.py of sacreBLEU's source distribution: LIUM-NMT
against other systems of WMT17, English into German. The statistics of the segments are in
data/wmt17_en_de.npz, made by make_wmt17.py.
"""

from pathlib import Path

import numpy as np
import pytest

import metra
from metra.stats import resampling, significance
from metra.stats.resampling import Sample

DATA = Path(__file__).parent / "data" / "wmt17_en_de.npz"

# MultEval, 10,000 shuffles: BLEU, TER.
# Moses' bootstrap script, 2,000 resamples, the mean of three runs: BLEU.
PUBLISHED = {
    "FBK": (0.0218, 0.09569, 0.01267),
    "KIT": (0.0410, 0.0002, 0.02233),
    "LMU-nmt-reranked": (0.09029, 0.0001, 0.04383),
    "LMU-nmt-single": (0.58494, 0.0054, 0.20783),
    "online-B": (0.94111, 0.82242, 0.38100),
    "RWTH-nmt-ensemble": (0.0207, 0.07539, 0.01167),
    "xmu": (0.71073, 0.0001, 0.25483),
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


@pytest.fixture(scope="module")
def resampled(samples):
    """Differences of BLEU to the baseline in 10,000 resamples, and the observed ones."""
    chosen = [samples[name][0] for name in ["LIUM-NMT", *NAMES]]
    rng = np.random.default_rng(12345)
    drawn = resampling.bootstrap_scores(chosen, trials=10_000, rng=rng)
    observed = [float(sample.aggregate(sample.rows.sum(0))) for sample in chosen]
    return {
        name: ((drawn[0], drawn[at]), (observed[0], observed[at]))
        for at, name in enumerate(NAMES, 1)
    }


@pytest.mark.parametrize("which", [0, 1], ids=["bleu", "ter"])
def test_randomisation_finds_what_multeval_found(samples, which):
    chosen = [samples[name][which] for name in ["LIUM-NMT", *NAMES]]
    pairs = [(0, at) for at in range(1, len(chosen))]
    found = significance.randomisation_p_values(chosen, pairs)
    for name, p in zip(NAMES, found, strict=True):
        assert p == near(PUBLISHED[name][which], 10_000, 10_000), name


@pytest.mark.parametrize("name", NAMES)
def test_our_resamples_give_the_p_values_of_moses(resampled, name):
    """Moses takes absolute differences before it moves them to the mean 0: one-sided."""
    (first, second), (one, two) = resampled[name]
    gaps = np.abs(second - first)
    p = np.mean(gaps - gaps.mean() > abs(two - one))
    assert p == near(PUBLISHED[name][2], 6000, 10_000)


RUEN = "Facebook-AI", "Online-G"


@pytest.fixture(scope="module")
def ruen(shared, read_lines):
    """WMT21 Russian into English, tokenised: the baseline, two systems, two references."""
    folder = shared / "gold" / "data" / "wmt21ruen"

    def lines(name):
        return read_lines(folder / f"{name}.tok")

    systems = {name: lines(f"hyp.{name}") for name in ("Online-A", *RUEN)}
    return metra.EvalSet([lines("ref.A"), lines("ref.B")]), systems


@pytest.fixture(scope="module")
def multeval(shared):
    """What MultEval printed: by system, metric and kind of figure."""
    found = {}
    table = shared / "gold" / "multeval" / "ruen.refAB.results.txt"
    for line in table.read_text().split("\n"):
        if line:
            _, system, metric, kind, value = line.split(": ")
            found[system, metric, kind] = float(value)
    return found


def test_resampled_scores_spread_as_multevals(ruen, multeval):
    evalset, systems = ruen
    for name, theirs in zip(systems, ("baseline", "system 1", "system 2"), strict=True):
        for spec, metric in (("bleu:tok=none", "BLEU"), ("ter", "TER")):
            result = metra.score(systems[name], evalset.refs, spec)
            sample = Sample(result.rows, result.metric.aggregate)
            rng = np.random.default_rng(1)
            [drawn] = resampling.bootstrap_scores([sample], trials=4000, rng=rng)
            # The spread of 1,000 resamples is known to some 2.2 %.
            expected = multeval[theirs, metric, "RESAMPLED_STDDEV_AVG"]
            assert drawn.std() == pytest.approx(expected, rel=0.1)


def test_p_values_of_scores_and_of_lengths(ruen, multeval):
    """BLEU and TER differ beyond doubt; the length of one system does not."""
    evalset, systems = ruen
    results = metra.compare(evalset, systems, ["bleu:tok=none", "ter"])
    for entry in results.comparisons:
        theirs = f"system {1 + RUEN.index(entry.system)}"
        metric = entry.metric.partition(":")[0].upper()
        expected = multeval[theirs, metric, "P_VALUE"]
        assert entry.p_value == near(expected, 10_000, 10_000)

    def ratio(totals):
        return 100 * totals[..., 8] / totals[..., 9]

    samples = [
        Sample(metra.score(hyps, evalset.refs, "bleu:tok=none").rows, ratio)
        for hyps in systems.values()
    ]
    found = significance.randomisation_p_values(samples, [(0, 1), (0, 2)])
    for p, theirs in zip(found, ("system 1", "system 2"), strict=True):
        assert p == near(multeval[theirs, "Length", "P_VALUE"], 10_000, 10_000)
