"""Definitions that are saved and restored after each statement are those that were never saved."""

import json
from pathlib import Path
from typing import Any

import pytest

from pybinlog.catalog import Catalog, saved
from pybinlog.catalog.definitions import Definitions
from pybinlog.catalog.saved import SavedDefinitions, restored
from pybinlog.catalog.tables import Known
from pybinlog.feed.span import Span
from pybinlog.schema.column import Key, KeyPart
from pybinlog.views.definitions import statements_in
from tests.corpus import TESTDATA

LOGS = sorted(
    path
    for folder in ("corpus", "shop")
    for path in (TESTDATA / folder).rglob("*.0*")
    if path.is_file() and path.suffix[1:].isdecimal()
)
SYNTAX = [
    "CREATE DATABASE d CHARACTER SET latin1",
    "CREATE TABLE a (id INT PRIMARY KEY, t TIMESTAMP NOT NULL, e ENUM('x','ü') NOT NULL, s SET('p','q'))",
    "CREATE TABLE b (x VARCHAR(9) INVISIBLE, y INT AS (id + 1) STORED, p POINT, PRIMARY KEY (x, y)) ENGINE=MyISAM",
    "CREATE TABLE IF NOT EXISTS e.c (id INT)",
    "CREATE TABLE v (x INT) WITH SYSTEM VERSIONING",
    "CREATE SEQUENCE s",
    "CREATE TABLE q SELECT 1 AS one",
    "CREATE TEMPORARY TABLE a (z INT)",
    "ALTER TABLE a ADD hidden INT",
    "DROP TEMPORARY TABLE a",
    "ALTER TABLE a ADD u DECIMAL(9,3) UNSIGNED ZEROFILL COMMENT 'c' AFTER id, DROP PRIMARY KEY",
    "DROP TABLE b",
    "CREATE TABLE IF NOT EXISTS b (id BIGINT)",
    "CREATE DATABASE gone",
    "DROP DATABASE gone",
    "ALTER TABLE a SPLIT PARTITION 7 INTO NOTHING KNOWN",
    "CREATE TABLE w (j JSON, n NCHAR(3), b BIT(9), g GEOMETRY SRID 4326, y YEAR, f FLOAT(30), d DATETIME(3))",
]


def run(statements: list[tuple[Any, ...]]) -> None:
    plain, again = Catalog(), Catalog()
    text = SavedDefinitions()
    for statement in statements:
        plain.run(*statement)
        again.run(*statement)
        again.definitions = restored(json.loads(text.text(again.definitions)))
        assert content(again.definitions) == content(plain.definitions)


def content(definitions: Definitions) -> tuple[Any, ...]:
    return {key: needed(what) for key, what in definitions.tables.items()}, definitions.others()


def needed(what: Any) -> Any:
    """Without what rows need not know."""
    return saved.saved(what)


@pytest.mark.parametrize("log", LOGS, ids=lambda path: str(path.relative_to(TESTDATA)))
def test_statements_of_logs(log: Path) -> None:
    run(statements_in(Span((str(log),))).statements)


def test_every_kind_of_statement() -> None:
    run([(text.encode(), b"d", bytes([45, 0, 45, 0, 45, 0]), 45) for text in SYNTAX])


def test_a_text_is_made_again_only_after_a_change() -> None:
    catalog, text = Catalog(), SavedDefinitions()
    catalog.run(b"CREATE TABLE t (id INT)", b"d")
    first = text.text(catalog.definitions)
    assert text.text(catalog.definitions) is first
    catalog.run(b"DROP TABLE t", b"d")
    assert '"t"' in text.text(catalog.definitions)  # as absent
    assert json.loads(text.text(catalog.definitions))["tables"] == []


