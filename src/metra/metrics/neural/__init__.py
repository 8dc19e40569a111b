"""Neural metrics on checkpoints that lie on this machine; nothing is downloaded.

torch and transformers (`metra[neural]`) are imported when something has to be computed.

checkpoints: files of checkpoints, their digests, tokenisers and encoders.
inference: devices, precision (fp32 on a GPU), batches by length, tokens at once.
segment_scores: from a batch to rows: texts collected, scored once; digits shown.
score_store: file of scores, and of digests of files.
comet: COMET, CometKiwi, UniTE and xCOMET with its error spans.
comet_network: networks of the COMET family, their scores and error spans; weights of errors.
bertscore: BERTScore, cosine similarity of token embeddings.
metricx: MetricX, regression with mT5; the longest input by version.
"""
