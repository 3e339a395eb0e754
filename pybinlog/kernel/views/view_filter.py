# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""ViewFilter: which rows of a view are asked for."""

import cython

from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, memcmp
from cython.cimports.pybinlog.kernel.scan.gtid_fields import GtidFilter
from cython.cimports.pybinlog.kernel.filter.name_filter import NameFilter
from cython.cimports.pybinlog.kernel.views.event_group import NO_TIME

LAST_TIME = cython.declare(int64_t, 0x7FFFFFFFFFFFFFFF)
LAST_POSITION = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)


@cython.cfunc
def kept_names(kept: list, count: cython.size_t) -> cython.pointer(Name):
    """The bytes objects (or None) of the list as C strings; the list keeps them alive."""
    names: cython.pointer(Name) = cython.cast(cython.pointer(Name), calloc(count + 1, cython.sizeof(Name)))
    if names == cython.NULL:
        raise MemoryError("no memory for a filter")
    i: cython.size_t
    for i in range(count):
        if kept[i] is not None:
            names[i].data = cython.cast(bytes, kept[i])
            names[i].length = len(kept[i])
    return names


@cython.cclass
class ViewFilter:
    """Which rows of a view are asked for. None stands for "all".

    Times are microseconds since 1970 UTC, the start among what is asked for, the stop not; so are the positions.
    `types` are type bytes, `databases` names, `tables` pairs of database (None: any) and table, `gtids` and
    `excluded_gtids` GtidFilters, `patterns` a NameFilter, `operations` a sum of INSERTS and so on, `servers` and
    `threads` sets of ids.
    """

    def __cinit__(
        self,
        *,
        start_time=None,
        stop_time=None,
        first_position=None,
        stop_position=None,
        types=None,
        databases=None,
        tables=None,
        gtids: GtidFilter = None,
        excluded_gtids: GtidFilter = None,
        patterns: NameFilter = None,
        operations: cython.int = 0,
        servers=None,
        threads=None,
    ):
        self.gtids = gtids
        self.excluded_gtids = excluded_gtids
        self.patterns = patterns
        self.operations = operations
        self.servers = None if servers is None else frozenset(servers)
        self.threads = None if threads is None else frozenset(threads)
        self.by_time = start_time is not None or stop_time is not None
        self.start_time = -LAST_TIME if start_time is None else start_time
        self.stop_time = LAST_TIME if stop_time is None else stop_time
        self.first_position = 0 if first_position is None else first_position
        self.stop_position = LAST_POSITION if stop_position is None else stop_position
        self.by_type = types is not None
        for kind in types or ():
            self.types[cython.cast(cython.uchar, kind)] = True
        pairs = [] if tables is None else [name for pair in tables for name in pair]
        self.kept = [list(databases or ()), pairs]
        if databases is not None:
            self.database_count = len(self.kept[0])
            self.databases = kept_names(self.kept[0], self.database_count)
        if tables is not None:
            self.table_count = len(pairs) // 2
            self.tables = kept_names(pairs, len(pairs))

    def __dealloc__(self):
        free(self.databases)
        free(self.tables)

    def has_time(self, time):
        return not self.by_time or (time != NO_TIME and self.start_time <= time < self.stop_time)

    def has_position(self, position):
        return self.first_position <= position < self.stop_position

    def has_gtid(self, gtid):
        if self.excluded_gtids is not None and not gtid.anonymous and self.excluded_gtids.contains(gtid):
            return False
        return self.gtids is None or (not gtid.anonymous and self.gtids.contains(gtid))

    def has_ids(self, server_id, thread_id):
        with cython.gil:
            return (self.servers is None or server_id in self.servers) and (
                self.threads is None or thread_id in self.threads
            )

    def has_names(self, database, table):
        i: cython.size_t
        found: cython.bint
        if self.databases != cython.NULL:
            found = False
            for i in range(self.database_count):
                if database.data != cython.NULL and same(database, cython.address(self.databases[i])):
                    found = True
                    break
            if not found:
                return False
        if self.patterns is not None:
            if database.data == cython.NULL:
                if self.patterns.includes:
                    return False
            elif not self.patterns.has(database.data, database.length, table.data, table.length):
                return False
        if self.tables == cython.NULL:
            return True
        if table.data == cython.NULL:
            return False
        for i in range(self.table_count):
            if same(table, cython.address(self.tables[2 * i + 1])) and (
                self.tables[2 * i].data == cython.NULL or same(database, cython.address(self.tables[2 * i]))
            ):
                return True
        return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def same(a: cython.pointer(cython.const[Name]), b: cython.pointer(cython.const[Name])) -> cython.bint:
    return a.length == b.length and memcmp(a.data, b.data, a.length) == 0
