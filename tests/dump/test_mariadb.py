"""MariaDB's own events as text; tests/parity/test_mariadb.py holds them against mariadb-binlog's."""

import base64
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pybinlog.dump import Base64Output
from pybinlog.errors import CorruptEventError, EncryptedError
from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout import StatusVar
from pybinlog.log.large_event import inflate
from tests.corpus import TESTDATA, scenarios
from tests.layout.compression import compress
from tests.layout.log_builder import INT_AND_TEXT, MARIADB_10_11, LogBuilder, row

from .one_log import dumped

STANDALONE, GROUP_COMMIT_ID, TRANSACTIONAL, ALLOW_PARALLEL, WAITED, DDL, PREPARED_XA, COMPLETED_XA = (
    1 << bit for bit in range(8)
)


def log() -> LogBuilder:
    return LogBuilder(MARIADB_10_11)


def gtid(builder: LogBuilder, seq_no: int, flags: int, server_id: int = 1, **fields: Any) -> LogBuilder:
    body = {"seq_no": seq_no, "domain_id": 0, "flags2": flags, "flags_extra": 0, **fields}
    return builder.add(EventType.MARIA_GTID, body, EventFlag.SUPPRESS_USE, server_id=server_id)


def corpus_log(name: str) -> Path:
    return next(s for s in scenarios() if s.name == f"mariadb-10.11/{name}").logs[0]


# ---- Gtid


@pytest.mark.parametrize(
    ("flags", "fields", "line"),
    [
        (STANDALONE, {}, b"GTID 0-1-5"),
        (STANDALONE | DDL, {}, b"GTID 0-1-5 ddl"),
        (TRANSACTIONAL | WAITED, {}, b"GTID 0-1-5 trans waited"),
        (TRANSACTIONAL | GROUP_COMMIT_ID, {"commit_id": 77}, b"GTID 0-1-5 cid=77 trans"),
        (TRANSACTIONAL | DDL | WAITED, {"domain_id": 4294967295}, b"GTID 4294967295-1-5 ddl trans waited"),
        (STANDALONE, {"flags_extra": 2}, b"GTID 0-1-5 START ALTER"),
        (STANDALONE, {"flags_extra": 4, "sa_seq_no": 1 << 40}, b"GTID 0-1-5 COMMIT ALTER id= 1099511627776"),
        (STANDALONE, {"flags_extra": 8, "sa_seq_no": 3}, b"GTID 0-1-5 ROLLBACK ALTER id= 3"),
        (TRANSACTIONAL, {"flags_extra": 1, "extra_engines": 1}, b"GTID 0-1-5 trans"),
        (TRANSACTIONAL, {"flags_extra": 17, "extra_engines": 1, "thread_id": 12}, b"GTID 0-1-5 trans thread_id=12"),
    ],
)
def test_a_gtid_line_tells_its_flags(flags: int, fields: dict[str, Any], line: bytes, tmp_path: Path) -> None:
    events = dumped(gtid(log(), 5, flags, **fields).data, tmp_path).events
    assert events[1].split(b"\n")[0] == b"#\t" + line


def test_a_gtid_opens_the_transaction_unless_it_stands_alone(tmp_path: Path) -> None:
    builder = gtid(log(), 1, TRANSACTIONAL).commit(9)
    gtid(builder, 2, STANDALONE).query("CREATE TABLE t (id INT)")
    xid = {"format_id": 4294967295, "gtrid": b"a\0", "bqual": b"b'"}
    gtid(builder, 3, TRANSACTIONAL | PREPARED_XA, xid=xid)
    builder.query("XA END X'6100',X'6227',4294967295")
    builder.add(EventType.XA_PREPARE, {"one_phase": 0, **xid, "format_id": 1})
    gtid(builder, 4, STANDALONE | COMPLETED_XA, xid=xid).query("XA COMMIT X'6100',X'6227',4294967295")
    events = dumped(builder.data, tmp_path).events
    assert events[1].endswith(b"gtid_seq_no=1*//*!*/;\nSTART TRANSACTION\n/*!*/;\n")
    assert events[3].endswith(b"gtid_seq_no=2*//*!*/;\n")
    assert events[5].endswith(b"gtid_seq_no=3*//*!*/;\nXA START X'6100',X'6227',4294967295/*!*/;\n")
    assert events[8].endswith(b"gtid_seq_no=4*//*!*/;\n")


