"""Cases of the matrix: a file as people have it, a command, the truth, and what comes of it.

An outcome is one of

read      the true number, without a warning that the case does not expect
warned    a number with a sentence that names the problem
refused   exit code 2 and one sentence that names a file, or what the case names
silent    another number without such a sentence: the fault that the matrix looks for
false alarm, unclear, crashed   a true number with a wrong warning; other ends of a command
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.cli.matrix.texts import REF, A, bleu

from metra.campaign.creation import open_campaign
from metra.campaign.uploads import Upload, pair_uploads
from metra.errors import MetraError

#: Writes files into a folder and returns the arguments of a command.
Build = Callable[[Path], Sequence[str | Path]]


class Case(NamedTuple):
    """A file of a kind, the command it is given to, and what is true of it."""

    build: Build
    #: Outputs by system; the name * stands for any.
    systems: Mapping[str, Sequence[str]] = {"*": A}
    reference: Sequence[str] = REF
    #: Outcomes that are right, with blanks between them.
    expect: str = "read refused warned"
    #: What a warning or a refusal has to say.
    says: str = ""
    command: str = "score"
    #: Scores that are as true, such as those without a segment that has no translation.
    also: Sequence[Mapping[str, float]] = ()
    #: True scores by name where they are not of texts.
    scores: Mapping[str, float] | None = None

    @property
    def truths(self) -> list[Mapping[str, float]]:
        if self.scores is not None:
            return [self.scores, *self.also]
        texts = self.systems.items()
        return [{name: bleu([*t], [*self.reference]) for name, t in texts}, *self.also]


class Outcome(NamedTuple):
    """What came of a case, with the words or the numbers that show it."""

    kind: str
    shown: str = ""


def run_case(case: Case, folder: Path, cli: Callable) -> Outcome:
    """Write the files of a case, run its command and say what came of it."""
    arguments = [str(argument) for argument in case.build(folder)]
    if case.command in ("web", "judge"):
        return _check_texts(case, folder, arguments)
    ran = COMMANDS[case.command](cli, arguments, folder)
    said = ran.err.replace(f"{folder}/", "")
    if ran.code:
        return _judge_refusal(case, folder, ran.code, ran.out, said)
    if case.command == "convert":
        is_true = _read_pairs(ran.out) == _list_pairs(case)
        said = re.sub(r"metra: wrote .*\n", "", said)
        return _judge_answer(case, is_true, said, ran.out[:300])
    found = READERS[case.command](ran.out)
    is_true = any(_is_same(truth, found) for truth in case.truths)
    return _judge_answer(case, is_true, said, f"{found} for {case.truths}")


def _judge_refusal(case: Case, folder: Path, code: int, out: str, said: str) -> Outcome:
    files = [path for path in folder.rglob("*") if path.is_file()]
    names = [name for path in files for name in (path.name, f"'{path.stem}'")]
    lines = said.strip().split("\n")
    if code != 2 or out or "Traceback" in said:
        return Outcome("crashed", f"{code} {said[-300:]}")
    # Warnings may come before a refusal.
    is_sentence = lines[-1].startswith("metra: ") and lines[-1].endswith((".", "?"))
    # A table without a reference is refused by the metric that needs it.
    says = f"{case.says or 'needs a reference; give one'}|^metra: standard input"
    is_named = any(name in said for name in names) or re.search(says, said)
    return Outcome("refused" if is_sentence and is_named else "unclear", said)


def _judge_answer(case: Case, is_true: bool, said: str, shown: str) -> Outcome:
    names_problem = bool(case.says and re.search(case.says, said))
    if names_problem:
        return Outcome("read" if is_true and "read" in case.expect else "warned", said)
    if not is_true:
        return Outcome("silent", f"{shown} {said}".strip())
    alarm = "warning" in said
    return Outcome("false alarm" if alarm else "read", said)


def _is_same(truth: Mapping[str, float], found: Mapping[str, float]) -> bool:
    if "*" in truth and len(truth) == 1:
        truth = dict.fromkeys(found, truth["*"]) if len(found) == 1 else truth
    return truth.keys() == found.keys() and all(
        abs(truth[name] - found[name]) < 1e-5 for name in truth
    )


def _run_score(cli: Callable, arguments: list[str], _: Path):
    return cli("score", *arguments, "--format", "json")


def _run_piped(cli: Callable, arguments: list[str], _: Path):
    """Give the first file by standard input."""
    content = Path(arguments[0]).read_bytes()
    return cli("score", "-", *arguments[1:], "--format", "json", stdin=content)


def _run_compare(cli: Callable, arguments: list[str], _: Path):
    return cli("compare", *arguments, "--trials", "20", "--format", "json")


def _run_report(cli: Callable, arguments: list[str], folder: Path):
    ran = cli("report", *arguments, "-m", "bleu", "-o", folder / "page.html")
    said = re.sub(r"metra: wrote .*\n", "", ran.err)
    page = folder / "page.html"
    return ran._replace(err=said, out=page.read_text() if page.exists() else "")


def _run_convert(cli: Callable, arguments: list[str], folder: Path):
    out = folder / "converted.jsonl"
    ran = cli("convert", *arguments, "-o", out)
    return ran._replace(out=out.read_text() if out.exists() else ran.out)


def _run_segments(cli: Callable, arguments: list[str], _: Path):
    return cli("score", *arguments, "--level", "segment", "--format", "json")


def _run_any(cli: Callable, arguments: list[str], _: Path):
    return cli(*arguments)


def _run_rank(cli: Callable, arguments: list[str], _: Path):
    ran = cli("meta", "rank", *arguments, "--format", "json")
    # Notes stand below a table, where warnings of other commands are on the screen.
    notes = json.loads(ran.out)["notes"] if ran.code == 0 else []
    return ran._replace(err="\n".join([ran.err, *notes]))


COMMANDS = {
    "score": _run_score,
    "piped": _run_piped,
    "compare": _run_compare,
    "report": _run_report,
    "convert": _run_convert,
    "any": _run_any,
    "segments": _run_segments,
    "direction": _run_any,
    "rank": _run_rank,
}


def _read_scores(out: str) -> dict[str, float]:
    """Read one score of each system, of the last metric if there are several."""
    return {
        system["name"]: [*system["scores"].values()][-1]["score"]
        for system in json.loads(out)["systems"]
    }


def _read_segments(out: str) -> dict[str, float]:
    """Read the scores of segments by system and number, of the last metric."""
    return {
        f"{system['name']} {number}": score
        for system in json.loads(out)["systems"]
        for number, score in enumerate([*system["segments"].values()][-1], 1)
    }


def _read_direction(out: str) -> dict[str, float]:
    [comparison, *_] = json.loads(out)["comparisons"]
    return {"higher_is_better": comparison["higher_is_better"]}


def _read_page(out: str) -> dict[str, float]:
    """Read the scores of systems from the data of a report."""
    data = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', out, re.S)
    content = json.loads(data[1]) if data else {"systems": [], "corpus": [[]]}
    return dict(zip(content["systems"], content["corpus"][-1], strict=True))


def _read_means(out: str) -> dict[str, float]:
    """Read the mean of each system from the ranking of `metra meta rank`."""
    means = {}
    for row in json.loads(out)["tables"]["ranking"]:
        mean = row["mean"]
        means[row["system"]] = mean["value"] if isinstance(mean, dict) else mean
    return means


READERS = {
    "score": _read_scores,
    "piped": _read_scores,
    "compare": _read_scores,
    "report": _read_page,
    "any": _read_scores,
    "segments": _read_segments,
    "direction": _read_direction,
    "rank": _read_means,
}


def _list_pairs(case: Case) -> list[tuple[str, ...]]:
    """List outputs with their reference, in an order of their own."""
    return sorted(zip(*case.systems.values(), case.reference, strict=True))


def _read_pairs(out: str) -> list[tuple[str, ...]]:
    rows = [json.loads(line) for line in out.splitlines()]
    names = [name for name in rows[0] if name.startswith("output")]
    refs = [name for name in rows[0] if name.startswith("ref")]
    if "label:system" in rows[0]:
        # Rows stay as they are; a row of a segment for each system.
        by_reference: dict[str, list[str]] = {}
        for row in rows:
            by_reference.setdefault(row[refs[0]], []).append(row[names[0]])
        return sorted((*texts, ref) for ref, texts in by_reference.items())
    return sorted(tuple(row[name] or "" for name in [*names, *refs]) for row in rows)


def _check_texts(case: Case, folder: Path, arguments: list[str]) -> Outcome:
    """Read files as the web and as campaigns do: outputs, `-r` and `-s`."""
    files = _group_files(arguments)
    try:
        if case.command == "web":
            uploads = [
                Upload(use, Path(path).name, Path(path).read_bytes())
                for use, paths in files.items()
                for path in paths
            ]
            paired = pair_uploads(uploads)
            texts, said = paired.texts, "\n".join(paired.warnings)
            columns = [*texts.outputs.values(), *texts.references]
        else:
            opened = open_campaign(str(_write_campaign(folder, files)))
            said = ""
            columns = [list(system.outputs) for system in opened.systems]
            references = zip(*(s.references for s in opened.segments), strict=True)
            columns += [list(column) for column in references]
    except MetraError as error:
        return _judge_refusal(case, folder, 2, "", f"metra: {error}")
    pairs = sorted(
        tuple(text or "" for text in row) for row in zip(*columns, strict=True)
    )
    is_true = pairs == _list_pairs(case)
    return _judge_answer(case, is_true, said, f"{pairs[:2]}")


def _group_files(arguments: list[str]) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {}
    use = "output"
    for argument in arguments:
        if argument in ("-r", "-s"):
            use = {"-r": "reference", "-s": "source"}[argument]
            continue
        files.setdefault(use, []).append(argument)
        use = "output"
    return files


def _write_campaign(folder: Path, files: Mapping[str, list[str]]) -> Path:
    keys = {"output": "outputs", "reference": "references"}
    lines = [f"{keys[use]} = {json.dumps(files[use])}" for use in keys if use in files]
    lines += [f"source = {json.dumps(path)}" for path in files.get("source", [])]
    path = folder / "campaign.toml"
    head = (
        'name = "matrix"\nsource_language = "de"\ntarget_language = "en"\n'
        'protocol = "adequacy"\njudges = ["ann", "bob"]\neach = 1\n\n[files]\n'
    )
    path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    return path
