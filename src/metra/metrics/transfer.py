"""Transfer rules: whether patterns of the source became what they should in the output."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Literal

import numpy as np

from metra.corpus.batch import Batch, Sentence
from metra.errors import CorpusError, OptionError
from metra.formats.annotations.conllu import Parse
from metra.formats.annotations.transfer_rules import (
    Pattern,
    TransferRule,
    find_matches,
    find_phrases,
    read_rules,
)
from metra.formats.stream import compute_file_version
from metra.metrics.parses import (
    ParseSource,
    build_file_source,
    build_model_source,
    build_word_source,
)
from metra.metrics.record import Array, Detail, Metric, Parts, metric_factory

PHRASES = ("NP", "VP")


@metric_factory
def transfer(
    *,
    mode: Literal["rules", "counts"] = "rules",
    rules: str = "",
    source_parses: str = "",
    source_model: str = "",
    parses: str = "",
    model: str = "",
    match: bool = True,
) -> Metric:
    """Share of transfer rules that hold where the source asks for them. Higher is better.

    A rule pairs a pattern of the source with the pattern that the output must have for it,
    such as NOUN ADJ in French and ADJ NOUN in English. In each segment a rule occurs as
    often as its source pattern fits, and is satisfied as often as the target pattern fits,
    but no more often than it occurs; the score is satisfied / occurrences, and there is
    none where no rule occurs. `--details` lists the failures. Patterns of words need the
    texts alone; lemmas, parts of speech and phrases need parses of both. Rules are TOML:

        [[rule]]
        name = "adjective before its noun"
        source = "NOUN ADV? ADJ"
        target = ["ADJ NOUN", "ADJ NOUN+ NOUN"]

    A pattern is a row of items: a part of speech (NOUN), a phrase (NP, VP), a word (`of`),
    any word (`_`), or `lemma=be`, `word=I`, `pos=ADJ`, `xpos=VBG`, `dep=amod`; one of
    several (`de|du`), both at once (`NOUN&!lemma=aide`), `!` not; `?`, `*` and `+` say how
    often.

    With `mode=counts`, after the first study of the same authors, noun phrases and verb
    phrases are counted in source and output: the score is the sum of the differences of
    each segment per hundred phrases of the source, and lower is better.

    Mustafa El Hadi, Timimi and Dabbadie 2001; Dabbadie et al. 2002, LREC workshop, A6.

    Options:
        mode: rules that must hold, or counts of noun and verb phrases.
        rules: TOML file with tables [[rule]] that have name, source and target.
        source_parses: CoNLL-U file with parses of the source.
        source_model: spaCy model that parses the source instead (extra parse).
        parses: CoNLL-U file with parses of the outputs; {system} stands for the name of
            the system.
        model: spaCy model that parses the outputs instead (extra parse).
        match: refuse parses of other words than the text's.
    """
    if bool(rules) == (mode == "counts"):
        msg = (
            "transfer: mode=rules needs rules=FILE.toml, and mode=counts takes none; give "
            "one of them."
        )
        raise OptionError(msg)
    listed = read_rules(rules) if rules else []
    source = _choose_parses("source_", source_parses, source_model, match)
    target = _choose_parses("", parses, model, match)
    if mode == "counts":
        _require_parse("counting phrases", ("source_", source), ("", target))
    for rule in listed:
        sides = ((rule.source, ("source_", source)), (rule.target, ("", target)))
        for patterns, side in sides:
            if any(pattern.needs_parse for pattern in patterns):
                _require_parse(f"the rule {rule.name!r}", side)
    settled: dict[str, object] = {
        "rules": compute_file_version(rules) if rules else "none",
        "source_parses": source.settled.get("parses", "none"),
        "source_model": source.settled.get("model", "none"),
        "parses": target.settled.get("parses", "none"),
        "model": target.settled.get("model", "none"),
    }
    if mode == "counts":
        return Metric(
            name="transfer",
            columns=tuple(f"{side}_{kind}" for kind in PHRASES for side in SIDES),
            rows=partial(phrase_rows, source=source, target=target),
            aggregate=phrase_aggregate,
            parts=phrase_parts,
            higher_is_better=False,
            needs_source=True,
            needs_reference=False,
            settled=settled,
        )
    return Metric(
        name="transfer",
        columns=tuple(
            f"{count}: {rule.name}"
            for count in ("occurrences", "satisfied")
            for rule in listed
        ),
        rows=partial(rows, rules=listed, source=source, target=target),
        aggregate=aggregate,
        parts=partial(parts, rules=listed),
        details=partial(details, rules=listed, source=source, target=target),
        needs_source=True,
        needs_reference=False,
        settled=settled,
    )


SIDES = ("source", "output", "difference")


def rows(
    batch: Batch | Sentence,
    *,
    rules: Sequence[TransferRule],
    source: ParseSource,
    target: ParseSource,
) -> Array:
    """How often each rule occurs in each segment, then how often each is satisfied."""
    table = np.zeros((len(batch), 2 * len(rules)))
    for index, (before, after) in enumerate(_pair_sentences(batch, source, target)):
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


def details(
    batch: Batch | Sentence,
    *,
    rules: Sequence[TransferRule],
    source: ParseSource,
    target: ParseSource,
) -> list[Detail]:
    """The rules that failed, with the words of the source that asked for them."""
    failures = []
    for index, (before, after) in enumerate(_pair_sentences(batch, source, target)):
        for rule in rules:
            asked = _find_matches(rule.source, before)
            failed = len(asked) - len(_find_matches(rule.target, after)) if asked else 0
            if failed > 0:
                about = {"rule": rule.name, "failed": f"{failed} of {len(asked)}"}
                failures.append(Detail(index, "failed", " / ".join(asked), about))
    return failures


def phrase_rows(
    batch: Batch | Sentence, *, source: ParseSource, target: ParseSource
) -> Array:
    """Phrases of each kind in source and output, and how far the counts are apart."""
    table = np.zeros((len(batch), len(SIDES) * len(PHRASES)))
    for index, sides in enumerate(_pair_sentences(batch, source, target)):
        for place, kind in enumerate(PHRASES):
            before, after = (
                sum(1 for parse in side for _ in find_phrases(parse.words, kind))
                for side in sides
            )
            columns = slice(len(SIDES) * place, len(SIDES) * (place + 1))
            table[index, columns] = before, after, abs(after - before)
    return table


def phrase_aggregate(totals: Array) -> Array:
    """Differences per hundred phrases of the source; NaN if the source has none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share = 100 * totals[..., 2::3].sum(-1) / totals[..., ::3].sum(-1)
    return np.where(totals[..., ::3].sum(-1) > 0, share, np.nan)


