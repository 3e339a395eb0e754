# distutils: extra_compile_args = -O1
"""OpenTransaction: where the transaction around a place begins. HeldGtids: the GTIDs that logs hold. GtidsAround:
those before and after a log.

Compiled, as they look at every event of a log.
"""

import cython
from cython.cimports.pybinlog.kernel.base import facts
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcmp, memcpy, memset
from cython.cimports.pybinlog.kernel.scan.classify import END_TRANSACTION, SELF_CONTAINED, START_TRANSACTION


@cython.final
@cython.cclass
class OpenTransaction:
    """Finds the event at `position` or after it that is not older than `since`, and the transaction that it is in.

    `position` is an offset in bytes, `since` seconds since 1970. `begins` is the offset of the transaction's first
    event, -1 if it is not known; `ended` says that a transaction of this log has ended since.
    """

    def __cinit__(self, position: cython.ulonglong, since: cython.longlong):
        self.position = position
        self.since = since
        self.begins = -1

    def read(self, batch: EventBatch) -> bool:
        """Look at the batch; True if the event is in it. `begins` is then what it was before that event."""
        i: cython.Py_ssize_t
        for i in range(batch.count):
            e: p_Event = batch.events + i
            if e.position >= self.position and e.timestamp >= self.since and e.type != FORMAT_DESCRIPTION:
                if e.boundary == START_TRANSACTION or e.boundary == SELF_CONTAINED:
                    self.end()
                return True
            if e.boundary == START_TRANSACTION:
                self.begins = e.position
            elif e.boundary == END_TRANSACTION:
                self.end()
        return False

    def end(self):
        self.begins = -1
        self.ended = True


@cython.final
@cython.cclass
class HeldGtids:
    """The GTIDs of batches, as `intervals()`; of MariaDB, too.

    A server's GTIDs come nearly in order, in few runs of numbers at a time: these are counted here. `closed` has the
    others, which the owner may take out of the list, so that memory does not grow with a log.
    """

    def __cinit__(self):
        self.closed = []

    def read(self, batch: EventBatch) -> None:
        """Add those of a batch. The printer handles a GTID event that is cut short."""
        i: cython.Py_ssize_t
        for i in range(batch.count):
            if is_gtid(batch.events[i].type):
                self.read_event(batch, batch.events + i)
        if batch.count:
            self.last_time = batch.events[batch.count - 1].timestamp

    def read_one(self, batch: EventBatch, index: cython.Py_ssize_t) -> None:
        """Add that of one event, if it has one."""
        e: p_Event = batch.at(index)
        if is_gtid(e.type):
            self.read_event(batch, e)

    def read_event(self, batch: EventBatch, e: p_Event):
        gtid: Gtid
        if e.type == MARIA_GTID:
            status: cython.int = maria_gtid_name(cython.address(gtid), e, cython.address(batch.format))
        else:
            status = gtid_parse(cython.address(gtid), e, cython.address(batch.format))
        if status < 0:
            return
        self.last_commit = max(self.last_commit, gtid.immediate_commit_timestamp)
        if e.type == ANONYMOUS_GTID or gtid.anonymous:
            self.has_anonymous = True
        elif gtid.uuid != cython.NULL and gtid.tag_length <= 32 and 0 < gtid.number < LAST_NUMBER:
            self.add(cython.address(gtid))

    def add(self, gtid: cython.pointer(cython.const[Gtid])):
        i: cython.int
        run: cython.pointer(HeldRun)
        for i in range(self.count):
            run = cython.address(self.runs[i])
            if run.next == gtid.number and of_source(run, gtid):
                run.next += 1
                self.join(i)
                return
            if run.first == gtid.number + 1 and of_source(run, gtid):
                run.first -= 1
                self.join(i)
                return
            if run.first <= gtid.number < run.next and of_source(run, gtid):
                return
        if self.count < MOST_RUNS:
            i = self.count
            self.count += 1
        else:
            i = self.oldest
            self.oldest = (self.oldest + 1) % MOST_RUNS
            self.closed.append(interval_of(cython.address(self.runs[i])))
        run = cython.address(self.runs[i])
        memcpy(run.uuid, gtid.uuid, 16)
        run.tag_length = gtid.tag_length
        if gtid.tag_length:
            memcpy(run.tag, gtid.tag, gtid.tag_length)
        run.first = gtid.number
        run.next = gtid.number + 1

    def join(self, at: cython.int):
        """Make one run of this one and of that which it touches now, if there is one."""
        i: cython.int
        run: cython.pointer(HeldRun) = cython.address(self.runs[at])
        for i in range(self.count):
            other: cython.pointer(HeldRun) = cython.address(self.runs[i])
            if i == at or (other.first != run.next and other.next != run.first) or not same_source(run, other):
                continue
            run.first = min(run.first, other.first)
            run.next = max(run.next, other.next)
            self.count -= 1
            self.runs[i] = self.runs[self.count]
            return

    def intervals(self) -> list:
        """Return the GTIDs as `gtid_set.Interval`s."""
        found: list = self.closed.copy()
        i: cython.int
        for i in range(self.count):
            found.append(interval_of(cython.address(self.runs[i])))
        return found


