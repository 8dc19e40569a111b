"""Neural metrics at full size, on random weights: metra beside unbabel-comet.

    python bench/neural.py                           wmt22-comet-da's shape, 10 systems × 1,000
    python bench/neural.py --shape xcomet-xl --systems 2 --segments 250
    python bench/neural.py --shape small --systems 5 --segments 200        on a CPU

Weights are random, in the shape of the published checkpoints, so that nothing is downloaded;
texts are made of the example's words, with lengths like those of news. unbabel-comet is
imported from the environment, or with --peer FOLDER from a copy of its source; packages that
it imports but does not use to predict need not be there.

The peer runs as its command line does: a prediction for each system, batches of 16 by the
length of the source, its cache of embeddings on, numbers in fp32. A second figure is of its
batches alone, tokenised beforehand, without what Lightning does around them. metra is timed
from texts to scores, without a cache on disk. Every precision is compared with fp32: the
largest difference of a segment, and whether the systems have the same order.
"""

import argparse
import gc
import importlib
import itertools
import json
import math
import os
import random
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("METRA_CACHE", "off")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

import metra  # noqa: E402
from metra.metrics.neural.checkpoints import load_once  # noqa: E402

LARGE = {"hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16}
XL = {"hidden_size": 2560, "intermediate_size": 10240, "num_attention_heads": 32}
SMALL = {"hidden_size": 256, "intermediate_size": 1024, "num_attention_heads": 8}
TINY = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4}
#: The class, the encoder and its size, and the sizes of the regression's layers.
SHAPES: dict[str, tuple[str, str, dict[str, int], list[int]]] = {
    "comet": (
        "regression_metric",
        "XLM-RoBERTa",
        LARGE | {"num_hidden_layers": 24, "vocab_size": 250002},
        [3072, 1024],
    ),
    "xcomet-xl": (
        "xcomet_metric",
        "XLM-RoBERTa-XL",
        XL | {"num_hidden_layers": 36, "vocab_size": 250880},
        [2560, 1280],
    ),
    "small": (
        "regression_metric",
        "XLM-RoBERTa",
        SMALL | {"num_hidden_layers": 6, "vocab_size": 20000},
        [512, 256],
    ),
    "tiny": (  # to try this script
        "xcomet_metric",
        "XLM-RoBERTa-XL",
        TINY | {"num_hidden_layers": 2, "vocab_size": 20000},
        [32],
    ),
}
TYPES = {"XLM-RoBERTa": "xlm-roberta", "XLM-RoBERTa-XL": "xlm-roberta-xl"}


