"""The event types of a binary log with the facts of each, the flags of an event's header, and printed names.

`EventType` is the one table of them. The build makes C of it: `kernel_numbers` and `kernel_facts`.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

COMMON_HEADER_LENGTH = 19
"""Bytes of a v4 event header: timestamp 4, type 1, server id 4, event size 4, end_log_pos 4, flags 2."""


class Role:
    """The part of an event in a transaction, for the filters of transactions."""

    APART = 0
    """Unknown, or to be ignored."""
    OPENS_LOG = 1
    """A log opens with it."""
    OF_LOG = 2
    MAPS_TABLE = 3
    CHANGES_ROWS = 4
    STATES = 5
    """A statement, or a word of the frame."""
    PREPARES_STATEMENT = 6
    """Only the statement after it decides about it."""
    CHANGES_UNKNOWN = 7
    """Always kept."""
    HOLDS_EVENTS = 8
    FRAMES_GROUP = 9


class Kind:
    """The kinds of events for boundaries and statement bits: the rows of the classifier's table.

    From BY_TEXT on, an event's bytes or flags say which of the kinds before it is of.
    """

    GTID = 0
    GTID_BEGIN = 1
    """MariaDB's, which stands for BEGIN."""
    BEGIN = 2
    COMMIT = 3
    STATEMENT = 4
    PREPARATION = 5
    """Something before a statement, such as an Intvar."""
    TRANSACTION_END = 6
    ROWS = 7
    INCIDENT = 8
    GROUP_REPLICATION = 9
    IGNORED = 10
    ALONE = 11
    PREVIOUS_GTIDS = 12
    FORMAT_WITH_GTIDS = 13
    """A source's Format_description: always-GTID by its version."""
    FORMAT_WITHOUT_GTIDS = 14
    ROLLBACK = 15
    """Only statement bits tell these five from COMMIT, STATEMENT, TRANSACTION_END, ROWS and ROWS."""
    DELETE_FILE = 16
    PREPARED = 17
    ROWS_QUERY = 18
    TABLE_MAP = 19
    BY_TEXT = 20
    BY_TEXT_COMPRESSED = 21
    MARIA_GTID = 22
    FORMAT = 23
    ROTATE = 24
    STOP = 25
    SOURCE_PREVIOUS_GTIDS = 26
    XA_PREPARE = 27


Version = tuple[int, int]
NEVER: Version = (999, 0)
IGNORED: Version = (998, 0)
"""No version of MariaDB knows such an event; all ignore it, with the flag for that or without it."""
V1_ROWS = "A source before 8.3 writes none with log_bin_use_v1_row_events=ON."
NO_QUERIES = "The source writes none with binlog_rows_query_log_events=OFF."
NO_COMPRESSION = "The source writes none with binlog_transaction_compression=OFF."
NO_TAGS = "The source writes none if no GTID has a tag."
NO_PARTS = "The source writes none for row events below its binlog_row_event_fragment_threshold."
NO_PARTIAL_JSON = "The source writes none with binlog_row_value_options=''."


class Facts(NamedTuple):
    """The facts of an event type, beside its fields, which `layout` declares."""

    role: int
    kind: int
    mysql: Version = (5, 5)
    """The first series of MySQL that knows it."""
    of_mariadb: Version | None = None
    """The first series of MariaDB that does, if it knows other types than MySQL 5.5 and its own."""
    name: str = ""
    """As mysqlbinlog and SHOW BINLOG EVENTS print it, if that is not the type's own."""
    way_out: str = ""
    """When a source writes none."""
    in_python: bool = False
    """`dump.unusual` prints it, and a check reads it with `layout`; else the kernel does both."""
    info: str | None = None
    """Its Info in SHOW BINLOG EVENTS, if that is the same for all. None: kernel/views/event_info says."""

    @property
    def mariadb(self) -> Version:
        """The first series of MariaDB that knows it."""
        return self.of_mariadb or ((10, 0) if self.mysql in ((5, 5), NEVER) else NEVER)


