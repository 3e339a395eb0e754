"""The old and the unusual events as text: LOAD DATA before 5.0.3, Start_v3, Slave, Heartbeat, group replication's."""

import base64
from pathlib import Path
from typing import Any

import pytest

from pybinlog.dump import Base64Output
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventFlag, EventType
from tests.check.logs import changed, signed
from tests.corpus import TESTDATA, Scenario
from tests.layout.log_builder import INT_AND_TEXT, MARIADB_10_11, MYSQL_5_0, MYSQL_9_7, LogBuilder, row

from .one_log import dumped

UNSEEN = TESTDATA / "unseen"
SEPARATORS = {
    "field_term": b",",
    "enclosed": b"",
    "line_term": b"\n",
    "line_start": b"",
    "escaped": b"\\",
    "opt_flags": 0,
}
LOAD: dict[str, Any] = {
    "thread_id": 5,
    "exec_time": 0,
    "skip_lines": 0,
    "field_names": [],
    "table_name": "t",
    "db": "test",
    "sql_ex_info": SEPARATORS,
    "file_name": "/tmp/file.csv",
}


def create_file(builder: LogBuilder, file_id: int, block: bytes, **fields: Any) -> LogBuilder:
    return builder.add(EventType.CREATE_FILE, {**LOAD, "file_id": file_id, "block_data": block, **fields})


# ---- LOAD DATA before 5.0.3


def test_the_file_of_a_create_file_is_written_and_read_where_the_load_is_executed(tmp_path: Path) -> None:
    builder = create_file(LogBuilder(MYSQL_5_0), 8, b"1,one\n")
    builder.add(EventType.APPEND_BLOCK, {"file_id": 8, "block_data": b"2,two\n"})
    dump = dumped(builder.add(EventType.EXECUTE_LOAD, {"file_id": 8}).data, tmp_path)
    options = (
        b"INTO TABLE `t` FIELDS TERMINATED BY ',' ENCLOSED BY '' ESCAPED BY '\\\\' "
        b"LINES TERMINATED BY '\\n' STARTING BY ''"
    )
    file = tmp_path / "SQL_LOAD_MB-8-0"
    assert dump.events[1:] == [
        b"#\tQuery\tthread_id=5\texec_time=0\n"
        b"# LOAD DATA INFILE '/tmp/file.csv' " + options + b"/*!*/;\n# file_id: 8  block_len: 6\n",
        b"#\n#Append_block: file_id: 8  block_len: 6\n",
        b"#\n#Exec_load: file_id=8\nuse `test`/*!*/;\n"
        b"LOAD DATA LOCAL INFILE '" + bytes(file) + b"' " + options + b"/*!*/;\n",
    ]
    assert file.read_bytes() == b"1,one\n2,two\n"
    assert dump.warnings == [
        f"The text's LOAD DATA statements read 1 file that this run has made in {tmp_path}/: SQL_LOAD_MB-8-0. Remove "
        "it when the statements have been run."
    ]


def test_a_file_that_no_statement_reads_is_removed(tmp_path: Path) -> None:
    builder = create_file(LogBuilder(MYSQL_5_0), 8, b"1,one\n")
    create_file(builder, 8, b"again\n")
    create_file(builder, 9, b"read\n")
    dump = dumped(builder.add(EventType.EXECUTE_LOAD, {"file_id": 9}).data, tmp_path)
    assert [path.name for path in tmp_path.glob("SQL_LOAD*")] == ["SQL_LOAD_MB-9-0"]
    assert len(dump.warnings) == 1


def test_two_files_at_a_time_are_kept_apart(tmp_path: Path) -> None:
    builder = create_file(LogBuilder(MYSQL_5_0), 1, b"one", table_name="a")
    create_file(builder, 2, b"two", table_name="b")
    builder.add(EventType.EXECUTE_LOAD, {"file_id": 2}).add(EventType.EXECUTE_LOAD, {"file_id": 1})
    events = dumped(builder.data, tmp_path).events
    assert b"SQL_LOAD_MB-2-0' INTO TABLE `b`" in events[3]
    assert b"SQL_LOAD_MB-1-0' INTO TABLE `a`" in events[4]
    assert (tmp_path / "SQL_LOAD_MB-1-0").read_bytes() == b"one"


def test_an_execute_load_whose_file_did_not_come_is_a_warning(tmp_path: Path) -> None:
    dump = dumped(LogBuilder(MYSQL_5_0).add(EventType.EXECUTE_LOAD, {"file_id": 3}).data, tmp_path)
    assert dump.events[1] == b"#\n#Exec_load: file_id=3\n"
    assert dump.error is None
    assert len(dump.warnings) == 1
    assert "file_id 3" in dump.warnings[0]


