"""The event types of a binary log, the flags of an event's header, and the names that are printed."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import NamedTuple

COMMON_HEADER_LENGTH = 19
"""Bytes of a v4 event header: timestamp 4, type 1, server id 4, event size 4, end_log_pos 4, flags 2."""


class EventType(IntEnum):
    """The type byte of an event header; 160 and above are MariaDB's own."""

    UNKNOWN = 0
    START_V3 = 1
    QUERY = 2
    STOP = 3
    ROTATE = 4
    INTVAR = 5
    LOAD = 6
    SLAVE = 7
    CREATE_FILE = 8
    APPEND_BLOCK = 9
    EXECUTE_LOAD = 10
    DELETE_FILE = 11
    NEW_LOAD = 12
    RAND = 13
    USER_VAR = 14
    FORMAT_DESCRIPTION = 15
    XID = 16
    BEGIN_LOAD_QUERY = 17
    EXECUTE_LOAD_QUERY = 18
    TABLE_MAP = 19
    WRITE_ROWS_V0 = 20
    UPDATE_ROWS_V0 = 21
    DELETE_ROWS_V0 = 22
    WRITE_ROWS_V1 = 23
    UPDATE_ROWS_V1 = 24
    DELETE_ROWS_V1 = 25
    INCIDENT = 26
    HEARTBEAT = 27
    IGNORABLE = 28
    ROWS_QUERY = 29
    WRITE_ROWS = 30
    UPDATE_ROWS = 31
    DELETE_ROWS = 32
    GTID = 33
    ANONYMOUS_GTID = 34
    PREVIOUS_GTIDS = 35
    TRANSACTION_CONTEXT = 36
    VIEW_CHANGE = 37
    XA_PREPARE = 38
    PARTIAL_UPDATE_ROWS = 39
    TRANSACTION_PAYLOAD = 40
    HEARTBEAT_V2 = 41
    GTID_TAGGED = 42
    MARIA_ANNOTATE_ROWS = 160
    MARIA_BINLOG_CHECKPOINT = 161
    MARIA_GTID = 162
    MARIA_GTID_LIST = 163
    MARIA_START_ENCRYPTION = 164
    MARIA_QUERY_COMPRESSED = 165
    MARIA_WRITE_ROWS_COMPRESSED_V1 = 166
    MARIA_UPDATE_ROWS_COMPRESSED_V1 = 167
    MARIA_DELETE_ROWS_COMPRESSED_V1 = 168
    MARIA_WRITE_ROWS_COMPRESSED = 169
    MARIA_UPDATE_ROWS_COMPRESSED = 170
    MARIA_DELETE_ROWS_COMPRESSED = 171
    MARIA_PARTIAL_ROWS = 172


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


WRITE_TYPES = frozenset(kind for kind in EventType if "WRITE_ROWS" in kind.name)
UPDATE_TYPES = frozenset(kind for kind in EventType if "UPDATE_ROWS" in kind.name)
DELETE_TYPES = frozenset(kind for kind in EventType if "DELETE_ROWS" in kind.name)
ROW_TYPES = WRITE_TYPES | UPDATE_TYPES | DELETE_TYPES
"""The row events, MariaDB's compressed ones among them."""
OPENING_TYPES = frozenset(
    {
        EventType.FORMAT_DESCRIPTION,
        EventType.PREVIOUS_GTIDS,
        EventType.ROTATE,  # of the source, in a relay log
        EventType.MARIA_BINLOG_CHECKPOINT,
        EventType.MARIA_GTID_LIST,
        EventType.MARIA_START_ENCRYPTION,
    }
)
"""The control events that a log opens with."""
GTID_TYPES = frozenset({EventType.GTID, EventType.ANONYMOUS_GTID, EventType.GTID_TAGGED, EventType.MARIA_GTID})
"""The events that open a transaction."""
COMPRESSED_ROW_TYPES = frozenset(kind for kind in ROW_TYPES if "COMPRESSED" in kind.name)

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


class EventFacts(NamedTuple):
    """The facts of an event type, beside its fields, which `layout` declares. The build gives them to the kernel.

    `role` is what a filter of transactions does with it, a Role of kernel/scan/event_facts. `mysql` and `mariadb` are
    the first series that know it, `name` is what mysqlbinlog and SHOW BINLOG EVENTS print if that is not the type's
    own, `way_out` says when a source writes none.
    """

    role: str
    mysql: Version = (5, 5)
    mariadb: Version = (10, 0)
    name: str = ""
    way_out: str = ""


