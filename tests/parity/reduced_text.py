"""Two dumps of the same log reduced to what they say: our text and mariadb-binlog's, which differ in form.

Each comes out as `Reduced`: the "# at" positions in order, and for every header line an `Event` of (position, type,
statements, rows). The rewrites below, and nothing else, make the two forms alike; docs/parity-mariadb.md lists the same
rewrites under the same names. A rewrite changes one event in place, or the list of them, and each is for one of the two
texts or for both.
"""

import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pybinlog.event_types import EventFlag

DELIMITER = b"/*!*/;"
HEADER = re.compile(
    rb"#(?P<when>\d{6} [ \d]\d:\d\d:\d\d) server id (?P<server_id>\d+)  end_log_pos (?P<end_log_pos>\d+)"
    rb"(?: CRC32 (?P<checksum>0x[0-9a-f]{8}))? ?(?:\t(?P<type>.*))?"
)


@dataclass
class Event:
    """A header line and the text after it."""

    position: tuple[bytes, ...]  # time, server id, end_log_pos, checksum
    type: bytes  # and the fields that the header line names
    statements: list[bytes] = field(default_factory=list)  # what a client would run, and comments
    rows: list[bytes] = field(default_factory=list)  # the lines that begin with ###


@dataclass
class Reduced:
    """The content of a dump."""

    positions: list[int] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


Rewrite = Callable[[Event], None]
ListRewrite = Callable[[list[Event]], None]


def reduce_ours(text: bytes) -> Reduced:
    """Return the content of pybinlog's text."""
    return rewritten(parse(text), OUR_REWRITES, OUR_LIST_REWRITES)


def reduce_mariadb_binlog(text: bytes) -> Reduced:
    """Return the content of mariadb-binlog's text."""
    return rewritten(parse(text), THEIR_REWRITES, THEIR_LIST_REWRITES)


# ---- reading the text


def logs(text: bytes) -> Iterator[bytes]:
    """The text of the logs: what stands between the DELIMITER commands that wrap each stretch of it."""
    for piece in text.split(b"DELIMITER /*!*/;\n")[1:]:
        yield piece.split(b"DELIMITER ;\n")[0]


def parse(text: bytes) -> Reduced:
    reduced = Reduced()
    event = Event((), b"")
    for log in logs(text):
        lines = iter(log.split(b"\n")[:-1])
        for line in lines:
            if header := HEADER.fullmatch(line):
                position = header["when"], header["server_id"], header["end_log_pos"], header["checksum"] or b""
                event = Event(position, header["type"] or b"")
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
    return reduced


def rewritten(reduced: Reduced, rewrites: tuple[Rewrite, ...], list_rewrites: tuple[ListRewrite, ...]) -> Reduced:
    for event in reduced.events:
        for rewrite in rewrites:
            rewrite(event)
    for list_rewrite in list_rewrites:
        list_rewrite(reduced.events)
    return reduced


# ---- the rewrites of one event


def end_of_log(event: Event) -> None:
    """Drop a tool's lines at a log's end: mariadb-binlog's ROLLBACK is after the last DELIMITER, with every log."""
    event.statements = [s for s in event.statements if b"/* added by mysqlbinlog" not in s]


def relay_log_head(event: Event) -> None:
    """A replica's own Format_description tells nothing of the events of its relay log: the MySQL tool says so in a
    comment, mariadb-binlog prints it as any other."""
    if not event.type.startswith(b"Start: binlog"):
        return
    text = next((s for s in event.statements if s.startswith(b"BINLOG '")), b"")
    flags = b64decode(text[len(b"BINLOG '") : -len(b"'")])[17:18]
    if flags and flags[0] & EventFlag.RELAY_LOG:
        event.statements = []
    event.statements = [s for s in event.statements if not s.startswith(b"# This Format_description_event appears in")]


def row_count(event: Event) -> None:
    """mariadb-binlog counts the rows of a statement, which are there to be counted."""
    event.statements = [s for s in event.statements if not s.startswith(b"# Number of rows: ")]


def rows_of_version_0(event: Event) -> None:
    """mariadb-binlog prints no rows of the events of 5.1 before its release."""
    if re.match(rb"\w+_rows_v0:", event.type):
        event.rows = []


def extra_row_info(event: Event) -> None:
    """Nor does it print the extra information of version 2 events."""
    event.rows = [row for row in event.rows if not row.startswith(b"### Extra row info ")]


def row_event_names(event: Event) -> None:
    """The MySQL tool names an event's version, mariadb-binlog only that it is old, and a compressed one the other
    way round."""
    event.type = re.sub(rb"^(Write|Update|Delete)_rows(_compressed)?(_v[01]|_old)?:", rb"\1_rows\2:", event.type)
    event.type = re.sub(rb"^(Write|Update|Delete)_compressed_rows:", rb"\1_rows_compressed:", event.type)


def xa_prepare(event: Event) -> None:
    """The MySQL tool calls an XA_prepare by its statement."""
    event.type = re.sub(rb"^XID = (?=X')", b"XA PREPARE ", event.type)


def query_xid(event: Event) -> None:
    """Drop the engine's transaction number that mariadb-binlog prints with each Query, 0 if there is none."""
    event.type = re.sub(rb"(?<=\d)\txid=\d+$", b"", event.type)


