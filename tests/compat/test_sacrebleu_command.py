"""`metra sacrebleu` prints what sacreBLEU 2.6.0 prints, byte for byte, flag by flag."""

import json
import os
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.compat.peer_files import write_files, write_lines
from tests.patience import PATIENCE
from tests.templates import expand, read_list

from metra.compat.sacrebleu.arguments import list_flags
from metra.compat.sacrebleu.metrics import LOG

pytest.importorskip("sacrebleu", reason="needs sacrebleu (the group test)")

CONTENT, NAMES = read_list(Path(__file__).with_name("sacrebleu_calls.txt"))
ONE, SYSTEMS, ALL, SET = (NAMES[name] for name in ("ONE", "SYSTEMS", "ALL", "SET"))
LINES = [
    call
    for line in CONTENT.split("\n")
    if line and " = " not in line
    for call in expand(line, NAMES)
]
CALLS = [
    *(line for line in LINES if " => " not in line),
    # Languages whose tokenisers are installed.
    *(
        f"{language}-ref.txt -i {language}.txt -l en-{language} -w 4"
        for language, package in (("ja", "MeCab"), ("ko", "mecab_ko"))
        if find_spec(package)
    ),
]
REFUSED = [tuple(line.split(" => ")) for line in LINES if " => " in line]

TABBED = "".join(f"{a}\t{b}\n" for a, b in [("a b c d e", "a b c d"), ("it is", "it")])

