"""Pages and JSON of judges.

api: the JSON API of the judging page: screens, drafts, answers, events; shapes of bodies
pages: the pages: link (30 wrong ones without a wait), consent, guide, work, done
views: the JSON that the browser receives, also its clock: idle after 30 s, breaks after 20 min;
    `campaign.screen` chooses the content of a screen
"""
