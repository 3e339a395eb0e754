# Rows as SQL literals: the C side of kernel/undo/changed_rows.py.
from pybinlog.kernel.undo.change_sink cimport ChangeSink
from pybinlog.kernel.undo.sql_image cimport SqlImage

cdef class ChangedRows(ChangeSink):
    cdef SqlImage literals
