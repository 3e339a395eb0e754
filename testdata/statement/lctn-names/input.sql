-- MariaDB 11.8, lower_case_table_names=1: tables and a database are made and replaced in capital letters
CREATE DATABASE b;
CREATE DATABASE c;
CREATE TABLE b.T (id INT PRIMARY KEY, a INT, n INT);
CREATE TABLE b.u (id INT PRIMARY KEY, a INT, n INT);
CREATE TABLE c.t (id INT PRIMARY KEY, a INT, n INT);
CREATE OR REPLACE TABLE b.U (id INT PRIMARY KEY, n INT, a INT);
CREATE OR REPLACE DATABASE C;
CREATE TABLE IF NOT EXISTS c.t (id INT PRIMARY KEY, n INT, a INT);
SET binlog_format = ROW;
INSERT INTO b.t VALUES (1, 2, 3);
INSERT INTO b.u VALUES (1, 2, 3);
INSERT INTO c.t VALUES (1, 2, 3);
