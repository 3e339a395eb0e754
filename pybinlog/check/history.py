"""History: what is remembered from log to log of one series, prepared XA transactions among it."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from pybinlog.check.gtids import GtidHistory
from pybinlog.errors import CorruptEventError
from pybinlog.kernel.check.check_scan import CheckScan
from pybinlog.kernel.scan.scan import Scanner

PART = rb"(?:[xX]'([0-9a-fA-F]*)'|0x([0-9a-fA-F]+)|'((?:[^'\\]|\\.|'')*)'|\"((?:[^\"\\]|\\.|\"\")*)\")"
STATEMENT = re.compile(
    rb"\s*XA\s+(COMMIT|ROLLBACK)\s+" + PART + rb"(?:\s*,\s*" + PART + rb"(?:\s*,\s*(\d+))?)?\s*(ONE\s+PHASE)?\s*",
    re.IGNORECASE | re.DOTALL,
)
LONGEST_PART = 64


class Xid(NamedTuple):
    """The name of an XA transaction."""

    gtrid: bytes
    bqual: bytes
    format_id: int

    def __str__(self) -> str:
        """As the server writes it in a statement."""
        return f"X'{self.gtrid.hex()}',X'{self.bqual.hex()}',{self.format_id}"


class Prepared(NamedTuple):
    """The place at which a transaction was prepared."""

    file: str
    position: int


def prepared_xid(body: bytes) -> tuple[Xid, bool]:
    """Return the xid of an XA_prepare event, and whether it commits at once (ONE PHASE).

    Raise CorruptEventError if a length reaches beyond the event.
    """
    if len(body) < 13:
        raise CorruptEventError("the XA_prepare event is too short")
    gtrid = int.from_bytes(body[5:9], "little")
    bqual = int.from_bytes(body[9:13], "little")
    if gtrid > LONGEST_PART or bqual > LONGEST_PART or gtrid + bqual > len(body) - 13:
        raise CorruptEventError("the xid reaches beyond the event")
    xid = Xid(body[13 : 13 + gtrid], body[13 + gtrid : 13 + gtrid + bqual], int.from_bytes(body[1:5], "little"))
    return xid, bool(body[0])


def xid_of_statement(text: bytes) -> tuple[Xid, str] | None:
    """Return the xid of an XA COMMIT or XA ROLLBACK statement, and which it is; None for ONE PHASE.

    Raise CorruptEventError if the statement does not name a transaction.
    """
    match = STATEMENT.fullmatch(text)
    if match is None:
        raise CorruptEventError("the statement names no XA transaction")
    if match[11]:
        return None
    gtrid = part(*match.group(2, 3, 4, 5))
    bqual = part(*match.group(6, 7, 8, 9))
    # a server takes larger numbers, writes them into the statement, and keeps four bytes of them
    format_id = int(match[10]) & 0xFFFFFFFF if match[10] else 1
    return Xid(gtrid, bqual, format_id), match[1].decode().upper()


def part(hexadecimal: bytes | None, number: bytes | None, single: bytes | None, double: bytes | None) -> bytes:
    """Return one half of an xid, in whichever way it is written."""
    digits = hexadecimal if hexadecimal is not None else number
    if digits is not None:
        return bytes.fromhex((digits.rjust(len(digits) + len(digits) % 2, b"0")).decode())
    quoted, quote = (single, b"'") if single is not None else (double or b"", b'"')
    return re.sub(rb"\\(.)", rb"\1", quoted.replace(quote * 2, quote), flags=re.DOTALL)


class SeriesFlags(NamedTuple):
    """The knowledge about the logs of a series."""

    complete: bool = False
    """Every transaction since the server's first is in the logs given, none skipped."""
    pieces_missing: bool = False
    """Logs were omitted, or parts of them skipped, since the last Previous_gtids."""
    lost: bool = False
    """Transactions before the next log are in none of the logs."""
    out_of_order: bool = False
    """The logs are not in their order, so the next Previous_gtids does not count."""


@dataclass
class History:
    """One series of logs (`binlog.000001`, `binlog.000002` ...): all that crosses from one to the next."""

    scanner: Scanner = field(default_factory=Scanner)
    scan: CheckScan = field(default_factory=CheckScan)
    xa: dict[Xid, Prepared] = field(default_factory=dict)
    """The transactions that are prepared and not finished (WL#6860), with the places where they were prepared."""
    fresh: bool = True
    """No log of the series was read yet."""
    rotates_to: str | None = None
    """The log that the last event of the log before, a Rotate, names."""
    series: SeriesFlags = field(default_factory=SeriesFlags)
    """Return the knowledge about the given logs of the series."""

    def note(self, **flags: bool) -> None:
        """Note what is known of the series from here on: SeriesFlags by name."""
        self.series = self.series._replace(**flags)

    def __post_init__(self) -> None:
        self.gtids = GtidHistory(self.scan.runs)
        self.scanner.force_read = True
        self.scanner.verify_checksum = True
