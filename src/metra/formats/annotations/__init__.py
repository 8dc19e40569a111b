"""Formats of what is known about texts: parses, names, terms, templates, rules."""
