"""Floating point numbers in the forms of rows and of JSON."""

import math
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pybinlog.kernel.rows.number_value import float_text


def server_form(number: float) -> str:
    """Python's shortest digits, which are the server's, laid out as its my_gcvt does."""
    sign = "-" if math.copysign(1, number) < 0 else ""
    if number == 0:
        return sign + "0.0"
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    point = len(whole) + int(exponent or 0) - (len(digits) - len(digits.lstrip("0")))
    digits = digits.strip("0")
    if point < -14 or (point > 15 and len(digits) <= point):
        return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{point - 1}"
    if point <= 0:
        return sign + "0." + "0" * -point + digits
    if len(digits) > point:
        return sign + digits[:point] + "." + digits[point:]
    return sign + digits.ljust(point, "0") + ".0"


plain = st.builds(lambda number, places: number / 10**places, st.integers(-(10**18), 10**18), st.integers(0, 22))
dyadic = st.builds(math.ldexp, st.integers(-(1 << 53), 1 << 53).map(float), st.integers(-80, 60))
finite = st.one_of(plain, dyadic, st.floats(allow_nan=False, allow_infinity=False))


@given(finite)
@example(-0.0)
@example(5e-324)
@example(1.7976931348623157e308)
@example(7.120236347223045e-307)  # a power of two, below which doubles lie closer
@example(9007199254740993.0)
def test_the_json_form_is_the_shortest_that_reads_back(number: float) -> None:
    text = float_text("json", number).decode()
    assert text == server_form(number)
    assert float(text) == number


def test_every_power_of_two_has_its_shortest_json_form() -> None:
    for exponent in range(-1074, 1024):
        assert float_text("json", math.ldexp(1.0, exponent)).decode() == server_form(math.ldexp(1.0, exponent))


@given(finite)
@example(0.00099999999999999999)
@example(0.99999999999999994)
@example(9.999999999999999999)
@example(0.5)
def test_a_double_has_twenty_digits(number: float) -> None:
    assert float_text("double", number) == b"%.20g" % number


@given(st.one_of(finite, st.floats(-1e6, 1e6)))
@example(999999.5)
@example(999998.5)
@example(99999.95)
@example(2.5)
@example(0.0001)
@example(0.00009999995)
def test_a_float_has_six_digits_in_twenty_places(number: float) -> None:
    try:
        single = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return
    assert float_text("float", single) == b"%-20g" % single


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_what_is_no_number_has_a_form_too(number: float) -> None:
    assert float_text("double", number).decode().lstrip("-") == f"{number}".lstrip("-")
    assert float_text("json", number) == b"0.0"


@pytest.mark.parametrize(
    ("form", "number", "text"),
    [
        ("list", 0.1, b"1.00000e-01"),
        ("list", -1234567.0, b"-1.23457e+06"),
        ("shortest double", 0.1, b"0.1"),
        ("shortest double", 1e100, b"1e100"),
        ("shortest float", 0.1, b"0.1"),
        ("shortest float", 16777216.0, b"16777216.0"),
        ("float", 0.1, b"%-20s" % b"0.1"),
        ("float", 1e10, b"%-20s" % b"1e+10"),
        ("double", 0.5, b"0.5"),
    ],
)
def test_each_form_of_a_number(form: str, number: float, text: bytes) -> None:
    assert float_text(form, number) == text


def test_an_unknown_form_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^no such form: 'hex'$"):
        float_text("hex", 1.0)
