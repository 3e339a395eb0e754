"""Colours: when, on what, and nothing else changed."""

import re
from dataclasses import dataclass, field

import pytest

from pybinlog.cli.display.color import LONGEST, ColorOutput, paint
from tests.cli.conftest import parsed
from tests.corpus import scenarios

HEADER = b"#231114 22:13:20 server id 1  end_log_pos 235 CRC32 0x1a657cf1 \tXid = 7\tTBM: End Transaction (inferred)"
TEXT = b"# at 126\n" + HEADER + b"\nBEGIN\n/*!*/;\n### INSERT INTO `a`.`b`\nSELECT '# at 4'\n# the end"
COLORED = (
    b"\x1b[36m# at 126\x1b[0m\n"
    b"\x1b[33m#231114 22:13:20 server id 1  end_log_pos 235 CRC32 0x1a657cf1 \tXid = 7\x1b[0m"
    b"\x1b[1;35m\tTBM: End Transaction (inferred)\x1b[0m\n"
    b"BEGIN\n\x1b[2m/*!*/;\x1b[0m\n\x1b[32m### INSERT INTO `a`.`b`\x1b[0m\nSELECT '# at 4'\n\x1b[2m# the end\x1b[0m"
)


@dataclass
class Sink:
    """Keeps what was written, write by write."""

    writes: list[bytes] = field(default_factory=list)

    def write(self, data: bytes | memoryview) -> None:
        self.writes.append(bytes(data))

    @property
    def text(self) -> bytes:
        return b"".join(self.writes)


def without_colors(text: bytes) -> bytes:
    return re.sub(rb"\x1b\[[0-9;]*m", b"", text)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_lines_are_colored_however_they_arrive(size: int) -> None:
    sink = Sink()
    with ColorOutput(sink) as output:
        for start in range(0, len(TEXT), size):
            output.write(memoryview(TEXT)[start : start + size])
    assert sink.text == COLORED


def test_start_end_and_self_contained_are_told_apart() -> None:
    def color(name: bytes) -> bytes:
        found = re.search(rb"(\x1b\[[\d;]*m)?\tTBM: ", paint(HEADER.replace(b"End Transaction", name)))
        assert found is not None
        return found[1]

    names = [b"Start Transaction", b"End Transaction", b"Self Contained", b"Inside Transaction"]
    assert len({color(name) for name in names}) == 4
    assert color(b"Inside Transaction") == b"\x1b[0m"


def test_nothing_but_colors_is_added_to_a_real_dump() -> None:
    text = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").expected("vv")
    assert text is not None
    sink = Sink()
    with ColorOutput(sink) as output:
        output.write(text)
    assert sink.text != text
    assert without_colors(sink.text) == text


def test_whole_lines_are_passed_on_at_once() -> None:
    sink = Sink()
    output = ColorOutput(sink)
    output.write(b"# at 4\n# at")
    assert sink.text == b"\x1b[36m# at 4\x1b[0m\n"


def test_a_very_long_line_is_not_held_back() -> None:
    sink = Sink()
    piece = b"### " + b"x" * LONGEST
    with ColorOutput(sink) as output:
        for _ in range(4):
            output.write(piece)
            assert len(sink.text) % len(piece) == 0
        output.write(b"\n# at 4\n")
    assert sink.text == piece * 4 + b"\n\x1b[36m# at 4\x1b[0m\n"


@pytest.mark.parametrize(
    ("arguments", "terminal", "environ", "colored"),
    [
        ([], False, {}, False),
        ([], True, {}, True),
        ([], True, {"NO_COLOR": "1"}, False),
        ([], True, {"TERM": "dumb"}, False),
        (["--color=auto"], True, {}, True),
        (["--color=never"], True, {}, False),
        (["--color", "ALWAYS"], False, {"NO_COLOR": "1"}, True),
    ],
)
def test_color_is_for_terminals_unless_asked_for(
    arguments: list[str], terminal: bool, environ: dict[str, str], colored: bool
) -> None:
    result = parsed("x", *arguments, text=TEXT, is_terminal=terminal, environ=environ)
    assert result.out == (COLORED if colored else TEXT)


def test_a_result_file_gets_plain_bytes_even_on_a_terminal(tmp_path: object) -> None:
    path = f"{tmp_path}/result"
    parsed("x", "-r", path, text=TEXT, is_terminal=True)
    with open(path, "rb") as file:
        assert file.read() == TEXT
