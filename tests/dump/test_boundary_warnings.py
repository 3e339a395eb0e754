"""The boundary parser's warnings in a dump: where, in which words, and when the stream continues from file to file."""

import re
import struct
from collections import Counter
from pathlib import Path

import pytest

from pybinlog.event_types import EventType

from ..corpus import Scenario, scenarios
from ..parity.program import Output, dump, scratch_copy
from .log_parts import RELAY_LOG, corpus_log, events_of, joined, positions_of, rotate, with_flags

LOG = corpus_log("mysql-9.7/row-basic")
EVENTS = events_of(LOG)
POSITIONS = positions_of(EVENTS)
KINDS = [EventType(event[4]) for event in EVENTS]
# The first transaction with rows: GTID, BEGIN, Table_map, Write_rows, Xid.
ROWS = KINDS.index(EventType.WRITE_ROWS)
GTID = max(i for i in range(ROWS) if KINDS[i] == EventType.GTID)
XID = KINDS.index(EventType.XID, ROWS)
LIMIT = 40
INTACT = [s for s in scenarios() if s.intact and s.server.startswith("mysql") and s.folder.name != "large"]


def warning(old: str, new: str, file: str, position: int) -> str:
    return f"WARNING: Unable to change boundary parser from {old} to {new}. [{file}, at {position}]"


def run(folder: Path, logs: dict[str, bytes], *options: str) -> Output:
    for name, data in logs.items():
        (folder / name).write_bytes(data)
    return dump([*options, *logs], folder)


def without(*indexes: int) -> list[bytes]:
    return [event for index, event in enumerate(EVENTS) if index not in indexes]


# ---- the sentence


def test_a_lost_start_warns_at_each_event_up_to_the_next_start(tmp_path: Path) -> None:
    events = without(GTID)
    positions = positions_of(events)
    output = run(tmp_path, {"binlog.000001": joined(events)})
    assert output.lines_of_errors == [
        warning("End Transaction", "Inside Transaction", "binlog.000001", positions[GTID]),
        *(
            warning("Not Defined", "Inside Transaction", "binlog.000001", positions[index])
            for index in range(GTID + 1, XID - 1)
        ),
        warning("Not Defined", "End Transaction", "binlog.000001", positions[XID - 1]),
    ]
    assert output.status == 0


def test_a_lost_end_warns_at_the_next_start(tmp_path: Path) -> None:
    events = without(XID)
    output = run(tmp_path, {"binlog.000001": joined(events)})
    first = output.lines_of_errors[0]
    assert first == warning("Inside Transaction", "Start Transaction", "binlog.000001", positions_of(events)[XID])
    assert output.status == 0


def test_the_file_is_named_as_it_was_given(tmp_path: Path) -> None:
    data = joined(without(GTID))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "binlog.000001").write_bytes(data)
    named = dump(["./folder/binlog.000001"], tmp_path)
    assert "[./folder/binlog.000001, at " in named.lines_of_errors[0]
    assert "[-, at " in dump(["-"], tmp_path, data).lines_of_errors[0]


def test_warnings_come_with_the_text_of_their_events(tmp_path: Path) -> None:
    """The text that is printed does not depend on the warnings."""
    data = joined(without(GTID))
    output = run(tmp_path, {"binlog.000001": data})
    assert output.text.count(b"\tTBM: ") == len(EVENTS) - 1
    assert run(tmp_path, {"binlog.000001": data}, "--no-tbm").errors == output.errors


def test_a_reserved_marker_is_refused_and_shown(tmp_path: Path) -> None:
    marked = [with_flags(event, 6 << 10) if index == ROWS else event for index, event in enumerate(EVENTS)]
    output = run(tmp_path, {"binlog.000001": joined(marked)})
    assert output.lines_of_errors[0] == warning("Inside Transaction", "Reserved (6)", "binlog.000001", POSITIONS[ROWS])
    assert b"\tTBM: Reserved (6)\n" in output.text
    assert b"Reserved (6) (inferred)" not in output.text


