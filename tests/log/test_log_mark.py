"""The mark of a log: its opening and the bytes before a position, and nothing else of it."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.errors import CorruptEventError, DataLossError
from pybinlog.log.log_mark import (
    ENDING,
    FLAGS_AT,
    MOST_OPENING,
    LogMark,
    LogState,
    lost,
    mark_at,
    opening_state,
    state_at,
    unchanged,
)
from tests.corpus import TESTDATA, scenarios

LARGE = next(found for found in scenarios() if found.name == "mysql-9.7/multi-file").logs[0]
PLAIN = next(found for found in scenarios() if found.name == "mysql-9.7/checksum-none").logs[0]
MARK = LogMark(1795224229, 227, "efeb2911fc0ed7c8d5aa5e4f477983c5", "7169a704ef3e55186696bd7cb895979e")
RESETS = TESTDATA / "resets"


def log(folder: Path, data: bytes, name: str = "binlog.000001") -> str:
    (folder / name).write_bytes(data)
    return str(folder / name)


def marked(name: str, position: int) -> LogMark:
    mark = mark_at(name, position)
    assert mark is not None
    return mark


def test_a_mark_is_what_it_was() -> None:
    """Checkpoints of streams have marks of earlier versions."""
    assert marked(str(PLAIN), 5500) == MARK


@pytest.mark.parametrize("path", [LARGE, PLAIN], ids=["checksums", "none"])
@given(data=st.data())
def test_another_byte_in_the_opening_or_before_the_position_is_another_log(
    path: Path, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = path.read_bytes()
    folder = tmp_path_factory.mktemp("log")
    name = log(folder, whole)
    position = data.draw(st.integers(4, len(whole)), "position")
    mark = marked(name, position)
    assert state_at(name, position, mark) is LogState.SAME
    at = data.draw(st.integers(0, len(whole) - 1), "byte")
    changed = bytearray(whole)
    changed[at] ^= data.draw(st.integers(1, 255), "bits")
    known = at != FLAGS_AT and (at < mark.opening_bytes or max(0, position - ENDING) <= at < position)
    assert state_at(log(folder, bytes(changed)), position, mark) is (LogState.OTHER if known else LogState.SAME)


@pytest.mark.parametrize("path", [LARGE, PLAIN], ids=["checksums", "none"])
def test_a_log_that_is_shorter_is_cut_or_another_one(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes()
    position = len(whole) - 100
    mark = marked(log(tmp_path, whole), position)
    for end in range(0, len(whole), 41):
        expected = LogState.SAME if end >= position else LogState.CUT if end >= mark.opening_bytes else LogState.OTHER
        assert state_at(log(tmp_path, whole[:end]), position, mark) is expected


def test_the_opening_of_a_log_that_has_only_begun_is_all_of_it(tmp_path: Path) -> None:
    """It ends where its last event does; a part of a further event is none of it."""
    whole = LARGE.read_bytes()
    end = 4 + int.from_bytes(whole[13:17], "little")
    assert [marked(log(tmp_path, whole[:size]), 4).opening_bytes for size in (end - 1, end, end + 18)] == [4, end, end]


def test_the_in_use_flag_is_no_part_of_a_mark() -> None:
    """As a server clears it when it closes the log, and after a crash; the event's checksum stays as it is."""
    for before, after in (
        (RESETS / "before-longer", RESETS / "before-closed"),
        *(
            (found.folder, found.folder.with_name("recovered"))
            for found in scenarios()
            if found.name.endswith("killed")
        ),
    ):
        old, new = ((folder / "binlog.000001") for folder in (before, after))
        assert [at for at, (x, y) in enumerate(zip(old.read_bytes(), new.read_bytes(), strict=False)) if x != y] == [21]
        for position in (4, 158, 235, old.stat().st_size):
            assert mark_at(str(old), position) == mark_at(str(new), position)


def test_logs_of_one_second_differ_from_the_first_transaction_on() -> None:
    one, other = (str(RESETS / name / "binlog.000001") for name in ("second-before", "second-after"))
    assert mark_at(one, 4) == mark_at(other, 4), "that is why the test is here"
    assert marked(one, 561).opening != marked(other, 561).opening


