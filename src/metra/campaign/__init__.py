"""Judging by people without a server: how outputs are judged and the scores of their answers.

assignment: which judge gets which tasks, in which order, and how long they take
campaign: a campaign: protocol, texts and settings, frozen together
codebook: the columns of an export and their meanings
creation: a campaign from its settings and texts, or from its file
demo_data: simulated judges and campaigns on the shipped example
imports: judgements of other programs, and campaigns rebuilt from them
judgement: answers as judgements, their scores and latest revisions
key_log: what judges typed, played again
measurements: missing scores, interruptions, changed marks, and EvalTrans scores so far
metric_scores: the texts as a corpus, and scores of our metrics and of other programs
own_wording: the words that judges read: translations and a campaign's own
protocols: protocols and kinds of questions
screen: what one screen asks and shows, and the marks that it begins with
second_look: disagreements, open answers and tags, campaigns that settle them, files of them
settings: the settings of a campaign, read from a table
uploads: files that somebody chose for a campaign, and what protocols need besides the texts
wording: the words of a protocol in one language
"""
