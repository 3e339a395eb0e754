"""Random histories of definitions and rows on a real server: names, undo and redo against what the server shows.

    .venv/bin/python -m tests.undo.histories --server mysql --runs 100 --seed 0

A history renames, moves, exchanges and alters tables between changes of their rows. The names of columns must be those
of information_schema at each row, or absent. An undo and a redo of some of its transactions must give the state that
the server's own rows say, or refuse for a reason that the server confirms; the reasons are counted.
"""

import argparse
import json
import re
import shutil
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from tests.cli.conftest import real
from tests.corpus import PROJECT
from tests.server import Server
from tests.undo.columns import quoted
from tests.undo.session import Session
from tests.undo.witness import Seen, Shapes, Witness, shapes_of

ARGUMENTS = {
    "mysql": ["--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--binlog-row-metadata=MINIMAL"],
    "mariadb": ["--binlog-format=ROW"],
}
DATABASES = ("b", "c")
NAMES = ("t", "u", "p", "k", "v", "w")
LEAVES_ROWS = (
    "COMMENT = 'x'",
    "FORCE",
    "ENGINE = InnoDB",
    "ADD KEY (a)",
    "ADD KEY ix (a)",
    "DROP KEY ix",
    "AUTO_INCREMENT = 50",
    "ROW_FORMAT = DYNAMIC",
    "DEFAULT CHARACTER SET latin1",
    "DISABLE KEYS",
    "RENAME KEY ix TO iy",
)
"""Changes of a table that do not stop an undo."""
ACTIONS = ("CASCADE", "SET NULL", "RESTRICT", "NO ACTION")
Name = tuple[str, str]
Row = tuple[str | None, ...]
Rows = Counter[Row]
State = dict[Name, tuple[tuple[str, ...], Rows]]
"""The columns and the rows of each table."""
STEPS = 24
TRIALS = 4


class Wrong(Exception):
    """pybinlog gave a wrong name, a wrong state, or no reason."""


@dataclass
class Step:
    """A statement or a transaction: the states around it, and the GTIDs that it has, from `first` to `last`."""

    text: str
    before: State
    after: State
    first: int
    last: int
    log: str = ""
    """The log in which it ends."""
    shapes: tuple[Shapes, Shapes] = field(default_factory=lambda: ({}, {}))
    """The tables before and after it."""

    @property
    def has_rows(self) -> bool:
        return bool(deltas(self))


def deltas(step: Step) -> dict[Name, tuple[Rows, Rows]]:
    """Return the rows that a step removed and added, by table."""
    found = {}
    for name, (columns, rows) in () if "RENAME TABLE" in step.text else step.after.items():
        before = step.before.get(name)
        if before is None and re.search(rf"CREATE TABLE ({name[0]}\.)?{name[1]} SELECT", step.text, re.IGNORECASE):
            before = columns, Counter()
        if before is not None and before[0] == columns and before[1] != rows:
            found[name] = before[1] - rows, rows - before[1]
    return found


