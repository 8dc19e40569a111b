"""`metra profile`: what systems' outputs are like, apart from how good they are."""

from typing import TYPE_CHECKING

import click

from metra.cli import options, output
from metra.cli.options import option

if TYPE_CHECKING:
    from metra.scoring.files import CorpusFiles
    from metra.text.preparation import Preparation


@click.command(cls=options.FileCommand)
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.input_files("references", "source", "test_set")
@options.text_preparation(tok="13a", case="mixed", stem="no")
@option(
    "--show TRAIT", "List the segments with a trait, such as loops, numbers or empty."
)
@options.form
@options.out
def profile(
    files: "CorpusFiles",
    text: "Preparation",
    show: str | None,
    form: str,
    out: str | None,
) -> None:
    """Profile each system: length, precision, repetition, untranslated words and more.

    Each system is compared with the references, the source (if given) and the other
    systems, and summarised in one line. Input files are the same as for `metra score`.

    \b
    metra profile sysA.txt sysB.txt -r ref.txt -s source.txt
    metra profile sysA.txt -r ref.txt --show numbers
    """
    from metra.analysis.profiles import build_profiles
    from metra.report.writers.analysis import build_profile_report
    from metra.report.writers.meta import render

    corpus = files.open()
    with output.show_text_warnings(strict=False):
        profiles = build_profiles(corpus, preparation=text)
    report = build_profile_report(profiles, show)
    output.write_output(render(report, form, output.build_style(out)), out)
