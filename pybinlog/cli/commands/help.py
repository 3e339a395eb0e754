"""`pybinlog help`: the command."""

from __future__ import annotations

import click

from pybinlog.cli.command import Command, environment_of
from pybinlog.cli.options.option import THE_PROGRAM
from pybinlog.cli.program import COMMANDS, command_named, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.cli.options.option import Option

ABOUT = "Show what the program can do, or what a command does, its options and examples."

EXAMPLES = """\
pybinlog help
pybinlog help check"""

SECTIONS: dict[str, list[Option]] = {"The program": THE_PROGRAM}


@click.pass_context
def show_help(ctx: click.Context, /, names: tuple[str, ...]) -> None:
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


command = Command(
    "help",
    show_help,
    SECTIONS,
    usage="help [COMMAND]",
    about=ABOUT,
    examples={"Examples": EXAMPLES},
    files="names",
)