class History:
    """The statements of a seed, run on a server one by one."""

    def __init__(self, session: Session, seed: int, *, any_case: bool = False):
        self.session = session
        self.kind = session.kind
        self.random = Random(f"history {self.kind} {seed} {any_case}")
        self._any_case = any_case
        self.steps: list[Step] = []
        self._numbers = iter(range(10**6))

    # ---- what is there

    def tables(self) -> dict[Name, list[tuple[str, str]]]:
        """Return the columns of all tables with their types, generated ones left out."""
        listed = self.session.select(
            "SELECT c.table_schema, c.table_name, c.column_name, c.data_type FROM information_schema.columns c JOIN"
            " information_schema.tables t USING (table_schema, table_name) WHERE t.table_type = 'BASE TABLE' AND"
            " c.table_schema IN ('b', 'c') ORDER BY c.table_schema, c.table_name, c.ordinal_position"
        )
        found: dict[Name, list[tuple[str, str]]] = {}
        for database, table, column, kind in listed:
            found.setdefault((str(database), str(table)), []).append((str(column), str(kind).lower()))
        return found

    def state(self) -> State:
        found: State = {}
        for name, columns in self.tables().items():
            names = ", ".join(quoted(column) for column, _ in columns)
            rows = Counter(self.session.select(f"SELECT {names} FROM {path(name)}"))
            found[name] = tuple(column for column, _ in columns), rows
        return found

    def shapes(self) -> Shapes:
        return shapes_of(self.session, list(self.tables()))

    # ---- statements

    def begin(self) -> None:
        """Make the databases and their first tables."""
        for statement in (
            "SET NAMES utf8mb4",
            "SET sql_mode = ''",
            *(f"CREATE DATABASE {name}" for name in DATABASES),
            "USE b",
        ):
            self.session.run(statement)
        for name in ("b.p", "b.t", "c.u"):
            self.session.attempt(self._create(name))
        action, other = self.random.choice(ACTIONS), self.random.choice(ACTIONS)
        self.session.attempt(
            f"CREATE TABLE b.c1 (id INT PRIMARY KEY, pid INT, a INT, CONSTRAINT f FOREIGN KEY (pid) REFERENCES b.p (id)"
            f" ON DELETE {action} ON UPDATE {other})"
        )
        self.session.attempt(
            "CREATE TABLE b.pt (id INT PRIMARY KEY, a INT, s VARCHAR(9)) PARTITION BY RANGE (id)"
            " (PARTITION p0 VALUES LESS THAN (6), PARTITION p1 VALUES LESS THAN MAXVALUE)"
        )
        if self.kind == "mariadb":
            self.session.attempt("CREATE SEQUENCE b.sq CACHE 2")

    def definitions(self) -> str:
        """Return a dump of the definitions."""
        lines = []
        for name in self.tables():
            lines.append(f"USE {name[0]};\n{self.session.select(f'SHOW CREATE TABLE {path(name)}')[0][1]};\n")
        return "".join(f"CREATE DATABASE IF NOT EXISTS {name};\n" for name in DATABASES) + "".join(lines)

    def run(self, count: int = STEPS) -> None:
        state, shapes = self.state(), self.shapes()
        for _ in range(count):
            statements = self._changes() if self.random.random() < 0.6 else self._definition()
            _, first = self.session.last_gtid()
            before = state, shapes
            errors = [self.session.attempt(statement) for statement in statements]
            shown = "; ".join(
                text + (" -- failed" if error else "") for text, error in zip(statements, errors, strict=True)
            )
            log, _ = self.session.position()
            state, shapes = self.state(), self.shapes()
            last = self.session.last_gtid()[1]
            self.steps.append(Step(shown, before[0], state, first + 1, last, log, (before[1], shapes)))
            if self.random.random() < 0.1:
                self.session.run("FLUSH BINARY LOGS")

    def _name(self) -> str:
        name = f"{self.random.choice(DATABASES)}.{self.random.choice(NAMES)}"
        return self._cased(name)

    def _cased(self, name: str) -> str:
        """Return a name, which the server may find in any case, perhaps in another one; or only the table's."""
        if not self._any_case or self.random.random() >= 0.3:
            return name
        database, dot, table = name.rpartition(".")
        return f"{database}{dot}{table.upper()}" if self.random.random() < 0.5 else name.upper()

    def _there(self) -> str:
        """Return a table that is there."""
        names = list(self.tables())
        return self._cased(path(self.random.choice(names), quotes=False)) if names else "b.t"

    def _create(self, name: str) -> str:
        random = self.random
        columns = ["a INT", "s VARCHAR(9)"]
        columns += ["n INT NOT NULL DEFAULT 0"] * (random.random() < 0.3)
        columns += ["g INT AS (a + 1) STORED"] * (random.random() < 0.15)
        random.shuffle(columns)
        key = random.random()
        if key < 0.75:
            columns.insert(0, "id INT PRIMARY KEY")
        elif key < 0.85:
            columns.insert(0, "id INT NULL UNIQUE")
        else:
            columns.insert(0, "id INT")
        if random.random() < 0.2:
            columns.append("UNIQUE KEY uk (a)")
        engine = random.choice([""] * 8 + [" ENGINE=InnoDB", " ENGINE=MyISAM"])
        return f"CREATE TABLE {name} ({', '.join(columns)}){engine}"

    def _changes(self) -> list[str]:
        """Return a change of rows, or a transaction of some."""
        random = self.random
        some = [self._change() for _ in range(random.choice([1, 1, 2, 3]))]
        frame = random.random()
        if len(some) > 1:
            end = "ROLLBACK" if frame < 0.1 else "COMMIT"
            if frame > 0.9:
                some[1:1] = ["SAVEPOINT s", self._change(), "ROLLBACK TO SAVEPOINT s"]
            some = ["BEGIN", *some, end]
        choice = random.random()
        if choice < 0.1:
            return ["SET foreign_key_checks = 0", *some, "SET foreign_key_checks = 1"]
        if choice < 0.17:
            formats = "STATEMENT", "MIXED"
            return [f"SET binlog_format = {random.choice(formats)}", *some, "SET binlog_format = ROW"]
        return some

    def _change(self) -> str:
        random = self.random
        tables = self.tables()
        if not tables:
            return "DO 1"
        name = random.choice(list(tables))
        columns = tables[name]
        where = self._where(columns)
        choice = random.random()
        prefix = ""
        if self.kind == "mariadb" and random.random() < 0.1:
            prefix = "SET STATEMENT max_statement_time=9 FOR "
        table = self._cased(path(name))
        if choice < 0.5:
            rows = ", ".join(f"({self._values(columns)})" for _ in range(random.choice([1, 2, 3])))
            names = ", ".join(quoted(column) for column, _ in columns if column != "g")
            return f"{prefix}INSERT IGNORE INTO {table} ({names}) VALUES {rows}"
        if choice < 0.8:
            column, kind = random.choice(columns)
            if column == "g":
                column, kind = columns[0]
            return f"{prefix}UPDATE IGNORE {table} SET {quoted(column)} = {self._value(column, kind)} WHERE {where}"
        if choice < 0.95:
            return f"{prefix}DELETE FROM {table} WHERE {where}"
        if choice < 0.98:
            return f"{prefix}DELETE x FROM {table} AS x WHERE {where}"
        return f"{prefix}DELETE FROM b.vw WHERE {where}"

    def _where(self, columns: list[tuple[str, str]]) -> str:
        column, kind = self.random.choice(columns)
        if kind == "varchar":
            return f"{quoted(column)} = {self._value(column, kind)}"
        return f"{quoted(column)} {self.random.choice(['=', '<', '>='])} {self.random.randrange(9)}"

    def _values(self, columns: list[tuple[str, str]]) -> str:
        return ", ".join(self._value(column, kind) for column, kind in columns if column != "g")

    def _value(self, column: str, kind: str) -> str:
        if kind == "varchar":
            return self.random.choice(["'x'", "'X '", "NULL", "''", "'ä'"])
        if column == "a" and self.kind == "mariadb" and self.random.random() < 0.05:
            return "NEXT VALUE FOR b.sq"
        return "NULL" if column not in ("id", "n") and self.random.random() < 0.1 else str(self.random.randrange(12))

    def _definition(self) -> list[str]:
        """Return statements that define something."""
        random = self.random
        one, other, new = self._there(), self._there(), self._name()
        database, _, table = one.lower().partition(".")
        columns = [column for column, _ in self.tables().get((database, table), [("a", "int")])]
        column = random.choice(columns)
        forms = [
            [f"RENAME TABLE {one} TO {new}"],
            [f"RENAME TABLE {one} TO {new}"],
            [f"RENAME TABLE {one} TO b.x, {other} TO {one}, b.x TO {other}"],
            [f"ALTER TABLE {one} RENAME {random.choice(['', 'TO ', 'AS ', '= '])}{new}"],
            [f"ALTER TABLE {one} ADD z{next(self._numbers)} INT {random.choice(['', 'FIRST'])}, RENAME {new}"],
            [f"CREATE TABLE {new} LIKE {one}"],
            [self._create(new)],
            [self._create(new)],
            [f"CREATE TABLE {new} SELECT * FROM {one}"],
            [f"DROP TABLE {one}"],
            [f"DROP TABLE IF EXISTS {one}", self._create(one)],
            [f"TRUNCATE TABLE {one}"],
            [f"ALTER TABLE b.pt EXCHANGE PARTITION {random.choice(['p0', 'p1'])} WITH TABLE {one}"],
            ["DROP TABLE IF EXISTS b.px", "CREATE TABLE b.px LIKE b.pt", "ALTER TABLE b.px REMOVE PARTITIONING"],
            ["ALTER TABLE b.pt EXCHANGE PARTITION p0 WITH TABLE b.px"],
            [f"ALTER TABLE b.pt TRUNCATE PARTITION {random.choice(['p0', 'p1'])}"],
            [f"ALTER TABLE {one} ADD z{next(self._numbers)} INT DEFAULT 7 {random.choice(['', 'FIRST', 'AFTER id'])}"],
            [f"ALTER TABLE {one} DROP COLUMN {quoted(column)}"],
            [f"ALTER TABLE {one} CHANGE a n2 INT, CHANGE n a INT, CHANGE n2 n INT"],
            [f"ALTER TABLE {one} RENAME COLUMN a TO n, RENAME COLUMN n TO a"],
            [f"ALTER TABLE {one} RENAME COLUMN {quoted(column)} TO y{next(self._numbers)}"],
            [f"CREATE TRIGGER {trigger_of(one)} {self._trigger(one, other)}"],
            [f"CREATE TRIGGER {trigger_of(one)} {self._trigger(one, other)}"],
            [f"DROP TRIGGER {trigger_of(one)}"],
            [f"ALTER TABLE {one} ADD {self._foreign_key(one, other)}"],
            [f"ALTER TABLE {one} ADD {self._foreign_key(one, other)}"],
            [f"ALTER TABLE {one} DROP FOREIGN KEY {self._key_of(one)}"],
            [f"ALTER TABLE {one} DROP FOREIGN KEY {self._key_of(one)}"],
            [f"ALTER TABLE {one} ADD UNIQUE KEY uk (a)"],
            [f"ALTER TABLE {one} DROP INDEX uk"],
            [f"CREATE INDEX ix ON {one} (a)"],
            [f"ALTER TABLE {one} {random.choice(LEAVES_ROWS)}"],
            [f"ALTER TABLE {one} {random.choice(LEAVES_ROWS)}, {random.choice(LEAVES_ROWS)}"],
            ["SET default_storage_engine = MyISAM", self._create(new), "SET default_storage_engine = InnoDB"],
            ["SET foreign_key_checks = 0", f"DROP TABLE {one}", "SET foreign_key_checks = 1"],
            [f"DROP TABLE IF EXISTS {one}, {other}"],
            [self._create(new).replace("TABLE", "TABLE IF NOT EXISTS")],
            [f"CREATE OR REPLACE VIEW b.vw AS SELECT * FROM {one}"],
            ["SET foreign_key_checks = 0", "DROP DATABASE c", "CREATE DATABASE c", "SET foreign_key_checks = 1"],
            [f"CREATE TEMPORARY TABLE {new} (id INT, a INT)", f"INSERT INTO {new} VALUES (1, 2)", f"DROP TABLE {new}"],
            [f"ALTER TABLE {one} ADD (z{next(self._numbers)} INT, KEY (a))"],
            [f"ALTER TABLE {one} MODIFY a BIGINT FIRST, ADD UNIQUE KEY uk (a)"],
        ]
        if self.kind == "mariadb":
            forms.append([self._create(new).replace("CREATE", "CREATE OR REPLACE")])
            forms.append([f"ALTER TABLE b.pt CONVERT PARTITION p0 TO TABLE {new}"])
            forms.append([f"ALTER TABLE b.pt CONVERT TABLE {one} TO PARTITION p0 VALUES LESS THAN (6)"])
        chosen = random.choice(forms)
        if random.random() < 0.15:
            mark = random.choice(
                ["/*!50003 {} */", "/* why */ {}", "-- why\n{}", "/*M!100100 {} */" * (self.kind == "mariadb")]
            )
            chosen = [(mark or "{}").format(text) for text in chosen]
        if random.random() < 0.3:
            chosen = in_database(chosen)
        if random.random() < 0.08:
            return [f"SET binlog_format = {random.choice(['STATEMENT', 'MIXED'])}", *chosen, "SET binlog_format = ROW"]
        if self.kind == "mariadb":
            choice = random.random()
            if choice < 0.25:
                prefix = "SET STATEMENT lock_wait_timeout=5 FOR "
                return [text if text.startswith(("SET", "USE")) else prefix + text for text in chosen]
            if choice < 0.4 and chosen[0].startswith("ALTER TABLE"):
                return ["SET binlog_alter_two_phase = ON", *chosen, "SET binlog_alter_two_phase = OFF"]
            if choice < 0.45:
                return ["SELECT NEXTVAL(b.sq)"]
        return chosen

    def _trigger(self, one: str, other: str) -> str:
        forms = [
            f"BEFORE UPDATE ON {one} FOR EACH ROW SET NEW.a = NEW.a + 100",
            f"BEFORE INSERT ON {one} FOR EACH ROW SET NEW.a = NEW.a + 100",
            f"AFTER DELETE ON {one} FOR EACH ROW INSERT IGNORE INTO {other} (id, a) VALUES (OLD.id, 77)",
            f"AFTER UPDATE ON {one} FOR EACH ROW DELETE FROM {other} WHERE id = NEW.id",
            f"AFTER INSERT ON {one} FOR EACH ROW UPDATE {other} SET a = 5 WHERE id = NEW.id",
        ]
        return self.random.choice(forms)

    def _foreign_key(self, one: str, other: str) -> str:
        random = self.random
        name = random.choice(["", f"CONSTRAINT k{next(self._numbers)} "])
        index = random.choice(["", "", f"i{next(self._numbers)} "])
        column = random.choice(["a", "id", "pid"])
        actions = f"ON DELETE {random.choice(ACTIONS)} ON UPDATE {random.choice(ACTIONS)}"
        if random.random() < 0.15:
            return f"z{next(self._numbers)} INT REFERENCES {other} (id) {actions}"
        return f"{name}FOREIGN KEY {index}({column}) REFERENCES {other} (id) {actions}"

    def _key_of(self, one: str) -> str:
        """Return a foreign key of a table."""
        database, name = one.lower().split(".")
        found = self.session.select(
            "SELECT constraint_name FROM information_schema.table_constraints WHERE constraint_type = 'FOREIGN KEY'"
            f" AND table_schema = '{database}' AND table_name = '{name}'"
        )
        return str(self.random.choice(found)[0]) if found else "f"


