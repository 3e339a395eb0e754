"""A missing log: every command that reads logs as one series stops before it writes anything of the log behind it."""

import gzip
import json
import shutil
import subprocess
import sys
from itertools import accumulate
from pathlib import Path

import pytest

import pybinlog
from pybinlog.cli.program import COMMANDS as ALL
from pybinlog.log.log_head import read_head
from tests.check.logs import events_of
from tests.cli.conftest import real
from tests.corpus import TESTDATA, scenarios
from tests.dump.test_follow import live

SHOP = [str(path) for path in sorted((TESTDATA / "shop").glob("binlog.0*"))]
MARIADB = [str(path) for path in next(s for s in scenarios() if s.name == "mariadb-10.11/gtid-domains").logs]
UUID = "02f81e89-e843-11f1-acc8-02fc00000001"
GONE = {
    SHOP[2]: "binlog.000002 is missing between binlog.000001 and this log, and with it the transactions ",
    MARIADB[2]: "mariadb-bin.000002 is missing between mariadb-bin.000001 and this log, and with it the transactions ",
}
COMMANDS = {
    "dump": ["dump"],
    "dump --no-tbm": ["dump", "--no-tbm"],
    "dump -s": ["dump", "-s"],
    "dump -v --jobs=2": ["dump", "-v", "--jobs=2"],
    "dump --table": ["dump", "--table=nothing"],
    "rows": ["rows"],
    "events": ["events"],
    "transactions": ["transactions"],
    "xa": ["xa", "--format=jsonl"],
    "export": ["export", "-o", "-"],
}
"""Commands whose output names, or shows, what it is of."""
COUNTS = {
    "stats": ["stats", "--format=jsonl"],
    "summary": ["summary", "--format=json"],
    "undo": ["undo"],
    "redo": ["redo"],
}
"""Commands whose output is about all logs."""


def behind(logs: list[str]) -> str:
    """The log behind the gap."""
    return logs[2]


@pytest.mark.parametrize("logs", [SHOP, MARIADB], ids=["mysql", "mariadb"])
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_nothing_of_the_log_behind_a_gap_is_written(arguments: list[str], logs: list[str]) -> None:
    alone = real(*arguments, logs[0])
    found = real(*arguments, logs[0], behind(logs))
    assert found.status == 1
    assert f"ERROR: {behind(logs)}: {GONE[behind(logs)]}" in found.err
    assert behind(logs).encode() not in found.out
    assert "--allow-gaps reads on without them" in found.err
    if arguments[0] != "dump":
        assert found.out == alone.out
    else:
        assert b"# at 4\n" not in found.out.partition(b"# at 4\n")[2]


@pytest.mark.parametrize("logs", [SHOP, MARIADB], ids=["mysql", "mariadb"])
@pytest.mark.parametrize("arguments", [*COMMANDS.values(), *COUNTS.values()], ids=[*COMMANDS, *COUNTS])
def test_with_allow_gaps_a_warning_says_it(arguments: list[str], logs: list[str]) -> None:
    found = real(*arguments, "--allow-gaps", logs[0], behind(logs))
    assert f"WARNING: {behind(logs)}: {GONE[behind(logs)]}" in found.err
    if arguments[0] in ("undo", "redo"):
        assert "ERROR: " not in found.err or "is missing" not in found.err.partition("ERROR: ")[2]
    else:
        assert found.status == 0


@pytest.mark.parametrize("is_missing", [False, True])
@pytest.mark.parametrize("number", range(3))
def test_damage_comes_before_a_gap_on_any_number_of_threads(number: int, is_missing: bool, tmp_path: Path) -> None:
    """The events before the damaged one are printed."""
    log = tmp_path / Path(SHOP[1 + is_missing]).name
    data = bytearray(Path(SHOP[1 + is_missing]).read_bytes())
    places = list(accumulate(map(len, events_of(bytes(data))), initial=4))[:4]
    data[places[number]] ^= 1  # its time
    log.write_bytes(data)
    one, two = (real("dump", f"--jobs={jobs}", "--verify-binlog-checksum", SHOP[0], str(log)) for jobs in (1, 2))
    assert (one.status, one.out, one.err) == (two.status, two.out, two.err)
    assert f"ERROR: {log}, at {places[number]}: the checksum " in one.err
    behind = one.out.partition(f"# log {log}\n".encode())[2]
    assert [f"# at {place}\n".encode() in behind for place in places] == [True] * number + [False] * (4 - number)


