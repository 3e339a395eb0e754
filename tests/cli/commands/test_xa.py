"""`pybinlog xa`: which XA transactions logs hold, and what became of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from pybinlog.cli.commands.xa import place, recovered
from pybinlog.views.outcomes import Until, XaTransaction
from tests.cli.conftest import real
from tests.corpus import TESTDATA

CORPUS = TESTDATA / "corpus"
LOG = CORPUS / "mysql-9.7" / "xa" / "binlog.000001"
NO_GTID = [CORPUS / "mysql-9.7" / "xa-nogtid" / f"binlog.00000{number}" for number in (1, 2)]
MARIADB = CORPUS / "mariadb-11.8" / "xa" / "mariadb-bin.000001"
COMPRESSED = CORPUS / "mysql-9.7" / "compression" / "binlog.000001"


def listed(*arguments: str | Path) -> list[dict[str, Any]]:
    found = real("xa", "--format=jsonl", "--columns=all", *map(str, arguments))
    assert (found.status, found.err) == (0, "")
    return [json.loads(line) for line in found.out.splitlines()]


def test_each_transaction_has_both_its_phases() -> None:
    first, rolled_back, at_once, *_ = listed(LOG)
    assert (first["xid"], first["prepared_position"], first["decided_position"]) == ("X'706c61696e',X'',1", 801, 1219)
    assert (first["decision"], first["seconds"]) == ("commit", 0.000087)
    assert (first["rows"], first["tables"], first["thread_id"]) == (2, ["xadb.t"], 10)
    assert rolled_back["decision"] == "rollback"
    assert at_once["decision"] == "one phase"
    assert at_once["prepared_position"] == at_once["decided_position"] == 1980
    assert [row["decision"] for row in listed(MARIADB)] == ["commit", "rollback", "commit", "commit"]


def test_phases_in_different_logs_find_each_other() -> None:
    rows = {row["xid"]: row for row in listed(*NO_GTID)}
    later = rows["X'6c61746572',X'',1"]
    assert later["prepared_log"] == str(NO_GTID[0])
    assert (later["decision"], later["decided_log"]) == ("commit", str(NO_GTID[1]))
    alone = {row["xid"]: row for row in listed(NO_GTID[1])}["X'6c61746572',X'',1"]
    assert (alone["prepared_log"], alone["rows"], alone["decision"]) == (None, None, "commit")


def test_what_is_in_doubt_is_what_xa_recover_shows() -> None:
    found = real("xa", "--in-doubt", "--columns=formatID,gtrid_length,bqual_length,data", str(LOG))
    assert found.out.decode() == "formatID\tgtrid_length\tbqual_length\tdata\n1\t5\t0\tlater\n1\t6\t0\torphan\n"
    assert listed("--in-doubt", *NO_GTID) == []
    assert [row["xid"] for row in listed("--in-doubt", COMPRESSED)] == [
        row["xid"] for row in listed(COMPRESSED) if row["decision"] is None
    ]


@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("tsv", b"data\n\\0\xff'\"\\\\\\n\n"),
        ("csv", b'"data"\n"\0\xff\'""\\\n"\n'),
        ("jsonl", b'{"data":"\\u0000\\udcff\'\\"\\\\\\n"}\n'),
    ],
)
def test_the_bytes_of_an_xid(form: str, data: bytes) -> None:
    """Of X'00ff2722',X'5c0a'. MySQL's client writes the first line with --batch."""
    found = real("xa", "--in-doubt", "--at=2986", "--columns=data", f"--format={form}", str(LOG))
    assert found.out == data


@pytest.mark.parametrize(
    ("at", "xids"),
    [
        ("1218", []),
        ("1219", ["X'706c61696e',X'',1"]),
        ("binlog.000001:1394", ["X'706c61696e',X'',1"]),
        ("1395", []),
        ("2986", ["X'00ff2722',X'5c0a',4294967"]),
        ("3169", ["X'00ff2722',X'5c0a',4294967"]),
        ("3170", []),
        ("6532", ["X'41',X'61',1", "X'42',X'62',2"]),
        ("6703", ["X'41',X'61',1"]),
        ("@1795224000", []),
    ],
)
def test_in_doubt_at_a_place(at: str, xids: list[str]) -> None:
    assert [row["xid"] for row in listed("--in-doubt", f"--at={at}", LOG)] == xids


def test_an_error_comes_after_what_was_read(tmp_path: Path) -> None:
    cut = tmp_path / "binlog.000001"
    cut.write_bytes(LOG.read_bytes()[:3000])
    found = real("xa", "--columns=xid", str(cut))
    assert found.status == 1
    assert len(found.out.splitlines()) == 5
    assert "the log ends inside an event" in found.err


def test_wrong_places() -> None:
    for arguments, words in (
        (["--at=4711"], "requires --in-doubt"),
        (["--in-doubt", "--at=binlog.000009:4"], "binlog.000009 is not one of the logs"),
        (["--in-doubt", "--at=yesterday"], "yesterday"),
    ):
        found = real("xa", *arguments, str(LOG))
        assert (found.status, found.out) == (2, b"")
        assert words in found.err


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("4711", Until(None, 4711)),
        (":4711", Until(None, 4711)),
        ("binlog.000007:4711", Until("binlog.000007", 4711)),
        ("@5", Until(time=5_000_000)),
    ],
)
def test_a_place_is_a_position_or_a_time(text: str, until: Until) -> None:
    assert place(text) == until


def test_a_time_of_day_is_no_position(utc: None) -> None:
    found = place("10:30")
    assert (found.log, found.position) == (None, None)
    assert found.time is not None
    assert found.time % (86400 * 1_000_000) == 37_800 * 1_000_000


@pytest.mark.parametrize(
    ("xid", "row"),
    [
        ("X'4142',X'63',7", (7, 2, 1, "ABc")),
        ("X'',X'',0", (0, 0, 0, "")),
        ("X'ff',X'c3a9',4294967295", (4294967295, 1, 2, "\udcffé")),
    ],
)
def test_an_xid_has_the_form_of_xa_recover(xid: str, row: tuple[object, ...]) -> None:
    assert recovered(XaTransaction(xid, None)) == row
