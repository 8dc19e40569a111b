"""Salience on real translations: what two references share, and which systems it prefers.

    python docs/studies/salience.py FOLDER

FOLDER holds wmt23-mqm-esa, elitr-adequacy-fluency, ort-encs-48refs and tradopad-adequacy,
with the columns named below. The tables of salience.md are printed, and the polygons are
drawn to salience.svg beside this file.
"""

import csv
import gzip
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import metra
from metra.analysis.word_stability import StabilityResult, compute_stability
from metra.report.pictures import polygons
from metra.text.columns import pack
from metra.text.preparation import make_preparation, prepare
from metra.text.salience import Frequencies, Tokens

MEASURES = {
    "BLEU": "bleu",
    "P": "ltv:weight=none,side=precision",
    "R": "ltv:weight=none,side=recall",
    "P tf.idf": "ltv:weight=tfidf,side=precision",
    "R tf.idf": "ltv:weight=tfidf,side=recall",
    "P S": "ltv:weight=s,side=precision",
    "R S": "ltv:weight=s,side=recall",
    "P tf.idf, oov=1": "ltv:weight=tfidf,side=precision,oov=1",
}
TEXT = make_preparation(tok="13a", case="mixed", stem="no")
PICTURE = Path(__file__).with_suffix(".svg")

Table = dict[str, list[str]]


@dataclass(frozen=True)
class Judged:
    """Systems' outputs with a reference and documents, and what people say of the systems."""

    name: str
    outputs: Mapping[str, list[str]]
    refs: list[str]
    documents: list[str]
    #: Adequacy and fluency of each system; higher is better.
    adequacy: Mapping[str, float]
    fluency: Mapping[str, float]


def main() -> None:
    """Print the tables and draw the polygons."""
    folder = Path(sys.argv[1])
    pairs = dict(two_references(folder))
    print_stability(pairs)
    PICTURE.write_text(polygons.draw_polygons(next(iter(pairs.values()))) + "\n")
    print_words(folder)
    judged = [*wmt23(folder), *elitr(folder)]
    print_agreement(judged)


def two_references(folder: Path) -> Iterator[tuple[str, StabilityResult]]:
    """Compare pairs of references: real documents first, then segments as documents."""
    hebrew = table(folder / "wmt23-mqm-esa" / "he-en.segments.tsv.gz")
    yield "WMT23 he-en", compared(hebrew, "refA", "refB", hebrew["doc"])
    czech = table(folder / "ort-encs-48refs" / "refs.tsv.gz")
    yield "WMT20 en-cs", compared(czech, "R1", "R4", czech["seg"])
    news = table(folder / "tradopad-adequacy" / "items.tsv")
    yield "news zh-en", compared(news, "ref1", "ref4", news["item"])


def compared(
    columns: Table, first: str, second: str, documents: list[str]
) -> StabilityResult:
    """Compare two columns of references."""
    texts = [[(tokens(columns[name]), documents)] for name in (first, second)]
    return compute_stability(*texts, names=(first, second))


def tokens(segments: list[str]) -> Tokens:
    """Cut segments into words."""
    return prepare(pack(list(segments), "segments"), TEXT)


def print_stability(pairs: Mapping[str, StabilityResult]) -> None:
    """Print what two references share, and how salient it is."""
    print(
        "| set | documents | up to | tokens | types |\n| :-- | --: | --: | --: | --: |"
    )
    for name, found in pairs.items():
        for overlap in found.overlaps:
            print(
                f"| {name} | {found.documents} | {overlap.n} | "
                f"{100 * overlap.tokens:.1f} % | {100 * overlap.types:.1f} % |"
            )
    print("\n| set | words | tokens | mean tf.idf | mean S | without S |")
    print("| :-- | :-- | --: | --: | --: | --: |")
    for name, found in pairs.items():
        for entry in found.sets:
            print(
                f"| {name} | {entry.name} | {entry.tokens:,} | "
                f"{entry.means['tf.idf']:.4f} | {entry.means['S']:.4f} | "
                f"{100 * entry.polygons['S'].without:.1f} % |"
            )
    print()


def print_words(folder: Path) -> None:
    """Show how function words and the words of a text are weighed."""
    hebrew = table(folder / "wmt23-mqm-esa" / "he-en.segments.tsv.gz")
    found = Frequencies([(tokens(hebrew["refB"]), hebrew["doc"])])
    scores: dict[str, list[float]] = defaultdict(list)
    for word, s in zip(found.word.tolist(), found.s.tolist(), strict=True):
        scores[found.words[word]].append(s)
    print("| word | documents | without S | S above 1 | highest S |")
    print("| :-- | --: | --: | --: | --: |")
    for word in ("the", "of", "and", "to", "in", "is", "that", "it", "not", "with"):
        values = np.array(scores[word])
        print(
            f"| {word} | {len(values)} | {np.isnan(values).sum()} | "
            f"{(values > 1).sum()} | {np.nanmax(values, initial=-9):.2f} |"
        )
    print()


