"""Cases of judging: campaigns at the keyboard, their exports, and the pages of the app."""

import json
import re
from collections import deque
from html import unescape
from typing import Any

from tests.golden_run import inside
from tests.golden_run.record import NOW, Case, Run, read_content, show_page

BASE = "http://127.0.0.1:8000"
PASSWORD = "correct horse battery"
FORMATS = ("jsonl", "tsv", "csv", "marot", "mt-metrics-eval", "texts",
           "annotations", "judged", "keys", "zip")  # fmt: skip
#: The campaigns of `metra judge demo` that are exported in every format and shown in full.
IN_FULL = {
    "ldc": "Market and brake: Fluency, then adequacy (LDC)",
    "esa": "Market and brake: Error span annotation",
    "mqm": "Market and brake: Multidimensional quality metrics",
    "ranking": "Market and brake: Ranking",
    "cloze": "Market and brake: Cloze test",
    "names": "Market and brake: Names",
    "evaltrans": "Market and brake: EvalTrans",
}
META = {
    "ldc": ["rank names.tsv --scorer adequacy --format json",
            "judges names.tsv --scorer adequacy --trials 50",
            "rank jsonl.txt --scorer fluency --by z"],
    "esa": ["rank names.tsv --scorer esa", "judges --show normalised names.tsv --scorer esa"],
    "mqm": ["rank names.tsv --scorer mqm"],
    "ranking": ["rank names.tsv --by wins"],
}  # fmt: skip


def fill_store(run: Run) -> None:
    """Make a store with a filled campaign for each protocol, and keep the judges' links."""
    out = run.command("metra judge demo . --no-serve", record=False)
    names = re.findall(r"^\w+ in ['\"](.+)['\"]$", out, re.M)
    tokens = re.findall(r"/j/([\w-]{43})", out)
    links = dict(zip(names, tokens, strict=True))
    assert len(links) > 10
    (run.folder / "links.json").write_text(json.dumps(links))
    # A password that is known, beside the one that the demonstration draws.
    run.command("metra judge init --admin golden", record=False)


def read_links(run: Run) -> dict[str, str]:
    """Give the link of a judge in each campaign."""
    return json.loads((run.folder / "links.json").read_text())


MATERIAL = {"store": [fill_store]}


def export_all(run: Run) -> None:
    """Export every campaign as a zip, blind and with names."""
    for name in read_links(run):
        run.command(f'metra judge export "{name}" --format zip -o out.zip')
    for name in read_links(run):
        run.command(f'metra judge export "{name}" --format texts --unblind')


def show_status(run: Run) -> None:
    """Tell how far each campaign is."""
    run.command("metra judge status")
    for name in read_links(run):
        run.command(f'metra judge status "{name}"')


class Visitor:
    """A browser without a screen, whose every page is recorded."""

    def __init__(self, run: Run, app: Any) -> None:
        from starlette.testclient import TestClient

        self.run = run
        self.client = TestClient(app, base_url=BASE, follow_redirects=False)
        self.csrf = ""

    def ask(self, method: str, path: str, limit: int | None = None, **more: Any) -> Any:
        """Ask for a page and record what comes back."""
        headers = {"Origin": BASE, "X-CSRF-Token": self.csrf} if method != "GET" else {}
        with self.run.stand_still():
            reply = self.client.request(method, path, headers=headers, **more)
        kind = reply.headers.get("content-type", "").partition(";")[0]
        title = f"{method} {path} → {reply.status_code} {kind}"
        if location := reply.headers.get("location"):
            self.run.add(title, f"to {location}\n")
        elif kind == "text/html":
            found = re.search(r'name="csrf-token" content="([^"]+)"', reply.text)
            self.csrf = found[1] if found else self.csrf
            self.run.add(title, show_page(reply.text), limit)
            self.run.add("as HTML", reply.text, 0)
        elif kind == "application/json":
            text = json.dumps(
                reply.json(), indent=1, sort_keys=True, ensure_ascii=False
            )
            self.run.add(title, text, limit)
        else:  # a file, which the cases of exporting show
            files = read_content(
                "x.zip" if kind == "application/zip" else "x", reply.content
            )
            self.run.add(
                title, "".join(f"{name}\n{text}" for name, text, _ in files), 0
            )
        return reply

    def form(self, path: str, **fields: str) -> Any:
        """Send a form, with the page's secret."""
        return self.ask("POST", path, data={"csrf": self.csrf} | fields)


