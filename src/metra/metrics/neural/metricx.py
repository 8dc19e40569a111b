"""MetricX: the number of errors that mT5 predicts, with a reference or without."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from metra.errors import FormatError
from metra.metrics.neural import checkpoints
from metra.metrics.neural.inference import Network, Precision, Runner
from metra.metrics.neural.segment_scores import Item, SegmentScore, build_metric
from metra.metrics.record import Metric, metric_factory
from metra.stats.direction import LOWER

_EXPECTED = "a Google MetricX checkpoint (config.json and weights)"
# The first step of the decoder, and the token whose value is the score: <extra_id_10>.
_START, _SCORE_TOKEN = 0, 250089
_LOWEST, _HIGHEST = 0.0, 25.0
_LONGEST = 1536


@metric_factory(title="MetricX", papers="juraska2024")
def metricx(
    *,
    model: str = "",
    tokenizer: str = "",
    qe: bool = False,
    precision: Precision = "fp32",
) -> Metric:
    """MQM error score predicted by a trained network, 0 to 25. Lower is better.

    A network with the architecture of mT5 reads source, output and, unless `qe`,
    reference as one text and predicts the human MQM score: 0 is perfect, 25 the worst.
    It is a checkpoint of MetricX-24; the input of older ones was another, which their
    folders do not record. The score is the mean over segments; with several references,
    each segment is scored against the one with the lowest score. Inputs are truncated
    after 1536 tokens.

    In fp32, scores are within 0.00001 of the arithmetic of Google's package. metra
    downloads nothing.

    Juraska et al. 2024, "MetricX-24: The Google submission to the WMT 2024 metrics
    shared task", WMT.

    Options:
        model: folder of the checkpoint.
        tokenizer: folder of mT5's tokeniser; by default the folder of the checkpoint.
        qe: the checkpoint scores without references.
        precision: precision of the network.
    """
    folder = checkpoints.check_folder("metricx", "model", model, _EXPECTED)
    words = folder
    if tokenizer:
        expected = "mT5's tokeniser"
        words = checkpoints.check_folder("metricx", "tokenizer", tokenizer, expected)
    files = [
        checkpoints.require_file("metricx", folder, "config.json"),
        *checkpoints.list_weight_files("metricx", folder),
        *checkpoints.list_tokeniser_files(words),
    ]
    local = checkpoints.describe_model("metricx", folder, files, precision)
    metric = build_metric(
        local,
        lambda: local.load(MetricxScorer, folder, words),
        ("score",),
        {"tokenizer": checkpoints.name_folder(words)},
        with_reference=not qe,
        choose_best=min,
    )
    return replace(metric, direction=LOWER, more_digits=0)


def format_input(item: Item) -> str:
    """Write what the network reads."""
    reference = "" if item.ref is None else f" reference: {item.ref}"
    return f"source: {item.source} candidate: {item.hyp}{reference}"


class MetricxScorer:
    """A loaded checkpoint, on all devices."""

    def __init__(
        self, folder: str, words: str, precision: str, devices: Sequence[str]
    ) -> None:
        """Load the network and the tokeniser."""
        self.tokeniser = checkpoints.Tokeniser("metricx", words)
        network = Network(_load_mt5(folder), head=_load_head(folder))
        self.runner = Runner(network, self.tokeniser.padding, precision, devices)

    def score(self, items: Sequence[Item]) -> list[SegmentScore]:
        """Score items, none of which occurs twice."""
        texts = [format_input(item) for item in items]
        with self.runner.lock:
            # The mark at the end is cut off, as in training.
            tokens = [ids[:-1] for ids in self.tokeniser.encode_ids(texts, _LONGEST)]

            def compute(network: Network, places: list[int]) -> Any:
                return self._compute_scores(network, [tokens[n] for n in places])

            answers = self.runner.run([len(ids) for ids in tokens], compute)
            scores = self.runner.gather(answers).tolist()
        return [SegmentScore((score,)) for score in scores]

    def _compute_scores(self, network: Network, ids: Sequence[Sequence[int]]) -> Any:
        padded, is_token = self.runner.pad(ids, network.device)
        mask = is_token.long()
        states = network.encoder.encoder(input_ids=padded, attention_mask=mask)[0]
        steps = network.encoder.decoder(
            input_ids=padded.new_full((len(ids), 1), _START),
            encoder_hidden_states=states,
            encoder_attention_mask=mask,
            use_cache=False,
        )[0]
        return (steps[:, 0].float() @ network.head).clamp(_LOWEST, _HIGHEST)


def _load_mt5(folder: str) -> Any:
    """Load encoder and decoder of a network of mT5's shape."""
    from transformers import MT5Model

    kind = checkpoints.read_config("metricx", folder).get("model_type")
    if kind != "mt5":
        msg = f"metricx: {folder} has a network of type {kind}; expected mt5."
        raise FormatError(msg)
    return checkpoints.load_network("metricx", folder, MT5Model)


def _load_head(folder: str) -> Any:
    """Load the weights of the token whose value is the score."""
    config = checkpoints.read_config("metricx", folder)
    # transformers 5 takes every mT5 for one that shares these weights with its embeddings.
    is_shared = bool(config.get("tie_word_embeddings", False))
    name = "shared.weight" if is_shared else "lm_head.weight"
    table = checkpoints.load_tensor("metricx", folder, name)
    if len(table) <= _SCORE_TOKEN:
        msg = (
            f"metricx: {folder} has {len(table)} tokens; expected mT5's, of which number "
            f"{_SCORE_TOKEN} is the score."
        )
        raise FormatError(msg)
    scale = config["d_model"] ** -0.5 if is_shared else 1.0
    return table[_SCORE_TOKEN].float() * scale
