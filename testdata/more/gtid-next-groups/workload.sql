-- GTID_NEXT: groups of statements, DDL and errors under GTIDs that the client names.
-- !conn con1
CREATE DATABASE test;
USE test;
-- !conn con2
USE test;
-- !conn con1
CREATE TABLE t (a INT PRIMARY KEY, b INT);
CREATE TABLE n (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:1';
INSERT INTO t VALUES (1, 1);
-- !error 1837
INSERT INTO t VALUES (2, 1);
SELECT * FROM t;
SET @x = 1;
DO 1;
BEGIN;
COMMIT;
-- !error 1837
SAVEPOINT a;
-- !error 1837
FLUSH BINARY LOGS;
-- !error 1837
XA START 'x';
-- !error 1837
CREATE TABLE u (a INT);
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:2';
BEGIN;
COMMIT;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:3';
COMMIT;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:4';
ROLLBACK;
-- !error 1837
INSERT INTO t VALUES (4, 1);
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:5';
BEGIN;
INSERT INTO t VALUES (5, 1);
ROLLBACK;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:6';
BEGIN;
INSERT INTO t VALUES (6, 1);
-- !error 1766
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:7';
-- !error 1778
CREATE TABLE u (a INT);
-- !error 1778
BEGIN;
-- !error 1778
FLUSH BINARY LOGS;
-- !error 1062
INSERT INTO t VALUES (6, 2);
SAVEPOINT a;
INSERT INTO t VALUES (7, 1);
ROLLBACK TO a;
COMMIT;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:7';
-- !error 1790
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:8';
-- !error 1837
INSERT INTO t VALUES (8, 1);
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:8';
DELETE FROM t WHERE a = 77;
UPDATE t SET b = 1 WHERE a = 1;
COMMIT;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:9';
-- !error 1062
INSERT INTO t VALUES (1, 1);
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:9';
-- !error 1146
INSERT INTO nothere VALUES (1);
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:9';
-- !error 1774
SET GTID_NEXT = 'foo';
COMMIT;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:9';
FLUSH BINARY LOGS;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:10';
SET autocommit = 0;
INSERT INTO t VALUES (24, 1);
SET autocommit = 1;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:11';
SET autocommit = 0;
DELETE FROM t WHERE a = 999;
-- !error 1766
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:12';
-- !error 1778
CREATE TABLE u (a INT);
SET autocommit = 1;
-- !error 1790
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:12';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:12';
INSERT INTO n VALUES (19, 1);
-- !error 1837
INSERT INTO n VALUES (20, 1);
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:13';
BEGIN;
INSERT INTO n VALUES (21, 1);
-- !error 1837
INSERT INTO n VALUES (22, 1);
-- !error 1837
INSERT INTO t VALUES (22, 1);
COMMIT;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:14';
BEGIN;
INSERT INTO t VALUES (23, 1);
-- !error 1785
INSERT INTO n VALUES (23, 1);
COMMIT;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:15';
-- !error 1785
UPDATE t, n SET t.b = 3, n.b = 3;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:15';
-- !error 1305
RELEASE SAVEPOINT x;
COMMIT;
-- !conn con2
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:16';
INSERT INTO t VALUES (30, 1);
-- !disconnect con2
-- !conn con2
USE test;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:17';
BEGIN;
INSERT INTO t VALUES (31, 1);
-- !disconnect con2
-- !conn con2
USE test;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:18';
CREATE TABLE t2 (a INT);
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:19';
INSERT INTO t VALUES (31, 1);
