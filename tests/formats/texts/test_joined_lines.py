"""Joining the lines of a segment."""

import re

from hypothesis import given
from hypothesis import strategies as st

from metra.formats.texts.documents import join_lines


def slow_unbroken(text: str, mark: str) -> str:
    breaks = rf"[ \t]*(?:{mark}[ \t]*)+"
    return re.sub(breaks, mark, text).strip(mark).replace(mark, " ")


@given(st.text("ab \t\n\r", max_size=30), st.sampled_from("\n\0"))
def test_lines_are_joined_as_a_plain_twin_joins_them(text, mark):
    text = text.replace("\n", mark)
    assert join_lines(text, mark=mark) == slow_unbroken(text, mark)


def test_a_long_run_of_blanks_takes_no_time():
    blanks = " " * 1_000_000
    assert join_lines(f"{blanks}a\n") == f"{blanks}a"
