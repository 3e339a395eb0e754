"""--statement-bits: the BITS field, what it leaves alone, and the warnings of the parser of bits."""

import re
from pathlib import Path

import pytest

import pybinlog
from pybinlog.event_types import EventType
from pybinlog.log.payload import last_event

from ..cli.conftest import real
from ..corpus import TESTDATA, Scenario, scenarios
from ..parity.program import Output, dump, scratch_copy
from .log_parts import corpus_log, events_of, joined, positions_of

FIELD = re.compile(rb"\tBITS: (No|Statement|Transaction)_start [A-Z][a-z_]+( \(inferred\))?$", re.MULTILINE)
# LOAD DATA's files have other names in each run.
INTACT = [s for s in scenarios() if s.intact and s.folder.name not in ("load-data", "large")]
FUNCTIONS = TESTDATA / "more" / "functions"
EVENTS = events_of(corpus_log("mysql-9.7/row-basic"))
KINDS = [EventType(event[4]) for event in EVENTS]
ROWS = KINDS.index(EventType.WRITE_ROWS)
TABLE_MAP = KINDS.index(EventType.TABLE_MAP)
XID = KINDS.index(EventType.XID, ROWS)
BEGIN = max(i for i in range(ROWS) if KINDS[i] == EventType.QUERY)


def run(folder: Path, events: list[bytes], *options: str) -> Output:
    (folder / "binlog.000001").write_bytes(joined(events))
    return dump(["--statement-bits", *options, "binlog.000001"], folder)


@pytest.mark.parametrize(
    ("options", "scenario"),
    [
        *((("-vv",), scenario) for scenario in INTACT),
        *((("--no-tbm", "--hexdump"), scenario) for scenario in INTACT if scenario.folder.name != "large-compressed"),
    ],
    ids=str,
)
def test_only_the_field_is_added(scenario: Scenario, options: tuple[str, ...], tmp_path: Path) -> None:
    scratch_copy(scenario, tmp_path)
    names = [log.name for log in scenario.logs]
    without, with_field = (dump([*options, *more, *names], tmp_path) for more in ((), ("--statement-bits",)))
    assert FIELD.sub(b"", with_field.text) == without.text
    assert (with_field.status, with_field.errors) == (without.status, without.errors)
    fields, headers = len(FIELD.findall(with_field.text)), without.text.count(b" server id ")
    assert 0 < fields <= headers
    if "-vv" in options:
        assert fields == without.text.count(b"\tTBM: ")


def test_the_fields_of_a_transaction(tmp_path: Path) -> None:
    text = run(tmp_path, EVENTS).text.decode()
    lines = [line for line in text.splitlines() if "BITS: " in line]
    begin = next(i for i, line in enumerate(lines) if "\tWrite_rows" in line) - 3
    assert [line.partition("BITS: ")[2] for line in lines[begin : begin + 5]] == [
        "Transaction_start No_end (inferred)",
        "No_start Statement_end (inferred)",
        "Statement_start No_end (inferred)",
        "No_start Statement_end (inferred)",
        "No_start Transaction_commit (inferred)",
    ]
    assert lines[begin].endswith("\tTBM: Start Transaction (inferred)\tBITS: Transaction_start No_end (inferred)")


def test_on_several_threads_and_in_pieces(tmp_path: Path) -> None:
    """A log large enough to flow: states of statements are carried from part to part."""
    log = TESTDATA / "more" / "functions" / "mysql-bin.000001"
    head, *events = events_of(log.read_bytes())
    rotate = events.pop()
    (tmp_path / "binlog.000001").write_bytes(joined([head, *events * 400, rotate]))
    one, more = (dump(["--statement-bits", "-v", "--jobs", jobs, "binlog.000001"], tmp_path) for jobs in ("1", "4"))
    assert one.text.count(b"BITS: ") > 100_000
    assert one == more
    assert len(one.lines_of_errors) == 4
    assert "397 more events give the same warning" in one.lines_of_errors[-1]


def warning(old: str, new: str, position: int) -> str:
    return f"WARNING: Unable to change boundary parser from {old} to {new}. [binlog.000001, at {position}]"


def test_a_commit_in_mid_statement_warns(tmp_path: Path) -> None:
    events = [event for index, event in enumerate(EVENTS) if index != ROWS]
    at = positions_of(events)[ROWS]
    expected = [warning("Statement_start", "No_start Transaction_commit", at)]
    assert run(tmp_path, events).lines_of_errors == expected
    # The boundary types have nothing to say here.
    assert dump(["binlog.000001"], tmp_path).errors == ""


