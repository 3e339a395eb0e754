# distutils: extra_compile_args = -O2
"""EventCipher: what stands around AES in events that MariaDB encrypted, for many events at once.

Each event is encrypted by itself, with an IV of the log's nonce and the event's position: all of it but its length,
with the first four bytes in the length's place. The blocks of many events are collected (`collect`), go through AES
in one call, and are put back (`restore`). AES-CBC chains whole blocks, and XORs a rest with the encrypted IV; AES-CTR
XORs everything with encrypted counters. Learned from logs of MariaDB 11.8.
"""

import cython
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcpy


def blocks_of(text: cython.size_t, counts: cython.bint) -> cython.size_t:
    """Count the blocks of an event's ciphertext that AES decrypts (AES-CTR: the counters that it encrypts)."""
    return (text + BLOCK - 1) // BLOCK if counts else text // BLOCK


def exclusive_or(to: cython.pointer(uint8_t), left: octets, right: octets, size: cython.size_t) -> cython.void:
    i: cython.size_t
    for i in range(size):
        to[i] = left[i] ^ right[i]


def exchange(event: cython.pointer(uint8_t)) -> cython.void:
    """Let an event's first bytes and its length change places."""
    first: uint8_t[TEXT_AT]
    memcpy(cython.address(first[0]), event, TEXT_AT)
    memcpy(event, event + LENGTH_AT, TEXT_AT)
    memcpy(event + LENGTH_AT, cython.address(first[0]), TEXT_AT)


def whole_events(data: bytearray, begin: cython.size_t) -> tuple:
    """Return the end of the last whole event from `begin` on, and the length of the next one; 0 if it is not there yet.

    An event whose length is less than a header's ends the run: nothing can be read after it.
    """
    at: cython.p_char = data
    size: cython.size_t = len(data)
    while begin <= size and size - begin >= COMMON_HEADER_LENGTH:
        length: cython.size_t = read_u32(cython.cast(octets, at) + begin + LENGTH_AT)
        if length < COMMON_HEADER_LENGTH or length > size - begin:
            return begin, length
        begin += length
    return begin, 0


