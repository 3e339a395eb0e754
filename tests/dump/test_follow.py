"""`--follow`: the text of logs that grow is that of the closed logs, whatever the pieces in which they come.

The pauses of the one who follows are the server's turns: nothing here waits, and nothing depends on time.
"""

import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pybinlog.dump import run
from pybinlog.dump.follow import Follower
from pybinlog.dump.log import Dump
from pybinlog.dump.options import DumpOptions
from pybinlog.errors import BadMagicError, BinlogError, DataLossError, SourceError, StartPositionError
from pybinlog.filters import NameRules
from pybinlog.source.log_series import LogName

from ..corpus import scenarios
from ..parity.program import dump as dumped
from .log_parts import IN_USE, MAGIC, corpus_log, events_of, joined, positions_of, rotate

FLAGS_AT = 21
SERIES = ["mysql-9.7/multi-file", "mysql-9.7/stopped", "mysql-9.7/relay", "mariadb-11.8/gtid-domains"]
LOGS = ["mysql-9.7/row-basic", "mysql-9.7/compression", "mysql-9.7/statement"]

Step = Callable[[], object]


class Over(Exception):
    """The server has no more turns."""


class Followed:
    """Return the output of following these logs, or an index, when `steps` are done, one at each pause."""

    def __init__(
        self,
        names: list[Path],
        steps: Iterator[Step],
        options: DumpOptions | None = None,
        *,
        index: Path | None = None,
        seen: Callable[[bytes], object] = lambda text: None,
    ):
        self._text = bytearray()
        self.warnings: list[str] = []
        self.error: BinlogError | None = None
        self.ended = False
        options = options or DumpOptions()
        self._steps = steps
        self._seen = seen
        follow = Follower(
            self._pause,
            self.warnings.append,
            index=None if index is None else str(index),
            stop_position=options.stop_position,
        )
        try:
            run([*map(str, names)], options, self, self.warnings.append, jobs=4, follow=follow)
            self.ended = True
        except Over:
            pass
        except BinlogError as error:
            self.error = error

    @property
    def text(self) -> bytes:
        return bytes(self._text)

    def write(self, data: bytes) -> None:
        self._text += data
        assert len(self._text) < 1 << 26, "it reads a log again and again"

    def _pause(self, seconds: float) -> None:
        self._seen(self.text)
        step = next(self._steps, None)
        if step is None:
            raise Over
        step()


def text_of(names: list[Path], options: DumpOptions | None = None) -> bytes:
    """Return the text of closed logs, and others after them, before its closing lines."""
    text = bytearray()
    dump = Dump(options or DumpOptions(), text.extend, lambda warning: None)
    dump.open()
    for number, name in enumerate(names):
        dump.log(str(name), first=number == 0, last=False)
    return bytes(text)


def live(log: bytes) -> bytes:
    """The log while its server has it open; relay logs have no such flag."""
    flags = log[FLAGS_AT] if log[FLAGS_AT] & 0x40 else log[FLAGS_AT] | IN_USE
    return log[:FLAGS_AT] + bytes([flags]) + log[FLAGS_AT + 1 :]


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def close(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(FLAGS_AT)
        flags = file.read(1)[0]
        file.seek(FLAGS_AT)
        file.write(bytes([flags & ~IN_USE]))


def written(path: Path, log: bytes, cuts: list[int]) -> Iterator[Step]:
    """The turns of a server that writes a log in pieces; it is there from the first turn on, and closed at the end."""
    data = live(log)
    for begin, end in pairwise([0, *cuts, len(data)]):
        yield lambda begin=begin, end=end: append(path, data[begin:end])  # type: ignore[misc]
    yield lambda: close(path)


def of_series(scenario: str) -> tuple[list[str], list[bytes]]:
    logs = next(s for s in scenarios() if s.name == scenario).logs
    return [log.name for log in logs], [log.read_bytes() for log in logs]


def available(names: list[str]) -> list[str]:
    there = {s.name for s in scenarios()}
    return [name for name in names if name in there]


def whole_part(log: bytes, length: int) -> bytes:
    """The events that are whole in the first bytes of a log."""
    ends = [end for end in positions_of(events_of(log)) if end <= length]
    return log[: ends[-1]] if ends else b""


@settings(max_examples=25, deadline=None)
@given(data=st.data(), name=st.sampled_from(available(LOGS)))
def test_each_event_is_printed_with_its_last_byte(data: st.DataObject, name: str) -> None:
    log = corpus_log(name)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(log)), max_size=12)))
    with tempfile.TemporaryDirectory() as folder:
        path, copy = Path(folder, "binlog.000007"), Path(folder, "copies", "binlog.000007")
        copy.parent.mkdir()
        path.touch()

        def seen(text: bytes) -> None:
            part = whole_part(log, path.stat().st_size)
            if len(part) > len(MAGIC):
                copy.write_bytes(part)
                expected = text_of([copy]).replace(str(copy).encode(), str(path).encode())
                assert text == expected

        followed = Followed([path], written(path, log, cuts), seen=seen)
    assert followed.error is None
    assert followed.warnings == []


