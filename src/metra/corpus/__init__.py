"""What is scored, in memory: evaluation sets and the batches of segments cut from them.

evalset: test sets, outputs, chunks and batches, and the protocol of a corpus
documents: chunks that end where documents end
examples: the corpus that is shipped as an example
"""
