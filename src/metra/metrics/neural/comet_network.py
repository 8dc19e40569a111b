"""Networks of the COMET family, and from texts to scores and error spans with them.

A network is an encoder, a mixture of its layers and a regression head.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, NamedTuple

import numpy as np

from metra.corpus.batch import SegmentColumn
from metra.errors import FormatError
from metra.formats.lines import list_strings
from metra.metrics.neural import checkpoints
from metra.metrics.neural.checkpoints import Tokeniser
from metra.metrics.neural.inference import Answer, Network, Runner
from metra.metrics.neural.segment_scores import Item, PredictedSpan, SegmentScore
from metra.metrics.record import Array

#: The types of networks of encoders, by the names that checkpoints give them.
ENCODERS = {
    "XLM-RoBERTa": "xlm-roberta",
    "XLM-RoBERTa-XL": "xlm-roberta-xl",
    "MiniLM": "bert",
}
#: XLM-R puts two separators between texts.
SEPARATORS = 2

# Texts whose vectors are kept, for pairs of texts and for the next system.
_KEPT = 65_536
# Pairs that the regression takes at once.
_AT_ONCE = 8192

# xCOMET's weights of the three regressions and of the score from error spans; the weights of
# the three in the probabilities of errors; the points of an error, of which 25 are the most.
_SCORE_WEIGHTS = (0.12, 0.33, 0.33, 0.22)
_SPAN_WEIGHTS = np.array([0.1667, 0.3333, 0.5], dtype=np.float32)
_POINTS = {"minor": 1, "major": 5, "critical": 10}
_MOST_POINTS = 25


@dataclass(frozen=True, slots=True)
class LayerMix:
    """Mixture of the encoder's layers into one vector per text."""

    #: The weight of each layer's output, the embeddings' first; layers of weight 0 are not
    #: needed.
    weights: tuple[float, ...]
    pool: Literal["avg", "cls"]
    #: Whether each layer's output is normalised over a text's tokens first.
    normalise: bool
    #: The layer whose tokens get labels of errors, if any do.
    tag_layer: int | None