class EventType(IntEnum):
    """The type byte of an event header; 160 and above are MariaDB's own."""

    facts: Facts

    if not TYPE_CHECKING:  # for mypy, EventType(2) is right

        def __new__(cls, number: int, facts: Facts) -> EventType:
            self = int.__new__(cls, number)
            self._value_, self.facts = number, facts
            return self

    UNKNOWN = 0, Facts(Role.APART, Kind.ALONE)
    START_V3 = 1, Facts(Role.OF_LOG, Kind.ALONE, in_python=True)
    QUERY = 2, Facts(Role.STATES, Kind.BY_TEXT)
    STOP = 3, Facts(Role.OF_LOG, Kind.STOP, info="")
    ROTATE = 4, Facts(Role.OPENS_LOG, Kind.ROTATE)
    INTVAR = 5, Facts(Role.PREPARES_STATEMENT, Kind.PREPARATION)
    LOAD = 6, Facts(Role.CHANGES_UNKNOWN, Kind.STATEMENT, in_python=True)
    SLAVE = 7, Facts(Role.OF_LOG, Kind.ALONE, in_python=True)
    CREATE_FILE = 8, Facts(Role.CHANGES_UNKNOWN, Kind.PREPARATION, in_python=True)
    APPEND_BLOCK = 9, Facts(Role.PREPARES_STATEMENT, Kind.PREPARATION)
    EXECUTE_LOAD = 10, Facts(Role.CHANGES_UNKNOWN, Kind.STATEMENT, name="Exec_load", in_python=True)
    DELETE_FILE = 11, Facts(Role.CHANGES_UNKNOWN, Kind.DELETE_FILE)
    NEW_LOAD = 12, Facts(Role.CHANGES_UNKNOWN, Kind.STATEMENT, in_python=True)
    RAND = 13, Facts(Role.PREPARES_STATEMENT, Kind.PREPARATION, name="RAND")
    USER_VAR = 14, Facts(Role.PREPARES_STATEMENT, Kind.PREPARATION, name="User var")
    FORMAT_DESCRIPTION = 15, Facts(Role.OPENS_LOG, Kind.FORMAT, name="Format_desc")
    XID = 16, Facts(Role.FRAMES_GROUP, Kind.TRANSACTION_END)
    BEGIN_LOAD_QUERY = 17, Facts(Role.PREPARES_STATEMENT, Kind.PREPARATION)
    EXECUTE_LOAD_QUERY = 18, Facts(Role.STATES, Kind.STATEMENT)
    TABLE_MAP = 19, Facts(Role.MAPS_TABLE, Kind.TABLE_MAP)
    WRITE_ROWS_V0 = 20, Facts(Role.CHANGES_ROWS, Kind.ROWS)
    UPDATE_ROWS_V0 = 21, Facts(Role.CHANGES_ROWS, Kind.ROWS)
    DELETE_ROWS_V0 = 22, Facts(Role.CHANGES_ROWS, Kind.ROWS)
    WRITE_ROWS_V1 = 23, Facts(Role.CHANGES_ROWS, Kind.ROWS)
    UPDATE_ROWS_V1 = 24, Facts(Role.CHANGES_ROWS, Kind.ROWS)
    DELETE_ROWS_V1 = 25, Facts(Role.CHANGES_ROWS, Kind.ROWS)
    INCIDENT = 26, Facts(Role.CHANGES_UNKNOWN, Kind.INCIDENT)
    HEARTBEAT = 27, Facts(Role.OF_LOG, Kind.ALONE, in_python=True)
    IGNORABLE = 28, Facts(Role.APART, Kind.IGNORED, (5, 6), (10, 0))
    ROWS_QUERY = 29, Facts(Role.PREPARES_STATEMENT, Kind.ROWS_QUERY, (5, 6), way_out=NO_QUERIES)
    WRITE_ROWS = 30, Facts(Role.CHANGES_ROWS, Kind.ROWS, (5, 6), (10, 0), way_out=V1_ROWS)
    UPDATE_ROWS = 31, Facts(Role.CHANGES_ROWS, Kind.ROWS, (5, 6), (10, 0), way_out=V1_ROWS)
    DELETE_ROWS = 32, Facts(Role.CHANGES_ROWS, Kind.ROWS, (5, 6), (10, 0), way_out=V1_ROWS)
    GTID = 33, Facts(Role.FRAMES_GROUP, Kind.GTID, (5, 6), IGNORED)
    ANONYMOUS_GTID = 34, Facts(Role.FRAMES_GROUP, Kind.GTID, (5, 6), IGNORED, name="Anonymous_Gtid")
    PREVIOUS_GTIDS = 35, Facts(Role.OPENS_LOG, Kind.SOURCE_PREVIOUS_GTIDS, (5, 6), IGNORED)
    TRANSACTION_CONTEXT = 36, Facts(Role.FRAMES_GROUP, Kind.GROUP_REPLICATION, (5, 7), IGNORED, in_python=True)
    VIEW_CHANGE = 37, Facts(Role.FRAMES_GROUP, Kind.GROUP_REPLICATION, (5, 7), IGNORED, in_python=True)
    XA_PREPARE = 38, Facts(Role.FRAMES_GROUP, Kind.XA_PREPARE, (5, 7), (10, 5), name="XA_prepare")
    PARTIAL_UPDATE_ROWS = (
        39,
        Facts(Role.CHANGES_ROWS, Kind.ROWS, (8, 0), name="Update_rows_partial", way_out=NO_PARTIAL_JSON),
    )
    TRANSACTION_PAYLOAD = 40, Facts(Role.HOLDS_EVENTS, Kind.TRANSACTION_END, (8, 0), way_out=NO_COMPRESSION)
    HEARTBEAT_V2 = 41, Facts(Role.OF_LOG, Kind.ALONE, (8, 0), IGNORED, name="Heartbeat", in_python=True)
    GTID_TAGGED = 42, Facts(Role.FRAMES_GROUP, Kind.GTID, (8, 3), name="Gtid_tagged_log_event", way_out=NO_TAGS)
    MARIA_ANNOTATE_ROWS = 160, Facts(Role.PREPARES_STATEMENT, Kind.ROWS_QUERY, NEVER)
    MARIA_BINLOG_CHECKPOINT = 161, Facts(Role.OPENS_LOG, Kind.ALONE, NEVER)
    MARIA_GTID = 162, Facts(Role.FRAMES_GROUP, Kind.MARIA_GTID, NEVER)
    MARIA_GTID_LIST = 163, Facts(Role.OPENS_LOG, Kind.ALONE, NEVER)
    MARIA_START_ENCRYPTION = 164, Facts(Role.OPENS_LOG, Kind.ALONE, NEVER)
    MARIA_QUERY_COMPRESSED = 165, Facts(Role.STATES, Kind.BY_TEXT_COMPRESSED, NEVER)
    MARIA_WRITE_ROWS_COMPRESSED_V1 = 166, Facts(Role.CHANGES_ROWS, Kind.ROWS, NEVER)
    MARIA_UPDATE_ROWS_COMPRESSED_V1 = 167, Facts(Role.CHANGES_ROWS, Kind.ROWS, NEVER)
    MARIA_DELETE_ROWS_COMPRESSED_V1 = 168, Facts(Role.CHANGES_ROWS, Kind.ROWS, NEVER)
    MARIA_WRITE_ROWS_COMPRESSED = 169, Facts(Role.CHANGES_ROWS, Kind.ROWS, NEVER)
    MARIA_UPDATE_ROWS_COMPRESSED = 170, Facts(Role.CHANGES_ROWS, Kind.ROWS, NEVER)
    MARIA_DELETE_ROWS_COMPRESSED = 171, Facts(Role.CHANGES_ROWS, Kind.ROWS, NEVER)
    MARIA_PARTIAL_ROWS = 172, Facts(Role.CHANGES_UNKNOWN, Kind.ROWS, NEVER, (12, 3), way_out=NO_PARTS)


