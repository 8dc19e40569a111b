"""What goes wrong on the command line: exit 2 and one message that says what to do."""

import json
import re
import shlex

import pytest

from metra.cli import main

METRICS = "Known: bertscore, bleu, "
SCORE = "score out.txt -r ref.txt"
MANY = "is not possible; expected a whole number from 1 to 1000."
#: Wrong uses in a folder with out.txt, b.txt, ref.txt, ref2.txt, scores.tsv and
#: broken.json, each with the sentence that it gets. One that ends in "…" is longer.
WRONG_USES = [
    # commands
    ("scor out.txt", "metra has no command named 'scor'. Did you mean 'score'? Known: …"),
    ("out.txt", "metra has no command named 'out.txt'. Known: …"),
    ("meta corelate", "metra meta has no command named 'corelate'. Did you mean "
     "'correlate'? Known: …"),
    ("judge strat", "metra judge has no command named 'strat'. Did you mean 'status'? "
     "Known: …"),
    ("help formts", "No topic or command named 'formts'. Did you mean 'formats'? Known: …"),
    # options that do not exist, lack a value, or have one too many
    ("--verson", "metra has no option --verson; did you mean --version? See metra --help."),
    (f"{SCORE} --nonsense", "metra score has no option --nonsense. See metra score --help."),
    ("score out.txt --ref ref.txt", "metra score has no option --ref; did you mean "
     "--reference? See metra score --help."),
    (f"{SCORE} --metrics bleu", "metra score has no option --metrics; did you mean "
     "--metric? See metra score --help."),
    ("score out.txt -r", "-r needs a value; write it after -r, or leave -r out."),
    (f"{SCORE} --ci=yes", "--ci takes no value; write --ci alone."),
    (f"{SCORE} -z", "metra score has no option -z. See metra score --help."),
    # arguments
    ("score", "metra score needs OUTPUT; write metra score [OPTIONS] [OUTPUT]... "
     "See metra score --help."),
    ("profile", "metra profile needs OUTPUT; write metra profile [OPTIONS] OUTPUT... "
     "See metra profile --help."),
    ("metrics bleu chrf", "metra metrics takes no more arguments, but got chrf; write "
     "metra metrics [OPTIONS] [NAME]. See metra metrics --help."),
    ("grid out.txt -r ref.txt", "metra grid needs -n NUMBER (segment to show, "
     "counted from 1). See metra grid --help."),
    ("meta correlate scores.tsv", "metra meta correlate needs --gold NAMES (scorer with the "
     "human judgements to compare with). See metra meta correlate --help."),
    # values
    (f"{SCORE} --level word", "'word' is not a level; expected some of "
     "system, document, segment."),
    (f"{SCORE} --level ''", "'' is not a level; expected some of system, "
     "document, segment."),
    (f"{SCORE} --trials 0", "--trials 0 is not possible; expected a whole number of at "
     "least 1."),
    (f"{SCORE} --trials many", "--trials many is not possible; expected a whole number of "
     "at least 1."),
    (f"{SCORE} --trials 99999999", "--trials: 99999999 is too large; expected at "
     "most 10,000,000."),
    (f"{SCORE} --seed -1", "--seed -1 is not possible; expected a whole number of at least "
     "0."),
    (f"{SCORE} --digits 99", "--digits 99 is not possible; expected a whole number from 0 "
     "to 15."),
    (f"{SCORE} --format xml", "--format xml is not possible; expected table, json, tsv, "
     "markdown, latex or xlsx."),
    (f"{SCORE} --ci-method t", "--ci-method t is not possible; expected percentile or bca."),
    ("compare out.txt b.txt -r ref.txt --alpha 2", "--alpha 2.0 is not possible; expected "
     "a number from 0 to 1, both excluded."),
    ("compare out.txt b.txt -r ref.txt --alpha nan", "--alpha: NaN and infinity are not "
     "possible; expected a finite number."),
    (f"{SCORE} -b --format json", "-b does not work with --format json; expected --format "
     "table."),
    # metrics
    (f"{SCORE} -m blue", f"No metric named 'blue'. Did you mean 'bleu'? {METRICS}…"),
    (f"{SCORE} -m ''", f"No metric named ''. {METRICS}…"),
    (f"{SCORE} -m BLEURT", "metra does not compute BLEURT; give scores of its program as "
     "BLEURT@FILE."),
    (f"{SCORE} -m rouge1", f"No metric named 'rouge1'. {METRICS}…"),
    (f"{SCORE} -m bleu chrf ter", "chrf cannot be read: No such file or directory; "
     "check the name and its permissions."),
    (f"{SCORE} -m bleu:tok=intl,chrf", "'bleu:tok=intl,chrf' has 'chrf' where "
     "option=value was expected; give each metric "
     "separately."),
    (f"{SCORE} -m bleu:n=2,n=3", "'bleu:n=2,n=3' gives the option 'n' twice; give it once."),
    (f"{SCORE} -m chrF++:word_order=1", "'chrF++:word_order=1' gives the option "
     "'word_order' twice; give it once."),
    (f"{SCORE} -m bleu:tk=13a", "bleu has no option named 'tk'. Did you mean 'tok'? Known: "
     "average, case, eff, n, ref_len, smooth, smooth_value, stem, style, tok."),
    (f"{SCORE} -m bleu:smooth=x", "bleu: smooth=x is not possible; expected one of exp, "
     "floor, add-k, none."),
    (f"{SCORE} -m bleu:n=x", f"bleu: n=x {MANY}"),
    (f"{SCORE} -m bleu:n=2.5", f"bleu: n=2.5 {MANY}"),
    (f"{SCORE} -m bleu:smooth_value=x", "bleu: smooth_value=x is not possible; expected a "
     "number of at least 0."),
    (f"{SCORE} -m comet", "comet needs an Unbabel checkpoint (hparams.yaml, "
     "checkpoints/model.ckpt); write comet:model=FOLDER."),
    # files
    ("score absent.txt -r ref.txt", "absent.txt cannot be read: No such file or "
     "directory; check the name and its permissions."),
    ("score out.txt", "bleu needs a reference; give one with -r FILE, or a table "
     "with a column named ref."),
    ("score out.txt ref.txt", "bleu needs a reference; give one with -r FILE, or a "
     "table with a column named ref. If ref.txt is the "
     "reference, write -r ref.txt."),
    (f"{SCORE} ref2.txt --strict", "warning: ref2.txt comes after a reference, but is "
     "scored as a system; if it is a reference, write "
     "-r ref2.txt.…"),
    ("compare out.txt -r ref.txt", "The input has only one system, 'out'; a "
     "comparison needs a baseline and at least one "
     "other output."),
    (f"{SCORE} --level document", "Document scores need documents; give --docs FILE."),
    (f"{SCORE} --ci --unit document", "Resampling documents needs documents; give "
     "--docs FILE."),
    ("convert scores.tsv -o texts.jsonl", "scores.tsv contains scores from `metra "
     "score`, not texts; use it with `metra "
     "meta`, or as a metric: NAME@FILE."),
    ("convert scores.json -o texts.tsv", "scores.json contains scores from `metra score`, not "
     "texts; …"),
    ("convert out.txt -o texts.doc", "The format of texts.doc cannot be detected "
     "from its name; …"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with outputs, references and scores."""
    home = tmp_path_factory.mktemp("wrong")
    for name in ("out", "b", "ref", "ref2"):
        (home / f"{name}.txt").write_text(f"a {name}\nb c\n")
    header = "level\tsystem\titem\tmetric\tscore\tlow\thigh\tsignature"
    (home / "scores.tsv").write_text(f"{header}\nsystem\tout\t\tbleu\t1.0\t\t\t\n")
    (home / "scores.json").write_text('{\n "metra": "0.1.0",\n "schema": 1}')
    return home


@pytest.mark.parametrize(("line", "sentence"), WRONG_USES, ids=lambda value: value[:50])
def test_wrong_uses(line, sentence, folder, cli, monkeypatch):
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    ran = cli(*shlex.split(line))
    assert (ran.code, ran.out) == (2, "")
    if sentence.endswith("…"):
        assert ran.err.startswith(f"metra: {sentence[:-1]}")
    else:
        assert ran.err == f"metra: {sentence}\n"
    assert sorted(folder.iterdir()) == before


#: Names of metrics that are understood, and what they stand for.
OTHER_NAMES = {
    "BLEU": ["bleu"],
    "bleu,chrf": ["bleu", "chrf"],
    "chrF": ["chrf"],
    "chrF++": ["chrf:word_order=2"],
    "chrf2": ["chrf"],
    "chrF2++": ["chrf:word_order=2"],
    "chrf3": ["chrf:beta=3"],
    "ROUGE-L": ["rougel"],
    "TER,WER": ["ter", "wer"],
}


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_other_names_of_metrics_change_no_number(name, folder, cli, monkeypatch):
    monkeypatch.chdir(folder)
    files = ["score", "out.txt", "-r", "ref.txt", "--format", "json"]
    specs = OTHER_NAMES[name]
    plain = cli(*files, *(word for spec in specs for word in ("-m", spec)))
    ran = cli.ok(*files, "-m", name)
    [expected], [found] = (json.loads(each.out)["systems"] for each in (plain, ran))
    assert list(found["scores"].values()) == list(expected["scores"].values())
    assert list(found["scores"]) == name.split(",")


def test_threads(metra_command, write):
    path = write("a.txt", ["a"])
    assert metra_command("score", path, "-r", path, METRA_THREADS="many") == (
        2,
        "",
        "metra: METRA_THREADS is 'many'; expected a whole number of at least 1.\n",
    )


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            KeyError("x"),
            r"metra: Internal error in metra \(KeyError: 'x'\); please report",
        ),
        (
            RecursionError("deep\nly"),
            r"error in metra \(RecursionError: deep\); please",
        ),
        (MemoryError(), r"metra: Not enough memory; nothing more was"),
    ],
)
def test_faults_of_our_own(error, message, monkeypatch, capsys, tmp_path):
    """No traceback on the screen, but in a file that can be sent."""

    def fail(**_):
        raise error

    monkeypatch.setattr("metra.cli.cli", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 70
    said = capsys.readouterr().err
    assert re.search(message, said)
    assert said.count("\n") == 1
    reports = [file.read_text(encoding="utf-8") for file in tmp_path.iterdir()]
    if isinstance(error, MemoryError):
        assert not reports
    else:
        assert f"{tmp_path}/metra-" in said
        [report] = reports
        assert report.startswith("metra 0.")
        assert "Traceback (most recent call last)" in report


def test_a_fault_without_a_place_for_the_report(monkeypatch, capsys):
    def fail(**_):
        raise ZeroDivisionError

    monkeypatch.setattr("metra.cli.cli", fail)
    monkeypatch.setattr("tempfile.tempdir", "/there/is/no/such/folder")
    with pytest.raises(SystemExit):
        main()
    assert "please report it with these lines:\nTraceback" in capsys.readouterr().err
