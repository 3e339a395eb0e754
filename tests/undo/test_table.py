"""The tables of an undo: their columns, their keys and the foreign keys that refer to them."""

from typing import Any

import pytest

from pybinlog.catalog.tables import SEQUENCE_COLUMNS, Unknown
from pybinlog.column_types import ColumnType
from pybinlog.kernel.undo import sql_text as kernel
from pybinlog.schema.column import Key, KeyPart
from pybinlog.undo.table import ANY, Form, UndoColumn, column_of, form_of, members_of, name_of, quoted
from pybinlog.undo.table_keys import TableKeys, bits_without_documents
from tests.undo.parts import described, known, reference, table_of

LATIN1, UCS2, SJIS, UTF8MB3, UTF8MB4, BINARY, NONE = 8, 35, 13, 33, 255, 63, 2000


def column(
    kind: ColumnType, collation: int = 0, members: list[bytes] | None = None, length: int = 0
) -> tuple[Any, ...]:
    return b"c", kind, 0, 0, 0, collation, members, length


def declared(text: str) -> Any:
    return known(f"c {text}").columns[0]


# ---- forms of values


@pytest.mark.parametrize(
    ("one", "form"),
    [
        (column(ColumnType.LONG), Form()),
        (column(ColumnType.VARCHAR, UTF8MB4), Form(kernel.AS_UTF8, b"_utf8mb4 ")),
        (column(ColumnType.VARCHAR, UTF8MB3), Form(kernel.AS_UTF8, b"_utf8mb3 ")),
        (column(ColumnType.BLOB, LATIN1), Form(kernel.AS_ASCII, b"_latin1 ")),
        (column(ColumnType.STRING, UCS2), Form(kernel.AS_HEXADECIMAL, b"_ucs2 ")),
        (column(ColumnType.VARCHAR, SJIS), Form(kernel.AS_HEXADECIMAL, b"_sjis ")),
        (column(ColumnType.VARCHAR, NONE), Form(kernel.AS_HEXADECIMAL)),
        (column(ColumnType.VARCHAR, BINARY, length=9), Form()),
        (column(ColumnType.STRING, BINARY, length=9), Form(length=9)),
        (column(ColumnType.STRING, 0, length=9), Form()),
        (column(ColumnType.ENUM, UTF8MB4), Form()),
        (column(ColumnType.SET, UTF8MB4, [b"a'b"]), Form(members=[b"a''b"])),
    ],
)
def test_the_form_of_a_value(one: tuple[Any, ...], form: Form) -> None:
    assert form_of(one, None, mariadb=False) == form


def test_a_definition_tells_what_the_log_does_not() -> None:
    assert form_of(
        column(ColumnType.MARIA_VARCHAR_COMPRESSED), declared("VARCHAR(9) CHARSET latin1"), mariadb=True
    ) == Form(kernel.AS_ASCII, b"_latin1 ")
    addresses = {form_of(column(ColumnType.STRING, BINARY), declared(word), mariadb=True) for word in ("UUID", "INET6")}
    assert addresses == {Form(0x10001), Form(0x10003)}


def test_members_are_quoted_text() -> None:
    assert members_of([b"it's", b"a\\b", b"\xc3\xa4"], UTF8MB4, mariadb=False) == [b"it''s", b"a\\\\b", b"\xc3\xa4"]
    assert members_of(["ä\\".encode()], UTF8MB4, mariadb=False) is None
    assert members_of([b"\xe4"], LATIN1, mariadb=False) == [b"\xc3\xa4"]
    assert members_of([b"a", b"\n"], UTF8MB4, mariadb=False) is None
    assert members_of([b"a", b"\xff"], UTF8MB4, mariadb=False) is None
    assert members_of([b"a"], NONE, mariadb=False) is None
    assert members_of([], UTF8MB4, mariadb=False) == []


@pytest.mark.parametrize(
    ("one", "text", "found"),
    [
        (column(ColumnType.LONG), "INT", UndoColumn(b"`c`", False, False, False, is_short=True)),
        (column(ColumnType.LONG), "INT AS (1)", UndoColumn(b"`c`", True, False, False, is_short=True)),
        (column(ColumnType.VARCHAR, UTF8MB4), "VARCHAR(9)", UndoColumn(b"`c`", False, True, False, is_short=True)),
        (column(ColumnType.VARCHAR, BINARY), "VARBINARY(9)", UndoColumn(b"`c`", False, False, False, is_short=True)),
        (column(ColumnType.STRING, BINARY), "UUID", UndoColumn(b"`c`", False, False, False)),
        (column(ColumnType.GEOMETRY), "GEOMETRY", UndoColumn(b"`c`", False, True, False)),
        (column(ColumnType.DATETIME2), "DATETIME", UndoColumn(b"`c`", False, False, True, is_short=True)),
        (column(ColumnType.TIMESTAMP), "TIMESTAMP", UndoColumn(b"`c`", False, False, True)),
        (column(ColumnType.TIME2), "TIME", UndoColumn(b"`c`", False, False, False, is_short=True)),
        (column(ColumnType.ENUM, UTF8MB4), "ENUM('a')", UndoColumn(b"`c`", False, False, False, b"0")),
        (column(ColumnType.FLOAT), "FLOAT", UndoColumn(b"`c`", False, False, False)),
        (column(ColumnType.FLOAT), "FLOAT(7,2)", UndoColumn(b"`c`", False, False, False, ANY)),
        (column(ColumnType.DOUBLE), "DOUBLE(7,2)", UndoColumn(b"`c`", False, False, False, ANY)),
        (column(ColumnType.NEWDECIMAL), "DECIMAL(7,2) ZEROFILL", UndoColumn(b"`c`", False, False, False)),
        (column(ColumnType.NEWDECIMAL), "DECIMAL(7,2)", UndoColumn(b"`c`", False, False, False, is_short=True)),
    ],
)
def test_a_column(one: tuple[Any, ...], text: str, found: UndoColumn) -> None:
    assert column_of(one, declared(text)) == found