@settings(max_examples=20, deadline=None)
@given(data=st.data(), scenario=st.sampled_from(available(SERIES)))
def test_a_series_that_grows_has_the_text_of_the_closed_logs(data: st.DataObject, scenario: str) -> None:
    names, logs = of_series(scenario)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in names]
        paths[0].touch()

        def steps() -> Iterator[Step]:
            for path, log in zip(paths, logs, strict=True):
                yield from written(path, log, sorted(data.draw(st.lists(st.integers(0, len(log)), max_size=4))))

        followed = Followed([paths[0]], steps())
        assert followed.error is None
        assert followed.warnings == []
        assert followed.text == text_of(paths)


@pytest.mark.parametrize(
    "options",
    [
        DumpOptions(verbose=2),
        DumpOptions(tbm=False),
        DumpOptions(hexdump=True, verify_binlog_checksum=True),
        DumpOptions(recover=True),
        DumpOptions(names=NameRules(databases=("shop",))),
        DumpOptions(statement_bits=True),
    ],
    ids=repr,
)
def test_options_hold_as_in_every_dump(options: DumpOptions, tmp_path: Path) -> None:
    names, logs = of_series("mysql-9.7/multi-file")
    paths = [tmp_path / name for name in names]
    paths[0].touch()
    steps = (step for path, log in zip(paths, logs, strict=True) for step in written(path, log, [3, 22, 500, 777]))
    followed = Followed([paths[0]], steps, options)
    assert (followed.error, followed.warnings) == (None, [])
    assert followed.text == text_of(paths, options)


def test_logs_that_are_there_are_read_first_and_the_last_is_followed(tmp_path: Path) -> None:
    names, logs = of_series("mysql-9.7/multi-file")
    paths = [tmp_path / name for name in names]
    for path, log in zip(paths[:2], logs, strict=False):
        path.write_bytes(log)
    steps = (step for path, log in zip(paths[2:], logs[2:], strict=True) for step in written(path, log, [100]))
    followed = Followed(paths[:2], steps)
    assert followed.warnings == []
    assert followed.text == text_of(paths)


def test_logs_that_are_there_after_the_one_that_is_named_are_read_too(tmp_path: Path) -> None:
    names, logs = of_series("mysql-9.7/multi-file")
    paths = [tmp_path / name for name in names]
    for path, log in zip(paths, logs, strict=True):
        path.write_bytes(log)
    followed = Followed(paths[:1], iter(()))
    assert followed.warnings == []
    assert followed.text == text_of(paths)