def test_a_start_in_mid_statement_warns(tmp_path: Path) -> None:
    position = positions_of(EVENTS)[ROWS]
    begin = positions_of(EVENTS)[max(at for at in range(ROWS) if KINDS[at] == EventType.GTID)]
    # where no Table_map came, the row event is where its statement begins, as far as is known
    assert run(tmp_path, EVENTS, f"--start-position={position}").lines_of_errors == [
        warning("Not Defined", "Statement_start Statement_end", position),
        f"WARNING: The dump starts inside a transaction, which begins at {begin}: use --start-position={begin} or "
        f"--whole-transactions. [binlog.000001, at {position}]",
        warning("Not Defined", "No_start Transaction_commit", positions_of(EVENTS)[XID]),
    ]


def test_a_lost_begin_is_noticed_by_written_bits(tmp_path: Path) -> None:
    """Boundary types do not show it: the GTID event is there."""
    (tmp_path / "original").write_bytes(joined(EVENTS))
    marked = tmp_path / "marked"
    assert tagged(tmp_path / "original", marked).status == 0
    events = events_of(marked.read_bytes())
    del events[BEGIN]
    output = run(tmp_path, events)
    positions = positions_of(events)
    assert output.lines_of_errors[0] == warning("Transaction_start", "Statement_start No_end", positions[TABLE_MAP - 1])
    assert dump(["binlog.000001"], tmp_path).errors == ""


def tagged(log: Path, to: Path) -> Output:
    result = real("tag", "--bits", str(log), "-o", str(to))
    return Output(result.status, result.out, result.err)


def test_the_statement_that_never_came_to_its_rows(tmp_path: Path) -> None:
    scratch_copy(Scenario(FUNCTIONS), tmp_path)
    output = dump(["--statement-bits", "mysql-bin.000001"], tmp_path)
    assert output.status == 0
    assert output.lines_of_errors == [
        "WARNING: Unable to change boundary parser from Statement_start to No_start Transaction_commit. "
        "[mysql-bin.000001, at 14762]"
    ]


XA_PAYLOADS = TESTDATA / "corpus" / "mysql-9.7" / "compression" / "binlog.000001"
"""Six payloads, the last of which ends with XA PREPARE."""
ENDS = [*["Transaction_commit"] * 5, "Statement_end"]


def test_a_payload_ends_as_its_last_event_says(tmp_path: Path) -> None:
    lines = real("dump", "--statement-bits", str(XA_PAYLOADS)).out.decode().splitlines()
    found = [line.split("BITS: No_start ")[1] for line in lines if "\tTransaction_Payload\t" in line]
    assert found == [f"{end} (inferred)" for end in ENDS]

    exported = real("export", "--view=events", "--columns=event_type,ends", "--format=csv", "-o", "-", str(XA_PAYLOADS))
    rows = [line.split(",") for line in exported.out.decode().replace('"', "").splitlines()]
    assert [end for kind, end in rows if kind == "Transaction_payload"] == ENDS

    payloads = [event for event in pybinlog.open(XA_PAYLOADS) if event.type_name == "Transaction_payload"]
    assert [event.ends.printed_name for event in payloads] == ENDS

    marked, again = tmp_path / "binlog.000001", tmp_path / "again"
    assert real("tag", "--bits", str(XA_PAYLOADS), "-o", str(marked)).status == 0
    result = real("dump", "--statement-bits", str(marked))
    assert result.err == ""
    lines = [line for line in result.out.decode().splitlines() if "\tTransaction_Payload\t" in line]
    assert [line.split("BITS: No_start ")[1] for line in lines] == ENDS
    assert all("TBM: End Transaction\t" in line for line in lines)
    assert real("check", "--ignore=E001", str(marked)).status == 0
    assert real("tag", "--clear", str(marked), "-o", str(again)).status == 0
    assert again.read_bytes() == XA_PAYLOADS.read_bytes()


def test_a_payload_that_cannot_be_read_has_no_last_event() -> None:
    body = next(event.data[19:-4] for event in pybinlog.open(XA_PAYLOADS) if event.type_code == 40)
    last = last_event(body)
    assert last is not None
    assert last[4] == EventType.XID
    for cut in range(len(body)):
        assert last_event(body[:cut]) is None
