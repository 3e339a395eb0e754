"""A row event whose rows are taken back: what its images lack, what refuses it, and its statement."""

from typing import Any

import pytest

from pybinlog.catalog.tables import Unknown
from pybinlog.undo.change import SCHEMA_NEEDED, Change, event_findings
from pybinlog.undo.head import UndoTally
from pybinlog.undo.later import CascadedRows, LaterChanges
from pybinlog.undo.problem import Place, Problems
from pybinlog.undo.statement import Statements, overlaid, without_foreign_keys
from pybinlog.undo.table import UndoTable
from tests.undo.parts import change_of, reference, request_of, table_of

CHECKED, CASCADES = 2, 16
"""The flags NO_FOREIGN_KEY_CHECKS_F and USE_SQL_FOREIGN_KEY_F."""
OFF, ON = b"SET foreign_key_checks = 0;\n", b"SET foreign_key_checks = 1;\n"
OLD: list[bytes | None] = [b"1", b"NULL", b"'a'"]
NEW: list[bytes | None] = [b"2", b"5", b"'a'"]


@pytest.mark.parametrize(
    ("flags", "ends", "logged", "cascade"),
    [
        (0, False, False, False),
        (1, True, False, False),
        (2, False, False, False),
        (16, False, True, False),
        (18, False, True, True),
    ],
)
def test_flags(flags: int, ends: bool, logged: bool, cascade: bool) -> None:
    change = change_of(flags=flags)
    assert (change.ends_statement, change.cascades_are_logged, change.is_cascade) == (ends, logged, cascade)
    assert change.is_sound is False
    assert (change.place, change.transaction) == (Place("b.000001", 300, "0-1-5"), ("b.000001", 100))


def row(*values: bytes | None) -> list[bytes | None]:
    return list(values)


# ---- images


@pytest.mark.parametrize(
    ("operation", "before", "after", "redo", "lacking"),
    [
        ("INSERT", 0, 0b110, False, "id"),
        ("INSERT", 0, 0b001, False, ""),
        ("INSERT", 0b111, 0, False, "id"),
        ("DELETE", 0b001, 0, False, "up, v"),
        ("DELETE", 0b011, 0b111, False, "v"),
        ("DELETE", 0b111, 0, False, ""),
        ("UPDATE", 0b001, 0b100, False, "v"),
        ("UPDATE", 0b100, 0b100, False, "id"),
        ("UPDATE", 0b101, 0b100, False, ""),
        ("INSERT", 0, 0, True, ""),
        ("DELETE", 0b110, 0, True, "id"),
        ("DELETE", 0b001, 0, True, ""),
        ("UPDATE", 0b001, 0b110, True, ""),
        ("UPDATE", 0b110, 0b110, True, "id"),
    ],
)
def test_columns_that_the_images_lack(operation: str, before: int, after: int, redo: bool, lacking: str) -> None:
    assert change_of(operation=operation, before=before, after=after, redo=redo).lacking_names() == lacking


def test_rows_without_a_key_need_all_values_and_three_are_named() -> None:
    names = ("a INT", "b INT", "c INT", "d INT")
    for count, shown in ((3, "a, b, c"), (4, "a, b, c ...")):
        change = change_of(table_of(", ".join(names[:count])), "INSERT", before=0, after=0)
        assert change.lacking_names() == shown


# ---- rules


def findings(change: Change, **request: Any) -> list[tuple[str, ...]]:
    return list(map(tuple, event_findings(change, request_of(**request))))


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (table_of(is_known=None), "the log does not say which columns are generated"),
        (
            table_of(is_known=Unknown("a statement is not understood", "")),
            "its definition is lost: a statement is not understood",
        ),
        (table_of(names=False), "the log does not name its columns"),
    ],
)
def test_a_table_without_a_definition(table: UndoTable, why: str) -> None:
    assert findings(change_of(table)) == [("definition", f"u.t has no definition here: {why}", SCHEMA_NEEDED)]
    assert findings(change_of(table), as_events=True) == []


def test_a_table_whose_rows_cannot_be_set() -> None:
    assert findings(change_of(table_of("a INT", "WITH SYSTEM VERSIONING ENGINE=MyISAM"))) == [
        (
            "versions",
            "u.t keeps row versions (WITH SYSTEM VERSIONING), which a statement cannot set",
            "Read the old rows with SELECT ... FOR SYSTEM_TIME",
        )
    ]
    mine = change_of(table_of("a INT", "ENGINE=MyISAM"), before=1, after=1)
    assert (
        findings(mine)
        == findings(mine, as_events=True)
        == [
            (
                "engine",
                "u.t is a MyISAM table: if a statement fails, those before it are not rolled back",
                "--allow-non-transactional takes the risk",
            )
        ]
    )
    assert findings(mine, allows_non_transactional=True) == []


