"""Lines from bytes: cut at newlines only, checked to be UTF-8."""

from metra._core import LineBuffer, NotUtf8, Text

__all__ = ["LineBuffer", "NotUtf8", "Text"]
