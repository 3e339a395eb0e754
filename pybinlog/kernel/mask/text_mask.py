"""TextMask: texts and bytes masked in place, by texts of the same bytes, characters and kinds of characters.

A letter stays a letter in its case, a digit a digit, a sign a sign; spaces, quotes, commas, `\\`, `%`, `_`, `$` and
line ends stay. The places of the characters in their classes go through a Feistel network, so that texts that differ
get masks that differ, and texts that differ in case get masks that differ in case. A text that is a whole number, a
date, a time or JSON is masked as one.
"""

import cython
from cython.cimports.libc.math import fabs
from cython.cimports.pybinlog.kernel.base.collation import COLLATION_BINARY, character_set_of
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import is_interrupted, memcmp, memcpy, PyMem_RawCalloc, PyMem_RawFree
from cython.cimports.pybinlog.kernel.mask import permutation
from cython.cimports.pybinlog.kernel.mask.temporal_mask import mask_moment_text

SIGNS = b"!#&()*+-./:;<=>?@[]^{|}~"
MOST_DIGITS = cython.declare(cython.int, 512)
LONGEST_NUMBER = cython.declare(cython.size_t, 18)
MOST_BRACKETS = cython.declare(cython.int, 64)
LONGEST_MOMENT = cython.declare(cython.size_t, 26)
COLLATION_OF_JSON = cython.declare(uint32_t, 46)  # utf8mb4_bin
TEXT_BLOCK = cython.declare(uint32_t, 256)
# Powers of 2, so that a mask, which keeps the exponent, is between them, too.
LEAST_EVERYDAY = cython.declare(cython.double, 1.0 / 1048576)
MOST_EVERYDAY = cython.declare(cython.double, 16777216)

# ASCII's classes: letters, digits, signs, and control characters.
CLASS_COUNT = cython.declare(uint32_t[4])
CLASS_MEMBERS = cython.declare(uint8_t[256])  # 64 of each class
CLASS_OF = cython.declare(uint8_t[128])  # plus 1; 0: it stays
PLACE_OF = cython.declare(uint8_t[128])


def fill_ascii():
    number: cython.int
    place: cython.int
    for number, members in enumerate(
        (
            b"abcdefghijklmnopqrstuvwxyz",
            b"0123456789",
            SIGNS,
            bytes(code for code in range(1, 32) if code not in b"\t\n\r"),
        )
    ):
        CLASS_COUNT[number] = len(members)
        for place, code in enumerate(members):
            CLASS_MEMBERS[64 * number + place] = code
            CLASS_OF[code] = number + 1
            PLACE_OF[code] = place
            if number == 0:
                CLASS_OF[code - 32] = 1
                PLACE_OF[code - 32] = place


fill_ascii()


def set_class(table: p_const_CharTable, c: cython.pointer(Character)):
    """Find the class of a character by its code."""
    entry: uint32_t
    c.count = 0
    c.of = 0
    c.upper = False
    if c.code < 128:
        if CLASS_OF[c.code]:
            c.first = CLASS_OF[c.code] - 1
            c.count = CLASS_COUNT[c.first]
            c.place = PLACE_OF[c.code]
            c.upper = 65 <= c.code <= 90
    elif c.code >= TABLE_CODES or (c.code >= 0x10000 and c.size == 4):
        c.of = 2
        c.count = TEXT_BLOCK
        c.place = c.code & (TEXT_BLOCK - 1)
    else:
        entry = table.entries[c.code]
        if entry & ENTRY:
            c.of = 1
            c.first = table.starts[((entry & ENTRY) >> 17) - 1]
            c.count = table.starts[(entry & ENTRY) >> 17] - c.first
            c.place = (entry >> 1) & 0xFFFF
            c.upper = entry & 1


