"""Statements with MySQL 9.7's own digest texts, and statements at random.

`python -m tests.digest.statements` asks a server for the digest texts again, and writes testdata/digests.jsonl.
"""

import json
import re
from random import Random
from typing import Any

from tests.corpus import TESTDATA

STORED = TESTDATA / "digests.jsonl"
"""A line for each statement: the statement and what STATEMENT_DIGEST_TEXT() returned, as a JSON array."""

VALUES = ["1", "0", "42", "1.5", ".5", "1e5", "1.5e-3", "0x1F", "x'41'", "b'01'", "-1", "- 2.5", "+3", "NULL"]
STRINGS = ["''", "'a'", '"b"', "'it''s'", r"'it\'s'", r"'a\\'", "'/* '", "'-- '", "'); DROP'", "'?'", "'üö'", '"\'"']
SPACES = [" "] * 12 + ["  ", "\n", "\t", " /* x */ ", "/* ' */", " -- y's\n", " # (z\n", "\r\n"]
TEMPLATES = [
    "INSERT INTO t VALUES {rows}",
    "INSERT INTO `t` (a, `b c`, d) VALUES {rows}",
    "REPLACE INTO d0.t VALUES {rows}",
    "INSERT INTO t VALUES {rows} ON DUPLICATE KEY UPDATE a = a + {v}, b = VALUES ( b )",
    "INSERT INTO t SELECT {list} FROM u WHERE a IN ( {list} )",
    "INSERT INTO t SELECT a, {list}, b, f ( {list} ), NOW(), {v}",
    "UPDATE t SET a = {v}, b = {v} WHERE c = {v} AND d < {v}",
    "UPDATE t SET a = a + {v} WHERE b BETWEEN {v} AND {v} ORDER BY c LIMIT 5",
    "UPDATE t SET j = JSON_SET( j, '$.a', {v} ) WHERE j->'$.b' = {v} OR NOT c <=> {v}",
    "UPDATE t SET a = CASE b WHEN {v} THEN {v} ELSE {v} END WHERE c IN ( {list} ) AND (d, e) IN ( {rows} )",
    "DELETE FROM t WHERE a = {v} OR b LIKE {v} OR c IS NOT NULL",
    "DELETE FROM t WHERE a NOT IN ( {list} ) ORDER BY 1, b DESC LIMIT 3",
    "SELECT {list}, a.b, `c`.d, @u, @'v w' FROM t a GROUP BY 1, a HAVING COUNT(*) > {v} ORDER BY a + {v}, 2, b",
    "SELECT a - {v} * {v} / ( {v} ), a DIV {v}, a << {v} FROM t WHERE a > ALL ( SELECT {v} )",
    "CALL p ( {list} )",
    "SET @a = {v}, @b = {v}",
    "DO f ( {v} ), a ( {list}, b, {list} )",
    "VALUES ROW ( {list} ), ROW ( {list} )",
    "SELECT {rows}",
    "SELECT a IN ( {list} ), {rows}",
]

PIECES = [*VALUES, *STRINGS, *TEMPLATES, "(", ")", ",", "'", '"', "`", "/*", "*/", "/*!", "/*!99999", "/*+", "--", "\n"]
PIECES += ["ORDER BY 1", "SELECT", "NULL", "@", "@@", ".", "-", "x'", "\\", ";", "\0", "IN", "INSERT INTO t VALUES"]
"""Parts of statements, whole and broken."""


def stored() -> list[tuple[str, str]]:
    return [tuple(json.loads(line)) for line in STORED.read_text(encoding="utf-8").splitlines()]


def value(random: Random) -> str:
    return random.choice(VALUES + STRINGS)


def value_list(random: Random) -> str:
    return ", ".join(value(random) for _ in range(random.choice((1, 2, 3, 7))))


def rows(random: Random) -> str:
    extra = random.choice((None, None, None, "NOW()", "a"))
    parts = []
    for _ in range(random.choice((1, 2, 3, 4, 9))):
        parts.append(f"( {value_list(random)}{'' if extra is None else ', ' + extra} )")
    return ", ".join(parts)


def statement(random: Random, template: str | None = None) -> str:
    """Return a statement: of a template with values, spaces and comments at random, and words in any case."""
    text = template or random.choice(TEMPLATES)
    text = re.sub(r"{(\w+)}", lambda found: {"v": value, "list": value_list, "rows": rows}[found[1]](random), text)
    parts = re.split(r"""('(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|`[^`]*`)""", text)
    for at in range(0, len(parts), 2):
        part = re.sub(" ", lambda _: random.choice(SPACES), parts[at])
        if random.random() < 0.3:
            part = re.sub(r"\b(insert|values|select|null|by|in)\b", lambda found: found[0].lower(), part, flags=re.I)
        parts[at] = part
    return "".join(parts)


def connect(socket: str) -> Any:
    import pymysql

    connection = pymysql.connect(unix_socket=socket, user="root", charset="utf8mb4", autocommit=True, read_timeout=30)
    return connection.cursor()


def asked(cursor: Any, text: str) -> str:
    """Return what the server says; raise pymysql's error if it does not parse the statement."""
    cursor.execute("SELECT STATEMENT_DIGEST_TEXT(%s)", (text,))
    found: str = cursor.fetchone()[0]
    return found


def write_stored() -> None:
    from tests.server import running

    with running("mysql", "digests") as server:
        server.sql("CREATE DATABASE d0")
        cursor = connect(server.socket())
        cursor.execute("USE d0")
        lines = [json.dumps([text, asked(cursor, text)], ensure_ascii=False) for text, _ in stored()]
    STORED.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    write_stored()
