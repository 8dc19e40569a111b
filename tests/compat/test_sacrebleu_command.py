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

from metra.compat.sacrebleu.arguments import list_flags
from metra.compat.sacrebleu.metrics import LOG

pytest.importorskip("sacrebleu", reason="needs sacrebleu (the group test)")

ONE = "ref1.txt -i polished.txt"
TWO = "ref1.txt ref2.txt -i polished.txt"
THREE = "ref1.txt ref2.txt ref3.txt -i polished.txt"
SYSTEMS = "polished.txt solid.txt wrong-terms.txt rule-based.txt"
HARD = "hard-ref.txt -i hard.txt"
ALL = "-m bleu chrf ter"
SET = "-t wmt18 -l en-de -i set.txt"
XML = "-t wmt23 -l en-de -i xml.txt"

#: Languages whose tokenisers are installed.
INSTALLED = [
    language
    for language, package in (("ja", "MeCab"), ("ko", "mecab_ko"))
    if find_spec(package)
]

CALLS = [
    # One system: formats, width, signatures.
    ONE,
    f"{ONE} -f text",
    f"{ONE} -f latex",
    f"{ONE} -b",
    f"{ONE} -b -w 4",
    f"{ONE} --score-only --width 0",
    f"{ONE} -w 10",
    f"{ONE} -sh",
    f"{ONE} --short --format text",
    f"{ONE} --quiet --no-color -nc -q",
    f"{ONE} {ALL}",
    f"{ONE} {ALL} -f text",
    f"{ONE} {ALL} -b",
    f"{ONE} {ALL} -b -f text -w 3",
    f"{ONE} --metrics ter bleu ter -sh -f text",
    f"{TWO} {ALL} -w 3",
    f"{THREE} {ALL} -w 6 -f text",
    "ref1.txt ref2.txt ref3.txt ref4.txt --input solid.txt -m ter chrf",
    "ref1.txt -i ref1.txt -m bleu chrf ter -f text",
    # Segments.
    f"{ONE} -sl",
    f"{ONE} --sentence-level -b -w 3",
    f"{TWO} -sl -m chrf -sh",
    f"{THREE} -sl -m ter -w 5",
    f"{HARD} -sl -m bleu -f json",
    # Files: line ends, empty lines, one line, as many references as lines.
    *(
        f"{name}-ref.txt -i {name}.txt {ALL} -w 4"
        for name in ("windows", "open", "one")
    ),
    f"gaps-ref.txt -i gaps.txt {ALL} -w 4 -f text",
    "gaps-ref.txt -i gaps.txt -sl",
    "gaps-ref.txt -i gaps.txt -m chrf -sl -w 3",
    "gaps-ref.txt -i gaps.txt -m ter -sl",
    f"blank.txt -i blank.txt {ALL}",
    f"pair.txt pair-2.txt -i pair-3.txt {ALL} -w 3",
    "one-ref.txt -i one.txt one-ref.txt -pbs -pbsn 40 -f text",
    # Languages.
    *(
        f"{language}-ref.txt -i {language}.txt {ALL} -l en-{target} -w 4 -f text"
        for language, target in (("zh", "zh"), ("cs", "cs"), ("ko", "xx"), ("ja", "xx"))
    ),
    "zh-ref.txt -i zh.txt -l en-zh -tok 13a",
    "ja-ref.txt -i ja.txt -m ter --ter-asian-support --ter-normalized -sl",
    *(
        f"{language}-ref.txt -i {language}.txt -l en-{language} -w 4"
        for language in INSTALLED
    ),
    # Tokenisers, case, language.
    *(f"{HARD} -tok {name} -w 4 -f text" for name in ("none", "13a", "intl", "char")),
    f"{HARD} --tokenize zh -w 4",
    f"{HARD} --lowercase -w 4 --force",
    f"{HARD} -l en-zh -f text",
    f"{HARD} -l en-de --language-pair de-fr -f text -lc",
    # Smoothing.
    *(f"{HARD} -s {name} -w 4 -f text" for name in ("exp", "floor", "add-k", "none")),
    f"{HARD} --smooth-method floor --smooth-value 0.3 -w 4",
    f"{HARD} -s add-k -sv 2.5 -w 4",
    f"{HARD} -s exp -sv 2 -w 4 -f text",
    # chrF.
    f"{HARD} -m chrf -cw 2 -w 4",
    f"{HARD} -m chrf --chrf-word-order 1 --chrf-char-order 4 -w 4 -f text",
    f"{HARD} -m chrf -cc 3 --chrf-beta 3 --chrf-lowercase -w 4 -f text",
    f"{HARD} -m chrf --chrf-whitespace -w 6 -sl",
    f"{HARD} -m chrf --chrf-eps-smoothing -cw 2 -w 6 -f text",
    # TER.
    f"{HARD} -m ter --ter-normalized -w 4 -sl",
    f"{HARD} -m ter --ter-no-punct --ter-case-sensitive -w 4 -f text",
    f"{HARD} -m ter --ter-normalized --ter-asian-support -w 4 -sl",
    f"{HARD} -m ter --ter-normalized --ter-asian-support --ter-no-punct -w 4",
    # References in columns, encodings, packed files, standard input.
    "columns.tsv -i polished.txt -nr 2 -w 4",
    "columns.tsv --num-refs 2 -m ter -b -i solid.txt",
    "latin-ref.txt -i latin.txt -e latin-1 -w 4",
    "latin-ref.txt --encoding iso-8859-1 -m chrf -i latin.txt -sl",
    "ref1.txt.gz -i polished.txt -b",
    # Intervals.
    f"{ONE} -ci",
    f"{ONE} --confidence --confidence-n 200 {ALL} -f text",
    f"{TWO} -ci -cin 150 {ALL} -w 3",
    f"{THREE} -ci -cin 101 {ALL} -w 4 -f text -sh",
    f"{THREE} -ci -cin 50 {ALL} -b -f text -w 3",
    f"{ONE} -ci -cin 50 {ALL} -b",
    f"hard-ref.txt -i hard.txt -ci -cin 40 {ALL} -b -f text",
    f"{ONE} -ci -cin 60 -b -w 2",
    f"{ONE} -ci -cin 1 -f text",
    # Several systems.
    f"ref1.txt -i {SYSTEMS}",
    f"ref1.txt -i {SYSTEMS} {ALL} -f text",
    f"ref1.txt -i {SYSTEMS} {ALL} -f latex -w 3",
    f"ref1.txt -i {SYSTEMS} {ALL} -f json -w 2 -b",
    f"ref1.txt ref2.txt -i ref1.txt {SYSTEMS} -m bleu ter -f text -sh",
    "ref1.txt -i odd_name.txt ref1.txt -f latex",
    f"ref1.txt -i {SYSTEMS} -m ter bleu -f text",
    "ref1.txt -i solid.txt polished.txt -d",
    # Paired tests.
    f"ref1.txt -i {SYSTEMS} -m ter chrf bleu -pbs -pbsn 30 -f text",
    f"ref1.txt -i {SYSTEMS} -m ter bleu -par -parn 30 -f json",
    f"ref1.txt -i {SYSTEMS} -par -parn 64 -s add-k -sv 0.6 -lc -f json",
    "ref1.txt -i solid.txt polished.txt solid.txt -pbs -pbsn 30 -f text",
    "ref1.txt -i solid.txt polished.txt -pbs -pbsn 0 -f text",
    "ref1.txt -i solid.txt polished.txt -pbs -pbsn -4 -f text",
    "ref1.txt -i solid.txt solid-2.txt -pbs -pbsn 19 -f text",
    f"ref1.txt -i {SYSTEMS} --paired-bs -f json -q",
    f"ref1.txt -i {SYSTEMS} --paired-bs {ALL} -f text",
    f"ref1.txt ref2.txt ref3.txt -i {SYSTEMS} -pbs -pbsn 333 {ALL} -f latex -w 3",
    f"ref1.txt ref2.txt -i {SYSTEMS} --paired-bs --paired-bs-n 97 {ALL} -f text -sh",
    f"ref1.txt -i {SYSTEMS} --paired-ar -f text -q",
    f"ref1.txt -i {SYSTEMS} -par -parn 500 {ALL} -f json",
    f"ref1.txt ref2.txt -i {SYSTEMS} -par --paired-ar-n 499 {ALL} -f json -q",
    f"ref1.txt ref2.txt ref3.txt -i {SYSTEMS} -par -parn 250 {ALL} -f text",
    f"ref1.txt -i {SYSTEMS} --paired-ar -parn 100 --paired-jobs 1 -j 1 -f latex -w 2",
    f"ref1.txt -i {SYSTEMS} -par -parn 99 -m chrf -cw 2 --chrf-eps-smoothing -f json",
    f"ref1.txt -i {SYSTEMS} -pbs -pbsn 99 -s add-k -lc -tok intl -f json",
    # Test sets.
    "-t wmt18 -l en-de --echo src",
    "-t wmt18 -l en-de --echo src ref",
    "--test-set wmt18 -l en-de --echo all",
    "-t wmt18 -l en-de --echo docid src --origlang en",
    "-t wmt18 -l en-de --echo src --subset country:US",
    "-t wmt18 -l en-de --echo src --subset nothing",
    "-t wmt18,wmt17 -l en-de --echo ref",
    "-t wmt18,wmt23 -l en-de --echo all",
    "--list -t wmt18 -l en-de",
    f"{SET}",
    f"{SET} {ALL} -f text -w 3",
    f"{SET} --origlang en -f text",
    f"{SET} -ol non-en -f text -m chrf",
    f"{SET} --subset US -b",
    f"{SET} --subset country:US -b",
    f"{SET} --subset US --origlang en -sl",
    f"{SET} --detail -f text",
    f"{SET} -d {ALL} -w 3",
    f"{SET} -d --subset US -m ter bleu",
    f"{SET} ref-of-set.txt -d",
    f"{SET} -d -nc",
    "-t wmt18 -l en-de -i set.txt ref-of-set.txt -f text",
    f"-t wmt18,wmt17 -l en-de -i both.txt {ALL} -f text",
    # WMT's XML, with a test suite, a segment without a reference and outputs of systems.
    "-t wmt23 -l en-de --echo src",
    "-t wmt23 -l en-de --echo ref docid",
    "-t wmt23 -l en-de --echo all",
    "-t wmt23 -l en-de --echo Online-B domain",
    "-t wmt23 -l en-de --echo src --origlang de --subset news",
    "--list -t wmt23 -l en-de",
    f"{XML} {ALL} -f text",
    f"{XML} --origlang non-en -w 3",
    f"{XML} --subset ^soc -sl",
    f"{XML} -d",
    f"{XML} -d --subset news {ALL} -w 3",
    # Plain text, and a set of two references.
    "-t multi30k/2016 -l en-fr --echo all",
    "-t multi30k/2016 -l en-fr -i ref-of-set.txt -d",
    "-t wmt20/tworefs -l de-en --echo ref",
    "-t wmt20/tworefs -l de-en --echo ref:1 src",
    f"-t wmt20/tworefs -l de-en -i set.txt {ALL}",
    "--version",
    "-V",
]

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

