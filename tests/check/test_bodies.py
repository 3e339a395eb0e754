"""The bodies of events: the check reports every error that would stop a dump, and names that could do harm."""

import io
import random
import struct
import zlib
from pathlib import Path

import pytest

from pybinlog.check import Severity
from pybinlog.dump import DumpOptions, run
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.log.large_event import COMPRESSED, inflate
from tests.check.logs import Folder, changed, check, edited, events_of, first, joined, log
from tests.check.payloads import data_start
from tests.corpus import TESTDATA

BASIC = "mysql-9.7/row-basic"
COMPRESSION = "mariadb-10.11/compressed"
HEADER = 19
REFUSED = sorted((TESTDATA / "regressions").glob("check-*.000001"))
NAMED = {
    "name-fde-nl": "The server version holds a control character: '9.7.4-a\\nDROP TABLE x;\\n#'.",
    "name-rotate-nl": "The file name of the next log holds a control character: 'a\\nDROP TABLE x;\\n#'.",
    "name-tm-tb-nl": "The table's name holds a control character: 'a\\nDROP TABLE x;\\n#'.",
    "name-tz-quote": "The session's time zone holds a quote or a backslash: \"a';DROP TABLE x;-- \".",
}


def refusal(path: Path, folder: Path, **options: object) -> BinlogError | None:
    try:
        run([str(path)], DumpOptions(local_load=str(folder), **options), io.BytesIO(), lambda warning: None)  # type: ignore[arg-type]
    except BinlogError as error:
        return error
    return None


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_what_a_dump_refuses_is_an_error(path: Path, tmp_path: Path) -> None:
    assert refusal(path, tmp_path, verbose=2) is not None
    assert refusal(path, tmp_path, hexdump=True) is not None
    found = check([path])
    assert {finding.severity for finding in found} == {Severity.ERROR}
    assert {finding.code for finding in found} <= {"S009", "R003"}


@pytest.mark.parametrize("name", NAMED)
def test_a_name_that_could_do_harm_is_a_warning(name: str) -> None:
    finding = check([TESTDATA / "regressions" / f"{name}.000001"]).one("S010")
    assert (finding.severity, finding.message) == (Severity.WARNING, NAMED[name])


def test_a_server_version_without_a_number_is_an_error() -> None:
    finding = check([TESTDATA / "regressions" / "name-fde-noversion.000001"]).one("S008")
    assert finding.severity is Severity.ERROR


def test_a_name_is_reported_once_for_each_log(tmp_path: Path) -> None:
    events = events_of((TESTDATA / "regressions" / "name-tm-tb-nl.000001").read_bytes())
    at = first(events, EventType.TABLE_MAP)
    twice = joined([*events, *events[at - 1 :]])
    assert len(events_of(twice)) > len(events)
    found = Folder(tmp_path).check(twice, twice)
    assert [finding.file[-1] for finding in found if finding.code == "S010"] == ["1", "2"]


def test_a_quote_in_a_tables_name_is_none_of_these(tmp_path: Path) -> None:
    def quoted(events: list[bytes]) -> list[bytes]:
        return [event.replace(b"\nDROP TABLE x;\n#", b"'`\"\\xxxxxxxxxxxx") for event in events]

    data = joined(quoted(events_of((TESTDATA / "regressions" / "name-tm-tb-nl.000001").read_bytes())))
    assert b"'`\"\\xx" in data
    assert Folder(tmp_path).check(data) == []


def test_a_table_map_that_is_known_is_read_again_under_another_format(tmp_path: Path) -> None:
    """With a post-header of six bytes the table's id has four, so the same bytes say something else."""
    events = events_of(log(BASIC))
    at = first(events, EventType.TABLE_MAP)
    other = changed(events[0], HEADER + 57 + EventType.TABLE_MAP - 1, b"\x06")
    end = first(events, EventType.XID)
    data = joined([*events[: end + 1], other, *events[at - 2 : end + 1]])
    found = Folder(tmp_path).check(data)
    assert "S009" in found.serious
    assert refusal(tmp_path / "binlog.000001", tmp_path, verbose=2) is not None


