"""`metra gate` and the baselines that `metra score --save` writes."""

import json
import re

import pytest

from metra.corpus import examples
from metra.stats.multiplicity import holm

EXAMPLE = examples.find_example()
REFERENCE = ["-r", EXAMPLE.references[0]]


def output(name: str) -> str:
    return next(path for path in EXAMPLE.outputs if f"{name}.txt" in path)


@pytest.fixture(autouse=True)
def not_on_github(monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)


@pytest.fixture
def baseline(cli, tmp_path):
    path = tmp_path / "base.json"
    metrics = ["-m", "bleu", "-m", "ter", "-m", "nist"]
    cli.ok("score", output("solid"), *REFERENCE, *metrics, "--save", path)
    return path


@pytest.fixture
def gate(cli, baseline):
    def run(name: str, *arguments: object):
        given = ["--baseline", baseline, *arguments]
        return cli("gate", f"new={output(name)}", *REFERENCE, *given)

    return run


def test_numbers_are_those_of_compare(gate, cli):
    found = json.loads(gate("polished", "--format", "json").out)
    outputs = [output("solid"), output("polished")]
    metrics = ["-m", "bleu", "-m", "ter", "-m", "nist"]
    ran = cli("compare", *outputs, *REFERENCE, *metrics, "--format", "json")
    expected = json.loads(ran.out)
    tested = [entry["p_value"] for entry in expected["comparisons"]]
    assert [check["p_value"] for check in found["checks"]] == tested
    old, new = (entry["scores"] for entry in expected["systems"])
    for check in found["checks"]:
        assert check["score"] == new[check["metric"]]["score"]
        assert check["expected"] == old[check["metric"]]["score"]


BOUNDS = [
    (["--fail-if", "below=bleu:60"], 0),
    (["--fail-if", "below=bleu:70"], 1),
    (["--fail-if", "below=ter:20"], 0),
    (["--fail-if", "below=ter:15"], 1),
    (["--fail-if", "below=bleu:60", "--fail-if", "worse"], 0),
]


@pytest.mark.parametrize(("arguments", "code"), BOUNDS)
def test_bounds_go_by_the_direction_of_the_metric(gate, arguments, code):
    assert gate("solid", *arguments).code == code


def test_all_outputs_are_one_family(cli, baseline):
    """More outputs are more chances to fail by accident, so p-values are corrected."""
    names = ("verbose", "polished", "literal", "solid")
    outputs = [output(name) for name in names]
    ran = cli("gate", *outputs, *REFERENCE, "--baseline", baseline, "--format", "json")
    checks = json.loads(ran.out)["checks"]
    assert [check["system"] for check in checks[::3]] == [*names]
    families = {
        (c["comparison"]["family"], c["comparison"]["family_size"]) for c in checks
    }
    assert families == {("baseline", 4)}
    for metric in ("bleu", "ter", "nist"):
        own = [check for check in checks if check["metric"] == metric]
        corrected = [check["comparison"]["p_holm"] for check in own]
        assert corrected == holm([check["p_value"] for check in own]).tolist()
        assert [check["passed"] for check in own] == [p > 0.05 for p in corrected]


def test_a_bound_may_be_met_exactly(cli, tmp_path):
    path = tmp_path / "base.json"
    copy = [REFERENCE[1], *REFERENCE]
    cli("score", *copy, "-m", "wer", "--save", path)
    cli.ok("gate", *copy, "--baseline", path, "--fail-if", "below=0")


def test_the_source_has_to_be_the_same_where_a_metric_needs_it(cli, tmp_path):
    path = tmp_path / "base.json"
    metric = ["-m", "untranslated:rule=copied"]
    texts = [output("solid"), "-s"]
    cli("score", *texts, EXAMPLE.source, *metric, "--save", path)
    assert cli("gate", *texts, EXAMPLE.source, "--baseline", path).code == 0
    refused = cli.refusal("gate", *texts, REFERENCE[1], "--baseline", path)
    assert "another source" in refused


def test_a_bound_alone_does_not_look_at_the_baseline(gate):
    assert gate("dropped", "--fail-if", "below=bleu:1").code == 0


def test_a_drop_may_be_tolerated(gate):
    assert gate("polished", "--tolerance", "13").code == 0
    assert gate("polished", "--tolerance", "12").code == 1