def in_database(statements: list[str]) -> list[str]:
    """Return the statements with the database of their tables as the default, if they have only one."""
    databases = set(re.findall(r"\b([bc])\.", " ".join(statements)))
    if len(databases) != 1:
        return statements
    (database,) = databases
    return [f"USE {database}", *(re.sub(rf"\b{database}\.", "", text) for text in statements), "USE b"]


def path(name: Name, *, quotes: bool = True) -> str:
    return ".".join(map(quoted, name)) if quotes else ".".join(name)


def trigger_of(table: str) -> str:
    """Return a trigger in the database of a table."""
    database, _, name = table.partition(".")
    return f"{database}.g_{name}"


@dataclass
class Judge:
    """Compares pybinlog with one history on a server."""

    server: Server
    history: History
    folder: Path
    logs: Path
    options: list[str]
    """The option for a dump of the first definitions, if the logs lack these."""
    witness: Witness
    first: int = 0
    """The first GTID of the range."""
    given: list[str] = field(default_factory=list)
    """The logs that undo and redo read."""

    def names(self, reasons: Counter[str]) -> None:
        """Each row has the names that the server had, or none."""
        result = real(
            "rows", "--columns=gtid,database,table,before,after", "--format=jsonl", *self.options, str(self.logs)
        )
        (self.folder / "rows.out").write_bytes(result.out)
        if result.status != 0:
            raise Wrong(f"rows: {result.err}")
        for line in result.out.splitlines():
            row = json.loads(line)
            number = int(re.split("[-:]", row["gtid"])[-1])
            step = next((one for one in self.history.steps if one.first <= number <= one.last), None)
            name = row["database"], row["table"]
            if step is None or name not in step.before or step.before[name][0] != step.after.get(name, ((), ()))[0]:
                continue
            expected = list(step.before[name][0])
            for image in (row["before"], row["after"]):
                if image is None:
                    continue
                reasons["images with names"] += not (absent := any(column.startswith("@") for column in image))
                reasons["images without names"] += absent
                if absent:
                    continue
                if not set(image) <= set(expected) or [one for one in expected if one in image] != list(image):
                    raise Wrong(f"{path(name)} has {expected}, not {list(image)}, at {row['gtid']}: {step.text}")

    def gtids(self, steps: list[Step]) -> str:
        prefix, _ = self.history.session.last_gtid()
        between = "-" if self.history.kind == "mysql" else ":"
        return f"--include-gtids={prefix}{steps[0].first}{between}{steps[-1].last}"

    def trial(self, number: int, reasons: Counter[str]) -> bool:
        """Take some steps back, and make them again. Return True if the state is what it was."""
        random, steps = self.history.random, self.history.steps
        candidates = [place for place, step in enumerate(steps) if step.has_rows and step.last >= step.first]
        if not candidates:
            return False
        place = random.choice(candidates)
        some = [step for step in steps[place : place + random.choice([1, 1, 2, 4])] if step.last >= step.first]
        options = [self.gtids(some)]
        self.first = some[0].first
        only: Name | None = None
        if random.random() < 0.3:
            only = random.choice(list(deltas(some[0])))
            options.append(f"--table={path(only, quotes=False)}")
        if random.random() < 0.3:
            options.append("--allow-non-transactional")
        if random.random() < 0.15:
            options.append("--format=binlog")
        else:
            options.append(f"--rows-per-statement={1 + number % 2}")  # both forms
        self.given = [str(self.logs)]
        if random.random() < 0.5:  # pybinlog finds the later logs
            self.given = [str(log) for log in sorted(self.logs.iterdir()) if log.name <= some[-1].log]
        now = self.history.state()
        before = expected_of(now, some, only)
        text = self.command("undo", number, options, reasons)
        if text is None:
            return True
        if not self.apply(text, before, number, "undo", reasons):
            return self.history.state() == now
        text = self.command("redo", number, [one for one in options if "binlog" not in one], reasons)
        return text is not None and self.apply(text, now, number, "redo", reasons)

    def command(self, command: str, number: int, options: list[str], reasons: Counter[str]) -> bytes | None:
        """Return the text that pybinlog writes, or None if it refuses."""
        result = real(command, *options, *self.options, *self.given)
        (self.folder / f"{command}-{number}.sql").write_bytes(result.out)
        (self.folder / f"{command}-{number}.err").write_text(f"{options} {len(self.given)}\n{result.err}")
        if "fault in pybinlog" in result.err or "Traceback" in result.err:
            raise Wrong(f"{command} {options}: {result.err}")
        if result.status == 0:
            reasons[f"{command}: done"] += 1
            return result.out
        for error in (line for line in result.err.splitlines() if line.startswith("ERROR")):
            confirmed = self.witness.confirms(error, self.first)
            if confirmed is False:
                raise Wrong(f"the server does not confirm why {command} {options} is refused: {error}")
            words = "confirmed" if confirmed else "not for the server"
            reasons[f"{command}: {reason_of(error)} ({words})"] += 1
        return None

    def apply(self, text: bytes, expected: State, number: int, what: str, reasons: Counter[str]) -> bool:
        """Run a text; the state must be as expected, or a note must say why not. Return True if it is."""
        import subprocess

        before = self.history.state()
        done = subprocess.run(self.server.client(), input=text, capture_output=True, check=False, timeout=120)
        found = self.history.state()
        notes = [line for line in text.decode("utf-8", "replace").splitlines()[:40] if line.startswith("-- ")]
        excuse = next((word for word in EXCUSES if any(word in note for note in notes)), None)
        if excuse is None and any("triggers that they create run" in note for note in notes) and self.fires(text):
            excuse = "a trigger of a later log"
        line = re.search(rb"at line (\d+)", done.stderr)
        if line is not None and b"AS referring" in text.split(b"\n")[int(line[1]) - 2]:
            excuse = "No row is deleted if others would be deleted with it"
        if done.returncode != 0:
            error = done.stderr.decode("utf-8", "replace").strip()
            if found != before and b"--allow-non" not in text:
                raise Wrong(f"{what} {number} failed, and changed something: {error}")
            if "ERROR 1062" in error and any("was not looked for" in note for note in notes):
                excuse = "a later row has a value of a key that is not known"
            if excuse is None and not re.search("|".join(FAILURES), error):
                raise Wrong(f"{what} {number} failed without a note: {error}")
            reasons[f"{what}: failed ({excuse or error[:40]})"] += 1
            return False
        if found == expected:
            return True
        if excuse is None:
            raise Wrong(f"{what} {number} gave another state:\n{difference(expected, found)}")
        reasons[f"{what}: another state, with a note ({excuse})"] += 1
        return False

    def fires(self, text: bytes) -> bool:
        """Return True if a table of these statements has a trigger now."""
        tables = {table.lower() for table in re.findall(r"`\.`(\w+)`", text.decode("utf-8", "replace"))}
        found = self.history.session.select("SELECT event_object_table FROM information_schema.triggers")
        return not tables.isdisjoint(str(table).lower() for (table,) in found)


