"""Joining the lines of a segment, and knowing ids again without keeping them."""

import re
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from metra.formats.texts import parts
from metra.formats.texts.parts import SeenIds, join_lines


def slow_unbroken(text: str, mark: str) -> str:
    breaks = rf"[ \t]*(?:{mark}[ \t]*)+"
    return re.sub(breaks, mark, text).strip(mark).replace(mark, " ")


@given(st.text("ab \t\n\r", max_size=30), st.sampled_from("\n\0"), st.integers(1, 40))
def test_lines_are_joined_as_a_plain_twin_joins_them(text, mark, long):
    text = text.replace("\n", mark)
    with patch.object(parts, "LONG", long):
        assert join_lines(text, mark=mark) == slow_unbroken(text, mark)


@given(
    st.lists(st.sampled_from(["0", "1", "2", "3", "4", "01", "x", "", "²", "1" * 30]))
)
def test_ids_are_known_again(given_ids):
    ids, seen = SeenIds(), set()
    for found in given_ids:
        assert ids.add(found) == (found not in seen)
        seen.add(found)
    assert ids.count == len(seen)


def test_numbers_in_order_take_no_memory():
    ids = SeenIds()
    assert all(ids.add(str(number)) for number in range(1, 1000))
    assert not ids._others
