"""Every format gives the same table, is recognised, and refuses what it cannot read."""

import json
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from metra.campaign.protocols.registry import protocol
from metra.errors import FormatError, OptionError
from metra.scores.columns import parse_item_kinds
from metra.scores.mqm import read_mqm
from metra.scores.registry import (
    read_score_files,
    read_scores,
)
from metra.scores.selection import DEFAULT
from metra.scores.table import ITEM_KINDS, ScoredItem
from metra.stats.direction import HIGHER

LONG = [
    "system\tseg\tdoc\tscorer\tscore\tjudge\tlp\thigher_is_better",
    "A\t1\td\tmqm\t-1.5\tr1\ten-de\ttrue",
    "A\t1\td\tmqm\t-2.5\tr2\ten-de\ttrue",
    "B\t1\td\tmqm\t\tr1\ten-de\ttrue",
    "B\t1\td\tter\t40\t\ten-de\tlower",
]
MQM = [
    "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata",
    "A\td\t1\t7\tr1\ts\tt\tAccuracy/Mistranslation\tMajor\t{}",
    "A\td\t1\t7\tr1\ts\tt\tFluency/Punctuation\tMinor\t{}",
    "A\td\t1\t7\tr1\ts\tt\tFluency/Punctuation\tMinor\t{}",
    "A\td\t1\t7\tr1\ts\tt\tFluency/Punctuation\tMinor\t{}",
    "A\td\t1\t7\tr1\ts\tt\tFluency/Grammar\tMinor\t{}",
    "A\td\t1\t7\tr2\ts\tt\tNo-error\tno-error\t{}",
    "A\td\t2\t8\tr1\ts\tt\tNon-translation!\tMajor\t{}",
    "A\td\t2\t8\tr1\ts\tt\tSource issue\tMajor\t{}",
    "A\td\t3\t9\tr1\ts\tt\tAccuracy/Addition\tNeutral\t{}",
    "A\td\t3\t9\tr1\ts\tt\tAccuracy/Addition\tHOTW-test\t{}",
]
APPRAISE = [
    "u1,A,12,TGT,ces,eng,80,doc-1,False,1.5,2.5",
    "u2,A,12,TGT,ces,eng,90,doc-1,False,1.5,2.5",
    "u1,A,12,CHK,ces,eng,60,doc-1,False,1.5,2.5",
    "u1,A,99,TGT,ces,eng,70,doc-1,True,1.5,2.5",
]
DA = ["SYS SID RAW.SCR Z.SCR N ", "X.7 177 100 0.62 1 ", "X.7 178 75 -0.02 2 "]
WORKERS = [
    "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time",
    "H\tM1\tcs\ten\tad\t4\tX\t100\tSYSTEM\t177\t0.5\t9.0",
    "H\tM1\tcs\ten\tad\t4\tX\t100\tREPEAT\t177\t0.7\t9.0",
    "H\tM2\tcs\ten\tad\t4\tX\t100\tBAD_REF\t177\t-1.5\t9.0",
]


def list_kinds(scores):
    """The kind of item of each row."""
    return [ITEM_KINDS[at] for at in scores.get_kinds()]


def test_long_tables(write):
    scores = read_scores(str(write("a.tsv", LONG)))
    assert scores.names == ["mqm", "ter"]
    assert [scorer.kind for scorer in scores.scorers] == ["mqm", ""]
    assert [scorer.higher_is_better for scorer in scores.scorers] == [True, False]
    assert scores.judges == ("r1", "r2")
    assert scores.items == (ScoredItem("1", "d", "", "en-de"),)
    np.testing.assert_array_equal(scores.matrix("mqm"), [[-2.0], [np.nan]])


def test_our_own_exports_call_kinds_by_their_names():
    """References and controls count there; others call checks so."""
    assert parse_item_kinds(ITEM_KINDS, own=True) == [*ITEM_KINDS]


