"""BERTScore: cosine similarity of the tokens of output and reference, on a local encoder."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from metra.errors import FormatError, OptionError
from metra.formats.lines import read_lines
from metra.formats.stream import compute_file_version
from metra.metrics.neural import checkpoints
from metra.metrics.neural.inference import Network, Precision, Runner, split_by_length
from metra.metrics.neural.segment_scores import Item, SegmentScore, build_metric
from metra.metrics.options import Range
from metra.metrics.record import Array, Metric, metric_factory

_EXPECTED = "a Hugging Face encoder (config.json, weights, a tokeniser)"
# Tokens whose vectors are in memory at once.
_TOKENS_AT_ONCE = 1 << 18
# The most layers of an encoder.
_MOST_LAYERS = 1000


@metric_factory(title="BERTScore", papers="zhang2020")
def bertscore(
    *,
    model: str = "",
    layer: Annotated[int, Range(0, _MOST_LAYERS)] = 0,
    baseline: str = "",
    precision: Precision = "fp32",
) -> Metric:
    """Embedding similarity of output and reference tokens, mostly 0 to 1. Higher is better.

    A network gives each token a vector that depends on its context. Each token of the
    output is matched with the token of the reference with the highest cosine
    similarity. Precision is the mean over the output tokens, recall the mean over the
    reference tokens, and the score is f1, their harmonic mean. With `baseline`, scores
    are rescaled to (score − b) / (1 − b), where b is the value for the layer in a file
    of the package bert-score. With several references, the best one counts, separately
    for each of the three values. If output or reference is empty, the score is 0 before
    rescaling.

    In fp32, segment scores are within 0.00001 of those of the package bert-score with
    the same encoder, layer and baseline. metra downloads nothing.

    Zhang et al. 2020, "BERTScore: Evaluating text generation with BERT", ICLR.

    Options:
        model: folder of the encoder.
        layer: layer whose output is compared, counted from 1; 0 is the last.
        baseline: file with the scores of unrelated texts, by layer: LAYER,P,R,F.
        precision: precision of the encoder.
    """
    folder = checkpoints.check_folder("bertscore", "model", model, _EXPECTED)
    files = checkpoints.list_encoder_files("bertscore", folder)
    weights = checkpoints.list_weight_files("bertscore", folder)
    depth = _choose_layer(folder, layer)
    shift = _read_baseline(baseline, depth) if baseline else None
    local = checkpoints.describe_model(
        "bertscore", folder, [*files, *weights], precision
    )
    version = compute_file_version(baseline) if baseline else "none"
    return build_metric(
        local,
        lambda: local.load(BertScorer, folder, depth, shift),
        ("f1", "precision", "recall"),
        {"layer": depth, "baseline": version},
        identity=f"{depth} {shift}",
        with_source=False,
        choose_best=_choose_best,
    )


def _choose_layer(folder: str, layer: int) -> int:
    config = checkpoints.read_config("bertscore", folder)
    count = config.get("num_hidden_layers")
    if not isinstance(count, int):
        msg = f"bertscore: {folder}/config.json has no num_hidden_layers; expected one."
        raise FormatError(msg)
    if layer > count:
        msg = f"bertscore: layer={layer}, but {folder} has {count} layers; choose one."
        raise OptionError(msg)
    return layer or count


def _read_baseline(path: str, layer: int) -> tuple[float, float, float]:
    """Read precision, recall and f1 of unrelated texts at a layer."""
    problem = f"{path} has no line for layer {layer}"
    try:
        lines = [line.split(",") for line in read_lines(path) if line.strip()]
        for line in lines[1:]:
            if int(line[0]) == layer:
                values = tuple(float(value) for value in line[1:4])
                if len(values) == 3 and all(value < 1 for value in values):
                    return values
    except FormatError as error:
        problem = str(error).partition(";")[0]
    except ValueError as error:
        problem = f"{path} contains something other than numbers: {error}"
    msg = (
        f"bertscore: {problem}; expected LAYER,P,R,F and a line of numbers below 1 "
        "for each layer, separated by commas."
    )
    raise FormatError(msg)


def _choose_best(scores: Sequence[SegmentScore]) -> SegmentScore:
    """Return the best of each value, over the references."""
    columns = zip(*(score.values for score in scores), strict=True)
    return SegmentScore(tuple(max(column) for column in columns))


class BertScorer:
    """An encoder, whose vectors of tokens are compared."""

    def __init__(
        self,
        folder: str,
        layer: int,
        shift: tuple[float, float, float] | None,
        precision: str,
        devices: Sequence[str],
    ) -> None:
        """Load the encoder up to a layer, and its tokeniser."""
        self.tokeniser = checkpoints.Tokeniser("bertscore", folder)
        network = Network(_load_encoder(folder, layer))
        self.runner = Runner(network, self.tokeniser.padding, precision, devices)
        self.shift = shift

    def score(self, items: Sequence[Item]) -> list[SegmentScore]:
        """Score items, those of the same reference one after the other."""
        texts = _list_distinct(items)
        stripped = [text.strip() for text in texts]
        values = np.empty((len(items), 3))
        with self.runner.lock:
            encoded = self.tokeniser.encode_ids(stripped, self.tokeniser.longest)
            ids = dict(zip(texts, encoded, strict=True))
            order = sorted(range(len(items)), key=lambda place: items[place].ref or "")
            sizes = _count_tokens([items[place] for place in order], ids)
            # The tokens of each part fit into memory.
            parts = np.cumsum(sizes) // _TOKENS_AT_ONCE
            for places in np.split(order, np.flatnonzero(np.diff(parts)) + 1):
                values[places] = self._match_tokens([items[n] for n in places], ids)
        if self.shift is not None:
            values = (values - self.shift) / (1 - np.array(self.shift))
        return [
            SegmentScore((f1, precision, recall))
            for precision, recall, f1 in values.tolist()
        ]

    def _match_tokens(
        self, items: Sequence[Item], ids: Mapping[str, Sequence[int]]
    ) -> Array:
        """Return precision, recall and f1 of items: (items, 3)."""
        torch = self.runner.torch
        values = np.zeros((len(items), 3))
        with torch.inference_mode():
            table, loads, starts = self._embed(_list_distinct(items), ids)
            sizes = _count_tokens(items, ids)
            for chosen in split_by_length(sizes, _TOKENS_AT_ONCE // 16):
                sides = [
                    _gather_side(
                        torch,
                        np.array([starts[text] for text in column]),
                        np.array([len(ids[text]) for text in column]),
                        table.device,
                    )
                    for column in (
                        [items[place].hyp for place in chosen],
                        [items[place].ref or "" for place in chosen],
                    )
                ]
                compared = _compare_sides(torch, table, loads, *sides)
                values[chosen] = compared.cpu().numpy()
        return values

    def _embed(
        self, texts: Sequence[str], ids: Mapping[str, Sequence[int]]
    ) -> tuple[Any, Any, dict[str, int]]:
        """Return the vectors and weights of all tokens, and the row of each text's first."""
        torch = self.runner.torch

        def compute(network: Network, places: list[int]) -> Any:
            chosen = [ids[texts[place]] for place in places]
            padded, is_token = self.runner.pad(chosen, network.device)
            mask = is_token.long()
            states = network.encoder(input_ids=padded, attention_mask=mask)[0]
            return states[is_token].float()

        answers = self.runner.run([len(ids[text]) for text in texts], compute)
        main = self.runner.networks[0].device
        table = torch.cat([states.to(main) for _, states in answers])
        ordered = [texts[place] for places, _ in answers for place in places]
        ends = np.cumsum([len(ids[text]) for text in ordered]).tolist()
        starts = dict(zip(ordered, [0, *ends[:-1]], strict=True))
        # The marks at the ends of texts do not count.
        marks = (self.tokeniser.first, self.tokeniser.last)
        loads = [float(number not in marks) for text in ordered for number in ids[text]]
        loads = torch.tensor(loads, device=main)
        return table / table.norm(dim=1, keepdim=True), loads, starts


