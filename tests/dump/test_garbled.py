"""Garbled logs: text or one clear sentence, whatever the bytes are."""

import re
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..corpus import more_scenarios, scenarios
from ..parity.program import dump
from .log_parts import corpus_log

LOGS = [
    log
    for scenario in (*scenarios(), *more_scenarios("unseen"))
    for log in scenario.logs
    if 0 < log.stat().st_size < 12_000
]
OPTIONS = [
    [],
    ["-vv"],
    ["--hexdump"],
    ["--short-form", "-vv"],
    ["--base64-output=decode-rows", "-vv", "--print-table-metadata"],
    ["--force-read", "-vv", "--hexdump"],
    ["--verify-binlog-checksum"],
    ["--require-row-format"],
    ["--rewrite-db=dev->elsewhere", "--database=elsewhere"],
    ["--exclude-gtids=1bcbbf4c-e549-11f1-88f4-02fc00000001:3"],
    ["--start-position=4096"],
]
ERROR = re.compile(r"ERROR: binlog\.000001(, at \d+)?: [^\n]+\.")
WARNING = re.compile(r"WARNING: [^\n]+(\.|\])")


@cache
def bytes_of(log: Path) -> bytes:
    return log.read_bytes()


@st.composite
def garbled_logs(draw: st.DrawFn) -> bytes:
    """A real log with a few bytes changed, more often near its start and in what look like headers."""
    data = bytearray(bytes_of(draw(st.sampled_from(LOGS))))
    for _ in range(draw(st.integers(1, 4))):
        position = draw(st.integers(0, len(data) - 1))
        if draw(st.booleans()):
            data[position] ^= 1 << draw(st.integers(0, 7))
        else:
            length = draw(st.sampled_from([1, 1, 2, 4, 16]))
            data[position : position + length] = draw(st.binary(min_size=length, max_size=length))
    if draw(st.integers(0, 9)) == 0:
        del data[draw(st.integers(0, len(data))) :]
    return bytes(data)


@settings(max_examples=200)
@given(garbled_logs(), st.sampled_from(OPTIONS))
def test_a_garbled_log_gives_text_or_one_sentence(data: bytes, options: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "binlog.000001").write_bytes(data)
        output = dump([*options, "binlog.000001"], Path(folder))
    errors = [line for line in output.lines_of_errors if not WARNING.fullmatch(line)]
    assert len(errors) == output.status
    for error in errors:
        assert ERROR.fullmatch(error)
        assert output.lines_of_errors[-1] == error
    assert output.text.startswith(b"# Written by pybinlog ")
    assert output.text.endswith(b"/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=0*/;\n")


@settings(max_examples=50)
@given(st.binary(max_size=400))
def test_any_bytes_behind_the_magic_are_refused_or_read(tail: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "binlog.000001").write_bytes(b"\xfebin" + tail)
        output = dump(["--force-read", "-vv", "binlog.000001"], Path(folder))
    assert output.status in (0, 1)
    assert "fault" not in output.errors


@pytest.mark.parametrize("position", range(4, 158))
def test_a_changed_byte_in_the_opening_events_is_no_fault(position: int, tmp_path: Path) -> None:
    log = bytearray(corpus_log("mysql-9.7/row-basic"))
    for number, change in enumerate((0x01, 0x80, 0xFF)):
        garbled = bytearray(log)
        garbled[position] ^= change
        (tmp_path / "binlog.000001").unlink(missing_ok=True)  # ext4 would write an emptied file to the disk at once
        (tmp_path / "binlog.000001").write_bytes(garbled)
        options = [["-vv", "--start-position=1000"], []][(number + position) % 2]
        output = dump([*options, "binlog.000001"], tmp_path)
        assert output.status in (0, 1)
        assert "fault" not in output.errors
