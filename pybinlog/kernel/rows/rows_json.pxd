# Row images as JSON: the C side of kernel/rows/rows_json.py.
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport Text
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
