"""Labels that come with the segments part the test set in the report too."""


def test_a_label_file_becomes_a_bucket(cli, write, root, tmp_path):
    folder = root / "examples"
    labels = write("kind.txt", ["short", "long"] * 14)
    path = tmp_path / "report.html"
    ran = cli(
        *("report", folder / "outputs" / "solid.txt", "-r", folder / "reference.1.txt"),
        *("--labels", f"kind={labels}", "-o", path),
    )
    assert ran.code == 0, ran.err
    page = path.read_text(encoding="utf-8")
    assert ">By kind</h3>" in page
    assert 'data-csv="kind-bleu"' in page