def read_character(
    reading: Reading,
    table: p_const_CharTable,
    at: cython.pointer(cython.const[uint8_t]),
    end: cython.pointer(cython.const[uint8_t]),
    c: cython.pointer(Character),
) -> cython.bint:
    """Read the character at a place; False if the bytes are none. `c.count` is 0 of one that stays."""
    left: cython.size_t = end - at
    i: cython.int
    c.code = at[0]
    c.size = 1
    if reading == READ_BYTES:
        c.of = 3
        c.count = 127 if c.code < 128 else 128
        c.place = c.code - 1 if c.code < 128 else c.code - 128
        if c.code == 0:
            c.count = 0
        return True
    if c.code < 128:
        set_class(table, c)
        return True
    if c.code < 0xC2 or c.code > 0xF4:
        return False
    c.size = 2 if c.code < 0xE0 else 3 if c.code < 0xF0 else 4
    if left < cython.cast(cython.size_t, c.size):
        return False
    c.code &= 0x7F >> c.size
    for i in range(1, c.size):
        if at[i] & 0xC0 != 0x80:
            return False
        c.code = (c.code << 6) | (at[i] & 0x3F)
    if (c.size == 3 and (c.code < 0x800 or 0xD800 <= c.code < 0xE000)) or (
        c.size == 4 and not 0x10000 <= c.code < 0x110000
    ):
        return False
    set_class(table, c)
    return True


def write_character(table: p_const_CharTable, at: cython.pointer(uint8_t), c: cython.pointer(cython.const[Character])):
    """Write the character of another place in the same class."""
    code: uint32_t
    i: cython.int
    if c.of == 3:
        at[0] = c.place + 1 if at[0] < 128 else c.place + 128
        return
    if c.of == 0:
        code = CLASS_MEMBERS[64 * c.first + c.place] - (32 if c.upper else 0)
    elif c.of == 2:
        code = (c.code & ~(TEXT_BLOCK - 1)) | c.place
    else:
        code = table.uppers[c.first + c.place] if c.upper else table.members[c.first + c.place]
    if c.size == 1:
        at[0] = code
    else:
        i = c.size - 1
        while i > 0:
            at[i] = 0x80 | (code & 0x3F)
            code >>= 6
            i -= 1
        at[0] = (0xF0 if c.size == 4 else 0xE0 if c.size == 3 else 0xC0) | code


def is_valid(
    table: p_const_CharTable,
    data: cython.pointer(cython.const[uint8_t]),
    size: cython.size_t,
    controls: cython.bint,
) -> cython.bint:
    """Return True if all bytes are characters of UTF-8; `controls`: control characters may be among them."""
    at: cython.pointer(cython.const[uint8_t]) = data
    end: cython.pointer(cython.const[uint8_t]) = data + size
    c: Character
    while at < end:
        if at[0] < 128:
            if not controls and (CLASS_OF[at[0]] == 4 or at[0] == 0):
                return False
            at += 1
            continue
        if not read_character(READ_UTF8, table, at, end, cython.address(c)) or c.count == 0:
            return False
        at += c.size
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_uncertain(
    table: p_const_CharTable, at: cython.pointer(cython.const[uint8_t]), end: cython.pointer(cython.const[uint8_t])
) -> cython.bint:
    """Return True if a UTF-8 text has a character whose mask may be equal to another one's."""
    c: Character
    while at < end:
        if at[0] < 128:
            at += 1
            continue
        if not read_character(READ_UTF8, table, at, end, cython.address(c)):
            return False
        if c.code >= TABLE_CODES or table.entries[c.code] & ~ENTRY:
            return True
        at += c.size
    return False


def is_whole_number(data: cython.pointer(cython.const[uint8_t]), size: cython.size_t) -> cython.bint:
    i: cython.size_t
    for i in range(size):
        if not 48 <= data[i] <= 57:
            return False
    return 0 < size <= LONGEST_NUMBER


def mask_number_text(
    key: cython.pointer(cython.const[MaskKey]), data: cython.pointer(uint8_t), size: cython.size_t
) -> cython.bint:
    digits: uint8_t[512]
    at: cython.size_t = 0
    count: cython.size_t = 0
    whole: cython.size_t = 0
    start: cython.size_t
    point: cython.bint = False
    i: cython.size_t
    if at < size and (data[at] == b"-" or data[at] == b"+"):
        at += 1
    start = at
    while at < size and (48 <= data[at] <= 57 or (data[at] == b"." and not point)):
        if data[at] == b".":
            point = True
        else:
            if count == cython.cast(cython.size_t, MOST_DIGITS):
                return False
            digits[count] = data[at] - 48
            count += 1
            if not point:
                whole = count
        at += 1
    i = at
    if count == 0:
        return False
    if i < size:
        if data[i] | 32 != b"e":
            return False
        i += 1
        if i < size and (data[i] == b"-" or data[i] == b"+"):
            i += 1
        if i == size:
            return False
        while i < size:
            if not 48 <= data[i] <= 57:
                return False
            i += 1
    if key == cython.NULL:
        return True
    permutation.mask_digits(key, digits, whole, count)
    count = 0
    for i in range(start, at):
        if data[i] != b".":
            data[i] = digits[count] + 48
            count += 1
    return True


