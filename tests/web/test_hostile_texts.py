"""Texts that want to be something else stay texts."""

import pytest
from tests.campaigns import made, opened

NASTY = [
    pytest.param("<script>alert(1)</script><img src=x onerror=alert(1)>", id="script"),
    pytest.param("\"' onfocus=alert(1) autofocus x='", id="attributes"),
    pytest.param(
        "</script><!-- {{ 1111*1111 }} {% raw %} ${1111*1111}", id="templates"
    ),
    pytest.param("abc \u202edef\u2066 ghi \u200f\u2028\u2029\u0085 \ufeff", id="bidi"),
    pytest.param("a\0b\x01\x1b[31m\x7f\u009b \ufffe \U0010ffff", id="controls"),
    pytest.param("e\u0301" * 50 + "👩‍👩‍👧‍👦" + "ﷺ" * 20, id="combining"),
    pytest.param('=HYPERLINK("http://x") \' OR 1=1; DROP TABLE task; --', id="sql"),
]


@pytest.mark.parametrize("text", NASTY)
def test_texts_arrive_as_they_are(store, text):
    def words(system, at):
        return f"{text} {system} {at}"

    house = opened(store, made("esa", words=words, degraded=0.0, texts=3))
    browser = house.browser("judge 0")
    reply = browser.get("/api/work")
    assert reply.headers["Content-Type"] == "application/json"
    work = reply.json()
    shown = work["screen"]["outputs"][0]["text"]
    assert shown.startswith(text)
    browser.answer(work, work["screen"])
    [kept] = house.judgements()
    assert kept.outputs == (shown,)


@pytest.mark.parametrize("text", NASTY)
def test_names_are_escaped_in_pages(sqlite_store, text):
    name = f"a {text}".replace("\0", "")
    house = opened(sqlite_store, made("da", name=name))
    browser = house.browser()
    pages = [browser.get(f"/j/{house.tokens['judge 0']}").text]
    browser.come_in(house.tokens["judge 0"])
    pages += [browser.get(f"/judge/{one}").text for one in ("consent", "guide", "work")]
    for page in pages:
        assert "alert(1)</script>" not in page
        assert "<img src=x" not in page
        assert "' onfocus" not in page
        assert "1234321" not in page


def test_a_very_long_segment_is_served_and_judged(store):
    long = "word " * 200_000
    house = opened(
        store, made("mqm", words=lambda *_: long, degraded=0.0, texts=2, calibration=0)
    )
    browser = house.browser("judge 0")
    work = browser.work()
    text = work["screen"]["outputs"][0]["text"]
    assert len(text) == 1_000_000
    browser.answer(work, work["screen"])
    assert len(house.judgements()[0].outputs[0]) == 1_000_000
