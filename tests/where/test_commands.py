"""The commands that have `--where`, and images that lack columns."""

import json
import warnings

import pytest

import pybinlog
from pybinlog.errors import BinlogWarning
from pybinlog.where import Condition, WhereError
from pybinlog.where.tally import Tally
from tests.cli.conftest import real
from tests.where.answers import FOLDER

LOG = str(FOLDER / "mysql.000001")
IMAGES = (
    "id=5",
    "n>3",
    "s='A'",
    "b LIKE 'x%'",
    "n IS NULL",
    "NOT (s='a')",
    "n=3 OR id<5",
    "after.n = 3",
    "before.s = 'b'",
)


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_rows_and_export_keep_the_same_rows(format: str) -> None:
    condition = "--where=number = 5 AND id < 40"
    shown = real("rows", f"--format={format}", condition, LOG)
    exported = real("export", "--view=rows", f"--format={format}", condition, "-o", "-", LOG)
    assert shown.status == exported.status == 0
    assert shown.out == exported.out
    if format == "jsonl":
        found = [json.loads(line)["after"]["id"] for line in shown.out.splitlines()]
        assert found
        assert found == [row["after"]["id"] for row in pybinlog.open(LOG).rows(where="number = 5 and id < 40")]


@pytest.mark.parametrize("command", [("rows",), ("export", "--view=rows", "-o", "-")], ids=lambda given: given[0])
def test_a_column_that_no_table_has_is_an_error_with_near_names(command: tuple[str, ...]) -> None:
    result = real(*command, "--where=nummber = 5", LOG)
    assert result.status == 1
    assert result.out == b""
    assert "no column `nummber`. Near names: `number`, `unumber`" in result.err


@pytest.mark.parametrize("image", ["minimal", "noblob"])
def test_rows_that_can_be_judged_are_those_of_full_images(image: str) -> None:
    unknown = 0
    every = list(pybinlog.open(str(FOLDER / f"{image}.000001")).rows("i.t"))
    for condition in IMAGES:
        full = list(pybinlog.open(str(FOLDER / "full.000001")).rows("i.t", where=condition))
        numbers = {row["transaction_position"] for row in full}
        places = [row["transaction_position"] for row in pybinlog.open(str(FOLDER / "full.000001")).rows("i.t")]
        wanted = {place for place, row in enumerate(places) if row in numbers}
        of_place = {row["transaction_position"]: place for place, row in enumerate(every)}
        kept: dict[str, set[int]] = {}
        for how in ("keep", "drop"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", BinlogWarning)
                log = pybinlog.open(str(FOLDER / f"{image}.000001"))
                rows = log.rows("i.t", where=condition, where_unknown=how)
                kept[how] = {of_place[row["transaction_position"]] for row in rows}
        assert kept["drop"] <= wanted <= kept["keep"], condition
        unknown += len(kept["keep"] - kept["drop"])
    assert 0 < unknown < len(every) * len(IMAGES)


def test_rows_that_cannot_be_judged_are_counted() -> None:
    with pytest.warns(BinlogWarning, match=r"\d+ rows could not be judged: their images lack `b`") as caught:
        assert list(pybinlog.open(str(FOLDER / "minimal.000001")).rows("i.t", where="b = 'x1'"))
    assert [warning.filename for warning in caught] == [__file__]


def test_changed_is_true_of_updates_alone() -> None:
    found = list(pybinlog.open(str(FOLDER / "full.000001")).rows("i.t", where="changed(n)"))
    assert found
    assert all(row["before"]["n"] != row["after"]["n"] for row in found)


def test_a_condition_that_does_not_fit_its_table_names_the_table() -> None:
    with pytest.raises(WhereError, match=r"in the table w\.t, `number` is a number"):
        list(pybinlog.open(LOG).rows(where="number = 'abc'"))


@pytest.mark.parametrize(
    ("zone", "moment", "ids"),
    [
        ("UTC", "2000-01-01 00:00:00", True),
        ("+05:30", "2000-01-01 05:30:00", True),
        ("-08:00", "1999-12-31 16:00:00", True),
        ("Europe/Berlin", "2000-01-01 01:00:00", True),
        ("Europe/Berlin", "2000-01-01 00:00:00", False),
        ("+05:30", "2000-01-01 00:00:00", False),
    ],
)
def test_a_time_zone_is_that_of_timestamp_columns_alone(zone: str, moment: str, ids: bool) -> None:
    stamps = real("rows", "--format=jsonl", f"--time-zone={zone}", f"--where=stamp = '{moment}'", LOG)
    utc = real("rows", "--format=jsonl", "--where=stamp = '2000-01-01 00:00:00'", LOG)
    assert utc.out
    assert stamps.out == (utc.out if ids else b"")
    datetimes = real("rows", "--format=jsonl", f"--time-zone={zone}", "--where=moment = '2000-01-01'", LOG)
    assert datetimes.out == real("rows", "--format=jsonl", "--where=moment = '2000-01-01'", LOG).out != b""


def test_a_moment_that_came_twice_in_its_zone_is_refused() -> None:
    result = real("rows", "--time-zone=Europe/Berlin", "--where=stamp > '2024-10-27 02:30:00'", LOG)
    assert result.status == 1
    assert "2024-10-27 02:30:00 came twice in Europe/Berlin" in result.err


def test_a_warning_tells_skipped_tables_from_skipped_definitions() -> None:
    every: dict[str, tuple[str, ...]] = {"w.a": ("id",), "w.b": ("id",)}
    tally = Tally(Condition("n = 5").tree, kept=3, bound={"w.b", "w.c"}, without=every)
    assert list(tally.sentences()) == [
        "1 table was skipped, without a column of the condition: w.a",
        "rows of definitions without a column of the condition were skipped: w.b",
    ]
    assert list(Tally(Condition("n = 5").tree, without=every).sentences()) == []
