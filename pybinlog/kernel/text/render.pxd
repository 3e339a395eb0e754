# Renderer: batches of events -> the text of a dump.
from pybinlog.kernel.base.batch cimport bytes_of, EventBatch
from pybinlog.kernel.rows.rows cimport rows_parse, TableIds
from pybinlog.kernel.scan.payload cimport PayloadReader
from pybinlog.kernel.text.event_text cimport EventText
from pybinlog.kernel.text.text_output cimport hand_on_text, TextOutput
from pybinlog.kernel.text.text_state cimport HELPED, settle, SHOWN, SKIPS, TextState

cdef class Renderer:
    cdef readonly TextState state
    cdef EventText text
    cdef TextOutput output
    cdef readonly object slow_path
    cdef object warn
    cdef Py_ssize_t warned              # events of the last batch up to which refusals are reported
    cdef readonly Py_ssize_t reached    # the event of the last batch that could not be printed, or how many it has
    cdef public object old_loads        # LOAD DATA of servers before 5.0.3 that wait for their Execute_load, by file_id

    cdef TableIds mapped_apart          # in the batch that another renderer prints
    cdef readonly object inside         # filters the events of payloads; None: all of them are kept
    cdef PayloadReader payloads         # for those that are printed here; None: the slow path prints all

    cdef int help(self, EventBatch batch, Py_ssize_t index) except? -1
    cdef int inflated_text(self, EventBatch batch, Py_ssize_t index) except? -1
    cpdef render(self, EventBatch batch, Py_ssize_t start=*)
    cpdef render_payload(self, EventBatch batch, Py_ssize_t start=*)
    cdef int print_payload(self, EventBatch batch, Py_ssize_t index) except -1
    cdef void print_from(self, EventBatch batch, Py_ssize_t* index, Py_ssize_t* warned)
    cdef note_misfits(self, EventBatch batch)
    cdef void warn_refused(self, EventBatch batch, Py_ssize_t begin, Py_ssize_t end)
