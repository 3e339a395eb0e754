"""The character sets of MySQL and MariaDB, decoded to UTF-8 as the servers do.

UTF-8, UTF-16 and UTF-32 are computed. All other sets are in `charset.zst` beside this module, which is read when the
first one is needed. `python -m tests.kernel.base.charset_tables` makes that file, of what real servers say of every
code. Bytes do not decode if a server turns them into a question mark, U+FFFD (some codes of tis620 and big5) or half of
a surrogate pair (MariaDB). As in both servers, utf8mb3 has no characters of four bytes.

`charset.zst` is compressed with Zstandard. It begins with a line for each set, its name and the count of its numbers,
and an empty line. Then come the numbers of the first set, of the second and so on, in 16 bits, low byte first, each as
what it is more than the number before (modulo 2**16, the first more than 0). They are nodes of 256 numbers, for each
byte one: a code point, NONE, or NEXT if the next byte decides. The node for the first byte comes first, then those
for two bytes in order, then those for three: the n-th NEXT means node n. `gb18030/4` are the code points of gb18030's
codes of four bytes from 81308130 on.
"""

import cython
from cython.cimports.pybinlog.kernel.base.batch import bytes_of
from cython.cimports.pybinlog.kernel.base.collation import COLLATIONS_END, COLLATION_BINARY, collation_find
from cython.cimports.pybinlog.kernel.base.collation import p_const_Collation
from cython.cimports.pybinlog.kernel.base.memory import PyMem_RawFree, PyMem_RawMalloc, memcpy, memset
from cython.cimports.pybinlog.kernel.base.utf8 import utf8_run
from pybinlog.kernel.base import __path__ as ROOM

FILE = "charset.zst"
NONE = cython.declare(cython.int, 0xD800)  # surrogates are not code points of any set
NEXT = cython.declare(cython.int, 0xD801)
PIECE = cython.declare(cython.size_t, 65536)  # bytes that are decoded at once
SLACK = cython.declare(cython.size_t, 8)  # bytes that a copy of a word may write beyond its text

# gb18030's codes of four bytes count as numbers with the digits 126, 10, 126 and 10.
FOUR_TABLE = cython.declare(uint32_t, 39420)  # up to 8431A439, the last in the basic plane
FOUR_FIRST_BEYOND = cython.declare(uint32_t, 189000)  # 90308130 is U+10000, and so on
BEYOND = cython.declare(uint32_t, 0x100000)

FOUND = cython.declare((p_const_Charset[COLLATIONS_END])[2])
CHARSETS = cython.declare(Charset[64])
loaded: dict[bytes, int] = {}  # name: place in CHARSETS
codes: dict = {}  # place in CHARSETS: the bytes of each character, once one is encoded
CODECS: tuple = ("utf-8", "utf-8", "ascii", "", "utf-16-be", "utf-16-le", "utf-32-be")  # of a Form


def charset_find(charset: cython.pointer(p_const_Charset), collation: cython.uint, mariadb: cython.bint) -> cython.bint:
    charset[0] = cython.NULL
    if collation == COLLATION_BINARY or collation >= COLLATIONS_END:
        return False
    charset[0] = load_found(cython.address(FOUND[1 if mariadb else 0][collation]))
    if charset[0] != cython.NULL:
        return True
    known: p_const_Collation = collation_find(collation, mariadb)
    if known == cython.NULL:
        return False
    with cython.gil:
        charset[0] = charset_named(known.character_set)
        store_found(cython.address(FOUND[1 if mariadb else 0][collation]), charset[0])
    return True


def charset_named(name: bytes) -> p_const_Charset:
    place: cython.int
    new: Charset
    if name in loaded:
        place = loaded[name]
        return cython.address(CHARSETS[place])
    memset(cython.address(new), 0, cython.sizeof(Charset))
    new.is_utf8 = name in (b"utf8mb4", b"utf8mb3", b"ascii")
    new.pairs = name != b"ucs2"
    if name == b"utf8mb4":
        new.form = UTF8MB4
    elif name == b"utf8mb3":
        new.form = UTF8MB3
    elif name == b"ascii":
        new.form = ASCII
    elif name in (b"ucs2", b"utf16"):
        new.form = UTF16
    elif name == b"utf16le":
        new.form = UTF16LE
    elif name == b"utf32":
        new.form = UTF32
    else:
        new.form = TABLE
        load_table(cython.address(new), name)
    if name in loaded:  # by another thread, while this one read the file
        PyMem_RawFree(cython.cast(cython.p_void, new.nodes))
        PyMem_RawFree(cython.cast(cython.p_void, new.four))
    else:
        place = len(loaded)
        CHARSETS[place] = new
        loaded[name] = place
    place = loaded[name]
    return cython.address(CHARSETS[place])


