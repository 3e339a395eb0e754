"""Threads that take, print and write parts: order, errors, and what remains."""

import errno
import os
import signal
import threading
import time
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from pybinlog.dump import DumpOptions, run
from pybinlog.dump.ordered_thread_pool import OrderedThreadPool, Part
from pybinlog.dump.parallel_dump import ParallelDump
from pybinlog.errors import BinlogError
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.log.read_ahead import ReadAhead
from pybinlog.log.reader import Reader
from tests.corpus import scenarios
from tests.inflate import inflate

ROWS = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of many parts."""
    monkeypatch.setattr("pybinlog.dump.threads_worth.PART", 50_000)
    monkeypatch.setattr("pybinlog.log.reader.FLOW", 100_000)
    file = tmp_path / "binlog.000001"
    with file.open("wb") as out:
        inflate(ROWS.read_bytes(), out, 2 << 20)
    return file


class Text(bytearray):
    """The text, with the threads that wrote it."""

    def __init__(self) -> None:
        self.threads: set[str] = set()

    def write(self, data: bytes) -> None:
        self.threads.add(threading.current_thread().name)
        self.extend(data)


def dump(log: Path, text: Text, jobs: int, **options: object) -> None:
    run([str(log)], DumpOptions(**options), text, lambda warning: None, jobs=jobs)  # type: ignore[arg-type]


def count_used(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each read-ahead that was offered, whether its bytes were taken."""
    used: list[bool] = []
    use = Reader.use

    def use_and_note(self: Reader, ahead: ReadAhead) -> bool:
        used.append(use(self, ahead))
        return used[-1]

    monkeypatch.setattr(Reader, "use", use_and_note)
    return used


def threads_left() -> list[threading.Thread]:
    end = time.monotonic() + 10
    while (left := [t for t in threading.enumerate() if t.name.startswith("part-")]) and time.monotonic() < end:
        time.sleep(0.01)
    return left


