"""Published figures of WMT's metrics tasks, from the scores that they were computed from."""

import csv
import gzip
import json
import math
from collections import Counter

import numpy as np
import pytest
from tests.panels import cells_by_name, headings

from metra.meta.correlate import correlate_panel, parse_specs
from metra.meta.task import build_task_table, score_task
from metra.scores.registry import read_score_files, read_scores
from metra.scores.selection import DEFAULT, Selection
from metra.scores.views import build_panel, collect_ratings
from metra.stats.correlation import Options, correlate, correlate_all
from metra.stats.curves import mad_outliers
from metra.stats.exact_tests import williams_p

PAIRS = ("en-de", "he-en", "zh-en")


@pytest.fixture(scope="module")
def wmt23(shared, read_table):
    """The panels of the three language pairs, and the official scorer's figures."""
    folder = shared / "data/wmt23-mqm-esa"
    panels = {
        lang: build_panel(
            read_score_files(
                [
                    f"{lang}={folder / f'{lang}.seg_scores.tsv.gz'}",
                    f"{lang}={folder / f'{lang}.sys_scores.tsv'}",
                ]
            ),
            "mqm",
        )
        for lang in PAIRS
    }
    rows = read_table(folder / "expected_wmt23_metrics_task.tsv")
    expected = {row["metric"].removesuffix("[noref]"): row for row in rows}
    return panels, expected


def equal(found, expected, column, tolerance=1e-6):
    return sum(
        abs(found[name].value - float(row[column])) < tolerance
        for name, row in expected.items()
    )


def as_official(shared, lang, *, wmt=True):
    """Scores with the MQM that is added up from raters' errors."""
    folder = shared / "data/wmt23-mqm-esa"
    files = (f"{lang}.seg_scores.tsv.gz", f"{lang}.sys_scores.tsv")
    scores = read_score_files([f"{lang}={folder / file}" for file in files])
    errors = read_score_files(
        [f"{lang}={folder / f'{lang}.mqm_errors.tsv.gz'}"], wmt=wmt
    )
    return build_panel(scores.with_values_of("mqm", errors), "mqm")


@pytest.mark.parametrize(
    ("lang", "clean", "official", "farthest"),
    [
        # The official gold scores carry rounding noise, so that some judgements that are
        # equal count as different: 17 values of en-de, 33 of zh-en. Two figures of zh-en
        # hang on digits of the metrics' scores that are not printed, see below.
        pytest.param("en-de", 0, 32, 4e-4, id="en-de"),
        pytest.param("he-en", 32, None, 1e-6, id="he-en"),
        pytest.param("zh-en", 14, 30, 4e-5, id="zh-en"),
    ],
)
def test_wmt23_calibrated_accuracy(wmt23, shared, lang, clean, official, farthest):
    panels, expected = wmt23
    column = f"{lang}|seg|KendallWithTiesOpt"
    ask = parse_specs(["acc*_eq:item"], "seg", Options())[0]
    found = correlate_panel(panels[lang], ask)
    assert equal(found, expected, column) == clean
    assert equal(found, expected, column, farthest) == 32
    if official is not None:
        found = correlate_panel(as_official(shared, lang), ask)
        assert equal(found, expected, column) == official
        added_in_tenths = correlate_panel(as_official(shared, lang, wmt=False), ask)
        assert equal(added_in_tenths, expected, column) == clean


