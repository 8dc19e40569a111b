"""Readers and writers of files: one module a format, reader and writer together."""
