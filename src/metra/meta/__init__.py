"""Meta-evaluation: how far metrics and judges can be trusted.

A question (`metra.meta.question`) is asked of scores with options, and its answer is laid
out as tables with notes, a signature and charts. `metra.meta.questions` lists them. The
options of every question are dataclasses, from which the command line derives its flags.

agree: agreement of judges with each other, and with themselves; pairs and points to show
answers: distributions, missing scores, active times, and status of a campaign
arrays: questions asked of plain arrays, systems × segments, NaN where missing
autorank: systems by all metrics together (WMT 2025), and rankings compared with others
card: everything about one metric
challenge: preference of a metric for good translations over bad ones; categories of ACES
charts: the records of charts, which the `draw` of a question fills
compare: metrics ranked, with significance tests: the tests by name and the rule of decision
corrections: gains and edits of corrected outputs (WMT 2025)
correlate: agreement of metrics with people; usual coefficients
detection: outputs without errors, told from the others by metrics (WMT 2026)
exercise: the collective exercise on one scale, from 0 to 100
findings: reports, their cells, tables and signatures
inference: tests of systems by what they are ranked by, their units, and rules of organisers
judges: figures about each judge, flags by the rules in `options`, drift, and normalised values
measures: scores of texts, scales and kinds of measures, and evaluators compared
normalise: judges' values on one scale, and judges who fail quality control (degraded copies)
__X__
options: options of questions with defaults and ranges; the rules that flag judges: words per
    minute (600), share of too fast answers, degraded copies, repeats and their distance
overview: ranks of systems in several language pairs
people: people next to metrics in a report, and reliability of both; drawn documents, points
plan: variance components of judgements, and studies that separate systems;
    published variances
preferences: wins of systems over each other, and Bradley-Terry and Plackett-Luce strengths
pseudo: agreement by length of document
question: the record of a question, its evidence, and answers
questions: the list of questions; the help of their options is in questions.txt
rank: systems ranked, with intervals, clusters and rank ranges
sentinel: baselines that cannot tell how good an output is
spans: marked errors compared with those that people mark; marks without a place
systems: agreement by systems: outliers, the best systems (at least 4), differences by p-value
task: the protocols of WMT's metrics tasks: coefficients, averages, ranks, clusters
uses: differences that people notice (60 to 95 %), filtering, and choice of the best of several
variants: outputs scored with subsets of references, or values of an option
"""

#: The commands of `metra meta`, in the order in which one meets them: each asks a few
#: questions (`metra.meta.questions`).
COMMAND_NAMES = (
    *("correlate", "compare", "rank", "task", "judges"),
    *("plan", "spans", "curve", "card"),
)
