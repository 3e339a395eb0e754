"""Two dumps of the same log reduced to what they say: our text and mariadb-binlog's, which differ in form.

Each text is read by a parser of its own and comes out as `Reduced`: the "# at" positions in order, and for every header
line an `Event` of (position, type, statements, rows). What the two tools put differently is made alike by the rewrites
below and by nothing else; docs/parity-mariadb.md lists the same rewrites under the same names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

__all__ = ["OUR_REWRITES", "THEIR_REWRITES", "Event", "Reduced", "reduce_mariadb_binlog", "reduce_ours"]

DELIMITER = b"/*!*/;"
HEADER = re.compile(
    rb"#(?P<when>\d{6} [ \d]\d:\d\d:\d\d) server id (?P<server_id>\d+)  end_log_pos (?P<end_log_pos>\d+)"
    rb"(?: CRC32 (?P<checksum>0x[0-9a-f]{8}))? ?(?:\t(?P<name>.*))?"
)
ROW_VALUE = re.compile(rb"###   @(?P<column>\d+)=(?P<value>.*?)(?: /\* (?P<type>.*?) \*/)?$")


@dataclass
class Event:
    """A header line and the text behind it."""

    position: tuple[bytes, ...]  # time, server id, end_log_pos, checksum
    type: bytes
    statements: list[bytes] = field(default_factory=list)  # what a client would run, and what comments tell
    rows: list[bytes] = field(default_factory=list)  # "### ..." lines


@dataclass
class Reduced:
    """What a dump says."""

    positions: list[int] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


Rewrite = Callable[[Event], None]
"""Changes an event in place."""


# ---- reading the text: the same for both, as mariadb-binlog's form comes from the MySQL tool's


def logs(text: bytes) -> Iterator[bytes]:
    """The text of the logs: what stands between the DELIMITER commands that wrap each stretch of it."""
    for piece in text.split(b"DELIMITER /*!*/;\n")[1:]:
        yield piece.split(b"DELIMITER ;\n")[0]


def parse(text: bytes, rewrites: tuple[Rewrite, ...]) -> Reduced:
    reduced = Reduced()
    event = Event((), b"")
    for log in logs(text):
        lines = iter(log.split(b"\n")[:-1])
        for line in lines:
            header = HEADER.fullmatch(line)
            if header:
                name = header["name"] or b""
                event = Event((header["when"], header["server_id"], header["end_log_pos"], header["checksum"] or b""), name)
                reduced.events.append(event)
            elif at := re.fullmatch(rb"# at (\d+)", line):
                reduced.positions.append(int(at[1]))
            elif line.startswith(b"###"):
                event.rows.append(line)
            elif line.startswith(b"#"):
                event.statements.append(line)
            elif line:
                statement = [line]
                while not statement[-1].endswith(DELIMITER):
                    statement.append(next(lines))
                event.statements.append(b"\n".join(statement)[: -len(DELIMITER)].rstrip(b"\n"))
    for event in reduced.events:
        for rewrite in rewrites:
            rewrite(event)
    drop_repeated(reduced)
    return reduced


# ---- the rewrites


def added(event: Event) -> None:
    """What a tool adds where a log ends: mariadb-binlog's stands behind the last DELIMITER, with every log."""
    event.statements = [s for s in event.statements if b"/* added by mysqlbinlog" not in s]


def row_count(event: Event) -> None:
    """mariadb-binlog tells the number of rows, which the rows themselves tell."""
    event.statements = [s for s in event.statements if not s.startswith(b"# Number of rows: ")]


def row_event_version(event: Event) -> None:
    """The MySQL tool's names tell the event's version; mariadb-binlog's do not."""
    event.type = re.sub(rb"^(Write|Update|Delete)_rows(_compressed)?(_v[01])?:", rb"\1_rows\2:", event.type)


def compressed_rows(event: Event) -> None:
    """The same words in another order."""
    event.type = re.sub(rb"^(Write|Update|Delete)_compressed_rows:", rb"\1_rows_compressed:", event.type)


def xa_prepare(event: Event) -> None:
    """XA_prepare is called by its statement by the MySQL tool."""
    event.type = re.sub(rb"^XID = (?=X')", b"XA PREPARE ", event.type)


