"""SmallLogs: prints small logs one after the other; compiled, as of a log of some kilobytes the rest takes longer."""

import cython
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.base.memory import memcmp

AHEAD_FROM = cython.declare(cython.Py_ssize_t, 32)  # logs after which others read ahead: it is worth a thread then
LEAST_DIGITS = cython.declare(cython.size_t, 6)  # of a log's number
NAMES_ANOTHER = cython.declare(cython.int, -1)
NAME_AT = cython.declare(uint32_t, 27)  # of the log in a Rotate, behind its header and a position


def base_of(path: cython.p_const_char, length: cython.size_t) -> cython.size_t:
    """Return the offset of a file's name in its path; the length of the path if the name is not plain."""
    i: cython.size_t
    begin: cython.size_t = 0
    for i in range(length):
        if path[i] == b"/":
            begin = i + 1
    for i in range(begin, length):
        if not 0x20 < cython.cast(uint8_t, path[i]) < 0x7F or path[i] == b"\\":
            return length
    return begin


def is_next_number(path: cython.p_const_char, following: cython.p_const_char, length: cython.size_t) -> cython.bint:
    """Return True if paths of the same length end in a number as logs have it, and differ in that alone, by one."""
    base: cython.size_t = base_of(path, length)
    at: cython.size_t = length
    number: uint64_t = 0
    other: uint64_t = 0
    i: cython.size_t
    while at > base and b"0" <= path[at - 1] <= b"9":
        at -= 1
    if length - at < LEAST_DIGITS or length - at > 18 or at < base + 2 or path[at - 1] != b".":
        return False
    if memcmp(path, following, at) != 0:
        return False
    for i in range(at, length):
        if not b"0" <= following[i] <= b"9":
            return False
        number = 10 * number + (path[i] - 48)
        other = 10 * other + (following[i] - 48)
    return other == number + 1


@cython.final
@cython.cclass
class SmallLogs:
    """Prints logs of files that have one batch each, and of which nothing unusual is to be said.

    `asked` answers: `title(name)` returns what comes before a log. `judge(batch)` is called for a log if GTIDs do not
    tell for certain that it continues the one before (`last`); it may raise an error. `render(batch)` prints the
    events. `read_ahead(names, begin, end)` returns an object whose `get()` returns SmallFiles of these names, in order,
    or None: then they are read here, one by one. It is closed after use.
    """

    def __cinit__(self, scanner: Scanner, renderer: Renderer, asked: object):
        self.scanner = scanner
        self.renderer = renderer
        self.pool = BufferPool()
        self.asked = asked
        self.around = GtidsAround()
        self.around_next = GtidsAround()

    def print(self, names: object, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, continues: cython.bint) -> int:
        """Print the logs from `begin` on, before `end`; return the first that was not printed.

        `continues`: the log before ends with a Rotate that names the first. A log is left to others before anything of
        it is printed or remembered. Raise what the three functions raise.
        """
        self.last = None
        try:
            return self.print_some(names, begin, end, continues)
        finally:
            if self.ahead is not None:
                self.ahead.close()
                self.ahead = None

    def print_some(
        self, names: object, begin: cython.Py_ssize_t, end: cython.Py_ssize_t, continues: cython.bint
    ) -> cython.Py_ssize_t:
        i: cython.Py_ssize_t
        path: bytes
        following: cython.int
        batch: EventBatch
        files: SmallFiles = None
        for i in range(begin, end):
            self.number = i
            if not self.renderer.state.complete:
                return i
            if files is None or i == files.begin + files.count:
                if files is not None and files.is_over:
                    return i
                if i == begin + AHEAD_FROM and i < end:
                    self.ahead = self.asked.read_ahead(names, i, end)
                files = self.next_files(names, i)
                if files.count == 0:
                    return i
            path = files.paths[i - files.begin]
            if self.last is not None:
                following = self.follows(path)
                if following == NAMES_ANOTHER:
                    return i
                continues = following
            name = names[i]
            batch = self.scan(files, i - files.begin, name, continues)
            if batch is None:
                return i
            self.around_next.read(batch)
            if self.last is None or not self.around.continued_by(self.around_next):
                self.asked.judge(batch)
            self.renderer.put(self.asked.title(name))
            self.renderer.finish_event()
            self.asked.render(batch)
            self.around, self.around_next = self.around_next, self.around
            self.last = batch
            self.path = path
        return end

    def next_files(self, names: object, begin: cython.Py_ssize_t) -> SmallFiles:
        if self.ahead is not None:
            return self.ahead.get()
        files: SmallFiles = SmallFiles(self.pool, names, begin, begin + 1)
        files.read()
        return files

    @property
    def rotates_to(self) -> str:
        """Return the log that the last event of the last log, a Rotate, names; None if it is not a Rotate."""
        e: p_Event = self.last_rotate()
        if e == cython.NULL:
            return None
        name: bytes = cython.cast(cython.p_const_char, e.data)[NAME_AT : e.body_end]
        return name.decode("utf-8", "surrogateescape")

    def last_rotate(self) -> p_Event:
        """Return the last event of the last log if that is a Rotate of its server; otherwise NULL."""
        e: p_Event = self.last.events + self.last.count - 1
        own: cython.bint = e.type == ROTATE and e.timestamp != 0 and not e.flags & ARTIFICIAL
        return e if own and e.body_end > NAME_AT else cython.NULL

    def follows(self, path: bytes) -> cython.int:
        """Return 1 if the last log names this one in a Rotate, 0 if it names none, NAMES_ANOTHER if that is not sure.

        In the first two cases it has the next number.
        """
        e: p_Event = self.last_rotate()
        text: cython.p_const_char = path
        length: cython.size_t = len(path)
        base: cython.size_t = base_of(text, length)
        if len(self.path) != len(path) or not is_next_number(self.path, text, length):
            return NAMES_ANOTHER
        if e == cython.NULL:
            return 0
        if e.body_end - NAME_AT == length - base and memcmp(e.data + NAME_AT, text + base, length - base) == 0:
            return 1
        return NAMES_ANOTHER

    def scan(self, files: SmallFiles, number: cython.int, name: object, continues: cython.bint) -> EventBatch:
        """Return the events of a log; None, and the scanner is as before, if there is more to say of it."""
        scanner: Scanner = self.scanner
        begin: cython.size_t = files.begins[number]
        size: cython.size_t = files.sizes[number]
        if size < MAGIC_LENGTH + COMMON_HEADER_LENGTH or read_u32(files.buffer.data + begin) != MAGIC_NUMBER:
            return None
        format: Format = scanner.format
        boundary: Boundary = scanner.boundary
        position: uint64_t = scanner.position
        if not continues:
            scanner.reset()
        scanner.new_log(MAGIC_LENGTH)
        scanner.whole_groups = scanner.many_logs = False
        batch: EventBatch = scanner.scan(files.buffer, begin + MAGIC_LENGTH, begin + size, name)
        if (
            scanner.error_code == SCAN_NEED_MORE
            and scanner.position == size
            and batch.count
            and batch.events[0].type == FORMAT_DESCRIPTION
            and not batch.format.flags & BINLOG_IN_USE
        ):
            return batch
        scanner.format = format
        scanner.boundary = boundary
        scanner.position = position
        return None
