"""Scores that another program made, as metrics: in Python, from files of any format."""

import json
import pickle

import pytest

import metra
from metra.errors import CorpusError, MetraError, OptionError, UnknownNameError
from metra.scoring.accumulator import Accumulator

EVALSET = metra.EvalSet(
    ["one thing", "two things", "three things", "four things"],
    documents=["x", "x", "x", "y"],
)
OUTPUTS = {
    "a": ["one thing", "two thing", "three things", "for things"],
    "b": ["a thing", "two", "things", "four"],
}
#: Exact in binary, so that means are compared digit by digit.
SCORES = {"a": [0.5, 0.25, 0.75, 1.0], "b": [0.125, 0.5, 0.25, 0.375]}
MEANS = {"a": 0.625, "b": 0.3125}


def write_long(path, numbers=(1, 2, 3, 4), **more):
    columns = ["system", "segment", "scorer", "value", *more]
    lines = ["\t".join(columns)]
    for system, values in SCORES.items():
        for number, value in zip(numbers, values, strict=True):
            cells = [system, str(number), "judge", str(value), *more.values()]
            lines.append("\t".join(cells))
    path.write_text("\n".join(lines) + "\n")
    return path


def write_matrix(path):
    rows = [f"{s}\t{n}\t{v}\t{-v}" for s in SCORES for n, v in enumerate(SCORES[s], 1)]
    path.write_text("\n".join(["system\tseg\tCOMET\tother", *rows]) + "\n")
    return path


def write_comet(path):
    data = {f"out/{s}.txt": [{"COMET": v} for v in SCORES[s]] for s in SCORES}
    path.write_text(json.dumps(data, indent=4))
    return path


def write_columns(path):
    path.mkdir()
    for system, values in SCORES.items():
        (path / f"{system}.txt").write_text("".join(f"{value}\n" for value in values))
    return path


