"""Names of columns from the tables of a live server: they hold now, and back as far as the logs allow."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.server import Server, running

INSERT = "USE n; INSERT INTO w VALUES (1, 2, 3);"


@pytest.fixture(scope="module", params=["mysql", "mariadb"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with running(request.param, "definitions", "--binlog-format=ROW") as found:
        yield found


def names(server: Server, *arguments: str) -> tuple[list[list[str]], str]:
    """The columns of each row, and what was said."""
    socket = f"--socket={server.socket()}"
    result = real("export", "--view=rows", "--table=n.w", "-o", "-", "--no-defaults", socket, *arguments, "--user=root")
    assert result.status == 0, result.err
    return [list(json.loads(line)["after"]) for line in result.out.splitlines()], result.err


def test_tables_of_a_server_are_of_now(server: Server, tmp_path: Path) -> None:
    schema = "--schema=mysql://root@localhost"
    server.sql("DROP DATABASE IF EXISTS n; CREATE DATABASE n; CREATE TABLE n.w (a INT, b INT, c INT)")
    log = server.next_log()
    server.sql(f"{INSERT} ALTER TABLE w RENAME COLUMN c TO d; INSERT INTO w VALUES (1, 2, 3)")
    path = server.folder() / log
    before, after = ["a", "b", "c"], ["a", "b", "d"]
    assert names(server, schema, str(path))[0] == [before, after]
    assert names(server, schema, "-R", log)[0] == [before, after]

    copy = tmp_path / log
    shutil.copyfile(path, copy)
    server.sql("USE n; ALTER TABLE w MODIFY b INT FIRST; INSERT INTO w VALUES (2, 1, 3)")
    nameless = ["@1", "@2", "@3"]
    found, said = names(server, schema, str(path))
    assert found == [nameless, nameless, ["b", "a", "d"]]
    assert "the columns of n.w have no names from here on: a statement changed the column b" in said
    found, said = names(server, schema, str(copy))
    assert found == [nameless, nameless]
    assert f"which is not in {copy}" in said