def json_string_end(
    data: cython.pointer(cython.const[uint8_t]), at: cython.size_t, size: cython.size_t
) -> cython.size_t:
    """Return the place of the quote that ends a JSON string, which begins at `at`; `size` if none does."""
    while at < size and data[at] != b'"':
        if data[at] == b"\\" and at + 1 < size and data[at + 1] == b"u":
            if size - at < 6 or code_of(data + at + 2) < 0:
                return size
            at += 4
        at += 2 if data[at] == b"\\" else 1
    return at if at < size else size


def code_of(digits: cython.pointer(cython.const[uint8_t])) -> cython.int:
    """Return the number of four hexadecimal digits; -1 if they are none."""
    code: cython.int = 0
    i: cython.int
    for i in range(4):
        if 48 <= digits[i] <= 57:
            code = code * 16 + digits[i] - 48
        elif b"a" <= digits[i] | 32 <= b"f":
            code = code * 16 + (digits[i] | 32) - 87
        else:
            return -1
    return code


def mask_code(key: cython.pointer(cython.const[MaskKey]), digits: cython.pointer(uint8_t)):
    """Mask the four digits of an escape: halves of surrogate pairs stay such halves."""
    code: uint32_t = cython.cast(uint32_t, code_of(digits))
    first: uint32_t = 0 if code < 0xD800 else 0xE000 if code >= 0xE000 else code & 0xFC00
    count: uint32_t = 0xD800 if code < 0xD800 else 0x2000 if code >= 0xE000 else 0x400
    upper: cython.bint = False
    i: cython.int
    for i in range(4):
        upper = upper or 65 <= digits[i] <= 70
    code = first + cython.cast(
        uint32_t,
        permutation.permute(key, code - first, count, permutation.of_family(permutation.FAMILY_SYMBOL) | first),
    )
    for i in range(4):
        digits[3 - i] = b"0123456789ABCDEF"[code & 15] if upper else b"0123456789abcdef"[code & 15]
        code >>= 4


def is_json(data: cython.pointer(cython.const[uint8_t]), size: cython.size_t) -> cython.bint:
    """Return True if the text looks like a JSON object or array: all that is not a sign of JSON can be masked apart."""
    at: cython.size_t = 0
    open: uint64_t = 0
    depth: cython.int = 0
    c: uint8_t
    start: cython.size_t
    while at < size and (data[at] == b" " or data[at] == b"\n" or data[at] == b"\t" or data[at] == b"\r"):
        at += 1
    if at == size or (data[at] != b"{" and data[at] != b"["):
        return False
    while at < size:
        c = data[at]
        if c == b"{" or c == b"[":
            if depth == 64:
                return False
            open = (open << 1) | (c == b"{")
            depth += 1
        elif c == b"}" or c == b"]":
            if depth == 0 or (open & 1) != (c == b"}"):
                return False
            open >>= 1
            depth -= 1
        elif c == b'"':
            at = json_string_end(data, at + 1, size)
            if at == size:
                return False
        elif c == b"t" or c == b"f" or c == b"n":
            start = at
            while at < size and 97 <= data[at] <= 122:
                at += 1
            if not (
                (at - start == 4 and (has(data + start, b"true", 4) or has(data + start, b"null", 4)))
                or (at - start == 5 and has(data + start, b"false", 5))
            ):
                return False
            continue
        elif c == b"-" or 48 <= c <= 57:
            start = at
            while at < size and (48 <= data[at] <= 57 or data[at] in (b"-", b"+", b".", b"e", b"E")):
                at += 1
            if not mask_number_text(cython.NULL, cython.cast(cython.pointer(uint8_t), data) + start, at - start):
                return False
            continue
        elif c not in (b",", b":", b" ", b"\n", b"\t", b"\r"):
            return False
        at += 1
    return depth == 0


def has(data: cython.pointer(cython.const[uint8_t]), word: cython.p_const_char, size: cython.int) -> cython.bint:
    i: cython.int
    for i in range(size):
        if data[i] != cython.cast(uint8_t, word[i]):
            return False
    return True


