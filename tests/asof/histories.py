"""Random histories on a real server: the rows as of each moment against what the server showed then.

    .venv/bin/python -m tests.asof.histories --server mysql --runs 10 --seed 0

A history changes tables and their rows in all ways that the histories of undo know, with row images of all kinds, XA
transactions, and keys that change. After each step, the state of all tables is a moment. Pybinlog's rows of
that moment must be those of the server, as far as it claims to know them.
"""

import base64
import json
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.cli.conftest import real
from tests.server import Server
from tests.undo.columns import quoted
from tests.undo.histories import DATABASES, History, Name, Wrong, parser_of, path, run_seeds
from tests.undo.session import Session

STEPS = 40
FORGETS = re.compile(
    "it was dropped|its database was dropped|it was renamed|another spelling|a statement is not understood"
    "|its primary key|a column of its key"
)
"""Reasons after which a table may be another one than that of the base."""
CURRENT = "mysql://root@localhost"
"""The server, at its socket."""
COLUMNS = {
    "de": "DECIMAL(12,3)",
    "fl": "DOUBLE",
    "da": "DATE",
    "dt": "DATETIME(3)",
    "ts": "TIMESTAMP NULL",
    "bl": "BLOB",
    "tx": "TEXT",
    "en": "ENUM('a','b','c')",
    "st": "SET('x','y','z')",
    "bi": "BIGINT UNSIGNED",
    "ch": "CHAR(5)",
    "vb": "VARBINARY(5)",
    "js": "JSON",
}
TEXTS = "k VARCHAR(9), n INT NOT NULL DEFAULT 3, v VARCHAR(9), m INT, g INT AS (m * 2) STORED, PRIMARY KEY (k, n)"
Row = dict[str, str | None]


@dataclass
class Moment:
    """A place in the logs, and for each table its key, the types of its columns and its rows by key."""

    log: str
    position: int
    text: str
    gtid: str
    time: float
    tables: dict[Name, tuple[tuple[str, ...], dict[str, str], list[Row]]]


