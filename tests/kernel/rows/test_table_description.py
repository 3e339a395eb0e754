"""A Table_map's columns, as the view of a table needs them."""

from pathlib import Path
from typing import Any

import pytest

from pybinlog.column_types import ColumnType, MetadataType
from pybinlog.feed.span import Span
from pybinlog.kernel.rows.table_description import read_table_map
from pybinlog.layout import Format, parse_body
from pybinlog.views.options import ViewOptions
from pybinlog.views.table_survey import definitions_of
from tests.corpus import Scenario, scenarios
from tests.kernel.rows.row_events import TABLE_MAP, events, field, rows, table_map
from tests.layout.log_builder import MARIADB_10_11, MYSQL_9_7, LogBuilder


def description(types: list[int], metadata: bytes, folder: Path, optional: bytes = b"", mariadb: bool = False) -> Any:
    """The columns of a table, its key, and whether it is MariaDB's."""
    format: Format = MARIADB_10_11 if mariadb else MYSQL_9_7
    builder = LogBuilder(format.without_checksum())
    builder.add_bytes(table_map(types, metadata, optional=optional))
    nulls = b"\xff" * ((len(types) + 7) // 8)
    builder.add_bytes(rows(len(types), nulls, 23 if mariadb else 30))
    log = folder / "binlog.000001"
    log.write_bytes(builder.data)
    (found, *_), *_ = definitions_of(ViewOptions(view="rows"), Span((str(log),)))
    return found[2]


@pytest.mark.parametrize(
    ("kind", "metadata", "name", "size", "scale"),
    [
        (1, b"", "integer", 8, 0),
        (2, b"", "integer", 16, 0),
        (9, b"", "integer", 24, 0),
        (3, b"", "integer", 32, 0),
        (8, b"", "integer", 64, 0),
        (4, b"\4", "float", 32, 0),
        (5, b"\x08", "double", 64, 0),
        (246, b"\x0a\x03", "decimal", 10, 3),
        (7, b"", "timestamp", 32, 0),
        (10, b"", "date", 24, 0),
        (11, b"", "time", 24, 0),
        (12, b"", "datetime", 64, 0),
        (13, b"", "year", 8, 0),
        (14, b"", "date", 24, 0),
        (16, b"\3\1", "bit", 16, 0),
        (17, b"\3", "timestamp", 48, 3),
        (18, b"\6", "datetime", 64, 6),
        (19, b"\2", "time", 32, 2),
        (15, b"\x14\0", "bytes", 0, 0),
        (252, b"\2", "bytes", 0, 0),
        (254, b"\xfe\x14", "bytes", 20, 0),
        (254, b"\xee\x2c", "bytes", 300, 0),
        (254, b"\xf7\1", "enum", 8, 0),
        (254, b"\xf8\1", "set", 8, 0),
        (245, b"\4", "json", 32, 0),
        (255, b"\4", "opaque", 32, 0),
        (242, b"\4", "floats", 32, 0),
        (140, b"\2", "opaque", 0, 0),
        (141, b"\2\4", "opaque", 0, 0),
        (20, b"\3", "hidden", 32, 0),
        (6, b"", "hidden", 0, 0),
    ],
)
@pytest.mark.parametrize("mariadb", [False, True])
def test_each_type_has_a_kind(
    kind: int, metadata: bytes, name: str, size: int, scale: int, mariadb: bool, tmp_path: Path
) -> None:
    ((column,), key, of_mariadb) = description([kind], metadata, tmp_path, mariadb=mariadb)
    assert column == (None, name, size, scale, False, 0, None)
    assert (key, of_mariadb) == (None, mariadb)


def test_names_and_members_and_signs_are_those_of_the_log(tmp_path: Path) -> None:
    optional = (
        field(4, b"\1a\1b\1c\1d") + field(6, b"\2\1x\1y") + field(5, b"\1\1z") + field(1, b"\x80") + field(8, b"\0\2")
    )
    found = description([254, 254, 254, 3], b"\xf7\1\xf8\1\xfe\x0a", tmp_path, optional)
    assert found == (
        (
            (b"a", "enum", 8, 0, False, 0, (b"x", b"y")),
            (b"b", "set", 8, 0, False, 0, (b"z",)),
            (b"c", "bytes", 10, 0, False, 0, None),
            (b"d", "integer", 32, 0, True, 0, None),
        ),
        (0, 2),
        False,
    )


@pytest.mark.parametrize(
    ("optional", "key"),
    [
        (field(8, b"\0"), (0,)),
        (field(8, b"\1\0"), (1, 0)),
        (field(8, b"\2"), None),
        (field(9, b"\1\5"), (1,)),
        (field(9, b"\0\4\1\0"), (0, 1)),
        (field(9, b"\2\1"), None),
        (field(8, b""), None),
    ],
)
def test_a_key_is_of_columns_that_are_there(optional: bytes, key: tuple[int, ...] | None, tmp_path: Path) -> None:
    assert description([3, 15], b"\x14\0", tmp_path, optional)[1] == key


@pytest.mark.parametrize(
    ("members", "found"), [(b"\2\1x\1y", (b"x", b"y")), (b"\0", ()), (b"\2\1x", None), (b"\1\2x", None), (b"", None)]
)
def test_members_that_do_not_fit_are_unknown(members: bytes, found: Any, tmp_path: Path) -> None:
    for kind, number in ((b"\xf7\1", 6), (b"\xf8\1", 5)):
        ((column,), *_) = description([254], kind, tmp_path, field(number, members))
        assert column[6] == found


NAMES = 19 + 8
"""The offset of the names in a Table_map event."""


def number_of(kind: int, metadata: Any) -> int:
    """A column's metadata as the kernel has it."""
    first, *second = [metadata[name] for name in ColumnType(kind).stored.fields] if metadata is not None else [0]
    if not second:
        return int(first)
    return first << 8 | second[0] if ColumnType(kind).stored.number == "pair" else first | second[0] << 8


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.intact], ids=str)
def test_a_table_map_is_read_as_layout_declares_it(scenario: Scenario) -> None:
    bodies = {event[NAMES:]: event for log in scenario.logs for event in events(log) if event[4] == TABLE_MAP}
    for body, event in bodies.items():
        expected = parse_body(TABLE_MAP, event[19:], Format.default())
        database, table, columns, names, key, optional, types = read_table_map(body)
        assert (database.decode(), table.decode()) == (expected.db, expected.table)
        assert columns == [
            (kind, number_of(kind, metadata), bool(expected.null_bits[place // 8] >> place % 8 & 1))
            for place, (kind, metadata) in enumerate(zip(expected.column_types, expected.column_metadata, strict=True))
        ]
        fields = {one.type: one.value for one in expected.optional_metadata}
        assert types == [*fields]
        assert body.endswith(optional)
        assert [name.decode() for name in names] == fields.get(MetadataType.COLUMN_NAME, [])
        simple = fields.get(MetadataType.SIMPLE_PRIMARY_KEY, [])
        assert list(key or ()) == simple or [one.column for one in fields[MetadataType.PRIMARY_KEY_WITH_PREFIX]]


def test_a_table_map_that_is_cut_is_read_only_between_its_parts() -> None:
    optional = field(1, b"\x80") + field(4, b"\1a\1b")
    body = table_map([3, 15], b"\x14\0", optional=optional)[NAMES:]
    parts = len(body) - len(optional)
    assert [size for size in range(len(body) + 1) if read_table_map(body[:size])] == [
        parts - 4,
        parts,
        parts + 3,
        len(body),
    ]
    assert read_table_map(body)[3:] == ([b"a", b"b"], None, optional, [1, 4])
