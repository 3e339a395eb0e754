"""Random changes to a table with a column of every type: what a real server runs, and what it then holds."""

import json
import shutil
import struct
from base64 import b64encode
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from tests.server import Server

INTEGERS = {"TINYINT": 8, "SMALLINT": 16, "MEDIUMINT": 24, "INT": 32, "BIGINT": 64}
TEXTS = {
    "latin1": "aZ é€ß",
    "utf8mb3": "aé€日",
    "utf8mb4": "a\"\\é€日😀\t'",
    "utf16": "aé日😀",
    "cp1251": "aЖя",
    "gbk": "a中文",
    "sjis": "aカ日",
    "koi8r": "aЖя",
    "euckr": "a한",
    "ascii": "a~'",
}


@dataclass(frozen=True)
class Column:
    """`select` is an expression whose text holds the value exactly; `read` makes of that text what an export has."""

    name: str
    type: str
    select: str
    kind: str

    def value(self, random: Random) -> str:
        """A value as SQL."""
        if random.random() < 0.15:
            return "NULL"
        value: str = VALUES[self.kind](self, random)
        return value

    def normal(self, value: Any) -> Any:
        """A value of JSON lines, in which every number with a point was read as Decimal, to be compared with `read`."""
        if value is None:
            return None
        if self.kind == "decimal":
            return Decimal(value)
        if self.kind == "float":
            found: float = struct.unpack("f", struct.pack("f", value))[0]
            return found
        return float(value) if self.kind == "double" else with_floats(value)

    def read(self, text: str) -> Any:
        """The text that the server gives for `select`, as the value that JSON lines have."""
        return None if text == "NULL" else READERS[self.kind](text)


def with_floats(value: Any) -> Any:
    if isinstance(value, list):
        return [with_floats(element) for element in value]
    if isinstance(value, dict):
        return {key: with_floats(element) for key, element in value.items()}
    return float(value) if isinstance(value, Decimal) else value


def integer(column: Column, random: Random) -> str:
    bits = INTEGERS[column.type.split()[0]]
    low, high = (0, 2**bits - 1) if "UNSIGNED" in column.type else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return str(random.choice([low, high, 0, 1, random.randint(low, high)]))


def decimal(column: Column, random: Random) -> str:
    precision, scale = map(int, column.type.partition("(")[2].rstrip(")").split(","))
    digits = random.choice([10**precision - 1, 0, 1, random.randrange(10**precision)])
    text = str(digits).rjust(scale + 1, "0")
    number = f"{text[: len(text) - scale]}.{text[len(text) - scale :]}" if scale else text
    return random.choice(["-", ""]) + number


def real(column: Column, random: Random) -> str:
    return random.choice(
        ["0", "-0e0", "1.5", "16777215", "-3.4e38", "1.1754944e-38", repr(random.uniform(-1e9, 1e9)), "0.1"]
    )


def text(column: Column, random: Random) -> str:
    letters = TEXTS[column.type.rpartition(" ")[2]]
    found = "".join(random.choice(letters) for _ in range(random.randrange(12)))
    return f"_utf8mb4 0x{found.encode().hex()}" if found else "''"


def octets(column: Column, random: Random) -> str:
    data = random.randbytes(random.randrange(9))
    return f"0x{data.hex()}" if data else "''"


def fraction(column: Column, random: Random) -> str:
    digits = int(column.type.partition("(")[2].partition(")")[0] or 0)
    return f".{random.randrange(10**digits):0{digits}}" if digits else ""


def moment(column: Column, random: Random) -> str:
    clock = f"{random.randrange(24):02}:{random.randrange(60):02}:{random.randrange(60):02}{fraction(column, random)}"
    year = random.randint(1971, 2037) if "STAMP" in column.type else random.choice([0, 1000, 1999, 9999])
    day = f"{year:04}-{random.randint(1, 12):02}-{random.randint(1, 28):02}" if year else "0000-00-00"
    if column.type == "DATE":
        return f"'{day}'"
    return f"'{day} {clock if year else '00:00:00'}'"


def time(column: Column, random: Random) -> str:
    sign, hour = random.choice(["", "-"]), random.choice([0, 7, 25, 838])
    return f"'{sign}{hour:02}:{random.randrange(60):02}:00{fraction(column, random)}'"


