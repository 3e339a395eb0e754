"""WL#4162: simulated logs with markers=on."""

from pathlib import Path

import pytest

import pybinlog
from pybinlog.boundary import BoundaryType
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.event_types import EventType
from pybinlog.simulate import simulate
from pybinlog.simulate.options import Markers
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.simulate.replay import folder, replayed

TYPED = [
    "mysql-5.6/mixed-engines-statement",
    "mysql-5.6/xa",
    "mysql-5.6/rows-query",
    "mysql-9.7/mixed-engines-row",
    "mysql-9.7/mixed-engines-mixed",
    "mysql-9.7/xa",
    "mysql-9.7/row-basic",
]
WITH_BITS = [
    "mysql-5.6/mixed-engines-row",
    "mysql-5.6/mixed-engines-mixed",
    "mysql-5.6/xa",
    "mysql-9.7/mixed-engines-statement",
    "mysql-9.7/xa",
    "mysql-9.7/xa-statement",
    "mysql-9.7/rows-query",
]
"""Each workload with marks of one kind: those of the other are on the same events."""


def types(text: str, tmp_path: Path) -> list[tuple[str, str]]:
    """Each event's name and marker, after those that open the log."""
    (log, _) = simulate("-- server: markers=on\n" + text).write(tmp_path)
    found = []
    for event in pybinlog.open(log):
        assert not event.inferred
        query = event.body.query.decode().split(" ")[0] if event.type is EventType.QUERY else event.type_name
        found.append((query, event.boundary.printed_name.split()[0]))
    return found


def test_the_low_level_table_where_no_gtid_goes_before(tmp_path: Path) -> None:
    text = """
    -- server: version=5.6 format=STATEMENT rows_query=on
    con1: CREATE TABLE t (a INT PRIMARY KEY AUTO_INCREMENT, b DOUBLE);
    con1: INSERT INTO t (b) VALUES (RAND());
    con1: SET @x = 1, binlog_format = ROW;
    con1: UPDATE t SET b = @x;
    """
    assert types(text, tmp_path) == [
        ("Format_desc", "Ignore"),
        ("CREATE", "Self"),
        ("CREATE", "Self"),
        ("BEGIN", "Start"),
        ("Intvar", "Inside"),
        ("RAND", "Inside"),
        ("INSERT", "Inside"),
        ("Xid", "End"),
        ("BEGIN", "Start"),
        ("Rows_query", "Inside"),
        ("Table_map", "Inside"),
        ("Update_rows", "Inside"),
        ("Xid", "End"),
        ("Stop", "Self"),
    ]


def test_m1_where_a_gtid_goes_before(tmp_path: Path) -> None:
    text = """
    -- server: version=9.7 format=ROW gtid=off enforce_gtid_consistency=off
    con1: CREATE TABLE t (a INT PRIMARY KEY) ENGINE=MyISAM;
    con1: INSERT INTO t VALUES (1);
    con1: FLUSH BINARY LOGS;
    """
    (first, *_) = simulate("-- server: markers=on\n" + text).write(tmp_path)
    assert [(event.type_name, event.boundary.printed_name) for event in pybinlog.open(first)] == [
        ("Format_desc", "Ignore Boundary"),
        ("Previous_gtids", "Self Contained"),
        ("Anonymous_Gtid", "Start Transaction"),
        ("Query", "End Transaction"),
        ("Anonymous_Gtid", "Start Transaction"),
        ("Query", "End Transaction"),
        ("Anonymous_Gtid", "Start Transaction"),
        ("Query", "Inside Transaction"),
        ("Table_map", "Inside Transaction"),
        ("Write_rows", "Inside Transaction"),
        ("Query", "End Transaction"),
        ("Rotate", "Self Contained"),
    ]


def test_m2_where_the_variables_of_ddl_go_before(tmp_path: Path) -> None:
    text = """
    -- server: version=5.6 format=STATEMENT
    con1: SET @a = 5, @b = 6;
    con1: CREATE TABLE t AS SELECT @a AS a, @b AS b;
    """
    assert types(text, tmp_path)[2:-1] == [("User var", "Start"), ("User var", "Inside"), ("CREATE", "End")]


def test_m1_and_m2_together(tmp_path: Path) -> None:
    text = """
    -- server: version=9.7 format=STATEMENT gtid=on
    con1: SET @a = 5;
    con1: CREATE TABLE t AS SELECT @a AS a;
    """
    assert types(text, tmp_path)[4:-1] == [("Gtid", "Start"), ("User var", "Inside"), ("CREATE", "End")]


def test_xa_in_two_rounds(tmp_path: Path) -> None:
    text = """
    -- server: version=9.7 format=ROW gtid=off enforce_gtid_consistency=off
    con1: CREATE TABLE t (a INT PRIMARY KEY);
    con1: XA START 'x';
    con1: INSERT INTO t VALUES (1);
    con1: XA END 'x';
    con1: XA PREPARE 'x';
    con2: XA ROLLBACK 'x';
    """
    assert types(text, tmp_path)[6:-1] == [
        ("Anonymous_Gtid", "Start"),
        ("XA", "Inside"),
        ("Table_map", "Inside"),
        ("Write_rows", "Inside"),
        ("XA", "Inside"),
        ("XA_prepare", "End"),
        ("Anonymous_Gtid", "Start"),
        ("XA", "End"),
    ]


