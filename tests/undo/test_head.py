"""The head of an undo or a redo, its frame, and what it counts."""

from datetime import datetime, timezone
from typing import Any

import pytest

from pybinlog.kernel.undo.turned_rows import binlog_statement
from pybinlog.undo.head import UndoTally, closing, head, opening
from pybinlog.undo.script import Script, comment, event_title, title
from tests.undo.parts import CELLS, change_of, request_of

RUN = """\
--
-- Run it with mysql --binary-mode or mariadb --binary-mode, without --force. It stops at the first error, and its
-- transaction is rolled back. {checked}
--
-- {server}
-- it keeps them out of the log.
--
-- {keys}
"""
SERVER = (
    "The server writes these changes to its binary log with new GTIDs, and replicas repeat them. "
    "SET sql_log_bin = 0 before"
)
EXPECTED = (
    "Error 1231 names a row that is not as expected: it has changed since. An\n"
    "-- UPDATE of a table with a primary key is compared by the columns that it changed."
)
UNCHECKED = "Nothing checks that a statement finds its row, or that the row is unchanged (--no-check-state)."
BY_KEY = (
    "A row is found by its key, or by all its values without one, and all its columns are set. A row that\n"
    "-- is not there ends the run with error 1032."
)
KEYS = (
    "Foreign keys are checked, but not for what a cascade changed, or for rows that refer to themselves. No row is\n"
    "-- deleted if others would be deleted with it."
)
NO_KEYS = "Foreign keys are not checked: a check would run cascades a second time. Look for rows that refer to none."


def at(second: int) -> datetime:
    return datetime(2026, 11, 24, 17, 30, second, tzinfo=timezone.utc)


def tally_of(*operations: str) -> UndoTally:
    tally = UndoTally()
    for order, operation in enumerate(operations):
        change = change_of(operation=operation)
        tally.begin(change, order)
        tally.rows(change, 1)
        tally.end()
    return tally


@pytest.mark.parametrize(
    ("request_", "checked", "keys"),
    [
        ({}, EXPECTED, KEYS),
        ({"redo": True}, EXPECTED, NO_KEYS),
        ({"checks_state": False}, UNCHECKED, KEYS),
        ({"as_events": True}, BY_KEY, NO_KEYS),
    ],
)
def test_how_to_run_it(request_: dict[str, Any], checked: str, keys: str) -> None:
    asked = request_of(command="pybinlog undo x", **request_)
    lines = b"".join(head(asked, tally_of("INSERT"), ["b.000001"], ["a note"])).decode()
    word = "redo" if asked.redo else "undo"
    assert lines == (
        f"-- {word} of 1 transaction, 1 row, by pybinlog\n-- from 2026-11-24 17:30:00 to 2026-11-24 17:30:00 UTC\n"
        "--   u.t: 1 INSERT\n-- logs: b.000001\n-- command: pybinlog undo x\n-- a note\n"
        + RUN.format(server=SERVER, checked=checked, keys=keys)
    )


def test_what_is_counted_stands_in_the_head() -> None:
    tally = tally_of("INSERT", "UPDATE", "UPDATE")
    tally.begin(change_of(operation="DELETE"), 9)
    lines = b"".join(head(request_of(), tally, ["a", "b", "c"], [])).decode().splitlines()
    assert lines[0] == "-- undo of 3 transactions, 3 rows, by pybinlog"
    assert lines[2:5] == ["--   u.t: 1 INSERT, 2 UPDATEs", "-- logs: a to c", "-- command:"]
    nothing = b"".join(head(request_of(), UndoTally(), ["a"], [])).decode().splitlines()
    assert nothing[:2] == ["-- undo of 0 transactions, 0 rows, by pybinlog", "-- logs: a"]


def test_the_frame_of_statements() -> None:
    settings = opening(request_of(), b"").decode()
    assert settings == (
        "\nSET @pybinlog_client = @@character_set_client, @pybinlog_collation = @@collation_connection,\n"
        "    @pybinlog_results = @@character_set_results, @pybinlog_zone = @@time_zone, @pybinlog_mode = @@sql_mode,\n"
        "    @pybinlog_keys = @@foreign_key_checks, @pybinlog_taken = NULL;\nSET NAMES utf8mb4;\n"
        "SET time_zone = '+00:00', foreign_key_checks = 1,\n"
        "    sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO';\nSTART TRANSACTION;\n"
    )
    assert opening(request_of(redo=True), b"").decode() == settings.replace("checks = 1", "checks = 0")
    assert closing(request_of()).decode() == (
        "\nCOMMIT;\nSET character_set_client = @pybinlog_client, collation_connection = @pybinlog_collation,\n"
        "    character_set_results = @pybinlog_results, time_zone = @pybinlog_zone, sql_mode = @pybinlog_mode,\n"
        "    foreign_key_checks = @pybinlog_keys;\n"
    )


