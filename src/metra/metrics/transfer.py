"""Transfer rules: whether patterns of the source became what they should in the output."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

from metra.errors import CorpusError, OptionError, not_possible
from metra.formats.annotations import transfer_rules
from metra.formats.annotations.conllu import Parse
from metra.formats.annotations.transfer_rules import Pattern, TransferRule
from metra.formats.stream import compute_file_version
from metra.metrics import record
from metra.metrics.options import FromZero
from metra.metrics.parses import ParseSource, build_file_source, build_word_source
from metra.metrics.record import AnyBatch, Array, Metric, Notes, Parts, metric_factory
from metra.metrics.units import Detail
from metra.stats.direction import LOWER

#: What is known of the counts of each kind of phrase: on both sides, how far they are
#: apart, and whether that is above the threshold.
SIDES = ("source", "output", "difference", "above")


@metric_factory(title="Transfer", papers="dabbadie2002")
def transfer(
    *,
    mode: Literal["rules", "counts"] = "rules",
    rules: str = "",
    phrases: str = "NP+VP",
    threshold: FromZero = 0.0,
    source_parses: str = "",
    parses: str = "",
) -> Metric:
    """Share of applicable transfer rules that the output satisfies. Higher is better.

    A rule pairs a pattern of the source with a required pattern of the output, such as
    NOUN ADJ in French and ADJ NOUN in English. In each segment a rule applies as often
    as its source pattern matches. It is satisfied as often as the target pattern
    matches, but at most as often as it applies. The score is satisfied / applicable
    rules; if no rule applies, there is no score. `--details` lists the failures.
    Patterns of words need only the texts; lemmas, parts of speech and phrases need
    parses of both sides. Rules are TOML:

        [[rule]]
        name = "adjective before its noun"
        source = "NOUN ADV? ADJ"
        target = ["ADJ NOUN", "ADJ NOUN+ NOUN"]

    A pattern is a sequence of items: a part of speech (NOUN), a phrase (NP, VP, PP), a
    word (`of`), any word (`_`), or `lemma=be`, `word=I`, `pos=ADJ`, `xpos=VBG`,
    `dep=amod`. Write alternatives as `de|du`, several conditions as `NOUN&!lemma=aide`,
    negation as `!`, and repetition as `?`, `*` and `+`.

    With `mode=counts`, after the first study of the same authors, metra counts noun
    phrases and verb phrases in source and output: the score is the sum of the
    differences of all segments per hundred source phrases, and lower is better.
    `phrases` adds prepositional phrases (PP) and adjectives (ADJ), the finer criteria
    that the authors propose. If the counts of a phrase type differ by more than
    `threshold`, the system may have failed to analyse the segment: `above_NP` and
    similar parts count such segments, and `--details` lists them.

    Mustafa El Hadi, Timimi and Dabbadie 2001; Dabbadie et al. 2002, LREC workshop, A6.

    Options:
        mode: check transfer rules, or compare counts of phrases.
        rules: TOML file with tables [[rule]] that have name, source and target.
        phrases: types that mode=counts counts: NP, VP, PP and ADJ, joined by +.
        threshold: difference of counts above which a segment is listed.
        source_parses: CoNLL-U file with parses of the source.
        parses: CoNLL-U file with parses of the outputs; {system} stands for the name of
            the system.
    """
    if bool(rules) == (mode == "counts"):
        msg = (
            "transfer: mode=rules needs rules=FILE.toml, and mode=counts takes none; give "
            "one of them."
        )
        raise OptionError(msg)
    kinds = _parse_kinds(phrases)
    listed = transfer_rules.read_rules(rules) if rules else []
    sources = {
        option: build_file_source("transfer", path) if path else build_word_source()
        for option, path in (("source_parses", source_parses), ("parses", parses))
    }
    for what, option in _list_parsed(mode, listed):
        if not sources[option].parsed:
            msg = (
                f"transfer: {what} needs parses; give {option}=FILE.conllu, such as "
                "`metra parse` writes."
            )
            raise OptionError(msg)
    pair = partial(_pair_sentences, sources=tuple(sources.values()))
    if mode == "counts":
        metric = _build_counts(pair, kinds, threshold)
    else:
        metric = _build_rules(pair, listed)
    settled: dict[str, object] = {
        "rules": compute_file_version(rules) if rules else "none",
        "phrases": phrases if mode == "counts" else "none",
        "threshold": threshold if mode == "counts" else "none",
    }
    settled |= {option: source.version for option, source in sources.items()}
    return replace(metric, needs=frozenset({"source"}), settled=settled)


def _list_parsed(mode: str, rules: Sequence[TransferRule]) -> Iterator[tuple[str, str]]:
    """Give what needs parses, and the option for them."""
    if mode == "counts":
        yield from (
            ("counting phrases", option) for option in ("source_parses", "parses")
        )
    for rule in rules:
        sides = ("source_parses", rule.source), ("parses", rule.target)
        for option, patterns in sides:
            if any(pattern.needs_parse for pattern in patterns):
                yield f"the rule {rule.name!r}", option


#: The sentences of each segment's source, and of its output.
SentencePairs: TypeAlias = Sequence[tuple[Sequence[Parse], Sequence[Parse]]]


def _build_rules(
    pair: Callable[[AnyBatch], SentencePairs], rules: Sequence[TransferRule]
) -> Metric:
    counts = ("occurrences", "satisfied")
    return Metric(
        name="transfer",
        columns=tuple(f"{count}: {rule.name}" for count in counts for rule in rules),
        rows=lambda batch: rows(pair(batch), rules),
        aggregate=aggregate,
        parts=partial(parts, rules=rules),
        notes=Notes(details=lambda batch: details(pair(batch), rules)),
    )


def rows(pairs: SentencePairs, rules: Sequence[TransferRule]) -> Array:
    """Count how often each rule occurs in each segment, and how often it is satisfied."""
    table = np.zeros((len(pairs), 2 * len(rules)))
    for index, (before, after) in enumerate(pairs):
        for place, rule in enumerate(rules):
            occurrences = len(_find_matches(rule.source, before))
            table[index, place] = occurrences
            if occurrences:
                fits = len(_find_matches(rule.target, after))
                table[index, len(rules) + place] = min(occurrences, fits)
    return table


def aggregate(totals: Array) -> Array:
    """Satisfied of occurring rules of each row of totals, in percent; NaN if none occurs."""
    half = totals.shape[-1] // 2
    occurrences = totals[..., :half].sum(-1)
    held = totals[..., half:].sum(-1)
    with np.errstate(invalid="ignore"):
        return 100 * np.divide(held, occurrences)


def parts(totals: Array, *, rules: Sequence[TransferRule]) -> Parts:
    """For each rule how often it was satisfied and how often it occurred."""
    half = len(rules)
    return {
        "satisfied": float(totals[half:].sum()),
        "occurrences": float(totals[:half].sum()),
        **{
            rule.name: [float(totals[half + index]), float(totals[index])]
            for index, rule in enumerate(rules)
        },
    }


def details(pairs: SentencePairs, rules: Sequence[TransferRule]) -> Iterator[Detail]:
    """The rules that failed, with the words of the source that asked for them."""
    for index, (before, after) in enumerate(pairs):
        for rule in rules:
            asked = _find_matches(rule.source, before)
            failed = len(asked) - len(_find_matches(rule.target, after)) if asked else 0
            if failed > 0:
                about = {"rule": rule.name, "failed": f"{failed} of {len(asked)}"}
                yield Detail(index, "failed", " / ".join(asked), about)


def _build_counts(
    pair: Callable[[AnyBatch], SentencePairs], kinds: Sequence[str], threshold: float
) -> Metric:
    return Metric(
        name="transfer",
        columns=tuple(f"{side}_{kind}" for kind in kinds for side in SIDES),
        rows=lambda batch: phrase_rows(pair(batch), kinds, threshold),
        aggregate=phrase_aggregate,
        parts=partial(phrase_parts, kinds=kinds),
        direction=LOWER,
        notes=Notes(
            details=lambda batch: phrase_details(pair(batch), kinds, threshold)
        ),
    )


def phrase_rows(pairs: SentencePairs, kinds: Sequence[str], threshold: float) -> Array:
    """Count phrases as `SIDES` says, kind by kind: (segments, 4 · kinds)."""
    table = np.zeros((len(pairs), len(kinds), len(SIDES)))
    for index, place, (before, after) in _count_phrases(pairs, kinds):
        gap = abs(after - before)
        table[index, place] = before, after, gap, gap > threshold
    return table.reshape(len(pairs), -1)


def phrase_aggregate(totals: Array) -> Array:
    """Differences per hundred phrases of the source; NaN if the source has none."""
    step = len(SIDES)
    return record.compute_share(
        totals[..., 2::step].sum(-1), totals[..., ::step].sum(-1)
    )


def phrase_parts(totals: Array, *, kinds: Sequence[str]) -> Parts:
    """The counts of each kind of phrase; the difference is that of the sums."""
    pieces: Parts = {}
    counts = totals.reshape(-1, len(SIDES)).tolist()
    for kind, (before, after, _, above) in zip(kinds, counts, strict=True):
        values = before, after, after - before, above
        named = (f"{side}_{kind}" for side in SIDES)
        pieces |= dict(zip(named, values, strict=True))
    return pieces


def phrase_details(
    pairs: SentencePairs, kinds: Sequence[str], threshold: float
) -> Iterator[Detail]:
    """The segments whose counts of a kind of phrase differ by more than the threshold."""
    for index, place, (before, after) in _count_phrases(pairs, kinds):
        if abs(after - before) > threshold:
            about = {"source": str(before), "output": str(after)}
            yield Detail(index, "differs", kinds[place], about)


def _count_phrases(
    pairs: SentencePairs, kinds: Sequence[str]
) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Count the phrases of each segment and kind in the source and in the output."""
    for (index, sides), (place, kind) in product(enumerate(pairs), enumerate(kinds)):
        before, after = (
            sum(transfer_rules.count_phrases(parse.words, kind) for parse in side)
            for side in sides
        )
        yield index, place, (before, after)


def _parse_kinds(phrases: str) -> list[str]:
    """Read kinds of phrases, with + between them."""
    kinds = phrases.split("+")
    countable = transfer_rules.COUNTABLE
    if any(kind not in countable for kind in kinds) or len({*kinds}) < len(kinds):
        expected = f"some of {', '.join(countable)}, each once, separated by +"
        raise OptionError(not_possible(f"transfer: phrases={phrases}", expected))
    return kinds


def _pair_sentences(
    batch: AnyBatch, *, sources: Sequence[ParseSource]
) -> SentencePairs:
    if batch.source is None:
        msg = "transfer needs the source, but the batch has none."
        raise CorpusError(msg)
    before = sources[0].find(batch.source, batch.place)
    return list(zip(before, sources[1].find(batch.hyps, batch.place), strict=True))


def _find_matches(patterns: Sequence[Pattern], sentences: Iterable[Parse]) -> list[str]:
    """The words at every place where one of the patterns fits."""
    return [
        " ".join(word.form for word in parse.words[start:stop])
        for parse in sentences
        for start, stop in transfer_rules.find_matches(patterns, parse.words)
    ]
