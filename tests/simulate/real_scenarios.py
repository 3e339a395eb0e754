"""Scenarios that were written to try one matter after the other on a real server, with each format."""

from tests.simulate.gtid_scenarios import GTID_SCENARIOS
from tests.simulate.routine_scenarios import ROUTINE_SCENARIOS

RESTARTED = r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE TABLE t (a INT PRIMARY KEY);
con1: CREATE TABLE n (a INT PRIMARY KEY) ENGINE=MyISAM;
con1: CREATE TABLE m (a INT PRIMARY KEY) ENGINE=MEMORY;
con1: INSERT INTO m VALUES (1), (2);
con1: INSERT INTO t VALUES (1);
con1: BEGIN;
con1: INSERT INTO n VALUES (6);
con1: INSERT INTO t VALUES (5);
con2: XA START 'x';
con2: INSERT INTO t VALUES (7);
con2: XA END 'x';
con2: XA PREPARE 'x';
con2: XA START 'empty';
con2: XA END 'empty';
con2: XA PREPARE 'empty';
con2: XA START 'n';
con2: INSERT INTO n VALUES (9);
con2: XA END 'n';
con2: XA PREPARE 'n';
con2: CREATE TEMPORARY TABLE tt (a INT);
con3: XA START 'idle';
con3: INSERT INTO t VALUES (8);
con3: XA END 'idle';
-- !disconnect con2
con2: XA START 'y';
con2: INSERT INTO t VALUES (17);
con2: XA END 'y';
con2: XA PREPARE 'y';
con2: BEGIN;
con2: INSERT INTO t VALUES (18);
-- !restart
con4: XA COMMIT 'empty';
con4: XA COMMIT 'n';
con4: INSERT INTO t VALUES (7);
con4: XA COMMIT 'x';
con4: SELECT * FROM m;
con4: INSERT INTO m VALUES (3);
con4: INSERT INTO t VALUES (20);
con1: XA ROLLBACK 'y';
con1: INSERT INTO t VALUES (17);
con1: XA COMMIT 'idle';
-- !restart
con1: INSERT INTO m SELECT a FROM t;
"""

POWER_LOSS = r"""
con1: CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(100));
con1: CREATE TABLE n (a INT PRIMARY KEY, b VARCHAR(100)) ENGINE=MyISAM;
con1: INSERT INTO t VALUES (1, 'kept');
con1: FLUSH BINARY LOGS;
con1: INSERT INTO n VALUES (1, 'kept');
"""
AFTER = """
con1: SELECT * FROM t;
con1: INSERT INTO t VALUES (2, 'again');
con1: INSERT INTO n VALUES (2, 'again');
con1: FLUSH BINARY LOGS;
con1: INSERT INTO t VALUES (3, 'last');
-- !restart
con1: INSERT INTO t VALUES (4, 'last');
"""
LOST = {
    "xid": f"con1: INSERT INTO t VALUES (2, 'lost');\n-- !crash lost=5{AFTER}",
    "rows": f"con1: INSERT INTO t VALUES (2, 'lost');\n-- !crash lost=45{AFTER}",
    "n": f"con1: INSERT INTO n VALUES (2, 'lost');\n-- !crash lost=45{AFTER}",
    "groups": f"""
con1: INSERT INTO n VALUES (3, 'lost');
con1: INSERT INTO t VALUES (2, 'lost');
con1: INSERT INTO t VALUES (5, 'lost');
-- !crash lost=800{AFTER}""",
    "all": f"con1: INSERT INTO t VALUES (2, 'lost');\n-- !crash lost=520{AFTER}",
    "xid-alone": f"con1: INSERT INTO t VALUES (2, 'x');\n-- !crash lost=31\ncon1: SELECT 1;\n-- !crash lost=1{AFTER}",
    "ddl": f"con1: CREATE TABLE u (a INT);\n-- !crash lost=9{AFTER}con1: INSERT INTO u VALUES (1);",
    "n-ddl": f"con1: CREATE TABLE u (a INT) ENGINE=MyISAM;\n-- !crash lost=9{AFTER}con1: INSERT INTO u VALUES (1);",
    "xa": f"""
