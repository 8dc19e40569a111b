"""How good is GTM's greedy matching? Prints the tables of turian-2003.md.

python docs/studies/gtm_greedy.py [FOLDER]

FOLDER holds test sets with outputs and references; without it only the example that
comes with metra is measured. Only numbers are printed.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from data_sets import read_columns

import metra
from metra import _core
from metra.corpus import examples
from metra.text.preparation import make_preparation

TEXT = make_preparation(tok="13a", case="lower", stem="no")
OPTIONS = "tok=13a,case=lower"
NODES = 200_000


@dataclass(frozen=True)
class TestSet:
    """Outputs of all systems one after the other, with the references of each segment."""

    name: str
    hyps: list[str]
    refs: list[list[str]]


def main() -> None:
    """Measure everything and print the tables."""
    sets = list(example_sets())
    if len(sys.argv) > 1:
        sets += list(real_sets(Path(sys.argv[1])))
    print(
        "| set | references | segments | e | proved | greedy is largest | smallest share |"
    )
    print("| :-- | --: | --: | --: | --: | --: | --: |")
    for entry in sets:
        for e in (1.5, 2.0, 3.0):
            print_optimality(entry, e)
    print()
    print("| set | references | e | F greedy | F exact | F paper | order | sides |")
    print("| :-- | --: | --: | --: | --: | --: | --: | --: |")
    for entry in sets:
        for e in (1.0, 2.0, 3.0):
            print_differences(entry, e)


def print_optimality(entry: TestSet, e: float) -> None:
    """Compare the matchings before the cap: how often they are equal, and at worst."""
    batch = metra.Batch(entry.hyps, entry.refs)
    hits = batch.hits(TEXT)
    greedy, exact, proved = [], [], []
    for index in range(len(batch)):
        whole, _ = _core.gtm_blocks(hits, index, e, "paper", NODES)
        largest, sure = _core.gtm_blocks(hits, index, e, "exact", NODES)
        greedy.append(size(whole, e))
        exact.append(size(largest, e))
        proved.append(sure)
    shares = np.divide(
        greedy, exact, out=np.ones(len(exact)), where=np.array(exact) > 0
    )
    sure = np.array(proved)
    largest = np.mean(shares[sure] > 1 - 1e-9)
    print(
        f"| {entry.name} | {len(entry.refs)} | {len(batch):,} | {e:g} "
        f"| {100 * sure.mean():.2f} % | {100 * largest:.2f} % | {100 * shares.min():.1f} % |",
        flush=True,
    )


def size(blocks: list[tuple[int, int, int, int, float]], e: float) -> float:
    """Give the size of a matching that no cap has cut."""
    return sum(length**e for _, _, _, length, _ in blocks) ** (1 / e)


def print_differences(entry: TestSet, e: float) -> None:
    """Compare scores by the three rules; count segments where order or sides matter."""
    spec = f"gtm:e={e:g},{OPTIONS}"
    found = {
        match: metra.score(entry.hyps, entry.refs, f"{spec},match={match}")
        for match in ("greedy", "exact", "paper")
    }
    rows = found["greedy"].rows
    turned = metra.score(entry.hyps, entry.refs[::-1], spec).rows
    order = np.mean(~np.isclose(rows[:, 0], turned[:, 0], rtol=1e-9))
    sides = "–"
    if len(entry.refs) == 1:
        swapped = metra.score(entry.refs[0], [entry.hyps], spec).rows
        sides = (
            f"{100 * np.mean(~np.isclose(rows[:, 0], swapped[:, 0], rtol=1e-9)):.2f} %"
        )
    scores = " | ".join(f"{result.score:.3f}" for result in found.values())
    order = f"{100 * order:.2f} %" if len(entry.refs) > 1 else "–"
    print(
        f"| {entry.name} | {len(entry.refs)} | {e:g} | {scores} | {order} | {sides} |",
        flush=True,
    )


def example_sets() -> Iterator[TestSet]:
    """Give the example that comes with metra, with one reference and with four."""
    example = examples.find_example()
    outputs = [lines(Path(path)) for path in example.outputs]
    refs = [lines(Path(path)) for path in example.references]
    yield from with_references("metra's example", outputs, [refs[:1], refs])


def real_sets(folder: Path) -> Iterator[TestSet]:
    """Give what the folder holds of the sets that the study names."""
    wmt23 = folder / "data" / "wmt23-mqm-esa"
    for pair in ("he-en", "zh-en", "en-de"):
        segments = read_columns(wmt23 / f"{pair}.segments.tsv.gz")
        outputs = read_columns(wmt23 / f"{pair}.outputs.tsv.gz")
        refs = [text for name, text in segments.items() if name.startswith("ref")]
        systems = [
            text for name, text in outputs.items() if name[:3] not in ("seg", "ref")
        ]
        choices = [refs[:1], refs] if len(refs) > 1 else [refs]
        yield from with_references(f"WMT23 {pair}", systems, choices)
    wmt21 = folder / "gold" / "data" / "wmt21ruen"
    systems = [lines(path) for path in sorted(wmt21.glob("hyp.*.txt"))]
    refs = [lines(wmt21 / f"ref.{name}.txt") for name in "AB"]
    yield from with_references("WMT21 ru-en", systems, [refs[:1], refs])
    czech = read_columns(folder / "data" / "ort-encs-48refs" / "refs.tsv.gz")
    refs = [czech[f"R{at}"] for at in (1, 2, 3, 4)]
    outputs = read_columns(folder / "data" / "ort-encs-48refs" / "outputs.tsv.gz")
    place = {seg: at for at, seg in enumerate(czech["seg"])}
    rows = [
        (text, place[seg])
        for seg, system, text in zip(
            outputs["seg"], outputs["system"], outputs["text"], strict=True
        )
        if system != "ref"
    ]
    hyps = [[text for text, _ in rows]]
    refs = [[ref[at] for _, at in rows] for ref in refs]
    yield from with_references("WMT20 en-cs", hyps, [refs[:1], refs])
    items = read_columns(folder / "data" / "tradopad-adequacy" / "items.tsv")
    refs = [items[f"ref{at}"] for at in (1, 2, 3, 4)]
    yield from with_references("news zh-en", [items["mt"]], [refs[:1], refs])


def with_references(
    name: str, systems: list[list[str]], choices: list[list[list[str]]]
) -> Iterator[TestSet]:
    """Join the systems' outputs, and repeat the references for each of them."""
    hyps = [segment for system in systems for segment in system]
    for refs in choices:
        yield TestSet(name, hyps, [ref * len(systems) for ref in refs])


def lines(path: Path) -> list[str]:
    """Read lines that end at a newline and nowhere else."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


if __name__ == "__main__":
    main()
