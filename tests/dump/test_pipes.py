"""Logs from pipes, and text into pipes: arrived events are printed at once, and a reader that ends is not an error."""

import os
import select
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from pybinlog.event_types import EventType

from ..corpus import PROJECT
from ..parity.program import dump
from .log_parts import corpus_log, events_of, positions_of

PROGRAM = [sys.executable, "-m", "pybinlog"]
LOGS = ["mysql-9.7/row-basic", "mysql-9.7/statement", "mysql-9.7/tagged-gtid", "mysql-9.7/compression"]
STMT_END = 0x01
PATIENCE = 30.0
"""Seconds to wait for an event's text before the next event is sent."""


def identity() -> Callable[[bytes], bytes]:
    return bytes


def gzipped() -> Callable[[bytes], bytes]:
    packer = zlib.compressobj(wbits=31)
    return lambda data: packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH)


def zstandard_frames() -> Callable[[bytes], bytes]:
    packer = zstandard.ZstdCompressor().compressobj()
    return lambda data: packer.compress(data) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)


def waits(event: bytes) -> bool:
    """Return True if the event's text waits for a later event: for the end of its statement, or for the statement."""
    kind = EventType(event[4])
    if kind in (EventType.INTVAR, EventType.RAND, EventType.USER_VAR, EventType.TABLE_MAP, EventType.ROWS_QUERY):
        return True
    rows = (EventType.WRITE_ROWS, EventType.UPDATE_ROWS, EventType.DELETE_ROWS)
    return kind in rows and not event[25] & STMT_END


@pytest.mark.parametrize("packing", [identity, gzipped, zstandard_frames])
@pytest.mark.parametrize("name", LOGS)
def test_each_event_is_printed_as_soon_as_it_is_there(
    name: str, packing: Callable[[], Callable[[bytes], bytes]], tmp_path: Path
) -> None:
    log = corpus_log(name)
    events = events_of(log)[:60]
    (tmp_path / "binlog.000001").write_bytes(log)
    whole = dump(["binlog.000001"], tmp_path).text
    # The end of each event's text is the beginning of the next one's. (The events of a payload stand at the same
    # position.)
    ends = [whole.rindex(b"# at %d\n" % position) for position in positions_of(events)[1:-1]]
    pack = packing()
    process = subprocess.Popen([*PROGRAM, "-"], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    printed = 0
    try:
        os.write(process.stdin.fileno(), pack(log[:4]))
        text = b""
        for event, end in zip(events, ends, strict=False):  # nothing shows where the last one ends
            os.write(process.stdin.fileno(), pack(event))
            if waits(event):
                continue
            while len(text) < end:
                assert select.select([process.stdout], [], [], PATIENCE)[0], (event[4], len(text), end)
                text += os.read(process.stdout.fileno(), 1 << 16)
            assert text == whole[:end]
            printed += 1
    finally:
        process.kill()
        process.communicate()
    assert printed > 10


def test_head_ends_the_dump_quietly(tmp_path: Path) -> None:
    (tmp_path / "binlog.000001").write_bytes(corpus_log("mysql-9.7/row-basic"))
    names = " ".join(["binlog.000001"] * 200)
    done = subprocess.run(
        ["bash", "-c", f'set -o pipefail; "$@" {names} | head -1', "bash", *PROGRAM],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1


def test_bytes_that_come_one_by_one_give_the_same_text(tmp_path: Path) -> None:
    log = corpus_log("mysql-9.7/compression")
    (tmp_path / "binlog.000001").write_bytes(log)
    process = subprocess.Popen(
        [*PROGRAM, "--no-tbm", "-"], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    assert process.stdin is not None
    for byte in log:
        process.stdin.write(bytes([byte]))
    text, _ = process.communicate()
    assert text == dump(["--no-tbm", "binlog.000001"], tmp_path).text