class EventFlag(IntFlag):
    """The flags field of an event header."""

    BINLOG_IN_USE = 0x0001
    FORCED_ROTATE = 0x0002
    THREAD_SPECIFIC = 0x0004
    SUPPRESS_USE = 0x0008
    ARTIFICIAL = 0x0020
    RELAY_LOG = 0x0040
    IGNORABLE = 0x0080
    NO_FILTER = 0x0100
    MTS_ISOLATE = 0x0200
    BOUNDARY_MASK = 0x1C00
    """The three bits of the boundary marker (WL#4162); see `pybinlog.boundary`."""


class RowsFlag(IntFlag):
    """The flags field of a row event, which stands in its body."""

    STMT_END = 0x0001
    """It ends its statement."""
    NO_FOREIGN_KEY_CHECKS = 0x0002
    RELAXED_UNIQUE_CHECKS = 0x0004
    COMPLETE_ROWS = 0x0008
    USE_SQL_FOREIGN_KEY = 0x0010
    """The log holds what cascades change (MySQL 9.6)."""


WRITE_TYPES = frozenset(kind for kind in EventType if "WRITE_ROWS" in kind.name)
UPDATE_TYPES = frozenset(kind for kind in EventType if "UPDATE_ROWS" in kind.name)
DELETE_TYPES = frozenset(kind for kind in EventType if "DELETE_ROWS" in kind.name)
ROW_TYPES = WRITE_TYPES | UPDATE_TYPES | DELETE_TYPES
"""The row events, MariaDB's compressed ones among them."""
COMPRESSED_ROW_TYPES = frozenset(kind for kind in ROW_TYPES if "COMPRESSED" in kind.name)
OPENING_TYPES = frozenset(kind for kind in EventType if kind.facts.role == Role.OPENS_LOG)
"""The control events that a log opens with; a Rotate of the source is in a relay log."""
GTID_TYPES = frozenset(kind for kind in EventType if kind.facts.kind in (Kind.GTID, Kind.MARIA_GTID))
"""The events that open a transaction."""
FACTS: dict[int, Facts] = {kind: kind.facts for kind in EventType}
PRINTED_NAMES: dict[int, str] = {
    kind: kind.facts.name or kind.name.removeprefix("MARIA_").capitalize() for kind in EventType if kind
}
"""Event type -> its name as mysqlbinlog and SHOW BINLOG EVENTS print it."""