def masked_modes(event: Event) -> None:
    """The MySQL tool takes modes that MySQL 8.0 does not know away, in a comment that MariaDB skips."""
    event.statements = [s.replace(b"/*!80005 &~0x1003ff00*/", b"") for s in event.statements]


def session_variables(event: Event) -> None:
    """How many variables one SET statement sets."""
    statements = []
    for statement in event.statements:
        if statement.startswith(b"SET @@session."):
            statements += re.split(rb", ?(?=@@session\.)", statement[len(b"SET ") :])
        else:
            statements.append(statement)
    event.statements = statements


def client_character_set(event: Event) -> None:
    """The MySQL tool gives the number of the client's collation, mariadb-binlog the name of its character set, which
    both also give to the client."""
    name = b""
    for i, statement in enumerate(event.statements):
        if statement.startswith(b"/*!\\C "):
            name = statement[len(b"/*!\\C ") : -len(b" */")]
        elif name and statement.startswith(b"@@session.character_set_client="):
            event.statements[i] = b"@@session.character_set_client=" + name


def user_variable(event: Event) -> None:
    """Around a User_var the MySQL tool changes to the character set of its literal; and it writes hexadecimal digits
    after 0x, mariadb-binlog between quotes."""
    if event.type == b"User_var":
        event.statements = [
            re.sub(rb"^(SET @`.*?`:=_\w+ )0x([0-9A-F]*) ", rb"\1X'\2' ", s)
            for s in event.statements
            if not CHARACTER_SET.match(s)
        ]


CHARACTER_SET = re.compile(rb"/\*!\\C |@@session\.(character_set_client|collation_connection|collation_server)=")


def listed_values(event: Event) -> None:
    """--print-table-metadata: the MySQL tool puts a blank between the values of an ENUM or SET."""
    if event.type.startswith(b"Table_map: "):
        event.statements = [s.replace(b"', '", b"','") for s in event.statements]


def string_escapes(event: Event) -> None:
    """In the value of a column the MySQL tool escapes what a string literal wants escaped; mariadb-binlog writes
    control characters in hexadecimal and all else as it is."""
    event.rows = [
        re.sub(rb"\\(x[0-9a-f]{2}|.)", lambda escape: ESCAPES.get(escape[1], escape[0]), row) for row in event.rows
    ]


ESCAPES = {b"'": b"'", b"\\": b"\\", b"b": b"\\x08", b"t": b"\\x09", b"n": b"\\x0a", b"f": b"\\x0c", b"r": b"\\x0d"}


def load_file_name(event: Event) -> None:
    """The files of LOAD DATA are named as the MySQL tool names them, or after the source's file."""
    event.statements = [re.sub(rb"(?<=LOAD DATA LOCAL INFILE )'.*?'", b"''", s) for s in event.statements]


# ---- the rewrites of the list


def repeated_header(events: list[Event]) -> None:
    """At an Execute_load mariadb-binlog prints the Create_file once more, now with its statement; ours stands after
    the header line of the Execute_load."""
    for i in reversed(range(1, len(events))):
        if events[i - 1].statements[:1] and events[i - 1].statements[0].startswith(b"#Exec_load: "):
            again = events.pop(i)
            events[i - 1].statements += [s for s in again.statements if not s.startswith(b"# file_id: ")]


def variables_of_mariadb(events: list[Event]) -> None:
    """mariadb-binlog sets variables that only MariaDB has for logs of MySQL, too."""
    if b"MariaDB" not in events[0].type:
        for event in events:
            event.statements = [s for s in event.statements if not MARIADB_VARIABLE.match(s)]


MARIADB_VARIABLE = re.compile(rb"@@session\.(check_constraint_checks|system_versioning_insert_history)=")


def repeated_settings(events: list[Event]) -> None:
    """At each log mariadb-binlog forgets what it has set, and sets it again; the MySQL tool keeps it."""
    in_force: dict[bytes, bytes] = {}
    for event in events:
        statements = []
        for statement in event.statements:
            setting = SETTING.match(statement)
            if setting is None or in_force.get(setting[1]) != statement:
                statements.append(statement)
            if setting is not None:
                in_force[setting[1]] = statement
        event.statements = statements


SETTING = re.compile(rb"(use|/\*!\\C|(?:/\*M!\d+ SET )?@@session\.\w+)\b")


OUR_REWRITES: tuple[Rewrite, ...] = (
    end_of_log,
    relay_log_head,
    rows_of_version_0,
    extra_row_info,
    row_event_names,
    masked_modes,
    session_variables,
    client_character_set,
    user_variable,
    listed_values,
    string_escapes,
    load_file_name,
)
THEIR_REWRITES: tuple[Rewrite, ...] = (
    relay_log_head,
    row_count,
    row_event_names,
    xa_prepare,
    query_xid,
    session_variables,
    load_file_name,
)
OUR_LIST_REWRITES: tuple[ListRewrite, ...] = (repeated_settings,)
THEIR_LIST_REWRITES: tuple[ListRewrite, ...] = (repeated_header, variables_of_mariadb, repeated_settings)
