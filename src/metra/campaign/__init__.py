"""Judging by people without a server: how outputs are judged and what the answers show.

agreement: how far judges agree
assignment: which judge gets which tasks, in which order; repeats, and degraded items made
campaign: a campaign: protocol, texts and settings, frozen together
codebook: what is in an export, column by column
creation: a campaign from its settings and texts, or from its file
demo_data: simulated judges and campaigns on the shipped example
evaltrans: judged outputs beside new ones, and scores of all outputs so far
evaluator_files: scores that evaluators hand in, in any format
exercise: evaluators and metrics compared over texts, from 0 to 100
exercise_study: the collective exercise from end to end: scales, levels, people and metrics
exports: judgements as files for other programs, one format or all
from_judgements: a campaign rebuilt from judgements
imports: judgements of other programs
judgement: answers as judgements, their scores and latest revisions
judges: figures about each judge, and reasons to look at them
key_log: what judges typed, played again
material: what protocols need besides the texts
metric_scores: metrics compared with judges
monitoring: the status of a running campaign, and outputs on which judges disagree
outside_scores: scores that other programs made, beside the judgements
own_wording: the words that judges read: translations and a campaign's own
prefilled_marks: error marks that stand in an output before its judge begins
protocols: protocols and kinds of questions
ranking: systems ranked by their judgements
reconciliation: raters' tags and choices brought together, and files of them
results: scores of systems and of whole texts
score_scales: which values of a measure are worth 0 and 100, and who says so
screen: what one screen asks and shows
second_look: campaigns that settle what another left open
settings: the settings of a campaign, read from a table
summary: everything on a results page, for a choice of judgements
times: active times, and answers that came too fast
uploads: files that somebody chose for a campaign
wording: the words of a protocol in one language
workload: how much work a campaign asks of its judges
"""
