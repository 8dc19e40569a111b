"""Judgements as text and back: pure functions, one file a format."""
