"""`diff` and `find --not-in` on real servers."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.server import Server, listening, running
from tests.undo.histories import ARGUMENTS

UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
TRANSACTIONS = 60


@pytest.fixture(scope="module", params=list(ARGUMENTS))
def servers(request: pytest.FixtureRequest) -> Iterator[tuple[str, list[Server], list[int]]]:
    ports, arguments = zip(*(listening() for _ in range(2)), strict=True)
    kind: str = request.param
    with (
        running(kind, "diff-a", *ARGUMENTS[kind], *arguments[0]) as one,
        running(kind, "diff-b", *ARGUMENTS[kind], *arguments[1]) as other,
    ):
        yield kind, [one, other], list(ports)


def gtid(kind: str, number: int) -> str:
    return f"{UUID}:{number}" if kind == "mysql" else f"7-9-{number}"


def workload(kind: str, *, changed: bool) -> str:
    """Return transactions with certain GTIDs. `changed`: 5 have other values, 5 other statements, 5 are others."""
    lines = ["SET binlog_row_image = MINIMAL;"] if changed else []
    lines += ["SET gtid_domain_id = 7, server_id = 9;"] if kind == "mariadb" else []
    for number in range(1, TRANSACTIONS + 1):
        value = number + (changed and number % 12 == 5)
        statement = f"INSERT INTO d.t VALUES ({number}, {value}, 'text')"
        if number == 1:
            statement = "CREATE DATABASE d"
        elif number == 2:
            statement = "CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b TEXT)"
        elif number % 12 == 7:
            comment = "other" if changed else "this"
            statement = f"CREATE TABLE d.t{number} (id INT PRIMARY KEY) COMMENT '{comment}'"
        elif number % 12 == 9:
            statement = f"UPDATE d.t SET a = -1 WHERE id = {number - 1}"
        if number % 12 == (10 if changed else 11):
            continue
        if kind == "mysql":
            lines.append(f"SET gtid_next = '{UUID}:{number}'; {statement};")
        else:
            lines.append(f"SET gtid_seq_no = {number}; {statement};")
    return "\n".join(lines)


def test_seeded_differences_of_two_servers_are_found_and_no_more(
    servers: tuple[str, list[Server], list[int]], tmp_path: Path
) -> None:
    kind, (one, other), ports = servers
    firsts = [server.next_log() for server in (one, other)]
    for server, changed in ((one, False), (other, True)):
        server.sql(workload(kind, changed=changed))
    folders = []
    for server, first in zip((one, other), firsts, strict=True):
        server.next_log()
        folder = tmp_path / server.name
        folder.mkdir()
        shutil.copy(server.folder() / first, folder / "binlog.000077")
        folders.append(str(folder))
    result = real("diff", "--format=jsonl", *folders)
    assert result.status == 1, result.err
    found = [json.loads(line) for line in result.out.splitlines()]
    assert Counter(line["difference"] for line in found) == {"only in A": 1, "only in B": 1, "row": 5, "statement": 5}
    (only_in_a,) = (line["gtid"] for line in found if line["difference"] == "only in A")
    assert sorted(only_in_a.replace(f"{UUID}:", "").replace("7-9-", "").split(",")) == ["10", "22", "34", "46", "58"]
    assert {line["gtid"] for line in found if line["difference"] == "row"} == {
        gtid(kind, number) for number in range(5, TRANSACTIONS, 12)
    }
    assert {line["table"] for line in found if line["difference"] == "row"} == {"d.t"}

    urls = [f"mysql://root@127.0.0.1:{port}" for port in ports]
    errant = real("find", "--format=jsonl", f"--not-in={urls[1]}", folders[0])
    lines = [json.loads(line) for line in errant.out.splitlines()]
    if kind == "mysql":
        assert [line["gtid"] for line in lines] == [gtid(kind, number) for number in range(10, TRANSACTIONS, 12)]
        other.sql("".join(line["heal"] for line in lines))
    for there in (urls[1], folders[0]):
        nothing = real("find", f"--not-in={there}", folders[0])
        assert nothing.status == 1
        assert "all GTIDs of these logs are there" in nothing.err


def test_a_server_equals_a_copy_of_its_logs(servers: tuple[str, list[Server], list[int]], tmp_path: Path) -> None:
    _, (one, _), ports = servers
    one.next_log()
    url = f"mysql://root@127.0.0.1:{ports[0]}"
    assert (
        real("mirror", "--once", f"--to={tmp_path / 'copy'}", "-h", "127.0.0.1", f"-P{ports[0]}", "-u", "root").status
        == 0
    )
    result = real("diff", url, str(tmp_path / "copy"))
    assert result.status == 0, result.out.decode() + result.err
