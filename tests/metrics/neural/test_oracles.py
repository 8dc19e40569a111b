"""Segment scores equal those of unbabel-comet, bert-score and a plain mT5, within 1e-5."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

import metra

pytest.importorskip("torch")
from tests.metrics.neural import tiny_models
from tests.patience import PATIENCE

pytestmark = pytest.mark.neural

#: The Python of the environment that has the packages; `make test-neural` sets it.
ORACLE = os.environ.get("METRA_TEST_ORACLE", "")
TOLERANCE = 1e-5


class Case(NamedTuple):
    """A checkpoint of COMET's, and how it is asked."""

    kind: str
    encoder: str = "xlm-roberta"
    settings: Mapping[str, Any] = MappingProxyType({})
    without_reference: bool = False


THREE = {"input_segments": ["mt", "src", "ref"]}
COMET = {
    "regression": Case("regression_metric"),
    "layers normalised": Case(
        "regression_metric",
        settings={"layer_transformation": "softmax", "layer_norm": True},
    ),
    "first token": Case(
        "regression_metric", settings={"pool": "cls", "final_activation": "Sigmoid"}
    ),
    "another encoder": Case("regression_metric", "bert"),
    "reference-free": Case("referenceless_regression_metric"),
    "unified": Case("unified_metric", settings=THREE),
    "unified without reference": Case(
        "unified_metric", settings=THREE, without_reference=True
    ),
    "reference alone": Case(
        "unified_metric",
        settings={
            "input_segments": ["mt", "ref"],
            "layer_norm": True,
            "layer_transformation": "softmax",
        },
    ),
    "source alone": Case("unified_metric", settings={"input_segments": ["mt", "src"]}),
    "xcomet": Case("xcomet_metric", "xlm-roberta-xl"),
    "xcomet, lower tags": Case(
        "xcomet_metric", "xlm-roberta-xl", settings={"word_layer": 1}
    ),
    "xcomet without reference": Case(
        "xcomet_metric", "xlm-roberta-xl", without_reference=True
    ),
}

BERT = {
    "plain": {},
    "a lower layer": {"layer": 1},
    "baseline": {"baseline": True},
    "baseline of a lower layer": {"baseline": True, "layer": 1},
    "two references": {"two": True},
}
BASELINE = "LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.2,0.25,0.22\n2,0.3,0.33,0.31\n"

EXAMPLE = tiny_models.read_example()
# Texts that are empty, that hold the padding's mark, and that are cut.
LONG = " ".join(EXAMPLE["verbose"][3:6])
HYPS = [*EXAMPLE["solid"], "", "a  b   c <pad> d", LONG, LONG]
SOURCE = [
    *EXAMPLE["source"],
    "vide",
    "marque",
    " ".join(EXAMPLE["source"][:4]),
    "court",
]
REF = [*EXAMPLE["ref"], "empty", "", "a mark", " ".join(EXAMPLE["ref"][:4])]
REF2 = [*EXAMPLE["ref2"], "nothing", "x", "long", "short"]


class Asked(NamedTuple):
    """Where the checkpoints are, and what the packages answered."""

    folder: Path
    answers: dict[str, Any]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """Write all checkpoints and ask the packages once: they take long to start."""
    if not ORACLE:
        pytest.skip("METRA_TEST_ORACLE names no Python with unbabel-comet")
    folder = tmp_path_factory.mktemp("models")
    encoders = {
        kind: tiny_models.write_encoder(folder / kind, kind)
        for kind in ("xlm-roberta", "xlm-roberta-xl", "bert")
    }
    # The package takes another encoder's tokeniser by this name.
    (folder / "xlm-roberta-base").symlink_to(encoders["bert"])
    requests: dict[str, dict[str, Any]] = {}
    for name, case in COMET.items():
        model = folder / name
        encoder = encoders[case.encoder]
        tiny_models.write_comet(model, case.kind, encoder, **case.settings)
        columns = {"src": SOURCE, "mt": HYPS, "ref": REF}
        if case.without_reference:
            del columns["ref"]
        samples = [
            dict(zip(columns, texts, strict=True))
            for texts in zip(*columns.values(), strict=True)
        ]
        requests[name] = {"with": "comet", "model": str(model), "samples": samples}
    bert = tiny_models.write_hugging_face_encoder(folder / "bert-encoder")
    (folder / "baseline.tsv").write_text(BASELINE)
    for name, options in BERT.items():
        two = "two" in options
        requests[f"bertscore {name}"] = {
            "with": "bertscore",
            "model": str(bert),
            "layer": options.get("layer", 2),
            "baseline": str(folder / "baseline.tsv") if "baseline" in options else None,
            "hyps": HYPS,
            "refs": [list(p) for p in zip(REF, REF2, strict=True)] if two else REF,
        }
    metricx = tiny_models.write_metricx(folder / "metricx")
    for qe in (False, True):
        texts = write_inputs(qe=qe)
        requests[f"metricx {qe}"] = {
            "with": "mt5",
            "model": str(metricx),
            "texts": texts,
        }
    (folder / "requests.json").write_text(json.dumps(requests))
    script = Path(__file__).with_name("oracle.py")
    command = [ORACLE, str(script), "requests.json", "answers.json"]
    kept = ("PATH", "HOME", "OMP_NUM_THREADS")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    ran = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=20 * PATIENCE,
    )
    assert ran.returncode == 0, ran.stderr
    return Asked(folder, json.loads((folder / "answers.json").read_text()))


