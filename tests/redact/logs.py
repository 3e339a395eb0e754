"""Logs for these tests: real ones, redacted in memory."""

from __future__ import annotations

import io
from pathlib import Path

from pybinlog.errors import BinlogError
from pybinlog.redact import Redaction, Redactor
from pybinlog.source.file import ObjectSource
from tests.corpus import PROJECT, Scenario, more_scenarios, scenarios

KEY = b"sixteen secrets!"
MARKED = sorted((PROJECT / "testdata" / "redact").glob("*/*.00*"))
"""Logs with a marker in each value (markers.py): all types of both servers."""


def redacted(data: bytes, redactor: Redactor | None = None) -> tuple[bytes, Redaction]:
    """Return a redacted log, and what was found in it."""
    pieces: list[bytes] = []
    done = (redactor or Redactor(KEY)).log(
        ObjectSource("binlog.000001", io.BytesIO(data)), lambda piece: pieces.append(bytes(piece))
    )
    return b"".join(pieces), done


def closed_logs() -> list[Path]:
    """Return the logs of the corpus, and of more cases, that can be redacted."""
    found: list[Scenario] = [*scenarios(), *more_scenarios("more")]
    return [log for scenario in found for log in scenario.logs if is_accepted(log)]


def is_accepted(log: Path) -> bool:
    try:
        redacted(log.read_bytes())
    except BinlogError:
        return False
    return True
