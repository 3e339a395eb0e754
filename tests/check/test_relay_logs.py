"""Relay logs keep the positions of their source's log; those of MySQL 5.0 and 5.1 have no flag that tells so."""

import io
from pathlib import Path
from typing import Any

import pytest

from pybinlog.check import Checker, CheckOptions, Severity
from pybinlog.event_types import EventFlag, EventType
from pybinlog.feed.span import spans
from pybinlog.layout import Format, new_event
from pybinlog.log.relay_log import looks_like_relay_log
from pybinlog.source import open_source
from pybinlog.tag import Tagger
from tests.check.logs import MAGIC, Findings, Folder, check, events_of, first, log
from tests.corpus import TESTDATA, scenarios

REPLICA = Format.of(
    "5.1.73-log", post_header_lengths=bytes.fromhex("380d0008001200040404041200005400041a080000000808080200")
)
ARTIFICIAL = [EventFlag.ARTIFICIAL, EventFlag(0)]  # of 5.1's fake Rotate, and of 5.0's


def format_description(position: int | None = None, flags: int = 0, *, created: int = 0, **header: int) -> bytes:
    body = {
        "binlog_version": 4,
        "server_version": REPLICA.server_version,
        "create_timestamp": created,
        "header_length": REPLICA.header_length,
        "post_header_lengths": REPLICA.post_header_lengths,
        "checksum_algorithm": None,
    }
    return new_event(
        EventType.FORMAT_DESCRIPTION, body, REPLICA, flags=flags, timestamp=1795224000, position=position, **header
    )


def rotate(name: str, flags: int = 0, **header: int | None) -> bytes:
    body = {"position": 4, "new_log_ident": name}
    return new_event(EventType.ROTATE, body, REPLICA, flags=flags, **header)  # type: ignore[arg-type]


def source_events() -> list[bytes]:
    """A real log without checksums, up to its Rotate, after the Format_description of such an old server."""
    return events_of(log("mysql-5.6/checksum-none"))[1:-1]


def opening(fake_flags: int) -> bytes:
    """The head of a replica's first relay log, as it connects to a source that begins a log."""
    head = MAGIC + format_description(4)
    head += rotate("source-bin.000001", fake_flags, timestamp=0)
    return head + format_description(4)


def closed(data: bytes, name: str) -> bytes:
    return data + rotate(name, timestamp=1795224100, position=len(data))


def relay_logs(cut: int, fake_flags: int = EventFlag.ARTIFICIAL, created: int = 0) -> list[bytes]:
    """Two relay logs of one source's log, the first of which ends after that many of the source's events.

    `created`: when the replica was started that began the second.
    """
    events = source_events()
    second = MAGIC + format_description(4, created=created) + format_description(flags=EventFlag.ARTIFICIAL)
    return [
        closed(opening(fake_flags) + b"".join(events[:cut]), "binlog.000002"),
        second + b"".join(events[cut:]) + rotate("source-bin.000002", timestamp=1795224100, end_log_pos=5000),
    ]


def loud(found: Findings) -> list[str]:
    return [f"{f.code} {f.position} {f.message}" for f in found if f.severity is not Severity.INFO]


@pytest.mark.parametrize("fake_flags", ARTIFICIAL)
def test_sound_relay_logs_of_old_replicas_have_no_findings(tmp_path: Path, fake_flags: int) -> None:
    """Wherever the replica began the next one, in the middle of a transaction, too."""
    folder = Folder(tmp_path)
    for cut in range(0, len(source_events()) + 1, 1 if fake_flags else 5):
        assert loud(folder.check(*relay_logs(cut, fake_flags))) == [], cut


def test_the_start_of_an_old_replica_inside_a_transaction_is_not_taken_for_its_sources(tmp_path: Path) -> None:
    cut = first(source_events(), EventType.XID)
    assert loud(Folder(tmp_path).check(*relay_logs(cut, created=1795224000))) == []


def test_the_first_relay_log_alone_continues_in_the_next(tmp_path: Path) -> None:
    events = source_events()
    cut = first(events, EventType.XID)
    assert loud(Folder(tmp_path).check(relay_logs(cut)[0])) == []