def main() -> None:
    """Make a checkpoint and texts, then time and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=SHAPES, default="comet")
    parser.add_argument("--systems", type=int, default=10)
    parser.add_argument("--segments", type=int, default=1000)
    parser.add_argument("--precisions", default="")
    parser.add_argument("--peer", help="a folder that holds unbabel-comet's source")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--output", help="write the figures to this JSON file")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    on_gpu = torch.cuda.is_available()
    os.environ.setdefault("METRA_DEVICES", "cuda:0" if on_gpu else "cpu")
    precisions = chosen.precisions or ("fp32,tf32,bf16,fp16" if on_gpu else "fp32,bf16")
    texts = make_texts(chosen.systems, chosen.segments, seed=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_checkpoint(folder, chosen.shape, list_texts(texts))
        report = run(folder, texts, precisions.split(","), chosen, on_gpu)
    report |= describe_machine(on_gpu)
    show(report)
    if chosen.output:
        Path(chosen.output).write_text(json.dumps(report, indent=1))


def run(
    folder: Path,
    texts: dict[str, list[str]],
    precisions: list[str],
    chosen: argparse.Namespace,
    on_gpu: bool,
) -> dict[str, Any]:
    """Time all precisions and the peer; compare their scores."""
    report: dict[str, Any] = vars(chosen) | {"runs": {}}
    report["tokens"] = count_tokens(folder, texts)
    warm = make_texts(2, 64, seed=2)
    for precision in precisions:
        scores, figures = time_metra(folder, precision, texts, warm, chosen.repeat)
        report["runs"][f"metra {precision}"] = figures | {"scores": scores}
        load_once.cache_clear()
        free_memory()
    if not chosen.no_peer:
        peer = load_peer(folder, chosen.peer, on_gpu)
        for label, work in (
            ("peer predict", predict),
            ("peer batches alone", run_batches),
        ):
            peer.retrieve_sentence_embedding.cache_clear()
            scores, figures = time_peer(peer, work, texts, warm, on_gpu)
            report["runs"][label] = figures | {"scores": scores}
    compare(report)
    return report


def make_texts(systems: int, segments: int, seed: int) -> dict[str, list[str]]:
    """Make a source, a reference and outputs of words of the example.

    Lengths have the spread of news: a median of 26 words, one in a hundred above 100. Each
    system changes a share of the reference's words of its own.
    """
    draw = random.Random(seed)
    example = ROOT / "examples"
    words = {
        name: (example / file).read_text(encoding="utf-8").split()
        for name, file in (("fr", "source.fr.txt"), ("en", "reference.1.txt"))
    }
    texts: dict[str, list[str]] = {"source": [], "reference": []}
    texts |= {f"system{number}": [] for number in range(systems)}
    for _ in range(segments):
        length = min(120, max(1, round(math.exp(draw.gauss(math.log(26), 0.6)))))
        texts["source"].append(" ".join(draw.choices(words["fr"], k=length)))
        reference = draw.choices(words["en"], k=max(1, round(length * 0.95)))
        texts["reference"].append(" ".join(reference))
        for number in range(systems):
            share = 0.05 + 0.04 * number
            output = [
                draw.choice(words["en"]) if draw.random() < share else word
                for word in reference
                if draw.random() > share / 4
            ]
            texts[f"system{number}"].append(" ".join(output) or "a")
    return texts


def list_texts(texts: dict[str, list[str]]) -> list[str]:
    return [text for column in texts.values() for text in column]


def get_outputs(texts: dict[str, list[str]]) -> dict[str, list[str]]:
    return {k: v for k, v in texts.items() if k not in ("source", "reference")}


def write_checkpoint(folder: Path, shape: str, texts: list[str]) -> None:
    """Write a checkpoint of random weights, its encoder's settings and a tokeniser."""
    import yaml

    kind, encoder, sizes, hidden = SHAPES[shape]
    home = folder / "encoder"
    home.mkdir()
    write_tokeniser(home, texts)
    config = sizes | {
        "model_type": TYPES[encoder],
        "max_position_embeddings": 514,
        "type_vocab_size": 1,
        "pad_token_id": 1,
        "bos_token_id": 0,
        "eos_token_id": 2,
        "layer_norm_eps": 1e-5,
    }
    (home / "config.json").write_text(json.dumps(config))
    settings = {
        "class_identifier": kind,
        "encoder_model": encoder,
        "pretrained_model": str(home),
        "layer_transformation": "softmax",
        "layer_norm": False,
        "hidden_sizes": hidden,
        "activations": "Tanh",
        "validation_data": [],
        "train_data": [],
    }
    if kind == "xcomet_metric":
        settings |= {"sent_layer": "mix", "word_layer": sizes["num_hidden_layers"]}
    else:
        settings |= {"layer": "mix", "pool": "avg"}
    (folder / "hparams.yaml").write_text(yaml.safe_dump(settings))
    (folder / "checkpoints").mkdir()
    checkpoint = {
        "state_dict": draw_weights(home, kind, sizes, hidden),
        "hyper_parameters": settings,
        "pytorch-lightning_version": "2.2.0",
    }
    torch.save(checkpoint, folder / "checkpoints" / "model.ckpt")


