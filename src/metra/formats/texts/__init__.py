"""Formats of test sets: sources, references and outputs, segment by segment."""
