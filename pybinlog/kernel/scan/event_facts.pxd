# The meaning of event types for transactions, from pybinlog/event_types.py, of which setup.py makes event_facts.pxi. There is no event_facts.py.
from libc.stdint cimport uint8_t

# The role of an event in its transaction, for the filter of transactions.
cdef enum Role:
    APART = 0                 # of no transaction: one of the log, or an unknown one
    MAPS_TABLE = 1
    CHANGES_ROWS = 2
    STATES = 3                # a statement, or a word of the frame
    HOLDS_EVENTS = 4          # a Transaction_payload
    CHANGES_UNKNOWN = 5       # always kept
    PREPARES_STATEMENT = 6    # only the statement after it decides about it
    FRAMES_GROUP = 7

include "event_facts.pxi"