def test_session_variables_are_set_where_they_change(tmp_path: Path) -> None:
    builder = gtid(log(), 1, STANDALONE)
    gtid(builder, 2, STANDALONE)
    gtid(builder, 3, STANDALONE | ALLOW_PARALLEL, server_id=2)
    gtid(builder, 4, STANDALONE | ALLOW_PARALLEL, server_id=2, domain_id=7)
    settings = [event.split(b"\n")[1:-1] for event in dumped(builder.data, tmp_path).events[1:]]
    assert settings == [
        [
            b"/*M!100101 SET @@session.skip_parallel_replication=1*//*!*/;",
            b"/*M!100001 SET @@session.gtid_domain_id=0*//*!*/;",
            b"/*M!100001 SET @@session.server_id=1*//*!*/;",
            b"/*M!100001 SET @@session.gtid_seq_no=1*//*!*/;",
        ],
        [b"/*M!100001 SET @@session.gtid_seq_no=2*//*!*/;"],
        [
            b"/*M!100101 SET @@session.skip_parallel_replication=0*//*!*/;",
            b"/*M!100001 SET @@session.server_id=2*//*!*/;",
            b"/*M!100001 SET @@session.gtid_seq_no=3*//*!*/;",
        ],
        [b"/*M!100001 SET @@session.gtid_domain_id=7*//*!*/;", b"/*M!100001 SET @@session.gtid_seq_no=4*//*!*/;"],
    ]


def test_skip_gtids_keeps_the_transaction(tmp_path: Path) -> None:
    builder = log().add(EventType.MARIA_GTID_LIST, {"list": [{"domain_id": 0, "server_id": 1, "seq_no": 1}]})
    gtid(builder, 1, TRANSACTIONAL).commit(9)
    dump = dumped(builder.data, tmp_path, skip_gtids=True)
    assert dump.events[1] == b""
    assert dump.events[2] == b"#\tGTID 0-1-1 trans\nSTART TRANSACTION\n/*!*/;\n"
    assert b"gtid" not in dump.text.lower().replace(b"\tgtid", b"").replace(b"gtid_next", b"")


def test_short_form_keeps_the_transaction(tmp_path: Path) -> None:
    builder = log().add(EventType.MARIA_GTID_LIST, {"list": []})
    builder.add(EventType.MARIA_BINLOG_CHECKPOINT, {"filename": "x.000001"})
    gtid(builder, 1, TRANSACTIONAL).add(EventType.MARIA_ANNOTATE_ROWS, {"query": b"INSERT"}).commit(9)
    text = dumped(builder.data, tmp_path, short_form=True).text
    assert b"ROLLBACK/*!*/;\nSTART TRANSACTION\n/*!*/;\nCOMMIT/*!*/;\n" in text


def test_a_log_cut_in_a_transaction_is_rolled_back(tmp_path: Path) -> None:
    rollback = b"ROLLBACK /* added by mysqlbinlog */"
    assert rollback in dumped(gtid(log(), 1, TRANSACTIONAL).data, tmp_path).text
    assert rollback not in dumped(gtid(log(), 1, TRANSACTIONAL).commit(2).data, tmp_path).text
    assert rollback not in dumped(gtid(log(), 1, STANDALONE).data, tmp_path).text
    xid = {"format_id": 1, "gtrid": b"a", "bqual": b""}
    assert rollback not in dumped(gtid(log(), 1, PREPARED_XA, xid=xid).data, tmp_path).text


