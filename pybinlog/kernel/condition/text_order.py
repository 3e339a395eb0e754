# distutils: extra_compile_args = -O2
"""How text compares in a collation, as far as that is known: by bytes, or by the weights that the servers gave.

`weights.zst` beside this module is compressed with Zstandard. It begins with a line for each set of weights (its name,
how many codes it is about, and its bytes) and an empty line. Then comes each set: for each code a byte that counts its
weights (255: they are not known), how many weights there are in 32 bits, and the weights in 16 bits, low byte first,
each as what it is more than the weight in the same place of the code before (modulo 2**16).
`python -m tests.kernel.condition.weight_tables` makes that file, and says which characters have no weights there.

Text with a character whose weights are not known has no known order, unless its bytes are equal.
"""

import cython
from cython.cimports.pybinlog.kernel.base.collation import COLLATION_BINARY, collation_find, p_const_Collation
from cython.cimports.pybinlog.kernel.base.little_endian import read_u16, read_u32
from cython.cimports.pybinlog.kernel.base.memory import PyMem_RawFree, PyMem_RawMalloc, memcmp, memset
from pybinlog.kernel.condition import __path__ as ROOM

FILE = "weights.zst"
WITHOUT_WEIGHT = cython.declare(cython.int, 255)
END = cython.declare(cython.int, -1)
NO_ORDER = cython.declare(cython.int, -2)
INVALID = cython.declare(uint32_t, 0xFFFFFFFF)
SPACE = cython.declare(uint32_t, 0x20)
PRIME = cython.declare(uint64_t, 0x9E3779B97F4A7C15)
MOST_WEIGHTS = 16

RULES = cython.declare(TextRule[8])
loaded: dict[str, int] = {}  # name of a set of weights: its place in RULES

# The text that is left, and the weights of its first character that are left.
Weighed = cython.struct(at=octets, end=octets, weights=cython.pointer(cython.const[uint16_t]), left=uint32_t)


def find_text_rule(rule: cython.pointer(TextRule), collation: uint32_t, mariadb: cython.bint) -> cython.int:
    memset(rule, 0, cython.sizeof(TextRule))
    if collation == COLLATION_BINARY:
        rule.form = TEXT_BYTES
        return 0
    known: p_const_Collation = collation_find(collation, mariadb)
    if known == cython.NULL:
        return 0
    charset: str = cython.cast(bytes, known.character_set).decode()
    name: str = cython.cast(bytes, known.name).decode()
    kind: str = name[len(charset) + 1 :]
    pads: cython.bint = "_nopad" not in name and not kind.startswith("0900_")
    rule.utf8 = charset in ("utf8mb4", "utf8mb3")
    if kind in ("bin", "nopad_bin", "0900_bin"):
        if rule.utf8 or known.most_bytes == 1:
            rule.form = TEXT_BYTES
    else:
        set_name = name if charset == "latin1" else kind
        set_name = set_name.replace("_nopad", "")
        if (rule.utf8 and set_name in ("general_ci", "unicode_ci", "0900_ai_ci", "uca1400_ai_ci")) or (
            set_name == "latin1_swedish_ci"
        ):
            utf8 = rule.utf8
            rule[0] = RULES[place_of(set_name)]
            rule.utf8 = utf8
    rule.pads = pads
    return 0


def weights_of(name: str) -> list:
    """Return the weights of each character of a set, such as "general_ci", as bytes; None: they are not known."""
    rule: TextRule = RULES[place_of(name)]
    found: list = []
    code: uint32_t
    for code in range(rule.codes):
        count: uint32_t = rule.entries[code] >> 24
        at = cython.cast(cython.p_const_char, rule.weights + (rule.entries[code] & 0xFFFFFF))
        found.append(None if count == WITHOUT_WEIGHT else at[: 2 * count])
    return found


