"""References and options of metrics: agreement by each variant, and the best one."""

import json
import math

import numpy as np
import pytest
import scipy.stats

import metra
from metra.corpus.evalset import EvalSet
from metra.corpus.outputs import Outputs
from metra.errors import CorpusError, OptionError, UnknownNameError
from metra.meta import variants
from metra.meta.correlate import parse_specs
from metra.meta.options import RefsOptions, TuneOptions, parse_values
from metra.meta.variants import list_variants
from metra.scores import table
from metra.scores.views import build_panel
from metra.scoring.evaluate import make_metrics
from metra.scoring.scorers import ReferenceSubset, count_streams, score_systems
from metra.stats.correlation import Options

REFS = [
    ["the cat sat on the mat", "it rains today", "we go home"],
    ["a cat is on the mat", "today there is rain", "we are going home"],
    ["on the mat sat a cat", "it is raining", "home we go now"],
]
OUTPUTS = {
    "good": ["the cat sat on a mat", "it rains today", "we go home now"],
    "fair": ["a cat on mat", "rain it is today", "going home"],
    "poor": ["cat mat", "sun shines", "they left"],
    "odd": ["mat the on", "today rain", "home home"],
}
GOLD = {"good": 4.0, "fair": 3.0, "poor": 1.0, "odd": 2.5}
CORPUS = Outputs(EvalSet(refs_per_segment=list(zip(*REFS, strict=True))), OUTPUTS)
ASK = parse_specs(["pearson"], "sys", Options())[0]


def score(chosen):
    gold = table.build_score_table(
        [name for name in OUTPUTS for _ in range(3)],
        [table.ScoredItem(str(at)) for _ in OUTPUTS for at in (1, 2, 3)],
        {table.Scorer("da", "da"): [GOLD[name] for name in OUTPUTS for _ in range(3)]},
    )
    measures = make_metrics(["chrf", "bleu:smooth=floor"])
    mine, statistics = score_systems(ReferenceSubset(CORPUS, chosen), measures)
    return build_panel(
        table.concatenate_scores([gold, mine]),
        "da",
        list(measures),
        statistics=statistics,
    )


def test_each_subset_is_scored_as_a_corpus_of_its_own():
    found = variants.correlate_subsets(score, 3, ASK, RefsOptions())
    assert found.counts == [1, 2, 3]
    assert found.subsets[1] == [(0, 1), (0, 2), (1, 2)]
    for at, chosen in enumerate(found.subsets[1]):
        refs = [REFS[stream] for stream in chosen]
        scores = [
            metra.score(output, refs, "chrf").score for output in OUTPUTS.values()
        ]
        expected = scipy.stats.pearsonr(list(GOLD.values()), scores)[0]
        assert found.values["chrf"][1][at] == pytest.approx(expected)


def test_streams_are_counted_and_one_is_refused():
    assert count_streams(CORPUS) == 3
    with pytest.raises(CorpusError, match="needs at least two"):
        variants.correlate_subsets(score, 1, ASK, RefsOptions())


def test_a_segment_without_a_chosen_reference_is_refused():
    gap = Outputs(
        EvalSet(refs_per_segment=[["a", "b"], [None, "c"]]), {"s": ["a", "b"]}
    )
    with pytest.raises(CorpusError, match="Segment 2 has no reference"):
        list(ReferenceSubset(gap, [0]).chunks(10))
    assert len(next(ReferenceSubset(gap, [1]).chunks(10)).refs) == 1


def test_many_subsets_are_sampled_by_the_seed():
    drawn = variants.choose_subsets(20, 5, 8)
    assert drawn == variants.choose_subsets(20, 5, 8)
    assert drawn != variants.choose_subsets(20, 5, 8, seed=1)
    assert len(set(drawn)) == 8
    assert all(len(set(each)) == 5 for each in drawn)
    assert variants._choose_counts(48) == [1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 48]
    assert variants._choose_counts(4) == [1, 2, 3, 4]
    assert variants._choose_counts(9) == [*range(1, 10)]
    assert variants._choose_counts(64)[8:] == [16, 32, 64]
    assert variants._choose_counts(5000)[-2:] == [4096, 5000]


