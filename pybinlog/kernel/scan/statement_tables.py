"""StatementTables: the tables that statements are about, and whether they change rows.

The quick way reads the common forms of INSERT, REPLACE, UPDATE, DELETE and LOAD DATA of one table. Python reads all
other statements, one of each shape.
"""

import cython

from cython.cimports.pybinlog.kernel.base.memory import LOOK_AFTER, PyBytes_FromStringAndSize, raise_interrupt
from cython.cimports.pybinlog.kernel.base.memory import is_interrupted, memchr, set_bytes, until_look
from cython.cimports.pybinlog.kernel.scan.classify import leading_spaces
from cython.cimports.pybinlog.kernel.scan.operation import CHANGES_NOTHING, DEFINES, DELETES, INSERTS, UPDATES
from cython.cimports.pybinlog.kernel.scan.operation import is_of_word, is_word, next_word, skip_token, skip_word
from cython.cimports.pybinlog.kernel.scan.operation import text_operation
from cython.cimports.pybinlog.kernel.scan.statement_shape import ANSI_QUOTES, NO_BACKSLASH_ESCAPES, put_shape

MOST_SHAPES = cython.declare(cython.size_t, 33554432)  # bytes
SHAPE_OVERHEAD = cython.declare(cython.size_t, 1000)  # of an entry, beside its shape
BANG = cython.declare(cython.int, 33)


def runs_comments(query: cython.pointer(cython.const[Query])) -> cython.bint:
    """Return True if a statement contains /*! or MariaDB's /*M!, the beginnings of comments that servers run."""
    at: octets = cython.cast(octets, query.text)
    end: octets = at + query.length
    look: octets = until_look(at, end)
    while True:
        at = cython.cast(octets, memchr(at, BANG, end - at))
        if at == cython.NULL:
            return False
        left: cython.size_t = at - cython.cast(octets, query.text)
        if left >= 2 and (at - 1)[0] == b"*" and (at - 2)[0] == b"/":
            return True
        if left >= 3 and (at - 1)[0] == b"M" and (at - 2)[0] == b"*" and (at - 3)[0] == b"/":
            return True
        at += 1
        if at >= look:
            if is_interrupted():
                return False
            look = until_look(at, end)


def skip_spaces(at: cython.p_const_char, end: cython.p_const_char) -> cython.p_const_char:
    return at + leading_spaces(at, end - at)


def read_name(
    at: cython.p_const_char,
    end: cython.p_const_char,
    ansi_quotes: cython.bint,
    name: cython.pointer(cython.p_const_char),
    length: cython.pointer(cython.size_t),
) -> cython.p_const_char:
    """Find the name that begins at a place, and return its end; NULL if that takes more than a look at its letters."""
    if at == end:
        return cython.NULL
    quote: cython.char = at[0]
    if quote == b"`" or (quote == b'"' and ansi_quotes):
        at += 1
        name[0] = at
        while at != end and at[0] != quote:
            if at[0] < 0:
                return cython.NULL  # its character set matters
            at += 1
        length[0] = at - name[0]
        if at == end or (end - at > 1 and at[1] == quote):
            return cython.NULL
        at += 1
    else:
        name[0] = at
        while at != end and is_of_word(at[0]):
            if at[0] < 0:
                return cython.NULL
            at += 1
        length[0] = at - name[0]
    return cython.NULL if not 0 < length[0] <= LONGEST_NAME else at


