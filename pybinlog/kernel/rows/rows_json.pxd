# Row images as JSON: the C side of kernel/rows/rows_json.py.
from libc.stdint cimport uint64_t

from pybinlog.kernel.base.charset cimport Charset
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.rows.column_value cimport ColumnValue
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport ColumnLabel, TableMap, TableMaps

# Put a row image as a JSON object of valid UTF-8; the place after it, or NULL if it cannot be read: then the text has a
# part of it. `map` is prepared and has labels. `before`: the before image of the row whose after image this is, NULL
# for all others. If one value makes very much text, the text is relieved.
cdef octets put_json_image(
    Text* text, TableMaps* maps, const TableMap* map, const RowsFields* fields, octets at, octets end, octets before
) noexcept nogil
# A string of a column as JSON: its characters, or an object with its bytes.
cdef void put_characters(Text* text, Text* scratch, const ColumnLabel* label, octets data, size_t size) noexcept nogil

# Used in this module only.
cdef void put_as_base64(Text* text, octets data, size_t size) noexcept nogil
cdef void put_binary(Text* text, Text* scratch, const ColumnLabel* label, octets data, size_t size) noexcept nogil
cdef bint decodes(Text* text, const Charset* charset, octets data, size_t size) noexcept nogil
cdef void put_decoded(Text* text, Text* scratch, const Charset* charset, octets data, size_t size) noexcept nogil
cdef void put_number_of_bits(Text* text, const ColumnValue* value) noexcept nogil
cdef void put_member(Text* text, const TableMap* map, size_t place) noexcept nogil
cdef void put_set(Text* text, const ColumnValue* value, const TableMap* map, const ColumnLabel* label) noexcept nogil
cdef void put_floats(Text* text, octets data, size_t size) noexcept nogil
cdef bint find_document(
    const RowsFields* fields, const TableMap* map, octets at, octets end, size_t number, ColumnValue* value
) noexcept nogil
cdef void put_update(Text* text, Text* scratch, const ColumnValue* value, const ColumnValue* document) noexcept nogil