@cython.final
@cython.cclass
class GtidsAround:
    """The GTIDs before a log of which one batch has all events, and those after it, if both are few runs of numbers."""

    def __cinit__(self):
        self.before_count = self.after_count = -1

    def read(self, batch: EventBatch):
        """Read another log."""
        held: HeldGtids = HeldGtids()
        i: cython.int
        self.before_count = self.after_count = -1
        if batch.format.flags & RELAY_LOG:
            return
        for i in range(batch.count):
            if facts.ROLE_OF_TYPE[batch.events[i].type] != facts.OPENS_LOG:
                break
            if not self.read_before(batch, batch.events + i):
                self.before_count = -1
                return
        held.read(batch)
        if self.before_count < 0 or held.closed:
            return
        memcpy(self.after, self.before, self.before_count * cython.sizeof(HeldRun))
        self.after_count = self.before_count
        for i in range(held.count):
            self.add_after(cython.address(held.runs[i]))

    def read_before(self, batch: EventBatch, e: p_Event) -> cython.bint:
        """Read one of the events that open a log; False if it is not as a server writes it, or holds too much."""
        gtids: PreviousGtids
        i: uint64_t
        if e.type == MARIA_GTID_LIST:
            return self.read_listed(batch, e)
        if e.type != PREVIOUS_GTIDS:
            # a relay log may have a Rotate as its second event
            return (
                e.type == FORMAT_DESCRIPTION
                or e.type == MARIA_BINLOG_CHECKPOINT
                or (e.type == ROTATE and e != batch.events + 1)
            )
        if previous_gtids_begin(cython.address(gtids), e, cython.address(batch.format)) < 0:
            return False
        self.before_count = 0
        while True:
            status: cython.int = previous_gtids_next(cython.address(gtids))
            if status <= 0:
                return status == 0
            for i in range(gtids.interval_count):
                if self.before_count == MOST_RUNS:
                    return False
                run: cython.pointer(HeldRun) = cython.address(self.before[self.before_count])
                memcpy(run.uuid, gtids.uuid, 16)
                run.tag_length = cython.cast(uint8_t, gtids.tag_length)
                if gtids.tag_length:
                    memcpy(run.tag, gtids.tag, gtids.tag_length)
                run.first = cython.cast(int64_t, read_u64(gtids.intervals + 16 * i))
                run.next = cython.cast(int64_t, read_u64(gtids.intervals + 16 * i + 8))
                if not 0 < run.first < run.next:
                    return False
                self.before_count += 1

    def read_listed(self, batch: EventBatch, e: p_Event) -> cython.bint:
        """Read a Gtid_list of MariaDB: all numbers up to the last of each domain and server."""
        count: uint32_t = 0
        i: uint32_t
        at: octets = maria_gtid_list_parse(e, cython.address(batch.format), cython.address(count))
        if at == cython.NULL or count > MOST_RUNS:
            return False
        self.before_count = 0
        for i in range(count):
            run: cython.pointer(HeldRun) = cython.address(self.before[self.before_count])
            memset(run, 0, cython.sizeof(HeldRun))
            memcpy(run.uuid, at, 8)
            run.tag_length = 1
            run.tag[0] = 1  # as maria_gtid_name has it
            run.first = 1
            run.next = cython.cast(int64_t, read_u64(at + 8)) + 1
            if not 0 < run.first < run.next:
                return False
            self.before_count += 1
            at += LISTED_GTID
        return True

    def add_after(self, held: cython.pointer(HeldRun)):
        """Add GTIDs of the log to those after it."""
        i: cython.int
        run: cython.pointer(HeldRun)
        mariadb: cython.bint = held.tag_length == 1 and held.tag[0] == 1
        for i in range(self.after_count):
            run = cython.address(self.after[i])
            if (mariadb or run.next == held.first) and same_source(run, held):
                run.next = max(run.next, held.next)
                return
        run = cython.address(self.after[self.after_count])
        run[0] = held[0]
        if mariadb:
            run.first = 1
        self.after_count += 1

    def continued_by(self, other: GtidsAround) -> cython.bint:
        """Return True if the other log begins with the GTIDs after this one; False also if that is not sure."""
        i: cython.int
        if self.after_count < 0 or other.before_count < 0:
            return False
        for i in range(self.after_count):
            if not is_among(cython.address(self.after[i]), other.before, other.before_count):
                return False
        for i in range(other.before_count):
            if not is_among(cython.address(other.before[i]), self.after, self.after_count):
                return False
        return True


def is_among(run: cython.pointer(HeldRun), runs: cython.pointer(HeldRun), count: cython.int) -> cython.bint:
    i: cython.int
    for i in range(count):
        if runs[i].first == run.first and runs[i].next == run.next and same_source(run, cython.address(runs[i])):
            return True
    return False


def of_source(run: cython.pointer(HeldRun), gtid: cython.pointer(Gtid)) -> cython.bint:
    return (
        run.tag_length == gtid.tag_length
        and memcmp(run.uuid, gtid.uuid, 16) == 0
        and (gtid.tag_length == 0 or memcmp(run.tag, gtid.tag, gtid.tag_length) == 0)
    )


def same_source(run: cython.pointer(HeldRun), other: cython.pointer(HeldRun)) -> cython.bint:
    return (
        run.tag_length == other.tag_length
        and memcmp(run.uuid, other.uuid, 16) == 0
        and memcmp(run.tag, other.tag, run.tag_length) == 0
    )


@cython.cfunc
def interval_of(run: cython.pointer(HeldRun)) -> tuple:
    return (
        PyBytes_FromStringAndSize(cython.address(run.uuid[0]), 16),
        PyBytes_FromStringAndSize(cython.address(run.tag[0]), run.tag_length),
        run.first,
        run.next,
    )
