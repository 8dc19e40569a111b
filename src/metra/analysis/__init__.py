"""Analyses of outputs beyond their scores: where, in which words and how systems differ.

What an analysis needs of the texts is collected in the pass that counts the metrics; the
analyses then work on rows, texts and numbered words, and read nothing again.

collection: texts, lengths, words and matches of a corpus, kept while it is counted
findings: alignments for grids (up to 80 words); marked errors
changes: the segments whose scores changed most from one system to another
word_diff: two outputs word by word beside the references, if a fifth of their words is common
ngrams: the n-grams that one system gets right or wrong more often; their weights and examples
buckets: scores by length, document, label or word frequency; too small buckets
profiles: counts of traits (declared in traits.toml), bounds from which one stands out
headlines: disagreements of people, neural and string metrics, and the order of trust in them
relations: distributions of segment scores (20 bins); metrics against metrics and people
word_stability: stability of words across two translations; salience above 3 is high
retrieval: documents found through their translations by BM25 (k1 1.2, b 0.75)
segmentation: outputs with other lines than the references, segmented like them; unsure matches
"""
