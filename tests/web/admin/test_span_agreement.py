"""One campaign, one answer: agreement on marks by the results page and by its export."""

import json
import re

import pytest
from tests.campaigns import House
from tests.web.admin.conftest import Admin, rows

from metra import store as stores
from metra.campaign.demo_data import list_demo_protocols
from metra.campaign.protocols.registry import protocol
from metra.store.demo import fill_store

NOW = 1_800_000_000.0
KINDS = ("marks", "tags")
#: Demo campaigns in which judges mark errors, names or terms.
MARKED = [
    name
    for name in list_demo_protocols()
    if any(step.asks.kind in KINDS for step in protocol(name).steps)
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A store with these campaigns, and their ids by protocol."""
    store = stores.open(str(tmp_path_factory.mktemp("demo") / "judge.db"))
    filled = fill_store(store, MARKED, now=NOW)
    yield store, {name: one.id for name, one in zip(MARKED, filled, strict=True)}
    store.close()


@pytest.mark.parametrize("name", MARKED)
def test_the_export_gives_the_figures_of_the_results_page(name, demo, tmp_path, cli):
    store, campaigns = demo
    admin = Admin(House(store, campaigns[name], {}, clock=lambda: NOW)).sign_in()
    page = admin.get("/results")
    about = "tags" if "Agreement on tags" in page else "marked errors"
    shown = {
        row[0]: row[1:]
        for label in (f"Agreement on {about}", f"Pairs of judges on {about}")
        for row in rows(page, label)[1:]
    }
    path = tmp_path / "answers.jsonl"
    path.write_text(admin.get("/export/jsonl"), encoding="utf-8")
    trials = ("--set", "pairs=0")
    ran = cli("meta", "spans", path, *trials, "--format", "json")
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    figures = {
        each["name"]: list_cells(each)
        for each in data["figures"]
        if each["table"] in ("agreement", "pairs")
    }
    if about == "tags":
        figures = {key: cells[:-1] for key, cells in figures.items()}
    assert len(shown) > 2
    assert shown == figures
    alpha = re.search(r"Krippendorff's alpha over characters \(.*?\): ([\d.−-]+)", page)
    assert alpha[1] == f"{data['alpha']['value']:.3f}"


def test_tags_have_agreement_and_no_ranking(demo):
    store, campaigns = demo
    house = House(store, campaigns["entity-tagging"], {}, clock=lambda: NOW)
    admin = Admin(house).sign_in()
    page = admin.get("/results")
    assert "do not score systems. Their agreement is shown below; you can" in page
    assert "Systems by" not in page
    assert len(rows(page, "Agreement on tags")) == 2
    [_, *body] = rows(page, "Tags with identical boundaries and type")
    assert len(body) > 5
    # The page of other results shows the same.
    assert f"<td>{body[0][0].split(' – ')[0]}</td>" in admin.get("/measures")


def list_cells(entry):
    """List the cells of the page's table from an entry of the command's JSON."""
    figures = entry["figures"]
    cells = [str(entry["outputs"])]
    for kind in ("characters", "spans"):
        cells.append(f"{figures[f'{kind} F']['value']:.2f}")
        bounds = figures[f"{kind} F"]["interval"]
        cells.append("–" if bounds is None else "{:.2f} to {:.2f}".format(*bounds))
    cells.append(f"{figures['exact F']['value']:.2f}")
    severity = figures["characters severity"]["value"]
    return [*cells, "–" if severity is None else f"{severity:.2f}"]
