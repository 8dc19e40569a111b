"""The functions, records, transforms and texts of jiwer 4, computed by metra.

Replace `import jiwer` with `from metra.compat import jiwer`. Scores range from 0 to 1,
references come first, and ties between alignments are resolved as in jiwer.

>>> out = process_words("the bus stops here", "the sub stops")
>>> out.wer, out.substitutions, out.deletions
(0.5, 1, 1)
>>> print(visualize_alignment(out, show_measures=False))
=== SENTENCE 1 ===
<BLANKLINE>
REF: the bus stops here
HYP: the sub stops ****
           S          D
<BLANKLINE>

process: sentences aligned word by word or character by character, and the measures
alignment: drawings of alignments, and lists of errors
transforms: what is done to sentences before they are compared
"""

from metra.compat.jiwer.alignment import (
    collect_error_counts,
    visualize_alignment,
    visualize_error_counts,
)
from metra.compat.jiwer.process import (
    AlignmentChunk,
    CharacterOutput,
    WordOutput,
    cer,
    mer,
    process_characters,
    process_words,
    wer,
    wil,
    wip,
)
from metra.compat.jiwer.transforms import (
    AbstractTransform,
    Compose,
    ExpandCommonEnglishContractions,
    ReduceToListOfListOfChars,
    ReduceToListOfListOfWords,
    ReduceToSingleSentence,
    RemoveEmptyStrings,
    RemoveKaldiNonWords,
    RemoveMultipleSpaces,
    RemovePunctuation,
    RemoveSpecificWords,
    RemoveWhiteSpace,
    Strip,
    SubstituteRegexes,
    SubstituteWords,
    ToLowerCase,
    ToUpperCase,
    cer_contiguous,
    cer_default,
    wer_contiguous,
    wer_default,
    wer_standardize,
    wer_standardize_contiguous,
)

__all__ = [
    "AbstractTransform",
    "AlignmentChunk",
    "CharacterOutput",
    "Compose",
    "ExpandCommonEnglishContractions",
    "ReduceToListOfListOfChars",
    "ReduceToListOfListOfWords",
    "ReduceToSingleSentence",
    "RemoveEmptyStrings",
    "RemoveKaldiNonWords",
    "RemoveMultipleSpaces",
    "RemovePunctuation",
    "RemoveSpecificWords",
    "RemoveWhiteSpace",
    "Strip",
    "SubstituteRegexes",
    "SubstituteWords",
    "ToLowerCase",
    "ToUpperCase",
    "WordOutput",
    "cer",
    "cer_contiguous",
    "cer_default",
    "collect_error_counts",
    "mer",
    "process_characters",
    "process_words",
    "visualize_alignment",
    "visualize_error_counts",
    "wer",
    "wer_contiguous",
    "wer_default",
    "wer_standardize",
    "wer_standardize_contiguous",
    "wil",
    "wip",
]
