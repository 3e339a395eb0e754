"""The view of one table: its values are those of the view `rows`, and its columns hold over changes of the schema."""

import json
from base64 import b64decode, b64encode
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pybinlog.errors import BinlogError
from pybinlog.export.text_format import CSV, JSON_LINES, TextFormat
from pybinlog.export.writers import TextWriter
from pybinlog.feed.span import spans
from pybinlog.views.options import Unfit, ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import TABLE
from pybinlog.views.table_shape import TableShape, accepts, shape_of, widened
from pybinlog.views.table_survey import table_shape
from pybinlog.views.view import Column, Kind
from tests.cli.conftest import real
from tests.corpus import Scenario, scenarios
from tests.views.batches import batch_of
from tests.views.tables import Described, described, json_lines, of_table, tables_in

BESIDE = set(TABLE.column_names)


def readable(scenario: Scenario) -> bool:
    """Return True if the scenario's logs are intact, and short enough to read them once for each table."""
    if sum(path.stat().st_size for path in scenario.logs) > 1 << 20:
        return False
    try:
        for span in spans(list(map(str, scenario.logs))):
            for _ in ViewReader(ViewOptions(view="rows")).batches(span):
                pass
    except BinlogError:
        return False
    return bool(scenario.logs)


READABLE = [scenario for scenario in scenarios() if readable(scenario)]
FULL = next(scenario for scenario in READABLE if scenario.name == "mysql-9.7/row-metadata-full")


def one_definition(scenario: Scenario, database: str, table: str, **options: Any) -> ViewOptions | None:
    """The options for a table; None if its columns change and have no names."""
    try:
        return of_table(scenario.logs, database, table, **options)
    except BinlogError as error:
        if "it does not say which is which" in str(error):
            return None
        raise


def like_the_table(value: Any, column: Column) -> Any:
    """A value of `before` or `after` as the table's column has it in JSON lines."""
    if value is None:
        return None
    if column.kind is Kind.BINARY:
        return value["base64"] if isinstance(value, dict) else b64encode(value.encode()).decode()
    if column.kind in (Kind.DATE, Kind.DATETIME, Kind.TIMESTAMP):
        return None if is_no_date(value) else value
    return value


def is_no_date(text: str) -> bool:
    year, month, day = map(int, text[:10].split("-"))
    try:
        date(year, month, day)
    except ValueError:
        return True
    return False


@pytest.mark.parametrize("scenario", READABLE, ids=lambda scenario: scenario.name)
def test_its_values_are_those_of_the_view_rows(scenario: Scenario) -> None:
    everything = json_lines(scenario.logs, ViewOptions(view="rows"))
    for database, table in tables_in(scenario.logs):
        options = one_definition(scenario, database, table, invalid_text=Unfit.NULL)
        if options is None:
            continue
        assert options.table is not None
        wanted = [row for row in everything if (row["database"], row["table"]) == (database, table)]
        found = [row for row in json_lines(scenario.logs, options) if not row["_sequence"].endswith("-0")]
        assert len(found) == len(wanted)
        columns = {column.name: column for column in options.table.columns}
        for row, change in zip(found, wanted, strict=True):
            image = {**(change["before"] or {}), **(change["after"] or {})}
            partial = {name for name, value in image.items() if isinstance(value, dict) and "partial" in value}
            known = image.keys() - partial
            assert {name: row[name] for name in known} == {
                name: like_the_table(image[name], columns[name]) for name in known
            }
            assert all(row[name] is None for name in columns.keys() - known)
            assert set(row["_missing"] or ()) >= partial
            assert not known & set(row["_missing"] or ())
            assert (row["_op"], row["_before"]) == (change["operation"], change["before"])
            assert (row["_gtid"], row["_commit_time"]) == (change["gtid"], change["commit_time"])
            assert (row["_file"], row["_position"]) == (change["file"], change["position"])


@pytest.mark.parametrize("scenario", READABLE, ids=lambda scenario: scenario.name)
def test_arrow_has_the_same_values_as_the_lines(scenario: Scenario) -> None:
    pytest.importorskip("pyarrow")
    for database, table in tables_in(scenario.logs):
        options = one_definition(scenario, database, table, invalid_text=Unfit.NULL)
        if options is None:
            continue
        for span in spans(list(map(str, scenario.logs))):
            for batch in ViewReader(options).batches(span):
                reader = ViewReader(options)
                arrow = batch.to_arrow(reader.schema)
                arrow.validate(full=True)
                for name, column, values in zip(batch.names, arrow.columns, batch.columns, strict=True):
                    kind = options.definition.column(name).kind
                    assert plain(column, kind) == values.values(0, batch.count), name


