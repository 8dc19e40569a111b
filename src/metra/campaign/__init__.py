"""Judging by people without a server: protocols, assignment, judgements, results."""
