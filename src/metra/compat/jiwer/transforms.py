"""jiwer's transforms: what is done to sentences before they are compared."""

import re
import string
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_CONTRACTIONS = {
    "won't": "will not",
    "can't": "can not",
    "let's": "let us",
    "n't": " not",
    "'re": " are",
    "'s": " is",
    "'d": " would",
    "'ll": " will",
    "'t": " not",
    "'ve": " have",
    "'m": " am",
}


class AbstractTransform:
    """A transform of one sentence, or of each in a list."""

    def __call__(self, sentences: Any) -> Any:
        """Transform a sentence or a list of sentences."""
        if isinstance(sentences, str):
            return self.process_string(sentences)
        if isinstance(sentences, list):
            return self.process_list(sentences)
        msg = f"The input is {sentences!r}; expected a string or a list of strings."
        raise ValueError(msg)

    def process_string(self, s: str) -> Any:
        """Transform one sentence."""
        raise NotImplementedError

    def process_list(self, inp: list[str]) -> Any:
        """Transform each sentence."""
        return list(map(self.process_string, inp))


class Compose:
    """Several transforms, one after the other."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, text: Any) -> Any:
        """Apply all transforms."""
        for transform in self.transforms:
            text = transform(text)
        return text


class ReduceToListOfListOfWords(AbstractTransform):
    """Cut each sentence into words; no sentence at all is an empty one."""

    def __init__(self, word_delimiter: str = " ") -> None:
        self.word_delimiter = word_delimiter

    def process_string(self, s: str) -> list[list[str]]:
        """Return a list with the list of words."""
        return [list(filter(None, s.split(self.word_delimiter)))]

    def process_list(self, inp: list[str]) -> list[list[str]]:
        """Return a list of words for each sentence."""
        return [self.process_string(sentence)[0] for sentence in inp] or [[]]


class ReduceToListOfListOfChars(AbstractTransform):
    """Cut each sentence into characters; no sentence at all is an empty one."""

    def process_string(self, s: str) -> list[list[str]]:
        """Return a list with the list of characters."""
        return [list(s)]

    def process_list(self, inp: list[str]) -> list[list[str]]:
        """Return a list of characters for each sentence."""
        return list(map(list, inp)) or [[]]


class ReduceToSingleSentence(AbstractTransform):
    """Join all sentences that are not empty into one."""

    def __init__(self, word_delimiter: str = " ") -> None:
        self.word_delimiter = word_delimiter

    def process_string(self, s: str) -> str:
        """Return the sentence as it is."""
        return s

    def process_list(self, inp: list[str]) -> list[str]:
        """Return a list with one sentence, or none."""
        sentences = list(filter(None, inp))
        return [self.word_delimiter.join(sentences)] if sentences else []


class SubstituteRegexes(AbstractTransform):
    """Replace what regular expressions match."""

    def __init__(self, substitutions: Mapping[str, str]) -> None:
        self.substitutions = substitutions

    def process_string(self, s: str) -> str:
        """Apply the expressions in their order."""
        for pattern, replacement in self.substitutions.items():
            s = re.sub(pattern, replacement, s)
        return s


class SubstituteWords(SubstituteRegexes):
    """Replace whole words; a word within another one is left alone."""

    def process_string(self, s: str) -> str:
        """Replace the words in their order."""
        for word, replacement in self.substitutions.items():
            s = re.sub(rf"\b{re.escape(word)}\b", replacement, s)
        return s


class RemoveSpecificWords(SubstituteWords):
    """Replace words by a blank."""

    def __init__(self, words_to_remove: Sequence[str]) -> None:
        super().__init__(dict.fromkeys(words_to_remove, " "))


class RemoveWhiteSpace(AbstractTransform):
    """Remove ASCII's white space, or replace each such character by a blank."""

    def __init__(self, replace_by_space: bool = False) -> None:
        blank = " " if replace_by_space else None
        self._table = dict.fromkeys(map(ord, string.whitespace), blank)

    def process_string(self, s: str) -> str:
        """Remove or replace the white space."""
        return s.translate(self._table)


class RemovePunctuation(AbstractTransform):
    """Remove characters whose Unicode category is a kind of punctuation."""

    def process_string(self, s: str) -> str:
        """Remove the punctuation."""
        return s.translate(_PUNCTUATION)


class _Punctuation(dict[int, int | None]):
    """Characters that were met: None for punctuation, all others as they are."""

    def __missing__(self, code: int) -> int | None:
        is_punctuation = unicodedata.category(chr(code)).startswith("P")
        self[code] = None if is_punctuation else code
        return self[code]


_PUNCTUATION = _Punctuation()


class RemoveMultipleSpaces(AbstractTransform):
    """Replace two or more characters of white space by one blank."""

    _replace = re.compile(r"\s\s+").sub

    def process_string(self, s: str) -> str:
        """Replace the white space."""
        return self._replace(" ", s)


class Strip(AbstractTransform):
    """Remove white space from both ends."""

    def process_string(self, s: str) -> str:
        """Remove the white space."""
        return s.strip()


class RemoveEmptyStrings(AbstractTransform):
    """Remove sentences of nothing but white space."""

    def process_string(self, s: str) -> str:
        """Remove white space from both ends."""
        return s.strip()

    def process_list(self, inp: list[str]) -> list[str]:
        """Keep the other sentences as they are."""
        return [sentence for sentence in inp if self.process_string(sentence)]


class ExpandCommonEnglishContractions(AbstractTransform):
    """Write contractions in full: let's becomes let us."""

    def process_string(self, s: str) -> str:
        """Replace the contractions, the longer ones first."""
        for contraction, words in _CONTRACTIONS.items():
            s = s.replace(contraction, words)
        return s


class ToLowerCase(AbstractTransform):
    """Write everything in lower case."""

    def process_string(self, s: str) -> str:
        """Return the sentence in lower case."""
        return s.lower()


class ToUpperCase(AbstractTransform):
    """Write everything in upper case."""

    def process_string(self, s: str) -> str:
        """Return the sentence in upper case."""
        return s.upper()


class RemoveKaldiNonWords(AbstractTransform):
    """Remove what stands between [ and ] or < and >, as <unk> in outputs of Kaldi."""

    def process_string(self, s: str) -> str:
        """Remove the words with their brackets."""
        return re.sub(r"[<\[][^>\]]*[>\]]", "", s)


_SEPARATION = [RemoveMultipleSpaces(), Strip()]
_STANDARDISATION = [
    ToLowerCase(),
    ExpandCommonEnglishContractions(),
    RemoveKaldiNonWords(),
    RemoveWhiteSpace(replace_by_space=True),
    *_SEPARATION,
]

#: Words between blanks; several white-space characters in a row count as one blank.
wer_default = Compose([*_SEPARATION, ReduceToListOfListOfWords()])
#: The same, with all sentences joined into one.
wer_contiguous = Compose(
    [*_SEPARATION, ReduceToSingleSentence(), ReduceToListOfListOfWords()]
)
#: The same in lower case, contractions in full, without what stands in brackets.
wer_standardize = Compose([*_STANDARDISATION, ReduceToListOfListOfWords()])
#: The same, with all sentences joined into one.
wer_standardize_contiguous = Compose(
    [
        *_STANDARDISATION,
        ReduceToSingleSentence(),
        ReduceToListOfListOfWords(),
    ]
)
#: Characters, without the white space at both ends.
cer_default = Compose([Strip(), ReduceToListOfListOfChars()])
#: The same, with all sentences joined into one.
cer_contiguous = Compose(
    [Strip(), ReduceToSingleSentence(), ReduceToListOfListOfChars()]
)
