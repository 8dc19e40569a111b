"""Names of systems that say nothing until they may be seen."""

from tests.campaign.answers import made

from metra.campaign.judgement import assign_blind_names, blind_judgements


def test_blind_names_say_nothing_and_stay():
    names = assign_blind_names(["b", "a", "c"], b"1" * 16)
    assert names == assign_blind_names(["c", "b", "a"], b"1" * 16)
    assert set(names.values()) == {"System 1", "System 2", "System 3"}
    orders = {
        tuple(assign_blind_names("abc", bytes([at]) * 16).items()) for at in range(40)
    }
    assert len({dict(order)["a"] for order in orders}) == 3
    [one] = blind_judgements([made("one", 1, "ann", 3)], {"one": "System 2"})
    assert one.systems == ("System 2",)