def test_wmt23_figure_that_hangs_on_the_last_bits_of_bleu(wmt23, shared, read_table):
    """BLEU's threshold is 4e-15: scores that are equal but for rounding tie, or do not."""
    sacrebleu = pytest.importorskip("sacrebleu")
    folder = shared / "data/wmt23-mqm-esa"
    official = as_official(shared, "zh-en")
    refs = [row["refA"] for row in read_table(folder / "zh-en.segments.tsv.gz")]
    outputs = read_table(folder / "zh-en.outputs.tsv.gz")
    sentence = sacrebleu.BLEU(effective_order=True).sentence_score
    bleu = np.full(official.gold.shape, np.nan)
    for at, to in zip(*np.nonzero(np.isfinite(official.gold)), strict=True):
        line = int(official.items[to].segment) - 1
        bleu[at, to] = sentence(outputs[line][official.systems[at]], [refs[line]]).score
    printed = official.metrics["BLEU"]
    assert np.nanmax(np.abs(bleu - printed)) < 1e-6
    published = float(wmt23[1]["BLEU"]["zh-en|seg|KendallWithTiesOpt"])
    options = Options(coef="acc*_eq", group="item")
    found = correlate_all(official.gold, {"full": bleu, "printed": printed}, options)
    assert found["full"].value == pytest.approx(published, abs=1e-6)
    assert found["full"].eps < 1e-14
    assert abs(found["printed"].value - published) > 1e-5


def test_wmt23_table_with_the_official_gold(wmt23, shared):
    """Every figure of the official table is the official one, but for two."""
    panels, expected = wmt23
    official = {lang: as_official(shared, lang) for lang in ("en-de", "zh-en")}
    every = [*(panels | official).values()]
    scores = score_task("wmt23", every, Options(wmt=True))
    table = build_task_table(scores)
    others, names = [], headings(table)
    for name, cells in cells_by_name(table).items():
        figures = dict(zip(names, cells, strict=True))
        for column, figure in expected[name].items():
            heading = column.replace("|", " ").replace("KendallWithTiesOpt", "acc*_eq")
            heading = heading.replace("weighted_avg", "average")
            if (
                column != "metric"
                and abs(figures[heading].value - float(figure)) > 1.01e-6
            ):
                others.append((name, heading))
    assert scores.metrics == list(expected)
    assert names[:2] == ["average", "en-de,he-en,zh-en sys accuracy"]
    assert len(table.rows) * len(names) == 352
    assert others == [
        ("MS-COMET-QE-22", "zh-en seg acc*_eq"), ("BLEU", "zh-en seg acc*_eq"),
    ]  # fmt: skip
    assert [len(panel.systems) for panel in scores.panels] == [12, 13, 15]


def test_wmt24_protocol_averages_two_figures_a_pair(wmt23):
    panels, expected = wmt23
    scores = score_task("wmt24", list(panels.values()), Options(wmt=True))
    table = build_task_table(scores)
    assert len(headings(table)) == 7
    soft = correlate_all(
        panels["he-en"].gold, panels["he-en"].metrics, Options(coef="spa", wmt=True)
    )
    at = headings(table).index("he-en seg acc*_eq")
    for name, (average, *figures) in cells_by_name(table).items():
        assert average.value == pytest.approx(np.mean([f.value for f in figures]))
        found = figures[headings(table).index("he-en sys spa") - 1].value
        assert found == pytest.approx(soft[name].value, abs=1e-12)
        official = float(expected[name]["he-en|seg|KendallWithTiesOpt"])
        assert figures[at - 1].value == pytest.approx(official, abs=1e-6)


@pytest.fixture(scope="module")
def wmt20(shared, read_table):
    """Human and metric scores of systems by language pair (and reference)."""
    folder = shared / "data/wmt20-metrics-task"
    scores = {}
    for row in read_table(folder / "sys_scores.tsv.gz"):
        # The published figures leave out human translations.
        if "uman" not in row["system"]:
            by_metric = scores.setdefault(row["lp_ref"], {})
            pair = (float(row["human_z"]), float(row["score"] or "nan"))
            by_metric.setdefault(row["metric"], {})[row["system"]] = pair
            # Judgements that were not put on one scale stand among the metrics.
            raw = (float(row["human_z"]), float(row["human_raw"] or "nan"))
            by_metric.setdefault("HUMAN_RAW", {})[row["system"]] = raw
    outliers = {}
    for row in read_table(folder / "outliers.tsv"):
        outliers.setdefault(row["lp"].replace("-", ""), set()).add(row["system"])
    published = read_table(folder / "published_sys_correlations.tsv")
    return scores, outliers, published