def encode(
    known: p_const_KnownTable,
    text: cython.pointer(cython.const[uint8_t]),
    length: cython.size_t,
    to: cython.pointer(uint8_t),
    size: cython.size_t,
) -> cython.bint:
    """Write a text of UTF-8 in another character set, in which it has `size` bytes; False if it has not."""
    end: cython.pointer(cython.const[uint8_t]) = text + length
    last: cython.pointer(uint8_t) = to + size
    form: cython.int = known.charset.form
    c: Character
    code: uint32_t
    bytes_of: cython.int
    i: cython.int
    while text < end:
        if form == TABLE and text[0] < 128:
            if to == last:
                return False
            to[0] = text[0]
            to += 1
            text += 1
            continue
        if not read_character(READ_UTF8, cython.address(known.table), text, end, cython.address(c)):
            return False
        text += c.size
        code = c.code
        if form == TABLE and c.size == 4:
            code = four_code(code)
        elif form == TABLE:
            code = known.codes[code]
        elif form != UTF32 and c.size == 4:
            code = ((0xD800 + ((code - 0x10000) >> 10)) << 16) | 0xDC00 | (code & 0x3FF)
        bytes_of = 4 if form == UTF32 or code >> 24 else 3 if code >> 16 else 2 if form != TABLE or code >> 8 else 1
        if last - to < bytes_of:
            return False
        for i in range(bytes_of):
            to[i ^ 1 if form == UTF16LE else i] = (code >> (8 * (bytes_of - 1 - i))) & 255
        to += bytes_of
    return to == last