def plain(column: Any, kind: Kind) -> list[Any]:
    import pyarrow as pa

    if kind in (Kind.TIMESTAMP, Kind.DATETIME, Kind.TIME):
        column = column.cast(pa.int64())
    elif kind is Kind.DATE:
        column = column.cast(pa.int32())
    found: list[Any] = column.to_pylist()
    return found


def test_the_sequence_is_unique_and_sorts_as_the_log_is_read() -> None:
    for scenario in READABLE:
        for database, table in tables_in(scenario.logs):
            options = one_definition(scenario, database, table, columns=("_sequence",))
            if options is None:
                continue
            found = [row["_sequence"] for row in json_lines(scenario.logs, options)]
            assert found == sorted(set(found)), (scenario.name, table)


def test_the_types_are_arrows() -> None:
    pa = pytest.importorskip("pyarrow")
    options = of_table(FULL.logs, "meta", "js")
    schema = ViewReader(options).schema
    assert {name: schema.field(name).type for name in ("j", "v", "b", "t", "d", "ts")} == {
        "j": pa.string(),
        "v": pa.list_(pa.field("element", pa.float32())),
        "b": pa.uint64(),
        "t": pa.duration("us"),
        "d": pa.timestamp("us"),
        "ts": pa.timestamp("us", tz="UTC"),
    }
    signed = ViewReader(of_table(FULL.logs, "meta", "signed_t")).schema
    assert [str(signed.field(place).type) for place in range(10)] == [
        *("int8", "uint8", "uint16", "int32", "uint64", "float", "double", "decimal128(5, 1)", "uint64", "int16")
    ]
    members = ViewReader(of_table(FULL.logs, "meta", "es")).schema
    assert str(members.field("e1").type).startswith("dictionary<values=string, indices=int32")
    assert members.field("s1").type.value_type == pa.string()


def test_the_table_must_be_there() -> None:
    asked = ViewOptions(view="table", tables=frozenset({("meta", "nothing")}))
    with pytest.raises(BinlogError, match="no rows of the table"):
        table_shape(asked, spans(list(map(str, FULL.logs))))


def test_two_tables_are_an_error() -> None:
    with pytest.raises(BinlogError, match=r"meta\.signed_t and meta\.inv are two tables"):
        table_shape(ViewOptions(view="table"), spans(list(map(str, FULL.logs))))


# ---- over changes of the schema


def shape(*definitions: list[Described], wanted: list[str] | None = None) -> TableShape:
    found = shape_of(
        [
            (b"shop", b"customer", (tuple(columns), None, False), "binlog.000001", 100 * (number + 1))
            for number, columns in enumerate(definitions)
        ],
        wanted,
    )
    assert found is not None
    return found


def test_the_columns_are_the_union_by_name() -> None:
    found = shape(
        [described("id", "integer", 32), described("name", "bytes")],
        [described("ID", "integer", 64), described("born", "date")],
    )
    assert [(column.name, column.kind) for column in found.columns] == [
        ("id", Kind.LONG),
        ("name", Kind.STRING),
        ("born", Kind.DATE),
    ]
    assert found.places == (("binlog.000001", 200), ("binlog.000001", 100), ("binlog.000001", 200))


