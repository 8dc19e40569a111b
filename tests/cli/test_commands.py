"""Help, version, the list of measures, the demo."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import get_completion_class

import metra
from metra.campaign.protocols.registry import PROTOCOLS
from metra.cli import MOST_UNGROUPED, completion
from metra.cli import cli as root
from metra.cli.help import GROUPS, TOPICS, walk_commands
from metra.cli.options import READ_SETTINGS
from metra.corpus import examples
from metra.formats.recognise import FORMATS
from metra.metrics import registry
from metra.metrics.options import read_parameters


@pytest.mark.parametrize("group", ["", "meta", "judge", "weights", "evaltrans"])
def test_no_command_is_explained_by_half_a_sentence(group, cli):
    listed = cli(*group.split(), "--help").out.partition("\nCommands:\n")[2]
    assert listed
    assert "..." not in listed


LEAVES = [
    context
    for context in walk_commands(root)
    if not isinstance(context.command, click.Group)
]


def test_long_help_has_groups():
    used = set()
    for context in LEAVES:
        options = [
            entry for entry in context.command.params if isinstance(entry, click.Option)
        ]
        text = context.command.get_help(context)
        titles = re.findall(r"^([A-Z][A-Za-z ]+):$", text, re.MULTILINE)
        if len(options) < MOST_UNGROUPED:
            assert titles == ["Options"], context.command_path
            continue
        assert len(titles) > 1, context.command_path
        for option in options:
            assert re.search(rf"^  .*{option.opts[-1]}\b", text, re.MULTILINE)
        used |= {option.name for option in options}
    named = " ".join(GROUPS.values()).split()
    assert len(named) == len(set(named))
    assert set(named) <= used


def test_every_command_has_an_example():
    for context in LEAVES:
        path = context.command_path.removesuffix(" OPTION")
        assert f"\n  {path}" in context.get_help().partition("\n")[2]


def test_groups_have_an_order(cli):
    text = cli("compare", "--help").out
    titles = re.findall(r"^([A-Z][A-Za-z ]+):$", text, re.MULTILINE)
    assert titles == ["Input", "Metrics", "Statistics", "Analyses", "Output"]


@pytest.mark.parametrize("topic", TOPICS)
def test_topics(topic, cli):
    ran = cli("help", topic)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == TOPICS[topic].write() + "\n"
    assert f"\n  {topic} " in cli("help").out


def test_topics_come_from_what_the_code_uses(cli):
    formats = cli("help", "formats").out
    for name, form in FORMATS.items():
        assert f"\n  {name} " in formats
        assert all(f" {suffix} " in formats for suffix in form.suffixes)
    assert metra.metric("bleu").signature() in cli("help", "signatures").out
    code = "".join(
        path.read_text() for path in Path(metra.__file__).parent.rglob("*.py")
    )
    explained = re.findall(r"\n  ([A-Z_]+) ", TOPICS["environment"].text)
    used = set(re.findall(r'"(METRA_[A-Z_]+)"', code)) - {"METRA_JUDGE_SERVING"}
    assert used
    assert used <= {*explained}


def test_examples_of_topics_work(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("out.txt", "ref.txt"):
        (tmp_path / name).write_text("a b\nc d\n")
    (tmp_path / "test.tsv").write_text("MT\tHuman\na b\ta c\n")
    (tmp_path / "out.csv").write_text("output;x\na b;1\nc d;2\n")
    (tmp_path / "comet.json").write_text('{"out": [{"COMET": 0.5}, {"COMET": 0.7}]}')
    for topic in TOPICS:
        for line in re.findall(r"^  metra (.+)$", TOPICS[topic].write(), re.MULTILINE):
            cli.ok(*shlex.split(line))


def test_help_of_a_command(cli):
    assert cli("help", "meta", "rank").out == cli("meta", "rank", "--help").out


COMPLETIONS = [
    pytest.param("metra sco", 1, "plain,score", id="command"),
    pytest.param("metra meta corr", 2, "plain,correlate", id="nested command"),
    pytest.param("metra score --show-al", 2, "plain,--show-alignment", id="option"),
    pytest.param(
        "metra score out.txt -m met", 4, "plain,meteor plain,metricx", id="metric"
    ),
    pytest.param(
        "metra score --ci-method ", 3, "plain,percentile plain,bca", id="choice"
    ),
    pytest.param("metra meta rank --show m", 4, "plain,missing", id="answer"),
    pytest.param("metra meta curve --over r", 4, "plain,references", id="open answer"),
    pytest.param(
        "metra meta rank --show missing --b", 5, "", id="not of the chosen answer"
    ),
    pytest.param("metra score ou", 2, "file,ou", id="argument"),
    pytest.param("metra score out.txt -r re", 4, "file,re", id="file of an option"),
]


@pytest.mark.parametrize(("line", "word", "offered"), COMPLETIONS)
def test_completions(line, word, offered, monkeypatch):
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(word))
    completion.add_file_names()
    bash = get_completion_class("bash")(root, {}, "metra", "_METRA_COMPLETE")
    assert bash.complete().split() == offered.split()


def test_the_script_in_a_real_bash(tmp_path):
    """Source it, and ask bash what it would offer."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    (tmp_path / "metra").write_text(f'#!/bin/sh\nexec {sys.executable} -m metra "$@"\n')
    (tmp_path / "metra").chmod(0o755)
    script = """source <(_METRA_COMPLETE=bash_source metra)
        COMP_WORDS=(metra score --verb) COMP_CWORD=2
        _metra_completion metra; echo "${COMPREPLY[@]}"; complete -p metra"""
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        [bash, "-c", script],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    reply, installed = done.stdout.strip().split("\n")
    assert reply == "--verbose"
    assert "_metra_completion metra" in installed


