"""Logs that end too early, or hold something else: one clear sentence, and everything before it is printed."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from ..corpus import scenarios
from ..parity.program import Output, dump
from .log_parts import corpus_log, events_of, positions_of

LOG = corpus_log("mysql-9.7/multi-file", 0)
POSITIONS = positions_of(events_of(LOG))
AROUND_HEADERS = {at + by for at in POSITIONS[:-1] for by in (-1, 0, 1, 18, 19, 20)}
IN_USE = 21  # the offset of the Format_description's flags
OPTIONS = {"default": [], "rows": ["-vv", "--base64-output=decode-rows"], "short": ["--short-form"]}
CLOSING = re.compile(
    rb"(BEGIN /\*added by mysqlbinlog \*/ /\*!\*/;\n)?(ROLLBACK /\* added by mysqlbinlog \*/ /\*!\*/;\n)?"
    rb"(SET @@SESSION.GTID_NEXT= 'AUTOMATIC' /\* added by mysqlbinlog \*/ /\*!\*/;\n)?"
    rb"DELIMITER ;\n# End of log file\n.*\Z",
    re.DOTALL,
)


def dumped(data: bytes, folder: Path, *options: str) -> Output:
    (folder / "binlog.000001").unlink(missing_ok=True)  # ext4 would write an emptied file to the disk at once
    (folder / "binlog.000001").write_bytes(data)
    return dump([*options, "binlog.000001"], folder)


def events_text(output: Output) -> bytes:
    """The text without what closes it."""
    text, count = CLOSING.subn(b"", output.text)
    assert count == 1
    return text


def said(output: Output) -> list[str]:
    return [line for line in output.lines_of_errors if "STMT_END_F" not in line and "--short-form" not in line]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_log_cut_at_any_byte_is_printed_up_to_there(options: list[str], tmp_path: Path) -> None:
    whole = dumped(LOG, tmp_path, *options).text
    for end in sorted({*range(0, len(LOG), 7 if options else 3), *AROUND_HEADERS}):
        output = dumped(LOG[:end], tmp_path, *options)
        text = events_text(output)
        assert whole.startswith(text), end
        complete = [at for at, following in pairwise(POSITIONS) if following <= end]
        if "--short-form" not in options:
            assert [int(at) for at in re.findall(rb"^# at (\d+)$", text, re.MULTILINE)] == complete, end
        if end < 4:
            why = f"ends after {end} bytes: a binary log begins with four magic bytes. Copy it again, or leave it out."
            assert said(output) == [f"ERROR: binlog.000001, at 0: {why}"]
        elif end in POSITIONS:
            assert (output.status, said(output)) == (0, []), end
            continue
        else:
            (error,) = said(output)
            last = max(position for position in POSITIONS if position < end)
            there = re.escape(f"ERROR: binlog.000001, at {last}: the log ends inside an event: ")
            assert re.match(there + rf"{end - last} (of its \d+ bytes|bytes of its header) are there\. ", error), error
        assert output.status == 1


def test_a_cut_log_in_use_is_a_warning_unless_asked_otherwise(tmp_path: Path) -> None:
    log = bytearray(LOG)
    log[IN_USE] |= 1
    for end in range(POSITIONS[1], len(LOG), 2):
        output = dumped(bytes(log[:end]), tmp_path)
        last = max(position for position in POSITIONS if position <= end)
        warning = f"WARNING: The log ends inside an event; it is in use or was not closed. [binlog.000001, at {last}]"
        assert (output.status, said(output)) == (0, [] if end == last else [warning]), end
        if end % 7:
            continue  # it is refused for its first event
        refused = dumped(bytes(log[:end]), tmp_path, "--skip-force-if-open")
        assert (refused.status, refused.errors) == (
            1,
            "ERROR: binlog.000001, at 4: the log was not closed properly: its server is writing it, or crashed. "
            "--force-if-open prints it anyway.\n",
        )
        assert b"# at" not in refused.text


@pytest.mark.parametrize("end", [len(LOG), *POSITIONS[3:6]])
@pytest.mark.parametrize("zeros", [1, 18, 19, 100, 5000])
def test_a_tail_of_zeros_is_an_error_where_it_begins(end: int, zeros: int, tmp_path: Path) -> None:
    output = dumped(LOG[:end] + bytes(zeros), tmp_path)
    assert events_text(output) == events_text(dumped(LOG[:end], tmp_path))
    why = (
        f"the log ends inside an event: {zeros} bytes of its header are there. The file is incomplete; if the server "
        "was writing it, copy it again."
        if zeros < 19
        else "the event (type 0) says it has 0 bytes, fewer than a header has."
    )
    assert (output.status, said(output)) == (1, [f"ERROR: binlog.000001, at {end}: {why}"])


def test_a_pipe_that_ends_too_early_is_the_same_error(tmp_path: Path) -> None:
    output = dump(["-"], tmp_path, LOG[:500])
    assert output.status == 1
    assert re.match(r"ERROR: -, at \d+: the log ends inside an event: ", output.errors)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "ends after 0 bytes: a binary log begins with four magic bytes. Copy it again, or leave it out."),
        (b"\xfebi", "ends after 3 bytes: a binary log begins with four magic bytes. Copy it again, or leave it out."),
        (b"MZ\x90\0" * 50, "not a binary log. A binary log begins with the bytes fe 62 69 6e."),
        (
            b"./binlog.000001\n./binlog.000002\n",
            "not a binary log. This looks like an index file: read the logs that it lists, with --index=binlog.000001.",
        ),
        (
            b"\xfdbin" + bytes(600),
            "the log is encrypted (binlog_encryption=ON). Give its server's keyring (--keyring FILE, "
            "docs/encryption.md), or read it from its server (pybinlog -R), which decrypts it.",
        ),
    ],
    ids=["empty", "magic cut", "another file", "index file", "encrypted"],
)
def test_what_is_no_log_is_said_in_one_sentence(data: bytes, sentence: str, tmp_path: Path) -> None:
    output = dumped(data, tmp_path)
    assert (output.status, output.errors) == (1, f"ERROR: binlog.000001, at 0: {sentence}\n")
    assert b"# at" not in output.text
    assert CLOSING.search(output.text)


def test_the_logs_before_a_bad_one_are_printed_and_those_behind_it_are_not(tmp_path: Path) -> None:
    (tmp_path / "a.000001").write_bytes(LOG)
    (tmp_path / "b.000002").write_bytes(LOG[:700])
    (tmp_path / "c.000003").write_bytes(LOG)
    output = dump(["a.000001", "b.000002", "c.000003"], tmp_path)
    assert output.text.count(b"# at 4\n") == 2
    assert (output.status, [line for line in said(output) if "b.000002" not in line]) == (1, [])


@pytest.mark.parametrize("name", ["in-use", "killed", "truncated-body", "truncated-between"])
def test_skip_force_if_open_refuses_logs_that_were_not_closed(name: str, tmp_path: Path) -> None:
    scenario = next(s for s in scenarios() if s.name == f"mysql-9.7/{name}")
    data = scenario.logs[0].read_bytes()
    assert dumped(data, tmp_path).status == 0
    assert dumped(data, tmp_path, "--skip-force-if-open").status == 1
    assert dumped(data, tmp_path, "--force-if-open").status == 0
