"""The logs arrive byte for byte: pybinlog's own client copies them."""

import gzip
import re
from pathlib import Path

import pytest
import zstandard

from pybinlog.errors import SourceError
from pybinlog.kernel.base.event import BINLOG_IN_USE
from pybinlog.serve.archive import Archive
from pybinlog.source.followed import FLAGS_AT
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.serve.served import port_of, served

pytest.importorskip("pymysql", reason="needs PyMySQL")

CLIENT = ["-R", "--no-defaults", "-uroot", "-h127.0.0.1"]
CLOSED = {
    folder: sorted(path for path in folder.iterdir() if re.fullmatch(r".+\.\d{6}", path.name))
    for folder in sorted((TESTDATA / "corpus").glob("*/*/"))
    if not re.match("damaged|trailing|truncated|encrypted|relay|in-use|killed", folder.name)
}
NAMES = {f"{folder.parent.name}/{folder.name}": folder for folder, logs in CLOSED.items() if logs}


def copied(port: int, first: str, to: Path, *more: str) -> dict[str, bytes]:
    """Return the copies that `--raw -t` makes."""
    result = real(*CLIENT, f"-P{port}", "--raw", "-t", f"--result-file={to}/", *more, first)
    assert result.status == 0, result.err
    return {path.name: path.read_bytes() for path in sorted(to.iterdir())}


@pytest.mark.parametrize("name", NAMES)
def test_the_copies_of_closed_logs_are_the_logs(name: str, tmp_path: Path) -> None:
    logs = CLOSED[NAMES[name]]
    copies = copied(port_of(logs), logs[0].name, tmp_path)
    assert copies == {log.name: log.read_bytes() for log in logs}


@pytest.mark.parametrize("algorithm", ["zlib", "zstd"])
@pytest.mark.parametrize("name", ["large-rows", "multi-file", "row-basic"])
def test_the_copies_that_come_in_compressed_packets_are_the_logs(name: str, algorithm: str, tmp_path: Path) -> None:
    logs = CLOSED[TESTDATA / "corpus/mysql-9.7" / name]
    copies = copied(port_of(logs), logs[0].name, tmp_path, f"--compression-algorithms={algorithm}")
    assert copies == {log.name: log.read_bytes() for log in logs}


@pytest.mark.parametrize("checks", [[], ["--skip-check"]], ids=["checked", "unchecked"])
def test_logs_that_were_compressed_meanwhile_are_sent(checks: list[str], tmp_path: Path) -> None:
    """A mirror or a cron job may do that at any moment, also without --follow."""
    logs = CLOSED[TESTDATA / "corpus/mysql-9.7/multi-file"]
    folder, copies = tmp_path / "logs", tmp_path / "copies"
    folder.mkdir()
    copies.mkdir()
    for log in logs:
        (folder / log.name).write_bytes(log.read_bytes())
    with served(*checks, folder) as server:
        for log in logs:
            (folder / f"{log.name}.zst").write_bytes(zstandard.compress(log.read_bytes()))
            (folder / log.name).unlink()
        assert copied(server.port, logs[0].name, copies) == {log.name: log.read_bytes() for log in logs}


def test_an_archive_tells_what_compressed_logs_hold(tmp_path: Path) -> None:
    logs = CLOSED[TESTDATA / "corpus/mysql-9.7/multi-file"]
    names = [tmp_path / log.name for log in logs]
    for log, name in zip(logs, names, strict=True):
        name.write_bytes(log.read_bytes())
    archive, other = (Archive([str(name) for name in names], lambda _: None) for _ in range(2))
    told = archive.executed(), archive.row_metadata, [log.size for log in archive.logs]
    for name in names:
        name.with_name(f"{name.name}.gz").write_bytes(gzip.compress(name.read_bytes()))
        name.unlink()
    found = other.executed(), other.row_metadata, [log.size for log in other.logs]
    assert (str(found[0]), found[1:]) == (str(told[0]), told[1:])
    other.last.path += ".lost"
    with pytest.raises(SourceError, match="cannot be opened"):
        other.executed()


@pytest.mark.parametrize("name", ["in-use", "killed", "truncated-between", "truncated-body", "truncated-header"])
def test_a_log_that_is_cut_ends_after_its_last_whole_transaction(name: str, tmp_path: Path) -> None:
    log = TESTDATA / "corpus/mysql-9.7" / name / "binlog.000001"
    ends = [int(line.split(b"\t")[2]) for line in transactions(log)]
    (copy,) = copied(port_of([log]), log.name, tmp_path).values()
    whole = bytearray(log.read_bytes()[: max(ends)])
    whole[FLAGS_AT] &= ~BINLOG_IN_USE
    assert copy == whole


def transactions(log: Path) -> list[bytes]:
    columns = "--columns=file,ended,end_position"
    result = real("transactions", "--format=tsv", columns, str(log))
    lines = result.out.splitlines()[1:]
    assert lines
    return [line for line in lines if line.split(b"\t")[1] != b"NULL"]


@pytest.mark.parametrize("name", ["damaged-body", "damaged-length-zero", "damaged-type", "trailing-zeros"])
def test_a_stream_stops_with_an_error_before_damage(name: str, tmp_path: Path) -> None:
    log = TESTDATA / "corpus/mysql-9.7" / name / "binlog.000001"
    result = real(*CLIENT, f"-P{port_of([log])}", "--no-tbm", log.name)
    assert result.status == 1
    assert "the log is damaged after the last transaction that was sent" in result.err
    assert "(error 1236)" in result.err
    assert b"COMMIT/*!*/;" in result.out


def test_the_status_after_a_signal_is_0_and_standard_error_says_what_was_sent(tmp_path: Path) -> None:
    log = TESTDATA / "corpus/mysql-9.7/row-basic/binlog.000001"
    folder = tmp_path / "copies"
    folder.mkdir()
    with served(log, errors=tmp_path / "said") as server:
        copied(server.port, log.name, folder)
        server.wait_for("all was sent.")
        lines = server.said.splitlines()
    assert lines[0].endswith("reader with server id 0: from binlog.000001, at 4.")
    assert re.search(r": sent 17 transactions, \d+ bytes, up to binlog.000001, at 6103; all was sent", lines[1])