def phrase_parts(totals: Array) -> Parts:
    """The counts of each kind of phrase; the difference is that of the sums."""
    return {
        name: value
        for kind, (before, after, _) in zip(
            PHRASES, totals.reshape(-1, len(SIDES)).tolist(), strict=True
        )
        for name, value in (
            (f"source_{kind}", before),
            (f"output_{kind}", after),
            (f"difference_{kind}", after - before),
        )
    }


def _choose_parses(side: str, path: str, model: str, match: bool) -> ParseSource:
    if path and model:
        msg = f"transfer: give {side}parses or {side}model, not both."
        raise OptionError(msg)
    if model:
        return build_model_source(model)
    return (
        build_file_source("transfer", path, match=match)
        if path
        else build_word_source()
    )


def _require_parse(what: str, *sides: tuple[str, ParseSource]) -> None:
    for side, parses in sides:
        if not parses.parsed:
            msg = (
                f"transfer: {what} needs parses; give {side}parses=FILE.conllu or "
                f"{side}model=NAME of a spaCy model."
            )
            raise OptionError(msg)


def _pair_sentences(
    batch: Batch | Sentence, source: ParseSource, target: ParseSource
) -> Iterable[tuple[Sequence[Parse], Sequence[Parse]]]:
    if batch.source is None:
        msg = "transfer compares with the source, but the batch has none."
        raise CorpusError(msg)
    return zip(
        source.find(batch.source, batch.place),
        target.find(batch.hyps, batch.place),
        strict=True,
    )


def _find_matches(patterns: Sequence[Pattern], sentences: Sequence[Parse]) -> list[str]:
    """The words at every place where one of the patterns fits."""
    matches = (
        [parse.words[start:stop] for start, stop in find_matches(patterns, parse.words)]
        for parse in sentences
    )
    return [" ".join(word.form for word in words) for words in chain(*matches)]
