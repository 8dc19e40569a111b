"""Marks of tools in lines: guards name them, `--clean` removes them, signatures say so."""

import json
import re
from pathlib import Path

import pytest
from tests.scoring.guard_samples import find_problems

from metra.campaign.creation import open_campaign
from metra.cli.options import READ_SETTINGS
from metra.corpus.examples import find_example
from metra.formats.texts.furniture import FURNITURE, make_cleaner

EXAMPLE = find_example()
SOLID = next(path for path in EXAMPLE.outputs if path.endswith("solid.txt"))
LINES, REF = (
    Path(path).read_text(encoding="utf-8").split("\n")[:-1]
    for path in (SOLID, EXAMPLE.references[0])
)


def cut_words(between):
    return [re.sub(r"(\w\w)(?=\w)", rf"\1{between}", line) for line in LINES]


#: Lines with marks, by the kind of marks and what is special about it.
MARKED = {
    "bom": [f"\ufeff{line}" for line in LINES],
    "think": [f"<think>Let me see: hm.</think> {line}" for line in LINES],
    "think: opened in the prompt": [
        f"Let me see.\u2028</think>{line}" for line in LINES
    ],
    "encoding": [line.replace("e", "Ã©") for line in LINES],
    "lost": [line.replace("e", "\ufffde") for line in LINES],
    "accents": [line.replace("e", "e\u0301") for line in LINES],
    "invisible": [line.replace(" ", " \u200b") for line in LINES],
    "colours": [f"\x1b[32m{line}\x1b[0m" for line in LINES],
    "unknown": [f"{line}<unk>" for line in LINES],
    "backslashes": [line.replace(",", "\\,").replace("'", "\\'") for line in LINES],
    "tags": [f"<s> {line} </s>" for line in LINES],
    "tags: the language": [f">>en<< {line}" for line in LINES],
    "tags: of NLLB": [f"</s> eng_Latn {line}</s>" for line in LINES],
    "preamble": [f"Here is the translation: {line}" for line in LINES],
    "preamble: sure": [f"Sure! Here’s the English version: {line}" for line in LINES],
    "preamble: bold": [f"**Translation:** {line}" for line in LINES],
    "json": [json.dumps(f"{line}\n") for line in LINES],
    "lists": [repr([line]) for line in LINES],
    "quotes": [f'"{line}"' for line in LINES],
    "quotes: as in CSV": ['"' + line.replace('"', '""') + '"' for line in LINES],
    "quotes: German": [f"„{line}“" for line in LINES],
    "numbering": [f"{at}. {line}" for at, line in enumerate(LINES, 1)],
    "numbering: brackets": [f"{at}) {line}" for at, line in enumerate(LINES)],
    "bpe": cut_words("@@ "),
    "sentencepiece": ["▁" + line.replace(" ", " ▁") for line in cut_words("_")],
    "wordpiece": cut_words(" ##"),
    "joiner": [line.replace(",", " ￭,").replace(".", " ￭.") for line in LINES],
    "entities": [line.replace("e", "&#101;") for line in LINES],
    "escapes": [line.replace("e", "\\u0065") for line in LINES],
}
MARKED["sentencepiece"] = [line.replace("_", " ") for line in MARKED["sentencepiece"]]

#: Letters that were not there.
CLEANED = {
    name: [x.replace("e", "é") for x in LINES] for name in ("encoding", "accents")
}


@pytest.mark.parametrize("case", MARKED)
def test_marks_are_found_and_removed(case):
    name, marked = case.partition(":")[0], MARKED[case]
    ((guard, problem),) = find_problems({"a": marked}, [REF])
    assert guard == "furniture"
    assert re.search(
        r"^The output 'a' has .* in \d\d of the 28 lines compared, such as .*; remove them "
        rf"with `clean` {name}, or correct the file\.$",
        problem,
    )
    assert make_cleaner(name)(marked) == CLEANED.get(name, LINES)
    # References that have them, too, may be of the same make, or just as wrong.
    texts = [text for _, text in find_problems({"a": marked}, [marked])]
    (kind,) = (kind for kind in FURNITURE if kind.name == name)
    assert any("clean" in text for text in texts) == (kind.certain <= 1)


def test_marks_in_references_and_in_few_lines():
    outputs = {"a": LINES[:3]}
    ((_, problem),) = find_problems(outputs, [MARKED["bpe"][:3]])
    assert problem.startswith("Reference 1 has marks of BPE (@@) in 3 of the 3 lines")
    assert problem.endswith("; correct the file.")
    assert find_problems(outputs, [[*LINES[:2], MARKED["bpe"][2]]]) == []


LEFT = [
    ("quotes", '"Yes," he said, "no."', None),
    ("quotes", '""Yes," he said, "no.""', '"Yes," he said, "no."'),
    ("quotes", '"He said "no" and left"', 'He said "no" and left'),
    ("quotes", "'tis John's", None),
    ("preamble", "Here is what we know: nothing", None),
    ("preamble", "Sure, translation is hard: they say", None),
    ("numbering", "3.5 degrees", None),
    ("numbering", "1984 was a year", None),
    ("entities", "AT&T; R&D", None),
    ("escapes", "\\ud83d\\ude00 \\u12", "😀 \\u12"),
    ("json", '"not \\json', None),
    ("think", "<think>and never an answer", ""),
    ("tags", "a <b>bold</b> word __init__", None),
    ("bpe", None, None),
    ("bpe", "  blanks stay  ", None),
]