con2: XA START 'x';
con2: INSERT INTO t VALUES (7, 'lost');
con2: XA END 'x';
con2: XA PREPARE 'x';
-- !crash lost=9
con1: XA COMMIT 'x';
con2: XA START 'y';
con2: INSERT INTO t VALUES (8, 'lost');
con2: XA END 'y';
con2: XA PREPARE 'y';
con2: XA COMMIT 'y';
-- !crash lost=9
con1: XA COMMIT 'y';
con2: XA START 'z';
con2: INSERT INTO t VALUES (9, 'lost');
con2: XA END 'z';
con2: XA PREPARE 'z';
con2: XA ROLLBACK 'z';
-- !crash lost=9
con1: XA ROLLBACK 'z';{AFTER}""",
    "gtid-next": f"""
con1: SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:7';
con1: COMMIT;
con1: SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:tag:7';
con1: INSERT INTO t VALUES (9, 'lost');
-- !crash lost=300
con1: SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:tag:7';
con1: INSERT INTO t VALUES (9, 'again');
con1: SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:7';
con1: INSERT INTO t VALUES (10, 'again');
con1: SET GTID_NEXT = 'AUTOMATIC';{AFTER}""",
}

SCENARIOS = {
    "create-select": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE TABLE src (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: INSERT INTO src VALUES (1,2),(3,4);
con1: CREATE TABLE n1 ENGINE=MyISAM SELECT * FROM src;
con1: INSERT INTO n1 VALUES (9,9);
con1: CREATE TABLE n2 ENGINE=MyISAM SELECT * FROM src WHERE a > 100;
con1: BEGIN;
con1: INSERT INTO src VALUES (5,6);
con1: CREATE TABLE n3 ENGINE=MyISAM SELECT * FROM src;
con1: INSERT INTO src VALUES (7,6);
con1: COMMIT;
con1: CREATE TABLE IF NOT EXISTS n1 ENGINE=MyISAM SELECT * FROM src;
con1: CREATE TABLE IF NOT EXISTS src SELECT * FROM n1;
con1: INSERT INTO src VALUES (17,6);
con1: SET autocommit = 0;
con1: CREATE TABLE n4 ENGINE=MyISAM SELECT * FROM src;
con1: CREATE TABLE t4 ENGINE=InnoDB SELECT * FROM src;
con1: INSERT INTO src VALUES (27,6);
con1: CREATE TABLE t5 ENGINE=InnoDB SELECT * FROM src WHERE a > 1000;
""",
    "drop-and-update": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: CREATE TABLE t2 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: CREATE TABLE n1 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: CREATE TABLE n2 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: CREATE TABLE n3 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: INSERT INTO t1 VALUES (1,2),(3,4);
con1: INSERT INTO n3 VALUES (1,2),(3,4);
con1: UPDATE t1 SET b = 2 WHERE a = 1;
con1: UPDATE t1 SET b = b WHERE a = 1;
con1: BEGIN;
con1: UPDATE t1 SET b = 2 WHERE a = 1;
con1: COMMIT;
con1: BEGIN;
con1: UPDATE n3 SET b = 9 WHERE a = 1;
con1: UPDATE t1 SET b = 2 WHERE a = 1;
con1: COMMIT;
con1: UPDATE t1, n3 SET t1.b = 2, n3.b = 33 WHERE t1.a = n3.a AND t1.a = 1;
con1: DROP TABLE IF EXISTS x1, n1, t2, x2, n2, x3;
con1: DROP TABLE IF EXISTS x1, x2;
con1: DROP TABLE IF EXISTS x1, n3;
con1: DROP TABLE IF EXISTS nodb.x1, t1;
con1: DROP TABLE IF EXISTS x1;
con1: DROP TABLE x1;
con1: CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: INSERT INTO t1 VALUES (1,2),(3,4);
con1: DROP TABLE t1, x1;
con1: XA START 'a','b',4294967295;
con1: INSERT INTO t1 VALUES (11,2);
con1: XA END 'a','b',4294967295;
con1: XA PREPARE 'a','b',4294967295;
con1: XA COMMIT 'a','b',4294967295;
con1: XA START 'a','b',9223372036854775807;
con1: INSERT INTO t1 VALUES (12,2);
con1: XA END 'a','b',9223372036854775807;
con1: XA PREPARE 'a','b',9223372036854775807;
con1: XA ROLLBACK 'a','b',9223372036854775807;
con1: XA START 0x123;
con1: INSERT INTO t1 VALUES (13,2);
con1: XA END 0x0123;
con1: XA PREPARE 0x123;
con1: XA COMMIT 0x123;
con1: XA START x'123';
""",
    "multi-update": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE TABLE t1 (a INT PRIMARY KEY, b INT, c INT) ENGINE=InnoDB;
con1: CREATE TABLE t2 (a INT PRIMARY KEY, b INT, c INT) ENGINE=InnoDB;
con1: CREATE TABLE n3 (a INT PRIMARY KEY, b INT, c INT) ENGINE=MyISAM;
con1: INSERT INTO t1 VALUES (1,2,0),(3,4,0);
con1: INSERT INTO t2 VALUES (1,2,0),(3,4,0);
con1: INSERT INTO n3 VALUES (1,2,0),(3,4,0);
con1: UPDATE t1, n3 SET t1.b = 2, n3.b = 33 WHERE t1.a = n3.a AND t1.a = 1 /* 1 const*/;
con1: UPDATE t1, n3 SET t1.b = 2, n3.b = 34 WHERE t1.a = n3.a AND n3.a = 1 /* 2 */;
con1: UPDATE t1, n3 SET t1.b = 2, n3.b = 35 WHERE t1.a = n3.a AND t1.c = 0 AND t1.b = 2 /* 3 */;
con1: UPDATE t1, n3 SET t1.c = 0, n3.b = 36 WHERE t1.a = n3.a AND t1.b = 2 /* 4 */;
con1: UPDATE n3, t1 SET t1.c = 0, n3.b = 37 WHERE t1.a = n3.a AND t1.b = 2 /* 5 */;
con1: UPDATE t1, t2 SET t1.c = 0, t2.c = 0 WHERE t1.a = t2.a AND t1.b = 2 /* 6 */;
con1: UPDATE t1, t2 SET t1.c = 0 WHERE t1.a = t2.a /* 7 */;
con1: UPDATE t1, t2 SET t2.c = 0 WHERE t1.a = t2.a /* 8 */;
con1: UPDATE t1, t2 SET t2.c = 0 WHERE t1.a = t2.a AND t2.a = 1 /* 9 */;
con1: UPDATE t1, t2 SET t1.c = 0 WHERE t1.a = 1 AND t2.a = 3 /* 10 */;
con1: UPDATE t1 SET c = 0 WHERE a = 1 /* 11 */;
con1: UPDATE t1 SET c = 0 WHERE b = 2 /* 12 */;
""",
    "temporary": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: CREATE TABLE n1 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: INSERT INTO t1 VALUES (1,2),(3,4);
