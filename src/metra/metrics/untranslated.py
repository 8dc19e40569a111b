"""Words that were left as they are in the source and should have been translated."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from metra.errors import OptionError
from metra.formats.lines import read_lines
from metra.formats.resources import Dictionary, load_dictionaries
from metra.formats.stream import compute_file_version
from metra.metrics import record
from metra.metrics.record import AnyBatch, Array, Metric, Notes, Parts, metric_factory
from metra.metrics.units import Detail
from metra.stats.direction import LOWER
from metra.text.scripts import get_language, get_script, list_scripts
from metra.text.words import RunningWord, find_running_words, split_word_parts


@metric_factory(title="Untranslated", papers="dabbadie2002")
def untranslated(
    *,
    dictionary: str = "",
    rule: Literal["both", "copied", "unknown", "script"] = "both",
    script: bool = True,
    names: bool = True,
    allow: str = "",
    lang: str = "en",
) -> Metric:
    """Share of output words left untranslated. Lower is better.

    100 · untranslated / words. There are three signs: the word also occurs in the
    source segment (copied); the dictionary of the target language does not contain it
    (unknown); it has letters of a script that the target language does not use
    (foreign). The parts contain the percentage of each; the rule determines which of
    them make a word untranslated.

    Numbers, words with digits, single Latin letters, web and e-mail addresses, and
    words in the list `allow` are never untranslated; nor are names: capitalised words
    inside a sentence. In German, where nouns are capitalised, you have to list names.
    If the target language uses the Latin script, foreign letters make names
    untranslated, too.

    Metric A5a of the ISLE workbook (Dabbadie et al. 2002); its version with a spelling
    checker is rule=unknown,script=no,names=no.

    Options:
        dictionary: dictionary of the target language: name of a Hunspell dictionary,
            such as en_US, or path (.dic), or a text with one word per line (.txt); join
            several by +.
        rule: both (copied and unknown), copied, unknown, or only script; unknown and
            script need no source.
        script: whether foreign letters also make a word untranslated.
        names: whether capitalised words inside a sentence are names.
        allow: text file with words that may stay untranslated, one per line.
        lang: target language, for its letters and capitals.
    """
    if not dictionary and rule not in ("copied", "script"):
        msg = (
            "untranslated needs a dictionary of the target language; give "
            "dictionary=NAME, such as en_US, or rule=copied, which uses the source "
            "only."
        )
        raise OptionError(msg)
    if rule == "script" and not script:
        msg = "untranslated: rule=script uses the script only; leave out script=no."
        raise OptionError(msg)
    lexicon = load_dictionaries(dictionary) if dictionary else None
    language = get_language(lang)
    listed = map(str.strip, read_lines(allow)) if allow else ()
    judge = _WordChecker(
        dictionary=lexicon,
        rule=rule,
        script=script,
        names=names and language != "de",
        allowed=frozenset(split_word_parts(listed)),
        scripts=list_scripts(language),
    )
    return Metric(
        name="untranslated",
        columns=("untranslated", "copied", "unknown", "foreign", "words"),
        rows=judge.rows,
        aggregate=aggregate,
        direction=LOWER,
        parts=parts,
        needs=record.select_needs(source=rule in ("both", "copied")),
        settled={
            "dictionary": lexicon.version if lexicon else "none",
            "allow": compute_file_version(allow) if allow else "none",
        },
        notes=Notes(details=judge.details),
    )


def aggregate(totals: Array) -> Array:
    """Untranslated words per hundred words; no words at all count as one."""
    return 100 * totals[..., 0] / np.maximum(totals[..., 4], 1)


def parts(totals: Array) -> Parts:
    """The words that were counted, and what speaks against them, each in per cent."""
    wrong, copied, unknown, foreign, words = totals.tolist()
    counts = {"copied": copied, "unknown": unknown, "foreign": foreign}
    shares = {f"{name}_share": 100 * n / max(words, 1) for name, n in counts.items()}
    return {"untranslated": wrong, **counts, "words": words, **shares}


class _Evidence(NamedTuple):
    copied: bool
    unknown: bool
    foreign: bool

    def __str__(self) -> str:
        return ", ".join(name for name, holds in self._asdict().items() if holds)


class _Type(NamedTuple):
    """A word type in folded case, and what does not depend on where it stands."""

    folded: str
    allowed: bool
    unknown: bool
    foreign: bool


@dataclass(frozen=True, slots=True)
class _WordChecker:
    """Word lists to compare words with, and exempt words."""

    dictionary: Dictionary | None
    rule: str
    script: bool
    names: bool
    allowed: frozenset[str]
    scripts: frozenset[str]
    #: What is known of each word type, looked up once.
    types: dict[str, _Type] = field(default_factory=dict)

    def rows(self, batch: AnyBatch) -> Array:
        """Untranslated, copied, unknown, foreign, and all words, for each segment."""
        table = np.zeros((len(batch), 5))
        for row, (words, suspects) in zip(table, self._check(batch), strict=True):
            row[4] = words
            for _, evidence, is_wrong in suspects:
                row[:4] += is_wrong, *evidence
        return table

    def details(self, batch: AnyBatch) -> Iterator[Detail]:
        """Every untranslated word, with what speaks against it."""
        for segment, (_, suspects) in enumerate(self._check(batch)):
            for word, evidence, is_wrong in suspects:
                if is_wrong:
                    about = {"evidence": str(evidence)}
                    yield Detail(segment, "untranslated", word, about)

    def _check(
        self, batch: AnyBatch
    ) -> Iterator[tuple[int, list[tuple[str, _Evidence, bool]]]]:
        """Count each segment's words; list those that something speaks against."""
        hyps, source = batch.hyps.text, batch.source
        for segment in range(len(batch)):
            words = find_running_words(hyps[segment] or "")
            text = (source and source.text[segment]) or ""
            theirs = set(
                split_word_parts(word.text for word in find_running_words(text))
            )
            signs = ((word.text, self._find_evidence(word, theirs)) for word in words)
            suspects = [
                (word, evidence, self._is_wrong(evidence))
                for word, evidence in signs
                if evidence is not None
            ]
            yield len(words), suspects

    def _find_evidence(self, word: RunningWord, source: set[str]) -> _Evidence | None:
        """Return what speaks against a word, None if nothing does or something for it."""
        if not word.letters:
            return None
        kind = self.types.get(word.text)
        if kind is None:
            kind = self.types[word.text] = self._classify(word.text)
        # Letters that are foreign to a language in Latin letters make names wrong, too.
        is_wrong_name = kind.foreign and self.scripts == {"LATIN"}
        if kind.allowed or (self.names and word.is_name and not is_wrong_name):
            return None
        evidence = _Evidence(kind.folded in source, kind.unknown, kind.foreign)
        return evidence if any(evidence) else None

    def _classify(self, word: str) -> _Type:
        folded = word.casefold()
        is_unknown = self.dictionary is not None and not self.dictionary.knows(word)
        scripts = {get_script(letter) for letter in word} - {""}
        return _Type(
            folded, folded in self.allowed, is_unknown, not scripts <= self.scripts
        )

    def _is_wrong(self, evidence: _Evidence) -> bool:
        if self.script and evidence.foreign:
            return True
        if self.rule == "both":
            return evidence.copied and evidence.unknown
        if self.rule == "copied":
            return evidence.copied
        return evidence.unknown and self.rule != "script"