def test_json_lines_say_the_same(write):
    header, *rows = (line.split("\t") for line in LONG)
    objects = []
    for row in rows:
        entry = dict(zip(header, row, strict=True))
        entry["score"] = float(entry["score"]) if entry["score"] else None
        objects.append(json.dumps(entry))
    files = {"a.tsv": LONG, "a.jsonl": objects}
    a, b = (read_scores(str(write(name, files[name]))) for name in files)
    for name in ("systems", "items", "scorers", "judges"):
        assert getattr(a, name) == getattr(b, name)
    np.testing.assert_array_equal(a.value, b.value)


def test_matrices_of_segments_and_of_systems(write):
    lines = ["seg\tsystem\tMQM-1\tBLEU\tnote", "1\tA\t-1\t30\tx", "1\tB\t\t20\ty"]
    scores = read_scores(str(write("a.tsv", lines)))
    kinds = {scorer.name: scorer.kind for scorer in scores.scorers}
    assert kinds == {"MQM-1": "mqm", "BLEU": ""}
    assert scores.matrix("BLEU").tolist() == [[30], [20]]
    whole = read_scores(str(write("b.tsv", ["system\tBLEU", "A\t31.5", "B\t30"])))
    assert whole.system_scores("BLEU").tolist() == [31.5, 30]


def test_what_a_file_does_not_say_is_not_guessed(write):
    header = "level\tsystem\titem\tmetric\tscore"
    older = write("scores.tsv", [header, "system\tA\t\tgtm\t4"])
    says = r"direction of 'gtm', .* add a column better"
    with pytest.raises(FormatError, match=says):
        read_scores(str(older))
    rows = [f"{header}\tbetter", "system\tA\t\tgtm\t4\tfalse"]
    rows.append("system\tA\t\tratio\t4\ttarget=100")
    stated = read_scores(str(write("scores.tsv", rows)))
    assert [each.direction.arrow for each in stated.scorers] == ["↓", "→100"]
    judgements = write("judged.jsonl", ['{"schema": "metra-judgement/1"}'])
    with pytest.raises(FormatError, match="has no scores, because an older version"):
        read_scores(str(judgements))


def test_differences_are_no_scores_of_systems(write):
    header = "level\tsystem\titem\tmetric\tscore\tbetter"
    rows = [header, "system\tA\t\tx\t4\ttrue", "comparison\tA\tB\tx\t1\t"]
    assert read_scores(str(write("scores.tsv", rows))).value.tolist() == [4]


def test_mqm_weights_and_exact_sums(write):
    scores = read_scores(str(write("m.tsv", MQM)))
    by_rater = dict(
        zip(zip(scores.item, scores.judge, strict=True), scores.value, strict=True)
    )
    # 5 + 3 × 0.1 + 1 is 6.3 and not 6.300000000000001.
    assert [float(v) for v in by_rater.values()] == [-6.3, 0.0, -25.0, 0.0]
    assert scores.matrix("mqm").tolist() == [[-3.15, -25.0, 0.0]]
    assert scores.items[0] == ScoredItem("7", "d")


def test_appraise_and_whole_documents(write):
    scores = read_scores(str(write("a.csv", APPRAISE)))
    assert list_kinds(scores) == ["judged", "judged", "repeat", "judged"]
    scores = DEFAULT.select(scores)
    assert scores.matrix("da").tolist() == [[85]]
    assert scores.matrix("da", level="document").tolist() == [[70]]


def test_every_type_of_line_is_a_kind_of_item(write):
    # What only fills up a task is named behind its document; WMT counts neither.
    kinds = {
        **{"TGT d": "judged", "BAD d": "degraded", "REF d": "check", "CHK d": "repeat"},
        **{"TGT d#A-dup": "repeat", "TGT d#A-incomplete": "incomplete"},
        **{"BAD d#A-dup": "degraded", "TGT A": "judged"},
    }
    for words, kind in kinds.items():
        type_, document = words.split()
        line = f"u1,A,12,{type_},ces,eng,80,{document},False,1.5,2.5"
        scores = read_scores(str(write("a.csv", [line])))
        assert (scores.names, list_kinds(scores)) == (["da"], [kind]), line


