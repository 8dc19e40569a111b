"""Translations measured by what can be done with them."""
