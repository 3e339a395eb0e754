"""Row values as the reference prints them, from values that `layout` decoded."""

import base64
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from pybinlog.column_types import ColumnType
from pybinlog.event_types import DELETE_TYPES, UPDATE_TYPES, WRITE_TYPES
from pybinlog.json_values import JSON_NULL, JsonDiff, JsonOpaque, JsonOperation, JsonOperationType
from tests.layout.columns import Column, columns_of
from tests.layout.row_oracle import decode_rows

Quote = Callable[[bytes], bytes]
_ESCAPES = {8: rb"\b", 12: rb"\f", 10: rb"\n", 13: rb"\r", 9: rb"\t", 92: rb"\\", 39: rb"\'"}
_QUOTED = [_ESCAPES.get(code, b"\\x%02x" % code if code < 32 else bytes((code,))) for code in range(256)]
_INTEGERS = {
    ColumnType.TINY: ("TINYINT", 8),
    ColumnType.SHORT: ("SHORTINT", 16),
    ColumnType.INT24: ("MEDIUMINT", 24),
    ColumnType.LONG: ("INT", 32),
    ColumnType.LONGLONG: ("LONGINT", 64),
}
_BLOBS = {1: "TINYBLOB/TINYTEXT", 2: "BLOB/TEXT", 3: "MEDIUMBLOB/MEDIUMTEXT", 4: "LONGBLOB/LONGTEXT"}


def quoted(data: bytes) -> bytes:
    """A string in quotes, as row values are printed."""
    return b"'" + b"".join(map(_QUOTED.__getitem__, data)) + b"'"


def mariadb_quoted(data: bytes) -> bytes:
    """The same by mariadb-binlog, which escapes control characters only."""
    return b"'" + b"".join(b"\\x%02x" % code if code < 32 else bytes((code,)) for code in data) + b"'"


def _meta(column: Column) -> int:
    """The number that the reference prints as meta."""
    metadata = column.metadata
    if metadata is None:
        return 0
    kind = column.type
    if kind in (ColumnType.STRING, ColumnType.ENUM, ColumnType.SET):
        return int(metadata.real_type << 8 | metadata.length)
    if kind == ColumnType.NEWDECIMAL:
        return int(metadata.precision << 8 | metadata.decimals)
    if kind == ColumnType.BIT:
        return int(metadata.bytes << 8 | metadata.bits)
    return int(next(value for key, value in metadata.items() if not key.startswith("_")))


def type_name(column: Column) -> str:
    """The type in the comment of a row value."""
    kind, meta = column.type, _meta(column)
    if kind in _INTEGERS:
        return _INTEGERS[ColumnType(kind)][0]
    simple = {
        ColumnType.FLOAT: "FLOAT",
        ColumnType.DOUBLE: "DOUBLE",
        ColumnType.TIMESTAMP: "TIMESTAMP",
        ColumnType.DATETIME: "DATETIME",
        ColumnType.TIME: "TIME",
        ColumnType.DATE: "DATE",
        ColumnType.NEWDATE: "DATE",
        ColumnType.YEAR: "YEAR",
        ColumnType.JSON: "JSON",
    }
    if kind in simple:
        return simple[ColumnType(kind)]
    if kind == ColumnType.NEWDECIMAL:
        return f"DECIMAL({meta >> 8},{meta & 255})"
    if kind == ColumnType.BIT:
        return f"BIT({(meta >> 8) * 8 + (meta & 255)})"
    if kind in (ColumnType.TIMESTAMP2, ColumnType.DATETIME2, ColumnType.TIME2):
        return f"{ColumnType(kind).name[:-1]}({meta})"
    if kind == ColumnType.ENUM:
        return "ENUM(1 byte)" if column.length == 1 else "ENUM(2 bytes)"
    if kind == ColumnType.SET:
        return f"SET({column.length} bytes)"
    if kind == ColumnType.BLOB:
        return _BLOBS[meta]
    if kind == ColumnType.VECTOR:
        return f"VECTOR({column.dimensions})"
    return f"{'STRING' if kind == ColumnType.STRING else 'VARSTRING'}({column.length})"


def _bits(value: int, count: int) -> bytes:
    return f"b'{value:0{count}b}'".encode()


