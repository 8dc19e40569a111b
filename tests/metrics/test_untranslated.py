"""Words left untranslated: worked by hand, rule by rule."""

import pytest

import metra
from metra.errors import CorpusError

SOURCE = ["L'eau de la Lorne monte depuis 1956", "La digue", "Ouf"]
OUTPUTS = [
    "The eau of the Lorne monte sinse 1956",  # eau, monte: copied; sinse: misspelt
    "The dam of вода, Anne and digue",  # вода: foreign; digue: copied, but allowed
    "",
]
WORDS = ["the", "of", "dam", "and", "monte"]  # this dictionary knows monte


@pytest.fixture
def words(write):
    return str(write("words.txt", WORDS))


@pytest.mark.seed("5.41")
@pytest.mark.seed("5.43")
@pytest.mark.seed("5.44")
@pytest.mark.parametrize(
    ("options", "with_source", "wrong"),
    [
        pytest.param("", True, ["eau", "вода", "digue"], id="both"),
        pytest.param(",script=no", True, ["eau", "digue"], id="no script"),
        pytest.param(
            ",rule=copied", True, ["eau", "monte", "вода", "digue"], id="copied"
        ),
        pytest.param(
            ",rule=copied,names=no",
            True,
            ["eau", "Lorne", "monte", "вода", "digue"],
            id="no names",
        ),
        pytest.param(
            ",rule=unknown", False, ["eau", "sinse", "вода", "digue"], id="unknown"
        ),
        pytest.param(",rule=script", False, ["вода"], id="script"),
        pytest.param(",rule=script,lang=uk", False, 11, id="the letters of Ukrainian"),
    ],
)
def test_rules_by_hand(words, options, with_source, wrong):
    source = SOURCE if with_source else None
    metric = metra.metric(f"untranslated:dictionary={words}{options}")
    result = metra.score(OUTPUTS, metric=metric, source=source)
    found = list(metric.notes.details(metra.Batch(OUTPUTS, source=source)))
    if isinstance(wrong, int):
        assert len(found) == wrong
    else:
        assert [detail.text for detail in found] == wrong
    # 8 words and 7; numbers and names count as words.
    assert result.parts["words"] == 15
    assert result.score == pytest.approx(100 * len(found) / 15)
    assert result.segments[2] == 0


def test_evidence_is_reported_apart(words):
    metric = metra.metric(f"untranslated:dictionary={words}")
    result = metra.score(OUTPUTS, metric=metric, source=SOURCE)
    assert result.parts == {
        "untranslated": 3,
        "copied": 3,  # eau, monte, digue
        "unknown": 4,  # eau, sinse, вода, digue
        "foreign": 1,
        "words": 15,
        "copied_share": 20,
        "unknown_share": pytest.approx(400 / 15),
        "foreign_share": pytest.approx(100 / 15),
    }
    details = metric.notes.details(metra.Batch(OUTPUTS, source=SOURCE))
    assert [(detail.at, detail.about["evidence"]) for detail in details] == [
        (0, "copied, unknown"),
        (1, "unknown, foreign"),
        (1, "copied, unknown"),
    ]


@pytest.mark.seed("5.42")
def test_words_that_may_stay(words, write):
    allow = write("allow.txt", ["Digue", "вода"])
    spec = f"untranslated:dictionary={words},allow={allow}"
    assert metra.score(OUTPUTS, metric=spec, source=SOURCE).parts["untranslated"] == 1
    signature = metra.metric(spec).signature()
    assert f"|allow:{allow}[sha256:" in signature
    assert f"|dictionary:{words}[sha256:" in signature


def test_a_name_in_foreign_letters_is_no_name_here(words):
    spec = f"untranslated:dictionary={words},rule=unknown"
    assert metra.score(["the Москва of"], metric=spec).parts["untranslated"] == 1
    # Where other letters are written, names may stay in Latin ones.
    russian = f"untranslated:dictionary={words},rule=script,lang=ru"
    assert metra.score(["это Paris"], metric=russian).parts["untranslated"] == 0
    assert metra.score(["это paris"], metric=russian).parts["untranslated"] == 1


def test_capitals_are_no_names_in_german(words):
    output = ["the Frein of"]
    for lang, wrong in {"en": 0, "de": 1, "de_AT": 1}.items():
        spec = f"untranslated:dictionary={words},rule=unknown,lang={lang}"
        assert metra.score(output, metric=spec).parts["untranslated"] == wrong


def test_copied_words_need_the_source(words):
    with pytest.raises(CorpusError, match="needs the source; give `source`"):
        metra.score(OUTPUTS, metric=f"untranslated:dictionary={words},rule=copied")


@pytest.mark.seed("5.45")
def test_copied_needs_no_dictionary():
    result = metra.score(OUTPUTS, metric="untranslated:rule=copied", source=SOURCE)
    assert result.parts["unknown"] == 0
    assert result.parts["copied"] == 3
    assert "|dictionary:none|" in result.signature


@pytest.mark.parametrize(
    "output",
    [
        pytest.param("テストを行う", id="full width"),
        pytest.param("ﾃｽﾄを行う", id="half width"),
        pytest.param("人々がﾊﾞｽを待つ", id="iteration mark, half-width mark of sound"),
    ],
)
def test_all_letters_of_japanese_are_its_own(output):
    result = metra.score([output], metric="untranslated:rule=script,lang=ja")
    assert result.score == 0
    assert result.parts["words"] == len(output.replace("ﾞ", ""))
