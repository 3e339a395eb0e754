CREATE DATABASE Shop_qzmarkwx_db;
USE Shop_qzmarkwx_db;
CREATE TABLE Orders_qzmarkwx (id INT PRIMARY KEY, qzmarkwx_name VARCHAR(40), `qzmarkwx two words` INT, QZMARKWX_Case INT,
  status VARCHAR(10), a1 INT, INDEX qzmarkwx_idx (qzmarkwx_name), UNIQUE KEY `qzmarkwx``tick` (`qzmarkwx two words`)) ENGINE=InnoDB CHARSET=utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE qzmarkwx_child (id INT PRIMARY KEY, parent_qzmarkwx INT, CONSTRAINT qzmarkwx_fk FOREIGN KEY (parent_qzmarkwx) REFERENCES Orders_qzmarkwx (id));
INSERT INTO Orders_qzmarkwx (id, qzmarkwx_name, `qzmarkwx two words`, qzmarkwx_case, status, a1) VALUES (1, 'qzmarkwx v', 5, 6, 'new', 7), (2, 'b', 6, 6, 'old', 7);
INSERT INTO qzmarkwx_child VALUES (1, 1);
ALTER TABLE Orders_qzmarkwx ADD COLUMN qzmarkwx_more INT DEFAULT 5 AFTER qzmarkwx_name, RENAME INDEX qzmarkwx_idx TO qzmarkwx_idx2;
CREATE VIEW qzmarkwx_view AS SELECT o.qzmarkwx_name AS qzmarkwx_alias, COUNT(*) AS c FROM Orders_qzmarkwx AS o GROUP BY o.qzmarkwx_name;
DELIMITER //
CREATE PROCEDURE qzmarkwx_proc(IN qzmarkwx_arg INT)
BEGIN
  DECLARE qzmarkwx_local INT DEFAULT 3; -- qzmarkwx comment
  qzmarkwx_label: LOOP LEAVE qzmarkwx_label; END LOOP;
  UPDATE Orders_qzmarkwx SET qzmarkwx_more = qzmarkwx_arg + qzmarkwx_local WHERE id = 1;
END//
CREATE FUNCTION qzmarkwx_func(x INT) RETURNS INT DETERMINISTIC RETURN x + 1//
CREATE TRIGGER qzmarkwx_trg BEFORE UPDATE ON Orders_qzmarkwx FOR EACH ROW SET NEW.a1 = OLD.a1 + 1//
CREATE EVENT qzmarkwx_event ON SCHEDULE EVERY 10 YEAR DO DELETE FROM Orders_qzmarkwx WHERE id = -1//
DELIMITER ;
CALL qzmarkwx_proc(4);
SET binlog_format = STATEMENT;
SET @qzmarkwx_var = 5, @`qzmarkwx var` = 'x', @qzmarkwx.dotted = 7;
BEGIN;
INSERT INTO Orders_qzmarkwx (id, qzmarkwx_name, a1) VALUES (3, CONCAT('qz', @`qzmarkwx var`), @qzmarkwx_var + @qzmarkwx.dotted);
SAVEPOINT qzmarkwx_sp;
UPDATE Shop_qzmarkwx_db.Orders_qzmarkwx AS qzmarkwx_al SET qzmarkwx_al.a1 = qzmarkwx_func(qzmarkwx_al.a1) WHERE qzmarkwx_al.id = 1;
ROLLBACK TO SAVEPOINT qzmarkwx_sp;
COMMIT;
DELETE /*+ NO_INDEX(qzmarkwx_child qzmarkwx_fk) */ FROM qzmarkwx_child WHERE parent_qzmarkwx = 1;
SET binlog_format = ROW;
UPDATE Orders_qzmarkwx SET qzmarkwx_name = UPPER(qzmarkwx_name), status = 'qzmarkwx' WHERE id < 3;
CREATE TABLE `größe_qzmarkwx` (id INT PRIMARY KEY, `日本` INT);
INSERT INTO `größe_qzmarkwx` VALUES (1, 2);
RENAME TABLE qzmarkwx_child TO qzmarkwx_child2;
CREATE DATABASE qzmarkwx2;
CREATE TABLE qzmarkwx2.t_qzmarkwx LIKE Orders_qzmarkwx;
INSERT INTO qzmarkwx2.t_qzmarkwx SELECT * FROM Orders_qzmarkwx WHERE id < 3;
DROP TABLE qzmarkwx2.t_qzmarkwx, `größe_qzmarkwx`;
DROP DATABASE qzmarkwx2;
FLUSH BINARY LOGS;
