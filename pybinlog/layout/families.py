"""Every family of events. To import them is to declare their bodies: the package does so before anything is parsed."""

from __future__ import annotations

from pybinlog.layout import mariadb
from pybinlog.layout.control import control, format_description, group_replication
from pybinlog.layout.rows import rows, table_map
from pybinlog.layout.statement import load, old_load, query, rows_query, variable
from pybinlog.layout.transaction import gtid, gtid_tagged, payload, previous_gtids, xa

__all__ = [
    "control",
    "format_description",
    "group_replication",
    "mariadb",
    "rows",
    "table_map",
    "load",
    "old_load",
    "query",
    "rows_query",
    "variable",
    "gtid",
    "gtid_tagged",
    "payload",
    "previous_gtids",
    "xa",
]
