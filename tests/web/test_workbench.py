"""Pages and routes of the workbench: what members of each role may do, and what they see."""

import html
import io
import json
import re
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.web.browsing import Browser
from tests.web.routes import routes_of
from tests.workbench.workspaces import make_room, make_texts

from metra.store import access, test_sets, workspaces

#: Method, path: the status for (nobody, no member, viewer, organiser, owner).
ROUTES = {
    ("GET", "/open/{secret}"): (403, 403, 403, 403, 403),
    ("GET", "/w"): (303, 403, 303, 303, 303),
    ("GET", "/w/{workspace}"): (303, 404, 200, 200, 200),
    ("GET", "/w/{workspace}/settings"): (303, 404, 403, 403, 200),
    ("GET", "/w/{workspace}/sets/{key}"): (303, 404, 200, 200, 200),
    ("GET", "/w/{workspace}/sets/{key}/jobs"): (303, 404, 200, 200, 200),
    ("GET", "/w/{workspace}/sets/{key}/report"): (303, 404, 200, 200, 200),
    ("GET", "/w/{workspace}/sets/{key}/segments"): (303, 404, 200, 200, 200),
    ("GET", "/w/{workspace}/sets/{key}/segments.json"): (303, 404, 200, 200, 200),
    ("GET", "/w/{workspace}/sets/{key}/leaderboard.{form}"): (303, 404, 200, 200, 200),
    # Without files.
    ("POST", "/w/{workspace}/import/preview"): (401, 404, 403, 422, 422),
    ("POST", "/w/{workspace}/import"): (401, 404, 403, 422, 422),
    ("POST", "/w/{workspace}/sets/{key}/runs"): (401, 404, 403, 422, 422),
    ("POST", "/w/{workspace}/sets/{key}/metrics"): (401, 404, 403, 422, 422),
    ("POST", "/w/{workspace}/sets/{key}/campaign"): (401, 404, 403, 200, 200),
    ("POST", "/w/{workspace}/sets/{key}/baseline"): (401, 404, 403, 303, 303),
    ("POST", "/w/{workspace}/sets/{key}/runs/{run}/delete"): (401, 404, 403, 303, 303),
    ("POST", "/w/{workspace}/sets/{key}/delete"): (401, 404, 403, 403, 303),
    ("POST", "/w/{workspace}/settings/members"): (401, 404, 403, 403, 422),
    ("POST", "/w/{workspace}/settings/tokens"): (401, 404, 403, 403, 200),
    ("POST", "/w/{workspace}/settings/tokens/{token}/revoke"): (
        *(401, 404, 403, 403, 303),
    ),
}
#: The status for (no token, a token of another workspace, viewer, organiser).
API = {
    ("GET", "/api/w/sets"): (401, 200, 200, 200),
    ("GET", "/api/w/sets/{name}"): (401, 404, 200, 200),
    ("POST", "/api/w/runs"): (401, 404, 403, 201),
}
VISITORS = {"": 0, "sue": 1, "vic": 2, "oto": 3, "ann": 4}


@pytest.fixture
def room(sqlite_store):
    room = make_room(sqlite_store)
    room.work()
    return room


def make_app(room, **more):
    from metra.web.app import create_app

    return create_app(
        room.store, clock=room.clock, base_url="http://127.0.0.1:8000", **more
    )


def browse(room, name="", **more):
    from starlette.testclient import TestClient

    client = TestClient(
        make_app(room, **more),
        base_url="http://127.0.0.1:8000",
        follow_redirects=False,
    )
    browser = Browser(client)
    if name:
        with room.store.transaction() as db:
            begun = access.begin_session(db, "admin", now=room.clock(), name=name)
        browser.client.cookies.set("metra-admin", begun[0])
        browser.csrf = begun[1].csrf
    return browser


def fill(path, room):
    with room.store.reading() as db:
        [run, *_] = test_sets.list_runs(db, room.test_set)
    return path.format(
        workspace="main",
        key=room.test_set.id,
        run=run.id,
        form="json",
        secret="none",
        token="none",
        name="news",
    )


def test_every_route_is_in_a_table(room):
    routes = {
        (method, path)
        for method, path in routes_of(make_app(room))
        if path.startswith(("/w", "/open", "/api/w"))
    }
    assert routes - {("GET", "/api/work")} == ROUTES.keys() | API.keys()


@pytest.mark.parametrize("name", VISITORS)
@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_roles(room, method, path, name):
    browser, place = browse(room, name), fill(path, room)
    reply = browser.get(place) if method == "GET" else browser.form(place, member="who")
    assert reply.status_code == ROUTES[method, path][VISITORS[name]], reply.text
    if reply.status_code in (401, 403, 404) and method == "POST":
        with room.store.reading() as db:
            assert test_sets.list_runs(db, room.test_set)
            assert workspaces.list_tokens(db, "main") == []


