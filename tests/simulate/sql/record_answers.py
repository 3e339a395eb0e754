"""Asks a real server for the answers to statements.txt: python -m tests.simulate.sql.record_answers SOCKET VERSION

Needs PyMySQL and a server that may be written to; makes answers-VERSION.json, a line for each, which
test_answers.py reads.
"""

import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SECONDS = 1700000000.123456


def printable(value: Any) -> str | None:
    """A value as it stands in the file of answers."""
    if value is None:
        return None
    data = value if isinstance(value, bytes) else str(value).encode()
    return data.decode("utf-8", "backslashreplace")


def main(socket: str, version: str) -> None:
    import pymysql

    connection = pymysql.connect(unix_socket=socket, user="root", password="", charset="utf8mb4", autocommit=True)
    connection.decoders = {}
    cursor = connection.cursor()
    for statement in ("DROP DATABASE IF EXISTS d", "CREATE DATABASE d", "USE d", f"SET TIMESTAMP = {SECONDS}"):
        cursor.execute(statement)
    answers: list[Any] = []
    for statement in (FOLDER / "statements.txt").read_text(encoding="utf-8").splitlines():
        try:
            cursor.execute(statement)
            answers.append([[printable(value) for value in row] for row in cursor.fetchall()])
        except pymysql.MySQLError as problem:
            answers.append({"error": problem.args[0], "message": problem.args[1]})
    path = FOLDER / f"answers-{version}.json"
    lines = ",\n".join(json.dumps(answer, ensure_ascii=False) for answer in answers)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
