"""Numbers that are not integers: DECIMAL, FLOAT, DOUBLE and the doubles of JSON, each as the reference writes it.

DECIMAL is stored as groups of nine digits in four bytes, fewer digits in fewer bytes, sign in the top bit.

Source: the comment of decimal2bin in the server's strings library and the manual, "DECIMAL Data Type
Characteristics".
"""

import cython
from cython.cimports.libc.math import frexp, isfinite, rint, signbit
from cython.cimports.libc.stdio import snprintf
from cython.cimports.libc.stdlib import strtod, strtof
from cython.cimports.pybinlog.kernel.base.digits import MOST_GROUPS, write_digits, write_unsigned
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memmove, strlen

POWERS = cython.declare(uint32_t[10], [1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000])
SIZES = cython.declare(cython.int[10], [0, 1, 1, 2, 2, 3, 3, 4, 4, 4])
MASKS = cython.declare(uint32_t[5], [0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF])


def group(data: octets, size: cython.int, first: cython.bint, mask: uint32_t) -> uint32_t:
    """Return the digits in 1 to 4 big-endian bytes, complemented if the number is negative."""
    value: uint32_t = data[0] ^ 0x80 if first else data[0]
    i: cython.int
    for i in range(1, size):
        value = (value << 8) | data[i]
    if mask:
        value ^= MASKS[size]
    return value


def put_decimal(text: p_Text, data: octets, precision: cython.int, scale: cython.int) -> cython.bint:
    negative: uint32_t = (data[0] & 0x80) == 0
    first: cython.bint = True
    started: cython.bint = False
    digits: cython.int = (precision - scale) % 9
    groups: cython.int = (precision - scale) // 9
    value: uint32_t
    if not text_grow(text, 9 * MOST_GROUPS + 24):
        return True
    at: cython.p_char = text.data + text.length
    if negative:
        at[0] = b"-"
        at += 1
    if digits:
        value = group(data, SIZES[digits], first, negative)
        # One digit too many passes in the reference.
        if value >= POWERS[digits + 1]:
            return False
        data += SIZES[digits]
        first = False
        if value:
            started = True
            at = write_unsigned(at, value)
    while groups:
        value = group(data, 4, first, negative)
        if value >= POWERS[9]:
            return False
        data += 4
        first = False
        if started:
            at = write_digits(at, value, 9)
        elif value:
            started = True
            at = write_unsigned(at, value)
        groups -= 1
    if not started:
        at[0] = b"0"
        at += 1
    if scale:
        at[0] = b"."
        at += 1
        groups = scale // 9
        digits = scale % 9
        while groups:
            value = group(data, 4, first, negative)
            if value >= POWERS[9]:
                return False
            data += 4
            first = False
            at = write_digits(at, value, 9)
            groups -= 1
        if digits:
            value = group(data, SIZES[digits], first, negative)
            if value >= POWERS[digits]:
                return False
            at = write_digits(at, value, digits)
    elif not started:  # without a sign
        at = text.data + text.length
        at[0] = b"0"
        at += 1
    text.length = at - text.data
    return True


TENS = cython.declare(uint64_t[20])
REAL_TENS = cython.declare(cython.double[23])  # those that a double holds exactly
MANTISSA_BITS = cython.declare(cython.int, 52)


@cython.cfunc
def fill_tens() -> cython.void:
    i: cython.int
    TENS[0] = 1
    REAL_TENS[0] = 1
    for i in range(1, 20):
        TENS[i] = TENS[i - 1] * 10
    for i in range(1, 23):
        REAL_TENS[i] = REAL_TENS[i - 1] * 10


fill_tens()


def put_formatted(text: p_Text, form: cython.p_const_char, value: cython.double) -> cython.void:
    if text_grow(text, 64):
        text.length += snprintf(text.data + text.length, 64, form, value)


def split_product(a: uint64_t, b: uint64_t, shift: cython.int, rest: cython.pointer(uint64_t)) -> uint64_t:
    """Split a * b at the bit `shift` (1 to 63): the upper part, which must fit into 64 bits, and the lower one."""
    a_low: uint64_t = cython.cast(uint32_t, a)
    b_low: uint64_t = cython.cast(uint32_t, b)
    low: uint64_t = a_low * b_low
    middle: uint64_t = (a >> 32) * b_low + (low >> 32)
    other: uint64_t = a_low * (b >> 32) + cython.cast(uint32_t, middle)
    high: uint64_t = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32)
    low = (other << 32) | cython.cast(uint32_t, low)
    rest[0] = low & ((cython.cast(uint64_t, 1) << shift) - 1)
    return (high << (64 - shift)) | (low >> shift)