def test_a_large_log_is_read_up_to_its_end_and_then_followed(tmp_path: Path) -> None:
    log = corpus_log("mysql-9.7/row-basic")
    events = events_of(log)
    many = MAGIC + b"".join(events[:2]) + b"".join(events[2:-1]) * (6_000_000 // len(log) + 1)
    path = tmp_path / "binlog.000001"
    path.write_bytes(live(many)[:-100])
    followed = Followed([path], iter([lambda: append(path, many[-100:]), lambda: close(path)]))
    assert followed.text == text_of([path])


# ---- ends


def test_a_stop_position_ends_it_as_soon_as_it_is_reached(tmp_path: Path) -> None:
    log = corpus_log("mysql-9.7/row-basic")
    path, stop = tmp_path / "binlog.000007", positions_of(events_of(log))[9]
    path.touch()
    options = DumpOptions(stop_position=stop)
    followed = Followed([path], written(path, log[:stop], [stop - 30]), options)
    assert followed.ended
    assert followed.warnings == []
    path.write_bytes(log)
    whole = dumped(["--stop-position", str(stop), str(path)], tmp_path).text
    assert followed.text.replace(f"# log {path}\n".encode(), b"") == whole


def test_with_a_stop_position_it_ends_with_the_log_at_the_latest(tmp_path: Path) -> None:
    names, logs = of_series("mysql-9.7/multi-file")
    paths = [tmp_path / name for name in names]
    for path, log in zip(paths, logs, strict=True):
        path.write_bytes(log)
    followed = Followed(paths[:1], iter(()), DumpOptions(stop_position=1 << 30))
    assert followed.ended
    assert followed.text.startswith(text_of(paths[:1]))


def test_a_stop_datetime_ends_it_with_the_first_event_after(tmp_path: Path) -> None:
    log = corpus_log("mysql-9.7/row-basic")
    path = tmp_path / "binlog.000007"
    path.touch()
    last = int.from_bytes(events_of(log)[-1][:4], "little")
    followed = Followed([path], written(path, log, [700]), DumpOptions(stop_datetime=last))
    assert followed.ended


# ---- crashes


def test_after_a_crash_the_next_log_follows_a_cut_tail(tmp_path: Path) -> None:
    names, logs = of_series("mysql-9.7/multi-file")
    paths = [tmp_path / name for name in names[:2]]
    start = positions_of(events_of(logs[0]))[-2]
    paths[0].write_bytes(live(logs[0])[: start + 30])
    followed = Followed(paths[:1], written(paths[1], logs[1], [200]))
    assert followed.error is None
    assert followed.warnings[0] == (
        f"The log ends inside an event; it is in use or was not closed. [{paths[0]}, at {start}]"
    )
    paths[0].write_bytes(logs[0][:start])
    assert followed.text == text_of(paths)


def test_a_server_may_cut_off_the_event_that_it_had_not_written_to_its_end(tmp_path: Path) -> None:
    names, logs = of_series("mysql-9.7/multi-file")
    paths = [tmp_path / name for name in names[:2]]
    start = positions_of(events_of(logs[0]))[-2]
    paths[0].write_bytes(live(logs[0])[: start + 30])

    def steps() -> Iterator[Step]:
        yield lambda: paths[0].write_bytes(logs[0][:start])
        yield lambda: None
        yield from written(paths[1], logs[1], [])

    followed = Followed(paths[:1], steps())
    assert followed.error is None
    assert followed.text == text_of(paths)


def test_a_log_that_was_not_closed_is_warned_of(tmp_path: Path) -> None:
    names, logs = of_series("mysql-9.7/multi-file")
    paths = [tmp_path / name for name in names[:2]]
    start = positions_of(events_of(logs[0]))[5]
    paths[0].write_bytes(live(logs[0])[:start])
    followed = Followed(paths[:1], written(paths[1], logs[1], []))
    assert followed.warnings[0] == (
        "The log ends without a Rotate or Stop event: its server crashed, or not all of it is here. Reading continues "
        f"with {paths[1]}. [{paths[0]}, at {start}]"
    )


# ---- logs that are no longer what they were


def half(path: Path) -> int:
    """Write the first part of a log; where it ends."""
    log = corpus_log("mysql-9.7/row-basic")
    end = positions_of(events_of(log))[6]
    path.write_bytes(live(log)[:end])
    return end


def test_a_log_that_gets_shorter_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "binlog.000007"
    end = half(path)
    followed = Followed([path], iter([lambda: path.write_bytes(path.read_bytes()[:200])]))
    assert isinstance(followed.error, DataLossError)
    assert str(followed.error).startswith(f"{path}, at {end}: the log ends before this place now")


def test_bytes_after_a_cut_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "binlog.000007"
    end = half(path)
    append(path, b"x" * 10)
    steps: list[Step] = [lambda: path.write_bytes(path.read_bytes()[: end + 3]), lambda: append(path, b"y" * 100)]
    followed = Followed([path], iter(steps))
    assert isinstance(followed.error, DataLossError)
    assert followed.error.position == end


def test_a_log_that_is_replaced_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "binlog.000001"
    end = half(path)

    def reset() -> None:
        path.rename(tmp_path / "old")
        path.write_bytes(corpus_log("mysql-9.7/statement"))

    followed = Followed([path], iter([reset]))
    assert isinstance(followed.error, DataLossError)
    assert str(followed.error).startswith(f"{path}, at {end}: the log of this name is another one now")


def test_a_reset_that_begins_again_with_another_number_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "binlog.000007"
    end = half(path)

    def reset() -> None:
        path.unlink()
        (tmp_path / "binlog.000001").write_bytes(corpus_log("mysql-9.7/statement"))

    followed = Followed([path], iter([reset]))
    assert isinstance(followed.error, DataLossError)
    assert str(followed.error).startswith(f"{path}, at {end}: the log is gone, and none comes after it")


def test_what_is_written_before_a_log_is_purged_is_read(tmp_path: Path) -> None:
    names, logs = of_series("mysql-9.7/multi-file")
    paths = [tmp_path / name for name in names[:2]]
    paths[0].write_bytes(live(logs[0])[:400])

    def purge() -> None:
        append(paths[0], logs[0][400:])
        paths[1].write_bytes(live(logs[1]))
        paths[0].unlink()

    followed = Followed(paths[:1], iter([purge]))
    assert (followed.error, followed.warnings) == (None, [])
    for path, log in zip(paths, logs, strict=False):
        path.write_bytes(log)
    assert followed.text == text_of(paths)


@pytest.mark.parametrize("with_index", [False, True])
def test_a_log_that_was_purged_before_it_could_be_read_is_an_error(with_index: bool, tmp_path: Path) -> None:
    names, logs = of_series("mysql-9.7/multi-file")
    paths = [tmp_path / name for name in names]
    index = tmp_path / "binlog.index"
    index.write_text(f"./{names[0]}\n")
    paths[0].write_bytes(logs[0])

    def purge() -> None:
        paths[0].unlink()
        paths[2].write_bytes(logs[2])
        index.write_text(f"./{names[2]}\n")

    followed = Followed(paths[:1], iter([purge]), index=index if with_index else None)
    assert isinstance(followed.error, DataLossError)
    assert str(followed.error) == (
        f"{paths[0]}, at {len(logs[0])}: {names[1]}, which comes next, was purged before it could be read. The oldest "
        f"log that is there after it is {paths[2]}"
    )


def test_the_index_names_a_log_in_another_folder(tmp_path: Path) -> None:
    names, logs = of_series("mysql-9.7/stopped")
    moved = tmp_path / "moved" / names[1]
    moved.parent.mkdir()
    first, index = tmp_path / names[0], tmp_path / "binlog.index"
    first.write_bytes(logs[0])
    index.write_text(f"./{names[0]}\n")

    def steps() -> Iterator[Step]:
        yield index.unlink  # a server writes another one and renames it
        yield from written(moved, logs[1], [99])
        yield lambda: index.write_text(f"./{names[0]}\n{moved}\n")
        yield from ((lambda: None) for _ in range(20))

    followed = Followed([first], steps(), index=index)
    assert (followed.error, followed.warnings) == (None, [])
    assert followed.text == text_of([first, moved])


def test_the_rotate_of_a_source_in_a_relay_log_leads_nowhere(tmp_path: Path) -> None:
    """The replica may have a log of that name itself."""
    log = of_series("mysql-9.7/relay")[1][1]
    path = tmp_path / "relay-bin.000002"
    end = positions_of(events_of(log))[5]  # after the source's Rotate
    assert events_of(log)[4][4] == 4
    name = events_of(log)[4][27:-4].decode()
    (tmp_path / name).write_bytes(corpus_log("mysql-9.7/statement"))
    path.write_bytes(log[:end])
    followed = Followed([path], iter([lambda: None] * 20))
    assert followed.error is None
    assert followed.text == text_of([path])


# ---- what cannot be followed


@pytest.mark.parametrize("head", [b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b"BZh9", b"\xfd7zXZ\0"])
def test_a_compressed_log_is_refused(head: bytes, tmp_path: Path) -> None:
    path = tmp_path / "binlog.000007.gz"
    path.write_bytes(head + bytes(100))
    with pytest.raises(SourceError, match=r"cannot be followed\. No server appends to it"):
        Follower(lambda seconds: None).look_at(str(path))


def test_what_is_no_log_is_an_error_at_once(tmp_path: Path) -> None:
    path = tmp_path / "binlog.index"
    path.write_text("./binlog.000001\n")
    assert isinstance(Followed([path], iter(())).error, BadMagicError)


def test_an_encrypted_log_is_an_error_at_once(tmp_path: Path) -> None:
    path = tmp_path / "binlog.000001"
    path.write_bytes(b"\xfdbin")
    assert "is encrypted" in str(Followed([path], iter(())).error)


def test_a_start_after_the_end_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "binlog.000001"
    end = half(path)
    followed = Followed([path], iter(()), DumpOptions(start_position=end + 1))
    assert isinstance(followed.error, StartPositionError)
    assert f"{end + 1} is after the log's end at {end}" in str(followed.error)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 12), st.integers(0, 200))
