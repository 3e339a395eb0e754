"""`pybinlog rows --stop-never`: the rows of a server's logs, one log after the other."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pybinlog.cli.environment import Environment
from pybinlog.cli.main import run
from tests.cli.conftest import Output, real, without_remark
from tests.mirror.scripted_server import ScriptedServer
from tests.mirror.test_mirror import FOUR

pytest.importorskip("pymysql", reason="needs PyMySQL")


class SeenEnough(Output):
    """An output whose reader leaves after so many lines."""

    def __init__(self, most: int):
        super().__init__()
        self._most = most

    def write(self, data: bytes | memoryview, /) -> int:  # type: ignore[override]
        written = super().write(data)
        if self.getvalue().count(b"\n") >= self._most:
            raise BrokenPipeError
        return written


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(dict(FOUR)) as made:
        yield made


def rows_of(server: ScriptedServer, count: int, *arguments: str) -> tuple[int, list[str], str]:
    """Return the status, the first lines and what was said."""
    out, err = SeenEnough(count), io.StringIO()
    where = ["--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", "--ssl-mode=DISABLED"]
    environment = Environment(stdin=None, stdout=out, stderr=err)
    status = run(["rows", "-R", *where, "--stop-never", *arguments], environment)
    return status, out.getvalue().decode().splitlines(), without_remark(err.getvalue())


def wanted(folder: Path, names: list[str]) -> list[tuple[str, int, str]]:
    """Return the log, position and operation of each row, as the files have them."""
    for name in names:
        (folder / name).write_bytes(FOUR[name])
    lines = real("rows", *(str(folder / name) for name in names)).out.splitlines()
    return [(Path(row["file"]).name, row["position"], row["operation"]) for row in map(json.loads, lines)]


@pytest.mark.parametrize("first", [0, 1])
def test_the_logs_from_one_on_come_in_their_order(first: int, server: ScriptedServer, tmp_path: Path) -> None:
    names = list(FOUR)[first:]
    rows = wanted(tmp_path, names)
    status, lines, said = rows_of(server, len(rows), names[0])
    found = [json.loads(line) for line in lines]
    assert [(Path(row["file"]).name, row["position"], row["operation"]) for row in found] == rows
    assert {row["ended"] for row in found} == {"commit"}
    assert (status, said) == (0, "")


def test_columns_and_filters_are_chosen(server: ScriptedServer, tmp_path: Path) -> None:
    rows = [row for row in wanted(tmp_path, list(FOUR)) if row[2] == "INSERT"]
    arguments = ("--format=tsv", "--columns=position,operation", "--operation=insert", "binlog.000001")
    status, lines, said = rows_of(server, len(rows) + 1, *arguments)
    assert lines == ["position\toperation\tended", *(f"{position}\tINSERT\tcommit" for _, position, _ in rows)]
    assert (status, said) == (0, "")


def test_a_person_gets_a_line_for_each_row(server: ScriptedServer, tmp_path: Path) -> None:
    for name, log in FOUR.items():
        (tmp_path / name).write_bytes(log)
    sentences = real("rows", "--format=table", *(str(tmp_path / name) for name in FOUR)).out.decode().splitlines()
    status, lines, said = rows_of(server, len(sentences), "--format=table", "binlog.000001")
    assert lines == sentences
    assert (status, said) == (0, "")


@pytest.mark.parametrize("option", ["--columns=gtid", "--output=x.jsonl --checkpoint=x"])
def test_a_line_for_each_row_has_its_own_columns_and_no_file(option: str, tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(FOUR["binlog.000001"])
    result = real("rows", "--follow", "--format=table", *option.split(), str(log))
    assert result.status == 2
    assert f"--format=table cannot be used with {option.partition('=')[0]}: use jsonl or tsv." in result.err


def test_the_end_of_a_transaction_is_told_unless_it_is_a_commit() -> None:
    from pybinlog.cli.display.row_sentence import SentenceOutput

    row = {
        "timestamp": "2026-11-24T10:00:01.000000Z", "commit_time": None, "xa_xid": "X'61',X'',1", "database": "shop",
        "table": "t", "operation": "INSERT", "before": None, "after": {"id": 1.50}, "query": None, "thread_id": 7,
        "_key": '["id"]', "ended": "xa prepare",
    }  # fmt: skip
    decision = {**row, "timestamp": None, "commit_time": row["timestamp"], "operation": "XA COMMIT", "table": None}
    statement = {**row, "table": None, "operation": "DDL", "query": "DROP TABLE t", "ended": "statement"}
    shown = Output()
    output = SentenceOutput(shown)
    data = b"".join(json.dumps(one).encode() + b"\n" for one in (row, decision, statement))
    for at in range(0, len(data), 7):  # pieces end anywhere
        output.write(data[at : at + 7])
    assert shown.getvalue().decode().splitlines() == [
        "2026-11-24 10:00:01Z  shop.t  INSERT  id=1.5  (xa prepare)",
        "2026-11-24 10:00:01Z  XA COMMIT  X'61',X'',1",
        "2026-11-24 10:00:01Z  shop.t  DDL  connection 7  DROP TABLE t",
    ]
