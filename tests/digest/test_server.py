"""Digest texts, and those of a real MySQL 9.7."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from pybinlog.digest import digest_text
from tests.digest.statements import asked, connect, statement, stored, value
from tests.server import Server, running

STATEMENTS = 2000


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running("mysql", "digest", "--binlog-rows-query-log-events=ON") as server:
        server.sql("DROP DATABASE IF EXISTS d0; CREATE DATABASE d0")
        yield server


@pytest.mark.parametrize("seed", [1, 2])
def test_statements_at_random_have_the_servers_digest(server: Server, seed: int) -> None:
    random = Random(seed)
    texts = [statement(random) for _ in range(STATEMENTS)]
    if seed == 1:
        texts += [text for text, _ in stored()]
    cursor = connect(server.socket())
    cursor.execute("USE d0")
    differ = [text for text in texts if asked(cursor, text) != digest_text(text.encode())]
    cursor.connection.close()
    assert differ == []


CHANGES = [
    "INSERT INTO t (a, b) VALUES {rows}",
    "insert into `t` (`a`, b) values {rows} -- {n}",
    "INSERT /* {n} */ INTO t SET a = {n}, b = {v}",
    "INSERT INTO t (a, b) SELECT {n}, {v} UNION ALL SELECT {n}, 'x'",
    "REPLACE INTO t (a, b) VALUES ({n}, {v})",
    "UPDATE t SET b = CONCAT('{n} ', a), a = a + 1 WHERE id IN (1, 2, {n})",
    "UPDATE t SET a = {n} + a, b = {v} WHERE id > 0 ORDER BY a, id LIMIT 3",
    "UPDATE t x JOIN t y USING (id) SET x.a = y.a + {n} WHERE y.id < 5",
    "DELETE FROM t WHERE id = (SELECT * FROM (SELECT MAX(id) FROM t) m) AND a <> -{n}.5",
    "INSERT INTO u VALUES ({n}, {v}) ON DUPLICATE KEY UPDATE b = CONCAT('{n}', a)",
    "CREATE TABLE d{d} (a INT DEFAULT NULL, b VARCHAR({d}) NOT NULL DEFAULT 'x{n}', KEY (a))",
    "ALTER TABLE t COMMENT = '{n}'",
]


def workload(random: Random) -> Iterator[str]:
    """Yield statements that all change something; most are in transactions of several."""
    yield "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a DOUBLE, b TEXT)"
    yield "CREATE TABLE u (a INT PRIMARY KEY, b TEXT)"
    yield "INSERT INTO t (a, b) VALUES " + ", ".join(f"({number}, 'first')" for number in range(40))
    for number in range(600):
        text = random.choice(CHANGES)
        rows = ", ".join(f"({number + place}, {value(random)})" for place in range(random.choice((1, 2, 5))))
        yield text.replace("{rows}", rows).format(n=number, v=value(random), d=number + 1)
        if random.random() < 0.3:
            yield random.choice(("COMMIT", "BEGIN", "ROLLBACK", "SAVEPOINT s", "SELECT 1"))


@pytest.mark.parametrize(("compression", "mode"), [("OFF", ""), ("ON", ""), ("OFF", "ANSI,NO_BACKSLASH_ESCAPES")])
def test_stats_have_the_groups_of_performance_schema(server: Server, compression: str, mode: str) -> None:
    """A statement that was logged is a Rows_query or a Query with its digest."""
    cursor = connect(server.socket())
    for text in ("DROP DATABASE d0", "CREATE DATABASE d0", "USE d0", "FLUSH BINARY LOGS"):
        cursor.execute(text)
    cursor.execute(f"SET binlog_transaction_compression = {compression}")
    cursor.execute("SET sql_mode = %s", (mode,))
    cursor.execute("TRUNCATE performance_schema.events_statements_summary_by_digest")
    log = server.sql("SHOW BINARY LOGS").splitlines()[-1].split("\t")[0]
    for text in workload(Random(3)):
        if mode:
            text = IN_MODE.sub(in_mode, text)
        if text != "ROLLBACK":  # nothing would be logged
            cursor.execute(text)
    cursor.execute("COMMIT")
    cursor.execute(
        "SELECT DIGEST_TEXT, SUM(COUNT_STAR) FROM performance_schema.events_statements_summary_by_digest"
        " WHERE SCHEMA_NAME = 'd0' AND DIGEST_TEXT REGEXP '^(INSERT|REPLACE|UPDATE|DELETE|CREATE|ALTER)' GROUP BY 1"
    )
    expected = {text: int(count) for text, count in cursor.fetchall()}
    cursor.connection.close()
    assert len(expected) > len(CHANGES)
    found: Counter[str] = Counter()
    for group in counted("--by=statement,type", str(server.folder() / log)):
        if group["type"] == "Rows_query" or (group["type"] == "Query" and group["statement"].startswith(("CR", "AL"))):
            found[group["statement"]] += group["events"]
    assert found == expected


IN_MODE = re.compile(r"""[xb]'[^']*'|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|\bb\b""", re.DOTALL)


def in_mode(found: re.Match[str]) -> str:
    """Return a backslash for a string, and the column b in double quotes."""
    if found[0] == "b":
        return '"b"'
    return r"'\'" if found[0][0] in "'\"" else found[0]


def counted(*arguments: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "pybinlog", "stats", "--format=jsonl", *arguments]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]
