"""Options that are not given have the value that click would give them."""

import click
import pytest
from click.core import ParameterSource

from pybinlog.cli.command import Command
from pybinlog.cli.environment import Environment
from pybinlog.cli.program import COMMANDS, command_named


@pytest.mark.parametrize("name", COMMANDS)
def test_it_is_that_of_click(name: str) -> None:
    command = command_named(name)
    if not isinstance(command, Command):
        pytest.skip("it has no options of ours")
    quiet = Environment(stdin=None, stdout=None, stderr=None)
    with click.Context(command, info_name=command.name, obj=quiet) as ctx:
        command.parse_args(ctx, ["a.000001"])
        taken = dict(ctx.params)
        sources = {ctx.get_parameter_source(option.variable) for option in command.options}
    with click.Context(command, info_name=command.name, obj=quiet) as ctx:
        click.Command.parse_args(command, ctx, ["a.000001"])
        assert {name: (type(value), value) for name, value in taken.items()} == {
            name: (type(value), value) for name, value in ctx.params.items()
        }
    assert sources == {ParameterSource.DEFAULT}
