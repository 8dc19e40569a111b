"""Files as their authors publish them, and the same files as others would write them."""

import gzip
import json
import random
from collections import Counter

import numpy as np
import pytest

from metra.errors import CorpusError, FormatError, OptionError
from metra.scores.mqm import parse_weighting, read_mqm
from metra.scores.registry import read_scores, recognise_score_format
from metra.scores.selection import DEFAULT, Selection
from metra.scores.table import LANGUAGE_PAIR, ScoredItem
from metra.scores.views import collect_ratings

ROWS = [("A", "1", "-2.5"), ("A", "2", "-1"), ("B", "1", "0"), ("B", "2", "None")]


def write(tmp_path, name, lines, encoding="utf-8"):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode(encoding))
    return str(path)


#: Google's averages of MQM by segment: the cells, what parts them, and how they are written.
AVERAGES = [
    pytest.param("system mqm_avg_score seg_id", "{0} {2} {1}", "utf-8", id="as published"),
    pytest.param("system mqm_avg_score seg_id", "{0}\t{2}  {1}", "utf-8", id="tabs below"),
    pytest.param("seg_id system mqm_avg_score", "{1} {0} {2}", "utf-8", id="other order"),
    pytest.param("SYSTEM MQM_avg_score SEG_ID", "{0} {2} {1}", "utf-8", id="capitals"),
    pytest.param("system mqm_avg_score seg_id", "{0} {2} {1}", "utf-8-sig", id="mark"),
    pytest.param("system mqm_avg_score seg_id", "{0} {2} {1}", "utf-16", id="UTF-16"),
    pytest.param("system,mqm_avg_score,seg_id", "{0},{2},{1}", "utf-8", id="commas"),
    pytest.param('"system";"mqm_avg_score";"seg_id"', '"{0}";{2};{1}', "utf-8", id="quotes"),
    pytest.param("system\tmqm_avg_score\tseg_id", "{0}\t{2}\t{1}", "utf-8", id="tabs"),
]  # fmt: skip


@pytest.mark.parametrize(("header", "row", "encoding"), AVERAGES)
def test_averages_of_segments(tmp_path, header, row, encoding):
    lines = [header, *(row.format(*cells) for cells in ROWS)]
    path = write(tmp_path, "mqm.avg_seg_scores.tsv", lines, encoding)
    assert recognise_score_format(path) == "matrix"
    scores = read_scores(path)
    (scorer,) = scores.scorers
    assert (scorer.name.lower(), scorer.kind) == ("mqm_avg_score", "mqm")
    assert scores.systems == ("A", "B")
    found = scores.matrix(scorer.name)
    assert np.array_equal(found, [[-2.5, -1], [0, np.nan]], equal_nan=True)


def test_blanks_part_cells_only_if_all_rows_agree(tmp_path):
    lines = ["system quality", "one two three", "A 1"]
    with pytest.raises(FormatError, match="which is not a known score table"):
        read_scores(write(tmp_path, "a.txt", lines))


def test_a_remark_at_the_end_of_the_headings(tmp_path):
    """Marot's published tables have a link there, and rows without it."""
    header = "system\tdoc\tglobalSegId\trater\tcategory\tseverity\t# Documentation: see there"
    rows = ["A\td\t1\tr\tStyle\tMinor", "A\td\t1\tr\tAccuracy\tMajor"]
    scores = read_scores(write(tmp_path, "a.tsv", [header, *rows]))
    assert scores.value.tolist() == [-6]
    wide = [f"{row}\tx" for row in rows]
    scores = read_scores(write(tmp_path, "b.tsv", [header, *wide]))
    assert scores.value.tolist() == [-6]
    with pytest.raises(FormatError, match="line 3 has 7 columns but the header has 6"):
        read_scores(write(tmp_path, "c.tsv", [header, rows[0], wide[1]]))


