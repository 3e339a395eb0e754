"""Random tables and transactions for a real server, the same ones for a seed."""

from dataclasses import dataclass, field
from random import Random

from tests.undo.columns import Column, every_column, quoted

DATABASE = "u"
IDS = 9
"""Rows have the ids 0 to 8, so that statements meet each other's rows."""
KEYS = ["primary", "primary", "primary", "auto", "unique", "composite", "nullable", "none", "none"]
NO_PARTITIONS = ("GEOMETRY", "POINT", "VECTOR", "COMPRESSED")
SESSION = ("SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00'", "SET NAMES utf8mb4", f"USE {DATABASE}")
"""How the session of a workload is set up: it allows zero dates and values that are cut."""


@dataclass(frozen=True)
class Table:
    """`name` is quoted; `columns` are those that statements set, besides `id` and those of keys."""

    name: str
    definition: str
    columns: tuple[Column, ...]
    key: str
    has_unique: bool = False


@dataclass(frozen=True)
class Transaction:
    """Statements that a server logs as one transaction (of XA: two groups), or not at all."""

    statements: tuple[str, ...]
    form: str
    image: str = "FULL"
    settings: tuple[str, ...] = ()
    resets: tuple[str, ...] = ()


@dataclass
class Workload:
    """`transactions` may be called again for more; `cascades`: foreign keys change rows of other tables."""

    kind: str
    seed: int
    cascades: bool = True
    random: Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(f"{self.kind} {self.seed}")
        columns = every_column(self.kind, self.random)
        self.tables = [self._table(number, columns) for number in range(3)]
        self._numbers = iter(range(10**6))

    def definitions(self) -> list[str]:
        cascade = ("CASCADE", "CASCADE") if self.cascades else ("RESTRICT", "RESTRICT")
        null = ("CASCADE", "SET NULL") if self.cascades else ("RESTRICT", "RESTRICT")
        tree = self.random.choice(["CASCADE", "SET NULL", "RESTRICT"]) if self.cascades else "RESTRICT"
        reference = "REFERENCES parent (id) ON UPDATE {} ON DELETE {}"
        return [
            f"DROP DATABASE IF EXISTS {DATABASE}",
            f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4",
            *SESSION,
            *(table.definition for table in self.tables),
            f"CREATE TABLE tree (id INT PRIMARY KEY, up INT, note TEXT, FOREIGN KEY (up) REFERENCES tree (id)"
            f" ON DELETE {tree})",
            "CREATE TABLE parent (id INT PRIMARY KEY, name VARCHAR(20))",
            "CREATE TABLE child (of_parent INT, n INT, note VARCHAR(20), changed TIMESTAMP(3) NOT NULL DEFAULT"
            " CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), PRIMARY KEY (of_parent, n),"
            f" FOREIGN KEY (of_parent) {reference.format(*cascade)})",
            "CREATE TABLE ward (id INT PRIMARY KEY AUTO_INCREMENT, of_parent INT,"
            f" FOREIGN KEY (of_parent) {reference.format(*null)})",
        ]

    def transactions(self, count: int, image: str = "FULL") -> list[Transaction]:
        return [self._transaction(image) for _ in range(count)]

    def _table(self, number: int, columns: list[Column]) -> Table:
        random, key = self.random, self.random.choice(KEYS)
        name = quoted(random.choice(["t", "t able ", "Т", "select", "a`b"]) + str(number))
        some = tuple(columns.pop() for _ in range(random.randint(3, 12)))
        extra: list[tuple[str, str]] = [(column.name, column.type) for column in some]
        has_partitions = key in ("primary", "none") and random.random() < 0.25
        if has_partitions:
            some = tuple(column for column in some if not any(word in column.type for word in NO_PARTITIONS))
            extra = [(column.name, column.type) for column in some]
        has_unique = not has_partitions and key != "none" and (key == "nullable" or random.random() < 0.5)
        for share, column in [
            (0.4 * (key != "auto"), ("g", "INT GENERATED ALWAYS AS (id * 2) STORED")),
            (0.4 * (key != "auto"), ("v", "VARCHAR(50) GENERATED ALWAYS AS (CONCAT('x', id)) VIRTUAL")),
            (0.3, ("hidden", "INT DEFAULT 5 INVISIBLE")),
            (0.4, ("ts", "TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)")),
            (0.3, ("dt", "DATETIME NULL ON UPDATE CURRENT_TIMESTAMP")),
            (float(has_unique), ("u", "INT NULL")),
            (float(key == "composite"), ("part", "VARCHAR(8) NOT NULL DEFAULT ''")),
        ]:
            if random.random() < share:
                extra.insert(random.randrange(len(extra) + 1), column)
        extra.insert(random.choice([0, 0, len(extra)]), ("id", "INT NOT NULL" + " AUTO_INCREMENT" * (key == "auto")))
        parts = [f"{column} {type}" for column, type in extra]
        parts += {
            "primary": ["PRIMARY KEY (id)"],
            "auto": ["PRIMARY KEY (id)"],
            "unique": ["UNIQUE KEY of_id (id)"],
            "composite": ["PRIMARY KEY (part, id)"],
        }.get(key, [])
        parts += ["UNIQUE KEY of_u (u)"] * has_unique
        if self.kind == "mysql" and key == "primary" and not has_partitions and random.random() < 0.2:
            parts.append("KEY functional ((id + 1))")
        tail = f" PARTITION BY HASH (id) PARTITIONS {random.randint(2, 4)}" if has_partitions else ""
        return Table(name, f"CREATE TABLE {name} ({', '.join(parts)}){tail}", some, key, has_unique)

    def _transaction(self, image: str) -> Transaction:
        random = self.random
        statements = [self._statement() for _ in range(random.choice([1, 2, 3, 5]))]
        form = random.choice(["auto"] * 4 + ["commit"] * 4 + ["rollback", "savepoint", "savepoint", "xa", "packed"])
        if form == "auto":
            return Transaction((statements[0],), form, image)
        if form == "xa":
            name = f"'x{next(self._numbers)}'"
            end = random.choice([f"XA COMMIT {name}"] * 3 + [f"XA ROLLBACK {name}"])
            frame = (f"XA START {name}", *statements, f"XA END {name}", f"XA PREPARE {name}", end)
            return Transaction(frame, form, image)
        if form == "savepoint":
            place = random.randrange(len(statements) + 1)
            back = [self._statement() for _ in range(random.randint(1, 3))]
            statements[place:place] = ["SAVEPOINT s", *back, "ROLLBACK TO SAVEPOINT s"]
        settings, resets = COMPRESSED[self.kind] if form == "packed" else ((), ())
        if self.kind == "mysql" and random.random() < 0.3:
            settings = (*settings, "SET binlog_row_value_options = PARTIAL_JSON")
            resets = (*resets, "SET binlog_row_value_options = ''")
        end = "ROLLBACK" if form == "rollback" else "COMMIT"
        return Transaction(("BEGIN", *statements, end), form, image, settings, resets)

    def _statement(self) -> str:
        choice = self.random.random()
        if choice < 0.3:
            return self._foreign()
        table = self.random.choice(self.tables)
        if choice < 0.38:
            return self._of_two(table, self.random.choice(self.tables))
        if choice < 0.65:
            return self._insert(table)
        if choice < 0.9:
            return self._update(table)
        return f"DELETE FROM {table.name} WHERE {self._some_ids()}"

    def _some_ids(self, alias: str = "") -> str:
        id, number = f"{alias}id", self.random.randrange(IDS)
        return self.random.choice(
            [f"{id} = {number}", f"{id} = {number}", f"{id} IN ({number}, 1)", f"{id} > {number}"]
        )

    def _insert(self, table: Table) -> str:
        random = self.random
        names = ["id"] + ["u"] * table.has_unique + ["part"] * (table.key == "composite")
        names += [column.name for column in table.columns]
        rows = []
        for _ in range(random.choice([1, 1, 2, 4])):
            values = [str(random.randrange(IDS))] + [
                random.choice(["NULL", str(random.randrange(20))])
            ] * table.has_unique
            values += [random.choice(["'a'", "'A '", "'ä'", "''"])] * (table.key == "composite")
            values += [column.value(random) for column in table.columns]
            rows.append(f"({', '.join(values)})")
        if random.random() < 0.3:  # duplicates, in a table without keys
            rows.append(rows[0])
        verb = random.choice(["INSERT", "INSERT IGNORE", "REPLACE"])
        text = f"{verb} INTO {table.name} ({', '.join(names)}) VALUES {', '.join(rows)}"
        if verb == "INSERT" and random.random() < 0.4:
            text += f" ON DUPLICATE KEY UPDATE {self._assignments(table)}"
        return text

    def _assignments(self, table: Table, prefix: str = "") -> str:
        some = self.random.sample(table.columns, self.random.randint(1, min(3, len(table.columns))))
        return ", ".join(f"{prefix}{column.name} = {self._new_value(column, prefix)}" for column in some)

    def _new_value(self, column: Column, prefix: str) -> str:
        if column.type == "JSON" and self.kind == "mysql" and self.random.random() < 0.6:
            name = prefix + column.name
            function = self.random.choice(["JSON_SET({}, '$.k1', 'new')", "JSON_REMOVE({}, '$.k0', '$[0]')"])
            return function.format(name)
        return column.value(self.random)

    def _update(self, table: Table) -> str:
        random = self.random
        choice = random.random()
        if choice < 0.15:
            return f"UPDATE IGNORE {table.name} SET id = {random.randrange(IDS)} WHERE {self._some_ids()}"
        if choice < 0.3 and table.has_unique:  # each row takes the next one's value
            return f"UPDATE {table.name} SET u = u - 1 ORDER BY u"
        if choice < 0.4:
            return f"UPDATE {table.name} SET id = id + 1 WHERE id < {IDS + 6} ORDER BY id DESC"
        limit = random.choice(["", "", " LIMIT 2"])
        return f"UPDATE {table.name} SET {self._assignments(table)} WHERE {self._some_ids()}{limit}"

    def _of_two(self, one: Table, other: Table) -> str:
        joined = f"{one.name} AS a JOIN {other.name} AS b ON a.id = b.id"
        if self.random.random() < 0.3:
            return f"DELETE a, b FROM {joined} WHERE {self._some_ids('a.')}"
        values = f"{self._assignments(one, 'a.')}, {self._assignments(other, 'b.')}"
        return f"UPDATE {joined} SET {values} WHERE {self._some_ids('a.')}"

    def _foreign(self) -> str:
        random = self.random
        one, other, n = random.randrange(IDS), random.randrange(IDS), random.randrange(3)
        return random.choice(
            [
                f"INSERT IGNORE INTO parent VALUES ({one}, 'p{other}'), ({other}, NULL)",
                f"INSERT IGNORE INTO parent VALUES ({one}, 'p{other}'), ({other}, NULL)",
                f"INSERT IGNORE INTO child (of_parent, n, note) VALUES ({one}, {n}, 'x'), ({other}, {n}, NULL)",
                f"INSERT IGNORE INTO ward (of_parent) VALUES ({one}), ({other}), (NULL)",
                f"INSERT IGNORE INTO tree VALUES ({one}, NULL, 'root'), ({other}, {one}, 'leaf')",
                f"INSERT IGNORE INTO tree VALUES ({one}, {other}, NULL)",
                f"UPDATE parent SET id = {other + IDS} WHERE id = {one}",
                f"UPDATE IGNORE parent SET id = {one}, name = 'q' WHERE id >= {IDS} LIMIT 1",
                f"UPDATE child SET note = CONCAT(IFNULL(note, ''), '{n}') WHERE n = {n}",
                f"UPDATE IGNORE tree SET up = {other} WHERE id = {one}",
                f"UPDATE IGNORE child SET n = n + 1 WHERE of_parent = {one} ORDER BY n DESC",
                f"DELETE FROM parent WHERE id = {one}",
                f"DELETE FROM tree WHERE id = {one}",
                f"DELETE FROM child WHERE n = {n} LIMIT 1",
                f"DELETE parent, ward FROM parent JOIN ward ON ward.of_parent = parent.id WHERE parent.id = {one}",
            ]
        )


COMPRESSED = {
    "mysql": (("SET binlog_transaction_compression = ON",), ("SET binlog_transaction_compression = OFF",)),
    "mariadb": (
        ("SET GLOBAL log_bin_compress = ON", "SET GLOBAL log_bin_compress_min_len = 10"),
        ("SET GLOBAL log_bin_compress = OFF",),
    ),
}
"""Statements that compress the events of a transaction, and that end the compression."""