con1: INSERT INTO n1 VALUES (1,2),(3,4);
con1: CREATE TEMPORARY TABLE tt (a INT PRIMARY KEY, b INT);
con1: INSERT INTO tt VALUES (1,2),(3,4);
con1: INSERT INTO t1 SELECT a+10, b FROM tt;
con1: BEGIN;
con1: INSERT INTO tt VALUES (5,5);
con1: INSERT INTO t1 VALUES (20,5);
con1: CREATE TEMPORARY TABLE nn (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: INSERT INTO nn VALUES (5,5);
con1: INSERT INTO n1 SELECT a+10, b FROM nn;
con1: INSERT INTO nn VALUES (6,5);
con1: ROLLBACK;
con1: BEGIN;
con1: INSERT INTO tt VALUES (7,5);
con1: COMMIT;
con1: BEGIN;
con1: INSERT INTO nn VALUES (7,5);
con1: ROLLBACK;
con1: UPDATE nn SET b = 8;
con1: UPDATE tt SET b = 8;
con1: CREATE TEMPORARY TABLE ts SELECT * FROM t1;
con1: CREATE TEMPORARY TABLE t1 (a INT PRIMARY KEY, c INT);
con1: INSERT INTO t1 VALUES (90,1);
con1: DROP TABLE t1;
con1: INSERT INTO t1 VALUES (91,1);
con1: DROP TEMPORARY TABLE tt;
con1: DROP TABLE IF EXISTS nn, nothere;
con1: CREATE TEMPORARY TABLE tu LIKE n1;
con1: INSERT INTO tu VALUES (3,3);
con1: DROP TEMPORARY TABLE IF EXISTS nothere;
con1: DROP TEMPORARY TABLE nothere;
con1: CREATE TEMPORARY TABLE IF NOT EXISTS tu LIKE n1;
con1: BEGIN;
con1: INSERT INTO t1 VALUES (95,1);
con1: DROP TEMPORARY TABLE tu;
con1: CREATE TEMPORARY TABLE tv SELECT * FROM t1;
con1: INSERT INTO t1 VALUES (96,1);
con1: ROLLBACK;
con1: INSERT INTO n1 SELECT a+50, b FROM tv;
con2: CREATE TEMPORARY TABLE tw SELECT * FROM t1;
-- !disconnect con2
con1: INSERT INTO t1 VALUES (97,1);
""",
    "temporary-in-transactions": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE DATABASE test;
con1: USE test;
con1: CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: CREATE TABLE n1 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: INSERT INTO t1 VALUES (1,2),(3,4);
con1: BEGIN;
con1: CREATE TEMPORARY TABLE x1 (a INT PRIMARY KEY, b INT);
con1: INSERT INTO t1 VALUES (11,2);
con1: COMMIT;
con1: BEGIN;
con1: CREATE TEMPORARY TABLE x2 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: INSERT INTO t1 VALUES (12,2);
con1: ROLLBACK;
con1: BEGIN;
con1: INSERT INTO x1 VALUES (13,2);
con1: ROLLBACK;
con1: BEGIN;
con1: INSERT INTO t1 VALUES (13,2);
con1: INSERT INTO x2 VALUES (13,2);
con1: ROLLBACK;
con1: BEGIN;
con1: INSERT INTO t1 VALUES (13,2);
con1: INSERT INTO x1 VALUES (14,2);
con1: ROLLBACK;
con1: BEGIN;
con1: INSERT INTO x1 SELECT * FROM t1 WHERE a = 1;
con1: INSERT INTO x2 SELECT * FROM t1 WHERE a = 1;
con1: ROLLBACK;
con1: BEGIN;
con1: DROP TEMPORARY TABLE x1;
con1: INSERT INTO n1 VALUES (14,2);
con1: ROLLBACK;
con1: CREATE TEMPORARY TABLE x3 (a INT PRIMARY KEY, b INT);
con1: CREATE TEMPORARY TABLE x4 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: CREATE TEMPORARY TABLE x5 (a INT PRIMARY KEY, b INT);
con1: CREATE DATABASE other;
con1: CREATE TEMPORARY TABLE other.x6 (a INT PRIMARY KEY, b INT);
con1: CREATE TABLE n9 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: CREATE TABLE t9 (a INT PRIMARY KEY, b INT);
con1: DROP TABLE x3, n9, x2, t9;
con1: CREATE TEMPORARY TABLE x4 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: BEGIN;
con1: INSERT INTO t1 VALUES (33,2);
con1: CREATE TEMPORARY TABLE x7 (a INT PRIMARY KEY) SELECT b AS a FROM t1 WHERE a < 13;
con1: COMMIT;
con1: BEGIN;
con1: INSERT INTO t1 VALUES (34,2);
con1: SAVEPOINT s;
con1: CREATE TEMPORARY TABLE x8 (a INT PRIMARY KEY);
con1: ROLLBACK TO s;
con1: COMMIT;
con1: SET binlog_format = ROW;
con1: XA START 'a';
con1: CREATE TEMPORARY TABLE x8 (a INT PRIMARY KEY);
""",
    "temporary-at-the-end": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con2: CREATE TEMPORARY TABLE a1 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
-- !disconnect con2
con3: CREATE TEMPORARY TABLE b1 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con3: CREATE TEMPORARY TABLE b2 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con3: CREATE TEMPORARY TABLE b3 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con3: CREATE TEMPORARY TABLE b4 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con3: BEGIN;
con3: INSERT INTO b1 VALUES (3,3);
con3: INSERT INTO t1 VALUES (3,3);
con3: INSERT INTO b1 VALUES (4,3);
-- !disconnect con3
con4: CREATE TEMPORARY TABLE c2 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con4: BEGIN;
con4: INSERT INTO t1 VALUES (5,3);
-- !disconnect con4
con5: SET @x = 1;
con5: BEGIN;
con5: CREATE TEMPORARY TABLE d1 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con5: DROP TEMPORARY TABLE d1;
con5: CREATE TEMPORARY TABLE d2 SELECT * FROM t1;
con5: INSERT INTO t1 VALUES (6,3);
con5: ROLLBACK;
con5: BEGIN;
con5: CREATE TEMPORARY TABLE d1 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM SELECT 9 a, 3 b;
con5: ROLLBACK;
con5: BEGIN;
con5: CREATE TEMPORARY TABLE d4 (a INT PRIMARY KEY, b INT);
con5: ROLLBACK;
""",
    "temporary-and-xa": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: CREATE TEMPORARY TABLE a1 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: XA START 'a';
con1: INSERT INTO a1 VALUES (1,1);
con1: INSERT INTO t1 SELECT * FROM a1;
con1: DROP TEMPORARY TABLE a1;
con1: XA END 'a';
con1: XA ROLLBACK 'a';
con1: INSERT INTO a1 VALUES (1,1);
con1: SET binlog_format = STATEMENT;
con1: BEGIN;
con1: INSERT INTO t1 VALUES (3,3);
con1: CREATE TEMPORARY TABLE a2 SELECT * FROM t1;
con1: INSERT INTO a2 VALUES (7,7);
con1: ROLLBACK;
con1: SELECT COUNT(*) FROM a2;
con1: CREATE TRIGGER trt AFTER INSERT ON a2 FOR EACH ROW DELETE FROM t1;
con1: INSERT INTO a1 SELECT a, b FROM t1;
con1: INSERT INTO t1 SELECT a+100, b FROM a1;
""",
    "temporary-definitions": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE DATABASE test;
con1: USE test;
con1: CREATE TABLE t (a INT PRIMARY KEY, b INT);
con1: CREATE TABLE n (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: CREATE TEMPORARY TABLE x (a INT PRIMARY KEY, b INT);
con1: CREATE TEMPORARY TABLE y (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: INSERT INTO x VALUES (1,1);
con1: INSERT INTO y VALUES (1,1);
con1: ALTER TABLE x ADD c INT;
con1: ALTER TABLE y ADD c INT, RENAME y2;
con1: ALTER TABLE x ENGINE=MyISAM;
con1: TRUNCATE TABLE x;
con1: TRUNCATE TABLE y2;
con1: CREATE INDEX i ON x (b);
con1: DROP INDEX i ON x;
con1: CREATE INDEX i ON t (b);
con1: BEGIN;
con1: INSERT INTO t VALUES (1,1);
con1: ALTER TABLE x ADD d INT;
con1: BEGIN;
con1: INSERT INTO t VALUES (2,1);
con1: TRUNCATE TABLE x;
con1: INSERT INTO t VALUES (3,1);
con1: ROLLBACK;
con1: BEGIN;
con1: INSERT INTO t VALUES (13,1);
con1: CREATE INDEX i ON x (b);
con1: ROLLBACK;
con1: RENAME TABLE y2 TO y3;
con1: CREATE TEMPORARY TABLE t (a INT);
con1: ALTER TABLE t ADD z INT;
con1: TRUNCATE TABLE t;
con1: CREATE INDEX i ON t (z);
con1: RENAME TABLE t TO tt;
con1: ALTER TABLE t RENAME t2;
con1: ALTER TABLE t2 RENAME n;
con1: INSERT INTO n VALUES (1,2);
con1: SELECT * FROM n;
con1: TRUNCATE n;
con1: XA START 'x';
con1: ALTER TABLE x ADD e INT;
con1: TRUNCATE TABLE x;
con1: XA END 'x';
con1: XA ROLLBACK 'x';
con1: CREATE DATABASE other;
con1: ALTER TABLE x RENAME other.x;
con1: INSERT INTO other.x (a) VALUES (7);
con1: CREATE TEMPORARY TABLE other.z LIKE other.x;
con1: ALTER TABLE other.z RENAME other.x;
con1: DROP TABLE IF EXISTS other.z;
con1: CREATE TRIGGER tr AFTER INSERT ON other.x FOR EACH ROW DELETE FROM t;
con1: ALTER TABLE nothere ADD a INT;
con1: SELECT 1;
con1: DROP DATABASE other;
con1: SELECT * FROM other.x;
con2: CREATE TEMPORARY TABLE test.a1 (a INT);
con2: CREATE TEMPORARY TABLE test.a2 (a INT);
con2: CREATE TEMPORARY TABLE test.a3 (a INT);
con2: CREATE TEMPORARY TABLE test.a4 (a INT) ENGINE=MyISAM;
con2: ALTER TABLE test.a1 ADD b INT;
con2: TRUNCATE TABLE test.a2;
con2: ALTER TABLE test.a3 RENAME test.a5;
con2: ALTER TABLE test.a4 ENGINE=InnoDB;
-- !disconnect con2
con2: CREATE TEMPORARY TABLE test.a1 (a INT);
con2: CREATE TEMPORARY TABLE test.a2 (a INT);
con2: TRUNCATE TABLE test.a1;
-- !disconnect con2
con2: CREATE TEMPORARY TABLE test.a1 (a INT);
con2: CREATE TEMPORARY TABLE test.a2 (a INT);
con2: ALTER TABLE test.a1 RENAME test.a3;
-- !disconnect con2
con2: CREATE TEMPORARY TABLE test.a1 (a INT);
con2: CREATE TEMPORARY TABLE test.a2 (a INT);
con2: CREATE INDEX i ON test.a1 (a);
-- !disconnect con2
""",
    "temporary-without-autocommit": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE DATABASE test;
con1: USE test;
con1: CREATE TABLE t (a INT PRIMARY KEY);
con1: CREATE TABLE n (a INT PRIMARY KEY) ENGINE=MyISAM;
con1: SET autocommit = 0;
con1: CREATE TEMPORARY TABLE y (a INT) ENGINE=MyISAM;
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: DROP TEMPORARY TABLE y;
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: INSERT INTO nothere VALUES (1);
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: CREATE TEMPORARY TABLE y (a INT);
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: CREATE TEMPORARY TABLE y (a INT);
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: CREATE TEMPORARY TABLE IF NOT EXISTS y (a INT);
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: DROP TEMPORARY TABLE IF EXISTS nothere;
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: DROP TEMPORARY TABLE y;
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: CREATE TEMPORARY TABLE y LIKE n;
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: CREATE TEMPORARY TABLE z ENGINE=MyISAM SELECT * FROM n;
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: INSERT INTO y VALUES (1);
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: INSERT INTO n VALUES (1);
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: SELECT * FROM n;
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: SELECT * FROM y;
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con1: CREATE TEMPORARY TABLE v ENGINE=MyISAM SELECT * FROM y;
con1: SET GTID_NEXT = 'AUTOMATIC';
con1: COMMIT;
con2: INSERT INTO test.t VALUES (99);
con1: CREATE TEMPORARY TABLE q1 (a INT);
con2: INSERT INTO test.t VALUES (100);
con1: INSERT INTO test.t VALUES (200);
con2: INSERT INTO test.t VALUES (102);
con1: COMMIT;
con1: SET autocommit=1;
con1: BEGIN;
con1: DROP TEMPORARY TABLE q1;
con2: INSERT INTO test.t VALUES (103);
con1: INSERT INTO test.t VALUES (201);
con1: COMMIT;
con1: BEGIN;
con1: DROP TEMPORARY TABLE IF EXISTS q1;
con2: INSERT INTO test.t VALUES (104);
con1: INSERT INTO test.t VALUES (202);
con1: COMMIT;
con1: BEGIN;
con1: CREATE TEMPORARY TABLE IF NOT EXISTS y (a INT);
con2: INSERT INTO test.t VALUES (105);
con1: INSERT INTO test.t VALUES (203);
con1: COMMIT;
con1: CREATE TEMPORARY TABLE IF NOT EXISTS y (a INT);
con1: SET autocommit = 0;
con1: DROP TEMPORARY TABLE IF EXISTS nothere;
con1: XA START 'x';
""",
    "like-temporary": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE DATABASE test;
con1: CREATE DATABASE other;
con1: USE test;
con1: CREATE TABLE t (a INT PRIMARY KEY);
con1: CREATE TEMPORARY TABLE x (a INT PRIMARY KEY, b VARCHAR(9) DEFAULT 'q') ENGINE=MyISAM;
con1: CREATE TABLE y LIKE x;
con1: CREATE TEMPORARY TABLE z (a INT AUTO_INCREMENT PRIMARY KEY);
con1: INSERT INTO z VALUES (7);
con1: CREATE TABLE y2 LIKE z;
con1: CREATE TABLE IF NOT EXISTS y2 LIKE z;
con1: CREATE TABLE IF NOT EXISTS other.y3 LIKE z;
con1: CREATE TEMPORARY TABLE t LIKE t;
con1: CREATE TABLE y4 LIKE t;
con1: CREATE TABLE t LIKE t;
con1: CREATE TABLE IF NOT EXISTS y2 LIKE y2;
con1: CREATE TABLE IF NOT EXISTS y3 LIKE y3;
""",
    "temporary-and-xa-at-the-end": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE DATABASE test;
con1: USE test;
con1: CREATE TABLE t (a INT PRIMARY KEY);
con1: CREATE TABLE n (a INT PRIMARY KEY) ENGINE=MyISAM;
con2: USE test;
con2: CREATE TEMPORARY TABLE x (a INT);
con2: XA START 'x';
con2: INSERT INTO t VALUES (1);
con2: INSERT INTO n VALUES (1);
con2: CREATE TEMPORARY TABLE y (a INT);
-- !disconnect con2
con2: USE test;
con2: CREATE TEMPORARY TABLE x (a INT);
con2: XA START 'x';
con2: INSERT INTO t VALUES (2);
con2: INSERT INTO n VALUES (2);
con2: INSERT INTO t SELECT * FROM x;
-- !disconnect con2
con2: USE test;
con2: CREATE TEMPORARY TABLE x (a INT);
con2: XA START 'x';
con2: INSERT INTO t VALUES (3);
con2: INSERT INTO n VALUES (3);
con2: DROP TEMPORARY TABLE x;
-- !disconnect con2
""",
    "rename": r"""
con1: CREATE DATABASE test;
con1: USE test;
con1: CREATE DATABASE other;
con1: CREATE TABLE a (a INT);
con1: CREATE TABLE b (a INT);
con1: ALTER TABLE a RENAME other.a;
con1: RENAME TABLE b TO other.b;
con1: CREATE TABLE b (a INT) ENGINE=MyISAM;
con1: ALTER TABLE b RENAME other.c;
con1: RENAME TABLE other.c TO b, b TO c;
""",
    "triggers": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: CREATE TABLE t2 (a INT PRIMARY KEY AUTO_INCREMENT, b INT) ENGINE=InnoDB;
con1: CREATE TABLE n1 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: CREATE TABLE n2 (a INT, b INT) ENGINE=MyISAM;
con1: CREATE TRIGGER tr1 AFTER INSERT ON t1 FOR EACH ROW INSERT INTO n2 VALUES (NEW.a, NEW.b);
con1: INSERT INTO t1 VALUES (1,2),(3,4);
con1: INSERT INTO n1 VALUES (1,2),(3,4);
con1: CREATE TRIGGER tr2 BEFORE UPDATE ON t1 FOR EACH ROW INSERT INTO t2 (b) VALUES (NEW.b);
con1: UPDATE t1 SET b = 9 WHERE a = 1;
con1: UPDATE t1 SET b = 9 WHERE a = 1;
con1: UPDATE t1 SET b = 9 WHERE a = 99;
con1: CREATE TRIGGER tr3 AFTER DELETE ON n1 FOR EACH ROW UPDATE t1 SET b = b + OLD.b WHERE a = OLD.a;
con1: DELETE FROM n1 WHERE a = 1;
con1: DELETE FROM n1;
con1: BEGIN;
con1: INSERT INTO t1 VALUES (5,2),(6,4);
con1: ROLLBACK;
con1: INSERT INTO t1 VALUES (7,2),(1,4);
con1: CREATE TRIGGER tr4 BEFORE INSERT ON t1 FOR EACH ROW DELETE FROM n1 WHERE a = NEW.a;
con1: INSERT INTO n1 VALUES (8,8);
con1: INSERT INTO t1 VALUES (8,8);
con1: REPLACE INTO t1 VALUES (8,9);
con1: INSERT INTO t1 VALUES (8,10) ON DUPLICATE KEY UPDATE b = 11;
con1: CREATE TRIGGER IF NOT EXISTS tr1 AFTER INSERT ON t1 FOR EACH ROW INSERT INTO n2 VALUES (NEW.a, NEW.b);
con1: CREATE TRIGGER tr1 AFTER INSERT ON t1 FOR EACH ROW INSERT INTO n2 VALUES (NEW.a, NEW.b);
con1: DROP TRIGGER tr4;
con1: DROP TRIGGER IF EXISTS tr44;
con1: DROP TRIGGER tr44;
con1: DROP TRIGGER test.tr3;
con1: CREATE TRIGGER tr9 AFTER INSERT ON n2 FOR EACH ROW DELETE FROM t2 WHERE a = NEW.a;
con1: INSERT INTO t1 VALUES (20,10);
con1: TRUNCATE TABLE t1;
con1: INSERT INTO t1 VALUES (20,10);
con1: CREATE TRIGGER trx AFTER INSERT ON t1 FOR EACH ROW INSERT INTO t1 VALUES (1,1);
con1: INSERT INTO t1 VALUES (21,10);
con1: DROP TRIGGER IF EXISTS trx;
con1: DROP TABLE t1;
""",
    "gtid-consistency": r"""
con1: CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: CREATE TABLE n1 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: CREATE TABLE t2 ENGINE=MyISAM SELECT * FROM t1;
con1: CREATE TABLE t3 ENGINE=InnoDB SELECT * FROM t1;
con1: CREATE TABLE t3 ENGINE=MyISAM SELECT * FROM t1;
con1: CREATE TABLE t1 ENGINE=MyISAM SELECT * FROM t1;
con1: CREATE TABLE IF NOT EXISTS t1 ENGINE=MyISAM SELECT * FROM t1;
con1: CREATE TABLE IF NOT EXISTS n1 SELECT * FROM t1;
con1: CREATE TABLE IF NOT EXISTS t5 ENGINE=MyISAM SELECT * FROM nothere;
con1: CREATE TABLE IF NOT EXISTS t7 ENGINE=InnoDB SELECT * FROM t1;
con1: CREATE TEMPORARY TABLE t6 ENGINE=MyISAM SELECT * FROM t1;
con1: BEGIN;
con1: CREATE TEMPORARY TABLE t16 ENGINE=MyISAM SELECT * FROM t1;
con1: INSERT INTO t1 VALUES (4,4);
con1: INSERT INTO t16 VALUES (4,4);
con1: INSERT INTO t16 SELECT * FROM t1;
con1: UPDATE t16,t1 SET t16.b = 4, t1.b = 8;
con1: INSERT INTO n1 VALUES (4,4);
con1: BEGIN;
con1: INSERT INTO n1 VALUES (8,4);
con1: INSERT INTO n1 VALUES (9,4);
con1: INSERT INTO t1 VALUES (9,4);
""",
    "xa-states": r"""
con1: CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: XA START 'p';
con1: INSERT INTO t1 VALUES (1,1);
con1: SAVEPOINT a;
con1: ROLLBACK TO a;
con1: RELEASE SAVEPOINT a;
con1: SAVEPOINT b;
con1: XA END 'p';
con1: SAVEPOINT a;
con1: ROLLBACK TO b;
con1: RELEASE SAVEPOINT b;
con1: SET @x = 1;
con1: SET autocommit = 1;
con1: SET autocommit = 0;
con1: SELECT 1;
con1: SELECT * FROM t1;
con1: DO 1;
con1: SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
con1: XA RECOVER;
con1: FLUSH BINARY LOGS;
con1: SET binlog_format = ROW;
con1: XA START 'p';
con1: XA COMMIT 'zz';
con1: XA PREPARE 'zz';
con1: XA ROLLBACK 'p';
con1: XA ROLLBACK 'zz';
con1: XA END 'zz';
con1: SET autocommit = 0;
con1: SELECT * FROM t1;
con1: XA START 'y';
con1: COMMIT;
con1: XA START 'y';
con1: SET autocommit = 1;
con1: SET autocommit = 0;
con1: DROP TEMPORARY TABLE IF EXISTS nothing;
con1: DROP TABLE IF EXISTS nothing;
con1: FLUSH BINARY LOGS;
con1: TRUNCATE TABLE t1;
con1: XA COMMIT 'y' ONE PHASE;
con1: XA END 'y';
con1: XA COMMIT 'y' ONE PHASE;
""",
    "set-global": r"""
-- server: gtid=off enforce_gtid_consistency=off
con1: CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b INT);
con2: INSERT INTO t (b) VALUES (1);
con1: SET GLOBAL binlog_rows_query_log_events = ON;
con1: SET GLOBAL sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
con1: SET GLOBAL foreign_key_checks = OFF;
con1: SET GLOBAL binlog_row_image = MINIMAL;
con1: SET GLOBAL time_zone = '+05:00';
con1: SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED;
con1: INSERT INTO t (b) VALUES (2);
con2: INSERT INTO t (b) VALUES (3);
con3: INSERT INTO t (b) VALUES (4);
con3: UPDATE t SET b = b + 1;
con1: SET binlog_rows_query_log_events = DEFAULT;
con1: SET GLOBAL unique_checks = OFF;
con1: SET sql_mode = DEFAULT;
con1: INSERT INTO t (b) VALUES (5);
con1: SET GLOBAL gtid_next = 'AUTOMATIC';
con1: SET GLOBAL binlog_format = SOMETIMES;
con1: SET sync_binlog = 1;
con1: BEGIN;
con1: SET GLOBAL binlog_format = STATEMENT;
con1: SET GLOBAL binlog_direct_non_transactional_updates = ON;
con4: SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ;
con4: INSERT INTO t (b) VALUES (7);
con1: COMMIT;
-- !restart
con1: INSERT INTO t (b) VALUES (8);
con1: SET GLOBAL binlog_format = DEFAULT;
con2: INSERT INTO t (b) VALUES (9);
con3: INSERT INTO t (b) VALUES (10);
""",
    "restart": RESTARTED,
    "crash": RESTARTED.replace("-- !restart", "-- !crash"),
    **{f"power-loss-{name}": f"{POWER_LOSS}{rest}" for name, rest in LOST.items()},
    **GTID_SCENARIOS,
    **ROUTINE_SCENARIOS,
}