def test_the_judgement_that_ended_last_counts(write):
    # It began first; where there is no end, the beginning counts.
    for times in (("1.5,9.5", "5.5,6.5"), ("8.5,", "5.5,6.5"), ("5.5,7.5", "6.5,")):
        lines = [
            f"u1,A,12,TGT,ces,eng,{score},d,False,{when}"
            for score, when in zip((80, 60), times, strict=True)
        ]
        for order in (lines, lines[::-1]):
            scores = read_scores(str(write("a.csv", order)))
            assert DEFAULT.select(scores).value.tolist() == [80], order
            assert scores.keep_kinds("earlier").value.tolist() == [60]


def test_direct_assessment(write):
    means = read_scores(str(write("seg.csv", DA)))
    assert means.names == ["da", "da-z"]
    assert means.matrix("da-z").tolist() == [[0.62, -0.02]]
    workers = read_scores(str(write("workers.csv", WORKERS)))
    assert workers.names == ["da"]
    assert DEFAULT.select(workers).value.tolist() == [0.5, 0.7]
    assert workers.judges == ("M1", "M2")
    assert workers.languages == ["cs-en"]
    kinds = {"SYSTEM": "judged", "REPEAT": "judged", "REF": "check"}
    for type_, kind in {**kinds, "BAD_REF": "degraded"}.items():
        line = WORKERS[-1].replace("BAD_REF", type_)
        scores = read_scores(str(write("w.csv", [WORKERS[0], line])))
        assert list_kinds(scores) == [kind]


def test_the_language_pair_may_be_named(write):
    path = write("a.tsv", ["seg\tsystem\tBLEU", "1\tA\t30"])
    assert read_scores(f"en-de={path}").languages == ["en-de"]
    both = read_score_files([f"en-de={path}", f"zh-en={path}"])
    assert len(both.items) == 2


