"""Scenario: statements of several connections, in the order in which they run.

Two notations, which one file may mix. That of WL#2687 has a statement a line, with its connection:

    -- server: version=9.7 format=MIXED gtid=on
    con1: BEGIN;
    con2: DELETE FROM myisam_t;

That of a workload has statements that end with `;`, and lines that steer the run: `-- !conn NAME`,
`-- !disconnect NAME`, `-- !error [NUMBER]` before a statement that is meant to fail, `-- !sleep SECONDS`, `-- !restart`
and `-- !crash [lost=BYTES]`. So do lines of mysqltest: `--connection NAME`, `--disconnect NAME`, `--error NUMBER`,
`--sleep SECONDS`. `DELIMITER WORD` changes what ends a statement, as in MySQL's client: the bodies of stored programs
have `;` in them. A statement is kept as the bytes that it has in the file, because they go into the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from pybinlog.record import Record
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.options import ServerOptions

FIRST_CONNECTION = "main"
SPACE = re.compile(rb"\s*")
LABEL = re.compile(rb"([A-Za-z_]\w*):[ \t]+(?=\S)")
NEW_STATEMENT = re.compile(rb"\s*(?:\Z|--|#|" + LABEL.pattern + rb")")
DELIMITER = re.compile(rb"DELIMITER[ \t]+(\S+)", re.IGNORECASE)


def part_of_statement(delimiter: bytes) -> re.Pattern[bytes]:
    """Return the pattern of a part of a statement's text: a quoted string, a comment, one that is not closed, or what
    is between.
    """
    end, first = re.escape(delimiter), re.escape(delimiter[:1])
    return re.compile(
        rb"""
        '[^'\\]*(?:\\.[^'\\]*)*' | "[^"\\]*(?:\\.[^"\\]*)*" | `[^`]*` | /\*.*?\*/ | (?:--[ \t]|\#)[^\n]*
        | (?P<open>['"`]|/\*) | (?P<end>"""
        + end
        + rb""") | (?P<newline>\n) | [^'"`/\-\#\n"""
        + first
        + rb"""]+ | .
        """,
        re.DOTALL | re.VERBOSE,
    )


SERVER_LINE = re.compile(rb"--\s*server:(.*)")
MYSQLTEST = re.compile(rb"--(?:connection|disconnect|error|sleep)\b")
LONE_COMMENT = re.compile(rb"/\*(?!!)(?:(?!\*/).)*\*/\s*(?=\Z|--|#|" + LABEL.pattern + rb")", re.DOTALL)
"""A comment between statements: no statement follows it that it could be a part of."""
LOST = re.compile(r"(?:lost=(?P<bytes>[1-9]\d{0,9}))?")
NOT_OF_THE_MODEL = {"async": "concurrent statements", "kill-query": "KILL QUERY", "reap": "concurrent statements"}


class Statement(Record):
    """One statement of one connection.

    `error` is True, or the server's number, where it is meant to fail; None where it may fail or not, which the text of
    a scenario cannot say.
    """

    line: int
    connection: str
    text: bytes
    error: bool | int | None = False


class Disconnect(Record):
    """A connection ends; its transaction is rolled back."""

    line: int
    connection: str


class Sleep(Record):
    """Time passes, in microseconds."""

    line: int
    time: int


class Restart(Record):
    """The server is shut down and started, or with `crash` it ends at once and is started before the next statement.

    `lost`: the last bytes of its log that had not reached the disk.
    """

    line: int
    crash: bool
    lost: int = 0


Step: TypeAlias = "Statement | Disconnect | Sleep | Restart"


@dataclass
class Scenario:
    """The steps of a scenario file and the server that it asks for."""

    name: str
    options: ServerOptions
    steps: list[Step] = field(default_factory=list)

    @classmethod
    def parse(cls, text: bytes | str, name: str = "-", options: ServerOptions | None = None) -> Scenario:
        """Read a scenario. `options` are those of a file without a `-- server:` line; such lines change them.

        Raise ScenarioError with the line.
        """
        data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
        reader = Reader(data, name, options or ServerOptions())
        steps = list(reader.steps())
        return cls(name, reader.options, steps)

    @property
    def names_a_database(self) -> bool:
        """Return True if a statement creates or chooses a database."""
        return any(
            isinstance(step, Statement)
            and re.match(rb"\s*(USE\b|CREATE\s+(DATABASE|SCHEMA)\b)", step.text, re.IGNORECASE)
            for step in self.steps
        )


