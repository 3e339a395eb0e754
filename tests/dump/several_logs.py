"""The text of several logs, as one run of the program prints it."""

import io
from collections.abc import Callable, Iterable
from pathlib import Path

from pybinlog.catalog import Catalog
from pybinlog.dump import DumpOptions, run
from pybinlog.errors import BinlogError
from pybinlog.feed.span import Span
from pybinlog.views.definitions import CatalogsAlong


def dumped(
    logs: Iterable[str | Path], options: DumpOptions, jobs: int = 1, catalog: Callable[[], Catalog] = Catalog
) -> tuple[bytes, list[str], str]:
    """Return text, warnings and error."""
    output = io.BytesIO()
    warnings: list[str] = []
    error = ""
    names = [log if isinstance(log, str) else str(log) for log in logs]
    known = CatalogsAlong(catalog(), [Span((name,)) for name in names]) if options.column_names else None
    try:
        run(names, options, output, warnings.append, jobs=jobs, known=known)
    except BinlogError as found:
        error = str(found)
    return output.getvalue(), warnings, error
