"""Pages of organisers.

account: signing in and out, an admin's own sessions, password and second factor
campaigns: the list of campaigns, the audit log, the preview, the exercise over campaigns
files: downloads of judgements, and import of judgements made elsewhere
frame: the frame of every page, the campaign it is about, blinding, number formats
people: judges and their links, and the progress of a campaign
results: results with their filters, disagreements, measurements, follow-up campaigns
wizard: the steps to a new campaign: data, settings, review
"""
