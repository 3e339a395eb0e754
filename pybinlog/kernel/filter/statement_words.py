# distutils: extra_compile_args = -O1
"""The words that statements begin with, compressed or not, which conditions are about."""

import cython

from cython.cimports.pybinlog.kernel.base.event import EXECUTE_LOAD_QUERY, MARIA_QUERY_COMPRESSED
from cython.cimports.pybinlog.kernel.scan.operation import INSERTS, OTHER_OPERATION, text_operation
from cython.cimports.pybinlog.kernel.scan.query_fields import Query, query_is_transaction_keyword


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_text(
    query: cython.pointer(Query),
    inflated: InflatedEvent,
    parts: cython.pointer(cython.const[QueryParts]),
    e: cython.pointer(cython.const[Event]),
    format: cython.pointer(cython.const[Format]),
) -> cython.bint:
    """Let `query` have the statement's text, of a compressed one its start; False if that is unreadable."""
    query.text = parts.text
    query.length = parts.length
    if e.type != MARIA_QUERY_COMPRESSED:
        return True
    if not inflated.read_statement(e.data, e.body_end, format):
        return False
    query.text = inflated.text.data
    query.length = inflated.text.length
    return True


def is_frame_word(inflated, parts, e, format):
    query: Query
    return not read_text(cython.address(query), inflated, parts, e, format) or query_is_transaction_keyword(
        cython.address(query)
    )


def statement_operation(inflated, parts, e, format):
    query: Query
    if e.type == EXECUTE_LOAD_QUERY:
        return INSERTS
    if not read_text(cython.address(query), inflated, parts, e, format):
        return OTHER_OPERATION
    return text_operation(query.text, query.length)
