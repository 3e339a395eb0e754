CREATE DATABASE u; USE u;
CREATE TABLE parent (id INT PRIMARY KEY, name VARCHAR(20));
CREATE TABLE ward (id INT PRIMARY KEY, of_parent INT, FOREIGN KEY (of_parent) REFERENCES parent(id) ON DELETE SET NULL);
CREATE TABLE keyless (a INT, of_parent INT, FOREIGN KEY (of_parent) REFERENCES parent(id) ON DELETE SET NULL);
INSERT INTO parent VALUES (8, 'p'), (9, 'q');
INSERT INTO ward VALUES (7, 8), (6, 8), (5, 9);
INSERT INTO keyless VALUES (1, 8), (1, 8), (2, 8), (3, 9);
DELETE parent, ward FROM parent JOIN ward ON ward.of_parent = parent.id WHERE ward.id = 7;
DELETE parent, keyless FROM parent JOIN keyless ON keyless.of_parent = parent.id WHERE parent.id = 9;