def test_damage_in_such_a_relay_log_is_found(tmp_path: Path) -> None:
    """Nothing but the sizes of the events tells where one begins, so their order is looked at."""
    data, _ = relay_logs(len(source_events()))
    at = len(opening(EventFlag.ARTIFICIAL))
    size = int.from_bytes(data[at + 9 : at + 13], "little")
    broken = data[: at + 9] + bytes(4) + data[at + 13 :]
    found = Folder(tmp_path).check(broken).one("S002")
    assert found.position == at
    assert f"up to {at + size}." in found.message


class Slow(io.RawIOBase):
    """A stream that gives a byte at a time."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any) -> int:
        return self._data.readinto(memoryview(view)[:1])


def test_a_pipe_gives_the_second_event_later(tmp_path: Path) -> None:
    for data in relay_logs(3):
        checker = Checker(["-"], CheckOptions(), Slow(data))  # type: ignore[arg-type]
        assert loud(Findings(found for result in checker.results() for found in result.findings)) == []


def test_relay_logs_that_follow_each_other_on_standard_input(tmp_path: Path) -> None:
    """The source's Format_description in their middle does not begin another log."""
    relay = next(s for s in scenarios() if s.name == "mysql-9.7/relay")
    for logs in ([path.read_bytes() for path in relay.logs], relay_logs(3)):
        checker = Checker(["-"], CheckOptions(), io.BytesIO(b"".join(logs)))
        found = Findings(finding for result in checker.results() for finding in result.findings)
        assert loud(found) == []


def test_a_binary_log_is_no_relay_log_and_a_replicas_log_is(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for scenario in scenarios():
        if scenario.intact:
            for path in scenario.logs:
                assert looks_like_relay_log(str(path)) == scenario.folder.name.startswith("relay"), path
    for data in relay_logs(3):
        assert looks_like_relay_log(str(folder.write(data)))
    assert not looks_like_relay_log(str(folder.write(MAGIC + format_description(4))))
    assert not looks_like_relay_log(str(folder.write(MAGIC)))
    assert not looks_like_relay_log(str(folder.path / "nosuch"))


def test_real_relay_logs_of_mariadb_have_no_findings() -> None:
    """Those of 11.8 have the flag; the events of their source have no end_log_pos inside groups."""
    logs = sorted((TESTDATA / "more" / "mariadb-relay").glob("replica-relay-bin.*"))
    assert len(logs) == 6
    assert check(logs) == []
    assert all(looks_like_relay_log(str(path)) for path in logs)


def test_old_relay_logs_are_read_as_one_and_stay_whole(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    names = [str(folder.write(data, f"relay.{number:06d}")) for number, data in enumerate(relay_logs(3), 1)]
    assert [span.names for span in spans(names)] == [tuple(names)]


def test_an_old_relay_log_that_a_replica_may_be_writing_shows() -> None:
    first_log, second = relay_logs(3)
    unclosed = opening(EventFlag.ARTIFICIAL) + b"".join(source_events()[:3])
    for data, is_open in ((first_log, False), (second, False), (unclosed, True)):
        with open_source("-", io.BytesIO(data)) as source:
            assert Tagger().log(source, lambda data: None).open_relay_log == is_open


def test_a_wrong_position_in_the_source_s_log_is_still_found(tmp_path: Path) -> None:
    """The same events in a binary log, where one was taken out."""
    events = source_events()
    data = MAGIC + format_description(4) + b"".join(events[1:])
    assert "S007" in Folder(tmp_path).check(data).serious


@pytest.mark.parametrize(
    ("connects_anew", "severity", "message"),
    [
        (
            True,
            Severity.INFO,
            "The replica connected anew in the middle of a transaction, to a log that its source began at its start; "
            "the transaction comes again, or was never committed.",
        ),
        (
            False,
            Severity.ERROR,
            "The Format_description says that the server was started, in the middle of a transaction.",
        ),
    ],
)
@pytest.mark.parametrize("created", [1795224050, 0])
def test_a_start_of_the_source_inside_a_transaction(
    tmp_path: Path, connects_anew: bool, severity: Severity, message: str, created: int
) -> None:
    events = source_events()
    cut = first(events, EventType.XID)
    data = opening(EventFlag.ARTIFICIAL) + b"".join(events[:cut])
    if connects_anew:
        data += rotate("source-bin.000002", EventFlag.ARTIFICIAL, timestamp=0)
    position = len(data)
    data += format_description(created=created) + b"".join(events[cut + 1 :])
    found = [f for f in Folder(tmp_path).check(data) if f.code == "B005"]
    assert [(f.severity, f.position, f.message) for f in found] == ([(severity, position, message)] if created else [])
