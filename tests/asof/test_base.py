"""`rows --as-of` with a base: the rows of a table as of another moment, of a server, a dump or an earlier answer."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pybinlog
from pybinlog.asof.base_log import BaseLog
from pybinlog.catalog import Catalog
from pybinlog.catalog.tables import Known
from pybinlog.source import open_source
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.server import Server, listening, running
from tests.undo.histories import ARGUMENTS

SHOP = TESTDATA / "shop"
ORDERS = "--table=shop.orders"
UUID = "02f81e89-e843-11f1-acc8-02fc00000001"
DUMP = {"mysql": ("mysqldump", "--source-data=2"), "mariadb": ("mariadb-dump", "--master-data=2")}
TABLES = """
DROP DATABASE IF EXISTS e; CREATE DATABASE e; USE e; SET NAMES utf8mb4; SET time_zone = '+01:00';
CREATE TABLE t (id INT PRIMARY KEY, fl FLOAT, du DOUBLE, v VARCHAR(20) CHARACTER SET latin1, b BLOB, s SET('a','b'),
  e ENUM('x','y') , bi BIT(9), ts TIMESTAMP(3) NULL, ti TIME(2), de DECIMAL(9,2), dt DATETIME, da DATE, bn BINARY(4),
  po POINT, ye YEAR, u BIGINT UNSIGNED, j JSON);
