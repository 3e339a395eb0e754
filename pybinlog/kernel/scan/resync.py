# distutils: extra_compile_args = -O1
"""Resync: the next place after damage from which plausible events follow; compiled, it looks at every byte.

An event is plausible if its type is known, its size possible, its end_log_pos is its end (in a log that has its own
positions), and its checksum right (in a log that has them). If both of these support it, one event is enough; if one
does, two; otherwise a chain of five. The end of the log may stand in for events that are not there. If a server leaves
end_log_pos 0 inside event groups, such a 0 is neither for an event nor against it.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event, facts, fields
from cython.cimports.pybinlog.kernel.base.batch import bytes_between
from cython.cimports.pybinlog.kernel.base.checksum import checksum_matches, crc32
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.scan.classify import GROUP_NONE, NOT_DEFINED
from cython.cimports.pybinlog.kernel.scan.statement_bits import bits_of_number

NO = cython.declare(cython.int, 0)
YES = cython.declare(cython.int, 1)
MORE = cython.declare(cython.int, 2)  # too few bytes are there to say
CUT = cython.declare(cython.int, 3)  # plausible, and the log ends inside it

SERVER_FLAGS = cython.declare(uint16_t, 0x1FFF)
MARIA_FLAGS = cython.declare(uint16_t, 0xC000)
LONGEST_CHAIN = cython.declare(cython.int, 5)
LARGEST_SHIFTED = cython.declare(uint32_t, 1 << 20)
# A hostile file can make every byte look like the head of a large event.
FIRST_BUDGET = cython.declare(uint64_t, 64 << 20)
BUDGET_PER_BYTE = cython.declare(uint64_t, 16)


@cython.cclass
class Resync:
    """One search, in the log that a Scanner has come to the damaged place of.

    `check_positions` says whether end_log_pos is a position in this log, which it is not in a relay log; `base` is the
    position of the log's magic bytes in the stream. The scanner knows the format in force.
    """

    def __cinit__(self, scanner: Scanner, check_positions: cython.bint, base: cython.ulonglong):
        self.scanner = scanner
        self.check_positions = check_positions
        self.base = base
        self.zeros = True
        self.budget = FIRST_BUDGET

    def known(self, kind: uint8_t) -> cython.bint:
        return facts.knows_code(cython.address(self.scanner.format), kind)

    def no_event(self, data: octets, position: uint64_t) -> cython.bint:
        """Return a quick no for nearly every byte that no event begins at; there are 19 bytes."""
        length: uint32_t = fields.event_size_of(data)
        if length < event.COMMON_HEADER_LENGTH or length > MAXIMUM_SIZE or not self.known(data[4]):
            return True
        return (
            self.check_positions
            and length > LARGEST_SHIFTED
            and cython.cast(uint32_t, position + length - self.base) != fields.end_log_pos_of(data)
            and not self.lacks_position(data)
        )

    def lacks_position(self, data: octets) -> cython.bint:
        """Return True if the header of this known type has no end_log_pos, as some servers write it inside a group."""
        return (
            fields.end_log_pos_of(data) == 0
            and facts.stands_inside_groups(data[4])
            and event.omits_positions(cython.address(self.scanner.format))
        )

    def event_at(
        self,
        data: octets,
        left: cython.size_t,
        position: uint64_t,
        final: cython.bint,
        size: cython.pointer(uint32_t),
        proofs: cython.pointer(cython.int),
    ) -> cython.int:
        """Return how plausible an event is here; `proofs` says how many of position and checksum speak for it."""
        if left < event.COMMON_HEADER_LENGTH:
            return NO if final else MORE
        kind: uint8_t = data[4]
        length: uint32_t = fields.event_size_of(data)
        flags: uint16_t = fields.flags_of(data)
        size[0] = length
        proofs[0] = 0
        if (
            not self.known(kind)
            or length > MAXIMUM_SIZE
            or length < event.COMMON_HEADER_LENGTH + self.scanner.format.checksum_length
        ):
            return NO
        if flags & ~(
            SERVER_FLAGS | (MARIA_FLAGS if kind >= event.MARIA_ANNOTATE_ROWS or self.scanner.format.mariadb else 0)
        ):
            return NO
        if self.check_positions and not self.lacks_position(data):
            if cython.cast(uint32_t, position + length - self.base) == fields.end_log_pos_of(data):
                proofs[0] = 1
            else:
                status: cython.int = self.shifted(data, left, length, final, proofs)
                if status != YES:
                    return status
        if length > left:
            self.wanted = length
            return CUT if final else MORE
        has_checksum: cython.bint = self.scanner.format.checksum_algorithm == 1
        if kind == event.FORMAT_DESCRIPTION:
            format: event.Format
            if event.format_parse(cython.address(format), data, length) != 0:
                return NO
            has_checksum = format.checksum_algorithm == 1
        if has_checksum:
            if length > self.budget:
                return NO
            self.budget -= length
            if not checksum_matches(data, length):
                return NO
            proofs[0] += 1
        return YES

    def shifted(
        self,
        data: octets,
        left: cython.size_t,
        length: uint32_t,
        final: cython.bint,
        proofs: cython.pointer(cython.int),
    ) -> cython.int:
        """Return whether an event that is not at its end_log_pos is followed by one that is as far off.

        So it is where bytes were lost or put in before it. The log's last event, and one followed by an event that
        has no end_log_pos, may be; for these only the checksum counts.
        """
        if length > LARGEST_SHIFTED or (final and length > left):
            return NO
        if length == left and final:
            return YES
        if left < cython.cast(cython.size_t, length) + event.COMMON_HEADER_LENGTH:
            self.wanted = length + event.COMMON_HEADER_LENGTH
            return NO if final else MORE
        following: octets = data + length
        if not self.known(following[4]):
            return NO
        if fields.end_log_pos_of(following) == cython.cast(
            uint32_t, fields.end_log_pos_of(data) + fields.event_size_of(following)
        ):
            proofs[0] = 1
            return YES
        return YES if self.lacks_position(following) else NO

    def chain_at(self, data: octets, left: cython.size_t, position: uint64_t, final: cython.bint) -> cython.int:
        """Return YES, NO, or MORE if it needs `wanted` bytes from here on."""
        size: uint32_t = 0
        proofs: cython.int = 0
        least: cython.int = 2
        done: cython.size_t = 0
        needed: cython.int = LONGEST_CHAIN
        count: cython.int = 0
        while count < needed:
            if done == left and final:
                return YES if count >= (1 if least else 2) else NO
            self.wanted = event.COMMON_HEADER_LENGTH
            status: cython.int = self.event_at(
                data + done, left - done, position + done, final, cython.address(size), cython.address(proofs)
            )
            if status == MORE:
                self.wanted += done
                return MORE
            if status == CUT:
                return YES if count >= 1 and least else NO
            if status == NO:
                # less than a header is there, and the log ends: a cut event like any other
                return YES if count >= 1 and least and final and left - done < event.COMMON_HEADER_LENGTH else NO
            if proofs < least:
                least = proofs
            needed = 1 if least == 2 else 2 if least == 1 else LONGEST_CHAIN
            done += size
            count += 1
        return YES

    def log_at(self, data: octets, left: cython.size_t, final: cython.bint) -> cython.int:
        """Return whether another log begins here, in a stream that may contain several."""
        format: event.Format
        if left < 23:
            return NO if final else MORE
        size: uint32_t = fields.event_size_of(data + event.MAGIC_LENGTH)
        if read_u32(data) != event.MAGIC_NUMBER or data[8] != event.FORMAT_DESCRIPTION or size > 65536 or size < 76:
            return NO
        if fields.end_log_pos_of(data + event.MAGIC_LENGTH) != size + event.MAGIC_LENGTH:
            return NO
        if left - 4 < size:
            self.wanted = cython.cast(cython.size_t, size) + 4
            return NO if final else MORE
        return YES if event.format_parse(cython.address(format), data + 4, size) == 0 else NO

    def cut(self, buffer: object, start: cython.size_t, end: cython.size_t, position: cython.ulonglong) -> bool:
        """Return True if the bytes left at the end of a log are the beginning of a plausible event."""
        data: octets = bytes_between(buffer, start, end)
        size: uint32_t = 0
        proofs: cython.int = 0
        return end - start < event.COMMON_HEADER_LENGTH or CUT == self.event_at(
            data, end - start, position, True, cython.address(size), cython.address(proofs)
        )

    def fits(
        self, buffer: object, start: cython.size_t, end: cython.size_t, position: cython.ulonglong, final: cython.bint
    ) -> int:
        """Return 1 if plausible events follow at once, 0 if not, 2 if `wanted` bytes are needed to decide.

        `position` is that of the byte at `start`.
        """
        data: octets = bytes_between(buffer, start, end)
        return self.chain_at(data, end - start, position, final)

    def find(
        self, buffer: object, start: cython.size_t, end: cython.size_t, position: cython.ulonglong, final: cython.bint
    ) -> tuple:
        """Return (offset, found): the first offset where plausible events follow, or that up to which there is none.

        `position` is that of the byte at `start`. Where nothing is found and bytes are left, more are needed:
        `wanted`, from the offset on.
        """
        base: octets = bytes_between(buffer, start, end) - start
        at: cython.size_t = start
        while at < end:
            status: cython.int = NO
            if end - at < event.COMMON_HEADER_LENGTH and not final:
                self.wanted = event.COMMON_HEADER_LENGTH
                return at, False
            if base[at] == 0xFE and self.scanner.many_logs:
                self.wanted = 23
                status = self.log_at(base + at, end - at, final)
            if (
                status == NO
                and end - at >= event.COMMON_HEADER_LENGTH
                and not self.no_event(base + at, position + (at - start))
            ):
                status = self.chain_at(base + at, end - at, position + (at - start), final)
            if status == YES:
                return at, True
            if status == MORE:
                return at, False
            self.budget += BUDGET_PER_BYTE
            if base[at] != 0:
                self.zeros = False
            at += 1
        self.wanted = event.COMMON_HEADER_LENGTH
        return at, False

    def pass_hole(self, length: cython.ulonglong) -> None:
        """Skip so many zeros without a look at each."""
        self.budget += BUDGET_PER_BYTE * length

    def note_passed(self, buffer: object, start: cython.size_t, end: cython.size_t) -> None:
        """Note bytes that are skipped without a search."""
        for byte in memoryview(buffer)[start:end]:
            if byte:
                self.zeros = False
                return

    def infer_format(self, buffer: object, start: cython.size_t, end: cython.size_t) -> None:
        """Find from the event at `start` whether events have checksums, if the Format_description was lost."""
        data: octets = bytes_between(buffer, start, end)
        if end - start < 23 or self.scanner.format.server_version_text[0] != 0:
            return
        size: uint32_t = fields.event_size_of(data)
        if 23 <= size <= end - start and crc32(data, size - 4) == read_u32(data + size - 4):
            self.scanner.format.checksum_algorithm = 1
            self.scanner.format.checksum_length = 4


def skip_event(scanner: Scanner) -> None:
    """Note that events are lost: no group is known to be open. That GTID events open every group stays known."""
    scanner.boundary.group = GROUP_NONE
    scanner.boundary.parser = NOT_DEFINED
    bits_of_number(cython.address(scanner.boundary), 0)
