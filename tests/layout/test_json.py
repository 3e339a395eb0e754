"""JSON documents are read and written as deep as servers have them."""

import struct
from collections.abc import Callable
from typing import Any

import pytest

from tests.layout.cursor import LieError
from tests.layout.json_reader import read_json
from tests.layout.json_writer import write_json


@pytest.mark.parametrize("bracket", [lambda inner: [inner], lambda inner: {"key": inner}], ids=["array", "object"])
def test_json_is_read_and_written_as_deep_as_the_server_has_it(bracket: Callable[[Any], Any]) -> None:
    value: Any = "x" * 70_000
    for _ in range(100):
        value = bracket(value)
    assert read_json(write_json(value)) == value
    with pytest.raises(ValueError, match="JSON nested deeper than 100"):
        write_json([value])
    inner = write_json(value)
    size = 8 + 5 + len(inner) - 1
    deeper = b"\x03" + struct.pack("<IIBI", 1, size, inner[0], 13) + inner[1:]
    with pytest.raises(LieError, match="JSON nested deeper than 100"):
        read_json(deeper)
