# The title of a transaction in a script: the C side of kernel/undo/title.py.
from libc.stdint cimport int64_t, uint32_t

from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.views.event_group cimport EventGroup

# Put the title, as `script.title` makes it. `label`: the name of the log; 0 for a time, and -1 for a connection, that is
# not known.
cdef void put_title(Text* text, const EventGroup* group, const char* label, uint32_t time, int64_t thread) noexcept nogil