@pytest.mark.parametrize(("name", "line", "cleaned"), LEFT)
def test_other_lines_stay(name, line, cleaned):
    assert make_cleaner(name)([line]) == [line if cleaned is None else cleaned]


def test_help_lists_all_kinds():
    names = [kind.name for kind in FURNITURE]
    (listed,) = re.findall(r": (.*);", READ_SETTINGS["clean=NAME+NAME"])
    assert re.split(r", | or ", listed) == names


def read_json(ran):
    return json.loads(ran.out)


@pytest.fixture
def marked(write):
    """Write lines with two kinds of marks."""
    return write("marked.txt", [f"<think>hm</think> {line}" for line in MARKED["bpe"]])


def test_scores_of_cleaned_outputs(cli, marked):
    ref = EXAMPLE.references[0]
    plain = read_json(
        cli("score", SOLID, "-r", ref, "-m", "bleu,chrf", "--format", "json")
    )
    given = ["score", marked, "-r", ref, "-m", "bleu,chrf", "--clean", "bpe,think"]
    cleaned = read_json(cli(*given, "--format", "json"))
    expected, found = (each["systems"][0]["scores"] for each in (plain, cleaned))
    for spec in ("bleu", "chrf"):
        assert found[spec]["score"] == expected[spec]["score"]
        assert "|clean:think+bpe|nrefs:1|" in found[spec]["signature"]
    # sacreBLEU has no word for it.
    assert "|clean:think+bpe|" in cli(*given, "--signature", "sacrebleu").out
    # The references stay as they are.
    swapped = cli("score", SOLID, "-r", marked, "--clean", "bpe+think", "-b")
    assert swapped.out == cli("score", SOLID, "-r", marked, "-b").out


def test_other_commands_clean(cli, marked, tmp_path):
    ref = ["-r", EXAMPLE.references[0]]
    clean = ["--read", "clean=bpe+think"]
    cli("convert", marked, *clean, "-o", tmp_path / "out.jsonl")
    rows = (tmp_path / "out.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert [json.loads(row)["output:marked"] for row in rows] == LINES
    compared = cli("compare", f"solid={SOLID}", marked, *ref, *clean)
    assert "clean:think+bpe" in compared.out
    assert "are equal in all 28 segments" in compared.err
    cli("score", SOLID, *ref, "--save", tmp_path / "base.json")
    gated = cli(
        "gate", f"solid={marked}", *ref, *clean, "--baseline", tmp_path / "base.json"
    )
    assert (gated.code, "are equal" in gated.err) == (0, False)
    campaign = tmp_path / "campaign.toml"
    campaign.write_text(
        'name = "a"\nprotocol = "ldc"\njudges = ["b", "c"]\nsource_language = "fr"\n'
        'target_language = "en"\n[files]\noutputs = ["marked.txt"]\n'
        'references = ["marked.txt"]\nclean = "bpe+think"\n'
    )
    (system,) = open_campaign(str(campaign)).systems
    assert list(system.outputs) == LINES
    page = tmp_path / "report.html"
    cli("report", marked, *ref, *clean, "-o", page)
    assert "clean:think+bpe" in page.read_text(encoding="utf-8")


def test_tables_and_what_cannot_be_cleaned(cli, marked, tmp_path):
    refused = cli.refusal("score", SOLID, "-r", EXAMPLE.references[0], "--clean", "bep")
    assert "No kind of marks named 'bep'. Did you mean 'bpe'?" in refused
    empty = cli.refusal("score", SOLID, "-r", EXAMPLE.references[0], "--clean")
    assert "No kind of marks named ''." in empty
    table = tmp_path / "t.parquet"
    pytest.importorskip("pyarrow")
    cli("convert", marked, "-r", EXAMPLE.references[0], "-o", table)
    cleaned = cli("score", table, "--clean", "bpe+think", "-b").out
    assert cleaned == cli("score", SOLID, "-r", EXAMPLE.references[0], "-b").out
    options = ["--clean", "bpe+think", "--scores-out", tmp_path / "scores"]
    assert cli.refusal("score", table, *options) == (
        "metra: --clean works on files that are scored as one corpus on this machine; leave "
        "out --scores-out, --resume, --group-by and --engine, or clean the table first with "
        "metra convert.\n"
    )


LOGS = {
    "an n-best list of Moses (0 ||| text ||| …)": "{0} ||| {1} ||| LM0= -1.2 ||| -3.4",
    "output of fairseq-generate (H-0, score and text, in another order)": "H-{0}\t-0.5\t{1}",
}


@pytest.mark.parametrize("what", LOGS)
def test_logs_of_decoders_are_refused(cli, write, what):
    path = write("log.txt", [LOGS[what].format(*pair) for pair in enumerate(LINES)])
    message = cli.refusal("score", path, "-r", EXAMPLE.references[0])
    assert message == (
        f"metra: {path} looks like {what}; give a file with the texts alone, one per line, "
        "or if it is text --read format=plain.\n"
    )
    # Who says that it is text has it as text.
    assert (
        cli("score", path, "-r", EXAMPLE.references[0], "--read", "format=plain").code
        == 0
    )
