# distutils: extra_compile_args = -O1
"""The numbers of transactions: GTIDs (GtidRuns), and those under which a server committed them (XidWindow).

Compiled, as every transaction has both. The newest GTID of a source is nearly always one more than the one before; only
another one needs a set to look into. Numbers that lie far below the highest are not remembered: a transaction that was
open for a million statements of its server is not looked at.
"""

import cython
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy, memset
from cython.cimports.pybinlog.kernel.scan import gtid_fields

MARIA = cython.declare(uint8_t, 255)  # as tag_length


def same_source(a: cython.pointer(cython.const[GtidName]), b: cython.pointer(cython.const[GtidName])) -> cython.bint:
    return (
        a.tag_length == b.tag_length
        and memcmp(a.uuid, b.uuid, 16) == 0
        and (a.tag_length == 0 or a.tag_length == MARIA or memcmp(a.tag, b.tag, a.tag_length) == 0)
    )


def read_gtid(
    name: cython.pointer(GtidName), e: p_const_Event, format: p_const_Format, clock: cython.pointer(cython.bint)
) -> GtidFound:
    parsed: gtid_fields.Gtid
    maria: gtid_fields.MariaGtid
    clock[0] = False
    name.position = e.position
    name.type = e.type
    if e.type == MARIA_GTID:
        if gtid_fields.maria_gtid_parse(cython.address(maria), e, format) < 0:
            return GTID_CORRUPT
        memset(name.uuid, 0, 16)
        gtid_fields.maria_gtid_source(name.uuid, cython.address(maria), e)
        name.tag_length = MARIA
        name.number = cython.cast(int64_t, maria.sequence_number)
        return GTID_NAMED
    if gtid_fields.gtid_parse(cython.address(parsed), e, format) != 0:
        return GTID_CORRUPT
    clock[0] = parsed.sequence_number != 0 and parsed.last_committed >= parsed.sequence_number
    if parsed.anonymous or e.type == ANONYMOUS_GTID:
        return GTID_ANONYMOUS
    if parsed.uuid == cython.NULL or parsed.number <= 0 or parsed.tag_length > 32:
        return GTID_CORRUPT
    memcpy(name.uuid, parsed.uuid, 16)
    name.tag_length = parsed.tag_length
    if parsed.tag_length:
        memcpy(name.tag, parsed.tag, parsed.tag_length)
    name.number = parsed.number
    return GTID_NAMED


@cython.cclass
class GtidRuns:
    """`pop` hands the counts over; a source is its uuid and tag, as in `gtid_tuple`."""

    def count_on(self, gtid: cython.pointer(cython.const[GtidName])) -> cython.bint:
        i: cython.int
        for i in range(self.count):
            run: cython.pointer(GtidRun) = cython.address(self.runs[i])
            if run.next == gtid.number and run.next < run.limit and same_source(cython.address(run.name), gtid):
                run.next += 1
                return True
        if gtid.number == self.again.next and self.again.next < self.again.limit:
            if same_source(cython.address(self.again.name), gtid):
                self.again.next += 1
                return True
        return False

    def pop(self, uuid: bytes, tag: object) -> tuple:
        """Return (start, end) of the GTIDs of a source that were only counted here, or None if there are none."""
        i: cython.int
        name: GtidName = name_of(uuid, tag)
        for i in range(self.count):
            if same_source(cython.address(self.runs[i].name), cython.address(name)):
                result = (self.runs[i].start, self.runs[i].next)
                self.count -= 1
                self.runs[i] = self.runs[self.count]
                return result
        return None

    def pop_all(self) -> list:
        """Return all of them, as (uuid, tag, start, end)."""
        result = []
        i: cython.int
        for i in range(self.count):
            uuid, tag, *_ = gtid_tuple(cython.address(self.runs[i].name))
            result.append((uuid, tag, self.runs[i].start, self.runs[i].next))
        self.count = 0
        return result

    def begin(self, uuid: bytes, tag: object, number: int64_t, limit: int64_t) -> bool:
        """Count on from this GTID, up to (not with) `limit`, which a set holds; return False if there is no room."""
        if self.count == RUNS:
            return False
        run: cython.pointer(GtidRun) = cython.address(self.runs[self.count])
        run.name = name_of(uuid, tag)
        run.start = number
        run.next = number + 1
        run.limit = limit
        self.count += 1
        return True

    def begin_again(self, uuid: bytes, tag: object, number: int64_t, limit: int64_t) -> None:
        """Count on from this GTID, which was seen before as all up to (not with) `limit` were."""
        self.again.name = name_of(uuid, tag)
        self.again.start = number
        self.again.next = number + 1
        self.again.limit = limit

    def pop_repeated(self) -> tuple:
        """Return (start, end) of the GTIDs that came again, or (0, 0) if there are none."""
        result = (self.again.start, self.again.next)
        self.again.start = self.again.next = self.again.limit = 0
        return result


def gtid_tuple(name: cython.pointer(cython.const[GtidName])) -> tuple:
    uuid: bytes = cython.cast(cython.p_char, cython.address(name.uuid[0]))[:16]
    if name.tag_length == MARIA:
        return uuid, None, name.number, name.position, name.type
    tag: bytes = cython.cast(cython.p_char, cython.address(name.tag[0]))[: name.tag_length]
    return uuid, tag, name.number, name.position, name.type


@cython.cfunc
def name_of(uuid: bytes, tag: object) -> GtidName:
    name: GtidName
    memset(cython.address(name), 0, cython.sizeof(name))
    if len(uuid) != 16 or (tag is not None and len(tag) > 32):
        raise ValueError("a GTID has a uuid of 16 bytes and a tag of at most 32")
    memcpy(name.uuid, cython.cast(cython.p_const_char, uuid), 16)
    if tag is None:
        name.tag_length = MARIA
    else:
        name.tag_length = len(tag)
        if name.tag_length:
            memcpy(name.tag, cython.cast(cython.p_const_char, cython.cast(bytes, tag)), name.tag_length)
    return name


@cython.final
@cython.cclass
class XidWindow:
    def forget(self):
        self.top = 0
        self.met = False
        memset(self.words, 0, cython.sizeof(self.words))

    def meets(self, xid: uint64_t) -> cython.bint:
        if xid == 0:
            return False
        if self.top == 0:
            self.top = xid
        elif xid > self.top:
            self.move_to(xid)
        elif self.top - xid >= WINDOW:
            return False
        word: cython.pointer(uint64_t) = cython.address(self.words[xid >> 6 & (WINDOW_WORDS - 1)])
        bit: uint64_t = cython.cast(uint64_t, 1) << (xid & 63)
        before: cython.bint = self.met
        self.met = word[0] & bit != 0
        word[0] |= bit
        if self.met and not before:
            self.again = xid
            return True
        return False

    def move_to(self, xid: uint64_t):
        """Move to a number above the highest; the places up to it are those of numbers that are forgotten."""
        at: uint64_t = self.top + 1
        self.top = xid
        if xid - at >= WINDOW:
            memset(self.words, 0, cython.sizeof(self.words))
            return
        while at <= xid:
            if at & 63 == 0 and xid - at >= 63:
                self.words[at >> 6 & (WINDOW_WORDS - 1)] = 0
                at += 64
            else:
                self.words[at >> 6 & (WINDOW_WORDS - 1)] &= ~(cython.cast(uint64_t, 1) << (at & 63))
                at += 1
