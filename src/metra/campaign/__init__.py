"""Judging by people without a server: how outputs are judged and the scores of their answers.

assignment: tasks of judges and their order; repeated and degraded items; estimated times
campaign: a campaign: protocol, texts and settings, frozen together; keys of its material
codebook: the columns of an export and their meanings (texts/codebook.toml)
creation: a campaign from its settings and texts, or from its file; the keys of [files]
demo_data: simulated judges and campaigns on the shipped example
imports: judgements and texts of other programs
judgement: answers as judgements, their scores and latest revisions; fields kept with an answer
measurements: scores of metrics, interruptions, and EvalTrans scores so far
protocols: protocols and kinds of questions
rules: the entries that TOML tables may have
screen: questions, texts and first marks of one screen, without names of systems
second_look: disagreements (25 points apart), open answers and tags, campaigns that settle them
settings: settings with defaults and ranges: judges of each text, shares of repeats, calibration
translations: guides, translations (texts/guides, texts/wordings), a campaign's own words
uploads: files that somebody chose for a campaign, and material that protocols need
words: words of a protocol in one language; the protocols whose official words stay English
"""