def document(column: Column, random: Random, depth: int = 0) -> Any:
    choice = random.randrange(8 if depth < 3 else 6)
    if choice < 6:
        return [None, True, random.randint(-(2**63), 2**63 - 1), random.uniform(-1e6, 1e6), 'wörd "q" \n 😀', -1][
            choice
        ]
    if choice == 6:
        return [document(column, random, depth + 1) for _ in range(random.randrange(4))]
    return {f"k{n}": document(column, random, depth + 1) for n in range(random.randrange(4))}


def json_value(column: Column, random: Random) -> str:
    found = json.dumps(document(column, random), ensure_ascii=False)
    return f"CAST(CONVERT(0x{found.encode().hex()} USING utf8mb4) AS JSON)"


VALUES: dict[str, Any] = {
    "integer": integer,
    "decimal": decimal,
    "float": real,
    "double": real,
    "text": text,
    "octets": octets,
    "fixed": octets,
    "moment": moment,
    "stamp": moment,
    "time": time,
    "year": lambda column, random: random.choice(["0", "1901", "2155", "2024"]),
    "bit": lambda column, random: f"b'{random.getrandbits(int(column.type[4:-1])):b}'",
    "enum": lambda column, random: random.choice(["'a'", "'b c'", "'é'"]),
    "set": lambda column, random: random.choice(["''", "'x'", "'x,z'", "'x,y,z'"]),
    "json": json_value,
    "geometry": lambda column, random: f"ST_GeomFromText('POINT({random.randint(-9, 9)} {random.randint(-9, 9)})')",
}


def unhex(text: str) -> str:
    return bytes.fromhex(text).decode()


def base64(text: str) -> dict[str, str]:
    return {"base64": b64encode(bytes.fromhex(text)).decode()}


READERS: dict[str, Any] = {
    "integer": int,
    "decimal": Decimal,
    "float": float,
    "double": float,
    "text": unhex,
    "octets": base64,
    "fixed": base64,
    "moment": str,
    "stamp": lambda text: f"{text}Z",
    "time": str,
    "year": int,
    "bit": int,
    "enum": unhex,
    "set": lambda text: [member for member in unhex(text).split(",") if member],
    "json": lambda text: json.loads(unhex(text)),
    "geometry": base64,
}


def columns(server: str) -> list[Column]:
    """Columns of every type that the server ("mysql" or "mariadb") has."""
    found: list[Column] = []

    def add(type: str, kind: str, select: str) -> None:
        name = f"c{len(found)}"
        found.append(Column(name, type, select.format(name), kind))

    for name in INTEGERS:
        add(name, "integer", "{}")
        add(f"{name} UNSIGNED", "integer", "{}")
    for size in ("(1,0)", "(10,3)", "(65,30)", "(38,0)"):
        add(f"DECIMAL{size}", "decimal", "{}")
    add("FLOAT", "float", "CAST({} AS DOUBLE)")
    add("DOUBLE", "double", "{}")
    for charset in TEXTS:
        add(f"VARCHAR(60) CHARACTER SET {charset}", "text", "HEX(CONVERT({} USING utf8mb4))")
    add("CHAR(20) CHARACTER SET utf8mb4", "text", "HEX(CONVERT({} USING utf8mb4))")
    add("TEXT CHARACTER SET latin1", "text", "HEX(CONVERT({} USING utf8mb4))")
    add("VARBINARY(20)", "octets", "HEX({})")
    add("BLOB", "octets", "HEX({})")
    for digits in (0, 1, 3, 6):
        add(f"DATETIME({digits})", "moment", "{}")
        add(f"TIMESTAMP({digits}) NULL", "stamp", "{}")
        add(f"TIME({digits})", "time", "{}")
    add("DATE", "moment", "{}")
    add("YEAR", "year", "{}+0")
    add("BIT(1)", "bit", "{}+0")
    add("BIT(64)", "bit", "{}+0")
    add("ENUM('a','b c','é') CHARACTER SET utf8mb4", "enum", "HEX(CONVERT({} USING utf8mb4))")
    add("SET('x','y','z') CHARACTER SET latin1", "set", "HEX(CONVERT({} USING utf8mb4))")
    if server == "mysql":
        add("JSON", "json", "HEX(CONVERT({} USING utf8mb4))")
        add("GEOMETRY", "geometry", "HEX({})")
    return found