@cython.cfunc
def load_table(charset: cython.pointer(Charset), name: bytes) -> cython.int:
    """Read the file, and make the character set's nodes of it. They are never freed."""
    import os.path

    import zstandard

    with open(os.path.join(*ROOM, FILE), "rb") as file:
        data: bytes = zstandard.ZstdDecompressor().decompress(file.read())
    head, _, numbers = data.partition(b"\n\n")
    counts: dict = {words[0]: int(words[1]) for words in map(bytes.split, head.splitlines())}
    starts: dict = {}
    start: cython.Py_ssize_t = 0
    for part in counts:
        starts[part] = start
        start += 2 * counts[part]
    if len(numbers) != start:
        raise ValueError(f"{FILE} does not belong to this version of pybinlog")
    four: bytes = name + b"/4"
    nodes: cython.pointer(Character) = new_characters(numbers, starts[name], counts[name])
    i: cython.int
    if four in counts:
        try:
            charset.four = new_characters(numbers, starts[four], counts[four])
        except MemoryError:
            PyMem_RawFree(nodes)
            raise
    charset.nodes = nodes
    charset.has_ascii = True
    for i in range(128):
        if nodes[i].size != 1 or nodes[i].utf8[0] != i:
            charset.has_ascii = False
    charset.is_whole = True
    for i in range(256):
        if nodes[i].size == NO_CHARACTER or nodes[i].size == NEXT_BYTE:
            charset.is_whole = False
    return 0