def test_images_that_are_wider_than_their_table() -> None:
    wide = change_of(table_of("a INT", "ENGINE=InnoDB"), before=0b11, after=0b1)
    assert [what for _, what, _ in findings(wide)] == ["the UPDATE of u.t has more columns than its Table_map"]
    assert findings(change_of(table_of("a INT", "ENGINE=InnoDB"), before=1, after=1)) == []


def test_images_that_lack_a_value() -> None:
    assert findings(change_of(operation="DELETE", before=1)) == [
        (
            "images",
            "the DELETE of u.t has no value of up, v in its row images",
            "The session had a binlog_row_image other than FULL; such rows are in a backup only",
        )
    ]


def test_images_that_lack_a_column_of_a_table_without_a_definition() -> None:
    """MariaDB leaves generated columns out of UPDATEs. Only the lost definition is wrong, if there is one at all."""
    change = change_of(table_of(is_known=False, names=False), before=0b101, after=0b101)
    assert [kind for kind, *_ in findings(change)] == ["definition"]
    assert findings(change, as_events=True) == [
        (
            "images",
            "the UPDATE of u.t has no value of @2 in its row images",
            "The column is generated, or the session had a binlog_row_image other than FULL; such rows are in a backup "
            "only",
        )
    ]


CASCADE = reference(on_delete="CASCADE", on_update="SET NULL")
CASCADED = table_of(references=[CASCADE])


@pytest.mark.parametrize(("operation", "action"), [("DELETE", "CASCADE"), ("UPDATE", "SET NULL"), ("INSERT", "")])
def test_a_cascade_that_is_not_in_the_log(operation: str, action: str) -> None:
    change = change_of(CASCADED, operation)
    found = findings(change, as_events=True)
    assert found == (
        [
            (
                "cascade",
                f"the {operation} of u.t may have changed rows of u.c (ON {operation} {action}), which the log lacks",
                "Restore u.c from a backup, or leave u.t out with --ignore-table",
            )
        ]
        if action
        else []
    )
    assert findings(change) == []
    assert findings(change_of(CASCADED, operation, flags=CASCADES), as_events=True) == []


def test_a_row_cascades_if_its_key_changed() -> None:
    change = change_of(CASCADED)
    assert change.cascade(OLD, NEW) == CASCADE
    assert change.cascade(OLD, [b"1", b"5", b"'b'"]) is None
    assert change.cascade(OLD, [None, b"5", None]) is None
    assert change.cascade(OLD, None) == CASCADE
    assert change.cascade(None, NEW) is None
    assert change_of(CASCADED, flags=CASCADES).cascade(OLD, NEW) is None


# ---- statements


def text(change: Change, before: Any, after: Any, **more: Any) -> bytes:
    return change.text(Statements(change.table, **{"guarded": True, "checked": False, **more}), before, after)


def test_a_change_is_turned_or_made_again() -> None:
    insert = b"INSERT INTO `u`.`t` (`id`, `up`, `v`) VALUES (1, NULL, 'a');\n"
    delete = b"DELETE FROM `u`.`t` WHERE `id` = 1;\n"
    for redo, found in ((False, (delete, insert)), (True, (insert, delete))):
        assert (text(change_of(redo=redo), None, OLD), text(change_of(redo=redo), OLD, None)) == found
    assert text(change_of(), OLD, NEW) == b"UPDATE `u`.`t` SET `id` = 1, `up` = NULL WHERE `id` = 2;\n"
    assert text(change_of(redo=True), OLD, NEW) == b"UPDATE `u`.`t` SET `id` = 2, `up` = 5 WHERE `id` = 1;\n"
    assert text(change_of(), OLD, OLD) == b""
    assert text(change_of(), OLD, [None, b"5", None]) == b"UPDATE `u`.`t` SET `up` = NULL WHERE `id` = 1;\n"


