"""Admins: passwords, waits after wrong ones, codes of a second factor, sessions."""

import base64
import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, select

from metra.errors import OptionError
from metra.store import access, audit, database

PASSWORD = "correct horse battery"


@pytest.fixture
def db(tmp_path):
    """A transaction of a store in a file."""
    from metra import store as stores

    opened = stores.open(str(tmp_path / "judge.db"))
    with opened.transaction() as db:
        yield db
    opened.close()


COST = dict(access._COST)


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch):
    """Hash them quickly, but where that is tested."""
    monkeypatch.setitem(access._COST, "n", 2**4)


def test_a_password_is_known_again(db):
    access.set_password(db, "ann", PASSWORD, now=1.0, who="test")
    kept = access.find_password_hash(db, "ann")
    assert access.check_password(PASSWORD, kept)
    assert not access.check_password(PASSWORD + " ", kept)
    assert not access.check_password(PASSWORD, None)
    assert not access.check_password("", None)
    assert access.find_password_hash(db, "bob") is None


def test_a_guess_takes_64_megabytes(db, monkeypatch):
    monkeypatch.setattr(access, "_COST", COST)
    access.set_password(db, "ann", PASSWORD, now=1.0, who="test")
    kept = access.find_password_hash(db, "ann")
    *stated, salt, hashed = kept.split("$")
    assert stated == ["65536", "8", "1"]
    cost = {"n": 2**16, "r": 8, "p": 1, "maxmem": 2**27}
    found = hashlib.scrypt(PASSWORD.encode(), salt=bytes.fromhex(salt), **cost)
    assert found.hex() == hashed
    assert PASSWORD not in kept


def test_a_signature_is_worth_nothing_for_another_text_or_password():
    signature = access.sign_text("hash", "text")
    assert access.check_signature("hash", "text", signature)
    for kept, text in (("other", "text"), ("hash", "other"), (None, "text")):
        assert not access.check_signature(kept, text, signature)
    assert not access.check_signature("hash", "text", "\ud800")


def test_a_short_password_is_refused(db):
    with pytest.raises(OptionError, match="has 9 characters; expected 10 or more"):
        access.set_password(db, "ann", "123456789", now=1.0, who="test")


def test_a_new_password_keeps_the_second_factor_and_ends_the_sessions(store):
    with store.transaction() as db:
        for name in ("ann", "bob"):
            access.set_password(db, name, PASSWORD, now=1.0, who="test")
            access.begin_session(db, "admin", now=1.0, name=name)
        access.enable_second_factor(
            db, "ann", SECRET, access.compute_code(SECRET, 1), now=30.0
        )
        access.set_password(db, "ann", PASSWORD + "!", now=2.0, who="test")
        left = [len(access.list_sessions(db, name, now=2.0)) for name in ("ann", "bob")]
        assert left == [0, 1]
        assert access.has_second_factor(db, "ann")
        assert access.list_admins(db) == ["ann", "bob"]


# Waits after wrong passwords.

WAITS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


def attempt(db, now, key="ann"):
    return access.begin_attempt(db, {key: 5}, now=now)


def test_the_wait_doubles_and_asking_does_not_prolong_it(db):
    now = 1000.0
    assert [attempt(db, now) for _ in range(5)] == [0] * 5
    for wait in WAITS:
        for waited in (0, 0.25, 0.5, 0.75):
            assert attempt(db, now + wait * waited) == pytest.approx(
                wait - wait * waited
            )
        now += wait
        assert attempt(db, now) == 0
    assert attempt(db, now, "another key") == 0


def test_an_attempt_counts_for_all_its_keys_or_for_none(db):
    free = {"ann at home": 2, "home": 3}
    assert [access.begin_attempt(db, free, now=0.0) for _ in range(3)] == [0, 0, 1]
    other = {"bob at home": 2, "home": 3}
    assert [access.begin_attempt(db, other, now=0.0) for _ in range(2)] == [0, 1]
    stored = db.execute(select(database.attempt.c.failures)).scalars()
    assert sorted(stored) == [1, 2, 3]
    access.forget_attempts(db, free)
    assert access.begin_attempt(db, other, now=0.0) == 0


