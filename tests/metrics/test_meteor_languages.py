"""METEOR 1.5 in every language that its page names: equal to what the program prints.

`meteor_languages.json` holds sentences and paraphrases of our own, and the program's scores
of them. Where Java and the program's jar are installed, the program itself scores them, and
real outputs too. To store new scores: METRA_TEST_ACCEPT=1 pytest THIS_FILE
"""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.patience import PATIENCE

import metra
from metra.errors import MissingResourceError
from metra.formats.resources import find_wordnet_folder
from metra.text.columns import pack
from metra.text.preparation import make_preparation, prepare

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))

from meteor_program import (  # noqa: E402 (bench is no package)
    explain_missing,
    find_jar,
)

STORED = Path(__file__).with_name("meteor_languages.json")
LANGUAGES = json.loads(STORED.read_text(encoding="utf-8"))
#: Languages with parameters of their own.
TUNED = ("en", "cz", "de", "es", "fr", "ru")


class Config(NamedTuple):
    """How the program is called, and what is equal to it."""

    program: tuple[str, ...]
    spec: str
    text: str = "tokenised"
    refs: int = 2


def list_configs(lang: str, folder: Path) -> dict[str, Config]:
    """List the ways in which a language is scored; files are put into `folder`."""
    if lang not in TUNED:
        return {"default": Config((), "tok=none,case=mixed", refs=1)}
    table = folder / "table.gz"
    entries = [f"0.5\n{a}\n{b}\n" for a, b in LANGUAGES[lang]["paraphrases"]]
    table.write_bytes(gzip.compress("".join(entries).encode()))
    given, ours = ("-a", str(table)), f"paraphrase={table}"
    plain = f"{ours},tok=none,case=mixed"
    configs = {
        "default": Config(given, plain),
        "one reference": Config(given, plain, refs=1),
        "-lower": Config(("-lower", *given), f"{ours},tok=none", text="raw"),
        "-norm": Config(("-norm", *given), f"{ours},norm=yes", text="raw"),
        "-t universal": Config(("-t", "universal", *given), f"task=universal,{plain}"),
        "-m": Config(
            ("-m", "exact paraphrase", "-w", "1.0 0.3", *given),
            f"modules=exact+paraphrase,weights=1+0.3,{plain}",
        ),
    }
    if lang == "en":
        configs |= {
            f"-t {task}": Config(("-t", task, *given), f"task={task},{plain}")
            for task in ("adq", "hter", "util", "li")
        }
    return configs


@pytest.mark.parametrize("lang", LANGUAGES)
def test_our_sentences_score_as_in_the_program(lang, tmp_path):
    require_resources(lang)
    stored = LANGUAGES[lang]["scores"]
    configs = list_configs(lang, tmp_path)
    if not explain_missing():
        found = {name: run_config(lang, one, tmp_path) for name, one in configs.items()}
        if os.environ.get("METRA_TEST_ACCEPT"):
            stored.clear()
            stored.update(found)
            text = json.dumps(LANGUAGES, ensure_ascii=False, indent=1)
            STORED.write_text(f"{text}\n", encoding="utf-8")
        assert found == stored
    assert set(stored) == set(configs)
    for name, config in configs.items():
        hyps, refs = read_sentences(lang, config)
        result = metra.score(hyps, refs, f"meteor:lang={lang},{config.spec}")
        expected = stored[name]
        assert result.segments / 100 == pytest.approx(expected[:-1], abs=1e-9), name
        assert result.score / 100 == pytest.approx(expected[-1], abs=1e-9), name


def run_config(lang: str, config: Config, folder: Path) -> list[float]:
    """Score our sentences with the program: each segment, then all of them."""
    return run_program(
        folder, *read_sentences(lang, config), "-l", lang, *config.program
    )


def read_sentences(lang: str, config: Config) -> tuple[list[str], list[list[str]]]:
    """Give outputs, and each reference's sentences."""
    columns = [
        list(column) for column in zip(*LANGUAGES[lang]["sentences"], strict=True)
    ]
    if config.text == "tokenised":
        columns = [tokenise(column) for column in columns]
    return columns[0], columns[1 : 1 + config.refs]


def tokenise(texts: Sequence[str]) -> list[str]:
    """Cut and lower-case text, for programs that take words between blanks."""
    text = make_preparation(tok="13a", case="lower", stem="no")
    tokens = prepare(pack(list(texts), "texts"), text)
    return [" ".join(tokens[index]) for index in range(len(texts))]


