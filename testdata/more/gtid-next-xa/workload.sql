-- GTID_NEXT with XA transactions.
-- !conn con1
CREATE DATABASE test;
USE test;
-- !conn con2
USE test;
-- !conn con1
CREATE TABLE t (a INT PRIMARY KEY, b INT);
CREATE TABLE n (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:11';
XA START 'a';
INSERT INTO t VALUES (11, 1);
XA END 'a';
XA PREPARE 'a';
-- !error 1837
XA COMMIT 'a';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:12';
XA COMMIT 'a';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:13';
XA START 'e';
XA END 'e';
XA PREPARE 'e';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:14';
XA ROLLBACK 'e';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:14';
XA START 'e';
XA END 'e';
XA COMMIT 'e' ONE PHASE;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:15';
XA START 'e';
INSERT INTO t VALUES (16, 1);
XA END 'e';
XA ROLLBACK 'e';
SET GTID_NEXT = 'AUTOMATIC';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:15';
XA START 'e';
INSERT INTO t VALUES (17, 1);
-- !error 1766
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:16';
XA END 'e';
-- !error 1766
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:16';
XA COMMIT 'e' ONE PHASE;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:16';
-- !error 1397
XA COMMIT 'unknown';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:16';
-- !error 1399
XA END 'x';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:16';
XA START 'x';
-- !error 1399
XA START 'y';
-- !error 1778
CREATE TABLE u (a INT);
XA END 'x';
-- !error 1397
XA PREPARE 'y';
XA PREPARE 'x';
-- !conn con2
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:17';
XA COMMIT 'x';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:18';
XA START 'z';
INSERT INTO t VALUES (18, 1);
XA END 'z';
XA PREPARE 'z';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:19';
XA ROLLBACK 'z';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:20';
XA START 'n';
INSERT INTO n VALUES (18, 1);
-- !error 1837
XA END 'n';
-- !error 1837
XA PREPARE 'n';
-- !error 1837
XA ROLLBACK 'n';
-- !error 1766
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:21';
-- !error 1837
XA START 'd';
-- !error 1837
INSERT INTO t VALUES (20, 1);
-- !error 1837
XA END 'd';
-- !disconnect con2
-- !conn con2
USE test;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:21';
XA RECOVER;
INSERT INTO t VALUES (20, 1);