WRONG = [
    ("file", ["what is this"], "auto", "begins with 'what is this'.*`metra score`"),
    ("a.tsv", ["system\tscorer\tvalue", "A\tb"], "long", "2 columns but the header has 3"),
    ("a.tsv", ["system\tscorer\tvalue", "A\tb\tx"], "long", "line 2: the value is 'x'"),
    ("a.tsv", ["system\tscorer\tvalue", "A\tb\tinf"], "long", "the value is 'inf'"),
    ("a.tsv", ["system\tscorer\tvalue"], "long", "has a header but no scores"),
    ("a.tsv", ["scorer\tvalue", "a\t1"], "long", "has no column system or sys"),
    ("a.tsv", ["system\tscorer\tscore\tdirection", "A\tb\t1\tleft"], "long", "is 'left'"),
    ("a.tsv", [], "matrix", "is empty"),
    ("a.tsv", ["system\tnote", "A\tgood"], "matrix", "no column of numbers"),
    ("a.tsv", ["system\tx", "A\t1", "B\tgood"], "matrix", "line 3: x is 'good'"),
    ("a.tsv", ["SYS\tSID\tRAW.SCR\tZ.SCR"], "da", "has a header but no scores"),
    ("a.jsonl", ["[1]"], "jsonl", "is not a JSON object"),
    ("a.jsonl", ["{"], "jsonl", "is not JSON:"),
    ("a.jsonl", ['{"scorer": "b", "value": 1}'], "jsonl", "has no column system"),
    ("a.jsonl", ['{"system": "A", "scorer": "b", "value": "1"}'], "jsonl", "the value is '1'"),
    ("a.json", ["{}"], "metra-json", "is not what `metra score --format json` writes"),
    ("en-de.x.seg.score", ["A 1", "A 2", "B 3"], "auto", "has 2 segments of A but 1 of B"),
    ("en-de.x.seg.score", ["\tNone"], "auto", "expected a system's name and its score"),
    ("m.tsv", [MQM[0], MQM[1].replace("Major", "Awful")], "mqm", "the severity is 'awful'"),
    ("m.tsv", ["system\tseg\tseverity", "A\t1\tMajor"], "mqm", "has no column category"),
    ("m.tsv", [MQM[0]], "mqm", "contains no ratings."),
    ("a.csv", ["a,b"], "appraise", "line 1 is not a line of an Appraise export"),
    ("a.csv", ["SYS X", "a b"], "da", "has columns SYS X; expected"),
    ("a.csv", [WORKERS[0], WORKERS[1].replace("SYSTEM", "ODD")], "da", "of the type 'ODD'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "lines", "form", "message"), WRONG)
def test_what_is_wrong_is_said(name, lines, form, message, write):
    with pytest.raises(FormatError, match=message):
        read_scores(str(write(name, lines)), input_format=form)


def test_bytes_that_are_no_utf8(write):
    says = "line 1: byte 1 of the line is 0xff, which is not UTF-8"
    with pytest.raises(FormatError, match=says):
        read_scores(str(write("a.tsv", b"\xff\n")), input_format="long")


def test_a_directory_without_scores_and_an_unknown_format(write, tmp_path):
    with pytest.raises(FormatError, match=r"no \.seg\.score, \.sys\.score, \.doc"):
        read_scores(str(tmp_path))
    with pytest.raises(OptionError, match="No format named 'xls'"):
        read_scores(str(write("a", LONG)), input_format="xls")


def test_shared_judgements_are_the_published_scores(shared):
    """Penalties of marked errors add up to the published MQM of every segment."""
    folder = shared / "data/wmt23-mqm-esa"
    for lang, count in (("en-de", 5980), ("zh-en", 18829)):
        ours = read_scores(str(folder / f"{lang}.mqm_errors.tsv.gz"))
        theirs = read_scores(str(folder / f"{lang}.seg_scores.tsv.gz"))
        theirs = theirs.only(scorers=["mqm"])
        systems = [theirs.systems.index(system) for system in ours.systems]
        items = {item.segment: at for at, item in enumerate(theirs.items)}
        places = [items[item.segment] for item in ours.items]
        expected = theirs.matrix("mqm")[np.ix_(systems, places)]
        found = ours.matrix("mqm")
        judged = np.isfinite(found)
        assert judged.sum() == count
        # Three judged segments of zh-en have no line of errors at all.
        np.testing.assert_allclose(found[judged], expected[judged], atol=1e-6)


def packed(folder, content: str) -> Path:
    path = folder / "scores.zip"
    with ZipFile(path, "w") as zipped:
        zipped.writestr("human-scores/en-de.mqm.seg.score", content)
    return path


def test_a_zip_of_score_files(tmp_path):
    found = read_scores(str(packed(tmp_path, "a\t-1\na\tNone\nb\t-2\nb\t0\n")))
    assert found.systems == ("a", "b")
    assert tuple(found.scorers[0]) == ("mqm", "human", HIGHER, False, False)
    assert found.languages == ["en-de"]


def test_a_damaged_zip_is_refused_in_a_sentence(tmp_path):
    path = packed(tmp_path, "a\t-1\n" * 50)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"a\t-1\n", b"a\t-2\n", 1))
    says = r"cannot be unpacked: .*; expected a complete zip"
    with pytest.raises(FormatError, match=says):
        read_scores(str(path))


def test_judges_and_tables_weigh_errors_alike(write):
    [step] = protocol("mqm").steps
    for severity, category, _ in step.asks.costs:
        if not severity:
            continue
        error = f"A\td\t1\t7\tr1\ts\tt\t{category or 'other'}\t{severity}\t{{}}"
        path = str(write("mqm.tsv", [MQM[0], error]))
        mark = {"severity": severity, "category": category or "other"}
        [score] = step.asks.scores([mark], "mqm")
        assert read_mqm(path).value.tolist() == [-score.value]
