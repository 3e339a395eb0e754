# The lines that --print-table-metadata adds to a Table_map event: the C side of kernel/rows/table_metadata.py.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.event cimport Format
from pybinlog.kernel.base.text cimport Text

# Put the lines "# Columns(...)" and "# Primary Key(...)" of a whole Table_map event. 0, or -1 if it is corrupt.
# `exact`: names as the reference prints them, whatever they are.
cdef int put_table_metadata(Text* text, const Format* format, const uint8_t* event, size_t size, bint exact) noexcept nogil