def write_inputs(*, qe: bool) -> list[str]:
    """Write what MetricX reads, as its predict.py does."""
    texts = []
    for source, hyp, ref in zip(SOURCE, HYPS, REF, strict=True):
        text = "source: " + source + " candidate: " + hyp
        texts.append(text if qe else text + " reference: " + ref)
    return texts


def compute_rows(
    make: Callable[[], metra.Metric], refs: list[list[str]]
) -> tuple[metra.Metric, np.ndarray]:
    """Count rows in two orders, each time anew; both must be the same within 1e-5."""
    listed = []
    order = np.random.default_rng(1).permutation(len(HYPS)).tolist()
    for places in (order, range(len(HYPS))):
        tiny_models.forget_networks()
        metric = make()
        columns = [[each[n] for n in places] for each in (HYPS, SOURCE, *refs)]
        hyps, source, *shuffled = columns
        batch = metra.Batch(hyps, shuffled, source)
        listed.append(metric.rows(batch))
    assert np.allclose(listed[0], listed[1][order], atol=TOLERANCE, rtol=0)
    return metric, listed[1]


@pytest.mark.parametrize("budget", ["1", "200", "100000"])
@pytest.mark.parametrize("name", COMET)
def test_comet(asked, name, budget, monkeypatch):
    monkeypatch.setenv("METRA_CACHE", "off")
    monkeypatch.setenv("METRA_TOKENS", budget)
    qe = COMET[name].without_reference
    make = partial(metra.metric, "comet", model=str(asked.folder / name), qe=qe)
    metric, rows = compute_rows(make, [REF])
    answer = asked.answers[name]
    expected = [answer["scores"]]
    for part in ("src", "ref", "unified", "mqm"):
        if part in metric.columns:
            expected.append(answer[f"{part}_scores"])
    assert rows.shape[1] == len(expected) + 1
    assert np.allclose(rows[:, :-1].T, expected, atol=TOLERANCE, rtol=0)
    assert np.std(expected[0]) > 0.05  # else anything would be near
    assert rows[:, -1].tolist() == [1.0] * len(HYPS)


@pytest.mark.parametrize("name", [name for name in COMET if "xcomet" in name])
def test_error_spans(asked, name, monkeypatch):
    monkeypatch.setenv("METRA_CACHE", "off")
    qe = COMET[name].without_reference
    metric = metra.metric("comet", model=str(asked.folder / name), qe=qe)
    details = metric.notes.details(metra.Batch(HYPS, [REF], SOURCE))
    spans = asked.answers[name]["error_spans"]
    theirs = [
        (at, span["severity"], HYPS[at][span["start"] : span["end"]], span["start"])
        for at, listed in enumerate(spans)
        for span in listed
    ]
    ours = [(d.at, d.note, d.text, int(d.about["start"])) for d in details]
    assert ours == theirs
    assert len(ours) > 5
    confidence = [span["confidence"] for listed in spans for span in listed]
    known = [float(detail.about["confidence"]) for detail in details]
    assert np.allclose(known, confidence, atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize("budget", ["50", "100000"])
@pytest.mark.parametrize("name", BERT)
def test_bertscore(asked, name, budget, monkeypatch):
    monkeypatch.setenv("METRA_CACHE", "off")
    monkeypatch.setenv("METRA_TOKENS", budget)
    options: dict[str, Any] = dict(BERT[name])
    refs = [REF, REF2] if options.pop("two", False) else [REF]
    if options.pop("baseline", False):
        options["baseline"] = str(asked.folder / "baseline.tsv")
    model = str(asked.folder / "bert-encoder")
    make = partial(metra.metric, "bertscore", model=model, **options)
    _, rows = compute_rows(make, refs)
    precision, recall, f1 = asked.answers[f"bertscore {name}"]["scores"]
    expected = np.nan_to_num(np.array([f1, precision, recall]))
    assert np.allclose(rows[:, :3].T, expected, atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize("budget", ["1", "100000"])
@pytest.mark.parametrize("qe", [False, True])
def test_metricx(asked, qe, budget, monkeypatch):
    monkeypatch.setenv("METRA_CACHE", "off")
    monkeypatch.setenv("METRA_TOKENS", budget)
    model = str(asked.folder / "metricx")
    make = partial(metra.metric, "metricx", model=model, qe=qe)
    _, rows = compute_rows(make, [REF])
    expected = asked.answers[f"metricx {qe}"]["scores"]
    assert np.allclose(rows[:, 0], expected, atol=TOLERANCE, rtol=0)
    assert 0 < min(expected) < max(expected) < 25
