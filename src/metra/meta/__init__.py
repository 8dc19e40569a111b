"""Meta-evaluation: how far metrics and judges can be trusted.

A module a question: functions that compute a record, and one that lays it out as tables
with notes and a signature. The options of every question are dataclasses, from which the
command line derives its flags.

agree: how far judges agree with each other, and with themselves
arrays: questions asked of plain arrays, systems × segments, NaN where missing
card: everything about one metric
challenge: whether a metric prefers good translations to bad ones
compare: which metrics are better than which
correlate: how well metrics agree with people
cross: how scorers agree with each other
deltas: which differences of a metric people notice
diff: whether differences between systems agree
distribution: spread of each system's scores
document_rank: systems ranked by each metric over documents
evaluators: evaluators of a measure compared, and measures with each other
exercise: the collective exercise on one scale, from 0 to 100
findings: what every question returns
judge_options: the options of questions about judges and judgements
judges: figures about each judge, and flags
judge_plots: what pictures of judges show
measure_scales: scales and kinds of measures
missing: outputs without a score, and why
normalise: judges' values on one scale, and who was left out
options: the options of questions about metrics
people: people next to metrics in a report
pace: active times of answers
power: how many segments and raters tell systems apart
preferences: outputs of two systems compared judge by judge
pseudo: agreement by length of document
question: the record of a question, and answers to all of them
questions: the list of questions about judgements
rank: which systems are better, and which cannot be told apart
rank_tests: tests and intervals of a ranking
refs: agreement by number of references
robust: agreement over fewer systems
scatter: systems by gold and metric
select: whether a metric keeps good outputs, and takes the best of several
sentinel: what scores reach that cannot tell how good an output is
spans: whether errors are marked where people mark them
status: each judge's work so far, and agreement, while a campaign runs
study: the manifest of a study, and the scores that it names
task: the protocols of WMT's metrics tasks
texts: scores of whole texts, by judge and over judges
trust: what a report shows beside judgements
tune: which value of a metric's option agrees best with people
variance: what judgements vary with, and how far people agree at best
"""

#: The questions about judgements, in the order of a results page (`metra.meta.questions`).
QUESTION_NAMES = (
    *("rank", "preferences", "distribution", "missing", "judges", "agree", "pace"),
)