def test_wmt20_system_correlations(wmt20):
    scores, outliers, published = wmt20
    same = 0
    for row in published:
        kept = scores[row["lp_ref"]][row["metric"]]
        if row["systems"] == "excl_outliers":
            gone = outliers.get(row["lp_ref"].partition("_")[0], set())
            kept = {system: pair for system, pair in kept.items() if system not in gone}
        gold, metric = np.array(list(kept.values())).T
        coef = {"Kendall": "kendall-b", "Pearson": "pearson"}[row["statistic"]]
        # Some metrics are errors; their figures were published without the sign.
        found = abs(correlate(gold, metric, coef=coef).value)
        same += math.isclose(found, abs(float(row["value"])), abs_tol=1e-6)
    assert (same, len(published)) == (1744, 1744)


def test_wmt20_sentence_bleu(wmt20):
    """Tables 5 and 6 of the findings: all systems, and without outliers."""
    scores, outliers, _ = wmt20
    expected = {  # the same values stand in mt-metrics-eval's data_test
        "cs-en": (0.844, 0.800), "de-en": (0.978, 0.786), "en-cs": (0.840, 0.436),
        "en-de": (0.934, 0.823), "en-iu": (0.129, 0.047), "en-ja": (0.946, 0.976),
        "en-pl": (0.950, 0.772), "en-ru": (0.981, 0.981), "en-ta": (0.881, 0.852),
        "en-zh": (0.927, 0.927), "iu-en": (0.649, 0.469), "ja-en": (0.974, 0.851),
        "km-en": (0.969, 0.969), "pl-en": (0.502, 0.284), "ps-en": (0.888, 0.888),
        "ru-en": (0.916, 0.833), "ta-en": (0.925, 0.829), "zh-en": (0.948, 0.950),
    }  # fmt: skip
    # The findings forgot en-ja's list; the makers of BLEURT found the only one that fits.
    outliers = outliers | {"enja": {"Online-G.1557", "SJTU-NICT.370"}}
    same = []
    for lang, figures in expected.items():
        key = lang.replace("-", "") + ("_full" if lang == "en-iu" else "")
        every = scores[key]["sentBLEU"]
        kept = {
            s: pair for s, pair in every.items() if s not in outliers.get(key, set())
        }
        for by_system, figure in zip((every, kept), figures, strict=True):
            gold, metric = np.array(list(by_system.values())).T
            same.append(abs(correlate(gold, metric).value - figure) < 6e-4)
    assert (sum(same), len(same)) == (36, 36)


def test_wmt20_people_among_the_systems(shared, read_table):
    """Six metrics by the second reference of en-de, the first one being a system.

    mt-metrics-eval's data_test has these figures, with outliers left out.
    """
    folder = shared / "data/wmt20-metrics-task"
    outliers = {
        row["system"]
        for row in read_table(folder / "outliers.tsv")
        if row["lp"] == "en-de"
    }
    expected = {
        "BLEU": 0.672, "sentBLEU": 0.639, "COMET": 0.879, "BLEURT-extended": 0.883,
        "prism": 0.731, "YiSi-0": 0.728,
    }  # fmt: skip
    for name, figure in expected.items():
        rows = [
            (float(row["human_z"]), float(row["score"]))
            for row in read_table(folder / "sys_scores.tsv.gz")
            if row["lp_ref"] == "ende_B" and row["metric"] == name
            if row["system"] not in outliers | {"Human-B.0", "Human-P.0"}
        ]
        gold, metric = np.array(rows).T
        assert correlate(gold, metric).value == pytest.approx(figure, abs=6e-4), name