def test_what_a_database_filter_cuts_off_is_committed_before_the_next_gtid(tmp_path: Path) -> None:
    builder = gtid(log(), 1, STANDALONE | DDL).query("CREATE TABLE t (id INT)")
    gtid(builder, 2, STANDALONE | DDL).query("CREATE TABLE u (id INT)", db="other")
    text = dumped(builder.data, tmp_path, database="other").text
    assert b"CREATE TABLE u" in text
    assert b"CREATE TABLE t" not in text
    assert re.search(rb"COMMIT /\* added by mysqlbinlog \*//\*!\*/;\n(# at \d+\n)+#.*\tGTID 0-1-2", text)


def test_the_text_is_one_that_mariadb_can_run(tmp_path: Path) -> None:
    """It has no GTID_NEXT, which MariaDB refuses, and no BEGIN to use such a GTID up."""
    builder = gtid(log(), 1, STANDALONE).query("CREATE TABLE t (id INT)").rotate()
    (tmp_path / "binlog.000002").write_bytes(builder.data)
    for skip_gtids in (False, True):
        text = dumped(builder.data, tmp_path, skip_gtids=skip_gtids).text
        assert b"GTID_NEXT" not in text
        assert b"added by mysqlbinlog" not in text


@pytest.mark.parametrize(
    ("version", "names"),
    [
        ("10.1.48-MariaDB", []),
        ("10.2.44-MariaDB", ["check_constraint_checks"]),
        ("10.5.16-MariaDB", ["check_constraint_checks", "sql_if_exists"]),
        ("10.5.17-MariaDB", ["check_constraint_checks", "sql_if_exists", "explicit_defaults_for_timestamp"]),
        ("10.9.1-MariaDB", ["check_constraint_checks", "sql_if_exists"]),
        (
            "11.4.2-MariaDB",
            [
                "check_constraint_checks",
                "sql_if_exists",
                "explicit_defaults_for_timestamp",
                "system_versioning_insert_history",
            ],
        ),
    ],
)
def test_variables_of_mariadb_are_set_as_its_server_logged_them(version: str, names: list[str], tmp_path: Path) -> None:
    builder = LogBuilder(replace(MARIADB_10_11, server_version=version))
    for flags in (0, 1 << 15 | 1 << 24 | 1 << 28 | 1 << 30, 1 << 14):
        variables = [{"code": StatusVar.FLAGS2, "value": flags}]
        builder.query("SELECT 1", status_vars=variables)
    others = rb"SET @@session\.(check_constraint_checks|sql_if_exists|explicit_def\w+|system_ver\w+)=(\d)"
    first, changed, back = (re.findall(others, event) for event in dumped(builder.data, tmp_path).events[1:])
    values = {name: b"1" if name == "check_constraint_checks" else b"0" for name in names}
    assert first == back == [(name.encode(), value) for name, value in values.items()]
    assert changed == [(name, b"0" if value == b"1" else b"1") for name, value in first]


# ---- the small ones


def test_a_gtid_list_is_by_domain_and_its_first_line_has_the_boundary(tmp_path: Path) -> None:
    gtids = [(7, 9, 1), (0, 9, 5), (0, 2, (1 << 64) - 1), (7, 1, 3)]
    names = ("domain_id", "server_id", "seq_no")
    builder = log().add(EventType.MARIA_GTID_LIST, {"list": [dict(zip(names, g, strict=True)) for g in gtids]})
    event = dumped(builder.data, tmp_path, tbm=True).events[1]
    assert event == (
        b"#\tGtid list [0-9-5,\tTBM: Self Contained (inferred)\n# 0-2-18446744073709551615,\n# 7-9-1,\n# 7-1-3]\n"
    )
    assert dumped(log().add(EventType.MARIA_GTID_LIST, {"list": []}).data, tmp_path).events[1] == b"#\tGtid list []\n"


def test_an_annotation_is_a_comment_line_by_line(tmp_path: Path) -> None:
    builder = log().add(EventType.MARIA_ANNOTATE_ROWS, {"query": b"\n\rINSERT  \tx\r\n\n  -- it\\'s\n"})
    builder.add(EventType.MARIA_ANNOTATE_ROWS, {"query": b""})
    events = dumped(builder.data, tmp_path).events
    assert events[1:] == [b"#\tAnnotate_rows:\n#Q> INSERT  \tx\n#Q>   -- it\\'s\n", b"#\tAnnotate_rows:\n"]