@cython.cclass
class EventCipher:
    """Opens the events of one log in place: `nonce` is the Start_encryption's; `counts` says AES-CTR, else AES-CBC.

    AES itself is the caller's: `collect` returns what it is to decrypt and to encrypt, `restore` takes the results.
    The events between two offsets are whole, as `whole_events` found them; only the last one may be cut.
    """

    def __init__(self, nonce: bytes, counts: cython.bint):
        if len(nonce) != NONCE_LENGTH:
            raise ValueError(f"a nonce has {NONCE_LENGTH} bytes, not {len(nonce)}")
        memcpy(cython.address(self.iv[0]), cython.cast(cython.p_char, nonce), NONCE_LENGTH)
        self.counts = counts

    def begin_event(self, position: uint64_t):
        """Make the IV of the event at a position; of a log above 4 GiB its low half counts."""
        i: cython.int
        for i in range(BLOCK - NONCE_LENGTH):
            self.iv[NONCE_LENGTH + i] = cython.cast(uint8_t, position >> (8 * i))

    def write_counters(self, to: cython.pointer(uint8_t), blocks: cython.size_t):
        """Write the counters of an event's blocks: the IV as a big-endian number, and those after it."""
        i: cython.size_t
        k: cython.int
        counter: uint8_t[BLOCK]
        memcpy(cython.address(counter[0]), cython.address(self.iv[0]), BLOCK)
        for i in range(blocks):
            memcpy(to + i * BLOCK, cython.address(counter[0]), BLOCK)
            for k in range(BLOCK - 1, -1, -1):
                counter[k] += 1
                if counter[k]:
                    break

    def collect(self, data: bytearray, begin: cython.size_t, end: cython.size_t, position: cython.ulonglong) -> tuple:
        """Return the blocks that AES is to decrypt, and those that it is to encrypt; the first event is at `position`.

        Raise ValueError if an offset or a length lies outside the data.
        """
        at: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), cython.cast(cython.p_char, data))
        start: cython.size_t = begin
        length: cython.size_t
        decrypted: cython.size_t = 0
        encrypted: cython.size_t = 0
        if begin > end or end > cython.cast(cython.size_t, len(data)):
            raise ValueError("the events reach beyond the data")
        while start < end:
            if end - start < COMMON_HEADER_LENGTH:
                raise ValueError("an event is shorter than its header")
            length = min(cython.cast(cython.size_t, read_u32(at + start + LENGTH_AT)), end - start)
            if length < COMMON_HEADER_LENGTH:
                raise ValueError("an event is shorter than its header")
            if self.counts:
                encrypted += blocks_of(length - TEXT_AT, True)
            else:
                decrypted += blocks_of(length - TEXT_AT, False)
                encrypted += 1
            start += length
        to_decrypt: bytes = PyBytes_FromStringAndSize(cython.NULL, decrypted * BLOCK)
        to_encrypt: bytes = PyBytes_FromStringAndSize(cython.NULL, encrypted * BLOCK)
        block: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), cython.cast(cython.p_char, to_decrypt))
        mask: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), cython.cast(cython.p_char, to_encrypt))
        start = begin
        while start < end:
            length = min(cython.cast(cython.size_t, read_u32(at + start + LENGTH_AT)), end - start)
            exchange(at + start)
            self.begin_event(position + (start - begin))
            decrypted = blocks_of(length - TEXT_AT, self.counts)
            if self.counts:
                self.write_counters(mask, decrypted)
                mask += decrypted * BLOCK
            else:
                memcpy(block, at + start + TEXT_AT, decrypted * BLOCK)
                block += decrypted * BLOCK
                memcpy(mask, cython.address(self.iv[0]), BLOCK)
                mask += BLOCK
            start += length
        return to_decrypt, to_encrypt

    def restore(
        self,
        data: bytearray,
        begin: cython.size_t,
        end: cython.size_t,
        position: cython.ulonglong,
        stored: bytes,
        decrypted: bytes,
        encrypted: bytes,
    ) -> None:
        """Put the plain events in the place of those that `collect` was given.

        `stored` are the blocks that it returned, `decrypted` and `encrypted` what AES made of both. A cut event keeps
        its last bytes, less than a block, as they are. Raise ValueError if the events have more blocks than that.
        """
        at: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), cython.cast(cython.p_char, data))
        block: octets = cython.cast(octets, cython.cast(cython.p_char, stored))
        opened: octets = cython.cast(octets, cython.cast(cython.p_char, decrypted))
        mask: octets = cython.cast(octets, cython.cast(cython.p_char, encrypted))
        blocks: cython.size_t = len(stored) // BLOCK
        masks: cython.size_t = len(encrypted) // BLOCK
        start: cython.size_t = begin
        if len(decrypted) != len(stored) or begin > end or end > cython.cast(cython.size_t, len(data)):
            raise ValueError("these are not the blocks of the events")
        while start < end:
            length: cython.size_t = read_u32(at + start)
            size: cython.size_t = min(length, end - start)
            if size < COMMON_HEADER_LENGTH:
                raise ValueError("an event is shorter than its header")
            text: cython.pointer(uint8_t) = at + start + TEXT_AT
            count: cython.size_t = blocks_of(size - TEXT_AT, self.counts)
            if count > (masks if self.counts else blocks) or masks == 0:
                raise ValueError("these are not the blocks of the events")
            if self.counts:
                exclusive_or(text, text, mask, size - TEXT_AT)
                mask += count * BLOCK
                masks -= count
            else:
                self.begin_event(position + (start - begin))
                if count:
                    exclusive_or(text, opened, cython.address(self.iv[0]), BLOCK)
                    exclusive_or(text + BLOCK, opened + BLOCK, block, (count - 1) * BLOCK)
                if size == length:
                    exclusive_or(text + count * BLOCK, text + count * BLOCK, mask, size - TEXT_AT - count * BLOCK)
                block += count * BLOCK
                opened += count * BLOCK
                blocks -= count
                mask += BLOCK
                masks -= 1
            exchange(at + start)
            start += size
