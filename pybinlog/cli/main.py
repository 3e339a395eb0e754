"""The program: finds the command, runs it, and turns whatever goes wrong into one sentence and a status."""

import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from pybinlog.cli.environment import Environment
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.output.modes import remove_unfinished

ENDS_ITSELF = {"fsspec", "pyspark"}
"""Packages with sessions and processes to be ended by what they registered for the interpreter's end."""


def main() -> None:
    """Run the program: `pybinlog` and `python -m pybinlog`."""
    # Nothing that is imported is garbage: Command.invoke enables it again. Only when garbage goes depends on this.
    gc.disable()
    # A C function is looked up when it is first called: of those that the kernel's modules name, most never are.
    sys.setdlopenflags(os.RTLD_LAZY)
    try:
        from pybinlog.cli.signals import EndSignals

        signals = EndSignals()
        status = run(sys.argv[1:], Environment.of_process(signals))
        signals.ending = True
        signals.settle()
    except KeyboardInterrupt as error:
        status = interrupted(error)
    remove_unfinished()
    leave(status)


def leave(status: ExitStatus) -> NoReturn:
    """End the process at once: the system takes its memory back faster than the interpreter takes it apart.

    What the interpreter would do besides is flush the two streams; files are closed by what opened them, and the
    threads of a dump have ended or are of no more use.
    """
    if not sys.modules.keys().isdisjoint(ENDS_ITSELF):
        sys.exit(status)
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # it may be closed, or never have been
            stream.flush()
    os._exit(status)


def run(arguments: Sequence[str], environment: Environment) -> ExitStatus:
    """Run the program in an environment. Raise nothing: what goes wrong is said on its standard error."""
    try:
        return attempt(arguments, environment)
    except KeyboardInterrupt as error:
        return interrupted(error)
    except BrokenPipeError:
        return ExitStatus.OK  # the reader of the text has seen enough, as `head` has
    except MemoryError as error:
        environment.fail(ended(str(error) or "there is not enough memory"))
    except OSError as error:
        named = "" if error.filename is None else f"{error.filename}: "
        environment.fail(f"{named}the text cannot be written: {error.strerror or error}.")
    except Exception as error:
        if environment.ended is not None:  # the signal fell into code that made this error of it
            return environment.ended
        if isinstance(error, ImportError) and (error.name or "").startswith("pybinlog.kernel."):
            environment.fail(f"{error}.")  # it is not built
            return failure(arguments, environment)
        if environment.environ.get("PYBINLOG_TRACEBACK"):
            raise
        environment.fail(
            f"this is a fault in pybinlog: {type(error).__name__}: {error}. Please report it; with "
            "PYBINLOG_TRACEBACK=1 in the environment the place shows."
        )
    return failure(arguments, environment)


def interrupted(error: KeyboardInterrupt) -> ExitStatus:
    """Return the status of a run that a signal has ended."""
    status: ExitStatus = getattr(error, "status", ExitStatus.INTERRUPTED)  # of cli.signals.Ended
    return status


def failure(arguments: Sequence[str], environment: Environment) -> ExitStatus:
    """Return the status of a run that failed: for some commands, 1 is an answer.

    If a signal arrived, it is the cause, whichever error it led to.
    """
    if environment.ended is not None:
        return environment.ended
    return ExitStatus.USAGE if arguments and arguments[0] in ("check", "diff", "find") else ExitStatus.ERROR


def misuse(arguments: Sequence[str]) -> ExitStatus:
    """Return the status of a wrong command line: 1 for a dump, as wrappers of mysqlbinlog expect."""
    from pybinlog.cli.program import DEFAULT

    return ExitStatus.ERROR if arguments and command_of(arguments) == DEFAULT else ExitStatus.USAGE


def attempt(arguments: Sequence[str], environment: Environment) -> ExitStatus:
    # Here, not above: an interrupt while these are imported must be quiet, too.
    import click

    from pybinlog.cli.program import COMPLETE, ProgramError, program
    from pybinlog.errors import BinlogError, NotInstalledError, OutputError

    instruction = environment.environ.get(COMPLETE)
    if instruction:
        from pybinlog.cli.commands.completion import answer

        environment.show(answer(instruction))
        return ExitStatus.OK
    try:
        # Not click's own main: that writes to standard error and exits at an interrupt and at a closed pipe.
        with program.make_context("pybinlog", list(arguments), obj=environment) as context:
            status = program.invoke(context)
    except click.UsageError as error:
        if not arguments:
            from pybinlog.cli.overview import overview

            environment.print_line(overview(), as_is=True)  # not to standard output: a pipe would read it as statements
        named = "" if isinstance(error, ProgramError) else f" {command_of(arguments)}"
        environment.fail(f"{sentence(error)} See pybinlog{named} --help.")
        return ExitStatus.USAGE if isinstance(error, ProgramError) else misuse(arguments)
    except BinlogError as error:
        environment.fail(ended(str(error)))
        is_usage = isinstance(error, (OutputError, NotInstalledError))
        return ExitStatus.USAGE if is_usage else failure(arguments, environment)
    return status if isinstance(status, ExitStatus) else ExitStatus.OK


def command_of(arguments: Sequence[str]) -> str:
    """Return the command that was meant."""
    from pybinlog.cli.program import COMMANDS, DEFAULT

    return arguments[0] if arguments[0] in COMMANDS else DEFAULT


def sentence(error: object) -> str:
    """Return a usage error as one sentence that ends with a full stop."""
    import click

    assert isinstance(error, click.UsageError)
    if isinstance(error, click.BadParameter) and error.param is not None:
        return ended(f"{error.param.opts[0]}: {error.message}")
    return ended(error.format_message())


def ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."
