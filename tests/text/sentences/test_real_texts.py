"""Real texts whose lines were joined: sentences and alignments are found again.

The lines of a reference and of an output correspond. Both are joined to one text, the
reference is split into sentences, and the output is segmented like these. Every sentence of
the reference that ends where one of its lines did has a known end in the output. The
weights were tuned on English, the rules for sentences on English and German; those for
quotation marks without blanks were checked on other Chinese texts.
"""

import gzip
import json
import time
from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

import pytest

from metra.text.sentences.alignment import align_sentences
from metra.text.sentences.resegmentation import resegment
from metra.text.sentences.splitter import split_sentences
from metra.text.words import join_words

#: Lines that are joined: in English, for which the weights were tuned, all of them.
LINES = {"en": 3003}
ENOUGH = 1000
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
        lambda row: row["outputs"]["gpt-4"] or "",
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


class Shares(NamedTuple):
    """The shares that must be right at least: of ends of sentences, then of boundaries."""

    split: float = 0.98
    align: float = 0.98
    #: By the minimum edit distance, and with two edits more for the end of a sentence.
    exact: float = 0.94
    slack: float = 0.99


LEAST = dict.fromkeys(TEXTS, Shares()) | {
    # A system of 2012, far from the reference.
    "en": Shares(exact=0.8, slack=0.95),
    # Two systems, of which one leaves out the hashtags at the end of posts.
    "ja": Shares(align=0.95, exact=0.8, slack=0.9),
}


@pytest.fixture(scope="module", params=list(TEXTS))
def bitext(request, shared):
    lang = request.param
    texts = TEXTS[lang](shared / "data")
    count = LINES.get(lang, ENOUGH)
    return lang, Bitext(texts.reference[:count], texts.output[:count]), LEAST[lang]


@pytest.mark.slow
def test_sentences_of_joined_lines(bitext):
    lang, texts, least = bitext
    share, _, count = measure_splits(texts.reference, lang)
    assert count > 50
    assert share >= least.split


@pytest.mark.slow
def test_aligned_sentences(bitext):
    lang, texts, least = bitext

    def align(output, sentences):
        return [m.text for m in align_sentences(output, [sentences], lang=lang)]

    share, count = measure_boundaries(texts, align, lang)
    assert count > 50
    assert share >= least.align


@pytest.mark.slow
@pytest.mark.parametrize("slack", [0, 2])
def test_resegmented_outputs(bitext, slack):
    lang, texts, least = bitext

    def cut(output, sentences):
        parts = resegment(output, [sentences], lang=lang, slack=slack)
        return [part.text for part in parts]

    share, count = measure_boundaries(texts, cut, lang)
    assert count > 50
    assert share >= (least.slack if slack else least.exact)


@pytest.mark.slow
def test_three_thousand_segments_take_seconds(shared):
    texts = TEXTS["en"](shared / "data")
    output = join_words(texts.output)
    for segment in (align_sentences, resegment):
        start = time.process_time()
        assert len(segment(output, [texts.reference])) == 3003
        assert time.process_time() - start < 30