def test_a_form_needs_its_token(room):
    browser = browse(room, "ann")
    browser.csrf = "wrong"
    for method, path in ROUTES:
        if method == "POST":
            assert browser.form(fill(path, room)).status_code == 403, path


def make_token(room, role, workspace="main"):
    with room.store.transaction() as db:
        by = {"now": room.clock(), "who": "ann"}
        if workspace != "main":
            workspace = workspaces.create_workspace(db, workspace, **by)
        return workspaces.create_token(db, workspace, role, role, **by)


def call(room, method, path, secret, **more):
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    client = browse(room).client
    return client.request(
        method, path, headers=headers | more.pop("headers", {}), **more
    )


@pytest.mark.parametrize(("method", "path"), API)
def test_scopes_of_tokens(room, method, path):
    secrets = [
        "",
        make_token(room, "organiser", "other"),
        make_token(room, "viewer"),
        make_token(room, "organiser"),
    ]
    body = {"test_set": "news", "outputs": {"new": ["x"] * 40}}
    statuses = tuple(
        call(
            room,
            method,
            fill(path, room),
            secret,
            json=body if method == "POST" else None,
        ).status_code
        for secret in secrets
    )
    # Nothing tells a program without a token from one of another site.
    expected = API[method, path]
    assert statuses == (expected if method == "GET" else (403, *expected[1:]))


def test_a_page_of_another_site_cannot_push(room):
    """A browser sends a token of its own accord to nobody; with cookies nothing passes."""
    secret = make_token(room, "organiser")
    body = {"test_set": "news", "outputs": {"new": ["x"] * 40}}
    for headers in ({"Origin": "https://evil.example"}, {"Cookie": "metra-admin=x"}):
        reply = call(room, "POST", "/api/w/runs", secret, json=body, headers=headers)
        assert reply.status_code == 403


def test_runs_are_pushed_scored_and_read(room):
    secret, texts = make_token(room, "organiser"), make_texts(seed=3)
    body = {"test_set": "news", "outputs": {"pushed": texts.outputs["system 0"]}}
    reply = call(room, "POST", "/api/w/runs", secret, json=body | {"tags": ["nightly"]})
    assert reply.json()["page"] == f"/w/main/sets/{room.test_set.id}"
    before = call(room, "GET", "/api/w/sets/news", secret).json()
    assert (before["pending"], before["unscored"]) == (1, ["pushed"])
    room.work()
    after = call(room, "GET", "/api/w/sets/news", secret).json()
    assert (after["pending"], after["unscored"]) == (0, [])
    names = [entry["name"] for entry in after["results"]["systems"]]
    assert "pushed" in names
    with room.store.reading() as db:
        runs = test_sets.list_runs(db, room.test_set)
    [run] = [run for run in runs if run.system == "pushed"]
    assert (run.tags, run.created_by) == (("nightly",), "token organiser")


def test_a_pushed_test_set_is_new(room):
    secret, texts = make_token(room, "organiser"), make_texts(seed=3)
    body = {
        "test_set": "fresh",
        "outputs": texts.outputs,
        "references": texts.references,
        "source": texts.source,
        "documents": texts.documents,
        "metrics": ["chrf"],
    }
    reply = call(room, "POST", "/api/w/runs", secret, json=body)
    assert reply.status_code == 201
    room.work()
    shown = call(room, "GET", "/api/w/sets/fresh", secret).json()
    assert (shown["segments"], shown["references"]) == (40, 1)
    assert [*shown["results"]["systems"][0]["scores"]] == ["chrf"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"\xff", "The body is not JSON in UTF-8"),
        (b"[]", "The body is not an object"),
        (b'{"test_set": "news"}', "outputs is missing"),
        (b'{"test_set": 1, "outputs": {"a": ["x"]}}', "test_set is missing, unknown"),
        (b'{"test_set": "news", "outputs": {"a": [1]}}', "outputs is missing, unknown"),
        (b'{"test_set": "news", "outputs": {"a": ["x"]}, "b": 1}', "b is missing"),
        (b'{"test_set": "news", "outputs": {"a": []}}', "at least one"),
        (
            b'{"test_set": "n", "outputs": {"a": ["x"]}, "references": [["a", "b"]]}',
            "same number of segments",
        ),
        (b'{"test_set": "news", "outputs": {"a": ["x"]}}', "a has 1 segment but"),
        (
            b'{"test_set": "n", "outputs": {"a": ["x"]}, "references": [["a"]], '
            b'"metrics": ["blue"]}',
            "No metric named 'blue'",
        ),
        (
            b'{"test_set": "n", "outputs": {"a": ["x"]}, "references": [["a"]], '
            b'"metrics": ["comet@/etc/passwd"]}',
            "outside cannot be computed here",
        ),
        (
            b'{"test_set": "n", "outputs": {"a": ["x"]}, "references": [["a"]], '
            b'"metrics": ["nist:info=weights"]}',
            "nist: info='weights' names a file",
        ),
        (
            b'{"test_set": "n", "outputs": {"a": ["x"]}, "references": [["a"]], '
            b'"metrics": ["bleu:tok=spm@model"]}',
            "names a file",
        ),
    ],
)
def test_what_cannot_be_pushed(room, body, message):
    reply = call(
        room, "POST", "/api/w/runs", make_token(room, "organiser"), content=body
    )
    assert reply.status_code == 422
    assert message in reply.json()["error"]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner)
    ),
    max_leaves=6,
)
#: Bodies that are almost right.
BODIES = st.fixed_dictionaries(
    {
        "test_set": st.sampled_from(["news", "new", "\0"]) | anything,
        "outputs": st.dictionaries(
            st.text(max_size=4), st.lists(st.text(max_size=5), max_size=3) | anything
        ),
    },
    optional={
        name: st.lists(st.lists(st.none() | st.text(max_size=4), max_size=3)) | anything
        for name in (
            "references",
            "source",
            "documents",
            "metrics",
            "note",
            "tags",
            "x",
        )
    },
)