def test_a_day_of_quiet_and_a_right_password_forgive(db):
    for _ in range(6):
        attempt(db, 0.0)
    assert attempt(db, 0.0) == 1.0
    assert attempt(db, 86401.0) == 0
    assert [attempt(db, 86401.0) for _ in range(5)] == [0] * 4 + [1.0]
    attempt(db, 86401.0, "bob")
    access.forget_attempts(db, ["ann"])
    assert attempt(db, 86401.0) == 0
    failures = database.attempt.c.failures
    assert sorted(db.execute(select(failures)).scalars()) == [1, 1]
    access.forget_attempts(db)
    assert db.execute(select(failures)).all() == []


def test_of_too_many_attempts_the_oldest_are_forgotten(db):
    table = database.attempt
    known = [{"key": f"{n:05}", "failures": 1, "at": float(n)} for n in range(10_000)]
    db.execute(insert(table), known)
    assert attempt(db, 10_000.0) == 0
    kept = db.execute(select(table.c.at).order_by(table.c.at)).scalars().all()
    assert len(kept) == 10_000
    assert (kept[0], kept[-1]) == (1.0, 10_000.0)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(-1e6, 1e6), max_size=40))
def test_no_wait_is_longer_than_the_longest_whatever_the_clock_does(db, jumps):
    access.forget_attempts(db)
    now = 1e9
    for count, jump in enumerate(jumps, 1):
        now += jump
        wait = attempt(db, now)
        assert 0 <= wait <= min(300, 2.0 ** max(0, count - 6))
        assert wait == 0 or attempt(db, now + wait + 1e-6) == 0


def test_a_clock_that_was_set_back_begins_the_wait_once(db):
    for _ in range(8):
        now = 1e6 + 10 * _
        assert attempt(db, now) == 0
    back = now - 86400
    assert attempt(db, back) == 8
    assert attempt(db, back + 5) == 3
    assert attempt(db, back + 8) == 0


def test_what_is_stored_of_attempts_is_bounded_and_tells_no_names(db, monkeypatch):
    monkeypatch.setattr(access, "_MOST_KEYS", 20)
    for number in range(50):
        attempt(db, float(number), f"name {number}")
    kept = db.execute(select(database.attempt)).all()
    assert sorted(row.at for row in kept) == list(range(30, 50))
    assert all(len(row.key) == 64 and "name" not in row.key for row in kept)
    # The newest are those that stay, so that no failure is forgotten before its wait.
    assert [attempt(db, 50.0, "name 49") for _ in range(5)] == [0] * 4 + [1.0]


def test_attempts_of_all_workers_count_together(store, store_url):
    from metra import store as stores

    another = stores.open(store_url)
    workers = [store, another] * 8

    def guess(worker):
        with worker.transaction() as db:
            return attempt(db, 1000.0)

    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(guess, workers))
    another.close()
    assert sorted(waits) == [0] * 5 + [1.0] * 11


# Codes. RFC 4226, appendix D, and RFC 6238, appendix B (SHA-1).

SECRET = base64.b32encode(b"12345678901234567890").decode()
COUNTED = "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489"
TIMED = {
    59: "94287082",
    1111111109: "07081804",
    1111111111: "14050471",
    1234567890: "89005924",
    2000000000: "69279037",
    20000000000: "65353130",
}


