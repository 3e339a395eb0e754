"""Inputs: the logs that a command reads, and what every command does with the logs that it reads."""

from __future__ import annotations

import os
from contextlib import contextmanager

import click
from click.core import ParameterSource

from pybinlog.cli.command import REFUSED_OF_SERVERS, environment_of
from pybinlog.cli.options.option import conflict
from pybinlog.cli.options.server_options import local_names, reads_from_server
from pybinlog.errors import BinlogError, SourceError
from pybinlog.source import KeyedLog
from pybinlog.source.file import open_file, unsure_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from pybinlog.cli.display.progress import Progress
    from pybinlog.cli.environment import Environment, Output
    from pybinlog.output.outputs import Outputs


class Inputs:
    """The logs that a command line means.

    `names` are in files, at URLs, on live servers (as ServerLogs) or on standard input (`-`); with `live`, some of them
    are on servers. `files` and `indexes` are what was given.

    With `one_series`, a folder with several series is a SourceError; `opens` is as in `locate`. `follows` is as in
    `server_names`: the command reads log after log on one connection, and options about servers mean nothing if it
    reads files. Raise click.UsageError if the command line means no logs, or logs that cannot be read so.
    """

    def __init__(
        self,
        ctx: click.Context,
        files: Sequence[str],
        values: dict[str, Any],
        *,
        one_series: bool = False,
        opens: bool = True,
        follows: bool = False,
    ):
        self._ctx = ctx
        self._values = values
        self.environment = environment_of(ctx)
        self.files = files
        self.indexes: Sequence[str] = values["index"]
        self.live = False
        if "read_from_remote_server" in values:
            self.live = reads_from_server(files, values, lenient=follows)
        if self.live:
            for reason in ctx.meta[REFUSED_OF_SERVERS]:
                raise click.UsageError(reason)
            from pybinlog.cli.server.server_logs import server_names

            self.names = server_names(ctx, files, values, follows=follows)
            return
        self.names = self._located(one_series, opens)
        if values.get("spark") is not None:
            from pybinlog.cli.options.spark_options import check_spark_names

            check_spark_names(self.names)

    def _located(self, one_series: bool, opens: bool) -> list[str]:
        """Return the logs of the index files, then the FILEs: files, folders, patterns, URLs and `-`.

        Warn of what is omitted of a folder.
        """
        names = list(self.files)
        if self.indexes or any(stands_for_many(name) for name in names):
            from pybinlog.source.location import locate

            warnings: list[str] = []
            names = locate(self.files, indexes=self.indexes, one_series=one_series, opens=opens, warn=warnings.append)
            if warnings:  # standard error may lead into a log
                outputs_of(self.environment, names, self.indexes)
            for warning in warnings:
                self.environment.remark(warning)
        if not names:
            raise click.UsageError("no log is given; name one or more, or - for standard input.")
        if names.count("-") > 1:
            raise click.UsageError("standard input can be read only once; give - only once.")
        if self._values.get("keyring"):
            on_spark = self._values.get("spark") is not None
            return with_keyring(names, self._values["keyring"], self._values["keyring_password_file"], on_spark)
        return names

    @property
    def local_names(self) -> list[str]:
        """Those of the names that are not on a server."""
        if not self.live:
            return self.names

        return local_names(self.names)

    def outputs(self, *, way_out: str = "Name another file") -> Outputs:
        """Return the rule for what the command writes, by its --force, if it has that."""
        force = self._values.get("force")
        return outputs_of(self.environment, self.local_names, self.indexes, force=force, way_out=way_out)

    def refuse_several(self, *options: str) -> None:
        """Raise click.UsageError if one of these options is given with several logs."""
        for option in options:
            if len(self.names) > 1 and self._values[option.replace("-", "_")]:
                raise conflict(option, "several logs", "name one")

    @property
    def can_be_read_again(self) -> bool:
        """Return True if no log is a pipe or standard input."""
        from pybinlog.source.location import read_once

        return not any(map(read_once, self.names))

    def refuse_to_read_twice(self, option: str, way_out: str) -> None:
        """Raise click.UsageError if one of the logs can be read only once; without an option, for the command."""
        from pybinlog.source.location import read_once

        for name in filter(read_once, self.names):
            what = f"{'standard input' if name == '-' else name}, which can be read only once"
            if not option:
                raise click.UsageError(f"pybinlog {self._ctx.info_name} cannot be used with {what}: {way_out}.")
            raise conflict(option, what, way_out)

    def look_at(self) -> None:
        """Raise SourceError if a log is not there, or cannot be opened: before anything is written."""
        for name in unsure_names(self.local_names):
            if name == "-":
                continue
            try:
                if "://" in name:
                    from pybinlog.source.remote import open_remote

                    open_remote(name).close()
                else:
                    open_file(name).close()
            except SourceError as error:
                if error.hint is None and not os.path.lexists(name):
                    error.hint = way_out(name, name in self.files)
                raise

    @contextmanager
    def progress(self, *, elsewhere: bool = True) -> Iterator[Progress | NoProgress]:
        """Return the display of the command's progress; warnings go through it meanwhile. `elsewhere`: its output goes
        to no terminal.
        """
        given = self._ctx.get_parameter_source("progress") is not ParameterSource.DEFAULT
        wanted = self._values["progress"] if given else elsewhere and self.environment.stderr_is_terminal
        if not wanted:
            yield NoProgress(self.environment)
            return
        from pybinlog.cli.display.progress import Progress

        with Progress(self.environment, self.names, self._ctx.info_name or "", at_once=given) as shown:
            yield shown


class NoProgress:
    """A Progress that counts and shows nothing."""

    def __init__(self, environment: Environment):
        self.advance: Callable[[int], None] | None = None
        self.warn = environment.warn
        self.fail = environment.fail


def stands_for_many(name: str) -> bool:
    """Return True if a name may be a folder, a pattern or a URL, which stand for other names."""
    # as source.location.is_pattern, which a run with plain names need not import
    return "://" in name or any(character in name for character in "*?[{") or os.path.isdir(name)


def way_out(name: str, given: bool) -> str | None:
    """Suggest a log instead of one that does not exist: one that was `given`, or that an index lists."""
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
    """Return standard output, or the file of --output, which a command is going to write to.

    Raise BinlogError if it is closed, or if it would overwrite an input.
    """
    if environment.answer is not None:
        environment.answer.open(outputs)
        return environment.answer
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
    force: bool | None = None,
    way_out: str = "Name another file",
) -> Outputs:
    """Return the rule for what is written (`pybinlog.output.outputs`), with what a command reads.

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
    outputs.says_to(environment.stderr)
    return outputs


NO_CORE = 1
"""Bytes of a core file that no core file fits into; with 0 a core would still go to a program that takes cores."""


def with_keyring(
    names: Sequence[str], paths: Sequence[str], password_path: str | None, on_spark: bool = False
) -> list[str]:
    """Return the logs with the keyring of these files, which no core file of this process shows from now on.

    `on_spark`: Spark ships the files, and executors read the logs. Raise SourceError if a file is not a keyring.
    """
    import resource

    from pybinlog.keyring import Keyring

    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    most = NO_CORE if most == resource.RLIM_INFINITY else min(NO_CORE, most)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    kind: type[Keyring] = Keyring
    if on_spark:
        from pybinlog.spark.worker import ShippedKeyring as kind
    keyring = kind(paths, password_path)
    return [KeyedLog(name, keyring) for name in names]
