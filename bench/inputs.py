"""The texts that are scored: real ones where they are there, else our own examples.

Real text is read from ../shared/data beside the repository (WMT23) and never copied. A
corpus of n segments takes distinct pairs in a seeded order and, where these run out,
perturbed copies of them, so that a smaller corpus is the beginning of a larger one.
"""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import samples
from expand import perturbed, shuffled

ROOT = Path(__file__).resolve().parent.parent
WMT23 = ROOT.parent / "shared" / "data" / "wmt23-mqm-esa"
SEED = 12345

Pair = tuple[str, ...]  # an output, then its references


@dataclass(frozen=True)
class Corpus:
    """Outputs and references as lists of strings, with what a report says about them."""

    name: str
    hyps: list[str]
    refs: list[list[str]]

    def __len__(self) -> int:
        return len(self.hyps)

    @cached_property
    def sha256(self) -> str:
        digest = sha256()
        for stream in (self.hyps, *self.refs):
            for segment in stream:
                digest.update(segment.encode() + b"\n")
        return digest.hexdigest()

    @cached_property
    def words(self) -> int:
        return sum(
            len(segment.split()) for side in (self.hyps, *self.refs) for segment in side
        )

    @cached_property
    def bytes(self) -> int:
        return sum(
            len(segment.encode())
            for side in (self.hyps, *self.refs)
            for segment in side
        )

    @cached_property
    def refs_per_segment(self) -> list[list[str]]:
        return [list(refs) for refs in zip(*self.refs, strict=True)]

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Write output and references to files; give their paths."""
        folder = _folder().name
        paths = []
        for at, stream in enumerate((self.hyps, *self.refs)):
            path = Path(folder, f"{self.name}-{len(self)}-{at}.txt")
            with path.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(segment + "\n" for segment in stream)
            paths.append(str(path))
        return tuple(paths)


@lru_cache(maxsize=8)
def corpus(name: str, count: int) -> Corpus:
    """Make a corpus of `count` segments; the same name and count give the same text."""
    rng = Random(SEED)
    pairs = KINDS[name]()
    order = shuffled(len(pairs), rng)
    hyps: list[str] = []
    refs: list[list[str]] = [[] for _ in pairs[0][1:]]
    for at in range(count):
        hyp, *others = pairs[order[at % len(order)]]
        if at >= len(order):
            spare = pairs[order[int(rng.random() * len(order))]][0]
            hyp = perturbed(hyp, spare, rng)
            others = [perturbed(ref, spare, rng) for ref in others]
        hyps.append(hyp)
        for stream, ref in zip(refs, others, strict=True):
            stream.append(ref)
    return Corpus(name, hyps, refs)


def english() -> list[Pair]:
    """WMT23 Hebrew and Chinese into English, every system."""
    return _outputs("he-en", "refB") + _outputs("zh-en", "refA")


def examples() -> list[Pair]:
    """Our own examples, which every machine has."""
    return samples.pairs(1)


def two_references() -> list[Pair]:
    return _outputs("he-en", "refA", "refB")


def german() -> list[Pair]:
    return _outputs("en-de", "refA")


def chinese() -> list[Pair]:
    return _changed(_column("zh-en", "source"))


def hebrew() -> list[Pair]:
    return _changed(_column("he-en", "source"))


def paragraphs() -> list[Pair]:
    """Eight segments in a row as one: far more words than a machine word has bits."""
    pairs = english()
    joined = [pairs[at : at + 8] for at in range(0, len(pairs) - 7, 8)]
    return [tuple(map(" ".join, zip(*some, strict=True))) for some in joined]


def identical() -> list[Pair]:
    return [(ref, ref) for _, ref in english()]


def empty_lines() -> list[Pair]:
    """Every third output and every fifth reference is empty."""
    return [
        ("" if at % 3 == 0 else hyp, "" if at % 5 == 0 else ref)
        for at, (hyp, ref) in enumerate(english())
    ]


KINDS: dict[str, Callable[[], list[Pair]]] = {
    "english": english,
    "examples": examples,
    "two references": two_references,
    "german": german,
    "chinese": chinese,
    "hebrew": hebrew,
    "paragraphs": paragraphs,
    "identical": identical,
    "empty lines": empty_lines,
}


def origin() -> str:
    """Say where the texts come from."""
    return "WMT23 (../shared/data)" if WMT23.is_dir() else "metra's own examples"


def _outputs(languages: str, *references: str) -> list[Pair]:
    """Pair each system's output with the references, system by system."""
    if not WMT23.is_dir():
        return samples.pairs(len(references))
    header, *rows = _table(WMT23 / f"{languages}.outputs.tsv.gz")
    refs = [header.index(name) for name in references]
    systems = [
        at
        for at, name in enumerate(header)
        if name != "seg" and not name.startswith("ref")
    ]
    return [(row[at], *(row[ref] for ref in refs)) for at in systems for row in rows]


def _column(languages: str, name: str) -> list[str]:
    if not WMT23.is_dir():
        return samples.SENTENCES[languages[:2]]
    header, *rows = _table(WMT23 / f"{languages}.segments.tsv.gz")
    at = header.index(name)
    return [row[at] for row in rows]


def _changed(texts: list[str]) -> list[Pair]:
    """Make an output of each text by changing it, in eight different ways."""
    rng = Random(SEED)
    return [
        (perturbed(text, texts[int(rng.random() * len(texts))], rng, share=0.5), text)
        for _ in range(8)
        for text in texts
        if text
    ]


def _table(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.removesuffix("\n").split("\t") for line in file]


@lru_cache(maxsize=1)
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="metra-bench-")