def test_a_load_of_another_database_is_left_out(tmp_path: Path) -> None:
    builder = create_file(LogBuilder(MYSQL_5_0), 1, b"one").add(EventType.EXECUTE_LOAD, {"file_id": 1})
    builder.add(EventType.NEW_LOAD, LOAD).add(EventType.NEW_LOAD, {**LOAD, "db": "other"})
    dump = dumped(builder.data, tmp_path, database="other")
    assert dump.text.count(b"LOAD DATA") == 1
    assert b"use `other`/*!*/;\nLOAD DATA INFILE" in dump.text
    assert not dump.warnings
    assert list(tmp_path.glob("SQL_LOAD*")) == []


@pytest.mark.parametrize("length", [0, 1, 254, 255])
def test_the_database_of_a_load_is_used_however_long_its_name_is(length: int, tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_5_0).add(EventType.NEW_LOAD, LOAD)
    builder.add(EventType.NEW_LOAD, {**LOAD, "db": "d" * length})
    event = dumped(builder.data, tmp_path).events[2]
    use = b"use `" + b"d" * length + b"`/*!*/;\n" if length else b""
    assert event.startswith(b"#\tQuery\tthread_id=5\texec_time=0\n" + use + b"LOAD DATA INFILE ")


def test_short_form_keeps_the_statements(tmp_path: Path) -> None:
    builder = create_file(LogBuilder(MYSQL_5_0), 1, b"one").add(EventType.EXECUTE_LOAD, {"file_id": 1})
    builder.add(EventType.NEW_LOAD, LOAD)
    text = dumped(builder.data, tmp_path, short_form=True).text
    assert text.count(b"LOAD DATA") == 2
    assert b"#" not in text.split(b"ROLLBACK/*!*/;\n")[1].split(b"DELIMITER ;")[0]


def test_names_of_a_load_cannot_end_their_quotes(tmp_path: Path) -> None:
    load = {**LOAD, "file_name": "a'b\n", "table_name": "t`; DROP", "field_names": ["c`d"], "db": "e`f"}
    builder = LogBuilder(MYSQL_5_0).add(EventType.NEW_LOAD, load, EventFlag.THREAD_SPECIFIC)
    event = dumped(builder.data, tmp_path).events[1]
    assert event.startswith(
        b"#\tQuery\tthread_id=5\texec_time=0\nuse `e``f`/*!*/;\nSET @@session.pseudo_thread_id=5/*!*/;\n"
        b"LOAD DATA INFILE 'a\\'b\\n' INTO TABLE `t``; DROP` "
    )
    assert event.endswith(b" (`c``d`)/*!*/;\n")


@pytest.mark.parametrize(
    ("empty_flags", "text"),
    [
        (0, b"FIELDS TERMINATED BY ',' ENCLOSED BY '\"' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' STARTING BY '>'"),
        (31, b"FIELDS TERMINATED BY '' ENCLOSED BY '' ESCAPED BY '' LINES TERMINATED BY '' STARTING BY ''"),
        (8, b"FIELDS TERMINATED BY ',' ENCLOSED BY '\"' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' STARTING BY ''"),
    ],
)
def test_separators_of_one_character_may_be_none(empty_flags: int, text: bytes, tmp_path: Path) -> None:
    options = {**SEPARATORS, "enclosed": b'"', "line_start": b">", "empty_flags": empty_flags}
    builder = LogBuilder(MYSQL_5_0).add(EventType.LOAD, {**LOAD, "sql_ex_info": options})
    assert text in dumped(builder.data, tmp_path).events[1]


def test_options_of_a_load(tmp_path: Path) -> None:
    texts = []
    for flags, skip in ((4, 0), (8, 2), (2, 0)):
        load = {**LOAD, "sql_ex_info": {**SEPARATORS, "opt_flags": flags}, "skip_lines": skip}
        texts.append(dumped(LogBuilder(MYSQL_5_0).add(EventType.NEW_LOAD, load).data, tmp_path).events[1])
    assert b" REPLACE INTO TABLE " in texts[0]
    assert b" IGNORE INTO TABLE " in texts[1]
    assert texts[1].endswith(b" IGNORE 2 LINES/*!*/;\n")
    assert b" OPTIONALLY  ENCLOSED BY " in texts[2]


