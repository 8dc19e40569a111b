"""Stemmers and lemmas: words compared by what they are forms of.

Lemmas come from simplemma's tables, which know irregular forms (go, went); languages without
a table have stems, if there is a Snowball stemmer.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias

from metra._core import TypeMap
from metra.errors import MissingResourceError, UnknownNameError, no_such
from metra.text.scripts import get_language

#: How names of stemmers begin that ask for the lemmas of a language, as in lemma@en.
LEMMAS = "lemma@"
ROUGE = "rouge"
#: Languages that are in the table of another one.
_IN_TABLE_OF = {"no": "nb", "hr": "hbs", "bs": "hbs"}

# simplemma takes "don't" for a form of "do", and "d'eau" for one of "eau".
_APOSTROPHES = re.compile("(n['’]t$|['’])")

Reducer: TypeAlias = Callable[[list[str]], list[str]]


@lru_cache(maxsize=64)
def find_stemmer(name: str) -> tuple[TypeMap, str]:
    """Find a stemmer: `porter` (the original algorithm), a Snowball language, or lemma@en.

    `rouge` is that of the rouge-score package. Beside it stands its library, for
    signatures: its versions differ in some words.
    """
    import Stemmer

    if name == ROUGE:
        return _load_rouge_stemmer()
    if name.startswith(LEMMAS):
        forms = find_word_forms(name.removeprefix(LEMMAS))
        if forms.reduce is None:
            msg = (
                f"No lemmas or stemmer for {name!r}; expected a language code such as "
                "lemma@en, or no to compare words as they are."
            )
            raise UnknownNameError(msg)
        return TypeMap(forms.reduce), f"[{forms.library}]"
    algorithms = Stemmer.algorithms()
    if name not in algorithms:
        names = ["no", *algorithms, ROUGE, f"{LEMMAS}LANGUAGE"]
        raise UnknownNameError(no_such("stemmer", name, names))
    stemmer = TypeMap(Stemmer.Stemmer(name, 0).stemWords)
    return stemmer, f"[PyStemmer {Stemmer.version()}]"


def _load_rouge_stemmer() -> tuple[TypeMap, str]:
    """Load nltk's Porter stemmer, which has rules of its own; short words stay."""
    try:
        import nltk
        from nltk.stem.porter import PorterStemmer
    except ImportError:
        msg = (
            "Stemmer 'rouge' needs the package 'nltk', which is not installed; install it "
            "with: pip install nltk, or use stem=porter, which differs in a few words."
        )
        raise MissingResourceError(msg) from None
    stem = PorterStemmer().stem

    def reduce(words: list[str]) -> list[str]:
        return [stem(word) if len(word) > 3 else word for word in words]

    return TypeMap(reduce), f"[nltk {nltk.__version__}]"


class WordForms(NamedTuple):
    """The reduction of word forms in a language; empty if there is none."""

    #: What `find_stemmer` and answers of judges call it; "" without tables and stemmer.
    name: str = ""
    library: str = ""
    #: Gives forms of one word the same spelling; letter case stays.
    reduce: Reducer | None = None


@lru_cache(maxsize=64)
def find_word_forms(language: str) -> WordForms:
    """Find the lemmas of a language, or its stems if there is no table of lemmas.

    >>> [find_word_forms(language).name for language in ("en-GB", "hy", "ja")]
    ['lemma@en', 'lemma@hy', '']
    """
    code = get_language(language)
    table = _IN_TABLE_OF.get(code, code)
    if table in list_lemma_languages():
        import simplemma

        library = f"simplemma {simplemma.__version__}"
        find_bases: Reducer = partial(_lemmatise, language=table)
    elif (stemmer := _load_stemmer(code)) is not None:
        import Stemmer

        library = f"PyStemmer {Stemmer.version()}"
        find_bases = partial(_stem, stemmer=stemmer)
    else:
        return WordForms()
    return WordForms(f"{LEMMAS}{code}", library, partial(_reduce, find_bases))


def list_lemma_languages() -> list[str]:
    """List the codes of the languages that have a table of lemmas."""
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    return sorted(SUPPORTED_LANGUAGES)


def stem_words(words: Sequence[str], name: str) -> list[Hashable]:
    """Give equal values to forms of one word; letter case still tells words apart.

    `name` is that of `find_word_forms`, or the code of a stemmer.

    >>> one, other, third = stem_words(["goes", "went", "Went"], "lemma@en")
    >>> one == other, other == third
    (True, False)
    """
    if name.startswith(LEMMAS):
        reduce = find_word_forms(name.removeprefix(LEMMAS)).reduce
        return list(words if reduce is None else reduce(list(words)))
    stemmer = _load_stemmer(name)
    if stemmer is None:
        return list(words)
    stems = stemmer.stemWords([word.lower() for word in words])
    return [(stem, word[:1].isupper()) for stem, word in zip(stems, words, strict=True)]


def count_form_changes(before: Sequence[str], after: Sequence[str], name: str) -> int:
    """Count words of which only the form changed.

    >>> count_form_changes("he go out".split(), "he went out".split(), "lemma@en")
    1
    """
    by_stem = Counter(stem_words(before, name)) & Counter(stem_words(after, name))
    by_form = Counter(before) & Counter(after)
    return by_stem.total() - by_form.total()


def _reduce(find_bases: Reducer, words: list[str]) -> list[str]:
    """Return the bases of words, in the letter case of the words."""
    bases = find_bases(words)
    return [
        _apply_case(base.lower(), word) for base, word in zip(bases, words, strict=True)
    ]


def _apply_case(base: str, word: str) -> str:
    """Return a lower-case base in the case of a word; a word in mixed case stays.

    >>> _apply_case("go", "Went"), _apply_case("go", "WENT"), _apply_case("go", "wENT")
    ('Go', 'GO', 'wENT')
    """
    lower = word.lower()
    if word == lower:
        return base
    if word == lower[:1].upper() + lower[1:]:
        return base[:1].upper() + base[1:]
    return base.upper() if word == word.upper() else word


def _stem(words: list[str], *, stemmer: Any) -> list[str]:
    return list(stemmer.stemWords([word.lower() for word in words]))


def _lemmatise(words: list[str], *, language: str) -> list[str]:
    import simplemma

    lemmatize = partial(simplemma.lemmatize, lang=language)
    # Letter case tells nouns of German. A lemma of several words is one token.
    return [
        "".join(
            piece if _APOSTROPHES.match(piece) else "".join(lemmatize(piece).split())
            for piece in filter(None, _APOSTROPHES.split(word))
        )
        for word in words
    ]


@lru_cache(maxsize=64)
def _load_stemmer(code: str) -> Any | None:
    import Stemmer

    try:
        return Stemmer.Stemmer(code, 0)
    except KeyError:
        return None
