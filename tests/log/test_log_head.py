"""The beginnings of logs, and the GTIDs that were executed before a place."""

import os
import tracemalloc
from pathlib import Path

import pytest

from pybinlog.gtid_intervals import GtidSet
from pybinlog.log.executed import Executed, set_text, wanted_set
from pybinlog.log.log_head import HEAD_BYTES, read_head
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.layout.log_builder import MYSQL_5_5, START, LogBuilder

CORPUS = TESTDATA / "corpus"
A, B = "1bcbbf4c-e549-11f1-88f4-02fc00000001", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"


@pytest.mark.parametrize(
    ("log", "end", "begun", "server_id", "version", "executed", "anonymous"),
    [
        ("mysql-9.7/multi-file/binlog.000003", 199, 1795224227, 1, "9.7.4-2", f"{A}:1-6", False),
        ("mysql-9.7/row-nogtid/binlog.000001", 158, 1795224172, 1, "9.7.4-2", "", True),
        ("mysql-9.7/tagged-gtid/binlog.000001", 158, 1795224226, 1, "9.7.4-2", "", False),
        ("mysql-9.7/relay/replica-relay-bin.000001", 213, 1795224239, 2, "9.7.4-2", "", False),
        (
            "mariadb-10.11/gtid-domains/mariadb-bin.000003",
            482,
            1795224315,
            1,
            "10.11.19-MariaDB-0+deb12u1-log",
            "3-1-4,7-99-1001,4294967295-99-3",
            False,
        ),
    ],
)
def test_a_log_says_when_it_was_begun_and_what_was_executed_before(
    log: str, end: int, begun: int, server_id: int, version: str, executed: str, anonymous: bool
) -> None:
    name = str(CORPUS / log)
    head = read_head(name)
    assert (head.name, head.end, head.begun, head.server_id, head.version) == (name, end, begun, server_id, version)
    assert (str(head.executed()), head.is_anonymous) == (executed, anonymous)


def test_no_more_is_read_than_the_beginning() -> None:
    data = (CORPUS / "mysql-9.7" / "types-wide" / "binlog.000001").read_bytes() * 4
    reader, writer = os.pipe()
    assert os.write(writer, data) == len(data) > 5 * HEAD_BYTES
    os.close(writer)
    with os.fdopen(reader, "rb", 0) as rest:
        assert read_head(f"/dev/fd/{reader}").end == 158
        assert len(data) - len(rest.read()) <= 2 * HEAD_BYTES


def test_the_beginning_of_a_log_takes_few_bytes() -> None:
    """A folder may have 100,000 logs."""
    name = str(CORPUS / "mysql-9.7" / "multi-file" / "binlog.000003")
    kept = [read_head(name)]
    tracemalloc.start()
    try:
        kept += [read_head(name) for _ in range(100)]
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < 100 * 1000


def test_only_mariadb_lists_the_last_gtids(tmp_path: Path) -> None:
    head = read_head(str(CORPUS / "mariadb-10.11" / "gtid-domains" / "mariadb-bin.000003"))
    assert head.listed == ((3, 1, 4), (4294967295, 99, 3), (7, 1, 1), (7, 99, 1001))
    assert head.previous == head.executed().gtids == wanted_set("3-1-1:4,4294967295-99-1:3,7-1-1,7-99-1:1001")
    (tmp_path / "old").write_bytes(LogBuilder(MYSQL_5_5).begin().data)
    head = read_head(str(tmp_path / "old"))
    assert (head.version, head.begun, head.previous, head.listed) == ("5.5.62-log", START, None, ())


