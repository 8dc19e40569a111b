"""Judgements made by people: protocols, campaigns, who judges what, records and their files.

Nothing here opens a file, draws from a clock or knows a browser.
"""
