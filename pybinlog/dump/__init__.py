"""The text of binary logs, as mysqlbinlog writes it."""

from __future__ import annotations

from pybinlog.dump.options import Base64Output, DumpOptions
from pybinlog.errors import BinlogError
from pybinlog.source import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import BinaryIO, Protocol

    from pybinlog.catalog import Catalog
    from pybinlog.dump.follow import Follower
    from pybinlog.feed.remarks import Remarks
    from pybinlog.feed.span import Span

    class Writer(Protocol):
        def write(self, data: bytes, /) -> object: ...


__all__ = ["Base64Output", "DumpOptions", "run"]


def run(
    names: Sequence[str],
    options: DumpOptions,
    output: Writer,
    warn: Callable[[str], None],
    stdin: BinaryIO | None = None,
    progress: Callable[[int], None] | None = None,
    jobs: int = 1,
    follow: Follower | None = None,
    known: Callable[[Span], Catalog] | None = None,
) -> Remarks:
    """Write the logs of these names, in order, as one text; with `follow`, also what comes after them.

    `output.write` is given objects with the buffer protocol, which it may keep; `warn` each warning,
    `progress` the number of bytes that were done since it was called last. `jobs` is the most threads that print; the
    text is the same for any number. With more than one, all three are called by any of them, never two calls at once.
    `known` returns the tables as a log begins, for `options.column_names`.
    Return what there is to say of what the filters have kept and dropped.
    Raise BinlogError if a log cannot be read on: the text before it, and what closes the text, have been written then.
    """
    from pybinlog.dump.log import Dump

    dump = Dump(options, output.write, warn, stdin, progress, jobs, known)
    if len(names) > 1 or follow is not None or names[0] == "-" or names[0].startswith(SERVER):
        dump.watch_gaps()
    error: BinlogError | None = None
    try:
        dump.open()
        try:
            written = 0
            for number, name in enumerate(names if follow is None else follow.logs(names)):
                if number < written:
                    continue
                last = number >= len(names) - 1
                if not dump.log(name, first=number == 0, last=last, follow=follow if last else None):
                    break
                if follow is None:
                    written = dump.small_logs(names, number + 1)
        except BinlogError as found:
            error = found
        dump.close()
    finally:
        dump.end_threads()
        dump.end_load_files()
    if error is None:
        error = dump.damage or dump.start_missed
    if error is not None:
        raise error
    return dump.remarks