# Calls with standard input, settings of the environment, or a terminal.
SETTINGS = [
    (f"{ONE} -f json", {"environment": {"SACREBLEU_FORMAT": "text"}}),
    (f"{ONE} -b", {"environment": {"SACREBLEU_FORMAT": "unknown"}}),
    (f"{ONE} solid.txt", {"environment": {"SACREBLEU_FORMAT": "LaTeX"}}),
    (f"{ONE} -ci -cin 100 -w 4", {"environment": {"SACREBLEU_SEED": "7"}}),
    (
        f"ref1.txt -i {SYSTEMS} -par -parn 90 -f json",
        {"environment": {"SACREBLEU_SEED": "99"}},
    ),
    ("two-ref.txt", {"stdin": "a b c d e\nit is not\n"}),
    ("two-ref.txt -sl", {"stdin": "a b c d e\r\nit is not"}),
    (f"two-ref.txt {ALL} -f text", {"stdin": TABBED}),
    ("two-ref.txt", {"stdin": TABBED}),
    ("two-ref.txt -pbs -pbsn 30 -f text", {"stdin": TABBED}),
    ("two-ref.txt -par -parn 30", {"stdin": TABBED}),
    ("two-ref.txt -e latin-1 -b", {"stdin": "caf\u00e9 b c d e\nit is\n"}),
    (f"{ONE} {ALL} -ci -cin 30 -f text", {"terminal": True}),
    (f"{ONE} -ci -cin 30", {"terminal": True}),
    (f"{ONE} -ci -cin 30 -f text -nc", {"terminal": True}),
    (f"ref1.txt -i {SYSTEMS} {ALL} -f text", {"terminal": True}),
    (f"ref1.txt -i {SYSTEMS} {ALL} -f latex", {"terminal": True}),
    (f"ref1.txt -i {SYSTEMS} {ALL} -f text -pbs -pbsn 30", {"terminal": True}),
    (f"ref1.txt -i {SYSTEMS} -f latex -par -parn 15", {"terminal": True}),
    ("two-ref.txt -pbs -pbsn 30 -f text", {"stdin": TABBED, "terminal": True}),
    (f"{SET} -d", {"terminal": True}),
    (f"{SET} -d", {"terminal": True, "environment": {"NO_COLOR": "1"}}),
    (
        f"ref1.txt -i {SYSTEMS} -f text -pbs -pbsn 30",
        {"terminal": True, "environment": {"NO_COLOR": "1"}},
    ),
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """The files that the calls name."""
    folder = tmp_path_factory.mktemp("sacrebleu")
    write_files(folder)
    return folder


@pytest.fixture(scope="module")
def printed(workspace):
    """What each program prints for every call: by program, and by call and settings."""
    calls = [
        *((call, {}) for call in CALLS),
        *SETTINGS,
        *((call, {}) for call, _ in REFUSED),
    ]
    records = [{"arguments": shlex.split(call), **settings} for call, settings in calls]
    script = Path(__file__).with_name("peer_calls.py")
    keys = [(call, str(settings)) for call, settings in calls]
    found = {}
    # metra first: it has the plain files of test sets written from raw ones.
    for name in PROGRAMS:
        chosen = [at for at, key in enumerate(keys) if is_met(key[0], name)]
        (workspace / "calls.json").write_text(
            json.dumps([records[at] for at in chosen]), encoding="utf-8"
        )
        subprocess.run(
            [sys.executable, script, name.split()[0], "calls.json", "results.json"],
            cwd=workspace,
            env=clean_environment(workspace),
            timeout=PATIENCE,
            check=True,
        )
        text = (workspace / "results.json").read_text(encoding="utf-8")
        results = zip(chosen, json.loads(text), strict=True)
        found[name] = {keys[at]: result for at, result in results}
    return found


PROGRAMS = ("metra on raw files", "sacrebleu", "metra")


def is_met(call: str, program: str) -> bool:
    """Tell whether a program has anything of its own to show in a call."""
    return program != "metra on raw files" or "wmt" in call or "multi30k" in call


def clean_environment(workspace: Path) -> dict[str, str]:
    settings = ("SACREBLEU_SEED", "SACREBLEU_FORMAT", "NO_COLOR")
    kept = {name: value for name, value in os.environ.items() if name not in settings}
    places = {"SACREBLEU": "cache", "METRA_CONFIG": "none", "HOME": "home"}
    return kept | {name: str(workspace / place) for name, place in places.items()}


@pytest.mark.parametrize(
    ("call", "settings", "program"),
    [
        (call, settings, program)
        for call, settings in [*((call, {}) for call in CALLS), *SETTINGS]
        for program in ("metra on raw files", "metra")
        if is_met(call, program)
    ],
)
def test_the_same_output(call, settings, program, printed):
    key = call, str(settings)
    expected, found = printed["sacrebleu"][key], printed[program][key]
    assert expected["code"] == 0, expected["err"]
    assert found["code"] == 0, found["err"]
    assert found["out"] == expected["out"]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_both_refuse(call, words, printed):
    assert printed["sacrebleu"][call, "{}"]["code"] != 0
    found = printed["metra"][call, "{}"]
    assert found["code"] == 2
    assert found["out"] == ""
    assert words in found["err"]
    assert found["err"].count("\n") == 1


@pytest.fixture
def ours(workspace, monkeypatch, cli):
    """Run `metra sacrebleu` with a line of arguments, in the same folder."""
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("SACREBLEU", str(workspace / "cache"))
    for name in ("SACREBLEU_SEED", "SACREBLEU_FORMAT", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return lambda call: cli("sacrebleu", *shlex.split(call))


#: Flags that no call above has, and why.
ELSEWHERE = {
    "--citation": "sacreBLEU 2.6.0 stops with a TypeError",
    "--cite": "sacreBLEU 2.6.0 stops with a TypeError",
}


def test_every_flag_is_called():
    calls = [*CALLS, *(call for call, _ in SETTINGS)]
    words = {word for call in calls for word in shlex.split(call)}
    words |= {word for call, _ in REFUSED for word in shlex.split(call)}
    for flag in list_flags():
        names = set(flag.option_strings)
        assert names & words or names <= ELSEWHERE.keys(), names


# Where metra differs on purpose: docs/switch.md says who is right.


def test_json_of_paired_bootstrap_has_single_precision_numbers(ours):
    # sacreBLEU stops with a TypeError: its means of chrF and TER are no plain numbers.
    ran = ours(f"ref1.txt -i {SYSTEMS} --paired-bs -pbsn 50 -m chrf ter -f json")
    (first, *_) = json.loads(ran.out)
    assert first["system"] == "Baseline: polished.txt"
    assert first["chrF2"].keys() == {"score", "p_value", "mean", "ci"}


def test_seed_zero_is_a_seed(ours, monkeypatch):
    # sacreBLEU takes 0 for no seed and draws anew each time.
    monkeypatch.setenv("SACREBLEU_SEED", "0")
    call = f"{ONE} -ci -cin 100 -w 6"
    assert ours(call).out == ours(call).out


def test_a_byte_order_mark_is_no_text(ours, workspace):
    # sacreBLEU counts it as a part of the first word.
    text = (workspace / "polished.txt").read_bytes()
    (workspace / "marked.txt").write_bytes(b"\xef\xbb\xbf" + text)
    assert ours("ref1.txt -i marked.txt -b -w 6").out == ours(f"{ONE} -b -w 6").out


def test_the_list_has_what_is_on_this_machine(ours):
    lines = ours("--list").out.splitlines()
    assert lines[0] == "The available test sets are:"
    names = ["multi30k/2016", "wmt17", "wmt18", "wmt20/tworefs", "wmt23"]
    assert [line.split()[0] for line in lines[1:]] == names
    assert ours("--list -t wmt17").out == "en-de: src, ref, docid, genre, origlang\n"
    both = ours("--list -l en-de").out.splitlines()[1:]
    assert [line.split()[0] for line in both] == [
        "wmt17",
        "wmt18",
        "wmt20/tworefs",
        "wmt23",
    ]
    assert ours("--list -l en-is").out == "The available test sets for en-is are:\n"


def test_details_of_one_language(ours):
    # sacreBLEU takes the letters of --origlang for languages and stops with a ValueError.
    lines = ours(f"{SET} -d --origlang de").out.splitlines()[1:]
    parts = [
        "domain=ALL",
        "country=OTHER",
        "country=US",
        "domain=politics",
        "domain=world",
    ]
    assert [line.split()[:2] for line in lines] == [
        ["origlang=de", part] for part in parts
    ]


def test_citations(ours):
    # sacreBLEU looks for the citation in the wrong way and stops with a TypeError.
    assert ours("--citation -t wmt18").out.startswith("@")
    assert ours("--cite -t wmt18,wmt17").out.count("@") == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("--citation", "needs a test set"),
        ("--citation -t nowhere", "no citation of the test set nowhere"),
        ("-t wmt18 ref1.txt -l en-de -i set.txt", "exclude each other"),
        ("--echo src", "--echo needs a test set"),
        ("ref1.txt -i", "-i expects output files"),
        ("latin-ref.txt -i latin.txt -e ascii", "is not ascii"),
        # sacreBLEU takes a third column for a part of the second reference.
        ("three.tsv -i two.txt -nr 2", "line 1: found 3 tab-separated texts"),
    ],
)
def test_other_refusals(call, words, ours, workspace):
    write_lines(workspace / "three.tsv", ["a\tb\tc", "a\tb\tc"])
    ran = ours(call)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1


def test_a_download_that_is_not_reachable(ours, monkeypatch):
    def refuse(*_, **__):
        msg = "no network"
        raise OSError(msg)

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    ran = ours("--download wmt16 -l en-de")
    assert (ran.code, ran.out) == (2, "")
    assert "cannot prepare wmt16: no network; nothing was kept of https" in ran.err


def test_a_seed_that_is_none(ours, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "some")
    ran = ours(f"{ONE} -ci")
    assert ran.code == 2
    assert "SACREBLEU_SEED=some is not possible" in ran.err


def test_tokenised_text_is_noticed(ours, workspace):
    write_lines(workspace / "tokenised.txt", ["so it is ."] * 100)
    call = "tokenised.txt -i tokenised.txt -b"
    assert "100 outputs" in ours(call).err
    assert ours(f"{call} --force").err == ""
    assert ours(f"{call} --quiet").err == ""


def test_quiet_holds_for_one_call(ours):
    level = LOG.level
    ours(f"{ONE} -b --quiet")
    assert LOG.level == level