EXCUSES = ("may have changed rows of", "has triggers", "may have changed the same rows", "not taken back")
FAILURES = ("ERROR 1451", "ERROR 1452", "ERROR 1785")
"""Foreign keys on which other rows depend, and MySQL's GTIDs, which allow no mix of engines; nothing changes then."""


def reason_of(error: str) -> str:
    """Return a refusal without names and positions."""
    text = re.sub(r"ERROR: [^:]*: ", "", error)
    text = re.sub(r"\b(b|c)\.\w+", "T", text, flags=re.IGNORECASE)
    return re.sub(r"\d+", "N", re.sub(r"(to be taken back|does not say which|was changed again).*", r"\1", text))[:100]


def expected_of(now: State, steps: list[Step], only: Name | None) -> State:
    """Return a state without what the steps changed: of updated rows with a primary key, the changed columns."""
    expected = {name: (columns, Counter(rows)) for name, (columns, rows) in now.items()}
    for step in reversed(steps):
        for name, (removed, added) in deltas(step).items():
            is_same = name in expected and expected[name][0] == step.after[name][0]  # else the undo is refused
            if is_same and (only is None or name == only):
                columns, rows = expected[name]
                same = columns == step.before[name][0] if name in step.before else False
                key = key_places(step, name, columns) if same else []  # of another definition, it is refused
                for was, row in pairs_by_key(removed, added, key):
                    there = next((one for one in +rows if [one[at] for at in key] == [row[at] for at in key]), row)
                    back = (old if old != new else now for old, new, now in zip(was, row, there, strict=True))
                    removed, added = removed - Counter([was]), added - Counter([row])
                    rows.subtract([there])
                    rows.update([tuple(back)])
                rows.subtract(added)
                rows.update(removed)
                expected[name] = columns, Counter({row: count for row, count in rows.items() if count})
    return expected