def test_rows_are_checked_by_what_an_update_changed_and_without_a_key_by_all_values() -> None:
    found = text(change_of(), OLD, [b"1", None, b"'b'"], checked=True)
    assert found == (
        b"UPDATE `u`.`t` SET `v` = 'a' WHERE `id` = 1 AND CAST(`v` AS BINARY) = 'b';\n"
        b"SET sql_mode = IF(ROW_COUNT() = 1 AND EXISTS (SELECT 1 FROM `u`.`t` WHERE `id` = 1 AND "
        b"CAST(`v` AS BINARY) = 'a'), @@sql_mode, 'u.t: id = 1 is not as expected (UPDATE at 300)');\n"
    )
    keyless = change_of(table_of("a INT, g INT AS (a), f FLOAT(5,2)"))
    assert text(keyless, None, [b"1", b"2", b"3e0"]) == (
        b"DELETE FROM `u`.`t` WHERE `a` = 1 AND `f` + 0e0 = 3e0 LIMIT 1;\n"
    )


def test_checks_of_foreign_keys_are_those_of_the_session() -> None:
    delete = b"DELETE FROM `u`.`t` WHERE `id` = 1;\n"
    assert text(change_of(flags=CHECKED), None, OLD) == OFF + delete + ON
    assert text(change_of(flags=CHECKED, redo=True), OLD, None) == delete
    assert text(change_of(flags=CHECKED), OLD, OLD) == b""
    assert without_foreign_keys(OFF + delete + ON) == OFF + delete + ON
    update = b"UPDATE `u`.`t` SET `id` = 1, `up` = NULL WHERE `id` = 2;\n"
    assert text(change_of(CASCADED), OLD, NEW) == OFF + update + ON
    assert text(change_of(CASCADED), OLD, [None, b"5", b"'a'"]) == b"UPDATE `u`.`t` SET `up` = NULL WHERE `id` = 1;\n"


def test_a_row_that_is_deleted_twice_may_be_gone() -> None:
    table = table_of(references=[reference("t", "up", on_delete="CASCADE")])
    row = [b"1", b"2", b"'a'"]
    assert text(change_of(table, flags=CHECKED | CASCADES), row, None, checked=True).splitlines()[1:3] == [
        b"INSERT IGNORE INTO `u`.`t` (`id`, `up`, `v`) VALUES (1, 2, 'a');",
        b"SET sql_mode = IF(EXISTS (SELECT 1 FROM `u`.`t` WHERE `id` = 1 AND `up` = 2 AND CAST(`v` AS BINARY) = 'a'), "
        b"@@sql_mode, 'u.t: id = 1 is not as expected (UPDATE at 300)');",
    ]
    assert text(
        change_of(table, flags=CHECKED | CASCADES, redo=True), row, None, checked=True, guarded=False
    ).splitlines()[1:] == [
        b"SET sql_mode = IF(NOT EXISTS (SELECT 1 FROM `u`.`t` WHERE `id` = 1), @@sql_mode, "
        b"'u.t: id = 1 is not as expected (UPDATE at 300)');"
    ]
    assert b"IGNORE" not in text(change_of(table, flags=CASCADES), row, None)


@pytest.mark.parametrize(("value", "ignored"), [(b"0", True), (b"'a'", False)])
def test_values_that_a_strict_mode_refuses(value: bytes, ignored: bool) -> None:
    enum = change_of(table_of("id INT PRIMARY KEY, e ENUM('a')"))
    word = b"IGNORE " if ignored else b""
    assert text(enum, [b"1", value], None) == b"INSERT %bINTO `u`.`t` (`id`, `e`) VALUES (1, %b);\n" % (word, value)
    assert text(enum, [b"1", value], [b"1", b"'b'"]) == b"UPDATE %b`u`.`t` SET `e` = %b WHERE `id` = 1;\n" % (
        word,
        value,
    )


def test_dates_with_a_time_are_set_to_what_they_are() -> None:
    change = change_of(table_of("id INT PRIMARY KEY, a INT, t TIMESTAMP, d DATETIME"))
    old: list[bytes | None] = [b"1", b"1", b"'t'", None]
    assert text(change, old, [b"1", b"2", None, b"'d'"]) == (
        b"UPDATE `u`.`t` SET `a` = 1, `t` = `t`, `d` = `d` WHERE `id` = 1;\n"
    )
    keyless = change_of(table_of("id INT, a INT, t TIMESTAMP, d DATETIME"))
    assert text(keyless, old, [b"1", b"2", None, b"'d'"]) == (
        b"UPDATE `u`.`t` SET `a` = 1, `t` = 't', `d` = 'd' WHERE `id` = 1 AND `a` = 2 AND `t` = 't' AND `d` = 'd' "
        b"LIMIT 1;\n"
    )


