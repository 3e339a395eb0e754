from libc.stdint cimport uint64_t

cdef struct Collation:
    const char* character_set          # null-terminated, as `name`
    const char* name
    int most_bytes                     # of a character
ctypedef const Collation* p_const_Collation

cpdef enum:
    COLLATION_BINARY = 63              # of binary strings

cdef enum:
    COLLATIONS_END = 3328              # all numbers are below

# NULL where MySQL 9.7, or MariaDB 11.8, knows no such number.
cdef p_const_Collation collation_find(uint64_t number, bint mariadb) noexcept nogil
# Its character set alone; NULL if neither server knows the number.
cdef const char* character_set_of(uint64_t number) noexcept nogil
