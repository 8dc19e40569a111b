"""The texts of the pages, one TOML file per language.

Keys are `table.name`; `{fields}` in a text are filled in by name. English is the reference: the
other files have the same keys and fields.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

_HERE = Path(__file__).parent

#: The languages of the pages, each by its own name.
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
        """Return a text with its fields filled in."""
        return self.texts[key].format_map(values)

    def around(self, key: str, **values: object) -> "Markup":
        """Return a text with names in it that may be in another script or language.

        A value is a text, or a text and its language; each is isolated, so that neither
        changes the other's direction.
        """
        from markupsafe import Markup, escape

        isolated = {}
        for name, value in values.items():
            text, language = value if isinstance(value, tuple) else (value, None)
            tag = Markup('<bdi lang="{}">{}</bdi>' if language else "<bdi>{1}</bdi>")
            isolated[name] = tag.format(language, text)
        return Markup(escape(self.texts[key])).format_map(isolated)

    @property
    def dir(self) -> str:
        """The writing direction, as a value of the attribute `dir`."""
        return get_direction(self.language)

    @property
    def choices(self) -> Mapping[str, str]:
        """The languages that can be chosen, each by its own name."""
        return LANGUAGES

    def name_of(self, code: str) -> str:
        """Return the name of a language in this one."""
        return get_language_name(code, self.language)

    def for_browser(self, *tables: str) -> dict[str, str]:
        """Return the texts of some tables, for scripts, which fill in the fields themselves."""
        prefixes = tuple(f"{table}." for table in tables)
        return {key: self.texts[key] for key in self.texts if key.startswith(prefixes)}


@cache
def load_strings(language: str) -> Strings:
    """Return the texts of a language, or of English if there are none.

    >>> load_strings("de").dir, load_strings("ar").dir, load_strings("xx").language
    ('ltr', 'rtl', 'en')
    """
    chosen = language if language in LANGUAGES else DEFAULT
    texts: dict[str, str] = {}
    for name in (chosen, f"measures.{chosen}"):
        content = (_HERE / f"{name}.toml").read_text(encoding="utf-8")
        for table, entries in tomllib.loads(content).items():
            texts |= {f"{table}.{key}": text for key, text in entries.items()}
    return Strings(chosen, texts)


def choose_language(chosen: str | None, accepted: str | None) -> str:
    """Return the language of a page: as chosen, else as the browser asks, else English.

    >>> choose_language(None, "pt-BR, fr;q=0.7, de;q=0.9")
    'de'
    >>> choose_language("cs", "fr")
    'cs'
    """
    if chosen in LANGUAGES:
        return chosen
    ranked = map(_parse_accepted, (accepted or "").split(","))
    codes = (code for _, code in sorted(ranked, key=lambda entry: -entry[0]))
    return next((code for code in codes if code in LANGUAGES), DEFAULT)


def get_direction(code: str) -> str:
    """Return the writing direction of a language.

    >>> get_direction("fa-IR"), get_direction("fr")
    ('rtl', 'ltr')
    """
    return "rtl" if code.lower().split("-")[0] in _RIGHT_TO_LEFT else "ltr"


def get_language_name(code: str, language: str = DEFAULT) -> str:
    """Return the name of a language in another one, or its code if it has none.

    >>> get_language_name("fr"), get_language_name("pt-BR"), get_language_name("tlh")
    ('French', 'Portuguese (BR)', 'tlh')
    """
    main, *parts = code.replace("_", "-").split("-")
    name = load_strings(language.split("-")[0]).texts.get(f"languages.{main.lower()}")
    if name is None:
        return code
    return f"{name} ({'-'.join(parts)})" if parts else name


def _parse_accepted(part: str) -> tuple[float, str]:
    """Return weight and language code of one entry of the header Accept-Language."""
    code, _, weight = part.strip().partition(";q=")
    try:
        rank = float(weight or 1)
    except ValueError:
        rank = 0.0
    return rank, code.split("-")[0].lower()
