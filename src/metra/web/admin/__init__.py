"""Pages of organisers.

account: signing in and out (5 free attempts, 30 for an address), sessions, second factor
campaigns: the list of campaigns, the audit log, the preview (3 screens), the exercise;
  downloads of judgements (exports.toml)
frame: the frame of every page, the campaign it is about, blinding, formats of numbers and times
people: judges and their links, and the progress of a campaign
results: results with their filters (points apart, reading speeds), measurements, follow-ups
wizard: the steps to a new campaign: data, settings, review
"""