def test_wmt20_winners_by_williams(wmt20):
    """A metric won where no other is significantly better: the published stars.

    Two metrics with the same scores leave the published program without a p-value, and it
    takes both for beaten. They cannot beat each other.
    """
    scores, outliers, published = wmt20
    groups = {}
    for row in published:
        if row["statistic"] == "Pearson":
            groups.setdefault(row["lp_ref"], []).append(row)
    total, differ = 0, {}
    for key, rows in groups.items():
        gone = outliers.get(key.partition("_")[0], set())
        systems = [s for s in scores[key][rows[0]["metric"]] if s not in gone]
        names = [
            row["metric"]
            for row in rows
            if set(systems) <= scores[key][row["metric"]].keys()
        ]
        gold = np.array([scores[key][names[0]][s][0] for s in systems])
        metrics = np.array([[scores[key][n][s][1] for s in systems] for n in names])
        if not np.isfinite(metrics).all() or len(systems) < 4:
            continue
        p = williams_p(gold, metrics)
        beaten = (np.nan_to_num(p, nan=1.0) < 0.05).any(0)
        won = {row["metric"]: row["winner"] == "True" for row in rows}
        total += len(names)
        for name, lost in zip(names, beaten, strict=True):
            if won[name] is bool(lost):
                differ.setdefault(key, set()).add(name)
    combined, esim = {"Yisi-combi", "bleurt-Yisi-combi"}, {"esim", "paresim-1"}
    assert total == 872
    assert differ == {
        "ende": combined, "ende_B": combined, "ende_P": combined, "eniu_news": esim,
    }  # fmt: skip
    for key, twins in differ.items():
        one, other = (scores[key][name] for name in sorted(twins))
        alike = np.corrcoef([one[s][1] for s in one], [other[s][1] for s in one])
        assert alike[0, 1] == pytest.approx(1, abs=1e-9)


def test_outliers_by_deviation_are_not_the_published_ones(wmt20):
    """The published lists were made with care by hand, so lists can be given."""
    scores, outliers, _ = wmt20
    same = 0
    pairs = [key for key in scores if len(key) == 4]
    for key in pairs:
        by_system = (
            scores[key]["BLEU"] if "BLEU" in scores[key] else scores[key]["sentBLEU"]
        )
        gold = np.array([human for human, _ in by_system.values()])
        found = {s for s, far in zip(by_system, mad_outliers(gold), strict=True) if far}
        same += found == outliers.get(key, set())
    assert 8 <= same <= len(pairs)


def test_wmt19_system_correlations(shared, read_table):
    """BLEU of all 18 language pairs (mt-metrics-eval's data_test has the same figures)."""
    bleu = {
        "de-cs": 0.941, "de-en": 0.849, "de-fr": 0.891, "en-cs": 0.897, "en-de": 0.921,
        "en-fi": 0.969, "en-gu": 0.737, "en-kk": 0.852, "en-lt": 0.989, "en-ru": 0.986,
        "en-zh": 0.901, "fi-en": 0.982, "fr-de": 0.864, "gu-en": 0.834, "kk-en": 0.946,
        "lt-en": 0.961, "ru-en": 0.879, "zh-en": 0.899,
    }  # fmt: skip
    others = {  # chrF, sacreBLEU-BLEU, sacreBLEU-chrF
        "de-en": (0.917, 0.813, 0.910), "fi-en": (0.992, 0.985, 0.990),
        "gu-en": (0.955, 0.834, 0.952), "kk-en": (0.978, 0.946, 0.969),
        "lt-en": (0.940, 0.955, 0.935), "ru-en": (0.945, 0.873, 0.919),
        "zh-en": (0.956, 0.903, 0.955),
    }  # fmt: skip
    scores = {}
    for row in read_table(shared / "data/wmt19-da/official_metric_sys_scores.tsv.gz"):
        if row["human_da_z"] and row["score"]:
            pairs = scores.setdefault((row["lp"], row["metric"]), [])
            pairs.append((float(row["human_da_z"]), float(row["score"])))
    expected = {(lang, "BLEU"): value for lang, value in bleu.items()}
    for lang, (chrf, one, two) in others.items():
        expected |= {(lang, "chrF"): chrf, (lang, "sacreBLEU-BLEU"): one}
        expected |= {(lang, "sacreBLEU-chrF"): two}
    for key, value in expected.items():
        gold, metric = np.array(scores[key]).T
        assert correlate(gold, metric).value == pytest.approx(value, abs=6e-4), key
    assert len(expected) == 39


