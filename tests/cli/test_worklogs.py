"""docs/worklogs.md, worklog-6860.md and worklog-2687.md: each command gives what the page shows."""

import re
import shutil
from pathlib import Path

import pytest

from tests.corpus import PROJECT, TESTDATA
from tests.shell import output_of

PAGE = (PROJECT / "docs" / "worklogs.md").read_text()
MORE = {number: (PROJECT / "docs" / f"worklog-{number}.md").read_text() for number in (6860, 2687)}
LOGS = {
    "rows-query.000001": "corpus/mysql-9.7/rows-query/binlog.000001",
    "unknown.000001": "unseen/unknown_ignorable/binlog.000001",
    "xa.000001": "corpus/mysql-9.7/xa/binlog.000001",
    "payload.000001": "corpus/mysql-9.7/compression/binlog.000001",
}
SCENARIOS = {
    "rows_query.sql": "-- server: version=9.7 format=ROW\n"
    "con1: CREATE TABLE t (a INT PRIMARY KEY) ENGINE=InnoDB;\n"
    "con1: SET SESSION binlog_rows_query_log_events=ON;\n"
    "con1: INSERT INTO t VALUES (1);\n"
    "con1: SET SESSION binlog_rows_query_log_events=OFF;\n"
    "con1: INSERT INTO t VALUES (2);\n",
    "delayed.sql": "-- server: rows_query=on\n"
    "con1: CREATE TABLE t (a INT);\ncon1: INSERT DELAYED INTO t VALUES (1), (2);\n",
    "marked.sql": "con1: CREATE TABLE t (a INT);\ncon1: INSERT INTO t VALUES (1);\ncon1: BEGIN;\n"
    "con1: INSERT INTO t VALUES (2);\ncon1: COMMIT;\n",
    "interleaved.sql": """con1: CREATE TABLE t (a INT PRIMARY KEY);
DELIMITER //
con1: CREATE PROCEDURE update_data (x INT) BEGIN INSERT INTO t VALUES (x); UPDATE t SET a = a WHERE a = x; END//
DELIMITER ;
con1: SET GTID_NEXT = '11111111-1111-1111-1111-111111111111:1';
con1: XA START 'xid_1';
con1: CALL update_data(1);
con1: XA END 'xid_1';
con1: XA PREPARE 'xid_1';
con1: SET GTID_NEXT = '11111111-1111-1111-1111-111111111111:2';
con1: XA START 'xid_2';
con1: CALL update_data(2);
con1: XA END 'xid_2';
con1: XA PREPARE 'xid_2';
con1: SET GTID_NEXT = '11111111-1111-1111-1111-111111111111:3';
con1: XA COMMIT 'xid_1';
con1: SET GTID_NEXT = '11111111-1111-1111-1111-111111111111:4';
con1: XA COMMIT 'xid_2';
""",
    "handover.sql": """CREATE TABLE t (a INT PRIMARY KEY);
--connection first
XA START 'trx';
INSERT INTO t VALUES (1);
XA END 'trx';
XA PREPARE 'trx';
--connection second
SHOW BINLOG EVENTS;
--disconnect first
--connection any_connection
XA RECOVER;
XA COMMIT 'trx';
""",
    "unchanged.sql": """con1: CREATE TABLE t (a INT PRIMARY KEY);
con1: XA START 'x';
con1: SELECT * FROM t;
con1: XA END 'x';
con1: XA PREPARE 'x';
con1: XA COMMIT 'x';
""",
    "prepared.sql": """con1: CREATE TABLE t (a INT PRIMARY KEY);
con1: XA START 'x';
con1: INSERT INTO t VALUES (1);
con1: XA END 'x';
con1: XA PREPARE 'x';
con2: BEGIN;
con2: INSERT INTO t VALUES (2);
-- !crash
con3: XA COMMIT 'x';
""",
}
BOTH_TABLES = """-- server: version=5.6
con1: CREATE TABLE innodb_t (a INT) ENGINE=InnoDB;
con1: CREATE TABLE myisam_t (a INT) ENGINE=MyISAM;
"""
MIXED_TABLES = BOTH_TABLES.replace("version=5.6", "gtid=off enforce_gtid_consistency=off")
KEYED_TABLES = BOTH_TABLES.replace("INT)", "INT PRIMARY KEY)")
SCENARIOS |= {
    "order.sql": f"""{BOTH_TABLES}con1: BEGIN;
con1: INSERT INTO innodb_t VALUES (1);
con1: INSERT INTO myisam_t VALUES (10);
con2: BEGIN;
con2: DELETE FROM myisam_t;
con2: COMMIT;
con1: COMMIT;
""",
    "switched.sql": f"""{BOTH_TABLES}con1: SET binlog_format = STATEMENT;
con1: BEGIN;
con1: INSERT INTO innodb_t VALUES (1);
con1: INSERT INTO myisam_t VALUES (10);
con2: DELETE FROM myisam_t;
con1: COMMIT;
""",
    "sum.sql": f"""{BOTH_TABLES}con1: BEGIN;
con1: INSERT INTO innodb_t VALUES (1);
con2: INSERT INTO myisam_t VALUES (1);
con1: UPDATE myisam_t SET a = a + 10;
con2: UPDATE myisam_t SET a = a * 10;
con1: COMMIT;
""",
    "causality.sql": f"""{BOTH_TABLES}con1: BEGIN;
con1: INSERT INTO myisam_t VALUES (1);
con1: INSERT INTO myisam_t VALUES (2);
con1: INSERT INTO innodb_t VALUES (1);
con1: UPDATE innodb_t SET a = (SELECT SUM(a) FROM myisam_t);
con1: INSERT INTO myisam_t VALUES (3);
con1: COMMIT;
""",
    "both.sql": f"""{BOTH_TABLES}con1: INSERT INTO innodb_t VALUES (1);
con1: BEGIN;
con1: INSERT INTO innodb_t VALUES (2);
con1: INSERT INTO myisam_t SELECT * FROM innodb_t;
con1: INSERT INTO innodb_t SELECT * FROM myisam_t;
con1: ROLLBACK;
""",
    "failures.sql": f"""{KEYED_TABLES}-- !error 1062
con1: INSERT INTO innodb_t VALUES (1), (1);
-- !error 1062
con1: INSERT INTO myisam_t VALUES (2), (2);
con1: BEGIN;
con1: INSERT INTO innodb_t VALUES (3);
-- !error 1062
con1: INSERT INTO myisam_t VALUES (4), (4);
con1: ROLLBACK;
""",
    "trigger.sql": f"""{BOTH_TABLES}con1: CREATE TRIGGER tr AFTER INSERT ON innodb_t \
FOR EACH ROW INSERT INTO myisam_t VALUES (NEW.a);
con1: INSERT INTO innodb_t VALUES (1);
""",
    "function.sql": f"""{MIXED_TABLES}DELIMITER //
con1: CREATE FUNCTION f (x INT) RETURNS INT DETERMINISTIC BEGIN INSERT INTO myisam_t VALUES (x); RETURN x; END//
DELIMITER ;
con1: INSERT INTO innodb_t VALUES (f(1));
""",
    "procedure.sql": f"""{MIXED_TABLES.replace("-- server: ", "-- server: format=STATEMENT ")}DELIMITER //
con1: CREATE PROCEDURE p (x INT) BEGIN INSERT INTO innodb_t VALUES (x); INSERT INTO myisam_t VALUES (x); END//
DELIMITER ;
con1: BEGIN;
con1: CALL p(1);
con1: COMMIT;
""",
    "implicit.sql": f"""{BOTH_TABLES}con1: SET autocommit = 0;
con1: INSERT INTO innodb_t VALUES (1);
con1: CREATE TABLE t2 (a INT);
con1: CREATE TABLE t3 SELECT * FROM innodb_t;
""",
    "synchronized.sql": f"""{BOTH_TABLES.replace("-- server: ", "-- server: sync_binlog=5 ")}
con1: INSERT INTO myisam_t VALUES (1);
con1: INSERT INTO myisam_t VALUES (2);
con1: INSERT INTO myisam_t VALUES (3);
-- !crash
con1: SELECT * FROM myisam_t;
""",
    "crash.sql": f"""{BOTH_TABLES}con1: INSERT INTO myisam_t VALUES (1);
con1: INSERT INTO myisam_t VALUES (2);
-- !crash lost=20
con1: SELECT * FROM myisam_t;
""",
}
"""The scenarios that the pages run."""
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE + "".join(MORE.values()), re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, log in LOGS.items():
        shutil.copy(TESTDATA / log, tmp_path / name)
    for name, text in SCENARIOS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_commands_give_what_the_page_shows(number: int, folder: Path) -> None:
    for command, shown in re.findall(r"^\$ ([^\n]*)\n(.*?)(?=^\$ |\Z)", BLOCKS[number], re.DOTALL | re.MULTILINE):
        found = output_of(command, folder)
        assert found == shown
        assert found


def test_each_worklog_has_its_section() -> None:
    assert re.findall(r"^## (WL#\d+)", PAGE, re.MULTILINE) == ["WL#4033", "WL#4162", "WL#4162", "WL#6860", "WL#2687"]
    assert all(text.startswith(f"# WL#{number}") for number, text in MORE.items())
