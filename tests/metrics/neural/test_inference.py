"""Neural metrics without the packages they equal: batches, devices, cache, results, errors."""

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import metra
from metra.errors import FormatError, MetraError, OptionError

torch = pytest.importorskip("torch")
from tests.metrics.neural import tiny_models  # noqa: E402

from metra.metrics.neural import comet_network, inference  # noqa: E402

pytestmark = pytest.mark.neural

EXAMPLE = tiny_models.read_example()
SOURCE, REF, REF2 = EXAMPLE["source"], EXAMPLE["ref"], EXAMPLE["ref2"]
SYSTEMS = {name: EXAMPLE[name] for name in ("solid", "polished", "terse")}
HYPS = SYSTEMS["solid"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of checkpoints: regression, kiwi, xcomet, metricx and an encoder."""
    folder = tmp_path_factory.mktemp("models")
    encoder = tiny_models.write_encoder(folder / "xlmr")
    xl = tiny_models.write_encoder(folder / "xl", "xlm-roberta-xl")
    tiny_models.write_comet(folder / "regression", "regression_metric", encoder)
    kiwi = {"input_segments": ["mt", "src"]}
    tiny_models.write_comet(folder / "kiwi", "unified_metric", encoder, **kiwi)
    tiny_models.write_comet(folder / "xcomet", "xcomet_metric", xl)
    tiny_models.write_hugging_face_encoder(folder / "bert")
    tiny_models.write_metricx(folder / "metricx")
    return folder


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    """A cache for the test alone."""
    monkeypatch.setenv("METRA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "neural"


def list_specs(models: Path) -> list[str]:
    return [
        f"comet:model={models}/regression",
        f"comet:model={models}/kiwi",
        f"comet:model={models}/xcomet",
        f"bertscore:model={models}/bert",
        f"metricx:model={models}/metricx",
    ]


def evaluate(specs: list[str], **options: object) -> metra.Results:
    evalset = metra.EvalSet([REF, REF2], SOURCE)
    return metra.evaluate(evalset, SYSTEMS, specs, levels=["segment"], **options)


def test_every_metric_is_an_ordinary_one(models):
    specs = list_specs(models)
    results = evaluate(specs, ci=True, trials=50)
    for system in SYSTEMS:
        for spec in specs:
            score = results[system][spec]
            assert score.score == pytest.approx(np.mean(score.segments), abs=1e-12)
            low, high = score.interval
            assert low <= score.score <= high
            assert len(score.segments) == len(REF)
    assert not results["solid"][specs[-1]].higher_is_better
    assert {metra.metric(spec).notes.basis for spec in specs} == {"neural"}
    again = json.loads(results.to_json())
    assert again["systems"][0]["scores"][specs[0]]["signature"].startswith(
        "comet|model:"
    )


def test_the_best_reference_counts(models):
    for spec in list_specs(models):
        if "kiwi" in spec:
            continue
        metric = metra.metric(spec)
        one, two = (
            metric.rows(metra.Batch(HYPS, [r], SOURCE))[:, 0] for r in (REF, REF2)
        )
        both = metric.rows(metra.Batch(HYPS, [REF, REF2], SOURCE))[:, 0]
        choose = np.maximum if metric.higher_is_better else np.minimum
        assert np.allclose(both, choose(one, two), atol=1e-6), spec
        assert not np.allclose(one, two, atol=1e-3)
        gaps = [None, *REF2[1:]]
        partly = metric.rows(metra.Batch(HYPS, [REF, gaps], SOURCE))[:, 0]
        assert partly[0] == pytest.approx(one[0], abs=1e-6)


def test_each_distinct_text_is_encoded_once(models, monkeypatch):
    seen: list[str] = []
    compute = comet_network.VectorScorer._compute_vectors

    def record(self, texts):
        seen.extend(texts)
        return compute(self, texts)

    monkeypatch.setattr(comet_network.VectorScorer, "_compute_vectors", record)
    tiny_models.forget_networks()
    evaluate([f"comet:model={models}/regression"])
    distinct = {*SOURCE, *REF, *REF2, *(t for texts in SYSTEMS.values() for t in texts)}
    assert len(seen) == len(distinct)
    assert set(seen) == distinct


def test_a_second_run_computes_nothing(models, monkeypatch, cache):
    specs = list_specs(models)
    first = evaluate(specs)
    kept = {path.name for path in cache.iterdir()} - {"files.sqlite"}
    assert len(kept) == len(specs)

    def refuse(*_):
        msg = "computed again"
        raise AssertionError(msg)

    monkeypatch.setattr(inference.Runner, "run", refuse)
    second = evaluate(specs)
    for system in SYSTEMS:
        for spec in specs:
            ours, theirs = first[system][spec], second[system][spec]
            assert ours.segments.tolist() == theirs.segments.tolist()
            assert ours.parts == theirs.parts
    details = metra.metric(specs[2]).notes.details(metra.Batch(HYPS, [REF], SOURCE))
    assert details
    with pytest.raises(AssertionError, match="computed again"):
        metra.metric(specs[0]).sentence("unheard of", ["a reference"], "une source")


def test_a_changed_checkpoint_is_another(models, tmp_path):
    folder = tmp_path / "changing"
    shutil.copytree(models / "regression", folder)
    spec = f"comet:model={folder}"
    before = metra.score(HYPS, [REF], spec, source=SOURCE)
    shutil.rmtree(folder)
    encoder = models / "xlmr"
    tiny_models.write_comet(folder, "regression_metric", encoder, seed=9)
    after = metra.score(HYPS, [REF], spec, source=SOURCE)
    assert before.signature != after.signature
    assert abs(before.score - after.score) > 1e-3


def test_several_devices_give_the_same_scores(models, monkeypatch):
    specs = list_specs(models)
    monkeypatch.setenv("METRA_CACHE", "off")
    tiny_models.forget_networks()
    alone = evaluate(specs)
    monkeypatch.setenv("METRA_DEVICES", "cpu,cpu:0,cpu")
    tiny_models.forget_networks()
    together = evaluate(specs)
    for spec in specs:
        ours, theirs = alone["solid"][spec], together["solid"][spec]
        assert np.allclose(ours.segments, theirs.segments, atol=1e-5, rtol=0)


def test_bf16_is_near_and_named(models):
    spec = f"comet:model={models}/regression"
    full = metra.score(HYPS, [REF], spec, source=SOURCE)
    half = metra.score(HYPS, [REF], f"{spec},precision=bf16", source=SOURCE)
    assert "|precision:fp32|" in full.signature
    assert "|precision:bf16|" in half.signature
    differences = np.abs(full.segments - half.segments)
    assert 1e-5 < differences.max() < 0.1


def test_memory_is_bounded_by_the_tokens(models, monkeypatch):
    sizes = []
    pad = inference.Runner.pad

    def record(*arguments):
        tokens, is_token = pad(*arguments)
        sizes.append(tokens.numel())
        return tokens, is_token

    monkeypatch.setattr(inference.Runner, "pad", record)
    monkeypatch.setenv("METRA_TOKENS", "300")
    metra.score(HYPS, [REF], f"comet:model={models}/xcomet", source=SOURCE)
    assert max(sizes) <= 300
    assert len(sizes) > 5


def test_pairs_equal_single_scores(models):
    for spec in list_specs(models):
        if "kiwi" in spec:
            continue
        metric = metra.metric(spec)
        source = SOURCE[0] if "source" in metric.needs else None
        candidates = [texts[0] for texts in SYSTEMS.values()]
        found = metra.pairwise(candidates, candidates[:2], metric, source=source)
        for row, hyp in zip(found, candidates, strict=True):
            for score, ref in zip(row, candidates, strict=False):
                single = metric.sentence(hyp, [ref], source)
                assert score == pytest.approx(single, abs=1e-5)


def test_pairs_of_many_sentences_take_a_source_each(models):
    spec = f"comet:model={models}/regression"
    lists = [[texts[n] for texts in SYSTEMS.values()] for n in range(8)]
    found = metra.pairwise(lists, lists, spec, source=SOURCE[:8])
    for texts, source, matrix in zip(lists, SOURCE, found, strict=False):
        alone = metra.pairwise(texts, texts, spec, source=source)
        assert np.allclose(matrix, alone, atol=1e-5)
    with pytest.raises(
        MetraError, match="has 2 entries, but there are candidates for 8"
    ):
        metra.pairwise(lists, lists, spec, source=SOURCE[:2])
    with pytest.raises(OptionError, match=r"comet needs the source \(give `source`\)"):
        metra.pairwise(lists, lists, spec)
    with pytest.raises(MetraError, match="source is a list; expected the text"):
        metra.pairwise(lists[0], lists[0], spec, source=SOURCE[:1])


def test_errors_are_marked_in_the_outputs_that_were_scored_last(models):
    metric = metra.metric(f"comet:model={models}/xcomet")
    evalset = metra.EvalSet([REF], SOURCE)
    metra.evaluate(evalset, SYSTEMS, [metric])
    assert len(metric.notes.marked().ratings) == len(SYSTEMS) * len(REF)
    batch = metra.Batch(HYPS, [REF], SOURCE)
    listed = [
        (d.at, d.note, int(d.about["start"]))
        for d in metric.notes.details(batch)
        if d.about["start"] != d.about["end"]
    ]
    marked = [
        (number, mark.severity, mark.start)
        for number in range(len(REF))
        for _, mark in metric.notes.marked().list_marks("solid", number)
    ]
    assert marked == listed
    short = metra.EvalSet([REF[:3]], SOURCE[:3])
    metra.evaluate(short, {"solid": HYPS[:3]}, [metric])
    left = [
        number for system, number in metric.notes.marked().ratings if system == "solid"
    ]
    assert left == [0, 1, 2]
    assert metra.metric(f"comet:model={models}/kiwi").notes.marked is None


def test_metrics_pickle(models):
    batch = metra.Batch(HYPS, [REF], SOURCE)
    for spec in list_specs(models):
        metric = metra.metric(spec)
        again = pickle.loads(pickle.dumps(metric))
        assert again.signature() == metric.signature()
        assert np.allclose(again.rows(batch), metric.rows(batch), atol=1e-6)


def test_the_command_line(models, cli, tmp_path):
    files = {"src": SOURCE, "ref": REF, **SYSTEMS}
    for name, texts in files.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n")
    outputs = [tmp_path / f"{name}.txt" for name in SYSTEMS]
    rest = ["-r", tmp_path / "ref.txt", "-s", tmp_path / "src.txt"]
    spec = f"comet:model={models}/xcomet"
    ran = cli("score", *outputs, *rest, "-m", spec, "--format", "json")
    assert ran.code == 0, ran.err
    score = json.loads(ran.out)["systems"][0]["scores"][spec]
    assert set(score["parts"]) == {"src", "ref", "unified", "mqm"}
    assert ran.err == ""
    ran = cli("score", *outputs, *rest, "-m", spec, "--details")
    assert ran.code == 0, ran.err
    assert "major" in ran.out
    compared = cli("compare", *outputs, *rest, "-m", spec, "--trials", "100")
    assert compared.code == 0, compared.err
    page = tmp_path / "report.html"
    ran = cli("report", *outputs, *rest, "-m", spec, "-o", page)
    assert ran.code == 0, ran.err
    assert "comet" in page.read_text()
    wrong = cli("score", *outputs, *rest, "-m", "comet:model=nowhere")
    assert wrong.code == 2
    assert "folder nowhere does not exist" in wrong.err


REGRESSION = "class_identifier: regression_metric"


def copy_model(models: Path, folder: Path, name: str = "regression") -> Path:
    return Path(shutil.copytree(models / name, folder / "model"))


def write(name: str, content: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(content)


def remove(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def save(change: Callable[[dict], object]) -> Callable[[Path], object]:
    """Change what is in a checkpoint of COMET's or in the weights of MetricX."""

    def save_checkpoint(folder: Path) -> None:
        comet = folder / "checkpoints" / "model.ckpt"
        path = comet if comet.exists() else folder / "pytorch_model.bin"
        checkpoint = torch.load(path, weights_only=True)
        change(checkpoint)
        torch.save(checkpoint, path)

    return save_checkpoint


def drop(*parts: str) -> Callable[[Path], object]:
    """Drop the weights whose names contain a part."""

    def drop_weights(checkpoint: dict) -> None:
        weights = checkpoint["state_dict"]
        for name in [n for n in weights if any(part in n for part in parts)]:
            del weights[name]

    return save(drop_weights)


def configure(**settings: object) -> Callable[[Path], object]:
    """Change settings of a checkpoint of COMET's."""
    return save(lambda checkpoint: checkpoint["hyper_parameters"].update(settings))


def describe(**settings: object) -> Callable[[Path], object]:
    """Change settings of a network, which its weights do not have."""

    def write_config(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | settings))

    return write_config


