# The values of columns as text: the C side of kernel/rows/value_text.py.
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.rows.column_value cimport ColumnValue

# Write a value. False where the text of the rows ends with it, as the reference's does: it cannot be read, or the
# reference does not show its type (a null of such a type too; other nulls are not written here).
cdef bint put_value(Text* text, Text* scratch, const ColumnValue* value) noexcept nogil
