from libc.stdint cimport int16_t, int64_t, uint32_t, uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.condition.text_order cimport find_text_rule, hash_text, prefix_size, TextRule
from pybinlog.kernel.rows.image_route cimport ImageRoute, MOST_STOPS, p_const_ImageRoute
from pybinlog.kernel.rows.rows cimport p_const_RowsFields
from pybinlog.kernel.rows.table_map cimport p_const_TableMap


# Which columns of a table's images are its key, as bits, and how many they are; `seed` is the table's.
cdef struct KeyColumns:
    octets columns
    size_t count
    size_t column_count        # of the table
    uint64_t seed
    int16_t slots[MOST_STOPS]  # of the first columns: 0 in the key, else -1
    ImageRoute routes[2]       # through before images, and through after images of updates

cdef void key_columns_init(KeyColumns* image, octets columns, size_t column_count, uint64_t seed) noexcept nogil
# The place after an image, or NULL if it cannot be read; and the key of its row: 0 if the image lacks one of its columns.
cdef octets walk_key(
    uint64_t* key, KeyColumns* image, p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, bint after
) noexcept nogil

# The columns that an update changes, as bits of a KeySet; of those that `counted` has a bit for. 0 for none, and if the
# images cannot be read.
cdef uint64_t changed_columns(
    octets counted, p_const_RowsFields fields, p_const_TableMap map, octets before, octets after, octets end
) noexcept nogil

# A column of a key, how its text compares (NULL: by bytes), and how many characters of it count (0: all).
cdef struct KeyPart:
    uint32_t column
    uint32_t prefix
    TextRule* rule

# A value of the current row.
cdef struct Piece:
    octets data
    size_t size
    bint there
    bint null

cdef class RowKeys:
    cdef KeyPart* parts        # of all keys, one key after the other
    cdef TextRule* rules
    cdef size_t* ends          # of each key, in `parts`; the first is the primary key, without parts if there is none
    cdef readonly size_t count
    cdef bytes whole           # the columns of a row without a key, as bits
    cdef octets whole_bits
    cdef uint64_t seed
    cdef Piece* pieces
    cdef size_t column_count
    cdef uint64_t* earlier     # the values of the keys before an update
    cdef size_t steps          # through texts since a look for signals; more than LOOK_AFTER: one has come

    # Note the values of the unique keys, to compare them with those of another image.
    cdef void note_keys(self) noexcept nogil

    # Read an image; of an after image (`over`) that lacks a column, the value of the before image stays. The place after
    # it, or NULL if it cannot be read.
    cdef octets read(
        self, p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, bint after
    ) noexcept nogil
    # The hash that stands for the row, or 0 if columns are lacking; `by_whole_row`: it is that of all its values.
    cdef uint64_t row(self, bint* by_whole_row) noexcept nogil
    # The hash of the values of a key; 0 if columns are lacking, or NULL in a key other than the primary.
    cdef uint64_t key(self, size_t number) noexcept nogil
    cdef uint64_t whole_row(self) noexcept nogil

cdef enum:
    CHANGED_TABLES = 64

cdef class ChangedTable:
    cdef object undo_table     # the UndoTable, its number and its keys
    cdef list forms            # of its columns
    cdef bytes key_columns     # as bits
    cdef KeyColumns key
    cdef bint by_whole_row     # it has no key
    cdef bytes counted         # the columns by which updates conflict, as bits; empty: all changes of a row do
    cdef octets counted_bits   # NULL if it is empty
    cdef RowKeys row_keys      # if it has more than a primary key
    cdef bint taken_back       # rows of it are, so that their later changes matter

# A table by the number of its Table_map and that of the definitions then.
cdef struct TableSlot:
    uint64_t map_number
    uint64_t definitions
    size_t place               # in `tables`
    bint taken_back

cdef class ChangedTables:
    cdef object judge
    cdef dict known            # what a Table_map says, and the number of definitions -> its place
    cdef list tables
    cdef TableSlot slots[CHANGED_TABLES]

    # The slot of a table that was found; NULL if it was not, or is forgotten.
    cdef TableSlot* find(self, p_const_TableMap map, uint64_t definitions) noexcept nogil
    # Ask the judge for the table, if it must be.
    cdef TableSlot* learn(
        self, p_const_TableMap map, uint64_t definitions, size_t names, bytes file, object position
    ) except NULL

# Used in this module only.
cdef uint64_t key_of_hash(const KeyColumns* image, uint64_t hash, size_t found) noexcept nogil
cdef octets follow_route(uint64_t* key, const KeyColumns* image, p_const_ImageRoute route, octets at, octets end) noexcept nogil
cdef uint64_t finished(uint64_t hash) noexcept nogil