@cython.cclass
class TextMask:
    """Masks texts with 16 secret bytes; `tables` gives the classes of a character set's characters, as bytes.

    `folds` gives the name of those of a collation that takes accented letters for plain ones, by its number and whether
    it is MariaDB's; "": it does not; "?": that is not known. Without `folds`, none does.
    """

    def __cinit__(self, *_):
        self.key.small = cython.cast(
            cython.pointer(uint32_t), PyMem_RawCalloc(permutation.SMALL_NUMBERS, cython.sizeof(uint32_t))
        )
        if self.key.small == cython.NULL:
            raise MemoryError("no memory for the masks of small numbers")

    def __init__(self, secret: bytes, tables: object, folds: object = None):
        if len(secret) != 16:
            raise ValueError("a key has 16 bytes")
        place: cython.p_const_char = secret
        self.key.known = cython.address(self.known_masks[0])
        self.key.classes = cython.address(self.known_classes[0])
        self.key.first = read_u64(cython.cast(cython.pointer(uint8_t), place))
        self.key.second = read_u64(cython.cast(cython.pointer(uint8_t), place) + 8)
        self.tables = tables
        self.folds_of = folds
        self.fold_names = []
        self.kept = []
        self.scratch, self.plain = OwnText(), OwnText()

    def __dealloc__(self):
        PyMem_RawFree(self.key.small)

    def load_table(self, table: cython.pointer(CharTable), name: object) -> tuple:
        """Ask for the classes of a character set, and keep them."""
        parts: tuple = self.tables(name)
        entries: bytes = parts[0]
        starts: bytes = parts[1]
        members: bytes = parts[2]
        uppers: bytes = parts[3]
        if len(entries) != 4 * TABLE_CODES or len(members) != len(uppers):
            raise ValueError("the classes of characters have another size")
        self.kept.append(parts)
        table.entries = cython.cast(cython.pointer(uint32_t), cython.cast(cython.p_const_char, entries))
        table.starts = cython.cast(cython.pointer(uint32_t), cython.cast(cython.p_const_char, starts))
        table.members = cython.cast(cython.pointer(uint32_t), cython.cast(cython.p_const_char, members))
        table.uppers = cython.cast(cython.pointer(uint32_t), cython.cast(cython.p_const_char, uppers))
        return parts

    def load_unicode(self) -> cython.int:
        self.load_table(cython.address(self.unicode), "")
        self.has_unicode = True
        return 0

    def fold(self, collation: uint32_t, mariadb: cython.bint) -> cython.int:
        """Note in `fold_places` how a collation folds characters beyond ASCII."""
        name: str = self.folds_of(collation, bool(mariadb)) if self.folds_of is not None else ""
        place: cython.int = NO_FOLD
        if name == "?":
            place = UNKNOWN_FOLD
        elif name:
            if name not in self.fold_names:
                if len(self.fold_names) == MOST_FOLDS:
                    raise ValueError("there are more folds of collations than expected")
                self.load_table(cython.address(self.folds[len(self.fold_names)]), name)
                self.fold_names.append(name)
            place = 1 + self.fold_names.index(name)
        self.fold_places[1 if mariadb else 0][collation] = cython.cast(uint8_t, place)
        return place

    def find_table(self, charset: p_const_Charset, collation: uint32_t) -> p_const_KnownTable:
        """Return the classes of a character set other than UTF-8."""
        i: cython.int
        parts: tuple
        for i in range(self.known_count):
            if self.known[i].charset == charset:
                return cython.address(self.known[i])
        i = self.known_count
        if i == MOST_CODE_TABLES:
            raise ValueError("there are more character sets than expected")
        parts = self.load_table(
            cython.address(self.known[i].table),
            character_set_of(collation).decode() if charset.form == TABLE else "",
        )
        if charset.form == TABLE:
            place: cython.p_const_char = cython.cast(bytes, parts[4])
            self.known[i].codes = cython.cast(cython.pointer(uint32_t), place)
        self.known[i].charset = charset
        self.known_count += 1
        return cython.address(self.known[i])

    def mask_symbols(self, count: cython.size_t):
        """Permute the first symbols, each in its class."""
        half: cython.size_t = count // 2
        round: cython.int
        rounds: cython.int = 6 if count < 16 else 4
        start: cython.size_t
        end: cython.size_t
        other: cython.size_t
        other_end: cython.size_t
        i: cython.size_t
        word: uint64_t
        sponge: permutation.Sponge
        value: uint32_t
        if count == 1:
            self.symbols[0] = permutation.permute(
                cython.address(self.key),
                self.symbols[0],
                self.counts[0],
                permutation.of_family(permutation.FAMILY_SYMBOL) | self.counts[0],
            )
            return
        for round in range(rounds):
            start = 0 if round & 1 else half
            end = half if round & 1 else count
            other = half - start
            other_end = half + count - end
            permutation.sponge_begin(cython.address(sponge), cython.address(self.key))
            word = permutation.of_family(permutation.FAMILY_TEXT) ^ (cython.cast(uint64_t, count) << 8) ^ round
            i = other
            while i + 4 <= other_end:
                permutation.sponge_add(cython.address(sponge), word)
                word = (
                    self.symbols[i]
                    | (cython.cast(uint64_t, self.symbols[i + 1]) << 16)
                    | (cython.cast(uint64_t, self.symbols[i + 2]) << 32)
                    | (cython.cast(uint64_t, self.symbols[i + 3]) << 48)
                )
                i += 4
            permutation.sponge_add(cython.address(sponge), word)
            word = 0
            while i < other_end:
                word = (word << 16) | self.symbols[i]
                i += 1
            permutation.sponge_add(cython.address(sponge), word)
            permutation.sponge_end(cython.address(sponge))
            i = start
            word = 0
            while i < end:
                if (i - start) & 3 == 0:
                    word = permutation.sponge_next(cython.address(sponge))
                value = self.symbols[i] + cython.cast(uint32_t, ((word & 0xFFFF) * self.counts[i]) >> 16)
                word >>= 16
                self.symbols[i] = value - self.counts[i] if value >= self.counts[i] else value
                i += 1

    def mask_characters(
        self, reading: Reading, table: p_const_CharTable, data: cython.pointer(uint8_t), size: cython.size_t
    ):
        """Mask characters, all of them valid, MOST_SYMBOLS at a time."""
        at: cython.pointer(uint8_t) = data
        end: cython.pointer(uint8_t) = data + size
        start: cython.pointer(uint8_t)
        count: cython.size_t
        c: Character
        number: uint8_t
        has_ascii: cython.bint = reading == READ_UTF8
        while at < end and (at == data or not is_interrupted()):
            start = at
            count = 0
            while at < end and count < permutation.MOST_SYMBOLS:
                if has_ascii and at[0] < 128:
                    number = CLASS_OF[at[0]]
                    if number:
                        self.symbols[count] = PLACE_OF[at[0]]
                        self.counts[count] = CLASS_COUNT[number - 1]
                        count += 1
                    at += 1
                    continue
                read_character(reading, table, at, end, cython.address(c))
                if c.count > 1:
                    self.symbols[count] = c.place
                    self.counts[count] = c.count
                    count += 1
                at += c.size
            if count == 0:
                continue
            self.mask_symbols(count)
            count = 0
            while start < at:
                if has_ascii and start[0] < 128:
                    number = CLASS_OF[start[0]]
                    if number:
                        number = CLASS_MEMBERS[64 * (number - 1) + self.symbols[count]]
                        start[0] = number - 32 if 65 <= start[0] <= 90 else number
                        count += 1
                    start += 1
                    continue
                read_character(reading, table, start, end, cython.address(c))
                if c.count > 1:
                    c.place = self.symbols[count]
                    count += 1
                    write_character(table, start, cython.address(c))
                start += c.size

    def mask_text(
        self,
        data: cython.pointer(uint8_t),
        size: cython.size_t,
        collation: uint32_t,
        mariadb: cython.bint,
        depth: cython.int,
    ) -> cython.int:
        """Mask a text of that collation in place; of 0, and of binary, it is one if it is UTF-8."""
        charset: p_const_Charset = cython.NULL
        table: CharTable
        known: cython.bint = False
        foreign: cython.bint = False
        vectors: cython.bint
        place: cython.int = NO_FOLD
        i: cython.size_t = 0
        if size == 0:
            return 0
        if collation and collation != COLLATION_BINARY:
            known = charset_find(cython.address(charset), collation, mariadb)
        if known:
            while i < size and data[i] < 128:
                i += 1
            # ASCII alone needs no table; swe7 has letters among its signs.
            foreign = not charset.is_utf8 and (charset.form != TABLE or (i < size and charset.has_ascii))
            if foreign or i < size:
                if collation < cython.cast(uint32_t, MOST_COLLATIONS):
                    place = self.fold_places[1 if mariadb else 0][collation]
                    if place == 0:
                        with cython.gil:
                            place = self.fold(collation, mariadb)
                if place == UNKNOWN_FOLD and (charset.has_ascii or i < size):
                    self.remarks |= REMARK_COLLATION
        if not self.has_unicode:
            with cython.gil:
                self.load_unicode()
        table = self.folds[place - 1] if 0 < place < NO_FOLD else self.unicode
        if foreign:
            if self.mask_foreign(charset, cython.address(table), data, size, collation, depth):
                return 0
            if charset_valid(charset, data, size) == size:
                while size:  # a code that is not the one for its character stays, others are masked one by one
                    i = 1
                    while i < size and charset_valid(charset, data, i) != i:
                        i += 1
                    if not self.mask_foreign(charset, cython.address(table), data, i, collation, MOST_BRACKETS):
                        self.remarks |= REMARK_CODE
                    data += i
                    size -= i
                return 0
        elif is_valid(cython.address(table), data, size, known):
            if 0 < place < NO_FOLD and has_uncertain(cython.address(table), data + i, data + size):
                self.remarks |= REMARK_COLLATION
            return self.mask_valid(cython.address(table), data, size, depth)
        vectors = mariadb and collation == COLLATION_BINARY
        if vectors and is_vector(data, size):
            mask_vector(cython.address(self.key), data, size)
            return 0
        while True:  # bytes that are not a text, or not a vector, stay so
            self.mask_characters(READ_BYTES, cython.address(table), data, size)
            known_now: cython.bint = (
                charset_valid(charset, data, size) == size
                if foreign
                else is_valid(cython.address(table), data, size, known)
            )
            if not known_now and not (vectors and is_vector(data, size)):
                return 0

    def mask_valid(
        self, table: p_const_CharTable, data: cython.pointer(uint8_t), size: cython.size_t, depth: cython.int
    ) -> cython.int:
        """Mask a text of UTF-8; of one that is a number, a date, a time or JSON, what it says."""
        while size and data[size - 1] == b" ":  # a number with spaces behind it may be equal to it
            size -= 1
        if is_whole_number(data, size):
            mask_number_text(cython.address(self.key), data, size)
            return 0
        if size <= LONGEST_MOMENT and mask_moment_text(cython.address(self.key), data, size):
            return 0
        if depth < MOST_BRACKETS and self.mask_json_text(data, size, depth):
            return 0
        while True:
            self.mask_characters(READ_UTF8, table, data, size)
            if not (is_moment(data, size) or (depth < MOST_BRACKETS and is_json(data, size))):
                return 0

    def mask_foreign(
        self,
        charset: p_const_Charset,
        table: p_const_CharTable,
        data: cython.pointer(uint8_t),
        size: cython.size_t,
        collation: uint32_t,
        depth: cython.int,
    ) -> cython.bint:
        """Mask a text of another character set than UTF-8 by way of UTF-8; False if it is none."""
        known: p_const_KnownTable
        text: p_Text = cython.address(self.plain.text)
        with cython.gil:
            known = self.find_table(charset, collation)
        text.length = 0
        if charset_put(text, charset, data, size) != size or not text_grow(text, size):
            if text.failed:
                with cython.gil:
                    raise MemoryError("no memory for a text")
            return False
        length: cython.size_t = text.length
        plain: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), text.data)
        if charset.form == TABLE and not charset.is_whole:  # it may have a character twice
            if not encode(known, plain, length, plain + length, size):
                return False
            if memcmp(plain + length, data, size):
                self.remarks |= REMARK_COLLATION
        self.mask_valid(cython.address(known.table) if charset.form == TABLE else table, plain, length, depth)
        return encode(known, plain, length, data, size)

    def mask_json_text(self, data: cython.pointer(uint8_t), size: cython.size_t, depth: cython.int) -> cython.bint:
        """Mask the strings and the numbers of a JSON object or array in place; False if the text is none."""
        at: cython.size_t = 0
        start: cython.size_t
        end: cython.size_t
        if not is_json(data, size):
            return False
        while at < size:
            if data[at] == b'"':
                end = json_string_end(data, at + 1, size)
                at += 1
                while at < end:
                    start = at
                    while at < end and data[at] != b"\\":
                        at += 1
                    self.mask_text(data + start, at - start, COLLATION_OF_JSON, False, MOST_BRACKETS)
                    if at < end:
                        if data[at + 1] == b"u":
                            mask_code(cython.address(self.key), data + at + 2)
                            at += 4
                        at += 2
                at = end + 1
            elif data[at] == b"-" or 48 <= data[at] <= 57:
                start = at
                while at < size and (48 <= data[at] <= 57 or data[at] in (b"-", b"+", b".", b"e", b"E")):
                    at += 1
                mask_number_text(cython.address(self.key), data + start, at - start)
            else:
                at += 1
        return True

    def text(self, data: bytes, collation: object = 0, mariadb: cython.bint = False) -> bytes:
        """Return the mask of a text of that collation, or of bytes (0)."""
        masked: bytearray = bytearray(data)
        place: cython.p_char = masked
        self.mask_text(cython.cast(cython.pointer(uint8_t), place), len(masked), collation, mariadb, 0)
        return bytes(masked)

    def number(self, data: bytes) -> bytes:
        """Return the mask of a number's text. Raise ValueError if it is none."""
        masked: bytearray = bytearray(data)
        place: cython.p_char = masked
        if not mask_number_text(cython.address(self.key), cython.cast(cython.pointer(uint8_t), place), len(masked)):
            raise ValueError("not a number")
        return bytes(masked)

    def integer(self, value: cython.ulonglong, most: cython.ulonglong) -> int:
        """Return the mask of a whole number without a sign that is not above `most`."""
        return permutation.mask_magnitude(cython.address(self.key), value, most)

    def real(self, value: cython.double) -> float:
        """Return the mask of a number in floating point."""
        return permutation.mask_real(cython.address(self.key), value, False)


