from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.little_endian cimport read_u16, read_u32, read_u64
from pybinlog.kernel.base.text cimport fill_escapes, LARGE_VALUE, OwnText, p_Text, put_base64, put_bytes, Text

ctypedef void (*Drain)(void* owner, p_Text text) noexcept nogil
# Puts the JSON of what `source` is, and says what came of it, as put_json does.
ctypedef int (*Writer)(p_Text text, const void* source) noexcept nogil

cdef enum:
    JSON_WRITTEN = 0
    JSON_INVALID = 1                   # the document itself is none
    JSON_UNWRITABLE = 2                # something in it is wrong, or it is nested too deeply

cdef enum JsonClass:
    JSON_PLAIN = 0                     # numbers, booleans, null
    JSON_STRING = 1                    # strings, dates and times, opaque values
    JSON_CONTAINER = 2                 # arrays and objects

# The types of values: an object or an array, in its small form and its large one, and scalars.
cdef enum JsonType:
    SMALL_OBJECT = 0
    LARGE_OBJECT = 1
    SMALL_ARRAY = 2
    LARGE_ARRAY = 3
    LITERAL = 4
    JSON_INT16 = 5
    JSON_UINT16 = 6
    JSON_INT32 = 7
    JSON_UINT32 = 8
    JSON_INT64 = 9
    JSON_UINT64 = 10
    JSON_DOUBLE = 11
    STRING = 12
    OPAQUE = 15

cdef enum:
    MOST_DEPTH = 100

# Places that overlap make a tree of very many values. A walk over it ends after a number of steps, or of bytes of text,
# for each byte of the document. A server's document never needs as many; a short one may take some more.
cdef enum:
    MOST_TEXT_OF_A_BYTE = 16
    MOST_STEPS_OF_A_BYTE = 256
    MOST_MEMORY_OF_A_BYTE = 64
    MOST_OF_ANY = 1024


cdef inline size_t most_of(size_t size, size_t of_a_byte) noexcept nogil:
    """What a walk over a document of so many bytes may take."""
    return of_a_byte * size + MOST_OF_ANY

# A value: its type, and the bytes that it is in, from its own first one on.
cdef struct JsonElement:
    uint8_t type
    octets data
    size_t size
ctypedef const JsonElement* p_const_JsonElement

# An array or an object whose head was read.
cdef struct JsonContainer:
    bint large
    bint object
    size_t width                       # of counts, sizes and places
    size_t count
    size_t values                      # where the values' entries begin
    octets data
    size_t size


cdef inline bint container_begin(JsonContainer* container, p_const_JsonElement element) noexcept nogil:
    """Read the head of the element, which is an array or an object; False where it leads out of its bytes."""
    cdef bint large = element.type & 1
    cdef size_t width = 4 if large else 2
    cdef size_t bytes_in_use
    container.large = large
    container.object = element.type < SMALL_ARRAY
    container.width = width
    container.data = element.data
    if element.size < 2 * width:
        return False
    container.count = read_u32(element.data) if large else read_u16(element.data)
    bytes_in_use = read_u32(element.data + 4) if large else read_u16(element.data + 2)
    if bytes_in_use > element.size:
        return False
    container.size = bytes_in_use
    container.values = 2 * width + (container.count * (width + 2) if container.object else 0)
    return container.values + container.count * (width + 1) <= bytes_in_use


cdef inline octets container_key(const JsonContainer* container, size_t i, size_t* length) noexcept nogil:
    """The key of a member. As the reference has it, one that cannot be is an empty one."""
    cdef octets entry = container.data + 2 * container.width + i * (container.width + 2)
    cdef size_t offset = read_u32(entry) if container.large else read_u16(entry)
    length[0] = read_u16(entry + container.width)
    if (
        offset < container.values + container.count * (container.width + 1)
        or offset > container.size
        or length[0] > container.size - offset
    ):
        length[0] = 0
        offset = 0
    return container.data + offset