def test_a_binlog_checkpoint_names_its_log(tmp_path: Path) -> None:
    builder = log().add(EventType.MARIA_BINLOG_CHECKPOINT, {"filename": "mariadb-bin.000001"})
    assert dumped(builder.data, tmp_path).events[1] == b"#\tBinlog checkpoint mariadb-bin.000001\n"


def test_what_follows_start_encryption_is_an_error(tmp_path: Path) -> None:
    dump = dumped(TESTDATA / "unseen" / "maria_start_encryption" / "binlog.000001", tmp_path)
    assert dump.events[1] == (
        b"#\tStart_encryption\n"
        b"# Encryption scheme: 1, key_version: 1, nonce: 000102030405060708090a0b\n"
        b"# The rest of the binlog is encrypted!\n"
    )
    assert isinstance(dump.error, EncryptedError)
    assert dump.error.position == 256


DECRYPTED = TESTDATA / "more" / "mariadb-decrypted" / "mariadb-bin.000001"


def test_a_server_that_decrypted_a_log_leaves_the_event_in_to_be_ignored(tmp_path: Path) -> None:
    dump = dumped(DECRYPTED, tmp_path)
    assert dump.error is None
    assert dump.events[1] == b"#\tIgnorable\n# Ignorable event type 164 (Start_encryption)\n"
    assert len(dump.events) == 19
    assert b"Ignorable" not in dumped(DECRYPTED, tmp_path, short_form=True).text


# ---- statements of MariaDB 11


def statement_with(value: bytes, code: int, text: str = "CREATE DATABASE d") -> bytes:
    """A log with one statement whose last status variable is that, before what could be read wrongly."""
    builder = log()
    builder.query(text, status_vars=[{"code": StatusVar.FLAGS2, "value": 0}])
    plain = builder.data[len(log().data) :]
    at = 19 + 13 + 5
    event = plain[: 19 + 11] + (5 + 1 + len(value)).to_bytes(2, "little") + plain[19 + 13 : at]
    event += bytes((code,)) + value + plain[at:-4]
    event = event[:9] + (len(event) + 4).to_bytes(4, "little") + event[13:]
    return log().data + event + zlib.crc32(event).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("collations", "text"),
    [
        ([], b"SET @@session.character_set_collations=''/*!*/;\n"),
        ([(8, 5)], b"SET @@session.character_set_collations='latin1=latin1_german1_ci'/*!*/;\n"),
        (
            [(45, 2304), (33, 2048 + 199)],
            b"SET @@session.character_set_collations="
            b"'utf8mb4=utf8mb4_uca1400_ai_ci,utf8mb3=utf8mb3_uca1400_croatian_nopad_as_cs'/*!*/;\n",
        ),
        ([(45, 2048 + 168)], b"/* SET @@session.character_set_collations='<format not recognized>' */\n"),
        ([(4000, 45)], b"/* SET @@session.character_set_collations='<format not recognized>' */\n"),
    ],
)
def test_default_collations_are_set(collations: list[tuple[int, int]], text: bytes, tmp_path: Path) -> None:
    value = bytes((len(collations),)) + b"".join(number.to_bytes(2, "little") for pair in collations for number in pair)
    dump = dumped(statement_with(value, StatusVar.MARIA_CHARACTER_SET_COLLATIONS), tmp_path)
    assert dump.error is None
    assert text in dump.events[1]


@pytest.mark.parametrize(
    ("code", "value"),
    [
        (StatusVar.MARIA_CHARACTER_SET_COLLATIONS, b""),
        (StatusVar.MARIA_CHARACTER_SET_COLLATIONS, b"\2\x08\0\5\0"),
        (StatusVar.MARIA_GTID_FLAGS3, b""),
        (StatusVar.MARIA_GTID_FLAGS3, b"\4" + bytes(7)),
    ],
)
def test_a_status_variable_that_is_cut_is_an_error(code: int, value: bytes, tmp_path: Path) -> None:
    assert isinstance(dumped(statement_with(value, code), tmp_path).error, CorruptEventError)


