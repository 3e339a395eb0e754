"""Text of every character set, as real servers convert it."""

import json
import subprocess
import sys
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.base.charset import decoded, decoded_start, encoded, valid_size
from pybinlog.kernel.base.collation import collation_names
from tests.corpus import TESTDATA

from .charset_tables import COMPUTED, DIGESTS, SETS, TABLES, asked, code_space, converted, converted_back, digest

COLLATIONS = {name: number for number, (name, _) in sorted(collation_names(True).items(), reverse=True)}
"""A collation of each character set."""
SAMPLES: dict[str, list[str]] = json.loads((TESTDATA / "charsets" / "samples.json").read_text())
PYTHON = {"utf16": "utf-16-be", "utf16le": "utf-16-le", "utf32": "utf-32-be", "utf8mb4": "utf-8", "ascii": "ascii"}
"""The sets that Python decodes exactly as the servers do."""
UNITS = {"ucs2": 2, "utf16": 2, "utf16le": 2, "utf32": 4}
PIECE = 65536
"""The size of a piece to decode."""


def text_of(data: bytes, name: str) -> str | None:
    return decoded(data, COLLATIONS[name], True)


@cache
def codes_of(name: str) -> list[bytes]:
    """Codes that decode, in no more than two bytes or units."""
    unit = UNITS.get(name, 1)
    if unit > 1 or name in COMPUTED:
        alphabet = "a\0Ā語\ud7ff\ue000\uffff" if name in ("ucs2", "utf8mb3") else "a語😀\U0010ffff"
        codec = "ascii" if name == "ascii" else PYTHON.get(name, "utf-16-be" if name == "ucs2" else "utf-8")
        return [char.encode(codec, "ignore") for char in alphabet]
    return [code for code in code_space(name) if len(code) < 4 and text_of(code, name) is not None][:: 1 + len(name)]


@cache
def parts_of(name: str) -> st.SearchStrategy[list[bytes]]:
    """Made once: to look through all codes takes much longer than to draw one."""
    return st.lists(st.sampled_from(codes_of(name)) | st.binary(max_size=5) | st.just(b"plain text"), max_size=12)


@st.composite
def strings(draw: st.DrawFn) -> tuple[str, bytes]:
    """A character set, and bytes with characters of it among them."""
    name = draw(st.sampled_from(SETS))
    return name, b"".join(draw(parts_of(name)))


def test_every_character_set_of_the_servers_is_known() -> None:
    assert {*SETS, "binary"} == COLLATIONS.keys()
    assert SAMPLES.keys() == {*SETS}


@pytest.mark.parametrize("name", SETS)
def test_what_a_server_encoded_is_decoded_and_encoded_again(name: str) -> None:
    text, code = SAMPLES[name]
    assert text_of(bytes.fromhex(code), name) == text
    assert text_of(bytes.fromhex(code) * 30_000, name) == text * 30_000
    assert encoded(text, COLLATIONS[name]) == bytes.fromhex(code)


@pytest.mark.parametrize("name", TABLES)
def test_every_code_is_decoded_as_a_server_does(name: str) -> None:
    number = COLLATIONS[name]
    assert (
        digest((code, decoded(code, number, True)) for code in code_space(name))
        == json.loads(DIGESTS.read_text())[name]
    )


@pytest.mark.parametrize("name", PYTHON)
def test_every_code_of_unicode_is_decoded_as_python_does(name: str) -> None:
    for start in range(0, 0x110000, 0x800):
        text = "".join(map(chr, range(start, start + 0x800)))
        if start == 0xD800:
            for char in text:
                assert text_of(char.encode(PYTHON[name], "surrogatepass") if name != "ascii" else b"\xff", name) is None
        elif name != "ascii" or start == 0:
            text = text[:128] if name == "ascii" else text
            assert text_of(text.encode(PYTHON[name]), name) == text


@given(st.binary(max_size=12), st.sampled_from(sorted(PYTHON)))
def test_what_is_no_unicode_is_what_python_refuses(data: bytes, name: str) -> None:
    try:
        wanted: str | None = data.decode(PYTHON[name])
    except UnicodeDecodeError:
        wanted = None
    assert text_of(data, name) == wanted


@given(st.binary(max_size=12) | st.text(max_size=6).map(str.encode))
def test_utf8mb3_is_utf8_without_characters_of_four_bytes(data: bytes) -> None:
    """Both servers refuse to convert these."""
    whole = text_of(data, "utf8mb4")
    assert text_of(data, "utf8mb3") == (None if whole is None or max(whole, default="") > "\uffff" else whole)


