"""Digests: the digests of statements, by number. Python makes one for each shape of a statement."""

import cython
from cython.cimports.pybinlog.kernel.base.memory import LOOK_AFTER, PyBytes_FromStringAndSize, memcmp, raise_interrupt
from cython.cimports.pybinlog.kernel.scan.statement_shape import ANSI_QUOTES, NO_BACKSLASH_ESCAPES, put_shape

MOST_SHAPES = cython.declare(cython.size_t, 33554432)  # bytes
MOST_TEXTS = cython.declare(cython.size_t, 33554432)
OVERHEAD = cython.declare(cython.size_t, 600)  # of an entry, beside its text

OTHERS: int = -1
"""The number of all digests that came when there was no more room."""


@cython.final
@cython.cclass
class Digests:
    """Finds digests. `digest_text` makes that of a statement (bytes), which was run with an sql_mode.

    There is room for 32 MiB of digests, some 50,000. After them, `is_full` is set and the number of a new one is
    OTHERS; with `forgets`, all that are known are forgotten instead, and their numbers are given again.
    """

    def __init__(self, digest_text: object, forgets: cython.bint = False):
        self.digest_text = digest_text
        self.forgets = forgets
        self.by_shape = {}
        self.by_text = {}
        self.texts = []

    def __dealloc__(self):
        text_free(cython.address(self.shape))
        text_free(cython.address(self.last))

    def find(self, statement: cython.p_const_char, length: cython.size_t, sql_mode: uint64_t) -> int32_t:
        self.mode = sql_mode & (ANSI_QUOTES | NO_BACKSLASH_ESCAPES)
        self.shape.length = 0
        put_shape(cython.address(self.shape), statement, length, self.mode)
        if length > LOOK_AFTER:
            with cython.gil:
                raise_interrupt()
        if (
            self.last_number
            and self.mode == self.last_mode
            and self.shape.length == self.last.length
            and not self.shape.failed
            and memcmp(self.shape.data, self.last.data, self.shape.length) == 0
        ):
            return self.last_number
        self.last_number = 0  # (an error leaves it so)
        self.last_number = self.find_shape()
        self.last_mode = self.mode
        shape: Text = self.last
        self.last = self.shape
        self.shape = shape
        if self.shape.capacity > LARGE_VALUE:
            text_free(cython.address(self.shape))
        return self.last_number

    def number(self, statement: bytes, sql_mode: cython.ulonglong = 0) -> int:
        """Return the number of a statement's digest."""
        return self.find(statement, len(statement), sql_mode)

    def find_shape(self) -> int32_t:
        if self.shape.failed:
            raise MemoryError("no memory for a statement")
        number: int32_t = self.number_of(PyBytes_FromStringAndSize(self.shape.data, self.shape.length))
        if number > 0:
            self.found = self.texts[number - 1]
            self.data = self.found
            self.length = len(self.found)
        return number

    def number_of(self, shape: bytes) -> int32_t:
        key: tuple = (shape, self.mode)
        number = self.by_shape.get(key)
        if number is not None:
            return number
        text: str = self.digest_text(shape, self.mode)
        number = self.by_text.get(text) if text else 0
        if number is None:
            number = self.add(text)
        size: cython.size_t = len(shape) + OVERHEAD
        if self.shapes_size + size > MOST_SHAPES:
            self.by_shape.clear()
            self.shapes_size = 0
        self.by_shape[key] = number
        self.shapes_size += size
        return number

    def add(self, text: str):
        """Give a new digest its number."""
        size: cython.size_t = 2 * len(text) + OVERHEAD
        if self.texts_size + size > MOST_TEXTS:
            if not self.forgets:
                self.is_full = True
                return OTHERS
            self.by_shape.clear()
            self.by_text.clear()
            self.texts.clear()
            self.texts_size = self.shapes_size = 0
        self.texts_size += size
        self.texts.append(text.encode("utf-8", "surrogateescape"))
        number: int32_t = len(self.texts)
        self.by_text[text] = number
        return number
