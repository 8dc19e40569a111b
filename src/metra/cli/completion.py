"""`metra completion`: scripts that complete commands, options and names in shells."""

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

#: The variable in which the script asks for completions.
VARIABLE = "_METRA_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands, options, metrics and files.

    To install it, load it in your shell's startup file, or save it where the shell looks
    for completions:

    \b
    echo 'eval "$(metra completion bash)"' >> ~/.bashrc
    echo 'eval "$(metra completion zsh)"' >> ~/.zshrc
    metra completion fish > ~/.config/fish/completions/metra.fish
    """
    add_file_names()
    made = get_completion_class(shell)
    if made is not None:
        click.echo(made(ctx.find_root().command, {}, "metra", VARIABLE).source())


class _FileNames(ShellComplete):
    """Completion by names of files, unless click has other completions."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return what click knows, or ask the shell for files."""
        completions = super().get_completions(args, incomplete)
        if completions or incomplete.startswith("-"):
            return completions
        return [CompletionItem(incomplete, type="file")]


def add_file_names() -> None:
    """Have every shell offer file names wherever click knows no completions."""
    for shell in (BashComplete, ZshComplete, FishComplete):
        add_completion_class(type(shell.__name__, (_FileNames, shell), {}))


def complete_metrics(_: object, __: object, word: str) -> list[str]:
    """List the metrics whose names begin like a word.

    It completes parameters; context and parameter do not matter.
    """
    from metra.metrics.registry import list_metrics

    return [name for name in list_metrics() if name.startswith(word)]