def draw_weights(
    home: Path, kind: str, sizes: dict[str, int], hidden: list[int]
) -> dict[str, torch.Tensor]:
    """Draw the weights of an encoder and of what stands on it."""
    from transformers import AutoConfig, AutoModel

    device = "cuda" if torch.cuda.is_available() else "cpu"
    generator = torch.Generator(device).manual_seed(1)

    def draw(shape: Any, scale: float) -> torch.Tensor:
        numbers = torch.randn(shape, generator=generator, device=device)
        return (numbers * scale).cpu()

    with torch.device("meta"):
        network = AutoModel.from_config(AutoConfig.from_pretrained(home))
    weights = {}
    for name, each in network.named_parameters():
        if "pooler" in name:
            continue
        is_norm = "norm" in name.lower() and name.endswith("weight")
        drawn = torch.ones(each.shape) if is_norm else draw(each.shape, 0.03)
        weights[f"encoder.model.{name}"] = drawn
    count = sizes["num_hidden_layers"] + 1
    for layer in range(count):
        name = f"layerwise_attention.scalar_parameters.{layer}"
        weights[name] = draw((1,), 0.5)
    weights["layerwise_attention.gamma"] = torch.ones(1)
    size = sizes["hidden_size"]
    widths = [size if kind == "xcomet_metric" else 6 * size, *hidden, 1]
    for place, (into, out) in enumerate(itertools.pairwise(widths)):
        weights[f"estimator.ff.{3 * place}.weight"] = draw((out, into), into**-0.5)
        weights[f"estimator.ff.{3 * place}.bias"] = draw((out,), 0.01)
    if kind == "xcomet_metric":
        weights["hidden2tag.weight"] = draw((4, size), 2 * size**-0.5)
        weights["hidden2tag.bias"] = draw((4,), 0.01)
    return weights


def write_tokeniser(home: Path, texts: list[str]) -> None:
    """Write a tokeniser of XLM-R's kind that knows the words of the texts."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    words = dict.fromkeys(word for text in texts for word in text.split())
    pieces = dict.fromkeys(("<s>", "<pad>", "</s>", "<unk>"), 0.0)
    for number, word in enumerate(f"▁{word}" for word in words):
        if number % 4:  # three of four words are one piece, as in a large vocabulary
            pieces[word] = -8.0
        for start in range(len(word)):
            for stop in range(start + 1, min(start + 5, len(word) + 1)):
                pieces.setdefault(word[start:stop], -14.0 + (stop - start))
    tokeniser = Tokenizer(models.Unigram(list(pieces.items()), unk_id=3))
    tokeniser.pre_tokenizer = pre_tokenizers.Metaspace()
    tokeniser.decoder = decoders.Metaspace()
    tokeniser.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    tokeniser.add_special_tokens([*list(pieces)[:4], "<mask>"])
    tokeniser.save(str(home / "tokenizer.json"))
    about = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512}
    marks = ("<s>", "<pad>", "</s>", "<unk>", "<s>", "</s>", "<mask>")
    names = ("bos", "pad", "eos", "unk", "cls", "sep", "mask")
    about |= {f"{name}_token": mark for name, mark in zip(names, marks, strict=True)}
    (home / "tokenizer_config.json").write_text(json.dumps(about))


def count_tokens(folder: Path, texts: dict[str, list[str]]) -> dict[str, float]:
    """Count the tokens of all distinct texts."""
    from tokenizers import Tokenizer

    tokeniser = Tokenizer.from_file(str(folder / "encoder" / "tokenizer.json"))
    distinct = list(dict.fromkeys(list_texts(texts)))
    lengths = sorted(len(each) for each in tokeniser.encode_batch(distinct))
    return {
        "texts": len(distinct),
        "tokens": sum(lengths),
        "median": lengths[len(lengths) // 2],
        "longest": lengths[-1],
    }


def time_metra(
    folder: Path,
    precision: str,
    texts: dict[str, list[str]],
    warm: dict[str, list[str]],
    repeat: int,
) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Score with metra; the best of several runs counts, each without what is known."""
    spec = f"comet:model={folder},precision={precision}"
    evaluate_metra(spec, warm)  # loads the network, and the device's libraries
    reset_peak()
    seconds, cpu_seconds = [], []
    for _ in range(repeat):
        forget(spec)
        start, cpu_start = time.perf_counter(), time.process_time()
        results = evaluate_metra(spec, texts)
        seconds.append(time.perf_counter() - start)
        cpu_seconds.append(time.process_time() - cpu_start)
    scores = {
        system: [float(score) for score in results[system][spec].segments]
        for system in get_outputs(texts)
    }
    figures = {"seconds": min(seconds), "all": seconds, "peak_gib": read_peak()}
    figures["cpu_seconds"] = min(cpu_seconds)
    return scores, figures


def evaluate_metra(spec: str, texts: dict[str, list[str]]) -> Any:
    evalset = metra.EvalSet([texts["reference"]], texts["source"])
    return metra.evaluate(evalset, get_outputs(texts), [spec], levels=["segment"])


