# The keyed permutations that values are masked with: of the numbers below a bound, and within their count of digits.
from libc.stdint cimport uint32_t, uint64_t, uint8_t

cdef enum:
    MOST_SYMBOLS = 32768               # of a text that are permuted together
    SMALL_NUMBERS = 1000000
    KNOWN_MASKS = 32768                # a power of two
    KNOWN_CLASSES = 64                 # so is this
    ROUNDS = 8

# The families of numbers, each with its own permutations.
cdef enum Family:
    FAMILY_INTEGER = 1
    FAMILY_FRACTION = 2
    FAMILY_LONG = 3
    FAMILY_DAY = 4
    FAMILY_SECOND = 5
    FAMILY_YEAR = 6
    FAMILY_MEMBER = 7
    FAMILY_REAL = 8
    FAMILY_SYMBOL = 9
    FAMILY_TEXT = 10

cdef inline uint64_t of_family(uint64_t family) noexcept nogil:
    """The tweak of a family, to which the class of a number is added."""
    return family << 56

# A number that was permuted.
cdef struct KnownMask:
    uint64_t value
    uint64_t tweak
    uint64_t count
    uint64_t mask

cdef struct Sponge:
    uint64_t a
    uint64_t b
    uint64_t c
    uint64_t d

# The numbers below `count` that are permuted in one way, as a rectangle of `rows` and `columns`.
cdef struct KnownClass:
    uint64_t tweak
    uint64_t count
    uint64_t rows
    uint64_t columns
    Sponge begun                       # with the tweak
    uint64_t low                       # of whole numbers of as many digits, the first one, and the type's bound of the
    uint64_t bound                     # last one, if it is below the last of as many digits, or 0

cdef struct MaskKey:
    uint64_t first
    uint64_t second
    uint32_t* small                    # of each of SMALL_NUMBERS its mask; 0: not known yet
    KnownMask* known                   # the last ones, by a hash; KNOWN_MASKS of them
    KnownClass* classes                # KNOWN_CLASSES of them, and as many of whole numbers
ctypedef const MaskKey* p_const_MaskKey
ctypedef const KnownClass* p_const_KnownClass

cdef extern from *:
    """
    static inline unsigned long long high_product(unsigned long long a, unsigned long long b)
    { return (unsigned long long)(((unsigned __int128) a * b) >> 64); }
    static inline int bit_length(unsigned long long a)
    { return 64 - __builtin_clzll(a | 1); }
    """
    uint64_t high_product(uint64_t a, uint64_t b) noexcept nogil
    int bit_length(uint64_t a) noexcept nogil

cdef inline uint64_t golden_ratio() noexcept nogil:
    return 0x9E3779B97F4A7C15ULL

cdef inline uint64_t turned_left(uint64_t value, int bits) noexcept nogil:
    return (value << bits) | (value >> (64 - bits))

cdef inline void sip_round(Sponge* s) noexcept nogil:
    s.a += s.b
    s.b = turned_left(s.b, 13) ^ s.a
    s.a = turned_left(s.a, 32)
    s.c += s.d
    s.d = turned_left(s.d, 16) ^ s.c
    s.a += s.d
    s.d = turned_left(s.d, 21) ^ s.a
    s.c += s.b
    s.b = turned_left(s.b, 17) ^ s.c
    s.c = turned_left(s.c, 32)

cdef inline void sponge_begin(Sponge* s, p_const_MaskKey key) noexcept nogil:
    """SipHash-1-3 (Aumasson, Bernstein), keyed."""
    s.a = key.first ^ 0x736F6D6570736575ULL
    s.b = key.second ^ 0x646F72616E646F6DULL
    s.c = key.first ^ 0x6C7967656E657261ULL
    s.d = key.second ^ 0x7465646279746573ULL

cdef inline void sponge_add(Sponge* s, uint64_t word) noexcept nogil:
    s.d ^= word
    sip_round(s)
    s.a ^= word

cdef inline uint64_t sponge_end(Sponge* s) noexcept nogil:
    s.c ^= 0xFF
    sip_round(s)
    sip_round(s)
    sip_round(s)
    return s.a ^ s.b ^ s.c ^ s.d

cdef inline uint64_t sponge_next(Sponge* s) noexcept nogil:
    """The next number after sponge_end's, as many as are needed."""
    sip_round(s)
    sip_round(s)
    return s.a ^ s.b ^ s.c ^ s.d

cdef inline uint64_t keyed(p_const_MaskKey key, uint64_t first, uint64_t second) noexcept nogil:
    """A number that only the key tells from a random one."""
    cdef Sponge sponge
    sponge_begin(&sponge, key)
    sponge_add(&sponge, first)
    sponge_add(&sponge, second)
    return sponge_end(&sponge)

# Permute the numbers below `count`; `tweak` chooses the permutation.
cdef uint64_t permute(p_const_MaskKey key, uint64_t value, uint64_t count, uint64_t tweak) noexcept nogil
cdef uint64_t power_of_ten(int digits) noexcept nogil
cdef int digit_count(uint64_t value) noexcept nogil
# Mask a number that is not above `most`, by one of as many digits; 0 stays. If numbers of as many digits can be
# above `most`, the bound is part of the tweak.
cdef uint64_t mask_magnitude(p_const_MaskKey key, uint64_t value, uint64_t most) noexcept nogil
# Mask decimal digits (numbers 0 to 9, not characters) in place, `whole` of them before the point.
cdef void mask_digits(p_const_MaskKey key, uint8_t* digits, size_t whole, size_t size) noexcept nogil
# Mask a number in floating point: sign and exponent stay, or the count of digits of a small whole number.
cdef double mask_real(p_const_MaskKey key, double value, bint single) noexcept nogil

cdef inline bint is_small(uint64_t value, uint64_t most) noexcept nogil:
    """True for a number whose mask has a place in `small`."""
    return value < SMALL_NUMBERS and (
        most >= SMALL_NUMBERS - 1 or value < 10000 <= most + 1 or value < 100 <= most + 1
    )

cdef inline KnownMask* known_mask(p_const_MaskKey key, uint64_t value, uint64_t tweak) noexcept nogil:
    """The place of the mask of a number of a class among the known ones."""
    return key.known + ((((value ^ tweak) * golden_ratio()) >> 32) & (KNOWN_MASKS - 1))

cdef inline bint is_of(const KnownMask* known, uint64_t value, uint64_t count, uint64_t tweak) noexcept nogil:
    """True if it is there."""
    return known.value == value and known.tweak == tweak and known.count == count

cdef p_const_KnownClass integer_class(p_const_MaskKey key, uint64_t value, uint64_t most) noexcept nogil
cdef uint64_t permuted(uint64_t value, p_const_KnownClass known) noexcept nogil

# Used in this module only.
cdef p_const_KnownClass known_class(p_const_MaskKey key, uint64_t count, uint64_t tweak) noexcept nogil
cdef void fill_class(p_const_MaskKey key, KnownClass* known, uint64_t count, uint64_t tweak) noexcept nogil
cdef uint64_t permute_of(p_const_MaskKey key, uint64_t value, p_const_KnownClass of) noexcept nogil
cdef uint64_t mask_fraction(p_const_MaskKey key, uint64_t value, int digits, uint64_t tweak) noexcept nogil