# Both refuse: metra with exit code 2 and one sentence, which has these words.
REFUSED = [
    pytest.param(f"{ONE} {ALL} -sl", "takes one metric", id="sentence level"),
    pytest.param(f"{ONE} -sl -ci", "no intervals", id="sentence level with interval"),
    pytest.param(f"{ONE} --paired-bs", "several systems", id="one system"),
    pytest.param(
        "ref1.txt -i solid.txt solid.txt -par", "several", id="twice the same"
    ),
    pytest.param(f"ref1.txt -i {SYSTEMS} -ci", "--paired-bs", id="interval of several"),
    pytest.param(f"ref1.txt -i {SYSTEMS} -par -pbs", "not allowed", id="both tests"),
    pytest.param("-i polished.txt", "nothing to compare with", id="no reference"),
    pytest.param("ref1.txt -i short.txt", "has 3 segments but", id="lengths"),
    pytest.param(
        "ref1.txt short.txt -i solid.txt", "reference 2 has 3", id="ref lengths"
    ),
    pytest.param("columns.tsv -i solid.txt -nr 3", "line 1: found 2", id="columns"),
    pytest.param("ref1.txt ref2.txt -nr 2 -i solid.txt", "exactly one", id="two files"),
    pytest.param("ref1.txt -i nowhere.txt", "cannot be read", id="no file"),
    pytest.param(f"{ONE} -tok 13b", "invalid choice", id="tokeniser"),
    pytest.param(f"{ONE} -m blue", "invalid choice", id="metric"),
    pytest.param("-t wmt18 -i set.txt", "language pair", id="no language pair"),
    pytest.param("-t wmt99 -l en-de -i set.txt", "No test set wmt99", id="unknown set"),
    pytest.param("-t wmt18 -l en-xx -i set.txt", "it has: en-de", id="unknown pair"),
    pytest.param("ref1.txt -i solid.txt solid.txt", "given twice", id="one file twice"),
    pytest.param(
        "ref1.txt -i solid.txt polished.txt polished.txt -pbs",
        "given twice",
        id="other",
    ),
    pytest.param(f"{ONE} -w -1", "at least 0", id="width"),
    pytest.param(f"{ONE} -l en", "such as en-de", id="one language"),
    pytest.param(f"{ONE} --origlang en", "need a test set", id="language of files"),
    pytest.param(f"{ONE} -nr 0", "at least 1", id="no columns"),
    pytest.param("gap.tsv -i two.txt -nr 2", "line 2: found 1", id="empty column"),
    pytest.param("empty.txt -i empty.txt", "no segments", id="empty files"),
    pytest.param(f"{SET} --origlang fr", "is of this --origlang", id="no segment"),
    pytest.param(f"{SET} --subset '('", "not a regular expression", id="subset"),
    pytest.param("-t wmt18 -l en-de --echo src all", "all stands for", id="echo all"),
    pytest.param("-t wmt18 -l en-de --echo prose", "has no field 'prose'", id="echo"),
    pytest.param(
        "-t multi30k/2016 -l en-fr -i ref-of-set.txt --origlang en",
        "are not known",
        id="no languages",
    ),
    pytest.param(
        "-t wmt17 -l en-de -i set.txt --subset US", "no domains or tags", id="no tags"
    ),
    pytest.param("two.txt -i windows.txt -e utf-99", "utf-99", id="encoding"),
    pytest.param("latin-ref.txt -i latin.txt", "UTF-8", id="not UTF-8"),
    pytest.param("--download nowhere", "No test set of sacreBLEU", id="download"),
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
        *((parameters.values[0], {}) for parameters in REFUSED),
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
    words |= {word for each in REFUSED for word in shlex.split(each.values[0])}
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