@pytest.mark.parametrize(("skip", "shown"), [(0, False), (1, True), ((1 << 31) - 1, True), (1 << 31, False)])
def test_a_load_that_skips_impossibly_many_lines_skips_none(skip: int, shown: bool, tmp_path: Path) -> None:
    """The reference takes the number for a signed one."""
    builder = LogBuilder(MYSQL_5_0).add(EventType.NEW_LOAD, {**LOAD, "skip_lines": skip})
    assert (f" IGNORE {skip} LINES".encode() in dumped(builder.data, tmp_path).events[1]) is shown


# ---- the unusual ones


@pytest.mark.parametrize("name", ["transaction_context", "view_change"])
@pytest.mark.parametrize(("which", "options"), [("default", {}), ("vv", {"verbose": 2})])
def test_group_replication_is_printed_as_the_reference_prints_it(
    name: str, which: str, options: dict[str, Any], tmp_path: Path, utc: None
) -> None:
    text = dumped(UNSEEN / name / "binlog.000001", tmp_path, **options).text
    expected = Scenario(UNSEEN / name).expected(which)
    assert expected is not None
    first = b"/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=1*/;\n"
    assert text[text.index(first) :] == expected[expected.index(first) :]


def test_a_long_server_uuid_is_cut_where_the_reference_cuts_it(tmp_path: Path) -> None:
    body = {
        "server_uuid": "u" * 250,
        "thread_id": 12345,
        "gtid_specified": 0,
        "snapshot_version": b"",
        "write_set": [],
        "read_set": [],
    }
    event = dumped(LogBuilder(MYSQL_9_7).add(EventType.TRANSACTION_CONTEXT, body).data, tmp_path).events[1]
    assert event == b"#Transaction_context: server_uuid=" + b"u" * 243 + b"\n"


def test_start_v3_is_printed_as_a_format_description(tmp_path: Path) -> None:
    log = UNSEEN / "start_v3" / "binlog.000001"
    event = dumped(log, tmp_path).events[1]
    assert event.startswith(b"#\tStart: binlog v 3, server v 4.1.22-log created 261121 ")
    assert event.split(b"\n")[0].endswith(b":01 at startup")
    assert event.split(b"\n")[1:3] == [b"ROLLBACK/*!*/;", b"BINLOG '"]
    for options in ({"short_form": True}, {"base64_output": Base64Output.DECODE_ROWS}):
        assert b"BINLOG '\nwfEAawEB" not in dumped(log, tmp_path, **options).text


def test_start_v3_of_a_running_server_rolls_nothing_back(tmp_path: Path) -> None:
    body = {"binlog_version": 3, "server_version": "4.1.22-log", "create_timestamp": 0}
    event = dumped(LogBuilder(MYSQL_5_0).add(EventType.START_V3, body).data, tmp_path).events[1]
    assert b"at startup" not in event
    assert b"ROLLBACK" not in event


def test_heartbeats_tell_log_and_position(tmp_path: Path) -> None:
    events = dumped(UNSEEN / "heartbeat" / "binlog.000001", tmp_path, tbm=True).events
    assert events[2:4] == [
        b"#\tHeartbeat\tlog=binlog.000007\tposition=1234\tTBM: Self Contained (inferred)\n",
        b"#\tHeartbeat\tlog=binlog.000007\tposition=5000000000\tTBM: Self Contained (inferred)\n",
    ]


def test_a_name_does_not_end_its_line(tmp_path: Path) -> None:
    body = {"master_pos": 4, "master_port": 1, "master_host": "a\nDROP TABLE t;", "master_log": "b\r\n"}
    event = dumped(LogBuilder(MYSQL_5_0).add(EventType.SLAVE, body).data, tmp_path).events[1]
    assert event == b"#\tSlave\tmaster_host=a\\nDROP TABLE t;\tmaster_port=1\tmaster_log=b\\r\\n\tmaster_pos=4\n"


# ---- what is broken


def test_a_null_for_a_length_is_the_largest_one_as_the_reference_has_it(tmp_path: Path) -> None:
    log = bytearray(LogBuilder(MYSQL_9_7).gtid(1, transaction_length=7, server_versions=(90704, 90704)).data)
    log[log.rindex(b"\x07" + (90704).to_bytes(4, "little"))] = 251
    dump = dumped(bytes(log), tmp_path)
    assert dump.error is None
    assert b"\ttransaction_length=18446744073709551615\n" in dump.events[1]


@pytest.mark.parametrize("name", ["old_load", "slave", "start_v3", "heartbeat", "transaction_context", "view_change"])
def test_no_changed_byte_does_more_than_give_an_error(name: str, tmp_path: Path) -> None:
    """Every byte of the events of this type, in two ways."""
    data = (UNSEEN / name / "binlog.000001").read_bytes()
    first = 4 + int.from_bytes(data[13:17], "little")
    for at in range(first, min(len(data), first + 200)):
        for value in {0xFF, data[at] ^ 1}:
            dump = dumped(data[:at] + bytes([value]) + data[at + 1 :], tmp_path, force_read=True)
            if dump.error is not None:
                assert dump.error.position is not None
        for file in tmp_path.glob("SQL_LOAD_MB-*"):
            file.unlink()