WORKERS = [
    "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time",
    "H M1 lv en ad 4 X 100 SYSTEM 7 0.5 9.0",
    "H M1 lv en ad 4 X 100 REPEAT 7 0.7 9.0",
    "H M1 lv en ad 4 X 100 BAD_REF 7 -1.5 9.0",
]


def rate(scores, name):
    """The ratings that count, and what judges said again."""
    repeats = Selection(kinds=frozenset({"repeat"})).select(scores)
    return collect_ratings(DEFAULT.select(scores), name, repeats)


@pytest.mark.parametrize("parted", [" ", "\t", ",", ";"])
def test_workers_judgements_whatever_separates_them(tmp_path, parted):
    lines = [line.replace(" ", parted) for line in WORKERS]
    path = write(tmp_path, "a.csv", [lines[0].upper(), *lines[1:]])
    assert recognise_score_format(path) == "da"
    scores = read_scores(path)
    assert (scores.names, len(scores.keep_kinds("degraded"))) == (["da"], 1)
    assert scores.languages == ["lv-en"]
    again = rate(scores, "da").repeats
    assert (again.first.tolist(), again.later.tolist()) == ([0.5], [0.7])


def esa(document, *, judge="j1", system="A", item="1", kind="TGT", score=80):
    names = f"{judge},{system},{item},{kind}"
    return f"{names},eng,jpn,{score},{document},False,[],1.5,2.5"


def test_what_fills_up_a_task_is_not_judged(tmp_path):
    """WMT's scripts leave out documents that end in #dup or #incomplete."""
    lines = [
        esa("test-en-news_a.7"),
        esa("test-en-news_a.7#dup#dup", score=60),
        esa("test-en-news_a.7#dup", judge="j2", score=10),
        esa("test-en-social_b#incomplete", item="2", score=50),
        esa("test-en-news_a.7#bad", kind="BAD", score=20),
        esa("ende-tutorial1", system="ende-tutorial1", item="9", score=0),
    ]
    scores = read_scores(write(tmp_path, "esa.csv", lines))
    assert scores.names == ["esa"]
    kinds = ["judged", "repeat", "incomplete", "degraded", "tutorial"]
    assert [len(scores.keep_kinds(kind)) for kind in kinds] == [1, 2, 1, 1, 1]
    assert scores.items[0] == ScoredItem("1", "test-en-news_a.7", "news", "eng-jpn")
    again = rate(scores, "esa")
    assert (again.value.tolist(), again.judges) == ([80], ("j1",))
    assert (again.repeats.first.tolist(), again.repeats.later.tolist()) == ([80], [60])


@pytest.mark.parametrize(
    ("name", "document", "domain"),
    [
        ("test-en-literary_x_chunk_1", "test-en-literary_x_chunk_1", "literary"),
        ("en-ja_JP_#_news_#_seattle.1_#_0", "seattle.1", "news"),
        ("en-sr_Cyrl_RS_#_speech_#_v_3#bad", "v_3", "speech"),
        ("en-de_#_news", "en-de_", ""),
        ("LMG3864.1103#A", "LMG3864.1103", ""),
    ],
)
def test_domains_in_names_of_documents(tmp_path, name, document, domain):
    scores = read_scores(write(tmp_path, "esa.csv", [esa(name)]))
    assert scores.items[0][1:3] == (document, domain)


def write_folder(tmp_path, pair, files):
    for name, lines in files.items():
        write(tmp_path, name.format(pair), lines)
    return str(tmp_path)


def choose_domains(scores, *names):
    return Selection(domains=frozenset(names)).select(scores)


