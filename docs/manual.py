"""Make the man pages of what the program declares: `make man` in a checkout, setup.py when it packages.

python docs/manual.py docs/man
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

from pybinlog import __version__
from pybinlog.cli.command import Command
from pybinlog.cli.overview import ABOUT
from pybinlog.cli.program import COMMANDS, GROUPS, command_named

WIDTH = 78
SUMMARIES = {name: text for group in GROUPS.values() for name, text in group.items()}
STATUSES = {
    "0": "The logs were read to their ends. Warnings do not change that.",
    "1": "A log is broken, missing or encrypted; pybinlog check: something was found.",
    "2": "The command line is wrong, and nothing was written; pybinlog check: a log could not be checked.",
    "129, 130, 131, 143": "A signal (SIGHUP, SIGINT, SIGQUIT, SIGTERM) ended the run.",
}
VARIABLES = {
    "TZ": "The time zone in which times are shown and taken.",
    "NO_COLOR": "If it is set, nothing is coloured.",
    "TMPDIR": "The folder for temporary files.",
    "PYBINLOG_TRACEBACK": "If it is set, a fault in pybinlog shows where it is.",
}


def escaped(text: str) -> str:
    """Text of a page: nothing in it is taken for a request."""
    return guarded(text.replace("\\", "\\e").replace("-", "\\-"))


def guarded(text: str) -> str:
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def filled(text: str) -> str:
    """A paragraph as roff wants it: each sentence begins a line, and lines are short."""
    lines: list[str] = []
    for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", escaped(text)):
        lines += textwrap.wrap(sentence, WIDTH, break_long_words=False, break_on_hyphens=False)
    return guarded("\n".join(lines))


def paragraphs(text: str) -> list[str]:
    lines: list[str] = []
    for number, paragraph in enumerate(text.split("\n\n")):
        lines += [*([".PP"] if number else []), filled(paragraph)]
    return lines


def tagged(term: str, text: str) -> list[str]:
    return [".TP", f".B {escaped(term)}", filled(text)]


def page(name: str, summary: str, body: list[str]) -> str:
    title = name.upper()
    lines = [
        '.\\" Made by docs/manual.py of what the program declares; change it there.',
        f'.TH {escaped(title)} 1 "" "pybinlog {__version__}" "User Commands"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(summary)}",
        *body,
    ]
    return "\n".join(lines) + "\n"


def summary_of(name: str) -> str:
    text = SUMMARIES[name].partition(".")[0]
    return text[0].lower() + text[1:]


def command_page(name: str) -> str:
    command: Command = command_named(name)
    body = [".SH SYNOPSIS", ".B pybinlog", escaped(command.synopsis), ".SH DESCRIPTION", *paragraphs(command.about)]
    body.append(".SH OPTIONS")
    for title, options in command.sections.items():
        body.append(f".SS {escaped(title)}")
        for option in options:
            spelling, text = option.help_record()
            body += tagged(spelling.strip(), text)
    for title, text in command.examples.items():
        body += [f".SH {escaped(title.upper())}", ".nf", escaped(text), ".fi"]
    body += [".SH EXIT STATUS"]
    for status, text in STATUSES.items():
        body += tagged(status, text)
    body += [".SH SEE ALSO", ".BR pybinlog (1)"]
    return page(f"pybinlog-{name}", summary_of(name), body)


def program_page() -> str:
    body = [
        ".SH SYNOPSIS",
        ".B pybinlog",
        escaped("[COMMAND] [OPTIONS] FILE..."),
        ".SH DESCRIPTION",
        *paragraphs(ABOUT),
        ".PP",
        filled("Without a COMMAND it is dump. A file that is called like a command is given as ./NAME."),
        ".SH COMMANDS",
    ]
    for title, commands in GROUPS.items():
        body.append(f".SS {escaped(title)}")
        for name, text in commands.items():
            body += tagged(name, text)
    body.append(".SH ENVIRONMENT")
    for name, text in VARIABLES.items():
        body += tagged(name, text)
    body.append(".SH EXIT STATUS")
    for status, text in STATUSES.items():
        body += tagged(status, text)
    names = [f".BR {escaped(f'pybinlog-{name}')} (1)" for name in COMMANDS]
    body += [".SH SEE ALSO", *(f"{name}," for name in names[:-1]), names[-1]]
    return page("pybinlog", "shows what is in the binary logs of MySQL and MariaDB", body)


def pages() -> dict[str, str]:
    """Return the pages by the names of their files."""
    return {"pybinlog.1": program_page()} | {f"pybinlog-{name}.1": command_page(name) for name in COMMANDS}


def write_pages(folder: Path) -> list[str]:
    """Write the pages into a folder, in place of those that are there. Return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.1"):
        path.unlink()
    made = {folder / name: text for name, text in pages().items()}
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    return [str(path) for path in made]


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
