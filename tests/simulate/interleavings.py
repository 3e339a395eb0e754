"""Random scenarios of four connections, by a seed, for a real server: the statements of the worklog's tables and more.

python -m tests.simulate.interleavings SOCKET DATADIR FIRST LAST    # what differs, seed by seed
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from pybinlog.simulate import Scenario
from tests.simulate.real_server import DIFFERENT, EQUAL, RealServer, class_of, differences, relaxed

CONNECTIONS = ("con1", "con2", "con3", "con4")
T_TABLES, N_TABLES = ("t1", "t2"), ("n1", "n2")
TABLES = (*T_TABLES, *N_TABLES)
STEPS = 60
UUID = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaa@connection"
SETTINGS = ["", "gtid=off enforce_gtid_consistency=off", "gtid=off enforce_gtid_consistency=off"]
CONTROL = [
    "BEGIN",
    "BEGIN",
    "COMMIT",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT a",
    "ROLLBACK TO a",
    "SET autocommit = 0",
    "SET autocommit = 1",
    "FLUSH BINARY LOGS",
]
TRIGGERS = [
    f"CREATE TRIGGER {time.lower()}_{event.lower()}_{table} {time} {event} ON {table} FOR EACH ROW {body}"
    for table in TABLES
    for time, event, body in (
        ("AFTER", "INSERT", "INSERT INTO log_n VALUES (NEW.id, NEW.v)"),
        ("BEFORE", "INSERT", "INSERT INTO log_t VALUES (NEW.id, NEW.v)"),
        ("AFTER", "UPDATE", "UPDATE log_n SET v = NEW.v WHERE id = OLD.id"),
        ("BEFORE", "UPDATE", "INSERT INTO log_t VALUES (OLD.id, NEW.v)"),
        ("AFTER", "DELETE", "DELETE FROM log_n WHERE id = OLD.id"),
        ("BEFORE", "DELETE", "UPDATE log_t SET v = v + OLD.v WHERE id = OLD.id"),
    )
]


WEIGHTS = {
    "control": 22,
    "dml": 40,
    "mixed": 12,
    "create": 6,
    "temporary": 14,
    "xa": 12,
    "drop": 3,
    "trigger": 2,
    "disconnect": 2,
    "gtid": 8,
}
"""How often each kind of statement comes."""
OF_MARIADB = {kind: WEIGHTS[kind] for kind in ("control", "dml", "mixed", "disconnect")}


def interleaving(seed: int, *, mariadb: bool = False) -> Scenario:
    """Return the scenario of a seed. Its statements may fail."""
    chance = random.Random(seed)
    form = chance.choice(["STATEMENT", "ROW", "ROW", "MIXED", "MIXED"])
    version = "11.8" if mariadb else "9.7"
    lines = [f"-- server: version={version} format={form} rows_query={chance.choice(['on', 'off'])} "]
    lines[0] += "" if mariadb else chance.choice(SETTINGS)
    for table in (*TABLES, "log_t", "log_n"):
        key = " PRIMARY KEY" if table in TABLES else ""
        engine = "InnoDB" if table in (*T_TABLES, "log_t") else "MyISAM"
        lines.append(f"con1: CREATE TABLE {table} (id INT{key}, v INT) ENGINE={engine};")
        lines.append(f"con1: INSERT INTO {table} VALUES (1, 0), (2, 0), (3, 0);")
    new = iter(range(1000, 1 << 30))
    for text in () if mariadb else chance.sample(TRIGGERS, chance.choice([0, 0, 1, 2])):
        lines.append(f"con1: {text};")
    for step in range(STEPS):
        connection = chance.choice(CONNECTIONS)
        text = statement(chance, step, OF_MARIADB if mariadb else WEIGHTS)
        if mariadb and text.startswith("UPDATE t") and ", n" in text:
            continue  # if it finds no row, the model has it for MySQL only
        if text == "disconnect":
            lines.append(f"{connection}: SELECT 1;\n-- !disconnect {connection}")
        else:
            text = text.replace("@connection", str(CONNECTIONS.index(connection)))
            lines.append(f"{connection}: {filled(text, new, step)};")
    return relaxed(Scenario.parse("\n".join(lines), f"seed-{seed}"))


def filled(text: str, new: Iterator[int], step: int) -> str:
    return re.sub("@new", lambda _: f"({next(new)}, {step})", text)


def statement(chance: random.Random, step: int, weights: Mapping[str, int]) -> str:
    """Return one statement, of a kind that has a weight. New rows are `@new`."""
    table, row = chance.choice(TABLES), chance.randrange(1, 4)
    t, n = chance.choice(T_TABLES), chance.choice(N_TABLES)
    engine = chance.choice(["InnoDB", "MyISAM"])
    temporary = chance.choice(["x", "y"])
    kind = chance.choices(list(weights), list(weights.values()))[0]
    if kind == "control":
        return chance.choice(CONTROL)
    if kind == "dml":
        return chance.choice(
            [
                f"INSERT INTO {table} VALUES @new, @new",
                f"INSERT INTO {table} VALUES @new, (1, 0)",
                f"UPDATE {table} SET v = v + 1 WHERE id = {row}",
                f"UPDATE {table} SET v = 0 WHERE id = {row}",
                f"DELETE FROM {table} WHERE id = {row}",
                f"REPLACE INTO {table} VALUES ({row}, {step})",
                f"INSERT INTO {table} VALUES ({row}, 0) ON DUPLICATE KEY UPDATE v = v + 2",
            ]
        )
    if kind == "mixed":
        return chance.choice(
            [
                f"UPDATE {t}, {n} SET {t}.v = {t}.v + 10, {n}.v = {n}.v + 10 WHERE {t}.id = {row} AND {n}.id = {row}",
                f"INSERT INTO {n} SELECT id + {10 * step + 10}, v FROM {t} WHERE id = {row}",
                f"INSERT INTO {t} SELECT id + {10 * step + 10}, v FROM {n} WHERE id = {row}",
                f"INSERT INTO {n} SELECT 5 - id * 2, v FROM {t} WHERE id IN (1, 2) ORDER BY id",
            ]
        )
    if kind == "create":
        where = chance.choice([f"WHERE id = {row}", "WHERE id = 100000"])
        return chance.choice(
            [
                f"CREATE TABLE c{step} ENGINE={engine} SELECT * FROM {table} {where}",
                f"CREATE TABLE IF NOT EXISTS c{step % 9} ENGINE={engine} SELECT * FROM {table} {where}",
                f"CREATE TABLE c{step} (id INT PRIMARY KEY) ENGINE={engine} SELECT v AS id FROM {table}",
                f"CREATE TABLE c{step} (id INT PRIMARY KEY, v INT) ENGINE={engine}",
            ]
        )
    if kind == "temporary":
        return chance.choice(
            [
                f"CREATE TEMPORARY TABLE {temporary} (id INT PRIMARY KEY, v INT) ENGINE={engine}",
                f"CREATE TEMPORARY TABLE {temporary} ENGINE={engine} SELECT * FROM {table} WHERE id = {row}",
                f"DROP TEMPORARY TABLE IF EXISTS {temporary}",
                f"INSERT INTO {temporary} VALUES @new, @new",
                f"INSERT INTO {temporary} SELECT * FROM {table} WHERE id = {row}",
                f"INSERT INTO {table} SELECT id + {100 * step}, v FROM {temporary}",
                f"UPDATE {temporary} SET v = v + 1",
                f"TRUNCATE TABLE {temporary}",
                f"ALTER TABLE {temporary} ENGINE={engine}",
            ]
        )
    if kind == "gtid":  # a UUID for each connection, so that none waits for another's
        named = f"{UUID}:{chance.choice(['', '', 'tag:'])}{chance.randrange(1, 5)}"
        return f"SET GTID_NEXT = '{chance.choice([named, named, 'AUTOMATIC', 'AUTOMATIC', 'AUTOMATIC:tag'])}'"
    if kind == "xa":
        word = chance.choice(["START", "START", "END", "END", "PREPARE", "PREPARE", "COMMIT", "ROLLBACK"])
        return f"XA {word} '{chance.choice('pq')}'"
    if kind == "drop":
        return chance.choice(
            [
                f"DROP TABLE IF EXISTS c{step % 9}, nothing",
                f"DROP TABLE IF EXISTS {temporary}, c{step % 9}",
                f"TRUNCATE TABLE {table}",
            ]
        )
    return chance.choice(TRIGGERS) if kind == "trigger" else kind


def main(socket: str, folder: str, first: str, last: str) -> None:
    server = RealServer(socket, Path(folder))
    classes: Counter[str] = Counter()
    for seed in range(int(first), int(last)):
        scenario = interleaving(seed)
        real = server.run(scenario)
        found = class_of(scenario, real)
        classes[found] += 1
        if found is not EQUAL:
            print(seed, found, flush=True)
        if found is DIFFERENT:
            print(*differences(scenario, real), sep="\n    ", flush=True)
    print(dict(classes))


if __name__ == "__main__":
    main(*sys.argv[1:])
