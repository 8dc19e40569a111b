"""`metra judge export`, `import` and `demo`, and what reads their files."""

import json
import sqlite3
from statistics import fmean

import pytest

pytest.importorskip("sqlalchemy", reason="needs metra[judge]")

from tests.campaign.answers import average, rank
from tests.judged import parse_judgement_lines, read_question

from metra.campaign.demo_data import SYSTEMS, list_demo_protocols
from metra.errors import CorpusError
from metra.scores.registry import read_scores
from metra.scores.selection import DEFAULT
from metra.store.demo import fill_store


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A store with a filled campaign for each of two protocols."""
    from metra import store as stores

    path = tmp_path_factory.mktemp("demo") / "judge.db"
    store = stores.open(str(path))
    fill_store(store, ["ldc", "mqm"], now=1_800_000_000.0)
    store.close()
    return str(path)


LDC = "Market and brake: Fluency, then adequacy (LDC)"
MQM = "Market and brake: Multidimensional quality metrics"


def exported(cli, filled, tmp_path, form, name=LDC, *more):
    out = tmp_path / f"out.{form}"
    ran = cli.ok(
        "judge", "export", name, "--store", filled, "--format", form, "-o", out, *more
    )
    return out, ran


def test_names_are_hidden_until_asked_for(cli, filled, tmp_path):
    out, ran = exported(cli, filled, tmp_path, "jsonl", MQM)
    text = out.read_text()
    assert not any(name in text for name in SYSTEMS)
    assert "--unblind shows their names" in ran.err
    out, ran = exported(cli, filled, tmp_path, "jsonl", MQM, "--unblind")
    assert ran.err == ""
    assert {
        one.systems[0]
        for one in parse_judgement_lines(out.read_text().split("\n"), "x")
    } == set(SYSTEMS)
    with sqlite3.connect(filled) as database:
        noted = database.execute(
            "SELECT what, data_json FROM audit ORDER BY at"
        ).fetchall()
    assert [what for what, _ in noted].count("unblind") == 1
    exports = [json.loads(data) for what, data in noted if what == "export"]
    count = len(out.read_text().rstrip("\n").split("\n"))
    sizes = {"rows": count, "bytes": out.stat().st_size}
    assert exports[-1] == {"format": "jsonl", "blind": False} | sizes
    assert exports[-2]["blind"] is True


def test_meta_and_report_read_the_export_at_once(cli, filled, tmp_path, root):
    # Flagged judges would be set apart by what reads the files.
    options = LDC, "--unblind", "--flagged", "out"
    out, _ = exported(cli, filled, tmp_path, "tsv", *options)
    lines, _ = exported(cli, filled, tmp_path, "jsonl", *options)
    judgements = parse_judgement_lines(lines.read_text().split("\n"), "x")
    means = {
        system: native
        for (system, scorer), (native, *_) in average(judgements).items()
        if scorer == "adequacy"
    }
    tables = []
    for path in (out, lines):
        ran = cli.ok("meta", "rank", path, "--scorer", "adequacy", "--format", "json")
        tables.append(json.loads(ran.out))
    assert tables[0]["tables"] == tables[1]["tables"]
    rows = {row["system"]: row for row in tables[0]["tables"]["ranking"]}
    shown = {name: row["mean"]["value"] for name, row in rows.items()}
    assert shown == pytest.approx(means)
    ranking = rank(judgements, scorer="adequacy").ranking
    for system, z in zip(ranking.systems, ranking.columns["z"], strict=True):
        assert rows[system]["z"] == pytest.approx(z)
    ran = cli.ok("meta", "judges", out, "--scorer", "fluency")
    assert "Krippendorff" in ran.out
    examples = root / "examples"
    page = tmp_path / "report.html"
    outputs = [examples / "outputs" / f"{name}.txt" for name in SYSTEMS]
    cli.ok(
        "report",
        *outputs,
        "-r",
        examples / "reference.1.txt",
        "--judgements",
        out,
        "-m",
        "chrf",
        "-o",
        page,
    )
    assert "judge" in page.read_text()


def test_what_is_wrong_is_said(cli, write, tmp_path):
    refused = cli.refusal("judge", "import", write("a.txt", ["hello"]))
    assert "which is not a known format" in refused
    judgements = write("b.jsonl", b'{"schema": "metra-judgement/1"}')
    ran = cli("judge", "import", judgements, "--lang", "en")
    assert ran.code == 2
    assert "The languages are 'en'; expected two codes" in ran.err
    folder = tmp_path / "none"
    ran = cli("judge", "demo", "--protocol", "none", "--no-serve", folder)
    assert ran.code == 2
    assert not folder.exists()
    assert "No protocol named 'none'" in ran.err


def test_the_demo_fills_a_store(cli, tmp_path):
    folder = tmp_path / "demo"
    ran = cli.ok("judge", "demo", folder, "-p", "adequacy", "--no-serve")
    assert "/admin   name: admin   password: " in ran.out
    assert "/j/" in ran.out
    status = cli("judge", "status", "--store", folder / "judge.db")
    assert "Hana" in status.out


def test_who_waits_for_the_demo_is_told_how_far_it_is(tmp_path):
    from metra import store as stores

    store = stores.open(str(tmp_path / "judge.db"))
    heard = []
    fill_store(store, ["adequacy", "da"], now=1_800_000_000.0, tell=heard.append)
    store.close()
    assert heard == [
        "Market and brake: Adequacy: 1 of 2",
        "Market and brake: Direct assessment: 2 of 2",
    ]


def test_what_can_be_demonstrated():
    assert {"ldc", "adequacy", "da", "da-sqm", "esa", "mqm"} <= set(
        list_demo_protocols()
    )
    assert {"pairwise", "ranking"} <= set(list_demo_protocols())
    assert {"cloze", "correction", "reading", "minimal-correction"} <= set(
        list_demo_protocols()
    )
    assert {"comprehension", "templates", "evaltrans"} <= set(list_demo_protocols())
    assert "verdicts" not in list_demo_protocols()


def test_an_export_is_imported_as_it_is(cli, filled, tmp_path):
    out, _ = exported(cli, filled, tmp_path, "jsonl", LDC, "--unblind")
    again = tmp_path / "again.jsonl"
    cli.ok("judge", "import", out, "-o", again)
    both = (path.read_text().split("\n") for path in (again, out))
    one, other = (parse_judgement_lines(lines, "x") for lines in both)
    assert one == other
    refused = cli.refusal("judge", "import", out, "--store", tmp_path / "new.db")
    assert "Write the judgements with -o FILE" in refused
    lines = out.read_text().split("\n")
    broken = json.loads(lines[0]) | {"active_ms": "soon"}
    out.write_text("\n".join([*lines[1:3], json.dumps(broken)]))
    ran = cli("judge", "import", out, "-o", again)
    assert ran.code == 2
    assert "line 3: active_ms is 'soon'; expected whole milliseconds or null" in ran.err


def scores_in(path, question=None):
    """The mean of the judgements of each output."""
    found: dict[tuple[str, int], list[float]] = {}
    scores = read_question(str(path), question)
    rows = zip(scores.system, scores.item, scores.value.tolist(), strict=True)
    for system, item, value in rows:
        output = scores.systems[system], int(scores.items[item].segment)
        found.setdefault(output, []).append(value)
    return {output: fmean(scores) for output, scores in sorted(found.items())}


def test_reports_read_every_export(cli, filled, tmp_path):
    # The formats of other programs do not say who is flagged.
    options = MQM, "--unblind", "--flagged", "out"
    read = {
        form: scores_in(exported(cli, filled, tmp_path, form, *options)[0])
        for form in ("jsonl", "tsv", "marot", "mt-metrics-eval")
    }
    assert read["jsonl"] == read["tsv"]
    assert read["marot"] == pytest.approx(read["mt-metrics-eval"])
    assert len({tuple(found) for found in read.values()}) == 1
    # Costs of other formats are negative, so that higher is better.
    assert max(read["marot"].values()) <= 0
    worst = min(read["marot"], key=read["marot"].get)
    assert read["tsv"][worst] == max(read["tsv"].values())


def list_rows(path):
    """The rows that count, with all their names."""
    scores = DEFAULT.select(read_scores(str(path)))
    columns = (scores.system, scores.item, scores.scorer, scores.judge)
    return sorted(
        (
            scores.systems[system],
            scores.items[item],
            scores.scorers[scorer][:3],
            scores.judges[judge],
            *numbers,
        )
        for system, item, scorer, judge, *numbers in zip(
            *columns, scores.value.tolist(), scores.hundred.tolist(), strict=True
        )
    )


@pytest.mark.parametrize("campaign", [LDC, MQM])
def test_every_export_has_the_same_rows(cli, filled, tmp_path, campaign):
    """Flagged judges, calibration items and checks are told apart in all of them."""
    options = campaign, "--unblind"
    first, *others = (
        list_rows(exported(cli, filled, tmp_path, form, *options)[0])
        for form in ("jsonl", "tsv", "csv", "zip")
    )
    assert first
    assert others == [first] * 3


def test_a_report_asks_one_of_several_questions(cli, filled, tmp_path):
    out, _ = exported(cli, filled, tmp_path, "jsonl", LDC, "--unblind")
    assert scores_in(out) == scores_in(out, "adequacy") != scores_in(out, "fluency")
    refused = cli.refusal(
        *("report", "examples/outputs/solid.txt", "-r", "examples/reference.1.txt"),
        *("--judgements", f"{out}:question=style", "-o", tmp_path / "r.html"),
    )
    assert "No question named 'style'. Known: adequacy, fluency." in refused
    assert not (tmp_path / "r.html").exists()


def test_a_report_needs_judgements_of_segments_by_people(write, tmp_path):
    metrics = write(
        "m.jsonl", ['{"system": "a", "segment": 1, "scorer": "b", "value": 2}']
    )
    with pytest.raises(CorpusError, match="no human judgements"):
        read_question(str(metrics))
    home = tmp_path / "human-scores"
    home.mkdir()
    (home / "en-de.mqm.sys.score").write_text("a\t-1\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="judges whole systems; expected judgements"):
        read_question(str(home))


def test_init_says_what_columns_were_taken_for(tmp_path, cli):
    table = tmp_path / "t.csv"
    table.write_text("Quelle;Mensch;Maschine;Kommentar\na;b;c;gut\nd;e;f;\n")
    campaign = tmp_path / "campaign.toml"
    campaign.write_text(
        'name = "matrix"\nsource_language = "de"\ntarget_language = "en"\n'
        'protocol = "adequacy"\njudges = ["ann", "bob"]\neach = 1\n'
        f'[files]\noutputs = ["{table.name}"]\n'
    )
    password = tmp_path / "password"
    password.write_text("a long secret\n")
    more = ["--store", tmp_path / "s.db", "--password-file", password]
    ran = cli.ok("judge", "init", campaign, *more)
    assert ran.out.split("\n")[0] == (
        f"{table} (semicolons, not quoted; source: Quelle, ref: Mensch, outputs: Maschine; "
        "ignored: Kommentar)"
    )
    table.write_text("Quelle;Target;Foo\na;b;c\nd;e;f\n")
    refused = cli.refusal("judge", "init", campaign, *more)
    assert (
        "Name the columns with files.hyp_columns=NAME=COLUMN and "
        "files.ref_columns=COLUMN, or rename them"
    ) in refused
