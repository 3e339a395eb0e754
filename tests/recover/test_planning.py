"""Plans: where a recovery begins and ends, and what they refuse, on real logs without a target."""

import shutil
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError
from pybinlog.log.executed import Executed
from pybinlog.recover.contents import Contents, Part, Reading, Transaction
from pybinlog.recover.ending import Ending
from pybinlog.recover.target import TargetState
from pybinlog.recover.target_rules import sql_modes
from pybinlog.statement import Session, read
from tests.check.examples import EXAMPLES
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.recover.logs import MARIADB, MYSQL, UUID, WHOLE, logs_of, planned


@pytest.mark.parametrize(
    ("folder", "ending", "last", "count"),
    [
        (MYSQL, WHOLE, f"{UUID}:12", 7),
        (MYSQL, Ending(before="DROP TABLE shop.orders"), f"{UUID}:11", 6),
        (MYSQL, Ending(before="drop table `orders`;"), f"{UUID}:11", 6),
        (MYSQL, Ending(before_gtid=f"{UUID}:9"), f"{UUID}:8", 3),
        (MYSQL, Ending(until_gtids=f"{UUID}:1-9"), f"{UUID}:9", 4),
        (MYSQL, Ending(until_position=("binlog.000001", 2074)), f"{UUID}:6", 1),
        (MYSQL, Ending(until_position=("binlog.000001", 2075)), f"{UUID}:7", 2),
        (MYSQL, Ending(before_delete_of=("shop", "orders")), f"{UUID}:10", 5),
        (MYSQL, Ending(until=2_000_000_000), f"{UUID}:12", 7),
        (MARIADB, WHOLE, "0-7-10", 7),
        (MARIADB, Ending(before="DROP TABLE shop.orders"), "0-7-9", 6),
        (MARIADB, Ending(before_delete_of=("shop", "orders")), "0-7-7", 4),
        (MARIADB, Ending(until_gtids="0-7-5"), "0-7-5", 2),
    ],
)
def test_each_kind_of_end_has_the_last_transaction_before_it(
    folder: Path, ending: Ending, last: str, count: int
) -> None:
    plan = planned(folder, ending)
    assert plan.problems == []
    assert plan.contents.last is not None
    assert (plan.contents.last.gtid, plan.contents.transactions) == (last, count)
    assert plan.archive.last.end == plan.contents.last.end


@pytest.mark.parametrize(
    ("folder", "origin", "first"),
    [
        (MYSQL, "binlog.000001:1478", f"{UUID}:6"),
        (MYSQL, f"{UUID}:1-8", f"{UUID}:9"),
        (MARIADB, "binlog.000001:911", "0-7-4"),
        (MARIADB, "0-7-6", "0-7-7"),
    ],
)
def test_a_place_by_hand_is_a_start(folder: Path, origin: str, first: str) -> None:
    plan = planned(folder, origin=origin)
    assert plan.contents.first is not None
    assert plan.contents.first.gtid == first


@pytest.mark.parametrize(
    ("folder", "origin", "ending", "reason"),
    [
        (MYSQL, "binlog.000001:1479", WHOLE, "inside a transaction"),
        (MYSQL, "binlog.000001:99999", WHOLE, "this log ends at 2430"),
        (MYSQL, "binlog.000009:4", WHOLE, "the backup ends in binlog.000009"),
        (MYSQL, "0-7-3", WHOLE, "the logs are of MySQL"),
        (MARIADB, f"{UUID}:1-3", WHOLE, "the logs are of MariaDB"),
        (MYSQL, "server", WHOLE, "requires --into"),
        (MYSQL, f"{UUID}:1-9", Ending(until_position=("binlog.000001", 2075)), "is before the backup"),
        (MYSQL, "", Ending(before="DROP TABLE shop.items"), "do not have DROP TABLE shop.items"),
        (MYSQL, "", Ending(before_gtid=f"{UUID}:1-9"), "give one GTID"),
        (MYSQL, "", Ending(before_gtid=f"{UUID}:99"), "do not have"),
    ],
)
def test_a_start_or_an_end_that_the_logs_do_not_have_is_an_error(
    folder: Path, origin: str, ending: Ending, reason: str
) -> None:
    with pytest.raises(BinlogError, match=reason):
        planned(folder, ending, origin=origin)


