# TextMask: texts and bytes masked in place, in their character set.
from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.charset cimport charset_find, charset_put, charset_valid, four_code, p_const_Charset, TABLE
from pybinlog.kernel.base.charset cimport UTF16LE, UTF32
from pybinlog.kernel.base.text cimport OwnText, p_Text, text_grow
from pybinlog.kernel.mask.permutation cimport KnownClass, KnownMask, MaskKey

cdef enum Reading:
    READ_BYTES = 0                     # each byte by itself
    READ_UTF8 = 1

cdef enum:
    MOST_CODE_TABLES = 64
    MOST_FOLDS = 8
    MOST_COLLATIONS = 4096
    NO_FOLD = 254
    UNKNOWN_FOLD = 255
    REMARK_COLLATION = 32              # texts beyond ASCII in a collation whose weights are not known
    REMARK_CODE = 64                   # a character's second code, which stays
    ENTRY = 0x7FFFFFFF                 # of an entry, all but the bit that says that its mask may be equal to another one
    TABLE_CODES = 131072

# Classes of characters, each permuted in itself. `entries`: for a code of Unicode its class plus 1, its place in the class and
# whether it is the upper case of that place; 0 for a code without a class.
cdef struct CharTable:
    const uint32_t* entries
    const uint32_t* starts             # of each class among `members`; one more for the end
    const uint32_t* members
    const uint32_t* uppers             # the same characters in upper case
ctypedef const CharTable* p_const_CharTable

cdef struct KnownTable:
    p_const_Charset charset
    CharTable table
    const uint32_t* codes              # of a table: each character's bytes, the last one lowest; 0 if it has none
ctypedef const KnownTable* p_const_KnownTable

# A character: its class, place and case, and its code and size in bytes.
cdef struct Character:
    uint32_t code
    int size
    uint32_t count                     # of characters in its class; 0 if it stays
    uint32_t place
    bint upper
    int of                             # 0: of ASCII's classes; 1: of the table's; 2: of a block of 256; 3: a byte
    uint32_t first                     # of the class

cdef class TextMask:
    cdef MaskKey key
    cdef KnownMask known_masks[32768]
    cdef KnownClass known_classes[128]
    cdef readonly object tables        # (character set's name) -> the four arrays of a CharTable; "" for Unicode
    cdef list kept
    cdef KnownTable known[MOST_CODE_TABLES]
    cdef int known_count
    cdef CharTable unicode
    cdef bint has_unicode
    cdef object folds_of
    cdef CharTable folds[MOST_FOLDS]
    cdef list fold_names
    cdef uint8_t fold_places[2][MOST_COLLATIONS]  # of each flavour: the place in `folds` plus 1; 0: not asked yet
    cdef public uint32_t remarks
    cdef public bint keep_json_keys
    cdef OwnText scratch               # for a document
    cdef OwnText plain                 # a text of another character set, in UTF-8
    cdef uint16_t symbols[32768]
    cdef uint16_t counts[32768]

    cdef int mask_text(self, uint8_t* data, size_t size, uint32_t collation, bint mariadb, int depth) except -1 nogil
    cdef bint mask_json_text(self, uint8_t* data, size_t size, int depth) except -1 nogil
    cdef p_const_KnownTable find_table(self, p_const_Charset charset, uint32_t collation) except NULL
    cdef int load_unicode(self) except -1
    cdef int fold(self, uint32_t collation, bint mariadb) except -1
    cdef tuple load_table(self, CharTable* table, object name)
    cdef void mask_symbols(self, size_t count) noexcept nogil
    cdef void mask_characters(self, Reading reading, p_const_CharTable table, uint8_t* data, size_t size) noexcept nogil
    cdef int mask_valid(self, p_const_CharTable table, uint8_t* data, size_t size, int depth) except -1 nogil
    cdef bint mask_foreign(
        self, p_const_Charset charset, p_const_CharTable table, uint8_t* data, size_t size, uint32_t collation, int depth
    ) except? True nogil

# Mask a number's digits; the signs, the point and an exponent stay. False if the text is none. Without a key, it stays.
cdef bint mask_number_text(const MaskKey* key, uint8_t* data, size_t size) noexcept nogil

# Used in this module only.
cdef bint encode(p_const_KnownTable known, const uint8_t* text, size_t length, uint8_t* to, size_t size) noexcept nogil
cdef bint read_character(Reading reading, p_const_CharTable table, const uint8_t* at, const uint8_t* end, Character* c) noexcept nogil
cdef void write_character(p_const_CharTable table, uint8_t* at, const Character* c) noexcept nogil
cdef bint is_valid(p_const_CharTable table, const uint8_t* data, size_t size, bint controls) noexcept nogil
cdef void set_class(p_const_CharTable table, Character* c) noexcept nogil
cdef void fill_ascii() noexcept
cdef size_t json_string_end(const uint8_t* data, size_t at, size_t size) noexcept nogil
cdef int code_of(const uint8_t* digits) noexcept nogil
cdef void mask_code(const MaskKey* key, uint8_t* digits) noexcept nogil
cdef bint is_json(const uint8_t* data, size_t size) noexcept nogil
cdef bint is_whole_number(const uint8_t* data, size_t size) noexcept nogil
cdef bint has(const uint8_t* data, const char* word, int size) noexcept nogil
cdef bint is_vector(const uint8_t* data, size_t size) noexcept nogil
cdef void mask_vector(const MaskKey* key, uint8_t* data, size_t size) noexcept nogil
cdef bint is_moment(const uint8_t* data, size_t size) noexcept nogil
