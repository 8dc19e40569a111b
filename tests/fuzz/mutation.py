"""Changes to valid files: of bytes, numbers and words, of JSON, of tables, and packed."""

import gzip
import io
import json
import lzma
import random
import re
import zipfile
from collections.abc import Callable

import zstandard

#: What cells, values and words become.
ODD = (
    *("", "\0", "-1", "0", "1e999", "nan", "Infinity", "None", "9" * 18, "9" * 25),
    *("9" * 400, "9" * 5000, "0.1" * 9, "../../x", "/etc/passwd", '=HYPERLINK("x")'),
    *('"', "\ufeff", "\u2028", "\ufffd", "a\tb", "{}", "[]", "x" * 3000),
    *("ü\u202e\U0010ffff", "true"),
)
#: Bytes that do no good in the middle of a file.
BAD = (
    *(b"\xff", b"\0", b"\xc3", b"\xed\xa0\x80", b"\r", b"\n", b"\t", b'"', b"<"),
    b"&x;",
)
#: Values of JSON.
VALUES = (
    *("\ud800", None, True, 0, -1, 1e308, 10**30, 10**400, "", "x", [], {}, [[]]),
    {"x": None},
)


def mutate(content: bytes, rng: random.Random) -> bytes:
    """Change a file in one to three ways."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(_choose_ways(content))(content, rng)
    if rng.random() < 0.06:
        content = rng.choice(_PACKINGS)(content, rng)
    return content


Way = Callable[[bytes, random.Random], bytes]


def _choose_ways(content: bytes) -> list[Way]:
    ways: list[Way] = [_flip, _cut, _double, _insert, _break_off, _replace_number]
    if content.startswith(b"PK"):
        return [*ways, *[_change_member] * 9]
    if content[:4] in (b"PAR1", b"SQLi") or b"\0" in content[:64]:
        return ways
    ways += [_replace_word, _nest, _recode]
    if content.lstrip()[:1] in (b"{", b"["):
        ways += [_change_json] * 9
    elif b"\t" in content or b"," in content.partition(b"\n")[0]:
        ways += [_change_cell, _change_column, _change_row] * 2
    elif content.lstrip()[:1] == b"<":
        ways += [_change_tag, _declare] * 2
    return ways


def _flip(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content or b"x")
    for _ in range(rng.choice((1, 1, 4, 40))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _choose_part(content: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.choice((1, 5, 50, 500)))


def _cut(content: bytes, rng: random.Random) -> bytes:
    start, stop = _choose_part(content, rng)
    return content[:start] + content[stop:]


def _double(content: bytes, rng: random.Random) -> bytes:
    start, stop = _choose_part(content, rng)
    return (
        content[:stop] + content[start:stop] * rng.choice((1, 1, 30)) + content[stop:]
    )


def _insert(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(BAD) + content[place:]


def _break_off(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _replace_match(content: bytes, rng: random.Random, pattern: bytes) -> bytes:
    places = [*re.finditer(pattern, content)]
    if not places:
        return content
    place = rng.choice(places)
    return content[: place.start()] + rng.choice(ODD).encode() + content[place.end() :]


def _replace_number(content: bytes, rng: random.Random) -> bytes:
    return _replace_match(content, rng, rb"-?\d+(?:\.\d+)?")


def _replace_word(content: bytes, rng: random.Random) -> bytes:
    return _replace_match(content, rng, rb"[\w.-]+")


def _nest(content: bytes, rng: random.Random) -> bytes:
    """Nest something deeply: JSON, TOML or XML."""
    depth = rng.choice((30, 150, 990, 3000, 100_000))
    begin, middle, end = rng.choice(
        (
            (b"[", b"1", b"]"),
            (b'{"a":', b"1", b"}"),
            (b"<a>", b"", b"</a>"),
            (b"a = " + b"[" * depth, b"", b"]"),
            (b"a." * depth, b"b = 1\n", b""),
        )
    )
    nested = begin * depth + middle + end * depth if len(begin) < 6 else begin + middle
    place = rng.randrange(len(content) + 1)
    return content[:place] + nested + content[place:]


def _recode(content: bytes, rng: random.Random) -> bytes:
    encoding = rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp037"))
    return content.decode(errors="replace").encode(encoding, "replace")


def _change_json(content: bytes, rng: random.Random) -> bytes:
    """Change one value of one line, or of the whole text."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    for text, put in (
        (content, lambda new: new),
        (lines[at], lambda new: b"\n".join([*lines[:at], new, *lines[at + 1 :]])),
    ):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        return put(
            json.dumps(
                _change_value(value, rng), ensure_ascii=rng.random() < 0.5
            ).encode("utf-8", "surrogatepass")
        )
    return _flip(content, rng)


