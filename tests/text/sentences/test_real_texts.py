"""Real texts whose lines were joined: sentences and alignments are found again.

The lines of a reference and of an output correspond. Both are joined to one text, the
reference is split into sentences, and the output is segmented like these. Every sentence of
the reference that ends where one of its lines did has a known end in the output. The rules
and the weights were tuned on English and German only.
"""

import gzip
import json
from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

import pytest

from metra.text.sentences.alignment import align_sentences
from metra.text.sentences.resegmentation import resegment
from metra.text.sentences.splitter import split_sentences
from metra.text.words import join_words

STOPS = tuple(".!?…؟۔।॥。！？")
CLOSING = "\"'”’»“‘«)]」』） "


class Bitext(NamedTuple):
    """A reference and an output, line by line."""

    reference: list[str]
    output: list[str]


def load_column(path, column, keep=lambda _: True):
    content = gzip.decompress(path.read_bytes()).decode()
    header, *rows = (line.split("\t") for line in content.split("\n") if line)
    named = (dict(zip(header, row, strict=True)) for row in rows)
    return [row[column] for row in named if keep(row)]


def load_json(path, reference, output):
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    rows = [json.loads(line) for line in lines if line]
    return clean((reference(row), output(row)) for row in rows)


def clean(pairs):
    """Leave out lines that are empty on a side, and marks of the byte order."""
    pairs = [
        tuple(text.replace("\ufeff", "").replace("\n", " ").strip() for text in pair)
        for pair in pairs
    ]
    pairs = [pair for pair in pairs if all(pair)]
    return Bitext([pair[0] for pair in pairs], [pair[1] for pair in pairs])


def load_japanese(data):
    """Paragraphs of two systems: there is no reference."""
    folder = data / "published-formats/wmt25-enja/systems"
    texts = []
    for name in ("Algharb", "In2x"):
        lines = gzip.decompress((folder / f"{name}.jsonl.gz").read_bytes()).decode()
        rows = [json.loads(line) for line in lines.split("\n") if line]
        texts.append({row["doc_id"]: row["hypothesis"].split("\n") for row in rows})
    pairs = []
    for document, lines in texts[0].items():
        others = texts[1].get(document, [])
        if len(others) == len(lines):
            pairs += zip(lines, others, strict=True)
    return clean(pairs)


def load_columns(references, reference, outputs, output, keep=lambda _: True):
    return lambda data: clean(
        zip(
            load_column(data / references, reference),
            load_column(data / outputs, output, keep),
            strict=True,
        )
    )


def load_first_output(name):
    return lambda data: load_json(
        data / f"terminology/wmt25-track1.{name}.jsonl.gz",
        lambda row: row["ref"],
        lambda row: next(iter(row["outputs"].values())),
    )


TEXTS = {
    "en": load_columns(
        *("wmt12-ranking/segments.tsv.gz", "ref_en"),
        *("wmt12-ranking/de-en.outputs.tsv.gz", "onlineB"),
    ),
    "de": load_columns(
        *("wmt23-mqm-esa/en-de.segments.tsv.gz", "refA"),
        *("wmt23-mqm-esa/en-de.outputs.tsv.gz", "ONLINE-B"),
    ),
    "cs": load_columns(
        *("ort-encs-48refs/refs.tsv.gz", "R1"),
        *("ort-encs-48refs/outputs.tsv.gz", "text"),
        lambda row: row["system"] == "CUNI-T2T-2018.1071",
    ),
    "es": load_first_output("en-es"),
    "ru": load_first_output("en-ru"),
    "it": lambda data: load_json(
        data / "entities-xct/en-it.jsonl.gz",
        lambda row: row["targets"][0]["translation"],
        lambda row: row["outputs"]["gpt-4"],
    ),
    "zh": lambda data: clean(
        zip(
            *(
                load_column(data / "mlqe-pe/segments.tsv.gz", name, is_chinese)
                for name in ("post_edit", "mt")
            ),
            strict=True,
        )
    ),
    "ja": load_japanese,
}


def is_chinese(row):
    return row["lp"] == "en-zh"


def find_ends(lines):
    """Say after how many characters each line ends, blanks not counted."""
    return list(accumulate(len("".join(line.split())) for line in lines))


def measure_splits(lines, lang):
    """Share of lines that end in a stop whose end is found; sentences within lines."""
    found = set(find_ends(split_sentences(join_words(lines), lang)))
    ends = find_ends(lines)
    stopped = [
        end
        for end, line in zip(ends[:-1], lines, strict=False)
        if line.rstrip(CLOSING).endswith(STOPS)
    ]
    right = sum(end in found for end in stopped)
    return right / max(len(stopped), 1), len(found - set(ends)), len(stopped)


def measure_boundaries(bitext, segment, lang):
    """Share of the known ends that an output has in the right place."""
    sentences = split_sentences(join_words(bitext.reference), lang)
    pieces = segment(join_words(bitext.output), sentences)
    assert len(pieces) == len(sentences)
    assert "".join("".join(pieces).split()) == "".join("".join(bitext.output).split())
    reference_ends, output_ends = find_ends(bitext.reference), find_ends(bitext.output)
    right = known = 0
    for sentence_end, piece_end in zip(
        find_ends(sentences)[:-1], find_ends(pieces), strict=False
    ):
        line = bisect_left(reference_ends, sentence_end)
        if reference_ends[line] == sentence_end:
            known += 1
            right += output_ends[line] == piece_end
    return right / max(known, 1), known


@pytest.fixture(scope="module", params=list(TEXTS))
def bitext(request, shared):
    return request.param, TEXTS[request.param](shared / "data")


@pytest.mark.slow
def test_sentences_of_joined_lines(bitext):
    lang, texts = bitext
    share, _, count = measure_splits(texts.reference, lang)
    assert count > 50
    assert share >= 0.98


@pytest.mark.slow
def test_aligned_sentences(bitext):
    lang, texts = bitext

    def align(output, sentences):
        return [m.text for m in align_sentences(output, [sentences], lang=lang)]

    share, count = measure_boundaries(texts, align, lang)
    assert count > 50
    assert share >= 0.98


@pytest.mark.slow
def test_resegmented_outputs(bitext):
    lang, texts = bitext

    def cut(output, sentences):
        return [part.text for part in resegment(output, [sentences], lang=lang)]

    share, count = measure_boundaries(texts, cut, lang)
    assert count > 50
    assert share >= 0.95
