"""Automatic metrics: the metric record, the registry, and one module a metric or family.

This file names the default metric, and those of reports and demonstrations.

record: Metric, with factory, needs and corpus weights; the most references for weights.
options: options of metrics, their types and ranges; specs; the longest n-grams.
registry: every metric by name, names of other programs' metrics, aliases of chrF; metrics
  explained by docstrings.
citations: names of metrics in print, and the papers of metrics and tests (papers.bib).
signatures: signatures without defaults, and as sacreBLEU (2.6.0) writes them.
alignment: links between the words of an output and a reference, one record for all metrics.
units: segments and documents as units of annotation; notes of metrics about them.
parses: parses of texts: from a CoNLL-U file, or by a spaCy model.
bleu: n-gram precision with a brevity penalty; smoothing, effective order, reference length.
nist: matching n-grams weighed by their information.
chrf: character n-gram F-score.
rouge: ROUGE-L, the longest common subsequence of words.
ter: translation edit rate.
error_rates: wer, per, ser and cer, the error rates.
unigram: precision, recall, f1 and fmean of words.
gtm: F-measure of runs of matched words; nodes of the search.
meteor: words matched by form, stem and meaning; parameters and stemmers
    by language in meteor.toml.
ltv: matching n-grams weighed by salience.
syntax: words changed by a minimal correction.
xscore: dependencies counted for and against, with their signs.
transfer: transfer rules that hold.
ie: templates filled from the output.
template_alignment: fillers of templates against the reference's, in the MUC's categories.
quality: metrics combined by a quality model.
entities: names that came through.
terminology: required terms that the output has.
untranslated: words that should have been translated; exceptions for names, numbers, addresses.
neural: COMET, BERTScore and MetricX, on checkpoints that lie on this machine.
evaltrans: judgements carried over to similar outputs; mwer, against judged outputs.
outside: scores that another program made.
spans: errors that judges or programs marked, with the weights of severities.
llm: language models as judges.
"""

#: The metric of every function and command that is given none.
DEFAULT_METRIC = "bleu"
#: The metrics of reports, demonstrations and results of campaigns.
REPORT_METRICS = ("bleu", "chrf", "ter")
