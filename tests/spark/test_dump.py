"""The text of logs, each printed by itself from the state that the survey has for it, is that of one pass."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pybinlog.dump import Base64Output, DumpOptions
from pybinlog.dump.log import Dump
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.filters import NameRules
from pybinlog.spark.dump import MANIFEST, Text
from pybinlog.spark.dump_stages import TextPlan, print_runs, survey
from pybinlog.where import Condition
from tests.check.logs import events_of, joined
from tests.corpus import Scenario, scenarios
from tests.dump.log_parts import with_checksum
from tests.jobs.inline import InlineJobs
from tests.parity.standard_error import GAP
from tests.spark.dumped import Dumped, dumped

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
    "values": DumpOptions(where=Condition("changed(@2)"), verbose=1, base64_output=Base64Output.DECODE_ROWS),
    "servers": DumpOptions(server_ids=frozenset({1, 3}), recover=True),
}


@pytest.fixture(params=[True, False], ids=["a log a task", "all logs in one"], autouse=True)
def log_a_task(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    apart: bool = request.param
    monkeypatch.setattr("pybinlog.jobs.packs.OPENING", 1 if apart else 1 << 20)
    monkeypatch.setattr("pybinlog.jobs.packs.STARTING", 0 if apart else 1 << 30)
    monkeypatch.setattr("pybinlog.jobs.packs.TASKS_A_CORE", 1 << 30 if apart else 1)
    return apart


BASIC = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
MULTI = next(s for s in scenarios() if s.folder.name == "multi-file").logs


def with_load_files(folder: Path, names: list[Path], options: DumpOptions, jobs: InlineJobs | None) -> object:
    """A dump, and the files that it wrote for LOAD DATA statements."""
    folder.mkdir()
    result = dumped(names, options.replace(local_load=str(folder)), jobs)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    shutil.rmtree(folder)
    return result, files


SMALL = [s for s in scenarios() if not s.folder.name.startswith("large")]


@pytest.mark.parametrize(("number", "scenario"), list(enumerate(SMALL)), ids=repr)
def test_the_text_is_that_of_one_pass(number: int, scenario: Scenario, log_a_task: bool, tmp_path: Path) -> None:
    """Each log in a quarter of the forms with a task of its own, in the next quarter not; the next log in others."""
    for form, options in list(FORMS.items())[(number + log_a_task) % 4 :: 4]:
        wanted = with_load_files(tmp_path / "load", scenario.logs, options, None)
        assert with_load_files(tmp_path / "load", scenario.logs, options, InlineJobs()) == wanted, form


def series_of(log: Path, folder: Path, step: int) -> list[Path]:
    """The log cut into a series, in the middle of transactions, each log with a Rotate to the next."""
    first, *events = events_of(log.read_bytes())
    rotate = next(event for other in MULTI for event in events_of(other.read_bytes())[-1:])
    names = []
    for number, at in enumerate(range(0, len(events), step), 1):
        names.append(folder / f"binlog.{number:06}")
        following = rotate[:-10] + b"%06d" % (number + 1) + rotate[-4:]
        names[-1].write_bytes(joined([first, *events[at : at + step], following]))
    return names


@pytest.mark.parametrize("step", [1, 3, 10])
@pytest.mark.parametrize("name", ["row-basic", "gtid", "mixed", "load-data", "row-metadata-full", "compression"])
def test_logs_that_begin_inside_of_transactions_give_the_text_of_one_pass(
    name: str, step: int, log_a_task: bool, tmp_path: Path
) -> None:
    forms = DumpOptions(), DumpOptions(verbose=2), DumpOptions(database="shop"), DumpOptions(offset=9)
    found = [s for s in scenarios() if s.name == f"mysql-9.7/{name}"]
    for scenario in found:
        names = series_of(scenario.logs[0], tmp_path, step)
        for options in forms[(step + log_a_task) % 2 :: 2]:
            wanted = with_load_files(tmp_path / "load", names, options, None)
            assert with_load_files(tmp_path / "load", names, options, InlineJobs()) == wanted


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
            assert dumped(names, options, InlineJobs()) == wanted


def test_logs_after_a_payload_that_cannot_be_uncompressed_are_printed(tmp_path: Path) -> None:
    whole = next(s.logs[0] for s in scenarios() if s.name == "mysql-9.7/compression-nogtid")
    first, *events = events_of(whole.read_bytes())
    number, payload = next(found for found in enumerate(events) if found[1][4] == EventType.TRANSACTION_PAYLOAD)
    damaged_at = payload.index(b"\x28\xb5\x2f\xfd") + 4
    events[number] = with_checksum(payload[:damaged_at] + b"\xff" * (len(payload) - damaged_at))
    damaged = tmp_path / whole.name
    damaged.write_bytes(joined([first, *events]))
    for options in (DumpOptions(), DumpOptions(recover=True)):
        wanted = dumped([damaged, whole], options)
        assert dumped([damaged, whole], options, InlineJobs()) == wanted
    assert len(wanted[0]) > len(dumped([whole], options)[0])


@pytest.mark.parametrize("start", [50, 1000, 1001, 99999])
def test_a_start_position_inside_an_event_is_reported(start: int) -> None:
    options = DumpOptions(start_position=start, verbose=1)
    wanted = dumped([BASIC], options, None)
    assert dumped([BASIC], options, InlineJobs()) == wanted


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
            assert dumped(scenario.logs, options, InlineJobs()) == wanted, (scenario, options)


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
            assert dumped(scenario.logs, options, InlineJobs()) == dumped(scenario.logs, options)


def test_a_stop_ends_the_text_at_its_place() -> None:
    for position in range(4, BASIC.stat().st_size, 97):
        options = DumpOptions(stop_position=position)
        assert dumped([BASIC], options, InlineJobs()) == dumped([BASIC], options)
        options = DumpOptions(start_position=max(4, position), verbose=1)
        assert dumped([BASIC, BASIC], options, InlineJobs()) == dumped([BASIC, BASIC], options)


def test_all_logs_of_the_corpus_as_one_text(tmp_path: Path) -> None:
    logs = [log for s in scenarios() if s.intact and s.folder.name != "large" for log in s.logs]
    jobs = InlineJobs()
    wanted = with_load_files(tmp_path / "load", logs, DumpOptions(verbose=1), None)
    assert with_load_files(tmp_path / "load", logs, DumpOptions(verbose=1), jobs) == wanted
    assert jobs.functions.count("survey") < 1.5 * len(logs), "most guesses should be right"


def test_an_error_comes_after_the_text_before_it(tmp_path: Path) -> None:
    data = bytearray(BASIC.read_bytes())
    data[len(data) // 2 :] = b"\xff" * (len(data) - len(data) // 2)
    damaged = tmp_path / "binlog.000002"
    damaged.write_bytes(data)
    names = [BASIC, damaged, BASIC]
    text, warnings, error = dumped(names, DumpOptions(), InlineJobs())
    assert "binlog.000002, at" in error
    assert (text, warnings, error) == dumped(names, DumpOptions())


def test_logs_after_damage_that_is_skipped_are_printed(tmp_path: Path) -> None:
    data = bytearray(BASIC.read_bytes())
    position = positions(BASIC)[20]
    data[position + 9 : position + 13] = b"\xff" * 4
    damaged = tmp_path / "binlog.000002"
    damaged.write_bytes(data)
    names = [BASIC, BASIC, damaged, BASIC]
    found = dumped(names, DumpOptions(recover=True), InlineJobs())
    assert found == dumped(names, DumpOptions(recover=True))
    assert found[0].count(b"Xid = ") > 3 * 20


def test_a_missing_file_ends_the_text_as_it_always_does(tmp_path: Path) -> None:
    names = [BASIC, tmp_path / "binlog.000009", BASIC]
    found = dumped(names, DumpOptions(), InlineJobs())
    assert found == dumped(names, DumpOptions())
    assert found[2].endswith("binlog.000009: cannot be opened: no such file or directory")


class GrowingJobs(InlineJobs):
    """Between the plan and the print, the first log changes."""

    def __init__(self, log: Path, more: bytes):
        super().__init__()
        self._log = log
        self._more = more

    def one(self, function: Callable[[Any], Any], item: Any) -> Any:
        result = super().one(function, item)
        if getattr(function, "func", None) is survey and self._more:
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
    found = dumped([log, BASIC], DumpOptions(), GrowingJobs(log, data[cut:]))
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


@pytest.mark.parametrize("compression", ["", "zst"])
def test_the_files_of_a_manifest_are_the_text(compression: str, tmp_path: Path) -> None:
    names = [*MULTI, BASIC, MULTI[0]]
    text, warnings, error = dumped(names, DumpOptions(verbose=1))
    folder = tmp_path / "text"
    said: list[str] = []
    jobs: Any = InlineJobs()
    plan = TextPlan(DumpOptions(verbose=1, allow_gaps=True), len(names), str(folder), compression)
    Text(list(map(str, names)), plan, said.append, jobs).to_folder()
    cat = subprocess.run("xargs cat < MANIFEST", shell=True, cwd=folder, capture_output=True, check=True)
    put_together = cat.stdout
    if compression:
        import zstandard

        put_together = zstandard.ZstdDecompressor().stream_reader(put_together, read_across_frames=True).read()
    said = [warning for warning in said if not GAP.search(warning)]
    assert (put_together, said, error) == (text, warnings, "")
    listed = (folder / MANIFEST).read_text().splitlines()
    assert sorted([*listed, MANIFEST]) == sorted(path.name for path in folder.iterdir())
    assert len(listed) == len(names) + 2


def text_in(folder: Path, names: list[Path]) -> Text:
    plan = TextPlan(DumpOptions(allow_gaps=True), len(names), str(folder))
    return Text([str(name) for name in names], plan, print, InlineJobs())  # type: ignore[arg-type]


def test_an_error_ends_the_files_of_the_manifest(tmp_path: Path) -> None:
    damaged = tmp_path / "binlog.000002"
    damaged.write_bytes(BASIC.read_bytes()[:1000] + b"\xff" * 500)
    names = [BASIC, damaged, BASIC]
    folder = tmp_path / "text"
    with pytest.raises(BinlogError, match=r"binlog\.000002, at") as raised:
        text_in(folder, names).to_folder()
    text, _, error = dumped(names, DumpOptions())
    assert error == f"{type(raised.value).__name__}: {raised.value}"
    put_together = b"".join((folder / name).read_bytes() for name in (folder / MANIFEST).read_text().split())
    assert put_together == text


def test_a_file_that_cannot_be_written_is_the_error(tmp_path: Path) -> None:
    (tmp_path / "text" / "000001-binlog.000001.sql").mkdir(parents=True)
    with pytest.raises(BinlogError, match=r"000001-binlog\.000001\.sql"):
        text_in(tmp_path / "text", [BASIC]).to_folder()
    assert not (tmp_path / "text" / MANIFEST).exists()


def test_logs_whose_statements_read_files_are_printed_by_one_task(tmp_path: Path) -> None:
    load = next(s for s in scenarios() if s.name == "mysql-9.7/load-data").logs
    jobs = InlineJobs()
    wanted = with_load_files(tmp_path / "load", [*load, BASIC, *load], DumpOptions(), None)
    assert with_load_files(tmp_path / "load", [*load, BASIC, *load], DumpOptions(), jobs) == wanted
    assert print_runs.__name__ in jobs.functions
