"""The adapter for torchmetrics, where torch and torchmetrics are installed."""

import copy
import pickle

import pytest

torch = pytest.importorskip("torch", reason="needs torch", exc_type=ImportError)
torchmetrics = pytest.importorskip("torchmetrics", reason="needs torchmetrics")

import metra  # noqa: E402, what is optional comes first
from metra.compat.torchmetrics import TranslationMetric  # noqa: E402

HYPS = ["the cat sat on the mat", "it did not move at all", "a dog came by"]
REFS = [
    ["a cat sat on the mat", "the cat sat"],
    ["it did not move"],
    ["then a dog came by"],
]
SPECS = ["bleu", "chrf", "ter", "bleu:ref_len=average"]


def score_at_once(spec):
    return metra.score(HYPS, None, spec, refs_per_segment=REFS).score


@pytest.mark.parametrize("spec", SPECS)
def test_batches_are_those_of_one_call(spec):
    metric = TranslationMetric(spec)
    for hyp, refs in zip(HYPS, REFS, strict=True):
        metric.update([hyp], [refs])
    assert metric.compute().item() == score_at_once(spec)
    assert metric.higher_is_better == (spec != "ter")
    metric.reset()
    metric.update(HYPS[1:2], [REFS[1][0]])  # one reference may stand alone
    expected = metra.score(HYPS[1:2], None, spec, refs_per_segment=REFS[1:2]).score
    assert metric.compute().item() == expected


def test_forward_gives_the_batch_and_keeps_the_whole():
    metric = TranslationMetric("chrf")
    for hyp, refs in zip(HYPS, REFS, strict=True):
        alone = metra.score([hyp], None, "chrf", refs_per_segment=[refs]).score
        assert metric([hyp], [refs]).item() == alone
    assert metric.compute().item() == score_at_once("chrf")


@pytest.mark.parametrize("spec", SPECS)
def test_processes_add_up(spec):
    """As torchmetrics does it: states are gathered, stacked and reduced."""
    workers = [TranslationMetric(spec) for _ in range(3)]
    for worker, hyp, refs in zip(workers, HYPS, REFS, strict=True):
        worker.update([hyp], [refs])
    total = TranslationMetric(spec)
    for name, reduce in total._reductions.items():
        setattr(total, name, reduce(torch.stack([getattr(w, name) for w in workers])))
    total._update_count = 1
    assert total.compute().item() == score_at_once(spec)


def score_in_process(rank, shares, path, queue):
    """Add one process's share, and send the score of all."""
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{path}", rank=rank, world_size=len(shares)
    )
    scores = []
    for spec in SPECS:
        metric = TranslationMetric(spec)
        for index in shares[rank]:
            metric.update(HYPS[index : index + 1], REFS[index : index + 1])
        scores.append(metric.compute().item())
    queue.put((rank, scores))
    torch.distributed.destroy_process_group()


@pytest.mark.parametrize(
    "shares",
    [
        pytest.param([[0, 2], [1]], id="both have some"),
        pytest.param([[0, 1, 2], []], id="one has nothing"),
    ],
)
def test_two_processes(shares, tmp_path):
    """Real processes, which torchmetrics synchronises by itself."""
    context = torch.multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    torch.multiprocessing.spawn(
        score_in_process, (shares, tmp_path / "meeting", queue), nprocs=2
    )
    scores = [queue.get(), queue.get()]
    expected = [score_at_once(spec) for spec in SPECS]
    assert sorted(scores) == [(0, expected), (1, expected)]


def test_copies_and_collections():
    metric = TranslationMetric("bleu")
    metric.update(HYPS, REFS)
    for again in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert again.compute().item() == score_at_once("bleu")
    several = torchmetrics.MetricCollection(
        {"bleu": TranslationMetric("bleu"), "ter": TranslationMetric("ter")}
    )
    several.update(HYPS, REFS)
    scores = {name: value.item() for name, value in several.compute().items()}
    assert scores == {"bleu": score_at_once("bleu"), "ter": score_at_once("ter")}
