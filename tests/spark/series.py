"""Series: many logs of one series, made from one."""

import struct
import zlib
from pathlib import Path

from tests.inflate import MAGIC_LENGTH, ROTATE

GTID = 33
SIZE = struct.Struct("<I")
NUMBER = struct.Struct("<q")


class Series:
    """Logs like the one given, as a server writes them one after the other: GTIDs continue, each names the next."""

    def __init__(self, log: bytes):
        self._log = log
        self._gtids: list[tuple[int, int]] = []
        at = MAGIC_LENGTH
        while at < len(log):
            size = SIZE.unpack_from(log, at + 9)[0]
            if log[at + 4] == GTID:
                self._gtids.append((at, size))
            last, at = at, at + size
        self._last = last

    def log(self, number: int) -> bytearray:
        """The log of this number, from 1."""
        log = bytearray(self._log)
        with memoryview(log) as view:
            for count, (at, size) in enumerate(self._gtids, (number - 1) * len(self._gtids) + 1):
                NUMBER.pack_into(log, at + 19 + 17, count)
                SIZE.pack_into(log, at + size - 4, zlib.crc32(view[at : at + size - 4]))
            if log[self._last + 4] == ROTATE:
                log[-10:-4] = b"%06d" % (number + 1)
                SIZE.pack_into(log, len(log) - 4, zlib.crc32(view[self._last : -4]))
        return log

    def write(self, folder: Path, count: int) -> list[str]:
        """Write that many logs into a folder, and return their names."""
        names = [folder / f"binlog.{number:06d}" for number in range(1, count + 1)]
        for number, name in enumerate(names, 1):
            name.write_bytes(self.log(number))
        return list(map(str, names))
