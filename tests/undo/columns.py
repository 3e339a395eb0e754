"""Columns of every type that a server has, and values for them as SQL."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests import random_workload

NAMES = ["order", "weird`name", "with space", "ключ", "quote'd", 'dou"ble', "per%cent", "back\\slash", "Mixed", "a;b"]
MORE_TEXTS = {
    "ucs2": "aé日",
    "utf32": "a😀é",
    "big5": "a中文",
    "cp932": "aカ日",
    "latin2": "ażł",
    "swe7": "aöå",
    "ujis": "aカ日",
    "hebrew": "aש",
}


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@dataclass(frozen=True)
class Column:
    """A column that statements set. `literal` returns a value that is not NULL."""

    name: str
    type: str
    literal: Callable[[Random], str]

    def value(self, random: Random) -> str:
        return "NULL" if random.random() < 0.15 else self.literal(random)


def every_column(kind: str, random: Random) -> list[Column]:
    """Return a column of each type, in random order; some have names that need quotes."""

    def literal(column: random_workload.Column) -> Callable[[Random], str]:
        values: Callable[[random_workload.Column, Random], str] = random_workload.VALUES[column.kind]
        return lambda random: values(column, random)

    types = [(column.type, literal(column)) for column in random_workload.columns(kind)]
    types += [(f"VARCHAR(30) CHARACTER SET {charset}", text(letters)) for charset, letters in MORE_TEXTS.items()]
    types += COMMON + (MYSQL if kind == "mysql" else MARIADB)
    random.shuffle(types)
    names = [random.choice(NAMES) + str(number) if random.random() < 0.2 else f"c{number}" for number in range(99)]
    return [Column(quoted(name), type, value) for name, (type, value) in zip(names, types, strict=False)]


def text(letters: str) -> Callable[[Random], str]:
    def value(random: Random) -> str:
        found = "".join(random.choice(letters + " ") for _ in range(random.randrange(9)))
        return f"_utf8mb4 0x{found.encode().hex()}" if found else "''"

    return value


def octets(limit: int) -> Callable[[Random], str]:
    def value(random: Random) -> str:
        size = random.choice([0, 1, 5, limit])
        return f"0x{random.randbytes(size).hex()}" if size else "''"

    return value


def one_of(*values: str) -> Callable[[Random], str]:
    return lambda random: random.choice(values)


def document(random: Random) -> str:
    """A JSON document as text."""
    found = json.dumps(random_workload.document(None, random), ensure_ascii=False)  # type: ignore[arg-type]
    return f"_utf8mb4 0x{found.encode().hex()}"


def address(random: Random) -> str:
    return random.choice(["'::'", "'::1'", "'::ffff:1.2.3.4'", f"'2001:db8::{random.randrange(65536):x}'"])


COMMON: list[tuple[str, Callable[[Random], str]]] = [
    ("BINARY(5)", octets(5)),
    ("TINYBLOB", octets(200)),
    ("MEDIUMBLOB", octets(3000)),
    ("LONGTEXT CHARACTER SET utf8mb4", text("a'\"\\\n\r\t\x1a😀%_")),
    ("CHAR(9) CHARACTER SET latin1", text("aA éÉß")),
    ("VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", text("aAéÉ ")),
    ("VARCHAR(300) CHARACTER SET utf8mb4", lambda random: f"REPEAT('é', {random.randrange(300)})"),
    ("INT(7) UNSIGNED ZEROFILL", one_of("0", "42", "4294967295")),
    ("DECIMAL(12,4) UNSIGNED", one_of("0", "0.0001", "99999999.9999")),
    ("FLOAT(9,3)", one_of("0", "-0.125", "123.456", "999999.999")),
    ("DOUBLE", one_of("1e308", "-2.2250738585072014e-308", "0.1", "5e-324", "1e15", "123456789012345680")),
    ("FLOAT", one_of("1e-45", "3.4028234e38", "0.3", "16777216", "1e10")),
    ("TIMESTAMP(2) NULL", one_of("'0000-00-00 00:00:00'", "'1970-01-01 00:00:01.01'", "'2038-01-19 03:14:07'")),
    ("DATE", one_of("'0000-00-00'", "'2023-00-10'", "'2023-05-00'", "'9999-12-31'")),
    ("DATETIME(6)", one_of("'0000-00-00 00:00:00'", "'9999-12-31 23:59:59.999999'", "'2023-00-10 01:02:03.000001'")),
    ("ENUM('x''y','b\\\\','ä') CHARACTER SET latin1", one_of("'x''y'", "'b\\\\'", "'ä'", "'no such member'")),
    ("BIT(12)", one_of("b'0'", "b'101'", "b'111111111111'")),
    ("TINYINT(1)", one_of("0", "1", "-1")),
]
MYSQL: list[tuple[str, Callable[[Random], str]]] = [
    ("VECTOR(3)", one_of("TO_VECTOR('[1,2.5,-3e10]')", "TO_VECTOR('[0,0,0]')")),
    ("GEOMETRY", one_of("ST_GeomFromText('LINESTRING(0 0, 1 1.5)', 4326)", "ST_GeomFromText('POINT(1 2)', 0)")),
    ("POINT", one_of("POINT(0.1, -1e300)")),
    ("VARCHAR(20) CHARACTER SET gb18030", text("a中€")),
    ("JSON", lambda random: f"CAST(CONVERT({document(random)} USING utf8mb4) AS JSON)"),
    ("JSON", one_of("JSON_ARRAY(CAST('2020-01-02' AS DATE), 1.50, 1.5e0, CAST('10:00' AS TIME(2)), x'00ff')", "'{}'")),
]
MARIADB: list[tuple[str, Callable[[Random], str]]] = [
    ("JSON", document),
    ("VECTOR(3)", one_of("VEC_FromText('[1,2.5,-3e10]')", "VEC_FromText('[0,0,0]')")),
    ("GEOMETRY", one_of("ST_GeomFromText('LINESTRING(0 0, 1 1.5)', 4326)", "ST_GeomFromText('POINT(1 2)')")),
    ("INET6", address),
    ("INET4", one_of("'0.0.0.0'", "'255.1.2.3'")),
    ("UUID", one_of("'00000000-0000-0000-0000-000000000000'", "'01234567-89ab-4def-8123-456789abcdef'")),
    ("VARCHAR(400) COMPRESSED CHARACTER SET utf8mb4", lambda random: f"REPEAT('ab', {random.randrange(200)})"),
    ("BLOB COMPRESSED", octets(100)),
]
