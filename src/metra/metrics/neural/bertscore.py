"""BERTScore: cosine similarity of the tokens of output and reference, on a local encoder."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np

from metra.errors import FormatError, OptionError
from metra.formats.lines import read_lines
from metra.formats.stream import compute_file_version
from metra.metrics.neural import checkpoints
from metra.metrics.neural.inference import (
    Network,
    Precision,
    Runner,
    check_precision,
    list_devices,
    split_by_length,
)
from metra.metrics.neural.segment_scores import (
    Item,
    SegmentScore,
    SegmentScorer,
    build_metric,
)
from metra.metrics.options import Range
from metra.metrics.record import Array, Metric, metric_factory

_EXPECTED = "a Hugging Face encoder (config.json, weights, a tokeniser)"
_VALUES = ("f1", "precision", "recall")
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
    versions = checkpoints.require_packages("bertscore")
    digest = checkpoints.digest_files([*files, *weights])
    depth = _choose_layer(folder, layer)
    shift = _read_baseline(baseline, depth) if baseline else None
    devices = tuple(list_devices())
    check_precision("bertscore", precision, devices)
    load: Callable[[], TokenEncoder] = partial(
        checkpoints.load_once, digest, TokenEncoder, folder, depth, precision, devices
    )
    scorer = SegmentScorer(
        f"bertscore {digest} {depth} {precision} {shift}",
        lambda: partial(_score_items, load, shift),
        with_source=False,
        with_reference=True,
        choose_best=_choose_best,
    )
    settled = {
        "model": checkpoints.label_folder(folder, digest),
        "layer": depth,
        "baseline": compute_file_version(baseline) if baseline else "none",
        **dict(versions),
    }
    return build_metric("bertscore", scorer, _VALUES, settled)


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


class TokenEncoder:
    """Vectors of tokens, of length one."""

    def __init__(
        self, folder: str, layer: int, precision: str, devices: Sequence[str]
    ) -> None:
        """Load the encoder up to a layer, and its tokeniser."""
        self.tokeniser = checkpoints.Tokeniser("bertscore", folder)
        network = Network(_load_encoder(folder, layer))
        self.runner = Runner(network, self.tokeniser.padding, precision, devices)

    def tokenise(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text's tokens."""
        stripped = [text.strip() for text in texts]
        return self.tokeniser.encode_ids(stripped, self.tokeniser.longest)

    def embed(self, tokens: Sequence[Sequence[int]]) -> Any:
        """Return the vectors of all tokens, one text behind the other: (tokens, size)."""
        torch = self.runner.torch

        def compute(network: Network, places: list[int]) -> Any:
            ids = [tokens[place] for place in places]
            padded, is_token = self.runner.pad(ids, network.device)
            mask = is_token.long()
            states = network.encoder(input_ids=padded, attention_mask=mask)[0]
            return states[is_token].float()

        answers = self.runner.run([len(ids) for ids in tokens], compute)
        starts = np.cumsum([0, *(len(ids) for ids in tokens)])
        main = self.runner.networks[0].device
        table: Any = None
        for places, states in answers:
            if table is None:
                size = (int(starts[-1]), states.shape[1])
                table = torch.empty(size, device=main)
            rows = np.concatenate([np.arange(starts[p], starts[p + 1]) for p in places])
            table[torch.from_numpy(rows).to(main)] = states.to(main)
        return table / table.norm(dim=1, keepdim=True)


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


def _score_items(
    load: Callable[[], TokenEncoder],
    shift: tuple[float, float, float] | None,
    items: Sequence[Item],
) -> list[SegmentScore]:
    """Score items, those of the same reference one after the other."""
    encoder = load()
    texts = list(dict.fromkeys(text for item in items for text in (item.hyp, item.ref)))
    with encoder.runner.lock:
        values = _compute_values(encoder, items, texts)
    if shift is not None:
        values = (values - shift) / (1 - np.array(shift))
    return [
        SegmentScore((f1, precision, recall))
        for precision, recall, f1 in values.tolist()
    ]


def _compute_values(
    encoder: TokenEncoder,
    items: Sequence[Item],
    texts: Sequence[str | None],
) -> Array:
    """Return precision, recall and f1 of items: (items, 3)."""
    ids = dict(zip(texts, encoder.tokenise([t or "" for t in texts]), strict=True))
    order = sorted(range(len(items)), key=lambda place: items[place].ref or "")
    values = np.empty((len(items), 3))
    for places in _split_items(items, order, ids):
        chosen = [items[place] for place in places]
        values[places] = _match_tokens(encoder, chosen, ids)
    return values


def _split_items(
    items: Sequence[Item], order: Sequence[int], ids: Mapping[Any, Sequence[int]]
) -> Iterator[list[int]]:
    """Cut the items so that the tokens of each part fit into memory."""
    part: list[int] = []
    tokens, ref = 0, None
    for place in order:
        item = items[place]
        added = len(ids[item.hyp]) + (len(ids[item.ref]) if item.ref != ref else 0)
        if part and tokens + added > _TOKENS_AT_ONCE:
            yield part
            part, tokens = [], 0
            added = len(ids[item.hyp]) + len(ids[item.ref])
        part.append(place)
        tokens, ref = tokens + added, item.ref
    if part:
        yield part


def _match_tokens(
    encoder: TokenEncoder,
    items: Sequence[Item],
    ids: Mapping[Any, Sequence[int]],
) -> Array:
    """Return precision, recall and f1 of items: (items, 3)."""
    torch = encoder.runner.torch
    texts = list(dict.fromkeys(text for item in items for text in (item.hyp, item.ref)))
    tokens = [ids[text] for text in texts]
    places = {text: place for place, text in enumerate(texts)}
    starts = np.cumsum([0, *(len(each) for each in tokens)])
    marks = (encoder.tokeniser.first, encoder.tokeniser.last)
    values = np.zeros((len(items), 3))
    with torch.inference_mode():
        table = encoder.embed(tokens)
        # The marks at the ends of texts do not count.
        loads = [float(number not in marks) for each in tokens for number in each]
        loads = torch.tensor(loads, device=table.device)
        sizes = [len(ids[item.hyp]) + len(ids[item.ref]) for item in items]
        for chosen in split_by_length(sizes, _TOKENS_AT_ONCE // 16):
            sides = [
                _gather_side(
                    torch, [places[text] for text in column], starts, table.device
                )
                for column in (
                    [items[place].hyp for place in chosen],
                    [items[place].ref for place in chosen],
                )
            ]
            compared = _compare_sides(torch, table, loads, *sides)
            values[chosen] = compared.cpu().numpy()
    return values


def _gather_side(
    torch: Any, texts: Sequence[int], starts: Array, device: Any
) -> tuple[Any, Any]:
    """Return where the tokens of texts stand in the table, and which entries are tokens."""
    first = starts[texts]
    lengths = starts[np.array(texts) + 1] - first
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
