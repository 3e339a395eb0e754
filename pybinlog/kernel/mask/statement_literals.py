"""StatementLiterals: statements that change rows, masked by the plan of their shape, which is theirs but for literals.

Rows of VALUES that have one shape count once. A text with a comment, an account, a hexadecimal number or another rare
form is not read here: `redact/statement_text.py`, which has the rules of all tokens, masks it.
"""

import cython
from cython.cimports.pybinlog.kernel.base.memory import LOOK_AFTER, is_interrupted, memcmp, memcpy
from cython.cimports.pybinlog.kernel.base.memory import raise_interrupt
from cython.cimports.pybinlog.kernel.base.text import put_char, put_memory
from cython.cimports.pybinlog.kernel.base.utf8 import utf8_run
from cython.cimports.pybinlog.kernel.mask import permutation
from cython.cimports.pybinlog.kernel.mask.json_mask import mask_path
from cython.cimports.pybinlog.kernel.mask.text_mask import mask_number_text
from cython.cimports.pybinlog.kernel.scan import statement_shape
from cython.cimports.pybinlog.kernel.scan.statement_shape import is_digit, is_name, is_space
from cython.cimports.pybinlog.kernel.tokens.quoting import escaped

DIGITS_OF_BIGGEST = cython.declare(cython.size_t, 20)
LARGEST_INT = cython.declare(uint64_t, 2147483647)
BIGGEST = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)
NUMBER_SIGN = cython.declare(cython.char, 1)
STRING_SIGN = cython.declare(cython.char, 2)
MOST_SESSIONS = cython.declare(cython.int, 256)
MOST_PLANS = cython.declare(cython.int, 1024)
LONGEST_SHAPE = cython.declare(cython.int, 16384)
ESCAPED = cython.declare(int64_t, -1)


@cython.cclass
class ReadSession:
    """A `Session` of `redact/statement_text.py`, or None, as the kernel reads statements under it."""

    def __init__(self, session: object, is_wide: cython.bint):
        self.session = session
        self.collation = 45
        if session is None:
            self.reading = READS_UNKNOWN
            return
        sql_mode: uint64_t = session.sql_mode
        self.collation, self.mariadb = session.collation, session.mariadb
        self.reading = (
            READS_NOTHING if is_wide else 0 if sql_mode & statement_shape.NO_BACKSLASH_ESCAPES else READS_BACKSLASH
        )
        if sql_mode & statement_shape.ANSI_QUOTES:
            self.reading |= READS_ANSI


