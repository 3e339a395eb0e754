"""The format itself: every event's fields, declared with construct, to parse and to build.

This package imports construct; import it when the bodies of events are needed, not at start-up.

    format = Format.from_event(data_of_the_format_description)
    event = parse_event(data, format)               # event.header.timestamp, event.body.query, event.checksum
    build_event(event, format) == data
"""

from pybinlog.column_types import ColumnType, MetadataType
from pybinlog.layout import control, gtid, mariadb, rows, statement  # noqa: F401 (they declare their bodies)
from pybinlog.layout.envelope import Format, build_body, build_event, crc32, new_event, parse_body, parse_event
from pybinlog.layout.gtid import GtidField, gtid_field
from pybinlog.layout.query import StatusVar, status_var

__all__ = [
    "ColumnType",
    "Format",
    "GtidField",
    "MetadataType",
    "StatusVar",
    "build_body",
    "build_event",
    "crc32",
    "gtid_field",
    "new_event",
    "parse_body",
    "parse_event",
    "status_var",
]