@pytest.mark.parametrize(("flags", "before", "after"), [(b"\2", b"/*!100600 ", b" */"), (b"\4" + bytes(8), b"", b"")])
def test_a_part_of_an_alter_is_the_event_itself(flags: bytes, before: bytes, after: bytes, tmp_path: Path) -> None:
    """Its text alone would alter the table in each part."""
    data = statement_with(flags, StatusVar.MARIA_GTID_FLAGS3)
    event = data[len(log().data) :]
    dump = dumped(data, tmp_path)
    found = re.search(rb"\n(/\*!100600 )?BINLOG '\n([^']*)\n'( \*/)?/\*!\*/;\n$", dump.events[1])
    assert found is not None
    assert (found[1] or b"", base64.b64decode(found[2]), found[3] or b"") == (before, event, after)
    for options in ({"short_form": True}, {"base64_output": Base64Output.DECODE_ROWS}):
        text = dumped(data, tmp_path, **options).text
        assert b"CREATE DATABASE" not in text
        assert b"BINLOG" not in text.rpartition(b"TIMESTAMP")[2]
    data = statement_with(flags, StatusVar.MARIA_GTID_FLAGS3, "CREATE\nDATABASE d")
    text = dumped(data, tmp_path, verbose=1, base64_output=Base64Output.DECODE_ROWS).text
    assert b"\n### CREATE\n### DATABASE d\n" in text


# ---- compressed events


def test_base64_text_holds_the_row_event_that_a_server_takes(tmp_path: Path) -> None:
    """In type, length and checksum: a server refuses the compressed types in a BINLOG statement."""
    text = dumped(corpus_log("compressed"), tmp_path).text
    kinds = []
    for statement in re.findall(rb"^BINLOG '\n(.*?)\n'", text, re.DOTALL | re.MULTILINE)[1:]:
        data = base64.b64decode(statement.replace(b"\n", b""))
        while data:
            event = data[: int.from_bytes(data[9:13], "little")]
            assert zlib.crc32(event[:-4]) == int.from_bytes(event[-4:], "little")
            kinds.append(event[4])
            data = data[len(event) :]
    assert set(kinds) == {
        EventType.TABLE_MAP,
        EventType.WRITE_ROWS_V1,
        EventType.UPDATE_ROWS_V1,
        EventType.DELETE_ROWS_V1,
    }


def test_rows_are_decoded_without_base64(tmp_path: Path) -> None:
    builder = log().table_map(INT_AND_TEXT)
    rows = row(1, "one") * 3
    builder.rows(EventType.MARIA_WRITE_ROWS_COMPRESSED_V1, compress(rows), 2, extra_row_info=None)
    dump = dumped(builder.data, tmp_path, verbose=1, base64_output=Base64Output.DECODE_ROWS)
    assert dump.events[2] == (
        b"#\tWrite_rows_compressed_v1: table id 71 flags: STMT_END_F\n"
        + b"### INSERT INTO `test`.`t`\n### SET\n###   @1=1\n###   @2='one'\n" * 3
    )


def test_a_compressed_statement_is_filtered_as_a_plain_one(tmp_path: Path) -> None:
    builder = log()
    for db, text in (("a", b"INSERT INTO t VALUES (1)"), ("b", b"INSERT INTO t VALUES (2)"), ("a", b"COMMIT")):
        body = {"thread_id": 3, "exec_time": 0, "error_code": 0, "status_vars": [], "db": db, "query": compress(text)}
        gtid(builder, 1, TRANSACTIONAL).add(EventType.MARIA_QUERY_COMPRESSED, body)
    text = dumped(builder.data, tmp_path, database="b").text
    assert b"VALUES (1)" not in text
    assert b"INSERT INTO t VALUES (2)\n/*!*/;\n" in text
    assert b"COMMIT\n/*!*/;\n" in text
    assert text.count(b"\tQuery_compressed\tthread_id=3") == 2


