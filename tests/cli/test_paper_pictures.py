"""A paper of three pages, with tables and pictures of `metra meta`, compiled by LaTeX."""

import re
import shutil
import subprocess

import numpy as np
import pytest

PAPER = r"""
\documentclass[10pt,a4paper,twocolumn]{article}
\usepackage[margin=25mm,columnsep=6mm]{geometry}
\usepackage{graphicx,booktabs}
\begin{document}
\section{Agreement}
Figures and tables as they are written, neither scaled nor edited.
\input{correlate.tex}
\input{variance.tex}
\begin{figure}[h]\centering\includegraphics{forest.pdf}\caption{Metrics.}\end{figure}
\begin{figure}[h]\centering\includegraphics{pairs.pdf}\caption{Systems.}\end{figure}
\begin{figure}[h]\centering\includegraphics{power.pdf}\caption{Power.}\end{figure}
\begin{figure*}[t]\centering\includegraphics{compare.pdf}\caption{Metrics.}\end{figure*}
\end{document}
"""


@pytest.fixture
def scores(write):
    """Eight systems, forty segments, two raters and thirty metrics."""
    rng = np.random.default_rng(0)
    metrics = [f"metric-{at}" for at in range(30)]
    lines = ["\t".join(["system", "seg", "rater", "esa", *metrics])]
    for system in range(8):
        for segment in range(40):
            truth = rng.normal(system / 3)
            found = truth + rng.normal(size=30) * np.linspace(0.3, 3, 30)
            for rater in ("ann", "bob"):
                values = [truth + rng.normal(), *found]
                cells = [
                    f"s{system}",
                    f"{segment}",
                    rater,
                    *(f"{v:.3f}" for v in values),
                ]
                lines.append("\t".join(cells))
    return write("scores.tsv", lines)


def test_a_short_paper_of_tables_and_pictures(scores, cli, tmp_path):
    pytest.importorskip("vl_convert")
    latex = shutil.which("pdflatex")
    if latex is None:
        pytest.skip("pdflatex is not installed")
    some = ("--gold", "esa", "--metric", "metric-0,metric-9,metric-19,metric-29")
    few = ("--trials", "50", "--coef", "pearson", "--coef", "spa")
    for name, width, *rest in [
        (
            "forest",
            "column",
            "correlate",
            scores,
            *some,
            *few,
            "--format",
            "latex:digits=2",
        ),
        (
            "pairs",
            "column",
            "correlate",
            scores,
            *some[:3],
            "metric-0",
            "--show",
            "pairs",
        ),
        ("power", "column", "plan", scores, "--scorer", "esa", "--segments", "50,200"),
        ("compare", "page", "compare", scores, "--gold", "esa", "--trials", "9"),
    ]:
        plot = f"{tmp_path / name}.pdf:width={width}"
        done = cli("meta", *rest, "--plot", plot)
        assert (done.code, done.err) == (0, "")
        if name == "forest":
            (tmp_path / "correlate.tex").write_text(done.out, encoding="utf-8")
    done = cli("meta", "plan", scores, "--scorer", "esa", "--format", "latex:digits=2")
    (tmp_path / "variance.tex").write_text(done.out, encoding="utf-8")
    (tmp_path / "paper.tex").write_text(PAPER, encoding="utf-8")
    command = [latex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = made.stdout.decode("latin-1")
    assert made.returncode == 0, log[-2000:]
    assert "Output written on paper.pdf (3 pages" in log
    # Pictures have the width of their place; nothing sticks out.
    assert not re.search(r"Overfull \\hbox|Warning: .*PDF version", log)
