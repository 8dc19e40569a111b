"""Checks of samples of texts, each for a mistake of files or settings.

A check is a function of the sample that gives a sentence for each problem; docs/guards.md lists
the checks, and the texts that their limits were set on.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise, product

from metra.formats.texts.furniture import FURNITURE, Furniture
from metra.scoring.contrast import find_contrasts
from metra.scoring.text_sample import (
    CHINESE,
    LEAST_LINES,
    LineBlock,
    TextLines,
    TextSample,
    find_script,
    has_reference,
    is_many,
)

#: Fewer segments than this prove nothing about a file.
LEAST = 10
#: Shares of lines from which on a warning is given.
MANY_EMPTY, MANY_ESCAPED, MANY_PARTED = 0.05, 0.05, 0.25
#: So many frequent words of the reference are looked for. How frequent a text has them at
#: least, relative to the reference; the same for letters of the reference's script.
FREQUENT_WORDS, SAME_LANGUAGE, SAME_SCRIPT = 50, 0.3, 0.45
#: Fewer words or letters than this show no language or script.
LEAST_WORDS, LEAST_LETTERS = 100, 50
#: Somebody has cut the words of a text without blanks that has fewer letters than this for
#: each blank between them.
CUT_LENGTH = 6
#: Shifted lines share this many times the words, and at least this share of them.
SHIFT_RATIO, SHIFT_LEAST = 2.0, 0.15
#: This share of a block's lines has to fit better where the block is shifted to.
SHIFTED_LINES = 2 / 3
#: Lines that share so many words with their reference are where they belong.
IN_PLACE = 0.25
#: Words that are in this share of the reference's lines at most show the order of lines, if so
#: many pairs of lines share one: lines share at least this many times as many with their own.
#: Fewer lines than this show no order.
RARE_SHARE, LEAST_PAIRS, PLACE_RATIO, LEAST_SHUFFLED = 0.05, 20, 4, 20
#: Lines at both ends of a block that are not looked for at other lines.
MARGIN = 2

_REFERENCE_NAME = r"(?i:(?:.*[._-])?ref(?:erence)?s?(?:[._-]?(?:[a-z]|[0-9]{1,2}))?)"
#: Escapes of Moses's tokeniser, with blanks around them; other texts have them in words.
_TOKENISER_ESCAPES = (
    r"@-@|(?<!\S)(?:&(?:quot|#39|#91|#93);(?!\S)|&apos;(?:\s|$|[a-z]{1,2}\b))"
)
#: Tokenisers that part words at blanks and punctuation only.
_BY_BLANKS = ("13a", "intl", "none")
#: What cuts scripts without blanks, by script.
_CUTS = {
    "CJK": ("Chinese", "zh"),
    "JAPANESE": ("Japanese", "ja-mecab (install metra[ja]) or tok=char"),
    "MYANMAR": ("Burmese", "char or tok=spm@MODEL"),
}
_OTHER_CUT = "char or tok=spm@MODEL"


def check_names(sample: TextSample) -> Iterator[str]:
    """Find outputs with the name of a reference, but other lines."""
    equal = {name for names in sample.equal if has_reference(names) for name in names}
    for name in sample.systems:
        is_like = "ref" in name.lower() and re.fullmatch(_REFERENCE_NAME, name)
        if is_like and f"output {name!r}" not in equal:
            yield (
                f"The output {name!r} has the name of a reference but is scored as a "
                "system; if it is a reference, give it with `refs`."
            )


def check_equal_texts(sample: TextSample) -> Iterator[str]:
    """Find outputs and references given twice, or one as the other."""
    for names in sample.equal:
        references = [name for name in names if has_reference([name])]
        outputs = [name for name in names if name not in references]
        equal = f"equal in {sample.scope} {sample.segments} segments"
        if len(references) > 1:
            yield (
                f"{_begin_sentence(references, 'is')} {equal}; leave out all but one, "
                "because copies add nothing."
            )
        if outputs:
            whole = _begin_sentence([*references[:1], *outputs], "is")
            given = "that the reference was not given as a system"
            yield f"{whole} {equal}; check {given if references else 'the files'}."


def check_order(sample: TextSample) -> Iterator[str]:
    """Find texts whose lines have the words of other lines of the reference."""
    others = [name for name in sample.texts if name not in _find_texts_in_place(sample)]
    if not sample.refs or not others:
        return
    expected = _collect_words(sample, sample.reference.all)
    for name in others:
        words = _collect_words(sample, sample.texts[name].all)
        for block in sample.blocks:
            if offset := _find_offset(words, expected, block):
                distance = "one line" if abs(offset) == 1 else f"{abs(offset)} lines"
                yield (
                    f"The lines of {_name_texts([name])} seem shifted: from segment "
                    f"{block.segment} on they match the reference {distance} "
                    f"{'later' if offset > 0 else 'earlier'}; look for lines that are "
                    "missing, added or broken in two before it."
                )
                break
        else:
            if _is_shuffled(words, expected):
                yield (
                    f"The lines of {_name_texts([name])} seem to be in another order than "
                    "those of the reference: they share hardly more words with their own "
                    "lines of it than with any others; restore the order."
                )


@lru_cache(1)
def _find_texts_in_place(sample: TextSample) -> set[str]:
    """Find texts of which a few lines of each block share words with the reference."""
    if not sample.refs:
        return set()
    places = [
        slice(block.start + MARGIN, block.stop - MARGIN, 4) for block in sample.blocks
    ]
    expected = [_collect_words(sample, sample.reference.all[place]) for place in places]

    def is_in_place(lines: Sequence[str]) -> bool:
        for place, others in zip(places, expected, strict=True):
            words = _collect_words(sample, lines[place])
            if sum(map(_measure_overlap, words, others)) <= IN_PLACE * len(words):
                return False
            # Texts in two languages share numbers.
            shared = chain.from_iterable(map(set.__and__, words, others))
            if sum(word[0].isalpha() for word in shared) < len(words):
                return False
        return True

    first, *rest = sample.texts
    return {first, *(name for name in rest if is_in_place(sample.texts[name].all))}


def _collect_words(sample: TextSample, lines: Sequence[str]) -> list[set[str]]:
    """Collect the words of each line; of unspaced scripts, bigrams."""
    if sample.reference.unspaced_script:
        return [set(map("".join, pairwise(line))) for line in lines]
    return [set(line.lower().split()) for line in lines]


def _find_offset(
    words: list[set[str]], expected: list[set[str]], block: LineBlock
) -> int:
    """Return how many lines later the words of a block are in the reference, mostly 0."""
    start, stop = block.start + MARGIN, block.stop - MARGIN
    if stop - start < LEAST - 2 * MARGIN:
        return 0

    def measure_overlaps(offset: int) -> list[float]:
        others = expected[start + offset : stop + offset]
        return [*map(_measure_overlap, words[start:stop], others)]

    here = measure_overlaps(0)
    # A few lines that are in place clear a block.
    if sum(here[::3]) > IN_PLACE * len(here[::3]):
        return 0
    shifts = [(measure_overlaps(offset), offset) for offset in (-2, -1, 1, 2)]
    shifted, offset = max(shifts, key=lambda shift: sum(shift[0]))
    least = max(SHIFT_RATIO * sum(here), SHIFT_LEAST * len(here))
    nearer = sum(map(float.__gt__, shifted, here))
    is_shifted = sum(shifted) > least and nearer >= SHIFTED_LINES * len(here)
    return offset if is_shifted else 0


def _measure_overlap(own: set[str], others: set[str]) -> float:
    return 2 * len(own & others) / (len(own) + len(others) or 1)


def _is_shuffled(words: list[set[str]], expected: list[set[str]]) -> bool:
    """Compare the rare words that lines share with their own line and with any line."""
    count = len(expected)
    # A few lines that are in place clear a text.
    here = [*map(_measure_overlap, words[::3], expected[::3])]
    if count < LEAST_SHUFFLED or sum(here) > IN_PLACE * len(here):
        return False
    frequencies = Counter(chain.from_iterable(expected))
    most = max(1, RARE_SHARE * count)
    rare = {word: lines for word, lines in frequencies.items() if lines <= most}
    pairs = sum(rare.get(word, 0) for line in words for word in line)
    own = sum(len(rare.keys() & line) for line in map(set.__and__, words, expected))
    return pairs >= LEAST_PAIRS and own * count < PLACE_RATIO * pairs


def check_languages(sample: TextSample) -> Iterator[str]:
    """Find texts in another script, or without the frequent words of the reference."""
    by_kind = _find_furniture(sample).items()
    # Marks inside words change the words; lines that share words are in one language.
    marked = {name for kind, own in by_kind if kind != "invisible" for name in own}
    excluded = {*sample.copies, *marked, *_find_texts_in_place(sample)}
    names = [name for name in sample.texts if name not in excluded]
    if not sample.refs or not names:
        return
    letters = sample.reference.letters
    script = find_script(letters)
    scripts = CHINESE if script == "CJK" else {script}
    words = _count_words(sample, sample.reference)
    frequent = {word for word, _ in words.most_common(FREQUENT_WORDS)}

    def is_other(text: TextLines) -> bool:
        own = text.letters
        if _compare_shares(scripts, own, letters, LEAST_LETTERS) < SAME_SCRIPT:
            return True
        own = _count_words(sample, text)
        return _compare_shares(frequent, own, words, LEAST_WORDS) < SAME_LANGUAGE

    if others := [name for name in names if is_other(sample.texts[name])]:
        yield (
            f"The language of {_name_texts(others)} does not look like that of the reference; "
            "check that the files belong together."
        )


def _count_words(sample: TextSample, text: TextLines) -> Counter[str]:
    """Count words, with marks that follow them; of unspaced scripts, letters."""
    content = text.content.lower()
    words = content if sample.reference.unspaced_script else content.split()
    return Counter(word for word in words if word[0].isalpha())


def _compare_shares(
    keys: set[str], counts: Counter[str], expected: Counter[str], least: int
) -> float:
    """Divide the share of the keys by their expected share; 1 if there are too few counts."""
    if min(counts.total(), expected.total()) < least:
        return 1.0
    share, usual = (sum(map(own.__getitem__, keys)) for own in (counts, expected))
    return share / counts.total() * expected.total() / usual


def check_copies(sample: TextSample) -> Iterator[str]:
    """Find outputs that repeat the source."""
    if copies := sample.copies:
        limit = "up to " if len(copies) > 1 else ""
        yield (
            f"{_begin_sentence([*copies], 'equals')} the source in {limit}"
            f"{max(copies.values()):.0%} of the lines compared; check that the system has "
            "translated them."
        )


def check_empty_lines(sample: TextSample) -> Iterator[str]:
    """Find texts with many empty lines where other texts have something."""
    texts = sample.texts.values()
    if all(len(text) == len(sample) for text in texts):
        return
    rows = zip(*(text.all for text in texts), strict=True)
    expected = [any(map(str.strip, row)) for row in rows]
    for name, lines in sample.columns.items():
        empty = sum(
            line is not None and not line.strip() and is_expected
            for line, is_expected in zip(lines, expected, strict=True)
        )
        if is_many(empty, MANY_EMPTY, len(lines)):
            yield (
                f"{_begin_sentence([name], 'has')} no text in {empty} of the {len(lines)} "
                "lines compared; check that the file is complete."
            )


def check_tokenised(sample: TextSample) -> Iterator[str]:
    """Find texts with blanks before punctuation marks and other traces of tokenisers."""
    tokenised = [
        name
        for name, text in sample.texts.items()
        if _is_tokenised(text) or (text.unspaced_script == "CJK" and _is_cut(text))
    ]
    is_all = len(tokenised) == len(sample.texts)
    if tokenised and not (is_all and set(sample.toks.values()) == {"none"}):
        pronoun = "them" if len(tokenised) > 1 else "it"
        yield (
            f"{_begin_sentence(tokenised, 'is')} tokenised text (spaces before "
            "punctuation or between Chinese characters, @-@ or &quot;), which "
            f"changes scores; detokenise {pronoun}, or if all texts are tokenised in "
            "the same way choose tok=none."
        )


def _is_tokenised(text: TextLines) -> bool:
    """Look for blanks before commas and full stops (French has none there), and escapes."""
    if text.joined.count(" ,") + text.joined.count(" .") >= LEAST_LINES:
        parted = _count_lines(r" ,(?= )| \.\s*$", text.all)
        if is_many(parted, MANY_PARTED, _count_lines(r",|\.\s*$", text.all)):
            return True
    if "&" not in text.joined and "@" not in text.joined:
        return False
    escaped = _count_lines(_TOKENISER_ESCAPES, text.all)
    return is_many(escaped, MANY_ESCAPED, len(text.all))


def check_furniture(sample: TextSample) -> Iterator[str]:
    """Find texts with marks of tools, unless those that they are compared with have them."""
    for kind, is_reference in product(FURNITURE, (False, True)):
        marked = _find_furniture(sample)[kind.name]
        if names := [name for name in marked if has_reference([name]) is is_reference]:
            most = max(map(marked.__getitem__, names), key=len)
            limit = "up to " if len(names) > 1 else ""
            remedy = (
                "" if is_reference else f"remove them with `clean` {kind.name}, or "
            )
            yield (
                f"{_begin_sentence(names, 'has')} {kind.title} in {limit}{len(most)} of the "
                f"{len(sample)} lines compared, such as {most[0]!r}; {remedy}correct the file."
            )


def check_contrasts(sample: TextSample) -> Iterator[str]:
    """Find outputs whose lines have something in common that those of references lack."""
    named = {*sample.copies, *chain.from_iterable(_find_furniture(sample).values())}
    return find_contrasts(sample, named)


@lru_cache(1)
def _find_furniture(sample: TextSample) -> dict[str, dict[str, list[str]]]:
    """Return places of marks by kind and text; a sample is looked through once."""
    marked: dict[str, dict[str, list[str]]] = {kind.name: {} for kind in FURNITURE}
    for name, text in sample.texts.items():
        covered = {"entities"} if "&" in text.joined and _is_tokenised(text) else set()
        others = [
            own
            for other, own in sample.texts.items()
            if has_reference([other]) is not has_reference([name])
        ]
        for kind in FURNITURE:
            if kind.name in covered or not _is_likely(kind, text):
                continue
            marks = _list_marks(kind, text)
            if is_many(len(marks), kind.share, len(text)):
                usual = (len(_list_marks(kind, own)) for own in others)
                is_certain = is_many(len(marks), kind.certain, len(text))
                if is_certain or len(marks) > 2 * max(usual, default=0):
                    marked[kind.name][name] = marks
                    covered.update(kind.covers)
    return marked


def _is_likely(kind: Furniture, text: TextLines) -> bool:
    """Return True if the signs of marks are as many as the marks of a text have to be."""
    if kind.begins:
        count = sum(map(text.firsts.__getitem__, kind.signs))
    else:
        signs = [sign for sign in kind.signs if sign in text.joined]
        count = sum(map(text.joined.count, signs))
    return is_many(count, kind.share, len(text)) and (
        not kind.words or any(map(text.joined.__contains__, kind.words))
    )


def _list_marks(kind: Furniture, text: TextLines) -> list[str]:
    """List the beginnings of marks with what stands before them, one of a line."""
    if kind.begins:
        lines = [line for line in text.filled if line.lstrip()[0] in kind.signs]
    else:
        lines = [
            line for line in text.filled if any(map(line.__contains__, kind.signs))
        ]
    matches = map(re.compile(kind.pattern, re.DOTALL).search, lines)
    return [
        match.string[max(0, match.start() - 10) :][:40] for match in matches if match
    ]


def _count_lines(pattern: str, lines: Sequence[str]) -> int:
    return sum(map(bool, map(re.compile(pattern).search, lines)))


def check_placeholders(sample: TextSample) -> Iterator[str]:
    """Find words that stand for a text, where other texts have a sentence."""
    for name, text in sample.texts.items():
        words = [
            line.strip()
            for index, line in enumerate(text.all)
            if len(line) < LONG
            and any(len(other.all[index]) > LONG for other in sample.texts.values())
            and _PLACEHOLDER.fullmatch(line.strip())
        ]
        if words:
            yield (
                f"{_begin_sentence([name], 'has')} no text but {words[0]!r}, or words like "
                f"it, in {len(words)} of the {len(sample)} lines compared; complete the "
                "file."
            )


#: A text of so many characters is no placeholder.
LONG = 20
_PLACEHOLDER = re.compile(
    r"(?i)#(?:VALUE!|N/A|NAME\?|REF!|DIV/0!|NULL!|NUM!)|loading(?:\.\.\.|…)|n/?a|nan|null|"
    r"none|(?:same )?as above|idem|ditto|tbd|error|[-–—?]"
)


def check_ends(sample: TextSample) -> Iterator[str]:
    """Find texts whose first or last line is of a table, or that stand in a block of code."""
    texts = sample.texts
    fenced = {
        name
        for name, text in texts.items()
        if "`" in text.joined and "```" in text.joined
    }
    is_first = sample.blocks[0].segment == 1
    rows = {text.all[0].strip() for text in texts.values()}
    for name, text in texts.items():
        first, *middle, last = text.all
        first, last = first.strip(), last.strip()
        is_rule = len(rows) == 1 < len(texts) and not first.strip("-=:_ ")
        if is_first and (first.lower() in _HEADINGS or (first and is_rule)):
            yield (
                f"The first line of {_name_texts([name])} is {first!r}, as in the head of a "
                "table; remove it if it is not a text."
            )
        elif first.startswith("```") or fenced == {name}:
            yield (
                f"{_begin_sentence([name], 'has')} lines with ```, which begin and end code; "
                "remove them."
            )
        elif _NUMBER.fullmatch(last) and not any(
            _NUMBER.fullmatch(line.strip()) for line in middle
        ):
            yield (
                f"The last line of {_name_texts([name])} is {last!r}, a number alone; remove "
                "the row if it is a total."
            )


#: Headings of a column, and types of its cells, that stand alone in its first line.
_HEADINGS = (
    *("translation", "translations", "target", "output", "hypothesis", "mt", "text"),
    *("texts", "source", "reference", "sentence", "sentences", "segment"),
    *("string", "str", "object", "varchar"),
)
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?%?")


def check_tokenisers(sample: TextSample) -> Iterator[str]:
    """Find metrics that cut at blanks, for texts of scripts that have none."""
    specs = [spec for spec, tok in sample.toks.items() if tok in _BY_BLANKS]
    texts = [sample.reference] if sample.refs else sample.texts.values()
    if specs and (cut := next(filter(None, map(_find_cut, texts)), None)):
        toks = dict.fromkeys(sample.toks[spec] for spec in specs)
        yield (
            f"The texts are {cut[0]}, which has no spaces between words, but "
            f"{', '.join(specs)} cut{'s' if len(specs) == 1 else ''} words with "
            f"tok={', '.join(toks)}; choose tok={cut[1]}."
        )


def _find_cut(text: TextLines) -> tuple[str, str] | None:
    """Name the language and the tokeniser of an unspaced text; None for other texts."""
    script, counts = text.unspaced_script, text.letters
    if not script or _is_cut(text):
        return None
    kana = counts["HIRAGANA"] + counts["KATAKANA"]
    if script == "CJK" and kana >= 0.1 * counts["CJK"]:
        script = "JAPANESE"
    return _CUTS.get(script, (script.capitalize(), _OTHER_CUT))


def _is_cut(text: TextLines) -> bool:
    """Return True for many blanks between the letters of an unspaced script."""
    letter = r"[^\x00-\x7f\s]"
    blanks = len(re.findall(f"(?<={letter}) +(?={letter})", text.content))
    return len(re.findall(letter, text.content)) < CUT_LENGTH * blanks


def _name_texts(names: Sequence[str]) -> str:
    """Name references and outputs, not more than four outputs.

    >>> _name_texts(["reference 1", "output 'a'", "output 'b'"])
    "reference 1 and the outputs 'a', 'b'"
    """
    parts = []
    for kind, article in (("reference", ""), ("output", "the ")):
        own = [name.partition(" ")[2] for name in names if name.startswith(kind)]
        if own:
            more = f" and {len(own) - 4} more" if own[4:] else ""
            noun = f"{article}{kind}{'s' if own[1:] else ''}"
            parts.append(f"{noun} {', '.join(own[:4])}{more}")
    return " and ".join(parts)


def _begin_sentence(names: Sequence[str], verb: str) -> str:
    """Name references and outputs at the start of a sentence, with a verb."""
    text = _name_texts(names)
    plurals = {"is": "are", "has": "have", "equals": "equal"}
    return f"{text[0].upper()}{text[1:]} {plurals[verb] if names[1:] else verb}"


#: The checks by the names of their guards, in the order of their warnings.
CHECKS: dict[str, Callable[[TextSample], Iterator[str]]] = {
    "equal texts": check_equal_texts,
    "shifted lines": check_order,
    "language": check_languages,
    "copied source": check_copies,
    "empty lines": check_empty_lines,
    "furniture": check_furniture,
    "placeholders": check_placeholders,
    "first and last lines": check_ends,
    "unlike references": check_contrasts,
    "tokenised text": check_tokenised,
    "tokeniser": check_tokenisers,
}
