"""`metra profile`: what systems' outputs are like, apart from how good they are."""

from typing import Any

import click

from metra.cli import options
from metra.cli.options import option


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.references
@options.source
@options.test_set
@option("--tok", "Tokeniser: 13a, intl, zh, char, none, …", "13a")
@options.case
@option("--ci", "Add 95% bootstrap confidence intervals.", is_flag=True)
@options.seed
@option(
    "--show TRAIT",
    "List the segments with a trait, such as loops, numbers or empty.",
)
@option(
    "--format form",
    "Output format.",
    choices=["table", "json", "markdown"],
)
@options.out
@options.input_format
@options.tables
@options.strict
def profile(
    tok: str,
    case: str,
    ci: bool,
    seed: int,
    show: str | None,
    form: str,
    out: str | None,
    strict: bool,
    **files: Any,
) -> None:
    """Profile each system: length, precision, repetition, untranslated words and more.

    Each system is compared with the references, the source (if given) and the other
    systems, and summarised in one line. Input files are the same as for `metra score`.

    \b
    metra profile sysA.txt sysB.txt -r ref.txt -s source.txt
    metra profile sysA.txt -r ref.txt --show numbers
    """
    from metra.analysis.profiles import build_profiles
    from metra.cli.output import build_style, show_text_warnings, write_output
    from metra.report.writers import profiles as layout
    from metra.scoring.files import open_corpus
    from metra.text.preparation import make_preparation

    corpus = open_corpus(**files)
    preparation = make_preparation(tok=tok, case=case, stem="no")
    with show_text_warnings(strict=strict):
        profiles = build_profiles(corpus, preparation=preparation, ci=ci, seed=seed)
    text = layout.render_profiles(profiles, form, build_style(out), show)
    write_output(text, out)
