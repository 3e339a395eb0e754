-- MariaDB 11.8
CREATE DATABASE b;
USE b;
CREATE TABLE t (id INT PRIMARY KEY, a INT);
CREATE TABLE u (id INT PRIMARY KEY, a INT NOT NULL, s VARCHAR(9));
INSERT INTO t VALUES (1, 10), (2, 20);
INSERT INTO u VALUES (1, 11, 'x'), (3, 33, 'y');
-- the Table_map of u says that its columns may be NULL
UPDATE t LEFT JOIN u USING (id) SET u.s = 'z';
-- AFTER names a column that is moved later
ALTER TABLE t MODIFY id INT AFTER a, MODIFY a CHAR(4) FIRST, ADD c INT;
INSERT INTO t VALUES ('30', 3, 4);
SET sql_mode = 'ORACLE';
TRUNCATE TABLE u REUSE STORAGE;
SET sql_mode = '';
INSERT INTO u VALUES (4, 44, 'w');
