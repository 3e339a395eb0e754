# distutils: extra_compile_args = -O1
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The words that statements begin with, compressed or not, which conditions are about."""

import cython

from cython.cimports.libc.stdint import uint8_t
from cython.cimports.pybinlog.kernel.base.event import EXECUTE_LOAD_QUERY, MARIA_QUERY_COMPRESSED
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize
from cython.cimports.pybinlog.kernel.scan.classify import query_compressed
from cython.cimports.pybinlog.kernel.scan.operation import INSERTS, OTHER_OPERATION, text_operation
from cython.cimports.pybinlog.kernel.scan.query_fields import Query, query_is_transaction_keyword

from pybinlog.kernel.scan.scan import inflate_start


@cython.cfunc
def inflated(e: cython.pointer(cython.const[Event]), format: cython.pointer(cython.const[Format])):
    """Return the start of a compressed statement's text; None if it is unreadable."""
    packed: cython.pointer(cython.const[uint8_t]) = cython.NULL
    length: cython.size_t = 0
    full: cython.size_t = 0
    if not query_compressed(
        format,
        e.data,
        e.body_end,
        cython.address(packed),
        cython.address(length),
        cython.address(full),
    ):
        return None
    return inflate_start(PyBytes_FromStringAndSize(cython.cast(cython.p_const_char, packed), length))


def is_frame_word(parts, e, format):
    query: Query
    query.text = parts.text
    query.length = parts.length
    if e.type != MARIA_QUERY_COMPRESSED:
        return query_is_transaction_keyword(cython.address(query))
    return inflated_is_frame_word(e, format)


def inflated_is_frame_word(e, format):
    query: Query
    text: bytes = inflated(e, format)
    if text is None:
        return True
    query.text = text
    query.length = len(text)
    return query_is_transaction_keyword(cython.address(query))


def statement_operation(parts, e, format):
    if e.type == EXECUTE_LOAD_QUERY:
        return INSERTS
    if e.type != MARIA_QUERY_COMPRESSED:
        return text_operation(parts.text, parts.length)
    return inflated_operation(e, format)


def inflated_operation(e, format):
    text: bytes = inflated(e, format)
    return OTHER_OPERATION if text is None else text_operation(text, len(text))
