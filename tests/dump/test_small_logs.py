"""Small logs are printed in one loop: text, warnings and errors are those of logs that are printed one by one."""

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.dump import DumpOptions
from pybinlog.dump.log import Dump
from tests.corpus import PROJECT
from tests.dump.several_logs import dumped

SERIES = (
    "corpus/mysql-9.7/multi-file/binlog",
    "corpus/mysql-9.7/checksum-switch/binlog",
    "corpus/mysql-9.7/relay/replica-relay-bin",
    "corpus/mysql-9.7/relay-nogtid/replica-relay-bin",
    "corpus/mariadb-10.11/gtid-domains/mariadb-bin",
    "more/mariadb-gtids/mariadb-bin",
    "more/standard-input/binlog",
    "more/hostile-names/binlog",
    "undo/mysql-later/binlog",
    "shop/binlog",
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"verbose": 2},
    {"tbm": False},
    {"short_form": True},
    {"verify_binlog_checksum": True},
    {"allow_gaps": True},
    {"force_if_open": False, "statement_bits": True},
    {"database": "shop"},
)


class OneByOne(str):
    """A name that the loop leaves to others: it takes plain strings."""


def logs_of(series: str) -> list[Path]:
    path = PROJECT / "testdata" / series
    return sorted(each for each in path.parent.glob(f"{path.name}.0*") if each.suffix[1:].isdigit())


def cut(path: Path, at: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * at)])


WITH_HEADER = 4 + 19
"""Bytes of a log with the header of an event."""


def flip(path: Path, at: float) -> None:
    data = bytearray(path.read_bytes())
    data[int((len(data) - 1) * at)] ^= 0x5A
    path.write_bytes(data)


def put_in_use(path: Path, at: float) -> None:
    data = bytearray(path.read_bytes())
    data[4 + 17] |= 1
    path.write_bytes(data)


def drop_last_event(path: Path, at: float) -> None:
    """Let the log end as after a crash: without a Rotate or Stop."""
    data = path.read_bytes()
    begin, end = 4, 4
    while end < len(data):
        begin, end = end, end + int.from_bytes(data[end + 9 : end + 13], "little")
    path.write_bytes(data[:begin])


def compress(path: Path, at: float) -> None:
    path.write_bytes(gzip.compress(path.read_bytes()))


def delete(path: Path, at: float) -> None:
    path.unlink()


def make_folder(path: Path, at: float) -> None:
    path.unlink()
    path.mkdir()


FAULTS: tuple[Callable[[Path, float], None], ...] = (
    cut,
    flip,
    put_in_use,
    drop_last_event,
    compress,
    delete,
    make_folder,
)


def compare(logs: list[str], options: DumpOptions) -> None:
    for jobs in (1, 2):
        assert dumped(logs, options, jobs) == dumped(map(OneByOne, logs), options, jobs)


@pytest.mark.parametrize("series", SERIES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_loop_prints_what_others_print(series: str, options: dict[str, Any]) -> None:
    compare([str(log) for log in logs_of(series)], DumpOptions(**options))


@pytest.mark.parametrize("series", SERIES[:2] + SERIES[4:6])
def test_the_loop_prints_all_logs_but_the_first_and_the_last(series: str) -> None:
    names = [str(log) for log in logs_of(series)]
    text: list[bytes] = []
    dump = Dump(DumpOptions(), lambda piece: text.append(bytes(piece)), pytest.fail)
    dump.watch_gaps()
    dump.log(names[0], first=True, last=False)
    assert dump.small_logs(names, 1) == len(names) - 1
    assert text


def test_many_logs_are_read_ahead(tmp_path: Path) -> None:
    """Two hundred logs of one series, as after crashes; the last but some is damaged."""
    first, *_ = logs_of("shop/binlog")
    names = [f"{tmp_path}/binlog.{number:06d}" for number in range(1, 201)]
    for name in names:
        shutil.copy(first, name)
    drop_last_event(Path(names[0]), 0)
    for name in names[1:]:
        shutil.copy(names[0], name)
    for options in (DumpOptions(allow_gaps=True), DumpOptions()):
        compare(names, options)
    flip(Path(names[150]), 0.5)
    Path(names[180]).unlink()
    for options in (DumpOptions(allow_gaps=True, verify_binlog_checksum=True), DumpOptions(allow_gaps=True)):
        compare(names, options)


@given(
    series=st.sampled_from(SERIES),
    options=st.sampled_from(OPTIONS),
    order=st.lists(st.integers(0, 9), min_size=3, max_size=7),
    faults=st.lists(st.tuples(st.integers(0, 9), st.sampled_from(FAULTS), st.floats(0, 1)), max_size=2),
    renamed=st.booleans(),
    crashed=st.booleans(),
)
def test_faults_are_told_alike(
    tmp_path_factory: pytest.TempPathFactory,
    series: str,
    options: dict[str, Any],
    order: list[int],
    faults: list[tuple[int, Callable[[Path, float], None], float]],
    renamed: bool,
    crashed: bool,
) -> None:
    folder = tmp_path_factory.mktemp("logs")
    logs = logs_of(series)
    logs = [logs[number % len(logs)] for number in order]
    numbers = range(1, len(logs) + 1)
    names = [f"binlog.{number:06d}" for number in numbers] if renamed else [log.name for log in logs]
    logs = [Path(shutil.copy(log, folder / name)) for log, name in zip(logs, names, strict=True)]
    for log in set(logs) if crashed else ():
        drop_last_event(log, 0)
    for number, fault, at in faults:
        log = logs[number % len(logs)]
        if log.is_file() and log.stat().st_size >= WITH_HEADER:  # another fault may have cut it before
            fault(log, at)
    compare([str(log) for log in logs], DumpOptions(**options))
    shutil.rmtree(folder)
