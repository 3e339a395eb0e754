# distutils: extra_compile_args = -O1
"""OpenTransaction: where the transaction around a place begins. HeldGtids: the GTIDs that logs hold.

Compiled, as they look at every event of a log.
"""

import cython
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcmp, memcpy
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
        e: p_Event
        for i in range(batch.count):
            e = batch.events + i
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
        status: cython.int
        if e.type == MARIA_GTID:
            status = maria_gtid_name(cython.address(gtid), e, cython.address(batch.format))
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
        other: cython.pointer(HeldRun)
        for i in range(self.count):
            other = cython.address(self.runs[i])
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
        PyBytes_FromStringAndSize(cython.cast(cython.p_const_char, cython.address(run.uuid[0])), 16),
        PyBytes_FromStringAndSize(cython.cast(cython.p_const_char, cython.address(run.tag[0])), run.tag_length),
        run.first,
        run.next,
    )
