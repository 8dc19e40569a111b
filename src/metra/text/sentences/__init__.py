"""Sentences of a text, and alignment of texts by sentences.

splitter: sentences of a text, in any script; lists in abbreviations.toml.
resegmentation: an output cut like its references, by the minimum edit distance.
alignment: sentences of an output matched with the segments of its references.
"""

#: Matches of a lower confidence are called unsure.
UNSURE_BELOW = 0.2
