"""Conditions on rows of many tables, on rows without columns, and on columns that changed."""

import warnings
from pathlib import Path

import pytest

import pybinlog
from pybinlog.errors import BinlogWarning
from pybinlog.event_types import EventType
from pybinlog.kernel.condition import row_condition
from pybinlog.where import Condition
from pybinlog.where.tree import WhereError
from tests.cli.conftest import real
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_9_7, LogBuilder
from tests.layout.log_builder import row as image
from tests.where.answers import kept
from tests.where.test_dump import dumped

CHANGES = {
    "tinyint": ("TINYINT", "1", "2"),
    "unsigned": ("BIGINT UNSIGNED", "18446744073709551615", "18446744073709551614"),
    "year": ("YEAR", "2001", "2002"),
    "float": ("FLOAT", "1.5", "1.25"),
    "double": ("DOUBLE", "1.5", "1.25"),
    "decimal": ("DECIMAL(5,2)", "1.50", "1.51"),
    "bit": ("BIT(9)", "b'1'", "b'100000001'"),
    "date": ("DATE", "'2024-02-29'", "'2024-02-28'"),
    "datetime": ("DATETIME(6)", "'2024-02-29 01:02:03'", "'2024-02-29 01:02:03.000001'"),
    "time": ("TIME(6)", "'01:02:03'", "'-01:02:03'"),
    "timestamp": ("TIMESTAMP(6) NULL", "'2024-02-29 01:02:03'", "'2024-02-29 01:02:03.000001'"),
    "enum": ("ENUM('a','b')", "'a'", "'b'"),
    "set": ("SET('a','b')", "'a'", "'a,b'"),
    "text": ("VARCHAR(9) CHARACTER SET utf8mb4", "'a'", "'A'"),
    "longer": ("VARCHAR(9) CHARACTER SET utf8mb4", "'a'", "'a '"),
    "empty": ("VARBINARY(9)", "''", "'a'"),
    "blob": ("BLOB", "X'00'", "X'01'"),
    "null": ("INT NULL", "0", "NULL"),
    "not_null": ("INT NULL", "NULL", "0"),
}


def simulated(statements: list[str], folder: Path) -> Path:
    scenario = folder / "rows.sql"
    scenario.write_text(
        "-- server: version=9.7 format=ROW row_metadata=FULL\nCREATE DATABASE d;\n"
        + "".join(f"{statement};\n" for statement in statements)
    )
    assert real("simulate", "-o", str(folder), str(scenario)).status == 0
    return folder / "rows.000001"


def test_a_column_changed_if_its_bytes_did(tmp_path: Path) -> None:
    """Each update changes one column; the row has the update's number then."""
    columns = ", ".join(f"`{name}` {type}" for name, (type, _, _) in CHANGES.items())
    values = ", ".join(first for _, first, _ in CHANGES.values())
    statements = [f"CREATE TABLE d.t (id INT PRIMARY KEY, {columns})", f"INSERT INTO d.t VALUES (0, {values})"]
    for number, (name, (_, _, second)) in enumerate(CHANGES.items(), 1):
        statements.append(f"UPDATE d.t SET id = {number}, `{name}` = {second}")
    log = simulated(statements, tmp_path)
    for number, name in enumerate(CHANGES, 1):
        for unknown in ("keep", "drop"):
            assert kept(log, f"changed(`{name}`)", unknown) == [number]
            others = [other for other in range(1, len(CHANGES) + 1) if other != number]
            assert kept(log, f"NOT changed(`{name}`)", unknown) == others


@pytest.mark.parametrize("count", [64, 65])
def test_a_condition_asks_for_at_most_64_columns(count: int, tmp_path: Path) -> None:
    columns = ", ".join(f"c{number} INT" for number in range(count))
    log = simulated([f"CREATE TABLE d.t ({columns})", f"INSERT INTO d.t VALUES ({', '.join('7' * count)})"], tmp_path)
    condition = " AND ".join(f"c{number} = 7" for number in range(count))
    rows = pybinlog.open(str(log)).rows(where=condition)
    if count == 64:
        assert len(list(rows)) == 1
    else:
        with pytest.raises(WhereError, match=r"where: in the table d\.t, the condition asks for more than 64 columns$"):
            list(rows)


def test_tables_that_are_forgotten_are_bound_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_9_7).begin()
    for number in range(12):
        table = 71 + number % 3
        builder.table_map(INT_AND_TEXT[: 1 + number % 2], table_id=table, name=f"t{number % 3}")
        images = image(number, "a") if number % 2 else b"\xfe" + number.to_bytes(4, "little")
        builder.rows(EventType.WRITE_ROWS, images, 1 + number % 2, table_id=table)
    log = tmp_path / "binlog.000001"
    log.write_bytes(builder.commit(1).data)

    def found() -> tuple[list[int], object]:
        text, tally = dumped(log, where=Condition("@1 > 3 AND @2 LIKE '_'"))
        return [number for number in range(12) if f"@1={number} ".encode() in text.replace(b"\n", b" ")], tally

    whole = found()
    assert whole[0] == [5, 7, 9, 11]
    monkeypatch.setattr(row_condition, "MOST_PROGRAMS", 1)
    assert str(found()) == str(whole)


@pytest.mark.parametrize("unknown", ["keep", "drop"])
def test_a_row_without_columns_cannot_be_judged(unknown: str, tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_9_7).begin().table_map(INT_AND_TEXT)
    builder.rows(EventType.WRITE_ROWS, b"", 2, columns_before_image=b"\0")
    builder.table_map(INT_AND_TEXT).rows(EventType.WRITE_ROWS, image(1, "a") + image(2, "b"), 2)
    log = tmp_path / "binlog.000001"
    log.write_bytes(builder.commit(1).data)
    _, tally = dumped(log, where=Condition("@1 = 2", drops_unknown=unknown == "drop"))
    assert tally is not None
    assert (tally.kept, tally.dropped, tally.unknown) == ((2, 1, 1) if unknown == "keep" else (1, 2, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BinlogWarning)
        rows = list(pybinlog.open(str(log)).rows(where="@1 = 2", where_unknown=unknown))  # type: ignore[arg-type]
    inserted = [row["after"] for row in rows]
    assert inserted == ([{}, {"@1": 2, "@2": b"b"}] if unknown == "keep" else [{"@1": 2, "@2": b"b"}])
    assert [row["row"] for row in rows] == ([1, 3] if unknown == "keep" else [3])