def test_markers_are_shown_and_no_longer_inferred(tmp_path: Path) -> None:
    marked = [with_flags(EVENTS[index], 3 << 10) if index == GTID else event for index, event in enumerate(EVENTS)]
    output = run(tmp_path, {"binlog.000001": joined(marked)})
    assert output.errors == ""
    line = re.search(rb"# at %d\n(.*)\n" % POSITIONS[GTID], output.text)
    assert line is not None
    assert line[1].endswith(b"\tTBM: Start Transaction")
    assert output.text.count(b"TBM: Start Transaction (inferred)") == KINDS.count(EventType.GTID) - 1


# ---- from file to file


def halves(second: str) -> tuple[bytes, bytes]:
    """Return the halves of a relay log that rotates in the middle of a transaction."""
    first = [EVENTS[0], *EVENTS[2 : ROWS + 1], rotate(second, flags=RELAY_LOG)]
    return joined(first), joined([EVENTS[0], *EVENTS[ROWS + 1 :]])


def test_a_stream_continues_in_the_file_that_a_rotate_names(tmp_path: Path) -> None:
    first, second = halves("relay.000002")
    assert run(tmp_path, {"relay.000001": first, "relay.000002": second}).errors == ""


@pytest.mark.parametrize("suffix", ["gz", "xz", "bz2", "zst"])
def test_a_compression_suffix_does_not_change_the_name(suffix: str, tmp_path: Path) -> None:
    first, second = halves("relay.000002")
    assert run(tmp_path, {"relay.000001": first, f"relay.000002.{suffix}": second}).errors == ""


def test_a_stream_ends_with_its_file_otherwise(tmp_path: Path) -> None:
    first, second = halves("relay.000007")
    output = run(tmp_path, {"relay.000001": first, "relay.000002": second})
    # Next comes the Xid: without its transaction's start it ends nothing.
    at = positions_of(events_of(second))[1]
    assert output.lines_of_errors == [warning("Not Defined", "End Transaction", "relay.000002", at)]
    assert output.status == 0


def test_standard_input_neither_continues_a_log_nor_is_continued(tmp_path: Path) -> None:
    first, second = halves("relay.000002")
    (tmp_path / "relay.000001").write_bytes(first)
    (tmp_path / "relay.000002").write_bytes(second)
    at = positions_of(events_of(second))[1]
    into = dump(["relay.000001", "-"], tmp_path, second)
    assert into.lines_of_errors == [warning("Not Defined", "End Transaction", "-", at)]
    named = joined([*events_of(first)[:-1], rotate("-", flags=RELAY_LOG)])
    (tmp_path / "relay.000001").write_bytes(named)
    assert dump(["relay.000001", "-"], tmp_path, second).errors == into.errors


def test_each_log_alone_warns(tmp_path: Path) -> None:
    first, second = halves("relay.000002")
    assert run(tmp_path, {"relay.000001": first}).errors == ""
    at = positions_of(events_of(second))[1]
    assert run(tmp_path, {"relay.000002": second}).lines_of_errors == [
        warning("Not Defined", "End Transaction", "relay.000002", at)
    ]


def test_a_fake_rotate_begins_a_new_stream(tmp_path: Path) -> None:
    broken_off = [*EVENTS[: ROWS + 1], rotate("binlog.000009", fake=True), *EVENTS[GTID:]]
    assert run(tmp_path, {"relay.000001": joined(broken_off)}).errors == ""
    gone_on = [*EVENTS[: ROWS + 1], rotate("binlog.000009", fake=True), *EVENTS[ROWS + 1 :]]
    assert run(tmp_path, {"relay.000001": joined(gone_on)}).lines_of_errors == [
        warning("Not Defined", "End Transaction", "relay.000001", positions_of(gone_on)[ROWS + 2])
    ]


@pytest.mark.parametrize("name", ["mysql-9.7/relay", "mysql-9.7/relay-nogtid", "mysql-9.7/multi-file"])
def test_real_logs_in_order_give_no_warning(name: str, tmp_path: Path) -> None:
    scenario = next(s for s in scenarios() if s.name == name)
    scratch_copy(scenario, tmp_path)
    assert dump([log.name for log in scenario.logs], tmp_path).errors == ""


# ---- positions and filters


