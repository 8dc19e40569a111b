"""Language pairs as tables write them: en-de, en_de, eng_Latn-deu_Latn, zh-Hans-en."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from metra.errors import FormatError
from metra.text.scripts import get_language


class LanguagePair(NamedTuple):
    """Codes of one or two languages, each a language with its script and region."""

    codes: tuple[str, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages alone."""
        return tuple(map(get_language, self.codes))

    def fits(self, asked: "LanguagePair") -> bool:
        """Return True if this pair has all that another of its languages states."""
        both = zip(self.codes, asked.codes, strict=True)
        return all({*code.split("_")} >= {*part.split("_")} for code, part in both)

    def __str__(self) -> str:
        """Write the pair as it is asked for."""
        return "-".join(self.codes) or "none"


@lru_cache(maxsize=4096)
def parse_pair(*texts: str) -> LanguagePair:
    """Return the pair that one or two texts name; other texts stand for themselves.

    >>> parse_pair("eng_Latn-deu_Latn").codes, parse_pair("cs", "uk_UA").languages
    (('en_Latn', 'de_Latn'), ('cs', 'uk'))
    """
    codes: list[list[str]] = []
    parts = [part for text in texts for part in re.split(r"[-_/>→ ]+", text.strip())]
    # Languages are written small, other than scripts and regions; or nothing else is.
    is_plain = len(parts) == 2
    for part in parts:
        if is_plain or re.fullmatch("[a-z]{2,3}", part):
            codes.append([_SHORT_CODES.get(part.lower(), part.lower())])
        elif codes:
            codes[-1].append(part)
    if len(codes) != 2:
        return LanguagePair(("-".join(texts).lower().replace("_", "-"),))
    return LanguagePair(tuple(map("_".join, codes)))


#: Ids of documents that WMT has composed: SET_###_DOMAIN_###_SOURCE_###_TARGET_###_ID, and
#: in 2025 SOURCE-TARGET_#_DOMAIN_#_ID.
_DOCUMENT = re.compile(
    r"[^#]+_###_[^#]+_###_(?P<s>\w+?)_###_(?P<t>\w+?)_###_|"
    r"([a-z]{2,3})-([a-z]{2,3}(?:_[A-Za-z]+)*?)_#_"
)


@lru_cache(maxsize=4096)
def find_document_pair(document: str) -> LanguagePair | None:
    """Return the pair that the id of a document of WMT names.

    >>> find_document_pair("WMT26_###_edu_###_ces_Latn_###_ukr_Cyrl_###_edu1").languages
    ('cs', 'uk')
    """
    named = _DOCUMENT.match(document)
    return parse_pair(*filter(None, named.groups())) if named else None


def choose_pair(
    pairs: Sequence[LanguagePair], asked: str | None, place: str
) -> LanguagePair:
    """Return the pair of `asked`, or the only one."""
    # Scripts and regions are left out where the languages tell the pairs apart.
    counts = Counter(pair.languages for pair in pairs)
    short = (p if counts[p.languages] > 1 else LanguagePair(p.languages) for p in pairs)
    listed = ", ".join(sorted(map(str, short)))
    if not asked:
        if len(pairs) == 1:
            return pairs[0]
        msg = (
            f"{place} has {len(pairs)} language pairs ({listed}), whose scores do not "
            "belong together; choose one with `pair`, score each one with `group_by`, or "
            "split the file."
        )
        raise FormatError(msg)
    wanted = parse_pair(asked)
    fitting = [pair for pair in pairs if pair.languages == wanted.languages]
    fitting = [pair for pair in fitting if pair.fits(wanted)] or fitting
    fitting = [pair for pair in fitting if pair == wanted] or fitting
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        several = ", ".join(map(str, fitting))
        msg = (
            f"{place} has {len(fitting)} pairs {asked}: {several}; choose one of them."
        )
    else:
        msg = f"{place} has no language pair {asked}; it has: {listed}."
    raise FormatError(msg)


# Codes of two letters with those of three, as FLORES has them; macro-languages with the
# members that stand for them.
_CODES = """
af afr; am amh; ar ara arb arz; as asm; az aze azj; be bel; bg bul; bn ben; bs bos; ca cat;
cs ces cze; cy cym wel; da dan; de deu ger; el ell gre; en eng; es spa; et est ekk; eu eus;
fa fas pes prs; fi fin; fr fra fre; ga gle; gl glg; gu guj; ha hau; he heb; hi hin; hr hrv;
hu hun; hy hye; id ind; ig ibo; is isl ice; it ita; ja jpn; jv jav; ka kat; kk kaz; km khm;
kn kan; ko kor; ky kir; lo lao; lt lit; lv lav lvs; mk mkd; ml mal; mn mon khk; mr mar;
ms msa zsm; my mya; ne nep npi; nl nld dut; no nor nob nb; om orm gaz; or ori ory; pa pan;
pl pol; ps pus pbt; pt por; ro ron rum; ru rus; sa san; sd snd; si sin; sk slk slo; sl slv;
so som; sq sqi als; sr srp; sv swe; sw swa swh; ta tam; te tel; tg tgk; th tha; tl tgl fil;
tr tur; ug uig; uk ukr; ur urd; uz uzb uzn; vi vie; xh xho; yi yid ydd; yo yor;
zh zho cmn chi; zu zul
"""
_SHORT_CODES = {
    long: short for short, *codes in map(str.split, _CODES.split(";")) for long in codes
}
