"""Coming in as an admin: right, wrong, too often, and out again."""

from tests.web.admin.conftest import PASSWORD


def test_in_and_out(light_admin):
    browser = light_admin.browser
    assert browser.get("/admin").status_code == 200
    assert browser.get("/admin/login").headers["location"] == "/admin"
    browser.get("/admin")
    assert browser.form("/admin/logout").headers["location"] == "/admin/login"
    assert browser.get("/admin").headers["location"] == "/admin/login"


def test_a_wrong_password_says_no_more_than_that(light_admin):
    browser = light_admin.house.browser()
    wrong = browser.form("/admin/login", name="ann", password="no")
    nobody = browser.form("/admin/login", name="who", password="no")
    assert wrong.status_code == nobody.status_code == 401
    said = "This name and this password do not belong together."
    assert said in wrong.text
    assert said in nobody.text
    assert "metra-admin" not in browser.client.cookies


def test_guesses_are_counted_and_time_forgives(light_admin):
    house = light_admin.house
    browser = house.browser()
    for _ in range(10):
        assert (
            browser.form("/admin/login", name="ann", password="no").status_code == 401
        )
    late = browser.form("/admin/login", name="ann", password=PASSWORD)
    assert late.status_code == 429
    assert "wait five minutes" in late.text
    house.clock.pass_by(301)
    assert (
        browser.form("/admin/login", name="ann", password=PASSWORD).status_code == 303
    )


def test_coming_in_forgives_earlier_guesses(light_admin):
    browser = light_admin.house.browser()
    for _ in range(3):
        for _ in range(9):
            browser.form("/admin/login", name="ann", password="no")
        right = browser.form("/admin/login", name="ann", password=PASSWORD)
        assert right.status_code == 303


def test_a_session_ends_by_itself(light_admin):
    light_admin.house.clock.pass_by(3 * 3600)
    assert light_admin.browser.get("/admin").headers["location"] == "/admin/login"


def test_the_name_is_shown_as_text(light_admin):
    browser = light_admin.house.browser()
    reply = browser.form("/admin/login", name='"><b>x', password="no")
    assert "<b>x" not in reply.text