def query_xid(event: Event) -> None:
    """mariadb-binlog tells the engine's transaction id with each statement, 0 where there is none."""
    event.type = re.sub(rb"(?<=\d)\txid=\d+$", b"", event.type)


def masked_modes(event: Event) -> None:
    """The MySQL tool takes away modes that MySQL 8.0 does not know, in a comment that MariaDB passes over."""
    event.statements = [s.replace(b"/*!80005 &~0x1003ff00*/", b"") for s in event.statements]


def session_variables(event: Event) -> None:
    """mariadb-binlog sets session variables of MariaDB, for logs of any server; and several in one statement."""
    statements = []
    for statement in event.statements:
        if statement.startswith(b"SET @@session."):
            variables = re.split(rb", ?(?=@@session\.)", statement[len(b"SET ") :])
            statements += [v for v in variables if not MARIADB_VARIABLE.match(v)]
        else:
            statements.append(statement)
    event.statements = statements


MARIADB_VARIABLE = re.compile(
    rb"@@session\.(check_constraint_checks|sql_if_exists|explicit_defaults_for_timestamp|"
    rb"system_versioning_insert_history)="
)


def client_character_set(event: Event) -> None:
    """mariadb-binlog names the client's character set; the MySQL tool gives the collation's number, and the name in a
    command for the client before it."""
    name = b""
    for i, statement in enumerate(event.statements):
        if statement.startswith(b"/*!\\C "):
            name = statement[len(b"/*!\\C ") : -len(b" */")]
        elif name and statement.startswith(b"@@session.character_set_client="):
            event.statements[i] = b"@@session.character_set_client=" + name


def user_variable(event: Event) -> None:
    """Around a User_var the MySQL tool changes the character set to the one that its literal is written in; and it
    writes hexadecimal digits behind 0x, mariadb-binlog in quotes."""
    if event.type == b"User_var":
        event.statements = [
            re.sub(rb"^(SET @`.*?`:=_\w+ )0x([0-9A-F]*) ", rb"\1X'\2' ", s)
            for s in event.statements
            if not CHARACTER_SET.match(s)
        ]


CHARACTER_SET = re.compile(
    rb"/\*!\\C |@@session\.(character_set_client|collation_connection|collation_server)="
)


def listed_values(event: Event) -> None:
    """--print-table-metadata: a blank after the commas between the values of an ENUM or SET, or none."""
    if event.type.startswith(b"Table_map: "):
        event.statements = [s.replace(b"', '", b"','") for s in event.statements]


def string_escapes(event: Event) -> None:
    """The MySQL tool escapes what a string literal wants escaped; mariadb-binlog writes control characters in
    hexadecimal and all else as it is."""
    event.rows = [
        re.sub(rb"\\(x[0-9a-f]{2}|.)", lambda escape: ESCAPES.get(escape[1], escape[0]), row) for row in event.rows
    ]


ESCAPES = {
    b"'": b"'",
    b"\\": b"\\",
    b"b": b"\\x08",
    b"t": b"\\x09",
    b"n": b"\\x0a",
    b"f": b"\\x0c",
    b"r": b"\\x0d",
}

def drop_repeated(reduced: Reduced) -> None:
    """At each log mariadb-binlog forgets what it has set; the MySQL tool goes on from log to log."""
    in_force: dict[bytes, bytes] = {}
    for event in reduced.events:
        statements = []
        for statement in event.statements:
            setting = SETTING.match(statement)
            if setting is None or in_force.get(setting[1]) != statement:
                statements.append(statement)
            if setting is not None:
                in_force[setting[1]] = statement
        event.statements = statements


SETTING = re.compile(rb"(use|/\*!\\C|(?:/\*M!\d+ SET )?@@session\.\w+)\b")

OUR_REWRITES: tuple[Rewrite, ...] = (added, row_event_version, masked_modes, session_variables, client_character_set, user_variable, listed_values, string_escapes)
THEIR_REWRITES: tuple[Rewrite, ...] = (
    added,
    row_count,
    compressed_rows,
    xa_prepare,
    query_xid,
    session_variables,
)


def reduce_ours(text: bytes) -> Reduced:
    """What pybinlog's text says."""
    return parse(text, OUR_REWRITES)


def reduce_mariadb_binlog(text: bytes) -> Reduced:
    """What mariadb-binlog's text says."""
    return parse(text, THEIR_REWRITES)
