"""Files in and out: one file a format. `open_corpus` is the way in."""

from metra.io.files import FileCorpus, open_corpus

__all__ = ["FileCorpus", "open_corpus"]
