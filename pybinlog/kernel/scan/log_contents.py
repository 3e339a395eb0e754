# distutils: extra_compile_args = -O1
"""OpenTransaction: where the transaction around a place begins. HeldGtids: the GTIDs that logs hold.

Compiled, as they look at every event of a log, for a sentence about it.
"""

import cython

from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.base.event import FORMAT_DESCRIPTION, GTID, GTID_TAGGED, MARIA_GTID, Event
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize
from cython.cimports.pybinlog.kernel.scan.classify import END_TRANSACTION, SELF_CONTAINED, START_TRANSACTION
from cython.cimports.pybinlog.kernel.scan.gtid_fields import Gtid, gtid_parse, maria_gtid_name


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
        e: cython.pointer(Event)
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
    """The GTIDs of batches, as `intervals()`; of MariaDB, too."""

    def __cinit__(self):
        self.runs = {}

    def read(self, batch: EventBatch) -> None:
        """Add those of a batch. The printer handles a GTID event that is cut short."""
        i: cython.Py_ssize_t
        e: cython.pointer(Event)
        gtid: Gtid
        status: cython.int
        for i in range(batch.count):
            e = batch.events + i
            if e.type == GTID or e.type == GTID_TAGGED:
                status = gtid_parse(cython.address(gtid), e, cython.address(batch.format))
            elif e.type == MARIA_GTID:
                status = maria_gtid_name(cython.address(gtid), e, cython.address(batch.format))
            else:
                continue
            if status < 0 or gtid.anonymous or gtid.uuid == cython.NULL:
                continue
            source = (
                PyBytes_FromStringAndSize(cython.cast(cython.p_const_char, gtid.uuid), 16),
                PyBytes_FromStringAndSize(gtid.tag, gtid.tag_length) if gtid.tag_length else b"",
            )
            runs = self.runs.setdefault(source, [])
            last = runs[len(runs) - 1] if runs else None
            if last is not None and last[1] == gtid.number:
                last[1] += 1
            else:
                runs.append([gtid.number, gtid.number + 1])

    def intervals(self) -> list:
        """Return the GTIDs as `gtid_set.Interval`s, in the order of the logs."""
        return [(*source, start, end) for source, runs in self.runs.items() for start, end in runs]