@pytest.mark.parametrize(("place", "gtid_next"), [(60, False), (73, False), (74, True), (200, True)])
def test_the_frame_of_events(place: int, gtid_next: bool) -> None:
    """MariaDB's version stands among the first 80 bytes of a Format_description."""
    data = bytes(place) + b"MariaDB" + bytes(30)
    assert opening(request_of(as_events=True), data) == (
        b"\nSET @pybinlog_keys = @@foreign_key_checks;\nSET foreign_key_checks = 0;\n"
        + binlog_statement(data)
        + (b"SET gtid_next = 'AUTOMATIC';\n" if gtid_next else b"")
        + b"START TRANSACTION;\n"
    )
    assert closing(request_of(as_events=True)) == b"\nCOMMIT;\nSET foreign_key_checks = @pybinlog_keys;\n"


# ---- counts


def test_times_span_all_row_events() -> None:
    tally = UndoTally()
    for second in (5, 3, 9):
        change = change_of()
        change.cells = {**CELLS, "timestamp": at(second)}
        tally.begin(change, second)
    assert (tally.first_time, tally.last_time) == (at(3), at(9))
    assert tally.tables["u.t"].first == 5
    tally.add([(change_of(), 7)], 2, int(at(1).timestamp()), int(at(12).timestamp()))
    assert (tally.first_time, tally.last_time) == (at(1), at(12))
    assert (tally.total, tally.transactions) == (7, 2)
    tally.add([], 0, 0, 5)
    assert tally.first_time == at(1)
    without = UndoTally()
    change = change_of()
    change.cells = {**CELLS, "timestamp": None}
    without.begin(change, 1)
    assert without.first_time is None


def test_a_prepared_transaction_is_forgotten_with_its_number() -> None:
    tally = tally_of("INSERT")
    change = change_of(operation="DELETE")
    tally.begin(change, 1)
    tally.rows(change, 4)
    tally.keep("x")
    tally.end()
    assert (tally.total, tally.transactions, tally.transaction) == (5, 2, 2)
    assert tally.forget("x") == 1
    assert (tally.total, tally.transactions, tally.transaction) == (1, 1, 2)
    assert tally.forget("x") is None
    assert tally.transactions == 1


# ---- titles


def test_titles() -> None:
    assert (comment(" a\tb "), comment("")) == (b"--  a\\tb\n", b"--\n")
    assert event_title(change_of(operation="DELETE")) == b"-- DELETE of u.t at 300\n"
    assert title(CELLS, 100, None) == b"\n-- 0-1-5 (b.000001, at 100, 2026-11-24 17:30:00 UTC, connection 7)\n"
    assert title(CELLS, None, 900).startswith(b"\n-- 0-1-5 (b.000001, at None to 900, ")
    bare = {**CELLS, "gtid": None, "timestamp": None, "thread_id": None}
    assert title(bare, 100, 900) == b"\n-- a transaction (b.000001, at 100 to 900)\n"
    assert title({**bare, "thread_id": 0}, 100, 900) == b"\n-- a transaction (b.000001, at 100 to 900, connection 0)\n"


@pytest.mark.parametrize("piece", [1, 68, 69, 1 << 18])
@pytest.mark.parametrize("redo", [False, True])
def test_titles_stand_before_their_rows_in_either_order(
    redo: bool, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pybinlog.undo.script.PIECE", piece)
    script = Script(request_of(redo=redo))
    for transaction in range(3):
        for text in (b"one\n", b"", b"two\n"):
            change = change_of()
            script.begin(change, transaction)
            script.row(change, b"%d %b" % (transaction, text) if text else b"")
            script.leave(change)
        script.end(CELLS, 100, 900, transaction)
    script.drop(1)
    pieces = list(script.pieces())
    of_row = "-- UPDATE of u.t at 300\n"
    where = "at 100" if redo else "at 100 to 900"

    def transaction_of(number: int) -> str:
        texts = [f"{of_row}{number} one\n", of_row, f"{of_row}{number} two\n"]
        rows = "".join(texts if redo else reversed(texts))
        return f"\n-- 0-1-5 (b.000001, {where}, 2026-11-24 17:30:00 UTC, connection 7)\n{rows}"

    order = (0, 2) if redo else (2, 0)
    assert b"".join(pieces).decode() == "".join(map(transaction_of, order))
    if redo:
        first = {1: 68, 68: 68, 69: 68 + len(of_row)}  # the title is a record, and so is that of a row event
        assert len(pieces[0]) == first.get(piece, sum(map(len, pieces)))
    assert (len(pieces) > 1) == (piece < 1000)
    script.close()
