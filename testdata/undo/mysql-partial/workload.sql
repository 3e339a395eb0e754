CREATE DATABASE u; USE u; SET binlog_row_value_options = PARTIAL_JSON;
CREATE TABLE t (id INT PRIMARY KEY, b INT, j JSON, d INT, e INT, f INT, g INT, h INT, i INT);
INSERT INTO t VALUES (1, NULL, '{"k": 1}', 4, 5, 6, 7, 8, NULL);
UPDATE t SET j = JSON_SET(j, '$.k', 2), d = 40;