cdef inline bint container_element(const JsonContainer* container, size_t i, JsonElement* element) noexcept nogil:
    """False where the value lies where it cannot."""
    cdef octets entry = container.data + container.values + i * (container.width + 1)
    cdef size_t offset
    element.type = entry[0]
    if (
        element.type == LITERAL
        or element.type == JSON_INT16
        or element.type == JSON_UINT16
        or (container.large and (element.type == JSON_INT32 or element.type == JSON_UINT32))
    ):
        element.data = entry + 1
        element.size = container.width
        return True
    offset = read_u32(entry + 1) if container.large else read_u16(entry + 1)
    if offset > container.size or offset < container.values + (i + 1) * (container.width + 1):
        return False
    element.data = container.data + offset
    element.size = container.size - offset
    return True


# A length in 1 to 5 bytes of seven bits, the lowest first; False if it or what it counts leads out of `end`.
cdef bint json_length(octets* at, octets end, size_t* length) noexcept nogil
# A scalar's text, or, not `quoted`, the characters of a string, a date or a time alone.
cdef int put_json_scalar(p_Text text, p_const_JsonElement element, bint quoted) noexcept nogil
# Put the document's text; a string at its top is JSON like the others, or, not `quoted`, its characters alone. Only
# JSON_WRITTEN leaves text.
cdef int put_json(p_Text text, octets data, size_t size, bint quoted) noexcept nogil
cdef JsonClass json_class(octets data, size_t size) noexcept nogil
# The text of a document that makes very much, between single quotes: in pieces, and a second time to know that it can be
# written at all. Only JSON_WRITTEN leaves text.
cdef int put_large_json(p_Text text, octets data, size_t size, const char* before, const char* after) noexcept nogil
# The same of one value, at that depth; the text must not grow beyond `limit`, which only places that overlap can bring
# about.
cdef int put_json_element(p_Text text, p_const_JsonElement element, int depth, size_t limit) noexcept nogil
# Append the writer's text as valid UTF-8. `size`: of the bytes that it is made of; of very many it is made in pieces,
# and a second time to know that it can be written at all. Only JSON_WRITTEN leaves text.
cdef int put_written(p_Text text, p_Text scratch, Writer writer, const void* source, size_t size) noexcept nogil
# A document as JSON of valid UTF-8, however much text it makes. Only JSON_WRITTEN leaves text.
cdef int put_json_document(p_Text text, p_Text scratch, octets data, size_t size) noexcept nogil
# The value of a column: the document's text between single quotes, or a remark; False if the row ends with it.
cdef bint put_json_column(p_Text text, p_Text scratch, octets data, size_t size) noexcept nogil
# How many of the first bytes are ASCII that JSON has as it is.
cdef size_t plain_run(octets data, size_t size) noexcept nogil
# Characters with JSON's escapes, and the string of them between double quotes.
cdef void put_json_characters(p_Text text, octets data, size_t size) noexcept nogil
cdef void put_json_string(p_Text text, octets data, size_t size) noexcept nogil

# Used in this module only.
cdef int put_opaque(p_Text text, octets data, size_t size, bint quoted) noexcept nogil
cdef void escape_lines(p_Text text, size_t start) noexcept nogil
cdef int put_scalar(p_Text text, uint8_t type, octets data, size_t size, bint quoted) noexcept nogil
cdef int put_container(p_Text text, const JsonContainer* container, int depth, size_t limit) noexcept nogil
cdef void forget(void* owner, p_Text text) noexcept nogil
cdef void put_behind(void* owner, p_Text text) noexcept nogil
cdef void put_valid_behind(void* owner, p_Text text) noexcept nogil
cdef int write_document(p_Text text, const void* source) noexcept nogil
cdef int put_twice(p_Text text, Writer writer, const void* source, Drain drain, const char* before, const char* after) noexcept nogil
cdef uint64_t special_bytes(uint64_t word) noexcept nogil