def test_markdown_and_annotations(gate, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = gate("dropped", "--format", "markdown",
               "--fail-if", "worse", "--fail-if", "below=ter:99")  # fmt: skip
    assert ran.code == 1
    text = ran.out
    assert text.startswith("### Translation quality: failed 3 of 4 checks\n")
    assert "| new | bleu |" in text
    assert "\n- new: bleu 53.62, significantly worse than the baseline 69.57" in text
    assert ran.err.count("::error title=metra gate%3A ") == 3


def test_annotations_come_by_themselves_on_github(gate, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert gate("solid").err == "::notice title=metra gate::passed 3 checks\n"


def test_names_cannot_forge_a_workflow_command(cli, baseline, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    name = "a\n::set-output::%0A"
    arguments = ["--baseline", baseline, *REFERENCE]
    ran = cli("gate", f"{name}={output('dropped')}", *arguments)
    assert all(line.startswith("::error ") for line in ran.err.rstrip("\n").split("\n"))
    assert "a%0A::set-output::%250A: bleu" in ran.err


def test_systems_meet_their_namesakes(cli, tmp_path):
    path = tmp_path / "base.json"
    pair = [f"a={output('solid')}", f"b={output('dropped')}"]
    cli("score", *pair, *REFERENCE, "--save", path)
    assert cli("gate", *pair, *REFERENCE, "--baseline", path).code == 0
    swapped = [f"b={output('solid')}", f"a={output('dropped')}"]
    ran = cli("gate", *swapped, *REFERENCE, "--baseline", path)
    assert ran.code == 1
    assert "failed 1 of 2 checks" in ran.out
    refused = cli.refusal(
        "gate", f"c={output('solid')}", *REFERENCE, "--baseline", path
    )
    assert "Write NAME=FILE" in refused


def test_no_output_has_the_name_of_its_baseline(cli, baseline):
    names = {"solid": "solid", "solid (baseline)": "dropped"}
    outputs = [f"{name}={output(file)}" for name, file in names.items()]
    ran = cli("gate", *outputs, *REFERENCE, "--baseline", baseline, "--format", "json")
    passed = {c["system"]: c["passed"] for c in json.loads(ran.out)["checks"]}
    assert passed == {"solid": True, "solid (baseline)": False}


def test_few_segments_cannot_fail_a_test(cli, write, tmp_path):
    path = tmp_path / "base.json"
    ref = write("ref.txt", ["a b c d e", "f g h i j"])
    bad = write("bad.txt", ["x", "y"])
    cli("score", ref, "-r", ref, "--save", path)
    ran = cli("gate", bad, "-r", ref, "--baseline", path, "--format", "json")
    assert ran.code == 0
    (check,) = json.loads(ran.out)["checks"]
    assert "no test: 2 segments are too few for a test" in check["message"]


def test_saving_changes_no_score(cli, tmp_path):
    path = tmp_path / "base.json"
    plain = cli("score", output("solid"), *REFERENCE, "--ci", "--format", "json")
    saved = cli(
        "score", output("solid"), *REFERENCE, "--ci", "--format", "json", "--save", path
    )
    assert saved.out == plain.out
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data.pop("baseline")
    assert data == json.loads(plain.out)


def test_another_reference_is_refused(cli, baseline):
    arguments = ["-r", EXAMPLE.references[1], "--baseline", baseline]
    refused = cli.refusal("gate", output("solid"), *arguments)
    assert "The baseline was scored with other references" in refused


def test_another_test_set_is_refused(cli, baseline, write):
    short = write("short.txt", ["a"])
    refused = cli.refusal("gate", short, "-r", short, "--baseline", baseline)
    assert "The baseline has 28 segments, the output 1;" in refused


def test_other_metrics_are_refused(gate, baseline):
    text = baseline.read_text(encoding="utf-8").replace("tok:13a", "tok:intl")
    baseline.write_text(text, encoding="utf-8")
    ran = gate("solid")
    assert ran.code == 2
    assert "save the baseline again." in ran.err


def test_another_version_is_not(gate, baseline):
    text = re.sub(r"version:[\d.]+", "version:0.0.1", baseline.read_text())
    baseline.write_text(text, encoding="utf-8")
    assert gate("solid").code == 0


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]", '{"baseline": {}}', '{"baseline": {"rows": {"a": {"bleu": ["x"]}}}}',
     '{"baseline": {"rows": {}, "signatures": {}, "digests": []}}',
     '{"baseline": {"rows": {"a": {}}, "signatures": {"bleu": "b"}, "digests": []}}'],
)  # fmt: skip
def test_no_baseline(gate, baseline, text):
    baseline.write_text(text, encoding="utf-8")
    ran = gate("solid")
    assert (ran.code, ran.out) == (2, "")
    assert "base.json is not a baseline; save one with metra score" in ran.err


