"""Networks of the COMET family: an encoder, a mixture of its layers, a regression head."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from metra.errors import FormatError
from metra.metrics.neural import checkpoints
from metra.metrics.neural.inference import pad_ids

#: The types of networks of encoders, by the names that checkpoints give them.
ENCODERS = {
    "XLM-RoBERTa": "xlm-roberta",
    "XLM-RoBERTa-XL": "xlm-roberta-xl",
    "MiniLM": "bert",
}
#: XLM-R puts two separators between texts.
SEPARATORS = 2


@dataclass(frozen=True, slots=True)
class LayerMix:
    """Mixture of the encoder's layers into one vector per text."""

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
        """Return a vector for each text, and the output of the tagged layer."""
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


class CheckpointParts(NamedTuple):
    """Settings, completed, and weights of a checkpoint's file."""

    path: str
    settings: Mapping[str, Any]
    weights: Mapping[str, Any]

    def describe_problem(self, problem: str) -> FormatError:
        """Return an error that names the file."""
        return FormatError(f"comet: {self.path} {problem}.")

    def get_weights(self, names: Sequence[str], expected: str) -> list[Any]:
        """Return weights in fp32, or raise an error if some are missing."""
        missing = [name for name in names if name not in self.weights]
        if missing:
            problem = f"lacks the weights {missing[0]}; expected {expected}"
            raise self.describe_problem(problem)
        return [self.weights[name].float() for name in names]


def build_network(parts: CheckpointParts, config: Any, padding: int) -> CometNetwork:
    """Build the network of a checkpoint, with the settings of its encoder."""
    encoder = _build_encoder(parts, config)
    settings = parts.settings
    count = config.num_hidden_layers + 1
    if settings["pool"] == "default":  # the last layer's first token, whatever is mixed
        settings = {**settings, "pool": "cls", "layer": count - 1}
        parts = parts._replace(settings=settings)
    mix = LayerMix(
        weights=_weigh_layers(parts, count),
        pool=settings["pool"],
        normalise=settings["layer"] == "mix" and bool(settings["layer_norm"]),
    )
    if mix.pool not in ("avg", "cls", "max"):
        problem = f"pools by {mix.pool!r}; expected avg, cls or max"
        raise parts.describe_problem(problem)
    tagger = _build_linear(parts, "hidden2tag") if settings["word_level"] else None
    tag_layer = int(settings["word_layer"]) if tagger else -1
    needed = max(tag_layer, *(n for n, weight in enumerate(mix.weights) if weight))
    if needed < count - 1:  # nobody asks for the layers above
        encoder.encoder.layer = encoder.encoder.layer[: needed + 1]
    return CometNetwork(
        encoder=encoder.eval(),
        mix=mix,
        head=_build_head(parts),
        tagger=tagger,
        tag_layer=tag_layer,
        padding=padding,
    )


def _build_encoder(parts: CheckpointParts, config: Any) -> Any:
    import torch
    from transformers import AutoModel

    name = parts.settings["encoder_model"]
    if ENCODERS.get(name) != config.model_type:
        msg = (
            f"comet: the checkpoint's encoder is {name}, but the encoder's folder has a "
            f"network of type {config.model_type}; expected one of "
            f"{', '.join(map(' of type '.join, ENCODERS.items()))}."
        )
        raise FormatError(msg)
    start = "encoder.model."
    own = {
        key.removeprefix(start): tensor
        for key, tensor in parts.weights.items()
        if key.startswith(start) and not key.startswith(f"{start}pooler.")
    }
    network_class = AutoModel._model_mapping[type(config)]
    with torch.device("meta"):
        empty = network_class(config, add_pooling_layer=False)
    checkpoints.check_weights("comet", parts.path, empty, own)
    with checkpoints.hide_progress():
        return network_class.from_pretrained(
            None, config=config, state_dict=own, add_pooling_layer=False
        )


def _weigh_layers(parts: CheckpointParts, count: int) -> tuple[float, ...]:
    """Return the weight of each layer: one alone, or a mixture that was learned."""
    import torch

    layer = parts.settings["layer"]
    if layer != "mix":
        if not isinstance(layer, int) or not 0 <= layer < count:
            problem = f"uses layer {layer}; expected one from 0 to {count - 1}"
            raise parts.describe_problem(problem)
        return tuple(float(number == layer) for number in range(count))
    start = "layerwise_attention."
    names = [f"{start}scalar_parameters.{n}" for n in range(count)]
    *listed, gamma = parts.get_weights([*names, f"{start}gamma"], f"{count} layers")
    scalars = torch.cat(listed)
    is_sparse = parts.settings["layer_transformation"] == "sparsemax"
    mixed = _apply_sparsemax(scalars) if is_sparse else scalars.softmax(0)
    return tuple((gamma * mixed).tolist())


def _apply_sparsemax(scalars: Any) -> Any:
    """Return the nearest weights that add up to one (Martins and Astudillo 2016)."""
    ordered = scalars.sort(descending=True).values
    sums = ordered.cumsum(0) - 1
    counts = sums.new_tensor(range(1, len(sums) + 1))
    size = int((counts * ordered > sums).sum())
    return (scalars - sums[size - 1] / size).clamp(min=0)


def _build_head(parts: CheckpointParts) -> Any:
    """Build the layers of the regression: as many as the checkpoint has."""
    from torch import nn

    start = "estimator.ff."
    places = sorted(
        int(key.removeprefix(start).partition(".")[0])
        for key in parts.weights
        if key.startswith(start) and key.endswith(".weight")
    )
    if not places:
        return None
    layers = []
    for place in places:
        layers.append(_build_linear(parts, f"{start}{place}"))
        is_last = place == places[-1]
        activation = parts.settings["final_activation" if is_last else "activations"]
        if activation:
            kind = getattr(nn, activation.title(), None)
            if kind is None:
                problem = (
                    f"has the activation {activation!r}, which torch does not have"
                )
                raise parts.describe_problem(problem)
            layers.append(kind())
    return nn.Sequential(*layers).eval()


def _build_linear(parts: CheckpointParts, name: str) -> Any:
    from torch import nn

    names = [f"{name}.weight", f"{name}.bias"]
    weight, bias = parts.get_weights(names, "all of the network's")
    linear = nn.Linear(weight.shape[1], weight.shape[0])
    linear.load_state_dict({"weight": weight, "bias": bias})
    return linear.eval()
