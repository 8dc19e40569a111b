"""`metra sacrebleu` prints what sacreBLEU 2.6.0 prints, byte for byte, flag by flag."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import PATIENCE

from metra.compat.sacrebleu.arguments import list_flags
from metra.corpus import examples

pytest.importorskip("sacrebleu", reason="needs sacrebleu (the group test)")

ONE = "ref1.txt -i polished.txt"
TWO = "ref1.txt ref2.txt -i polished.txt"
THREE = "ref1.txt ref2.txt ref3.txt -i polished.txt"
SYSTEMS = "polished.txt solid.txt wrong-terms.txt rule-based.txt"
HARD = "hard-ref.txt -i hard.txt"
ALL = "-m bleu chrf ter"
SET = "-t wmt18 -l en-de -i set.txt"

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
    f"{ONE} -ci -cin 60 -b -w 2",
    f"{ONE} -ci -cin 1 -f text",
    # Several systems.
    f"ref1.txt -i {SYSTEMS}",
    f"ref1.txt -i {SYSTEMS} {ALL} -f text",
    f"ref1.txt -i {SYSTEMS} {ALL} -f latex -w 3",
    f"ref1.txt -i {SYSTEMS} {ALL} -f json -w 2 -b",
    f"ref1.txt ref2.txt -i ref1.txt {SYSTEMS} -m bleu ter -f text -sh",
    "ref1.txt -i odd_name.txt ref1.txt -f latex",
    # Paired tests.
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
    "--list -t wmt18 -l en-de",
    f"{SET}",
    f"{SET} {ALL} -f text -w 3",
    f"{SET} --origlang en -f text",
    f"{SET} -ol non-en -f text -m chrf",
    f"{SET} --subset US -b",
    f"{SET} --subset US --origlang en -sl",
    f"{SET} --detail -f text",
    f"{SET} -d {ALL} -w 3",
    "-t wmt18 -l en-de -i set.txt ref-of-set.txt -f text",
    "-t wmt18,wmt17 -l en-de -i both.txt {ALL} -f text".replace("{ALL}", ALL),
    "--version",
    "-V",
]

# The same with other settings of the environment.
ENVIRONMENTS = [
    (f"{ONE} -f json", {"SACREBLEU_FORMAT": "text"}),
    (f"{ONE} -b", {"SACREBLEU_FORMAT": "unknown"}),
    (f"{ONE} -ci -cin 100 -w 4", {"SACREBLEU_SEED": "7"}),
    (f"ref1.txt -i {SYSTEMS} -par -parn 90 -f json", {"SACREBLEU_SEED": "99"}),
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
    pytest.param(
        "-t wmt99 -l en-de -i set.txt", "not on this machine", id="unknown set"
    ),
    pytest.param("-t wmt18 -l en-xx -i set.txt", "only for en-de", id="unknown pair"),
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """The shipped example under short names, hard texts, and a cache with two test sets."""
    folder = tmp_path_factory.mktemp("sacrebleu")
    home = examples.HOME
    for number in (1, 2, 3, 4):
        text = (home / f"reference.{number}.txt").read_text(encoding="utf-8")
        write_text(folder / f"ref{number}.txt", text)
    for name in SYSTEMS.split():
        text = (home / "outputs" / name).read_text(encoding="utf-8")
        write_text(folder / name, text)
    write_text(folder / "odd_name.txt", text)
    write_lines(folder / "hard.txt", [left for left, _ in HARD_LINES])
    write_lines(folder / "hard-ref.txt", [right for _, right in HARD_LINES])
    write_lines(folder / "short.txt", ["a", "b", "c"])
    rows = zip(*(read_lines(folder / f"ref{at}.txt") for at in (1, 2)), strict=True)
    write_lines(folder / "columns.tsv", ["\t".join(row) for row in rows])
    latin = [["Ä été à la plage", "señor López"], ["Il a été à la mer", "señora López"]]
    for name, lines in zip(("latin.txt", "latin-ref.txt"), latin, strict=True):
        (folder / name).write_bytes("".join(f"{x}\n" for x in lines).encode("latin-1"))
    import gzip

    packed = gzip.compress((folder / "ref1.txt").read_bytes())
    (folder / "ref1.txt.gz").write_bytes(packed)
    write_cache(folder)
    return folder


HARD_LINES = [
    ("The cat  sat on the mat .  ", "The cat sat on a mat."),
    ("he's, there ... 5.5 % of it", "he's, there ..5 (5,5%) of it"),
    ("", "nothing came out"),
    ("nothing was expected", ""),
    ("&amp;quot;Tom &amp; Ann&quot; <b>", '"Tom & Ann" &lt;b&gt;'),
    ("我喜歡吃蘋果。真的! 10個", "我喜欢吃苹果。真的！10个"),
    ("Это — моя книга: «Пять»", "Это моя книга, „Пять“…"),
    ("ὁ ΛΌΓΟΣ ἰδού", "ὁ λόγος ἰδού"),
    ("x\ry\u00a0z\u2028w", "x y z w"),
    ("a b c d e f g h i j", "f g h i j a b c d e"),
    ("İstanbul'da yaz-kış", "istanbul'da kış - yaz"),
    ("کتابِ من را بخوان، لطفاً؟", "کتاب مرا بخوان لطفاً."),
]

DOCUMENTS = [  # identifiers that sacreBLEU has tags of, and their languages
    ("rt.com.68098", "en", ["the cat sat on a mat .", "a b c d e f"]),
    ("bbc.310963", "en", ["no one knows why this is so"]),
    ("guardian.181611", "de", ["he went to the sea in May", "and came back in June"]),
    ("unknown.1", "de", ["it rained on the way home again"]),
]


def write_cache(folder: Path) -> None:
    """Write two test sets as sacreBLEU keeps them, so that nothing is downloaded."""
    lines = [line for _, _, part in DOCUMENTS for line in part]
    outputs = [line.replace("a", "the", 1) for line in lines]
    write_lines(folder / "set.txt", outputs)
    write_lines(folder / "ref-of-set.txt", lines)
    write_lines(folder / "both.txt", [*outputs, *outputs])
    for name in ("wmt18", "wmt17"):
        place = folder / "cache" / name
        year = name.removeprefix("wmt")
        raw = place / "raw"
        source = raw / "test" / f"newstest20{year}-ende-src.en.sgm"
        source.parent.mkdir(parents=True)
        # sacreBLEU looks whether the archives are there, and at the languages in the source.
        for archive in ("test.tgz", "test-update-1.tgz"):
            write_text(raw / f"{name}.{archive}", "not read\n")
        documents = [
            f'<doc docid="{document}" genre="news" origlang="{language}">\n<p>\n'
            + "".join(f'<seg id="{at}">{x}</seg>\n' for at, x in enumerate(part, 1))
            + "</p>\n</doc>\n"
            for document, language, part in DOCUMENTS
        ]
        write_text(source, f"<srcset>\n{''.join(documents)}</srcset>\n")
        fields = {
            "src": [line.upper() for line in lines],
            "ref": lines,
            "docid": [name for name, _, part in DOCUMENTS for _ in part],
            "genre": ["news"] * len(lines),
            "origlang": [language for _, language, part in DOCUMENTS for _ in part],
        }
        for field, values in fields.items():
            write_lines(place / f"{name}.en-de.{field}", values)


def write_lines(path: Path, lines: list[str]) -> None:
    write_text(path, "".join(f"{line}\n" for line in lines))


def write_text(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def read_lines(path: Path) -> list[str]:
    return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")


@pytest.fixture(scope="module")
def peer(workspace):
    """What sacreBLEU prints for every call: by arguments and environment."""
    calls = [
        *((call, {}) for call in CALLS),
        *ENVIRONMENTS,
        *((parameters.values[0], {}) for parameters in REFUSED),
    ]
    records = [
        {"arguments": shlex.split(call), "environment": environment}
        for call, environment in calls
    ]
    (workspace / "calls.json").write_text(json.dumps(records), encoding="utf-8")
    script = Path(__file__).with_name("peer_calls.py")
    subprocess.run(
        [sys.executable, script, "calls.json", "results.json"],
        cwd=workspace,
        env=os.environ | {"SACREBLEU": str(workspace / "cache")},
        timeout=PATIENCE,
        check=True,
    )
    results = json.loads((workspace / "results.json").read_text(encoding="utf-8"))
    keys = [(call, str(environment)) for call, environment in calls]
    return dict(zip(keys, results, strict=True))


@pytest.fixture
def ours(workspace, monkeypatch, cli):
    """Run `metra sacrebleu` with a line of arguments, in the same folder."""
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("SACREBLEU", str(workspace / "cache"))
    for name in ("SACREBLEU_SEED", "SACREBLEU_FORMAT"):
        monkeypatch.delenv(name, raising=False)
    return lambda call: cli("sacrebleu", *shlex.split(call))


@pytest.mark.parametrize("call", CALLS)
def test_the_same_output(call, peer, ours):
    expected = peer[call, "{}"]
    assert expected["code"] == 0, expected["err"]
    ran = ours(call)
    assert ran.code == 0, ran.err
    assert ran.out == expected["out"]


@pytest.mark.parametrize(("call", "environment"), ENVIRONMENTS)
def test_the_same_output_under_settings(call, environment, peer, ours, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ours(call).out == peer[call, str(environment)]["out"]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_both_refuse(call, words, peer, ours):
    assert peer[call, "{}"]["code"] != 0
    ran = ours(call)
    assert ran.code == 2
    assert ran.out == ""
    assert words in ran.err
    assert ran.err.count("\n") == 1


#: Flags that no call above has, and why.
ELSEWHERE = {
    "--citation": "metra has no citations",
    "--cite": "metra has no citations",
    "--download": "metra downloads nothing",
}


def test_every_flag_is_called():
    words = {word for call in CALLS for word in shlex.split(call)}
    words |= {word for each in REFUSED for word in shlex.split(each.values[0])}
    for flag in list_flags():
        names = set(flag.option_strings)
        assert names & words or names <= ELSEWHERE.keys(), names


def test_there_are_many_calls():
    assert len(set(CALLS)) >= 60


# Where metra differs on purpose: docs/sacrebleu.md says who is right.


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


def test_standard_input(cli, ours, workspace):
    text = (workspace / "polished.txt").read_bytes()
    expected = ours(ONE).out
    assert cli("sacrebleu", "ref1.txt", stdin=text).out == expected


def test_the_list_has_what_is_on_this_machine(ours):
    lines = ours("--list").out.splitlines()
    assert lines[0] == "The available test sets are:"
    assert [line.split()[0] for line in lines[1:]] == ["wmt17", "wmt18"]
    assert ours("--list -t wmt18").out == "en-de: src, ref, docid, genre, origlang\n"
    assert ours("--list -l en-fr").out == "The available test sets for en-fr are:\n"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("--download wmt19", "metra downloads nothing"),
        ("--citation -t wmt18", "no citations"),
        (f"{ONE} --detail", "need a test set (-t)"),
        ("-t wmt18 ref1.txt -l en-de -i set.txt", "exclude each other"),
        (f"{SET} --subset '('", "no regular expression"),
        (f"{SET} --origlang fr", "No segment of the test set"),
        ("-t wmt18 -l en-de --echo prose", "has no field 'prose'"),
        ("--echo src", "--echo needs a test set"),
        (f"{ONE} -e utf-99", "no encoding named"),
        ("latin-ref.txt -i latin.txt", "UTF-8"),
        ("latin-ref.txt -i latin.txt -e ascii", "is not ascii: byte 6"),
    ],
)
def test_other_refusals(call, words, ours):
    ran = ours(call)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1


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
