# How a table was defined: the C side of kernel/views/definition_view.py.
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.views.view cimport View

cdef class DefinitionView(View):
    cdef readonly list found
    cdef set known
    cdef Text last                    # what the definition noted last was made of

    cdef int note(self, const Event* e, const Format* format) noexcept nogil

# Put the text that distinguishes definitions of a table into an empty text.
cdef void put_definition(Text* text, const TableMap* map) noexcept nogil
