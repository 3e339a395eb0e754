"""StatementLiterals: a statement without its literals, by which statements that differ in values alone are known.

Rows of VALUES that have one shape count once. A text with a comment, an account, a hexadecimal number or another rare
form is not read here: `redact/statement_text.py`, which has the rules of all tokens, masks it.
"""

import cython
from cython.cimports.pybinlog.kernel.base.memory import LOOK_AFTER, is_interrupted, memcmp, memcpy
from cython.cimports.pybinlog.kernel.base.memory import raise_interrupt
from cython.cimports.pybinlog.kernel.base.text import put_memory
from cython.cimports.pybinlog.kernel.mask import permutation
from cython.cimports.pybinlog.kernel.mask.json_mask import mask_path
from cython.cimports.pybinlog.kernel.mask.text_mask import mask_number_text

octets = cython.typedef(cython.pointer(cython.const[uint8_t]))
DIGITS_OF_BIGGEST = cython.declare(cython.size_t, 20)
LARGEST_INT = cython.declare(uint64_t, 2147483647)
BIGGEST = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)
NUMBER_SIGN = cython.declare(cython.p_const_char, b"\x01")
STRING_SIGN = cython.declare(cython.p_const_char, b"\x02")


@cython.cclass
class StatementLiterals:
    """Reads the shape of one statement after the other."""

    def __cinit__(self):
        self.skeleton = OwnText()
        self.ordinals = OwnText()

    def read(self, data: bytes, reading: cython.int) -> bytes:
        """Return the text without its literals; None if it has a form that is not read here."""
        text: octets = data
        size: cython.size_t = len(data)
        piece: Piece
        at: cython.size_t = 0
        look: cython.size_t = LOOK_AFTER
        depth: cython.int = 0
        # The row of VALUES that is open, and the one before it: places in the skeleton.
        row: cython.size_t = 0
        last_row: cython.size_t = 0
        last_end: cython.size_t = 0
        last_literals: uint32_t = 0
        is_row: cython.bint = False
        has_last: cython.bint = False
        first: cython.size_t = 0
        many: uint32_t
        i: cython.size_t
        places: cython.pointer(uint32_t)
        skeleton: p_Text = cython.address(self.skeleton.text)
        self.reading = reading
        self.in_skeleton = 0
        self.skeleton.text.length = 0
        self.ordinals.text.length = 0
        while True:
            next_piece(text, size, at, reading, cython.address(piece))
            if piece.kind == PIECE_UNREAD:
                return None
            put_memory(cython.address(self.skeleton.text), text + at, piece.start - at)
            if piece.kind == PIECE_END:
                break
            if piece.kind == PIECE_OPEN:
                if depth == 0:
                    row = self.skeleton.text.length
                    first = self.ordinals.text.length // 4
                    has_last = has_last and is_comma(
                        cython.cast(octets, self.skeleton.text.data) + last_end, row - last_end
                    )
                    is_row = has_last or follows_values(text, piece.start)
                depth += 1
            self.add_piece(text, size, cython.address(piece))
            if piece.kind == PIECE_CLOSE:
                depth -= 1
                if depth == 0 and is_row:
                    many = cython.cast(uint32_t, self.ordinals.text.length // 4 - first)
                    if (
                        has_last
                        and self.skeleton.text.length - row == last_end - last_row
                        and memcmp(
                            self.skeleton.text.data + row, self.skeleton.text.data + last_row, last_end - last_row
                        )
                        == 0
                    ):
                        places = cython.cast(cython.pointer(uint32_t), self.ordinals.text.data)
                        for i in range(first, first + many):
                            places[i] -= many
                        self.in_skeleton -= many
                        self.skeleton.text.length = last_end
                    else:
                        last_row, last_end = row, self.skeleton.text.length
                        has_last = True
            at = piece.end
            if at >= look:
                if is_interrupted():
                    raise_interrupt()
                look = at + LOOK_AFTER
        if self.skeleton.text.failed or self.ordinals.text.failed:
            raise MemoryError("no memory for a statement")
        return self.skeleton.text.data[: self.skeleton.text.length]

    def add_piece(self, text: octets, size: cython.size_t, piece: cython.pointer(cython.const[Piece])) -> cython.bint:
        """Add a sign for a literal, or the parenthesis itself, to the skeleton."""
        if piece.kind == PIECE_OPEN or piece.kind == PIECE_CLOSE:
            put_memory(cython.address(self.skeleton.text), text + piece.start, 1)
            return True
        sign: cython.p_const_char = NUMBER_SIGN if piece.kind == PIECE_NUMBER else STRING_SIGN
        put_memory(cython.address(self.skeleton.text), sign, 1)
        put_memory(cython.address(self.ordinals.text), cython.address(self.in_skeleton), 4)
        self.in_skeleton += 1
        return True

    def plan(self, actions: list) -> bytes:
        """Return how each literal of the shape that was read last is masked; None if the shape does not tell.

        `actions` has a number for each literal of the statement.
        """
        count: cython.size_t = self.ordinals.text.length // 4
        places: cython.pointer(uint32_t) = cython.cast(cython.pointer(uint32_t), self.ordinals.text.data)
        i: cython.size_t
        action: int32_t
        if cython.cast(cython.size_t, len(actions)) != count:
            return None
        known: list = [None] * self.in_skeleton
        for i in range(count):
            action = actions[i]
            if action == LITERAL_OTHER or known[places[i]] not in (None, action):
                return None
            known[places[i]] = action
        out: bytearray = bytearray(4 * len(known))
        target: cython.p_char = out
        for i in range(len(known)):
            action = known[i]
            memcpy(target + 4 * i, cython.address(action), 4)
        return bytes(out)

    def masked(self, mask: RowMask, data: bytes, plan: bytes, mariadb: cython.bint, escaped: object) -> bytes:
        """Return the statement that was read last, with its literals masked by the plan of its shape.

        `escaped` masks a string with an escape, of which it gets the bytes and the collation.
        """
        size: cython.size_t = len(data)
        text: octets = data
        out: bytearray = bytearray(data)
        place: cython.p_char = out
        target: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), place)
        known: cython.p_const_char = plan
        places: cython.pointer(uint32_t) = cython.cast(cython.pointer(uint32_t), self.ordinals.text.data)
        literal: cython.size_t = 0
        count: cython.size_t = self.ordinals.text.length // 4
        at: cython.size_t = 0
        look: cython.size_t = LOOK_AFTER
        start: cython.size_t
        length: cython.size_t
        action: int32_t = 0
        piece: Piece
        if cython.cast(cython.size_t, len(plan)) != 4 * self.in_skeleton:
            raise ValueError("not the plan of this shape")
        while literal < count:
            next_piece(text, size, at, self.reading, cython.address(piece))
            if piece.kind == PIECE_END or piece.kind == PIECE_UNREAD:
                raise ValueError("not the statement that was read")
            at = piece.end
            if piece.kind == PIECE_OPEN or piece.kind == PIECE_CLOSE:
                continue
            memcpy(cython.address(action), known + 4 * places[literal], 4)
            literal += 1
            if action == LITERAL_KEPT:
                continue
            if piece.kind == PIECE_NUMBER:
                mask_literal_number(mask, target + piece.start, piece.end - piece.start)
            elif piece.kind == PIECE_ESCAPED:
                new: bytes = escaped(data[piece.start : piece.end], action)
                if cython.cast(cython.size_t, len(new)) != piece.end - piece.start:
                    raise ValueError("a mask has another length")
                memcpy(target + piece.start, cython.cast(cython.p_const_char, new), piece.end - piece.start)
            else:
                start = piece.start + 1
                length = piece.end - start - 1
                if length >= 2 and text[start] == b"$" and (text[start + 1] == b"." or text[start + 1] == b"["):
                    if not mask.keep_json_keys:
                        mask_path(mask, target + start, length)
                else:
                    mask.mask_text(target + start, length, action, mariadb, 0)
            if at >= look:
                if is_interrupted():
                    raise_interrupt()
                look = at + LOOK_AFTER
        return bytes(out)


