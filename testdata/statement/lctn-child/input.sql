-- MariaDB 11.8, lower_case_table_names=1: a table that refers to another gets a new name, in capital letters
CREATE DATABASE b; USE b;
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id));
INSERT INTO p VALUES (1);
RENAME TABLE C TO k;
