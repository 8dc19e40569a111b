"""metra testsets, and -t wherever references are taken."""

import json

import pytest

LINES = {
    "src": ["One house.", "Two trees.", "Three cats.", "Four dogs."],
    "ref-refA": ["Ein Haus.", "Zwei Bäume.", "Drei Katzen.", "Vier Hunde."],
    "ref-refB": ["1 Haus.", "2 Bäume.", "3 Katzen.", "4 Hunde."],
    "docid": ["bbc.1", "bbc.1", "forum.1", "forum.2"],
    "origlang": ["en", "en", "de", "de"],
    "domain": ["news", "news", "social", "social"],
    "ONLINE-B": ["Ein Haus.", "Zwei Bäume.", "Drei Katze.", "Vier Hund."],
}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of its own, with a cache of sacreBLEU in it."""
    folder = tmp_path / "home"
    for field, lines in LINES.items():
        write(folder / f".sacrebleu/wmt23/wmt23.en-de.{field}", lines)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.delenv("SACREBLEU", raising=False)
    return folder


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


@pytest.fixture
def out(tmp_path):
    return write(tmp_path / "out.txt", LINES["ONLINE-B"])


@pytest.fixture
def files(home):
    """The same references and source as files."""
    folder = home / ".sacrebleu/wmt23"
    return {field: folder / f"wmt23.en-de.{field}" for field in LINES}


T = ("-t", "wmt23", "-l", "en-de")


def test_a_set_scores_as_its_files_do(cli, out, files):
    named = cli("score", out, *T, "--level", "system,document,segment", "-m", "wer")
    given = ("-r", files["ref-refA"], "--docs", files["docid"], "-s", files["src"])
    by_file = cli(
        "score", out, *given, "--level", "system,document,segment", "-m", "wer"
    )
    assert named.code == 0
    assert named.out == by_file.out.replace(
        "1 reference\n", "1 reference; wmt23:en-de (sacrebleu, reference refA)\n"
    )
    assert named.err == "wmt23:en-de (sacrebleu): 4 segments, reference refA\n"


def test_subsets_leave_out_outputs_and_references_alike(cli, out):
    ran = cli(
        "score",
        out,
        *T,
        *["-m", "wer", "--read", "subset=origlang=de", "--format", "json"],
    )
    data = json.loads(ran.out)
    assert data["evalset"] == {
        "segments": 2,
        "documents": 2,
        "references": 1,
        "layouts": {"wmt23:en-de": "sacrebleu, reference refA, origlang=de"},
    }
    assert data["systems"][0]["scores"]["wer"]["score"] == 50
    ran = cli(
        "score", out, *T, "-m", "wer", "--read", "subset=doc=bbc.1", "--format", "json"
    )
    assert json.loads(ran.out)["systems"][0]["scores"]["wer"]["score"] == 0


def test_the_summary_names_the_set_and_the_subset(cli, out):
    ran = cli("score", out, *T, "-m", "wer", "--read", "subset=origlang=de")
    assert "; wmt23:en-de (sacrebleu, reference refA, origlang=de)\n" in ran.out


def test_other_references_are_named(cli, out):
    ran = cli("score", out, *T, "--read", "ref=refA", "--read", "ref=refB")
    assert "2 references" in ran.out
    refused = cli.refusal("score", out, *T, "--read", "ref=refC")
    assert "no reference 'refC'; it has: refA, refB" in refused


@pytest.mark.parametrize("command", ["compare", "profile", "report"])
def test_commands_on_outputs_take_a_set(cli, out, tmp_path, command):
    other = write(tmp_path / "other.txt", LINES["ref-refA"])
    arguments = {
        "compare": [other, out, "--trials", "20"],
        "profile": [out],
        "report": [other, out, "-o", tmp_path / "report.html"],
    }[command]
    ran = cli.ok(command, *arguments, *T)
    assert "wmt23:en-de (sacrebleu)" in ran.err


def test_a_subset_is_converted(cli, tmp_path):
    table = tmp_path / "part.tsv"
    chosen = ("--read", "subset=doc!=forum.1", "--only", "domain=social")
    cli.ok("convert", *T, *chosen, "-o", table)
    assert table.read_text(encoding="utf-8").split("\n")[:-1] == [
        "source\tref:refA\tdoc\tlabel:origlang\tdomain",
        "Four dogs.\tVier Hunde.\tforum.2\tde\tsocial",
    ]


def test_an_output_of_another_length(cli, tmp_path):
    short = write(tmp_path / "short.txt", ["a"])
    assert "wmt23:en-de has 4 segments but" in cli.refusal("score", short, *T)


REFUSED = [
    pytest.param(
        ["-l", "en-de"], "No file has a column of language pairs", id="pair alone"
    ),
    pytest.param(
        ["--read", "subset=a=b"],
        "selects from a test set; give -t NAME",
        id="subset alone",
    ),
    pytest.param(
        ["-t", "wmt3"], "`metra sacrebleu --download wmt3` downloads", id="unknown"
    ),
    pytest.param([*T, "--read", "subset=x"], "'x' is not a condition", id="condition"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_is_refused(cli, out, arguments, message):
    assert message in cli.refusal("score", out, *arguments)


def test_the_source_is_given_once(cli, out, files):
    assert cli("score", out, *T, "-s", files["src"]).code == 0
    refused = cli.refusal("score", out, *T, "-s", out)
    assert "segments (source '" in refused
    assert "which wmt23:en-de has; every segment is required" in refused


def test_list_shows_names_pairs_and_places(cli):
    ran = cli("testsets", "list")
    assert ran.out.split("\n")[2].split() == ["wmt23", "sacrebleu", "en-de"]
    assert cli("testsets", "list", "-l", "de-en").out == ""
    data = json.loads(cli("testsets", "list", "--format", "json").out)
    (entry,) = data["tables"]["testsets"]
    assert entry == {"test set": "wmt23", "from": "sacrebleu", "pairs": "en-de"}


def test_list_shows_what_a_set_holds(cli):
    ran = cli("testsets", "list", "wmt23")
    line = ran.out.split("\n")[2]
    words = ["wmt23", "en-de", "sacrebleu", "refA", "refB", "de,", "en", "news,"]
    assert line.split() == [*words, "social", "4", "3"]
    refused = cli.refusal("testsets", "list", "wmt22")
    assert "No test set wmt22 on this machine" in refused


def test_list_of_nothing_says_where_it_looked(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "none"))
    ran = cli("testsets", "list")
    assert (ran.code, ran.out) == (0, "")
    assert f"{tmp_path / 'none'} (not there)" in ran.err
    data = json.loads(cli("testsets", "list", "--format", "json").out)
    assert data["tables"] == {"testsets": []}


def test_a_set_is_named_by_its_path(cli, out, files, tmp_path):
    folder = tmp_path / "set"
    write(folder / "source.txt", LINES["src"])
    write(folder / "reference.txt", LINES["ref-refA"])
    ran = cli("score", out, "-t", f"{folder}/", "-l", "en-de", "-m", "wer", "-b")
    given = ("-r", files["ref-refA"], "-m", "wer", "-b")
    assert ran.out == cli("score", out, *given).out
    assert ran.err == f"set:en-de ({folder}/): 4 segments, reference ref\n"
    assert "set " in cli("testsets", "list", f"{folder}/").out


@pytest.fixture
def metrics_eval(home):
    """A set of mt-metrics-eval with people's scores, and metrics' by two references."""
    folder = home / ".mt-metrics-eval/mt-metrics-eval-v2/wmtx"
    write(folder / "sources/en-de.txt", ["One house.", "Two trees.", "Three cats."])
    for name in ("refA", "refB"):
        write(folder / f"references/en-de.{name}.txt", ["a", "b", "c"])
    scores = [f"{system}\t{n}" for system, n in zip("AAABBBCCC", range(9), strict=True)]
    write(folder / "human-scores/en-de.mqm.seg.score", scores)
    for name in ("M-refA", "M-refB", "N-1.0-refA", "K-src"):
        write(folder / f"metric-scores/en-de/{name}.seg.score", scores)
    return folder


def test_scores_of_a_test_set(cli, metrics_eval):
    """Metrics count by the usual reference, or by none."""
    asked = ["meta", "correlate", "-t", str(metrics_eval), "-l", "en-de"]
    asked += ["--gold", "mqm", "--trials", "0"]
    ran = cli.ok(*asked, "--coef", "pearson", "--format", "json")
    rows = json.loads(ran.out)["tables"]["en-de"]
    assert sorted(row["metric"] for row in rows) == ["K-src", "M-refA", "N-1.0-refA"]
    beside = metrics_eval / "metric-scores/en-de/M-refB.seg.score"
    ran = cli(*asked, beside, "--coef", "pearson")
    assert "M-refB" in ran.out


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((), "SCORES are missing; name files, or a test set with -t."),
        (("-t", "wmt1x"), "No test set wmt1x on this machine"),
        (("-t", "wmt23"), "wmt23:en-de has no scores (human-scores"),
        (("-t", "SET", "-l", "en-cs"), "wmtx has no en-cs"),
    ],
)
def test_test_sets_without_scores(cli, metrics_eval, asked, said):
    asked = [part.replace("SET", str(metrics_eval)) for part in asked]
    assert said in cli.refusal("meta", "correlate", *asked, "--gold", "mqm")
