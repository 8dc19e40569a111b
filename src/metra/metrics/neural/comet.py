"""COMET and its family: CometKiwi, UniTE and xCOMET, on local checkpoints."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from metra.errors import FormatError, MissingResourceError, OptionError
from metra.formats.stream import refuse_damage
from metra.metrics.neural import checkpoints
from metra.metrics.neural.comet_network import (
    CheckpointParts,
    JointScorer,
    VectorScorer,
    build_network,
)
from metra.metrics.neural.inference import Precision, Runner
from metra.metrics.neural.segment_scores import build_metric
from metra.metrics.record import Metric, metric_factory

_EXPECTED = "an Unbabel checkpoint (hparams.yaml, checkpoints/model.ckpt)"


@metric_factory(title="COMET", papers="rei2020")
def comet(
    *,
    model: str = "",
    encoder: str = "",
    qe: bool = False,
    precision: Precision = "fp32",
) -> Metric:
    """Quality predicted by a trained network, mostly from 0 to 1. Higher is better.

    The network was trained on human scores. It reads the output with its source and a
    reference, or without a reference. `model` is the folder of a checkpoint in
    Unbabel's layout: regression (wmt22-comet-da), reference-free regression, unified
    (CometKiwi, UniTE) and xCOMET, whose score also includes the error spans that it
    finds; `--details` lists them. The score is the
    mean over segments, on the scale of the checkpoint. With several references, each
    segment is scored against the one with the highest score.

    In fp32, segment scores are within 0.00001 of those of the package unbabel-comet.
    Each distinct text is encoded once for all systems, and scores are cached on disk.
    metra downloads nothing; each checkpoint has its own licence.

    Rei et al. 2020, "COMET: A neural framework for MT evaluation", EMNLP; Rei et al.
    2022, "CometKiwi", WMT; Guerreiro et al. 2024, "xCOMET", TACL.

    Options:
        model: folder of the checkpoint, with hparams.yaml and checkpoints/model.ckpt.
        encoder: folder of the encoder, for its config.json and tokeniser; by default
            the folder encoder next to hparams.yaml, or the encoder that the checkpoint
            names, if it is on this machine.
        qe: score without references; only for unified checkpoints and xCOMET.
        precision: precision of the encoder.
    """
    folder = checkpoints.check_folder("comet", "model", model, _EXPECTED)
    settings_path = checkpoints.require_file("comet", folder, "hparams.yaml")
    path = checkpoints.require_file("comet", folder, "checkpoints/model.ckpt")
    kind, given = _read_settings(settings_path)
    home = _find_encoder(folder, encoder, str(given.get("pretrained_model", "")))
    files = [settings_path, path, *checkpoints.list_encoder_files("comet", home)]
    local = checkpoints.describe_model("comet", folder, files, precision)
    if qe and not kind.takes_both:
        msg = (
            f"comet: {model} does not support qe; leave qe out: it scores "
            f"{'with' if kind.with_reference else 'without'} them."
        )
        raise OptionError(msg)
    with_reference = kind.with_reference and not qe
    names = kind.names if with_reference else kind.names_without
    scorer = kind, path, settings_path, home
    load: Callable[[], Any] = partial(local.load, _load_scorer, *scorer)
    has_pairs = kind.has_vectors and with_reference
    return build_metric(
        local,
        load,
        ("score", *names),
        {"encoder": checkpoints.name_folder(home), "qe": not with_reference},
        with_source=kind.with_source,
        with_reference=with_reference,
        marks_errors=bool(kind.labels),
        pairs=(lambda *given: load().score_pairs(*given)) if has_pairs else None,
    )


class ModelKind(NamedTuple):
    """Inputs and outputs of a class of checkpoints."""

    name: str
    with_source: bool = True
    with_reference: bool = True
    #: Whether it can also score without a reference.
    takes_both: bool = False
    #: Whether each text becomes a vector by itself.
    has_vectors: bool = False
    #: The severities of errors that it finds, if it looks for any.
    labels: tuple[str, ...] = ()
    #: Values beside the score, with a reference and without.
    names: tuple[str, ...] = ()
    names_without: tuple[str, ...] = ()


_SETTINGS: dict[str, Any] = {
    "pool": "avg",
    "layer": "mix",
    "layer_transformation": "softmax",
    "layer_norm": True,
    "activations": "Tanh",
    "final_activation": None,
    "encoder_model": "XLM-RoBERTa",
    "pretrained_model": "",
    "word_layer": 24,
    "input_segments": ["mt", "src", "ref"],
}
# What the classes of the package unbabel-comet take where a checkpoint does not say.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "regression_metric": {},
    "referenceless_regression_metric": {},
    "unified_metric": {"layer_transformation": "sparsemax"},
    "xcomet_metric": {
        "layer_transformation": "sparsemax",
        "layer_norm": False,
        "encoder_model": "XLM-RoBERTa-XL",
        "word_layer": 36,
        "error_labels": ["minor", "major", "critical"],
    },
}


def _read_settings(path: str) -> tuple[ModelKind, dict[str, Any]]:
    """Read what kind of model a checkpoint has, and its settings as they are in the file."""
    given = checkpoints.read_yaml(path)
    name = given.get("class_identifier")
    with refuse_damage(path):
        if name in _DEFAULTS:
            return _describe_kind(name, complete_settings(name, given)), given
    msg = (
        f"comet: {path} has the class_identifier {name!r}; expected one of "
        f"{', '.join(_DEFAULTS)}."
    )
    raise FormatError(msg)


def _describe_kind(name: str, settings: Mapping[str, Any]) -> ModelKind:
    if name == "referenceless_regression_metric":
        return ModelKind(name, with_reference=False, has_vectors=True)
    if name == "regression_metric":
        return ModelKind(name, has_vectors=True)
    inputs = settings["input_segments"]
    with_both = "src" in inputs and "ref" in inputs
    names = ("src", "ref", "unified") if with_both else ()
    is_xcomet = name == "xcomet_metric"
    return ModelKind(
        name,
        with_source="src" in inputs,
        with_reference="ref" in inputs,
        takes_both=with_both,
        labels=tuple(settings["error_labels"]),
        names=(*names, "mqm") if is_xcomet else names,
        names_without=("src", "mqm") if is_xcomet else (),
    )


def complete_settings(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a checkpoint with the defaults of its class."""
    settings = {**_SETTINGS, **_DEFAULTS[name], **given}
    if "sent_layer" in given:
        settings["layer"] = given["sent_layer"]
    if name != "xcomet_metric":
        settings["error_labels"] = []
    if name in ("unified_metric", "xcomet_metric"):
        settings["pool"] = "cls"
    return settings


