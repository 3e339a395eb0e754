# distutils: extra_compile_args = -O1
"""EventBatch: some thousands of events as one array, so that loops over them make no Python object."""

import cython
from cython.cimports.libc.stdint import uint32_t
from cython.cimports.cpython.buffer import PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cython.cimports.pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, INSIDE_PAYLOAD, MARKS, NOT_REFUSED
from cython.cimports.pybinlog.kernel.base.event import RELAY_LOG, Event, code_in_log, format_default, stored_size
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, free, realloc

# Arrays of batches that are gone: to fill fresh memory costs the system a fault a page.
SPARES = cython.declare(cython.int, 4)
LEAST_SPARE = cython.declare(cython.Py_ssize_t, 1024)  # events; smaller ones the allocator keeps
SPARE = cython.declare(p_Event[4])
SPARE_CAPACITY = cython.declare(cython.Py_ssize_t[4])
EVENT_HEADER = cython.declare(object, None)
new_tuple = cython.declare(object, tuple.__new__)


@cython.cfunc
def header_class():
    """Return EventHeader. Import it at the first call: few dumps need it."""
    global EVENT_HEADER
    if EVENT_HEADER is None:
        from pybinlog.event_header import EventHeader

        EVENT_HEADER = EventHeader
    return EVENT_HEADER


def bytes_of(buffer: object) -> octets:
    view: cython.Py_buffer
    PyObject_GetBuffer(buffer, cython.address(view), PyBUF_SIMPLE)
    data: octets = cython.cast(octets, view.buf)
    PyBuffer_Release(cython.address(view))
    return data


def bytes_between(buffer: object, start: cython.size_t, end: cython.size_t) -> octets:
    if not start <= end <= cython.cast(cython.size_t, len(buffer)):
        raise ValueError("offsets beyond the buffer")
    return bytes_of(buffer) + start


