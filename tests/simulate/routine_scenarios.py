"""Scenarios with stored procedures and functions, for a real server, with each format."""

TABLES = r"""
DELIMITER //
con1: CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20)) ENGINE=InnoDB//
con1: CREATE TABLE n (a INT) ENGINE=MyISAM//
con1: CREATE TABLE au (id INT AUTO_INCREMENT PRIMARY KEY, v INT)//
con1: CREATE TABLE tt (a INT)//
"""
MIXING = "-- server: gtid=off enforce_gtid_consistency=off\n"
FUNCTIONS = r"""
con1: create  function f (x INT) returns BIGINT UNSIGNED DETERMINISTIC BEGIN INSERT INTO n VALUES (x); RETURN x; END//
con1: CREATE FUNCTION h (x INT) RETURNS tinyint NO SQL BEGIN INSERT INTO tt VALUES (x); RETURN x; END//
con1: CREATE FUNCTION g () RETURNS int deterministic RETURN 3//
con1: CREATE FUNCTION s (x INT UNSIGNED, s varchar(5)) RETURNS varchar(7) reads sql data
  BEGIN INSERT INTO n VALUES (x); RETURN concat(s, x); END//
"""

ROUTINE_SCENARIOS = {
    "procedure": rf"""
{MIXING}{TABLES}
con1: CREATE   PROCEDURE   test.p(IN X INT , `y` VARCHAR(10))   MODIFIES SQL DATA COMMENT 'it''s a \\ "x"'
  BEGIN  INSERT INTO t VALUES (x,y); /* c */ INSERT INTO n (a) VALUES(`x`+x) ; END//
con1: CREATE PROCEDURE IF NOT EXISTS q () SQL SECURITY INVOKER INSERT INTO au (v) VALUES (@u)//
con1: CREATE PROCEDURE u (a INT, b TEXT) UPDATE t SET t.a = a, t.b = b WHERE t.a = a - 1 ORDER BY t.a LIMIT 5//
con1: CREATE PROCEDURE fails (x INT)
  BEGIN INSERT INTO t VALUES (x, ''); INSERT INTO n VALUES (x); INSERT INTO t VALUES (x, ''); DELETE FROM n; END//
con1: CREATE PROCEDURE nothing () BEGIN END//
con1: SET @u = 5//
con1: CALL p(1, 'ab')//
con1: CALL p(-2, NULL)//
con1: CALL p(@u + 2, "it's\\ \r\n\t\0\Z""%")//
con1: CALL p(8, 'toolong for it')//
con1: CALL p(4000000000, 'x')//
con1: CALL q()//
con1: CALL q//
con1: CALL test.q()//
con1: CALL u(8, 'é')//
con1: CALL fails(20)//
con1: CALL nothing()//
con1: BEGIN//
con1: CALL p(30, 'x')//
con1: CALL u(31, 'x')//
con1: CALL fails(40)//
con1: SAVEPOINT s//
con1: CALL p(50, 'x')//
con1: ROLLBACK TO s//
con2: INSERT INTO n VALUES (60)//
con1: COMMIT//
con1: BEGIN//
con1: CALL p(70, 'x')//
con1: ROLLBACK//
con1: SET autocommit = 0//
con1: CALL p(80, 'x')//
con1: CALL q//
con1: COMMIT//
con1: SET autocommit = 1//
con1: SET sql_mode = ''//
con1: CALL p(90, 'text that is too long')//
con1: CREATE PROCEDURE p2 (x TINYINT) INSERT INTO t VALUES (x, 'text that is too long for it')//
con1: SET sql_mode = 'STRICT_TRANS_TABLES'//
con1: CALL p2(91)//
con1: CALL p2(300)//
con1: DROP PROCEDURE p//
con1: DROP PROCEDURE IF EXISTS p//
con1: DROP PROCEDURE p//
con1: CALL p(1)//
con1: CALL q(1)//
con1: CALL elsewhere.q(1)//
con1: CREATE PROCEDURE q() DELETE FROM t//
con1: CREATE PROCEDURE IF NOT EXISTS q() DELETE FROM t//
""",
    "procedure-text": rf"""
-- server: rows_query=on gtid=off enforce_gtid_consistency=off
{TABLES}
con1: CREATE PROCEDURE p (X INT, `y z` INT)
  BEGIN INSERT INTO t VALUES (x , NULL); UPDATE t SET a =  x + 1 WHERE a = x; DELETE FROM t ORDER BY a LIMIT 1; END//
con1: CREATE TRIGGER tr AFTER INSERT ON t FOR EACH ROW
  BEGIN INSERT INTO n VALUES (NEW.a); INSERT INTO tt VALUES (NEW.a + 1); END//
con1: CALL p(1, 2)//
con1: BEGIN//
con1: CALL p(3, 2)//
con1: COMMIT//
con1: CALL p(4, 2)//
con1: CREATE PROCEDURE later (x INT)
  BEGIN DELETE FROM t WHERE a = x LIMIT 1; INSERT INTO t VALUES (x, 'r'); INSERT INTO n VALUES (x); END//
con1: CALL later(10)//
""",
    "procedure-again": rf"""
{MIXING}{TABLES}
con1: CREATE PROCEDURE m (x INT) BEGIN INSERT INTO t VALUES (x, 'm'); INSERT INTO n VALUES (x); END//
con1: BEGIN//
con1: CALL m(11)//
con1: COMMIT//
con1: CALL m(12)//
con2: CALL m(13)//
con1: CREATE PROCEDURE other () DELETE FROM t//
con1: CALL m(14)//
con1: BEGIN//
con1: CALL m(15)//
con1: COMMIT//
con1: CALL m(16)//
con1: DROP PROCEDURE other//
con1: CALL m(17)//
con1: BEGIN//
con1: CALL m(18)//
con1: COMMIT//
con1: ALTER TABLE n ADD COLUMN c INT DEFAULT 5//
con1: ALTER TABLE n DROP COLUMN c//
con1: CALL m(20)//
con1: BEGIN//
con1: CALL m(21)//
con1: COMMIT//
con1: CREATE TRIGGER tr BEFORE INSERT ON tt FOR EACH ROW DELETE FROM n//
con1: CALL m(22)//
""",
    "procedure-xa": rf"""
{TABLES}
con1: CREATE PROCEDURE update_data (x INT) BEGIN INSERT INTO t VALUES (x, ''); UPDATE t SET b = 'new'; END//
con1: XA START 'xid_1'//
con1: CALL update_data(1)//
con1: XA END 'xid_1'//
con1: CALL update_data(1)//
con1: XA PREPARE 'xid_1'//
con1: XA START 'xid_2'//
con1: CALL update_data(2)//
con1: XA END 'xid_2'//
con1: XA PREPARE 'xid_2'//
con1: XA COMMIT 'xid_1'//
con1: XA ROLLBACK 'xid_2'//
con1: SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:1'//
con1: CALL update_data(3)//
con1: CALL update_data(4)//
con1: SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:1'//
con1: CALL update_data(5)//
con1: SET GTID_NEXT = 'AUTOMATIC'//
""",
    "function": rf"""
{MIXING}{TABLES}{FUNCTIONS}
con1: INSERT INTO au (v) VALUES (1),(2),(3)//
con1: SELECT f(1) FROM au//
con1: SELECT f(id) FROM au//
con1: SELECT f(1)//
con1: SELECT s(1, 'a'), s(2, NULL)//
con1: INSERT INTO t SELECT id + 100, f(1) FROM au//
con1: UPDATE au SET v = f(7)//
con1: UPDATE au SET v = f(v + 1)//
con1: INSERT INTO t VALUES (500, h(5)), (600, f(3))//
con1: INSERT INTO t VALUES (700, h(5)), (700, h(6))//
con1: INSERT INTO t VALUES (800, f(5)), (800, f(6))//
con1: INSERT INTO n VALUES (f(1))//
con1: INSERT INTO n VALUES (h(1))//
con1: INSERT INTO tt SELECT f(a) FROM n//
con1: SELECT h(1), h(2)//
con1: SELECT h(1), f(2), h(3)//
con1: SELECT f(2), h(3)//
con1: SELECT h(1000)//
con1: INSERT INTO t VALUES (g() + 900, NULL)//
con1: SELECT g()//
con1: SELECT g(1)//
con1: BEGIN//
con1: SELECT f(20)//
con1: INSERT INTO t VALUES (300, NULL)//
con1: SELECT s(3, 'a')//
con1: SELECT h(3)//
con1: INSERT INTO t VALUES (301, f(4))//
con1: ROLLBACK//
con1: BEGIN//
con1: SELECT f(21), h(21)//
con1: SELECT f(22)//
con1: COMMIT//
con1: CREATE FUNCTION x () RETURNS INT RETURN 1//
con1: CREATE FUNCTION x () RETURNS INT MODIFIES SQL DATA RETURN 1//
con1: CREATE FUNCTION G() RETURNS INT DETERMINISTIC RETURN 4//
con1: CREATE FUNCTION IF NOT EXISTS g() RETURNS INT DETERMINISTIC RETURN 4//
con1: CREATE FUNCTION nr() RETURNS INT DETERMINISTIC BEGIN DELETE FROM t; END//
con1: DROP FUNCTION F//
con1: DROP FUNCTION IF EXISTS f//
con1: DROP FUNCTION f//
""",
    "function-text": rf"""
-- server: rows_query=on gtid=off enforce_gtid_consistency=off
{TABLES}{FUNCTIONS}
con1: INSERT INTO au (v) VALUES (1),(2),(3)//
con1: SELECT f(id) FROM au//
con1: INSERT INTO t SELECT id + 100, f(1) FROM au//
con1: UPDATE au SET v = f(v + 1)//
con1: INSERT INTO t VALUES (500, h(5)), (600, f(3))//
con1: INSERT INTO t VALUES (800, f(5)), (800, f(6))//
con1: SELECT h(1), f(2), h(3)//
""",
}
"""Name -> scenario. Its statements may fail."""
