"""Conditions: what is asked of events by what they do: type, names, operation, thread and server.

To add one: a value here with a `match_` method, and a call in each scope that judges such events (CONTRIBUTING.md, "Add
a filter condition").
"""

import cython

from cython.cimports.libc.stdint import uint8_t
from cython.cimports.pybinlog.kernel.filter.statement_words import statement_operation


@cython.final
@cython.cclass
class Conditions:
    """None (0) stands for "all". `names` is a NameFilter, `types` a set of type bytes, `operations` a sum of INSERTS
    and so on, `threads` and `servers` sets of ids."""

    def __init__(self, *, names=None, types=None, operations: int = 0, threads=None, servers=None, server_id_bits=32):
        self.asks_rows_only = types is None and threads is None and servers is None
        self.everything = self.asks_rows_only and names is None and not operations
        self.names = names
        self.by_type = types is not None
        for kind in types or ():
            self.types[cython.cast(uint8_t, kind)] = True
        self.operations = operations
        self.threads = None if threads is None else frozenset(threads)
        self.servers = None if servers is None else frozenset(servers)
        self.server_id_mask = (1 << server_id_bits) - 1

    def match_type(self, kind):
        return not self.by_type or self.types[kind]

    def match_thread(self, thread_id):
        if self.threads is None:
            return True
        with cython.gil:
            return thread_id in self.threads

    def match_server(self, e):
        if self.servers is None:
            return True
        with cython.gil:
            return (e.server_id & self.server_id_mask) in self.servers

    def match_names(self, database, database_length, table, table_length):
        """`table` is NULL for a statement."""
        return self.names is None or self.names.has(database, database_length, table, table_length)

    def match_operation(self, operation):
        return not self.operations or self.operations & operation != 0

    def match_statement(self, inflated, parts, e, format):
        """Match the names and the operation of a statement."""
        return self.match_names(parts.database, parts.database_length, cython.NULL, 0) and (
            not self.operations or self.operations & statement_operation(inflated, parts, e, format) != 0
        )
