"""Rows of a log on this machine as its server writes it, and of the logs after it."""

import os
from collections.abc import Sequence

from pybinlog.dump.follow import Follower
from pybinlog.errors import DataLossError, SourceError
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.live.live_run import LiveRun, Place
from pybinlog.live.read_gtids import continues
from pybinlog.log.gap_watch import GapWatch
from pybinlog.log.log_head import read_head
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from pybinlog.source.followed import clear_in_use
from pybinlog.source.keyed_log import keyed_as
from pybinlog.source.log_series import COMPRESSION_SUFFIXES, LogName, by_number

HINT = "Name another checkpoint (and output) to begin anew"


def follow_rows(follower: Follower, names: Sequence[str], run: LiveRun, gaps: GapWatch) -> None:
    """Read these logs and those that follow into a LiveRun, from its checkpoint if there is one; return never.

    Raise DataLossError if the checkpoint's log is gone, or another one; GapError if a log is missing between two;
    BinlogError as a dump with --follow does.
    """
    folder = os.path.dirname(os.path.abspath(names[-1]))
    run.begin(f"logs in {folder}")
    place = run.place
    if place is not None and not os.path.exists(place.name) and (oldest := oldest_log(names[-1])) is not None:
        head = read_head(keyed_as(names[-1], oldest))
        if continues(run.lines.gtids, head, "the checkpoint", file=place.name, position=place.whole, hint=HINT):
            names, place = [head.name], None
    if place is not None:
        log = keyed_as(names[-1], place.name)
        check_log(place, log)
        known = [os.path.abspath(name) for name in names]
        names = [*names[known.index(place.name) :]] if place.name in known else [log]
    scanner = Scanner(verify_checksum=True)
    for name in follower.logs(names):
        place = place or Place(os.path.abspath(name))
        is_started = False
        with follower.open(name) as source:
            reader = Reader(source, scanner, place.whole)
            follower.reads(reader)
            run.lines.begin_log(name)
            for batch in gaps.batches(reader, reader):
                if not is_started:
                    run.start(place)
                    is_started = True
                if batch.count:
                    run.add(batch)
                del batch
                if not source.ready(0):
                    run.save()
            if not reader.closes(relay_log=False):
                scanner.reset()
                run.lines.reset()
            run.save()
            follower.finish()
        place = None


def oldest_log(name: str) -> str | None:
    """Return the first log of a series, by the name of one of them; None if there is none."""
    folder, series = os.path.dirname(name), LogName.of(name).series
    try:
        names = [os.path.join(folder, base) for base in os.listdir(folder or ".")]
    except OSError:
        return None
    logs = [one for one in names if LogName.of(one).series == series and not one.endswith(COMPRESSION_SUFFIXES)]
    return min((one for one in logs if LogName.of(one).number is not None), key=by_number, default=None)


def check_log(place: Place, name: str) -> None:
    """Raise DataLossError if the log of a checkpoint is not there, is another one, or has lost its end.

    `name` is the log's, with the keyring if there is one.
    """
    try:
        with open_source(name) as source:
            opening = bytearray(source.read_up_to(len(place.opening)))
            size = source.size or 0
    except SourceError as error:
        raise DataLossError(
            f"the checkpoint continues in this log, which {error.message}: it was purged, or moved",
            file=place.name,
            position=place.whole,
            hint=HINT,
        ) from error
    clear_in_use(memoryview(opening), 0)
    if bytes(opening) != place.opening:
        raise DataLossError(
            "the checkpoint is of another log of that name: the logs were reset", file=place.name, hint=HINT
        )
    if size < place.whole:
        raise DataLossError(
            f"the checkpoint is at {place.whole}, and the log has {size} bytes: its server has lost the end of it",
            file=place.name,
            position=size,
            hint=HINT,
        )
