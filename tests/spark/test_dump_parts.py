"""Parts of a dump, as small as event groups: each printed by itself from the state that the plan has for it."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest

from pybinlog.dump import Base64Output, DumpOptions
from pybinlog.dump.log import Dump
from pybinlog.errors import BinlogError
from pybinlog.filters import NameRules
from pybinlog.spark.plan import Plan
from pybinlog.spark.survey import surveys
from tests.corpus import Scenario, scenarios
from tests.spark.inline import Dumped, InlineJobs, dumped

pytest.importorskip("zstandard")

FORMS = {
    "default": DumpOptions(),
    "verbose": DumpOptions(verbose=2),
    "statement bits": DumpOptions(statement_bits=True),
    "decode": DumpOptions(verbose=1, base64_output=Base64Output.DECODE_ROWS),
    "short": DumpOptions(short_form=True),
    "no gtids": DumpOptions(skip_gtids=True, verbose=1),
    "another database": DumpOptions(database="nothere"),
    "never": DumpOptions(base64_output=Base64Output.NEVER),
    "recover": DumpOptions(recover=True),
    "row format": DumpOptions(require_row_format=True),
    "checksums": DumpOptions(verify_binlog_checksum=True),
    "offset": DumpOptions(offset=30),
    "all types, closed": DumpOptions(force_read=True, force_if_open=False),
    "a server": DumpOptions(server_id=2),
    "rewritten": DumpOptions(rewrite_db=(("shop", "x"), ("test", "test2"))),
    "start": DumpOptions(start_position=500, hexdump=True),
    "stop": DumpOptions(stop_position=1500, idempotent=True),
    "a table": DumpOptions(names=NameRules(tables=((None, "[a-o]*"),)), verbose=1),
    "no table": DumpOptions(names=NameRules(tables=((None, "nothere"),)), start_position=500),
    "deletes": DumpOptions(operations=frozenset({"delete"}), offset=20),
    "without a database": DumpOptions(names=NameRules(ignored_databases=("s*", "mx")), stop_position=3500),
    "statements": DumpOptions(event_types=frozenset({2, 18}), thread_ids=frozenset({10, 11}), skip_gtids=True),
    "renamed": DumpOptions(names=NameRules(databases=("x",)), rewrite_db=(("shop", "x"), ("test", "x"))),
    "servers": DumpOptions(server_ids=frozenset({1, 3}), recover=True),
}
SIZES = [(300, 1 << 26), (3000, 20000), (1 << 20, 5000)]
"""Of a part, and of the text that may come back at once."""
BASIC = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]


def with_load_files(
    folder: Path, names: list[Path], options: DumpOptions, jobs: InlineJobs | None, **more: int
) -> object:
    """A dump, and the files that it wrote for LOAD DATA statements."""
    folder.mkdir()
    result = dumped(names, options.replace(local_load=str(folder)), jobs, **more)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    shutil.rmtree(folder)
    return result, files


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.folder.name != "large"], ids=repr)
def test_the_text_is_that_of_one_pass(scenario: Scenario, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    for number, (form, options) in enumerate(FORMS.items()):
        wanted = with_load_files(tmp_path / "load", scenario.logs, options, None)
        for size, limit in SIZES if form in ("default", "verbose") else [SIZES[number % 3]]:
            jobs = InlineJobs(str(spool) if number % 2 else None)
            found = with_load_files(tmp_path / "load", scenario.logs, options, jobs, part_size=size, limit=limit)
            assert found == wanted, (form, size)
    assert not list(spool.iterdir())


@pytest.mark.parametrize(
    "options",
    [
        DumpOptions(include_gtids="3-1-2:4,7-99-2,4294967295-99-2:5", verbose=2),
        DumpOptions(exclude_gtids="3-1-2:4,7-99-2,4294967295-99-2:5"),
        DumpOptions(start_gtids="3-1-2", verbose=1),
        DumpOptions(start_gtids="3-1-2,4294967295-99-1", stop_gtids="4294967295-99-4,3-1-4"),
        DumpOptions(stop_gtids="7-1-2,4294967295-99-4", skip_gtids=True),
        DumpOptions(stop_gtids="3-1-3", offset=5),
        DumpOptions(stop_gtids="3-1-99", short_form=True),
        DumpOptions(start_gtids="3-1-99"),
        DumpOptions(start_gtids="3-1-2", recover=True),
    ],
    ids=repr,
)
def test_gtids_of_mariadb_give_the_same_text(options: DumpOptions) -> None:
    logs = [s for s in scenarios() if s.folder.name == "gtid-domains"]
    assert logs
    for scenario in logs:
        for names in (scenario.logs, scenario.logs[1:]):  # (from the second log on, a start position does not fit)
            wanted = dumped(names, options, None)
            for size, limit in SIZES:
                assert dumped(names, options, InlineJobs(None), part_size=size, limit=limit) == wanted, size


@pytest.mark.parametrize("start", [50, 1000, 1001, 99999])
def test_a_start_position_inside_an_event_is_reported(start: int) -> None:
    options = DumpOptions(start_position=start, verbose=1)
    wanted = dumped([BASIC], options, None)
    for size, limit in SIZES:
        assert dumped([BASIC], options, InlineJobs(None), part_size=size, limit=limit) == wanted, size


@pytest.mark.parametrize("name", ["gtid", "mixed", "multi-file", "compression", "relay", "gtid-tagged"])
def test_filters_that_remember_something_give_the_same_text(name: str) -> None:
    for scenario in scenarios():
        if name not in scenario.folder.name:
            continue
        log = scenario.logs[0].read_bytes()
        for options in (
            DumpOptions(include_gtids="ffffffff-ffff-ffff-ffff-ffffffffffff:1-3"),
            DumpOptions(exclude_gtids="ffffffff-ffff-ffff-ffff-ffffffffffff:1-3", verbose=2),
            DumpOptions(start_datetime=int.from_bytes(log[-300:-296], "little") or 1),
            DumpOptions(stop_datetime=1_700_000_000),
            DumpOptions(offset=7, database="shop"),
            DumpOptions(database="mx"),
        ):
            wanted = dumped(scenario.logs, options)
            assert dumped(scenario.logs, options, InlineJobs(), part_size=300) == wanted, (scenario, options)


def test_every_transaction_of_a_gtid_filter_is_kept_or_left_out_across_parts() -> None:
    scenario = next(s for s in scenarios() if s.folder.name == "multi-file")
    text = dumped(scenario.logs, DumpOptions())[0]
    gtids = [
        line.split(b"'")[1].decode()
        for line in text.splitlines()
        if line.startswith(b"SET @@SESSION.GTID_NEXT= '") and b":" in line
    ]
    assert len(gtids) > 3
    for chosen in (gtids[1], ",".join(gtids[::2])):
        for options in (DumpOptions(include_gtids=chosen), DumpOptions(exclude_gtids=chosen, verbose=1)):
            assert dumped(scenario.logs, options, InlineJobs(), part_size=100) == dumped(scenario.logs, options)


def test_a_stop_ends_the_text_at_its_place() -> None:
    for position in range(4, BASIC.stat().st_size, 97):
        options = DumpOptions(stop_position=position)
        assert dumped([BASIC], options, InlineJobs(), part_size=300) == dumped([BASIC], options)
        options = DumpOptions(start_position=max(4, position), verbose=1)
        assert dumped([BASIC, BASIC], options, InlineJobs(), part_size=300) == dumped([BASIC, BASIC], options)


def test_all_logs_of_the_corpus_as_one_text(tmp_path: Path) -> None:
    logs = [log for s in scenarios() if s.intact and s.folder.name != "large" for log in s.logs]
    jobs = InlineJobs()
    wanted = with_load_files(tmp_path / "load", logs, DumpOptions(verbose=1), None)
    assert with_load_files(tmp_path / "load", logs, DumpOptions(verbose=1), jobs, part_size=5000) == wanted
    assert jobs.functions.count("render") > 50
    assert jobs.functions.count("survey") < jobs.functions.count("render") / 2, "most guesses should be right"


def test_a_log_is_cut_into_parts_that_cover_it() -> None:
    tasks = list(Plan([str(BASIC)], DumpOptions(), InlineJobs(), 500).render_tasks())  # type: ignore[arg-type]
    places = [(placed.part.start, placed.part.end) for task in tasks for placed in task.parts]
    assert len(places) > 8
    assert places[0][0] == 0
    assert places[-1][1] is None
    assert all(end == start for (_, end), (start, _) in itertools.pairwise(places))
    assert not any(task.local for task in tasks)


def test_an_error_comes_after_the_text_before_it(tmp_path: Path) -> None:
    data = bytearray(BASIC.read_bytes())
    data[len(data) // 2 :] = b"\xff" * (len(data) - len(data) // 2)
    damaged = tmp_path / "binlog.000002"
    damaged.write_bytes(data)
    names = [BASIC, damaged, BASIC]
    text, warnings, error = dumped(names, DumpOptions(), InlineJobs(), part_size=300)
    assert "binlog.000002, at" in error
    assert (text, warnings, error) == dumped(names, DumpOptions())


def test_a_missing_file_ends_the_text_as_it_always_does(tmp_path: Path) -> None:
    names = [BASIC, tmp_path / "binlog.000009", BASIC]
    found = dumped(names, DumpOptions(), InlineJobs(), part_size=300)
    assert found == dumped(names, DumpOptions())
    assert found[2].endswith("binlog.000009: cannot be opened: no such file or directory")


def test_one_statement_with_more_text_than_comes_back_at_once() -> None:
    scenario = next(s for s in scenarios() if s.folder.name == "large-rows")
    wanted = dumped(scenario.logs, DumpOptions(verbose=2))
    assert dumped(scenario.logs, DumpOptions(verbose=2), InlineJobs(), part_size=1 << 20, limit=1000) == wanted


class GrowingJobs(InlineJobs):
    """Between the plan and the print somebody writes to the first log."""

    def __init__(self, log: Path, more: bytes):
        super().__init__()
        self._log = log
        self._more = more

    def one(self, function: object, item: object) -> object:
        result = super().one(function, item)  # type: ignore[arg-type]
        if function is surveys and self._more:
            with self._log.open("ab") as file:
                file.write(self._more)
            self._more = b""
        return result


def test_a_log_that_grows_meanwhile_gives_the_text_of_the_whole(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    data = BASIC.read_bytes()
    ends = len(data) * 2 // 3
    cut = next(position for position in positions(BASIC) if position > ends)
    log.write_bytes(data[:cut])
    found = dumped([log, BASIC], DumpOptions(), GrowingJobs(log, data[cut:]), part_size=300)
    assert log.read_bytes() == data
    assert found == dumped([log, BASIC], DumpOptions())


def positions(log: Path) -> list[int]:
    from pybinlog.log.reader import Reader
    from pybinlog.source import open_source

    with open_source(str(log)) as source:
        return [batch.header(index).position for batch in Reader(source) for index in range(len(batch))]


def test_a_wrong_gtid_set_is_reported_before_anything_is_written() -> None:
    found: Dumped = dumped([BASIC], DumpOptions(include_gtids="nonsense"), InlineJobs())
    assert found[0] == b""
    assert "--include-gtids" in found[2]
    with pytest.raises(BinlogError):
        Dump(DumpOptions(include_gtids="nonsense"), lambda data: None, lambda text: None)