SEGMENTS, WORDS = 24, 10


@pytest.fixture
def study(write):
    """Five systems that leave words out and add others, neither as much as the other."""
    rng = np.random.default_rng(3)
    refs = [[f"w{segment}x{at}" for at in range(WORDS)] for segment in range(SEGMENTS)]
    write("ref.txt", [" ".join(words) for words in refs])
    lines = ["system\tseg\tdocument\trecall\tprecision\tflat"]
    counts = np.zeros((5, SEGMENTS, 3))
    for system, (left_out, added) in enumerate(
        [(1, 6), (2, 1), (3, 8), (4, 3), (5, 5)]
    ):
        outputs = []
        for segment, words in enumerate(refs):
            kept = WORDS - left_out - int(rng.integers(0, 2))
            junk = added + int(rng.integers(0, 3))
            outputs.append(" ".join([*words[:kept], *(["junk"] * junk)]))
            counts[system, segment] = kept, kept + junk, WORDS
            golds = kept / WORDS, kept / (kept + junk), 1
            cells = "\t".join(f"{gold:.9f}" for gold in golds)
            document = f"d{segment // 4}"
            lines.append(f"s{system}\t{segment + 1}\t{document}\t{cells}")
        write(f"s{system}.txt", outputs)
    return write("gold.tsv", lines), counts


@pytest.fixture
def tune(cli, study):
    gold, _ = study
    folder = gold.parent
    outputs = [
        piece for at in range(5) for piece in ("--output", folder / f"s{at}.txt")
    ]

    def run(*more, gold_name="recall", specs=("fmean",)):
        measures = [piece for spec in specs for piece in ("-m", spec)]
        return cli(
            *(
                "meta",
                "curve",
                "--over=alpha",
                gold,
                "--gold",
                gold_name,
                *outputs,
                "-r",
            ),
            *(folder / "ref.txt", *measures, "--trials", "40", *more),
        )

    return run


def read_curve(done):
    assert done.code == 0, done.err
    (curve,) = json.loads(done.out)["curves"]
    return curve


@pytest.mark.parametrize(("gold", "best"), [("recall", 1), ("precision", 0)])
def test_the_weight_that_people_go_by_is_found(tune, gold, best):
    curve = read_curve(tune("--format", "json", gold_name=gold))
    assert curve["best"] == best
    assert len(curve["values"]) == 21
    at = curve["values"].index(best)
    # People's scores are means of segments, the measure's are pooled.
    assert curve["coefficients"][at] > 0.99
    assert [fold["value"] for fold in curve["folds"]] == [best] * 5


def score_fmean(counts, alpha):
    matches, hyp, ref = counts.sum(1).T
    return matches / (alpha * ref + (1 - alpha) * hyp)


def correlate(one, other):
    one, other = one - one.mean(), other - other.mean()
    return float((one * other).sum() / math.sqrt((one**2).sum() * (other**2).sum()))


@pytest.mark.seed("2.18")
def test_curve_and_folds_equal_their_twin(tune, study):
    _, counts = study
    people = counts[:, :, 0] / counts[:, :, 1] + counts[:, :, 0] / 7
    values = [0, 0.25, 0.5, 0.75, 0.9, 1]
    gold = study[0].read_text().split("\n")
    header, *rows = [line.split("\t") for line in gold if line]
    for row in rows:
        mark = people[int(row[0][1:]), int(row[1]) - 1]
        row.append(f"{mark:.12f}")
    lines = ["\t".join(row) for row in ([*header, "mixed"], *rows)]
    study[0].write_text("\n".join(lines))
    options = ("--values", "0:1:0.25", "--set", "folds=3,seed=7")
    curve = read_curve(
        tune(*options, "--trials", "0", "--format", "json", gold_name="mixed")
    )
    assert curve["values"] == values
    expected = [correlate(people.mean(1), score_fmean(counts, v)) for v in values]
    assert curve["coefficients"] == pytest.approx(expected, abs=1e-9)
    fold_of = np.random.default_rng(7).permutation(SEGMENTS) % 3
    for fold, entry in enumerate(curve["folds"]):
        table = {
            kind: [
                correlate(people[:, chosen].mean(1), score_fmean(counts[:, chosen], v))
                for v in values
            ]
            for kind, chosen in (("others", fold_of != fold), ("own", fold_of == fold))
        }
        best = int(np.argmax(table["others"]))
        assert entry["value"] == values[best]
        assert entry["others"] == pytest.approx(table["others"][best], abs=1e-9)
        assert entry["held_out"] == pytest.approx(table["own"][best], abs=1e-9)
        assert entry["default"] == pytest.approx(table["own"][4], abs=1e-9)