@cython.cclass
class StatementLiterals:
    """Masks one statement after the other; `use` says how they are read."""

    def __cinit__(self):
        self.sessions = {}
        self.plans = {}
        self.skeleton = OwnText()
        self.pieces = OwnText()
        self.plain = OwnText()
        self.places = OwnText()
        self.use(None, False)

    def use(self, session: object, is_wide: cython.bint = False) -> ReadSession:
        """Read statements from here on under a Session, or None; `is_wide`: characters may have quotes in them."""
        known: ReadSession = self.sessions.get(session)
        if known is None:
            if len(self.sessions) == MOST_SESSIONS:
                self.sessions.clear()
            known = self.sessions[session] = ReadSession(session, is_wide)
            self.last_session += 1
            known.number = self.last_session
        self.current = known
        return known

    @property
    def session(self) -> object:
        """The Session under which statements are read."""
        return self.current.session

    def masked(self, mask: TextMask, data: bytes) -> bytes:
        """Return a statement masked by the plan of its shape; None if none is known."""
        out: bytearray = bytearray(data)
        place: cython.p_char = out
        return bytes(out) if self.mask(mask, cython.cast(cython.pointer(uint8_t), place), len(out)) else None

    def learn(self, mask: TextMask, data: bytes, masked: bytes, actions: object) -> None:
        """Note how a statement was masked: `actions` has a number for each literal; None: its shape does not tell."""
        text: octets = data
        shape: bytes = self.read(text, len(data))
        if shape is None or len(shape) > LONGEST_SHAPE or self.plans.get(shape, masked) is None:
            return
        plan: tuple = None
        steps: bytes = None if actions is None else self.plan(list(actions))
        if steps is not None:
            out: bytearray = bytearray(data)
            place: cython.p_char = out
            names: dict = self.names(data, masked)
            self.mask_by(mask, cython.cast(cython.pointer(uint8_t), place), len(out), steps, names)
            if out == masked:
                plan = steps, names
        if len(self.plans) == MOST_PLANS:
            self.plans.clear()
        self.plans[shape] = plan

    def shape(self, data: bytes) -> bytes:
        """Return the text without its literals; None if it has a form that is not read here."""
        text: octets = data
        shape: bytes = self.read(text, len(data))
        return None if shape is None else shape[: len(shape) - 4]

    def mask(self, mask: TextMask, text: cython.pointer(uint8_t), size: cython.size_t) -> cython.int:
        """Mask a statement in place; 0 if the plan of its shape is not known."""
        shape: bytes = self.read(text, size)
        if shape is None:
            return 0
        plan: tuple = self.plans.get(shape)
        if plan is None:
            return 0
        return self.mask_by(mask, text, size, plan[0], plan[1])

    def read(self, text: octets, size: cython.size_t) -> bytes:
        """Return the shape and the number of the session; None as above."""
        piece: Piece
        at: cython.size_t = 0
        look: cython.size_t = LOOK_AFTER
        depth: cython.int = 0
        reading: cython.int = self.current.reading
        # The row of VALUES that is open, and the one before it: places in the skeleton.
        row: cython.size_t = 0
        last_row: cython.size_t = 0
        last_end: cython.size_t = 0
        is_row: cython.bint = False
        has_last: cython.bint = False
        first: cython.size_t = 0
        i: cython.size_t
        skeleton: p_Text = cython.address(self.skeleton.text)
        self.in_skeleton = 0
        skeleton.length = 0
        self.pieces.text.length = 0
        if reading & READS_NOTHING or (reading & READS_UNKNOWN and utf8_run(text, size) != size):
            return None
        while True:
            next_piece(text, size, at, reading, cython.address(piece))
            if piece.kind == PIECE_UNREAD:
                return None
            put_memory(skeleton, text + at, piece.start - at)
            if piece.kind == PIECE_END:
                break
            if piece.kind == PIECE_OPEN:
                if depth == 0:
                    row = skeleton.length
                    first = self.pieces.text.length // cython.sizeof(Piece)
                    has_last = has_last and is_comma(cython.cast(octets, skeleton.data) + last_end, row - last_end)
                    is_row = has_last or follows_values(text, piece.start)
                depth += 1
            self.add_piece(text, cython.address(piece))
            if piece.kind == PIECE_CLOSE:
                depth -= 1
                if depth == 0 and is_row:
                    if (
                        has_last
                        and skeleton.length - row == last_end - last_row
                        and memcmp(skeleton.data + row, skeleton.data + last_row, last_end - last_row) == 0
                    ):
                        literals: cython.pointer(Piece) = cython.cast(cython.pointer(Piece), self.pieces.text.data)
                        many: uint32_t = cython.cast(uint32_t, self.pieces.text.length // cython.sizeof(Piece) - first)
                        for i in range(first, first + many):
                            literals[i].ordinal -= many
                        self.in_skeleton -= many
                        skeleton.length = last_end
                    else:
                        last_row, last_end = row, skeleton.length
                        has_last = True
            at = piece.end
            if at >= look:
                if is_interrupted():
                    raise_interrupt()
                look = at + LOOK_AFTER
        put_memory(skeleton, cython.address(self.current.number), 4)
        if skeleton.failed or self.pieces.text.failed:
            raise MemoryError("no memory for a statement")
        return skeleton.data[: skeleton.length]

    def add_piece(self, text: octets, piece: cython.pointer(Piece)) -> cython.int:
        """Add a sign for a literal, or the parenthesis itself, to the skeleton."""
        if piece.kind == PIECE_OPEN or piece.kind == PIECE_CLOSE:
            put_memory(cython.address(self.skeleton.text), text + piece.start, 1)
            return 0
        put_char(cython.address(self.skeleton.text), NUMBER_SIGN if piece.kind == PIECE_NUMBER else STRING_SIGN)
        piece.ordinal = self.in_skeleton
        put_memory(cython.address(self.pieces.text), piece, cython.sizeof(Piece))
        self.in_skeleton += 1
        return 0

    def plan(self, actions: list) -> bytes:
        """Return how each literal of the shape that was read last is masked; None if the shape does not tell."""
        count: cython.size_t = self.pieces.text.length // cython.sizeof(Piece)
        literals: cython.pointer(Piece) = cython.cast(cython.pointer(Piece), self.pieces.text.data)
        i: cython.size_t
        action: int32_t
        if cython.cast(cython.size_t, len(actions)) != count:
            return None
        known: list = [None] * self.in_skeleton
        for i in range(count):
            action = actions[i]
            if action == LITERAL_OTHER or known[literals[i].ordinal] not in (None, action):
                return None
            known[literals[i].ordinal] = action
        out: bytearray = bytearray(4 * len(known))
        target: cython.p_char = out
        for i in range(len(known)):
            action = known[i]
            memcpy(target + 4 * i, cython.address(action), 4)
        return bytes(out)

    def names(self, data: bytes, masked: bytes) -> dict:
        """Return the names of the statement that was read last, and their masks."""
        known: dict = {}
        literals: cython.pointer(Piece) = cython.cast(cython.pointer(Piece), self.pieces.text.data)
        count: cython.size_t = self.pieces.text.length // cython.sizeof(Piece)
        text: octets = data
        size: cython.size_t = len(data)
        at: cython.size_t = 0
        i: cython.size_t = 0
        if len(masked) != len(data):
            return known
        while at < size:
            if i < count and at == literals[i].start:
                at = literals[i].end
                i += 1
                continue
            start: cython.size_t = at
            while at < size and is_name(text[at]) and not (i < count and at == literals[i].start):
                at += 1
            if data[start:at] != masked[start:at]:
                known[data[start:at]] = masked[start:at]
            if at == start:
                at += 1
        return known

    def mask_by(
        self, mask: TextMask, text: cython.pointer(uint8_t), length: cython.size_t, actions: bytes, names: dict
    ) -> cython.int:
        """Mask in place the statement that was read last, by the plan of its shape; return 1."""
        known: cython.p_const_char = actions
        end: cython.size_t = 0
        literals: cython.pointer(Piece) = cython.cast(cython.pointer(Piece), self.pieces.text.data)
        i: cython.size_t
        look: cython.size_t = LOOK_AFTER
        action: int32_t = 0
        escapes: cython.bint = self.current.reading & READS_BACKSLASH != 0
        for i in range(self.pieces.text.length // cython.sizeof(Piece)):
            memcpy(cython.address(action), known + 4 * literals[i].ordinal, 4)
            at: cython.pointer(uint8_t) = text + literals[i].start
            size: cython.size_t = literals[i].end - literals[i].start
            if names:
                mask_names(names, text + end, at)
            end = literals[i].end
            if action == LITERAL_KEPT:
                continue
            if literals[i].kind == PIECE_NUMBER:
                mask_literal_number(mask, at, size)
            elif literals[i].kind == PIECE_ESCAPED:
                self.mask_string(mask, at, at, size, escapes, action, self.current.mariadb, None)
            else:
                mask_string_text(mask, at + 1, size - 2, action, self.current.mariadb)
            if literals[i].end >= look:
                if is_interrupted():
                    raise_interrupt()
                look = literals[i].end + LOOK_AFTER
        if names:
            mask_names(names, text + end, text + length)
        return 1

    def have_changed(self, before: bytes, now: bytes) -> bool:
        """Return True if a literal of the statement that was read last has another mask than itself."""
        old: octets = before
        new: octets = now
        return self.are_changed(old, new)

    def are_changed(self, before: octets, now: octets) -> cython.bint:
        literals: cython.pointer(Piece) = cython.cast(cython.pointer(Piece), self.pieces.text.data)
        i: cython.size_t
        for i in range(self.pieces.text.length // cython.sizeof(Piece)):
            if memcmp(before + literals[i].start, now + literals[i].start, literals[i].end - literals[i].start):
                return True
        return False

    def number(self, mask: TextMask, data: bytes) -> bytes:
        """Return the mask of a number of unknown type."""
        out: bytearray = bytearray(data)
        place: cython.p_char = out
        mask_literal_number(mask, cython.cast(cython.pointer(uint8_t), place), len(out))
        return bytes(out)

    def string(
        self,
        mask: TextMask,
        data: bytes,
        shadow: bytes,
        escapes: cython.bint,
        collation: uint32_t,
        mariadb: cython.bint,
        value: object = None,
    ) -> bytes:
        """Return the mask of a string with its quotes. `shadow` has letters in place of the bytes of wide characters.

        `value` masks the text, if that is not any text.
        """
        out: bytearray = bytearray(data)
        place: cython.p_char = out
        signs: octets = shadow
        if len(shadow) != len(data) or len(data) < 2:
            raise ValueError("not a string")
        self.mask_string(
            mask, cython.cast(cython.pointer(uint8_t), place), signs, len(out), escapes, collation, mariadb, value
        )
        return bytes(out)

    def mask_string(
        self,
        mask: TextMask,
        data: cython.pointer(uint8_t),
        shadow: octets,
        size: cython.size_t,
        escapes: cython.bint,
        collation: uint32_t,
        mariadb: cython.bint,
        value: object,
    ) -> cython.int:
        """Mask the text of a string; if an escape became another sign, all of the string becomes letters."""
        at: cython.size_t = 1
        i: cython.size_t
        place: int64_t
        sign: uint8_t
        quote: uint8_t = data[size - 1]
        plain: p_Text = cython.address(self.plain.text)
        plain.length = self.places.text.length = 0
        while at < size - 1:
            place, sign = at, data[at]
            if escapes and shadow[at] == b"\\" and at + 2 < size:
                place, sign = ESCAPED, data[at + 1]
                if sign == b"%" or sign == b"_":  # the backslash is part of the text
                    put_char(plain, b"\\")
                    put_memory(cython.address(self.places.text), cython.address(place), 8)
                else:
                    sign = cython.cast(uint8_t, escaped(sign))
                at += 1
            elif sign == quote:
                place = ESCAPED
                at += 1
            put_char(plain, sign)
            put_memory(cython.address(self.places.text), cython.address(place), 8)
            at += 1
        if plain.failed or self.places.text.failed:
            raise MemoryError("no memory for a string")
        old: bytes = plain.data[: plain.length]
        before: octets = old
        places: cython.pointer(int64_t) = cython.cast(cython.pointer(int64_t), self.places.text.data)
        text: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), plain.data)
        if value is not None:
            new: bytes = value(old)
            if len(new) != len(old):
                raise ValueError("a mask has another length")
            memcpy(text, cython.cast(cython.p_const_char, new), len(new))
        else:
            mask_string_text(mask, text, plain.length, collation, mariadb)
        for i in range(plain.length):
            if text[i] == before[i]:
                continue
            if places[i] == ESCAPED:
                for at in range(1, size - 1):
                    if not (data[at] == b" " or 9 <= data[at] <= 13):
                        data[at] = b"x"
                break
            data[places[i]] = text[i]
        return 0


def mask_string_text(
    mask: TextMask, text: cython.pointer(uint8_t), size: cython.size_t, collation: uint32_t, mariadb: cython.bint
) -> cython.int:
    """Mask the text of a string; of a path in JSON, its keys alone."""
    if size < 2 or text[0] != b"$" or (text[1] != b"." and text[1] != b"[" and text[1] != b"*"):
        return mask.mask_text(text, size, collation, mariadb, 0)
    return 0 if mask.keep_json_keys else mask_path(mask, text, size)


def mask_names(names: dict, at: cython.pointer(uint8_t), end: cython.pointer(uint8_t)) -> cython.int:
    """Put the masks of names in their places between two literals."""
    while at < end:
        start: cython.pointer(uint8_t) = at
        while at < end and is_name(at[0]):
            at += 1
        if at == start:
            at += 1
            continue
        new: bytes = names.get(start[: at - start])
        if new is not None:
            memcpy(start, cython.cast(cython.p_const_char, new), at - start)
    return 0


def mask_literal_number(mask: TextMask, data: cython.pointer(uint8_t), size: cython.size_t) -> cython.void:
    """Mask a number in a statement: a whole one as an INT column's value, if it fits into one."""
    number: uint64_t = 0
    i: cython.size_t
    is_whole: cython.bint = size <= DIGITS_OF_BIGGEST and data[0] != 48
    for i in range(size if is_whole else 0):
        if not 48 <= data[i] <= 57:
            is_whole = False
            break
        digit: uint64_t = data[i] - 48
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
    while at < size:
        sign: uint8_t = text[at]
        after: uint8_t = text[at + 1] if at + 1 < size else 0
        piece.start = at
        piece.end = at + 1
        if is_digit(sign):
            read_number(text, size, at, piece)
            return
        if is_name(sign) and sign != b"$":
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
            or (sign == b"." and is_digit(after))
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
    piece.kind = PIECE_UNREAD if at < size and is_name(text[at]) else PIECE_NUMBER


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
