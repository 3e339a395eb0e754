"""A changed row as one line: its key, its values and their changes."""

import json
from typing import Any

import pytest

from pybinlog.cli.display.row_sentence import row_sentence

TIME = "2026-11-24 10:00:01Z"
ROW = {"id": 7, "status": "new", "price": 9.5, "note": None}


def sentence(operation: str, before: Any, after: Any, key: list[str] | None = None, time: str | None = TIME) -> str:
    images = [None if image is None else json.dumps(image) for image in (before, after)]
    return row_sentence(
        (time, "shop", "orders", operation, *images, None, None, None if key is None else json.dumps(key))
    )


@pytest.mark.parametrize(
    ("operation", "before", "after", "key", "line"),
    [
        ("INSERT", None, ROW, None, "id=7  status: 'new', price: 9.5, note: NULL"),
        ("INSERT", None, ROW, ["status", "id"], "status='new', id=7  price: 9.5, note: NULL"),
        ("INSERT", None, ROW, [], "id: 7, status: 'new', price: 9.5, note: NULL"),
        ("INSERT", None, ROW, ["gone"], "id: 7, status: 'new', price: 9.5, note: NULL"),
        ("DELETE", {"id": 7}, None, ["id"], "id=7"),
        ("UPDATE", ROW, {**ROW, "price": 9.50, "note": ""}, ["id"], "id=7  note: NULL → ''"),
        ("UPDATE", ROW, {**ROW, "id": 8}, ["id"], "id=7  id: 7 → 8"),
        ("UPDATE", ROW, ROW, ["id"], "id=7"),
        ("UPDATE", {"id": 7}, {"note": None, "price": 1}, ["id"], "id=7  note: NULL, price: 1"),
        ("UPDATE", {}, {"id": 7}, ["id"], "id=7  id: 7"),
        ("INSERT", None, {}, None, ""),
    ],
)
def test_a_row_has_its_key_and_what_it_does(
    operation: str, before: Any, after: Any, key: list[str] | None, line: str
) -> None:
    wanted = f"{TIME}  shop.orders  {operation}  {line}"
    assert sentence(operation, before, after, key) == wanted.rstrip()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "NULL"),
        (12345678901234567890123, "12345678901234567890123"),
        ("it's\x1b\n", r"'it's\x1b\n'"),
        ("x" * 60, f"'{'x' * 60}'"),
        ("x" * 61, f"'{'x' * 57}...'"),
        ({"base64": "QUI="}, "base64:QUI="),
        ({"base64": "A" * 61}, f"base64:{'A' * 57}..."),
        ({"base64": "QUI=", "b": 1}, '{"base64": "QUI=", "b": 1}'),
        ({"a": [1, 2.50, None, True, "é"], "b": {}}, '{"a": [1, 2.5, null, true, "é"], "b": {}}'),
        (True, "true"),
        ([], "[]"),
        (["y" * 57], '["' + "y" * 55 + "..."),
        (["y" * 56], '["' + "y" * 56 + '"]'),
    ],
)
def test_values_are_shown_as_sql_has_them_up_to_60_characters(value: Any, shown: str) -> None:
    line = sentence("INSERT", None, {"id": 1, "v\t": value}, time=None)
    assert line == rf"-  shop.orders  INSERT  id=1  v\t: {shown}"


def test_numbers_keep_their_digits() -> None:
    row = (None, "a\x07", "t\n", "INSERT", None, '{"a":1.50,"b":[1e400,0.10],"c":9.90}', None, None, None)
    assert row_sentence(row) == r"-  a\x07.t\n  INSERT  a=1.50  b: [1e400, 0.10], c: 9.90"


@pytest.mark.parametrize(
    ("database", "query", "thread", "line"),
    [
        ("shop", "DROP TABLE t, u.v", 9, "shop.t, u.v  DDL  connection 9  DROP TABLE t, u.v"),
        ("shop", "DROP TABLE t\x1b", None, r"shop  DDL  DROP TABLE t\x1b"),
        ("shop", "CREATE DATABASE x", 9, "shop  DDL  connection 9  CREATE DATABASE x"),
        (None, None, None, "-  DDL  "),
        ("", "q" * 60, None, f"-  DDL  {'q' * 60}"),
        ("b", "q" * 61, None, f"b  DDL  {'q' * 57}..."),
    ],
)
def test_a_statement_has_its_tables_its_connection_and_its_beginning(
    database: str | None, query: str | None, thread: int | None, line: str
) -> None:
    assert row_sentence((None, database, None, "DDL", None, None, query, thread, None)) == f"-  {line}"
