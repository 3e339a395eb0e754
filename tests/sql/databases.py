"""Databases of logs for tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pybinlog.catalog import Catalog
from pybinlog.feed.policy import Policy
from pybinlog.feed.span import spans
from pybinlog.views.definitions import CatalogsAlong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.sql.database import Database


def ignore(sentence: str) -> None:
    """Ignore what is said of the logs."""


def database_of(*paths: Path, remark: Callable[[str], object] = ignore, **more: Any) -> Database:
    """Return a database of these logs, which must be closed; skip the test if there is no DuckDB."""
    for package in ("duckdb", "pyarrow"):
        pytest.importorskip(package)
    from pybinlog.sql.database import Database
    from pybinlog.sql.logs import Logs

    wanted = spans(map(str, paths))
    return Database(Logs(wanted, Policy(), lambda: CatalogsAlong(Catalog(), wanted), remark), **more)


def rows_of(database: Database, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query's last result."""
    found: list[tuple[Any, ...]] = []
    for relation in database.results(query):
        found = [tuple(row.values()) for batch in database.batches(relation) for row in batch.to_pylist()]
    return found