def forget(spec: str) -> None:
    """Empty the network's memory of vectors; scores are kept by metrics, made anew."""
    metric = metra.metric(spec)
    scorer = metric.rows.__self__._load()
    if hasattr(scorer, "forget"):
        scorer.forget()


def load_peer(folder: Path, source: str | None, on_gpu: bool) -> Any:
    """Load the checkpoint with unbabel-comet."""
    if source:
        sys.path.insert(0, source)
    import pytorch_lightning  # noqa: F401, before names are taken that it looks for
    import torchmetrics.classification  # noqa: F401
    from transformers import PreTrainedTokenizerFast

    for name in ("pandas", "scipy", "scipy.stats", "entmax"):
        try:
            importlib.import_module(name)
        except ImportError:  # imported for training only
            sys.modules[name] = types.ModuleType(name)
    sys.modules["scipy"].stats = sys.modules["scipy.stats"]  # type: ignore[attr-defined]
    import logging

    from comet.encoders.xlmr import XLMREncoder
    from comet.models import load_from_checkpoint

    for name in ("pytorch_lightning", "lightning.pytorch", "comet"):
        logging.getLogger(name).setLevel(logging.ERROR)

    def forward(self: Any, input_ids: Any, attention_mask: Any, **_: Any) -> Any:
        # What it returns in transformers 4; in 5 the tuple is shorter.
        found = self.model(
            input_ids=input_ids,
            attention_mask=attention_mask,
            output_hidden_states=True,
        )
        last = found.last_hidden_state
        layers = found.hidden_states
        return {"sentemb": last[:, 0], "wordemb": last, "all_layers": layers}

    XLMREncoder.forward = forward
    replace_tokenisers(PreTrainedTokenizerFast)
    with torch.device("cuda" if on_gpu else "cpu"):
        model = load_from_checkpoint(
            str(folder / "checkpoints" / "model.ckpt"), local_files_only=True
        )
    model.eval()
    model.set_embedding_cache()
    return model


def replace_tokenisers(kind: Any) -> None:
    """Let the peer read tokenizer.json as it is, in every version of transformers."""
    import comet.encoders.xlmr
    import comet.encoders.xlmr_xl

    class Plain(kind):
        @classmethod
        def from_pretrained(cls, name: str, **_: Any) -> Any:
            return super().from_pretrained(name)

        def build_inputs_with_special_tokens(self, first: Any, second: Any) -> Any:
            return [0, *first, 2, 2, *second, 2]

    comet.encoders.xlmr.XLMRobertaTokenizerFast = Plain
    comet.encoders.xlmr_xl.XLMRobertaTokenizerFast = Plain


Work = Callable[[Any, list[dict[str, str]]], list[float]]


def time_peer(
    model: Any,
    work: Any,
    texts: dict[str, list[str]],
    warm: dict[str, list[str]],
    on_gpu: bool,
) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Score every system with the peer, once."""
    for samples in make_samples(warm).values():
        work(model, samples, on_gpu)
    reset_peak()
    prepared = make_samples(texts)
    if work is run_batches:
        prepared = {k: prepare_batches(model, v, on_gpu) for k, v in prepared.items()}
    synchronise()
    start, cpu_start = time.perf_counter(), time.process_time()
    scores = {
        system: work(model, samples, on_gpu) for system, samples in prepared.items()
    }
    figures = {"seconds": time.perf_counter() - start, "peak_gib": read_peak()}
    return scores, figures | {"cpu_seconds": time.process_time() - cpu_start}


def make_samples(texts: dict[str, list[str]]) -> dict[str, list[dict[str, str]]]:
    return {
        system: [
            {"src": source, "mt": output, "ref": reference}
            for source, output, reference in zip(
                texts["source"], outputs, texts["reference"], strict=True
            )
        ]
        for system, outputs in get_outputs(texts).items()
    }


def predict(model: Any, samples: list[dict[str, str]], on_gpu: bool) -> list[float]:
    """Predict as the peer's command line does."""
    found = model.predict(samples, gpus=int(on_gpu), progress_bar=False)
    return found["scores"]