#: Wins, and the ranks of the cluster: clusters.csv beside the published judgements.
WMT22_CLUSTERS = {
    "TartuNLP.1": "3 1-4", "TAL-SJTU.3": "1 1-4", "HuaweiTSC.0": "1 1-4",
    "Liv4ever.4": "1 1-4", "NiuTrans.2": "0 5-5",
    "Lan-Bridge.0": "7 1-2", "Online-B.4": "7 1-2", "HuaweiTSC.2": "3 3-6",
    "Online-A.6": "3 3-6", "PROMT.5": "3 3-6", "Online-G.7": "3 3-6",
    "Online-Y.3": "1 7-8", "ARC-NKUA.8": "1 7-8", "ALMAnaCH-Inria.1": "0 9-9",
}  # fmt: skip


@pytest.mark.parametrize(
    ("pair", "systems", "figures"), [("lv", 5, 77), ("uk", 9, 209)]
)
def test_wmt22_direct_assessments(shared, cli, pair, systems, figures):
    """Every printed figure of standardised scores, from the judgements by one command.

    Raw means are not counted: the published judgements are standardised.
    """
    folder = shared / "data/published-formats/wmt22-da"
    path = folder / f"ad-{pair}en-good-stnd-redup.csv.gz"
    done = cli(
        "meta", "rank", path, "--scorer", "da", "--like", "wmt22", "--format", "json"
    )
    assert done.code == 0, done.err
    ranking = json.loads(done.out)
    rows = {row["system"]: row for row in ranking["tables"]["ranking"]}
    means = {name: row["mean"] for name, row in rows.items()}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [line.split() for line in file]
    judged = Counter(line[6] for line in lines if line[8] in ("SYSTEM", "REPEAT"))

    def read_rows(name):
        text = (folder / name).read_text().strip("\n")
        return [line.split() for line in text.split("\n")]

    equal = 0
    for _raw, mean, size, system, every in read_rows(f"ad-sys-scores-{pair}-en.csv")[
        1:
    ]:
        assert means[system] == pytest.approx(float(mean), rel=1e-12)
        assert (rows[system]["n"], judged[system]) == (int(size), int(every))
        equal += 3
    printed = read_rows(f"ad-sys-ranking-{pair}-en-z-names.csv")
    assert [row[4] for row in printed] == list(rows)
    for _raw, mean, size, every, system, _name in printed:
        assert round(means[system], 3) == float(mean)
        assert (rows[system]["n"], judged[system]) == (int(size), int(every))
        equal += 3
    p = dict(zip(rows, ranking["p"], strict=True))
    header, *matrix = read_rows(f"adwilcox-{pair}en.csv")
    for system, *cells in matrix:
        for at, cell in enumerate(cells):
            if cell == "0.12":  # stands for everything that was not printed
                found = p[system][at]
                assert found is None or found > 0.05
            else:
                assert p[system][at] == pytest.approx(float(cell), rel=1e-12)
                equal += 1
    _, *matrix = read_rows(f"ad-DA-diff-wilcoxon-rs-{pair}en.csv")
    for system, *cells in matrix:
        for at, cell in enumerate(cells):
            if cell != "-":
                gap = means[system] - means[header[at]]
                assert round(gap, 2) == float(cell.rstrip("*"))
                stars = sum(p[system][at] < limit for limit in (0.001, 0.01, 0.05))
                assert cell.count("*") == (stars if gap > 0 else 0)
                equal += 1 + (stars > 0 and gap > 0)
    clusters = [row["cluster"] for row in rows.values()]
    for system, row in rows.items():
        own = [at for at, each in enumerate(clusters, 1) if each == row["cluster"]]
        wins = sum(found is not None and found < 0.05 for found in p[system])
        assert f"{wins} {own[0]}-{own[-1]}" == WMT22_CLUSTERS[system]
        equal += 3
    assert (len(rows), equal) == (systems, figures)