def _change_value(value: object, rng: random.Random) -> object:
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice([*value])
        changed = {**value, key: _change_value(value[key], rng)}
        if rng.random() < 0.15:
            changed[rng.choice(ODD)] = changed.pop(key)
        elif rng.random() < 0.15:
            del changed[key]
        return changed
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        changed_list = [*value]
        changed_list[at] = _change_value(value[at], rng)
        return changed_list if rng.random() < 0.8 else changed_list * 2
    return rng.choice((*VALUES, rng.choice(ODD)))


def _split_table(content: bytes) -> tuple[bytes, list[list[bytes]]]:
    mark = b"\t" if b"\t" in content else b","
    return mark, [line.split(mark) for line in content.split(b"\n")]


def _join_table(mark: bytes, rows: list[list[bytes]]) -> bytes:
    return b"\n".join(mark.join(row) for row in rows)


def _change_cell(content: bytes, rng: random.Random) -> bytes:
    mark, rows = _split_table(content)
    row = rng.choice(rows)
    row[rng.randrange(len(row))] = rng.choice(ODD).encode()
    return _join_table(mark, rows)


def _change_column(content: bytes, rng: random.Random) -> bytes:
    """Drop, double, move or rename a column, or put something odd into all of it."""
    mark, rows = _split_table(content)
    at = rng.randrange(max(len(rows[0]), 1))
    odd = rng.choice(ODD).encode()
    way = rng.randrange(4)
    for number, row in enumerate(rows):
        if at >= len(row):
            continue
        if way == 0:
            del row[at]
        elif way == 1:
            row.append(row[at])
        elif way == 2 and number:
            row[at] = odd
        elif way == 3 and not number:
            row[at] = rng.choice(rows[0])
    return _join_table(mark, rows)


def _change_row(content: bytes, rng: random.Random) -> bytes:
    mark, rows = _split_table(content)
    at = rng.randrange(len(rows))
    rows[at : at + 1] = rng.choice(([], [rows[at]] * 2, [[]], [rows[at] * 2], rows))
    return _join_table(mark, rows)


def _change_tag(content: bytes, rng: random.Random) -> bytes:
    return _replace_match(
        content, rng, rng.choice((rb"</?\w+", rb'"[^"]*"', rb"<[^>]*>"))
    )


def _declare(content: bytes, rng: random.Random) -> bytes:
    declaration = rng.choice(
        (
            b'<?xml version="1.0" encoding="klingon"?>',
            b'<?xml version="1.0" encoding="gb18030"?>',
            b'<?xml version="1.0" encoding="utf-16"?>',
            b'<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]>',
            b'<!DOCTYPE a SYSTEM "file:///etc/passwd">',
        )
    )
    return declaration + re.sub(rb"^<\?xml[^>]*>", b"", content)


def _change_member(content: bytes, rng: random.Random) -> bytes:
    """Change one file in an archive, or its name."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            members = {name: packed.read(name) for name in packed.namelist()}
    except Exception:  # an archive that was broken before
        return _flip(content, rng)
    out = io.BytesIO()
    chosen = rng.choice([*members])
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, member in members.items():
            if name == chosen and rng.random() < 0.9:
                member = mutate(member, rng)
            elif name == chosen:
                name = rng.choice((f"../{name}", f"/{name}", f"{name}\\..\\x", "x"))
            packed.writestr(name, member)
    return out.getvalue()


def _bomb(content: bytes, rng: random.Random) -> bytes:
    """Pack the file a few thousand times, on one line or on many."""
    block = content.replace(b"\n", b" ") if rng.random() < 0.5 else content
    size = rng.choice((10**6, 10**7))
    return gzip.compress(block * (size // max(len(block), 1)), 9)


_PACKINGS: tuple[Way, ...] = (
    lambda content, _: gzip.compress(content),
    lambda content, _: gzip.compress(content)[:-9],
    lambda content, _: lzma.compress(content),
    lambda content, _: lzma.compress(content) + b"garbage",
    lambda content, rng: _flip(lzma.compress(content), rng),
    lambda content, _: zstandard.compress(content),
    lambda content, rng: _flip(zstandard.compress(content), rng),
    _bomb,
)
