"""Places in logs, and the logs that are read to find them."""

from pathlib import Path

import pytest

from pybinlog.errors import BinlogError
from pybinlog.questions.search import Search, Transaction
from tests.corpus import TESTDATA
from tests.layout.log_builder import MYSQL_5_5, START, LogBuilder

CORPUS = TESTDATA / "corpus"
SERIES = [str(CORPUS / "mysql-9.7" / "multi-file" / f"binlog.00000{number}") for number in (1, 2, 3, 4)]
MARIADB = [str(CORPUS / "mariadb-10.11" / "gtid-domains" / f"mariadb-bin.00000{number}") for number in (1, 2, 3, 4)]
SERVER = "1bcbbf4c-e549-11f1-88f4-02fc00000001"
MICROSECONDS = 1_000_000


def log(path: Path, begun: int, *times: int) -> str:
    """Write a log that was begun at a time, with transactions of other times, all after START; return its name."""
    made = LogBuilder(MYSQL_5_5)
    fields = {"binlog_version": 4, "server_version": made.format.server_version, "create_timestamp": START}
    fields |= {"header_length": 19, "post_header_lengths": made.format.post_header_lengths, "checksum_algorithm": None}
    made.data = made.data[:4]
    made.add(15, fields, timestamp=START + begun)
    for number, time in enumerate(times):
        made.time = START + time
        made.begin()
        made.time = START + time
        made.commit(number + 1)
    path.write_bytes(made.data)
    return str(path)


def logs(folder: Path, *contents: tuple[int, ...]) -> list[str]:
    return [log(folder / f"binlog.{number:06}", *times) for number, times in enumerate(contents, 1)]


def found_since(names: list[str], time: float) -> tuple[tuple[int, int] | None, list[int], list[str]]:
    """Return the log and time of what is found, the logs that are read whole, and the warnings; by numbers."""
    said: list[str] = []
    search = Search(names, said.append)
    found = search.first_since(START * MICROSECONDS + int(time * MICROSECONDS))
    place = None
    if found is not None:
        assert found.time is not None
        place = names.index(found.log) + 1, found.time // MICROSECONDS - START
    return place, [names.index(name) + 1 for name in search.read_whole], said


@pytest.mark.parametrize(
    ("time", "place", "read"),
    [
        (0, (1, 10), [1]),
        (10, (1, 10), [1]),
        (10.1, (1, 15), [1]),
        (15.5, (2, 20), [1, 2]),
        (20, (2, 20), [1, 2]),
        (21, (2, 25), [1, 2]),
        (21.000001, (2, 25), [2]),
        (25.5, (3, 35), [2, 3]),
        (31, (3, 35), [2, 3]),
        (31.000001, (3, 35), [3]),
        (36, None, [3]),
    ],
)
def test_logs_that_end_before_a_time_are_not_read(
    time: float, place: tuple[int, int] | None, read: list[int], tmp_path: Path
) -> None:
    names = logs(tmp_path, (5, 10, 15), (20, 20, 25), (30, 35))
    assert found_since(names, time) == (place, read, [])


def test_a_log_whose_clock_was_ahead_at_its_beginning_is_read(tmp_path: Path) -> None:
    names = logs(tmp_path, (50, 55), (20, 25))
    assert found_since(names, 51) == (
        (1, 55),
        [1],
        [f"the clock went back: {names[1]} was begun before that time, and stands after it"],
    )
    assert found_since(names, 21) == ((1, 55), [1], [])
    assert found_since(names, 52) == (None, [2], [])
    names = logs(tmp_path, (50, 55), (60, 65), (20, 25))
    warning = f"the clock went back: {names[2]} was begun before that time, and stands after it"
    assert found_since(names, 51) == ((1, 55), [1], [warning]), "also behind a log that was begun later"


def test_times_that_went_back_inside_a_log_are_counted(tmp_path: Path) -> None:
    names = logs(tmp_path, (5, 8, 20, 10, 19, 20, 30))
    warning = f"the clock went back: 2 transactions after this place in {names[0]} have an earlier time"
    assert found_since(names, 20) == ((1, 20), [1], [warning])
    ahead = (
        f"the clock went back in {names[0]}: the first transaction since then has a later time than 1 after it, and "
        "may have been committed before that time"
    )
    assert found_since(names, 10) == ((1, 20), [1], [ahead])
    assert found_since(logs(tmp_path, (5, 12, 10, 11)), 10) == ((1, 12), [1], []), (
        "statements began before others ended"
    )