@given(BODIES | anything)
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
def test_whatever_is_pushed_gets_an_answer(room, body):
    content = json.dumps(body).encode()
    reply = call(room, "POST", "/api/w/runs", pushing_token(room), content=content)
    assert reply.status_code in (201, 404, 409, 422), reply.text
    room.work()


def pushing_token(room):
    with room.store.reading() as db:
        if not workspaces.list_tokens(db, "main"):
            room.token = None
    room.token = room.token or make_token(room, "organiser")
    return room.token


def send_files(browser, path, files, **fields):
    return browser.client.post(
        path,
        data={"csrf": browser.csrf} | fields,
        files=[("files", each) for each in files],
        headers={"Origin": browser.origin},
    )


def test_files_are_previewed_corrected_and_imported(room):
    table = "Quelle\tMT\tComment\tHuman\n" + "".join(
        f"eins {at}\tone {at}\tgood {at}\tone is {at}\n" for at in range(12)
    )
    browser = browse(room, "oto")
    first = send_files(
        browser, "/w/main/import/preview", [("my news.tsv", table.encode())]
    )
    assert first.status_code in (200, 422)
    packed = html.unescape(re.search(r'name="packed" value="([^"]+)"', first.text)[1])
    fields = {
        "packed": packed,
        "column Comment": "label",
        "column Human": "reference",
        "column MT": "output",
        "column Quelle": "source",
        "name": "my news",
        "metrics": "chrf",
    }
    again = browser.form("/w/main/import", go="check", **fields)
    assert "12 segments, 1 system" in " ".join(again.text.split())
    with room.store.reading() as db:
        assert len(test_sets.list_test_sets(db, "main")) == 1
    done = browser.form("/w/main/import", go="import", **fields)
    assert done.status_code == 303
    room.work()
    page = browser.get(done.headers["Location"])
    assert "my news" in page.text
    assert "chrf" in page.text
    with room.store.reading() as db:
        stored = test_sets.find_set_by_name(db, "main", "my news")
        [run] = test_sets.list_runs(db, stored)
        assert (run.system, stored.segments) == ("MT", 12)
        [digest] = stored.parts.references
        assert test_sets.read_texts(db, digest)[1] == "one is 1"


def test_files_of_texts_are_recognised_by_their_names(room):
    browser = browse(room, "oto")
    texts = {"sysA.txt": "a b\nc d\n", "ref.txt": "a b\nc e\n", "src.txt": "x\ny\n"}
    files = [(name, text.encode()) for name, text in texts.items()]
    page = send_files(browser, "/w/main/import/preview", files)
    words = " ".join(page.text.split())
    assert "2 segments, 1 system, 1 reference, with source" in words


def test_a_wrong_file_gets_the_sentence_of_its_reader(room):
    browser = browse(room, "oto")
    files = [("a.txt", b"one\ntwo\n"), ("ref.txt", b"one\n")]
    page = send_files(browser, "/w/main/import/preview", files)
    assert page.status_code == 422, page.text
    assert "a.txt" in page.text
    assert "ref.txt" in page.text
    assert 'value="import"' not in page.text


def test_a_changed_form_is_refused(room):
    browser = browse(room, "oto")
    reply = browser.form("/w/main/import", go="import", packed="x1", name="n")
    assert reply.status_code == 422
    assert "choose them again" in reply.text


def test_the_report_states_its_own_policy(room):
    browser = browse(room, "vic")
    reply = browser.get(f"/w/main/sets/{room.test_set.id}/report")
    policy = reply.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert (
        "default-src 'self'"
        in browser.get("/w/main").headers["Content-Security-Policy"]
    )


