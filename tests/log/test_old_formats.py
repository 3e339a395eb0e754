"""Logs of MySQL 4.1 and older are named, not called damaged."""

import io
import struct
from pathlib import Path

import pytest

import pybinlog
from pybinlog.errors import OldFormatError
from tests.cli.conftest import real

V1, V3 = 13, 19
"""Bytes of an event's header in binlog versions 1 and 3."""


def old_log(header: int, version: int, server: bytes) -> bytes:
    body = struct.pack("<H50sI", version, server, 1_000_000_000)
    rest = struct.pack("<IH", 0, 0) if header == V3 else b""
    first = struct.pack("<IBII", 1_000_000_000, 1, 1, header + len(body)) + rest + body
    return b"\xfebin" + first + bytes(40)


LOGS = [
    (old_log(V1, 1, b"3.23.58-log"), "written by MySQL 3.23.58-log, binlog version 1: not read"),
    (old_log(V3, 3, b"4.0.30-log"), "written by MySQL 4.0.30-log, binlog version 3: not read"),
    (old_log(V3, 3, b"4.1.22\x1b[2J-log"), "written by MySQL 4.1.22\\x1b[2J-log, binlog version 3: not read"),
]


@pytest.mark.parametrize("command", [["dump"], ["dump", "--recover"], ["check"], ["export", "-o", "-"], ["tag"]])
@pytest.mark.parametrize(("data", "sentence"), LOGS)
def test_the_server_and_the_version_are_said(data: bytes, sentence: str, command: list[str], tmp_path: Path) -> None:
    log = tmp_path / "old.000001"
    log.write_bytes(data)
    result = real(*command, str(log), *(["-o", str(tmp_path / "tagged.000001")] if command == ["tag"] else []))
    assert result.status != 0
    assert sentence in result.err
    assert "Use mysqlbinlog of MySQL 5.7 for it" in result.err


def test_the_library_raises_an_error_of_its_own() -> None:
    with pytest.raises(OldFormatError) as error:
        list(pybinlog.open(io.BytesIO(LOGS[1][0])))
    assert error.value.position == 4