def test_logs_that_begin_after_the_backup_are_an_error() -> None:
    with pytest.raises(BinlogError, match=f"begins after {UUID}:6-8"):
        planned(MYSQL, origin=f"{UUID}:1-5", names=logs_of(MYSQL)[1:])


def test_a_log_of_the_same_name_from_another_history_is_an_error(tmp_path: Path) -> None:
    text = (MYSQL / "backup.sql").read_text()
    backup = tmp_path / "backup.sql"
    backup.write_text(text.replace(f"{UUID}:1-5", f"{UUID}:1-4"))
    with pytest.raises(BinlogError, match=r"not the log of this name"):
        planned(MYSQL, origin=str(backup))


def test_a_missing_log_is_an_error(tmp_path: Path) -> None:
    shutil.copy(MYSQL / "binlog.000001", tmp_path / "binlog.000001")
    shutil.copy(MYSQL / "binlog.000002", tmp_path / "binlog.000003")
    with pytest.raises(BinlogError, match=r"binlog\.000002 is missing"):
        planned(MYSQL, names=logs_of(tmp_path))


def test_a_damaged_log_is_a_problem(tmp_path: Path) -> None:
    for name in logs_of(MYSQL):
        shutil.copy(name, tmp_path)
    path = tmp_path / "binlog.000001"
    data = bytearray(path.read_bytes())
    data[1900] ^= 1
    path.write_bytes(data)
    (problem,) = planned(MYSQL, names=logs_of(tmp_path)).problems
    assert "binlog.000001, at 1" in problem.what
    assert "checksum" in problem.what.lower()


@pytest.mark.parametrize(
    ("folder", "without", "problem"),
    [
        (MYSQL, f"{UUID}:7", None),
        (MYSQL, f"{UUID}:12", None),
        (MYSQL, f"{UUID}:3", "not between the backup and the end"),
        (MARIADB, "0-7-7", "1 of 1 rows of shop.orders was changed again, here first by 0-7-9"),
        (MARIADB, "0-7-7:9", None),
    ],
)
def test_what_is_left_out_must_not_be_needed_later(folder: Path, without: str, problem: str | None) -> None:
    problems = planned(folder, without=without).problems
    assert [problem in one.what for one in problems if problem] == [True] * (problem is not None)
    assert bool(problems) == (problem is not None)


def test_a_statement_that_is_left_out_must_not_be_needed_later() -> None:
    problems = planned(MYSQL, origin="binlog.000001:343", without=f"{UUID}:2").problems
    assert any("is a statement about shop.orders" in one.what for one in problems)


def test_a_plan_has_the_states_of_events() -> None:
    events = planned(MYSQL).contents.scheduled
    assert events.states == {("shop", "ev"): "ENABLED", ("shop", "ev2"): "DISABLED"}


@pytest.mark.parametrize(
    ("folder", "ending"), [(MYSQL, Ending(until_gtids=f"{UUID}:1-4")), (MARIADB, Ending(until_gtids="0-7-2"))]
)
def test_an_end_before_the_backup_is_a_problem(folder: Path, ending: Ending) -> None:
    (problem,) = planned(folder, ending).problems
    assert "is before the backup" in problem.what


@pytest.mark.parametrize(("folder", "last", "before"), [(MYSQL, f"{UUID}:12", 980), (MARIADB, "0-7-10", 1056)])
def test_the_stream_ends_before_what_is_left_out_at_the_end(folder: Path, last: str, before: int) -> None:
    plan = planned(folder, without=last)
    assert plan.problems == []
    assert plan.end_position == ("binlog.000002", before)
    assert plan.archive.last.end == before


def test_a_plan_that_leaves_everything_out_is_a_problem() -> None:
    problems = planned(MYSQL, Ending(until_gtids=f"{UUID}:1-6"), without=f"{UUID}:6").problems
    assert any("nothing is left to be applied" in one.what for one in problems)