def _find_encoder(folder: str, given: str, named: str) -> str:
    """Return the folder with the encoder's settings and tokeniser."""
    expected = "config.json and the tokeniser of the checkpoint's encoder"
    if given:
        return checkpoints.check_folder("comet", "encoder", given, expected)
    for place in (os.path.join(folder, "encoder"), named):
        if os.path.isdir(place):
            return place
    # Hugging Face now puts some of them under their maker's name.
    for name in (named, f"FacebookAI/{named}"):
        downloaded = checkpoints.find_hub_folder(name)
        if downloaded:
            return downloaded
    msg = (
        f"comet: {folder} needs the tokeniser and config.json of its encoder "
        f"{named or 'XLM-R'}, which is not on this machine; give its folder with "
        "encoder=FOLDER."
    )
    raise MissingResourceError(msg)


def _load_scorer(
    kind: ModelKind,
    path: str,
    settings_path: str,
    encoder: str,
    precision: str,
    devices: tuple[str, ...],
) -> VectorScorer | JointScorer:
    """Load a checkpoint onto devices."""
    given = checkpoints.read_yaml(settings_path)
    loaded = checkpoints.load_weights("comet", path)
    if "state_dict" not in loaded:
        msg = f"comet: {path} has no state_dict; expected a checkpoint."
        raise FormatError(msg)
    # Those of the checkpoint itself count, as in the package.
    own = {**given, **dict(loaded.get("hyper_parameters", {}))}
    if given.get("layer_transformation") == "sparsemax_patch":
        own["layer_transformation"] = "softmax"
    settings = complete_settings(kind.name, own)
    config = checkpoints.load_config("comet", encoder)
    tokeniser = checkpoints.Tokeniser("comet", encoder)
    parts = CheckpointParts(path, settings, loaded["state_dict"])
    network, mix = build_network(parts, config)
    runner = Runner(network, tokeniser.padding, precision, devices)
    common = (runner, mix, tokeniser, config.max_position_embeddings - 2)
    if kind.has_vectors:
        return VectorScorer(*common)
    return JointScorer(*common, settings["error_labels"])
