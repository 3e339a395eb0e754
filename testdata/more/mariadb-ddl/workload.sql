CREATE DATABASE d;
USE d;
CREATE TABLE a (i INT PRIMARY KEY, b VARCHAR(100)) ENGINE=InnoDB;
INSERT INTO a VALUES (1, 'y'), (2, 'y');
SET SESSION binlog_alter_two_phase = 1;
ALTER TABLE a ADD COLUMN c INT, ALGORITHM=INPLACE;
ALTER TABLE a ADD UNIQUE KEY (b), ALGORITHM=COPY; -- fails, after its START ALTER
SET NAMES utf8mb4 COLLATE utf8mb4_uca1400_german2_as_cs;
SET @v = 'ab', @w = _utf8mb3'x' COLLATE utf8mb3_general_nopad_ci, @x = _latin1'x' COLLATE latin1_nopad_bin,
  @y = _utf8mb4'y' COLLATE utf8mb4_croatian_ci, @z = _utf8mb4'y' COLLATE utf8mb4_croatian_mysql561_ci,
  @t = _utf8mb4'y' COLLATE utf8mb4_thai_520_w2, @u = _utf16 X'0079' COLLATE utf16_uca1400_vietnamese_nopad_as_cs;
SET SESSION binlog_format = STATEMENT;
INSERT INTO a (i, b) VALUES (3, @v), (4, @w), (5, @x), (6, @y), (7, @z), (8, @t), (9, @u);
SET SESSION character_set_collations = 'latin1=latin1_german1_ci,utf8mb4=utf8mb4_uca1400_as_cs';
CREATE TABLE u (a VARCHAR(10)) CHARSET latin1;
SET SESSION character_set_collations = '';
CREATE TABLE v (a VARCHAR(10)) CHARSET latin1;
FLUSH BINARY LOGS;
