"""Networks of the COMET family: an encoder, a mixture of its layers, a regression head."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from metra.errors import FormatError
from metra.metrics.neural import checkpoints
from metra.metrics.neural.inference import pad_ids

#: The encoders of published checkpoints, by their names there: the type of network, how many
#: separators stand between two texts, and whether positions begin after the padding's.
ENCODERS = {
    "XLM-RoBERTa": "xlm-roberta",
    "XLM-RoBERTa-XL": "xlm-roberta-xl",
    "MiniLM": "bert",
}
#: XLM-R puts two separators between texts.
SEPARATORS = 2


@dataclass(frozen=True, slots=True)
class LayerMix:
    """How the encoder's layers become one vector a text."""

    #: The weight of each layer's output, the embeddings' first; layers of weight 0 are not
    #: needed.
    weights: tuple[float, ...]
    pool: Literal["avg", "cls", "max"]
    #: Whether each layer's output is normalised over a text's tokens first.
    normalise: bool


@dataclass(frozen=True, slots=True)
class CometNetwork:
    """A network of the COMET family on one device."""

    encoder: Any
    mix: LayerMix
    #: Regression from vectors to a score.
    head: Any
    #: From the vectors of a layer's tokens to labels of errors, if it has that.
    tagger: Any
    tag_layer: int
    padding: int

    def move_to(self, device: str, kind: Any) -> "CometNetwork":
        """Move the network to a device; its encoder computes with numbers of a kind."""
        return replace(
            self,
            encoder=self.encoder.to(device=device, dtype=kind),
            head=self.head and self.head.to(device=device),
            tagger=self.tagger and self.tagger.to(device=device),
        )

    def embed(self, ids: Sequence[Sequence[int]], device: str) -> tuple[Any, Any]:
        """Return a vector for each text, and the output of the layer that is tagged."""
        import torch

        tokens, is_token = pad_ids(torch, ids, self.padding, device)
        mixer = _Mixer(torch, self.mix, tokens != self.padding, is_token)
        tagged = []

        def take(layer: int, states: Any) -> None:
            mixer.add(layer, states)
            if self.tagger and layer == self.tag_layer:
                tagged.append(states)

        handles = _watch_layers(self.encoder, take)
        try:
            outputs = self.encoder(input_ids=tokens, attention_mask=is_token.long())
        finally:
            for handle in handles:
                handle.remove()
        # The last layer's output, which some encoders normalise.
        take(len(self.encoder.encoder.layer), outputs[0])
        return mixer.finish(), tagged[0] if tagged else None

    def tag(self, states: Any, length: int) -> Any:
        """Return the probability of each label of the first tokens of each text."""
        return self.tagger(states[:, :length].float()).softmax(dim=2)


def _watch_layers(encoder: Any, take: Any) -> list[Any]:
    """Pass the embeddings and the outputs of all layers but the last on."""

    def watch(layer: int) -> Any:
        def hook(_module: Any, _inputs: Any, output: Any) -> None:
            take(layer, output[0] if isinstance(output, tuple) else output)

        return hook

    modules = [encoder.embeddings, *encoder.encoder.layer[:-1]]
    return [
        module.register_forward_hook(watch(layer))
        for layer, module in enumerate(modules)
    ]


class _Mixer:
    """Adds up layers while they are computed, so that they need not all be kept.

    All but the maximum over tokens is linear: tokens are pooled first, layers mixed then.
    """

    def __init__(self, torch: Any, mix: LayerMix, is_word: Any, is_token: Any) -> None:
        self.torch = torch
        self.mix = mix
        # A text may hold the padding's token itself: it counts as one, but not its vector.
        self.is_word = is_word & is_token
        self.is_token = is_token
        self.count = is_token.sum(1, keepdim=True).float()
        self.share = self.is_word.float() / self.count
        self.total: Any = 0

    def add(self, layer: int, states: Any) -> None:
        weight = self.mix.weights[layer]
        if not weight:
            return
        states = states.float()
        mean, scale = self._measure(states) if self.mix.normalise else (0, 1)
        if self.mix.pool == "max":
            pooled = (states - mean) * scale
        elif self.mix.pool == "cls":
            pooled = (states[:, :1] - mean) * scale
        else:
            summed = (states * self.share[:, :, None]).sum(1, keepdim=True)
            pooled = (summed - mean * self.share.sum(1)[:, None, None]) * scale
        self.total = self.total + weight * pooled

    def finish(self) -> Any:
        if self.mix.pool != "max":
            return self.total[:, 0]
        outside = ~self.is_word[:, :, None]
        return self.total.masked_fill(outside, float("-inf")).max(dim=1).values

    def _measure(self, states: Any) -> tuple[Any, Any]:
        """Return the mean of a text's numbers, and one over their standard deviation."""
        inside = self.is_token[:, :, None].float()
        numbers = self.count[:, :, None] * states.shape[2]
        mean = (states * inside).sum((1, 2), keepdim=True) / numbers
        spread = (((states * inside - mean) * inside) ** 2).sum((1, 2), keepdim=True)
        return mean, 1 / (spread / numbers + 1e-12).sqrt()