def test_names_stand_in_backticks() -> None:
    assert quoted(b"a`b") == b"`a``b`"
    assert name_of(UndoColumn(b"`a``b`", False, False, False)) == "a`b"


# ---- tables


def test_a_table_that_is_known() -> None:
    table = table_of("a INT, g INT AS (a), b INT, `c``d` INT, PRIMARY KEY (b, a)", "ENGINE=RocksDB")
    assert (table.names, table.label, table.path) == (("u", "t"), "u.t", b"`u`.`t`")
    assert (table.key, table.key_bits, table.stored) == ((2, 0), 0b101, 0b1101)
    assert (table.engine, table.is_transactional, table.has_row_versions) == ("RocksDB", True, False)
    assert list(table.lacking(0b1010)) == ["g", "c`d"]
    assert table.updates_in_any_order is False


def test_a_table_without_names_in_the_log() -> None:
    table = table_of("a INT, g INT AS (a), PRIMARY KEY (a)", names=False)
    assert (table.columns, table.key, table.stored) == ([], (), 0b11)
    assert list(table.lacking(0b11)) == ["@1", "@2"]
    assert table_of("a INT PRIMARY KEY", names=False, primary_key=(0,)).key == (0,)


def test_a_table_that_is_not_known() -> None:
    lost = table_of("a INT, b INT", is_known=Unknown("lost", ""), primary_key=(1,))
    assert (lost.columns, lost.key, lost.engine, lost.is_transactional) == ([], (1,), "", True)
    assert lost.has_row_versions is False


@pytest.mark.parametrize(
    ("options", "is_transactional"), [("", True), ("ENGINE=InnoDB", True), ("ENGINE=MyISAM", False)]
)
def test_engines_with_transactions(options: str, is_transactional: bool) -> None:
    assert table_of("a INT", options).is_transactional is is_transactional


@pytest.mark.parametrize(
    ("columns", "more", "any_order"),
    [
        ("a INT", {}, True),
        ("a INT PRIMARY KEY", {}, False),
        ("a INT UNIQUE", {}, True),
        ("a INT", {"mariadb": True}, False),
        ("a INT", {"is_known": None}, True),
        ("a INT", {"is_known": None, "names": False}, False),
        ("a INT", {"is_known": None, "primary_key": (0,)}, False),
        ("a INT", {"names": False}, True),
        ("a INT PRIMARY KEY", {"names": False}, False),
    ],
)
def test_mysql_updates_rows_without_a_key_in_any_order(columns: str, more: dict[str, Any], any_order: bool) -> None:
    assert table_of(columns, **more).updates_in_any_order is any_order


@pytest.mark.parametrize(
    ("columns", "options", "versions"),
    [
        ("a INT", "WITH SYSTEM VERSIONING", True),
        ("a INT, s TIMESTAMP(6) GENERATED ALWAYS AS ROW START", "", True),
        ("a INT, b INT AS (a)", "", False),
        ("a INT", "", False),
    ],
)
def test_row_versions(columns: str, options: str, versions: bool) -> None:
    assert table_of(columns, options, mariadb=True).has_row_versions is versions


# ---- foreign keys


def test_a_foreign_key_guards_the_columns_it_refers_to() -> None:
    one = reference(to=("id",))
    (guard,) = table_of(references=[one]).guards
    assert not guard.refers_to_itself([b"1", b"1", b"x"])
    assert tuple(guard) == (b"`u`.`c`", ((b"`t_id`", 0),), (), one)
    by_key = table_of(references=[reference(to=())]).guards
    assert [found.pairs for found in by_key] == [((b"`t_id`", 0),)]
    assert table_of(references=[reference(to=("nothing",))]).guards == ()
    assert table_of(references=[reference(to=("id", "up"))]).guards == ()
    assert table_of("a INT", references=[reference(to=())]).guards == ()