def put_general(text: p_Text, value: cython.double, precision: cython.int) -> cython.bint:
    """Append a middling number as C's %.*g of 6 or 20 digits, in integers; return False for other numbers."""
    bits: uint64_t
    rest: uint64_t
    first: uint64_t = 0
    second: uint64_t = 0
    first_digits: cython.int = 0
    second_digits: cython.int = 0
    if not text_grow(text, 64):
        return True
    memcpy(cython.address(bits), cython.address(value), 8)
    at: cython.p_char = text.data + text.length
    if bits >> 63:
        at[0] = b"-"
        at += 1
    if bits << 1 == 0:
        at[0] = b"0"
        text.length = at + 1 - text.data
        return True
    shift: cython.int = 1075 - (cython.cast(cython.int, bits >> MANTISSA_BITS) & 2047)  # value = mantissa / 2 ** shift
    if shift > 63 or shift < -11:
        return False
    mantissa: uint64_t = (bits & ((cython.cast(uint64_t, 1) << MANTISSA_BITS) - 1)) | (
        cython.cast(uint64_t, 1) << MANTISSA_BITS
    )
    if shift <= 0:
        whole: uint64_t = mantissa << -shift
        fraction: uint64_t = 0
        shift = 1
    else:
        whole = mantissa >> shift
        fraction = mantissa & ((cython.cast(uint64_t, 1) << shift) - 1)
    if precision == 6 and whole >= 999999:
        return False
    if fraction:
        # The decimal places that the precision leaves: less the digits in front, and the zeros after the point do
        # not count. They come in one group of up to 18 digits and another of the rest.
        places: cython.int = precision
        if whole:
            while places and TENS[precision - places] <= whole:
                places -= 1
        else:
            value = value if value > 0 else -value
            places += 3 if value < 0.001 else 2 if value < 0.01 else 1 if value < 0.1 else 0
        first_digits = places if places < 18 else 18
        second_digits = places - first_digits
        first = split_product(fraction, TENS[first_digits], shift, cython.address(rest))
        second = split_product(rest, TENS[second_digits], shift, cython.address(rest))
        # To the nearest; a half goes to the even digit.
        rest <<= 64 - shift
        if rest >> 63 and (rest << 1 or ((second if second_digits else first if first_digits else whole) & 1)):
            second += 1
            if second == TENS[second_digits]:
                second = 0
                first += 1
                if first == TENS[first_digits]:
                    first = 0
                    whole += 1
    at = write_unsigned(at, whole)
    if first or second:
        at[0] = b"."
        end: cython.p_char = write_digits(at + 1, first, first_digits)
        end = write_digits(end, second, second_digits)
        while (end - 1)[0] == b"0":
            end -= 1
        at = end
    text.length = at - text.data
    return True


def put_float(text: p_Text, value: cython.double):
    start: cython.size_t = text.length
    if not put_general(text, value, 6):
        put_formatted(text, b"%-20g", value)
        return
    if text_grow(text, 24):
        while text.length - start < 20:
            text.data[text.length] = b" "
            text.length += 1


def put_double(text: p_Text, value: cython.double):
    if not put_general(text, value, 20):
        put_formatted(text, b"%.20g", value)


def put_short_float(text: p_Text, data: octets):
    value: cython.float
    memcpy(cython.address(value), data, 4)
    put_formatted(text, b"%.5e", value)


def reads_as(digits: cython.p_const_char, value: cython.double, single: cython.bint) -> cython.bint:
    return strtof(digits, cython.NULL) == value if single else strtod(digits, cython.NULL) == value


def shortest_exact(value: cython.double, digits: cython.p_char, single: cython.bint) -> cython.int:
    """Do as `shortest` for a smallish integer over a small power of ten; return -1000 for other numbers.

    No two decimals of 15 digits read as the same double, so the one that is found is the only one. Floats below 2 ** 24
    lie at most 1 apart, and so do those that are scaled.
    """
    places: cython.int
    most: cython.double = 16777216.0 if single else 1e15
    for places in range(9 if single else 23):
        scaled: cython.double = value * REAL_TENS[places]
        if scaled >= most:
            break
        scaled = rint(scaled)
        quotient: cython.double = scaled / REAL_TENS[places]
        if single:
            quotient = cython.cast(cython.float, quotient)
        if quotient == value:
            end: cython.p_char = write_unsigned(digits, cython.cast(uint64_t, scaled))
            point: cython.int = cython.cast(cython.int, end - digits) - places - 1
            while (end - 1)[0] == b"0":
                end -= 1
            end[0] = 0
            return point
    return -1000


def next_decimal(digits: cython.p_char, precision: cython.int) -> cython.bint:
    """Add 1 to the last of the digits in "d.ddde-dd"; False if that makes one more digit."""
    at: cython.int = precision + 1 if precision else 0
    while at >= 0:
        if at == 1:
            at = 0
        if digits[at] != b"9":
            digits[at] += 1
            return True
        digits[at] = b"0"
        at -= 1
    return False


