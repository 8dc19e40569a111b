"""Judges on the command line: estimates, warnings, progress, errors in one sentence."""

import json
import sys

import pytest
from tests.cli.test_progress import Terminal
from tests.metrics.llm.endpoints import Reply, get_output, serve

from metra.cli import output


@pytest.fixture
def files(tmp_path):
    (tmp_path / "sysA.txt").write_text("the cat sleeps\nit rains\n")
    (tmp_path / "sysB.txt").write_text("the cat sleeps\nit is raining\n")
    (tmp_path / "source.txt").write_text("le chat dort\nil pleut\n")
    return [tmp_path / "sysA.txt", tmp_path / "sysB.txt", "-s", tmp_path / "source.txt"]


def by_length(_, body) -> Reply:
    return Reply(content=str(len(get_output(body))))


def test_scores_intervals_and_what_they_cost(cli, files, judge):
    with serve(by_length) as server:
        spec = judge(server, input_price=1000, output_price=1000)
        ran = cli("score", *files, "-m", spec, "--ci", "--verbose")
        assert ran.code == 0, ran.err
        assert len(server.bodies) == 3  # two outputs are the same
    name = "llm:model=judge,source_lang=French,target_lang=English"
    assert ran.out.split("\n")[0] == f"system  {name} ↑"
    assert (
        f"sysB: {name} = 13.50 (unread = 0 input_tokens = 200 output_tokens = 10 "
        "cost = 0.2100)"
    ) in ran.out
    assert ran.err == (
        "metra: llm judge: 3 new answers, 1 reused; 3 requests, 315 tokens, cost "
        "0.3150.\n"
    )


def test_an_estimate_as_a_table(cli, files, judge):
    with serve(by_length) as server:
        spec = judge(server, input_price=1, output_price=1)
        ran = cli("score", *files, "-m", spec, "--estimate")
        assert server.bodies == []
    assert ran.code == 0, ran.err
    heading, _, row, *_, last = ran.out.rstrip("\n").split("\n")
    assert heading.split() == [
        *("metric", "questions", "known", "requests"),
        *("tokens", "in", "tokens", "out", "cost"),
    ]
    assert row.split()[1:4] == ["3", "0", "3"]
    assert row.split()[4:8] == ["≈", row.split()[5], "≤", "300"]
    assert last.endswith("Failed requests are repeated, which costs more.")
    assert ran.err == ""


def test_an_estimate_as_json(cli, files, judge):
    with serve(by_length) as server:
        cli("score", files[0], *files[2:], "-m", judge(server))
        spec = judge(server)
        ran = cli("score", *files, "-m", "llm", "-m", spec, "--estimate")
        assert ran.code == 2
        ran = cli("score", *files, "-m", spec, "--estimate", "--format", "json")
    (entry,) = json.loads(ran.out)["tables"]["estimates"]
    assert (entry["questions"], entry["known"], entry["requests"]) == (3, 2, 1)
    assert entry["tokens out"] == 100
    assert entry["cost"] is None


WRONG = [
    (["-m", "JUDGE", "--estimate", "--format", "tsv"],
     "--estimate does not work with --format tsv; expected --format table or json."),
    (["-m", "untranslated:rule=script", "--estimate"],
     "--estimate needs a metric that sends requests; add -m llm:…"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_estimates_that_cannot_be(arguments, message, cli, files, judge):
    given = [judge(None) if word == "JUDGE" else word for word in arguments]
    ran = cli("score", *files, *given)
    assert ran.code == 2
    assert message in ran.err


def test_tables_in_parts_have_no_estimate(cli, files, judge):
    ran = cli("score", files[0], "-m", judge(None), "--estimate", "--scores-out", "x")
    assert (ran.code, ran.err) == (
        2,
        "metra: Estimates need files that are scored as one corpus on this machine; "
        "leave out --scores-out, --resume and --group-by.\n",
    )


def test_unread_answers_are_a_warning_that_can_be_fatal(cli, files, judge):
    with serve(Reply(content="fine")) as server:
        spec = judge(server, unread="skip")
        ran = cli("score", *files, "-m", spec)
        assert ran.code == 0
        assert (
            "metra: warning: llm: 2 of 2 answers about 'sysA' cannot be read: "
            "segment 1: 'fine' (it is not JSON)"
        ) in ran.err
        assert "sysA" in ran.out
        assert [line.split()[-1] for line in ran.out.split("\n")[2:4]] == ["–", "–"]
        strict = cli("score", *files, "-m", spec, "--strict")
        assert (strict.code, strict.out) == (2, "")
        refused = cli("score", *files, "-m", judge(server))
        assert (refused.code, refused.out) == (2, "")
        *_, last = refused.err.strip().split("\n")
        assert last.startswith("metra: llm: 2 of 2 answers about 'sysA' cannot be read")


def test_compare_and_report_take_judges(cli, files, judge, tmp_path):
    with serve(by_length) as server:
        spec = judge(server)
        compared = cli("compare", *files, "-m", spec)
        assert compared.code == 0, compared.err
        page = tmp_path / "report.html"
        made = cli("report", *files, "-r", files[1], "-m", spec, "-o", page)
        assert made.code == 0, made.err
        assert made.err.count("llm judge") == 1
    assert len(server.bodies) == 3
    assert "llm" in page.read_text()


def test_workers_are_shown_and_their_last_words_stay(monkeypatch, capsys):
    from metra.stats.parallel import tell_progress

    now = [100.0]
    monkeypatch.setattr(output.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", Terminal())
    with output.show_progress():
        for line in ("1 answer", "2 answers", "3 answers"):
            now[0] += 0.15
            tell_progress("llm judge", line)
    tell_progress("llm judge", "nobody hears this")
    assert sys.stderr.getvalue() == (
        "\rllm judge: 2 answers \x1b[K\r\x1b[Kmetra: llm judge: 3 answers.\n"
    )
    assert capsys.readouterr() == ("", "")
