from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport OwnText, p_Text, put_bits, put_bytes, put_char, put_signed, put_unsigned
from pybinlog.kernel.rows.column_value cimport p_const_ColumnValue
from pybinlog.kernel.rows.rows cimport p_const_RowsFields
from pybinlog.kernel.rows.table_map cimport p_const_TableMap, TYPE_BLOB_COMPRESSED, TYPE_VARCHAR_COMPRESSED, UNSIGNED
from pybinlog.kernel.undo.sql_text cimport put_string

# The place of a column's literal in a text; an image may lack the column.
cdef struct Literal:
    size_t at
    size_t size
    bint there

cdef class SqlImage:
    cdef OwnText text
    cdef OwnText scratch
    cdef Literal* literals     # of `image`, by column
    cdef size_t capacity
    cdef octets at             # the place after the image that was read last
    cdef size_t unwritable     # the number of a column of that image with a JSON value that SQL cannot write; 0: none

    # Append the literals of the columns to a text, and note where they are, in the table's order; those of a partial update
    # of JSON are empty. False if the image cannot be read. `forms`: see SqlImage; as many literals.
    cdef bint put_image(
        self,
        p_Text text,
        Literal* literals,
        p_const_RowsFields fields,
        p_const_TableMap map,
        list forms,
        octets at,
        octets end,
        bint after,
    ) except -1
    # The literals of the columns, in the table's order; None for a column that the image lacks, b"" for a
    # partial update of JSON. None if the image cannot be read. `forms`: see SqlImage.
    cdef list image(self, p_const_RowsFields fields, p_const_TableMap map, list forms, octets at, octets end, bint after)
    cdef int put(self, p_Text text, p_const_ColumnValue value, tuple form) except -1
    cdef int put_moment(self, p_Text text, p_const_ColumnValue value) except -1
    cdef int put_string(self, p_Text text, p_const_ColumnValue value, tuple form) except -1
    cdef int put_document(self, p_Text text, p_const_ColumnValue value) except -1

# The literals of an image as objects; None for a column that it lacks.
cdef list literal_list(const char* text, const Literal* literals, size_t count)
