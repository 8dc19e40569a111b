"""Sentences of a text, and alignment of texts by sentences.

splitter: sentences of a text, in any script: marks, quotations; lists in abbreviations.toml.
resegmentation: an output cut like its references, by the minimum edit distance.
alignment: sentences of an output matched with the segments of its references: costs, few words.
"""
