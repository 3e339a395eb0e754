"""`stats --where` counts the rows that `rows --where` shows."""

import json
import warnings
from pathlib import Path

import pytest

import pybinlog
from pybinlog.errors import BinlogWarning
from tests.cli.conftest import real
from tests.where.answers import FOLDER, SESSION, stored
from tests.where.test_dump import LOGS


def counted(*arguments: str) -> dict[str, int]:
    """The sums of `pybinlog stats`."""
    result = real("stats", "--format=jsonl", *arguments)
    assert result.status == 0, result.err
    found = [json.loads(line) for line in result.out.splitlines()]
    return found[0] if found else {"rows": 0, "rolled_back": 0, "prepared": 0, "transactions": 0}


@pytest.mark.parametrize("kind", SESSION)
def test_the_rows_counted_are_those_that_the_server_selected(kind: str) -> None:
    answers = stored(kind)
    log = str(FOLDER / f"{kind}.000001")
    wrong = {
        condition: ids
        for condition, ids in list(answers.items())[::25]
        if counted(f"--where={condition}", "--where-unknown=drop", log)["rows"] != len(ids)
    }
    assert not wrong


@pytest.mark.parametrize("log", LOGS[::3], ids=lambda log: f"{log.parent.parent.name}-{log.parent.name}-{log.name}")
def test_each_log_has_so_many_rows_and_transactions_of_them(log: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BinlogWarning)
        rows = list(pybinlog.open(str(log)).rows(where="NOT changed(@1) OR before.@1 IS NULL"))
    found = counted("--where=NOT changed(@1) OR before.@1 IS NULL", str(log))
    assert found["rows"] + found["rolled_back"] + found["prepared"] == len(rows)
    assert found["transactions"] == len({row["transaction_position"] for row in rows})


def test_names_come_from_definitions_in_the_log() -> None:
    log = next(str(log) for log in LOGS if log.parent.name == "row-basic")
    shown = real("rows", "--format=jsonl", "--table=orders", "--where=after.customer_id = 1", log)
    assert shown.status == 0
    assert counted("--table=orders", "--where=after.customer_id = 1", log)["rows"] == shown.out.count(b"\n") > 0


def test_committed_leaves_out_what_was_rolled_back() -> None:
    logs = [str(log) for log in LOGS if log.parent.parent.name == "mysql-9.7" and log.parent.name == "xa"]
    shown = real("rows", "--format=jsonl", "--committed", *logs)
    every, committed = counted(*logs), counted("--committed", *logs)
    assert every["rolled_back"] > 0 == committed["rolled_back"]
    assert committed["rows"] + committed["prepared"] == shown.out.count(b"\n")
    assert (committed["rows"], committed["prepared"]) == (every["rows"], every["prepared"])


def test_a_column_that_no_table_has_is_an_error() -> None:
    result = real("stats", "--where=nummber = 5", str(FOLDER / "mysql.000001"))
    assert result.status == 1
    assert "no column `nummber`. Near names: `number`, `unumber`" in result.err


def test_a_condition_that_does_not_fit_its_table_names_the_table() -> None:
    result = real("stats", "--where=number = 'abc'", str(FOLDER / "mysql.000001"))
    assert result.status == 1
    assert "in the table w.t, `number` is a number" in result.err