def test_logs_of_other_series_tell_nothing_of_each_other(tmp_path: Path) -> None:
    names = [log(tmp_path / "a.000001", 5, 10), log(tmp_path / "b.000002", 20, 25), log(tmp_path / "b.000004", 30, 35)]
    assert found_since(names, 33) == ((3, 35), [1, 2, 3], [])


def test_a_log_is_meant_by_its_name_or_base_name() -> None:
    search = Search(SERIES, pytest.fail)
    assert search.name_of("binlog.000003") == search.name_of(SERIES[2]) == SERIES[2]
    with pytest.raises(BinlogError) as caught:
        search.name_of("binlog.000009")
    assert str(caught.value) == "binlog.000009 is not one of the logs. Name it among the FILEs"


def test_the_logs_from_one_on_are_those_of_its_server() -> None:
    names = [*SERIES[:2], SERIES[3], *MARIADB]
    search = Search(names, pytest.fail)
    assert [search.names_from(name) for name in (SERIES[0], SERIES[1], SERIES[3], MARIADB[1])] == [
        SERIES[:2],
        SERIES[1:2],
        SERIES[3:],
        MARIADB[1:],
    ]


def test_a_position_beyond_its_log_is_an_error() -> None:
    size = Path(SERIES[1]).stat().st_size
    search = Search(SERIES, pytest.fail)
    assert str(search.executed_at(SERIES[1], size)) == f"{SERVER}:1-6"
    with pytest.raises(BinlogError) as caught:
        search.executed_at(SERIES[1], size + 1)
    assert str(caught.value) == f"{SERIES[1]} ends at {size}, before position {size + 1}. Name a later log"


def test_a_transaction_counts_where_it_is_whole() -> None:
    search = Search(SERIES, pytest.fail)
    (first, *_) = search.gtids(f"{SERVER}:4-99")
    assert (first.gtid, first.log) == (f"{SERVER}:4", SERIES[0])
    assert [str(search.executed_at(first.log, first.end + more)) for more in (-1, 0, 1)] == [
        f"{SERVER}:1-3",
        f"{SERVER}:1-4",
        f"{SERVER}:1-4",
    ]


def test_a_set_leads_to_the_transaction_after_which_it_is_executed() -> None:
    search = Search(SERIES, pytest.fail)
    for number in (1, 3, 4, 6):
        found = search.place_of(f"{SERVER}:1-{number}")
        assert found is not None
        assert found.gtid == f"{SERVER}:{number}"
    assert search.place_of(f"{SERVER}:1-99") is None


def test_what_was_executed_before_the_logs_has_its_place_before_the_first_transaction() -> None:
    search = Search(SERIES[2:], pytest.fail)
    head = search.heads[0]
    start = Transaction(head.name, 199, 199, 1795224227 * MICROSECONDS, None)
    assert search.place_of(f"{SERVER}:1-6") == start
    assert search.place_of(f"{SERVER}:1-5") is None  # somewhere before
    assert search.read_whole == []


def test_the_end_of_a_log_is_where_the_next_begins_if_its_own_transactions_do_not_tell(tmp_path: Path) -> None:
    """Between the logs others are missing: the place is the beginning of the later one."""
    names = [SERIES[0], SERIES[2]]
    search = Search(names, pytest.fail)
    assert search.place_of(f"{SERVER}:1-6") == Transaction(SERIES[2], 199, 199, 1795224227 * MICROSECONDS, None)


def test_gtids_are_looked_for_until_all_are_found() -> None:
    search = Search(SERIES, pytest.fail)
    assert [found.gtid for found in search.gtids(f"{SERVER}:3-5")] == [f"{SERVER}:{number}" for number in (3, 4, 5)]
    assert search.read_whole == SERIES[:2]
    assert [found.gtid for found in Search(SERIES, pytest.fail).not_in(f"{SERVER}:1-2:4-99")] == [f"{SERVER}:3"]


def test_xids_are_numbers_or_those_of_xa() -> None:
    xa = str(CORPUS / "mysql-9.7" / "xa" / "binlog.000001")
    search = Search([SERIES[0], xa], pytest.fail)
    assert [(found.log, found.position) for found in search.xid("X'706c61696e',X'',1")] == [(xa, 801), (xa, 1219)]
    assert list(search.xid("0")) == []
    assert search.read_whole == [SERIES[0], xa, SERIES[0], xa]
