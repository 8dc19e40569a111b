"""Judgements as text and back, one module a format."""