@pytest.mark.parametrize("arguments", COUNTS.values(), ids=COUNTS)
def test_counts_of_a_series_with_a_gap_are_an_error(arguments: list[str]) -> None:
    found = real(*arguments, SHOP[0], SHOP[2])
    assert found.status == 1
    assert GONE[SHOP[2]] in found.err
    if arguments[0] == "stats":
        assert found.out == real(*arguments, SHOP[0]).out
    else:
        assert found.out == b""


@pytest.mark.parametrize("arguments", [*COMMANDS.values(), ["stats"], ["summary"]], ids=[*COMMANDS, "stats", "summary"])
def test_the_whole_series_has_no_gap(arguments: list[str]) -> None:
    for logs in (SHOP, MARIADB):
        found = real(*arguments, *logs)
        assert (found.status, [line for line in found.err.splitlines() if " between " in line]) == (0, [])


def test_an_export_writes_no_file_of_a_log_behind_a_gap(tmp_path: Path) -> None:
    found = real("export", "--format=jsonl", "-o", str(tmp_path), *SHOP[::2], *SHOP[1:2])
    assert found.status == 1
    assert [path.name for path in tmp_path.iterdir()] == ["binlog.000001.jsonl"]
    found = real("export", "--format=jsonl", "--allow-gaps", "-o", str(tmp_path), *SHOP[::2])
    assert found.status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["binlog.000001.jsonl", "binlog.000003.jsonl"]


def test_one_file_of_an_export_is_not_written_at_all(tmp_path: Path) -> None:
    assert real("export", "-o", str(tmp_path / "all.jsonl"), *SHOP[::2]).status == 1
    assert list(tmp_path.iterdir()) == []


# ---- commands that need all changes, and others that name places


@pytest.mark.parametrize("arguments", [["--as-of=2099-01-01"], ["--history"]], ids=["as-of", "history"])
def test_rows_at_a_moment_need_all_logs(arguments: list[str]) -> None:
    given = ["rows", "--table=shop.customer", "--where=id = 1", *arguments]
    found = real(*given, SHOP[0], SHOP[2])
    assert (found.status, found.out) == (1, b"")
    assert found.err.startswith(f"ERROR: {SHOP[2]}: {GONE[SHOP[2]]}")
    assert "--allow-gaps" not in found.err
    assert "cannot be used with --allow-gaps: it needs all changes" in real(*given, "--allow-gaps", *SHOP).err
    assert real(*given, *SHOP).status == 0


@pytest.mark.parametrize("logs", [SHOP, MARIADB], ids=["mysql", "mariadb"])
def test_a_recovery_and_a_server_need_all_logs(logs: list[str]) -> None:
    named = GONE[logs[2]].partition(",")[0]
    for arguments in (["recover", f"--from={Path(logs[0]).name}:4"], ["serve"]):
        found = real(*arguments, logs[0], logs[2])
        assert (found.status, found.out) == (1, b""), arguments
        assert f"ERROR: {logs[2]}: {named}. Give the logs of one server, all of them, in their order." in found.err
        assert "unknown option --allow-gaps" in real(*arguments, "--allow-gaps", *logs).err


@pytest.mark.parametrize("logs", [SHOP, MARIADB], ids=["mysql", "mariadb"])
def test_a_comparison_with_a_gap(logs: list[str]) -> None:
    named = GONE[logs[2]]
    for sides in (["{" + f"{logs[0]},{logs[2]}" + "}", logs[0]], [logs[0], "{" + f"{logs[0]},{logs[2]}" + "}"]):
        found = real("diff", *sides)
        assert (found.status, found.out) == (2, b"")
        assert f"ERROR: {logs[2]}: {named}" in found.err
        assert ". Give the missing logs, too; --allow-gaps" in found.err
        assert real("diff", "--allow-gaps", *sides).status == 1
    backward = real("diff", "{" + f"{logs[1]},{logs[0]}" + "}", logs[0])
    assert (backward.status, "this log is older than the log before it" in backward.err) == (2, True)
    refused = real("diff", "--rows", "--allow-gaps", logs[0], "mysql://127.0.0.1:1")
    assert "--rows cannot be used with --allow-gaps: it needs all changes" in refused.err