@cython.cfunc
def new_characters(numbers: bytes, start: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.pointer(Character):
    at: octets = cython.cast(octets, cython.cast(cython.p_const_char, numbers)) + start
    code: uint32_t = 0
    node: uint32_t = 0
    i: cython.Py_ssize_t
    new: cython.pointer(Character) = cython.cast(
        cython.pointer(Character), PyMem_RawMalloc(count * cython.sizeof(Character))
    )
    if new == cython.NULL:
        raise MemoryError("no memory for the table of a character set")
    for i in range(count):
        code = (code + at[2 * i] + (cython.cast(uint32_t, at[2 * i + 1]) << 8)) & 0xFFFF
        if code == NONE:
            new[i].size = NO_CHARACTER
        elif code == NEXT:
            node += 1
            new[i].utf8[0] = node & 0xFF
            new[i].utf8[1] = node >> 8
            new[i].size = NEXT_BYTE
        else:
            new[i].size = put_code_point(cython.cast(cython.p_char, new[i].utf8), code)
    return new


def put_code_point(to: cython.p_char, code: uint32_t) -> uint8_t:
    """Write a code point in UTF-8; return how many bytes that is."""
    if code < 0x80:
        to[0] = code
        return 1
    if code < 0x800:
        to[0] = 0xC0 | code >> 6
        to[1] = 0x80 | code & 0x3F
        return 2
    if code < 0x10000:
        to[0] = 0xE0 | code >> 12
        to[1] = 0x80 | code >> 6 & 0x3F
        to[2] = 0x80 | code & 0x3F
        return 3
    to[0] = 0xF0 | code >> 18
    to[1] = 0x80 | code >> 12 & 0x3F
    to[2] = 0x80 | code >> 6 & 0x3F
    to[3] = 0x80 | code & 0x3F
    return 4


def utf8_run_of(form: Form, data: octets, size: cython.size_t) -> cython.size_t:
    """Return the bytes that are UTF-8, and of utf8mb3 or ASCII."""
    run: cython.size_t = utf8_run(data, size)
    at: cython.size_t = 0
    first: uint8_t = 0x80 if form == ASCII else 0xF0  # the first byte that the set does not have
    word: uint64_t
    if form == UTF8MB4:
        return run
    while at < run:
        while run - at >= 8:
            memcpy(cython.address(word), data + at, 8)
            if form == UTF8MB3:  # keep a top bit if the three below it are set
                word &= (word << 1) & (word << 2) & (word << 3)
            if word & cython.cast(uint64_t, 0x8080808080808080):
                break
            at += 8
        if at == run or data[at] >= first:
            break
        at += 1
    return at


def decode_table(
    charset: p_const_Charset, data: octets, size: cython.size_t, target: cython.pointer(cython.p_char), put: cython.bint
) -> cython.size_t:
    nodes: cython.pointer(cython.const[Character]) = charset.nodes
    has_ascii: cython.bint = charset.has_ascii
    to: cython.p_char = target[0]
    at: cython.size_t = 0
    word: uint64_t
    while at < size:
        if has_ascii:
            while size - at >= 8:
                memcpy(cython.address(word), data + at, 8)
                if word & cython.cast(uint64_t, 0x8080808080808080):
                    break
                if put:
                    memcpy(to, cython.address(word), 8)
                    to += 8
                at += 8
            if at == size:
                break
        entry: cython.pointer(cython.const[Character]) = nodes + data[at]
        length: cython.size_t = 1
        while entry.size == NEXT_BYTE and length < size - at:
            entry = nodes + 256 * (entry.utf8[0] + 256 * entry.utf8[1]) + data[at + length]
            length += 1
        if entry.size == NEXT_BYTE:
            break
        if entry.size == NO_CHARACTER:
            if charset.four == cython.NULL or size - at < 4:
                break
            number: uint32_t = four_bytes(data + at)
            length = 4
            if number < FOUR_TABLE:
                entry = charset.four + number
            elif number - FOUR_FIRST_BEYOND < BEYOND:
                if put:
                    to += put_code_point(to, number - FOUR_FIRST_BEYOND + 0x10000)
                at += length
                continue
            else:
                break
        if put:
            memcpy(to, entry, 4)
            to += entry.size
        at += length
    target[0] = to
    return at


def four_bytes(data: octets) -> uint32_t:
    """Return the number of a code of four bytes of gb18030; for an invalid code, a number without a character."""
    first: uint32_t = cython.cast(uint32_t, data[0]) - 0x81
    second: uint32_t = cython.cast(uint32_t, data[1]) - 0x30
    third: uint32_t = cython.cast(uint32_t, data[2]) - 0x81
    fourth: uint32_t = cython.cast(uint32_t, data[3]) - 0x30
    if first > 125 or second > 9 or third > 125 or fourth > 9:
        return FOUR_TABLE
    return ((first * 10 + second) * 126 + third) * 10 + fourth


def read_unit(data: octets, high: cython.int) -> uint32_t:
    """Return two bytes; `high` is the offset of the higher one."""
    return cython.cast(uint32_t, data[high]) << 8 | data[1 - high]


def read_character(
    charset: p_const_Charset, data: octets, left: cython.size_t, code: cython.pointer(uint32_t)
) -> cython.size_t:
    """Read a character of UTF-16 or UTF-32. Return its bytes; 0 if these are not one."""
    high: cython.int = 1 if charset.form == UTF16LE else 0
    if left < (4 if charset.form == UTF32 else 2):
        return 0
    code[0] = read_unit(data, high)
    if charset.form == UTF32:
        code[0] = code[0] << 16 | read_unit(data + 2, high)
        return 0 if code[0] > 0x10FFFF or 0xD800 <= code[0] < 0xE000 else 4
    if code[0] & 0xF800 != 0xD800:
        return 2
    if not charset.pairs or code[0] >= 0xDC00 or left < 4 or read_unit(data + 2, high) & 0xFC00 != 0xDC00:
        return 0
    code[0] = 0x10000 + ((code[0] & 0x3FF) << 10) + (read_unit(data + 2, high) & 0x3FF)
    return 4


def decode(
    charset: p_const_Charset, data: octets, size: cython.size_t, target: cython.pointer(cython.p_char), put: cython.bint
) -> cython.size_t:
    """Count the bytes that are characters; write their UTF-8 to `target`, if there is one, and move it to its end.

    A byte becomes three at most. `put` is a constant, so this is compiled once with it and once without.
    """
    to: cython.p_char = target[0]
    at: cython.size_t = 0
    length: cython.size_t = 1
    code: uint32_t = 0
    if charset.form == TABLE:
        return decode_table(charset, data, size, target, put)
    while length:
        length = read_character(charset, data + at, size - at, cython.address(code))
        if put and length:
            to += put_code_point(to, code)
        at += length
    target[0] = to
    return at


def charset_valid(charset: p_const_Charset, data: octets, size: cython.size_t) -> cython.size_t:
    nothing: cython.p_char = cython.NULL
    if charset.is_utf8:
        return utf8_run_of(charset.form, data, size)
    if charset.form == TABLE and charset.is_whole:
        return size
    return decode(charset, data, size, cython.address(nothing), False)


def charset_put(text: p_Text, charset: p_const_Charset, data: octets, size: cython.size_t) -> cython.size_t:
    done: cython.size_t = 0
    if charset.is_utf8:
        done = utf8_run_of(charset.form, data, size)
        put_memory(text, data, done)
        return done
    while done < size:
        piece: cython.size_t = size - done if size - done < PIECE else PIECE
        if not text_grow(text, 3 * piece + SLACK):
            break
        to: cython.p_char = text.data + text.length
        run: cython.size_t = decode(charset, data + done, piece, cython.address(to), True)
        text.length = to - text.data
        done += run
        if run == 0:  # a character that is cut by the end of a piece comes with the next one
            break
    return done


def charset_asked(collation: cython.uint, mariadb: cython.bint) -> p_const_Charset:
    charset: p_const_Charset
    if not charset_find(cython.address(charset), collation, mariadb):
        raise LookupError(f"collation {collation} has no character set that is known")
    return charset


def decoded(data: object, collation: cython.uint, mariadb: cython.bint = False):
    """Return the text of the bytes, by the collation's number, or None if they are not entirely text.

    Raise LookupError for binary strings and for collations that the server does not have.

    Example: decoded(b"caf\xe9", 8) == "café".
    """
    whole: tuple = decoded_start(data, collation, mariadb)
    return whole[0] if whole[1] == len(data) else None


def decoded_start(data: object, collation: cython.uint, mariadb: cython.bint = False) -> tuple:
    """Return the text of the first characters, as far as they decode, and how many bytes they are.

    Raise LookupError.
    """
    charset: p_const_Charset = charset_asked(collation, mariadb)
    text: OwnText = OwnText()
    size: cython.size_t = charset_put(cython.address(text.text), charset, bytes_of(data), len(data))
    return text_take(cython.address(text.text)).decode(), size


def valid_size(data: object, collation: cython.uint, mariadb: cython.bint = False) -> int:
    """Count the first bytes that are whole characters that decode. Raise LookupError."""
    charset: p_const_Charset = charset_asked(collation, mariadb)
    return charset_valid(charset, bytes_of(data), len(data))


def encoded(text: object, collation: cython.uint, mariadb: cython.bint = False):
    """Return the bytes that servers make of Unicode text, or None if the character set lacks a character.

    Raise LookupError as `decoded` does. Other bytes than these may decode to the same text.
    """
    charset: p_const_Charset = charset_asked(collation, mariadb)
    place: cython.Py_ssize_t = charset - cython.address(CHARSETS[0])
    parts: list = []
    if charset.form != TABLE:
        if (charset.form == UTF8MB3 or not charset.pairs) and max(text, default="") > "\uffff":
            return None
        try:
            return text.encode(CODECS[charset.form])
        except UnicodeEncodeError:
            return None
    if place not in codes:
        codes[place] = codes_of(charset)
    known: dict = codes[place]
    for char in text:
        if char in known:
            parts.append(known[char])
        elif charset.four != cython.NULL and char > "\uffff":
            parts.append(four_code(ord(char)).to_bytes(4, "big"))
        else:
            return None
    return b"".join(parts)


@cython.cfunc
def codes_of(charset: p_const_Charset) -> dict:
    """Return the code of each character; of several the shortest and lowest, but for what servers do otherwise."""
    found: dict = {}
    last: dict = {}
    prefixes: list = [b""]  # of the nodes, in their order
    entry: cython.pointer(cython.const[Character])
    at: cython.Py_ssize_t = 0
    byte: cython.int
    number: uint32_t
    while at < len(prefixes):
        for byte in range(256):
            entry = charset.nodes + 256 * at + byte
            code: bytes = prefixes[at] + bytes((byte,))
            if entry.size == NEXT_BYTE:
                prefixes.append(code)
            elif entry.size != NO_CHARACTER:
                # cp932 has IBM's characters twice, and those from ED40 on are not written.
                (last if code[0] in (0xED, 0xEE) else found).setdefault(text_of(entry), code)
        at += 1
    if charset.four != cython.NULL:
        for number in range(FOUR_TABLE):
            found.setdefault(text_of(charset.four + number), code_of_four(number).to_bytes(4, "big"))
    found = last | found
    # The backslash of sjis is written as the wide one, which reads as a backslash, too.
    if found.get("\\") == b"\\" and b"\x81" in prefixes:
        entry = charset.nodes + 256 * prefixes.index(b"\x81") + 0x5F
        if entry.size == 1 and entry.utf8[0] == 0x5C:
            found["\\"] = b"\x81\x5f"
    return found


@cython.cfunc
def text_of(entry: cython.pointer(cython.const[Character])) -> str:
    return cython.cast(cython.p_const_char, entry.utf8)[: entry.size].decode()


def code_of_four(number: uint32_t) -> uint32_t:
    """Return the four bytes, as a number, of which `four_bytes` makes this number."""
    first: uint32_t = (0x81 + number // 12600) << 24 | (0x30 + number // 1260 % 10) << 16
    return first | (0x81 + number // 10 % 126) << 8 | (0x30 + number % 10)


def four_code(character: uint32_t) -> uint32_t:
    return code_of_four(character - 0x10000 + FOUR_FIRST_BEYOND)


def text_or_bytes(data: bytes, collation: object) -> object:
    """Return the text of the bytes if the character set is known and encodes it as these very bytes; otherwise the
    bytes.

    `collation`: its number in MySQL or MariaDB; None or 0 where it is not known.
    """
    if not collation or collation == COLLATION_BINARY:
        return data
    try:
        text = decoded(data, collation, True)
        return data if text is None or encoded(text, collation, True) != data else text
    except LookupError:
        return data
