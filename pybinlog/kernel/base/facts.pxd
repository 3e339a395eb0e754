# The facts of event types, by type code, from pybinlog/event_types.py, of which setup.py makes facts.pxi: the Role of
# each, its Kind (KIND_...) and so on. There is no facts.py.
from libc.stdint cimport uint16_t, uint8_t
from pybinlog.kernel.base.event cimport FORMAT_DESCRIPTION, IGNORABLE, IGNORABLE_FLAG, INCIDENT, UNKNOWN, p_const_Format

include "facts.pxi"

cdef inline uint8_t type_of_code(p_const_Format format, uint8_t code, uint16_t flags) noexcept nogil:
    """Return the type that a header's type byte and flags stand for in a log of this server: what Event.type holds.

    As pybinlog.event_types.type_in_log; without a Format_description, a code means what it means to the server that
    has it.
    """
    if format.mariadb:
        return IGNORABLE if flags & IGNORABLE_FLAG and code != FORMAT_DESCRIPTION else MEANING_IN_MARIADB[code]
    cdef uint8_t type = MEANING_IN_MYSQL[code]
    if type == UNKNOWN and format.server_version_text[0] == 0:
        type = MEANING_IN_MARIADB[code]
    return IGNORABLE if type == UNKNOWN and flags & IGNORABLE_FLAG else type

cdef inline bint knows_code(p_const_Format format, uint8_t code) noexcept nogil:
    """Whether the server of this log gives the code a meaning."""
    return code != UNKNOWN and type_of_code(format, code, 0) == code

cdef inline bint is_of_log(uint8_t type) noexcept nogil:
    """An event of the log itself, which no transaction holds."""
    return ROLE_OF_TYPE[type] == OPENS_LOG or ROLE_OF_TYPE[type] == OF_LOG

cdef inline bint stands_inside_groups(uint8_t type) noexcept nogil:
    """An event that may have others of its group before it and after it."""
    return MAPS_TABLE <= ROLE_OF_TYPE[type] <= CHANGES_UNKNOWN and type != INCIDENT
