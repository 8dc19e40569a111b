"""`metra sacrebleu`: sacreBLEU's command line, with its flags, output and signatures."""

from collections.abc import Iterable
from typing import Any

import click

from metra.cli import GroupedCommand


class SacrebleuCommand(GroupedCommand):
    """A command whose arguments are read as sacreBLEU reads them.

    Flags such as `-tok` and lists of files after a flag are not in click's grammar.
    """

    _flags: list[click.Parameter] | None = None

    @property
    def params(self) -> list[click.Parameter]:
        """The flags, for help and documentation: read when first asked for."""
        if self._flags is None:
            self._flags = _list_flags()
        return self._flags

    @params.setter
    def params(self, _: object) -> None:
        """Ignore click's own list, which is empty."""

    def find_group(self, option: click.Parameter) -> str:
        """Return the title above a flag, by the beginning of its name."""
        name = option.name or ""
        titles = (title for title, names in _GROUPS.items() if name.startswith(names))
        return next(titles, "")

    def list_groups(self) -> Iterable[str]:
        """List the titles in the order of the help."""
        return _GROUPS

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave the arguments as they are, except if help is asked for."""
        if "--help" in args or "-h" in args:
            click.echo(ctx.get_help())
            ctx.exit()
        ctx.params["arguments"] = tuple(args)
        return []

    def collect_usage_pieces(self, _: click.Context) -> list[str]:
        """Say in which order files and flags come."""
        return ["[REF]...", "-i OUTPUT...", "[OPTIONS]"]


#: Beginnings of the names of flags, by the title above them.
_GROUPS = {
    "Test sets and files": (
        *("citation", "list", "test_set", "langpair", "origlang", "subset"),
        *("download", "echo", "input", "num_refs", "encoding"),
    ),
    "Metrics": ("metrics", "sentence_level"),
    "BLEU": ("smooth", "tokenize", "lowercase", "force"),
    "chrF": ("chrf_",),
    "TER": ("ter_",),
    "Intervals and paired tests": ("confidence", "paired_"),
    "Output": ("quiet", "short", "score_only", "width", "detail", "no_color", "format"),
}


def _list_flags() -> list[click.Parameter]:
    """Describe the flags of sacreBLEU's parser as options of click."""
    from metra.compat.sacrebleu.arguments import list_flags

    return [_make_option(flag) for flag in list_flags()]


def _make_option(flag: Any) -> click.Option:
    is_switch = flag.nargs == 0
    return click.Option(
        [*sorted(flag.option_strings, key=len), flag.dest],
        help=flag.help,
        is_flag=is_switch,
        type=click.Choice(list(flag.choices)) if flag.choices else flag.type,
        multiple=flag.nargs in ("+", "*"),
        metavar=None if is_switch or flag.choices else flag.dest.upper(),
    )


@click.command(cls=SacrebleuCommand)
def sacrebleu(arguments: tuple[str, ...]) -> None:
    """Score outputs with sacreBLEU 2.6.0's command line: same flags, same output.

    Scores, text, JSON, LaTeX, signatures, intervals and p-values are sacreBLEU's, byte for
    byte. Test sets (-t) are those of `metra testsets`, sacreBLEU's cache among them; only
    --download downloads. Reference files come before -i.

    \b
    metra sacrebleu ref.txt -i sysA.txt -m bleu chrf ter
    metra sacrebleu ref.txt -i sysA.txt sysB.txt --paired-bs -f text
    metra sacrebleu -t wmt20 -l en-de -i sysA.txt -b -w 2
    """
    from metra.compat.sacrebleu.command import run

    click.echo(run(arguments), nl=False)