class Reader:
    """Cuts the text of a scenario into steps."""

    def __init__(self, data: bytes, name: str, options: ServerOptions):
        self.data = data
        self.name = name
        self.options = options
        self.at = 0
        self.connection = FIRST_CONNECTION
        self.error: bool | int = False
        self.delimiter = b";"
        self.part = part_of_statement(self.delimiter)

    def line_number(self, position: int) -> int:
        return self.data.count(b"\n", 0, position) + 1

    def refuse(self, message: str, position: int, hint: str | None = None) -> ScenarioError:
        return ScenarioError(message, file=self.name, line=self.line_number(position), hint=hint)

    def rest_of_line(self) -> bytes:
        end = self.data.find(b"\n", self.at)
        return self.data[self.at : len(self.data) if end < 0 else end]

    def steps(self) -> Iterator[Step]:
        while True:
            self.at = SPACE.match(self.data, self.at).end()  # type: ignore[union-attr]
            if self.at >= len(self.data):
                break
            start, line = self.at, self.rest_of_line()
            if line.startswith(b"-- !") or MYSQLTEST.match(line):
                self.at += len(line)
                yield from self.directive(line, start)
            elif comment := LONE_COMMENT.match(self.data, self.at):
                self.at = comment.end()
            elif line.startswith((b"-- ", b"--\t", b"#")) or line.rstrip() == b"--":
                self.at += len(line)
                self.comment(line, start)
            elif delimiter := DELIMITER.match(line):
                self.at += len(line)
                self.delimiter = delimiter[1].removesuffix(self.delimiter) or self.delimiter
                self.part = part_of_statement(self.delimiter)
            else:
                yield from self.statement(start)
        if self.error:
            raise self.refuse("-- !error stands before no statement", len(self.data))

    def comment(self, line: bytes, start: int) -> None:
        settings = SERVER_LINE.match(line)
        if settings is None:
            return
        try:
            self.options = self.options.with_settings(settings[1].decode("utf-8", "replace"))
        except ScenarioError as error:
            raise error.in_line(self.name, self.line_number(start)) from None

    def directive(self, line: bytes, start: int) -> Iterator[Step]:
        text = line.removeprefix(b"-- !").lstrip(b"-").decode("utf-8", "replace").partition("#")[0]
        word, _, argument = text.strip().partition(" ")
        argument = argument.strip().rstrip(";")
        number = self.line_number(start)
        if word in ("conn", "connection") and argument:
            self.connection = argument
        elif word == "disconnect" and argument:
            yield Disconnect(number, argument)
            if self.connection == argument:
                self.connection = FIRST_CONNECTION
        elif word == "error" and re.fullmatch(r"\d{0,9}", argument):
            self.error = int(argument) if argument else True
        elif word == "sleep" and re.fullmatch(r"\d{1,10}(\.\d+)?", argument):
            yield Sleep(number, round(float(argument) * 1_000_000))
        elif word in ("restart", "crash") and (lost := LOST.fullmatch(argument)) and (word == "crash" or not argument):
            yield Restart(number, word == "crash", int(lost["bytes"] or 0))
        elif word in NOT_OF_THE_MODEL:
            raise self.refuse(f"-- !{word}: {NOT_OF_THE_MODEL[word]} are outside of the model", start)
        else:
            raise self.refuse(
                f"{line.decode('utf-8', 'replace').strip()!r} is not a line that steers the run",
                start,
                "There are -- !conn NAME, -- !disconnect NAME, -- !error [NUMBER], -- !sleep SECONDS, -- !restart, "
                "-- !crash [lost=BYTES]",
            )

    def statement(self, start: int) -> Iterator[Step]:
        label = LABEL.match(self.data, start)
        connection = label[1].decode() if label else self.connection
        begin = label.end() if label else start
        end, self.at = self.end_of_statement(begin, labelled=label is not None)
        if text := self.data[begin:end].rstrip():
            yield Statement(self.line_number(start), connection, text, self.error)
            self.error = False

    def end_of_statement(self, begin: int, labelled: bool) -> tuple[int, int]:
        """Return the end of a statement's text, and the beginning of the text after it.

        Quotes and comments hide delimiters.
        """
        at = begin
        while part := self.part.match(self.data, at):
            if part["open"]:
                what = "comment" if part["open"] == b"/*" else part["open"].decode()
                raise self.refuse(f"the {what} is not closed", at)
            if part["end"]:
                return at, part.end()
            # In WL#2687's notation a `;` may be omitted: the next statement has its connection before it.
            if part["newline"] and labelled and NEW_STATEMENT.match(self.data, part.end()):
                return at, at
            at = part.end()
        return at, at