def embed_texts(
    runner: Runner, network: Network, mix: LayerMix, ids: Sequence[Sequence[int]]
) -> tuple[Any, Any]:
    """Return a vector for each text, and the output of the tagged layer."""
    tokens, is_token = runner.pad(ids, network.device)
    mixer = _Mixer(mix, tokens != runner.padding, is_token)
    encoder = network.encoder
    handles = _watch_layers(encoder, mixer.add)
    try:
        outputs = encoder(input_ids=tokens, attention_mask=is_token.long())
    finally:
        for handle in handles:
            handle.remove()
    # The last layer's output, which some encoders normalise.
    mixer.add(len(encoder.encoder.layer), outputs[0])
    return mixer.total[:, 0], mixer.tagged


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

    All of it is linear: tokens are pooled first, layers mixed then.
    """

    def __init__(self, mix: LayerMix, is_word: Any, is_token: Any) -> None:
        self.mix = mix
        # A text may hold the padding's token itself: it counts as one, but not its vector.
        self.is_token = is_token
        self.count = is_token.sum(1, keepdim=True).float()
        self.share = (is_word & is_token).float() / self.count
        self.total: Any = 0
        self.tagged: Any = None

    def add(self, layer: int, states: Any) -> None:
        if layer == self.mix.tag_layer:
            self.tagged = states
        weight = self.mix.weights[layer]
        if not weight:
            return
        states = states.float()
        mean, scale = self._measure(states) if self.mix.normalise else (0, 1)
        if self.mix.pool == "cls":
            pooled = (states[:, :1] - mean) * scale
        else:
            summed = (states * self.share[:, :, None]).sum(1, keepdim=True)
            pooled = (summed - mean * self.share.sum(1)[:, None, None]) * scale
        self.total = self.total + weight * pooled

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


def build_network(parts: CheckpointParts, config: Any) -> tuple[Network, LayerMix]:
    """Build the network of a checkpoint, with the settings of its encoder."""
    encoder = _build_encoder(parts, config)
    settings = parts.settings
    has_tags = bool(settings["error_labels"])
    mix = LayerMix(
        weights=_weigh_layers(parts, config.num_hidden_layers + 1),
        pool=settings["pool"],
        normalise=bool(settings["layer_norm"]),
        tag_layer=int(settings["word_layer"]) if has_tags else None,
    )
    if mix.pool not in ("avg", "cls"):
        problem = f"pools by {mix.pool!r}; expected avg or cls"
        raise parts.describe_problem(problem)
    used = [layer for layer, weight in enumerate(mix.weights) if weight]
    needed = max(*used, mix.tag_layer or 0)
    encoder.encoder.layer = encoder.encoder.layer[: needed + 1]
    tagger = _build_linear(parts, "hidden2tag") if has_tags else None
    return Network(encoder, _build_head(parts), tagger), mix


def _build_encoder(parts: CheckpointParts, config: Any) -> Any:
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
        if key.startswith(start)
    }
    network_class = AutoModel._model_mapping[type(config)]
    return checkpoints.load_network(
        *("comet", parts.path, network_class),
        config=config,
        state_dict=own,
        add_pooling_layer=False,
    )


def _weigh_layers(parts: CheckpointParts, count: int) -> tuple[float, ...]:
    """Return the weight of each layer in the mixture that was learned."""
    import torch

    layer = parts.settings["layer"]
    if layer != "mix":
        problem = f"uses the layer {layer}; expected a mixture of layers"
        raise parts.describe_problem(problem)
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
        problem = f"lacks the weights {start}0.weight; expected all of the network's"
        raise parts.describe_problem(problem)
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


@dataclass(slots=True)
class VectorScorer:
    """Networks that make a vector of each text by itself, and a score from two or three."""

    runner: Runner
    mix: LayerMix
    tokeniser: Tokeniser
    longest: int
    #: Vectors of texts, on the first device, and the row of each text.
    _table: Any = None
    _rows: dict[str, int] = field(default_factory=dict)

    def score(self, items: Sequence[Item]) -> list[SegmentScore]:
        """Score items, none of which occurs twice."""
        columns = list(zip(*items, strict=True))
        texts = dict.fromkeys(text for item in items for text in item)
        with self.runner.lock:
            self._remember([text for text in texts if text is not None])
            rows = self._rows
            scores = self._estimate(
                *(
                    None if column[0] is None else [rows[text] for text in column]
                    for column in columns
                )
            )
        return [SegmentScore((score,)) for score in scores.tolist()]

    def score_pairs(
        self,
        column: SegmentColumn,
        hyps: Sequence[int],
        refs: Sequence[int],
        source: str,
    ) -> Array:
        """Score all pairs of outputs and references, given by their places in the column."""
        texts = list_strings(column.text)
        with self.runner.lock:
            self._remember([*texts, source])
            rows = np.array([self._rows[text] for text in texts])
            grid = np.array([(rows[hyp], rows[ref]) for hyp in hyps for ref in refs])
            sources = np.full(len(grid), self._rows[source])
            scores = self._estimate(sources, grid[:, 0], grid[:, 1])
        return scores.astype(np.float64).reshape(len(hyps), len(refs))

    def _remember(self, texts: Sequence[str]) -> None:
        """See to it that the vectors of texts are in the table."""
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if not new:
            return
        if len(self._rows) + len(new) > _KEPT:
            self.forget()
            new = list(dict.fromkeys(texts))
        torch = self.runner.torch
        first = self.runner.networks[0].device
        tables = [] if self._table is None else [self._table]
        with torch.inference_mode():
            for places, vectors in self._compute_vectors(new):
                start = sum(len(part) for part in tables)
                self._rows.update((new[p], start + n) for n, p in enumerate(places))
                tables.append(vectors.to(first))
            self._table = torch.cat(tables)

    def forget(self) -> None:
        """Drop the vectors of all texts."""
        self._table = None
        self._rows.clear()

    def _compute_vectors(self, texts: Sequence[str]) -> list[Answer]:
        tokens = self.tokeniser.encode_ids(texts, self.longest - 2)

        def compute(network: Network, places: list[int]) -> Any:
            ids = [tokens[place] for place in places]
            return embed_texts(self.runner, network, self.mix, ids)[0]

        return self.runner.run([len(ids) for ids in tokens], compute)

    def _estimate(self, *columns: Any) -> Array:
        """Return the scores of items, whose texts are given by their rows."""
        torch = self.runner.torch
        network = self.runner.networks[0]
        indices = [
            torch.as_tensor(column).to(network.device)
            for column in columns
            if column is not None
        ]
        scores = []
        with torch.inference_mode():
            for start in range(0, len(indices[0]), _AT_ONCE):
                parts = (
                    self._table[rows[start : start + _AT_ONCE]] for rows in indices
                )
                scores.append(network.head(_join_features(torch, *parts)).view(-1))
            return torch.cat(scores).cpu().numpy()


def _join_features(torch: Any, source: Any, hyp: Any, ref: Any = None) -> Any:
    """Return what the regression reads: vectors, their products and differences."""
    about_source = (hyp * source, (hyp - source).abs())
    if ref is None:
        return torch.cat((hyp, source, *about_source), dim=1)
    return torch.cat((hyp, ref, hyp * ref, (hyp - ref).abs(), *about_source), dim=1)


@dataclass(frozen=True, slots=True)
class JointScorer:
    """Networks that read the output together with its source, its reference, or both."""

    runner: Runner
    mix: LayerMix
    tokeniser: Tokeniser
    #: The most tokens of texts that are read together.
    longest: int
    #: The severities of errors that xCOMET finds; other networks find none.
    labels: Sequence[str]

    def score(self, items: Sequence[Item]) -> list[SegmentScore]:
        """Score items, none of which occurs twice."""
        texts = dict.fromkeys(
            text for item in items for text in item if text is not None
        )
        listed = [_list_inputs(item) for item in items]
        inputs = list(dict.fromkeys(each for inputs in listed for each in inputs))
        with self.runner.lock:
            encoded = self.tokeniser.encode(list(texts), self.longest - 2)
            tokens = dict(zip(texts, encoded, strict=True))
            values, probabilities = self._run(inputs, tokens)
        places = {each: place for place, each in enumerate(inputs)}
        scores = []
        for item, inputs_of_item in zip(items, listed, strict=True):
            chosen = [places[each] for each in inputs_of_item]
            values_of_item = values[chosen].tolist()
            if self.labels:
                tables = [probabilities[place] for place in chosen]
                joined = tables[0]
                if len(tables) > 1:
                    joined = (np.stack(tables) * _SPAN_WEIGHTS[:, None, None]).sum(0)
                spans = find_spans(joined, tokens[item.hyp].offsets, ["", *self.labels])
                scores.append(_score_spans(values_of_item, spans))
            else:
                mean = sum(values_of_item) / len(chosen)
                parts = values_of_item if len(chosen) > 1 else ()
                scores.append(SegmentScore((mean, *parts)))
        return scores

    def _run(
        self, inputs: Sequence[tuple[str, ...]], tokens: Mapping[str, Any]
    ) -> tuple[Array, dict[int, Array]]:
        """Return the regression's value of each input, and probabilities of labels."""
        # The package takes the padding's token out of texts that it joins.
        padding, separator = self.tokeniser.padding, self.tokeniser.last
        ids = {
            text: [number for number in each.ids if number != padding]
            for text, each in tokens.items()
        }

        def join(first: str, *others: str) -> list[int]:
            joined = list(ids[first])
            for text in others:
                joined += [separator] * (SEPARATORS - 1) + ids[text][1:]
            return joined[: self.longest]

        sequences = [join(*texts) for texts in inputs]

        def compute(network: Network, places: list[int]) -> Any:
            chosen = [sequences[place] for place in places]
            vectors, states = embed_texts(self.runner, network, self.mix, chosen)
            values = network.head(vectors).view(-1)
            if not self.labels:
                return values, ()
            longest = max(len(tokens[inputs[place][0]]) for place in places)
            labels = network.tagger(states[:, :longest].float()).softmax(dim=2)
            return values, labels

        answers = self.runner.run([len(sequence) for sequence in sequences], compute)
        values = self.runner.gather([(places, each[0]) for places, each in answers])
        probabilities = {
            place: table[: len(tokens[inputs[place][0]])].float().cpu().numpy()
            for places, (_, tables) in answers
            for place, table in zip(places, tables, strict=False)
        }
        return values, probabilities