@cython.cfunc
@cython.exceptval(-1)
def place_of(name: str) -> cython.int:
    """The place of a set of weights in RULES; all of them are read with the first. They are never freed."""
    import os.path

    import zstandard

    if name in loaded:
        return loaded[name]
    with open(os.path.join(*ROOM, FILE), "rb") as file:
        data: bytes = zstandard.ZstdDecompressor().decompress(file.read())
    head, _, rest = data.partition(b"\n\n")
    start: cython.Py_ssize_t = len(data) - len(rest)
    for line in head.decode().splitlines():
        set_name, codes, size = line.split()
        if start + int(size) > len(data) or len(loaded) == 8:
            raise ValueError(f"{FILE} does not belong to this version of pybinlog")
        if set_name == name:
            new: TextRule
            memset(cython.address(new), 0, cython.sizeof(TextRule))
            new.form = TEXT_WEIGHTS
            new.codes = int(codes)
            read_weights(cython.address(new), data[start : start + int(size)])
            place: cython.int = len(loaded)
            RULES[place] = new
            loaded[name] = place
        start += int(size)
    return loaded[name]


@cython.cfunc
def read_weights(rule: cython.pointer(TextRule), data: bytes) -> cython.int:
    """Make the entries and the weights of a set."""
    counts: octets = data
    last: uint16_t[16]
    code: uint32_t
    i: uint32_t
    used: uint32_t = 0
    codes: uint32_t = rule.codes
    total: uint32_t = read_u32(counts + codes)
    numbers: octets = counts + codes + 4
    size: cython.size_t = len(data)
    if size != codes + 4 + 2 * cython.cast(cython.size_t, total):
        raise ValueError(f"{FILE} does not belong to this version of pybinlog")
    entries = cython.cast(cython.pointer(uint32_t), PyMem_RawMalloc(4 * cython.cast(cython.size_t, codes)))
    weights = cython.cast(cython.pointer(uint16_t), PyMem_RawMalloc(2 * cython.cast(cython.size_t, total) + 2))
    if entries == cython.NULL or weights == cython.NULL:
        PyMem_RawFree(entries)
        PyMem_RawFree(weights)
        raise MemoryError("no memory for the weights of a collation")
    memset(last, 0, cython.sizeof(last))
    for code in range(codes):
        if counts[code] != WITHOUT_WEIGHT and (counts[code] > MOST_WEIGHTS or used + counts[code] > total):
            PyMem_RawFree(entries)
            PyMem_RawFree(weights)
            raise ValueError(f"{FILE} does not belong to this version of pybinlog")
        entries[code] = cython.cast(uint32_t, counts[code]) << 24 | used
        if counts[code] == WITHOUT_WEIGHT:
            continue
        for i in range(counts[code]):
            last[i] = cython.cast(uint16_t, last[i] + read_u16(numbers + 2 * used))
            weights[used] = last[i]
            used += 1
    rule.entries = entries
    rule.weights = weights
    return 0


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def read_character(at: cython.pointer(octets), end: octets, utf8: cython.bint) -> uint32_t:
    """The next character, which is passed; INVALID, without a move, if the bytes are not one."""
    p: octets = at[0]
    code: uint32_t = p[0]
    if not utf8 or code < 0x80:
        at[0] = p + 1
        return code
    if 0xC2 <= code < 0xE0 and end - p >= 2 and p[1] & 0xC0 == 0x80:
        at[0] = p + 2
        return (code & 0x1F) << 6 | (p[1] & 0x3F)
    if 0xE0 <= code < 0xF0 and end - p >= 3 and p[1] & 0xC0 == 0x80 and p[2] & 0xC0 == 0x80:
        at[0] = p + 3
        return (code & 0xF) << 12 | cython.cast(uint32_t, p[1] & 0x3F) << 6 | (p[2] & 0x3F)
    if 0xF0 <= code < 0xF5 and end - p >= 4 and p[1] & 0xC0 == 0x80 and p[2] & 0xC0 == 0x80 and p[3] & 0xC0 == 0x80:
        at[0] = p + 4
        return (
            (code & 7) << 18
            | cython.cast(uint32_t, p[1] & 0x3F) << 12
            | cython.cast(uint32_t, p[2] & 0x3F) << 6
            | (p[3] & 0x3F)
        )
    return INVALID


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def next_weight(rule: cython.pointer(cython.const[TextRule]), text: cython.pointer(Weighed)) -> cython.int:
    """The next weight of a text; END after the last, NO_ORDER if a character has no known weight."""
    code: uint32_t
    while text.left == 0:
        if text.at == text.end:
            return END
        code = read_character(cython.address(text.at), text.end, rule.utf8)
        if code >= rule.codes:
            return NO_ORDER
        code = rule.entries[code]
        text.left = code >> 24
        if text.left == 255:
            return NO_ORDER
        text.weights = rule.weights + (code & 0xFFFFFF)
    code = text.weights[0]
    text.left -= 1
    text.weights += 1
    return code


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def settles(rule: cython.pointer(cython.const[TextRule]), text: cython.pointer(Weighed)) -> cython.bint:
    """Return True if the text is over, or goes on with a character whose weights are known."""
    at: octets = text.at
    if at == text.end:
        return True
    code: uint32_t = read_character(cython.address(at), text.end, rule.utf8)
    return code < rule.codes and rule.entries[code] >> 24 != 255


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def compare_bytes(
    a: octets,
    a_size: cython.size_t,
    b: octets,
    b_size: cython.size_t,
    pads: cython.bint,
    steps: cython.pointer(cython.size_t),
) -> cython.int:
    least: cython.size_t = a_size if a_size < b_size else b_size
    order: cython.int = memcmp(a, b, least) if least else 0
    if order:
        return -1 if order < 0 else 1
    sign: cython.int = 1 if a_size > b_size else -1
    rest: octets = a if a_size > b_size else b
    most: cython.size_t = a_size if a_size > b_size else b_size
    if not pads:
        return sign if most > least else 0
    while least < most:
        if rest[least] != SPACE:
            return sign if rest[least] > SPACE else -sign
        if steps_end(steps):
            return 0
        least += 1
    return 0