def test_a_compressed_log_has_the_same_marks(tmp_path: Path) -> None:
    packed = log(tmp_path, gzip.compress(LARGE.read_bytes()), "binlog.000001.gz")
    for position in (4, 158, LARGE.stat().st_size):
        assert mark_at(packed, position) == mark_at(str(LARGE), position)
    assert mark_at(packed, LARGE.stat().st_size + 1) is None


def test_what_a_mark_reads_is_bounded(tmp_path: Path) -> None:
    """A length in the log, or in a checkpoint, is not believed."""
    head = LARGE.read_bytes()[:4]
    claims = b"\0\0\0\0\x23" + bytes(4) + (0x7FFFFFFF).to_bytes(4, "little") + bytes(6)
    assert marked(log(tmp_path, head + claims + bytes(100)), 4).opening_bytes == 4
    assert marked(log(tmp_path, head + claims + bytes(1 << 20)), 4).opening_bytes == MOST_OPENING
    mark = marked(str(LARGE), 4)._asdict()
    assert LogMark.of(mark) == marked(str(LARGE), 4)
    assert LogMark.of({"file": "binlog.000001", "position": 4}) is None
    for wrong in ({"opening_bytes": MOST_OPENING + 1}, {"opening_bytes": -1}, {"opening": "x"}, {"ending": None}):
        with pytest.raises(ValueError, match="no mark"):
            LogMark.of(mark | wrong)


def test_what_is_no_log_has_a_mark_all_the_same(tmp_path: Path) -> None:
    """So that its reader, not the mark, says what is wrong with it."""
    assert mark_at(log(tmp_path, b""), 4) is None
    assert marked(log(tmp_path, b"\xfebin"), 4).opening_bytes == 4
    assert marked(log(tmp_path, b"\xfdbin" + bytes(200)), 4).opening_bytes == 0


def test_a_log_that_is_replaced_while_it_is_read(tmp_path: Path) -> None:
    before = (RESETS / "before" / "binlog.000001").read_bytes()
    name = log(tmp_path, before)
    marks = ((561, marked(name, 561)),)
    with unchanged(name, marks) as source:
        assert source.read(4) == b"\xfebin"
    with pytest.raises(DataLossError, match="another one now"), unchanged(name, marks):
        log(tmp_path, (RESETS / "reset-equal" / "binlog.000001").read_bytes())
    log(tmp_path, before)
    with pytest.raises(DataLossError, match="ends before this place now"), unchanged(name, marks):
        log(tmp_path, before[:500])
        raise CorruptEventError("what comes of that")
    log(tmp_path, before)
    with pytest.raises(CorruptEventError), unchanged(name, marks):
        raise CorruptEventError("of the log as it was")
    with pytest.raises(DataLossError), unchanged(log(tmp_path, before[:500]), marks):
        raise AssertionError("it is not given out")


def test_a_log_opens_as_its_mark_has_it_wherever_it_ends(tmp_path: Path) -> None:
    before = (RESETS / "before" / "binlog.000001").read_bytes()
    name = log(tmp_path, before)
    mark = marked(name, 561)
    for data, state in (
        (before, LogState.SAME),
        (before[: mark.opening_bytes], LogState.SAME),
        (before[: mark.opening_bytes - 1], LogState.OTHER),
        ((RESETS / "reset-equal" / "binlog.000001").read_bytes(), LogState.OTHER),
        (b"", LogState.OTHER),
    ):
        assert opening_state(log(tmp_path, data), mark) is state


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (
            LogState.CUT,
            "the log ends before this place now: its end was lost, as in a crash of a server with sync_binlog=0",
        ),
        (
            LogState.OTHER,
            "the log of this name is another one now: its server's logs were reset (RESET BINARY LOGS AND GTIDS), or "
            "the file was replaced",
        ),
    ],
)
def test_what_became_of_a_log_is_a_sentence(state: LogState, sentence: str) -> None:
    assert str(lost(state, "a.000001", 5)) == f"a.000001, at 5: {sentence}. Run this again"
