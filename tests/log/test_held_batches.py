"""Kept parts of a log do not change while the log is read on, whatever the interpreter counts."""

import gc
import io
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pybinlog
from pybinlog.dump import DumpOptions, run
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.scan.boundary_state import scanner_state
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import READ_SIZE, Reader
from pybinlog.log.recover import RecoveringReader
from pybinlog.source import open_source
from tests.dump.log_parts import corpus_log, events_of, group_reader
from tests.inflate import inflate

SIZE = 3 << 20


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of many buffers."""
    file = tmp_path_factory.mktemp("held") / "binlog.000001"
    with file.open("wb") as out:
        inflate(corpus_log("mysql-9.7/row-basic"), out, SIZE)
    return file


@pytest.fixture(autouse=True)
def miscounts(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter that counts fewer references than there are, as 3.14 does of borrowed ones."""
    monkeypatch.setattr(sys, "getrefcount", lambda held: 3)
    monkeypatch.setattr("pybinlog.log.reader.getrefcount", sys.getrefcount, raising=False)
    monkeypatch.setattr("pybinlog.log.reader.FLOW", 200_000)


def from_file(log: Path) -> Iterator[EventBatch]:
    with open_source(str(log)) as source:
        yield from Reader(source)


def from_stream(log: Path) -> Iterator[EventBatch]:
    yield from Reader(open_source("-", io.BytesIO(log.read_bytes())))


def from_pipe_in_parts(log: Path) -> Iterator[EventBatch]:
    with log.open("rb") as stream:
        reader = Reader(open_source("-", stream))
        reader.part = 300_000
        yield from reader


def from_file_in_parts(log: Path) -> Iterator[EventBatch]:
    with open_source(str(log)) as source:
        reader = Reader(source)
        reader.part = 300_000
        yield from reader


def by_chunks(log: Path) -> Iterator[EventBatch]:
    """As a pool of threads reads: some bytes read ahead are offered, some never."""
    with open_source(str(log)) as source:
        reader = Reader(source)
        reader.part = 300_000
        dropped = []
        for number, batch in enumerate(reader):
            ahead = reader.claim()
            if ahead is not None:
                ahead.read()
                if number % 5:
                    reader.offer(ahead)
                else:
                    dropped.append((ahead, bytes(ahead.buffer)))
            yield batch
        assert dropped
        for ahead, was in dropped:
            assert bytes(ahead.buffer) == was


def behind_damage(log: Path) -> Iterator[EventBatch]:
    with open_source(str(log)) as source:
        yield from RecoveringReader(source, on_damage=print)


def in_groups(log: Path) -> Iterator[EventBatch]:
    with open_source(str(log)) as source:
        yield from group_reader(source, Scanner(), 1 << 18)


def continued(log: Path) -> Iterator[EventBatch]:
    with open_source(str(log)) as source:
        reader = Reader(source)
        yield next(iter(reader))
        state = scanner_state(reader.scanner)
    with open_source(str(log)) as source:
        yield from Reader(source, Scanner(), resume=state)


def from_the_library(log: Path) -> Iterator[EventBatch]:
    with pybinlog.open(log) as opened:
        yield from opened.batches()


KINDS = [
    from_file,
    from_stream,
    from_pipe_in_parts,
    from_file_in_parts,
    by_chunks,
    behind_damage,
    in_groups,
    continued,
    from_the_library,
]


def data_of(batch: EventBatch) -> list[bytes]:
    return [batch.data(index) for index in range(len(batch))]


@pytest.mark.parametrize("batches", KINDS)
def test_batches_that_are_kept_stay_as_they_were(batches: Callable[[Path], Iterator[EventBatch]], log: Path) -> None:
    kept = list(batches(log))
    gc.collect()
    assert len(kept) > 5
    assert [data for batch in kept for data in data_of(batch)] == events_of(log.read_bytes())


@pytest.mark.parametrize("batches", KINDS)
def test_some_that_are_kept_stay_while_others_go(batches: Callable[[Path], Iterator[EventBatch]], log: Path) -> None:
    kept = [(batch, data_of(batch)) for number, batch in enumerate(batches(log)) if number % 3 == 0]
    assert len(kept) > 2
    for batch, was in kept:
        assert data_of(batch) == was


def test_batches_that_are_not_kept_need_no_more_memory(log: Path) -> None:
    with open_source(str(log)) as source:
        tracemalloc.start()
        try:
            assert sum(1 for batch in Reader(source) if len(batch)) > 5
            assert READ_SIZE < tracemalloc.get_traced_memory()[1] < 4 * READ_SIZE
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("jobs", [1, 2, 4])
@pytest.mark.parametrize("piped", [False, True])
def test_pieces_of_text_that_are_kept_stay_as_they_were(
    log: Path, jobs: int, piped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pybinlog.dump.threads_worth.PART", 50_000)

    class Kept(list[bytes]):
        def write(self, piece: bytes) -> None:
            self.append(piece)

    class Copied(list[bytes]):
        def write(self, piece: bytes) -> None:
            self.append(bytes(piece))

    kept, copied = Kept(), Copied()
    run([str(log)], DumpOptions(verbose=1), copied, print)
    if piped:
        with subprocess.Popen(["cat", log], stdout=subprocess.PIPE) as process:
            run(["-"], DumpOptions(verbose=1), kept, print, process.stdout, jobs=jobs)  # type: ignore[arg-type]
    else:
        run([str(log)], DumpOptions(verbose=1), kept, print, jobs=jobs)
    assert b"".join(kept) == b"".join(copied)
