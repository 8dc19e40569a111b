"""Statistics: arrays in, arrays out.

Whatever is asked about scores and judgements is computed here, for systems, metrics and
judges alike, and nothing here sees a text or a file. What can be chosen by name
(coefficients, cluster rules, scalings, ranking methods) is a record in a table.

agreement: Krippendorff's alpha, kappas and intraclass correlations
arrays: kinds of arrays, quotients and means that respect NaN, the tie rule, round steps
assignment: one-to-one pairs with the greatest total
bootstrap: intervals of correlations only, from resamples or Fisher's formula
coefficients: Pearson's, Spearman's and Kendall's, accuracies, and ranks of rows
correlation: coefficients of agreement with gold scores, in groups of any kind
curves: a line with its band, outliers, and agreement by the size of a difference
direction: higher, lower, or closest to a target is better
defaults: the default seed, trials, test and method of intervals
distributions: tails of the normal, Student's t and binomial distributions; Wilson's interval
exact_tests: rank tests, the sign test, Student's t, Williams' test and the test of pairs
judge_agreement: agreement of judges, two at a time and all together
multiplicity: Holm's and other corrections, rank ranges and cluster rules
panel: the record of gold and metric scores, systems × segments
parallel: chunks of work on all cores, and how far work is
permutation: what two metrics' coefficients are after an exchange of scores
power: the power that plans of a study have, and what people reach at best
pseudo_documents: documents of segments drawn at random
ranking: systems in order, how two orders agree, and skills learned from comparisons
ratings: the record of judgements: judge, unit and value; judges' values on one scale
resampling: random draws, and bootstrap intervals of scores
significance: the tests: exchanges, resamples, corrections, effect sizes, populations
soft_pairwise: soft pairwise accuracy and its p-values
span_agreement: error spans of two raters, character by character and matched
thresholds: a metric's threshold of ties, and outputs kept or chosen by a metric
totals: sums of rows that do not depend on chunks
variance: variance components of systems, segments, documents and raters
weighted_sums: sums of weighted rows, the same to the last digit everywhere
"""
