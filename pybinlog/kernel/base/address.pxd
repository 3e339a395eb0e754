from libc.stdint cimport uint32_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport p_Text, put_bytes, put_char, put_hex, put_unsigned, put_uuid


# Numbers in the place of a collation's, above all of those: a BINARY column of a Table_map is of such a type. A server
# writes none; the catalog does, if a definition says so.
cdef enum:
    COLLATION_UUID = 0x10001
    COLLATION_INET4 = 0x10002
    COLLATION_INET6 = 0x10003

cdef inline uint32_t address_size(uint32_t collation) noexcept nogil:
    """The bytes of such a value; 0 for a collation."""
    if collation == COLLATION_INET4:
        return 4
    return 16 if collation == COLLATION_UUID or collation == COLLATION_INET6 else 0

# Put a value, of which the log omits the zeros at the end, as MariaDB shows it. False if it is too long.
cdef bint put_address(p_Text text, uint32_t collation, octets data, size_t size) noexcept nogil

# Used in this module only.
cdef void put_inet4(p_Text text, uint8_t* value) noexcept nogil
cdef void put_hexadecimal(p_Text text, uint32_t word) noexcept nogil
cdef void put_inet6(p_Text text, uint8_t* value) noexcept nogil
