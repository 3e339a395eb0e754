# The lists of a Table_map's optional metadata (WL#4618): each has something for the columns of one group, in the
# columns' order, so each is read by a cursor that moves on as the columns of its group go by.
# Inline functions only: there is no column_lists.py.
from libc.stdint cimport uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.little_endian cimport read_lenenc
from pybinlog.kernel.base.memory cimport memset
from pybinlog.kernel.rows.table_map cimport TableMapFields, find_optional, read_block

cdef struct Cursor:
    octets at
    octets end
ctypedef Cursor* p_Cursor

# Collations: a default with exceptions by the column's place in its group, or one for each column.
cdef struct Collations:
    Cursor default
    Cursor listed
    uint64_t fallback
    uint64_t place
    uint64_t next_place
    uint64_t next_number
    bint has_next


cdef inline Cursor list_of(const TableMapFields* fields, int type) noexcept nogil:
    """The list of that type; an empty one where the event has none."""
    cdef Cursor cursor
    find_optional(fields, type, &cursor.at, &cursor.end)
    return cursor


cdef inline bint next_number(p_Cursor cursor, uint64_t* number) noexcept nogil:
    if cursor.at == cursor.end:
        return False
    if read_lenenc(&cursor.at, cursor.end, number):
        return True
    cursor.at = cursor.end
    return False


cdef inline bint next_string(p_Cursor cursor, octets* data, size_t* size) noexcept nogil:
    if cursor.at == cursor.end:
        return False
    if read_block(&cursor.at, cursor.end, data, size):
        return True
    cursor.at = cursor.end
    return False


cdef inline int bit_at(const Cursor* cursor, size_t place) noexcept nogil:
    """The bit, the highest of each byte first; -1 after the last byte."""
    if place >> 3 >= <size_t>(cursor.end - cursor.at):
        return -1
    return (cursor.at[place >> 3] >> (7 - (place & 7))) & 1


cdef inline void read_exception(Collations* collations) noexcept nogil:
    collations.has_next = next_number(&collations.default, &collations.next_place) and next_number(
        &collations.default, &collations.next_number
    )


cdef inline void collations_begin(Collations* collations, Cursor default, Cursor listed) noexcept nogil:
    memset(collations, 0, sizeof(Collations))
    collations.default = default
    collations.listed = listed
    if next_number(&collations.default, &collations.fallback) and collations.fallback:
        read_exception(collations)


cdef inline uint64_t collations_next(Collations* collations) noexcept nogil:
    """The number of the collation of the group's next column; 0 where the event does not say."""
    cdef uint64_t number = 0
    if collations.fallback:
        number = collations.fallback
        if collations.has_next and collations.next_place == collations.place:
            number = collations.next_number
            read_exception(collations)
        collations.place += 1
    elif not next_number(&collations.listed, &number):
        return 0
    return number
