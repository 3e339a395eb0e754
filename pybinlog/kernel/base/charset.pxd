from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport OwnText, p_Text, put_memory, text_grow, text_take


cdef enum Form:
    UTF8MB4
    UTF8MB3
    ASCII
    TABLE
    UTF16              # ucs2, too, without pairs
    UTF16LE
    UTF32

# The meaning of a byte, after those that led to it.
cdef struct Character:
    uint8_t utf8[3]    # or the number of the node for the next byte, low byte first
    uint8_t size       # of utf8; NO_CHARACTER or NEXT_BYTE

cdef enum:
    NO_CHARACTER = 0
    NEXT_BYTE = 4

cdef struct Charset:
    Form form
    bint is_utf8                 # the bytes that decode are the text: they need no charset_put
    bint pairs                   # of UTF16: two units may be a character
    bint has_ascii               # of a table: bytes below 128 are ASCII
    bint is_whole                # of a table: each byte is a character
    const Character* nodes       # of a table: 256 for the first byte, then 256 for each other node
    const Character* four        # of gb18030: its first characters of four bytes
ctypedef const Charset* p_const_Charset

# False, and NULL, for the collation of binary strings and for numbers that the server does not know. The first use of a
# character set takes the GIL, and may raise OSError or MemoryError; later ones look into an array.
cdef bint charset_find(p_const_Charset* charset, unsigned int collation, bint mariadb) except -1 nogil
# How many of the first bytes are whole characters that decode.
cdef size_t charset_valid(p_const_Charset charset, octets data, size_t size) noexcept nogil
# Append these characters as UTF-8. How many bytes they were: as charset_valid says, unless the text has failed.
cdef size_t charset_put(p_Text text, p_const_Charset charset, octets data, size_t size) noexcept nogil

# The code of a character beyond the basic plane in gb18030, its four bytes as a number, the first one highest.
cdef uint32_t four_code(uint32_t character) noexcept nogil

# By its name in lower case, loaded if it is not yet. Raises OSError or MemoryError.
cdef p_const_Charset charset_named(bytes name) except NULL
# charset_find, but raise LookupError if there is none.
cdef p_const_Charset charset_asked(unsigned int collation, bint mariadb) except NULL

cdef extern from *:
    """
    /* What another thread has found is seen with all that it points at. */
    #define load_found(from) __atomic_load_n(from, __ATOMIC_ACQUIRE)
    #define store_found(to, charset) __atomic_store_n(to, charset, __ATOMIC_RELEASE)
    """
    p_const_Charset load_found(p_const_Charset* at) noexcept nogil
    void store_found(p_const_Charset* at, p_const_Charset charset) noexcept nogil

# Used in this module only.
cdef size_t utf8_run_of(Form form, octets data, size_t size) noexcept nogil
cdef uint8_t put_code_point(char* to, uint32_t code) noexcept nogil
cdef size_t decode_table(p_const_Charset charset, octets data, size_t size, char** target, bint put) noexcept nogil
cdef uint32_t four_bytes(octets data) noexcept nogil
cdef uint32_t code_of_four(uint32_t number) noexcept nogil
cdef uint32_t read_unit(octets data, int high) noexcept nogil
cdef size_t read_character(p_const_Charset charset, octets data, size_t left, uint32_t* code) noexcept nogil
cdef size_t decode(p_const_Charset charset, octets data, size_t size, char** target, bint put) noexcept nogil
