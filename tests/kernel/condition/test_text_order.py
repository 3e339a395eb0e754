"""The weights of collations are read from a file, whose bounds are checked."""

from pathlib import Path

import pytest
import zstandard

from pybinlog.kernel.condition import text_order
from tests.kernel.condition.weight_tables import MOST, packed
from tests.where.answers import kept
from tests.where.test_utf8 import log_of

NAME = "latin1_swedish_ci"
TEXTS = [b"a", b"b", b"c", b"ab", b"", b"a ", b"d"]
SAME = {ord("a"): b"\1\2", ord("b"): b"\1\2", ord("c"): b"\1\3", ord("d"): b"", ord(" "): b"\1"}
"""The characters of the texts, of which `a` and `b` are equal, and `d` is ignored."""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return log_of(TEXTS, NAME, tmp_path, charset="latin1")


def install(sets: list[tuple[str, int, bytes]], monkeypatch: pytest.MonkeyPatch, folder: Path, known: int = 7) -> None:
    """Have these sets of weights read beside so many others."""
    head = "".join(f"{name} {codes} {len(data)}\n" for name, codes, data in sets)
    data = head.encode() + b"\n" + b"".join(data for _, _, data in sets)
    (folder / "weights.zst").write_bytes(zstandard.ZstdCompressor().compress(data))
    monkeypatch.setattr(text_order, "ROOM", [str(folder)])
    monkeypatch.setattr(text_order, "loaded", dict.fromkeys(range(known), 0))


def test_text_compares_by_its_weights(log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install([("other", 1, packed({}, 1, 1)), (NAME, 256, packed(SAME, 1, 256))], monkeypatch, tmp_path)
    assert kept(log, "v = 'b'") == [1, 2, 6]
    assert kept(log, "v > 'b'") == [3, 4]
    assert kept(log, "v = 'd'") == [5, 7]
    assert kept(log, "v LIKE 'a_'") == [4, 6]


@pytest.mark.parametrize("count", [MOST, MOST + 1])
def test_a_character_has_at_most_sixteen_weights(
    count: int, log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = packed({**SAME, 0: bytes(range(1, 17))}, 1, 256)
    install([(NAME, 256, bytes([count]) + data[1:])], monkeypatch, tmp_path)
    if count == MOST:
        assert kept(log, "v = 'b'") == [1, 2, 6]
    else:
        refused(log)


def refused(log: Path) -> None:
    with pytest.raises(ValueError, match=r"^weights\.zst does not belong to this version of pybinlog$"):
        kept(log, "v = 'b'")


@pytest.mark.parametrize("more", [-1, 1])
def test_weights_that_are_counted_wrongly_are_refused(
    more: int, log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = packed(SAME, 1, 256)
    total = int.from_bytes(data[256:260], "little") + more
    install([(NAME, 256, data[:256] + total.to_bytes(4, "little") + data[260:])], monkeypatch, tmp_path)
    refused(log)


@pytest.mark.parametrize("fewer", [0, 1])
def test_characters_have_no_more_weights_than_there_are(
    fewer: int, log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = packed(SAME, 1, 256)
    total = int.from_bytes(data[256:260], "little") - fewer
    cut = data[:256] + total.to_bytes(4, "little") + data[260 : 260 + 2 * total]
    install([(NAME, 256, cut)], monkeypatch, tmp_path)
    if fewer:
        refused(log)
    else:
        assert kept(log, "v = 'b'") == [1, 2, 6]


def test_a_set_that_is_cut_short_is_refused(log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also behind the one that is wanted."""
    data = packed(SAME, 1, 256)
    install([(NAME, 256, data), ("other", 256, data)], monkeypatch, tmp_path)
    file = tmp_path / "weights.zst"
    whole = zstandard.ZstdDecompressor().decompress(file.read_bytes())
    file.write_bytes(zstandard.ZstdCompressor().compress(whole[:-1]))
    refused(log)


def test_there_is_room_for_eight_sets(log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install([(NAME, 256, packed(SAME, 1, 256))], monkeypatch, tmp_path, known=8)
    refused(log)


ALIKE = ["a", "A", "\u00e1", "\u0101", "\u1ea1", "\uff21", "\uff41", "\u24d0", "\U0001f130"]
"""Of one byte, two, three and four in UTF-8."""
OTHERS = ["b", "\u00e9", "\u0103b", "\u1eb9", "\uff22", "\u24d1", "\U0001f131", "\u65e5", "\u672c"]


def test_characters_of_any_length_are_equal_by_their_weights(tmp_path: Path) -> None:
    log = log_of([text.encode() for text in ALIKE + OTHERS], "utf8mb4_0900_ai_ci", tmp_path)
    found = kept(log, "v = 'a'", "drop")
    assert [(ALIKE + OTHERS)[id - 1] for id in found] == ALIKE
    assert kept(log, "v = '\u65e5'", "drop") == [len(ALIKE + OTHERS) - 1]
    assert kept(log, "v = 'B'", "drop") == [
        id for id, text in enumerate(ALIKE + OTHERS, 1) if text in ("b", "\uff22", "\u24d1", "\U0001f131")
    ]