def is_vector(data: cython.pointer(cython.const[uint8_t]), size: cython.size_t) -> cython.bint:
    """Return True if bytes may be a VECTOR of MariaDB, which logs it as VARBINARY: floats of everyday sizes."""
    i: cython.size_t
    single: cython.float
    if size == 0 or size % 4:
        return False
    for i in range(0, size, 4):
        memcpy(cython.address(single), data + i, 4)
        if not (single == 0 or LEAST_EVERYDAY <= fabs(single) < MOST_EVERYDAY):
            return False
    return True


def mask_vector(
    key: cython.pointer(cython.const[MaskKey]), data: cython.pointer(uint8_t), size: cython.size_t
) -> cython.void:
    i: cython.size_t
    single: cython.float
    for i in range(0, size, 4):
        memcpy(cython.address(single), data + i, 4)
        single = cython.cast(cython.float, permutation.mask_real(key, single, True))
        memcpy(data + i, cython.address(single), 4)


def is_moment(data: cython.pointer(cython.const[uint8_t]), size: cython.size_t) -> cython.bint:
    """Return True if a text is a date or a time."""
    if size < 8 or size > LONGEST_MOMENT or (data[2] != b":" and data[3] != b":" and data[4] != b"-"):
        return False
    return mask_moment_text(cython.NULL, cython.cast(cython.pointer(uint8_t), data), size)