def test_a_start_in_mid_transaction_warns_in_the_words_of_the_worklog(tmp_path: Path) -> None:
    output = run(tmp_path, {"binlog.000001": LOG}, f"--start-position={POSITIONS[ROWS]}")
    first, way_out, last = output.lines_of_errors
    assert first == warning("Not Defined", "Inside Transaction", "binlog.000001", POSITIONS[ROWS])
    assert f"begins at {POSITIONS[GTID]}: use --start-position={POSITIONS[GTID]}" in way_out
    assert last == warning("Not Defined", "End Transaction", "binlog.000001", POSITIONS[XID])
    assert output.status == 0


def test_the_opening_events_before_the_start_are_not_fed(tmp_path: Path) -> None:
    for position in POSITIONS[:3]:
        assert run(tmp_path, {"binlog.000001": LOG}, f"--start-position={position}").errors == ""


@pytest.mark.parametrize("scenario", INTACT[::6], ids=repr)
def test_every_start_at_an_inside_or_end_event_warns(scenario: Scenario, tmp_path: Path) -> None:
    name = max(scenario.logs, key=lambda log: log.stat().st_size).name
    scratch_copy(scenario, tmp_path)
    whole = dump([name], tmp_path).text
    header = re.compile(rb"^# at (\d+)\n#.*\t(Table_map|\w+_rows)?.*\tTBM: (?:Inside|End) Transaction", re.MULTILINE)
    starts = header.findall(whole)
    counts = Counter(re.findall(rb"^# at (\d+)$", whole, re.MULTILINE))  # those of a payload have one position
    starts = [(at, rows) for at, rows in starts if counts[at] == 1]
    assert starts
    for at, rows in starts[:LIMIT]:
        lines = dump([f"--start-position={int(at)}", name], tmp_path).lines_of_errors
        lines = [line for line in lines if "boundary parser" in line]
        if rows:
            assert lines[0] == warning("Not Defined", "Inside Transaction", name, int(at))
        else:
            assert lines, at


FILTERS = [
    ["--database=nosuch"],
    ["--server-id=77"],
    ["--offset=7"],
    ["--start-datetime=2026-11-21 01:23:00"],
    ["--include-gtids=11111111-1111-1111-1111-111111111111:1"],
    ["--exclude-gtids=1bcbbf4c-e549-11f1-88f4-02fc00000001:2-4"],
    ["--skip-gtids", "--short-form"],
    ["--rewrite-db=shop->elsewhere"],
    ["--base64-output=decode-rows", "-vv"],
]


@pytest.mark.parametrize("filter_options", FILTERS, ids=" ".join)
def test_no_filter_causes_a_warning(filter_options: list[str], tmp_path: Path) -> None:
    for scenario in INTACT[::4]:
        scratch_copy(scenario, tmp_path)
        for log in scenario.logs[:2]:
            assert "boundary parser" not in dump([*filter_options, log.name], tmp_path).errors


def test_no_filter_hides_a_warning(tmp_path: Path) -> None:
    data = joined(without(GTID))
    expected = run(tmp_path, {"binlog.000001": data}).lines_of_errors
    for options in FILTERS[:-2]:
        said = run(tmp_path, {"binlog.000001": data}, *options).lines_of_errors
        assert [line for line in said if "boundary" in line] == expected, options


def test_warnings_end_at_the_stop_position(tmp_path: Path) -> None:
    events = without(GTID)
    data, positions = joined(events), positions_of(events)
    for index in range(GTID - 1, XID + 2):
        output = run(tmp_path, {"binlog.000001": data}, f"--stop-position={positions[index]}")
        said = [line for line in output.lines_of_errors if "boundary" in line]
        assert len(said) == min(max(index - GTID, 0), XID - GTID), index


def test_warnings_end_at_the_stop_datetime(tmp_path: Path) -> None:
    data = joined(without(GTID))
    (first,) = struct.unpack_from("<I", EVENTS[2])
    assert first == 1795224170  # 2026-11-21 01:22:50
    assert run(tmp_path, {"binlog.000001": data}, "--stop-datetime=2026-11-21 01:22:50").errors == (
        "WARNING: --stop-datetime=2026-11-21 01:22:50Z: the events of these logs are from 2026-11-21 01:22:50Z to "
        "2026-11-21 01:22:50Z.\n"
    )