def write_documents(path):
    path.mkdir()
    for system, values in SCORES.items():
        parts = {"d1": values[:3], "d2": values[3:]}
        lines = (
            {"document_id": d, "metric_scores": {"COMET": v}} for d, v in parts.items()
        )
        (path / f"{system}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


FORMATS = {
    "a long table": (write_long, "long.tsv:better=higher"),
    "COMET's JSON": (write_comet, "comet.json"),
    "a folder of columns": (write_columns, "folder"),
    "WMT 2025": (write_documents, "wmt25"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_scores(tmp_path, name):
    write, file = FORMATS[name]
    write(tmp_path / file.partition(":")[0])
    spec = f"comet@{tmp_path}/{file}"
    results = metra.evaluate(
        EVALSET, OUTPUTS, [spec], levels=["system", "document", "segment"]
    )
    for system, mean in MEANS.items():
        score = results[system][spec]
        assert score.score == mean
        assert score.segments.tolist() == SCORES[system]
        assert score.documents == {
            "x": sum(SCORES[system][:3]) / 3,
            "y": SCORES[system][3],
        }
        assert score.higher_is_better
    assert results.specs == [spec]


def test_lines_may_come_in_any_order_and_be_counted_from_0(tmp_path):
    path = write_long(tmp_path / "long.tsv", numbers=(0, 1, 2, 3))
    header, *lines = path.read_text().split("\n")[:-1]
    path.write_text("\n".join([header, *reversed(lines)]) + "\n")
    metric = metra.metric(f"judge@{path}:better=higher")
    results = metra.evaluate(EVALSET, OUTPUTS, [metric], levels=["segment"])
    assert results["a"][results.specs[0]].segments.tolist() == SCORES["a"]


def test_ids_that_are_no_numbers_go_by_their_order(tmp_path):
    path = write_long(tmp_path / "long.tsv", numbers=("q", "d", "k", "a"))
    metric = metra.metric(f"judge@{path}:better=lower")
    results = metra.evaluate(EVALSET, OUTPUTS, [metric], levels=["segment"])
    assert results["b"][results.specs[0]].segments.tolist() == SCORES["b"]
    assert not results["b"][results.specs[0]].higher_is_better


def test_names_that_end_in_numbers_are_numbers(tmp_path):
    path = write_long(tmp_path / "long.tsv", numbers=("s1", "s2", "s3", "s4"))
    header, *lines = path.read_text().split("\n")[:-1]
    path.write_text("\n".join([header, *reversed(lines)]) + "\n")
    metric = metra.metric(f"judge@{path}:better=higher")
    results = metra.evaluate(EVALSET, OUTPUTS, [metric], levels=["segment"])
    assert results["a"][results.specs[0]].segments.tolist() == SCORES["a"]
    # Other numbers are names.
    path = write_long(tmp_path / "long.tsv", numbers=("s7", "s2", "s3", "s4"))
    metric = metra.metric(f"judge@{path}:better=higher")
    results = metra.evaluate(EVALSET, OUTPUTS, [metric], levels=["segment"])
    assert results["a"][results.specs[0]].segments.tolist() == SCORES["a"]


@pytest.mark.parametrize(
    ("order", "is_right"),
    [((0, 1, 2, 3), True), ((0, 2, 1, 3), False), ((1, 0, 2, 3), False)],
)
def test_numbers_within_documents_must_be_in_order(tmp_path, order, is_right):
    names = [("d", 1), ("d", 2), ("e", 1), ("e", 2)]
    lines = ["system\tdocument\tsegment\tscorer\tvalue"]
    for system, values in SCORES.items():
        for at in order:
            document, number = names[at]
            lines.append(f"{system}\t{document}\t{number}\tjudge\t{values[at]}")
    path = tmp_path / "long.tsv"
    path.write_text("".join(f"{line}\n" for line in lines))
    spec = f"judge@{path}:better=higher"
    if not is_right:
        with pytest.raises(CorpusError, match="counts segments within documents, and"):
            metra.metric(spec)
        return
    evalset = metra.EvalSet(EVALSET.refs[0])
    results = metra.evaluate(evalset, OUTPUTS, [spec], levels=["segment"])
    assert results["a"][spec].segments.tolist() == SCORES["a"]


def test_the_signature_has_the_digest_of_the_file(tmp_path):
    path = write_comet(tmp_path / "comet.json")
    before = metra.metric(f"comet@{path}").signature()
    assert f"comet|file:{path}[sha256:" in before
    assert "|scorer:COMET|better:higher|" in before
    path.write_text(path.read_text().replace("0.25", "0.26"))
    after = metra.metric(f"comet@{path}").signature()
    assert before != after


def test_folders_have_the_digest_of_all_their_files(tmp_path):
    folder = write_columns(tmp_path / "folder")
    before = metra.metric(f"comet@{folder}").signature()
    text = (folder / "b.txt").read_text()
    (folder / "b.txt").write_text(text.replace("0.125", "0.13"))
    assert metra.metric(f"comet@{folder}").signature() != before
    (folder / "b.txt").write_text(text)
    assert metra.metric(f"comet@{folder}").signature() == before


def test_a_list_is_of_one_system_whatever_its_name():
    metric = metra.import_scores("comet", SCORES["a"])
    result = metra.score(OUTPUTS["a"], EVALSET.refs, metric)
    assert result.score == 0.625
    assert result.segments.tolist() == SCORES["a"]


def test_scores_in_memory_can_be_pickled():
    metric = metra.import_scores("judge", SCORES, higher_is_better=False)
    again = pickle.loads(pickle.dumps(metric))
    assert again.signature() == metric.signature()
    assert not again.higher_is_better
    outputs = metra.evaluate(EVALSET, OUTPUTS, [again])
    assert outputs["a"][outputs.specs[0]].score == 0.625


NAN, INF = float("nan"), float("inf")
BAD_SCORES = [
    pytest.param(
        {"a": [1.0] * 4, "b": [1.0] * 3},
        "The scores of comet have 3 segments of 'b', but the test set has 4; expected a "
        "score for each segment.",
        id="too few",
    ),
    pytest.param(
        {"a": [1.0] * 5, "b": [1.0] * 4},
        "The scores of comet have 5 segments of 'a', but the test set has 4; expected a "
        "score for each segment.",
        id="too many",
    ),
    pytest.param(
        {"a": [1.0] * 4, "c": [1.0] * 4},
        "The scores of comet lack a system. No system named 'b'. Known: a, c. NAME=FILE "
        "names an output.",
        id="unknown system",
    ),
    pytest.param(
        {"a": [1.0] * 4, "b": [1.0, NAN, NAN, 1.0]},
        "The scores of comet have no number for segment 2 of 'b'; 2 of 4 are missing.",
        id="missing",
    ),
    pytest.param(
        {"a": [1.0] * 4, "b": [1.0, 1.0, INF, 1.0]},
        "The scores of comet have inf for segment 3 of 'b'; expected a finite number.",
        id="infinite",
    ),
    pytest.param(
        [1.0] * 4,
        "The scores of comet belong to one unnamed system, but there are 2 systems; "
        "give a table with a column system, or a folder with a file for each system.",
        id="nameless, for two systems",
    ),
]


@pytest.mark.parametrize(("scores", "message"), BAD_SCORES)
def test_bad_scores_say_where(scores, message):
    with pytest.raises(MetraError) as error:
        metra.evaluate(EVALSET, OUTPUTS, [metra.import_scores("comet", scores)])
    assert str(error.value) == message


def test_the_direction_of_an_unknown_metric_must_be_declared(tmp_path):
    with pytest.raises(OptionError, match="The direction of 'judge' is unknown"):
        metra.import_scores("judge", SCORES)
    path = write_long(tmp_path / "long.tsv")
    with pytest.raises(OptionError) as error:
        metra.metric(f"judge@{path}")
    assert str(error.value) == (
        f"{path} does not give the direction of 'judge'; add better=higher or "
        f"better=lower, as in judge@{path}:better=higher."
    )


@pytest.mark.parametrize(("said", "expected"), [("lower", False), ("higher", True)])
def test_a_file_may_declare_the_direction(tmp_path, said, expected):
    path = write_long(tmp_path / "long.tsv", direction=said)
    assert metra.metric(f"judge@{path}").higher_is_better is expected


def test_what_is_declared_beats_what_is_known(tmp_path):
    path = write_comet(tmp_path / "comet.json")
    assert not metra.metric(f"comet@{path}:better=lower").higher_is_better


def test_a_scorer_of_several_is_named(tmp_path):
    path = write_matrix(tmp_path / "matrix.tsv")
    with pytest.raises(UnknownNameError, match="has no scorer named 'bleurt'"):
        metra.metric(f"bleurt@{path}")
    metric = metra.metric(f"mine@{path}:scorer=other,better=lower")
    results = metra.evaluate(EVALSET, OUTPUTS, [metric])
    assert results["a"][results.specs[0]].score == -0.625
    assert metric.name == "mine"


def test_several_scores_of_a_segment_are_refused(tmp_path):
    path = write_long(tmp_path / "long.tsv")
    path.write_text(path.read_text() + "a\t1\tjudge\t0.5\n")
    with pytest.raises(
        CorpusError, match="has several scores of a system's segment by judge"
    ):
        metra.metric(f"judge@{path}:better=higher")


def test_scores_of_whole_systems_are_refused(tmp_path):
    path = tmp_path / "en-de.comet.sys.score"
    path.write_text("a\t0.5\nb\t0.25\n")
    with pytest.raises(CorpusError, match="has no segment scores"):
        metra.metric(f"comet@{path}")


def test_language_pairs_are_chosen(tmp_path):
    path = write_long(tmp_path / "long.tsv", lang="en-de")
    more = (
        path.read_text().split("\n", 1)[1].replace("en-de", "en-fr").replace("0.", "2.")
    )
    path.write_text(path.read_text() + more)
    with pytest.raises(OptionError, match=r"several language pairs \(en-de, en-fr\)"):
        metra.metric(f"judge@{path}:better=higher")
    results = metra.evaluate(
        EVALSET, OUTPUTS, [f"judge@{path}:better=higher,lang=en-de"]
    )
    assert results["a"][results.specs[0]].score == 0.625


def test_documents_that_end_elsewhere_are_refused(tmp_path):
    folder = write_documents(tmp_path / "wmt25")
    evalset = metra.EvalSet(EVALSET.refs[0], documents=["x", "x", "y", "y"])
    with pytest.raises(CorpusError) as error:
        metra.evaluate(evalset, OUTPUTS, [f"comet@{folder}"])
    assert str(error.value) == (
        f"The scores of {folder} end document 1 after segment 3, the test set after "
        "segment 2; expected scores of the same segments in the same order."
    )


def test_texts_without_a_place_have_no_score():
    metric = metra.import_scores("comet", SCORES["a"])
    alone = "belong to the segments of a test set, by number and system"
    with pytest.raises(CorpusError, match=alone):
        metric.sentence("one thing", ["one thing"])
    with pytest.raises(OptionError, match="none for pairs of texts"):
        metra.pairwise(["one", "two"], ["two"], metric)
    with pytest.raises(OptionError, match="needs the whole test set"):
        Accumulator([metric])


def test_scores_by_people_keep_their_basis_in_results(tmp_path):
    lines = ["system\tscorer\tvalue\tsegment\tkind"]
    for system, values in SCORES.items():
        lines += [f"{system}\tda\t{v}\t{n}\tda" for n, v in enumerate(values, 1)]
    path = tmp_path / "people.tsv"
    path.write_text("\n".join(lines) + "\n")
    spec = f"da@{path}:better=higher"
    results = metra.evaluate(EVALSET, OUTPUTS, [spec])
    assert {results[system][spec].basis for system in OUTPUTS} == {"people"}