def test_a_length_that_lies_is_an_error_with_the_position(tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_5_0).query("SELECT 1")
    position = len(builder.data)
    body = bytes(8) + b"\4\0\0\0" + b"\xff\xff" + b"\xff\xff\xff\xff"
    event = bytes(4) + bytes([EventType.LOAD]) + bytes(4) + (19 + len(body)).to_bytes(4, "little") + bytes(6) + body
    error = dumped(builder.data + event, tmp_path).error
    assert isinstance(error, CorruptEventError)
    assert error.position == position


@pytest.mark.parametrize(
    ("flag", "text"), [(0x20, "20"), (0xE0, "e0"), (0x100, "100"), (0xFE0, "fe0"), (0x1000, "1000"), (0xFFE0, "ffe0")]
)
def test_flags_of_rows_that_are_unknown_are_shown_in_hexadecimal(flag: int, text: str, tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_9_7).table_map(INT_AND_TEXT)
    builder.rows(EventType.WRITE_ROWS, row(1, "one"), 2, flags=flag | 1)
    line = dumped(builder.data, tmp_path, base64_output=Base64Output.DECODE_ROWS).events[2]
    assert line == f"#\tWrite_rows: table id 71 flags: STMT_END_F UNKNOWN_FLAG(0x{text})\n".encode()


# ---- to the letter

IGNORED = {
    28: b"Ignorable",
    29: b"MySQL Rows_query",
    33: b"MySQL Gtid",
    34: b"MySQL Anonymous_Gtid",
    35: b"MySQL Previous_gtids",
    36: b"Transaction_context",
    37: b"View_change",
    39: b"MySQL Update_rows_partial",
    40: b"MySQL Transaction_payload",
    41: b"MySQL Heartbeat",
    42: b"MySQL Gtid_tagged_log_event",
}


@pytest.mark.parametrize("code", IGNORED)
def test_mariadb_names_the_events_that_it_ignores(code: int, tmp_path: Path) -> None:
    builder = LogBuilder(MARIADB_10_11)
    stop = LogBuilder(MARIADB_10_11).add(EventType.STOP, {"data": b""}, EventFlag.IGNORABLE)
    builder.add_bytes(signed(changed(stop.data[len(builder.data) :], 4, bytes((code,)))))
    text = dumped(builder.data, tmp_path).events[1]
    assert text == b"#\tIgnorable\n# Ignorable event type %d (%b)\n" % (code, IGNORED[code])


@pytest.mark.parametrize("flag", [0, 1, 2, 4, 8, 16])
def test_each_separator_of_one_character_may_be_none(flag: int, tmp_path: Path) -> None:
    signs = {"field_term": b",", "enclosed": b'"', "line_term": b"\n", "line_start": b">", "escaped": b"\\"}
    load = {**LOAD, "sql_ex_info": {**signs, "opt_flags": 0, "empty_flags": flag}}
    event = dumped(LogBuilder(MYSQL_5_0).add(EventType.LOAD, load).data, tmp_path).events[1]
    fields, enclosed, lines, start, escaped = (b"" if flag == 1 << bit else sign for bit, sign in enumerate(SIGNS))
    assert event.endswith(
        b"LOAD DATA INFILE '/tmp/file.csv' INTO TABLE `t` FIELDS TERMINATED BY '%b' ENCLOSED BY '%b' ESCAPED BY '%b' "
        b"LINES TERMINATED BY '%b' STARTING BY '%b'/*!*/;\n" % (fields, enclosed, escaped, lines, start)
    )


SIGNS = [b",", b'"', b"\\n", b">", b"\\\\"]