def _score_spans(
    values: Sequence[float], spans: tuple[PredictedSpan, ...]
) -> SegmentScore:
    """Return xCOMET's score: of the regression's values and of the points of errors."""
    points = sum(_POINTS[span.severity] for span in spans)
    mqm = (_MOST_POINTS - min(points, _MOST_POINTS)) / _MOST_POINTS
    clipped = [min(value, 1.0) for value in values]
    *weights, span_weight = _SCORE_WEIGHTS
    if len(values) == 1:
        regression = clipped[0] * sum(weights)
        values = clipped
    else:
        regression = sum(w * v for w, v in zip(weights, clipped, strict=True))
    score = regression + span_weight * mqm
    return SegmentScore((score, *values, mqm), spans)


def _list_inputs(item: Item) -> list[tuple[str, ...]]:
    """List the texts to read together: with the source, the reference, and both."""
    others = [text for text in (item.source, item.ref) if text is not None]
    pairs: list[tuple[str, ...]] = [(item.hyp, other) for other in others]
    return pairs if len(others) == 1 else [*pairs, (item.hyp, *others)]


def find_spans(
    probabilities: Array, offsets: Sequence[tuple[int, int]], labels: Sequence[str]
) -> tuple[PredictedSpan, ...]:
    """Return the runs of tokens whose most probable label is an error.

    A run has the severity of its first token. As in the package unbabel-comet, the marks at
    the ends of a text are tokens too, and a run that reaches the end of the text is dropped.
    """
    chosen = probabilities.argmax(1).tolist()
    spans = []
    for is_error, run in groupby(range(len(chosen)), lambda place: chosen[place] > 0):
        places = list(run)
        start, end = places[0], places[-1] + 1
        if is_error and end < len(chosen):
            confidence = float(probabilities[start:end].max(1).mean())
            edges = offsets[start][0], offsets[end - 1][1]
            spans.append(PredictedSpan(*edges, labels[chosen[start]], confidence))
    return tuple(spans)
