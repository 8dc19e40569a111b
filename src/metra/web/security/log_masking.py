"""Logs without the secrets of links."""

import logging
import re

_LINK = re.compile(r"(/j/)[^\s/?#\"']+")


class MaskSecrets(logging.Filter):
    """Put a sign in place of every link's secret, wherever it stands in a record."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask one record; none is left out."""
        record.msg = masked(record.msg) if isinstance(record.msg, str) else record.msg
        if isinstance(record.args, tuple):
            record.args = tuple(
                masked(one) if isinstance(one, str) else one for one in record.args
            )
        return True


def masked(text: str) -> str:
    """Hide the secrets in a text.

    >>> masked("GET /j/abc HTTP/1.1")
    'GET /j/*** HTTP/1.1'
    """
    return _LINK.sub(r"\1***", text)
