"""Conditions: what is asked of events by what they do: type, names, operation, thread and server.

To add one: a value here with a `match_` method, and a call in each scope that judges such events (CONTRIBUTING.md, "Add
a filter condition").
"""

import cython
from cython.cimports.pybinlog.kernel.base.event import CUT_OUT, OTHER_NAMES, RESPELLED, UNCERTAIN
from cython.cimports.pybinlog.kernel.base.key_table import hash_of
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcmp, memcpy
from cython.cimports.pybinlog.kernel.scan.operation import text_operation
from cython.cimports.pybinlog.kernel.scan.query_fields import query_is_transaction_keyword, query_parse_like

MOST_RESPELLED = cython.declare(cython.Py_ssize_t, 10000)


@cython.final
@cython.cclass
class NameFilter:
    """Remembers what `ask_for(database, table)` said of the names that come again and again.

    Both are bytes; `table` is None for a statement whose tables are not known, which is judged by its default database.
    `includes`: an event without a name does not match.
    """

    def __cinit__(self, ask_for: object, includes: cython.bint):
        self.ask_for = ask_for
        self.includes = includes

    def has(
        self,
        database: cython.p_const_char,
        database_length: cython.size_t,
        table: cython.p_const_char,
        table_length: cython.size_t,
    ) -> cython.bint:
        length: cython.size_t = database_length + table_length
        hash: uint64_t = hash_of(length, cython.cast(octets, database), database_length)
        hash = hash_of(hash, cython.cast(octets, table), table_length)
        slot: cython.pointer(KnownName) = cython.address(self.known[hash >> 58])
        if (
            slot.used
            and slot.length == length
            and slot.database_length == database_length
            and slot.has_table == (table != cython.NULL)
            and memcmp(slot.bytes, database, database_length) == 0
            and (table_length == 0 or memcmp(slot.bytes + database_length, table, table_length) == 0)
        ):
            return slot.matches
        with cython.gil:
            found: cython.bint = bool(
                self.ask_for(
                    PyBytes_FromStringAndSize(database, database_length),
                    None if table == cython.NULL else PyBytes_FromStringAndSize(table, table_length),
                )
            )
        if length <= LONGEST_NAMES:
            slot.used = True
            slot.matches = found
            slot.has_table = table != cython.NULL
            slot.database_length = cython.cast(uint32_t, database_length)
            slot.length = cython.cast(uint32_t, length)
            memcpy(slot.bytes, database, database_length)
            if table_length:
                memcpy(slot.bytes + database_length, table, table_length)
        return found


def read_text(
    query: p_Query,
    inflated: InflatedEvent,
    parts: cython.pointer(cython.const[QueryParts]),
    e: p_const_Event,
    format: p_const_Format,
) -> cython.bint:
    """Let `query` have the statement's text, of a compressed one its start; False if that is unreadable."""
    query.text = parts.text
    query.length = parts.length
    if e.type != MARIA_QUERY_COMPRESSED:
        return True
    if not inflated.read_statement(e.data, e.body_end, format):
        return False
    query.text = inflated.text.data
    query.length = inflated.text.length
    return True


def is_frame_word(
    inflated: InflatedEvent, parts: cython.pointer(cython.const[QueryParts]), e: p_const_Event, format: p_const_Format
) -> cython.bint:
    query: Query
    return not read_text(cython.address(query), inflated, parts, e, format) or query_is_transaction_keyword(
        cython.address(query)
    )