FOLDER = {
    "documents/{}.docs": ["news\td1", "news d1", "web  d2"],
    "human-scores/{}.esa.seg.score": ["A\t1", "A\t2", "A\tNone", "B\t3", "B\t4", "B\t5"],
    "human-scores/{}.esa.doc.score": ["A\t1.5", "A\t2", "B\t3.5", "B\t5"],
    "metric-scores/{}/M-src.seg.score": ["A\t0", "A\t1", "A\t2", "B\t3", "B\t4", "B\t5"],
    "metric-scores/{}/M-src.sys.score": ["A\t1", "B\t4"],
    "metric-scores/{}/M-src.domain.score": ["news\tA\t.25", "news B 3.25", "w A 2", "w B 1"],
}  # fmt: skip


@pytest.mark.parametrize("pair", ["en-de", "en-ko_KR", "en-sr_Cyrl_RS", "zh_Hans-en"])
def test_folders_name_documents_and_locales(tmp_path, pair):
    scores = read_scores(write_folder(tmp_path, pair, FOLDER))
    assert scores.languages == [pair]
    assert ScoredItem("3", "d2", "web", pair) in scores.items
    assert scores.matrix("esa", level="document").tolist() == [[1.5, 2], [3.5, 5]]
    kept = choose_domains(scores, "news").matrix("M-src")
    assert kept.tolist() == [[0, 1], [3, 4]]
    assert scores.system_scores("M-src").tolist() == [1, 4]
    # Scores in a domain are systems' scores only where it is the only one.
    assert choose_domains(scores, "news").system_scores("M-src").tolist() == [
        0.25,
        3.25,
    ]
    two = choose_domains(scores, "news", "w")
    assert np.isnan(two.system_scores("M-src")).all()
    file = tmp_path / f"metric-scores/{pair}/M-src.domain.score"
    with pytest.raises(CorpusError, match="scores of 2 language pairs or domains"):
        read_scores(str(file)).system_scores("M-src")
    assert [scorer.human for scorer in scores.scorers] == [True, False]
    alone = read_scores(str(tmp_path / f"human-scores/{pair}.esa.seg.score"))
    assert alone.items[0] == ScoredItem("1", "d1", "news", pair)


def test_scores_in_one_domain_are_not_those_of_the_whole(tmp_path):
    file = "metric-scores/{}/M-src.domain.score"
    folder = write_folder(tmp_path, "en-de", FOLDER | {file: ["news A 7", "news B 8"]})
    scores = read_scores(folder)
    assert scores.system_scores("M-src").tolist() == [1, 4]
    assert choose_domains(scores, "news").system_scores("M-src").tolist() == [7, 8]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"documents/{}.docs": ["news d1"]}, r"2 documents of a system but .* has 1"),
        ({"documents/{}.docs": ["n d1", "n d2"]}, r"3 segments of a system but .* has 2"),
        ({"documents/{}.docs": ["news", "x d", "x d"]}, "line 1 has 1 column; expected the"),
        ({"documents/{}.docs": None}, "which need documents/en-de.docs"),
        (
            {"human-scores/{}.esa.doc.score": ["A\t1", "A\t2", "A\t3", "B\t1", "B\t2", "B\t3"]},
            r"3 documents of a system but .* has 2",
        ),
        (
            {"human-scores/{}.esa.doc.score": ["A\t1", "A\t2", "B\t1"]},
            "2 documents of A but 1 of B",
        ),
        (
            {"metric-scores/{}/M-src.domain.score": ["news A 1", "B 2"]},
            "line 2 is 'B 2'; expected a domain, a system's name and its score there",
        ),
    ],
)  # fmt: skip
def test_folders_that_do_not_go_together(tmp_path, changes, message):
    files = {k: v for k, v in (FOLDER | changes).items() if v is not None}
    with pytest.raises(FormatError, match=message):
        read_scores(write_folder(tmp_path, "en-de", files))


def test_language_pairs():
    for name in ("en-de", "en-ko_KR", "zh_Hans-en", "en-bho_IN", "en-sr_Cyrl_RS"):
        assert LANGUAGE_PAIR.fullmatch(name)
    for name in ("runs/a-b", "e-de", "en_de", "results-2024", "en-de.tsv"):
        assert not LANGUAGE_PAIR.fullmatch(name)


