"""Test sets and submissions of WMT25 and WMT26, as they are published."""

import gzip
import json
from pathlib import Path
from random import Random

import pytest

import metra
from metra.campaign.creation import open_campaign

WMT26 = "WMT26_###_{domain}_###_{source}_###_{target}_###_{name}"
WMT25 = "{short}_#_{domain}_#_{name}"
# Source, target, domain, id, source text, reference, outputs of two systems.
DOCUMENTS = [
    ("ces_Latn", "ukr_Cyrl", "news", "n1", "a\nb", "the cat sat\n\non the mat",
     ("the cat sat\n\non the mat", "cat is\non the mat")),
    ("ces_Latn", "ukr_Cyrl", "speech", "s1", "c", "a dog is in the house",
     ("a dog is in a house", "the dog is\tin house")),
    ("ces_Latn", "ukr_Cyrl", "news", "n2", "d", "it is a good day\ntoday",
     ("it is a good day", "it was a good day today")),
    ("eng_Latn", "deu_Latn", "news", "n3", "e", None, ("etwas", "anderes")),
    ("eng_Latn", "zho_Hans", "news", "n4", "f", "something", ("etwas", "anderes")),
]  # fmt: skip
SYSTEMS = ("One", "Two")


def name_document(layout, document):
    source, target, domain, name = document[:4]
    short = {"ukr_Cyrl": "cs-uk_UA", "deu_Latn": "en-de_DE", "zho_Hans": "en-zh_CN"}
    return layout.format(
        domain=domain, source=source, target=target, name=name, short=short[target]
    )


def write_files(folder, layout, documents=DOCUMENTS):
    """Write a test set and the submissions of two systems, each in another order."""
    test, submissions = [], [[], []]
    for number, document in enumerate(documents):
        source, target, domain, _, text, reference, outputs = document
        refs = {"refA": {"ref": reference}}
        if number == len(documents) - 1:
            refs["refB"] = {"ref": "another"}
        about = {"doc_id": name_document(layout, document)}
        languages = {"src_lang": source, "tgt_lang": target, "src_text": text}
        picture = {"screenshot": {"id": "7", "path": "x.png"} if number else None}
        more = {
            "video": None,
            "gold_transcript": None,
            "prompt_instruction": "Translate.",
        }
        more |= {"multimodal_instruction": None, "evaluation_instruction": "Look."}
        refs = {"refs": refs if reference else {}}
        test.append(about | {"domain": domain} | languages | picture | more | refs)
        for own, name, output in zip(submissions, SYSTEMS, outputs, strict=True):
            extra = {"system": name} if name == "Two" else {"metadata": {"n": [number]}}
            own.append(about | {"hypothesis": output} | extra)
    files = {"test": test, **dict(zip(SYSTEMS, submissions, strict=True))}
    for seed, (name, rows) in enumerate(files.items()):
        Random(seed).shuffle(rows)
        lines = (json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")


def list_scores(data):
    """List the scores of all systems by name."""
    return {
        f"{system['name']} {name}": figure["score"]
        for system in data["systems"]
        for name, figure in system["scores"].items()
    }


def score(cli, *arguments):
    """Return the scores of each system by BLEU and chrF."""
    data = json.loads(cli.ok("score", *arguments, *METRICS, "--format", "json").out)
    return list_scores(data)


METRICS = ("-m", "bleu", "-m", "chrf")
OUTPUTS = ("One.jsonl", "Two.jsonl")
PARTS = ("-s", "test.jsonl", "-r", "test.jsonl")
WAYS = [
    pytest.param(PARTS, id="-s and -r"),
    pytest.param(("-t", "./test.jsonl"), id="-t"),
]


@pytest.fixture(params=[WMT25, WMT26], ids=["WMT25", "WMT26"])
def published(request, tmp_path, monkeypatch):
    """The files in a folder, and the expected scores of cs-uk."""
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, request.param)
    chosen = DOCUMENTS[:3]
    outputs = {
        name: [document[6][at] for document in chosen]
        for at, name in enumerate(SYSTEMS)
    }
    results = metra.evaluate(
        metra.EvalSet([document[5] for document in chosen]), outputs, ["bleu", "chrf"]
    )
    return list_scores(json.loads(results.to_json()))


@pytest.mark.parametrize("way", WAYS)
def test_scores_of_one_pair(cli, published, way):
    assert score(cli, *OUTPUTS, *way, "-l", "cs-uk") == pytest.approx(published)
    ran = cli.ok("score", *OUTPUTS, *way, "-l", "cs-uk")
    assert "3 segments, 3 documents, 1 reference; 3 documents joined by doc" in ran.out
    refused = cli.refusal("score", *OUTPUTS, *way)
    assert "has 3 language pairs (cs-uk, en-de, en-zh)" in refused


