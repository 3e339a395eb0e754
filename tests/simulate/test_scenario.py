import pytest

from pybinlog.simulate import BinlogFormat, LogEnd, Scenario, ScenarioError, ServerOptions, simulate
from pybinlog.simulate.scenario import Disconnect, Sleep, Statement
from tests.simulate.replay import folder


def texts(scenario: Scenario) -> list[tuple[str, bytes]]:
    return [(step.connection, step.text) for step in scenario.steps if isinstance(step, Statement)]


def test_a_statement_a_line_with_its_connection() -> None:
    scenario = Scenario.parse("con1: BEGIN;\ncon2: DELETE FROM t;\n\ncon1: COMMIT;\n")
    assert texts(scenario) == [("con1", b"BEGIN"), ("con2", b"DELETE FROM t"), ("con1", b"COMMIT")]
    assert [step.line for step in scenario.steps] == [1, 2, 4]


def test_the_semicolon_may_be_left_out_as_the_worklog_does() -> None:
    scenario = Scenario.parse("con1: BEGIN\ncon1: COMMIT\n\n-- the rest\ncon1: BEGIN")
    assert texts(scenario) == [("con1", b"BEGIN"), ("con1", b"COMMIT"), ("con1", b"BEGIN")]


def test_a_statement_goes_over_lines_up_to_its_end() -> None:
    scenario = Scenario.parse(
        "con1: INSERT INTO t\n  VALUES ('a;\ncon2: b', \"c;\", `d;` /* ; */) -- ;\n;\ncon2: BEGIN"
    )
    assert texts(scenario) == [
        ("con1", b"INSERT INTO t\n  VALUES ('a;\ncon2: b', \"c;\", `d;` /* ; */) -- ;"),
        ("con2", b"BEGIN"),
    ]


def test_lines_that_steer_the_run() -> None:
    scenario = Scenario.parse(
        "BEGIN;\n-- !conn a\nSELECT 1;\n-- !error 1062\nSELECT 2;\n-- !error\nSELECT 3;\n-- !sleep 1.5\n"
        "-- !disconnect a\nCOMMIT;\nSELECT ';';\n"
    )
    assert scenario.steps == [
        Statement(1, "main", b"BEGIN"),
        Statement(3, "a", b"SELECT 1"),
        Statement(5, "a", b"SELECT 2", 1062),
        Statement(7, "a", b"SELECT 3", True),
        Sleep(8, 1_500_000),
        Disconnect(9, "a"),
        Statement(10, "main", b"COMMIT"),
        Statement(11, "main", b"SELECT ';'"),
    ]


def test_statements_keep_their_bytes_whatever_their_character_set() -> None:
    scenario = Scenario.parse(b"SET NAMES latin1;\nINSERT INTO t VALUES ('caf\xe9');\n")
    assert texts(scenario)[1] == ("main", b"INSERT INTO t VALUES ('caf\xe9')")


def test_the_workload_of_a_corpus_folder() -> None:
    workload = (folder("mysql-9.7/xa").folder / "workload.sql").read_bytes()
    scenario = Scenario.parse(workload)
    assert len(texts(scenario)) == workload.count(b";\n")
    assert {name for name, _ in texts(scenario)} == {"main", "a", "b"}
    assert scenario.names_a_database


def test_server_lines_add_up() -> None:
    scenario = Scenario.parse("-- server: version=5.6 format=mixed\n-- server: gtid=on end=rotate time=12.5\nBEGIN;")
    assert scenario.options == ServerOptions(
        version="5.6.24", format=BinlogFormat.MIXED, gtid=True, end=LogEnd.ROTATE, time=12_500_000
    )


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            "BEGIN;\n-- server: version=5.5\n",
            2,
            "version=5.5: the model knows the servers 5.6, 9.7, 11.8 (MariaDB), and stands for",
        ),
        ("-- server: format=ROWS\n", 1, "format=ROWS: this is one of STATEMENT, ROW, MIXED"),
        ("-- server: markers=yes\n", 1, "markers=yes: this is one of off, on, bits"),
        ("-- server: colour=red\n", 1, "'colour=red' is not a setting"),
        ("-- server: time=soon\n", 1, "time=soon: this is a time"),
        ("-- server: server_id=0\n", 1, "server_id=0: this is a whole number from 1 to 4294967295"),
        ("-- server: log_bin=../x\n", 1, "this is the name of the logs"),
        ("BEGIN;\n\n-- !reap a\n", 3, "outside of the model"),
        ("-- !sleep long\n", 1, "not a line that steers"),
        ("con1: SELECT 'a;\n", 1, "the ' is not closed"),
        ("SELECT 1; SELECT /* a;\n", 1, "the comment is not closed"),
        ("-- !crash lost=0\n", 1, "not a line that steers"),
        ("-- !restart lost=5\n", 1, "not a line that steers"),
        ("BEGIN;\n-- !error\n", 3, "-- !error stands before no statement"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario.parse(text, "x.sql")
    assert (caught.value.file, caught.value.line) == ("x.sql", line)
    assert str(caught.value).startswith(f"x.sql, line {line}: ")
    assert said in str(caught.value)


def test_lines_of_mysqltest_steer_a_run() -> None:
    """The example of WL#6860, as it stands there."""
    scenario = Scenario.parse(WL6860)
    assert [step.connection for step in scenario.steps if isinstance(step, (Statement, Disconnect))] == [
        *["first"] * 3,
        "second",
        "first",
        *["any_connection"] * 2,
    ]
    assert isinstance(scenario.steps[4], Disconnect)
    assert texts(scenario)[0] == ("first", b"XA START 'trx'")
    result = simulate(scenario)
    assert result.server.state.xa.prepared == {}


WL6860 = """
  --connection first

   XA START 'trx';
   /* dml operations */
   XA END   'trx';
   XA PREPARE 'trx';  /* => trx got prepared and binlogged */

  --connection second
   SHOW BINLOG EVENT; /* => must display XA START .. XA PREPARE */

  # At this point when either the connection disconnects

  --disconnect first

  # OR
  # the server "disconnects" by crashing or shutdown

  --connection any_connection

   XA RECOVER;         # must display `trx'
   XA COMMIT 'trx';    # must commit trx, be logged as a Query-log-even and
                       # return  OK
"""


def test_with_changes_the_example_is_logged_in_two_rounds() -> None:
    text = "CREATE TABLE t (a INT);\n" + WL6860.replace("/* dml operations */", "INSERT INTO t VALUES (1);")
    for how in ("--disconnect first", "-- !restart", "-- !crash"):
        result = simulate(text.replace("--disconnect first", how))
        assert result.table("test.t") == [(1,)]
        assert [line.split()[-3:] for line in result.outline() if "XA COMMIT" in line] == [
            ["XA", "COMMIT", "X'747278',X'',1"]
        ]
