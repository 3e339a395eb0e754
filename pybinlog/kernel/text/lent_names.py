# distutils: extra_compile_args = -O1
"""LentNames: optional metadata for Table_maps that lack the names of columns, from definitions elsewhere.

One thread notes it, in the order of the log, and writes a number into each Table_map (Event.lent). The threads that
print rows look it up by that number and the table's id.
"""

import cython

from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.rows.rows import StatementHead, statement_head
from cython.cimports.pybinlog.kernel.rows.table_map import TableMap, table_maps_get, table_maps_lend

MOST_TABLES = cython.declare(cython.Py_ssize_t, 16384)  # of a number
# Numbers that are kept: batches that are read and not printed, some MiB, have far fewer.
MOST_NUMBERS = cython.declare(cython.Py_ssize_t, 65536)


@cython.final
@cython.cclass
class LentNames:
    """The number changes if a table id gets other metadata, so that it means one definition wherever it is printed."""

    def __init__(self):
        self.numbers = {}
        self.next()

    def next(self):
        self.number += 1
        self.current = {}
        self.numbers[self.number] = self.current
        self.numbers.pop(self.number - MOST_NUMBERS, None)

    def note(self, table_id: uint64_t, optional: bytes) -> int:
        """Note the metadata that a table is lent from here on, and return its number."""
        known = self.current.get(table_id)
        if known is None or known != optional:
            if known is not None or len(self.current) >= MOST_TABLES:
                self.next()
            self.current[table_id] = optional
        return self.number

    def lend(self, maps, e, format):
        head: StatementHead
        map: cython.pointer(TableMap)
        if e.lent == 0 or not statement_head(cython.address(head), e, format):
            return True
        map = table_maps_get(maps, head.table_id)
        if map == cython.NULL or map.lent_in == e.lent or map.fields.null_bits == cython.NULL:
            return True
        map.lent_in = e.lent
        with cython.gil:
            return self.lend_here(maps, map, self.numbers.get(e.lent, {}).get(head.table_id, b""))

    def lend_here(self, maps, map, optional):
        return table_maps_lend(
            maps, map, cython.cast(octets, cython.cast(cython.p_const_char, optional)), len(optional)
        )
