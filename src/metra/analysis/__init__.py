"""Analyses of outputs beyond their scores: where, in which words and how systems differ.

What an analysis needs of the texts is collected in the pass that counts the metrics; the
analyses then work on rows, texts and numbered words, and read nothing again.

collection: texts, lengths, words and matches of a corpus, kept while it is counted
findings: all analyses, run together; alignments for grids; marked errors
changes: the segments whose scores changed most from one system to another
word_diff: two outputs of a segment word by word, beside the references
ngrams: the n-grams that one system gets right or wrong more often than another
buckets: scores by length, document, label or word frequency
profiles: what each system's output is like: length, repetition, copied words, …
profile_counts: what profiles are made of, counted segment by segment
headlines: where people, neural and string metrics disagree, and whom to trust more
relations: distributions of segment scores; metrics against metrics and people
word_stability: how stable words are across two translations, by their salience
retrieval: whether documents are found through their translations
segmentation: outputs whose lines are not those of the references, segmented like them
"""
