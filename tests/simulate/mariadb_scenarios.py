"""Scenarios for a real MariaDB 11.8, with each format."""

from __future__ import annotations

__all__ = ["SCENARIOS"]

SCENARIOS = {
    "definitions": """
con1: CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20)) ENGINE=InnoDB;
con1: CREATE TABLE n (a INT AUTO_INCREMENT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: INSERT INTO t VALUES (1, 'x');
con1: INSERT INTO n (b) VALUES (1);
con1: BEGIN;
con1: INSERT INTO t VALUES (2, 'y');
con1: SAVEPOINT s;
con1: UPDATE t SET b = 'z' WHERE a = 1;
con1: ROLLBACK TO s;
con1: INSERT INTO t VALUES (3, 'y');
con1: RELEASE SAVEPOINT s;
con1: COMMIT;
con1: UPDATE t SET b = 'q';
con1: SET @v = 5;
con1: INSERT INTO n (b) VALUES (@v);
con1: DELETE FROM t WHERE a = 1;
con1: UPDATE t, n SET t.b = 5, n.b = 6 WHERE t.a = 2;
con1: INSERT INTO n SELECT a + 10, 7 FROM t;
con1: INSERT INTO t SELECT a + 10, 'n' FROM n;
con1: FLUSH BINARY LOGS;
con1: TRUNCATE t;
con1: ALTER TABLE t ADD COLUMN c INT;
con1: CREATE INDEX i ON t (b);
con1: DROP INDEX i ON t;
con1: RENAME TABLE t TO t2;
con1: CREATE TABLE l LIKE t2;
con1: CREATE TABLE IF NOT EXISTS l (a INT);
con1: DROP TABLE IF EXISTS l, none;
con1: DROP TABLE IF EXISTS none;
con1: DROP TABLE none;
con1: DROP TABLE n, none;
con1: DROP TABLE t2;
""",
    "groups": """
con1: CREATE TABLE t (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: CREATE TABLE t2 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: CREATE TABLE n (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: CREATE TABLE n2 (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: INSERT INTO t VALUES (1,1),(2,2);
con1: INSERT INTO t2 VALUES (1,1),(2,2);
con1: INSERT INTO n VALUES (1,1),(2,2);
con1: INSERT INTO n2 VALUES (1,1),(2,2);
con1: UPDATE t, n SET t.b = 3, n.b = 3 WHERE t.a = n.a;
con1: UPDATE n, t SET t.b = 4, n.b = 4 WHERE t.a = n.a;
con1: UPDATE t, t2 SET t.b = 5, t2.b = 5 WHERE t.a = t2.a;
con1: UPDATE t2, t SET t.b = 6, t2.b = 6 WHERE t.a = t2.a;
con1: UPDATE n2, n SET n.b = 6, n2.b = 6 WHERE n.a = n2.a;
con1: UPDATE n, n2 SET n.b = 7, n2.b = 7 WHERE n.a = n2.a;
con1: UPDATE n, t, n2, t2 SET n.b = 8, n2.b = 8, t.b = 8, t2.b = 8 WHERE n.a = n2.a AND t.a = t2.a AND t.a = n.a;
con1: BEGIN;
con1: UPDATE t, n SET t.b = 13, n.b = 13 WHERE t.a = n.a;
con1: UPDATE n, t SET t.b = 14, n.b = 14 WHERE t.a = n.a;
con1: COMMIT;
con1: BEGIN;
con1: INSERT INTO n VALUES (5, 5);
con1: SAVEPOINT s;
con1: INSERT INTO t VALUES (5, 5);
con1: SAVEPOINT s2;
con1: INSERT INTO n VALUES (6, 5);
con1: INSERT INTO t VALUES (6, 5);
con1: ROLLBACK TO s2;
con1: INSERT INTO t VALUES (7, 5);
con1: ROLLBACK TO s;
con1: INSERT INTO t VALUES (8, 5);
con1: COMMIT;
con1: BEGIN;
con1: INSERT INTO t VALUES (9, 5);
con1: SAVEPOINT s2;
con1: INSERT INTO t VALUES (10, 5);
con1: ROLLBACK TO s2;
con1: ROLLBACK;
con1: DELETE t, n FROM t, n WHERE t.a = n.a AND t.a = 1;
con1: INSERT INTO n VALUES (100, 1), (5, 1);
con1: INSERT INTO t VALUES (100, 1), (5, 1), (5, 1);
con1: UPDATE t SET b = b;
con1: UPDATE t SET b = 4 WHERE a = 1000;
con1: DELETE FROM n WHERE a = 1000;
con1: SET binlog_direct_non_transactional_updates = 1;
con1: BEGIN;
con1: INSERT INTO t VALUES (200, 5);
con1: INSERT INTO n VALUES (200, 5);
con1: ROLLBACK;
con1: BEGIN;
con1: INSERT INTO t VALUES (201, 5);
con1: INSERT INTO n VALUES (201, 5);
con1: COMMIT;
con2: SET NAMES latin1;
con2: INSERT INTO t VALUES (300, 5);
con2: SET autocommit = 0;
con2: INSERT INTO n VALUES (301, 5);
con2: INSERT INTO t VALUES (301, 5);
con2: COMMIT;
con2: SET @s = 'it', @i = 5, @n = NULL, @f = 1.5e0;
con2: INSERT INTO t VALUES (@i + 600, @n), (@f + 700, @n), (CONCAT('80', '1'), @s = 'x');
con2: TRUNCATE t;
con3: SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
con3: INSERT INTO t VALUES (1, 1);
con3: INSERT INTO n SELECT a + 5000, b FROM t;
""",
    "nothing-found": """
con1: CREATE TABLE t (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: CREATE TABLE t2 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB;
con1: CREATE TABLE n (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
con1: INSERT INTO t VALUES (1,1),(2,2),(3,3),(4,4);
con1: INSERT INTO t2 VALUES (1,1),(2,2),(3,3),(4,4);
con1: INSERT INTO n VALUES (1,1),(2,2),(3,3),(4,4);
con1: DELETE t FROM t, n WHERE t.a = n.a AND t.a = 1;
con1: DELETE n FROM t, n WHERE t.a = n.a AND t.a = 2;
con1: DELETE t, t2 FROM t, t2 WHERE t.a = t2.a AND t.a = 2;
con1: DELETE t FROM t WHERE t.a = 3;
con1: DELETE FROM t WHERE t.a = (SELECT MAX(a) FROM n);
con1: UPDATE t SET b = (SELECT MAX(a) FROM n);
con1: DELETE t2 FROM t, t2 WHERE t.a = 999;
con1: INSERT INTO t SELECT a + 50, b FROM n ORDER BY a;
con1: INSERT INTO t SELECT a + 100, b FROM t;
con1: INSERT INTO t SELECT a + 500, b FROM t WHERE a = 9999;
con1: INSERT INTO t2 VALUES (1, 1) ON DUPLICATE KEY UPDATE b = 5;
con1: INSERT INTO t2 VALUES (4, 1) ON DUPLICATE KEY UPDATE b = b;
con1: REPLACE INTO t2 VALUES (4, 1);
con1: DELETE FROM n WHERE a = 123456;
con1: DELETE FROM n;
con1: DELETE FROM n;
con1: UPDATE n SET b = 1;
con1: UPDATE n SET b = 1 WHERE a < 5;
con1: INSERT INTO n SELECT * FROM n;
con1: BEGIN;
con1: DELETE FROM t;
con1: UPDATE t SET b = 1;
con1: COMMIT;
""",
}
