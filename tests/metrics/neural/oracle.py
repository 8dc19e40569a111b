"""Scores by the packages that people cite, in their own environment: JSON in, JSON out.

Run as `python oracle.py REQUESTS ANSWERS`; it knows nothing of metra.
"""

import json
import os
import sys
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["COMET_EMBEDDINGS_CACHE"] = "0"


def score_comet(request):
    """Score samples with unbabel-comet."""
    from comet.models import load_from_checkpoint

    path = os.path.join(request["model"], "checkpoints", "model.ckpt")
    model = load_from_checkpoint(path, local_files_only=True)
    found = model.predict(
        request["samples"],
        batch_size=request.get("batch_size", 16),
        gpus=0,
        num_workers=0,
        progress_bar=False,
    )
    answer = {"scores": found["scores"]}
    if "metadata" in found:
        answer |= {
            name: found["metadata"][name]
            for name in ("src_scores", "ref_scores", "unified_scores", "mqm_scores")
            if name in found["metadata"]
        }
        answer["error_spans"] = found["metadata"].get("error_spans")
    return answer


def score_bert(request):
    """Score outputs against references with bert-score."""
    import bert_score

    scorer = bert_score.BERTScorer(
        model_type=request["model"],
        num_layers=request["layer"],
        rescale_with_baseline=bool(request["baseline"]),
        baseline_path=request["baseline"],
        lang="en",
        device="cpu",
        nthreads=0,
    )
    scores = scorer.score(request["hyps"], request["refs"], batch_size=5)
    return {"scores": [column.tolist() for column in scores]}


def score_mt5(request):
    """Read the value of MetricX's token off mT5, one input at a time."""
    import torch
    from tokenizers import Tokenizer
    from transformers import MT5ForConditionalGeneration

    network = MT5ForConditionalGeneration.from_pretrained(request["model"]).eval()
    path = os.path.join(request["model"], "tokenizer.json")
    tokeniser = Tokenizer.from_file(path)
    scores = []
    for text in request["texts"]:
        ids = torch.tensor([tokeniser.encode(text).ids[:-1]])
        start = torch.zeros((1, 1), dtype=torch.long)
        with torch.no_grad():
            logits = network(input_ids=ids, decoder_input_ids=start).logits
        scores.append(logits[0, 0, 250089].clamp(0, 25).item())
    return {"scores": scores}


def main(requests, answers):
    """Answer all requests of a file."""
    warnings.simplefilter("ignore")
    scorers = {"comet": score_comet, "bertscore": score_bert, "mt5": score_mt5}
    with open(requests, encoding="utf-8") as file:
        listed = json.load(file)
    found = {name: scorers[each["with"]](each) for name, each in listed.items()}
    with open(answers, "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