class AsOfHistory(History):
    """A history with more types, row images and keys that change."""

    def __init__(self, session: Session, seed: int):
        super().__init__(session, seed)
        self.random = Random(f"as of {self.kind} {seed}")
        self.moments: list[Moment] = []
        self.prepared: str | None = None

    def begin(self) -> None:
        super().begin()
        self.session.run("SET time_zone = '+00:00'")
        columns = ", ".join(map(" ".join, COLUMNS.items()))
        generated = "ge INT AS (id + 1) STORED, vi INT AS (id + 2) VIRTUAL"
        self.session.run(f"CREATE TABLE b.ty (id INT PRIMARY KEY, {columns}, {generated})")
        collation = self.random.choice(["utf8mb4_general_ci", "utf8mb4_bin", "latin1_swedish_ci", "utf8mb4_unicode_ci"])
        self.session.run(f"CREATE TABLE b.tk ({TEXTS}) COLLATE {collation}")

    def go(self, steps: int) -> None:
        """Run steps, each with a moment after it."""
        for _ in range(steps):
            statements = self._step()
            for statement in statements:
                self.session.attempt(statement)
            log, position = self.session.position()
            prefix, number = self.session.last_gtid()
            self.moments.append(
                Moment(log, position, "; ".join(statements), f"{prefix}{number}", time.time(), self._tables())
            )
            if self.random.random() < 0.08:
                self.session.run("FLUSH BINARY LOGS")
        if self.prepared is not None:
            self.session.attempt(f"XA COMMIT {self.prepared}")

    def _step(self) -> list[str]:
        random = self.random
        if self.prepared is not None:
            decision = random.choice(["XA COMMIT", "XA ROLLBACK"])
            prepared, self.prepared = self.prepared, None
            return [f"{decision} {prepared}"]
        choice = random.random()
        if choice < 0.12:
            return self._definition()
        some = self.own_changes() if choice < 0.7 else self._changes()
        if random.random() < 0.4:
            image = random.choice(["MINIMAL", "NOBLOB"])
            some = [f"SET binlog_row_image = {image}", *some, "SET binlog_row_image = FULL"]
        return some

    def own_changes(self) -> list[str]:
        random = self.random
        some = [self._own_change() for _ in range(random.choice([1, 1, 2, 4]))]
        frame = random.random()
        if frame < 0.1:
            return ["BEGIN", *some, "ROLLBACK"]
        if frame < 0.5:
            if frame < 0.2:
                some[1:1] = ["SAVEPOINT s", self._own_change(), "ROLLBACK TO SAVEPOINT s"]
            return ["BEGIN", *some, "COMMIT"]
        if frame < 0.65:
            xid = f"'x{next(self._numbers)}'"
            end = [f"XA START {xid}", *some, f"XA END {xid}"]
            if frame < 0.53:
                return [*end, f"XA COMMIT {xid} ONE PHASE"]
            if self.kind == "mariadb":  # the connection decides before it does something else
                return [*end, f"XA PREPARE {xid}", f"XA {random.choice(['COMMIT', 'ROLLBACK'])} {xid}"]
            self.prepared = xid
            return [*end, f"XA PREPARE {xid}"]
        return some

    def _own_change(self) -> str:
        random = self.random
        key = random.randrange(12)
        if random.random() < 0.5:
            return self._text_change()
        choice = random.random()
        column = random.choice(list(COLUMNS))
        if choice < 0.35:
            columns = [column, "de", "tx"] if column not in ("de", "tx") else ["de", "tx"]
            verb = random.choice(["INSERT IGNORE", "REPLACE"])
            values = ", ".join(self._typed(name) for name in columns)
            return f"{verb} INTO b.ty (id, {', '.join(columns)}) VALUES ({key}, {values})"
        if choice < 0.75:
            return f"UPDATE b.ty SET {column} = {self._typed(column)} WHERE id >= {key} LIMIT {random.choice([1, 3])}"
        if choice < 0.87:
            return f"UPDATE IGNORE b.ty SET id = {random.randrange(12)} WHERE id = {key}"
        return f"DELETE FROM b.ty WHERE id = {key}"

    def _typed(self, column: str) -> str:
        values = {
            "de": ["1.5", "-200.125", "0", "NULL"],
            "fl": ["1.5", "-2e30", "0.1", "NULL"],
            "da": ["'2026-01-02'", "NULL"],
            "dt": ["'2026-01-02 03:04:05.678'", "NULL"],
            "ts": ["'2026-01-02 03:04:05'", "NULL"],
            "bl": ["x'00ff10'", "''", "NULL", "REPEAT('b', 300)"],
            "tx": ["'a\\'b'", "'ä€'", "''", "NULL"],
            "en": ["'a'", "'c'", "NULL"],
            "st": ["'x,z'", "''", "'y'", "NULL"],
            "bi": ["18446744073709551615", "7", "NULL"],
            "ch": ["'x'", "'ab c'", "NULL"],
            "vb": ["x'0001'", "'a '", "NULL"],
            "js": ["""'{"a": [1, 2.5, "x"]}'""", "'null'", "'[1]'", "NULL"],
        }
        return self.random.choice(values[column])

    def _text_change(self) -> str:
        random = self.random
        key, number = random.choice(["'a'", "'A'", "'ä'", "'b '", "'b'", "'ß'", "'ss'"]), random.randrange(2)
        choice = random.random()
        if choice < 0.4:
            verb = random.choice(["INSERT IGNORE", "REPLACE"])
            return f"{verb} INTO b.tk (k, n, m) VALUES ({key}, {number}, {random.randrange(99)})"
        if choice < 0.6:
            return f"UPDATE b.tk SET {random.choice(['v', 'm'])} = {random.randrange(99)} WHERE k = {key}"
        if choice < 0.8:
            return (
                f"UPDATE IGNORE b.tk SET k = {random.choice(['UPPER(k)', 'LOWER(k)', key])} WHERE n = {number} LIMIT 1"
            )
        return f"DELETE FROM b.tk WHERE k = {key} AND n = {number}"

    def _tables(self) -> dict[Name, tuple[tuple[str, ...], dict[str, str], list[Row]]]:
        keys: dict[Name, list[str]] = {}
        for database, table, column in self.session.select(
            "SELECT table_schema, table_name, column_name FROM information_schema.statistics WHERE index_name ="
            f" 'PRIMARY' AND table_schema IN {DATABASES} ORDER BY seq_in_index"
        ):
            keys.setdefault((str(database), str(table)), []).append(str(column))
        found = {}
        for name, columns in self.tables().items():
            names = [column for column, _ in columns]
            rows = self.session.select(f"SELECT {', '.join(map(quoted, names))} FROM {path(name)}")
            kinds = dict(columns)
            if self.kind == "mariadb" and "js" in kinds:
                kinds["js"] = "longtext"
            found[name] = (tuple(keys.get(name, ())), kinds, [dict(zip(names, row, strict=True)) for row in rows])
        return found