def test_wmt23_human_ranking(shared, cli):
    """Means and order of the findings' table for English-German (DA+SQM).

    Its clusters are of judges' z-scores, which the published segment scores do not have.
    """
    published = {
        "GPT4-5shot": 89.0, "ONLINE-B": 88.8, "ONLINE-W": 88.3, "ONLINE-A": 88.1,
        "ONLINE-Y": 88.0, "refA": 87.7, "ONLINE-M": 86.7, "ONLINE-G": 85.5,
        "Lan-BridgeMT": 84.0, "ZengHuiMT": 82.7, "NLLB_MBR_BLEU": 76.8,
        "NLLB_Greedy": 75.7, "AIRC": 73.6,
    }  # fmt: skip
    path = shared / "data/wmt23-mqm-esa/en-de.seg_scores.tsv.gz"
    done = cli("meta", "rank", path, "--scorer", "da-sqm", "--format", "json")
    rows = json.loads(done.out)["tables"]["ranking"]
    means = {row["system"]: round(row["mean"]["value"], 1) for row in rows}
    assert means == published
    assert [row["system"] for row in rows] == list(published)


@pytest.mark.parametrize("lang", ["jpn", "zho"])
def test_wmt24_error_span_annotation(shared, cli, lang):
    """Means by domain as WMT's script takes them: no tutorials, no fillers, no checks.

    The published table pools several waves of judging, of which this file is one.
    """
    path = shared / "data/published-formats/wmt24-esa/esa_generalMT2024_wave3.csv.gz"
    options = ("--scorer", "esa", "--lang", f"eng-{lang}", "--set", "macro=domain")
    done = cli("meta", "rank", path, *options, "--format", "json")
    assert done.code == 0, done.err
    found = {row["system"]: row for row in json.loads(done.out)["tables"]["ranking"]}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row[3] == "TGT" and row[5] == lang]
    judged = {}
    for row in sorted(rows, key=lambda row: float(row[11])):
        system, document = row[1], row[7]
        if "tutorial" not in system and "#" not in document:
            domain = document.split("_")[0].removeprefix("test-en-")
            # Of one judge's judgements the last counts.
            judged.setdefault((system, domain), {})[row[0], document, row[2]] = float(
                row[6]
            )
    means = {key: np.mean([*values.values()]) for key, values in judged.items()}
    systems = {system for system, _ in judged}
    domains = {domain for _, domain in judged}
    assert domains == {"literary", "news", "social", "speech"}
    assert len(systems) == 13
    assert found.keys() == systems
    for system, row in found.items():
        assert row["n"] == 337
        expected = np.mean([means[system, domain] for domain in domains])
        assert row["mean"] == pytest.approx(expected, abs=1e-9)


def test_rule_of_wmt26_on_both_pairs(shared, cli):
    """Clusters as the script of WMT 2026 has them with 2,000 resamples (scipy 1.17)."""
    path = shared / "data/published-formats/wmt24-esa/esa_generalMT2024_wave3.csv.gz"
    done = cli(
        *("meta", "rank", path, "--scorer", "esa", "--like", "wmt26"),
        *("--format", "json"),
    )
    data = json.loads(done.out)
    for lang, differing in {"eng-jpn": 51, "eng-zho": 50}.items():
        rows = data["tables"][f"{lang} ranking"]
        assert [row["cluster"] for row in rows] == [1] * 12 + [2]
        upper = np.triu_indices(13, 1)
        assert (np.array(data["p"][lang], float)[upper] < 0.05).sum() == differing
        assert rows[-1]["system"] == "IKUN-C"


def test_wmt24_fillers_are_repeats(shared):
    path = shared / "data/published-formats/wmt24-esa/esa_generalMT2024_wave3.csv.gz"
    scores = read_scores(str(path))
    kinds = ("tutorial", "judged", "degraded", "incomplete", "earlier", "repeat")
    counts = [len(scores.keep_kinds(kind)) for kind in kinds]
    assert counts == [672, 26 * 337, 1344, 334, 99, 88]
    assert sum(counts) == len(scores)
    japanese = scores.only(lang="eng-jpn")
    repeats = Selection(kinds=frozenset({"repeat"})).select(japanese)
    again = collect_ratings(DEFAULT.select(japanese), "esa", repeats).repeats
    assert len(again.judge) == 44