def compare_text(
    rule: cython.pointer(cython.const[TextRule]),
    a: octets,
    a_size: cython.size_t,
    b: octets,
    b_size: cython.size_t,
    order: cython.pointer(cython.int),
    steps: cython.pointer(cython.size_t),
) -> cython.bint:
    left: Weighed
    right: Weighed
    order[0] = 0
    if a_size == b_size and (a_size == 0 or memcmp(a, b, a_size) == 0):
        return True
    if rule.form == TEXT_BYTES:
        order[0] = compare_bytes(a, a_size, b, b_size, rule.pads, steps)
        return True
    if rule.form != TEXT_WEIGHTS:
        return False
    left.at = a
    left.end = a + a_size
    left.left = 0
    right.at = b
    right.end = b + b_size
    right.left = 0
    space: cython.int = rule.weights[rule.entries[SPACE] & 0xFFFFFF]
    while True:
        if steps_end(steps):
            return False
        one: cython.int = next_weight(rule, cython.address(left))
        other: cython.int = next_weight(rule, cython.address(right))
        if one == NO_ORDER or other == NO_ORDER:
            return False
        if rule.pads and (one == END) != (other == END):
            if one == END:
                one = space
            else:
                other = space
        if one != other:
            # a mark may have its weight together with the character before it
            order[0] = -1 if one < other else 1
            return settles(rule, cython.address(left)) and settles(rule, cython.address(right))
        if one == END:
            return True


def hash_text(
    rule: cython.pointer(cython.const[TextRule]),
    text: octets,
    size: cython.size_t,
    hash: cython.pointer(uint64_t),
    steps: cython.pointer(cython.size_t),
) -> cython.bint:
    """A text that is padded with spaces is hashed without those at its end."""
    left: Weighed
    mixed: uint64_t = hash[0]
    i: cython.size_t
    if rule.form == TEXT_UNKNOWN:
        return False
    if rule.form == TEXT_BYTES:
        while rule.pads and size and text[size - 1] == SPACE:
            size -= 1
        for i in range(size):
            mixed = (mixed ^ text[i]) * PRIME
            if steps_end(steps):
                return False
        hash[0] = mixed ^ mixed >> 29
        return True
    left.at = text
    left.end = text + size
    left.left = 0
    space: cython.int = rule.weights[rule.entries[SPACE] & 0xFFFFFF]
    kept: uint64_t = mixed
    while not steps_end(steps):
        weight: cython.int = next_weight(rule, cython.address(left))
        if weight == NO_ORDER:
            return False
        if weight == END:
            hash[0] = (kept ^ 1) * PRIME
            return True
        mixed = (mixed ^ cython.cast(uint64_t, weight)) * PRIME
        mixed ^= mixed >> 29
        if weight != space or not rule.pads:
            kept = mixed
    return False