def mask_literal_number(mask: RowMask, data: cython.pointer(uint8_t), size: cython.size_t) -> cython.void:
    """Mask a number in a statement: a whole one as an INT column's value, if it fits into one."""
    number: uint64_t = 0
    digit: uint64_t
    i: cython.size_t
    is_whole: cython.bint = size <= DIGITS_OF_BIGGEST and data[0] != 48
    for i in range(size if is_whole else 0):
        if not 48 <= data[i] <= 57:
            is_whole = False
            break
        digit = data[i] - 48
        if number > (BIGGEST - digit) // 10:
            is_whole = False
            break
        number = 10 * number + digit
    if is_whole:
        number = permutation.mask_magnitude(
            cython.address(mask.key), number, LARGEST_INT if number <= LARGEST_INT else BIGGEST
        )
        i = size
        while i > 0:
            i -= 1
            data[i] = cython.cast(uint8_t, 48 + number % 10)
            number //= 10
    elif not mask_number_text(cython.address(mask.key), data, size):
        for i in range(size):
            if 48 <= data[i] <= 57:
                data[i] = 57


def next_piece(
    text: octets, size: cython.size_t, at: cython.size_t, reading: cython.int, piece: cython.pointer(Piece)
) -> cython.void:
    """Find the next literal or parenthesis."""
    sign: uint8_t
    after: uint8_t
    while at < size:
        sign = text[at]
        after = text[at + 1] if at + 1 < size else 0
        piece.start = at
        piece.end = at + 1
        if 48 <= sign <= 57:
            read_number(text, size, at, piece)
            return
        if is_name(sign):
            while at < size and is_name(text[at]):
                at += 1
            if at < size and (text[at] == b"'" or text[at] == b'"'):
                piece.kind = PIECE_UNREAD
                return
            continue
        if sign == b"'" or (sign == b'"' and not reading & READS_ANSI):
            read_string(text, size, at, reading, piece)
            return
        if sign == b"(":
            piece.kind = PIECE_OPEN
            return
        if sign == b")":
            piece.kind = PIECE_CLOSE
            return
        if sign == b"`":
            at += 1
            while at < size and text[at] != b"`":
                at += 1
            if at == size:
                piece.kind = PIECE_UNREAD
                return
        elif (
            (sign == b"-" and after == b"-")
            or (sign == b"/" and after == b"*")
            or (sign == b"*" and after == b"/")
            or (sign == b"." and 48 <= after <= 57)
            or not (is_space(sign) or sign in b"-+*%,.;=<>!~^&|?:{}[]/")
        ):
            piece.kind = PIECE_UNREAD
            return
        at += 1
    piece.kind = PIECE_END
    piece.start = size
    piece.end = size


