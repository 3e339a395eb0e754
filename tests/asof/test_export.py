"""`export --as-of`: the rows of a moment as typed columns."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from tests.asof.histories import COLUMNS
from tests.asof.test_servers import VALUES
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.server import running
from tests.undo.histories import ARGUMENTS

SHOP = str(TESTDATA / "shop")
UUID = "02f81e89-e843-11f1-acc8-02fc00000001"
ASKED = ["--view=table", "--table=shop.orders"]


def test_the_rows_of_a_moment_are_a_parquet_file(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    path = tmp_path / "orders.parquet"
    assert real("export", *ASKED, f"--as-of={UUID}:6", "-o", str(path), SHOP).status == 0
    found = {row["id"]: row for row in parquet.read_table(path).to_pylist()}
    assert found[5] == {"id": 5, "customer": 5, "status": "paid", "total": Decimal("18.90")}
    shown = real("rows", "--table=shop.orders", f"--as-of={UUID}:6", "--present", "--format=jsonl", SHOP).out
    assert sorted(found) == sorted(json.loads(line)["id"] for line in shown.splitlines())


def test_columns_and_conditions_choose() -> None:
    arguments = [*ASKED, f"--as-of={UUID}:6", "--where=status = 'paid'", "--columns=id,total", "-o", "-", SHOP]
    assert real("export", *arguments).out == b'{"id":5,"total":18.90}\n'


def test_a_value_that_the_logs_do_not_tell_is_null() -> None:
    log = str(TESTDATA / "asof" / "mariadb-replace.000001")
    result = real("export", "--view=table", "--table=b.t", "--as-of=2037-01-01", "-o", "-", log)
    found = {row["id"]: row for row in map(json.loads, result.out.splitlines())}
    assert found[1] == {"id": 1, "a": 10, "v": None, "x": None}
    assert "values that the logs do not tell are null, in 1 row" in result.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--view=rows", "--table=shop.orders", "--as-of=now"], "--as-of requires --view=table"),
        (["--view=table", "--table=shop.nothing", "--as-of=now"], "shop.nothing had no row at that moment"),
        ([*ASKED, "--current=mysql://db1"], "--current requires --as-of"),
    ],
)
def test_what_cannot_be_exported_is_refused(arguments: list[str], says: str, tmp_path: Path) -> None:
    result = real("export", *arguments, "-o", str(tmp_path / "out"), SHOP)
    assert (result.status != 0, says in result.err) == (True, True)


@pytest.mark.parametrize("kind", list(ARGUMENTS))
def test_values_of_all_types_are_those_of_the_changes(kind: str, tmp_path: Path) -> None:
    """The rows as of the end are the last changes of the view `table`."""
    columns = ", ".join(map(" ".join, COLUMNS.items()))
    with running(kind, "asof-export", *ARGUMENTS[kind]) as server:
        first = server.next_log()
        server.sql(
            f"SET NAMES utf8mb4; CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY, {columns}, uu GEOMETRY); "
            + "".join(f"INSERT INTO d.t VALUES ({row}, ST_GeomFromText('POINT(1 2)')); " for row in VALUES)
        )
        server.next_log()
        log = tmp_path / first
        log.write_bytes((server.folder() / first).read_bytes())
    asked = ["--view=table", "--table=d.t", "-o", "-", str(log)]
    names = ",".join(["id", *COLUMNS, "uu"])
    changes = real("export", f"--columns={names}", *asked)
    assert changes.status == 0, changes.err
    assert real("export", "--as-of=2037-01-01", *asked).out == changes.out
