"""Corpora to score: test sets, the outputs of systems, and batches of their segments.

evalset: EvalSet, the references, sources and documents of a test set; references as callers
  give them, streams or lists for each segment, and the refusal of what may be either.
batch: Batch and Sentence, segments with shared tokens; missing segments; CorpusChunk.
outputs: Corpus, the interface to all that can be scored; Outputs, a corpus in memory.
examples: the example that comes with metra; options of its metrics (example_options.toml).
"""
