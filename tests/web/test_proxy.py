"""Behind a real proxy with TLS: nginx as docs/human/running.md sets it up."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from contextlib import ExitStack
from types import SimpleNamespace

import httpx2
import pytest
from tests.campaigns import made, opened
from tests.patience import PATIENCE
from tests.web.browsing import Browser
from tests.web.servers import free_port, serving

from metra import store as stores
from metra.store import access, audit
from metra.web.middleware import ALWAYS

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
NAME = "judge.example.org"
SITE = f"https://{NAME}"
PASSWORD = "correct horse battery"

pytestmark = [
    pytest.mark.skipif(NGINX is None, reason="needs nginx (Debian's nginx-light)"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory, root):
    """A server behind nginx, with a campaign and an admin."""
    folder = tmp_path_factory.mktemp("site")
    url = str(folder / "judge.db")
    store = stores.open(url)
    # The clock of the server is the real one.
    house = opened(store, made("da"), clock=time.time)
    with store.transaction() as db:
        access.set_password(db, "ann", PASSWORD, now=0.0, who="test")
    make_certificate(folder)
    options = ("--base-url", SITE, "--behind-proxy", "127.0.0.1")
    with serving(url, folder / "log", 1, *options) as server:
        https = free_port()
        http = next(port for port in range(https + 1, 32_000) if is_free(port))
        ports = {"8000": server.port, "443": https, "80": http}
        process = start_nginx(folder, read_configuration(root), ports)
        yield SimpleNamespace(
            folder=folder, house=house, server=server, https=https, http=http
        )
        process.terminate()
        process.wait(PATIENCE)
    store.close()


def is_free(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def make_certificate(folder):
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"),
            *("-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"),
            *("-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"),
        ],
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )


def read_configuration(root):
    """The block of the page."""
    page = (root / "docs" / "human" / "running.md").read_text(encoding="utf-8")
    return re.search(r"```nginx\n(.*?)```", page, re.DOTALL)[1]


def start_nginx(folder, site, ports):
    """Run the site at other ports and with another certificate, and nothing else."""
    site, count = re.subn(
        r"(listen |127\.0\.0\.1:)(80|443|8000)\b",
        lambda match: (
            f"{match[1].replace('listen ', 'listen 127.0.0.1:')}{ports[match[2]]}"
        ),
        site,
    )
    assert count == 4
    site, count = re.subn(
        rf"/etc/letsencrypt/live/{NAME}|/var/log/nginx", str(folder), site
    )
    assert count == 3
    (folder / "site.conf").write_text(site)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    lines = [f"{kind}_temp_path {folder}/{kind};" for kind in kinds]
    user = ["user root;"] if os.geteuid() == 0 else []
    (folder / "nginx.conf").write_text(
        "\n".join(
            [
                *user,
                "daemon off; worker_processes 1;",
                f"pid {folder}/nginx.pid; error_log {folder}/error.log;",
                "events { worker_connections 64; }",
                f"http {{ access_log {folder}/access.log;",
                *lines,
                f"include {folder}/site.conf; }}",
            ]
        )
    )
    command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")]
    process = subprocess.Popen([*command, "-e", str(folder / "error.log")])
    give_up = time.monotonic() + PATIENCE
    while is_free(ports["443"]):
        assert process.poll() is None, (folder / "error.log").read_text()
        assert time.monotonic() < give_up
        time.sleep(0.02)
    return process


@pytest.fixture(scope="module")
def visit(site):
    """A browser that reaches the site through the proxy, from an address of this machine."""
    with ExitStack() as clients:

        def come(address="127.0.0.2", **headers):
            trust = str(site.folder / "fullchain.pem")
            context = ssl.create_default_context(cafile=trust)
            way = httpx2.HTTPTransport(verify=context, local_address=address)
            base = f"https://127.0.0.1:{site.https}"
            more = {"headers": {"Host": NAME} | headers, "timeout": 60}
            client = Client(transport=way, base_url=base, **more)
            browser = Browser(clients.enter_context(client))
            browser.origin = SITE
            return browser

        yield come


@pytest.fixture(scope="module")
def pass_by(site):
    """A browser that reaches the server past the proxy."""
    with ExitStack() as clients:

        def come(address="127.0.0.1", **headers):
            way = httpx2.HTTPTransport(local_address=address)
            more = {"base_url": site.server.base, "headers": headers, "timeout": 60}
            client = httpx2.Client(transport=way, **more)
            browser = Browser(clients.enter_context(client))
            browser.origin = SITE
            return browser

        yield come


class Client(httpx2.Client):
    """A client that asks for the certificate of the site, wherever it is."""

    def build_request(self, *args, **more):
        extensions = {"sni_hostname": NAME} | (more.pop("extensions", None) or {})
        return super().build_request(*args, extensions=extensions, **more)


CLAIMS = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Real-IP": "203.0.113.9",
    "Forwarded": "for=203.0.113.9;proto=http;host=evil.example",
    "X-Forwarded-Proto": "http",
    "X-Forwarded-Host": "evil.example",
}


def sign_in(browser):
    return browser.form("/admin/login", name="ann", password=PASSWORD)


@pytest.fixture(scope="module")
def admin(site, visit):
    """An admin who claims to be somebody else, and what the reply and the log said."""
    browser = visit("127.0.0.2", **CLAIMS)
    reply = sign_in(browser)
    page = browser.get("/admin")
    return SimpleNamespace(
        browser=browser, reply=reply, page=page, address=last_address(site)
    )


def last_address(site):
    with site.house.store.reading() as db:
        entries = audit.list_entries(db, what="sign in")
    return next(one.data["address"] for one in entries if one.who == "ann")


def test_replies_are_those_of_the_server_itself(pass_by, visit):
    inside, outside = pass_by(), visit()
    paths = ("/", "/judge", "/api/work", "/j/nobody", "/nowhere", "/admin")
    own = {"server", "date", "connection", "transfer-encoding", "content-length"}
    for path in (*paths, "/admin/login", "/static/icon.svg", "/health"):
        direct, reply = inside.get(path), outside.get(path)
        assert reply.status_code == direct.status_code, path
        one, other = (
            {name: value for name, value in got.headers.items() if name not in own}
            for got in (direct, reply)
        )
        assert one == other, path
        assert one.items() >= {k.lower(): v for k, v in ALWAYS.items()}.items()
        assert one["strict-transport-security"] == "max-age=31536000"
    assert reply.headers["server"] == "nginx"


def read_cookies(reply):
    """Names and attributes of the cookies that a reply sets."""
    found = {}
    for line in reply.headers.get_list("set-cookie"):
        first, *parts = line.split("; ")
        found[first.partition("=")[0]] = {part.lower() for part in parts}
    return found


def test_cookies_are_secure(site, visit, admin):
    judge = visit().form(f"/j/{site.house.tokens['judge 0']}")
    language = visit().form("/judge/language", language="de", back="/")
    cookies = read_cookies(judge) | read_cookies(admin.reply)
    assert set(cookies) == {
        "__Host-metra-judge",
        "__Host-metra-admin",
        "__Host-metra-device",
    }
    for name, parts in (cookies | read_cookies(language)).items():
        assert {"secure", "httponly", "samesite=lax", "path=/"} <= parts, name
        assert not any(part.startswith("domain") for part in parts), name


def test_people_get_through(site, visit, admin):
    judge = visit()
    judge.come_in(site.house.tokens["judge 1"])
    assert judge.work()["screen"]
    assert admin.reply.headers["location"] == "/admin"
    assert admin.page.status_code == 200
    page = admin.browser.form(
        f"/admin/campaigns/{site.house.campaign}/judges/issue", judge=find_judge(site)
    )
    assert re.findall(r'value="(https?://[^/]+)/j/', page.text) == [SITE]


def find_judge(site):
    from metra.store import judges

    with site.house.store.reading() as db:
        return judges.find_by_label(db, site.house.campaign, "judge 3").id


def test_redirects_lead_to_the_site(site, visit):
    assert visit(**CLAIMS).get("/admin").headers["location"] == "/admin/login"
    plain = f"http://127.0.0.1:{site.http}/judge?x=1"
    with httpx2.Client(timeout=60, trust_env=False) as client:
        for host in (NAME, "evil.example"):
            reply = client.get(plain, headers={"Host": host} | CLAIMS)
            assert reply.status_code == 301
            assert reply.headers["location"] == f"{SITE}/judge?x=1"


@pytest.mark.parametrize("host", ["evil.example", f"{NAME}.evil.example", "10.0.0.1"])
def test_other_hosts_are_refused(visit, host):
    reply = visit(Host=host).get("/")
    assert reply.status_code == 400
    assert "does not accept the host name" in reply.json()["error"]


def test_changes_come_from_the_site(site, visit):
    path = f"/j/{site.house.tokens['judge 2']}"
    for origin, status in (
        (f"http://{NAME}", 403),
        ("https://evil.example", 403),
        (f"{SITE}:8443", 403),
        ("http://127.0.0.1", 403),
        (SITE, 303),
    ):
        browser = visit(**CLAIMS)
        browser.origin = origin
        assert browser.form(path).status_code == status, origin


def test_addresses_are_those_that_the_proxy_sees(site, pass_by, admin):
    assert admin.address == "127.0.0.2"
    # Who comes past the proxy is not believed either.
    stranger = pass_by("127.0.0.5", **CLAIMS | {"Host": NAME})
    assert sign_in(stranger).status_code == 303
    assert last_address(site) == "127.0.0.5"


def test_waits_are_by_address_whatever_clients_claim(site, visit):
    guesses = [
        visit("127.0.0.7", **{"X-Forwarded-For": f"203.0.113.{at}"}) for at in "12"
    ]
    tried = [guesses[at % 2].form("/j/guess") for at in range(31)]
    assert [reply.status_code for reply in tried] == [404] * 30 + [429]
    assert tried[-1].headers["retry-after"] == "1"
    assert visit("127.0.0.8").form("/j/guess").status_code == 404
    right = f"/j/{site.house.tokens['judge 2']}"
    assert visit("127.0.0.7").form(right).status_code == 303


def test_no_log_holds_a_link(site, visit):
    token = site.house.tokens["judge 0"]
    visit().get(f"/j/{token}")
    logs = [path for path in site.folder.iterdir() if path.suffix == ".log"]
    for path in (site.folder / "log", *logs):
        assert token not in path.read_text()
    assert "/j/***" in (site.folder / "log").read_text()
    assert "127.0.0.2:0 - " in (site.folder / "log").read_text()


def test_a_server_that_is_down_leaves_no_link_in_the_log(site, visit):
    """The last test: it ends the server."""
    site.server.stop()
    token = site.house.tokens["judge 0"]
    assert visit().get(f"/j/{token}").status_code == 502
    for path in site.folder.glob("*.log"):
        assert token not in path.read_text()