def printed_name(event_type: int) -> str:
    """Return the name of an event type as it is printed; "Unknown" for a type that is not known."""
    return PRINTED_NAMES.get(event_type, "Unknown")


def type_in_log(code: int, flags: int, mariadb: bool) -> int:
    """Return the type that a header's type byte and flags stand for in MySQL's or MariaDB's logs.

    UNKNOWN for a code to which the server gives no meaning, IGNORABLE for one that it ignores (WL#4033). MySQL looks at
    the code first, and at the ignorable flag only if it does not know the code. MariaDB ignores every event with that
    flag, and MySQL's GTIDs, group replication's events and heartbeats without it, too.
    """
    facts = FACTS.get(code)
    since = NEVER if facts is None else facts.mariadb if mariadb else facts.mysql
    known = EventType.IGNORABLE if since == IGNORED else EventType.UNKNOWN if since == NEVER else EventType(code)
    if flags & EventFlag.IGNORABLE and (code != EventType.FORMAT_DESCRIPTION if mariadb else not known):
        return int(EventType.IGNORABLE)
    return int(known)


# ---- for the build

NO_ROWS = 255
"""As the version of a row event: another event."""


def kernel_numbers() -> str:
    """Return C's numbers of the types and flags, which all of the kernel includes."""
    numbers = {kind.name: int(kind) for kind in EventType}
    numbers |= {f"{flag.name}_FLAG" if flag.name in numbers else str(flag.name): int(flag) for flag in EventFlag}
    numbers |= {f"{flag.name}_F": int(flag) for flag in RowsFlag}
    return "cpdef enum:\n" + "".join(f"    {name} = {value}\n" for name, value in numbers.items())


def kernel_facts() -> str:
    """Return C's tables of the facts, by type code, and the numbers in them."""

    def table(c_type: str, name: str, value: Callable[[EventType], object], other: object = 0) -> str:
        values = {int(kind): value(kind) for kind in EventType}
        body = ",".join(str(values.get(code, other)) for code in range(256))
        declared.append(f"    const {c_type} {name}[256]\n")
        return f"static const {c_type} {name}[256] = {{{body}}};\n"

    def rows_version(kind: EventType) -> int:
        return NO_ROWS if kind not in ROW_TYPES else 0 if "_V0" in kind.name else 1 if "_V1" in kind.name else 2

    declared: list[str] = []
    tables = (
        table("uint8_t", "ROLE_OF_TYPE", lambda kind: kind.facts.role)
        + table("uint8_t", "KIND_OF_TYPE", lambda kind: kind.facts.kind, Kind.ALONE)
        + table("uint8_t", "MEANING_IN_MYSQL", lambda kind: int(type_in_log(kind, 0, False)))
        + table("uint8_t", "MEANING_IN_MARIADB", lambda kind: int(type_in_log(kind, 0, True)))
        + table("uint8_t", "IS_IN_PYTHON", lambda kind: int(kind.facts.in_python))
        + table("uint8_t", "ROWS_VERSION", rows_version, NO_ROWS)
        + table("uint8_t", "ROWS_KIND", lambda kind: 1 + (kind in DELETE_TYPES) - (kind in WRITE_TYPES), 1)
        + table("char*", "PRINTED_NAME", lambda kind: f'"{printed_name(kind)}"', '"Unknown"')
        + table("char*", "INFO", lambda kind: "0" if kind.facts.info is None else f'"{kind.facts.info}"')
    )
    numbers = {"NO_ROWS": NO_ROWS, **{name: number for name, number in vars(Role).items() if name.isupper()}}
    numbers |= {f"KIND_{name}": number for name, number in vars(Kind).items() if name.isupper()}
    enum = "".join(f"    {name} = {number}\n" for name, number in numbers.items())
    return f'cdef enum:\n{enum}\ncdef extern from *:\n    """\n{tables}    """\n' + "".join(declared)
