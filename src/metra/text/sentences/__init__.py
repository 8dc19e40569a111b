"""Sentences of a text, and texts that are not aligned.

abbreviations: abbreviations and frequent first words, by language.
splitter: sentences of a text, in any script.
resegmentation: an output cut like its references, by the minimum edit distance.
alignment: sentences of an output matched with the segments of its references.
"""

#: Matches of a lower confidence are called unsure.
UNSURE_BELOW = 0.2