def find_place(
    at: cython.p_const_char, end: cython.p_const_char, operation: cython.int, query: cython.pointer(cython.const[Query])
) -> cython.p_const_char:
    """Return the place of the name of the only table that a statement changes, if it has one of the common forms."""
    letter: cython.char = at[0] | 32
    if operation == DELETES and letter == b"d":
        at = skip_spaces(at + 6, end)
        while is_word(at, end, "IGNORE") or is_word(at, end, "LOW_PRIORITY") or is_word(at, end, "QUICK"):
            at = skip_spaces(skip_word(at, end), end)
        return skip_spaces(at + 4, end) if is_word(at, end, "FROM") else cython.NULL
    if operation == UPDATES and letter == b"u":
        at = skip_spaces(at + 6, end)
        while is_word(at, end, "IGNORE") or is_word(at, end, "LOW_PRIORITY"):
            at = skip_spaces(skip_word(at, end), end)
        return at
    if operation == INSERTS and letter == b"l":
        while at != end:
            if is_word(at, end, "INTO"):
                at = skip_spaces(at + 4, end)
                return skip_spaces(at + 5, end) if is_word(at, end, "TABLE") else cython.NULL
            at = skip_token(at, end, query)
        return cython.NULL
    if operation == INSERTS and (letter == b"i" or letter == b"r"):
        at = skip_spaces(skip_word(at, end), end)
        while (
            is_word(at, end, "IGNORE")
            or is_word(at, end, "LOW_PRIORITY")
            or is_word(at, end, "HIGH_PRIORITY")
            or is_word(at, end, "DELAYED")
        ):
            at = skip_spaces(skip_word(at, end), end)
        return skip_spaces(at + 4, end) if is_word(at, end, "INTO") else at
    return cython.NULL


def find_table(
    found: cython.pointer(TableName),
    query: cython.pointer(cython.const[Query]),
    whole: cython.bint,
    operation: cython.int,
) -> cython.bint:
    """Find the table of a statement of one of the common forms; False for any other.

    Its verb is the first word if it begins with the letter of a verb of its operation: SET STATEMENT and WITH do not.
    """
    end: cython.p_const_char = query.text + query.length
    at: cython.p_const_char = next_word(query.text, end, query)
    if at == end:
        return False
    is_load: cython.bint = at[0] | 32 == b"l"
    ansi_quotes: cython.bint = query.has_sql_mode and query.sql_mode & ANSI_QUOTES != 0
    at = find_place(at, end, operation, query)
    if at == cython.NULL:
        return False
    found.database = query.database
    found.database_length = query.database_length
    at = read_name(at, end, ansi_quotes, cython.address(found.table), cython.address(found.length))
    if at != cython.NULL and at != end and at[0] == b".":
        found.database = found.table
        found.database_length = found.length
        at = read_name(at + 1, end, ansi_quotes, cython.address(found.table), cython.address(found.length))
    if at == cython.NULL or not found.database_length or (at == end and not whole):
        return False
    at = skip_spaces(at, end)
    if operation == UPDATES:
        return is_word(at, end, "SET") != 0
    if operation == DELETES:
        return (
            (at == end and whole)
            or is_word(at, end, "WHERE")
            or is_word(at, end, "LIMIT")
            or is_word(at, end, "ORDER")
            or is_word(at, end, "RETURNING")
        )
    if is_load:
        return at == end or (at[0] != b"." and at[0] != b"/")
    return at != end and (at[0] == b"(" or is_of_word(at[0]))


