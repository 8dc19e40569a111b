"""A valid file of every format that metra reads, and the command that reads it."""

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.campaign.answers import made
from tests.markup import write_sgml, write_wmt_xml

from metra.corpus.examples import HOME
from metra.formats.resources import WORDNET_FILES
from metra.metrics.llm.cache import AnswerCache
from metra.metrics.llm.prompts import read_prompt
from metra.metrics.neural import bertscore, checkpoints, comet
from metra.report.campaign_files import export_judgements

FILE = "{file}"


class Sample(NamedTuple):
    """A file by name and content, and the arguments of the command that reads it."""

    name: str
    content: bytes
    #: FILE stands for the file's path.
    arguments: tuple[str, ...]
    #: Reads the file in place of a command, where that would need a network.
    read: Callable[[str], object] | None = None

    @property
    def title(self) -> str:
        """The format and the command, for counts and messages."""
        words = (word for word in self.arguments if word.isalpha())
        return f"{self.name}: {' '.join(words)}"


MARK = {
    "side": "output",
    "start": 0,
    "end": 1,
    "severity": "major",
    "category": "other",
}
ANSWERS = {"da": 40.0, "esa": {"errors": [], "esa": 50.0}, "mqm": {"mqm": [MARK]}}
SCORED = [
    ("A", 1, "ann", 3.0, 0.5),
    ("A", 2, "ann", 2.0, 0.25),
    ("B", 1, "bob", 1.0, 0.75),
    ("B", 2, "ann", 4.0, 0.125),
    ("A", 1, "bob", 3.5, 0.5),
    ("B", 1, "ann", 1.5, 0.75),
]
TMX = """<?xml version="1.0"?>
<tmx version="1.4"><header srclang="fr"/><body>
<tu><tuv xml:lang="fr"><seg>un chat</seg></tuv>
<tuv xml:lang="en"><seg>a <ph>x</ph>cat</seg></tuv></tu>
<tu><tuv xml:lang="fr"><seg>deux</seg></tuv><tuv xml:lang="en"><seg>two</seg></tuv></tu>
</body></tmx>
"""
XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2"><file source-language="fr" target-language="en"><body>
<trans-unit id="1"><source>un chat</source><target>a cat</target></trans-unit>
<trans-unit id="2"><source>deux</source><target>two</target><note>n</note></trans-unit>
</body></file></xliff>
"""
MARKS = '"[{""start_i"":1,""end_i"":2,""severity"":""minor""}]"'
ESA = f"""eng1,w.A,12,TGT,eng,deu,87,doc-1#A,False,{MARKS},1.5,2.5
eng1,w.B,13,TGT,eng,deu,100,doc-1#B,False,[],1.5,2.5
eng2,w.B,13,TGT,eng,deu,90,doc-1#B,False,[],1.5,2.5
eng1,w.B,13,BAD,eng,deu,20,doc-1#B#bad1,False,[],1.5,2.5
"""
APPRAISE = """u1,A,12,TGT,ces,eng,80,doc-1,False,1.5,2.5
u2,A,12,TGT,ces,eng,90,doc-1,False,1.5,2.5
u1,A,12,CHK,ces,eng,60,doc-1,False,1.5,2.5
"""
DA = "SYS SID RAW.SCR Z.SCR N \nX.7 177 100 0.62 1 \nY.7 177 75 -0.02 2 \n"
WORKERS = (
    "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n"
    "H\tM1\tcs\ten\tad\t4\tX\t100\tSYSTEM\t177\t0.5\t9.0\n"
    "H\tM2\tcs\ten\tad\t4\tX\t100\tSYSTEM\t177\t0.7\t9.0\n"
)
MQM = (
    "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\n"
    "A\td\t1\t7\tr1\ts\tt\tAccuracy/Mistranslation\tMajor\t{}\n"
    "A\td\t1\t7\tr2\ts\tt\tNo-error\tno-error\t{}\n"
    "B\td\t1\t7\tr1\ts\t<v>t</v>\tFluency/Grammar\tMinor\t{}\n"
)
COMET_LINES = (
    "a.txt\tSegment 0\tscore: 0.7500\nb.txt\tSegment 0\tscore: 0.2500\n"
    "a.txt\tSegment 1\tscore: 0.5000\nb.txt\tSegment 1\tscore: 0.1250\n"
    "a.txt\tscore: 0.6250\nb.txt\tscore: 0.1875\n"
)
COMET = {"a.txt": [{"COMET": 0.75}, {"COMET": 0.5}], "b.txt": [{"COMET": 0.1}] * 2}
PEARMUT = {
    "annotation": [{"one": {"score": 50, "error_spans": [], "textfield": None}}],
    "actions": [{"time": 100.0, "action": "load"}, {"time": 9.0, "action": "submit"}],
    "item": [{"item_id": "i1", "src": "s", "tgt": {"one": "a b c"}}],
    "user_id": "u",
    "item_i": 0,
}
WMT25 = {
    **{"language_pair": "en-ja", "domain": "news", "document_id": "d1"},
    "metric_scores": {"XCOMET-XL": [0.5, 0.25]},
}
WORDNET = {
    True: b"  1 WordNet 3.0 Copyright 2006 \nroad n 1 0 1 0 00613018 \n"
    b"way n 2 1 @ 2 0 00613018 02422967 \n",
    False: b"roads road\nwent go\n",
}
PARAPHRASES = b"0.5\nthe road\nthe way\n0.25\na bridge\nthe bridge\n"
SETTINGS = """class_identifier: xcomet_metric
input_segments: [mt, src, ref]
error_labels: [minor, major]
hidden_sizes:
- 8
layer: mix
"""
ANSWER = (
    '{"key": "k", "question": "q", "text": "90", "finish": "stop", "input_tokens": 5, '
    '"output_tokens": 1, "model": "m", "estimated": false}\n'
)


def write_folder(folder: Path) -> None:
    """Put what commands need besides the file into a folder: the shipped example."""
    shutil.copytree(HOME, folder, dirs_exist_ok=True)
    (folder / "password").write_text("correct horse battery\n")


def list_samples(folder: Path, run: object) -> list[Sample]:
    """Return all samples; `run` calls the command line, for what metra itself writes."""
    return [
        *_list_texts(folder, run),
        *_list_scores(folder, run),
        *_list_judgements(),
        *_list_annotations(folder, run),
        *_list_resources(folder),
        *_list_kept_files(folder, run),
        *_list_model_files(folder),
    ]


OUTPUTS = ("outputs/literal.txt", "outputs/polished.txt")


def _list_texts(folder: Path, run) -> Iterator[Sample]:
    ref, source = f"{folder}/reference.1.txt", f"{folder}/source.fr.txt"
    plain = (folder / OUTPUTS[0]).read_bytes()
    quick = ("-m", "bleu", "-m", "chrf")
    yield Sample("plain.txt", plain, ("score", FILE, "-r", ref, *quick))
    yield Sample(
        "plain.txt", plain, ("compare", ref, FILE, "-r", ref, "--trials", "19")
    )
    yield Sample("plain.txt", plain, ("profile", FILE, "-r", ref, "-s", source))
    yield Sample("plain.txt", plain, ("segment", "split", FILE, "--lang", "en"))
    yield Sample("docs.txt", (folder / "docs.txt").read_bytes(),
                 ("score", ref, "-r", ref, "--docs", FILE, "--level", "document"))  # fmt: skip
    texts = [f"{folder}/{name}" for name in OUTPUTS]
    for suffix in ("tsv", "csv", "jsonl", "json", "xlsx", "parquet"):
        out = folder / f"made.{suffix}"
        run("convert", *texts, "-r", ref, "-s", source, "--docs", f"{folder}/docs.txt",
            "-o", str(out))  # fmt: skip
        yield Sample(out.name, out.read_bytes(), ("score", FILE, *quick))
        other = folder / ("other.tsv" if suffix != "tsv" else "other.jsonl")
        yield Sample(out.name, out.read_bytes(), ("convert", FILE, "-o", str(other)))
    columns = {"source": source, "ref:R": ref}
    columns |= {f"output:{Path(path).stem}": path for path in texts}
    lines = {
        name: Path(path).read_text().splitlines() for name, path in columns.items()
    }
    documents = (folder / "docs.txt").read_text().splitlines()
    for name, write in (("made.sgm", write_sgml), ("made.xml", write_wmt_xml)):
        content = write(lines, documents).encode()
        yield Sample(name, content, ("score", FILE, *quick))
        yield Sample(name, content, ("convert", FILE, "-o", f"{folder}/x.tsv"))
    for name, content in (("a.tmx", TMX), ("a.xlf", XLIFF)):
        yield Sample(name, content.encode(), ("score", FILE, "-r", FILE))


def _list_scores(folder: Path, run) -> Iterator[Sample]:
    texts = [f"{folder}/{name}" for name in OUTPUTS]
    ref = f"{folder}/reference.1.txt"
    for form in ("json", "tsv"):
        path = folder / f"scores.{form}"
        run("score", *texts, "-r", ref, "--level", "system,segment", "--format", form,
            "-m", "bleu", "-m", "chrf", "-o", str(path))  # fmt: skip
        yield Sample(
            path.name, path.read_bytes(), ("meta", "rank", FILE, "--show", "missing")
        )
        yield Sample(path.name, path.read_bytes(), ("exercise", FILE))
    run("score", *texts, "-r", ref, "--save", f"{folder}/base.json")
    yield Sample("base.json", (folder / "base.json").read_bytes(),
                 ("gate", *texts, "-r", ref, "--baseline", FILE))  # fmt: skip
    header = ("system", "segment", "judge", "da", "bleu")
    rows = [header, *SCORED]
    matrix = "".join("\t".join(map(str, row)) + "\n" for row in rows)
    names = ("system", "segment", "judge", "score", "scorer")
    lines = "".join(
        json.dumps(dict(zip(names, (*row[:4], "da"), strict=True))) + "\n"
        for row in SCORED
    )
    long = "system\tsegment\tscorer\tjudge\tscore\n" + "".join(
        f"{system}\t{segment}\tda\t{judge}\t{da}\n"
        for system, segment, judge, da, _ in SCORED
    )
    agree = ("meta", "judges", FILE, "--trials", "9")
    rank = ("meta", "rank", FILE)
    correlate = ("meta", "correlate", FILE, "--gold", "da", "--trials", "9")
    for name, text, arguments in (
        ("matrix.tsv", matrix, correlate),
        ("matrix.tsv", matrix, (*agree, "--scorer", "da")),
        ("lines.jsonl", lines, agree),
        ("long.tsv", long, agree),
        ("long.csv", long.replace("\t", ","), rank),
        ("esa.csv", ESA, (*agree, "--scorer", "esa")),
        ("appraise.csv", APPRAISE, (*agree, "--scorer", "da")),
        ("da.txt", DA, (*rank, "--scorer", "da")),
        ("workers.tsv", WORKERS, agree),
        ("mqm.tsv", MQM, agree),
        ("mqm.tsv", MQM, 
         ("score", f"A={texts[0]}", f"B={texts[1]}", "-r", ref, "-m", f"spans:file={FILE}")),
        ("comet.txt", COMET_LINES, rank),
        ("comet.json", json.dumps(COMET), rank),
        ("comet.json", json.dumps(COMET), ("score", "--scores", FILE)),
        ("wmt25.jsonl", json.dumps(WMT25) + "\n", ("score", "--scores", FILE)),
        ("column.txt", "0.5\n" * 28,
         ("score", texts[0], "-r", ref, "-m", f"score@{FILE}:better=higher")),
        ("en-de.mqm.seg.score", "A\t1.5\nA\tNone\nB\t2\nB\t0\n", rank),
        ("a.seg.rating", 'A\t{"errors": []}\tann\n',
         ("score", f"A={texts[0]}", "-r", ref, "-m", f"spans:file={FILE}")),
    ):  # fmt: skip
        yield Sample(name, text.encode(), arguments)


def _list_judgements() -> Iterator[Sample]:
    imported = ("judge", "import", FILE, "--lang", "fr-en")
    for protocol, value in ANSWERS.items():
        judgements = [
            made(system, at, judge, value, name=protocol, outputs=("abc",), source="s")
            for system in ("one", "two")
            for at in (1, 2)
            for judge in ("ann", "bob")
        ]
        forms = {"da": ("jsonl", "tsv", "csv", "mt-metrics-eval", "zip"),
                 "esa": ("jsonl",), "mqm": ("jsonl",)}[protocol]  # fmt: skip
        for form in forms:
            file = export_judgements(form, judgements)
            name = f"{protocol}.{file.name}"
            if form == "jsonl":
                yield Sample(name, file.content, imported)
            yield Sample(name, file.content, ("exercise", FILE))
            if form in ("jsonl", "tsv", "mt-metrics-eval"):
                yield Sample(
                    name, file.content, ("meta", "rank", FILE, "--scorer", protocol)
                )
    yield Sample("pearmut.jsonl", json.dumps(PEARMUT).encode(), imported)


def _list_annotations(folder: Path, run) -> Iterator[Sample]:
    text, ref = f"{folder}/{OUTPUTS[0]}", f"{folder}/reference.1.txt"

    def measure(spec: str) -> tuple[str, ...]:
        return ("score", text, "-r", ref, "-s", f"{folder}/source.fr.txt", "-m", spec,
                "--docs", f"{folder}/docs.txt")  # fmt: skip

    parses = (folder / "parses/literal.conllu").read_bytes()
    template = (folder / "templates/literal.tsv").read_bytes()
    for name, content, arguments in (
        ("entities.tsv", None, measure(f"entities:file={FILE}")),
        ("terms.tsv", None, measure(f"terminology:file={FILE}")),
        ("salience.tsv", None, measure(f"ltv:weights={FILE}")),
        ("salience.tsv", None, ("weights", "show", FILE)),
        ("judged.tsv", None, measure(f"evaltrans:db={FILE}")),
        ("xcomet.json", None, measure(f"spans:file={FILE}")),
        ("xcomet.json", None, measure(f"outside:file={FILE}")),
        ("words.en.txt", None, measure(f"untranslated:dictionary={FILE}")),
        ("literal.conllu", parses, measure(f"xscore:parses={FILE}")),
        ("templates.tsv", template,
         measure(f"ie:templates={FILE},reference={folder}/templates/reference.tsv")),
        ("model.toml", (folder / "models/gisting.toml").read_bytes(),
         measure(f"quality:model={FILE}")),
        ("transfer.toml", None,
         measure(f"transfer:rules={FILE},source_parses={folder}/parses/source.fr.conllu,"
                 f"parses={folder}/parses/literal.conllu")),
        ("campaign.toml", None,
         ("judge", "init", FILE, "--store", "{folder}/judge.db", "--password-file",
          f"{folder}/password")),
        ("clarity.tsv", (folder / "exercise/clarity.tsv").read_bytes(),
         ("exercise", FILE)),
    ):  # fmt: skip
        whole = (folder / name).read_bytes() if content is None else content
        yield Sample(name, whole, arguments)
    run("evaltrans", "import", f"{folder}/judged.db", f"{folder}/judged.tsv")
    database = (folder / "judged.db").read_bytes()
    yield Sample("judged.db", database, ("evaltrans", "export", FILE))


def _list_resources(folder: Path) -> Iterator[Sample]:
    """Yield dictionaries, WordNet's files and paraphrase tables."""

    def measure(spec: str) -> tuple[str, ...]:
        return ("score", f"{folder}/{OUTPUTS[0]}", "-r", f"{folder}/reference.1.txt",
                "-m", spec)  # fmt: skip

    spelling = folder / "spelling"
    spelling.mkdir(exist_ok=True)
    files = {
        "en.dic": b"3\nroad/N\nbridge/N\nthe\n",
        "en.aff": b"SET UTF-8\nSFX N Y 1\nSFX N 0 s .\n",
    }
    for name, content in files.items():
        (spelling / name).write_bytes(content)
    for name, content in files.items():
        spec = f"untranslated:dictionary={spelling}/en.dic,rule=unknown"
        yield Sample(f"spelling/{name}", content, measure(spec))
    wordnet = folder / "wordnet"
    wordnet.mkdir(exist_ok=True)
    for name in WORDNET_FILES:
        (wordnet / name).write_bytes(WORDNET[name.startswith("index")])
    for name in ("index.noun", "index.verb", "noun.exc"):
        spec = f"meteor:wordnet={wordnet}"
        content = WORDNET[name.startswith("index")]
        yield Sample(f"wordnet/{name}", content, measure(spec))
    spec = f"meteor:paraphrase={FILE},modules=exact+paraphrase"
    yield Sample("paraphrases.txt", PARAPHRASES, measure(spec))
    yield Sample("paraphrases.gz", gzip.compress(PARAPHRASES), measure(spec))