@pytest.mark.parametrize(
    ("before", "added", "text", "since"),
    [
        ("", [f"{A}:1", f"{A}:2", f"{A}:4"], f"{A}:1-2:4", f"{A}:1-2:4"),
        (f"{A}:1-3,{B}:7", [f"{A}:4"], f"{A}:1-4,{B}:7", f"{A}:4"),
        (f"{A}:1-3", [f"{A}:blue:1", f"{B}:9", f"{A}:5"], f"{A}:1-3:5:blue:1,{B}:9", f"{A}:5:blue:1,{B}:9"),
        (f"{A}:1-3", [], f"{A}:1-3", ""),
        ("0-1-5", ["0-1-7"], "0-1-7", "0-1-7"),
        ("0-1-5,3-2-9", ["0-2-6", "12-1-1"], "0-2-6,3-2-9,12-1-1", "0-2-6,3-2-9,12-1-1"),
        ("0-1-5", [], "0-1-5", "0-1-5"),
    ],
)
def test_transactions_are_added_to_what_was_executed(before: str, added: list[str], text: str, since: str) -> None:
    executed = Executed.of_text(before)
    assert str(executed) == before
    for gtid in added:
        executed.add(gtid)
    assert str(executed) == text
    assert executed.text_since(Executed.of_text(before)) == since
    assert str(Executed.of_text(text)) == text


def test_a_position_of_mariadb_has_all_numbers_before_it() -> None:
    executed = Executed.of_text("0-1-5")
    assert [executed.has(wanted_set(gtids)) for gtids in ("0-1-1", "0-1-5", "0-1-1:5", "0-1-6", "0-2-5")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    executed.add_run("0-2", 6, 8)
    assert (str(executed), executed.has(wanted_set("0-2-1:8"))) == ("0-2-8", True)


def test_runs_of_a_server_are_added_as_they_are() -> None:
    executed = Executed(wanted_set(f"{A}:1"))
    executed.add_run(A, 3, 5)
    executed.add_run(f"{A}:blue", 1, 1)
    assert str(executed) == f"{A}:1:3-5:blue:1"
    assert [executed.has(wanted_set(f"{A}:{gtids}")) for gtids in ("3-5", "2", "5-6", "blue:1")] == [
        True,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("here", "there", "beyond"),
    [
        (f"{A}:1-9", f"{A}:1-9", ""),
        (f"{A}:1-9:12,{B}:3", f"{A}:2-7", f"{A}:1, {A}:8-9, {A}:12, {B}:3"),
        (f"{A}:1-3", f"{A}:1-9", ""),
        ("0-1-5", "0-1-5", ""),
        ("0-1-6", "0-1-5", "after 0-1-5 up to 0-1-6"),
        ("0-1-4", "0-1-5", ""),
        ("0-2-5", "0-1-5", "after 0-1-5 up to 0-2-5"),
        ("9-1-3,0-1-6,10-1-1", "0-1-5,10-1-1", "after 0-1-5 up to 0-1-6, up to 9-1-3"),
        ("", "0-1-5", ""),
        ("0-1-5", "", "up to 0-1-5"),
    ],
)
def test_what_was_executed_here_and_not_there_is_named(here: str, there: str, beyond: str) -> None:
    assert Executed.of_text(here).beyond(Executed.of_text(there)) == beyond


def test_a_copy_of_what_was_executed_is_its_own() -> None:
    before = wanted_set(f"{A}:1")
    executed = Executed(before)
    executed.add(f"{A}:2")
    assert (set_text(before), str(executed), set_text(GtidSet())) == (f"{A}:1", f"{A}:1-2", "")


@pytest.mark.parametrize("text", ["x", "0-1", "0-1-1,0-1-2", f"{A}:0"])
def test_what_is_neither_a_set_nor_a_position_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not |is neither |are of the same domain"):
        Executed.of_text(text)


@pytest.mark.parametrize("command", ["summary", "find --time=now"])
def test_an_encrypted_log_of_mariadb_says_so(command: str) -> None:
    log = TESTDATA / "encrypted" / "mariadb-cbc" / "mariadb-bin.000001"
    result = real(*command.split(), str(log))
    assert result.err == (
        f"ERROR: {log}, at 256: the log is encrypted from here on (encrypt_binlog=ON). Give its server's keyring "
        "(--keyring FILE, docs/encryption.md), or read it from its server (pybinlog -R), which decrypts it.\n"
    )
    keyring = f"--keyring={log.parent / 'keys'}"
    assert "encrypted" not in real(*command.split(), keyring, str(log)).err