@cython.final
@cython.cclass
class Conditions:
    """None (0) stands for "all". `names` is a NameFilter, `types` a set of type bytes, `operations` a sum of INSERTS
    and so on, `threads` and `servers` sets of ids. `read_statement` is as in StatementTables.

    `by_columns`: names are those of a view's columns, so a statement matches by its default database alone. It is
    uncertain if it changes rows of a table that matches. Without `names_statements`, statements about all tables match.
    `spellings` matches names in any case: a statement writes them as its client did.
    """

    def __init__(
        self,
        read_statement: object,
        *,
        names: object = None,
        spellings: object = None,
        types: object = None,
        operations: int = 0,
        threads: object = None,
        servers: object = None,
        server_id_bits: object = 32,
        by_columns: cython.bint = False,
        names_statements: cython.bint = True,
    ):
        self.by_columns = by_columns
        self.names_statements = names_statements
        self.statements = StatementTables(read_statement)
        self.asks_rows_only = types is None and threads is None and servers is None
        self.everything = self.asks_rows_only and names is None and not operations
        self.names = names
        self.spellings = spellings
        self.respelled = {}
        self.by_type = types is not None
        for kind in types or ():
            self.types[cython.cast(uint8_t, kind)] = True
        self.operations = operations
        self.threads = None if threads is None else frozenset(threads)
        self.servers = None if servers is None else frozenset(servers)
        self.server_id_mask = (1 << server_id_bits) - 1

    def match_type(self, kind: uint8_t) -> cython.bint:
        return not self.by_type or self.types[kind]

    def match_thread(self, thread_id: uint32_t) -> cython.bint:
        if self.threads is None:
            return True
        with cython.gil:
            return thread_id in self.threads

    def match_server(self, e: p_const_Event) -> cython.bint:
        if self.servers is None:
            return True
        with cython.gil:
            return (e.server_id & self.server_id_mask) in self.servers

    def match_names(
        self,
        database: cython.p_const_char,
        database_length: cython.size_t,
        table: cython.p_const_char,
        table_length: cython.size_t,
    ) -> cython.bint:
        """`table` is NULL for a statement whose tables are not known."""
        return self.names is None or self.names.has(database, database_length, table, table_length)

    def match_operation(self, operation: cython.int) -> cython.bint:
        return not self.operations or self.operations & operation != 0

    def match_statement(
        self, inflated: InflatedEvent, e: p_const_Event, format: p_const_Format, mark: cython.pointer(uint8_t)
    ) -> cython.bint:
        query: Query
        if self.names is None and not self.operations:
            return True
        if not self.read_statement(inflated, e, format, cython.address(query)):
            return True  # what reads the event says what is wrong
        changes_known: cython.bint = self.statements.changes_rows and self.statements.changed_known
        mark[0] = CUT_OUT if not self.statements.changes_rows else OTHER_NAMES if changes_known else UNCERTAIN
        if not self.match_operation(self.statements.operation):
            return False
        if self.names is None or not self.names_statements:
            return True
        if self.by_columns:
            if changes_known and self.match_tables(self.names, self.statements.changed):
                mark[0] = UNCERTAIN
            elif changes_known and self.match_tables(self.spellings, self.statements.changed):
                mark[0] = RESPELLED
            return self.match_default_database(cython.address(query))
        if not self.statements.known or not self.statements.count:
            return self.match_default_database(cython.address(query))
        if self.match_tables(self.names, self.statements.count):
            return True
        if self.match_tables(self.spellings, self.statements.changed if changes_known else self.statements.count):
            mark[0] = RESPELLED
        return False

    def note_respelled(self) -> cython.int:
        """Count the statement that was judged, of which only the case of names does not match."""
        self.respelled_count += 1
        i: cython.size_t
        for i in range(self.statements.count):
            table = self.statements.tables + i
            if self.spellings.has(table.database, table.database_length, table.table, table.length):
                name = (
                    PyBytes_FromStringAndSize(table.database, table.database_length),
                    PyBytes_FromStringAndSize(table.table, table.length),
                )
                if name in self.respelled or len(self.respelled) < MOST_RESPELLED:
                    self.respelled[name] = self.respelled.get(name, 0) + 1
        return 0

    def read_statement(
        self, inflated: InflatedEvent, e: p_const_Event, format: p_const_Format, query: p_Query
    ) -> cython.bint:
        """Let `statements` judge the statement of an event; False if that cannot be read."""
        whole: cython.bint = True
        if query_parse_like(query, self.last_status, e, format) < 0:
            return False
        if e.type == MARIA_QUERY_COMPRESSED:
            at: cython.size_t = query.text - cython.cast(cython.p_const_char, e.data)
            if not inflated.read_statement(e.data, e.body_end, format):
                return False
            query.text = inflated.text.data
            query.length = inflated.text.length
            whole = query.length < TEXT_ENOUGH
            operation: cython.int = text_operation(query)
            if not whole and not find_table(cython.address(self.statements.quick), query, whole, operation):
                whole = inflated.read(e, at, format, False)
                query.text = inflated.text.data + (at if whole else 0)
                query.length = inflated.text.length - (at if whole else 0)
        self.statements.judge(query, whole)
        return True

    def match_tables(self, names: NameFilter, count: cython.size_t) -> cython.bint:
        """Match the names of the first tables of the statement that was judged."""
        i: cython.size_t
        for i in range(count if names is not None else 0):
            table: cython.pointer(TableName) = self.statements.tables + i
            if names.has(table.database, table.database_length, table.table, table.length):
                return True
        return False

    def match_default_database(self, query: cython.pointer(cython.const[Query])) -> cython.bint:
        if not query.database_length:
            return not self.names.includes
        return self.names.has(query.database, query.database_length, cython.NULL, 0)
