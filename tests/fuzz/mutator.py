"""Mutator: real logs, damaged so that the damage reaches deep."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from random import Random

import zstandard

from pybinlog.log.large_event import COMPRESSED, inflate
from tests.check.payloads import data_start, lenenc

MAGIC = b"\xfebin"
HEADER = 19
SIZE, END_LOG_POS, FLAGS = 9, 13, 17
FORMAT_DESCRIPTION, TRANSACTION_PAYLOAD = 15, 40
CRC32 = 1
MOST_EVENTS = 24
BYTES = (0, 1, 2, 7, 8, 127, 128, 250, 251, 252, 253, 254, 255)
NUMBERS = (
    0,
    1,
    18,
    19,
    23,
    255,
    256,
    65535,
    65536,
    1 << 20,
    1 << 24,
    (1 << 30) + 1,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
)
LARGE = (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 19, 1 << 40


@dataclass(frozen=True)
class Seed:
    """A real log cut into its events, as far as their sizes can be believed; `rest` is what follows them."""

    name: str
    data: bytes
    events: tuple[bytes, ...]
    rest: bytes
    checksums: bool

    @classmethod
    def of(cls, name: str, data: bytes) -> Seed:
        events = []
        at = len(MAGIC)
        while len(data) - at >= HEADER:
            (size,) = struct.unpack_from("<I", data, at + SIZE)
            if not HEADER <= size <= len(data) - at:
                break
            events.append(data[at : at + size])
            at += size
        checksums = bool(events) and events[0][4] == FORMAT_DESCRIPTION and events[0][-5] == CRC32
        return cls(name, data, tuple(events), data[at:], checksums)


class Mutator:
    """Makes inputs of seeds. The input of a number is always the same for the same seeds and `run`."""

    def __init__(self, seeds: list[Seed], run: int):
        self._seeds = seeds
        self._with_events = [seed for seed in seeds if len(seed.events) > 1]
        self._payloads = [event for seed in seeds for event in seed.events if event[4] == TRANSACTION_PAYLOAD]
        self._run = run

    def random(self, number: int) -> Random:
        """Return the random choices for an input."""
        return Random(f"{self._run}/{number}")

    def make(self, random: Random) -> bytes:
        """An input: raw damage, or damage inside events that are whole again afterwards."""
        if random.random() < 0.2:
            return self._raw(random)
        seed = random.choice(self._with_events)
        events = self._some_events(seed, random)
        for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
            self._change_event(events, random)
        data = self._joined(events, seed.checksums, random)
        if random.random() < 0.1:
            data = data[: random.randrange(len(data) + 1)]
        elif random.random() < 0.1:
            data += seed.rest or bytes(random.randrange(40))
        return bytes(data)

    # ---- bytes without regard to what they mean

    def _raw(self, random: Random) -> bytes:
        data = bytearray(random.choice(self._seeds).data)
        if len(data) > 8192:
            del data[random.randrange(4096, 8192) :]
        for _ in range(random.choice((1, 1, 2, 5, 20))):
            if data:
                self._change_bytes(data, random)
        return bytes(data)

    def _change_bytes(self, data: bytearray, random: Random, begin: int = 0) -> None:
        if len(data) <= begin:
            data += random.randbytes(random.randrange(1, 9))
            return
        at = random.randrange(begin, len(data))
        kind = random.randrange(10)
        if kind < 2:
            data[at] = random.randrange(256)
        elif kind < 3:
            data[at] ^= 1 << random.randrange(8)
        elif kind < 5:
            data[at] = random.choice(BYTES)
        elif kind < 6:
            data[at : at + 4] = struct.pack("<I", random.choice(NUMBERS))
        elif kind < 7:
            width = random.choice((2, 3, 8))
            data[at : at + width] = random.choice(NUMBERS + LARGE).to_bytes(9, "little")[:width]
        elif kind < 8:
            del data[at : at + random.randrange(1, 30)]
        elif kind < 9:
            data[at:at] = (
                random.randbytes(random.randrange(1, 30)) if random.random() < 0.5 else bytes(random.randrange(60))
            )
        else:
            other = random.choice(self._seeds).data
            where = random.randrange(len(other) + 1)
            data[at:at] = other[where : where + random.randrange(300)]

    # ---- events

    def _some_events(self, seed: Seed, random: Random) -> list[bytearray]:
        """The events that open the log, and a stretch of the others: deep damage needs no long log."""
        count = len(seed.events)
        begin = random.randrange(1, count)
        if random.random() < 0.3:
            begin = 1
        some = [*seed.events[:1], *seed.events[begin : begin + random.randrange(1, MOST_EVENTS)]]
        return [bytearray(event) for event in some]

    def _change_event(self, events: list[bytearray], random: Random) -> None:
        index = random.randrange(len(events))
        event = events[index]
        kind = random.randrange(20)
        if kind < 12:
            self._change_bytes(event, random, min(HEADER, len(event)))
        elif kind < 13:
            event[4] = random.randrange(256) if random.random() < 0.3 else random.randrange(44)
        elif kind < 14:
            event[FLAGS : FLAGS + 2] = struct.pack("<H", random.getrandbits(16))
        elif kind < 15:
            events.insert(index, bytearray(event))
        elif kind < 16:
            if len(events) > 1:
                del events[index]
        elif kind < 17:
            other = random.choice(self._with_events)
            events.insert(index, bytearray(random.choice(other.events)))
        elif kind < 18:
            other_index = random.randrange(len(events))
            events[index], events[other_index] = events[other_index], events[index]
        elif random.random() < 0.5 or not self._change_compressed(events, random):
            self._change_payload(events, index, random)

    def _change_compressed(self, events: list[bytearray], random: Random) -> bool:
        """Damage inside a compressed event of MariaDB, which is compressed anew; False if there is none."""
        among = [at for at, event in enumerate(events) if event[4] in COMPRESSED and len(event) > HEADER + 4]
        if not among:
            return False
        at = random.choice(among)
        event = events[at]
        opened = opened_event(event)
        if opened is None:
            return False
        start, data = opened
        changed = bytearray(data)
        self._change_bytes(changed, random)
        said = len(changed) if random.random() < 0.8 else random.choice(NUMBERS)
        packed = zlib.compress(changed)
        if random.random() < 0.1:
            packed = packed[: random.randrange(len(packed))]
        events[at] = event[: HEADER + start] + b"\x84" + struct.pack(">I", said & 0xFFFFFFFF) + packed + bytes(4)
        return True

    def _change_payload(self, events: list[bytearray], index: int, random: Random) -> None:
        """Damage inside the compressed events of a transaction, which is compressed anew."""
        if not self._payloads:
            return
        at = next((at for at, event in enumerate(events) if event[4] == TRANSACTION_PAYLOAD), None)
        event = events[at] if at is not None else bytearray(random.choice(self._payloads))
        opened = opened_payload(event)
        if opened is None:
            return
        inside = list(Seed.of("", MAGIC + opened).events)
        if not inside:
            return
        changed = [bytearray(one) for one in inside]
        for _ in range(random.choice((1, 1, 2, 4))):
            one = random.choice(changed)
            if random.random() < 0.1:
                one[4] = random.randrange(44)
            else:
                self._change_bytes(one, random, HEADER)
        if random.random() < 0.9:
            for one in changed:
                if len(one) >= HEADER:
                    struct.pack_into("<I", one, SIZE, len(one))
        data = b"".join(changed)
        if random.random() < 0.05:
            data += bytes(random.choice((1, 19, 1 << 16, 1 << 20)))
        said = len(data) if random.random() < 0.8 else random.choice(NUMBERS + LARGE)
        new = bytearray(event[:HEADER]) + closed_payload(data, said) + bytes(4)
        if at is None:
            events.insert(index, new)
        else:
            events[at] = new

    def _joined(self, events: list[bytearray], checksums: bool, random: Random) -> bytearray:
        """The log of these events; sizes, positions and checksums mostly fit, for else the reader stops there."""
        data = bytearray(MAGIC)
        lies = random.random() < 0.15
        for event in events:
            if len(event) >= HEADER + 4 and not (lies and random.random() < 0.2):
                struct.pack_into("<II", event, SIZE, len(event), len(data) + len(event))
                if checksums:
                    struct.pack_into("<I", event, len(event) - 4, checksum(event))
            elif lies and len(event) >= HEADER:
                at = random.choice((SIZE, END_LOG_POS))
                struct.pack_into("<I", event, at, random.choice((*NUMBERS, len(event) + random.randrange(-8, 8))))
            data += event
        return data


def checksum(event: bytearray) -> int:
    """The CRC32 of an event; the in-use flag of a Format_description does not count."""
    covered = bytearray(event[:-4])
    if covered[4] == FORMAT_DESCRIPTION:
        covered[FLAGS] &= 0xFE
    return zlib.crc32(covered)


def opened_event(event: bytearray) -> tuple[int, bytes] | None:
    """Return the offset of the data of a compressed event of MariaDB in its body, and the inflated data."""
    from pybinlog.errors import BinlogError

    body = bytes(event[HEADER:-4])
    try:
        start = data_start(body, event[4])
        return start, bytes(inflate(body, start))
    except BinlogError:
        return None


def opened_payload(event: bytearray) -> bytes | None:
    """The uncompressed events of a Transaction_payload that is whole."""
    from pybinlog.errors import BinlogError
    from pybinlog.log.payload import Payload

    try:
        return b"".join(Payload(bytes(event[HEADER:-4])).pieces())
    except BinlogError:
        return None


def closed_payload(data: bytes, said: int) -> bytes:
    """The body of a Transaction_payload that says to hold `said` bytes."""
    compressed = zstandard.ZstdCompressor(level=1).compress(data)
    fields = b""
    for field, value in ((2, 0), (3, said), (1, len(compressed))):
        number = lenenc(value)
        fields += bytes((field,)) + lenenc(len(number)) + number
    return fields + b"\0" + compressed