def wmt23(folder: Path) -> Iterator[Judged]:
    """Error annotations: accuracy stands for adequacy, fluency and style for fluency."""
    home = folder / "wmt23-mqm-esa"
    for languages, reference in (("zh-en", "refA"), ("en-de", "refA")):
        segments = table(home / f"{languages}.segments.tsv.gz")
        outputs = table(home / f"{languages}.outputs.tsv.gz")
        systems = [name for name in outputs if name != "seg" and "ref" not in name]
        errors = table(home / f"{languages}.mqm_errors.tsv.gz")
        sums = {kind: defaultdict(float) for kind in ("accuracy", "fluency")}
        rated: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for seg, system, rater, category, penalty in zip(
            *(errors[c] for c in ("seg", "system", "rater", "category", "penalty")),
            strict=True,
        ):
            rated[system].add((seg, rater))
            kind = category.lower().split("/")[0]
            if kind in (
                "accuracy",
                "terminology",
                "non-translation!",
                "non-translation",
            ):
                sums["accuracy"][system] -= float(penalty)
            elif kind in ("fluency", "style", "locale convention"):
                sums["fluency"][system] -= float(penalty)
        means = {
            kind: {name: sums[kind][name] / len(rated[name]) for name in systems}
            for kind in sums
        }
        yield Judged(
            f"WMT23 {languages}",
            {name: outputs[name] for name in systems},
            segments[reference],
            segments["doc"],
            means["accuracy"],
            means["fluency"],
        )


def elitr(folder: Path) -> Iterator[Judged]:
    """Judgements of adequacy and fluency, each direction on its own."""
    home = folder / "elitr-adequacy-fluency"
    segments, ratings = table(home / "segments.tsv"), table(home / "ratings.tsv")
    systems = [*segments][6:]
    for direction in ("cs-en", "en-cs"):
        rows = [at for at, lp in enumerate(segments["lp"]) if lp == direction]
        documents = {segments["doc"][at] for at in rows}
        means = {
            kind: {
                name: float(
                    np.mean(
                        [
                            float(score)
                            for doc, system, score in zip(
                                ratings["doc"],
                                ratings["system"],
                                ratings[kind],
                                strict=True,
                            )
                            if doc in documents and same_system(system, name) and score
                        ]
                    )
                )
                for name in systems
            }
            for kind in ("adequacy", "fluency")
        }
        # So few documents are hardly enough for S: the segments are taken for some as well.
        for unit in ([segments["doc"][at] for at in rows], [str(at) for at in rows]):
            yield Judged(
                f"ELITR {direction}",
                {name: [segments[name][at] for at in rows] for name in systems},
                [segments["ref"][at] for at in rows],
                unit,
                means["adequacy"],
                means["fluency"],
            )


def same_system(rated: str, column: str) -> bool:
    """Tell whether a rating is of a column, which may stand for two systems."""
    return rated == column or rated in column.split("/")


def print_agreement(judged: Sequence[Judged]) -> None:
    """Print how the measures agree with people: correlations, then pairs in order."""
    for compare, shown in ((pearson, "{:.3f}"), (same_order, "{:.0%}")):
        print("| set | documents | people |", " | ".join(MEASURES), "|")
        print("| :-- | --: | :-- |", " | ".join(["--:"] * len(MEASURES)), "|")
        for entry in judged:
            found = [scores(entry, spec) for spec in MEASURES.values()]
            for what in ("adequacy", "fluency"):
                numbers = [compare(one, getattr(entry, what)) for one in found]
                cells = [shown.format(number) for number in numbers]
                best = shown.format(max(numbers))
                cells = [f"**{cell}**" if cell == best else cell for cell in cells]
                documents = len(set(entry.documents))
                print(
                    f"| {entry.name} | {documents} | {what} |", " | ".join(cells), "|"
                )
        print()
    for entry in judged:
        print(f"{entry.name}: {pearson(entry.adequacy, entry.fluency):.3f}", end=" ")
    print("are the correlations of adequacy with fluency.")


def scores(entry: Judged, spec: str) -> dict[str, float]:
    """Score every system."""
    evalset = metra.EvalSet([entry.refs], documents=entry.documents)
    results = metra.evaluate(evalset, entry.outputs, [spec])
    return {name: results[name][spec].score for name in entry.outputs}


def pearson(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Correlate two numbers of each system."""
    return float(
        np.corrcoef([[one[name], other[name]] for name in one], rowvar=False)[0, 1]
    )


def same_order(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Give the share of pairs of systems that both put in the same order."""
    names = [*one]
    agree = [
        (one[a] - one[b]) * (other[a] - other[b]) > 0
        for at, a in enumerate(names)
        for b in names[at + 1 :]
    ]
    return float(np.mean(agree))


def table(path: Path) -> Table:
    """Read tab-separated values, packed or not."""
    unpack = gzip.open if path.suffix == ".gz" else open
    with unpack(path, "rt", encoding="utf-8", newline="\n") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {name: [row[name] for row in rows] for name in rows[0]}


if __name__ == "__main__":
    main()
