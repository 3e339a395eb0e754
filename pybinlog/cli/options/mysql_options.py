"""The habits of MySQL's own programs on the command line, turned into the one spelling that click is given.

Options may follow files; `_` stands for `-` in names; `--skip-NAME`, `--disable-NAME` and `--enable-NAME` switch;
`--loose-NAME` skips what is not known; flags take `=0`, `=on` and the like (manual: Program Option Modifiers).
Names are never cut short: the reference has refused that since 8.0.
"""

from collections.abc import Callable, Iterable

import click

from pybinlog.cli.options.option import ASK, Kind, Option
from pybinlog.cli.options.values import NumberValue, boolean

MOST_OTHERS = 3
"""Commands that an error names because they have an option."""
SWITCHES = {"skip-": False, "disable-": False, "enable-": True, "loose-": None}


class CommandLine:
    """Reads arguments by a list of options.

    A letter of `shared` stands for that option if a value follows it, and for the one that has the letter elsewhere.
    `refused` gives for names (without dashes) the sentence that says why pybinlog does not take them, `refused_letters`
    the name that belongs to a letter. The refused ones of `of_servers` (name -> whether it takes a value) are only
    noted, in `refused_of_servers`: without a server they do nothing.
    """

    def __init__(
        self,
        options: Iterable[Option],
        *,
        refused: dict[str, str],
        refused_letters: dict[str, str],
        shared: dict[str, str] | None = None,
        of_servers: dict[str, bool] | None = None,
        warn: Callable[[str], None],
    ):
        known = [*options]
        self.options = {name: option for option in known for name in (option.name, *option.also)}
        self.letters = {option.letter: option for option in known if option.letter}
        if "help" in self.options:
            self.letters["?"] = self.options["help"]
        self.negatives = {option.negative: option for option in known if option.negative}
        self.refused = refused
        self.refused_letters = refused_letters
        self.shared = shared or {}
        self.of_servers = of_servers or {}
        self.refused_of_servers: list[str] = []
        self.warn = warn
        self.result: list[str] = []
        self.waiting: list[str] = []

    def canonical(self, arguments: Iterable[str]) -> list[str]:
        """Return the same options as `--name`, `--skip-name` or `--name=value`, then `--` and the files.

        click.UsageError if an argument is not understood.
        """
        self.result = []
        self.waiting = list(arguments)[::-1]
        files = []
        while self.waiting:
            argument = self.waiting.pop()
            if argument == "--":
                files += self.waiting[::-1]
                break
            if argument.startswith("--"):
                self.long(argument)
            elif argument.startswith("-") and argument != "-":
                self.cluster(argument)
            else:
                files.append(argument)
        return [*self.result, "--", *files]

    def long(self, argument: str) -> None:
        written, equals, text = argument[2:].partition("=")
        value = text if equals else None
        name = written.replace("_", "-")
        switch: bool | None = None
        loose = False
        while not self.known(name):
            prefix = next((prefix for prefix in SWITCHES if name.startswith(prefix)), None)
            if prefix is None:
                if not loose:
                    raise click.UsageError(f"unknown option {argument.partition('=')[0]}{self.suggestion(name)}")
                self.warn(f"unknown option {argument}; ignored because of --loose.")
                return
            name = name.removeprefix(prefix)
            switch = SWITCHES[prefix]
            loose = loose or switch is None
        if name in self.refused:
            reason = self.refused[name].format(f"--{name}")
            if name in self.of_servers:
                if self.of_servers[name] and value is None and switch is None and self.waiting:
                    self.waiting.pop()
                self.refused_of_servers.append(reason)
                return
            if not loose:
                raise click.UsageError(reason)
            self.warn(reason)
            return
        if name in self.negatives:
            option, switch = self.negatives[name], (switch is False)
        else:
            option = self.options[name]
        if option.kind is Kind.SECRET and switch is None:
            self.put_secret(option, value, argument)
            return
        if switch is not None:
            value = str(int(switch if value != "0" else not switch))
        self.put(option, value, switched=switch is not None)

    def known(self, name: str) -> bool:
        return name in self.options or name in self.refused or name in self.negatives

    def suggestion(self, name: str) -> str:
        from difflib import get_close_matches

        names = sorted({*self.options, *self.negatives})
        near = [other for other in names if name and other.startswith(name)] or get_close_matches(name, names)
        if near:
            return f"; did you mean {' or '.join(f'--{other}' for other in near)}?"
        from pybinlog.cli.program import COMMANDS, command_named

        # All commands are imported only here, after a mistake.
        others = [other for other in COMMANDS if any(option.name == name for option in command_named(other).options)]
        if not 0 < len(others) <= MOST_OTHERS:
            return "."
        return f"; {' and '.join(others)} {'has' if len(others) == 1 else 'have'} it."

    def cluster(self, argument: str) -> None:
        """`-vj4`: letters in one argument; the rest after a letter with a value is its value."""
        rest = argument[1:]
        while rest:
            letter, rest = rest[0], rest[1:]
            if letter in self.refused_letters and (letter not in self.letters or rest or self.value_follows()):
                name = self.refused_letters[letter]
                raise click.UsageError(self.refused[name].format(f"-{letter} (--{name})"))
            if letter not in self.letters:
                raise click.UsageError(
                    f"unknown option -{letter} in {argument}." if rest else f"unknown option -{letter}."
                )
            option = self.letters[letter]
            if letter in self.shared and (rest or self.value_follows()):
                option = self.options[self.shared[letter]]
            if option.kind is Kind.SECRET:
                self.put_secret(option, rest or None, argument)
                return
            if option.takes_value:
                self.put(option, rest or None)
                return
            self.put(option, None)

    def value_follows(self) -> bool:
        """Return True if the next argument may be the current option's value:

        `-h` alone means --help, `-h HOST` does not.
        """
        return bool(self.waiting) and (self.waiting[-1] == "-" or not self.waiting[-1].startswith("-"))

    def put_secret(self, option: Option, value: str | None, argument: str) -> None:
        """Take a secret out of an argument, and out of the list of processes at once."""
        self.result.append(f"--{option.name}={ASK if value is None else value}")
        if value:
            from pybinlog.cli.server.process_list import hide

            hidden = hide(argument, value)
            self.warn(
                f"a {option.name} among the arguments "
                + (
                    "was visible in the list of processes for a moment"
                    if hidden
                    else "is visible in the list of processes"
                )
                + f"; give --{option.name} alone to be prompted, or use an option file."
            )

    def put(self, option: Option, value: str | None, *, switched: bool = False) -> None:
        if option.kind is Kind.FLAG:
            on = True if value is None else boolean(value)
            if on is None:
                self.warn(f"ignoring --{option.name}={value}: the value must be 0 or 1.")
            else:
                self.result.append(f"--{option.name}" if on else f"--{option.off}")
        elif option.may_take_value and not switched:
            if value is None and self.waiting and option.looks_right is not None:
                value = self.waiting.pop() if option.looks_right(self.waiting[-1]) else ""
            self.result.append(f"--{option.name}={value or ''}")
        elif not option.takes_value:
            if value is not None:
                raise click.UsageError(f"--{option.name} takes no value.")
            self.result.append(f"--{option.name}")
        elif switched and (value != "0" or not isinstance(option.type, NumberValue)):
            raise click.UsageError(f"--{option.name} takes a value; it cannot be switched on or off.")
        else:
            if value is None:
                if not self.waiting:
                    raise click.UsageError(f"--{option.name} needs a value, as in --{option.name}={option.value_name}.")
                value = self.waiting.pop()
            self.result.append(f"--{option.name}={value}")
