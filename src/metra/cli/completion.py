"""Completion in shells: what click knows, names of metrics, and else files.

`_METRA_COMPLETE=bash_source metra` prints the script for a shell.
"""

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)


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
