"""The values that a real server stores in columns, or its errors: `python -m tests.values.stored SOCKET` asks again.

Each line of stored.txt has the column, the SQL mode, the value and the answer.
"""

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from pybinlog.values.value import to_text

FILE = Path(__file__).with_name("stored.txt")
NOW = 1700000000
MODES = {
    "strict": "STRICT_TRANS_TABLES NO_ZERO_IN_DATE NO_ZERO_DATE",
    "lenient": "",
    "zeros": "STRICT_TRANS_TABLES",
    "no-zero-in-date": "STRICT_TRANS_TABLES NO_ZERO_IN_DATE",
    "no-zero-date": "STRICT_TRANS_TABLES NO_ZERO_DATE",
    "truncate": "STRICT_TRANS_TABLES NO_ZERO_IN_DATE NO_ZERO_DATE TIME_TRUNCATE_FRACTIONAL",
}
BINARY = "BIT", "BINARY", "VARBINARY", "TINYBLOB"
FLOATING = "FLOAT", "DOUBLE"


def lines() -> dict[str, list[tuple[str, str, str]]]:
    """Return by column: mode, value and answer."""
    found: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for line in FILE.read_text(encoding="utf-8").splitlines():
        column, mode, value, answer = line.split("\t")
        found[column].append((mode, value, answer))
    return found


def query(column: str) -> str:
    """The query for a stored value; a floating-point number in full."""
    return f"SELECT {'a * 1e0' if column.startswith(FLOATING) else 'a'} FROM m"


def shown(value: Any, column: str) -> str:
    """A value as it stands in the file."""
    if value is None:
        return "NULL"
    if column.startswith(FLOATING):
        return repr(float(value))
    if column.startswith(BINARY):
        return str(value.hex())
    return value.decode() if isinstance(value, bytes) else to_text(value)


def main(socket: str) -> None:
    import pymysql

    connection = pymysql.connect(unix_socket=socket, user="root", password="", charset="utf8mb4", autocommit=True)
    connection.decoders = {}
    cursor = connection.cursor()
    for statement in ("CREATE DATABASE d", "USE d", f"SET TIMESTAMP = {NOW}, time_zone = '+00:00'"):
        cursor.execute(statement)
    text = []
    for column, each in lines().items():
        cursor.execute(f"CREATE TABLE m (a {column})")
        for mode, value, _ in each:
            cursor.execute(f"SET sql_mode = '{MODES[mode].replace(' ', ',')}'")
            try:
                cursor.execute(f"INSERT INTO m VALUES ({value})")
                cursor.execute(query(column))
                ((found,),) = cursor.fetchall()
                answer = shown(found, column)
            except pymysql.MySQLError as problem:
                answer = "ERROR {}: {}".format(*problem.args)
            cursor.execute("DELETE FROM m")
            text.append(f"{column}\t{mode}\t{value}\t{answer}\n")
        cursor.execute("DROP TABLE m")
    cursor.execute("DROP DATABASE d")
    FILE.write_text("".join(text), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