def shorten_head(weights: dict) -> None:
    weights["lm_head.weight"] = weights["lm_head.weight"][:304].clone()


class Stranger:
    """An object of another package; it counts how often one is made."""

    made = 0

    def __init__(self, *_: str) -> None:
        Stranger.made += 1

    def __reduce__(self):
        return Stranger, ("a", "b")


class Runner:
    """What a checkpoint could run if it were loaded with everything in it."""

    def __reduce__(self):
        import os

        return os.mkdir, ("made-by-a-checkpoint",)


def test_objects_of_other_packages_are_not_loaded(models, tmp_path):
    folder = copy_model(models, tmp_path)
    save(lambda c: c.update(callbacks={Stranger: {"best": Stranger()}}))(folder)
    before = Stranger.made
    scores = [
        metra.score(HYPS, [REF], f"comet:model={each}", source=SOURCE).score
        for each in (folder, models / "regression")
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)
    assert Stranger.made == before


WRONG_COMET = {  # the change, and the message
    "no settings": (remove("hparams.yaml"), r"has no file hparams\.yaml; expected"),
    "no checkpoint": (
        remove("checkpoints/model.ckpt"),
        "has no file checkpoints/model",
    ),
    "no YAML": (write("hparams.yaml", "a: ["), r"hparams\.yaml is not YAML"),
    "no table": (write("hparams.yaml", "- a"), "contains no named settings"),
    "another class": (
        write("hparams.yaml", "class_identifier: word_metric"),
        "has the class_identifier 'word_metric'; expected one of regression_metric",
    ),
    "no encoder": (
        write("hparams.yaml", f"{REGRESSION}\npretrained_model: nobody/nothing"),
        "encoder nobody/nothing, which is not on this machine; .* encoder=FOLDER",
    ),
    "not torch's": (write("checkpoints/model.ckpt", "x"), "cannot be loaded"),
    "code": (save(lambda c: c.update(extra=Runner())), "holds more than weights"),
    "no weights": (save(lambda c: c.pop("state_dict")), "has no state_dict"),
    "no bias": (drop("LayerNorm.bias"), r"lacks the weights embeddings\.LayerNorm"),
    "no mixture": (drop("attention.gamma"), r"attention\.gamma; expected 3 layers"),
    "half a layer": (drop("ff.3.bias"), r"lacks the weights estimator\.ff\.3\.bias"),
    "no head": (drop("estimator"), r"lacks the weights estimator\.ff\.0\.weight"),
    "another pool": (configure(pool="median"), "pools by 'median'; expected avg or"),
    "one layer": (configure(layer=1), "uses the layer 1; expected a mixture of layers"),
    "another activation": (configure(activations="Wave"), "has the activation 'Wave'"),
    "another encoder": (
        configure(encoder_model="BERT"),
        "encoder is BERT, but the encoder's folder has a network of type xlm-roberta",
    ),
}
ENCODER, BERT = "comet:model={1}/regression,encoder={0}", "bertscore:model={0}"
MT5 = "metricx:model={0}"
WRONG = {  # the metric, the model that is changed, the change, and the message
    **{name: ("comet:model={0}", "regression", *c) for name, c in WRONG_COMET.items()},
    "another size": (ENCODER, "xlmr", describe(hidden_size=64), "has 32 .* has 64;"),
    "another width": (BERT, "bert", describe(intermediate_size=80), "64 .* has 80;"),
    "4 layers": (BERT, "bert", describe(num_hidden_layers=4), "lacks the weights enc"),
    "no network": (BERT, "xlmr", describe(), r"has no file model\.safetensors or"),
    "3 blocks": (MT5, "metricx", describe(num_layers=3), r"weights encoder\.block\.2"),
    "few tokens": (MT5, "metricx", save(shorten_head), "304 tokens; expected mT5's"),
    "another type": (MT5, "bert", describe(), "type xlm-roberta; expected mt5"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_checkpoints(models, tmp_path, case):
    spec, name, change, message = WRONG[case]
    folder = copy_model(models, tmp_path, name)
    change(folder)
    with pytest.raises(MetraError, match=message):
        metra.metric(spec.format(folder, models)).rows(metra.Batch(HYPS, [REF], SOURCE))


def test_other_errors(models, tmp_path, monkeypatch):
    with pytest.raises(OptionError, match="does not support qe"):
        metra.metric(f"comet:model={models}/regression,qe=yes")
    with pytest.raises(OptionError, match=r"layer=3, but .* has 2 layers"):
        metra.metric(f"bertscore:model={models}/bert,layer=3")
    with pytest.raises(OptionError, match="precision=tf32 needs an NVIDIA GPU"):
        metra.metric(f"comet:model={models}/regression,precision=tf32")
    for content in (
        "LAYER,P,R,F\n0,0,0,0\n",
        "LAYER,P,R,F\n2,x,0,0\n",
        "LAYER\n2,1,1,1\n",
    ):
        (tmp_path / "base.tsv").write_text(content)
        with pytest.raises(FormatError, match="expected LAYER,P,R,F and a line"):
            metra.metric(f"bertscore:model={models}/bert,baseline={tmp_path}/base.tsv")
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        metra.metric(f"bertscore:model={models}/bert,baseline={tmp_path}/none.tsv")
    batch = metra.Batch(HYPS, [REF], SOURCE)
    for name in ("METRA_TOKENS", "METRA_DEVICES"):
        monkeypatch.setenv(name, "0" if name == "METRA_TOKENS" else "gpu7")
        tiny_models.forget_networks()
        with pytest.raises(MetraError, match=r"METRA_TOKENS is '0'|the device 'gpu7'"):
            metra.metric(f"comet:model={models}/kiwi").rows(batch)
        monkeypatch.delenv(name)