WRONG = [
    (["--fail-if", "bad"], "'bad' is not a condition; expected worse, below=N"),
    (["--fail-if", "below=bleu:x"], "is not a condition"),
    (["--fail-if", "below=bleu:nan"], "is not a condition"),
    (
        ["--fail-if", "below=30"],
        "the baseline has bleu, ter, nist; write below=METRIC:30.",
    ),
    (["--fail-if", "below=blue:30"], "No metric named 'blue'. Did you mean 'bleu'?"),
    (["--trials", "5"], "With 5 trials no p-value can be as low as 0.05"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_is_refused(gate, arguments, message):
    ran = gate("solid", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.parametrize("flag", ["--show-alignment", "--details"])
def test_what_cannot_be_saved(cli, tmp_path, flag):
    path = tmp_path / "base.json"
    refused = cli.refusal(
        "score", output("solid"), *REFERENCE, "-m", "wer", flag, "--save", path
    )
    assert f"--save and {flag} cannot be given together" in refused
    assert not path.exists()


def change(path, edit) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    edit(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def cut_columns(data) -> None:
    rows = data["baseline"]["rows"]["solid"]["ter"]
    rows[:] = [row.rsplit(" ", 1)[0] for row in rows]


DAMAGED = [
    pytest.param(lambda data: data.update(schema=2), "is a baseline of schema 2, and this "
                 "version of metra reads schema 1;", id="a later schema"),
    pytest.param(lambda data: data["baseline"]["rows"]["solid"]["ter"].pop(),
                 "is not a baseline", id="a segment missing"),
    pytest.param(lambda data: data["baseline"]["rows"]["solid"].update(ter=["nan 1"] * 28),
                 "is not a baseline", id="not a number"),
    pytest.param(lambda data: data["baseline"]["signatures"].update(ter=None),
                 "is not a baseline", id="no signature"),
    pytest.param(cut_columns, "The baseline has other statistics of ter;",
                 id="a column missing"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "message"), DAMAGED)
def test_a_baseline_that_was_damaged(gate, baseline, edit, message):
    change(baseline, edit)
    ran = gate("solid")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_documents_have_to_be_the_same_where_a_metric_weighs_by_them(
    cli, tmp_path, write
):
    path = tmp_path / "base.json"
    halves = write("halves.txt", ["a"] * 14 + ["b"] * 14)
    turns = write("turns.txt", ["a", "b"] * 14)
    arguments = [output("solid"), *REFERENCE, "--docs"]
    cli("score", *arguments, halves, "-m", "bleu", "--save", path)
    assert cli("gate", *arguments, turns, "--baseline", path).code == 0
    cli("score", *arguments, halves, "-m", "ltv", "--save", path)
    assert cli("gate", *arguments, halves, "--baseline", path).code == 0
    refused = cli.refusal("gate", *arguments, turns, "--baseline", path)
    assert "or other documents;" in refused


def test_nothing_is_shown_if_a_file_cannot_be_written(gate, cli, tmp_path):
    nowhere = tmp_path / "no" / "a"
    ran = gate("solid", "-o", nowhere)
    assert (ran.code, ran.out) == (2, "")
    out = tmp_path / "scores.txt"
    ran = cli("score", output("solid"), *REFERENCE, "--save", nowhere, "-o", out)
    assert ran.code == 2
    assert not out.exists()


def test_tables_and_strict(cli, write, tmp_path):
    base = tmp_path / "base.json"
    lines = [f"{at} is the number of this line" for at in range(12)]
    rows = [f"{line}\t{line.replace('is', 'was')}\t{line}" for line in lines]
    table = write("t.tsv", ["human\told\tcopy", *rows])
    columns = [table, "--read"]
    cli("score", *columns, "ref=human,hyp=old", "--save", base)
    assert cli("gate", *columns, "ref=human,hyp=old", "--baseline", base).code == 0
    given = [*columns, "ref=human,hyp=old=copy", "--baseline", base, "--strict"]
    assert "1 warning and --strict: nothing was written." in cli.refusal("gate", *given)