def test_a_place_beside_a_gap_is_named_with_a_warning() -> None:
    """An earlier place may be in the missing log, and the command that follows it ends before the gap."""
    between = f"WARNING: {SHOP[2]}: binlog.000002 is missing between binlog.000001 and this log; "
    for given, lost in (
        ("--time=@1763966407", "the command ends before this log"),
        (f"--time=@{read_head(SHOP[1]).begun + 1}", "an earlier place may be missing"),
        ("--position=binlog.000001:343", "the command ends before this log"),
        (f"--set={UUID}:1-2", "the command ends before this log"),
    ):
        found = real("find", given, *SHOP[::2])
        assert (found.status, found.err) == (0, f"{between}{lost}.\n"), given
        assert real("find", given, *SHOP).err == ""
    behind_it = real("find", f"--position={Path(SHOP[2]).name}:640", *SHOP[::2])
    assert (behind_it.status, behind_it.err) == (0, "")


def test_copies_of_single_logs_have_no_gap(tmp_path: Path) -> None:
    """`redact` masks each log by itself, as `tag` marks each."""
    found = real("redact", *SHOP[::2], "-o", str(tmp_path))
    assert found.status == 0
    assert "binlog.000002 is missing" in real("rows", str(tmp_path)).err


# ---- every command


def files_of(tmp_path: Path, logs: list[str], copied: bool) -> list[str]:
    """Return three logs in a folder, with their server's names or as copies."""
    names = [str(tmp_path / (f"prod.{at}" if copied else Path(log).name)) for at, log in enumerate(logs, 1)]
    for log, name in zip(logs, names, strict=True):
        shutil.copyfile(log, name)
    return names


CASES = [
    pytest.param(flavour, copied, forward, id=f"{name}-{'copies' if copied else 'names'}-{'1-3' if forward else '3-1'}")
    for name, flavour in (("mysql", SHOP), ("mariadb", MARIADB))
    for copied in (False, True)
    for forward in (True, False)
]
STOPS = {
    **COMMANDS,
    **COUNTS,
    "rows --table": ["rows", "--table=*"],
    "export --view=transactions": ["export", "--view=transactions", "--format=csv", "-o", "-"],
    "report": ["report", "-o-"],
    "sql": ["sql", "SELECT count(*) FROM events"],
}
"""Commands that end with status 1, and go on with --allow-gaps."""
AT_A_MOMENT = {
    "rows --as-of": ["rows", "--as-of=2099-01-01", "--table=shop.customer", "--where=id = 1"],
    "rows --history": ["rows", "--history", "--table=shop.customer", "--where=id = 1"],
    "serve": ["serve"],
}
"""Commands that need all changes: they write nothing, and have no --allow-gaps."""
APART = {"mirror", "simulate", "help", "completion"}
"""Commands that read no logs of files."""


def test_each_command_has_its_rule() -> None:
    tried = {arguments[0] for arguments in (*STOPS.values(), *AT_A_MOMENT.values())}
    assert tried | APART | {"recover", "check", "find", "diff", "tag", "redact"} == set(ALL)