@pytest.mark.parametrize("name", TYPED)
def test_clearing_and_inferring_gives_the_types_that_the_server_wrote(name: str, tmp_path: Path) -> None:
    logs = replayed(folder(name), markers=Markers.TYPES).write(tmp_path)[:-1]
    for log in logs:
        written = [event.boundary for event in pybinlog.open(log)]
        assert BoundaryType.NOT_DEFINED not in written
        cleared = tmp_path / "cleared"
        assert real("tag", "--clear", "--force", str(log), "-o", str(cleared)).status is ExitStatus.OK
        events = list(pybinlog.open(cleared))
        assert [event.boundary for event in events] == written
        assert {event.inferred for event in events} == {True}


@pytest.mark.parametrize(
    ("name", "markers"),
    [
        *((name, Markers.TYPES) for name in TYPED),
        *((name, Markers.BITS) for name in WITH_BITS),
        *((f"mysql-{version}/{name}", Markers.NONE) for version in ("5.6", "9.7") for name in ("xa", "rows-query")),
    ],
)
def test_check_finds_nothing(name: str, markers: Markers, tmp_path: Path) -> None:
    """But for a note on each transaction that ends with ROLLBACK, as WL#2687 has it with STATEMENT."""
    logs = replayed(folder(name), markers=markers).write(tmp_path)[:-1]
    result = real("check", "--ignore=E001", "--index", str(tmp_path / f"{logs[0].stem}.index"))
    assert (result.status, result.err) == (ExitStatus.OK, "")
    assert result.out.startswith(b"No findings in ")


def test_xa_rollback_ends_the_group_of_a_transaction_that_was_not_prepared(tmp_path: Path) -> None:
    """As a real server logs it; what is inferred of its log is what the model marks."""
    text = """
    -- server: version=9.7 format=STATEMENT gtid=off enforce_gtid_consistency=off end=rotate
    con1: CREATE TABLE t (a INT PRIMARY KEY) ENGINE=InnoDB;
    con1: CREATE TABLE n (a INT PRIMARY KEY) ENGINE=MyISAM;
    con1: XA START 'x';
    con1: INSERT INTO t VALUES (1);
    con1: INSERT INTO n VALUES (2);
    con1: XA END 'x';
    con1: XA ROLLBACK 'x';
    con1: INSERT INTO t VALUES (3);
    """
    real_log = TESTDATA / "more" / "xa-rollback-idle" / "binlog.000001"
    inferred = [(event.type_name, event.boundary) for event in pybinlog.open(real_log)]
    (log, _) = simulate("-- server: markers=on\n" + text).write(tmp_path)
    assert [(event.type_name, event.boundary) for event in pybinlog.open(log)] == inferred
    assert inferred[13] == ("Query", BoundaryType.END_TRANSACTION)
    checked = real("check", "--ignore=E001", str(real_log))
    assert (checked.status, checked.err) == (ExitStatus.OK, "")
    assert checked.out.startswith(b"No findings in ")


@pytest.mark.parametrize("name", WITH_BITS)
def test_clearing_and_inferring_gives_the_bits_that_the_server_wrote(name: str, tmp_path: Path) -> None:
    logs = replayed(folder(name), markers=Markers.BITS).write(tmp_path)[:-1]
    for log in logs:
        written = [(event.starts, event.ends) for event in pybinlog.open(log)]
        assert not any(event.bits_inferred or event.inferred for event in pybinlog.open(log))
        cleared = tmp_path / "cleared"
        assert real("tag", "--clear", "--force", str(log), "-o", str(cleared)).status is ExitStatus.OK
        events = list(pybinlog.open(cleared))
        assert [(event.starts, event.ends) for event in events] == written
        assert {event.bits_inferred for event in events} == {True}


def test_statement_bits_where_no_gtid_goes_before(tmp_path: Path) -> None:
    text = """
    -- server: version=5.6 format=STATEMENT rows_query=on markers=bits
    con1: CREATE TABLE t (a INT PRIMARY KEY AUTO_INCREMENT, b DOUBLE);
    con1: INSERT INTO t (b) VALUES (RAND());
    con1: SET @x = 1, binlog_format = ROW;
    con1: UPDATE t SET b = @x;
    """
    (log, _) = simulate(text).write(tmp_path)
    assert [(event.type_name, event.starts.printed_name, event.ends.printed_name) for event in pybinlog.open(log)] == [
        ("Format_desc", "No_start", "No_end"),
        ("Query", "Transaction_start", "Transaction_commit"),
        ("Query", "Transaction_start", "Transaction_commit"),
        ("Query", "Transaction_start", "Statement_end"),
        ("Intvar", "Statement_start", "No_end"),
        ("RAND", "No_start", "No_end"),
        ("Query", "No_start", "Statement_end"),
        ("Xid", "No_start", "Transaction_commit"),
        ("Query", "Transaction_start", "Statement_end"),
        ("Rows_query", "Statement_start", "No_end"),
        ("Table_map", "No_start", "No_end"),
        ("Update_rows", "No_start", "Statement_end"),
        ("Xid", "No_start", "Transaction_commit"),
        ("Stop", "No_start", "No_end"),
    ]
