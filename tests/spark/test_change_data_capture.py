"""The recipe of docs/cdc.md that keeps a copy of a table current, run against a real server."""

import os
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import PROJECT
from tests.server import Server, running

pytest.importorskip("pyspark")

TRANSACTIONS = int(os.environ.get("TRANSACTIONS", "20001"))
RUNS = 3
SCHEMA = "id BIGINT, name STRING, amount DECIMAL(10,2), _op STRING, _sequence STRING"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    arguments = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--binlog-row-metadata=FULL"]
    with running("mysql", "cdc", *arguments, "--max-binlog-size=1M", "--sync-binlog=0") as server:
        yield server


def recipe() -> Any:
    """The function of the page, as it stands there."""
    page = (PROJECT / "docs" / "cdc.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n((?:(?!```).)*?def keep_copy.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # the page is ours
    return names


def workload(chance: random.Random, count: int) -> Iterator[str]:
    """Transactions of one to four changes of few keys: new ones, changes, changed keys, deletes, all of it again."""
    for _ in range(count):
        statements = []
        for _ in range(chance.randint(1, 4)):
            key, other = chance.randint(1, 400), chance.randint(1, 400)
            what = chance.random()
            if what < 0.5:
                amount = chance.randint(0, 10**6) / 100
                statements.append(f"REPLACE INTO shop.account VALUES ({key}, 'n{other}', {amount})")
            elif what < 0.75:
                statements.append(f"UPDATE shop.account SET amount = amount + 1 WHERE id = {key}")
            elif what < 0.85:
                statements.append(f"UPDATE IGNORE shop.account SET id = {other} WHERE id = {key}")
            else:
                statements.append(f"DELETE FROM shop.account WHERE id = {key}")
        yield f"BEGIN; {'; '.join(statements)}; {'ROLLBACK' if chance.random() < 0.1 else 'COMMIT'};"


def test_the_copy_is_the_table_after_restarts(spark: Any, server: Server, tmp_path: Path) -> None:
    server.sql(
        "DROP DATABASE IF EXISTS shop; RESET BINARY LOGS AND GTIDS; "
        "CREATE DATABASE shop; CREATE TABLE shop.account (id INT PRIMARY KEY, name VARCHAR(20), amount DECIMAL(10,2))"
    )
    code, chance = recipe(), random.Random(20)
    copy, logs = str(tmp_path / "copy"), tmp_path / "logs"
    logs.mkdir()

    def follow(stop_in: int | None = None) -> None:
        """Run the stream over what is there; with `stop_in`, fail in that batch after the copy was written."""
        for log in logs.iterdir():
            log.unlink()
        for log in sorted(server.folder().glob("binlog.0*")):
            shutil.copy(log, logs / log.name)
        changes = (
            spark.readStream.format("binlog")
            .options(view="table", table="shop.account", maxLogsPerTrigger="2")
            .schema(SCHEMA)
            .load(str(logs))
        )
        keep = code["keep_copy"]("account", copy, ["id"])

        def apply(batch: Any, number: int) -> None:
            keep(batch, number)
            if number == stop_in:
                raise RuntimeError("the machine is gone")

        query = (
            changes.writeStream.foreachBatch(apply)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination(600)

    for run in range(RUNS):
        server.sql("\n".join(workload(chance, TRANSACTIONS // RUNS)))
        if run:
            with pytest.raises(Exception, match="the machine is gone"):
                follow(stop_in=last_batch(tmp_path) + 1)
        follow()
        wanted = {
            int(key): (name, amount)
            for key, name, amount in (
                line.split("\t") for line in server.sql("SELECT id, name, amount FROM shop.account").splitlines()
            )
        }
        found = {row.id: (row.name, str(row.amount)) for row in spark.table("account").collect()}
        assert found == wanted
        assert len(wanted) > 100
    server.sql("RESET BINARY LOGS AND GTIDS; INSERT INTO shop.account VALUES (1000, 'after the reset', 1)")
    with pytest.raises(Exception, match=r"another one now|is not there any more"):
        follow()


def last_batch(folder: Path) -> int:
    """The number of the last micro-batch that the checkpoint has."""
    return max(int(file.name) for file in (folder / "checkpoint" / "commits").iterdir() if file.name.isdecimal())
