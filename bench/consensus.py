"""Minimum Bayes risk: all pairs beside expected counts, in time and in what they choose.

    python bench/consensus.py --data FOLDER      writes the table of docs/mbr.md

FOLDER holds WMT 2023's outputs, PAIR.outputs.tsv.gz with a column a system. Candidates are the
systems' outputs, once as they are and once with seeded changes of them up to 1,000 a segment.
"""

import argparse
import gzip
import os
import sys
import time
from pathlib import Path
from random import Random

from expand import perturbed
from results import replace_section

import metra

PAGE = Path(__file__).parents[1] / "docs" / "mbr.md"
HEADING = "Quality and speed of the aggregated reference"
METRICS = {"BLEU": "bleu", "chrF": "chrf", "chrF++": "chrf:word_order=2"}
SAMPLE, SEGMENTS, SEED = 1000, 40, 20

TEXT = """\
The table compares the choices with `score_consensus` (*aggregated*) and with all pairs on
system outputs of WMT 2023: first 12 to 15 outputs for each of {segments:,} segments
(English–German, Hebrew–English, Chinese–English), then {sample:,} candidates for each of
{few} segments, made from the outputs by changing words. The candidates are also the
references. *Mean loss* is the difference, in points, between the best mean score over all
pairs and that of the chosen candidate. The last columns score the choice against the human
reference with the same metric.

| candidates | metric | same choice | mean loss | score with all pairs | score aggregated |
| --: | :-- | --: | --: | --: | --: |
{effect}

CPU time per segment on one thread:

| {sample:,} × {sample:,} | all pairs | aggregated | ratio |
| :-- | --: | --: | --: |
{speed}

Written by `python bench/consensus.py --write`.
"""


def read_outputs(path: Path) -> list[tuple[list[str], str]]:
    """Read the systems' outputs and the reference of each segment."""
    lines = gzip.decompress(path.read_bytes()).decode().rstrip("\n").split("\n")
    header, *rows = (line.split("\t") for line in lines)
    reference = header.index("refA")
    systems = [at for at, name in enumerate(header) if name[:3] not in ("seg", "ref")]
    return [([row[at] for at in systems], row[reference]) for row in rows]


def make_sample(outputs: list[str], rng: Random) -> list[str]:
    """Return the outputs and changed ones, 1,000 together."""

    def draw() -> str:
        return outputs[int(rng.random() * len(outputs))]

    more = (perturbed(draw(), draw(), rng) for _ in range(SAMPLE - len(outputs)))
    return [*outputs, *more]


def compare(
    sets: list[tuple[list[str], str]], spec: str
) -> tuple[list[float], list[float]]:
    """Return agreement, loss and both corpus scores; and the processor time of both."""
    texts, references = [each for each, _ in sets], [reference for _, reference in sets]
    start = time.process_time()
    means = [matrix.mean(axis=1) for matrix in metra.pairwise(texts, texts, spec)]
    middle = time.process_time()
    scores = metra.score_consensus(texts, texts, spec)
    times = [(middle - start) / len(sets), (time.process_time() - middle) / len(sets)]
    best = [mean.argmax() for mean in means]
    chosen = [each.argmax() for each in scores]
    kept = [left[a] == left[b] for left, a, b in zip(texts, best, chosen, strict=True)]
    losses = [mean.max() - mean[b] for mean, b in zip(means, chosen, strict=True)]
    corpora = [
        metra.score(
            [t[at] for t, at in zip(texts, each, strict=True)], [references], spec
        )
        for each in (best, chosen)
    ]
    figures = [100 * sum(kept) / len(sets), sum(losses) / len(sets)]
    return [*figures, *(float(each.score) for each in corpora)], times


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="write into docs/mbr.md")
    options = parser.parse_args()
    os.environ["METRA_THREADS"] = "1"
    sets = [
        each
        for path in sorted(options.data.glob("*.outputs.tsv.gz"))
        for each in read_outputs(path)
    ]
    rng = Random(SEED)
    few = [
        (make_sample(outputs, rng), reference)
        for outputs, reference in sets[:: len(sets) // SEGMENTS][:SEGMENTS]
    ]
    effect, speed = [], []
    for count, chosen in (("12–15", sets), (f"{SAMPLE:,}", few)):
        for name, spec in METRICS.items():
            figures, times = compare(chosen, spec)
            same, loss, before, after = figures
            effect.append(
                f"| {count} | {name} | {same:.1f} % | {loss:.2f} | {before:.2f} | {after:.2f} |"
            )
            if chosen is few:
                left, right = (1000 * each for each in times)
                speed.append(
                    f"| {name} | {left:,.0f} ms | {right:.1f} ms | {left / right:.0f} × |"
                )
            print(effect[-1], *speed[-1:], flush=True)
    text = TEXT.format(
        segments=len(sets), sample=SAMPLE, few=len(few),
        effect="\n".join(effect), speed="\n".join(speed),
    )  # fmt: skip
    print(text)
    if options.write:
        replace_section(PAGE, HEADING, text)


if __name__ == "__main__":
    sys.exit(main())
