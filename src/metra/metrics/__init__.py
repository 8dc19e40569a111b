"""Automatic metrics: the metric record, the registry, and one module a metric or family.

record: Metric, the record of a metric, with its factory, needs and corpus weights.
options: options of metrics, their types and ranges; specs.
registry: every metric by name, and metrics explained by their docstrings.
citations: names of metrics in print, and the papers of metrics and tests.
signatures: signatures without defaults, and as sacreBLEU writes them.
alignment: which words of an output stand for which of a reference.
units: segments and documents as units of annotation; what metrics note in them.
parses: where the parses of texts come from.
bleu: n-gram precision with a brevity penalty.
nist: matching n-grams weighed by their information.
chrf: character n-gram F-score.
gleu: n-grams that match, by the longer side's.
rouge: ROUGE-L, the longest common subsequence of words.
ter: translation edit rate.
error_rates: wer, mer, per, ser and cer, the error rates; wip and wil, word information.
unigram: precision, recall, f1 and fmean of words.
gtm: F-measure of runs of matched words.
meteor: words matched by form, stem and meaning.
ltv: matching n-grams weighed by salience.
syntax: words changed by a minimal correction.
xscore: dependencies counted for and against.
transfer: transfer rules that hold.
ie: templates filled from the output.
template_alignment: fillers of templates against the reference's, in the MUC's categories.
quality: metrics combined by a quality model.
entities: names that came through.
terminology: required terms that the output has.
untranslated: words that should have been translated.
neural: COMET, BERTScore and MetricX, on checkpoints that lie on this machine.
evaltrans: judgements carried over to similar outputs; mwer, against judged outputs.
outside: scores that another program made.
spans: errors that judges or programs marked.
llm: language models as judges.
"""
