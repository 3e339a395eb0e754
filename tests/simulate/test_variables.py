"""SET, as far as it shows in the log."""

import pytest

from pybinlog.layout import StatusVar
from pybinlog.simulate import ScenarioError, simulate
from tests.simulate.facts import events

TABLE = "con1: CREATE TABLE t (a INT PRIMARY KEY AUTO_INCREMENT, b VARCHAR(20), c DATETIME(6));\n"


def logged(statement: str, then: str = "INSERT INTO t (b) VALUES ('x')") -> dict[str, object]:
    """The status variables of a statement after a SET, with STATEMENT."""
    result = simulate(f"-- server: format=STATEMENT\n{TABLE}con1: {statement};\ncon1: {then};\n")
    body = [event.body for event in events(result.files["binlog.000001"]) if "query" in event.body][-1]
    return {StatusVar(var.code).name: var.value for var in body.status_vars}


@pytest.mark.parametrize(
    ("statement", "name", "value"),
    [
        (
            "SET auto_increment_increment = 10, auto_increment_offset = 3",
            "AUTO_INCREMENT",
            {"increment": 10, "offset": 3},
        ),
        ("SET auto_increment_increment = 65534", "AUTO_INCREMENT", {"increment": 65534, "offset": 1}),
        ("SET auto_increment_increment = 65536", "AUTO_INCREMENT", {"increment": 65535, "offset": 1}),
        (
            "SET auto_increment_increment = 0, auto_increment_offset = 2",
            "AUTO_INCREMENT",
            {"increment": 1, "offset": 2},
        ),
        ("SET foreign_key_checks = 0", "FLAGS2", 1 << 26),
        ("SET unique_checks = OFF, foreign_key_checks = OFF", "FLAGS2", 3 << 26),
        ("SET sql_mode = ''", "SQL_MODE", 0),
        ("SET sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'", "SQL_MODE", 1 << 20 | 4),
        (
            "SET NAMES latin1",
            "CHARSET",
            {"character_set_client": 8, "collation_connection": 8, "collation_server": 255},
        ),
    ],
)
def test_a_variable_that_query_events_carry(statement: str, name: str, value: object) -> None:
    found = logged(statement)[name]
    assert {k: v for k, v in found.items() if k != "_io"} == value if isinstance(found, dict) else found == value


def test_the_time_of_a_statement_can_be_set() -> None:
    found = logged("SET timestamp = 1234567890.25, time_zone = '+05:30'", "INSERT INTO t (c) VALUES (NOW(6))")
    assert (found["TIME_ZONE"], found["MICROSECONDS"]) == ("+05:30", 250000)


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("SET NAMES klingon", 1115),
        ("SET NAMES utf8mb4 COLLATE none_ci", 1273),
        ("SET collation_connection = none_ci", 1273),
        ("SET NAMES utf16", 1231),
        ("SET time_zone = 'Mars/Olympus'", 1298),
        ("SET timestamp = 99999999999", 1231),
        ("SET timestamp = soon", 1232),
        ("SET binlog_format = SOMETIMES", 1231),
        ("SET autocommit = 2", 1231),
        ("SET sql_mode = 'NICE'", 1231),
        ("SET binlog_row_image = SMALL", 1231),
    ],
)
def test_wrong_values_fail_as_on_a_server(statement: str, number: int) -> None:
    simulate(f"{TABLE}-- !error {number}\ncon1: {statement};\n")


def test_some_cannot_change_inside_a_transaction() -> None:
    begun = f"{TABLE}con1: BEGIN;\n"
    for number, statement in (
        (1679, "SET binlog_format = ROW"),
        (1685, "SET binlog_direct_non_transactional_updates = ON"),
    ):
        simulate(f"{begun}-- !error {number}\ncon1: {statement};\n")


def test_below_repeatable_read_statements_cannot_be_logged() -> None:
    level = "con1: SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;\n"
    simulate(f"-- server: format=STATEMENT\n{TABLE}{level}-- !error 1665\ncon1: INSERT INTO t (b) VALUES ('x');\n")
    result = simulate(f"-- server: format=MIXED\n{TABLE}{level}con1: INSERT INTO t (b) VALUES ('x');\n")
    assert any("Write_rows" in line for line in result.outline())


def test_variables_that_the_model_does_not_have_are_refused() -> None:
    with pytest.raises(ScenarioError, match="the model has no variable max_binlog_size"):
        simulate("con1: SET SESSION max_binlog_size = 4096;")
    with pytest.raises(ScenarioError, match="the SQL mode TRADITIONAL is not in the model"):
        simulate("con1: SET sql_mode = 'TRADITIONAL';")
    with pytest.raises(ScenarioError, match="SET PERSIST_ONLY binlog_format is not in the model"):
        simulate("con1: SET PERSIST_ONLY binlog_format = ROW;")
    with pytest.raises(ScenarioError, match="SET PERSIST binlog_format is not in the model"):
        simulate("-- server: version=5.6\ncon1: SET PERSIST binlog_format = ROW;")
    with pytest.raises(ScenarioError, match="SET GLOBAL collation_connection is not in the model"):
        simulate("con1: SET GLOBAL collation_connection = utf8mb4_bin;")


INSERTS = "con{0}: INSERT INTO t (b) VALUES ('{1}');\n"


def kinds(text: str) -> list[str]:
    """How the rows of each connection are logged: the connection, then Q for a Rows_query, R for rows, S for a text."""
    found: list[str] = []
    for line in simulate(TABLE + text).outline():
        name, kind, *more = [*line.split(), ""][:3]
        letter = {"Rows_query": "Q", "Write_rows": "R"}.get(kind, "S" if more == ["INSERT"] else "")
        if letter and found and found[-1] == f"{name[3]}Q":
            found[-1] += letter
        elif letter:
            found.append(name[3] + letter)
    return found