FACTS: dict[int, EventFacts] = {
    EventType.UNKNOWN: EventFacts("APART"),
    EventType.START_V3: EventFacts("APART"),
    EventType.QUERY: EventFacts("STATES"),
    EventType.STOP: EventFacts("APART"),
    EventType.ROTATE: EventFacts("APART"),
    EventType.INTVAR: EventFacts("PREPARES_STATEMENT"),
    EventType.LOAD: EventFacts("CHANGES_UNKNOWN"),
    EventType.SLAVE: EventFacts("APART"),
    EventType.CREATE_FILE: EventFacts("CHANGES_UNKNOWN"),
    EventType.APPEND_BLOCK: EventFacts("PREPARES_STATEMENT"),
    EventType.EXECUTE_LOAD: EventFacts("CHANGES_UNKNOWN", name="Exec_load"),
    EventType.DELETE_FILE: EventFacts("CHANGES_UNKNOWN"),
    EventType.NEW_LOAD: EventFacts("CHANGES_UNKNOWN"),
    EventType.RAND: EventFacts("PREPARES_STATEMENT", name="RAND"),
    EventType.USER_VAR: EventFacts("PREPARES_STATEMENT", name="User var"),
    EventType.FORMAT_DESCRIPTION: EventFacts("APART", name="Format_desc"),
    EventType.XID: EventFacts("FRAMES_GROUP"),
    EventType.BEGIN_LOAD_QUERY: EventFacts("PREPARES_STATEMENT"),
    EventType.EXECUTE_LOAD_QUERY: EventFacts("STATES"),
    EventType.TABLE_MAP: EventFacts("MAPS_TABLE"),
    EventType.WRITE_ROWS_V0: EventFacts("CHANGES_ROWS"),
    EventType.UPDATE_ROWS_V0: EventFacts("CHANGES_ROWS"),
    EventType.DELETE_ROWS_V0: EventFacts("CHANGES_ROWS"),
    EventType.WRITE_ROWS_V1: EventFacts("CHANGES_ROWS"),
    EventType.UPDATE_ROWS_V1: EventFacts("CHANGES_ROWS"),
    EventType.DELETE_ROWS_V1: EventFacts("CHANGES_ROWS"),
    EventType.INCIDENT: EventFacts("CHANGES_UNKNOWN"),
    EventType.HEARTBEAT: EventFacts("APART"),
    EventType.IGNORABLE: EventFacts("APART", (5, 6)),
    EventType.ROWS_QUERY: EventFacts("PREPARES_STATEMENT", (5, 6), NEVER, way_out=NO_QUERIES),
    EventType.WRITE_ROWS: EventFacts("CHANGES_ROWS", (5, 6), way_out=V1_ROWS),
    EventType.UPDATE_ROWS: EventFacts("CHANGES_ROWS", (5, 6), way_out=V1_ROWS),
    EventType.DELETE_ROWS: EventFacts("CHANGES_ROWS", (5, 6), way_out=V1_ROWS),
    EventType.GTID: EventFacts("FRAMES_GROUP", (5, 6), IGNORED),
    EventType.ANONYMOUS_GTID: EventFacts("FRAMES_GROUP", (5, 6), IGNORED, name="Anonymous_Gtid"),
    EventType.PREVIOUS_GTIDS: EventFacts("APART", (5, 6), IGNORED),
    EventType.TRANSACTION_CONTEXT: EventFacts("FRAMES_GROUP", (5, 7), IGNORED),
    EventType.VIEW_CHANGE: EventFacts("FRAMES_GROUP", (5, 7), IGNORED),
    EventType.XA_PREPARE: EventFacts("FRAMES_GROUP", (5, 7), (10, 5), name="XA_prepare"),
    EventType.PARTIAL_UPDATE_ROWS: EventFacts(
        "CHANGES_ROWS", (8, 0), NEVER, name="Update_rows_partial", way_out=NO_PARTIAL_JSON
    ),
    EventType.TRANSACTION_PAYLOAD: EventFacts("HOLDS_EVENTS", (8, 0), NEVER, way_out=NO_COMPRESSION),
    EventType.HEARTBEAT_V2: EventFacts("APART", (8, 0), IGNORED, name="Heartbeat"),
    EventType.GTID_TAGGED: EventFacts("FRAMES_GROUP", (8, 3), NEVER, name="Gtid_tagged_log_event", way_out=NO_TAGS),
    EventType.MARIA_ANNOTATE_ROWS: EventFacts("PREPARES_STATEMENT", NEVER),
    EventType.MARIA_BINLOG_CHECKPOINT: EventFacts("APART", NEVER),
    EventType.MARIA_GTID: EventFacts("FRAMES_GROUP", NEVER),
    EventType.MARIA_GTID_LIST: EventFacts("APART", NEVER),
    EventType.MARIA_START_ENCRYPTION: EventFacts("APART", NEVER),
    EventType.MARIA_QUERY_COMPRESSED: EventFacts("STATES", NEVER),
    EventType.MARIA_WRITE_ROWS_COMPRESSED_V1: EventFacts("CHANGES_ROWS", NEVER),
    EventType.MARIA_UPDATE_ROWS_COMPRESSED_V1: EventFacts("CHANGES_ROWS", NEVER),
    EventType.MARIA_DELETE_ROWS_COMPRESSED_V1: EventFacts("CHANGES_ROWS", NEVER),
    EventType.MARIA_WRITE_ROWS_COMPRESSED: EventFacts("CHANGES_ROWS", NEVER),
    EventType.MARIA_UPDATE_ROWS_COMPRESSED: EventFacts("CHANGES_ROWS", NEVER),
    EventType.MARIA_DELETE_ROWS_COMPRESSED: EventFacts("CHANGES_ROWS", NEVER),
    EventType.MARIA_PARTIAL_ROWS: EventFacts("CHANGES_UNKNOWN", NEVER, (12, 3), way_out=NO_PARTS),
}
PRINTED_NAMES: dict[int, str] = {
    kind: FACTS[kind].name or kind.name.removeprefix("MARIA_").capitalize() for kind in EventType if kind
}
"""Event type -> its name as mysqlbinlog and SHOW BINLOG EVENTS print it."""


def printed_name(event_type: int) -> str:
    """Return the name of an event type as it is printed; "Unknown" for a type that is not known."""
    return PRINTED_NAMES.get(event_type, "Unknown")