def read_number(text: octets, size: cython.size_t, at: cython.size_t, piece: cython.pointer(Piece)) -> cython.void:
    while at < size and 48 <= text[at] <= 57:
        at += 1
    if at < size and text[at] == b".":
        at += 1
        while at < size and 48 <= text[at] <= 57:
            at += 1
    piece.end = at
    piece.kind = PIECE_UNREAD if at < size and (is_name(text[at]) or text[at] == b"$") else PIECE_NUMBER


def read_string(
    text: octets, size: cython.size_t, at: cython.size_t, reading: cython.int, piece: cython.pointer(Piece)
) -> cython.void:
    quote: uint8_t = text[at]
    piece.kind = PIECE_STRING
    at += 1
    while at < size:
        if text[at] == quote:
            if at + 1 >= size or text[at + 1] != quote:
                piece.end = at + 1
                return
            piece.kind = PIECE_ESCAPED
            at += 1
        elif text[at] == b"\\":
            if reading & READS_UNKNOWN:
                break
            if reading & READS_BACKSLASH:
                piece.kind = PIECE_ESCAPED
                at += 1
        at += 1
    piece.kind = PIECE_UNREAD


def follows_values(text: octets, at: cython.size_t) -> cython.bint:
    """Return True if the word before a parenthesis is VALUES."""
    i: cython.size_t
    while at and is_space(text[at - 1]):
        at -= 1
    if at < 7 or is_name(text[at - 7]) or text[at - 7] == b".":
        return False
    for i in range(6):
        if text[at - 6 + i] & 0xDF != b"VALUES"[i]:
            return False
    return True


def is_comma(text: octets, size: cython.size_t) -> cython.bint:
    i: cython.size_t
    if size == 0 or text[0] != b",":
        return False
    for i in range(1, size):
        if not is_space(text[i]):
            return False
    return True


def is_space(sign: uint8_t) -> cython.bint:
    return sign == b" " or 9 <= sign <= 13 or sign == 0


def is_name(sign: uint8_t) -> cython.bint:
    return sign >= 128 or 48 <= sign <= 57 or 65 <= sign <= 90 or 97 <= sign <= 122 or sign == b"_"