def test_a_global_value_is_that_of_connections_that_come_later() -> None:
    text = (
        f"{INSERTS.format(2, 'x')}con1: SET GLOBAL binlog_rows_query_log_events = ON;\n"
        f"con1: SET GLOBAL binlog_format = 'STATEMENT';\n{INSERTS.format(1, 'x')}{INSERTS.format(2, 'x')}"
        f"{INSERTS.format(3, 'x')}con1: SET binlog_rows_query_log_events = DEFAULT;\n{INSERTS.format(1, 'x')}"
        "con1: SET GLOBAL binlog_format = DEFAULT;\n"
        f"{INSERTS.format(4, 'x')}-- !restart\n{INSERTS.format(1, 'x')}"
    )
    assert kinds(text) == ["2R", "1R", "2R", "3S", "1QR", "4QR", "1R"]


def test_a_persisted_value_survives_a_restart() -> None:
    text = (
        "con1: SET PERSIST binlog_rows_query_log_events = ON;\ncon1: SET GLOBAL binlog_format = STATEMENT;\n"
        f"{INSERTS.format(2, 'x')}-- !restart\n{INSERTS.format(2, 'x')}"
        "con2: SET PERSIST binlog_rows_query_log_events = DEFAULT;\n"
        f"{INSERTS.format(3, 'x')}-- !crash\n{INSERTS.format(3, 'x')}"
    )
    assert kinds(text) == ["2S", "2QR", "3R", "3R"]


def test_the_isolation_level_of_later_connections() -> None:
    for statement in (
        "SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED",
        "SET GLOBAL transaction_isolation = 'READ-COMMITTED'",
    ):
        text = f"-- server: format=MIXED\ncon1: {statement};\n{INSERTS.format(1, 'x')}{INSERTS.format(2, 'x')}"
        assert kinds(text) == ["1S", "2R"]


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("SET GLOBAL gtid_next = 'AUTOMATIC'", 1228),
        ("SET GLOBAL timestamp = 5", 1228),
        ("SET GLOBAL insert_id = 5", 1228),
        ("SET GLOBAL binlog_format = SOMETIMES", 1231),
        ("SET sync_binlog = 5", 1229),
        ("SET GLOBAL sync_binlog = often", 1232),
    ],
)
def test_wrong_global_values_fail_as_on_a_server(statement: str, number: int) -> None:
    simulate(f"{TABLE}-- !error {number}\ncon1: {statement};\n")


@pytest.mark.parametrize("value", ["0", "DEFAULT", "0.0", "-1"])
def test_the_clock_runs_again_after_a_time_was_set(value: str) -> None:
    text = f"{TABLE}con1: SET timestamp = 5;\ncon1: SET timestamp = {value};\ncon1: INSERT INTO t (b) VALUES ('x');\n"
    times = [event.header.timestamp for event in events(simulate(text).files["binlog.000001"])]
    assert min(times) > 1_000_000_000


@pytest.mark.parametrize(
    ("before", "statement", "number", "message"),
    [
        ("BEGIN", "SET NAMES utf16", 1231, "Variable 'character_set_client' can't be set to the value of 'utf16'"),
        ("BEGIN", "SET autocommit = 2", 1231, "Variable 'autocommit' can't be set to the value of '2'"),
        ("BEGIN", "SET sql_mode = 'NICE'", 1231, "Variable 'sql_mode' can't be set to the value of 'NICE'"),
        ("BEGIN", "SET insert_id = 'x'", 1232, "Incorrect argument type to variable 'insert_id'"),
        ("BEGIN", "SET time_zone = '+15:00'", 1298, "Unknown or incorrect time zone: '+15:00'"),
        ("BEGIN", "SET timestamp = 2147483648", 1231, "Variable 'timestamp' can't be set to the value of '2147483648'"),
        ("BEGIN", "SET timestamp = 0.5", 1231, "Variable 'timestamp' can't be set to the value of '0.5'"),
        (
            "BEGIN",
            "SET timestamp = 2147483647.5",
            1231,
            "Variable 'timestamp' can't be set to the value of '2147483647.5'",
        ),
        (
            "BEGIN; INSERT INTO t (b) VALUES ('x')",
            "SET binlog_format = ROW",
            1679,
            "Cannot modify @@session.binlog_format inside a transaction",
        ),
        (
            "CREATE TEMPORARY TABLE x (a INT)",
            "SET binlog_format = ROW",
            3745,
            "Changing @@session.binlog_format is disallowed when the session has open temporary table(s). "
            "You could wait until these temporary table(s) are dropped and try again.",
        ),
        (
            "SET autocommit = 0; XA START 'x'",
            "SET autocommit = 1",
            1399,
            "XAER_RMFAIL: The command cannot be executed when global transaction is in the  ACTIVE state",
        ),
    ],
)
def test_the_words_of_a_refused_value(before: str, statement: str, number: int, message: str) -> None:
    lines = "".join(f"con1: {one};\n" for one in before.split("; "))
    result = simulate(f"{TABLE}{lines}-- !error\ncon1: {statement};\n")
    assert [error[1:] for error in result.errors] == [(number, message)]


def test_the_last_time_that_can_be_set() -> None:
    text = f"{TABLE}con1: SET timestamp = 2147483647;\ncon1: INSERT INTO t (b) VALUES ('x');\n"
    times = [event.header.timestamp for event in events(simulate(text).files["binlog.000001"])]
    assert max(times) == 0x7FFFFFFF
