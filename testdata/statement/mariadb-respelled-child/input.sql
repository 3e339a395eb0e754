-- MariaDB 11.8.8, lower_case_table_names=1
CREATE DATABASE shop;
USE shop;
CREATE TABLE customers (id INT PRIMARY KEY);
CREATE TABLE orders (id INT PRIMARY KEY, customer INT,
    CONSTRAINT of_customer FOREIGN KEY (customer) REFERENCES customers (id) ON UPDATE CASCADE);
INSERT INTO customers VALUES (1), (2);
INSERT INTO orders VALUES (1, 1);
ALTER TABLE Orders RENAME TO sales;
UPDATE customers SET id = 3 WHERE id = 1;
FLUSH BINARY LOGS;
