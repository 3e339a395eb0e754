"""Command: what all commands of the program share."""

from __future__ import annotations

import gc
import os

import click
from click.core import ParameterSource

from pybinlog.cli.environment import Environment
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.options.mysql_options import CommandLine
from pybinlog.cli.options.option import check_together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from pybinlog.cli.display.progress import Progress
    from pybinlog.cli.environment import Output
    from pybinlog.cli.options.option import Option
    from pybinlog.output.outputs import Outputs

__all__ = [
    "Command",
    "environment_of",
    "live_logs",
    "log_names",
    "look_at",
    "outputs_of",
    "progress_of",
    "standard_output",
]


REFUSED_OF_SERVERS = f"{__name__}.refused_of_servers"
"""Where a context keeps the reasons why options about servers are refused."""


class Command(click.Command):
    """Takes arguments with the habits of MySQL's programs, and shows its help in sections.

    `usage` is the usage line after the program's name, `about` some paragraphs, `examples` lines under their titles;
    `habits` are further arguments of CommandLine. The callback is given the options of all `sections` but those of
    THE_PROGRAM, and the other arguments under the name `files`.
    """

    def __init__(
        self,
        name: str,
        callback: Callable[..., Any],
        sections: dict[str, list[Option]],
        *,
        usage: str,
        about: str,
        examples: dict[str, str],
        files: str = "files",
        **habits: Any,
    ):
        self.sections = sections
        self.options = [option for section in sections.values() for option in section]
        self.synopsis, self.about, self.examples = usage, about, examples
        self._habits: dict[str, Any] = {"refused": {}, "refused_letters": {}, **habits}
        super().__init__(name, params=[click.Argument([files], nargs=-1)], callback=callback, add_help_option=False)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The files and the options; while arguments are parsed, the options among them: click takes its time to make
        one, and there are many."""
        options = ctx.meta.get(self._given, self.options)
        return [*self.params, *(option.parameter() for option in options)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        line = CommandLine(self.options, warn=environment_of(ctx).warn, **self._habits)
        args = line.canonical(args)
        ctx.meta[REFUSED_OF_SERVERS] = line.refused_of_servers
        names = {argument.partition("=")[0] for argument in args}
        given = [option for option in self.options if not names.isdisjoint((f"--{option.name}", f"--{option.off}"))]
        ctx.meta[self._given] = given
        rest = super().parse_args(ctx, args)
        for option in self.options:
            if option.variable not in ctx.params:
                ctx.params[option.variable] = option.absent
                ctx.set_parameter_source(option.variable, ParameterSource.DEFAULT)
        return rest

    @property
    def _given(self) -> str:
        """Where a context keeps the options that are among its arguments."""
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
        check_together(ctx.meta[self._given], self.options, ctx.params)
        del ctx.params["help"], ctx.params["version"]
        environment.color = ctx.params.get("color", "auto")
        if not gc.isenabled():
            if hasattr(gc, "freeze"):  # CPython's
                gc.freeze()  # what the start has made is there to stay
            gc.enable()
        return super().invoke(ctx)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("pybinlog", self.synopsis)
        for paragraph in self.about.split("\n\n"):
            formatter.write_paragraph()
            formatter.write_text(paragraph)
        for title, text in self.examples.items():
            with formatter.section(title):
                for line in text.split("\n"):
                    formatter.write(" " * formatter.current_indent + line + "\n")
        for title, options in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([option.help_record() for option in options], col_max=24)


def version() -> str:
    from pybinlog import __version__

    return f"pybinlog {__version__}"


def environment_of(ctx: click.Context) -> Environment:
    environment = ctx.find_object(Environment)
    assert environment is not None
    return environment


def log_names(
    environment: Environment,
    files: Sequence[str],
    indexes: Sequence[str],
    *,
    one_series: bool = False,
    opens: bool = True,
) -> list[str]:
    """The logs that are meant: those of the index files, then the FILEs: files, folders, patterns, URLs and `-`.

    Warn of what is left out of a folder. With `one_series`, a folder with several is a SourceError. `opens`: see
    `pybinlog.source.location.locate`.
    """
    names = list(files)
    if indexes or any(stands_for_many(name) for name in files):
        from pybinlog.source.location import locate

        warnings: list[str] = []
        names = locate(files, indexes=indexes, one_series=one_series, opens=opens, warn=warnings.append)
        if warnings:
            outputs_of(environment, names, indexes)  # before anything is said: standard error may lead into a log
        for warning in warnings:
            environment.warn(f"{warning}.")
    if not names:
        raise click.UsageError("no log is given; name one or more, or - for standard input.")
    if names.count("-") > 1:
        raise click.UsageError("standard input can be read only once; give - only once.")
    return names


def live_logs(
    ctx: click.Context, files: Sequence[str], values: dict[str, Any], *, follows: bool = False
) -> list[str] | None:
    """The logs that are meant, where some of them are on a live server; None where all are files.

    `follows` is as in `server_names`.
    """
    from pybinlog.cli.options.server_options import reads_from_server

    if not reads_from_server(files, values, lenient=follows):
        return None
    for reason in ctx.meta[REFUSED_OF_SERVERS]:
        raise click.UsageError(reason)
    from pybinlog.cli.server_logs import server_names

    return server_names(ctx, files, values, follows=follows)


def stands_for_many(name: str) -> bool:
    """Whether a name may be a folder, a pattern or a URL, which have to be looked up."""
    return "://" in name or any(character in name for character in "*?[") or os.path.isdir(name)


def progress_of(ctx: click.Context, names: Sequence[str], *, elsewhere: bool) -> Progress | None:
    """What shows how far the command is; None where nothing does. `elsewhere`: the output goes to no terminal."""
    environment = environment_of(ctx)
    given = ctx.get_parameter_source("progress") is not ParameterSource.DEFAULT
    if given and not ctx.params["progress"]:
        return None
    if not given and not (elsewhere and environment.stderr_is_terminal):
        return None
    from pybinlog.cli.display.progress import Progress

    return Progress(environment, names, ctx.info_name or "", at_once=given)


def look_at(names: Sequence[str], given: Sequence[str]) -> None:
    """SourceError where a log is not there, or cannot be opened: before anything is written.

    Those that were not `given` by their names are listed in an index.
    """
    from pybinlog.errors import SourceError
    from pybinlog.source.file import open_file

    for name in names:
        opened_once = os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name)
        if name == "-" or opened_once:
            continue
        try:
            if "://" in name:
                from pybinlog.source.remote import open_remote

                open_remote(name).close()
            else:
                open_file(name).close()
        except SourceError as error:
            if error.hint is None and not os.path.exists(name):
                error.hint = way_out(name, name in given)
            raise


def way_out(name: str, given: bool) -> str | None:
    """What may have been meant with a log that is not there."""
    from difflib import get_close_matches

    if name.isalpha():
        from pybinlog.cli.program import COMMANDS

        if name in COMMANDS:
            return f"The command {name} comes first: pybinlog {name} ..."
        return f"There is no command {name} either; pybinlog help lists the commands"
    if not given:
        return "The index lists it: it may have been purged, or not been copied with the others"
    folder, base = os.path.split(name)
    try:
        near = get_close_matches(base, os.listdir(folder or "."), cutoff=0.8)
    except OSError:
        return f"There is no folder {folder}" if folder and not os.path.isdir(folder) else None
    return f"Did you mean {os.path.join(folder, near[0])}?" if near else None


def standard_output(environment: Environment, outputs: Outputs, way_out: str) -> Output:
    """Standard output, which a command is going to write to. BinlogError where it is closed, or leads into an input."""
    from pybinlog.errors import BinlogError

    if environment.stdout is None:
        raise BinlogError("standard output is closed", hint=way_out)
    outputs.writes_to(environment.stdout)
    return environment.stdout


def outputs_of(
    environment: Environment,
    names: Sequence[str],
    indexes: Sequence[str] = (),
    *,
    what: str = "the log",
    force: bool = False,
    way_out: str = "Name another file",
) -> Outputs:
    """The rule for what is written (`pybinlog.output.outputs`), with what a command reads.

    Errors and warnings must not go into a log either: where standard error leads into one, the program is silent.
    """
    from pybinlog.output.outputs import Outputs

    outputs = Outputs(force=force)
    outputs.reads(names, what, way_out)
    outputs.reads(indexes, "the index file")
    if "-" in names:
        outputs.reads_from(environment.stdin)
    if outputs.reads_file_of(environment.stderr):
        stderr, environment.stderr = environment.stderr, None
        outputs.writes_to(stderr, "standard error")
    return outputs