@example(6, 0)
def test_a_start_position_waits_for_its_event(number: int, after: int) -> None:
    log = corpus_log("mysql-9.7/row-basic")
    start = positions_of(events_of(log))[number]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "binlog.000007")
        path.write_bytes(live(log)[: start + after])
        options = DumpOptions(start_position=start)
        followed = Followed([path], iter([lambda: append(path, log[start + after :]), lambda: close(path)]), options)
        assert followed.error is None
        assert followed.text == text_of([path], options)


@pytest.mark.parametrize(
    ("name", "comes_after"),
    [
        ("a/binlog.000007", False),
        ("a/binlog.000008", True),
        ("elsewhere/binlog.000010", True),
        ("a/binlog.1000000", True),
        ("a/binlog.000006", False),
        ("a/other.000008", False),
        ("a/binlog.000008.gz", False),
        ("a/binlog.index", False),
        ("a/binlog", False),
    ],
)
def test_only_a_later_log_of_the_series_comes_after(name: str, comes_after: bool) -> None:
    assert Follower.comes_after(name, LogName.of("a/binlog.000007")) is comes_after
    assert not Follower.comes_after(name, LogName.of("a/binlog"))


def test_the_next_number_follows_where_the_rotate_names_a_log_that_is_not_there(tmp_path: Path) -> None:
    names, logs = of_series("mysql-9.7/multi-file")
    paths = [tmp_path / name for name in names[:2]]
    paths[0].write_bytes(logs[0].replace(b"binlog.000002", b"binlog.000009"))
    paths[1].write_bytes(logs[1])
    followed = Followed(paths[:1], iter([lambda: None] * 20))
    assert (followed.error, followed.ended) == (None, False)
    assert followed.text == text_of(paths)


@pytest.mark.parametrize(
    ("own", "named"), [("binlog.000002", "binlog.000002"), ("binlog.000003", "binlog.000002"), ("old", "old")]
)
def test_a_renamed_log_whose_rotate_names_it_or_one_before_it_is_read_once(
    own: str, named: str, tmp_path: Path
) -> None:
    log = joined([*events_of(of_series("mysql-9.7/multi-file")[1][0])[:-1], rotate(named)])
    for name in {own, named}:
        (tmp_path / name).write_bytes(log)
    followed = Followed([tmp_path / own], iter([lambda: None] * 20))
    assert (followed.error, followed.ended) == (None, False)
    assert followed.text == text_of([tmp_path / own])
