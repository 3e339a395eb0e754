"""Option: one option of a command, declared once for the reference's habits, for click and for the help text.

Those that several commands have stand at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any

import click

from pybinlog.record import Record

FILES = {"FILE", "FOLDER", "DIR"}
"""Placeholders of values that are names of files."""
ASK = "\0"
"""The value of a secret that pybinlog asks for on the terminal; no argument can have it."""


NOTHING: Mapping[str, str] = {}


class Kind(Enum):
    """How an option treats the argument after it."""

    FLAG = "flag"  # on or off
    COUNT = "count"  # the more often, the more
    VALUE = "value"  # takes a value; the last one holds
    LIST = "list"  # takes a value each time
    ACTION = "action"  # does something at once and ends the program
    MAYBE = "maybe"  # takes a value after `=`, or the next argument if that looks like one
    SECRET = "secret"  # takes a value after `=` or its letter, which must not be seen; alone, it asks for one


class Option(Record):
    """`name` is the long name without the dashes, `negative` the spelling that switches a flag off.

    `required` is said in the help text; the command itself says what is missing. `looks_right` says for Kind.MAYBE
    whether the next argument is the option's value. Its value is "" if the option stands alone.

    `also` are other names that it has. `requires` are conditions of which one must hold if the option is given,
    `excludes` conditions of which none may, each with the way out, or "". A condition is the name of an option that is
    given, `NAME=VALUE`, or the name that switches a flag off; a command without that option lets `excludes` pass.
    """

    name: str
    help: str
    metavar: str = ""
    letter: str = ""
    kind: Kind = Kind.VALUE
    type: click.ParamType = click.STRING
    default: object = None
    negative: str = ""
    required: bool = False
    looks_right: Callable[[str], bool] | None = None
    requires: Sequence[str] = ()
    excludes: Mapping[str, str] = NOTHING
    also: Sequence[str] = ()

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def alone(self) -> Option:
        """Return the same option for a command in which it requires no other."""
        return self.with_rules(excludes=self.excludes)

    def with_rules(self, requires: Sequence[str] = (), excludes: Mapping[str, str] = NOTHING) -> Option:
        """Return the same option for a command in which these rules hold for it."""
        return self.replace(requires=requires, excludes=excludes)

    @property
    def takes_value(self) -> bool:
        return self.kind in (Kind.VALUE, Kind.LIST)

    @property
    def may_take_value(self) -> bool:
        return self.kind in (Kind.MAYBE, Kind.SECRET)

    @property
    def off(self) -> str:
        """The name that switches a flag off."""
        return self.negative or f"skip-{self.name}"

    @property
    def variable(self) -> str:
        return self.name.replace("-", "_")

    @property
    def value_name(self) -> str:
        return self.metavar or self.type.name

    @property
    def absent(self) -> object:
        """The value if the option is not given, as click makes it from `parameter()`."""
        if self.kind in (Kind.FLAG, Kind.ACTION):
            return bool(self.default)
        if self.kind is Kind.COUNT:
            return 0
        if self.kind is Kind.LIST:
            return ()
        return None if self.default is None else self.type(self.default)

    def is_given(self, values: Mapping[str, Any]) -> bool:
        """Return True if its value is not the one that it has if it is absent."""
        return bool(values[self.variable] != self.absent)

    def parameter(self, *, completes: bool = False) -> click.Option:
        """Return the option as click knows it. click is given long names only: letters are resolved before.

        `completes`: a shell completes a word. Then it has its letter, and a help text of one sentence.
        """
        more: dict[str, Any] = {}
        letters: list[str] = []
        if completes:
            more = {"help": self.help.partition(". ")[0].removesuffix(".")}
            if self.value_name in FILES:
                more["shell_complete"] = completer()
            letters = [f"-{self.letter}"] if self.letter else []
        if self.kind is Kind.FLAG:
            off = f"/--{self.off}" if self.default or self.negative or not completes else ""
            return click.Option([self.variable, f"--{self.name}{off}", *letters], default=bool(self.default), **more)
        names = [self.variable, f"--{self.name}", *letters, *(f"--{name}" for name in self.also if completes)]
        if self.kind is Kind.COUNT:
            return click.Option(names, count=True, **more)
        if self.kind is Kind.ACTION:
            return click.Option(names, is_flag=True, **more)
        multiple = self.kind is Kind.LIST
        return click.Option(
            names, type=self.type, multiple=multiple, default=None if multiple else self.default, **more
        )

    def help_record(self) -> tuple[str, str]:
        """Return the spelling and the explanation, for the help text."""
        spelling = f"-{self.letter}, --{self.name}" if self.letter else f"    --{self.name}"
        if self.takes_value:
            spelling += f"={self.value_name}"
        elif self.may_take_value:
            spelling += f"[={self.value_name}]"
        elif self.kind is Kind.FLAG and self.default:
            spelling += f" / --{self.off}"
        text = f"{self.help} (required)" if self.required else self.help
        if self.also:
            text += f" {' and '.join(f'--{name}' for name in self.also)} is the same."
        if self.requires:
            text += f" Requires {alternatives(self.requires)}."
        return spelling, text


ANSWER = "Write {} to FILE, which appears when it is complete; - is standard output."


class AnswerFile(Option):
    """--output: the file for a command's answer, which gets its name when the command has succeeded.

    `Command` opens it, so that the command writes to standard output in both cases.
    """

    name: str = "output"
    help: str = ANSWER.format("the answer")
    metavar: str = "FILE"
    letter: str = "o"


flag = partial(Option, kind=Kind.FLAG)
"""An option that is on or off."""
repeated = partial(Option, kind=Kind.LIST)
"""An option that may be given several times, each with a value."""


def completer(words: Sequence[str] = ()) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    """Return a function that gives the words that begin with what is typed; without words, names of files."""

    def complete(_: click.Context, __: click.Parameter, typed: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        if not words:
            return [CompletionItem(typed, type="file")]
        return [CompletionItem(word) for word in words if word.startswith(typed)]

    return complete


def alternatives(conditions: Sequence[str]) -> str:
    return " or ".join(f"--{condition}" for condition in conditions)


def missing(option: str, *conditions: str) -> click.UsageError:
    """Return the error for an option that is given without any of the others that it requires."""
    return click.UsageError(f"--{option} requires {alternatives(conditions)}.")


def conflict(option: str, other: str, way_out: str = "") -> click.UsageError:
    """Return the error for an option that is given with another one (`--other`), or with something else, that excludes
    it.
    """
    return click.UsageError(f"--{option} cannot be used with {other}{way_out and f': {way_out}'}.")


def check_together(given: Sequence[Option], options: Sequence[Option], values: Mapping[str, Any]) -> None:
    """Raise click.UsageError if one of the given options requires or excludes another one of `options`."""
    given = [option for option in given if (option.requires or option.excludes) and option.is_given(values)]
    if not given:
        return
    named = {option.name: option for option in options}
    switched_off = {option.off: option for option in options if option.kind is Kind.FLAG and option.default}

    def holds(condition: str) -> bool:
        name, equals, value = condition.partition("=")
        option = named.get(name) or switched_off.get(name)
        if option is None:
            return False
        if not equals:
            return option.is_given(values)
        chosen = values[option.variable]
        return str(chosen.value if isinstance(chosen, Enum) else chosen).lower() == value

    for option in given:
        if option.requires and not any(map(holds, option.requires)):
            raise missing(option.name, *option.requires)
        for condition, way_out in option.excludes.items():
            if holds(condition):
                raise conflict(option.name, f"--{condition}", way_out)


PROGRESS = flag(
    "progress",
    "Show the progress on standard error. By default, a command that runs for more than two seconds shows it, if "
    "standard error is a terminal and the output goes elsewhere. --skip-progress shows nothing.",
    negative="skip-progress",
)
THE_PROGRAM = [
    Option("help", "Show this text and exit.", kind=Kind.ACTION, letter="h"),
    Option("version", "Show the version and exit.", kind=Kind.ACTION, letter="V"),
]
"""Options of every command."""
COLOR = Option(
    "color",
    "Colour the text: auto (the default: on a terminal), always, never.",
    type=click.Choice(["auto", "always", "never"], case_sensitive=False),
    default="auto",
    metavar="WHEN",
)


UTC = flag(
    "utc",
    "Show times, and read those of options, in UTC. By default both are in the local time zone; what is shown has its "
    "offset. Formats for programs, such as csv and json, always have UTC.",
)


def force_option(letter: str = "f") -> Option:
    return flag(
        "force",
        "Replace an existing file even if it is a binary log, a relay log or an index file. pybinlog never overwrites "
        "an input.",
        letter=letter,
    )


ALLOW_GAPS = flag(
    "allow-gaps",
    "If a log is missing between two, or the logs are not in their order, warn and read on. By default that is an "
    "error, before anything of the log behind the gap is written.",
)


def which_files(verb: str, recover: str = "", *, as_series: bool = True) -> list[Option]:
    """Return the options of every command that reads logs from files; `recover` is the help text of --recover.

    `as_series`: the command reads the logs as one series.
    """
    options = [
        repeated(
            "index",
            f"{verb} the logs that this index file lists, in its order, before the FILEs. You may give it several "
            f"times. The lines of an index at a URL name objects in the same store.",
            metavar="FILE",
        ),
        repeated(
            "keyring",
            "The keys of encrypted logs, as their server keeps them: the file of component_keyring_file or "
            "keyring_file (MySQL), or of file_key_management (MariaDB). You may give it several times.",
            metavar="FILE",
            excludes={"read-from-remote-server": "a server sends its logs decrypted"},
        ),
        Option(
            "keyring-password-file",
            "The file whose first line is the password of MariaDB's encrypted key file.",
            metavar="FILE",
            requires=("keyring",),
        ),
    ]
    if recover:
        options.append(flag("recover", recover))
    return [*options, ALLOW_GAPS] if as_series else options


def schema_options(*required: str) -> list[Option]:
    """Return --schema, which requires one of those, and --schema-of."""
    return [
        repeated(
            "schema",
            "Read table definitions from a dump (`mysqldump --no-data --databases shop`), a folder of mydumper, or a "
            "server (mysql://user@host). They name the columns of logs that have no names (MySQL 5.x, "
            "binlog_row_metadata=MINIMAL, MariaDB). You may give it several times.",
            metavar="FILE",
            requires=required,
        ),
        Option(
            "schema-of",
            "When the definitions of --schema hold: at the start or at the end of the logs. By default the dump says "
            "so (--source-data); if it does not, columns get names only if both give the same.",
            type=click.Choice(["start", "end"], case_sensitive=False),
            metavar="WHEN",
            requires=["schema"],
        ),
    ]