@pytest.mark.parametrize(
    ("before", "after", "wide"),
    [
        (described("a", "integer", 8), described("a", "integer", 24), Column("a", Kind.INTEGER)),
        (described("a", "integer", 32, 0, True), described("a", "integer", 32), Column("a", Kind.LONG)),
        (
            described("a", "integer", 64, 0, True),
            described("a", "integer", 64),
            Column("a", Kind.DECIMAL, precision=20, scale=0),
        ),
        (
            described("a", "decimal", 5, 2),
            described("a", "decimal", 8, 4),
            Column("a", Kind.DECIMAL, precision=8, scale=4),
        ),
        (
            described("a", "decimal", 10, 0),
            described("a", "decimal", 10, 10),
            Column("a", Kind.DECIMAL, precision=20, scale=10),
        ),
        (
            described("a", "integer", 32),
            described("a", "decimal", 5, 2),
            Column("a", Kind.DECIMAL, precision=12, scale=2),
        ),
        (described("a", "float"), described("a", "double"), Column("a", Kind.DOUBLE)),
        (described("a", "integer", 32), described("a", "float"), Column("a", Kind.DOUBLE)),
        (described("a", "date"), described("a", "datetime", 0, 3), Column("a", Kind.DATETIME, scale=3)),
        (described("a", "time", 0, 0), described("a", "time", 0, 6), Column("a", Kind.TIME, scale=6)),
        (
            described("a", "enum", members=["x", "y"]),
            described("a", "enum", members=["z", "x"]),
            Column("a", Kind.ENUM, members=("x", "y", "", "z")),
        ),
        (described("a", "enum", members=["x"]), described("a", "bytes"), Column("a", Kind.STRING)),
        (described("a", "json"), described("a", "bytes"), Column("a", Kind.STRING)),
        (described("a", "year"), described("a", "integer", 32), Column("a", Kind.INTEGER)),
    ],
)
def test_a_type_that_widens(before: Described, after: Described, wide: Column) -> None:
    assert shape([before], [after]).columns == (wide,)
    turned = shape([after], [before]).columns[0]
    assert replace(turned, members=tuple(sorted(turned.members))) == replace(wide, members=tuple(sorted(wide.members)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (described("a", "integer", 32), described("a", "bytes")),
        (described("a", "bytes"), described("a", "bytes", collation=63)),
        (described("a", "bytes", collation=0), described("a", "bytes")),
        (described("a", "datetime"), described("a", "timestamp")),
        (described("a", "integer", 64), described("a", "double")),
        (described("a", "enum", members=["x"]), described("a", "enum")),
        (described("a", "set", members=["x"]), described("a", "bytes")),
        (described("a", "decimal", 65, 0), described("a", "decimal", 65, 30)),
    ],
)
def test_types_that_contradict_are_an_error_with_both_places(before: Described, after: Described) -> None:
    places = r"the column a of shop\.customer is .* at binlog\.000001:100 and .* at binlog\.000001:200"
    with pytest.raises(BinlogError, match=places):
        shape([before], [after])
    # an unwanted one may have any type
    rest = [described("b", "date"), described("c", "year")]
    assert [column.name for column in shape([before, *rest], [after], wanted=["b"]).columns] == ["b", "c"]


def test_without_names_a_change_of_the_columns_is_an_error() -> None:
    two = [described(None, "integer", 32), described(None, "integer", 32)]
    assert [column.name for column in shape(two, two).columns] == ["@1", "@2"]
    with pytest.raises(BinlogError, match="it does not say which is which"):
        shape(two, two[:1])


def test_a_column_of_a_reserved_name_gets_another() -> None:
    found = shape([described("_op", "integer", 32), described("__OP", "date"), described("_other", "date")])
    assert [column.name for column in found.columns] == ["__op", "___OP", "_other"]


def test_what_widens_accepts_both() -> None:
    kinds = [Column("a", kind) for kind in Kind if kind is not Kind.DECIMAL]
    kinds += [Column("a", Kind.DECIMAL, precision=p, scale=s) for p, s in ((5, 2), (20, 0), (38, 38), (65, 30))]
    for first in kinds:
        for second in kinds:
            wide = widened(first, second)
            assert wide is None or (accepts(wide, first) and accepts(wide, second))
            assert accepts(first, first)


# ---- values that a type cannot hold


def test_zero_dates_are_null_or_an_error() -> None:
    times = next(scenario for scenario in READABLE if scenario.name == "mysql-9.7/types-time")
    for database, table in tables_in(times.logs):
        options = of_table(times.logs, database, table)
        refusing = options.replace(zero_dates=Unfit.ERROR)
        rows = json_lines(times.logs, ViewOptions(view="rows", tables=frozenset({(database, table)})))
        texts = [value for row in rows for value in (row["after"] or row["before"]).values()]
        if any(isinstance(text, str) and text.startswith("0000-00-00") for text in texts):
            with pytest.raises(BinlogError, match="is in no calendar"):
                json_lines(times.logs, refusing)
            break
    else:
        pytest.fail("no table has a zero date")


def test_a_time_may_be_negative_and_beyond_a_day() -> None:
    pytest.importorskip("pyarrow")
    options = of_table(FULL.logs, "meta", "js", columns=("t",))
    (span,) = spans(list(map(str, FULL.logs)))
    (batch,) = ViewReader(options).read(span)
    assert batch.to_pylist() == [{"t": -timedelta(hours=1, minutes=2, seconds=3, milliseconds=456)}]


def test_a_decimal_has_all_its_digits() -> None:
    pytest.importorskip("pyarrow")
    numbers = next(scenario for scenario in READABLE if scenario.name == "mysql-9.7/types-decimal-float")
    found = 0
    for database, table in tables_in(numbers.logs):
        options = of_table(numbers.logs, database, table)
        assert options.table is not None
        decimals = [column for column in options.table.columns if column.kind is Kind.DECIMAL]
        wide = [column.name for column in decimals if column.precision > 38]
        rows = json_lines(numbers.logs, ViewOptions(view="rows", tables=frozenset({(database, table)})))
        (span,) = spans(list(map(str, numbers.logs)))
        values = [row for batch in ViewReader(options).read(span) for row in batch.to_pylist()]
        for row, value in zip(rows, values, strict=True):
            image = row["after"] or row["before"]
            for name in wide:
                found += 1
                assert value[name] == (None if image[name] is None else Decimal(image[name]))
    assert found


