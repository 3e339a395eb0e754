"""`pybinlog rows`: a sentence a row for people, export's lines for programs."""

import json

import pytest

from tests.cli.conftest import real
from tests.corpus import TESTDATA

FOLDER = TESTDATA / "corpus" / "mysql-9.7"
BASIC = str(FOLDER / "row-basic" / "binlog.000001")
XA = str(FOLDER / "xa" / "binlog.000001")
OPTIONS = [(), ("--ddl",), ("--operation=update",), ("--columns=row,after,gtid",), ("--committed",)]


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.parametrize("log", [BASIC, XA])
@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_for_programs_it_is_what_export_writes(format: str, log: str, options: tuple[str, ...]) -> None:
    shown = real("rows", f"--format={format}", *options, log)
    exported = real("export", "--view=rows", f"--format={format}", *options, "-o", "-", log)
    assert shown.status == exported.status == 0
    assert shown.out == exported.out
    if format == "jsonl":
        assert real("rows", *options, log).out == exported.out


def test_an_update_shows_what_changed() -> None:
    objects = [json.loads(line) for line in real("rows", "--operation=update", BASIC).out.splitlines()]
    lines = real("rows", "--format=table", "--operation=update", BASIC).out.decode().splitlines()
    assert len(lines) == len(objects) > 0
    for row, line in zip(objects, lines, strict=True):
        time, _, table = row["timestamp"], row["database"], row["table"]
        assert line.startswith(f"{time[:19].replace('T', ' ')}Z  {row['database']}.{table}  UPDATE  ")
        changed = [name for name, value in row["after"].items() if row["before"].get(name, ...) != value]
        assert line.count(" → ") == len(changed)
        for name in changed:
            assert f"{name}: " in line


def test_sentences() -> None:
    from pybinlog.cli.display.row_sentence import row_sentence

    time = "2026-11-24 10:00:01Z"
    before = '{"id":7,"status":"new","price":9.90,"note":null,"data":{"base64":"AP8="}}'
    after = '{"id":7,"status":"paid","price":9.90,"note":"a\\nb","data":{"base64":"AP8="}}'
    row = (time, "shop", "orders", "UPDATE", before, after, None, None, None)
    assert row_sentence(row) == (
        "2026-11-24 10:00:01Z  shop.orders  UPDATE  id=7  status: 'new' → 'paid', note: NULL → 'a\\nb'"
    )
    assert row_sentence((time, "shop", "orders", "DELETE", before, None, None, None, None)) == (
        "2026-11-24 10:00:01Z  shop.orders  DELETE  id=7  status: 'new', price: 9.90, note: NULL, data: base64:AP8="
    )
    minimal = (None, "shop", "orders", "UPDATE", '{"id":7}', '{"status":"paid"}', None, None, '["id"]')
    assert row_sentence(minimal) == "-  shop.orders  UPDATE  id=7  status: 'paid'"
    assert row_sentence((time, "shop", None, "DDL", None, None, "DROP TABLE t\x1b", 7, None)) == (
        "2026-11-24 10:00:01Z  shop  DDL  connection 7  DROP TABLE t\\x1b"
    )


@pytest.mark.parametrize("metadata", ["full", "minimal"])
def test_the_key_is_the_primary_key(metadata: str) -> None:
    """With minimal metadata, the CREATE TABLE statements of the log define it."""
    log = str(FOLDER / f"row-metadata-{metadata}" / "binlog.000001")
    lines = real("rows", "--format=table", log).out.decode().splitlines()
    keys = {line.split("  ")[1]: line.split("  ")[3] for line in lines}
    assert keys["meta.prefix_pk"] == "b='bbbbbbbbbbbb', c=3, a='a'"
    assert keys["meta.geo"] == "id=1"
    assert keys["meta.gipk"] == "my_row_id=2"
    assert keys["meta.js"] == 'j={"a": [1, 2]}'  # it has no key: the first column
    deleted = next(line for line in lines if "meta.geo  DELETE" in line)
    assert deleted.count("id") == 1


def test_an_update_of_a_key_that_the_log_defines_is_two_rows() -> None:
    log = str(FOLDER / "row-image-minimal" / "binlog.000001")
    found = real("export", "--view=table", "--table=img.pk", "--columns=_op,id", "--format=jsonl", "-o", "-", log)
    rows = [json.loads(line) for line in found.out.splitlines()]
    assert {"_op": "DELETE", "id": 3} in rows
    assert rows[rows.index({"_op": "DELETE", "id": 3}) + 1] == {"_op": "UPDATE", "id": 33}


@pytest.mark.parametrize(
    "order", [("--limit=3",), ("--limit=2,4",), ("--sort=-position", "--limit=2"), ("--top=2", "--sort=row")]
)
def test_some_rows_are_some_lines_of_all(order: tuple[str, ...]) -> None:
    everything = real("rows", BASIC).out.splitlines()
    found = real("rows", *order, BASIC).out.splitlines()
    assert 2 <= len(found) <= 4
    assert set(found) <= set(everything)
