"""`metra sacrebleu` prints what sacreBLEU prints, byte for byte, where metra counts."""

import json
import os
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.compat.peer_files import write_files
from tests.patience import PATIENCE
from tests.templates import expand, read_list

pytest.importorskip("sacrebleu", reason="needs sacrebleu (the group test)")

CONTENT, NAMES = read_list(Path(__file__).with_name("sacrebleu_calls.txt"))
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


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What each program prints for every call."""
    folder = tmp_path_factory.mktemp("sacrebleu")
    write_files(folder)
    calls = [*CALLS, *(call for call, _ in REFUSED)]
    words = json.dumps([shlex.split(call) for call in calls])
    (folder / "calls.json").write_text(words, encoding="utf-8")
    script = Path(__file__).with_name("peer_calls.py")
    printed = {}
    for program in ("sacrebleu", "metra"):
        subprocess.run(
            [sys.executable, script, program, "calls.json", "results.json"],
            cwd=folder,
            env=os.environ | {"SACREBLEU": "cache", "NO_COLOR": "1"},
            timeout=PATIENCE,
            check=True,
        )
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        printed[program] = dict(zip(calls, results, strict=True))
    return printed


@pytest.mark.parametrize("call", CALLS)
def test_the_same_output(call, printed):
    expected, ours = printed["sacrebleu"][call], printed["metra"][call]
    assert expected["code"] == 0, expected["err"]
    assert ours == expected


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_both_refuse(call, words, printed):
    assert printed["sacrebleu"][call]["code"] != 0
    ours = printed["metra"][call]
    assert (ours["code"], ours["out"]) == (2, "")
    assert words in ours["err"]
    assert ours["err"].count("\n") == 1


def test_help_names_the_flags_of_sacrebleu(cli):
    assert "`metra sacrebleu -h` lists all flags" in cli.ok("sacrebleu", "--help").out
