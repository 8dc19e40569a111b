"""What the pages say, in the language of who reads them: one TOML file a language.

Keys are `table.name`; `{places}` in a text are filled in by name. English is the measure: the
other files have the same keys and places.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markupsafe import Markup

_HERE = Path(__file__).parent

#: The languages that the pages speak, each by its own name.
LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "cs": "Čeština",
    "ja": "日本語",
    "ar": "العربية",
}
DEFAULT = "en"
_RIGHT_TO_LEFT = frozenset(
    ("ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "syr", "ug", "ur", "yi")
)


@dataclass(frozen=True, slots=True)
class Strings:
    """The texts of one language: `t("work.place", place=3, of=60)`."""

    language: str
    texts: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """Give a text with its places filled in."""
        return self.texts[key].format_map(values)

    def around(self, key: str, **values: object) -> "Markup":
        """Give a text for a page around names that may be in another script or language.

        A value is a text, or a text and its language; each stands apart from its
        surroundings, so that neither changes the other's direction.
        """
        from markupsafe import Markup, escape

        apart = {}
        for name, value in values.items():
            text, language = value if isinstance(value, tuple) else (value, None)
            tag = Markup('<bdi lang="{}">{}</bdi>' if language else "<bdi>{1}</bdi>")
            apart[name] = tag.format(language, text)
        return Markup(escape(self.texts[key])).format_map(apart)

    @property
    def dir(self) -> str:
        """Which way the language runs, as the attribute `dir` wants it."""
        return get_direction(self.language)

    @property
    def choices(self) -> Mapping[str, str]:
        """The languages that somebody can choose, each by its own name."""
        return LANGUAGES

    def name_of(self, code: str) -> str:
        """What a language is called in this one."""
        return get_language_name(code, self.language)

    def for_browser(self, *tables: str) -> dict[str, str]:
        """The texts of some tables, for scripts, which fill in the places themselves."""
        return {
            key: text
            for key, text in self.texts.items()
            if key.partition(".")[0] in tables
        }


@cache
def load_strings(language: str) -> Strings:
    """The texts of a language, or of English where we have none in it.

    >>> load_strings("de").dir, load_strings("ar").dir, load_strings("xx").language
    ('ltr', 'rtl', 'en')
    """
    known = language if language in LANGUAGES else DEFAULT
    return Strings(
        known, {**_read_strings(known), **_read_strings(f"measures.{known}")}
    )


def _read_strings(name: str) -> dict[str, str]:
    content = tomllib.loads((_HERE / f"{name}.toml").read_text(encoding="utf-8"))
    return dict(_flatten_tables(content))


def choose_language(wish: str | None, accepted: str | None) -> str:
    """The language of a page: what was chosen, else what the browser asks for, else English.

    >>> choose_language(None, "pt-BR, fr;q=0.7, de;q=0.9")
    'de'
    >>> choose_language("cs", "fr")
    'cs'
    """
    if wish in LANGUAGES:
        return wish
    ranked = sorted(
        (_parse_accepted(part) for part in (accepted or "").split(",")),
        key=lambda one: -one[0],
    )
    return next((code for _, code in ranked if code in LANGUAGES), DEFAULT)


def get_direction(code: str) -> str:
    """Which way a language runs.

    >>> get_direction("fa-IR"), get_direction("fr")
    ('rtl', 'ltr')
    """
    return "rtl" if code.lower().split("-")[0] in _RIGHT_TO_LEFT else "ltr"


def get_language_name(code: str, language: str = DEFAULT) -> str:
    """What a language is called in another; its code where we do not know it.

    >>> get_language_name("fr"), get_language_name("pt-BR"), get_language_name("tlh")
    ('French', 'Portuguese (BR)', 'tlh')
    """
    main, *parts = code.replace("_", "-").split("-")
    name = load_strings(language.split("-")[0]).texts.get(f"languages.{main.lower()}")
    if name is None:
        return code
    return f"{name} ({'-'.join(parts)})" if parts else name


def _flatten_tables(content: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for table, texts in content.items():
        for name, text in texts.items():
            yield f"{table}.{name}", text


def _parse_accepted(part: str) -> tuple[float, str]:
    """Weight and main code of one wish of the header Accept-Language."""
    code, _, weight = part.strip().partition(";q=")
    try:
        rank = float(weight or 1)
    except ValueError:
        rank = 0.0
    return rank, code.split("-")[0].lower()
