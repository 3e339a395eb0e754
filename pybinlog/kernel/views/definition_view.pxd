from libc.stdint cimport uint32_t
from pybinlog.kernel.base.event cimport p_Event, p_const_Event, p_const_Format
from pybinlog.kernel.base.text cimport p_Text, put_char, put_memory, Text, text_free, text_init
from pybinlog.kernel.rows.table_map cimport p_const_TableMap, p_TableMap
from pybinlog.kernel.views.view cimport View


cdef class DefinitionView(View):
    cdef readonly list found
    cdef set known
    cdef Text last                    # what the definition noted last was made of

    cdef int note(self, p_const_Event e, p_const_Format format) noexcept nogil

# Put the text that distinguishes definitions of a table into an empty text.
cdef void put_definition(p_Text text, p_const_TableMap map) noexcept nogil

cdef class NameView(View):
    cdef object lend                   # is given a table id and metadata, and returns a number
    cdef uint32_t number               # the last one
    cdef p_Event payload               # whose events are followed

    cdef int note(self, p_Event e, p_const_Format format) except -1 nogil