def test_rows_before_the_format_of_their_server_are_an_error(tmp_path: Path) -> None:
    """A relay log's own Format_description is not the one that a BINLOG statement needs."""

    def relayed(events: list[bytes]) -> list[bytes]:
        return [changed(events[0], 17, b"\x40\x00"), *events[1:]]

    found = Folder(tmp_path).check(edited(BASIC, relayed))
    finding = found.one("S008")
    assert finding.message.endswith("before any Format_description of the server that wrote it.")
    assert refusal(tmp_path / "binlog.000001", tmp_path) is not None
    assert refusal(tmp_path / "binlog.000001", tmp_path, hexdump=True).position == finding.position  # type: ignore[union-attr]


# ---- compressed events of MariaDB


def with_data(kind: EventType, data: bytes, said: int | None = None) -> bytes:
    """A log whose first event of that type has other data."""
    events = events_of(log(COMPRESSION))
    at = first(events, kind)
    event = events[at]
    start = HEADER + data_start(event[HEADER:-4], kind)
    length = len(data) if said is None else said
    packed = zlib.compress(data, 1)
    return joined(
        [*events[:at], event[:start] + b"\x84" + struct.pack(">I", length) + packed + bytes(4), *events[at + 1 :]]
    )


def rows_of(kind: EventType) -> bytes:
    """Return the row images of the first event of that type."""
    events = events_of(log(COMPRESSION))
    body = events[first(events, kind)][HEADER:-4]
    return bytes(inflate(body, data_start(body, kind)))


KINDS = sorted(COMPRESSED & {event[4] for event in events_of(log(COMPRESSION))})


@pytest.mark.parametrize("size", [100, 2_000_000], ids=["ordinary", "large"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: EventType(kind).name)
def test_compressed_data_of_another_length_are_an_error(kind: EventType, size: int, tmp_path: Path) -> None:
    data = bytes(range(256)) if size < 1000 else random.Random(size).randbytes(size)
    if kind != EventType.MARIA_QUERY_COMPRESSED:
        data = rows_of(kind) * (size // len(rows_of(kind)) + 1)
    assert "S009" not in Folder(tmp_path).check(with_data(kind, data)).serious
    for said in (len(data) - 1, len(data) + 1, 0):
        found = Folder(tmp_path).check(with_data(kind, data, said))
        assert "does not hold the" in found.one("S009").message
        assert refusal(tmp_path / "binlog.000001", tmp_path) is not None


@pytest.mark.parametrize("size", [100, 2_000_000], ids=["ordinary", "large"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != EventType.MARIA_QUERY_COMPRESSED])
def test_compressed_rows_that_do_not_fit_their_table_map_are_an_error(
    kind: EventType, size: int, tmp_path: Path
) -> None:
    data = rows_of(kind) * (size // len(rows_of(kind)) + 1) + b"\0"
    found = Folder(tmp_path).check(with_data(kind, data))
    assert found.one("S009").message.endswith("event is corrupt: a row in it cannot be read.")
    assert refusal(tmp_path / "binlog.000001", tmp_path, verbose=2) is not None


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: EventType(kind).name)
def test_an_algorithm_that_is_not_known_is_an_error(kind: EventType, tmp_path: Path) -> None:
    data = with_data(kind, b"some words").replace(b"\x84\0\0\0\x0a", b"\x94\0\0\0\x0a")
    found = Folder(tmp_path).check(joined(events_of(data)))
    assert "S009" in found.serious
    assert refusal(tmp_path / "binlog.000001", tmp_path) is not None


@pytest.mark.parametrize("kind", range(EventType.MARIA_ANNOTATE_ROWS, EventType.MARIA_PARTIAL_ROWS + 1))
def test_a_type_of_mariadbs_is_not_known_in_a_log_of_mysql(kind: int, tmp_path: Path) -> None:
    def foreign(events: list[bytes]) -> list[bytes]:
        return [*events, changed(events[first(events, EventType.XID)], 4, bytes((kind,)))]

    assert "S005" in Folder(tmp_path).check(edited(BASIC, foreign)).serious
    assert refusal(tmp_path / "binlog.000001", tmp_path) is not None
