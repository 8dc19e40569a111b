"""Correlations that the makers of public sets, or those who looked at them before, report."""

import numpy as np
import pytest

from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.scoring.evaluate import make_metrics
from metra.scoring.scorers import score_systems
from metra.stats.correlation import correlate

THREE_DIGITS = 6e-4


def column(rows, name):
    return np.array([float(row[name] or "nan") for row in rows])


def test_wmt12_bleu_and_the_share_of_wins(shared, read_table):
    """Spearman of BLEU with wins / (wins + losses), two digits each."""
    for lang, value in {
        "cs-en": 0.89,
        "de-en": 0.67,
        "es-en": 0.87,
        "fr-en": 0.81,
    }.items():
        rows = read_table(shared / f"data/wmt12-ranking/{lang}.sys_scores.tsv")
        wins, losses = column(rows, "wins"), column(rows, "losses")
        share = wins / (wins + losses)
        assert share == pytest.approx(column(rows, "win_ratio_noties"), abs=6e-5)
        found = correlate(share, column(rows, "sacrebleu_BLEU"), coef="spearman").value
        assert found == pytest.approx(value, abs=6e-3), lang


def test_mlqe_post_editing_and_direct_assessment(shared, read_table):
    rows = read_table(shared / "data/mlqe-pe/segments.tsv.gz")
    expected = {
        "et-en": -0.593, "ro-en": -0.781, "ru-en": -0.521, "ne-en": -0.471,
        "si-en": -0.419, "en-de": -0.422, "en-zh": -0.201,
    }  # fmt: skip
    for lang, value in expected.items():
        mine = [row for row in rows if row["lp"] == lang]
        found = correlate(column(mine, "da_mean"), column(mine, "hter")).value
        assert found == pytest.approx(value, abs=THREE_DIGITS), lang


def test_mlqe_sentence_bleu_by_reference(shared, read_table):
    """The second reference gives more than either alone."""
    rows = read_table(shared / "data/mlqe-pe/segments.tsv.gz")
    rows = [row for row in rows if row["ref1"] and row["ref2"]]
    assert len(rows) == 995
    gold, texts = column(rows, "da_z_mean"), [row["mt"] for row in rows]
    for names, value in (
        (["ref1"], 0.416),
        (["ref2"], 0.423),
        (["ref1", "ref2"], 0.491),
    ):
        refs = [[row[name] for row in rows] for name in names]
        found = segments(refs, {"mt": texts}, "bleu")
        assert correlate(gold, found[0]).value == pytest.approx(value, abs=THREE_DIGITS)


def test_four_references_of_optimal_quality(shared, read_table):
    """Pooled over 12 systems; zeros, which stand for no judgement, are kept there."""
    folder = shared / "data/ort-encs-48refs"
    lines = read_table(folder / "refs.tsv.gz")
    place = {line["seg"]: at for at, line in enumerate(lines)}
    outputs, gold = {}, {}
    for row in read_table(folder / "outputs.tsv.gz"):
        if row["system"] == "ref":
            continue
        at = place[row["seg"]]
        outputs.setdefault(row["system"], [""] * len(lines))[at] = row["text"]
        gold.setdefault(row["system"], np.zeros(len(lines)))[at] = float(row["da_z"])
    judged = np.stack(list(gold.values()))
    refs = [[line[f"R{at}"] for line in lines] for at in (1, 2, 3, 4)]
    expected = {
        "bleu": (0.231, 0.236, 0.216, 0.255, 0.311),
        "chrf": (0.266, 0.279, 0.226, 0.290, 0.318),
    }
    for spec, values in expected.items():
        for chosen, value in zip(
            [*([each] for each in refs), refs], values, strict=True
        ):
            found = correlate(judged, segments(chosen, outputs, spec)).value
            assert found == pytest.approx(value, abs=THREE_DIGITS), (spec, len(chosen))


def test_what_post_editing_time_goes_with(shared, read_table):
    rows = read_table(shared / "data/pe-iwslt2019-enes/segments.tsv.gz")
    time = column(rows, "time") / column(rows, "mlen")
    expected = {
        "HTER": 0.405, "HBLEU": -0.389, "DA": -0.292, "METEOR": -0.211, "BLEU": -0.178,
        "TER": 0.159,
    }  # fmt: skip
    for name, value in expected.items():
        found = correlate(time, column(rows, name)).value
        assert found == pytest.approx(value, abs=THREE_DIGITS), name
    found = correlate(column(rows, "HTER"), column(rows, "DA")).value
    assert found == pytest.approx(-0.434, abs=THREE_DIGITS)


@pytest.mark.parametrize(
    ("lang", "bleu", "chrf"),
    [
        *(("de-en", 0.813, 0.910), ("fi-en", 0.985, 0.990), ("gu-en", 0.834, 0.952)),
        *(("kk-en", 0.946, 0.969), ("lt-en", 0.955, 0.935)),
        *(("ru-en", 0.873, 0.919), ("zh-en", 0.903, 0.955)),
    ],
)
def test_wmt19_from_the_outputs_themselves(shared, read_table, lang, bleu, chrf):
    """Our own scores of systems, by sacreBLEU's settings of the time."""
    rows = read_table(shared / f"data/wmt19-da/{lang}.segments.tsv.gz")
    judged = {
        row["system"]: float(row["da_z"])
        for row in read_table(shared / "data/wmt19-da/sys_scores.tsv")
        if row["lp"] == lang
    }
    outputs = {name: [row[name] for row in rows] for name in rows[0] if name in judged}
    specs = {"bleu:case=lower,tok=intl": bleu, "chrf:beta=3": chrf}
    corpus = Outputs(EvalSet([[row["ref"] for row in rows]]), outputs)
    found, _ = score_systems(corpus, make_metrics(list(specs)))
    gold = np.array([judged[name] for name in found.systems])
    assert len(gold) == len(judged)
    for spec, value in specs.items():
        r = correlate(gold, found.system_scores(spec)).value
        assert r == pytest.approx(value, abs=THREE_DIGITS), spec


def segments(refs, outputs, spec):
    """Scores of segments by one of our measures, systems × segments."""
    found, _ = score_systems(Outputs(EvalSet(refs), outputs), make_metrics([spec]))
    return found.matrix(spec)