def _list_kept_files(folder: Path, run) -> Iterator[Sample]:
    """Yield what is kept for a run to be resumed."""
    command = ("score", f"{folder}/made.parquet", "-m", "bleu", "-m", "nist", "--resume",
               f"{folder}/kept")  # fmt: skip

    def read(path: str) -> None:
        shutil.copy(path, totals)
        run(*command)

    run(*command)
    [totals] = (folder / "kept").glob("*.totals")
    yield Sample("kept/totals", totals.read_bytes(), command, read)


def _list_model_files(folder: Path) -> Iterator[Sample]:
    """Yield files of models and judges, which are read without them."""
    model = folder / "model"
    model.mkdir(exist_ok=True)
    for name, text, read in (
        ("model/hparams.yaml", SETTINGS, comet._read_settings),
        ("model/config.json", '{"num_hidden_layers": 4, "model_type": "mt5"}',
         lambda path: bertscore._choose_layer(str(Path(path).parent), 2)),
        ("model/tokenizer_config.json", '{"model_max_length": 512}',
         lambda path: checkpoints._read_longest(str(Path(path).parent))),
        ("model/model.safetensors.index.json", '{"weight_map": {"a": "config.json"}}',
         lambda path: checkpoints.list_weight_files("x", str(Path(path).parent))),
        ("baseline.csv", "LAYER,P,R,F\n1,0.5,0.5,0.5\n2,0.25,0.5,0.375\n",
         lambda path: bertscore._read_baseline(path, 2)),
        ("prompt.txt", "Score {hypothesis} against {reference}.\n", read_prompt),
        ("prompt.json", '[{"role": "user", "content": "Score {hypothesis}."}]',
         read_prompt),
        ("answers.jsonl", ANSWER * 2, lambda path: AnswerCache(path).refresh()),
    ):  # fmt: skip
        yield Sample(name, text.encode(), ("read",), read)