JUDGED = {
    "doc_id": "cs-de_DE_#_news_#_blesk.cz.1_#_0",
    "src_text": "a",
    "tgt_text": {"X": "b"},
    "scores": {
        "X": {"human1": 90, "annotator1": "u", "errors1": [], "human2": 80, "annotator2": "v"},
        "Y": {"human1": 70, "annotator1": "u"},
    },
}  # fmt: skip


def test_two_rounds_of_judgements(tmp_path):
    unjudged = {**JUDGED, "scores": {}, "doc_id": "cs-de_DE_#_news_#_b_#_1"}
    lines = [json.dumps(entry) for entry in (unjudged, JUDGED)]
    path = write(tmp_path, "humeval.jsonl", lines)
    assert recognise_score_format(path) == "wmt25-human"
    scores = read_scores(path)
    assert (scores.names, scores.judges) == (["human"], ("u", "v"))
    expected = ScoredItem("blesk.cz.1#1", "blesk.cz.1", "news", "cs-de_DE")
    assert scores.items == (expected,)
    assert scores.matrix("human").tolist() == [[85], [70]]
    answers = [{"human": 4, "annotator": "u"}, {"human": 6, "annotator": "v"}]
    control = {**JUDGED, "scores": {"X": answers}}
    scores = read_scores(write(tmp_path, "control.jsonl", [json.dumps(control)]))
    assert scores.names == ["human"]
    assert scores.keep_kinds("calibration").value.tolist() == [4, 6]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"doc_id": "blesk#1"}, "expected LANG_#_DOMAIN_#_DOCUMENT_#_NUMBER"),
        ({"scores": {"X": {"human1": "good"}}}, 'line 1, X: human1 is "good"; expected a'),
        ({"scores": {"X": 7}}, "expected an object with a score and its annotator"),
        ({"scores": {}}, "contains no scores."),
    ],
)  # fmt: skip
def test_rounds_that_cannot_be_read(tmp_path, changes, message):
    path = write(tmp_path, "a.jsonl", [json.dumps({**JUDGED, **changes})])
    with pytest.raises(FormatError, match=message):
        read_scores(path)


def test_tables_of_whole_systems_by_language(tmp_path):
    """WMT 2025 writes `all` in the place of names, and a column for each language."""
    lines = [
        "doc_id\tsegment_id\tsource_lang\ttarget_lang\tset_id\tsystem_id\tdomain_name\tmethod\toverall",
        "all\tall\ten\tko_KR\tofficial\tA\tall\tMQM\t26.1",
        "all\tall\ten\tko_KR\tofficial\tB\tall\tMQM\t21.2",
        "d\t4\tcs\tde_DE\tofficial\tA\tnews\tESA\t47.5",
    ]
    scores = read_scores(write(tmp_path, "systems.tsv", lines))
    assert scores.names == ["overall"]
    assert scores.languages == ["en-ko_KR", "cs-de_DE"]
    korean = scores.only(lang="en-ko_KR").system_scores("overall")
    assert korean.tolist() == [26.1, 21.2]
    assert scores.items[1] == ScoredItem("4", "d", "news", "cs-de_DE")


CHECKED = [
    "system,segment,rater,is_control,score_a",
    "A,1,r,no,80",
    "A,1,r,yes,10",
    "B,1,r,no,70",
]