def test_too_many_definitions_omit_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    catalog, text = Catalog(), SavedDefinitions()
    for number in range(10):
        catalog.run(f"CREATE TABLE t{number} (id INT)".encode(), b"d")
    whole = text.text(catalog.definitions)
    monkeypatch.setattr(saved, "MOST", len(whole) // 2)
    catalog.run(b"DROP TABLE missing", b"d")
    kept = [name for _, name, *_ in json.loads(text.text(catalog.definitions))["tables"]]
    assert 0 < text.omitted == 10 - len(kept)
    assert kept == [f"t{number}" for number in range(text.omitted, 10)]


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{}",
        '{"tables":[["d"]]}',
        '{"tables":[["d","t",[{"name":1,"type":3}],[],255,false,null]]}',
        '{"tables":[["d","t",[{"name":"a","type":3000}],[],255,false,null]]}',
        '{"tables":[["d","t",[{"name":"a","type":3,"lengths":1}],[],255,false,null]]}',
        '{"tables":[["d","t",[{"name":"a","type":3,"unsigned":1}],[],255,false,null]]}',
        '{"tables":[["d","t","lost",5]]}',
        '{"tables":[],"absent":[1]}',
    ],
)
def test_damaged_definitions_are_refused(content: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        restored(json.loads(content))


def test_the_text_has_what_rows_need() -> None:
    catalog = Catalog()
    for text in (
        "CREATE DATABASE d CHARSET latin1",
        "CREATE TABLE t (a INT UNSIGNED DEFAULT 5 COMMENT 'c', b ENUM('x') INVISIBLE, PRIMARY KEY (b, a)) ENGINE=Aria",
        "CREATE TABLE v (a INT AS (1) STORED) WITH SYSTEM VERSIONING",
        "CREATE TABLE q SELECT 1",
        "CREATE TEMPORARY TABLE z (a INT)",
        "DROP TABLE gone",
        "DROP DATABASE e",
    ):
        catalog.run(text.encode(), b"d", thread=7, file=b"log", position=4, server_start=9)
    found = json.loads(SavedDefinitions().text(catalog.definitions))
    assert found == {
        "absent": [["d", "gone"]],
        "temporary": [[7, "d", "z"]],
        "collations": {"d": 8},
        "whole": ["d"],
        "dropped": ["e"],
        "server_start": 9,
        "tables": [
            [
                "d",
                "t",
                [
                    {
                        "name": "a",
                        "type": 3,
                        "declared": "int unsigned",
                        "nullable": False,
                        "unsigned": True,
                        "comment": "c",
                    },
                    {
                        "name": "b",
                        "type": 247,
                        "declared": "enum('x')",
                        "nullable": False,
                        "collation": 8,
                        "members": ["x"],
                        "visible": False,
                    },
                ],
                ["b", "a"],
                8,
                False,
                "Aria",
            ],
            ["d", "v", [{"name": "a", "type": 3, "declared": "int", "generated": ["", True]}], [], 8, True, None],
            ["d", "q", "it was made of a query, whose columns are not known", "log, position 4"],
        ],
    }
    again = restored(found)
    assert content(again) == content(catalog.definitions)
    known = again.tables.get(("d", "t"))
    assert isinstance(known, Known)
    assert known.table.keys == (Key("PRIMARY", (KeyPart("b"), KeyPart("a")), True),)
    assert known.columns == catalog.definitions.tables.get(("d", "t")).columns  # type: ignore[union-attr]
    assert json.loads(SavedDefinitions().text(again)) == found


def test_16_mib_of_definitions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert saved.MOST == 16 << 20
    catalog = Catalog()
    for name in "tu":
        catalog.run(f"CREATE TABLE {name} (a INT)".encode(), b"d")
    size = len('["d","t",[{"name":"a","type":3,"declared":"int"}],[],0,false,null]')
    for most, omitted in ((2 * size, 0), (2 * size - 1, 1), (size, 1), (size - 1, 2)):
        monkeypatch.setattr(saved, "MOST", most)
        text = SavedDefinitions()
        kept = json.loads(text.text(catalog.definitions))["tables"]
        assert (text.omitted, [table[1] for table in kept]) == (omitted, [*"tu"][omitted:])