# ---- logs of a table that changes

CHANGING = """\
-- server: version=9.7 format=ROW row_metadata=FULL
con1: CREATE DATABASE shop;
con1: USE shop;
con1: CREATE TABLE customer (id TINYINT PRIMARY KEY, name VARCHAR(20) CHARACTER SET latin1, level ENUM('a','b'));
con1: INSERT INTO customer VALUES (1, 'Zoë', 'b');
con1: INSERT INTO customer VALUES (2, 'Bob', 'a');
con1: ALTER TABLE customer ADD COLUMN born DATE FIRST;
con1: ALTER TABLE customer MODIFY id BIGINT;
con1: ALTER TABLE customer MODIFY level ENUM('c','b','a');
con1: INSERT INTO customer VALUES ('2001-02-03', 3000000000, 'Ann', 'b');
con1: UPDATE customer SET id = 4 WHERE id = 2;
con1: DELETE FROM customer WHERE id = 1;
"""


@pytest.fixture
def changing(tmp_path: Path) -> Path:
    (tmp_path / "change.sql").write_text(CHANGING, encoding="utf-8")
    assert real("simulate", "-o", str(tmp_path), str(tmp_path / "change.sql")).status == 0
    return tmp_path / "change.000001"


def test_rows_of_all_definitions_have_the_same_columns(changing: Path) -> None:
    options = of_table([changing], "shop", "customer", columns=("id", "name", "level", "born", "_op"))
    assert [tuple(row.values()) for row in json_lines([changing], options)] == [
        (1, "Zoë", "b", None, "INSERT"),
        (2, "Bob", "a", None, "INSERT"),
        (3000000000, "Ann", "b", "2001-02-03", "INSERT"),
        (2, "Bob", "a", None, "DELETE"),
        (4, "Bob", "a", None, "UPDATE"),
        (1, "Zoë", "b", None, "DELETE"),
    ]
    assert options.table is not None
    assert [column.kind for column in options.table.columns] == [Kind.LONG, Kind.STRING, Kind.ENUM, Kind.DATE]


def test_a_changed_key_is_a_deletion_before_the_update(changing: Path) -> None:
    options = of_table([changing], "shop", "customer", columns=("id", "_op", "_sequence", "_before"))
    deleted, updated = json_lines([changing], options)[3:5]
    assert deleted["_sequence"][:-1] == updated["_sequence"][:-1]
    assert deleted["_sequence"] < updated["_sequence"]
    assert deleted["_before"] == updated["_before"]
    assert updated["_before"]["id"] == 2


def test_a_column_that_came_after_the_logs_were_looked_through(changing: Path) -> None:
    options = of_table([changing], "shop", "customer", stop_position=1500)
    assert options.table is not None
    assert [column.name for column in options.table.columns] == ["id", "name", "level"]
    with pytest.raises(BinlogError, match="has a column born here, which it had not when the logs were looked through"):
        json_lines([changing], options.replace(stop_position=None))


def test_a_row_that_is_refused_leaves_those_before_it_whole(changing: Path) -> None:
    options = of_table([changing], "shop", "customer", columns=("id", "level", "_sequence", "_before"))
    assert options.table is not None
    narrow = tuple(replace(column, members=("a", "b", "")) for column in options.table.columns)
    options = options.replace(table=replace(options.table, columns=narrow))
    batches = ViewReader(options).batches(spans([str(changing)])[0])
    first = next(batches)
    assert [column.values(0, first.count) for column in first.columns[:2]] == [[1, 2], ["b", "a"]]
    with pytest.raises(BinlogError, match=r"the column level of shop\.customer is"):
        next(batches)


@pytest.mark.parametrize("form", [JSON_LINES, CSV])
def test_large_bytes_are_base64(form: TextFormat, tmp_path: Path) -> None:
    data = bytes(range(256)) * (5 << 12) + b"x"
    batch = batch_of({"a": (Kind.LONG, [7]), "b": (Kind.BINARY, [data])})
    with (tmp_path / "out").open("w+b", buffering=0) as file:
        writer = TextWriter(file, batch.view, batch.names, form)
        writer.write(batch)
        writer.close()
        file.seek(0)
        text = file.read().decode().splitlines()[-1]
    found = json.loads(text)["b"] if form is JSON_LINES else text.partition(",")[2].strip('"')
    assert b64decode(found) == data