def test_checks_in_tables_are_of_kinds(tmp_path):
    scores = read_scores(write(tmp_path, "a.csv", CHECKED))
    assert scores.names == ["score_a"]
    assert scores.keep_kinds("check").value.tolist() == [10]
    assert DEFAULT.select(scores).matrix("score_a").ravel().tolist() == [80, 70]
    numbers = [line.replace("yes", "1").replace(",no", ",0") for line in CHECKED]
    numbers[0] = CHECKED[0]
    same = read_scores(write(tmp_path, "b.csv", numbers))
    assert same.kind.tolist() == scores.kind.tolist()
    long = ["system\tseg\ttype\tscorer\tscore"]
    long += ["A\t1\tTGT\tesa\t8", "A\t1\tREF\tesa\t9"]
    scores = read_scores(write(tmp_path, "c.tsv", long))
    assert [(s.name, s.kind) for s in scores.scorers] == [("esa", "esa")]
    assert scores.keep_kinds("check").value.tolist() == [9]
    lines = [
        json.dumps({"system": "A", "scorer": "esa", "value": 1, "type": kind})
        for kind in ("judged", "calibration")
    ]
    scores = read_scores(write(tmp_path, "d.jsonl", lines))
    assert (scores.names, len(scores.keep_kinds("calibration"))) == (["esa"], 1)


def test_a_column_that_says_something_else_is_no_check(tmp_path):
    text = "\n".join(CHECKED).replace("is_control", "type")
    lines = text.replace(",no,", ",news,").replace(",yes,", ",blog,").split("\n")
    scores = read_scores(write(tmp_path, "a.csv", lines))
    assert scores.names == ["score_a"]


NAMED = ["model,line,who,points", "A,1,x,3", "B,1,x,4"]
ROLES = {"system": "model", "segment": "line", "judge": "who"}


def test_columns_may_be_named(tmp_path):
    path = write(tmp_path, "a.csv", NAMED)
    scores = read_scores(path, columns=ROLES)
    assert (scores.names, scores.systems) == (["points"], ("A", "B"))
    assert scores.judges == ("x",)
    roles = ROLES | {"scorer": "metric", "value": "Points"}
    lines = [f"{NAMED[0]},metric", "A,1,x,3,bleu", "B,1,x,4,bleu"]
    scores = read_scores(write(tmp_path, "b.csv", lines), columns=roles)
    assert scores.matrix("bleu").tolist() == [[3], [4]]
    lines = [json.dumps({"model": "A", "line": 1, "metric": "m", "points": 2.5})]
    scores = read_scores(write(tmp_path, "c.jsonl", lines), columns=roles)
    assert (scores.systems, scores.value.tolist()) == (("A",), [2.5])


def test_columns_that_are_not_there(tmp_path):
    path = write(tmp_path, "a.csv", NAMED)
    given = "no column name, which was given for the system"
    message = f"{given}; found: model, line, who, points"
    with pytest.raises(FormatError, match=message):
        read_scores(path, columns={"system": "name"})
    path = write(tmp_path, "esa.csv", [esa("d")])
    with pytest.raises(OptionError, match="`columns` is for long, jsonl, matrix"):
        read_scores(path, input_format="esa", columns={"system": "x"})


def test_systems_with_other_names_become_one(tmp_path):
    lines = ["system\tseg\tm", "A\t1\t1", "A.2\t2\t2", "B\t1\t3"]
    scores = read_scores(write(tmp_path, "a.tsv", lines)).rename_systems(
        {"A.2": "A", "Z": "B"}
    )
    assert scores.systems == ("A", "B")
    assert np.array_equal(scores.matrix("m"), [[1, 2], [3, np.nan]], equal_nan=True)


