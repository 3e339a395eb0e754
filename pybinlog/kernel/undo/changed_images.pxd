from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport OwnText, text_free, text_take
from pybinlog.kernel.condition.row_condition cimport RowCondition
from pybinlog.kernel.rows.table_map cimport p_TableMap
from pybinlog.kernel.undo.change_sink cimport CHANGE_ROW, ChangeSink
from pybinlog.kernel.undo.sql_image cimport SqlImage
from pybinlog.kernel.views.row_view cimport RowView


cdef class ChangedImages(ChangeSink):
    cdef OwnText text
    cdef SqlImage literals     # None: not wanted
    cdef tuple conditions

    # The image from `at` on, and its literals if they are wanted; `before`: see put_json_image. None if it cannot be read.
    cdef tuple image(self, RowView view, p_TableMap map, octets at, octets before)
    cdef object verdict(self, RowCondition condition, RowView view, p_TableMap map)
    # The place after the image that was read last.
    cdef octets after
