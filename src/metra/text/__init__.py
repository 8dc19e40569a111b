"""From strings to tokens, and knowledge of words in any language.

columns: columns of strings, packed for Rust; the check that all have as many segments
preparation: how text is made comparable (tokeniser, case, stemmer), hit maps.
tokenizers: tokenisers by name: ours, those of optional packages and their extras, others.
meteor_normaliser: METEOR's normaliser, which also cuts words (meteor_abbreviations.toml).
lemmas: stemmers and lemmas, and words compared by their base forms.
words: words of a text, as readers, corrections, dictionaries and profiles need them; words to
    read (10 letters without blanks); numbers; spans in code points and UTF-16 units.
normalisation: words as names and terms are compared: accents, decimal signs, number_words.toml.
scripts: the script of a letter, of a language, and scripts written without blanks.
sentences: sentences of a text; outputs aligned with their references.
diff: edits, differences and common words of two texts.
corrections: words added, deleted, substituted and moved by a correction.
salience: how salient words are in their documents: tf.idf and S-scores.
"""