@pytest.mark.parametrize(("logs", "copied", "forward"), CASES)
def test_every_command_stops_before_a_gap(logs: list[str], copied: bool, forward: bool, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("jinja2")
    one, _, three = files_of(tmp_path, logs[:3], copied)
    given = [one, three] if forward else [three, one]
    for name, arguments in STOPS.items():
        found = real(*arguments, *given)
        told = "missing between" if forward or (name == "xa" and not copied) else "is older than the log before it"
        errors = [line for line in found.err.splitlines() if line.startswith("ERROR: ")]
        assert (found.status, len(errors)) == (1, 1), (name, found.err)
        assert told in errors[0], (name, found.err)
        if name in ("summary", "undo", "redo", "report", "sql"):
            assert found.out == b"", name
        allowed = real(*arguments, "--allow-gaps", *given)
        assert f"WARNING: {errors[0].removeprefix('ERROR: ').partition('. ')[0]}" in allowed.err, name
        if name not in ("undo", "redo"):
            assert allowed.status == 0, (name, allowed.err)
    for name, arguments in AT_A_MOMENT.items():
        found = real(*arguments, *given)
        assert (found.status, found.out) == (1, b""), name
        assert "ERROR: " in found.err
    found = real("recover", f"--from={Path(given[0]).name}:4", *given)
    assert (found.status, found.out) == (1, b"")
    found = real("diff", "{" + ",".join(given) + "}", one)
    assert (found.status, found.out) == (2, b"")
    found = real("find", "--time=2020-01-01", *given)
    assert (found.status, found.err.count("WARNING: ")) == (0, 1), found.err
    assert found.err.endswith("the command ends before this log.\n")
    codes = {finding["code"] for finding in json.loads(real("check", "--format=json", *given).out)["findings"]}
    assert codes & {"F002", "F003"}


@pytest.mark.parametrize("logs", [SHOP, MARIADB], ids=["mysql", "mariadb"])
def test_find_goes_on_through_copies(logs: list[str], tmp_path: Path) -> None:
    """Their names do not tell which is next: the command names those of the same server, and ends before a gap."""
    copies = files_of(tmp_path, logs[:3], copied=True)
    found = real("find", "--time=2020-01-01", "--format=jsonl", *copies)
    assert (found.status, found.err) == (0, "")
    assert json.loads(found.out)["command"].split()[2:] == copies
    other = MARIADB[0] if logs is SHOP else SHOP[0]
    found = real("find", "--time=2020-01-01", "--format=jsonl", *copies[:2], other)
    assert (found.status, found.err) == (0, "")
    assert json.loads(found.out)["command"].split()[2:] == copies[:2]


# ---- however the logs are named


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for log in SHOP[::2]:
        shutil.copy(log, tmp_path)
    return tmp_path


def test_a_folder_an_index_and_a_pattern(folder: Path) -> None:
    (folder / "shop.index").write_text("./binlog.000001\n./binlog.000003\n")
    for named in ([str(folder)], ["--index", str(folder / "shop.index")], [str(folder / "binlog.*[13]")]):
        found = real("rows", *named)
        assert found.status == 1
        assert "binlog.000002 is missing" in found.err


def test_compressed_logs(tmp_path: Path) -> None:
    names = []
    for log in SHOP:
        names.append(str(tmp_path / f"{Path(log).name}.gz"))
        Path(names[-1]).write_bytes(gzip.compress(Path(log).read_bytes()))
    assert real("rows", *names).status == 0
    found = real("rows", *names[::2])
    assert (found.status, found.out) == (1, real("rows", names[0]).out)
    assert "binlog.000002 is missing" in found.err


def test_logs_at_urls() -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for log in SHOP:
        memory.pipe(f"/gaps/{Path(log).name}", Path(log).read_bytes())
    names = [f"memory://gaps/{Path(log).name}" for log in SHOP]
    assert real("rows", *names).status == 0
    assert "binlog.000002 is missing" in real("rows", *names[::2]).err


def test_a_missing_log_without_transactions_is_only_told() -> None:
    """These logs are encrypted, and binlog.000002 has none."""
    folder = TESTDATA / "encrypted" / "mysql-9.7"
    keyring = f"--keyring={folder / 'keyring.json'}"
    logs = [str(folder / "binlog.000001"), str(folder / "binlog.000003")]
    found = real("rows", keyring, *logs)
    assert found.status == 0
    assert found.err == (
        f"WARNING: {logs[1]}: binlog.000002 is missing between binlog.000001 and this log; by the GTIDs, no "
        "transaction is.\n"
    )
    assert "older than the log before it" in real("rows", keyring, *logs[::-1]).err


def test_logs_on_standard_input_have_only_their_gtids() -> None:
    parts = [Path(log).read_bytes() for log in SHOP]
    assert real("dump", "-", stdin=b"".join(parts)).status == 0
    found = real("dump", "-", stdin=parts[0] + parts[2])
    assert found.status == 1
    assert f"the transactions {UUID}:6-9 are missing between - and this log" in found.err


def test_standard_input_after_a_file() -> None:
    found = real("--no-tbm", SHOP[0], "-", stdin=Path(SHOP[2]).read_bytes())
    assert found.status == 1
    assert f"the transactions {UUID}:6-9 are missing between binlog.000001" in found.err
    assert real("--no-tbm", SHOP[0], "-", stdin=Path(SHOP[1]).read_bytes()).status == 0


# ---- gaps outside of what the filters match


@pytest.mark.parametrize("command", ["dump", "rows", "stats"])
def test_filters_that_begin_behind_the_gap(command: str) -> None:
    for asked in (
        f"--include-gtids={UUID}:10-20",
        f"--exclude-gtids={UUID}:6-9",
        f"--start-datetime=@{read_head(SHOP[2]).begun + 1}",
    ):
        found = real(command, asked, SHOP[0], SHOP[2])
        assert found.status == 0, asked
        assert f"WARNING: {SHOP[2]}: {GONE[SHOP[2]]}" in found.err
    for asked in (f"--include-gtids={UUID}:9-20", "--table=shop.orders", "--start-datetime=@1000"):
        assert real(command, asked, SHOP[0], SHOP[2]).status == 1, asked


def test_a_dump_that_ends_before_the_gap() -> None:
    found = real("--stop-datetime=@1000", SHOP[0], SHOP[2])
    assert (found.status, "is missing" in found.err) == (0, False)


def test_a_start_in_the_first_log_does_not_hide_the_gap() -> None:
    found = real("--start-position=1158", SHOP[0], SHOP[2])
    assert found.status == 1
    assert "binlog.000002 is missing" in found.err
    assert real("--start-position=1158", *SHOP[:2]).status == 0


def test_logs_of_several_servers_in_one_folder(tmp_path: Path) -> None:
    for log in SHOP:
        shutil.copy(log, tmp_path)
    for log in MARIADB:
        shutil.copy(log, tmp_path)
    found = real("rows", str(tmp_path))
    assert (found.status, "is missing" in found.err) == (0, False)
    (tmp_path / "mariadb-bin.000002").unlink()
    assert "mariadb-bin.000002 is missing" in real("rows", str(tmp_path)).err


def test_a_log_in_use_that_was_cut_is_followed_by_its_number(tmp_path: Path) -> None:
    """A server that was killed wrote no Rotate, and cut off the transaction that it had not written to its end."""
    logs = [Path(log).read_bytes() for log in SHOP]
    cut = len(logs[0]) - len(b"".join(events_of(logs[0])[-2:]))
    names = [str(tmp_path / f"binlog.00000{at}") for at in (1, 2, 3)]
    for name, data in zip(names, [live(logs[0])[: cut + 5], *logs[1:]], strict=True):
        Path(name).write_bytes(data)
    assert real("rows", *names).status == 0
    assert "binlog.000002 is missing" in real("rows", names[0], names[2]).err


# ---- the library


def test_the_library_raises_gap_error() -> None:
    with pybinlog.open(SHOP[::2]) as log, pytest.raises(pybinlog.GapError, match="allow_gaps=True reads on") as caught:
        files = []
        for event in log:
            files.append(event.file)  # what came before the error counts
    assert caught.value.file == SHOP[2]
    assert set(files) == {SHOP[0]}
    for table in ("rows", "transactions"):
        with pybinlog.open(SHOP[::2]) as log, pytest.raises(pybinlog.GapError):
            list(getattr(log, table)())


def test_the_library_warns_with_allow_gaps() -> None:
    for read in (list, lambda log: list(log.rows()), lambda log: list(log.transactions())):
        with pybinlog.open(SHOP[::2], allow_gaps=True) as log, pytest.warns(pybinlog.BinlogWarning, match="is missing"):
            assert read(log)


# ---- Spark


def run_on_spark(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pybinlog", *arguments, "--spark=local[2]"], capture_output=True, text=True, check=False
    )


def test_a_dump_on_spark(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    found = run_on_spark("dump", "--no-tbm", SHOP[0], SHOP[2])
    assert found.returncode == 1
    assert GONE[SHOP[2]] in found.stderr
    here = real("dump", "--no-tbm", SHOP[0], SHOP[2])
    assert found.stdout == here.out.decode()


def test_an_export_on_spark(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    found = run_on_spark("export", "--format=jsonl", "-o", str(tmp_path / "out"), SHOP[0], SHOP[2])
    assert found.returncode == 1
    assert GONE[SHOP[2]] in found.stderr
    assert not (tmp_path / "out" / "binlog.000003.jsonl").exists()


def test_check_finds_what_the_others_find(tmp_path: Path) -> None:
    names = [str(shutil.copyfile(log, tmp_path / f"prod.{at}")) for at, log in enumerate(SHOP, 1)]
    for chosen in (names[::2], names[::-1], [names[0], names[0]]):
        for jobs in ((), ("--jobs=2",)):
            found = real("check", "--format=json", *jobs, *chosen)
            codes = {finding["code"] for finding in json.loads(found.out)["findings"]}
            assert codes & {"F002", "F003"}, chosen
            assert found.status == 1
        assert real("rows", *chosen).status == 1
    codes = {finding["code"] for finding in json.loads(real("check", "--format=json", *names).out)["findings"]}
    assert not codes & {"F002", "F003"}
