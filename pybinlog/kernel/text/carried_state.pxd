# CarriedState: a TextState that is carried over any event.
from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.text.printer cimport Name
from pybinlog.kernel.text.text_state cimport TextState

cdef class CarriedState(TextState):
    cdef public set load_ids             # files that LOAD DATA blocks have begun and no statement has used
    cdef readonly bint needs_files       # LOAD DATA blocks came

    cdef bint leaves_no_more(self, const Event* e) noexcept nogil

cdef bytes name_of(const Name* name)
cdef void set_name(Name* name, bytes value)       # of 255 bytes at most
