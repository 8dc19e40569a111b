"""`metra profile`: what systems' outputs are like, apart from how good they are."""

import click

from metra.cli import options


@click.command()
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...")
@options.references
@options.source
@click.option(
    "--tok",
    default="13a",
    show_default=True,
    help="How text is cut into words: 13a, intl, zh, char, none, …",
)
@click.option(
    "--case",
    type=click.Choice(["mixed", "lower"]),
    default="mixed",
    show_default=True,
    help="Whether letter case counts.",
)
@click.option("--ci", is_flag=True, help="Bootstrap intervals, 95 %.")
@options.seed
@click.option(
    "--show",
    metavar="TRAIT",
    help="List the segments that show a trait, such as loops, numbers or empty.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "markdown"]),
    default="table",
    show_default=True,
    help="How the profiles are written.",
)
@options.out
@options.input_format
def profile(
    outputs: tuple[str, ...],
    references: tuple[str, ...],
    source: str | None,
    tok: str,
    case: str,
    ci: bool,
    seed: int,
    show: str | None,
    form: str,
    out: str | None,
    input_format: str,
) -> None:
    """Say what outputs are like: short or long, precise, looping, untranslated, …

    Each system is held against the references, the source (if given) and the other
    systems, and read in one line. Files are given as for `metra score`.

    \b
    metra profile sysA.txt sysB.txt -r ref.txt -s source.txt
    metra profile sysA.txt -r ref.txt --show numbers
    """
    from metra.analysis.profiles import build_profiles
    from metra.cli.output import get_screen_width, wants_color, write_output
    from metra.report.table import Style
    from metra.report.writers import profiles as layout
    from metra.scoring.files import open_corpus
    from metra.text.preparation import make_preparation

    corpus = open_corpus(outputs, references, source, input_format=input_format)
    profiles = build_profiles(
        corpus,
        preparation=make_preparation(tok=tok, case=case, stem="no"),
        ci=ci,
        seed=seed,
    )
    style = Style(
        color=wants_color() and not out, width=None if out else get_screen_width()
    )
    write_output(layout.render_profiles(profiles, form, style, show), out)
