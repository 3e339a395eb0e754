"""`pybinlog help`: the command."""

from __future__ import annotations

import click

from pybinlog.cli.command import command, environment_of
from pybinlog.cli.program import COMMANDS, command_named, near

ABOUT = "Show what the program can do, or what a command does, its options and examples."

EXAMPLES = """\
pybinlog help
pybinlog help check"""


@command({}, ABOUT, EXAMPLES, usage="help [COMMAND]", files="names", words=COMMANDS)
def help(ctx: click.Context, /, names: tuple[str, ...]) -> None:
    environment = environment_of(ctx)
    if not names:
        from pybinlog.cli.overview import overview

        environment.show(overview())
        return
    if len(names) > 1:
        raise click.UsageError("help shows one command at a time; name one.")
    if names[0] not in COMMANDS:
        meant = near(names[0])
        way_out = f"did you mean {' or '.join(meant)}?" if meant else f"the commands are {', '.join(COMMANDS)}."
        raise click.UsageError(f"there is no command {names[0]}; {way_out}")
    described = command_named(names[0])
    environment.show(described.get_help(click.Context(described, info_name=names[0])) + "\n")