class Opened:
    """The app over the store of a case."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.store = inside.open_store(str(run.folder / "judge.db"))
        self.app = inside.make_app(self.store, base_url=BASE, clock=lambda: NOW)

    def __enter__(self) -> "Opened":
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def visitor(self) -> Visitor:
        return Visitor(self.run, self.app)

    def admin(self) -> Visitor:
        """Sign in."""
        visitor = self.visitor()
        visitor.ask("GET", "/admin/login")
        visitor.form("/admin/login", name="golden", password=PASSWORD)
        return visitor


def links_on(page: str) -> list[str]:
    """List the addresses in the app that a page leads to."""
    found = re.findall(r'href="(/[^"#]*)', page)
    return [
        link.replace("&amp;", "&") for link in found if not link.startswith("/static")
    ]


def walk_as_admin(run: Run) -> None:
    """Follow every link from the admin's first page."""
    with Opened(run) as opened:
        admin = opened.admin()
        names: dict[str, str] = {}
        waiting, known = deque(["/admin"]), {"/admin"}
        while waiting:
            path = waiting.popleft()
            key = re.match(r"/admin/campaigns/([^/?]+)", path)
            full = not key or names.get(key[1]) in (IN_FULL["ldc"], IN_FULL["cloze"])
            reply = admin.ask("GET", path, 1800 if full else 240)
            if "text/html" not in reply.headers.get("content-type", ""):
                continue
            if path == "/admin":
                names = {
                    key: name.replace("&#39;", "'")
                    for key, name in re.findall(
                        r'href="/admin/campaigns/([^"/]+)"[^>]*>\s*([^<]+?)\s*<',
                        reply.text,
                    )
                }
                assert IN_FULL["ldc"] in names.values(), names
            for link in links_on(reply.text):
                # Filters and sortings of tables are too many to follow all of them.
                if link not in known and link.partition("?")[0] not in known:
                    known.add(link)
                    waiting.append(link)


def run_as_admin(run: Run) -> None:
    """Change a campaign as its admin may: states, judges, names of systems."""
    with Opened(run) as opened:
        admin = opened.admin()
        page = admin.ask("GET", "/admin", 100).text
        place = re.search(r'href="(/admin/campaigns/[^"/]{8,})"', page)[1]
        admin.ask("GET", f"{place}/judges", 2000)
        page = admin.client.get(f"{place}/judges").text
        judge = re.search(r'name="judge" value="([^"]+)"', page)[1]
        admin.form(f"{place}/judges/issue", judge=judge)
        admin.form(f"{place}/judges/revoke", judge=judge)
        admin.form(f"{place}/judges/note", judge=judge, text="a note")
        admin.form(f"{place}/release", judge=judge)
        admin.form(f"{place}/judges/forget", judge=judge, what="name")
        admin.form(f"{place}/judges/forget", judge=judge, what="name", sure="yes")
        admin.form(f"{place}/disagreements", judges="zoe, yan")
        admin.form(f"{place}/second-look", judges="zoe, yan")
        for state in ("paused", "open", "closed"):
            admin.form(f"{place}/state", state=state)
            admin.ask("GET", place, 1500)
        admin.form(f"{place}/unblind")
        for part in ("results", "log", "judges", "measures"):
            admin.ask("GET", f"{place}/{part}", 2000)
        make_campaign(admin)
        admin.form("/admin/logout")
        admin.ask("GET", "/admin")


def make_campaign(admin: Visitor) -> None:
    """Make a campaign from files on the admin's pages, and import judgements."""
    home = admin.run.folder / "examples"
    texts = {
        "outputs": ["outputs/solid.txt", "outputs/literal.txt"],
        "references": ["reference.1.txt"],
        "source": ["source.fr.txt"],
    }
    files = [
        (field, (name, (home / name).read_bytes(), "text/plain"))
        for field, names in texts.items()
        for name in names
    ]
    form = {"csrf": admin.csrf}
    page = admin.ask("POST", "/admin/campaigns/new/files", 2000, data=form, files=files)
    carried = unescape(re.search(r'name="texts" value="([^"]+)"', page.text)[1])
    wishes = {"name": "spring", "protocol": "da", "source_language": "fr", "seed": "5",
              "target_language": "en", "judges": "ann\nbob\ncleo\ndan", "each": "2",
              "calibration": "", "repeats": "10", "degraded": "", "unit": "segment",
              "basis": "", "texts": carried}  # fmt: skip
    admin.form("/admin/campaigns/new/settings", go="check", **wishes | {"judges": ""})
    admin.form("/admin/campaigns/new/settings", go="check", **wishes)
    made = admin.form("/admin/campaigns/new/settings", go="make", **wishes)
    if place := made.headers.get("location"):
        admin.ask("GET", place)