@pytest.mark.usefixtures("published")
def test_references_of_other_pairs(cli):
    ran = cli.ok("score", *OUTPUTS, *PARTS, "-l", "en-zh")
    assert "2 references" in ran.out
    refused = cli.refusal("score", *OUTPUTS, *PARTS, "-l", "en-de")
    assert "has no column for the reference" in refused


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize("way", WAYS)
def test_domains_are_labels(cli, way):
    options = ("-l", "cs-uk", "--group-by", "domain", "--format", "json")
    groups = json.loads(cli.ok("score", *OUTPUTS, *way, *options).out)["groups"]
    assert {group["key"]["domain"]: group["segments"] for group in groups} == {
        "news": 2,
        "speech": 1,
    }


def test_a_document_without_a_reference(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lacking = (*DOCUMENTS[1][:3], "s2", "x", None, ("y", "z"))
    write_files(tmp_path, WMT26, [DOCUMENTS[0], lacking])
    refused = cli.refusal("score", *OUTPUTS, *PARTS)
    assert "has no reference" in refused


@pytest.mark.usefixtures("published")
def test_a_lacking_document_is_refused(cli, tmp_path):
    lines = (tmp_path / "One.jsonl").read_text().splitlines(keepends=True)
    kept = [line for line in lines if "n2" not in line]
    (tmp_path / "One.jsonl").write_text("".join(kept))
    refused = cli.refusal("score", *OUTPUTS, *PARTS, "-l", "cs-uk")
    assert "One.jsonl lacks 1 segment" in refused


@pytest.mark.parametrize("way", WAYS)
def test_comparison_and_report(cli, published, way):
    data = cli.ok(
        "compare", *OUTPUTS, *way, *METRICS, "-l", "cs-uk", "--format", "json"
    )
    assert list_scores(json.loads(data.out)) == pytest.approx(published)
    cli.ok("report", *OUTPUTS, *way, "-l", "cs-uk", "-o", "report.html")
    assert "cat is\\non the mat" in Path("report.html").read_text()


@pytest.mark.usefixtures("published")
def test_campaigns(cli, tmp_path, monkeypatch):
    files = [
        'name = "wmt"',
        'protocol = "da"',
        'source_language = "cs"',
        'target_language = "uk"',
        'judges = ["Ann", "Bob"]',
        "complete = true",
        "[files]",
        'outputs = ["One.jsonl", "Two.jsonl"]',
        'source = "test.jsonl"',
    ]
    campaign = tmp_path / "campaign.toml"
    monkeypatch.setenv("METRA_ADMIN_PASSWORD", "a long enough password")
    campaign.write_text("\n".join(files))
    refused = cli.refusal("judge", "init", campaign)
    assert "choose one with files.pair" in refused
    campaign.write_text("\n".join([*files, 'pair = "cs-uk"']))
    cli.ok("judge", "init", campaign)
    frozen = open_campaign(str(campaign))
    texts = {text for system in frozen.systems for text in system.outputs}
    assert texts == {text for document in DOCUMENTS[:3] for text in document[6]}


@pytest.mark.parametrize("layout", [WMT25, WMT26], ids=["WMT25", "WMT26"])
def test_meta_evaluation(cli, write, tmp_path, monkeypatch, layout):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, layout)
    rows = [
        f"cs-uk\t{system}\t{name_document(layout, document)}\t{90 - 10 * at - number}"
        for at, system in enumerate(SYSTEMS)
        for number, document in enumerate(DOCUMENTS[:3])
    ]
    gold = write("gold.tsv", ["lp\tsystem\tdoc\tesa", *rows])
    given = [part for path in OUTPUTS for part in ("--output", path)]
    options = ("--trials", "0", "--level", "sys", "--coef", "pearson")
    gold_options = (gold, "--gold", "esa", *given, "-r", "test.jsonl", "-m", "chrf")
    ran = cli.ok("meta", "correlate", *gold_options, *options)
    assert "chrf      1.000" in ran.out
    assert "seg:3/3" in ran.out


def test_the_submissions_themselves(cli, shared, tmp_path):
    """Real submissions, in the test set's order and in another, score the same."""
    folder = shared / "data" / "published-formats" / "wmt26-csuk"
    if not folder.is_dir():
        pytest.skip("the published submissions are not here")
    reference, *paths = sorted(folder.glob("*.gz"))

    def read(path):
        with gzip.open(path, "rt") as lines:
            return [json.loads(line) for line in lines]

    rows = read(reference)
    test = [
        {
            "doc_id": row["doc_id"],
            "src_text": "x",
            "refs": {"r": {"ref": row["hypothesis"]}},
        }
        for row in reversed(rows)
    ]
    set_path = tmp_path / "set.jsonl"
    set_path.write_text("".join(f"{json.dumps(row)}\n" for row in test))
    plain = {
        path.name.split(".")[0]: [row["hypothesis"] for row in read(path)]
        for path in paths
    }
    evalset = metra.EvalSet([row["hypothesis"] for row in rows])
    results = metra.evaluate(evalset, plain, ["bleu", "chrf"])
    expected = list_scores(json.loads(results.to_json()))
    assert score(cli, *paths, "-r", set_path) == pytest.approx(expected)