@dataclass
class Workload:
    """Statements over the table `w.t` with these columns and the key `id`, as a seed has them."""

    server: str
    seed: int
    statements: int = 60

    def __post_init__(self) -> None:
        self.columns = columns(self.server)

    def definition(self) -> str:
        listed = ", ".join(f"{column.name} {column.type}" for column in self.columns)
        return (
            "DROP DATABASE IF EXISTS w; CREATE DATABASE w CHARACTER SET utf8mb4;"
            f"CREATE TABLE w.t (id INT PRIMARY KEY, {listed});\n"
        )

    def sql(self, *, images: tuple[str, ...] = ("FULL",)) -> str:
        random = Random(self.seed)
        lines = ["SET sql_mode = '', time_zone = '+00:00', NAMES utf8mb4;", "USE w;"]
        lines[0] = "SET NAMES utf8mb4; SET sql_mode = '', time_zone = '+00:00';"
        if self.server == "mysql":
            lines.append("SET binlog_row_value_options = PARTIAL_JSON;")
        for _ in range(self.statements):
            lines.append(f"SET binlog_row_image = {random.choice(images)};")
            lines += self.transaction(random)
        return "\n".join(lines)

    def transaction(self, random: Random) -> list[str]:
        lines = [self.statement(random) for _ in range(random.choice([1, 1, 2, 4]))]
        if len(lines) == 1:
            return lines
        end = "ROLLBACK;" if random.random() < 0.2 else "COMMIT;"
        packed = (
            ["SET binlog_transaction_compression = ON;"] if self.server == "mysql" and random.random() < 0.3 else []
        )
        unpacked = ["SET binlog_transaction_compression = OFF;"] if packed else []
        return [*packed, "BEGIN;", *lines, end, *unpacked]

    def statement(self, random: Random) -> str:
        key = random.randrange(20)
        choice = random.random()
        if choice < 0.45:
            rows = ", ".join(
                f"({random.randrange(20)}, {', '.join(column.value(random) for column in self.columns)})"
                for _ in range(random.choice([1, 1, 3]))
            )
            return f"REPLACE INTO t VALUES {rows};"
        if choice < 0.8:
            some = random.sample(self.columns, random.randint(1, 5))
            return f"UPDATE t SET {', '.join(f'{c.name} = {c.value(random)}' for c in some)} WHERE id >= {key} LIMIT 3;"
        if choice < 0.9:
            return f"UPDATE IGNORE t SET id = {random.randrange(20)} WHERE id = {key};"
        return f"DELETE FROM t WHERE id = {key};"

    def query(self) -> str:
        """A line for each row of the table, which `rows` reads."""
        parts = ", ".join(f"IFNULL({column.select}, 'NULL')" for column in self.columns)
        return f"SET NAMES utf8mb4; SET time_zone = '+00:00'; SELECT id, {parts} FROM w.t ORDER BY id;"

    def rows(self, printed: str) -> dict[int, dict[str, Any]]:
        """Return the server's output for `query`: id -> column -> value as in JSON lines."""
        found = {}
        for line in printed.splitlines():
            key, *texts = line.split("\t")
            row = {column.name: column.read(part) for column, part in zip(self.columns, texts, strict=True)}
            found[int(key)] = {"id": int(key), **row}
        return found


ARGUMENTS = {
    "mysql": ["--binlog-row-metadata=FULL", "--gtid-mode=ON", "--enforce-gtid-consistency=ON"],
    "mariadb": ["--binlog-row-metadata=FULL", "--binlog-format=ROW"],
}
"""The options of the servers."""

Rows = dict[int, dict[str, Any]]


def logged(server: Server, workload: Workload, folder: Path, images: tuple[str, ...]) -> tuple[Path, Rows]:
    """A log of the workload, and the table after it."""
    server.sql(workload.definition())
    name = server.next_log()
    server.sql(workload.sql(images=images), force=True)  # some values do not fit, and some keys are there already
    wanted = workload.rows(server.sql(workload.query()))
    server.next_log()
    return Path(shutil.copy(server.folder() / name, folder)), wanted
