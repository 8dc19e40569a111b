"""Judging by people without a server: how outputs are judged and what the answers show.

assignment: which judge gets which tasks, in which order; repeats, and degraded items made
campaign: a campaign: protocol, texts and settings, frozen together
codebook: what is in an export, column by column
creation: a campaign from its settings and texts, or from its file
demo_data: simulated judges and campaigns on the shipped example
evaltrans: judged outputs beside new ones, and scores of all outputs so far
evaluator_files: scores that evaluators hand in, in any format
from_judgements: a campaign rebuilt from judgements
imports: judgements of other programs
judgement: answers as judgements, their scores and latest revisions
key_log: what judges typed, played again
material: what protocols need besides the texts
metric_scores: the texts as a corpus, and scores of our metrics for them
monitoring: outputs on which judges disagree, and campaigns that settle them
outside_scores: scores that other programs made, beside the judgements
own_wording: the words that judges read: translations and a campaign's own
prefilled_marks: error marks that stand in an output before its judge begins
protocols: protocols and kinds of questions
reconciliation: raters' tags and choices brought together, and files of them
screen: what one screen asks and shows
second_look: campaigns that settle what another left open
settings: the settings of a campaign, read from a table
summary: scores of texts, interrupted attempts, and blind names of systems
uploads: files that somebody chose for a campaign
wording: the words of a protocol in one language
workload: how much work a campaign asks of its judges
"""
