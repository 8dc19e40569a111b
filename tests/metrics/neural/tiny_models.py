"""Tiny random models in the layout of published checkpoints, made from metra's example."""

import io
import itertools
import json
from pathlib import Path
from typing import Any

import sentencepiece
import torch
import yaml
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram

from metra.corpus import examples

SIZE, LAYERS, HEADS, POSITIONS = 32, 2, 4, 66
PIECES = 300
#: As large as mT5's vocabulary: MetricX reads the value of a token by its number.
MT5_PIECES = 250112


def read_example() -> dict[str, list[str]]:
    """Return the texts of the example, by name."""
    example = examples.find_example()
    files = {"source": example.source, "ref": example.references[0]}
    files["ref2"] = example.references[1]
    files |= {Path(path).stem: path for path in example.outputs}
    return {
        name: Path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n")
        for name, path in files.items()
    }


def forget_networks() -> None:
    """Load networks anew; they remember vectors of texts."""
    from metra.metrics.neural.checkpoints import load_once

    load_once.cache_clear()


def train_pieces(unk: int) -> sentencepiece.SentencePieceProcessor:
    """Train a SentencePiece model on the example."""
    model = io.BytesIO()
    texts = read_example()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts["source"] + texts["ref"]),
        model_writer=model,
        vocab_size=PIECES,
        model_type="unigram",
        normalization_rule_name="identity",
        minloglevel=2,
        **({"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1} if unk == 2 else {}),
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def save_tokeniser(
    folder: Path, vocabulary: list[tuple[str, float]], special: list[str], template: str
) -> Tokenizer:
    """Save a tokeniser of pieces, which marks texts by a template of special pieces."""
    names = [name for name, _ in vocabulary]
    tokeniser = Tokenizer(
        Unigram(vocabulary, unk_id=names.index("<unk>"), byte_fallback=False)
    )
    tokeniser.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokeniser.post_processor = processors.TemplateProcessing(
        single=template,
        special_tokens=[
            (mark, names.index(mark)) for mark in template.split() if mark != "$A"
        ],
    )
    tokeniser.add_special_tokens(special)
    tokeniser.save(str(folder / "tokenizer.json"))
    return tokeniser


def write_xlmr_tokeniser(folder: Path) -> int:
    """Write a tokeniser like XLM-R's, for both kinds of readers; return its size."""
    pieces = train_pieces(unk=0)
    (folder / "sentencepiece.bpe.model").write_bytes(pieces.serialized_model_proto())
    known = [
        (pieces.id_to_piece(n), pieces.get_score(n)) for n in range(3, len(pieces))
    ]
    marks = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>"}
    special = [(mark, 0.0) for mark in marks.values()]
    vocabulary = [*special, *known, ("<mask>", 0.0)]
    tokeniser = save_tokeniser(
        folder, vocabulary, [*marks.values(), "<mask>"], "<s> $A </s>"
    )
    tokeniser.normalizer = normalizers.Sequence(
        [
            normalizers.Strip(left=False, right=True),
            normalizers.Replace(Regex(" {2,}"), "▁"),
        ]
    )
    tokeniser.save(str(folder / "tokenizer.json"))
    about = {
        "tokenizer_class": "XLMRobertaTokenizer",
        "model_max_length": POSITIONS - 2,
        "sep_token": "</s>",
        "cls_token": "<s>",
        "mask_token": "<mask>",
    } | {f"{name}_token": mark for name, mark in marks.items()}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    return len(vocabulary)


def write_encoder(folder: Path, kind: str = "xlm-roberta") -> Path:
    """Write the settings and the tokeniser of an encoder."""
    folder.mkdir(parents=True)
    size = write_xlmr_tokeniser(folder)
    config = {
        "model_type": kind,
        "vocab_size": size,
        "hidden_size": SIZE,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": 2 * SIZE,
        "max_position_embeddings": POSITIONS,
        "type_vocab_size": 1,
        "pad_token_id": 1,
        "bos_token_id": 0,
        "eos_token_id": 2,
        "layer_norm_eps": 1e-5,
    }
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def draw_weights(module: Any, seed: int, scale: float = 0.3) -> None:
    """Fill a module with random weights, large enough for scores to differ."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weights in sorted(module.named_parameters()):
            drawn = torch.randn(weights.shape, generator=generator) * scale
            is_norm = "norm" in name.lower() and name.endswith("weight")
            weights.copy_(1 + drawn / 3 if is_norm else drawn)


def build_encoder(folder: Path, seed: int) -> Any:
    """Build a network of random weights by the settings in a folder."""
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    network = AutoModel.from_config(config)
    draw_weights(network, seed)
    return network


def build_head(sizes: list[int], seed: int) -> torch.nn.Sequential:
    """Build a regression as COMET names its layers: linear, activation, dropout."""
    layers: list[Any] = []
    for into, out in itertools.pairwise(sizes):
        layers += [torch.nn.Linear(into, out), torch.nn.Tanh(), torch.nn.Dropout(0.1)]
    head = torch.nn.Sequential(*layers[:-2])
    draw_weights(head, seed, 0.2)
    return head


INPUTS = {"regression_metric": 6, "referenceless_regression_metric": 4}
ENCODER_NAMES = {
    "xlm-roberta": "XLM-RoBERTa",
    "xlm-roberta-xl": "XLM-RoBERTa-XL",
    "bert": "MiniLM",
}


def write_comet(
    folder: Path, kind: str, encoder: Path, seed: int = 1, **settings: Any
) -> Path:
    """Write a checkpoint of a class of COMET's; return its folder."""
    config = json.loads((encoder / "config.json").read_text())
    hparams: dict[str, Any] = {
        "class_identifier": kind,
        "encoder_model": ENCODER_NAMES[config["model_type"]],
        "pretrained_model": str(encoder),
        "layer_transformation": "sparsemax",
        "layer_norm": False,
        "hidden_sizes": [48, 24],
        "activations": "Tanh",
        "dropout": 0.1,
        "batch_size": 4,
        "validation_data": [],
        "train_data": [],
    }
    is_joint = kind in ("unified_metric", "xcomet_metric")
    hparams |= {"sent_layer": "mix", "word_layer": 2} if is_joint else {"layer": "mix"}
    if not is_joint:
        hparams["pool"] = "avg"
    labels = ["minor", "major", "critical"]
    if kind == "xcomet_metric":
        hparams |= {"word_level_training": True, "error_labels": labels}
    hparams |= settings
    network = build_encoder(encoder, seed)
    weights = {f"encoder.model.{k}": v for k, v in network.state_dict().items()}
    scalars = torch.linspace(-0.4, 0.9, LAYERS + 1)
    for place, value in enumerate(scalars):
        weights[f"layerwise_attention.scalar_parameters.{place}"] = value.reshape(1)
    weights["layerwise_attention.gamma"] = torch.tensor([1.3])
    sizes = [SIZE * INPUTS.get(kind, 1), *hparams["hidden_sizes"], 1]
    head = build_head(sizes, seed + 1)
    weights |= {f"estimator.ff.{k}": v for k, v in head.state_dict().items()}
    if kind == "xcomet_metric":
        tagger = torch.nn.Linear(SIZE, len(labels) + 1)
        draw_weights(tagger, seed + 2, 0.5)
        weights |= {f"hidden2tag.{k}": v for k, v in tagger.state_dict().items()}
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "hparams.yaml").write_text(yaml.safe_dump(hparams))
    checkpoint = {
        "state_dict": weights,
        "hyper_parameters": hparams,
        "pytorch-lightning_version": "2.2.0",
        "epoch": 1,
        "global_step": 1,
    }
    torch.save(checkpoint, folder / "checkpoints" / "model.ckpt")
    return folder


def write_hugging_face_encoder(folder: Path, seed: int = 5) -> Path:
    """Write an encoder with its weights, as BERTScore reads them; return its folder."""
    write_encoder(folder)
    build_encoder(folder, seed).save_pretrained(folder)
    return folder


def write_mt5_tokeniser(folder: Path) -> None:
    """Write a tokeniser like mT5's."""
    folder.mkdir(parents=True, exist_ok=True)
    pieces = train_pieces(unk=2)
    vocabulary = [
        (pieces.id_to_piece(n), pieces.get_score(n)) for n in range(len(pieces))
    ]
    save_tokeniser(folder, vocabulary, ["<pad>", "</s>", "<unk>"], "$A </s>")


def write_metricx(folder: Path, seed: int = 7) -> Path:
    """Write a checkpoint of MetricX's shape and a tokeniser beside it; return its folder."""
    from transformers import MT5Config, MT5Model

    config = MT5Config(
        vocab_size=MT5_PIECES,
        d_model=SIZE,
        d_kv=8,
        d_ff=2 * SIZE,
        num_layers=LAYERS,
        num_decoder_layers=LAYERS,
        num_heads=HEADS,
        decoder_start_token_id=0,
        pad_token_id=0,
    )
    network = MT5Model(config).eval()
    draw_weights(network, seed, 0.1)
    generator = torch.Generator().manual_seed(seed + 1)
    head = torch.randn(MT5_PIECES, SIZE, generator=generator)
    ids = torch.randint(3, PIECES, (20, 30), generator=generator)
    with torch.inference_mode():
        steps = network(input_ids=ids, decoder_input_ids=ids[:, :1] * 0)[0][:, 0]
    # So that few scores are cut off at 0 and 25.
    head[250089] = steps.mean(0) * 8 / steps.mean(0).square().sum() + head[250089] / 2
    weights = dict(network.state_dict()) | {"lm_head.weight": head}
    write_mt5_tokeniser(folder)
    torch.save(weights, folder / "pytorch_model.bin")
    about = config.to_dict() | {
        "tie_word_embeddings": False,
        "architectures": ["MT5ForRegression"],
    }
    (folder / "config.json").write_text(json.dumps(about))
    return folder
