"""Query: a statement, with the session variables under which it ran (manual: "QUERY_EVENT")."""

from enum import IntEnum
from typing import Any

import construct as cs

from pybinlog.event_types import EventType
from pybinlog.layout.primitive import (
    Bounded,
    Coded,
    NulAfter,
    PrefixedText,
    Tagged,
    Times,
    UntilEnd,
    Utf8,
    When,
    declare,
    encoded_length,
)

QUERY_POST_HEADER_LENGTH = 13
MAX_DBS_IN_EVENT_MTS = 16
OVER_MAX_DBS_IN_EVENT_MTS = 254
"""In place of the number of updated databases: more than 16, no names follow."""


class StatusVar(IntEnum):
    """The codes of the status variables; 128 and above are MariaDB's own."""

    FLAGS2 = 0
    SQL_MODE = 1
    CATALOG = 2
    AUTO_INCREMENT = 3
    CHARSET = 4
    TIME_ZONE = 5
    CATALOG_NZ = 6
    LC_TIME_NAMES = 7
    CHARSET_DATABASE = 8
    TABLE_MAP_FOR_UPDATE = 9
    MASTER_DATA_WRITTEN = 10
    INVOKER = 11
    UPDATED_DB_NAMES = 12
    MICROSECONDS = 13
    COMMIT_TS = 14
    COMMIT_TS2 = 15
    EXPLICIT_DEFAULTS_FOR_TIMESTAMP = 16
    DDL_LOGGED_WITH_XID = 17
    DEFAULT_COLLATION_FOR_UTF8MB4 = 18
    SQL_REQUIRE_PRIMARY_KEY = 19
    DEFAULT_TABLE_ENCRYPTION = 20
    ENABLE_CASCADE_TRIGGERS = 21
    MARIA_HRNOW = 128
    MARIA_XID = 129
    MARIA_GTID_FLAGS3 = 130
    MARIA_CHARACTER_SET_COLLATIONS = 131


_NAME = Utf8(cs.NullTerminated(cs.GreedyBytes))

_UPDATED_DB_NAMES = cs.Struct(
    "count" / cs.Rebuild(cs.Int8ul, lambda context: _count_of_names(context)),
    "names" / When(cs.this.count <= MAX_DBS_IN_EVENT_MTS, Times(cs.this.count, _NAME)),
)


def _count_of_names(context: Any) -> int:
    """Return the parsed count if it means "too many"; else the number of names."""
    names = context.get("names")
    return len(names) if names is not None else context.get("count") or OVER_MAX_DBS_IN_EVENT_MTS


_ENDS_ALTER = 4 | 8
"""In the second flags of MariaDB's Gtid: COMMIT ALTER and ROLLBACK ALTER, which name the GTID of the START ALTER."""

STATUS_VALUES: dict[StatusVar, cs.Construct] = {
    StatusVar.FLAGS2: cs.Int32ul,
    StatusVar.SQL_MODE: cs.Int64ul,
    StatusVar.CATALOG: cs.Struct(
        "catalog_length" / cs.Rebuild(cs.Int8ul, lambda context: encoded_length(context.catalog)),
        "catalog" / Utf8(cs.Bytes(cs.this.catalog_length)),
        "end" / When(cs.this.catalog_length > 0, cs.Default(cs.Bytes(1), b"\0")),
    ),
    StatusVar.AUTO_INCREMENT: cs.Struct("increment" / cs.Int16ul, "offset" / cs.Int16ul),
    StatusVar.CHARSET: cs.Struct(
        "character_set_client" / cs.Int16ul, "collation_connection" / cs.Int16ul, "collation_server" / cs.Int16ul
    ),
    StatusVar.TIME_ZONE: PrefixedText(cs.Int8ul),
    StatusVar.CATALOG_NZ: PrefixedText(cs.Int8ul),
    StatusVar.LC_TIME_NAMES: cs.Int16ul,
    StatusVar.CHARSET_DATABASE: cs.Int16ul,
    StatusVar.TABLE_MAP_FOR_UPDATE: cs.Int64ul,
    StatusVar.MASTER_DATA_WRITTEN: cs.Int32ul,
    StatusVar.INVOKER: cs.Struct("user" / PrefixedText(cs.Int8ul), "host" / PrefixedText(cs.Int8ul)),
    StatusVar.UPDATED_DB_NAMES: _UPDATED_DB_NAMES,
    StatusVar.MICROSECONDS: cs.Int24ul,
    StatusVar.COMMIT_TS: cs.Int64ul,
    StatusVar.COMMIT_TS2: cs.Int64ul,
    StatusVar.EXPLICIT_DEFAULTS_FOR_TIMESTAMP: cs.Int8ul,
    StatusVar.DDL_LOGGED_WITH_XID: cs.Int64ul,
    StatusVar.DEFAULT_COLLATION_FOR_UTF8MB4: cs.Int16ul,
    StatusVar.SQL_REQUIRE_PRIMARY_KEY: cs.Int8ul,
    StatusVar.DEFAULT_TABLE_ENCRYPTION: cs.Int8ul,
    StatusVar.ENABLE_CASCADE_TRIGGERS: cs.Int8ul,
    StatusVar.MARIA_HRNOW: cs.Int24ul,
    StatusVar.MARIA_XID: cs.Int64ul,
    StatusVar.MARIA_GTID_FLAGS3: cs.Struct(
        "flags_extra" / cs.Int8ul, "sa_seq_no" / When(cs.this.flags_extra & _ENDS_ALTER, cs.Int64ul)
    ),
    StatusVar.MARIA_CHARACTER_SET_COLLATIONS: cs.PrefixedArray(
        cs.Int8ul, cs.Struct("character_set" / cs.Int16ul, "collation" / cs.Int16ul)
    ),
}
"""Code -> the value of the status variable."""

STATUS_VARS = UntilEnd(Tagged("code" / Coded(cs.Int8ul, StatusVar), STATUS_VALUES))
"""The status variables in the order of their codes; from an unknown code on, the rest is one value of bytes."""


def query_fields(query: Any = cs.GreedyBytes, *post_header: Any) -> tuple[Any, ...]:
    """Return the fields of an event in Query's shape: with more fields of the post-header, with another form of the
    text.
    """
    known = QUERY_POST_HEADER_LENGTH + sum(part.sizeof() for part in post_header)

    def extra(context: Any) -> int:
        """Return the bytes that a longer post-header than ours holds; what follows it begins after them."""
        return max(0, context._params.format.post_header_length(context._params.event_type) - known)

    return (
        "thread_id" / cs.Int32ul,
        "exec_time" / cs.Int32ul,
        "db_length" / cs.Rebuild(cs.Int8ul, lambda context: encoded_length(context.db)),
        "error_code" / cs.Int16ul,
        "status_vars_length" / cs.Rebuild(cs.Int16ul, lambda context: len(STATUS_VARS.build(context.status_vars))),
        *post_header,
        "post_header_extra" / cs.Default(cs.Bytes(extra), b""),
        "status_vars" / Bounded(cs.this.status_vars_length, STATUS_VARS),
        "db" / NulAfter(Utf8(cs.Bytes(cs.this.db_length))),
        "query" / query,
    )


QUERY = declare(EventType.QUERY, *query_fields())
"""`query` is bytes: the text is in the character set of the client, which CHARSET names."""


def status_var(body: Any, code: StatusVar) -> Any:
    """Return the value of one status variable of a parsed Query, or None if the event does not hold it."""
    return next((var.value for var in body.status_vars if var.code == code), None)
