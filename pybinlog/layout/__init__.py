"""The format itself: every event's fields, declared with construct, to parse and to build.

This package imports construct; import it when the bodies of events are needed, not at start-up.

    format = Format.from_event(data_of_the_format_description)
    event = parse_event(data, format)               # event.header.timestamp, event.body.query, event.checksum
    build_event(event, format) == data

Row images are written with the columns of the Table_map before them, `encode_image(values, columns_of(table_map_body),
present)`; the kernel reads them (`kernel/rows/row_values`).
"""

from __future__ import annotations

from pybinlog.column_types import ColumnType, MetadataType
from pybinlog.layout import families as families  # imported, they declare their bodies
from pybinlog.layout.envelope import build_body, build_event, crc32, new_event, parse_body, parse_event
from pybinlog.layout.format import Format
from pybinlog.layout.mariadb import compress, uncompress
from pybinlog.layout.statement.query import StatusVar, status_var
from pybinlog.layout.transaction.gtid_tagged import GtidField, gtid_field
from pybinlog.layout.transaction.payload import payload_event_bytes, payload_events
from pybinlog.layout.values import (
    Column,
    bitmap,
    columns_of,
    encode_image,
    user_var_fields,
    user_var_value,
)

__all__ = [
    "Column",
    "ColumnType",
    "Format",
    "GtidField",
    "MetadataType",
    "StatusVar",
    "bitmap",
    "build_body",
    "build_event",
    "columns_of",
    "compress",
    "crc32",
    "encode_image",
    "gtid_field",
    "new_event",
    "parse_body",
    "parse_event",
    "payload_event_bytes",
    "payload_events",
    "status_var",
    "uncompress",
    "user_var_fields",
    "user_var_value",
]
