"""How wide the columns of a table are, and how values are written."""

from __future__ import annotations

import pytest

from pybinlog.cli.display.table_layout import Layout, TableColumn, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.cli.display.table_layout import Row


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (1.5, "1.5"),
        ("x", "x"),
        (["a", "b"], "a, b"),
        ([], ""),
    ],
)
def test_values_are_written_so(value: str | float | list[str] | None, text: str) -> None:
    assert plain(value) == text


def layout(width: int, *numbers: bool) -> Layout:
    return Layout([TableColumn(str(at), is_number=number) for at, number in enumerate(numbers)], width)


def test_columns_are_as_wide_as_they_need_with_two_spaces_between() -> None:
    found = layout(80, False, True, False)
    assert found.lines(["a", 1, "x"], ["bbb", 22222, "yy"]) == ["a        1  x", "bbb  22222  yy"]
    assert found.lines(["c", 3, None]) == ["c        3  NULL"]
    assert found.lines(["cccc", 3, ""]) == ["cccc      3"]


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (36, ["123456789012345  abcdefghijklmnopqrs", "x                y"]),
        (35, ["123456789012345  abcdefghijklmno...", "x                y"]),
        (29, ["123456789012345  abcdefghi...", "x                y"]),
        (28, ["12345678901...  abcdefghi...", "x               y"]),
        (26, ["123456789...  abcdefghi...", "x             y"]),
        (25, ["123456789012345", "x"]),
        (9, ["123456789...", "x"]),
    ],
)
def test_texts_give_way_and_then_columns_from_the_right(width: int, lines: list[str]) -> None:
    found = layout(width, False, False)
    assert found.lines(["123456789012345", "abcdefghijklmnopqrs"], ["x", "y"]) == lines
    assert found.dropped == ([] if width > 25 else ["1"])


def test_nothing_is_cut_without_a_width() -> None:
    assert Layout([TableColumn("a"), TableColumn("b")], None).lines(["x" * 500, "y" * 500]) == [
        f"{'x' * 500}  {'y' * 500}"
    ]


UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
TRANSACTION = (f"{UUID}:11450", "logs/binlog.000007", 1234, 0, 17, 12345, ["shop.orders", "shop.items"], "commit", 8)
OF_TRANSACTIONS = [
    TableColumn(name, is_number=is_number, unit=unit)
    for name, is_number, unit in (
        ("gtid", False, 0),
        ("file", False, 0),
        ("start_position", True, 0),
        ("commit_time", False, 1),
        ("rows", True, 0),
        ("bytes", True, 0),
        ("tables", False, 0),
        ("ended", False, 0),
        ("thread_id", True, 0),
    )
]


@pytest.mark.parametrize(
    ("width", "line", "dropped"),
    [
        (
            170,
            f"{UUID}:11450  logs/binlog.000007            1234  2026-11-21 02:22:50+01:00    17  12345  "
            "shop.orders, shop.items  commit          8",
            [],
        ),
        (
            130,
            "...9562:11450  logs/binlog.000007            1234  2026-11-21 02:22:50+01:00    17  12345  "
            "shop.orders, shop...  commit          8",
            [],
        ),
        (
            100,
            "logs/binlog.000007            1234  2026-11-21 02:22:50+01:00    17  12345  shop.orders, ...  commit",
            ["gtid", "thread_id"],
        ),
        (80, "...binlog.000007            1234  2026-11-21 02:22:50+01:00    17  shop.order...", ["gtid", "bytes"]),
        (60, "...binlog.000007            1234  2026-11-21 02:22:50+01:00", ["gtid", "rows"]),
        (20, "logs/binlog.000007", ["gtid", "commit_time"]),
    ],
)
def test_transactions_on_terminals(width: int, line: str, dropped: list[str]) -> None:
    found = Layout(OF_TRANSACTIONS, width)
    time = "2026-11-21 02:22:50+01:00"
    _, shown = found.lines([column.name for column in OF_TRANSACTIONS], (*TRANSACTION[:3], time, *TRANSACTION[4:]))
    assert shown == line
    assert set(dropped) <= set(found.dropped)
    assert (found.dropped == []) == (not dropped)


def test_columns_that_are_asked_for_remain_and_numbers_and_commands_are_whole() -> None:
    columns = [TableColumn("gtid"), TableColumn("pos", is_number=True), TableColumn("command")]
    command = "pybinlog -vv --start-position=4 --stop-position=1234567890 binlog.000001"
    found = Layout(columns, 20, kept=("gtid", "pos", "command"))
    assert found.lines([f"{UUID}:1", 123456789012345, command]) == [f"...9562:1  123456789012345  {command}"]
    assert Layout(columns, 20).lines([f"{UUID}:1", 1, command]) == [command]


def test_wide_characters_take_two_places_and_controls_are_escapes() -> None:
    assert layout(80, True, False).lines(["日本", "a\tb"], ["x", "é"]) == [r"日本  a\tb", "   x  é"]
    assert layout(12, False).lines(["日本語日本語日"]) == ["日本語日 ..."]


def test_a_column_of_text_is_shown_to_everybody() -> None:
    assert TableColumn("a") == TableColumn("a", False, True, True, False)


def test_short_texts_are_whole_before_long_ones_get_room() -> None:
    found = layout(40, False, False)
    assert found.lines(["i" * 80, "End Transaction"]) == ["i" * 20 + "...  End Transaction"]


def test_a_gtid_set_of_one_server_is_shortened_as_a_gtid() -> None:
    uuid = "02f81e89-e843-11f1-acc8-02fc00000001"
    found = Layout([TableColumn("gtid"), TableColumn("n", is_number=True)], 30)
    assert found.lines([f"{uuid}:1-5:9", 1], [f"{uuid}:7", 2]) == ["...0001:1-5:9  1", "...0001:7      2"]


def test_what_became_of_an_xa_transaction_goes_last() -> None:
    names = ["xid", "prepared_log", "prepared_position", "prepared_time", "rows", "decision", "decided_log"]
    found = Layout([TableColumn(name, name not in ("xid", "decision")) for name in names], 46)
    (line,) = found.lines(["X'61',X'',1", "binlog.000001", "4711", "2026-11-24 20:10:15Z", "3", "commit", "b.000002"])
    assert line == "X'61',X'',1  2026-11-24 20:10:15Z  3  commit"
    assert found.dropped == ["prepared_log", "prepared_position", "decided_log"]


@pytest.mark.parametrize(
    ("width", "lost", "bars"),
    [(60, {"inserts", "prepared"}, 10), (74, {"inserts"}, 14), (100, set(), 31), (30, set(), 0)],
)
def test_columns_make_room_for_bars(width: int, lost: set[str], bars: int) -> None:
    from pybinlog.cli.display.bar import with_bars

    names = ["minute minute minute.", "transactions", "inserts", "rows", "prepared", "bytes"]
    columns = [TableColumn(name, name != names[0]) for name in names]
    rows: list[Row] = [["m", 4, 1, 1, 0, 99999], ["n", 2, 1, 1, 0, 5]]
    found, shown = with_bars(columns, rows, None, width, (("inserts",), ("prepared",), ("bytes",)))
    assert {one.name for one in found if not one.shown} == lost
    assert [str(row[-1]).count("█") for row in shown] == [bars, round(bars / 2)]