def prepare_batches(model: Any, samples: Any, on_gpu: bool) -> Any:
    """Tokenise batches of 16 by the length of the source, as the peer cuts them."""
    import numpy as np

    order = np.argsort([len(sample["src"]) for sample in samples])
    device = "cuda" if on_gpu else "cpu"
    model.to(device)
    batches = []
    for start in range(0, len(order), 16):
        places = order[start : start + 16].tolist()
        inputs = model.prepare_for_inference([samples[place] for place in places])
        batches.append((places, move(inputs, device)))
    return batches


def move(inputs: Any, device: str) -> Any:
    if isinstance(inputs, torch.Tensor):
        return inputs.to(device)
    if isinstance(inputs, dict):
        return {name: move(each, device) for name, each in inputs.items()}
    if isinstance(inputs, tuple):
        return tuple(move(each, device) for each in inputs)
    return inputs


def run_batches(model: Any, batches: Any, on_gpu: bool) -> list[float]:
    """Run the peer's network over its batches, tokenised or not."""
    if batches and isinstance(batches[0], dict):
        batches = prepare_batches(model, batches, on_gpu)
    scores: dict[int, float] = {}
    with torch.inference_mode():
        found = [
            (places, model.predict_step(inputs)["scores"]) for places, inputs in batches
        ]
    for places, values in found:
        scores.update(zip(places, values.tolist(), strict=True))
    return [scores[place] for place in range(len(scores))]


def compare(report: dict[str, Any]) -> None:
    """Add the differences from fp32 and the order of the systems to each run."""
    runs = report["runs"]
    base = runs[next(iter(runs))]["scores"]
    spread = [score for scores in base.values() for score in scores]
    mean = sum(spread) / len(spread)
    report["deviation"] = math.sqrt(sum((s - mean) ** 2 for s in spread) / len(spread))
    for figures in runs.values():
        scores = figures.pop("scores")
        means = {system: sum(each) / len(each) for system, each in scores.items()}
        figures["order"] = sorted(means, key=lambda system: -means[system])
        ordered = sorted(means.values())
        gaps = [b - a for a, b in itertools.pairwise(ordered)]
        figures["smallest_gap"] = min(gaps, default=0.0)
        figures["difference"] = max(
            abs(a - b)
            for system in base
            for a, b in zip(scores[system], base[system], strict=True)
        )


def show(report: dict[str, Any]) -> None:
    """Print a table."""
    tokens = report["tokens"]
    print(f"{report['machine']}; torch {report['torch']}; {report['transformers']}")
    print(
        f"{report['shape']}: {report['systems']} systems × {report['segments']} segments, "
        f"{tokens['texts']} distinct texts, {tokens['tokens']} tokens "
        f"(median {tokens['median']}, longest {tokens['longest']}); "
        f"standard deviation of segment scores {report['deviation']:.4f}"
    )
    runs = report["runs"]
    order = runs[next(iter(runs))]["order"]
    peers = {k: v["seconds"] for k, v in runs.items() if k.startswith("peer")}
    head = "run                   seconds  CPU seconds   peak GiB   largest difference   order"
    print(head + "".join(f"   × {name}" for name in peers))
    for name, figures in runs.items():
        same = "same" if figures["order"] == order else "differs"
        times = "".join(
            f"   {seconds / figures['seconds']:{len(peer) + 2}.2f}"
            for peer, seconds in peers.items()
        )
        print(
            f"{name:20} {figures['seconds']:8.3f}   {figures['cpu_seconds']:10.2f}   "
            f"{figures['peak_gib']:8.2f}   {figures['difference']:18.2e}   {same:7}{times}"
        )
    print(f"smallest gap between systems: {runs[next(iter(runs))]['smallest_gap']:.2e}")
    print("order: " + " > ".join(order))


def describe_machine(on_gpu: bool) -> dict[str, str]:
    import platform

    import transformers

    name = torch.cuda.get_device_name() if on_gpu else f"CPU, {os.cpu_count()} cores"
    return {
        "machine": name,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": f"transformers {transformers.__version__}",
    }


def synchronise() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def reset_peak() -> None:
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()


def read_peak() -> float:
    """Return the peak of the GPU's memory in GiB."""
    return (
        torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else 0.0
    )


def free_memory() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
