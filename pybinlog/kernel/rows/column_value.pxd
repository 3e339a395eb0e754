# The values of columns as text: the C side of kernel/rows/column_value.py.
from libc.stdint cimport uint8_t
from pybinlog.kernel.rows.table_map cimport Column
from pybinlog.kernel.base.text cimport Text

# Write the value at `at` (which is not null); `end` is the end of the rows. Returns the place after the value, or
# NULL where the row cannot be read on. `number` is the column's, from 1; `partial` is for JSON's partial updates.
cdef const uint8_t* put_column_value(
    Text* text, const Column* column, const uint8_t* at, const uint8_t* end, Text* scratch, size_t number, bint partial
) noexcept nogil

# What stands in the place of a null whose column's type cannot be written.
cdef void put_null_value(Text* text, const Column* column) noexcept nogil