def _fraction(microsecond: int, decimals: int) -> str:
    return f".{microsecond:06d}"[: decimals + 1] if decimals else ""


def _moment(value: datetime | str, decimals: int) -> str:
    if isinstance(value, str):
        return value
    return f"{value.year:04d}-{value:%m-%d %H:%M:%S}" + _fraction(value.microsecond, decimals)


def _interval(value: timedelta, decimals: int) -> str:
    magnitude = abs(value)
    minutes, seconds = divmod(magnitude.days * 86400 + magnitude.seconds, 60)
    sign = "-" if value < timedelta() else ""
    return f"{sign}{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}" + _fraction(magnitude.microseconds, decimals)


def _timestamp(value: datetime | str, decimals: int) -> str:
    if isinstance(value, str):
        return "0" + _fraction(0, decimals)
    seconds = (value - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(seconds=1)
    return f"{seconds}" + _fraction(value.microsecond, decimals)


def value_text(value: Any, column: Column, quote: Quote = quoted) -> bytes:
    """One value that is not NULL."""
    kind = column.type
    if kind in _INTEGERS:
        text = str(value)
        return (text if value >= 0 else f"{text} ({value + (1 << _INTEGERS[ColumnType(kind)][1])})").encode()
    if kind == ColumnType.NEWDECIMAL:
        return format(value, "f").encode()
    if kind == ColumnType.FLOAT:
        return b"%-20g" % value
    if kind == ColumnType.DOUBLE:
        return b"%.20g" % value
    if kind == ColumnType.BIT:
        return _bits(value, column.metadata.bytes * 8 + column.metadata.bits)
    if kind == ColumnType.SET:
        return _bits(int.from_bytes(value.to_bytes(column.length or 8, "little"), "big"), 8 * (column.length or 8))
    if kind == ColumnType.ENUM:
        return str(value).encode()
    if kind == ColumnType.YEAR:
        return str(value or 1900).encode()
    if kind in (ColumnType.TIMESTAMP, ColumnType.TIMESTAMP2):
        return _timestamp(value, column.metadata.decimals if column.metadata else 0).encode()
    if kind == ColumnType.DATETIME:
        return _moment(value, 0).encode()
    if kind == ColumnType.DATETIME2:
        return f"'{_moment(value, column.metadata.decimals)}'".encode()
    if kind in (ColumnType.TIME, ColumnType.TIME2):
        return f"'{_interval(value, column.metadata.decimals if column.metadata else 0)}'".encode()
    if kind in (ColumnType.DATE, ColumnType.NEWDATE):
        text = value if isinstance(value, str) else f"{value.year:04d}-{value:%m-%d}"
        return f"'{text.replace('-', ':')}'".encode()
    if kind == ColumnType.JSON:
        return quote(json_text(value, top=True).encode("utf-8", "surrogateescape"))
    if kind == ColumnType.VECTOR:
        return ("[" + ",".join(f"{number:.5e}" for number in value) + "]").encode()
    return quote(value)


def json_text(value: Any, top: bool = False) -> str:
    """A JSON document as MySQL writes it; `top`: a string of a temporal type is not put in quotes."""
    if value is JSON_NULL or value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_json_string(key)}: {json_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    if isinstance(value, float):
        return _json_double(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime):
        text = _moment(value, 6)
    elif isinstance(value, date):
        text = f"{value.year:04d}-{value:%m-%d}"
    elif isinstance(value, timedelta):
        text = _interval(value, 6)
    elif isinstance(value, JsonOpaque):
        lines = base64.b64encode(value.data).decode()
        text = f"base64:type{int(value.type)}:" + "\n".join(lines[at : at + 76] for at in range(0, len(lines), 76))
    else:
        text = value
    return text if top else _json_string(text)


def _json_string(text: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(char) or (f"\\u{ord(char):04x}" if char < " " else char) for char in text) + '"'


def _json_double(value: float) -> str:
    """The shortest digits; an exponent if the point is more than 15 digits away; ".0" after a whole number."""
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + int(exponent) if any(digits) else 1
    head = "-" if sign else ""
    if -15 <= point <= 15:
        if point <= 0:
            return f"{head}0.{'0' * -point}{text}"
        if len(text) <= point:
            return f"{head}{text.ljust(point, '0')}.0"
        return f"{head}{text[:point]}.{text[point:]}"
    mantissa = text[0] + ("." + text[1:] if len(text) > 1 else "")
    return f"{head}{mantissa}e{point - 1}"


def _operation_name(operation: JsonOperation) -> str:
    if operation.operation == JsonOperationType.INSERT:
        return "JSON_ARRAY_INSERT" if operation.path.endswith("]") else "JSON_INSERT"
    return f"JSON_{operation.operation.name}"


def _operand(value: Any) -> bytes:
    text = json_text(value, top=True).encode("utf-8", "surrogateescape")
    if isinstance(value, dict | list):
        return b"CAST(" + quoted(text) + b" AS JSON)"
    return text if value is JSON_NULL or isinstance(value, bool | int | float | Decimal) else quoted(text)


def json_diff_text(operations: list[JsonOperation], name: str) -> bytes:
    """A partial update as nested calls: the first operation innermost, those of one kind in one call."""
    separator = b"\n###      "
    names = [_operation_name(operation) for operation in operations]
    calls = [call for index, call in enumerate(names) if index == 0 or names[index - 1] != call]
    text = separator.join(call.encode() + b"(" for call in reversed(calls)) + name.encode()
    for index, operation in enumerate(operations):
        text += b", " if index == 0 else b"," + separator
        text += quoted(operation.path.encode("utf-8", "surrogateescape"))
        if operation.operation != JsonOperationType.REMOVE:
            text += b", " + _operand(operation.value)
        if index + 1 == len(operations) or names[index + 1] != names[index]:
            text += b")"
    return text


def _image_text(
    image: dict[str, Any], columns: list[Column], clause: bytes, comments: bool, quote: Quote
) -> tuple[bytes, bool]:
    """The lines of an image, and whether the reference gave up at a column type that it does not know."""
    text = clause
    for column in columns:
        key = f"@{column.index + 1}"
        if key not in image:
            continue
        value = image[key]
        text += f"###   {key}=".encode()
        if column.type == ColumnType.GEOMETRY:
            meta = _meta(column)
            return text + f"!! Don't know how to handle column type=255 meta={meta} ({meta:04x})\n".encode(), True
        if value is None:
            text += b"NULL"
        elif isinstance(value, JsonDiff):
            text += json_diff_text(value, key)
        else:
            text += value_text(value, column, quote)
        if comments:
            text += f" /* {type_name(column)} meta={_meta(column)} ".encode()
            text += f"nullable={column.nullable:d} is_null={value is None:d} */".encode()
        text += b"\n"
    return text, False


def rows_text(event: Any, table_map: Any, comments: bool, quote: Quote = quoted) -> bytes:
    """The `###` lines of a row event at -v; with `comments` at -vv."""
    body = event.body
    kind = event.header.event_type
    text = b""
    for info in body.extra_row_info or ():
        if info.type == 0:
            data = info.value.data
            text += f"### Extra row ndb info: data_format: {info.value.format}, len: {len(data)}, ".encode()
            text += b"data: 0x" + data.hex().upper().encode() + b"\n"
        else:
            target, source = info.value.partition_id, info.value.source_partition_id
            text += b"### Extra row info for partitioning: "
            text += (
                f"source_partition: {source} target_partition: {target}\n"
                if source is not None
                else f"partition: {target}\n"
            ).encode()
    columns = columns_of(table_map)
    name = b".".join(b"`" + part.replace("`", "``").encode() + b"`" for part in (table_map.db, table_map.table))
    for row in decode_rows(body, table_map, resolve=False):
        if kind in WRITE_TYPES:
            head, parts = b"### INSERT INTO ", [(row.after, b"### SET\n")]
        elif kind in DELETE_TYPES:
            head, parts = b"### DELETE FROM ", [(row.before, b"### WHERE\n")]
        else:
            assert kind in UPDATE_TYPES
            head, parts = b"### UPDATE ", [(row.before, b"### WHERE\n"), (row.after, b"### SET\n")]
        text += head + name + b"\n"
        for image, clause in parts:
            assert image is not None
            lines, gave_up = _image_text(image, columns, clause, comments, quote)
            text += lines
            if gave_up:
                return text
    return text