def test_a_plan_says_what_statements_need() -> None:
    reading = Reading(Part([], 4, 4, lambda _: False, lambda _: False), Contents(), lambda _: None)
    place = Transaction("binlog.000001", 4, 5, None, None, (0, 4))
    for text in (
        "CREATE USER 'a'@'%' IDENTIFIED WITH 'caching_sha2_password' AS 'x'",
        "create user b identified via ed25519 using 'x'",
        "INSTALL PLUGIN p SONAME 'p.so'",
        "INSTALL COMPONENT 'file://component_x'",
        "CREATE AGGREGATE FUNCTION f RETURNS INTEGER SONAME 'f.so'",
        "CREATE FUNCTION a.f2() RETURNS INT RETURN 1",
    ):
        reading.statement(place, read(text, Session("")), text, "")
    assert list(reading.contents.plugins) == ["caching_sha2_password", "ed25519"]
    assert list(reading.contents.libraries) == ["p.so", "file://component_x", "f.so"]


def test_a_plan_has_the_sql_mode_of_statements() -> None:
    modes = planned(MYSQL).contents.sql_modes
    assert sum(1 << bit for bit in modes) == 1168113696
    assert {one.gtid for one in modes.values()} == {f"{UUID}:8"}  # the first that is not made of rows


@pytest.mark.parametrize(("known", "problems"), [(0, 0), (34, 0), (30, 1), (26, 2)])
def test_a_target_that_does_not_know_an_sql_mode_is_refused(known: int, problems: int) -> None:
    plan = planned(MYSQL)
    sql_modes(plan, state_of(tuple(f"MODE_{number}" for number in range(known))))
    assert (len(plan.problems), len(plan.remarks)) == (problems, 0)
    assert all("was run in an sql_mode that the target does not know" in one.what for one in plan.problems)


def test_an_sql_mode_that_the_target_dropped_is_said() -> None:
    plan = planned(MYSQL)
    sql_modes(plan, state_of(("MODE",) * 5 + ("NOT_USED_6",) + ("MODE",) * 28))
    assert plan.problems == []
    assert [remark.partition(" was run in ")[2] for remark in plan.remarks] == [
        "an sql_mode that later versions dropped (bit 5): the target ignores it"
    ]


def state_of(modes: tuple[str, ...]) -> TargetState:
    return TargetState("mysql://db", "x", "9.7.0", False, 1, {}, Executed(), None, sql_modes=modes)


def test_a_last_log_without_transactions_does_not_hide_that_the_others_have_no_gtids() -> None:
    plan = planned(MYSQL, names=logs_of(MYSQL.parent / "idle"), origin="binlog.000037:158")
    assert (plan.by_gtids, plan.archive.gtid_mode, plan.problems) == (False, "OFF", [])
    assert plan.contents.transactions == plan.contents.anonymous == 4
    assert plan.start == 158


def test_two_logs_of_one_name_are_an_error(tmp_path: Path) -> None:
    shutil.copy(MYSQL / "binlog.000001", tmp_path)
    with pytest.raises(BinlogError, match="has the same name: after a failover"):
        planned(MYSQL, names=[*logs_of(MYSQL), str(tmp_path / "binlog.000001")])


def test_an_xa_transaction_of_one_phase_needs_no_prepare() -> None:
    logs = [str(TESTDATA / "corpus" / "mysql-9.7" / "xa" / "binlog.000001")]
    contents = planned(MYSQL, names=logs, origin="binlog.000001:1980").contents
    assert contents.decided == {}
    contents = planned(MYSQL, names=logs, origin="binlog.000001:1219").contents
    assert list(contents.decided) == ["X'706c61696e',X'',1"]


@pytest.mark.parametrize("code", EXAMPLES)
def test_each_finding_of_a_check_is_a_sentence_of_the_plan(code: str, tmp_path: Path) -> None:
    """An error ends what can be recovered; a finding that is none does not."""
    for number, data in EXAMPLES[code]().items():
        (tmp_path / f"binlog.{number:06d}").write_bytes(data)
    first = min(path.name for path in tmp_path.iterdir())
    found = real("recover", f"--from={first}:4", str(tmp_path))
    assert found.status in (0, 1)
    assert "fault in pybinlog" not in found.err


def test_a_finding_with_the_severity_of_its_rule() -> None:
    log = TESTDATA / "regressions" / "finding-of-its-rules-severity.000001"
    found = real("recover", f"--from={log.name}:4", str(log))
    assert (found.status, found.err) == (1, "")
    assert b"at 2323: The boundary parser cannot go from Inside Transaction to Self Contained" in found.out