def test_a_column_that_is_set_along_is_set_back_only_where_it_has_not_changed_since() -> None:
    columns = (
        "id INT PRIMARY KEY, a INT, t TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, by_whom ENUM('x', 'y') CHARSET utf8mb4"
    )
    change = change_of(table_of(columns, ignored=frozenset({"by_whom"})))
    old, new = row(b"1", b"1", b"'t'", b"'x'"), row(b"1", b"2", b"'u'", b"'y'")
    assert text(change, old, new, checked=True).splitlines()[0] == (
        b"UPDATE `u`.`t` SET `a` = 1, `t` = IF(`t` = 'u', 't', `t`), `by_whom` = IF(`by_whom` = 'y', 'x', `by_whom`) "
        b"WHERE `id` = 1 AND `a` = 2;"
    )
    only = text(change, old, row(b"1", b"1", b"'u'", b"'x'"), checked=True)
    assert only.splitlines()[0] == b"UPDATE `u`.`t` SET `t` = 't' WHERE `id` = 1 AND `t` = 'u';"
    assert change.table.compared_bits == 0b0011
    assert table_of("id INT, a INT").compared_bits == 0


def test_an_error_names_the_row_without_what_would_end_its_text() -> None:
    table = table_of("v VARCHAR(200) CHARSET utf8mb4, w INT, PRIMARY KEY (v, w)")
    change = change_of(table, "DELETE", redo=True)
    check = text(change, row(b"'a,''b'", b"7"), None, checked=True).splitlines()[1]
    assert check.endswith(b"@@sql_mode, 'u.t: v = ''a;''''b'' and w = 7 is not as expected (DELETE at 300)');")
    long = text(change, row(b"'" + 300 * b"x" + b"'", b"7"), None, checked=True).splitlines()[1]
    assert b"xxx ... is not as expected (DELETE at 300)" in long
    keyless = change_of(table_of("a INT, b INT, c INT"), "DELETE", redo=True)
    assert b"'u.t: a row is not as expected (DELETE at 300)'" in text(
        keyless, row(b"1", b"2", b"3"), None, checked=True
    )


def test_an_image_lies_over_another() -> None:
    assert overlaid([b"1", None, b"3"], [None, b"2", b"4"]) == [b"1", b"2", b"4"]


# ---- rows that are not as their statement left them


def test_a_delete_after_its_own_cascade_has_the_row_as_the_cascade_left_it() -> None:
    cascaded, cascade, delete = CascadedRows(), change_of(flags=CHECKED | CASCADES), change_of(operation="DELETE")
    first, second, third = row(b"1", b"5", b"'a'"), row(b"1", b"NULL", None), row(b"1", b"NULL", b"'b'")
    middle, other = row(b"1", b"NULL", b"'a'"), row(b"2", b"5", b"'a'")
    assert cascaded.row(delete, first, None) == first
    assert cascaded.row(change_of(), first, second) == first
    assert cascaded.row(delete, first, None) == first
    assert cascaded.row(cascade, first, second) == first
    assert cascaded.row(delete, first, None) == middle
    assert cascaded.row(cascade, middle, third) == middle
    assert cascaded.row(delete, first, None) == third
    assert cascaded.row(delete, other, None) == other
    cascaded.end_statement()
    assert cascaded.row(delete, first, None) == first


def test_only_so_many_rows_of_a_statement_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pybinlog.undo.later.MOST_ROWS", 2)
    cascaded, cascade, delete = CascadedRows(), change_of(flags=CHECKED | CASCADES), change_of(operation="DELETE")
    rows = [row(b"%d" % number, b"5", b"'a'") for number in range(3)]
    for one in rows:
        cascaded.row(cascade, one, row(one[0], b"NULL", b"'a'"))
    assert [cascaded.row(delete, one, None)[1] for one in rows] == [b"NULL", b"NULL", b"5"]


def test_rows_that_were_changed_again_are_counted_by_table() -> None:
    later = LaterChanges(frozenset({"u.x"}))
    later.add("u.x", Place("b", 1), 5)
    assert not later
    later.add("u.t", Place("b", 2), 1)
    later.add("u.t", Place("b", 3), 2)
    assert later
    tally = UndoTally()
    tally.begin(change_of(), 1)
    for total, rows in ((2, "2 of 2 rows of u.t were"), (1, "1 of 1 rows of u.t was")):
        tally.tables["u.t"].rows["INSERT"] = total
        problems = Problems()
        later.add_to(problems, tally, request_of())
        assert list(problems.sentences()) == [
            f"b, at 2: {rows} changed again, here first. Take the later changes back first; --skip-changed leaves "
            "such rows out"
        ]
    later.add_to(events := Problems(), tally, request_of(as_events=True))
    assert next(events.sentences()).endswith(
        "--skip-changed leaves such rows out; --overwrite-later-changes overwrites them"
    )
