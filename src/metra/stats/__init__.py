"""Statistics: arrays in, arrays out.

Whatever is asked about scores and judgements is computed here, for systems, metrics and
judges alike, and nothing here sees a text or a file. What can be chosen by name
(coefficients, cluster rules, scalings, ranking methods) is a record in a table.

agreement: Krippendorff's alpha, kappas, intraclass correlations; the most categories
arrays: kinds of arrays, quotients and means that respect NaN, the tie rule, rounding
assignment: one-to-one pairs with the greatest total
bootstrap: intervals of correlations only, by systems and segments or by Fisher's formula
coefficients: Pearson's, Spearman's and Kendall's, accuracies, and ranks of rows
correlation: coefficients by name; agreement with gold scores, in groups of any kind
curves: a line with its band, outliers (2.5 MAD), and agreement by the size of a difference
direction: higher, lower, or closest to a target is better
defaults: default seed, trials, test, method of intervals, documents; the fewest units (10)
distributions: tails of the normal, Student's t and binomial distributions; Wilson's interval
exact_tests: rank tests (exact up to 25), the sign test, Student's t, Williams' test, pairs
judge_agreement: agreement of judges, two at a time and all together
mixed_model: means of systems with random segments, documents and raters (REML)
multiplicity: Holm's and other corrections, rank ranges and cluster rules
panel: the record of gold and metric scores, systems × segments
parallel: chunks of work on all cores, and how far work is
permutation: coefficients of two metrics after an exchange of scores
power: the power of plans of a study (0.8, up to a million segments); people's agreement at best
preferences: strengths of systems by wins with ties (Bradley, Terry) and orders (Plackett, Luce)
pseudo_documents: documents of segments drawn at random; shares at which judges are drawn
ranking: methods of ranking by name, how two orders agree, wins and draws of comparisons
ratings: the record of judgements: judge, unit and value; judges' values on one scale (z, …)
resampling: random draws, bootstrap and BCa intervals, standard errors, p-values of draws
significance: the tests: exchanges, resamples, corrections, effect sizes, populations; equal
    differences, enumeration up to 2^14, and how many draws several tests need
soft_pairwise: soft pairwise accuracy and its p-values; WMT's seed
span_agreement: error spans of two raters, by characters and matched; half credit for severities
thresholds: a metric's threshold of ties (calibrated), and outputs kept or chosen by a metric
totals: sums of rows that do not depend on chunks
variance: variance components of systems, segments, documents and raters
weighted_sums: sums of weighted rows, the same to the last digit everywhere
"""
