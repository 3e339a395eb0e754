"""A filtered text, run on a real server with the state before: exactly the chosen changes take effect."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pybinlog
from pybinlog.cli.environment import Environment
from pybinlog.cli.main import run
from tests.cli.conftest import Output
from tests.server import Server, running

TABLES = ("a.one", "a.two", "b.one", "b.many")

SCHEMA = """
DROP DATABASE IF EXISTS a; DROP DATABASE IF EXISTS b; CREATE DATABASE a; CREATE DATABASE b;
CREATE TABLE a.one (id INT PRIMARY KEY, v VARCHAR(50)); CREATE TABLE a.two (id INT PRIMARY KEY, v VARCHAR(50));
CREATE TABLE b.one (id INT PRIMARY KEY, v VARCHAR(50)); CREATE TABLE b.many (id INT, v VARCHAR(50), KEY (id));
CREATE TRIGGER a.copies AFTER INSERT ON a.one FOR EACH ROW INSERT INTO b.many VALUES (NEW.id, NEW.v);
INSERT INTO a.two VALUES (1, 'x'), (2, 'y'), (3, 'z'); INSERT INTO b.one VALUES (1, 'x'), (2, 'y'), (3, 'z');
"""

WORKLOAD = """
USE a;
INSERT INTO one VALUES (1, 'a'), (2, 'b');
BEGIN; INSERT INTO b.many VALUES (9, 'n'); UPDATE two SET v = 'other' WHERE id = 1;
DELETE FROM b.one WHERE id = 1; COMMIT;
UPDATE two, b.one SET two.v = 'both', b.one.v = 'both' WHERE two.id = b.one.id AND two.id = 2;
BEGIN; INSERT INTO one VALUES (3, 'c'); SAVEPOINT s; INSERT INTO two VALUES (8, 's'); ROLLBACK TO s;
INSERT INTO one VALUES (4, 'd'); COMMIT;
INSERT INTO two VALUES (1, 'again'), (5, 'new') ON DUPLICATE KEY UPDATE v = 'dup';
XA START 'x'; INSERT INTO two VALUES (20, 'xa'); XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x';
XA START 'y'; INSERT INTO b.one VALUES (21, 'xa'); XA END 'y'; XA PREPARE 'y'; XA COMMIT 'y';
SET binlog_transaction_compression = ON;
BEGIN; INSERT INTO one VALUES (30, 'z'); DELETE FROM two WHERE id = 3;
UPDATE b.one SET v = 'packed' WHERE id = 3; COMMIT;
SET binlog_transaction_compression = OFF;
DELETE two, b.one FROM two JOIN b.one USING (id) WHERE two.id = 2;
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running(
        "mysql", "filtered-run", "--log-bin=binlog", "--gtid-mode=ON", "--enforce-gtid-consistency=ON"
    ) as server:
        yield server


def state(server: Server) -> dict[str, list[str]]:
    return {table: sorted(server.sql(f"SELECT * FROM {table}").splitlines()) for table in TABLES}


@pytest.fixture(scope="module")
def log(
    server: Server, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, list[str]], dict[str, list[str]]]:
    """A log of the workload, and the tables before and after it."""
    server.sql(SCHEMA)
    before = state(server)
    name = server.next_log()
    server.sql(WORKLOAD)
    after = state(server)
    server.next_log()
    copy = tmp_path_factory.mktemp("log") / name
    copy.write_bytes((server.folder() / name).read_bytes())
    return copy, before, after


def filtered(log: Path, *arguments: str) -> str:
    out, err = Output(), io.StringIO()
    status = run(["--skip-gtids", *arguments, str(log)], Environment(stdin=None, stdout=out, stderr=err))
    assert status == 0, err.getvalue()
    return out.getvalue().decode()


def run_on_the_state_before(server: Server, text: str) -> tuple[dict[str, list[str]], list[Any]]:
    """The tables after the text was run, and what the server's own log of that is refused for."""
    server.sql(SCHEMA)
    server.sql("DROP TRIGGER a.copies")
    name = server.next_log()
    server.sql(text, "--binary-mode")
    now = state(server)
    server.next_log()
    with pybinlog.open(str(server.folder() / name)) as written:
        refused = [event.refused for event in written if event.refused is not None]
    return now, refused


@pytest.mark.parametrize(
    ("arguments", "changed"),
    [
        (["--table=a.one"], ["a.one"]),
        (["--table=a.two"], ["a.two"]),
        (["--table=b.one"], ["b.one"]),
        (["--table=b.many"], ["b.many"]),
        (["--table=one"], ["a.one", "b.one"]),
        (["--table=a.*,b.one", "--ignore-table=a.one"], ["a.two", "b.one"]),
        (["--ignore-database=a"], ["b.one", "b.many"]),
        (["--database=a,b"], list(TABLES)),
        (["--table=nothere"], []),
    ],
    ids=str,
)
def test_the_tables_that_were_asked_for_change_and_no_others(
    server: Server,
    log: tuple[Path, dict[str, list[str]], dict[str, list[str]]],
    arguments: list[str],
    changed: list[str],
) -> None:
    path, before, after = log
    now, refused = run_on_the_state_before(server, filtered(path, *arguments))
    assert now == {table: (after if table in changed else before)[table] for table in TABLES}
    assert refused == []


def test_operations_and_the_rest_of_them_come_to_the_whole(
    server: Server, log: tuple[Path, dict[str, list[str]], dict[str, list[str]]]
) -> None:
    path, before, _ = log
    now, refused = run_on_the_state_before(server, filtered(path, "--operation=delete"))
    assert refused == []
    gone = [row for table in TABLES for row in before[table] if row not in now[table]]
    assert gone
    assert not [row for table in TABLES for row in now[table] if row not in before[table]]


def test_a_marked_log_with_what_was_asked_for_gives_no_boundary_warning(
    log: tuple[Path, dict[str, list[str]], dict[str, list[str]]], tmp_path: Path
) -> None:
    path, _, _ = log
    marked = tmp_path / path.name
    quiet = Environment(stdin=None, stdout=Output(), stderr=io.StringIO())
    assert run(["tag", str(path), "-o", str(marked)], quiet) == 0
    err = io.StringIO()
    assert run(["--table=a.one", str(marked)], Environment(stdin=None, stdout=Output(), stderr=err)) == 0
    assert "boundary parser" not in err.getvalue()
