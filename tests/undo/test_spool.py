"""Spool: records forward, and their text backward, of any size, in memory and in a file."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.undo.records import EVENTS, TRANSACTION, BackwardText
from pybinlog.kernel.undo.turned_rows import binlog_statement
from pybinlog.undo import script as module
from pybinlog.undo.script import Spool

LARGE = 3_000_000


def spool_of(records: list[bytes]) -> Spool:
    spool = Spool()
    for record in records:
        spool.records.append(record)
    return spool


def backward(spool: Spool, dropped: set[int] | None = None, most: int = 100) -> bytes:
    text = BackwardText(dropped or set(), most)
    return b"".join(piece for run in spool.backward() for piece in text.of(*run))


def title(number: int, text: bytes) -> bytes:
    return bytes([TRANSACTION]) + number.to_bytes(8, "little") + text


@given(st.lists(st.binary(max_size=40).map(lambda text: b"-" + text)), st.sampled_from([24, 64, 1 << 20]))
def test_records_come_back_in_either_order(records: list[bytes], piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PIECE", piece)
        spool = spool_of(records)
        assert list(spool.forward()) == records
        assert backward(spool) == b"".join(records[::-1])
        assert list(spool.forward()) == records
        spool.close()


def test_a_record_may_be_larger_than_what_is_read_at_once() -> None:
    records = [b"a" * LARGE, b"b", b"c" * 2_000_000]
    spool = spool_of(records)
    assert backward(spool) == b"".join(records[::-1])
    assert list(spool.forward()) == records
    spool.close()


@pytest.mark.parametrize("size", [0, 1, 57, 100, LARGE])
def test_events_become_one_statement_of_any_size(size: int) -> None:
    events = os.urandom(size)
    spool = spool_of([b"before\n", bytes([EVENTS]) + events, b"after\n"])
    assert backward(spool) == b"after\n" + binlog_statement(events) + b"before\n"
    spool.close()


def test_a_dropped_transaction_has_no_text() -> None:
    spool = spool_of([b"a", title(1, b"first "), b"b", title(2, b"second "), b"c", title(3, b"third ")])
    assert backward(spool) == b"third csecond bfirst a"
    assert backward(spool, {2}) == b"third cfirst a"
    spool.close()


def test_a_full_disk_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("os.write", lambda *_: os.stat(tmp_path / "missing"))
    spool = Spool()
    with pytest.raises(FileNotFoundError):
        spool.records.append(b"a" * LARGE)
    with pytest.raises(FileNotFoundError):
        list(spool.backward())