@cython.final
@cython.cclass
class StatementTables:
    """Judges statements, one after the other.

    `read_statement(text, database, character sets, database's collation, sql_mode, mariadb, server's version)`, the
    first three bytes, returns (operation, tables, tables whose rows change). Tables are pairs of bytes, those whose
    rows change first, and None if they are not known. A pair of a database and None stands for all of its tables.
    """

    def __init__(self, read_statement: object):
        self.read_statement = read_statement
        self.by_shape = {}

    def __dealloc__(self):
        text_free(cython.address(self.shape))
        text_free(cython.address(self.names))

    def judge(self, query: cython.pointer(cython.const[Query]), whole: cython.bint) -> cython.int:
        self.operation = text_operation(query)
        self.known = self.changed_known = True
        self.tables = cython.NULL
        self.count = self.changed = 0
        self.changes_rows = self.operation & (INSERTS | UPDATES | DELETES) != 0
        found: cython.bint = self.changes_rows and find_table(cython.address(self.quick), query, whole, self.operation)
        if query.length > LOOK_AFTER:
            with cython.gil:
                raise_interrupt()
        if self.operation == CHANGES_NOTHING:
            return 0
        if found:
            self.tables = cython.address(self.quick)
            self.count = self.changed = 1
            return 0
        if whole:
            self.ask(query)
            if query.alter_may_be_skipped:
                self.operation = CHANGES_NOTHING  # MariaDB's COMMIT ALTER is the one that alters
            return 0
        self.known = self.changed_known = False
        self.changes_rows = self.operation != DEFINES
        return 0

    def ask(self, query: cython.pointer(cython.const[Query])) -> cython.int:
        """Let Python read the statement, unless it has read one of its shape."""
        modes: uint64_t = query.sql_mode & (ANSI_QUOTES | NO_BACKSLASH_ESCAPES) if query.has_sql_mode else 0
        database: bytes = PyBytes_FromStringAndSize(query.database, query.database_length)
        charset: bytes = None
        if query.has_charset:
            charset = PyBytes_FromStringAndSize(query.charset, 6)
        text: bytes = PyBytes_FromStringAndSize(query.text, query.length)
        self.shape.length = 0
        put_shape(cython.address(self.shape), query.text, query.length, modes)
        # a shape contains no versions, and nothing of MariaDB's
        by_text: cython.bint = runs_comments(query)
        raise_interrupt()
        if self.shape.failed:
            raise MemoryError("no memory for a statement")
        shape: bytes = PyBytes_FromStringAndSize(self.shape.data, self.shape.length)
        if self.shape.capacity > LARGE_VALUE:
            text_free(cython.address(self.shape))
        mariadb: object = True if query.mariadb else False
        key: tuple = (text if by_text else shape, modes, database, charset, mariadb, query.server_version)
        said: tuple = self.by_shape.get(key)
        if said is None:
            mode: uint64_t = query.sql_mode if query.has_sql_mode else 0
            said = self.read_statement(
                text, database, charset, query.collation_database, mode, mariadb, query.server_version
            )
            size: cython.size_t = len(key[0]) + SHAPE_OVERHEAD
            if self.shapes_size + size > MOST_SHAPES:
                self.by_shape.clear()
                self.shapes_size = 0
            self.by_shape[key] = said
            self.shapes_size += size
        return self.keep(said)

    def keep(self, said: tuple) -> cython.int:
        name: TableName
        operation, tables, changed = said
        self.found = said
        self.operation = operation
        self.known = tables is not None
        self.changed_known = changed is not None
        self.changed = len(changed) if changed is not None else 0
        self.changes_rows = changed is None or self.changed != 0
        self.names.length = 0
        for database, table in tables if tables is not None else changed or ():
            database_bytes: bytes = database
            table_bytes: bytes = table
            name.database = database_bytes
            name.database_length = len(database_bytes)
            name.table = cython.NULL
            name.length = 0
            if table_bytes is not None:
                name.table = table_bytes
                name.length = len(table_bytes)
            if name.database_length > LONGEST_NAME or name.length > LONGEST_NAME:
                self.known = self.changed_known = False
            put_memory(cython.address(self.names), cython.address(name), cython.sizeof(TableName))
        if self.names.failed:
            raise MemoryError("no memory for the tables of a statement")
        self.tables = cython.cast(cython.pointer(TableName), self.names.data)
        self.count = self.names.length // cython.sizeof(TableName)
        return 0

    def tables_of(self, text: bytes, database: bytes = b"", sql_mode: cython.ulonglong = 0) -> tuple:
        """Return (operation, tables, tables whose rows change) of a statement; None for tables that are not known."""
        query: Query
        set_bytes(cython.address(query), 0, cython.sizeof(Query))
        query.text = text
        query.length = len(text)
        query.database = database
        query.database_length = len(database)
        query.has_sql_mode = True
        query.sql_mode = sql_mode
        self.judge(cython.address(query), True)
        names = [
            (
                PyBytes_FromStringAndSize(self.tables[i].database, self.tables[i].database_length),
                PyBytes_FromStringAndSize(self.tables[i].table, self.tables[i].length),
            )
            for i in range(self.count)
        ]
        changed = names[: self.changed] if self.changed_known else None
        return self.operation, names if self.known else None, changed
