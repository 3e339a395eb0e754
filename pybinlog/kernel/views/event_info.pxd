# The Info of SHOW BINLOG EVENTS: the C side of kernel/views/event_info.py.
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.scan.query_fields cimport Query
from pybinlog.kernel.views.event_group cimport EventGroup

# Put the Info. False if a server's Info is not known for such an event, or a length in it is wrong. `query` are the
# fields of a Query, NULL for other events; `group` is the event's.
cdef bint put_info(Text* text, const Event* e, const Format* format, const Query* query, const EventGroup* group) noexcept nogil
