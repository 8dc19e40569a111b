"""Names that others rely on: Python, commands and options, JSON keys, the store's tables.

If a change is meant, accept it with: METRA_TEST_ACCEPT=1 pytest tests/test_public_names.py
"""

import json
import os
from pathlib import Path
from typing import Any

import click
import pytest
from tests.golden_run import inside

import metra
from metra.cli import CommandWithViews

EXPECTED = Path(__file__).parent / "public_names"
ROOT = Path(__file__).parent.parent


def hold_against(name: str, lines: list[str]) -> None:
    """Compare lines with the stored ones, or store them."""
    place = EXPECTED / name
    if os.environ.get("METRA_TEST_ACCEPT"):
        place.parent.mkdir(exist_ok=True)
        place.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert lines == place.read_text(encoding="utf-8").splitlines()


def test_python_names():
    hold_against("python.txt", sorted(metra.__all__))
    assert all(hasattr(metra, name) for name in metra.__all__)


def list_options(command: click.Command, path: str) -> list[str]:
    """Write a command and those below it, a line for each argument and option."""
    lines = [path]
    for one in command.params:
        names = " ".join([*one.opts, *one.secondary_opts])
        # Our own types are shown as the click type that they refine.
        classes = type(one.type).__mro__
        kind = next(c.__name__ for c in classes if c.__module__.startswith("click"))
        if isinstance(one.type, click.Choice):
            kind = "|".join(map(str, one.type.choices))
        elif isinstance(one.type, (click.IntRange, click.FloatRange)):
            kind = f"{kind} {one.type.min}..{one.type.max}"
        default = (
            one.default if isinstance(one.default, (str, int, float, bool)) else None
        )
        flags = {
            "argument": isinstance(one, click.Argument),
            "required": one.required,
            "flag": getattr(one, "is_flag", False),
            "multiple": getattr(one, "multiple", False),
            "hidden": getattr(one, "hidden", False),
            f"nargs={one.nargs}": one.nargs != 1,
            f"default={default}": default not in (None, False),
            f"env={one.envvar}": one.envvar is not None,
        }
        told = [name for name, is_so in flags.items() if is_so]
        lines.append("  ".join([f"  {names}", kind, *told]))
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            lines += list_options(below, f"{path} {name}")
    if isinstance(command, CommandWithViews) and command.is_default:
        for value, view in [*command.views.items()][1:]:
            lines += list_options(view, f"{path} {command.chooser} {value}")
    return lines


def test_commands_and_options():
    hold_against("commands.txt", list_options(inside.command_tree, "metra"))


def list_keys(value: Any, path: str = "") -> set[str]:
    """List the paths of all keys; names of systems, measures and documents are stars."""
    if isinstance(value, dict):
        named = path.endswith((".scores", ".segments", ".documents", ".alignments",
                               ".details", ".clusters", ".parts"))  # fmt: skip
        found = set()
        for key, part in value.items():
            found |= list_keys(part, f"{path}.{'*' if named else key}")
        return found | {path}
    if isinstance(value, list):
        return {path}.union(*(list_keys(part, f"{path}[]") for part in value))
    return {f"{path}: {type(value).__name__}"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (
            "score",
            "score OUT/solid.txt OUT/literal.txt -m bleu -m wer --ci --trials 20 "
            "--level system,document,segment --show-alignment",
        ),
        (
            "details",
            "score OUT/solid.txt -m entities:file=EXAMPLES/entities.tsv --details",
        ),
        (
            "compare",
            "compare OUT/solid.txt OUT/literal.txt -m bleu --trials 200 --all-pairs "
            "--changes 2",
        ),
    ],
)
def test_keys_of_json(name, arguments, cli):
    home = str(ROOT / "examples")
    line = arguments.replace("OUT/", "EXAMPLES/outputs/").replace("EXAMPLES", home)
    texts = ["-r", f"{home}/reference.1.txt", "--docs", f"{home}/docs.txt"]
    ran = cli(*line.split(), *texts, "--format", "json")
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    hold_against(f"json-{name}.txt", sorted(list_keys(document)))
    check_against_schema(document, "results")


def check_against_schema(document: dict[str, Any], kind: str) -> None:
    """Hold a document against docs/output.schema.json, which must know all of its keys."""
    validators = pytest.importorskip("jsonschema_rs", reason="needs jsonschema-rs")
    schema = json.loads((ROOT / "docs" / "output.schema.json").read_text("utf-8"))
    validators.validator_for(schema).validate(document)
    part = {**schema, "$ref": f"#/$defs/{kind}"}
    close_objects(part)
    part["$defs"][kind]["properties"] |= schema["properties"]
    del part["anyOf"], part["additionalProperties"]
    validators.validator_for(part).validate(document)


def close_objects(schema: Any) -> None:
    """Let no object have keys that its schema does not name, in place."""
    if isinstance(schema, list):
        for entry in schema:
            close_objects(entry)
    elif isinstance(schema, dict):
        for entry in schema.values():
            close_objects(entry)
        if isinstance(schema.get("properties"), dict):
            schema.setdefault("additionalProperties", False)


def test_the_schema_covers_groups_gates_and_reports(cli, tmp_path):
    home = ROOT / "examples"
    texts = [home / "outputs" / "solid.txt", "-r", home / "reference.1.txt"]
    base, table = tmp_path / "base.json", tmp_path / "test.tsv"
    assert cli("score", *texts, "--save", base).code == 0
    gate = cli("gate", *texts, "--baseline", base, "--format", "json")
    check_against_schema(json.loads(gate.out), "gate")
    table.write_text("ref\toutput\tlp\na b\ta b\txx\na b\tb\tyy\n")
    groups = cli("score", table, "--group-by", "lp", "--format", "json")
    check_against_schema(json.loads(groups.out), "results")
    table.write_text("system\tsegment\tesa\nA\t1\t3\nA\t2\t5\nB\t1\t2\nB\t2\t4\n")
    report = cli("meta", "rank", table, "--scorer", "esa", "--format", "json")
    check_against_schema(json.loads(report.out), "report")


def test_the_store(tmp_path):
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="needs metra[judge]")
    store = inside.open_store(str(tmp_path / "judge.db"))
    looked = sqlalchemy.inspect(store.engine)
    lines = []
    for table in sorted(looked.get_table_names()):
        keys = looked.get_pk_constraint(table)["constrained_columns"]
        lines.append(f"{table} ({', '.join(keys)})")
        lines += [
            f"  {column['name']} {column['type']}{'' if column['nullable'] else ' NOT NULL'}"
            for column in looked.get_columns(table)
        ]
        lines += [
            f"  {','.join(key['constrained_columns'])} -> {key['referred_table']}"
            for key in looked.get_foreign_keys(table)
        ]
        lines += sorted(
            f"  index {index['name']} ({', '.join(map(str, index['column_names']))})"
            for index in looked.get_indexes(table)
        )
    store.close()
    hold_against("store.txt", lines)


def test_migrations():
    """What has been applied to somebody's store cannot change any more."""
    import hashlib

    lines = [
        f"{at} {hashlib.sha256(sql.encode()).hexdigest()}"
        for at, sql in enumerate(inside.list_migrations(), 1)
    ]
    hold_against("migrations.txt", lines)