@pytest.mark.parametrize(
    ("opt_flags", "words"),
    [
        (0, b"INTO TABLE `t` FIELDS TERMINATED BY ',' ENCLOSED"),
        (1, b"INTO TABLE `t` FIELDS TERMINATED BY ',' ENCLOSED"),
        (2, b"INTO TABLE `t` FIELDS TERMINATED BY ',' OPTIONALLY  ENCLOSED"),
        (4, b"REPLACE INTO TABLE `t` FIELDS TERMINATED BY ',' ENCLOSED"),
        (8, b"IGNORE INTO TABLE `t` FIELDS TERMINATED BY ',' ENCLOSED"),
        (12, b"REPLACE INTO TABLE `t` FIELDS TERMINATED BY ',' ENCLOSED"),
        (10, b"IGNORE INTO TABLE `t` FIELDS TERMINATED BY ',' OPTIONALLY  ENCLOSED"),
        (0xF0, b"INTO TABLE `t` FIELDS TERMINATED BY ',' ENCLOSED"),
    ],
)
def test_each_option_of_a_load(opt_flags: int, words: bytes, tmp_path: Path) -> None:
    load = {**LOAD, "sql_ex_info": {**SEPARATORS, "opt_flags": opt_flags}, "field_names": ["a", "b"]}
    event = dumped(LogBuilder(MYSQL_5_0).add(EventType.NEW_LOAD, load).data, tmp_path).events[1]
    assert b"LOAD DATA INFILE '/tmp/file.csv' %b BY" % words in event
    assert event.endswith(b"STARTING BY '' (`a`,`b`)/*!*/;\n")


def test_every_character_of_a_load_that_needs_it_is_escaped(tmp_path: Path) -> None:
    load = {**LOAD, "file_name": "\n\r\\\b\t'\0\"a"}
    event = dumped(LogBuilder(MYSQL_5_0).add(EventType.NEW_LOAD, load).data, tmp_path).events[1]
    assert b"LOAD DATA INFILE '\\n\\r\\\\\\b\\t\\'\\0\"a' INTO" in event


@pytest.mark.parametrize("flags", [0, EventFlag.THREAD_SPECIFIC])
def test_a_load_names_its_thread_only_if_its_session_has_temporary_tables(flags: int, tmp_path: Path) -> None:
    event = dumped(LogBuilder(MYSQL_5_0).add(EventType.NEW_LOAD, LOAD, flags).data, tmp_path).events[1]
    assert (b"SET @@session.pseudo_thread_id=5/*!*/;\n" in event) is bool(flags)


@pytest.mark.parametrize("seconds", [1795209845, 1795252445])
@pytest.mark.parametrize("flags", [0, EventFlag.ARTIFICIAL])
@pytest.mark.parametrize("created", [0, 1])
def test_start_v3_to_the_letter(created: int, flags: int, seconds: int, tmp_path: Path, utc: None) -> None:
    body = {"binlog_version": 3, "server_version": "4.1.22-log\0x", "create_timestamp": created}
    builder = LogBuilder(MYSQL_5_0)
    start = len(builder.data)
    builder.add(EventType.START_V3, body, flags, timestamp=seconds)
    event = dumped(builder.data, tmp_path).events[1]
    clock = b"261120 21:24:05" if seconds == 1795209845 else b"261121  9:14:05"
    assert event == (
        b"#\tStart: binlog v 3, server v 4.1.22-log created "
        + clock
        + (b" at startup\n" if created else b"\n")
        + (b"ROLLBACK/*!*/;\n" if created and not flags else b"")
        + b"BINLOG '\n"
        + base64.encodebytes(builder.data[start:])
        + b"'/*!*/;\n"
    )


@pytest.mark.parametrize("length", [0, 39, 40])
def test_a_view_id_is_shown_whole(length: int, tmp_path: Path) -> None:
    body = {"view_id": "v" * length, "sequence_number": 1, "certification_info": []}
    event = dumped(LogBuilder(MYSQL_9_7).add(EventType.VIEW_CHANGE, body).data, tmp_path).events[1]
    assert event == b"#View_change_log_event: view_id=" + b"v" * length + b"\n"


@pytest.mark.parametrize("short_form", [False, True])
def test_an_execute_load_that_is_left_out_has_no_statement(short_form: bool, tmp_path: Path) -> None:
    builder = create_file(LogBuilder(MYSQL_5_0), 1, b"one").add(EventType.EXECUTE_LOAD, {"file_id": 1})
    left_out = dumped(builder.data, tmp_path, database="other", short_form=short_form)
    assert (b"".join(left_out.events[1:]), left_out.warnings) == (b"", [])
    lost = dumped(
        LogBuilder(MYSQL_5_0).add(EventType.EXECUTE_LOAD, {"file_id": 3}).data, tmp_path, short_form=short_form
    )
    assert (b"#Exec_load: file_id=3\n" in lost.text) is not short_form
    assert lost.warnings == [
        f"Ignoring Execute_load: no Create_file came for file_id 3. [{tmp_path / 'binlog.000001'}, at 98]"
    ]


def test_a_heartbeat_without_a_log_has_no_name(tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_9_7).add(EventType.HEARTBEAT_V2, {"fields": []})
    assert dumped(builder.data, tmp_path).events[1] == b"#\tHeartbeat\tlog=\tposition=150\n"
