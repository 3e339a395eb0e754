from pybinlog.kernel.base.charset cimport charset_put, charset_valid, p_const_Charset
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport LARGE_VALUE, p_Text, put_bytes, put_char, put_memory, RELIEVED_AT
from pybinlog.kernel.rows.column_value cimport ColumnValue, p_const_ColumnValue
from pybinlog.kernel.rows.rows cimport p_const_RowsFields
from pybinlog.kernel.rows.table_map cimport ColumnLabel, p_const_TableMap, p_TableMaps, TYPE_STRING, UNSIGNED


# Put a row image as a JSON object of valid UTF-8; the place after it, or NULL if it cannot be read: then the text has a
# part of it. `map` is prepared and has labels. `before`: the before image of the row whose after image this is, NULL
# for all others. If one value makes very much text, the text is relieved.
cdef octets put_json_image(
    p_Text text, p_TableMaps maps, p_const_TableMap map, p_const_RowsFields fields, octets at, octets end, octets before
) noexcept nogil
# A string of a column as JSON: its characters, or an object with its bytes.
cdef void put_characters(p_Text text, p_Text scratch, const ColumnLabel* label, octets data, size_t size) noexcept nogil

# Used in this module only.
cdef void put_as_base64(p_Text text, octets data, size_t size) noexcept nogil
cdef void put_binary(p_Text text, p_Text scratch, const ColumnLabel* label, octets data, size_t size) noexcept nogil
cdef bint decodes(p_Text text, p_const_Charset charset, octets data, size_t size) noexcept nogil
cdef void put_decoded(p_Text text, p_Text scratch, p_const_Charset charset, octets data, size_t size) noexcept nogil
cdef void put_number_of_bits(p_Text text, p_const_ColumnValue value) noexcept nogil
cdef void put_member(p_Text text, p_const_TableMap map, size_t place) noexcept nogil
cdef void put_set(p_Text text, p_const_ColumnValue value, p_const_TableMap map, const ColumnLabel* label) noexcept nogil
cdef void put_floats(p_Text text, octets data, size_t size) noexcept nogil
cdef bint find_document(
    p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, size_t number, ColumnValue* value
) noexcept nogil
cdef void put_update(p_Text text, p_Text scratch, p_const_ColumnValue value, p_const_ColumnValue document) noexcept nogil