def test_several_threads_write_one_text_of_chunks_that_are_read_ahead(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = count_used(monkeypatch)
    alone, together = Text(), Text()
    dump(log, alone, 1)
    assert not used
    for _ in range(50):  # the system may be slow to let another thread begin
        together.clear()
        dump(log, together, 3)
        assert together == alone
        if len(together.threads) > 1 and sum(used) > 5:
            break
    assert len(together.threads) > 1
    assert sum(used) > 5  # a thread that is in the middle of its turn lets the others read in theirs


def test_an_event_larger_than_many_chunks_is_read_in_turn(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pybinlog.dump.threads_worth.PART", 700)
    used = count_used(monkeypatch)
    alone = Text()
    dump(log, alone, 1, verbose=2)
    for _ in range(50):  # the system may be slow to give another thread a part
        together = Text()
        dump(log, together, 4, verbose=2)
        assert together == alone
        if any(used) and not all(used):
            break
    assert any(used)
    assert not all(used)


def test_a_log_behind_a_url_is_read_in_turn(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec")
    used = count_used(monkeypatch)
    alone, together = Text(), Text()
    dump(log, alone, 1)
    run([log.as_uri()], DumpOptions(), together, lambda warning: None, jobs=3)
    assert together == alone
    assert not used


def test_a_fault_while_a_chunk_is_read_ends_the_dump(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReadAhead, "read", lambda self: 1 // (self.start < 900_000))
    alone, text = Text(), Text()
    dump(log, alone, 1)
    with pytest.raises(ZeroDivisionError):
        dump(log, text, 3)
    assert alone.startswith(text)
    assert not threads_left()


@pytest.mark.parametrize("readable", [900_000, 10 << 20])
def test_batches_that_were_taken_are_printed_in_order_when_the_one_before_them_is_refused(
    log: Path, monkeypatch: pytest.MonkeyPatch, readable: int
) -> None:
    """Each third part is; then an error, if any, comes after the batches that were taken before it."""
    alone, text = Text(), Text()
    dump(log, alone, 1)
    read, part, calls = ReadAhead.read, ParallelDump.part, count()

    def refuse_third(self: ParallelDump, batch: EventBatch) -> Part | None:
        if next(calls) % 3 < 2:
            return part(self, batch)
        self.to_follow = 1
        return None

    def read_until(self: ReadAhead) -> None:
        if self.start >= readable:
            raise ZeroDivisionError
        read(self)

    monkeypatch.setattr(ParallelDump, "part", refuse_third)
    monkeypatch.setattr(ReadAhead, "read", read_until)
    with nullcontext() if readable > 2 << 20 else pytest.raises(ZeroDivisionError):
        dump(log, text, 3)
    assert next(calls) > 9
    assert alone.startswith(text)
    assert len(text) == len(alone) or readable < 2 << 20
    assert not threads_left()


def test_a_log_that_shrinks_while_it_is_read_ends_with_its_error(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, size = Text(), log.stat().st_size
    claim = Reader.claim

    def shrink_and_claim(reader: Reader) -> ReadAhead | None:
        if reader.position > 400_000:
            with log.open("r+b") as file:
                file.truncate(1_000_000)
        return claim(reader)

    whole = Text()
    dump(log, whole, 1)
    monkeypatch.setattr(Reader, "claim", shrink_and_claim)
    with pytest.raises(BinlogError, match="ends inside an event"):
        dump(log, text, 3)
    end = text.rindex(b"\n# at ", 0, len(text))
    assert text[:end] == whole[:end]
    assert end > len(whole) * 800_000 / size


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_where_the_text_cannot_be_written_the_error_is_raised_and_no_thread_stays(log: Path, jobs: int) -> None:
    class Full(Text):
        def write(self, data: bytes) -> None:
            super().write(data)
            if len(self) > 1_000_000:
                raise OSError(errno.ENOSPC, "no space")

    alone, text = Text(), Full()
    dump(log, alone, 1)
    with pytest.raises(OSError, match="no space"):
        dump(log, text, jobs)
    assert alone.startswith(text)
    if jobs > 1:
        assert not threads_left()


def test_an_interrupt_of_the_caller_ends_all_threads(log: Path) -> None:
    class Interrupted(Text):
        def write(self, data: bytes) -> None:
            super().write(data)
            if len(self) > 1_000_000 and threading.current_thread() is threading.main_thread():
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        for _ in range(50):  # the system may be slow to give the caller a part
            dump(log, Interrupted(), 3)
    assert not threads_left()


def test_an_interrupt_waits_for_no_thread_that_cannot_write(log: Path) -> None:
    let_go = threading.Event()

    class Blocked(Text):
        def write(self, data: bytes) -> None:
            super().write(data)
            if threading.current_thread() is not threading.main_thread():
                os.kill(os.getpid(), signal.SIGINT)
                let_go.wait(30)

    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in range(50):  # the system may be slow to let the other thread begin
                dump(log, Blocked(), 2)
        assert time.monotonic() - began < 20
    finally:
        let_go.set()


def test_what_take_raises_comes_behind_the_parts_before() -> None:
    # threads that never get a part only keep their renderer
    pool = OrderedThreadPool(
        2, lambda: SimpleNamespace(hand_on_at=lambda size: None), lambda piece: None, lambda batch, index: None
    )

    def take(ahead: ReadAhead | None) -> None:
        raise BinlogError("no more", file="x")

    with pytest.raises(BinlogError, match="no more"):
        pool.work(lambda: None, take, lambda batch, unfolded: None)
    pool.close()


@pytest.mark.parametrize("options", [{}, {"require_row_format": True}])
def test_where_the_system_allows_no_thread_the_text_is_the_same(
    log: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, object]
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    alone, text = Text(), Text()
    dump(log, alone, 1, **options)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    dump(log, text, 3, **options)
    assert text == alone
    assert text.threads == {"MainThread"}
