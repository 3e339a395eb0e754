# The values of columns as text: the C side of kernel/rows/value_text.py.
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.rows.column_value cimport ColumnValue
from pybinlog.kernel.rows.table_map cimport Column

# Write a value that is not null. False where the text of the rows ends with it, as the reference's does.
cdef bint put_value(Text* text, Text* scratch, const ColumnValue* value) noexcept nogil
# What stands in the place of a value whose type the reference cannot show.
cdef void put_unreadable(Text* text, const Column* column) noexcept nogil