def key_places(step: Step, name: Name, columns: tuple[str, ...]) -> list[int]:
    """Return the places of the primary key's columns; nothing without one."""
    shown = step.shapes[0].get((name[0].lower(), name[1].lower()), "")
    found = re.search(r"PRIMARY KEY \((.*?)\)", shown)
    return [] if found is None else [columns.index(column) for column in re.findall("`(.+?)`", found[1])]


def pairs_by_key(removed: Rows, added: Rows, key: list[int]) -> list[tuple[Row, Row]]:
    """Return the rows that are there before and after with the same key."""
    old = {tuple(row[at] for at in key): row for row in removed} if key else {}
    return [(old[of], row) for row in added if (of := tuple(row[at] for at in key)) in old]


def difference(expected: State, found: State) -> str:
    lines = []
    for name in sorted({*expected, *found}):
        one, other = expected.get(name), found.get(name)
        if one != other:
            lines.append(f"{path(name)}: expected {one and dict(one[1])}, found {other and dict(other[1])}")
    return "\n".join(lines)


def one_run(server: Server, seed: int, folder: Path, reasons: Counter[str], *, any_case: bool = False) -> None:
    """Run the history of a seed. Raise Wrong."""
    kind = "mysql" if "mysql" in str(server.client()[0]) else "mariadb"
    folder.mkdir(parents=True, exist_ok=True)
    session = Session(kind, server.socket())
    try:
        for statement in ("SET foreign_key_checks = 0", *(f"DROP DATABASE IF EXISTS {name}" for name in DATABASES)):
            session.run(statement)
        session.run("SET foreign_key_checks = 1")
        session.run("FLUSH BINARY LOGS")
        first, _ = session.position()
        history = History(session, seed, any_case=any_case)
        history.begin()
        options = []
        if history.random.random() < 0.3:  # the logs have no statement that makes the first tables
            (folder / "schema.sql").write_text(history.definitions())
            options = [f"--schema={folder / 'schema.sql'}"]
            session.run("FLUSH BINARY LOGS")
            first, _ = session.position()
        history.run()
        session.run("FLUSH BINARY LOGS")
        end, _ = session.position()
        logs = folder / "logs"
        logs.mkdir()
        for log in sorted(server.folder().glob("binlog.0*[0-9]")):
            if first <= log.name < end:
                shutil.copy(log, logs)
        steps = "".join(f"{one.first}-{one.last}: {one.text}\n" for one in history.steps)
        (folder / "history.sql").write_text(steps)
        seen = [Seen(one.first, one.last, *one.shapes) for one in history.steps]
        witness = Witness(session, [log.name for log in sorted(logs.iterdir())], seen)
        judge = Judge(server, history, folder, logs, options, witness)
        judge.names(reasons)
        for number in range(TRIALS):
            if not judge.trial(number, reasons):
                break
    finally:
        session.close()


