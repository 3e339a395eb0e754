"""MariaDB's compressed events: what the kernel makes of one is what `pybinlog.log.large_event` makes of it."""

import base64
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pybinlog.dump.slow_path import SlowPath
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventType
from pybinlog.log.large_event import inflated_event
from tests.corpus import scenarios
from tests.layout.log_builder import INT_AND_TEXT, MARIADB_10_11, LogBuilder, row

from ...dump.one_log import Dumped, dumped

LARGE = 1 << 18
"""Inflated bytes of the largest event that the kernel inflates."""
STATEMENT_HEAD = struct.pack("<IIBHH", 3, 0, 1, 0, 0) + b"b\0"
ROWS_HEAD = struct.pack("<IHH", 71, 0, 1) + b"\x02\x03"
IN_A_FOLDER = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def packed(data: bytes, length: int | None = None, digits: int = 3, level: int = -1, strategy: int = 0) -> bytes:
    """Bytes as a server compresses them; `length` is another one than theirs."""
    packer = zlib.compressobj(level, zlib.DEFLATED, 15, 8, strategy)
    length = len(data) if length is None else length
    return bytes([0x80 | digits]) + length.to_bytes(digits, "big") + packer.compress(data) + packer.flush()


def changed(data: bytes, at: int, value: int, cut: int) -> bytes:
    at %= len(data)
    return data[:at] + bytes([data[at] ^ value]) + data[at + 1 : len(data) - cut]


DATA = st.one_of(st.binary(max_size=400), st.text("ab ", max_size=4000).map(str.encode), st.just(b"x" * 70000))
HONEST = st.builds(
    packed,
    DATA,
    level=st.integers(0, 9),
    strategy=st.sampled_from([zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY]),
)
LYING = st.builds(packed, DATA, length=st.integers(0, 70001))
DAMAGED = st.builds(changed, HONEST, st.integers(0), st.integers(0, 255), st.integers(0, 4))


def event(kind: EventType, body: bytes) -> bytes:
    head = struct.pack("<IBIIIH", 0, kind, 1, 19 + len(body) + 4, 0, 0)
    return head + body + zlib.crc32(head + body).to_bytes(4, "little")


def expected(kind: EventType, body: bytes, at: int) -> bytes | str:
    """The event that a compressed one stands for, or what is wrong with it."""
    try:
        return bytes(inflated_event(event(kind, body)[:19], body, at, checksums=True))
    except CorruptEventError as error:
        return error.message


def told(dump: Dumped) -> str:
    assert dump.error is not None
    return dump.error.message


@IN_A_FOLDER
@given(data=st.one_of(HONEST, LYING, DAMAGED))
def test_a_statement_is_what_python_inflates(data: bytes, tmp_path: Path) -> None:
    body = STATEMENT_HEAD + data
    dump = dumped(LogBuilder(MARIADB_10_11).add_bytes(event(EventType.MARIA_QUERY_COMPRESSED, body)).data, tmp_path)
    wanted = expected(EventType.MARIA_QUERY_COMPRESSED, body, len(STATEMENT_HEAD))
    if isinstance(wanted, str):
        assert told(dump) == wanted
    else:
        assert dump.error is None
        assert b"\n" + wanted[19 + len(STATEMENT_HEAD) :] + b"\n/*!*/;\n" in dump.text


@IN_A_FOLDER
@given(data=st.one_of(HONEST, LYING, DAMAGED))
@example(data=packed(b""))  # Python added its checksum twice
def test_rows_are_what_python_inflates(data: bytes, tmp_path: Path) -> None:
    """In the BINLOG statement, without reading rows."""
    body = ROWS_HEAD + data
    dump = dumped(
        LogBuilder(MARIADB_10_11).add_bytes(event(EventType.MARIA_WRITE_ROWS_COMPRESSED_V1, body)).data, tmp_path
    )
    wanted = expected(EventType.MARIA_WRITE_ROWS_COMPRESSED_V1, body, len(ROWS_HEAD))
    if isinstance(wanted, str):
        assert told(dump) == wanted
    else:
        assert dump.error is None
        statements = re.findall(rb"^BINLOG '\n(.*?)\n'", dump.text, re.DOTALL | re.MULTILINE)
        assert base64.b64decode(statements[-1].replace(b"\n", b"")) == wanted


@pytest.mark.parametrize(("rows", "by_python"), [(LARGE // 9, 0), (LARGE // 9 + 1, 1)])
def test_python_inflates_large_events_only(
    rows: int, by_python: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    inflated = SlowPath.inflated

    def counted(self: SlowPath, batch: Any, index: int, at: int) -> Any:
        calls.append(index)
        return inflated(self, batch, index, at)

    monkeypatch.setattr(SlowPath, "inflated", counted)
    builder = LogBuilder(MARIADB_10_11).table_map(INT_AND_TEXT)
    body = ROWS_HEAD + packed(row(7, "abc") * rows)
    builder.add_bytes(event(EventType.MARIA_WRITE_ROWS_COMPRESSED_V1, body))
    dump = dumped(builder.data, tmp_path, verbose=1)
    assert dump.error is None
    assert dump.text.count(b"###   @2='abc'") == rows
    assert len(calls) == by_python


def test_servers_write_ordinary_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SlowPath, "inflated", lambda *_: pytest.fail("the kernel left an event to Python"))
    for scenario in scenarios():
        if scenario.name in (
            "mariadb-10.11/compressed",
            "mariadb-11.8/compressed",
            "mariadb-11.8/compressed-statement",
        ):
            assert dumped(scenario.logs[0], tmp_path).error is None
