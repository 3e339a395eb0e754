"""The group of commands. `dump` is what is meant where no command is named."""

from __future__ import annotations

from importlib import import_module

import click

__all__ = ["program"]

# Each command's module has the command as `command`; it is imported only when it is run.
COMMANDS = {
    "dump": "pybinlog.cli.commands.dump",
    "check": "pybinlog.cli.commands.check",
    "tag": "pybinlog.cli.commands.tag",
    "export": "pybinlog.cli.commands.export",
    "simulate": "pybinlog.cli.commands.simulate",
}
DEFAULT = "dump"


class Program(click.Group):
    """Commands by name, and the default command for everything else: a file named like one is given as `./name`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in COMMANDS:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = COMMANDS.get(cmd_name)
        return import_module(module).command if module else None


program = Program("pybinlog", add_help_option=False)