def test_a_row_may_refer_to_itself() -> None:
    (guard,) = table_of(references=[reference("t", "UP")]).guards
    assert guard.own == (1,)
    rows: list[list[bytes | None]] = [[b"1", b"1"], [b"1", b"2"], [b"NULL", b"NULL"], [None, None]]
    assert [guard.refers_to_itself(row) for row in rows] == [True, False, False, False]


@pytest.mark.parametrize(
    ("action", "row", "twice"),
    [
        ("CASCADE", [b"1", b"2", b"x"], True),
        ("CASCADE", [b"1", b"1", b"x"], False),
        ("CASCADE", [b"1", b"NULL", b"x"], False),
        ("SET NULL", [b"1", b"2", b"x"], False),
    ],
)
def test_a_row_of_a_circle_may_be_deleted_twice(action: str, row: list[bytes | None], twice: bool) -> None:
    assert table_of(references=[reference("t", "up", on_delete=action)]).may_be_deleted_twice(row) is twice
    assert not table_of(references=[reference("c", "up", on_delete=action)]).may_be_deleted_twice(row)
    assert not table_of("id INT, up INT", references=[reference("t", "up", on_delete=action)]).may_be_deleted_twice(row)


def test_what_cascades() -> None:
    delete, update, by_any = (
        reference(on_delete="CASCADE"),
        reference(to=("up",), on_update="SET NULL"),
        reference(to=(), on_update="CASCADE"),
    )
    table = table_of(references=[reference(), delete, update])
    assert (table.cascades_deletes, table.cascades_updates) == (delete, {1: update})
    assert table_of(references=[by_any]).cascades_updates == {0: by_any, 1: by_any, 2: by_any}
    plain = table_of(references=[reference(on_delete="RESTRICT", on_update="NO ACTION")])
    assert (plain.cascades_deletes, plain.cascades_updates) == (None, {})


# ---- the keys by which later changes are found

DEFINITION = "id INT, v VARCHAR(9) CHARSET latin1, w VARCHAR(9) CHARSET sjis, b VARBINARY(9)"


def keys_of(columns: str, *unique: Key, is_known: Any = True, names: bool = True) -> TableKeys:
    logged = described(known(columns))
    return TableKeys(table_of(columns, is_known=is_known, names=names), logged, unique)


def unique(name: str, *parts: tuple[str, int | None]) -> Key:
    return Key(name, tuple(KeyPart(column, prefix) for column, prefix in parts), unique=True)


def test_a_key_of_one_column_of_bytes_needs_no_parts() -> None:
    assert keys_of(f"{DEFINITION}, PRIMARY KEY (id)").keys == []
    assert keys_of(f"{DEFINITION}, PRIMARY KEY (b)").keys == []
    assert keys_of(DEFINITION).keys == []
    assert keys_of(f"{DEFINITION}, PRIMARY KEY (v)").keys == [[(1, LATIN1, 0)]]
    assert keys_of(f"{DEFINITION}, PRIMARY KEY (id, b)").keys == [[(0, 0, 0), (3, 0, 0)]]
    assert keys_of(f"{DEFINITION}, PRIMARY KEY (id)", unique("b", ("b", None))).keys == [[(0, 0, 0)], [(3, 0, 0)]]


def test_unique_keys_of_first_characters() -> None:
    found = keys_of(
        f"{DEFINITION}, PRIMARY KEY (id)",
        unique("v", ("id", None), ("v", 3)),
        unique("b", ("b", 2)),
        unique("w", ("w", 3)),
        unique("whole", ("w", None)),
        unique("", ("lower(v)", None)),
    )
    assert found.keys == [[(0, 0, 0)], [(0, 0, 0), (1, LATIN1, 3)], [(3, 0, 2)], [(2, SJIS, 0)]]
    assert found.not_compared == ["w", "lower(v)"]


def test_unique_keys_of_a_table_without_names_are_not_looked_for() -> None:
    key = unique("v", ("v", None))
    for more in ({"is_known": None}, {"names": False}):
        found = keys_of(f"{DEFINITION}, PRIMARY KEY (id)", key, **more)
        assert (found.keys, found.not_compared) == ([], [])


def test_bits_without_documents() -> None:
    columns = [column(ColumnType.JSON), column(ColumnType.LONG), column(ColumnType.JSON)]
    assert bits_without_documents(0b111, columns) == 0b010
    assert bits_without_documents(0b101, columns) == 0


def test_a_sequence_is_recognized_by_its_names_or_by_its_types() -> None:
    types = {"cache_size": "BIGINT UNSIGNED", "cycle_option": "TINYINT UNSIGNED"}
    columns = ", ".join(f"{name} {types.get(name, 'BIGINT')} NOT NULL" for name in SEQUENCE_COLUMNS)
    assert table_of(columns).is_sequence
    assert table_of(columns, mariadb=True, is_known=False, names=False).is_sequence
    assert not table_of(columns, is_known=False, names=False).is_sequence, "MySQL has none"
    assert not table_of("a BIGINT, b INT", mariadb=True, is_known=False, names=False).is_sequence
