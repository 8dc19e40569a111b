"""Every name that files of others may use: headings, marks, metrics, endings of files."""

from itertools import pairwise

import numpy as np
import pytest

from metra.errors import FormatError
from metra.formats.annotations.challenge_set import read_challenge_set
from metra.formats.recognise import choose_format
from metra.formats.texts.columns import DOCUMENT, SEGMENT_ID, format_column_name
from metra.formats.texts.roles import read_header
from metra.scores.columns import (
    find_columns,
    guess_direction,
    is_string_metric,
    parse_item_kinds,
)
from metra.scores.mqm import MQM_WEIGHTS, TABLE_WEIGHTS
from metra.scores.registry import read_scores

#: As tables of WMT, Appraise, Pearmut, mt-metrics-eval and other programs call them.
SCORES = {
    "system": "system sys sys_id system_id systemid",
    "segment": "segment seg seg_id segid globalsegid global_seg_id sid item segment_id",
    "document": "document doc docid doc_id documentid",
    "scorer": "scorer metric protocol",
    "value": "value score",
    "judge": "judge rater annotator worker workerid evaluator",
    "kind": "kind",
    "domain": "domain genre domain_name",
    "lang": "lang lp language_pair lp_ref",
    "direction": "higher_is_better direction",
    "check": "item_type itemtype type is_control is_check control",
    "hundred": "hundred",
    "flags": "flags",
}
TEXTS = {
    "source": "source src SRC",
    "document": "document doc docid doc_id",
    "output": "output hyp hypothesis mt translation output:a hyp:a sys:a system:a",
    "reference": "ref reference ref2 refA ref_new ref:a reference:a",
    "label": "seg segment seg_id segid id domain lang lp label:a",
}
MARKS = {
    "judged": ["", "TGT", "system", "judged", "no", "false", "0"],
    "check": ["yes", "true", "1", "control", "check", "REF", "reference"],
    "degraded": ["BAD", "bad_ref", "degraded"],
    "repeat": ["CHK", "repeat"],
    "tutorial": ["tutorial"],
    "calibration": ["calibration"],
    "incomplete": ["incomplete"],
    "earlier": ["earlier"],
}
PAIRS = {
    "source": "source src src_sent",
    "good": "good good-translation good_translation mt_sent",
    "bad": "bad incorrect-translation incorrect_translation pert_sent",
    "reference": "reference ref eng_sent",
    "phenomenon": "phenomenon phenomena pert_name category",
    "lang": "langpair lang lp lang_tag",
}
#: Whether higher is better, and whether negative values tell of the opposite.
METRICS = {
    (True, False): "COMET BLEURT BERTScore YiSi PRISM wmt20-comet-da wmt21-comet-qe "
    "wmt22-comet-da wmt23-cometkiwi GEMBA",
    (True, True): "xCOMET BLEU sacreBLEU spBLEU f200spBLEU chrF METEOR NIST",
    (False, True): "MetricX HTER TER WER CER",
}
OTHERS = {
    "a word processor document": ".doc .docx .odt .rtf",
    "a presentation": ".ppt .pptx .odp",
    "a web page": ".htm .html .xhtml",
    "a subtitle file": ".sub .smi .ttml .dfxp",
    "an archive": ".zip .tar .tgz .7z .rar .bz2",
    "a configuration file": ".yaml .yml .toml .ini .cfg",
    "a binary table": ".arrow .feather .avro .orc",
    "a Python file": ".npy .npz .pkl .pickle .pt",
    "a database": ".db .sqlite .sqlite3",
    "a PDF": ".pdf",
    "a glossary of terms": ".tbx .tbxm",
    "an InDesign document": ".idml .indd",
    "a document with markup": ".md .markdown .rst",
    "a LaTeX document": ".tex .ltx",
    "a transcript with ids or times": ".trn .stm .ctm .lrc",
    "a string catalogue": ".stringsdict .xcstrings",
}


