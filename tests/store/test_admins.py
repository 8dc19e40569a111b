"""Passwords of admins: known again, told to nobody, and slow to guess."""

import hashlib

import pytest

from metra.errors import OptionError
from metra.store import access

PASSWORD = "correct horse battery"


@pytest.fixture
def kept(store):
    with store.transaction() as db:
        access.set_password(db, "ann", PASSWORD, now=1.0, who="test")
        return access.find_password_hash(db, "ann")


def test_a_password_is_known_again(kept):
    assert access.check_password(PASSWORD, kept)
    assert not access.check_password(PASSWORD + " ", kept)
    assert not access.check_password(PASSWORD, None)


def test_a_guess_takes_64_megabytes(kept):
    salt, _, hashed = kept.partition("$")
    cost = {"n": 2**16, "r": 8, "p": 1, "maxmem": 2**27}
    found = hashlib.scrypt(PASSWORD.encode(), salt=bytes.fromhex(salt), **cost)
    assert found.hex() == hashed
    assert PASSWORD not in kept


def test_a_short_password_is_refused(store):
    with (
        store.transaction() as db,
        pytest.raises(OptionError, match="has 9 characters; expected 10 or more"),
    ):
        access.set_password(db, "ann", "123456789", now=1.0, who="test")
