CREATE DATABASE shop; USE shop;
CREATE TABLE kinds (id INT PRIMARY KEY, i8 TINYINT, i16 SMALLINT, i24 MEDIUMINT, i64 BIGINT, u64 BIGINT UNSIGNED,
  d DECIMAL(30,9), f FLOAT, r DOUBLE, b BIT(33), y YEAR, da DATE, ti TIME(4), dt DATETIME(6), ts TIMESTAMP(3),
  c CHAR(20), v VARCHAR(80), t TEXT, l VARCHAR(40) CHARACTER SET latin1, g VARCHAR(40) CHARACTER SET gbk,
  u VARCHAR(40) CHARACTER SET utf16, u32 VARCHAR(40) CHARACTER SET utf32, le VARCHAR(40) CHARACTER SET utf16le,
  sj VARCHAR(40) CHARACTER SET sjis, gb VARCHAR(40) CHARACTER SET gb18030,
  bi BINARY(16), vb VARBINARY(40), bl BLOB, e ENUM('qzmarkwx one','qzmarkwx two'), s SET('qzmarkwx a','qzmarkwx b','qzmarkwx c'),
  j JSON, p GEOMETRY, ve VECTOR(3)) COMMENT 'qzmarkwx comment';
INSERT INTO kinds VALUES (1987654321, 101, 31987, 8123456, 7766554433221100, 17766554433221100123, -918273645.546372819,
  1234.5678, 91827.364554637e10, b'101010101011110000111100001111000', 2031, '2031-07-19', '13:57:31.9876',
  '2031-07-19 13:57:31.987654', '2031-07-19 13:57:31.987', 'qzmarkwx', 'Qzmarkwx text 1987654321', 'QZMARKWX', 'qzmarkwx é',
  'qzmarkwx 中文', 'qzmarkwx ü', 'qzmarkwx ü', 'qzmarkwx ü', 'qzmarkwx 日本', 'qzmarkwx 中文', 'qzmarkwx', X'00FF717A6D61726B7778', 'qzmarkwx blob',
  'qzmarkwx two', 'qzmarkwx a,qzmarkwx c',
  '{"qzmarkwx": "qzmarkwx", "n": 1987654321, "r": 91827.364554637e10, "deep": [{"qzmarkwx2": [7766554433221100, null, true]}]}',
  ST_GeomFromText('POLYGON((1987.5 13, 27 13, 27 2087.25, 1987.5 13))'), TO_VECTOR('[1234.5678, 2.5, 91.125]'));
INSERT INTO kinds (id) VALUES (2);
UPDATE kinds SET v = 'qzmarkwx again', j = JSON_SET(j, '$.qzmarkwx', 'qzmarkwx new', '$.n', 1987654322) WHERE id = 1987654321;
UPDATE kinds SET j = JSON_SET(j, '$.n', 1987654323) WHERE id = 1987654321;
UPDATE kinds SET j = JSON_REMOVE(j, '$.deep[0].qzmarkwx2') WHERE id = 1987654321;
DELETE FROM kinds WHERE id = 1987654321;
CREATE TABLE old (a INT, s VARCHAR(40) DEFAULT 'qzmarkwx', x INT DEFAULT 1987654321) /* qzmarkwx in a comment */;
CREATE USER 'qzmarkwx'@'qzmarkwx.example' IDENTIFIED BY 'Qzmarkwx pass 1!';
GRANT SELECT ON shop.* TO 'qzmarkwx'@'qzmarkwx.example';
CREATE DEFINER='qzmarkwx'@'qzmarkwx.example' VIEW seen AS SELECT a, 'qzmarkwx' AS m FROM old WHERE a < 1987654321;
SET SESSION binlog_format = STATEMENT;
SET @qz = 'qzmarkwx', @n = 1987654321, @d = 918273645.546372819, @r = 91827.364554637e10;
INSERT INTO old VALUES (1987654321, 'qzmarkwx', 2), (@n, @qz, 3); -- qzmarkwx
INSERT INTO old (a, s) VALUES (@d, @r), (0x717A6D61726B7778 & 1, X'717A6D61726B7778'), (RAND() * 5, "qzmarkwx \"quoted\" it''s");
UPDATE old SET s = CONCAT(_latin1'qzmarkwx', N'qzmarkwx') WHERE a = 1987654321 # qzmarkwx
;
CREATE TABLE au (id INT AUTO_INCREMENT PRIMARY KEY, s TEXT) AUTO_INCREMENT=4711;
INSERT INTO au (s) VALUES ('qzmarkwx');
LOAD DATA INFILE '/tmp/qzmarkwx.txt' INTO TABLE old FIELDS TERMINATED BY ';' (s, a);
SET SESSION binlog_format = ROW;
XA START 'qzmarkwx', 'qzmarkwx2', 7; INSERT INTO old (a) VALUES (1987654321); XA END 'qzmarkwx', 'qzmarkwx2', 7;
XA PREPARE 'qzmarkwx', 'qzmarkwx2', 7; XA COMMIT 'qzmarkwx', 'qzmarkwx2', 7;
SAVEPOINT a;
INSERT INTO old (s) VALUES ('qzmarkwx last');
FLUSH BINARY LOGS;
