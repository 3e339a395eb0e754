"""The text of one log that a test has built."""

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pybinlog.dump import DumpOptions, run
from pybinlog.errors import BinlogError

HEADER = re.compile(rb"#\d{6} [ \d]\d:\d\d:\d\d server id \d+  end_log_pos \d+(?: CRC32 0x[0-9a-f]{8})? ")
END = re.compile(rb"^(?:DELIMITER ;|[^\n]*/\* ?added by mysqlbinlog)", re.MULTILINE)


@dataclass
class Dumped:
    """The output of a dump."""

    text: bytes
    warnings: list[str]
    error: BinlogError | None

    @property
    def events(self) -> list[bytes]:
        """The text of each event after its "# at" line, the header's fields replaced by "#"; none of the log's end."""
        pieces = re.split(rb"^# at \d+\n", END.split(self.text)[0], flags=re.MULTILINE)[1:]
        return [HEADER.sub(b"#", piece) for piece in pieces]


def dumped(log: bytes | Path, folder: Path, *, local_load: str | None = None, jobs: int = 1, **options: Any) -> Dumped:
    """Dump the log, given by its bytes or its path, without TBM fields unless `options` ask for them."""
    if isinstance(log, bytes):
        (folder / "binlog.000001").unlink(missing_ok=True)  # ext4 would write an emptied file to the disk at once
        (folder / "binlog.000001").write_bytes(log)
        log = folder / "binlog.000001"
    output = io.BytesIO()
    warnings: list[str] = []
    error = None
    try:
        settings = DumpOptions(**{"tbm": False, "local_load": local_load or str(folder), **options})
        run([str(log)], settings, output, warnings.append, jobs=jobs)
    except BinlogError as found:
        error = found
    return Dumped(output.getvalue(), warnings, error)