def parser_of(text: str | None, runs: int, keep: str) -> argparse.ArgumentParser:
    """Return the parser of a program that runs histories; their folders stay in the build's folder `keep`."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", choices=tuple(ARGUMENTS), required=True)
    parser.add_argument("--name", help="an instance that runs already, instead of a new one")
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=PROJECT / "build" / keep)
    return parser


def run_seeds(asked: argparse.Namespace, run: Callable[[Server, int, Path, Counter[str]], None], *options: str) -> int:
    """Run the history of each seed on one server, print what is wrong and how often each outcome was met; return the
    status of the program.
    """
    from tests.undo.runs import connected

    counts: Counter[str] = Counter()
    wrong, began = 0, time.monotonic()

    def report(runs: int) -> None:
        for reason, count in sorted(counts.items()):
            print(f"{count:6} {reason}")
        print(f"{asked.server}: {runs} histories, {wrong} wrong, {time.monotonic() - began:.0f} s", flush=True)

    with connected(asked.server, asked.name, *options) as (server, _):
        for number, seed in enumerate(range(asked.seed, asked.seed + asked.runs), 1):
            folder = asked.keep / f"{asked.server}-{seed}"
            shutil.rmtree(folder, ignore_errors=True)
            try:
                run(server, seed, folder, counts)
                shutil.rmtree(folder)
            except Wrong as problem:
                wrong += 1
                print(f"WRONG: --server {asked.server} --seed {seed}: {problem}\n    {folder}", flush=True)
            except Exception:
                wrong += 1
                print(f"ERROR: --server {asked.server} --seed {seed}: {traceback.format_exc()}", flush=True)
            if number % 25 == 0 and number < asked.runs:
                report(number)
    report(asked.runs)
    return int(bool(wrong))


def main(arguments: list[str]) -> int:
    parser = parser_of(__doc__, 20, "histories")
    parser.add_argument("--any-case", action="store_true", help="the server has lower_case_table_names=1")
    asked = parser.parse_args(arguments)
    if asked.any_case and asked.server == "mysql" and asked.name is None:
        parser.error("--any-case needs --name=NAME: MySQL takes lower_case_table_names=1 only when it is initialized")
    return run_seeds(asked, partial(one_run, any_case=asked.any_case), *["--lower-case-table-names=1"] * asked.any_case)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
