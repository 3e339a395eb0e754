"""Values are written as the bytes that they were read from: the rows and user variables of the corpus."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from construct import Container

from pybinlog.event_types import EventType
from pybinlog.layout import (
    ColumnType,
    build_body,
    columns_of,
    encode_image,
    parse_event,
    user_var_fields,
    user_var_value,
)
from pybinlog.layout.cursor import LieError
from pybinlog.layout.json import read_json
from pybinlog.layout.json_writer import write_json
from tests.layout.row_oracle import decode_rows

from ..corpus import Scenario, scenarios
from .logs import event_bytes

INTACT = [
    scenario for scenario in scenarios() if scenario.intact and not scenario.server.startswith("mariadb")
]  # MariaDB's compressed rows and columns are read, not written
WRITES = (EventType.WRITE_ROWS, EventType.WRITE_ROWS_V1)
UPDATES = (EventType.UPDATE_ROWS, EventType.UPDATE_ROWS_V1)
DELETES = (EventType.DELETE_ROWS, EventType.DELETE_ROWS_V1)


def _bits(raw: bytes, count: int) -> list[bool]:
    return [bool(raw[index // 8] >> index % 8 & 1) for index in range(count)]


def _written(body: Any, table_map: Any, resolve: bool, filler: bool) -> bytes:
    columns = columns_of(table_map)
    if not resolve:
        columns = [replace(column, name=None, unsigned=None, collation=None, values=None) for column in columns]
    before = _bits(body.columns_before_image, len(columns))
    after = before if body.columns_after_image is None else _bits(body.columns_after_image, len(columns))
    data = b""
    for row in decode_rows(body, table_map, resolve):
        for image, present in ((row.before, before), (row.after, after)):
            if image is not None:
                data += encode_image([image.get(column.key) for column in columns], columns, present, filler=filler)
    return data


@pytest.mark.parametrize("scenario", INTACT, ids=lambda scenario: scenario.name)
def test_rows_are_written_as_they_were_read(scenario: Scenario) -> None:
    for log in scenario.logs:
        maps: dict[int, Any] = {}
        for position, data, format in event_bytes(log):
            if data[4] == EventType.TABLE_MAP:
                body = parse_event(data, format).body
                maps[body.table_id] = body
            elif data[4] in WRITES + UPDATES + DELETES:
                body = parse_event(data, format).body
                for resolve in (True, False):
                    written = _written(body, maps[body.table_id], resolve, scenario.server == "mysql-5.6")
                    if any(column == ColumnType.JSON for column in maps[body.table_id].column_types):
                        # Servers keep gaps in updated documents and more digits in a DECIMAL than it needs.
                        again = Container({**body, "rows": written})
                        assert decode_rows(again, maps[body.table_id]) == decode_rows(body, maps[body.table_id])
                        continue
                    assert written == body.rows, f"{log.name} at {position}"


def _rebuilt(body: Any) -> dict[str, Any]:
    value = user_var_value(body)
    unsigned = bool(body.flags) and not body.is_null
    return user_var_fields(
        body.name,
        body.value if isinstance(value, str) else value,
        charset=body.charset or 0,
        unsigned=unsigned,
        precision=body.value[0] if isinstance(value, Decimal) else None,
    )


def test_user_variables_are_written_as_they_were_read() -> None:
    count = 0
    for scenario in INTACT:
        for log in scenario.logs:
            for position, data, format in event_bytes(log):
                if data[4] != EventType.USER_VAR:
                    continue
                body = parse_event(data, format).body
                whole = build_body(EventType.USER_VAR, body, format)
                assert build_body(EventType.USER_VAR, _rebuilt(body), format) == whole, f"{log.name} at {position}"
                count += 1
    assert count


def test_a_decimal_has_the_digits_that_it_needs() -> None:
    body = user_var_fields("d", Decimal("-0.5"), charset=8)
    assert body["value"] == b"\x02\x01\x7f\xfa"


def test_what_a_user_variable_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="no DECIMAL"):
        user_var_fields("d", Decimal("1e70"), charset=8)
    with pytest.raises(ValueError, match="64 bits"):
        user_var_fields("i", 1 << 70, charset=8)


@pytest.mark.parametrize("bracket", [lambda inner: [inner], lambda inner: {"key": inner}], ids=["array", "object"])
def test_json_is_read_and_written_as_deep_as_the_server_has_it(bracket: Callable[[Any], Any]) -> None:
    value: Any = "x" * 70_000
    for _ in range(100):
        value = bracket(value)
    assert read_json(write_json(value)) == value
    with pytest.raises(ValueError, match="JSON nested deeper than 100"):
        write_json([value])
    inner = write_json(value)
    size = 8 + 5 + len(inner) - 1
    deeper = b"\x03" + struct.pack("<IIBI", 1, size, inner[0], 13) + inner[1:]
    with pytest.raises(LieError, match="JSON nested deeper than 100"):
        read_json(deeper)