ERRORS = [
    "system\tseg\trater\ttarget\tcategory\tseverity",
    "A\t1\tr\tone <v>two</v> three four\tAccuracy/Addition\tCritical",
    "A\t1\tr\tone two three four\tSource issue\tMajor",
    "A\t1\tr\tone two three four\tStyle/Awkward\tMinor",
    "B\t1\tr\tone two\tFluency/Punctuation\tMinor",
    "C\t1\tr\tone\tNon-translation!\tMajor",
]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("", [-6, -0.1, -25]),
        ("critical:10", [-11, -0.1, -25]),
        ("source:yes", [-11, -0.1, -25]),
        ("source:no", [-6, -0.1, -25]),
        ("major/source issue:2", [-8, -0.1, -25]),
        ("*/style:0.25", [-5.25, -0.1, -25]),
        ("Minor/Style:0.25,Minor/Style/Awkward:0.5", [-5.5, -0.1, -25]),
        ("minor:2", [-7, -0.1, -25]),
        ("minor/fluency/punctuation:1,cap:5.5", [-5.5, -1, -5.5]),
        ("per:word", [-1.5, -0.05, -25]),
        ("per:100 words,cap:5", [-125, -5, -500]),
        ("per:10 characters", [-60 / 18, -1 / 7, -250 / 3]),
    ],
)
def test_weights_of_errors(tmp_path, spec, expected):
    path = write(tmp_path, "a.tsv", ERRORS)
    found = read_mqm(path, weights=parse_weighting(spec))
    assert found.matrix("mqm").ravel().tolist() == pytest.approx(expected, abs=1e-12)
    if not spec:
        assert np.array_equal(read_mqm(path).value, found.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("critical", "has 'critical'; expected NAME:VALUE"),
        ("critical:x", "expected a number of points"),
        ("critical:-1", "expected a number of points"),
        ("critical:inf", "expected a number of points"),
        ("cap:", "expected a number of points"),
        ("source:maybe", "expected source:yes or source:no"),
        ("per:0 words", "expected per:word, per:100 words"),
        ("per:line", "expected per:word, per:100 words"),
    ],
)
def test_weights_that_are_none(spec, message):
    with pytest.raises(OptionError, match=message):
        parse_weighting(spec)


def test_weights_need_lengths_and_known_severities(tmp_path):
    lines = [line.replace("\ttarget", "\ttext") for line in ERRORS]
    path = write(tmp_path, "a.tsv", lines)
    with pytest.raises(FormatError, match="no column target, which"):
        read_mqm(path, weights=parse_weighting("per:word"))
    lines = [line.replace("Critical", "Fatal") for line in ERRORS]
    path = write(tmp_path, "b.tsv", lines)
    with pytest.raises(FormatError, match="line 2: the severity is 'fatal'; expected"):
        read_mqm(path)
    assert read_mqm(path, weights=parse_weighting("fatal:7")).value[0] == -8


def test_marot_table_of_three_raters(shared, read_table):
    """All 3,120 ratings are those of a table that was made of it by others.

    There, creative reinterpretations cost what other errors do; in WMT's scores, nothing.
    """
    creative = "accuracy/creative reinterpretation"
    weights = parse_weighting(f"major/{creative}:5,minor/{creative}:1")
    path = "google-mqm/sxs_mqm_generalMT2023_ende.3ratingsPerSegment.tsv.gz"
    scores = read_mqm(str(shared / "data/published-formats" / path), weights=weights)
    # The two number segments differently.
    table = read_table(shared / "data/wmt23-mqm-esa/en-de.sxs_mqm_ratings.tsv.gz")
    expected = Counter(
        (row["condition"], row["rater"], round(10 * float(row["mqm"]))) for row in table
    )
    rows = zip(scores.system, scores.judge, scores.value.tolist(), strict=True)
    found = Counter(
        (scores.systems[s], scores.judges[j], round(10 * value)) for s, j, value in rows
    )
    assert found.total() == 3120
    assert found == expected


def test_wmt25_scores_in_any_order_of_lines(shared, tmp_path):
    path = shared / "data/published-formats/wmt25-enja/automatic_scores/Yolu.jsonl.gz"
    lines = gzip.decompress(path.read_bytes()).decode().strip().split("\n")
    random.Random(1).shuffle(lines)
    turned = write(tmp_path, "Yolu.jsonl", lines, "utf-8-sig")
    first, second = read_scores(str(path)), read_scores(turned)
    assert first.names == second.names
    for name in first.names:
        values = [
            dict(zip(s.items, s.matrix(name)[0], strict=True)) for s in (first, second)
        ]
        assert values[0] == values[1]