def run_program(
    folder: Path, hyps: Sequence[str], refs: Sequence[Sequence[str]], *options: str
) -> list[float]:
    """Score with METEOR 1.5: a score for each segment, then that of all."""
    hyp_path, ref_path = folder / "hyps", folder / "refs"
    hyp_path.write_text("".join(f"{hyp}\n" for hyp in hyps), encoding="utf-8")
    by_segment = zip(*refs, strict=True)
    lines = (f"{ref}\n" for segment in by_segment for ref in segment)
    ref_path.write_text("".join(lines), encoding="utf-8")
    done = subprocess.run(
        [
            *("java", "-Xmx2G", "-jar", str(find_jar())),
            *(str(hyp_path), str(ref_path), "-q", "-r", str(len(refs)), *options),
        ],
        capture_output=True,
        check=True,
        timeout=10 * PATIENCE,
        encoding="utf-8",
    )
    scores = [float(line) for line in (done.stderr + done.stdout).split("\n") if line]
    assert len(scores) == len(hyps) + 1
    return scores


def require_resources(lang: str) -> None:
    """Skip English where its synonyms are missing."""
    try:
        if lang == "en":
            find_wordnet_folder("")
    except MissingResourceError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("lang", ["cz", "de", "es", "fr", "ru"])
def test_real_outputs_score_as_in_the_program(shared, read_table, lang, tmp_path):
    """Every segment and all of them together, to 1e-9: tokenised, and normalised."""
    if lacking := explain_missing():
        pytest.skip(f"METEOR 1.5 cannot run: {lacking}")
    folder = shared / "data"
    if not folder.is_dir():
        pytest.skip(f"needs real outputs, which are not at {folder}")
    modules = "exact" if lang == "cz" else "exact stem"
    options = ("-l", lang, "-m", modules)
    spec = f"meteor:lang={lang},modules={modules.replace(' ', '+')}"
    hyps, *refs = READERS[lang](folder, read_table)
    theirs = run_program(tmp_path, hyps, refs, "-norm", *options)
    check_equal(metra.score(hyps, refs, f"{spec},norm=yes"), theirs)
    hyps, *refs = map(tokenise, (hyps, *refs))
    theirs = run_program(tmp_path, hyps, refs, *options)
    check_equal(metra.score(hyps, refs, f"{spec},tok=none,case=mixed"), theirs)


def check_equal(result: metra.Result, theirs: list[float]) -> None:
    """Compare all segments, and the system."""
    differences = abs(result.segments / 100 - theirs[:-1])
    assert (differences > 1e-9).sum() == 0
    assert result.score / 100 == pytest.approx(theirs[-1], abs=1e-9)


def read_czech(folder: Path, read_table) -> list[list[str]]:
    """Thirteen outputs of each segment, with four references."""
    place = folder / "ort-encs-48refs"
    refs = {row["seg"]: row for row in read_table(place / "refs.tsv.gz")}
    outputs = read_table(place / "outputs.tsv.gz")
    columns = [[row["text"] for row in outputs]]
    for ref in ("R1", "R2", "R3", "R4"):
        columns.append([refs[row["seg"]][ref] for row in outputs])
    return columns


def read_german(folder: Path, read_table) -> list[list[str]]:
    """Three systems with the reference; a fourth stands in for a second one."""
    rows = read_table(folder / "wmt23-mqm-esa" / "en-de.outputs.tsv.gz")
    systems = ("NLLB_Greedy", "ONLINE-B", "GPT4-5shot")
    hyps = [row[system] for system in systems for row in rows]
    return [
        hyps,
        [row["refA"] for row in rows] * len(systems),
        [row["ONLINE-W"] for row in rows] * len(systems),
    ]


def read_spanish(folder: Path, read_table) -> list[list[str]]:
    """One system with a reference and five post-edited outputs."""
    segments: dict[tuple[str, str], list[str]] = {}
    for row in read_table(folder / "pe-iwslt2019-enes" / "segments.tsv.gz"):
        key = row["file_name"], row["line_in_file"]
        segments.setdefault(key, [row["MT"], row["REF"]]).append(row["PE"])
    return [list(column) for column in zip(*segments.values(), strict=True)]


def read_french(folder: Path, _read_table) -> list[list[str]]:
    """One system with its reference."""
    rows = read_objects(folder / "terminology" / "wmt21-tico-dev.en-fr.jsonl.gz")
    return [[row["outputs"]["Fairseq"] for row in rows], [row["ref"] for row in rows]]


def read_russian(folder: Path, _read_table) -> list[list[str]]:
    """Three systems with the reference; a fourth stands in for a second one."""
    rows = read_objects(folder / "terminology" / "wmt25-track1.en-ru.jsonl.gz")
    *systems, other = sorted(rows[0]["outputs"])[:40:10]
    hyps = [row["outputs"][system] for system in systems for row in rows]
    return [
        hyps,
        [row["ref"] for row in rows] * len(systems),
        [row["outputs"][other] for row in rows] * len(systems),
    ]


def read_objects(path: Path) -> list[dict]:
    """Read a packed file with a JSON object a line."""
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    return [json.loads(line) for line in lines if line]


READERS = {
    "cz": read_czech,
    "de": read_german,
    "es": read_spanish,
    "fr": read_french,
    "ru": read_russian,
}