def compressed(data: bytes, length: int | None = None, head: int = 0x81) -> bytes:
    length = len(data) if length is None else length
    return bytes([head]) + length.to_bytes(head & 7, "big") + zlib.compress(data)


def test_inflate_gives_the_bytes_behind() -> None:
    assert inflate(b"xx" + compressed(b"text"), 2) == b"text"
    assert inflate(compressed(b"a" * 70000, head=0x83), 0) == b"a" * 70000


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "reaches beyond its end"),
        (b"\x81", "reaches beyond its end"),
        (b"\x80\x04" + zlib.compress(b"text"), "reaches beyond its end"),
        (b"\x85" + bytes(5) + zlib.compress(b""), "reaches beyond its end"),
        (compressed(b"text", head=0x91), "algorithm 1 of the event is not known"),
        (compressed(b"text", 3), "does not hold the 3 bytes"),
        (compressed(b"text", 5), "does not hold the 5 bytes"),
        (compressed(b"text")[:-2], "does not hold the 4 bytes"),
        (b"\x81\x04text", "cannot be inflated"),
        (b"\x84\xff\xff\xff\xff" + zlib.compress(b"text"), "says that it holds 4294967295 bytes"),
    ],
)
def test_a_lie_about_compressed_bytes_is_found(body: bytes, why: str) -> None:
    with pytest.raises(CorruptEventError, match=why):
        inflate(body, 0)


def test_bytes_that_inflate_to_more_than_data_do_are_refused_before() -> None:
    with pytest.raises(CorruptEventError, match="says that it holds 76546048 bytes, far more than its"):
        inflate(compressed(bytes(1000), 73 << 20, head=0x84), 0)


def test_a_statement_as_large_as_a_server_takes_is_inflated(tmp_path: Path) -> None:
    """64 MiB, of which the log has 64 kB: it lies in a file meanwhile."""
    builder = gtid(log(), 1, TRANSACTIONAL)
    text = b"DO '" + b"x" * (64 << 20) + b"'"
    body = {"thread_id": 3, "exec_time": 0, "error_code": 0, "status_vars": [], "db": "b", "query": compress(text)}
    builder.add(EventType.MARIA_QUERY_COMPRESSED, body)
    assert text + b"\n/*!*/;" in dumped(builder.data, tmp_path).text


def test_no_changed_byte_does_more_than_give_an_error(tmp_path: Path) -> None:
    """Every byte of every event but the Format_description, in three ways; an error names the place."""
    builder = gtid(log(), 1, TRANSACTIONAL | GROUP_COMMIT_ID, commit_id=1)
    builder.add(EventType.MARIA_GTID_LIST, {"list": [{"domain_id": 0, "server_id": 1, "seq_no": 1}]})
    builder.add(EventType.MARIA_BINLOG_CHECKPOINT, {"filename": "x.000001"})
    body = {"thread_id": 3, "exec_time": 0, "error_code": 0, "status_vars": [], "db": "b", "query": compress(b"DO 1")}
    builder.add(EventType.MARIA_QUERY_COMPRESSED, body)
    builder.table_map(INT_AND_TEXT)
    builder.rows(EventType.MARIA_UPDATE_ROWS_COMPRESSED, compress(row(1, "a") + row(2, "b")), 2, after=True)
    gtid(builder, 2, PREPARED_XA, xid={"format_id": 1, "gtrid": b"a", "bqual": b"b"})
    first = 4 + int.from_bytes(builder.data[13:17], "little")
    errors = 0
    for at in range(first, len(builder.data)):
        for value in {0, 0xFF, builder.data[at] ^ 1}:
            data = builder.data[:at] + bytes([value]) + builder.data[at + 1 :]
            dump = dumped(data, tmp_path, verbose=2, force_read=True)
            if dump.error is not None:
                errors += 1
                assert dump.error.position is not None
                assert dump.error.position >= first
    assert errors > 100
