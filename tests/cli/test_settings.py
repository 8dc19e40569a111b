"""Settings of one flag."""

import click
import pytest

from metra.cli.settings import collect_settings, parse_settings, split_file_settings

KEYS = ("delimiter", "sheet", "format")

CASES = [
    pytest.param(["sheet=2"], {"sheet": "2"}, id="one"),
    pytest.param(
        ["sheet=a,b,format=csv"], {"sheet": "a,b", "format": "csv"}, id="commas"
    ),
    pytest.param(
        ["delimiter=,", "sheet=x=y"], {"delimiter": ",", "sheet": "x=y"}, id="several"
    ),
    pytest.param([], {}, id="none"),
]


@pytest.mark.parametrize(("given", "expected"), CASES)
def test_settings(given, expected):
    assert parse_settings("--read", given, KEYS) == expected


REFUSED = [
    pytest.param(["sheet"], "--read sheet: expected KEY=VALUE", id="no value"),
    pytest.param(["shet=2"], "No setting of --read named 'shet'", id="unknown"),
    pytest.param(["sheet=1,sheet=2"], "--read sets sheet twice", id="twice"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_refused_settings(given, message):
    with pytest.raises(click.UsageError) as caught:
        parse_settings("--read", given, KEYS)
    assert message in caught.value.message


FILES = [
    pytest.param("a.pdf", ("a.pdf", {}), id="file alone"),
    pytest.param("C:\\x\\a.pdf", ("C:\\x\\a.pdf", {}), id="drive"),
    pytest.param("a.pdf:sheet=1", ("a.pdf", {"sheet": "1"}), id="settings"),
    pytest.param("s3://b/x=1/a.pdf", ("s3://b/x=1/a.pdf", {}), id="address"),
]


@pytest.mark.parametrize(("given", "expected"), FILES)
def test_file_settings(given, expected):
    assert split_file_settings("--plot", given, KEYS) == expected


def test_repeated_settings():
    given = collect_settings(
        "--read", ["sheet=1,format=a", "format=b"], KEYS, ["format"]
    )
    assert given == {"sheet": ["1"], "format": ["a", "b"]}


READ = [
    pytest.param(["codes=none"], "--read codes=none is not possible", id="codes"),
    pytest.param(["quotes=maybe"], "--read quotes=maybe is not possible", id="quotes"),
    pytest.param(["format=doc"], "--read format=doc is not possible", id="format"),
    pytest.param(["subset=a=b"], "give -t NAME as well.", id="no set"),
]


@pytest.mark.parametrize(("given", "message"), READ)
def test_refused_reading(given, message, cli, write):
    refused = cli.refusal(
        "score", write("a.txt", ["a"]), "-r", write("b.txt", ["a"]), "--read", *given
    )
    assert message in refused


PLOTS = [
    pytest.param("title=no", "No setting of --plot named 'title'", id="unknown"),
    pytest.param("width=5", "column, page or 30 to 1000 millimetres", id="width"),
]


@pytest.mark.parametrize(("given", "message"), PLOTS)
def test_refused_plots(given, message, cli, tmp_path):
    plot = f"{tmp_path / 'a.svg'}:{given}"
    refused = cli.refusal("weights", "stability", "a.txt", "b.txt", "--plot", plot)
    assert message in refused


def test_engines(cli, write):
    files = [write("a.txt", ["a"]), "-r", write("b.txt", ["a"])]
    refused = cli.refusal("score", *files, "--engine", "dask")
    assert "--engine dask is not possible; expected local or spark[:MASTER]." in refused


def test_tables_of_papers(cli, write):
    files = [write("a.txt", ["a"]), "-r", write("b.txt", ["a"]), "--format", "latex"]
    ran = cli("score", *files, "--table", "differences=maybe")
    assert "--table differences=maybe is not possible; expected yes or no." in ran.err
