-- GTID_NEXT with tags: which GTIDs are valid, and what AUTOMATIC gives.
-- !conn con1
CREATE DATABASE test;
USE test;
-- !conn con2
USE test;
-- !conn con1
CREATE TABLE t (a INT PRIMARY KEY, b INT);
CREATE TABLE n (a INT PRIMARY KEY, b INT) ENGINE=MyISAM;
SET GTID_NEXT = 'bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb:8';
INSERT INTO t VALUES (1, 1);
SET GTID_NEXT = 'AUTOMATIC';
INSERT INTO t VALUES (2, 1);
-- !conn con2
SET GTID_NEXT = 'bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb:5';
BEGIN;
-- !conn con1
INSERT INTO t VALUES (3, 1);
INSERT INTO t VALUES (4, 1);
INSERT INTO t VALUES (5, 1);
-- !conn con2
ROLLBACK;
-- !conn con1
INSERT INTO t VALUES (6, 1);
INSERT INTO t VALUES (7, 1);
FLUSH BINARY LOGS;
SET GTID_NEXT = 'AUTOMATIC:foo_1';
INSERT INTO t VALUES (21, 1);
SET GTID_NEXT = 'AUTOMATIC: FOO_1 ';
BEGIN;
COMMIT;
INSERT INTO t VALUES (22, 1);
-- !error 1774
SET GTID_NEXT = 'AUTOMATIC:';
-- !error 1774
SET GTID_NEXT = 'AUTOMATIC:1a';
SET GTID_NEXT = 'AUTOMATIC:abcdefghijabcdefghijabcdefghija2';
-- !error 1774
SET GTID_NEXT = 'AUTOMATIC:abcdefghijabcdefghijabcdefghija23';
SET GTID_NEXT = 'automatic:_x';
CREATE TABLE z (a INT);
SET GTID_NEXT = 'auTomatic';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:foo:7';
CREATE TABLE z2 (a INT);
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:7';
COMMIT;
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa: Foo : 7 ';
CREATE TABLE z (a INT);
SET GTID_NEXT = 'bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb:foo_1:4';
INSERT INTO t VALUES (23, 1);
SET GTID_NEXT = 'AUTOMATIC:foo_1';
INSERT INTO t VALUES (24, 1);
INSERT INTO t VALUES (25, 1);
SET GTID_NEXT = DEFAULT;
SET SESSION GTID_NEXT = AUTOMATIC, @x = 2;
-- !error 1774
SET @@SESSION.GTID_NEXT = 'AaaAaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:0009';
COMMIT;
-- !error 1774
SET GTID_NEXT = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:8';
-- !error 1774
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:0';
-- !error 1774
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:8-9';
-- !error 1774
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:9223372036854775807';
SET GTID_NEXT = 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa:9223372036854775806';
COMMIT;
-- !error 1232
SET GTID_NEXT = 1;
-- !error 1774
SET GTID_NEXT = '';
-- !error 1782
SET GTID_NEXT = 'ANONYMOUS';
