"""Random statements on real servers: after each, the catalog knows the tables as the server logs them."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from pybinlog.catalog import Catalog
from tests.catalog.agreement import read
from tests.server import Server, running

ARGUMENTS = {
    "mysql": ["--binlog-row-metadata=FULL", "--gtid-mode=ON", "--enforce-gtid-consistency=ON"],
    "mariadb": ["--binlog-row-metadata=FULL", "--binlog-format=ROW"],
}
TABLES = ["t", "u", "`v w`", "e.t"]
COLUMNS = ["a", "b", "c", "d", "`f g`", "h"]
TYPES = [
    "INT", "INT UNSIGNED", "BIGINT", "TINYINT(1)", "DECIMAL(9,3)", "DECIMAL", "FLOAT(30)", "FLOAT", "DOUBLE",
    "VARCHAR(20)", "VARCHAR(300) CHARACTER SET latin1", "CHAR(9)", "CHAR(200) CHARACTER SET utf8mb3", "TEXT",
    "TEXT(100)", "BLOB", "BLOB(70000)", "LONGTEXT CHARACTER SET cp1251", "BINARY(8)", "VARBINARY(40)", "ENUM('x','y')",
    "SET('p','q','r') CHARACTER SET latin1", "DATE", "DATETIME(3)", "TIME", "TIMESTAMP", "TIMESTAMP(2) NULL", "YEAR",
    "BIT(9)", "JSON", "VARCHAR(9) COLLATE utf8mb4_bin", "NCHAR(3)", "BOOLEAN", "SERIAL", "INT AUTO_INCREMENT",
    "NATIONAL VARCHAR(7)", "CHAR", "REAL", "INTEGER ZEROFILL", "DOUBLE PRECISION", "LONG", "VARCHAR(4) BINARY",
]  # fmt: skip
MORE_TYPES = {
    "mysql": ["VECTOR(3)", "GEOMETRY", "POINT", "JSON DEFAULT (JSON_ARRAY())"],
    "mariadb": [
        "UUID",
        "INET4",
        "INET6",
        "VARCHAR(30) COMPRESSED",
        "TEXT COMPRESSED",
        "GEOMETRY",
        "BLOB COMPRESSED=zlib",
    ],
}
INDEXABLE = ["INT", "BIGINT UNSIGNED", "VARCHAR(20)", "DATETIME", "CHAR(5) CHARACTER SET latin1", "TIMESTAMP"]
ATTRIBUTES = [
    "", "", "", "", "NOT NULL", "NULL", "DEFAULT NULL", "PRIMARY KEY", "UNIQUE", "UNIQUE KEY", "KEY",
    "COMMENT 'it''s, (x'", "NOT NULL PRIMARY KEY", "NOT NULL UNIQUE COMMENT 'PRIMARY KEY'", "INVISIBLE",
]  # fmt: skip
LONG_KEYS = re.compile(r"SERIAL|UNIQUE( KEY)?")
"""Clauses that make a hidden column in MariaDB, if the column is or becomes a long text; SERIAL is UNIQUE, too."""
CHARSETS = ["latin1", "utf8mb4", "cp1251", "utf8mb3 COLLATE utf8mb3_bin", "utf16", "binary"]


class Statements:
    """Statements over a few tables and columns, many of which a server refuses; only the others are logged."""

    def __init__(self, kind: str, seed: int):
        self.kind = kind
        self.random = Random(seed)

    def script(self, count: int) -> str:
        lines = ["SET sql_mode = ''; DROP DATABASE IF EXISTS d; DROP DATABASE IF EXISTS e;"]
        lines.append("CREATE DATABASE d; CREATE DATABASE e CHARACTER SET latin1; USE d;")
        lines += [f"{self.create(table)};" for table in TABLES]
        for _ in range(count):
            lines.append(self.session())
            lines.append(f"{self.statement()};")
            for table in TABLES:
                lines.append(f"DELETE FROM {table}; INSERT INTO {table} () VALUES ();")
        return "\n".join(lines)

    def session(self) -> str:
        setting = self.random.random()
        if setting > 0.3:
            return ""
        if self.kind == "mariadb":
            return f"SET NAMES {self.random.choice(['utf8mb4', 'latin1'])};"
        name = self.random.choice(["explicit_defaults_for_timestamp", "binlog_transaction_compression"])
        return f"SET SESSION {name} = {self.random.choice(['ON', 'OFF'])};"

    def table(self) -> str:
        return self.random.choice(TABLES)

    def column(self) -> str:
        return self.random.choice(COLUMNS)

    def charset(self) -> str:
        return self.random.choice(["CHARACTER SET ", "CHARSET="]) + self.random.choice(CHARSETS)

    def declared(self) -> str:
        if self.random.random() < 0.1:
            kept = self.random.choice(["STORED", "VIRTUAL"])
            return f"{self.random.choice(['INT', 'VARCHAR(30)'])} GENERATED ALWAYS AS (CONCAT(1, ')')) {kept}"
        types = INDEXABLE if self.random.random() < 0.4 else TYPES + MORE_TYPES[self.kind]
        made = f"{self.random.choice(types)} {self.random.choice(ATTRIBUTES)}"
        return made if self.kind == "mysql" else LONG_KEYS.sub("INT" if made.startswith("SERIAL") else "", made)

    def keys(self) -> str:
        columns = ", ".join(self.random.sample(COLUMNS, self.random.choice([1, 1, 2])))
        words = [
            "PRIMARY KEY",
            "PRIMARY KEY",
            "KEY",
            "CONSTRAINT x PRIMARY KEY",
            *["UNIQUE KEY"] * (self.kind == "mysql"),
        ]
        return f"{self.random.choice(words)} ({columns})"

    def create(self, table: str) -> str:
        columns = self.random.sample(COLUMNS, self.random.randint(2, 5))
        parts = [f"{name} {self.declared()}" for name in columns]
        if self.random.random() < 0.4:
            parts.append(self.keys())
        options = f" {self.charset()}" if self.random.random() < 0.4 else ""
        return f"CREATE TABLE {table} ({', '.join(parts)}){options}"

    def place(self) -> str:
        return self.random.choice(["", "", "FIRST", f"AFTER {self.column()}"])

    def change(self) -> str:
        random = self.random
        forms: list[Callable[[], str]] = [
            lambda: f"ADD {self.column()} {self.declared()} {self.place()}",
            lambda: f"ADD COLUMN ({self.column()} {self.declared()}, {self.column()} INT)",
            lambda: f"MODIFY {self.column()} {self.declared()} {self.place()}",
            lambda: f"CHANGE {self.column()} {self.column()} {self.declared()} {self.place()}",
            lambda: "RENAME COLUMN {0} TO {1}, RENAME COLUMN {1} TO {0}".format(*random.sample(COLUMNS, 2)),
            lambda: f"RENAME COLUMN {self.column()} TO {self.column()}",
            lambda: f"DROP {self.column()}",
            lambda: f"DROP COLUMN {self.column()}",
            lambda: "DROP PRIMARY KEY",
            lambda: f"DROP PRIMARY KEY, ADD {self.keys()}",
            lambda: f"ADD {self.keys()}",
            lambda: "DROP INDEX `PRIMARY`",
            lambda: "DROP CONSTRAINT `PRIMARY`",
            lambda: f"ALTER COLUMN {self.column()} DROP DEFAULT",
            lambda: f"CONVERT TO {self.charset().replace('=', ' ')}",
            lambda: self.charset(),
        ]
        return random.choice(forms)()

    def statement(self) -> str:
        random = self.random
        choice = random.random()
        if choice < 0.6:
            changes = ", ".join(self.change() for _ in range(random.choice([1, 1, 1, 2, 3])))
            # MariaDB keeps a copy under the old name if the statement changes anything else
            rename = f", RENAME TO {self.table()}" if self.kind == "mysql" and random.random() < 0.1 else ""
            return f"ALTER TABLE {self.table()} {changes}{rename}"
        if choice < 0.75:
            table = self.table()
            return f"DROP TABLE IF EXISTS {table}; {self.create(table)}"
        if choice < 0.82:
            first, second = random.sample(TABLES, 2)
            return f"DROP TABLE {first}; CREATE TABLE {first} LIKE {second}"
        if choice < 0.84:
            return f"ALTER TABLE {self.table()} RENAME TO {self.table()}"
        if choice < 0.88:
            first, second = random.sample(TABLES, 2)
            return f"RENAME TABLE {first} TO x, {second} TO {first}, x TO {second}"
        if choice < 0.91:
            return f"DROP DATABASE e; CREATE DATABASE e {self.charset()}; {self.create('e.t')}"
        if choice < 0.94:
            return f"ALTER DATABASE d {self.charset()}"
        if choice < 0.97:
            return f"DROP INDEX `PRIMARY` ON {self.table()}"
        return "CREATE TEMPORARY TABLE y (a INT); ALTER TABLE y ADD b INT; DROP TEMPORARY TABLE y"


@pytest.fixture(scope="module", params=list(ARGUMENTS))
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server]]:
    with running(request.param, "random-definitions", *ARGUMENTS[request.param]) as server:
        yield request.param, server


@pytest.mark.parametrize("seed", range(8))
def test_a_catalog_follows_random_statements(server: tuple[str, Server], seed: int, tmp_path: Path) -> None:
    kind, running_server = server
    running_server.sql("DROP DATABASE IF EXISTS d; DROP DATABASE IF EXISTS e")
    log = running_server.next_log()
    running_server.sql(Statements(kind, seed).script(80), force=True)
    running_server.next_log()
    copy = Path(shutil.copy(running_server.folder() / log, tmp_path))
    assert read(Catalog(pytest.fail), copy, mariadb=kind == "mariadb") > 20