def same(kind: str, logged: Any, shown: str | None) -> bool:
    """Return True if a value of the JSON is what the server showed."""
    if kind == "json" and shown == "null":  # the JSON of a row has one null for both
        return logged is None
    if logged is None or shown is None:
        return logged is None and shown is None
    if kind == "json":
        documents = {json.dumps(json.loads(shown, parse_float=str), sort_keys=True), json.dumps(shown)}
        return json.dumps(logged, sort_keys=True) in documents
    if isinstance(logged, dict):
        return base64.b64decode(logged["base64"]) == shown.encode("latin1")
    if isinstance(logged, list):
        return ",".join(logged) == shown
    if kind in ("double", "float"):
        return float(logged) == float(shown)
    if kind == "timestamp":
        return str(logged).replace("T", " ").removesuffix("Z").removesuffix(".000000") == shown
    if kind in ("datetime",):
        return str(logged).replace("T", " ") == shown
    return str(logged) == shown


def by_key(rows: list[dict[str, Any]], key: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return rows by their keys. The order of missing columns depends on the definitions that were read."""
    return {
        json.dumps([row.get(name) for name in key]): {**row, "_missing": sorted(row["_missing"] or ())} for row in rows
    }


class Checker:
    """Compares pybinlog with one history."""

    def __init__(self, history: AsOfHistory, logs: Path, options: list[str], current: list[str], counts: Counter[str]):
        self.history = history
        self.current = current
        self.logs = logs
        self.options = options
        self.counts = counts
        self.random = history.random

    def moment(self, moment: Moment, *, by_gtid: bool) -> None:
        self.counts["moments"] += 1
        for name, (key, kinds, rows) in moment.tables.items():
            when = moment.gtid if by_gtid else f"{moment.log}:{moment.position}"
            table = f"--table={path(name, quotes=False)}"
            current = [f"--current={CURRENT}", *self.current]
            self.whole_table(name, when, table, moment, current)
            if self.random.random() < 0.4:
                self.from_base(name, when, table, moment)
            if not key:
                continue
            result = real("rows", f"--as-of={when}", table, "--format=jsonl", *self.options, str(self.logs))
            about = f"{name} as of {when} ({moment.text}): {result.err}"
            if "fault in pybinlog" in result.err or "Traceback" in result.err:
                raise Wrong(about)
            if result.status:
                self.counts[f"refused: {re.sub(r'[0-9]+', 'N', result.err)[-90:].strip()}"] += 1
                continue
            found = [json.loads(line, parse_float=str) for line in result.out.splitlines()]
            self.table(about, key, kinds, rows, found)
            if found and self.random.random() < 0.3:
                self.condition(about, key, kinds, found, [f"--as-of={when}", table])

    def from_base(self, name: Name, when: str, table: str, moment: Moment) -> None:
        """Save the whole table as of another moment; from there, all rows of this one are told."""
        other = self.random.choice([one for one in self.history.moments if name in one.tables])
        asked = ["rows", f"--as-of={other.log}:{other.position}", table, "--format=sql", *self.options]
        given = [f"--current={CURRENT}", *self.current] if self.random.random() < 0.5 else []
        result = real(*asked, *given, str(self.logs))
        if result.status or b"-- Definition: " not in result.out:
            self.counts["no base"] += 1
            return
        base = self.logs.parent / "base.sql"
        base.write_bytes(result.out)
        self.whole_table(name, when, table, moment, [f"--base={base}"], other.tables[name][2])

    def whole_table(
        self, name: Name, when: str, table: str, moment: Moment, given: list[str], held: Sequence[Row] = ()
    ) -> None:
        """With all rows of another moment, all rows of that moment are told. `held` are those of a base: each that is
        uncertain is told to be unknown.
        """
        key, kinds, rows = moment.tables[name]
        asked = ["rows", f"--as-of={when}", table, *self.options, *given]
        result = real(*asked, "--format=jsonl", str(self.logs))
        form = given[0][2:].partition("=")[0]
        about = f"{name} as of {when} ({moment.text}) with {given}: {result.err}"
        if "fault in pybinlog" in result.err or "Traceback" in result.err:
            raise Wrong(about)
        if result.status:
            self.counts[f"{form} refused: {re.sub(r'[0-9]+', 'N', result.err.splitlines()[-1])[:90].strip()}"] += 1
            return
        found = [json.loads(line, parse_float=str) for line in result.out.splitlines()]
        if "are unknown" in result.err or "otherwise now" in result.err:
            raise Wrong(f"{about}\nnothing but the logged statements has changed rows")
        present = [one for one in found if one["_state"] == "present"]
        self.counts[f"whole tables by {form}"] += 1
        self.counts[f"rows of whole tables by {form}"] += len(present)
        if key:
            self.table(about, key, kinds, rows, found)
        left = list(rows)
        for one in present:
            values = {column: value for column, value in one.items() if not column.startswith("_")}
            place = next(
                (at for at, row in enumerate(left) if all(same(kinds[c], v, row[c]) for c, v in values.items())), None
            )
            if place is None:
                raise Wrong(f"{about}\n{one} is said to be there; the server had {left}")
            del left[place]
        reasons = re.findall(r"is uncertain: (.*)", result.err)
        if form == "current" or not reasons:
            missing = left
        elif any(FORGETS.match(reason) for reason in reasons):
            missing = []
        else:
            unknown = [one for one in found if one["_state"] == "unknown"]
            missing = [
                row
                for row in left
                if any(all(of_base[part] == row[part] for part in key) for of_base in held)
                and not any(all(same(kinds[part], one[part], row[part]) for part in key) for one in unknown)
            ]
            self.counts[f"rows of whole tables by {form} that are unknown"] += len(left) - len(missing)
        if missing:
            raise Wrong(f"{about}\nthe server had also {missing}")

    def condition(
        self, about: str, key: tuple[str, ...], kinds: dict[str, str], found: list[dict[str, Any]], asked: list[str]
    ) -> None:
        """A condition chooses among the rows of the whole answer; one on the key takes another way to them."""
        one = self.random.choice(found)
        names = [name for name in (key if self.random.random() < 0.7 else tuple(kinds)) if name in one]
        name = self.random.choice(names)
        value = one[name]
        if value is None or not isinstance(value, (int, str)) or kinds[name] in ("double", "json", "timestamp"):
            return
        if not str(value).isascii():  # BINARY compares it with the bytes of UTF-8
            return
        text = str(value).replace("\\", "\\\\").replace("'", "''")
        where = f"{quoted(name)} = {value}" if isinstance(value, int) else f"BINARY {quoted(name)} = '{text}'"
        if kinds[name] in ("decimal", "date", "datetime", "enum", "set", "year"):
            where = f"{quoted(name)} = {value if kinds[name] == 'decimal' else repr(value)}"
        result = real("rows", *asked, f"--where={where}", "--format=jsonl", *self.options, str(self.logs))
        if result.status or "could not be judged" in result.err:
            self.counts[f"not asked: {re.sub(r'[0-9]+', 'N', result.err)[:70].strip()}"] += 1
            return
        chosen = [json.loads(line, parse_float=str) for line in result.out.splitlines()]
        states = ("present", "deleted", "unknown") if name in key else ("present",)
        if name in key and isinstance(value, str):  # of a deleted key, each spelling may have another last change
            states = ("present",)
            chosen = [row for row in chosen if row["_state"] == "present"]
        expected = [row for row in found if row.get(name) == value and row["_state"] in states]
        self.counts["conditions"] += 1
        if by_key(chosen, key) != by_key(expected, key):
            raise Wrong(f"{about}\n--where={where} chooses {chosen}, not {expected}")

    def table(
        self, about: str, key: tuple[str, ...], kinds: dict[str, str], rows: list[Row], found: list[dict[str, Any]]
    ) -> None:
        there = list(rows)
        for one in found:
            state = one["_state"]
            self.counts[state] += 1
            of_key = [row for row in there if all(same(kinds[name], one.get(name), row[name]) for name in key)]
            if state == "deleted" and of_key:
                raise Wrong(f"{about}\n{one} is said to be deleted, and is there: {of_key}")
            if state != "present":
                continue
            values = {name: value for name, value in one.items() if not name.startswith("_")}
            if not set(values) <= set(kinds):
                raise Wrong(f"{about}\n{one} has other columns than {list(kinds)}")
            if len(of_key) != 1:
                raise Wrong(f"{about}\n{one} is said to be there; the server had {of_key or there}")
            for column, value in values.items():
                if not same(kinds[column], value, of_key[0][column]):
                    raise Wrong(f"{about}\n{one} has {column} = {value!r}, the server {of_key[0][column]!r}")
            missing = set(kinds) - set(values)
            if missing != set(one["_missing"] or ()):
                raise Wrong(f"{about}\n{one} lacks {missing}, and names {one['_missing']}")
            self.counts["whole rows"] += not missing
            there.remove(of_key[0])
        self.counts["rows that are not told"] += len(there)


def one_run(server: Server, seed: int, folder: Path, counts: Counter[str]) -> None:
    """Run the history of a seed. Raise Wrong."""
    kind = "mysql" if "mysql" in str(server.client()[0]) else "mariadb"
    session = Session(kind, server.socket())
    try:
        for name in ("lock_wait_timeout", "innodb_lock_wait_timeout"):
            session.run(f"SET {name} = 1")
        for xid in session.select("XA RECOVER"):
            session.attempt(f"XA ROLLBACK '{xid[-1]}'")
        history = AsOfHistory(session, seed)
        session.run("SET foreign_key_checks = 0")
        for database in DATABASES:
            session.attempt(f"DROP DATABASE IF EXISTS {database}")
        session.run("SET foreign_key_checks = 1")
        session.run("FLUSH BINARY LOGS")
        first, _ = session.position()
        if kind == "mysql":
            session.run(f"SET GLOBAL binlog_row_metadata = {history.random.choice(['FULL', 'MINIMAL'])}")
        history.begin()
        early = history.random.random() < 0.5
        if not early:  # the logs begin in the middle: rows from before are told by later changes
            for _ in range(12):
                for statement in history.own_changes():
                    session.attempt(statement)
            if history.prepared:
                session.attempt(f"XA COMMIT {history.prepared}")
                history.prepared = None
            session.run("FLUSH BINARY LOGS")
            first, _ = session.position()
        definitions = history.definitions()
        history.go(STEPS)
        session.run("FLUSH BINARY LOGS")
        end, _ = session.position()
        logs = folder / "logs"
        logs.mkdir(parents=True)
        for log in sorted(server.folder().glob("binlog.0*[0-9]")):
            if first <= log.name < end:
                shutil.copy(log, logs)
        steps = (f"{one.log}:{one.position} {one.gtid} {one.text}\n" for one in history.moments)
        (folder / "history.sql").write_text("".join(steps))
        options: list[str] = []
        if not early:
            dump = folder / "schema.sql"
            dump.write_text(definitions)
            options = [f"--schema={dump}", "--schema-of=start"]
        checker = Checker(history, logs, options, [f"--socket={server.socket()}"], counts)
        for moment in history.moments[:-1]:
            by_gtid = history.random.random() < 0.2 and moment.gtid[-2:] != ":0"
            checker.moment(moment, by_gtid=by_gtid)
    finally:
        session.close()


if __name__ == "__main__":
    sys.exit(run_seeds(parser_of(__doc__, 5, "asof").parse_args(), one_run))
