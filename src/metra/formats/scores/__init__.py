"""Formats of scores and judgements: one record for all of them, one module a format."""