def _load_encoder(folder: str, layers: int) -> Any:
    """Load a network that gives vectors of tokens, up to a layer."""
    from transformers import AutoModel

    network = checkpoints.load_network("bertscore", folder, AutoModel)
    stack: Any = getattr(network, "encoder", None)
    if not hasattr(stack, "layer"):
        kind = type(network).__name__
        msg = (
            f"bertscore: {folder} has a {kind}; expected an encoder such as BERT or "
            "XLM-R."
        )
        raise FormatError(msg)
    stack.layer = stack.layer[:layers]
    return network


def _list_distinct(items: Sequence[Item]) -> list[str]:
    return list(dict.fromkeys(text or "" for item in items for text in item[1:]))


def _count_tokens(items: Sequence[Item], ids: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the number of tokens of each item's two texts."""
    return [len(ids[item.hyp]) + len(ids[item.ref or ""]) for item in items]


def _gather_side(
    torch: Any, first: Array, lengths: Array, device: Any
) -> tuple[Any, Any]:
    """Return where the tokens of texts stand in the table, and which entries are tokens."""
    steps = np.arange(lengths.max())
    is_token = steps[None, :] < lengths[:, None]
    rows = np.where(is_token, first[:, None] + steps[None, :], 0)
    return torch.from_numpy(rows).to(device), torch.from_numpy(is_token).to(device)


def _compare_sides(torch: Any, table: Any, loads: Any, hyp: Any, ref: Any) -> Any:
    """Match the tokens of each output with those of its reference: (items, 3)."""
    similarity = torch.bmm(table[hyp[0]], table[ref[0]].transpose(1, 2))
    # Entries that are no tokens have a similarity of 0, as in the package.
    similarity = similarity * (hyp[1][:, :, None] & ref[1][:, None, :])
    values = []
    for (rows, is_token), axis in ((hyp, 2), (ref, 1)):
        share = loads[rows] * is_token
        share = share / share.sum(1, keepdim=True)
        best = similarity.max(dim=axis).values
        values.append((best * share).sum(1))
    both = torch.stack(values, 1)
    f1 = (2 * both[:, 0] * both[:, 1] / both.sum(1)).nan_to_num(0.0)
    is_empty = (hyp[1].sum(1) == 2) | (ref[1].sum(1) == 2)
    both = both.nan_to_num(0.0).masked_fill(is_empty[:, None], 0.0)
    return torch.cat([both, f1[:, None]], 1)