@pytest.mark.parametrize("role", SCORES)
def test_headings_of_scores(role):
    names = SCORES[role].split()
    for name in names:
        assert find_columns(["x", name.upper()]) == {role: 1}
    assert find_columns(["x", f"{names[0]} x", f" {names[0]} "]) == {role: 2}
    # Of two columns for one thing, the name that stands first counts.
    for first, second in pairwise(names):
        assert find_columns([second, first]) == {role: 1}


@pytest.mark.parametrize("role", TEXTS)
def test_headings_of_texts(role):
    for name in TEXTS[role].split():
        header = ["output", name] if role != "output" else [name]
        assert read_header(header, "mine", None, "a.tsv").fields[-1].role == role


def test_headings_that_are_written():
    assert format_column_name(SEGMENT_ID) == "seg"
    assert format_column_name(DOCUMENT) == "doc"


def test_marks_of_checks():
    for kind, marks in MARKS.items():
        cells = [f" {mark} " for mark in marks]
        assert parse_item_kinds(cells) == [kind] * len(marks)
    assert parse_item_kinds(["TGT", "unknown"]) is None


@pytest.mark.parametrize("role", PAIRS)
def test_headings_of_contrastive_pairs(role, tmp_path):
    path = tmp_path / "pairs.tsv"
    for name in PAIRS[role].split():
        header = [name, *({"good": "good", "bad": "bad"} | {role: ""}).values()]
        header = [heading for heading in header if heading]
        path.write_text(
            "\t".join(header) + "\n" + "\t".join("abc"[: len(header)]) + "\n"
        )
        pairs = read_challenge_set(str(path))
        assert [*(getattr(pairs, role) or ())] == ["a"]


@pytest.mark.parametrize("known", METRICS)
def test_directions_of_metrics(known):
    higher, turns = known
    for name in METRICS[known].split():
        assert guess_direction(name, np.array([0.1, 0.2])) is higher
        assert guess_direction(name, np.array([-0.1, -0.2, 0.1])) is (higher != turns)
        assert guess_direction(name, np.array([])) is higher
        assert guess_direction(f"{name}-24", np.array([0.0])) is higher
        strings = name not in ("xCOMET", "MetricX", "HTER") and turns
        assert is_string_metric(name) is strings
    assert guess_direction("mine", np.array([1.0])) is None
    assert is_string_metric("ROUGE-L")
    assert is_string_metric("tokengram_F")


DIRECTIONS = {
    True: ["", "true", "Yes", "1", "higher", "up"],
    False: ["False", "no", "0", "lower", "down"],
}


@pytest.mark.parametrize("higher", DIRECTIONS)
def test_directions_in_tables(higher, tmp_path):
    path = tmp_path / "scores.tsv"
    for word in DIRECTIONS[higher]:
        path.write_text(
            "system\tsegment\tmetric\tscore\tdirection\n"
            f"a\t1\tm\t1\t{word}\nb\t1\tm\t2\t{word}\n"
        )
        [scorer] = read_scores(str(path)).scorers
        assert scorer.higher_is_better is higher


@pytest.mark.parametrize("kind", OTHERS)
def test_files_that_are_no_texts(kind, tmp_path):
    for ending in OTHERS[kind].split():
        path = tmp_path / f"a{ending}"
        path.write_text("some text\n")
        with pytest.raises(FormatError, match=f" is {kind} by its name; save its text"):
            choose_format(str(path))


def test_weights_of_errors():
    # Freitag et al. 2021, Experts, Errors, and Context, table 3, in tenths.
    expected = {
        **{("major", "non-translation"): 25, ("major", ""): 5},
        **{("minor", "fluency/punctuation"): 0.1, ("minor", ""): 1, ("neutral", ""): 0},
    }
    assert len(MQM_WEIGHTS) == 7
    assert [*TABLE_WEIGHTS[:-1]] == [*MQM_WEIGHTS]
    assert TABLE_WEIGHTS[-1] == ("critical", "", 50)
    found = {(severity, kind): weight for severity, kind, weight in MQM_WEIGHTS}
    for place, weight in expected.items():
        assert found[place] == 10 * weight
