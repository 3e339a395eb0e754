# PartialRows: the parts in which MariaDB 12.3 and later write a large row event.
from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport is_rows, octets, p_const_Format


# Faults of the parts.
cpdef enum:
    PARTS_ARE_SOUND = 0
    PARTS_MALFORMED = 1        # a part is too short, or its numbers are impossible
    PARTS_BEGIN_LATE = 2       # the first is missing
    PARTS_INTERRUPTED = 3      # another event stands between them
    PARTS_OUT_OF_ORDER = 4     # one is missing, or comes twice
    PARTS_OF_ANOTHER = 5       # one counts another total
    PARTS_OF_OTHER_SIZE = 6    # they have more or fewer bytes than the first says
    PARTS_TOO_LARGE = 7        # the whole event has more bytes than pybinlog reads, or its parts are too many
    PARTS_WITHOUT_ROWS = 8     # they hold another event than one of rows

cdef struct Part:
    uint32_t number
    uint32_t total
    uint64_t whole             # bytes of the whole event, as the first part says; 0 in any other
    octets data                # its bytes of the whole event
    size_t size

cdef bint part_parse(Part* part, octets event, size_t body_end) noexcept nogil

cdef class PartialRows:
    cdef readonly int problem          # PARTS_*
    cdef readonly size_t at            # offset of the part that it is about, from the first part on
    cdef readonly uint32_t number      # that part's number, and its total
    cdef readonly uint32_t total
    cdef readonly uint32_t due         # the number and total that it should have
    cdef readonly uint32_t due_total
    cdef readonly uint64_t held        # bytes in the parts, and what the first part says
    cdef readonly uint64_t whole
    cdef readonly uint8_t other_type   # the type byte of an event between them
    cdef readonly size_t wanted        # bytes that the parts have in the log, as far as it is known
    cdef size_t stored                 # those of all parts, if they are there
    cdef uint32_t first_size           # of the first part
    cdef uint64_t position             # of parts that were looked at before they were all there ...
    cdef size_t seen                   # ... and the place of the last one among them
    cdef uint64_t seen_held

    # Look at the parts that begin at `data`. PARTS_WHOLE if they are sound and all there; otherwise PARTS_MISSING, and
    # `wanted`; or PARTS_BAD, and what is wrong.
    cdef int look(self, octets data, size_t left, uint64_t position, p_const_Format format) noexcept nogil
    # The event that they are parts of, with its own checksum if the log has them; `look` found them to be sound.
    cdef bytes join(self, octets data, p_const_Format format)
    # The bytes of the parts up to the next event of another type, or first part.
    cdef size_t extent(self, octets data, size_t left) noexcept nogil
    # True if each part's checksum is right; if not, `at` is the place of the first that is wrong.
    cdef bint checksums_match(self, octets data) noexcept nogil
    cdef bint holds_rows(self, octets whole, p_const_Format format) noexcept nogil
    cdef bint fits(self, octets data, uint32_t trailer) noexcept nogil

cdef enum:
    PARTS_WHOLE = 0
    PARTS_MISSING = 1
    PARTS_BAD = 2
