"""`pybinlog completion`: the command."""

from __future__ import annotations

import click

from pybinlog.cli.command import command, environment_of

ABOUT = """\
Write the script with which a shell (bash, zsh or fish) completes pybinlog's commands, options and their values.

It is made of the options that this version has: make it again after an update."""

EXAMPLES = """\
pybinlog completion bash > ~/.local/share/bash-completion/completions/pybinlog
pybinlog completion fish > ~/.config/fish/completions/pybinlog.fish
eval "$(pybinlog completion zsh)"     # in ~/.zshrc, after compinit"""


@command({}, ABOUT, EXAMPLES, usage="completion SHELL", files="shells")
def completion(ctx: click.Context, /, shells: tuple[str, ...]) -> None:
    from pybinlog.cli.completion import SHELLS, script

    if len(shells) != 1 or shells[0] not in SHELLS:
        raise click.UsageError(f"name one shell: {', '.join(SHELLS)}.")
    environment_of(ctx).show(script(shells[0]))