def visit_as_judge(run: Run) -> None:
    """Come in by the link of every campaign, and look at the guide and the work."""
    with Opened(run) as opened:
        for name, token in read_links(run).items():
            run.blocks.append(f"=== {name}\n")
            judge = opened.visitor()
            judge.ask("GET", f"/j/{token}")
            judge.form(f"/j/{token}")
            for path in ("/judge", "/judge/consent", "/judge/guide", "/judge/work"):
                judge.ask("GET", path, 900)
            judge.ask("GET", "/api/work", 1200)


def judge_from_the_start(run: Run) -> None:
    """Go from the link of a new campaign to the last answer."""
    out = run.command("metra judge links 'market and brake' --judge ann")
    # The normalised output hides the secret; the command gives it as it is.
    token = re.search(r"/j/([\w-]{43})", out)[1]
    with Opened(run) as opened:
        judge = opened.visitor()
        judge.ask("GET", f"/j/{token}")
        judge.form(f"/j/{token}")
        judge.ask("GET", "/judge")
        judge.ask("GET", "/judge/consent")
        judge.form("/judge/consent", agree="yes", target_level="native")
        judge.ask("GET", "/judge/guide")
        judge.form("/judge/guide")
        judge.ask("GET", "/judge/work")
        times = dict.fromkeys(("idle_ms", "hidden_ms", "paused_ms"), 0)
        times |= {"active_ms": 1000, "first_action_ms": 10}
        for at in range(40):
            work = judge.ask("GET", "/api/work", 1500 if at < 2 else 0).json()
            screen = work["screen"]
            if screen is None:
                break
            place = f"/api/screens/{screen['task']}/{screen['number']}"
            judge.ask("GET", place, 0)
            draft = {"rev": 1, "step": 0, "value": {"fluency": 1 + at % 5}}
            judge.ask("PUT", f"{place}/draft", 150, json=draft)
            reveal = {"step": 1, "rev": 2, "value": {"fluency": 1 + at % 5}}
            judge.ask("POST", f"{place}/reveal", 150, json=reveal)
            answer = {
                "id": f"00000000-0000-4000-8000-{at:012}",
                "value": {"fluency": 1 + at % 5, "adequacy": 5 - at % 4},
                "comment": "a comment" if at == 3 else "",
                "cannot": None,
                "times": times,
                "events": [],
            }
            judge.ask("POST", f"{place}/answer", 150, json=answer)
        judge.ask("GET", "/judge")
        judge.ask("GET", "/judge/done")
        judge.form("/judge/leave")
        judge.ask("GET", "/judge")
    for form in ("tsv", "jsonl", "csv", "zip"):
        run.command(f"metra judge export --format {form} --unblind -o out.{form}")
    run.command("metra judge status")


LDC = IN_FULL["ldc"]
CASES = [
    *(
        Case(
            f"judge/export-{short}",
            [
                *(f'metra judge export "{name}" --format {form} -o {form}.'
                  + ("zip" if form in ("zip", "mt-metrics-eval") else "txt")
                  for form in FORMATS),
                f'metra judge export "{name}" --unblind --format tsv -o names.tsv',
                *(f"metra meta {line}" for line in META.get(short, ())),
                "metra judge import jsonl.txt -o again.jsonl",
            ],
            needs=("store",),
            limit=1200,
        )
        for short, name in IN_FULL.items()
    ),
    Case("judge/export-all", [export_all], needs=("store",), limit=150),
    Case("judge/status", [show_status], needs=("store",), limit=800),
    Case("web/admin-pages", [walk_as_admin], needs=("store",)),
    Case("web/admin-actions", [run_as_admin], needs=("store",), limit=800),
    Case("web/judge-pages", [visit_as_judge], needs=("store",), limit=500),
    Case(
        "web/judge-way",
        ["metra judge init examples/campaign.toml", judge_from_the_start],
        limit=1500,
    ),
]  # fmt: skip
