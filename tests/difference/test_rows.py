"""`diff --rows`, and logs of a replica against its source's, on real servers."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import real
from tests.server import Server, listening, running
from tests.undo.histories import ARGUMENTS

FORM = {
    "mysql": ["--binlog-row-image=MINIMAL", "--binlog-transaction-compression=ON"],
    "mariadb": ["--binlog-row-image=MINIMAL", "--log-bin-compress=ON", "--log-slave-updates"],
}
"""The replica's log has other images than its source's, and is compressed."""
ROWS = 40
WORKLOAD = f"""
DROP DATABASE IF EXISTS d; CREATE DATABASE d; USE d;
CREATE TABLE t (id INT PRIMARY KEY, a INT, b TEXT, c DECIMAL(9,2));
CREATE TABLE u (k VARCHAR(9), n INT, v VARCHAR(500), PRIMARY KEY (k, n));
INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
  SELECT i, i, REPEAT('text', 100), i / 4 FROM n;
INSERT INTO u SELECT CONCAT('k', id), id, b FROM t WHERE id <= 20;
UPDATE t SET a = a + 1 WHERE id <= 30;
UPDATE u SET k = UPPER(k) WHERE n > 15;
DELETE FROM t WHERE id > 35;
"""
DRIFT = """
SET sql_log_bin = 0; USE d;
UPDATE t SET c = c + 1 WHERE id <= 5; DELETE FROM t WHERE id BETWEEN 11 AND 15;
INSERT INTO t VALUES (36, 0, '', 0), (37, 0, '', 0), (38, 0, '', 0), (39, 0, '', 0), (40, 0, '', 0);
UPDATE u SET v = 'other' WHERE n <= 5;
"""


@pytest.fixture(scope="module", params=list(ARGUMENTS))
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[str, list[Server], list[str]]]:
    kind = request.param
    ports, networks = zip(*(listening() for _ in range(2)), strict=True)
    more = [["--server-id=71"], ["--server-id=72", "--relay-log=relay", *FORM[kind]]]
    with (
        running(kind, "rows-a", *ARGUMENTS[kind], *networks[0], *more[0]) as source,
        running(kind, "rows-b", *ARGUMENTS[kind], *networks[1], *more[1]) as replica,
    ):
        source.sql("CREATE USER repl@'%' IDENTIFIED BY 'x'; GRANT REPLICATION SLAVE ON *.* TO repl@'%'")
        if kind == "mysql":
            replica.sql(
                f"CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT={ports[0]}, SOURCE_USER='repl', "
                "SOURCE_PASSWORD='x', SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1; START REPLICA"
            )
        else:
            replica.sql(
                f"CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={ports[0]}, MASTER_USER='repl', "
                "MASTER_PASSWORD='x', MASTER_USE_GTID=slave_pos; START SLAVE"
            )
        yield kind, [source, replica], [f"mysql://root@127.0.0.1:{port}" for port in ports]


def wait(kind: str, source: Server, replica: Server) -> None:
    """Wait until the replica has applied all of its source."""
    if kind == "mysql":
        executed = source.sql("SELECT @@gtid_executed").strip()
        assert replica.sql(f"SELECT WAIT_FOR_EXECUTED_GTID_SET('{executed}', 60)").strip() == "0"
    else:
        place = source.sql("SELECT @@gtid_binlog_pos").strip()
        assert replica.sql(f"SELECT MASTER_GTID_WAIT('{place}', 60)").strip() == "0"


def compared(*arguments: str, status: int | None = None) -> list[dict[str, Any]]:
    result = real("diff", "--format=jsonl", *arguments)
    assert result.status in ((0, 1) if status is None else (status,)), result.err
    return [json.loads(line) for line in result.out.splitlines()]


def copied(server: Server, pattern: str, folder: Path) -> Path:
    folder.mkdir()
    for log in server.folder().glob(pattern):
        shutil.copy(log, folder)
    return folder


def test_the_logs_of_a_replica_have_the_transactions_of_its_source(
    pair: tuple[str, list[Server], list[str]], tmp_path: Path
) -> None:
    """Its own log has images of another form, compressed; its relay log has the events of the source."""
    kind, (source, replica), urls = pair
    first = source.next_log()
    source.sql(WORKLOAD)
    wait(kind, source, replica)
    logs = tmp_path / "source"
    logs.mkdir()
    shutil.copy(source.folder() / first, logs)
    relay = copied(replica, "relay.0*", tmp_path / "relay")
    for other in (str(relay), urls[1]):
        found = compared("--allow-gaps", str(logs), other)
        assert {line["difference"] for line in found} <= {"only in B"}  # what was before that log
    source.sql("UPDATE d.t SET a = 0 WHERE id = 1")
    source.next_log()
    shutil.copy(source.folder() / first, logs)
    (only,) = (line for line in compared("--allow-gaps", str(logs), str(relay)) if line["difference"] == "only in A")
    assert only["what"].startswith("1 transactions")


def test_rows_that_drifted_are_found_and_no_others(pair: tuple[str, list[Server], list[str]], tmp_path: Path) -> None:
    """On a replica, with the logs of its source, of which it has applied a part; and on a server with its own."""
    kind, (source, replica), urls = pair
    first = source.next_log()
    source.sql(WORKLOAD)
    wait(kind, source, replica)
    replica.sql("STOP REPLICA" if kind == "mysql" else "STOP SLAVE")
    source.sql("UPDATE d.t SET a = 99 WHERE id <= 10; DELETE FROM d.u WHERE n = 7")
    second = source.next_log()
    logs = tmp_path / "logs"
    logs.mkdir()
    shutil.copy(source.folder() / first, logs)
    assert compared("--rows", str(logs), urls[1], status=0) == []
    assert compared("--rows", str(logs), urls[0], status=0) == []
    replica.sql("UPDATE d.u SET v = 'errant' WHERE n = 20")  # in the replica's log
    result = real("diff", "--rows", str(logs), urls[1])
    assert result.status == 0, result.out
    assert "1 row not compared: transactions that these logs lack changed them, too" in result.err
    for url, server in zip(urls, (source, replica), strict=True):
        server.sql(DRIFT)
        found = compared("--rows", str(logs), url, status=1)
        kinds = Counter(line["what"].partition(": ")[2].split(" ")[0] for line in found)
        assert kinds == {"c": 5, "is": 5, "was": 5, "v": 5}
        assert {line["table"] for line in found} == {"d.t", "d.u"}
        assert len(compared("--rows", "--table=d.u", str(logs), url, status=1)) == 5
    shutil.copy(source.folder() / second, logs)
    assert len(compared("--rows", str(logs), urls[1], status=1)) == 20
    replica.sql("START REPLICA" if kind == "mysql" else "START SLAVE")


def test_rows_of_a_table_that_was_renamed_are_compared_by_its_new_name(
    pair: tuple[str, list[Server], list[str]], tmp_path: Path
) -> None:
    """Of two renames, one swaps tables; none of them has a row change after it."""
    _, (source, _), urls = pair
    first = source.next_log()
    source.sql(
        "DROP DATABASE IF EXISTS r; CREATE DATABASE r; USE r; CREATE TABLE a (n INT); INSERT INTO a VALUES (1); "
        "CREATE TABLE t (id INT PRIMARY KEY, a INT); "
        "CREATE TABLE u LIKE t; CREATE TABLE v LIKE t; INSERT INTO t VALUES (1, 1), (2, 2); "
        "INSERT INTO u VALUES (1, 3); INSERT INTO v VALUES (1, 4); RENAME TABLE t TO x, u TO t, x TO u; "
        "ALTER TABLE v RENAME TO r.w"
    )
    source.next_log()
    logs = copied(source, first, tmp_path / "logs")
    result = real("diff", "--rows", "--table=r.*", str(logs), urls[0])
    assert (result.status, result.err) == (0, "WARNING: r.a is not compared: it has no primary key.\n")
    assert b"4 rows as the logs left them" in result.out
    source.sql("SET sql_log_bin = 0; UPDATE r.u SET a = 9 WHERE id = 2; UPDATE r.w SET a = 9")
    found = compared("--rows", "--table=r.*", str(logs), urls[0], status=1)
    assert [(line["table"], line["what"]) for line in found] == [
        ("r.u", "id = 2: a is 2 in the logs and 9 on the server"),
        ("r.w", "id = 1: a is 4 in the logs and 9 on the server"),
    ]
    for table, rows in (("r.t", {"1": "3"}), ("r.u", {"1": "1", "2": "2"}), ("r.w", {"1": "4"})):
        asked = real("rows", f"--as-of={first}:99999999", f"--table={table}", "--format=jsonl", str(logs))
        assert {str(row["id"]): str(row["a"]) for row in map(json.loads, asked.out.splitlines())} == rows


def test_a_server_that_applied_none_of_the_logs_is_refused(
    pair: tuple[str, list[Server], list[str]], tmp_path: Path
) -> None:
    shutil.copytree(Path(__file__).parents[2] / "testdata" / "shop", tmp_path / "shop")
    result = real("diff", "--rows", str(tmp_path / "shop"), pair[2][0])
    assert result.status == 2
    assert "executed none of these logs" in result.err


def test_rows_need_a_server() -> None:
    result = real("diff", "--rows", "a", "b")
    assert result.status == 2
    assert "--rows: give logs, and then a server" in result.err