def prefix_size(
    rule: cython.pointer(cython.const[TextRule]), text: octets, size: cython.size_t, characters: cython.size_t
) -> cython.size_t:
    at: octets = text
    end: octets = text + size
    while characters and at != end:
        if read_character(cython.address(at), end, rule != cython.NULL and rule.utf8) == INVALID:
            return size
        characters -= 1
    return at - text


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def same_character(rule: cython.pointer(cython.const[TextRule]), a: uint32_t, b: uint32_t) -> cython.int:
    """1 for characters that are equal, 0 for others, NO_ORDER."""
    if a == b:
        return 1
    if rule.form == TEXT_BYTES:
        return 0
    if a >= rule.codes or b >= rule.codes:
        return NO_ORDER
    one: uint32_t = rule.entries[a]
    other: uint32_t = rule.entries[b]
    if one >> 24 == 255 or other >> 24 == 255:
        return NO_ORDER
    if one >> 24 != other >> 24:
        return 0
    if one >> 24 == 0:
        return 1
    if rule.weights[one & 0xFFFFFF] != rule.weights[other & 0xFFFFFF]:  # most differ there
        return 0
    return memcmp(rule.weights + (one & 0xFFFFFF), rule.weights + (other & 0xFFFFFF), 2 * (one >> 24)) == 0


def match_pattern(
    rule: cython.pointer(cython.const[TextRule]),
    text: octets,
    size: cython.size_t,
    pattern: cython.pointer(cython.const[uint32_t]),
    count: cython.size_t,
    matches: cython.pointer(cython.bint),
    steps: cython.pointer(cython.size_t),
) -> cython.bint:
    at: octets = text
    end: octets = text + size
    resumed: octets = cython.NULL
    i: cython.size_t = 0
    star: cython.size_t = 0
    if rule.form == TEXT_UNKNOWN:
        return False
    while True:
        if steps_end(steps):
            return False
        if i < count and pattern[i] == ANY_TEXT:
            i += 1
            star = i
            resumed = at
            continue
        if at == end:
            break
        same: cython.int = 0
        after: octets = at
        if i < count:
            code: uint32_t = read_character(cython.address(after), end, rule.utf8)
            if code == INVALID:
                return False
            same = 1 if pattern[i] == ANY_CHARACTER else same_character(rule, code, pattern[i])
            if same == NO_ORDER:
                return False
        if same:
            at = after
            i += 1
        elif resumed != cython.NULL:
            if read_character(cython.address(resumed), end, rule.utf8) == INVALID:
                return False
            at = resumed
            i = star
        else:
            matches[0] = False
            return True
    matches[0] = i == count
    return True


def find_first_bytes(
    rule: cython.pointer(cython.const[TextRule]),
    pattern: cython.pointer(cython.const[uint32_t]),
    count: cython.size_t,
    bytes: cython.pointer(uint64_t),
):
    """A byte that is not a character on its own, or has no known order, may begin any text."""
    code: uint32_t
    for code in range(256):
        if (
            count == 0
            or pattern[0] >= ANY_CHARACTER
            or rule.form == TEXT_UNKNOWN
            or (rule.utf8 and code >= 128)
            or same_character(rule, code, pattern[0]) != 0
        ):
            bytes[code >> 6] |= cython.cast(uint64_t, 1) << (code & 63)


def text_key(text: bytes, collation: uint32_t, mariadb: cython.bint) -> object:
    """Return a number that is the same for texts that a collation holds for equal; None if that is not known.

    Texts that differ have the same number once in 2**64. Raise OSError, ValueError or MemoryError as `find_text_rule`.
    """
    rule: TextRule
    hash: uint64_t = PRIME
    data: cython.p_const_char = text
    find_text_rule(cython.address(rule), collation, mariadb)
    steps: cython.size_t = 0
    known: cython.bint = hash_text(
        cython.address(rule), cython.cast(octets, data), len(text), cython.address(hash), cython.address(steps)
    )
    raise_interrupt()
    return hash if known else None
