CREATE DATABASE b;
USE b;
CREATE TABLE p (id INT PRIMARY KEY, a INT);
CREATE TABLE q (id INT PRIMARY KEY, a INT);
CREATE TABLE r (id INT PRIMARY KEY, a INT);
SET default_storage_engine = MyISAM;
-- MyISAM by the session's default: these ignore their foreign keys
CREATE TABLE before_p (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id) ON DELETE CASCADE);
CREATE TABLE after_q (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES q (id) ON DELETE CASCADE);
CREATE TABLE made_again (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES r (id) ON DELETE CASCADE);
SET default_storage_engine = InnoDB;
INSERT INTO p VALUES (1, 10), (2, 20);
INSERT INTO q VALUES (1, 10), (2, 20);
INSERT INTO r VALUES (1, 10), (2, 20);
INSERT INTO before_p VALUES (1, 1);
INSERT INTO made_again VALUES (1, 1);
-- now a table with its foreign key
DROP TABLE made_again;
CREATE TABLE made_again (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES r (id) ON DELETE CASCADE);
INSERT INTO made_again VALUES (1, 1);
DELETE FROM p WHERE id = 1;
DELETE FROM q WHERE id = 1;
DELETE FROM r WHERE id = 1;
INSERT INTO after_q VALUES (1, 1);