CREATE TABLE k (a INT, b TEXT);
INSERT INTO k VALUES (1, 'x'), (1, 'x'), (2, 'y;'), (NULL, 'it''s');
INSERT INTO t VALUES (1, 0.5, 1e100, 'ä''\\\\', x'00ff0a271a', 'a,b', 'x', 5, '2026-01-01 00:00:00.5', '-1:02:03.25',
  1.5, '2026-01-01', '2026-02-03', 'ab', ST_GeomFromText('POINT(1 2)'), 2026, 18446744073709551615,
  '{"k": [1, 2.5, "x\\'", null]}');
INSERT INTO t (id) VALUES (2);
INSERT INTO t VALUES (3, -1, 0.1, '', '', '', 'y', 0, NULL, '838:59:59', -0.01, '0001-01-01', '9999-12-31', '',
  NULL, 1901, 0, '[]');
"""
CHANGES = """
USE e; UPDATE t SET de = 9 WHERE id = 1; INSERT INTO t (id, fl) VALUES (4, 1); DELETE FROM t WHERE id = 2;
UPDATE t SET id = 30 WHERE id = 3; DELETE FROM k WHERE a = 1 LIMIT 1; UPDATE k SET b = 'z' WHERE a = 2;
INSERT INTO k VALUES (5, 'new');
"""


def answer(*arguments: str, logs: str | Path) -> list[dict[str, Any]]:
    """Return the rows that are present, without what stands beside them, in a certain order."""
    result = real("rows", "--present", "--format=jsonl", *arguments, str(logs))
    assert result.status == 0, result.err
    found = [json.loads(line, parse_float=str) for line in result.out.splitlines()]
    assert [row["_missing"] for row in found] == [None] * len(found)
    values = [{name: value for name, value in row.items() if not name.startswith("_")} for row in found]
    return sorted(values, key=json.dumps)


@pytest.fixture(scope="module", params=list(ARGUMENTS))
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server, str]]:
    port, arguments = listening()
    with running(request.param, "asof-base", *ARGUMENTS[request.param], *arguments) as one:
        yield request.param, one, f"mysql://root@127.0.0.1:{port}"


def test_a_base_gives_the_whole_table_before_and_after_it(server: tuple[str, Server, str], tmp_path: Path) -> None:
    """The logs that begin with CREATE TABLE say the same."""
    kind, one, url = server
    first = one.next_log()
    one.sql(TABLES)
    second = one.next_log()
    program, option = DUMP[kind]
    dump = tmp_path / "e.sql"
    arguments = ["--single-transaction", option, "--databases", "e"]
    socket = f"--socket=/tmp/{Path(one.socket()).name}"
    command = [one.client()[0], "run", program, socket, "-uroot", *arguments]
    dump.write_bytes(subprocess.run(command, check=True, capture_output=True, timeout=120).stdout)
    one.sql(CHANGES)
    third = one.next_log()
    for folder in ("all", "later"):
        (tmp_path / folder).mkdir()
    for log in (first, second, third):
        shutil.copy(one.folder() / log, tmp_path / "all")
    for log in (second, third):
        shutil.copy(one.folder() / log, tmp_path / "later")
    current = f"--current={url}"
    for table, count in (("e.t", 3), ("e.k", 4)):
        asked = f"--table={table}"
        for when in (f"{second}:4", f"{third}:4"):
            as_of = f"--as-of={when}"
            whole = answer(as_of, asked, current, logs=tmp_path / "later")
            assert len(whole) == count
            assert answer(as_of, asked, f"--base={dump}", logs=tmp_path / "later") == whole
            if table == "e.t":
                assert answer(as_of, asked, logs=tmp_path / "all") == whole
            assert answer(as_of, asked, current, logs=tmp_path / "later" / second) == whole  # the rest is read there
            saved = tmp_path / "saved.sql"
            sql = real("rows", as_of, asked, current, "--format=sql", str(tmp_path / "later"))
            assert sql.status == 0, sql.err
            saved.write_bytes(sql.out)
            assert answer(as_of, asked, f"--base={saved}", logs=tmp_path / "later") == whole
    chosen = answer(f"--as-of={second}:4", "--table=e.t", current, "--where=de = 1.5", logs=tmp_path / "later")
    assert [row["id"] for row in chosen] == [1]
    chosen = answer(f"--as-of={second}:4", "--table=e.t", current, "--where=id = 2", logs=tmp_path / "later")
    assert [row["id"] for row in chosen] == [2]
    chosen = answer(f"--as-of={second}:4", "--table=e.k", current, "--where=a = 1", logs=tmp_path / "later")
    assert [row["b"] for row in chosen] == ["x", "x"]


def test_a_snapshot_has_the_place_in_the_log_that_pybinlog_takes_it_for(
    server: tuple[str, Server, str], tmp_path: Path
) -> None:
    """A client writes meanwhile, and every answer is that of the moment before it began."""
    _, one, url = server
    one.sql(
        "DROP DATABASE IF EXISTS w; CREATE DATABASE w; CREATE TABLE w.t (id INT PRIMARY KEY, a INT); INSERT INTO w.t "
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT i, i FROM n"
    )
    log = one.next_log()
    statements = [
        f"UPDATE w.t SET a = a + 1 WHERE id = {number % 50 + 1}; DELETE FROM w.t WHERE id = {number % 37 + 1}; "
        f"REPLACE INTO w.t VALUES ({number % 41 + 1}, {number}), ({number % 200 + 1}, 0);\n"
        for number in range(200_000)
    ]
    script = tmp_path / "script.sql"
    script.write_text("".join(statements))
    with script.open("rb") as file, subprocess.Popen(one.client(), stdin=file) as writer:
        try:
            for _ in range(6):
                found = answer(f"--as-of={log}:4", "--table=w.t", f"--current={url}", logs=f"{url}/{log}")
                assert sorted(row["id"] for row in found) == list(range(1, 51))
                assert {row["id"]: row["a"] for row in found} == {number: number for number in range(1, 51)}
            assert writer.poll() is None
        finally:
            writer.kill()


def test_without_gtids_a_lock_tells_the_place(tmp_path: Path) -> None:
    port, arguments = listening()
    with running("mysql", "asof-lock", "--gtid-mode=OFF", *arguments) as one:
        url = f"mysql://root@127.0.0.1:{port}"
        one.sql(
            "CREATE DATABASE e; CREATE TABLE e.s (id INT PRIMARY KEY, a INT); INSERT INTO e.s VALUES (1, 1), (2, 2)"
        )
        log = one.next_log()
        one.sql("UPDATE e.s SET a = 5; INSERT INTO e.s VALUES (3, 3)")
        asked = ["rows", f"--as-of={log}:4", "--table=e.s", "--format=jsonl", f"--current={url}"]
        refused = real(*asked, f"{url}/{log}")
        assert refused.status == 1
        assert "--lock holds all tables for the moment" in refused.err
        found = [json.loads(line) for line in real(*asked, "--lock", f"{url}/{log}").out.splitlines()]
        assert {row["id"]: row["a"] for row in found} == {1: 1, 2: 2}
        one.sql("CREATE USER reader@'%'; GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO reader@'%'")
        denied = real(*asked[:-1], f"--current=mysql://reader@127.0.0.1:{port}", "--lock", f"{url}/{log}")
        assert "the tables cannot be locked" in denied.err
        assert "RELOAD" in denied.err


def test_a_row_that_changed_without_the_log_is_unknown(server: tuple[str, Server, str], tmp_path: Path) -> None:
    _, one, url = server
    one.sql("DROP DATABASE IF EXISTS e; CREATE DATABASE e; CREATE TABLE e.s (id INT PRIMARY KEY, a INT)")
    first = one.next_log()
    one.sql("INSERT INTO e.s VALUES (1, 1), (2, 2), (3, 3)")
    second = one.next_log()
    one.sql("SET sql_log_bin = 0; UPDATE e.s SET a = 7 WHERE id = 1; DELETE FROM e.s WHERE id = 2")
    shutil.copy(one.folder() / first, tmp_path)
    arguments = [f"--as-of={second}:4", "--table=e.s", f"--current={url}", "--format=jsonl"]
    result = real("rows", *arguments, str(tmp_path))
    assert "2 rows of e.s changed in a way that these logs do not hold: they are unknown" in result.err
    found = [json.loads(line) for line in result.out.splitlines()]
    assert {row["id"]: row["_state"] for row in found} == {1: "unknown", 2: "unknown", 3: "present"}


def test_what_a_server_cannot_answer_is_refused(server: tuple[str, Server, str], tmp_path: Path) -> None:
    kind, one, url = server
    one.sql("DROP DATABASE IF EXISTS e; CREATE DATABASE e; CREATE TABLE e.m (id INT PRIMARY KEY) ENGINE=MyISAM")
    log = one.next_log()
    one.sql("CREATE TABLE e.s (id INT PRIMARY KEY)")
    place = one.sql("SHOW MASTER STATUS" if kind == "mariadb" else "SHOW BINARY LOG STATUS").split("\t")[1]
    one.sql("TRUNCATE e.s")
    shutil.copy(one.folder() / log, tmp_path)
    current = f"--current={url}"
    for arguments, says in (
        ([f"--as-of={log}:4", "--table=e.m", current, str(tmp_path)], "is a table of MyISAM"),
        ([f"--as-of={log}:4", "--table=e.nothing", current, str(tmp_path)], "no such table is defined there"),
        ([f"--as-of={log}:{place}", "--table=e.s", current, str(tmp_path)], "was empty at that moment"),
        ([f"--as-of={UUID}:6", ORDERS, current, str(SHOP)], "is not the log of that name on"),
    ):
        result = real("rows", *arguments)
        assert says in result.err
        assert (result.status == 0) == ("empty" in says)
        assert result.out == b""


def test_an_answer_that_is_saved_as_sql_is_a_base_for_later_moments(tmp_path: Path) -> None:
    """The logs from their beginning on say the same, moment by moment."""
    changes = real("export", "--view=transactions", "--columns=gtid", "-o", "-", str(SHOP)).out.splitlines()
    moments = [json.loads(line)["gtid"] for line in changes]
    saved = tmp_path / "saved.sql"
    compared = 0
    for number, moment in enumerate(moments):
        sql = real("rows", f"--as-of={moment}", ORDERS, "--format=sql", str(SHOP))
        if sql.status or b"-- Definition: " not in sql.out:
            continue
        saved.write_bytes(sql.out)
        for later in moments[number - (compared > 0) :]:
            expected = answer(f"--as-of={later}", ORDERS, logs=SHOP)
            compared += 1
            assert answer(f"--as-of={later}", ORDERS, f"--base={saved}", logs=SHOP) == expected
    assert compared > 20


TABLE = "CREATE TABLE `orders` (`id` INT PRIMARY KEY, `customer` INT, `status` VARCHAR(9), `total` DECIMAL(8,2));\n"
HEAD = "-- Host: localhost    Database: shop\n"


@pytest.mark.parametrize(
    ("text", "arguments", "says"),
    [
        (HEAD, [], "no such table is defined there. Give its CREATE TABLE with --schema"),
        (HEAD + TABLE, [], "does not say of which moment it is. Say it: --base-at=GTIDS"),
        (HEAD + TABLE + "INSERT INTO `orders` VALUES (1,2);\n", [], "its rows have other columns"),
        (HEAD + TABLE + "INSERT INTO `orders` VALUES (1,2,NOW(),3);\n", [], "is not understood: NOW()"),
        (HEAD + TABLE + "INSERT INTO `orders` VALUES (1,2,'x',3", [], "an INSERT has no end"),
        (HEAD + TABLE + "INSERT INTO `orders` (`id`) VALUES (1);\n", [], "does not name all columns"),
        (HEAD + TABLE + "INSERT INTO `orders` VALUES ('x',2,'x',3);\n", [], "invalid literal"),
        (HEAD + TABLE, ["--base-at=binlog.000009:4"], "binlog.000009 is not one of the logs"),
        (HEAD + "/*!40101 SET NAMES latin1 */;\n" + TABLE, [], "the dump is in latin1"),
        (
            HEAD + "CREATE TABLE orders (id INT PRIMARY KEY, t TIMESTAMP);\n",
            [],
            "does not say that its times are in UTC",
        ),
    ],
)
def test_what_is_not_a_base_is_refused(text: str, arguments: list[str], says: str, tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text(text)
    result = real("rows", f"--as-of={UUID}:6", ORDERS, f"--base={dump}", *arguments, str(SHOP))
    assert says in result.err
    assert (result.status != 0, result.out) == (True, b"")


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_an_export_of_changes_is_not_a_base(format: str, tmp_path: Path) -> None:
    """It has no row for what a statement did to all rows."""
    if format == "parquet":
        pytest.importorskip("pyarrow", reason="needs pyarrow")
    path = tmp_path / f"orders.{format}"
    made = real("export", "--view=table", ORDERS, f"--format={format}", "-o", str(path), str(SHOP))
    assert made.status == 0, made.err
    result = real("rows", f"--as-of={UUID}:6", ORDERS, f"--base={path}", str(SHOP))
    assert (result.status, result.out) == (1, b"")
    assert "an export of changes, which does not say when the table was made" in result.err
    assert "rows --as-of=WHEN --format=sql writes a base" in result.err


@pytest.mark.parametrize("count", [250, 251, 300])
def test_a_base_may_have_hundreds_of_columns(count: int) -> None:
    names = [f"c{number}" for number in range(count)]
    catalog = Catalog()
    catalog.read("wide", f"CREATE TABLE w.t ({', '.join(f'{name} INT' for name in names)}, PRIMARY KEY (c0))")
    known = catalog.definitions.table(("w", "t"))
    assert isinstance(known, Known)
    log = BaseLog(known.table, mariadb=False)
    log.add(range(count))
    with open_source(log.finish()) as source:
        data = b"".join(iter(lambda: source.read(1 << 20), b""))
    with pybinlog.open(data) as opened:
        (row,) = opened.rows()
    assert row["after"] == {name: number for number, name in enumerate(names)}