def test_ucs2_has_no_pairs() -> None:
    assert text_of("語\uffff".encode("utf-16-be"), "ucs2") == "語\uffff"
    assert text_of("😀".encode("utf-16-be"), "ucs2") is None


@pytest.mark.parametrize("name", TABLES)
def test_what_is_encoded_decodes_to_the_same(name: str) -> None:
    codes = (code for number, code in enumerate(code_space(name)) if len(code) < 4 or number % 13 == 0)
    texts = {text for code in codes if (text := text_of(code, name))}
    for text in texts:
        assert text_of(encoded(text, COLLATIONS[name]), name) == text
    assert encoded("a\u0e5b\u0587\u06d2a", COLLATIONS[name]) is None or name == "gb18030"


@given(st.text(max_size=6, alphabet=st.characters()), st.sampled_from(SETS))
def test_text_is_encoded_wholly_or_not_at_all(text: str, name: str) -> None:
    code = encoded(text, COLLATIONS[name])
    if code is None:
        assert any(encoded(char, COLLATIONS[name]) is None for char in text)
    else:
        assert text_of(code, name) == text


@given(strings())
def test_as_many_bytes_are_valid_as_are_decoded(given: tuple[str, bytes]) -> None:
    name, data = given
    text, size = decoded_start(data, COLLATIONS[name], True)
    assert valid_size(data, COLLATIONS[name], True) == size <= len(data)
    assert text_of(data, name) == (text if size == len(data) else None)
    assert decoded_start(data[:size], COLLATIONS[name], True) == (text, size)


@given(strings(), st.lists(st.integers(0, 40), max_size=4))
def test_pieces_decode_as_the_whole(given: tuple[str, bytes], cuts: list[int]) -> None:
    name, data = given
    wanted = decoded_start(data, COLLATIONS[name], True)
    texts, at = [], 0
    for cut in [*sorted(cuts), len(data)]:
        text, size = decoded_start(data[at:cut], COLLATIONS[name], True)
        texts.append(text)
        at += size
    assert ("".join(texts), at) == wanted


@pytest.mark.parametrize("name", SETS)
def test_a_character_on_the_border_of_two_pieces_is_whole(name: str) -> None:
    first, *_, last = codes_of(name)
    filling = next(code for code in codes_of(name) if len(code) == UNITS.get(name, 1))
    for before in range(PIECE - 5, PIECE + 2):
        count = before // len(filling)
        data = filling * count + last + first
        wanted = f"{text_of(filling, name)}" * count + f"{text_of(last, name)}{text_of(first, name)}"
        assert text_of(data, name) == wanted
        assert valid_size(data + b"\xff", COLLATIONS[name], True) >= len(data)


@given(given=strings())
def test_nothing_beyond_the_bytes_is_read(border: memoryview, given: tuple[str, bytes]) -> None:
    name, data = given
    for size in range(len(data) + 1):
        place = border[len(border) - size :]
        place[:] = data[:size]
        assert valid_size(place, COLLATIONS[name], True) == decoded_start(place, COLLATIONS[name], True)[1] <= size


def test_binary_strings_and_unknown_collations_have_no_text() -> None:
    for collation, mariadb in [(63, False), (63, True), (0, False), (2048, False), (324, True), (1 << 20, True)]:
        with pytest.raises(LookupError, match="has no character set that is known"):
            decoded(b"a", collation, mariadb)
    assert decoded(b"a", 2048, True) == "a"


def test_the_tables_are_read_when_one_is_asked_for() -> None:
    program = """
import sys
from pybinlog.kernel.base.charset import decoded
assert decoded(b"caf\\xc3\\xa9", 45) == "caf\\xe9" and decoded(b"\\0a", 54) == "a"
assert "zstandard" not in sys.modules
assert decoded(b"caf\\xe9", 8) == "caf\\xe9"
assert "zstandard" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("kind", ["mysql", "mariadb"])
def test_every_code_is_what_a_server_says_today(kind: str) -> None:
    with asked(kind) as server:
        for name in SETS:
            if (kind, name) != ("mariadb", "gb18030"):  # which MariaDB does not have
                found = converted(server, name)
                wrong = {code.hex(): text for code, text in found.items() if text_of(code, name) != text}
                assert not wrong, f"{name}: {len(wrong)} codes"
                texts = sorted({text for text in found.values() if text and len(text) == 1 and ord(text) < 0x20000})
                wanted = converted_back(server, name, texts)
                assert {text: encoded(text, COLLATIONS[name]) for text in texts} == wanted
