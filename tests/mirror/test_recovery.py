"""Point-in-time recovery from a mirror, step by step as docs/mirror.md has it, on a real MySQL 9.7."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.corpus import PROJECT
from tests.mirror.mirrored import mirrored
from tests.server import REFERENCE, Server, running

GTIDS = ("--gtid-mode=ON", "--enforce-gtid-consistency=ON")
SCHEMA = """
CREATE DATABASE shop;
CREATE TABLE shop.orders (id INT PRIMARY KEY AUTO_INCREMENT, note TEXT, amount DECIMAL(10,2), data JSON);
CREATE TABLE shop.items (order_id INT, name VARCHAR(100), picture BLOB);
INSERT INTO shop.orders (note, amount, data) VALUES ('first', 1.50, '{"a": [1, 2]}'), ('zweite', 2.25, NULL);
INSERT INTO shop.items VALUES (1, 'äöü', x'00FF0A'), (2, NULL, NULL);
"""
LATER = """
INSERT INTO shop.orders (note) VALUES ('after the dump');
UPDATE shop.orders SET amount = amount * 2, data = JSON_OBJECT('id', id) WHERE id = 1;
FLUSH BINARY LOGS;
BEGIN; INSERT INTO shop.orders (note) VALUES ('in the next log'); INSERT INTO shop.items VALUES (4, 'x', x'C0'); COMMIT;
ALTER TABLE shop.items ADD note TEXT;
INSERT INTO shop.items VALUES (4, 'y', NULL, "it's the last");
DELETE FROM shop.items WHERE order_id = 2;
"""
MISTAKE = """
DROP TABLE shop.orders;
INSERT INTO shop.items VALUES (5, 'after the mistake', NULL, NULL);
FLUSH BINARY LOGS;
INSERT INTO shop.items VALUES (6, 'in a later log', NULL, NULL);
"""
ORDERS = "SELECT * FROM shop.orders ORDER BY id"
ITEMS = "SELECT order_id, name, HEX(picture), note FROM shop.items ORDER BY 1, 2"


def pybinlog(*arguments: str) -> str:
    command = [sys.executable, "-m", "pybinlog", *arguments]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=60, check=True).stdout


def dump(server: Server) -> str:
    where = ["--no-defaults", "-uroot", "-S", f"/tmp/{server.name}.sock"]
    what = ["--single-transaction", "--hex-blob", "--source-data=2", "--set-gtid-purged=ON", "--databases", "shop"]
    command = [str(REFERENCE / "mysql97"), "run", "mysqldump", *where, *what]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def test_a_server_is_brought_back_to_just_before_a_dropped_table(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    with mirrored("mysql", *GTIDS) as source:
        source.server.sql(SCHEMA)
        backup = dump(source.server)
        source.server.sql(LATER)
        orders, items = source.server.sql(ORDERS), source.server.sql(ITEMS)
        source.server.sql(MISTAKE)
        later_items = source.server.sql(ITEMS)
        source.server.next_log()
        assert source.once(mirror, "--compress=zstd").returncode == 0
    # the server and its disk are gone; the backup and the mirror are left
    index = f"--index={mirror / 'binlog.index'}"
    columns = "--columns=file,transaction_position,gtid,query"
    events = map(json.loads, pybinlog("export", "--view=events", columns, "-o", "-", index).splitlines())
    (found,) = [event for event in events if "DROP TABLE" in (event["query"] or "")]
    logs = sorted(map(str, mirror.glob("binlog.0*")))
    there = logs.index(found["file"])
    to_before = pybinlog(f"--stop-position={found['transaction_position']}", *logs[: there + 1])
    from_after = pybinlog(
        f"--start-position={found['transaction_position']}", f"--exclude-gtids={found['gtid']}", *logs[there:]
    )
    with running("mysql", "recovered", *GTIDS) as target:
        try:
            target.sql(backup)
            target.sql(to_before)
            assert (target.sql(ORDERS), target.sql(ITEMS)) == (orders, items)
            target.sql(from_after)
            assert (target.sql(ORDERS), target.sql(ITEMS)) == (orders, later_items)
        finally:
            target.remove()
