"""What the pages say: the same keys and places in every language, none missing, none idle."""

import re
import string
from pathlib import Path

import pytest

from metra import web
from metra.web.strings import (
    LANGUAGES,
    choose_language,
    get_language_name,
    load_strings,
)

WEB = Path(web.__file__).parent
ENGLISH = load_strings("en").texts
# Keys that code puts together from a beginning and a name.
BUILT = re.compile(
    r"(languages|message|measures)\.\w+|consent\.level_\w+|guide\.(same|near|other)|save\.\w+"
    r"|work\.(source|reference|cannot_\w+)|marks\.(minor|major|neutral|critical|\w+_label)"
)


def places(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogues_have_the_same_keys_and_places(language):
    texts = load_strings(language).texts
    assert set(texts) == set(ENGLISH)
    for key, text in texts.items():
        assert places(text) == places(ENGLISH[key]), key
        assert text == text.strip() != "", key


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_catalogues_are_translated(language):
    texts = load_strings(language).texts
    same = [key for key, text in texts.items() if text == ENGLISH[key]]
    assert len(same) < len(ENGLISH) / 10, same


def test_french_signs_never_begin_a_line():
    from metra.campaign.translations import read_catalogue

    said = [*load_strings("fr").texts.values(), str(read_catalogue("fr"))]
    for text in said:
        assert not re.search(r" [?!;»]|« |[a-zé] : ", text), text


def test_every_language_has_its_catalogue():
    found = {path.stem for path in (WEB / "strings").glob("*.toml")}
    assert found == {*LANGUAGES, *(f"measures.{code}" for code in LANGUAGES)}


def test_no_text_is_idle_and_none_is_missing():
    files = [*WEB.rglob("*.js"), *WEB.rglob("*.html"), *WEB.rglob("*.py")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    used = set(re.findall(r"""\bt\(\s*["']([a-z]+\.\w*[a-z])["']""", code))
    used |= set(re.findall(r'"([a-z]+\.[a-z_]+)"', code)) & set(ENGLISH)
    assert used <= set(ENGLISH)
    idle = [key for key in ENGLISH if key not in used and not BUILT.fullmatch(key)]
    assert idle == []


@pytest.mark.parametrize(
    ("wish", "accepted", "expected"),
    [
        pytest.param("ja", "fr", "ja", id="what was chosen wins"),
        pytest.param("xx", "fr-CA", "fr", id="an unknown wish is no wish"),
        pytest.param(None, "pt, es;q=0.5, cs;q=0.8", "cs", id="the best that we have"),
        pytest.param(None, "de;q=much", "de", id="a weight that is none comes last"),
        pytest.param(None, None, "en", id="English otherwise"),
    ],
)
def test_the_language_of_a_page(wish, accepted, expected):
    assert choose_language(wish, accepted) == expected


def test_languages_are_named_in_the_language_of_the_page():
    assert get_language_name("fr", "de") == "Französisch"
    assert get_language_name("fr", "es-MX") == "francés"
    assert get_language_name("zh_Hant", "en") == "Chinese (Hant)"
    assert get_language_name("qqq", "en") == "qqq"
    assert load_strings("ar").dir == "rtl"