def test_codes_are_those_of_the_standards():
    found = [access.compute_code(SECRET, counter) for counter in range(10)]
    assert found == COUNTED.split()
    for seconds, code in TIMED.items():
        assert access.compute_code(SECRET, seconds // 30) == code[2:]
    with pytest.raises(OptionError, match="not in base 32; set it up again"):
        access.compute_code("0189", 1)


@pytest.fixture
def ann(db):
    """The recovery codes of an admin who set a second factor up with period 100's code."""
    for name in ("ann", "bob"):
        access.set_password(db, name, PASSWORD, now=0.0, who="test")
    code = access.compute_code(SECRET, 100)
    codes = access.enable_second_factor(db, "ann", SECRET, code, now=3000.0)
    assert len(set(codes)) == 10
    assert not access.has_second_factor(db, "bob")
    return codes


def use(db, period, at):
    """Use the code of a period at another."""
    code = access.compute_code(SECRET, period)
    return access.use_code(db, "ann", code, now=30.0 * at)


@pytest.mark.usefixtures("ann")
def test_a_code_counts_for_a_minute_and_a_half_and_once(db):
    assert use(db, 100, 100) is None, "it set the factor up"
    assert use(db, 104, 102) is None
    assert use(db, 104, 106) is None
    assert use(db, 104, 103) == "code"
    assert use(db, 104, 104) is None
    assert use(db, 103, 104) is None, "older than the last one"
    assert use(db, 105, 106) == "code"
    assert access.use_code(db, "ann", "", now=3180.0) is None
    assert (
        access.use_code(db, "who", access.compute_code(SECRET, 110), now=3300) is None
    )


def test_codes_are_read_as_people_type_them(db, ann):
    code = access.compute_code(SECRET, 200)
    assert access.use_code(db, "ann", f" {code[:3]} {code[3:]}", now=6000.0) == "code"
    spent = ann[0].lower().replace("-", " ")
    assert access.use_code(db, "ann", spent, now=6000.0) == "recovery code"


def test_recovery_codes_open_once_each(db, ann):
    for code in ann:
        assert access.use_code(db, "ann", code, now=9e9) == "recovery code"
        assert access.use_code(db, "ann", code, now=9e9) is None
    assert access.count_recovery_codes(db, "ann") == 0
    access.disable_second_factor(db, "ann", now=9e9, who="test")
    code = access.compute_code(SECRET, 100)
    [first, *_] = access.enable_second_factor(db, "ann", SECRET, code, now=3000.0)
    assert first not in ann
    stored = db.execute(select(database.recovery_code.c.code_hash)).scalars().all()
    assert len(stored) == 10
    assert hashlib.sha256(first.replace("-", "").encode()).hexdigest() in stored
    assert access.use_code(db, "bob", first, now=9e9) is None
    assert access.enable_second_factor(db, "bob", SECRET, code, now=3000.0)
    access.disable_second_factor(db, "ann", now=9e9, who="test")
    assert access.use_code(db, "ann", first, now=9e9) is None
    assert use(db, 500, 500) is None
    assert access.has_second_factor(db, "bob")
    assert access.count_recovery_codes(db, "bob") == 10


def test_secrets_are_long_enough_to_be_safe(db):
    # OWASP: salts and links of 128 bits and more; RFC 4226: secrets of 160 bits.
    access.set_password(db, "ann", PASSWORD, now=0.0, who="test")
    *_, salt, _ = access.find_password_hash(db, "ann").split("$")
    assert len(bytes.fromhex(salt)) == 16
    assert len(base64.b32decode(access.new_secret())) == 20
    assert len(base64.urlsafe_b64decode(database.new_token() + "=")) == 32
    assert len(bytes.fromhex(database.new_id())) == 10
    code = access.compute_code(SECRET, 100)
    codes = access.enable_second_factor(db, "ann", SECRET, code, now=3000.0)
    assert [[len(part) for part in code.split("-")] for code in codes] == [[4] * 4] * 10


@pytest.mark.usefixtures("ann")
def test_what_admins_do_to_accounts_is_logged(db):
    access.disable_second_factor(db, "ann", now=5000.0, who="bob")
    log = [
        (one.at, one.who, one.what, one.campaign, one.data)
        for one in audit.list_entries(db)
    ]
    assert log[:2] == [
        (5000.0, "bob", "remove second factor", None, {"admin": "ann"}),
        (3000.0, "ann", "set up second factor", None, None),
    ]
    passwords = [
        (0.0, "test", "set password", None, {"admin": x}) for x in ("ann", "bob")
    ]
    assert sorted(log[2:], key=repr) == passwords


def test_a_wrong_code_sets_nothing_up(db):
    access.set_password(db, "ann", PASSWORD, now=0.0, who="test")
    assert access.enable_second_factor(db, "ann", SECRET, "000000", now=3000.0) == []
    assert not access.has_second_factor(db, "ann")


def test_of_many_requests_with_one_code_one_gets_in(store):
    with store.transaction() as db:
        access.set_password(db, "ann", PASSWORD, now=0.0, who="test")
        code = access.compute_code(SECRET, 100)
        codes = access.enable_second_factor(db, "ann", SECRET, code, now=3000.0)

    def try_code(code):
        with store.transaction() as db:
            return access.use_code(db, "ann", code, now=6000.0)

    with ThreadPoolExecutor(4) as pool:
        for code in (access.compute_code(SECRET, 200), codes[0]):
            found = list(pool.map(try_code, [code] * 8))
            assert sum(kind is not None for kind in found) == 1
