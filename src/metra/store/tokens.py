"""Secrets that open doors: random, shown once, kept as hashes."""

import hashlib
import secrets


def new_token() -> str:
    """Draw a secret that nobody can guess."""
    return secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """Hash a secret; it is random enough for one round."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def new_id() -> str:
    """Draw an id that tells nothing."""
    return secrets.token_hex(10)


def new_code() -> str:
    """Draw a completion code that can be read aloud."""
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return "".join(secrets.choice(letters) for _ in range(8))
