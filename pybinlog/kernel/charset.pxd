# Names of character sets and collations by a collation's number; NULL where the number is not known.
cdef const char* charset_name(unsigned int collation) noexcept nogil
cdef const char* collation_name(unsigned int collation) noexcept nogil
