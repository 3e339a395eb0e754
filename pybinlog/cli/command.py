"""Command: what all commands of the program share."""

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
from click.core import ParameterSource

from pybinlog.cli.environment import Environment
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.options.mysql_options import CommandLine
from pybinlog.cli.options.option import THE_PROGRAM, UTC, AnswerFile, Kind, Option, check_together, completer
from pybinlog.cli.options.server_options import SERVER_REFUSED, SHARED_LETTERS

REFUSED_OF_SERVERS = f"{__name__}.refused_of_servers"
"""The key under which a context keeps the reasons for refusing options about servers."""

ARGUMENTS = f"{__name__}.arguments"
"""The key under which a context keeps its arguments, with their options by whole names."""


class Command(click.Command):
    """A command that parses arguments as MySQL's programs do, and shows its help in sections.

    `usage` is the usage line after the program's name, `about` some paragraphs, `examples` lines under their titles;
    `words` are the arguments that the command takes instead of files; `habits` are further arguments of CommandLine.
    The callback is given the options of all `sections`, and the other arguments under the name `files`. A command with
    options about a server refuses some of mysqlbinlog's.
    """

    def __init__(
        self,
        name: str,
        callback: Callable[..., Any],
        sections: dict[str, list[Option]],
        *,
        about: str,
        examples: str | dict[str, str],
        usage: str = "",
        files: str = "files",
        words: Sequence[str] = (),
        **habits: Any,
    ):
        self.sections = {**sections, "The program": [*THE_PROGRAM, *sections.get("The program", ())]}
        self.options = [option for section in self.sections.values() for option in section]
        self.synopsis, self.about = usage or f"{name} [OPTIONS] FILE...", about
        self.examples = {"Examples": examples} if isinstance(examples, str) else examples
        of_servers = any(option.name == "host" for option in self.options)
        shared = {"refused": SERVER_REFUSED, "shared": SHARED_LETTERS} if of_servers else {"refused": {}}
        self._habits: dict[str, Any] = {"refused_letters": {}, **shared, **habits}
        arguments = click.Argument([files], nargs=-1, shell_complete=completer(words))
        super().__init__(name, params=[arguments], callback=callback, add_help_option=False)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the files and the options; while arguments are parsed, the options among them: click takes its time
        to make one, and there are many."""
        options = ctx.meta.get(self._given, self.options)
        return [*self.params, *(option.parameter(completes=ctx.resilient_parsing) for option in options)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:  # a shell completes a word
            return super().parse_args(ctx, [])
        line = CommandLine(self.options, warn=environment_of(ctx).warn, **self._habits)
        args = line.canonical(args)
        ctx.meta[REFUSED_OF_SERVERS] = line.refused_of_servers
        ctx.meta[ARGUMENTS] = [*args]
        names = {argument.partition("=")[0] for argument in args}
        given = [option for option in self.options if not names.isdisjoint((f"--{option.name}", f"--{option.off}"))]
        ctx.meta[self._given] = given
        switches = [argument for argument in args if argument in (f"--{UTC.name}", f"--{UTC.off}")]
        if UTC in self.options and switches[-1:] == [f"--{UTC.name}"]:
            ctx.with_resource(in_utc())  # times are parsed next
        rest = super().parse_args(ctx, args)
        for option in self.options:
            if option.variable not in ctx.params:
                ctx.params[option.variable] = option.absent
                ctx.set_parameter_source(option.variable, ParameterSource.DEFAULT)
        return rest

    @property
    def _given(self) -> str:
        """Return the key under which a context keeps the options among its arguments."""
        return f"{__name__}.{self.name}"

    def invoke(self, ctx: click.Context) -> Any:
        shows_help, shows_version = ctx.params["help"], ctx.params["version"]
        environment = environment_of(ctx)
        if shows_help:
            environment.show(ctx.get_help() + "\n")
            return ExitStatus.OK
        if shows_version:
            environment.show(version() + "\n")
            return ExitStatus.OK
        if ctx.params.get("print_defaults"):
            from pybinlog.cli.server.connection import show_defaults

            show_defaults(environment, ctx.params)
            return ExitStatus.OK
        check_together(ctx.meta[self._given], self.options, ctx.params)
        del ctx.params["help"], ctx.params["version"]
        environment.color = ctx.params.get("color", "auto")
        if not gc.isenabled():
            if hasattr(gc, "freeze"):  # CPython's
                gc.freeze()  # what the start has made is there to stay
            gc.enable()
        name = ctx.params["output"] if any(isinstance(option, AnswerFile) for option in self.options) else None
        if name in (None, "-"):
            return super().invoke(ctx)
        from pybinlog.cli.output_file import Answer

        with Answer(name) as answer:
            environment.answer, environment.is_terminal = answer, False
            status = super().invoke(ctx)
            answer.finish(status)
        return status

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("pybinlog", self.synopsis)
        for paragraph in self.about.split("\n\n"):
            formatter.write_paragraph()
            formatter.write_text(paragraph)
        for title, text in self.examples.items():
            with formatter.section(title):
                for line in text.split("\n"):
                    formatter.write(" " * formatter.current_indent + line + "\n")
        from pybinlog.cli.topics import described, names

        for title, options in self.sections.items():
            records, named = described(options)
            with formatter.section(title):
                for topic, of_topic in named.items():
                    for line in names(of_topic, topic, formatter.width - formatter.current_indent):
                        formatter.write(" " * formatter.current_indent + line + "\n")
                if records:
                    formatter.write_dl([option.help_record() for option in records], col_max=24)


def command(
    sections: dict[str, list[Option]], about: str, examples: str | dict[str, str], **rest: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Make a command of a function, which has its name; `rest` is as in Command."""

    def made(callback: Callable[..., Any]) -> Command:
        run = click.pass_context(callback)
        return Command(callback.__name__, run, sections, about=about, examples=examples, **rest)

    return made


@contextmanager
def in_utc() -> Iterator[None]:
    """Let local time be UTC, in this process and those that it starts."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


def version() -> str:
    from pybinlog import __version__

    return f"pybinlog {__version__}"


def command_line(ctx: click.Context) -> str:
    """Return the command line as a shell reads it, without passwords."""
    import shlex

    assert isinstance(ctx.command, Command)
    secrets = [f"--{option.name}" for option in ctx.command.options if option.kind is Kind.SECRET]
    arguments: list[str] = ctx.meta[ARGUMENTS]
    shown = [argument for argument in arguments if argument.partition("=")[0] not in secrets]
    if "--" in shown and not any(name.startswith("-") for name in shown[shown.index("--") + 1 :]):
        shown.remove("--")
    return shlex.join(["pybinlog", ctx.info_name or "", *shown])


def environment_of(ctx: click.Context) -> Environment:
    environment = ctx.find_object(Environment)
    assert environment is not None
    return environment
