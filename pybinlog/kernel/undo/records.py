# distutils: extra_compile_args = -O2
"""Records of a script: what they become when they are read backward; and the titles of transactions."""

import cython
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import PyMemoryView_FromMemory, memcpy
from cython.cimports.pybinlog.kernel.base.text import put_unsigned, text_free, text_grow, text_take
from cython.cimports.pybinlog.kernel.rows.temporal_value import put_utc

READ = 0x100
"""PyBUF_READ."""
LINE = 57
"""Bytes that give a line of base64."""


@cython.final
@cython.cclass
class Records:
    """Takes records; `write(data)` gets many at once, in a memoryview that ends with the call.

    `size` is how many bytes they are with their lengths. A record is text; or TRANSACTION, a transaction's number in
    eight bytes and text; or EVENTS and events.
    """

    def __cinit__(self, write: object):
        self.write = write

    def __dealloc__(self):
        text_free(cython.address(self.text))

    @property
    def size(self) -> int:
        return self.written + self.text.length

    def append(self, record: bytes) -> None:
        start: cython.size_t = self.begin()
        put_bytes(cython.address(self.text), record, len(record))
        self.end(start)
        if self.failed:
            raise self.error

    def flush(self) -> None:
        """Write all."""
        if self.failed:
            raise self.error
        self.flush_text()

    def begin(self) -> cython.size_t:
        start: cython.size_t = self.text.length
        if text_grow(cython.address(self.text), LENGTH):
            self.text.length += LENGTH
        return start

    def end(self, start: cython.size_t):
        length: uint64_t = self.text.length - start - LENGTH
        put_bytes(cython.address(self.text), cython.cast(cython.p_const_char, cython.address(length)), LENGTH)
        if not self.text.failed:
            memcpy(self.text.data + start, cython.address(length), LENGTH)
        if self.text.failed or self.text.length >= FLUSHED_AT:
            self.flush_or_fail()

    def flush_or_fail(self):
        try:
            self.flush_text()
        except BaseException as error:
            self.error = error
            self.failed = True

    def flush_text(self) -> cython.int:
        if self.text.failed:
            text_free(cython.address(self.text))
            raise MemoryError("no memory for a statement")
        if self.text.length:
            with PyMemoryView_FromMemory(self.text.data, self.text.length, READ) as data:
                self.write(data)
            self.written += self.text.length
            self.text.length = 0
            if self.text.capacity > 4 * LARGE_VALUE:
                text_free(cython.address(self.text))
        return 0


def first_whole(data: bytes, end: cython.size_t) -> int:
    """Return the place of the first record that is whole in data[:end]; `end` if there is none."""
    source: cython.p_const_char = data
    at: octets = cython.cast(octets, source)
    while end >= 2 * LENGTH:
        length: uint64_t = read_u64(at + end - LENGTH)
        if length > end - 2 * LENGTH:
            break
        end -= length + 2 * LENGTH
    return end


def length_before(data: bytes, end: int) -> int:
    """Return the bytes of the record that ends there, with its lengths."""
    return int.from_bytes(data[end - LENGTH : end], "little") + 2 * LENGTH


@cython.final
@cython.cclass
class BackwardText:
    """Makes the text of records, from the last to the first. The transactions with the numbers `dropped` are left out.

    `of(data, begin, end)` yields the text of whole records in pieces.
    """

    dropped: set
    skips: cython.bint
    most: cython.size_t
    out: OwnText

    def __init__(self, dropped: set, most: cython.size_t):
        self.dropped = dropped
        self.most = most
        self.out = OwnText()

    def of(self, data: bytes, begin: cython.size_t, end: cython.size_t):
        source: cython.p_const_char = data
        text = cython.address(self.out.text)
        while end > begin:
            length: cython.size_t = read_u64(cython.cast(octets, source) + end - LENGTH)
            end -= length + LENGTH
            at: octets = cython.cast(octets, source) + end
            end -= LENGTH
            if length and at[0] == TRANSACTION:
                if self.dropped:
                    self.skips = read_u64(at + 1) in self.dropped
                if not self.skips:
                    put_bytes(text, cython.cast(cython.p_const_char, at) + 9, length - 9)
            elif self.skips:
                continue
            elif length and at[0] == EVENTS:
                put_bytes(text, b"BINLOG '\n", 9)
                at += 1
                length -= 1
                while length > LARGE_VALUE:  # in pieces, so that the text is not whole in memory
                    put_base64(text, at, LINE * (LARGE_VALUE // LINE))
                    put_char(text, b"\n")
                    at += LINE * (LARGE_VALUE // LINE)
                    length -= LINE * (LARGE_VALUE // LINE)
                    yield text_take(text)
                put_base64(text, at, length)
                put_bytes(text, b"\n';\n", 4)
            else:
                put_bytes(text, cython.cast(cython.p_const_char, at), length)
            if text.length >= self.most:
                yield text_take(text)
        if text.length:
            yield text_take(text)


def put_title(
    text: p_Text,
    group: cython.pointer(cython.const[EventGroup]),
    label: cython.p_const_char,
    time: uint32_t,
    thread: int64_t,
):
    put_bytes(text, b"\n-- ", 4)
    if group.gtid_length:
        put_bytes(text, group.gtid, group.gtid_length)
    else:
        put_text(text, b"a transaction")
    put_bytes(text, b" (", 2)
    put_text(text, label)
    put_bytes(text, b", at ", 5)
    put_unsigned(text, group.start)
    put_bytes(text, b" to ", 4)
    put_unsigned(text, group.end)
    if time:
        put_bytes(text, b", ", 2)
        put_utc(text, time, 0, 0)
        put_bytes(text, b" UTC", 4)
    if thread >= 0:
        put_bytes(text, b", connection ", 13)
        put_unsigned(text, thread)
    put_bytes(text, b")\n", 2)
