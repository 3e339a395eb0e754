# How a log's tables were defined, and their names of columns: the C side of kernel/views/definition_view.py.
from libc.stdint cimport uint32_t

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

cdef class NameView(View):
    cdef object lend                   # is given a table id and metadata, and returns a number
    cdef uint32_t number               # the last one
    cdef Event* payload                # whose events are followed

    cdef int note(self, Event* e, const Format* format) except -1 nogil
