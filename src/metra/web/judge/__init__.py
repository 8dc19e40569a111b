"""Pages and JSON of judges.

api: the JSON API of the judging page: screens, drafts, answers, events
pages: the pages: link, consent, guide, work, done
views: the JSON that the browser receives; `campaign.screen` chooses what a screen shows
"""