@pytest.mark.parametrize("name", registry.list_metrics())
def test_every_measure_is_explained(name, cli):
    out = cli("metrics", name).out
    assert out.startswith(f"{name}: ")
    for option in read_parameters(registry.find_factory(name)):
        assert f"\n  {option} " in out


def test_protocols_are_listed_and_explained(cli):
    listed = cli("help", "protocols").out
    assert "\n  cloze                  Cloze test\n" in listed
    assert cli("metrics", "cloze").out == cli("help", "cloze").out


@pytest.fixture(scope="module")
def demo(metra_command, tmp_path_factory):
    """What the demo printed, and the folder that it ran in."""
    folder = tmp_path_factory.mktemp("demo")
    return metra_command("demo", cwd=folder), folder


def test_what_the_demo_says_is_what_compare_says(cli, demo):
    shown = demo[0].out
    example = examples.find_example()
    by_name = {Path(path).stem: path for path in example.outputs}
    files = [by_name[name] for name in ("solid", "polished", "rule-based", "terse")]
    for reference in example.references:
        files += ["-r", reference]
    files += ["--docs", example.docs, "-s", example.source, "--baseline", "solid"]
    for metric in ("bleu", "chrf", "ter"):
        files += ["-m", metric]
    compared = cli("compare", *files, "--changes", "1:chrf").out
    _, table, findings, _ = shown.split("\n\n")
    table, _, legend = table.rpartition("\n")
    assert table.startswith("system ")
    assert table in compared
    sentence, change, before, after = findings.split("\n")
    for line in (legend, sentence):
        assert line in compared.split("\n")
    number, scores = re.search(r"Segment (\d+), .*: (chrf .+)", change).groups()
    found = re.search(rf"worse 1: segment {number}.*\n.*\n.*\n.*", compared)[0]
    assert scores in found
    assert before.split("  ")[-1] in found
    assert after.split("  ")[-1] in found


def test_what_the_demo_suggests_works(demo, cli, tmp_path, monkeypatch):
    ran, folder = demo
    monkeypatch.chdir(tmp_path)
    suggested = re.findall(r"^(?:Next)? +(metra .+)", ran.out, re.MULTILINE)
    assert [line.split()[1] for line in suggested] == ["score", "compare", "report"]
    for name, source in {
        "output.txt": "outputs/solid.txt",
        "old.txt": "outputs/solid.txt",
        "new.txt": "outputs/polished.txt",
        "reference.txt": "reference.1.txt",
    }.items():
        content = (folder / "metra-demo" / source).read_bytes()
        (tmp_path / name).write_bytes(content)
    for line in suggested:
        again = cli(*line.split()[1:])
        assert again.code == 0, line
        assert "report" in line or again.err == "", line
    assert (tmp_path / "report.html").exists()


def test_the_demo_leaves_changed_files_alone(demo, cli, tmp_path):
    shutil.copytree(demo[1] / "metra-demo", tmp_path, dirs_exist_ok=True)
    changed = tmp_path / "outputs" / "solid.txt"
    changed.write_text("mine\n" * 28)
    assert cli("demo", tmp_path).code == 0
    assert changed.read_text() == "mine\n" * 28


def test_the_example_is_whole():
    example = examples.find_example()
    assert len(example.outputs) == 12
    assert len(example.references) == 4
    for path in [*example.outputs, *example.references, example.source, example.docs]:
        with open(path, "rb") as file:
            content = file.read()
        assert content.count(b"\n") == 28
        assert content.endswith(b"\n")
        assert content.decode().strip()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bleu", "bleu: N-gram precision with a brevity penalty"),
        ("cloze", "cloze (Cloze test) is a protocol of metra judge."),
        ("parquet", "parquet is a format of texts, files that end in .parquet, .pq"),
        ("score", "Usage: metra score"),
    ],
)
def test_help_explains_names(cli, name, expected):
    ran = cli("help", name)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(expected)


def test_help_explains_every_metric_protocol_and_format(cli):
    for name in (*registry.list_metrics(), *PROTOCOLS, *FORMATS):
        assert cli("help", name).code == 0, name


def test_settings_of_reading_are_explained(cli):
    shown = cli("help", "read").out
    assert all(f"  {setting}" in shown for setting in READ_SETTINGS)
