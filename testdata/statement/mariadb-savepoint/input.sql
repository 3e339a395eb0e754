-- MariaDB 11.8, MIXED: the last statements of a random history (0-1-1539). The log keeps the savepoint.
BEGIN;
INSERT IGNORE INTO c.w (id, a, s) VALUES (3, 7, 'x');
SAVEPOINT s;
INSERT IGNORE INTO b.p (id, s, a) VALUES (3, NULL, 5);
ROLLBACK TO SAVEPOINT s;
INSERT IGNORE INTO b.p (id, s, a) VALUES (3, '', 2), (7, '', 5);
COMMIT;
