"""`metra sacrebleu`: sacreBLEU's command line, with its flags, output and signatures."""

import click

from metra.cli import GroupedCommand


class SacrebleuCommand(GroupedCommand):
    """A command whose arguments sacreBLEU reads.

    Flags such as `-tok` and lists of files after a flag are not in click's grammar.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave the arguments as they are, except if help is asked for."""
        if "--help" in args:
            click.echo(ctx.get_help())
            ctx.exit()
        ctx.params["arguments"] = tuple(args)
        return []

    def collect_usage_pieces(self, _: click.Context) -> list[str]:
        """Say in which order files and flags come."""
        return ["[REF]...", "-i OUTPUT...", "[OPTIONS]"]


@click.command(cls=SacrebleuCommand, context_settings={"help_option_names": ["--help"]})
def sacrebleu(arguments: tuple[str, ...]) -> None:
    """Score outputs with sacreBLEU's command line: same flags, same output.

    sacreBLEU reads, tests and prints, and metra counts segments, so all numbers and
    signatures are sacreBLEU's. It needs the package sacrebleu (pip install '.[testsets]').
    `metra sacrebleu -h` lists all flags. Reference files come before -i. Test sets (-t) are
    downloaded into sacreBLEU's cache if necessary.

    \b
    metra sacrebleu ref.txt -i sysA.txt -m bleu chrf ter
    metra sacrebleu ref.txt -i sysA.txt sysB.txt --paired-bs -f text
    metra sacrebleu -t wmt20 -l en-de -i sysA.txt -b -w 2
    """
    from metra.compat.sacrebleu.command import run

    run(arguments)
