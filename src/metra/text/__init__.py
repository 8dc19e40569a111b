"""From strings to tokens, and knowledge of words in any language.

columns: columns of strings as callers have them; the check that all have as many segments
preparation: how text is made comparable (tokeniser, case, stemmer), hit maps.
tokenizers: tokenisers by name: ours, those of optional packages, third parties'.
meteor_normaliser: METEOR's normaliser, which also cuts words.
lemmas: stemmers and lemmas, and words compared by what they are forms of.
words: words of a text, as readers, corrections, dictionaries and profiles need them;
    spans of characters, in code points and UTF-16 units.
normalisation: words as names and terms are compared.
scripts: the script of a letter, the scripts of a language.
sentences: sentences of a text; outputs aligned with their references.
diff: edits, differences and common words of two texts.
corrections: words added, deleted, substituted and moved by a correction.
salience: how salient words are in their documents.
"""