def test_segments(tune):
    words = "--level seg --coef kendall-b:item --values 0,1 --set folds=2"
    done = tune(*words.split())
    assert done.code == 0, done.err
    assert "kendall-b item with recall by alpha" in done.out
    assert "level:seg|coef:kendall-b|group:item|folds:2 by segment|" in done.out


def test_a_gold_of_whole_systems_has_no_folds(tune, study):
    lines = [
        "system\tmqm",
        *(f"s{at}\t{mark}" for at, mark in enumerate([9, 7, 6, 5, 1])),
    ]
    study[0].write_text("\n".join(lines))
    curve = read_curve(tune("--values", "0,1", "--format", "json", gold_name="mqm"))
    people = np.array([9, 7, 6, 5, 1])
    expected = [correlate(people, score_fmean(study[1], v)) for v in (0, 0.9, 1)]
    assert curve["coefficients"] == pytest.approx(expected)
    done = tune("--values", "0,1", gold_name="mqm")
    assert "No cross-validation: the gold has no segment scores." in done.out


REFUSED = [
    pytest.param(("--values", "x"), "'x' is not a list of values; expected numbers "
                 "such as",
                 id="no numbers"),
    pytest.param(("--values", "0,2"), "fmean: alpha=2 is not possible; expected a number "
                 "from 0 to 1", id="out of range"),
    pytest.param(("--set", "folds=30"), "24 segments cannot be divided into 30 folds; "
"give fewer --set folds", id="too many folds"),
    pytest.param(("--level", "seg", "--coef", "acc*_eq:item"), "fits its tie threshold",
                 id="calibrated"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_cannot_be_tuned(tune, options, message):
    done = tune(*options)
    assert done.code == 2
    assert message in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_scores_that_are_constant(tune):
    done = tune("--values", "0,1", gold_name="flat")
    assert done.code == 2
    assert "fmean has no coefficient with flat: " in done.err


def test_outputs_and_a_measure_are_needed(cli, study):
    done = cli("meta", "curve", "--over=alpha", study[0], "--gold", "recall")
    assert (done.code, "Values of an option need outputs to score" in done.err) == (
        2,
        True,
    )


def test_variants_of_a_spec():
    default, variants = list_variants("fmean:stem=porter", "alpha", [0.5, 1])
    assert default == 0.9
    assert variants == {
        0.5: "fmean:stem=porter,alpha=0.5",
        0.9: "fmean:stem=porter,alpha=0.9",
        1.0: "fmean:stem=porter,alpha=1",
    }
    default, variants = list_variants("fmean:alpha=0.3", "alpha", [0.5])
    assert (default, list(variants)) == (0.3, [0.3, 0.5])
    with pytest.raises(UnknownNameError, match="'beta'"):
        list_variants("fmean", "beta", [1])
    with pytest.raises(OptionError, match="not a number"):
        list_variants("fmean", "tok", [1])
    assert metra.metric(variants[0.5]).options["alpha"] == 0.5


def test_values_are_read():
    assert parse_values("0:0.3:0.1") == (0, 0.1, 0.2, 0.3)
    assert TuneOptions().values == parse_values("0:1:0.05")
    for wrong in ("", "1:0:0.1", "0:1", "nan", "0:inf:1", "0:1:-1"):
        with pytest.raises(ValueError, match="is not a list of values"):
            parse_values(wrong)
