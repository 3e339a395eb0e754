"""MariaDB's own events (160 and above)."""

from enum import IntFlag
from typing import Any

import construct as cs

from pybinlog.event_types import COMPRESSED_ROW_TYPES, EventType
from pybinlog.layout.primitive import PaddedTo, PrefixedText, Times, Trailing, When, XidPartLength, declare
from pybinlog.layout.query import query_fields
from pybinlog.layout.rows import rows_fields

ANNOTATE_ROWS = declare(EventType.MARIA_ANNOTATE_ROWS, "query" / cs.GreedyBytes)
"""The text of the statement whose rows follow."""

BINLOG_CHECKPOINT = declare(EventType.MARIA_BINLOG_CHECKPOINT, "filename" / PrefixedText(cs.Int32ul))
"""The oldest log that a recovery would need."""


class MariaGtidFlag(IntFlag):
    """The flags byte of MariaDB's Gtid."""

    STANDALONE = 1
    GROUP_COMMIT_ID = 2
    TRANSACTIONAL = 4
    ALLOW_PARALLEL = 8
    WAITED = 16
    DDL = 32
    PREPARED_XA = 64
    COMPLETED_XA = 128


class MariaGtidExtraFlag(IntFlag):
    """The second flags byte."""

    MULTI_ENGINE = 1
    START_ALTER = 2
    COMMIT_ALTER = 4
    ROLLBACK_ALTER = 8
    THREAD_ID = 16


_XA = MariaGtidFlag.PREPARED_XA | MariaGtidFlag.COMPLETED_XA
_ALTER = MariaGtidExtraFlag.COMMIT_ALTER | MariaGtidExtraFlag.ROLLBACK_ALTER


def _extra(flags: int) -> Any:
    return lambda context: bool((context.flags_extra or 0) & flags)


MARIA_GTID = declare(
    EventType.MARIA_GTID,
    "seq_no" / cs.Int64ul,
    "domain_id" / cs.Int32ul,
    "flags2" / cs.Int8ul,
    "commit_id" / When(lambda context: context.flags2 & MariaGtidFlag.GROUP_COMMIT_ID, cs.Int64ul),
    "xid"
    / When(
        lambda context: context.flags2 & _XA,
        cs.Struct(
            "format_id" / cs.Int32ul,
            "gtrid_length" / XidPartLength(cs.Int8ul, "gtrid"),
            "bqual_length" / XidPartLength(cs.Int8ul, "bqual"),
            "gtrid" / cs.Bytes(cs.this.gtrid_length),
            "bqual" / cs.Bytes(cs.this.bqual_length),
        ),
    ),
    "flags_extra" / Trailing(cs.Int8ul),
    "extra_engines" / When(_extra(MariaGtidExtraFlag.MULTI_ENGINE), cs.Int8ul),
    "sa_seq_no" / When(_extra(_ALTER), cs.Int64ul),
    "thread_id" / When(_extra(MariaGtidExtraFlag.THREAD_ID), cs.Int32ul),
    "padding" / PaddedTo(19),
)
"""A transaction begins (the flags say whether an explicit one); the server id of the GTID is the header's.

A short event is padded with zeros to 19 bytes, the first of which reads as `flags_extra`.
"""


class _CountAndFlags(cs.Adapter):
    """The number of GTIDs in 28 bits, flags in the 4 above."""

    def _decode(self, obj: int, context: Any, path: str) -> cs.Container:
        return cs.Container(count=obj & 0x0FFFFFFF, flags=obj >> 28)

    def _encode(self, obj: Any, context: Any, path: str) -> int:
        return int(obj.count) | int(obj.flags) << 28


GTID_LIST = declare(
    EventType.MARIA_GTID_LIST,
    "header"
    / cs.Rebuild(
        _CountAndFlags(cs.Int32ul),
        lambda context: cs.Container(
            count=len(context.list), flags=context.header.flags if context.get("header") else context.get("gl_flags", 0)
        ),
    ),
    "gl_flags" / cs.Computed(cs.this.header.flags),
    "list"
    / Times(cs.this.header.count, cs.Struct("domain_id" / cs.Int32ul, "server_id" / cs.Int32ul, "seq_no" / cs.Int64ul)),
    "padding" / PaddedTo(6),
)
"""The last GTID of each domain and server at the start of the log."""

START_ENCRYPTION = declare(
    EventType.MARIA_START_ENCRYPTION, "crypto_scheme" / cs.Int8ul, "key_version" / cs.Int32ul, "nonce" / cs.Bytes(12)
)
"""The rest of the log is encrypted."""

COMPRESSED = cs.Struct(
    "header"
    / cs.BitStruct(
        "compressed" / cs.Default(cs.Flag, True),
        "algorithm" / cs.Default(cs.BitsInteger(3), 0),
        "reserved" / cs.Default(cs.BitsInteger(1), 0),
        "length_bytes" / cs.BitsInteger(3),
    ),
    "uncompressed_length" / cs.BytesInteger(cs.this.header.length_bytes),
    "data" / cs.GreedyBytes,
)
"""MariaDB's compression: algorithm 0 is zlib; the length of the original is big-endian."""

QUERY_COMPRESSED = declare(EventType.MARIA_QUERY_COMPRESSED, *query_fields(COMPRESSED))
"""A Query whose text is compressed (log_bin_compress)."""

COMPRESSED_ROWS = declare(COMPRESSED_ROW_TYPES, *rows_fields(COMPRESSED))
"""A row event whose rows are compressed."""

PARTIAL_ROWS = declare(
    EventType.MARIA_PARTIAL_ROWS,
    "total" / cs.Int32ul,
    "number" / cs.Int32ul,
    "flags" / cs.Rebuild(cs.Int8ul, lambda context: int(context.size is not None)),
    "size" / When(lambda context: context.flags & 1, cs.Int64ul),
    "data" / cs.GreedyBytes,
)
"""A part of a large row event, which has `size` bytes without its checksum; only the first part has the size."""