def build_network(
    owner: str,
    path: str,
    settings: Mapping[str, Any],
    weights: Mapping[str, Any],
    config: Any,
    padding: int,
) -> CometNetwork:
    """Build the network of a checkpoint from its settings, weights and encoder."""
    encoder = _build_encoder(owner, path, settings, weights, config)
    count = config.num_hidden_layers + 1
    if settings["pool"] == "default":  # the last layer's first token, whatever is mixed
        settings = {**settings, "pool": "cls", "layer": count - 1}
    mix = LayerMix(
        weights=_weigh_layers(owner, path, settings, weights, count),
        pool=settings["pool"],
        normalise=settings["layer"] == "mix" and bool(settings["layer_norm"]),
    )
    if mix.pool not in ("avg", "cls", "max"):
        msg = f"{owner}: {path} pools by {mix.pool!r}; expected avg, cls or max."
        raise FormatError(msg)
    tagger = None
    if settings["word_level"]:
        tagger = _build_linear(owner, path, weights, "hidden2tag")
    tag_layer = int(settings["word_layer"]) if tagger else -1
    needed = max(tag_layer, *(n for n, weight in enumerate(mix.weights) if weight))
    if needed < count - 1:  # nobody asks for the layers above
        encoder.encoder.layer = encoder.encoder.layer[: needed + 1]
    return CometNetwork(
        encoder=encoder.eval(),
        mix=mix,
        head=_build_head(owner, path, settings, weights),
        tagger=tagger,
        tag_layer=tag_layer,
        padding=padding,
    )


def _build_encoder(
    owner: str,
    path: str,
    settings: Mapping[str, Any],
    weights: Mapping[str, Any],
    config: Any,
) -> Any:
    from transformers import AutoModel

    name = settings["encoder_model"]
    if ENCODERS.get(name) != config.model_type:
        msg = (
            f"{owner}: the checkpoint's encoder is {name}, but the encoder's folder has a "
            f"network of type {config.model_type}; expected one of "
            f"{', '.join(map(' of type '.join, ENCODERS.items()))}."
        )
        raise FormatError(msg)
    start = "encoder.model."
    own = {
        key.removeprefix(start): tensor
        for key, tensor in weights.items()
        if key.startswith(start) and not key.startswith(f"{start}pooler.")
    }
    network_class = AutoModel._model_mapping[type(config)]
    with checkpoints.hide_progress():
        network = network_class.from_pretrained(
            None, config=config, state_dict=own, add_pooling_layer=False
        )
    checkpoints.check_weights(owner, path, network, own)
    return network


def _weigh_layers(
    owner: str,
    path: str,
    settings: Mapping[str, Any],
    weights: Mapping[str, Any],
    count: int,
) -> tuple[float, ...]:
    """Return the weight of each layer: one alone, or a mixture that was learned."""
    import torch

    layer = settings["layer"]
    if layer != "mix":
        if not isinstance(layer, int) or not 0 <= layer < count:
            msg = f"{owner}: {path} uses layer {layer}; expected one from 0 to {count - 1}."
            raise FormatError(msg)
        return tuple(float(number == layer) for number in range(count))
    names = [f"layerwise_attention.scalar_parameters.{n}" for n in range(count)]
    missing = [n for n in [*names, "layerwise_attention.gamma"] if n not in weights]
    if missing:
        msg = (
            f"{owner}: {path} lacks the weights {missing[0]}; expected {count} layers."
        )
        raise FormatError(msg)
    scalars = torch.cat([weights[name].float() for name in names])
    is_sparse = settings["layer_transformation"] == "sparsemax"
    mixed = _apply_sparsemax(scalars) if is_sparse else scalars.softmax(0)
    return tuple((weights["layerwise_attention.gamma"].float() * mixed).tolist())


def _apply_sparsemax(scalars: Any) -> Any:
    """Return the nearest weights that add up to one (Martins and Astudillo 2016)."""
    ordered = scalars.sort(descending=True).values
    sums = ordered.cumsum(0) - 1
    counts = sums.new_tensor(range(1, len(sums) + 1))
    size = int((counts * ordered > sums).sum())
    return (scalars - sums[size - 1] / size).clamp(min=0)


def _build_head(
    owner: str, path: str, settings: Mapping[str, Any], weights: Mapping[str, Any]
) -> Any:
    """Build the layers of the regression: as many as the checkpoint has."""
    from torch import nn

    start = "estimator.ff."
    places = sorted(
        int(key.removeprefix(start).partition(".")[0])
        for key in weights
        if key.startswith(start) and key.endswith(".weight")
    )
    if not places:
        return None
    layers = []
    for place in places:
        layers.append(_build_linear(owner, path, weights, f"{start}{place}"))
        activation = settings["activations"]
        if place == places[-1]:
            activation = settings["final_activation"]
        if activation:
            kind = getattr(nn, activation.title(), None)
            if kind is None:
                msg = f"{owner}: {path} has an activation {activation!r}; torch has none such."
                raise FormatError(msg)
            layers.append(kind())
    return nn.Sequential(*layers).eval()


def _build_linear(owner: str, path: str, weights: Mapping[str, Any], name: str) -> Any:
    from torch import nn

    missing = [n for n in (f"{name}.weight", f"{name}.bias") if n not in weights]
    if missing:
        msg = f"{owner}: {path} lacks the weights {missing[0]}; expected all of the network's."
        raise FormatError(msg)
    weight, bias = (weights[f"{name}.{part}"].float() for part in ("weight", "bias"))
    linear = nn.Linear(weight.shape[1], weight.shape[0])
    linear.load_state_dict({"weight": weight, "bias": bias})
    return linear.eval()