def shortest(value: cython.double, digits: cython.p_char, single: cython.bint) -> cython.int:
    """Write the 1 to 17 digits (`single`: 9), without zeros at their end; the return is the place of the first's point.

    `value` is above 0 and finite, `digits` has room for 40.
    """
    precision: cython.int
    place: cython.int = shortest_exact(value, digits, single)
    exponent: cython.int
    power_of_two: cython.bint = frexp(value, cython.address(exponent)) == 0.5
    if place > -1000:
        return place
    # If the search for a double's exact form failed, print 16 or 17 digits.
    for precision in range(15 if 1e-5 < value < 1e15 and not single else 0, 17):
        snprintf(digits, 32, b"%.*e", precision, value)
        if reads_as(digits, value, single):
            break
        # Doubles lie farther apart above a power of two than below, so there the next decimal may do as well.
        if power_of_two and next_decimal(digits, precision) and reads_as(digits, value, single):
            break
    at: cython.p_char = digits + (precision + 2 if precision else 1) + 1  # after the "e"
    place = 0
    negative: cython.bint = at[0] == b"-"
    at += 1
    while at[0]:
        place = place * 10 + (at[0] - 48)
        at += 1
    memmove(digits + 1, digits + 2, precision)
    digits[precision + 1] = 0
    return -place if negative else place


def put_shortest(text: p_Text, value: cython.double, single: cython.bint) -> cython.void:
    """Append a finite number."""
    digits: cython.char[40]
    i: cython.int
    if not text_grow(text, 64):
        return
    at: cython.p_char = text.data + text.length
    if signbit(value):
        at[0] = b"-"
        at += 1
        value = -value
    if value == 0:
        memcpy(at, cython.cast(cython.p_const_char, b"0.0"), 3)
        text.length = at + 3 - text.data
        return
    point: cython.int = shortest(value, cython.cast(cython.p_char, digits), single) + 1  # digits in front of the point
    count: cython.int = cython.cast(cython.int, strlen(cython.cast(cython.p_const_char, digits)))
    # The exponent form begins at the limits of the server's my_gcvt, with a width that holds every double.
    if -14 <= point <= 15 or (point > 0 and count > point):
        if point <= 0:
            at[0] = b"0"
            at[1] = b"."
            at += 2
            for i in range(-point):
                at[i] = b"0"
            at += -point
            memcpy(at, cython.cast(cython.p_const_char, digits), count)
            at += count
        elif count > point:
            memcpy(at, cython.cast(cython.p_const_char, digits), point)
            at[point] = b"."
            memcpy(at + point + 1, cython.cast(cython.p_const_char, digits) + point, count - point)
            at += count + 1
        else:
            memcpy(at, cython.cast(cython.p_const_char, digits), count)
            at += count
            for i in range(point - count):
                at[i] = b"0"
            at += point - count
            at[0] = b"."
            at[1] = b"0"
            at += 2
    else:
        at[0] = digits[0]
        at += 1
        if count > 1:
            at[0] = b"."
            memcpy(at + 1, cython.cast(cython.p_const_char, digits) + 1, count - 1)
            at += count
        at[0] = b"e"
        at += 1
        point -= 1
        if point < 0:
            at[0] = b"-"
            at += 1
            point = -point
        at = write_unsigned(at, point)
    text.length = at - text.data


def put_real(text: p_Text, value: cython.double, single: cython.bint) -> cython.void:
    if isfinite(value):
        put_shortest(text, value, single)
    else:
        put_text(text, b'"NaN"' if value != value else b'"Infinity"' if value > 0 else b'"-Infinity"')


def put_shortest_double(text: p_Text, value: cython.double):
    put_real(text, value, False)


def put_shortest_float(text: p_Text, value: cython.double):
    put_real(text, value, True)


def put_json_double(text: p_Text, data: octets):
    value: cython.double
    memcpy(cython.address(value), data, 8)
    if isfinite(value):
        put_shortest(text, value, False)
    else:
        put_text(text, b"0.0")


def float_text(form: str, value: cython.double) -> bytes:
    """Return the number as a FLOAT ("float"), a DOUBLE ("double"), in a list ("list") or in JSON ("json").

    "shortest double" and "shortest float" are what JSON has of a DOUBLE and a FLOAT.
    """
    text: OwnText = OwnText()
    single: cython.float = value
    bytes_of_double: cython.p_const_char = cython.cast(cython.p_const_char, cython.address(value))
    bytes_of_float: cython.p_const_char = cython.cast(cython.p_const_char, cython.address(single))
    if form == "float":
        put_float(cython.address(text.text), single)
    elif form == "double":
        put_double(cython.address(text.text), value)
    elif form == "list":
        put_short_float(cython.address(text.text), cython.cast(octets, bytes_of_float))
    elif form == "shortest double":
        put_shortest_double(cython.address(text.text), value)
    elif form == "shortest float":
        put_shortest_float(cython.address(text.text), single)
    elif form == "json":
        put_json_double(cython.address(text.text), cython.cast(octets, bytes_of_double))
    else:
        raise ValueError(f"no such form: {form!r}")
    return text_take(cython.address(text.text))
