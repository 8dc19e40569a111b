"""Writing that is played again: every state, and in the end what was handed in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metra.campaign.key_log import iterate_states, replay_keys
from metra.errors import FormatError


def entry(kind, t_ms=0, **data):
    return {"t_ms": t_ms, "kind": kind, "data": {"field": "f", **data}}


@given(
    st.text(max_size=20),
    st.lists(st.tuples(st.text(max_size=5), st.data()), max_size=12),
)
def test_every_state_is_played_again(text, changes):
    log, states = [entry("text", text=text)], [text]
    for at, (new, data) in enumerate(changes, 1):
        start = data.draw(st.integers(0, len(states[-1])))
        gone = data.draw(st.integers(0, len(states[-1]) - start))
        old = states[-1]
        states.append(old[:start] + new + old[start + gone :])
        log += [
            entry("key", at, key="x"),
            entry("write", at, at=start, gone=gone, text=new, how="insertText"),
        ]
    assert [one.text for one in iterate_states(log)] == states
    assert replay_keys(log) == {"f": states[-1]}


def test_a_field_that_is_opened_again_goes_on_from_there_and_fields_keep_apart():
    log = [
        entry("text", text="one"),
        {"t_ms": 1, "kind": "text", "data": {"field": "g", "text": "x"}},
        entry("write", 2, at=3, gone=0, text="!"),
        entry("text", 3, text="two"),
        entry("write", 4, at=0, gone=1, text=""),
        {"t_ms": 5, "kind": "answer", "data": {"id": "a"}},
        {"t_ms": 6, "kind": "blur", "data": None},
    ]
    assert replay_keys(log) == {"f": "wo", "g": "x"}


@pytest.mark.parametrize(
    ("log", "says"),
    [
        pytest.param(
            [entry("write", at=0, gone=0, text="x")],
            "not known at this point",
            id="no beginning",
        ),
        pytest.param(
            [entry("text", text="a"), entry("write", at=1, gone=1, text="x")],
            "has 1; entries are missing",
            id="entries are missing",
        ),
    ],
)
def test_a_log_with_holes_is_refused(log, says):
    with pytest.raises(FormatError, match=says):
        replay_keys(log)