@cython.cclass
class EventBatch:
    """Consecutive events of one stream.

    `len(batch)` events; the methods take an event's index (0 to len-1) and raise IndexError beyond. All events of a
    batch stand under the same Format_description, which is itself the first event of the batch after it changed.
    """

    def __cinit__(self):
        self.side = []
        format_default(cython.address(self.format))

    def __dealloc__(self):
        i: cython.int
        if self.capacity >= LEAST_SPARE:
            for i in range(SPARES):
                if SPARE[i] == cython.NULL:
                    SPARE[i] = self.events
                    SPARE_CAPACITY[i] = self.capacity
                    return
        free(self.events)

    def reuse_spare(self):
        i: cython.int
        for i in range(SPARES):
            if SPARE[i] != cython.NULL:
                self.events = SPARE[i]
                self.capacity = SPARE_CAPACITY[i]
                SPARE[i] = cython.NULL
                return

    def add(self) -> p_Event:
        if self.count == self.capacity:
            capacity: cython.Py_ssize_t = self.capacity * 2 if self.capacity else 32
            events: p_Event = cython.cast(p_Event, realloc(self.events, capacity * cython.sizeof(Event)))
            if events == cython.NULL:
                return cython.NULL
            self.events = events
            self.capacity = capacity
        self.count += 1
        return self.events + self.count - 1

    def append(self, event: p_const_Event) -> p_Event:
        to: p_Event = self.add()
        if to == cython.NULL:
            raise MemoryError("no memory for an event of a batch")
        to[0] = event[0]
        return to

    def replace(self, event: p_Event, data: bytes):
        """Let the event be these bytes from now on (its size and checksum are read from them)."""
        self.side.append(data)
        start: cython.p_const_char = data
        event.data = cython.cast(octets, start)
        event.body_end = cython.cast(uint32_t, len(data)) - (event.event_size - event.body_end)
        event.event_size = cython.cast(uint32_t, len(data))
        if event.has_checksum:
            event.checksum = read_u32(event.data + event.body_end)

    def __len__(self):
        return self.count

    def at(self, index: cython.Py_ssize_t) -> p_Event:
        if not 0 <= index < self.count:
            raise IndexError("no such event in the batch")
        return self.events + index

    def header(self, index: cython.Py_ssize_t):
        """Return the EventHeader of one event."""
        e: p_Event = self.at(index)
        return new_tuple(
            header_class(),
            (
                e.position,
                e.timestamp,
                e.type,
                e.server_id,
                stored_size(e),
                e.end_log_pos,
                e.flags,
                e.boundary,
                bool(e.inferred),
            ),
        )

    def type(self, index: cython.Py_ssize_t) -> int:
        """Return the type of one event, which costs less than its header."""
        return self.at(index).type

    def bits(self, index: cython.Py_ssize_t) -> int:
        """Return one event's statement bits, plus 16 if they are inferred; 0 if statement bits are off."""
        return self.at(index).bits

    def payload_around(self, index: cython.Py_ssize_t) -> int:
        """Return the index of the unfolded Transaction_payload that the event is inside; -1 for an event outside of
        any.
        """
        if self.at(index).bits & MARKS != INSIDE_PAYLOAD:
            return -1
        while self.events[index].bits & MARKS == INSIDE_PAYLOAD:
            index -= 1
        return index

    def code(self, index: cython.Py_ssize_t) -> int:
        """Return the type byte of one event's header, whatever it means in this log."""
        return code_in_log(self.at(index))

    def is_left_out(self, index: cython.Py_ssize_t) -> bool:
        """Return True if the filter has left one event out, whole or in part."""
        return self.at(index).bits & MARKS != 0

    def data(self, index: cython.Py_ssize_t) -> bytes:
        """Return a copy of one event's bytes, from its header to its checksum."""
        e: p_Event = self.at(index)
        return PyBytes_FromStringAndSize(e.data, e.event_size)

    def body(self, index: cython.Py_ssize_t) -> bytes:
        """Return a copy of what lies between one event's header and its checksum."""
        e: p_Event = self.at(index)
        if e.body_end < COMMON_HEADER_LENGTH:
            return b""
        return PyBytes_FromStringAndSize(e.data + COMMON_HEADER_LENGTH, e.body_end - COMMON_HEADER_LENGTH)

    @property
    def stored(self) -> memoryview:
        """The bytes of all events, one after another as they stand in the log, not copied.

        Raise BufferError if events were given other bytes, or joined of parts.
        """
        if self.side:
            raise BufferError("events of the batch were given other bytes")
        return self.stored_until(self.count)

    @property
    def opening(self) -> memoryview:
        """The same, up to the first event that was joined of parts."""
        count: cython.Py_ssize_t = 0
        while count < self.count and self.events[count].part_headers == 0:
            count += 1
        return self.stored_until(count)

    def stored_until(self, count: cython.Py_ssize_t):
        """Return the bytes of the first `count` events."""
        if count == 0:
            return memoryview(b"")
        first: octets = self.events[0].data
        last: p_Event = self.events + count - 1
        start: cython.Py_ssize_t = first - bytes_of(self.owner)
        size: cython.Py_ssize_t = last.data - first + last.event_size
        return memoryview(self.owner)[start : start + size]

    def replace_data(self, index: cython.Py_ssize_t, data: bytes) -> None:
        """Let one event be these bytes from now on: as long as its size field says, with its checksum."""
        self.replace(self.at(index), data)

    def place(self, index: cython.Py_ssize_t, position: cython.ulonglong) -> None:
        """Let one event stand at another position."""
        self.at(index).position = position

    def place_inside(self, outer: EventBatch, index: cython.Py_ssize_t) -> None:
        """Let every event stand at the end of a payload, which is number `index` of its batch: they share its place."""
        e: p_Event = outer.at(index)
        i: cython.Py_ssize_t
        for i in range(self.count):
            self.events[i].position = e.end_log_pos
            self.events[i].end_log_pos = e.end_log_pos
            self.events[i].lent = e.lent

    def cut(self, count: cython.Py_ssize_t):
        i: cython.Py_ssize_t
        for i in range(count, self.count):
            if self.events[i].refused_from != NOT_REFUSED:
                self.refusals -= 1
        self.count = count

    def truncate(self, count: cython.Py_ssize_t) -> None:
        """Let only the first `count` events be in the batch."""
        if 0 <= count < self.count:
            self.cut(count)

    def refused_from(self, index: cython.Py_ssize_t) -> int:
        """Return the parser's state if the parser refused this event, otherwise 255."""
        return self.at(index).refused_from

    @property
    def server_version(self) -> str:
        """As the Format_description in force has it, for example "9.7.4"."""
        return self.format.server_version_text.decode("latin-1")

    @property
    def has_server_version(self) -> bool:
        """Return True if that text begins with a version's numbers, as a server's does."""
        return self.format.server_version != 0

    @property
    def checksum_algorithm(self) -> int:
        """Return 0 for off, 1 for CRC32, 255 if the server was too old to tell."""
        return self.format.checksum_algorithm

    @property
    def mariadb(self) -> bool:
        return bool(self.format.mariadb)

    @property
    def is_relay_log(self) -> bool:
        """Return True if the Format_description in force is that of a relay log."""
        return bool(self.format.flags & RELAY_LOG)

    @property
    def post_header_lengths(self) -> bytes:
        """By event type, 256 bytes; 255 for a type that the server did not know."""
        return bytes([self.format.post_header_length[i] for i in range(256)])