@pytest.mark.parametrize("form", ["json", "tsv", "markdown", "latex", "xlsx"])
def test_downloads(room, form):
    browser = browse(room, "vic")
    reply = browser.get(f"/w/main/sets/{room.test_set.id}/leaderboard.{form}")
    if form == "xlsx":
        assert zipfile.ZipFile(io.BytesIO(reply.content)).testzip() is None
    else:
        assert "system 2" in reply.text
    assert reply.headers["Content-Disposition"].startswith("attachment")
    other = browser.get(f"/w/main/sets/{room.test_set.id}/leaderboard.table")
    assert other.status_code == 404


def test_the_command_asks_for_what_the_page_shows(room):
    browser, place = browse(room, "vic"), f"/w/main/sets/{room.test_set.id}"
    with room.store.reading() as db:
        first, *_ = test_sets.list_runs(db, room.test_set)
    files = "system-0.txt system-1.txt system-2.txt -r ref1.txt --docs docs.txt"
    command = f"metra compare {files} -m bleu,chrf,ter --all-pairs"
    assert command in browser.get(place).text
    alone = "metra score system-0.txt -r ref1.txt --docs docs.txt -m bleu,chrf,ter --ci"
    assert alone in browser.get(f"{place}?run={first.id}").text


def test_chosen_runs_are_shown_alone(room):
    browser = browse(room, "vic")
    with room.store.reading() as db:
        first, second, _ = test_sets.list_runs(db, room.test_set)
    page = browser.get(
        f"/w/main/sets/{room.test_set.id}?run={first.id}&run={second.id}"
    )
    assert "Of 2 systems" in page.text
    assert f"report?run={first.id}&amp;run={second.id}" in page.text


def test_judgements_come_back_to_the_leaderboard(room):
    """Three clicks: choose, settings, save; when the campaign is closed, people rank first."""
    from tests.campaigns import answer_all

    from metra.store import campaigns

    browser = browse(room, "oto")
    place = f"/w/main/sets/{room.test_set.id}"
    browser.get(place)
    form = browser.form(f"{place}/campaign")
    fields = dict(re.findall(r'name="(texts|test_set)" value="([^"]+)"', form.text))
    assert fields["test_set"] == room.test_set.id
    settings = {
        "name": "people",
        "protocol": "da",
        "source_language": "fr",
        "target_language": "en",
        "judges": "\n".join(f"judge {at}" for at in range(6)),
    }
    typed = fields | settings | {"texts": html.unescape(fields["texts"])}
    made = browser.form("/admin/campaigns/new/settings", go="create", **typed)
    assert made.status_code == 303, made.text
    key = made.headers["Location"].rpartition("/")[2]

    def answer(_stored, task, _number):
        return {
            "da": {"system 0": 90, "system 1": 60, "system 2": 30}[task.items[0].system]
        }

    answer_all(room.store, key, answer, room.clock)
    browser = browse(room, "oto")
    before = browser.get(place).text
    assert "Results appear here when it is closed" in before
    assert "in the campaign people" not in before
    with room.store.transaction() as db:
        campaigns.set_state(db, key, "closed", now=room.clock(), who="oto")
    after = browser.get(place).text
    assert "People: da in the campaign people" in after
    assert "The mean human score of <bdi>system 0</bdi> is 90.00" in after
    data = browser.get(f"{place}/segments.json").json()
    assert data["systems"] == ["system 0", "system 1", "system 2"]


def test_campaigns_are_tied_to_test_sets_of_ones_own(room):
    with room.store.reading() as db:
        assert test_sets.find_own_set(db, room.test_set.id, "oto") == room.test_set.id
        assert test_sets.find_own_set(db, room.test_set.id, "vic") is None
        assert test_sets.find_own_set(db, room.test_set.id, "sue") is None


def test_the_address_of_this_machine_works_once(room):
    from metra.web.replies import Opening

    browser = browse(room, opening=Opening("s3cret", "ann", "/w"))
    assert browser.get("/open/wrong").status_code == 403
    reply = browser.get("/open/s3cret")
    assert (reply.status_code, reply.headers["Location"]) == (303, "/w")
    assert browser.get("/w/main").status_code == 200
    assert browser.get("/open/s3cret").status_code == 403


def test_hostile_names_are_text(room):
    name = "<script>alert(1)</script>\"'"
    with room.store.transaction() as db:
        by = {"now": 2_000_000_000.0, "who": "ann"}
        outputs = make_texts(seed=9).outputs["system 0"]
        test_sets.add_run(db, room.test_set, name, outputs, **by)
    page = browse(room, "ann").get(f"/w/main/sets/{room.test_set.id}")
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert" in page.text
