# MySQL's JSON documents, masked in place.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.mask.text_mask cimport TextMask
from pybinlog.kernel.rows.json_value cimport JsonContainer, JsonElement

# Mask a document in the server's binary form; one that cannot be read becomes an empty object.
cdef int mask_json(TextMask mask, uint8_t* data, size_t size, bint keep_keys) except -1 nogil
# Mask the operations of a partial update; False if they cannot be read.
cdef bint mask_json_diff(TextMask mask, uint8_t* data, size_t size, bint keep_keys) except -1 nogil

# The walk over one document. `kept` gets what it reaches, so not a value that was removed.
cdef struct JsonWork:
    const uint8_t* start
    uint8_t* kept                      # as long as the document
    size_t steps                       # that are left
    bint keep_keys
    bint failed

# Used in this module only.
cdef bint spend(JsonWork* work, size_t count) noexcept nogil
cdef void keep(JsonWork* work, const uint8_t* at, size_t size) noexcept nogil
cdef int mask_element(TextMask mask, JsonWork* work, const JsonElement* element, int depth) except -1 nogil
cdef int mask_scalar(TextMask mask, JsonWork* work, const JsonElement* element) except -1 nogil
cdef int mask_path(TextMask mask, uint8_t* data, size_t size) except -1 nogil
cdef void sort_keys(const JsonContainer* container) noexcept nogil
cdef bint is_before(const JsonContainer* container, size_t a, size_t b) noexcept nogil
cdef void exchange(const JsonContainer* container, size_t a, size_t b) noexcept nogil
cdef void mask_decimal(TextMask mask, uint8_t* data, int precision, int scale) noexcept nogil
