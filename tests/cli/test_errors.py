"""What goes wrong on the command line: exit 2 and one message that says what to do."""

import re

import pytest

from metra.cli import main

SCORE = (
    "Usage: metra score [OPTIONS] [OUTPUT]...\nTry 'metra score --help' for help.\n\n"
)


@pytest.fixture
def score(write, cli):
    output, reference = write("out.txt", ["a", "b"]), write("ref.txt", ["a", "c"])

    def run(*arguments: str):
        return cli("score", output, "-r", reference, *arguments)

    return run


USAGE = [
    (["--level", "word"], "Invalid value for '--level': 'word' is no level; "
     "expected some of system, document, segment."),
    (["--level", ""], "Invalid value for '--level': '' is no level; "
     "expected some of system, document, segment."),
    (["--trials", "0"], "Invalid value for '--trials': 0 is not in the range x>=1."),
    (["--seed", "-1"], "Invalid value for '--seed': -1 is not in the range x>=0."),
    (["--digits", "99"], "Invalid value for '--digits': 99 is not in the range 0<=x<=15."),
    (["--format", "xml"], "Invalid value for '--format': 'xml' is not one of 'table', "
     "'json', 'tsv', 'markdown', 'latex', 'html', 'xlsx'."),
    (["--ci-method", "t"], "Invalid value for '--ci-method': 't' is not one of "
     "'percentile', 'bca'."),
    (["--nonsense"], "No such option '--nonsense'."),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), USAGE)
def test_usage(arguments, message, score):
    ran = score(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith(SCORE)
    # click says it in slightly other words from version to version.
    found = (
        ran.err.removeprefix(SCORE)
        .removeprefix("Error: ")
        .replace("option: ", "option ")
    )
    assert found.replace("'", "").startswith(message.rstrip(".").replace("'", ""))


def test_no_output(cli):
    ran = cli("score")
    assert ran.code == 2
    assert ran.err == f"{SCORE}Error: Missing argument 'OUTPUT...'.\n"


def test_an_unknown_command(cli):
    ran = cli("scor")
    assert ran.code == 2
    assert "No such command 'scor'." in ran.err


SPECS = [
    ("blue", "No metric named 'blue'. Did you mean 'bleu'? Known: "),
    ("bleu:tk=13a", "bleu has no option named 'tk'. Did you mean 'tok'? Known: average, "
     "case, eff, n, ref_len, smooth, smooth_value, stem, style, tok."),
    ("bleu:smooth=x", "bleu: smooth=x is not possible; "
     "expected one of exp, floor, add-k, none."),
    ("bleu:n=x", "bleu: n=x is not possible; expected a whole number from 1 to 1000."),
    ("bleu:n=2.5", "bleu: n=2.5 is not possible; expected a whole number from 1 to 1000."),
    (
        "bleu:smooth_value=x",
        "bleu: smooth_value=x is not possible; expected a number of at least 0.",
    ),
    ("bleu:tok", "'bleu:tok' has 'tok' where option=value was expected."),
    ("bleu:n=2,n=3", "'bleu:n=2,n=3' gives the option 'n' twice; give it once."),
    ("", "No metric named ''. Known: "),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "message"), SPECS)
def test_specs(spec, message, score):
    ran = score("-m", spec)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith(f"metra: {message}")
    assert ran.err.count("\n") == 1


def test_no_reference(write, cli):
    assert cli("score", write("out.txt", ["a"])) == (
        2,
        "",
        "metra: bleu compares with references, but there is none; give one with -r FILE, "
        "or a table with a column called ref.\n",
    )


def test_documents_that_are_not_known(score):
    assert score("--level", "document") == (
        2,
        "",
        "metra: Document scores were asked for, but no documents are known; give --docs "
        "FILE.\n",
    )
    assert score("--ci", "--ci-unit", "document") == (
        2,
        "",
        "metra: Documents were to be resampled, but none are known; give --docs FILE.\n",
    )


def test_threads(metra_command, write):
    path = write("a.txt", ["a"])
    assert metra_command("score", path, "-r", path, METRA_THREADS="many") == (
        2,
        "",
        "metra: METRA_THREADS is 'many'; expected a whole number of at least 1.\n",
    )


def test_a_measure_that_is_not_there(cli):
    ran = cli("metrics", "blue")
    assert ran.code == 2
    assert ran.err.startswith("metra: No metric named 'blue'. Did you mean 'bleu'?")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            KeyError("x"),
            r"metra: This is a fault of metra \(KeyError: 'x'\); please report",
        ),
        (
            RecursionError("deep\nly"),
            r"fault of metra \(RecursionError: deep\); please",
        ),
        (
            MemoryError(),
            r"metra: There is not enough memory for this; nothing more was",
        ),
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
