"""Finished logs: checked, compressed, handed on, removed. On logs of a real server."""

import bz2
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click
import pytest
import zstandard

from pybinlog.cli.finished_logs import check_finished_options, tag_in_place, what_is_wrong
from pybinlog.errors import BinlogError
from pybinlog.mirror import finished_logs
from pybinlog.mirror.finished_logs import FinishedLogs, Retention, Wait, compress, is_same_log
from pybinlog.mirror.folder import Identity, MirrorFolder
from pybinlog.mirror.verification import DONE, DoneSteps, content_of
from pybinlog.output import replacement
from pybinlog.source.index import read_index
from pybinlog.tag import Tagger
from tests.corpus import PROJECT, TESTDATA
from tests.tag.logs import cleared, tagged

LOGS = sorted((TESTDATA / "corpus" / "mysql-9.7" / "multi-file").glob("binlog.0*"))
DAMAGED = TESTDATA / "corpus" / "mysql-9.7" / "damaged-body" / "binlog.000001"
NAMES = [path.name for path in LOGS]
FINISHED = NAMES[:-1]
COMPRESSED = [f"{name}.zst" for name in FINISHED]
TELLS = [sys.executable, "-c", "import os, sys; open(sys.argv[1], 'a').write(sys.argv[2] + os.linesep)"]
SUCCEEDS = [sys.executable, "-c", ""]
FAILS = [sys.executable, "-c", "import sys; sys.exit(3)"]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[MirrorFolder]:
    """A mirror of four logs, of which three are finished."""
    with mirror_of(tmp_path / "mirror") as made:
        yield made


@contextmanager
def mirror_of(path: Path, logs: Sequence[Path] = LOGS) -> Iterator[MirrorFolder]:
    """A mirror with copies of these logs, numbered from 1 on."""
    with MirrorFolder(str(path)) as folder:
        folder.begin(Identity("server_uuid 0", "binlog", "1", 2))
        for number, log in enumerate(logs, 1):
            shutil.copy(log, folder.add(f"binlog.{number:06d}"))
        yield folder


def run(folder: MirrorFolder, **options: object) -> list[str]:
    """One run with these options to its end; what it told."""
    told: list[str] = []
    work = FinishedLogs(folder, report=told.append, **options)  # type: ignore[arg-type]
    work.start()
    work.close()
    assert work.failed == bool(told)
    return told


def files(folder: MirrorFolder) -> list[str]:
    return sorted(name for name in os.listdir(folder.path) if name.startswith("binlog.0"))


def temporary(folder: MirrorFolder) -> list[str]:
    return [name for name in os.listdir(folder.path) if name.endswith(".new")]


def inflated(path: str) -> bytes:
    data = Path(path).read_bytes()
    if path.endswith(".zst"):
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return data


def assert_whole(folder: MirrorFolder) -> None:
    """The index lists every log once, and each is its server's."""
    paths = read_index(os.path.join(folder.path, "binlog.index"))
    assert [os.path.basename(path) for path in paths] == folder.logs()
    assert [inflated(path) for path in paths] == [log.read_bytes() for log in LOGS][-len(paths) :]


# ---- compression


def test_finished_logs_are_compressed_in_their_place(folder: MirrorFolder) -> None:
    before = os.stat(os.path.join(folder.path, NAMES[0]))
    assert run(folder, compress=True) == []
    assert files(folder) == folder.logs() == [*COMPRESSED, NAMES[-1]]
    assert_whole(folder)
    after = os.stat(os.path.join(folder.path, COMPRESSED[0]))
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert run(folder, compress=True) == []
    assert_whole(folder)


def test_a_compressed_log_has_its_size_and_a_checksum(folder: MirrorFolder) -> None:
    run(folder, compress=True)
    for name, log in zip(COMPRESSED, LOGS, strict=False):
        parameters = zstandard.get_frame_parameters(Path(folder.path, name).read_bytes())
        assert parameters.content_size == log.stat().st_size
        assert parameters.has_checksum


def test_the_log_that_is_written_is_left_alone(folder: MirrorFolder) -> None:
    work = FinishedLogs(folder, compress=True, keep=Retention(count=1), report=pytest.fail)
    work.start()
    work.log_finished(os.path.join(folder.path, NAMES[-1]))
    work.close()
    assert files(folder) == [COMPRESSED[-1], NAMES[-1]]
    assert Path(folder.path, NAMES[-1]).read_bytes() == LOGS[-1].read_bytes()


def test_a_log_that_is_finished_later_is_compressed_then(tmp_path: Path) -> None:
    with mirror_of(tmp_path / "mirror", LOGS[:2]) as folder:
        work = FinishedLogs(folder, compress=True, report=pytest.fail)
        work.start()
        shutil.copy(LOGS[2], folder.add(NAMES[2]))
        work.log_finished(os.path.join(folder.path, NAMES[1]))
        work.close()
        assert files(folder) == folder.logs() == [*COMPRESSED[:2], NAMES[2]]


def test_a_copy_that_reads_back_otherwise_is_removed_and_the_log_stays(
    folder: MirrorFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damage(path: str) -> None:
        with open(path, "r+b") as file:
            file.seek(40)
            byte = file.read(1)
            file.seek(40)
            file.write(bytes([byte[0] ^ 1]))

    monkeypatch.setattr(finished_logs, "forget_pages", damage)  # between writing and reading back: a broken disk
    told = run(folder, compress=True)
    assert len(told) == 3
    assert all("is another log when it is read back" in text for text in told)
    assert files(folder) == folder.logs() == NAMES
    assert_whole(folder)


def test_a_full_disk_leaves_the_log_and_nothing_else(folder: MirrorFolder) -> None:
    program = """
import resource, signal, sys
from pybinlog.errors import BinlogError
from pybinlog.mirror.finished_logs import compress
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    compress(sys.argv[1])
except BinlogError as error:
    sys.exit(str(error))
"""
    path = os.path.join(folder.path, NAMES[0])
    done = subprocess.run(
        [sys.executable, "-c", program, path], cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "it cannot be written: File too large" in done.stderr
    assert files(folder) == NAMES
    assert temporary(folder) == []
    assert_whole(folder)


@pytest.mark.parametrize("name", ["compress", "Replacement.put_in_place", "is_same_log", "replaced", "unlink"])
def test_a_kill_at_any_step_loses_nothing_and_the_next_run_ends_the_work(tmp_path: Path, name: str) -> None:
    """The process is killed as soon as it comes to that step."""
    path = tmp_path / "mirror"
    program = f"""
import os, signal, sys
from pybinlog.mirror import finished_logs
from pybinlog.mirror.folder import MirrorFolder
from pybinlog.output.replacement import Replacement

def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)

places = {{
    "compress": (finished_logs, "compress"),
    "Replacement.put_in_place": (Replacement, "put_in_place"),
    "is_same_log": (finished_logs, "is_same_log"),
    "replaced": (MirrorFolder, "replaced"),
    "unlink": (finished_logs.FinishedLogs, "_remove"),
}}
with MirrorFolder({str(path)!r}) as folder:
    setattr(*places[{name!r}], killed)
    work = finished_logs.FinishedLogs(folder, compress=True, report=print)
    work.start()
    work.close()
"""
    with mirror_of(path):
        pass
    done = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    replacement.swept.clear()  # as in a process of its own, which looks for what others left
    with MirrorFolder(str(path)) as folder:
        assert_whole(folder)
        assert run(folder, compress=True) == []
        assert files(folder) == folder.logs() == [*COMPRESSED, NAMES[-1]]
        assert temporary(folder) == []
        assert_whole(folder)


def test_a_plain_log_beside_another_compressed_one_stays_and_is_told(folder: MirrorFolder) -> None:
    run(folder, compress=True)
    path = Path(folder.path, NAMES[0])
    path.write_bytes(LOGS[1].read_bytes())
    told: list[str] = []
    work = FinishedLogs(folder, compress=True, report=told.append)
    work.start()
    work.close()
    assert told == [f"{path}: the compressed log beside it is listed, and is another one."]
    assert path.read_bytes() == LOGS[1].read_bytes()


def test_a_large_log_is_compressed_in_little_memory(tmp_path: Path) -> None:
    import tracemalloc

    log = tmp_path / "binlog.000001"
    log.write_bytes(os.urandom(1 << 16) * 512)
    tracemalloc.start()
    try:
        compress(str(log))
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_before_the_start_nothing_is_touched(folder: MirrorFolder) -> None:
    """The server may turn out to be another one."""
    with FinishedLogs(folder, compress=True, check=what_is_wrong, keep=Retention(count=1), report=pytest.fail):
        pass
    with pytest.raises(BinlogError), FinishedLogs(folder, compress=True, keep=Retention(count=1), report=pytest.fail):
        raise BinlogError("another server")
    assert files(folder) == folder.logs() == NAMES
    assert not os.path.exists(os.path.join(folder.path, DONE))


def test_a_log_that_would_be_taken_for_a_bomb_stays_as_it_is(tmp_path: Path) -> None:
    """Every command is to read what is in a mirror; testdata/README.md says what this log holds."""
    bomb = TESTDATA / "bombs" / "header.bz2"
    log = tmp_path / "log"
    with bz2.open(bomb) as file:
        log.write_bytes(file.read(20 << 20))
    with mirror_of(tmp_path / "mirror", [log, LOGS[1]]) as folder:
        told: list[str] = []
        for _ in range(2):
            with FinishedLogs(folder, compress=True, report=told.append) as work:
                work.start()
            assert not work.failed
        assert len(told) == 1
        assert "binlog.000001: it stays uncompressed" in told[0]
        assert files(folder) == folder.logs() == NAMES[:2]


def test_a_log_that_cannot_be_compressed_is_told(tmp_path: Path) -> None:
    with pytest.raises(BinlogError) as raised:
        compress(str(tmp_path / "log"))
    assert str(raised.value) == f"{tmp_path / 'log'}: it cannot be compressed: No such file or directory"
    assert list(tmp_path.iterdir()) == []


def test_a_log_without_its_end_is_compressed_as_it_is(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(LOGS[0].read_bytes()[:-5])
    assert compress(str(log)) == f"{log}.zst"
    assert inflated(f"{log}.zst") == LOGS[0].read_bytes()[:-5]


@pytest.mark.parametrize(("more", "same"), [(b"", True), (b"x", False)])
def test_a_longer_log_is_not_the_compressed_one(tmp_path: Path, more: bytes, same: bool) -> None:
    log = tmp_path / "log"
    log.write_bytes(LOGS[0].read_bytes())
    compress(str(log))
    log.write_bytes(LOGS[0].read_bytes() + more)
    assert is_same_log(str(log), f"{log}.zst") is same


def test_logs_that_are_gone_cannot_be_compared(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with pytest.raises(BinlogError, match=r"log\.zst: cannot be opened: no such file or directory"):
        is_same_log(str(log), f"{log}.zst")
    log.write_bytes(LOGS[0].read_bytes())
    assert not is_same_log(str(log), f"{log}.zst")
    compress(str(log))
    log.unlink()
    with pytest.raises(BinlogError) as raised:
        is_same_log(str(log), f"{log}.zst")
    assert str(raised.value) == f"{log}: it cannot be read: No such file or directory"


def test_a_folder_in_the_place_of_a_replaced_log_is_told(folder: MirrorFolder) -> None:
    run(folder, compress=True)
    path = Path(folder.path, NAMES[0])
    path.mkdir()
    told: list[str] = []
    with FinishedLogs(folder, compress=True, report=told.append) as work:
        work.start()
    assert told == [f"{path}: it cannot be read: Is a directory."]
    assert not work.failed


# ---- markers


@pytest.mark.parametrize("bits", [False, True], ids=["types", "bits"])
def test_finished_logs_are_tagged_then_compressed(folder: MirrorFolder, bits: bool) -> None:
    before = os.stat(os.path.join(folder.path, NAMES[0]))
    tag = partial(tag_in_place, bits=bits)
    for _ in range(2):
        assert run(folder, tag=tag, compress=True, check=what_is_wrong) == []
    assert files(folder) == folder.logs() == [*COMPRESSED, NAMES[-1]]
    after = os.stat(os.path.join(folder.path, COMPRESSED[0]))
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    for name, log in zip(COMPRESSED, LOGS, strict=False):
        marked = inflated(os.path.join(folder.path, name))
        assert (marked, cleared(marked)) == (tagged(log.read_bytes(), Tagger(bits=bits))[0], log.read_bytes())
    assert Path(folder.path, NAMES[-1]).read_bytes() == LOGS[-1].read_bytes()
    done = DoneSteps(os.path.join(folder.path, DONE))
    assert [done.recorded(name) for name in FINISHED] == [content_of(str(log)) for log in LOGS[:-1]]


@pytest.mark.parametrize("log", ["in-use", "truncated-body", "damaged-body"])
def test_a_log_that_cannot_be_tagged_stays_as_it_is_with_a_warning(tmp_path: Path, log: str) -> None:
    log_path = TESTDATA / "corpus" / "mysql-9.7" / log / "binlog.000001"
    with mirror_of(tmp_path / "mirror", [log_path, LOGS[1]]) as folder:
        told: list[str] = []
        for _ in range(2):
            with FinishedLogs(folder, tag=partial(tag_in_place, bits=False), report=told.append) as work:
                work.start()
            assert not work.failed
        (warning,) = told
        assert f"{folder.path}/binlog.000001: it stays without markers: " in warning
        assert Path(folder.path, "binlog.000001").read_bytes() == log_path.read_bytes()
        assert temporary(folder) == []


def test_a_log_that_was_compressed_before_stays_without_markers(folder: MirrorFolder) -> None:
    run(folder, compress=True)
    told: list[str] = []
    with FinishedLogs(folder, tag=partial(tag_in_place, bits=False), report=told.append) as work:
        work.start()
    assert [line.partition(": ")[2] for line in told] == ["it stays without markers: it is compressed already."] * len(
        FINISHED
    )
    assert [marked(folder, name) for name in FINISHED] == [{"untagged"}] * len(FINISHED)
    assert_whole(folder)


def marked(folder: MirrorFolder, name: str) -> set[str]:
    """The steps about markers that are recorded for a log."""
    steps = DoneSteps(os.path.join(folder.path, DONE))
    return {step for step in ("tagged", "untagged") if steps.has(name, step)}


def test_a_log_that_got_markers_is_recorded_so(folder: MirrorFolder) -> None:
    assert run(folder, tag=partial(tag_in_place, bits=False)) == []
    assert [marked(folder, name) for name in FINISHED] == [{"tagged"}] * len(FINISHED)


def test_a_form_that_there_is_not() -> None:
    with pytest.raises(click.UsageError, match="types and bits"):
        check_finished_options({"on_log": None, "keep": None, "tag": "letters"})


# ---- the check


def test_a_log_that_is_in_order_is_checked_once_and_nothing_is_told(folder: MirrorFolder) -> None:
    looked: list[str] = []

    def check(path: str) -> str | None:
        looked.append(os.path.basename(path))
        return what_is_wrong(path)

    assert run(folder, check=check) == []
    assert run(folder, check=check, compress=True) == []
    assert looked == FINISHED


def test_what_a_check_finds_is_told_with_the_log_and_its_place(tmp_path: Path) -> None:
    with mirror_of(tmp_path / "mirror", [DAMAGED, LOGS[1]]) as folder:
        (told,) = run(folder, check=what_is_wrong, compress=True)
        assert told.startswith(os.path.join(folder.path, "binlog.000001: the check finds S001 at "))
        assert "See pybinlog check" in told
        assert folder.logs() == ["binlog.000001.zst", "binlog.000002"]
        assert run(folder, check=what_is_wrong) == []


# ---- the command


def test_the_command_gets_each_log_once_as_it_is_after_compression(folder: MirrorFolder, tmp_path: Path) -> None:
    list_ = tmp_path / "told"
    command = [*TELLS, str(list_)]
    assert run(folder, command=command, compress=True) == []
    assert list_.read_text().split() == [os.path.join(folder.path, name) for name in COMPRESSED]
    assert run(folder, command=command, compress=True) == []
    assert len(list_.read_text().split()) == 3


@pytest.mark.parametrize(("log", "state"), [(LOGS[0], "passed"), (DAMAGED, "failed")])
def test_the_environment_says_which_log_it_is_and_what_the_check_said(tmp_path: Path, log: Path, state: str) -> None:
    out = tmp_path / "out"
    script = "import os, sys; open(sys.argv[1], 'w').write(' '.join(os.environ['PYBINLOG_' + name] for name in NAMES))"
    names = "NAMES = 'LOG NAME CHECK'.split(); "
    with mirror_of(tmp_path / "mirror", [log, LOGS[1]]) as folder:
        run(folder, command=[sys.executable, "-c", names + script, str(out)], check=what_is_wrong, compress=True)
        path = os.path.join(folder.path, "binlog.000001.zst")
        assert out.read_text() == f"{path} binlog.000001 {state}"


def test_a_command_that_fails_is_told_and_gets_the_log_again_in_the_next_run(
    folder: MirrorFolder, tmp_path: Path
) -> None:
    told = run(folder, command=FAILS)
    assert told == [
        f"{os.path.join(folder.path, name)}: the command {sys.executable} has ended with status 3; this is tried again "
        "in 60 s."
        for name in FINISHED
    ]
    list_ = tmp_path / "told"
    assert run(folder, command=[*TELLS, str(list_)]) == []
    assert len(list_.read_text().split()) == 3


def test_a_command_that_has_failed_gets_the_log_again_after_a_while(
    folder: MirrorFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finished_logs, "FIRST_WAIT", 0.05)
    gate = tmp_path / "gate"
    list_ = tmp_path / "told"
    script = "import os, sys; os.path.exists(sys.argv[1]) or sys.exit(1); open(sys.argv[2], 'a').write('x')"
    told: list[str] = []
    work = FinishedLogs(folder, command=[sys.executable, "-c", script, str(gate), str(list_)], report=told.append)
    work.start()
    until(lambda: len(told) >= 4)
    gate.touch()
    until(lambda: list_.exists() and len(list_.read_text()) == 3)
    work.close()
    assert len(list_.read_text()) == 3


@pytest.mark.parametrize(
    ("program", "reason"), [("/no/such/program", "No such file or directory"), ("a\0b", "embedded null byte")]
)
def test_a_command_that_cannot_be_run_is_told(program: str, reason: str, folder: MirrorFolder) -> None:
    assert run(folder, command=[program]) == [
        f"{os.path.join(folder.path, name)}: the command {program} cannot be run: {reason}; this is tried again in "
        "60 s."
        for name in FINISHED
    ]


def test_a_command_that_a_signal_ends_is_told(folder: MirrorFolder) -> None:
    told = run(folder, command=[sys.executable, "-c", "import os; os.kill(os.getpid(), 15)"])
    assert told[0] == (
        f"{os.path.join(folder.path, NAMES[0])}: the command {sys.executable} has ended by signal 15; this is tried "
        "again in 60 s."
    )


def test_a_command_has_no_input_and_no_terminal_and_writes_where_errors_go(
    folder: MirrorFolder, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without a check, it is told of none."""
    script = "import os, sys; print([os.getsid(0) == os.getpid(), sys.stdin.read(), os.environ['PYBINLOG_CHECK']])"
    assert run(folder, command=[sys.executable, "-c", script], keep=Retention(count=1)) == []
    out, err = capfd.readouterr()
    assert (out, err.splitlines()) == ("", ["[True, '', '']"] * len(FINISHED))


def test_no_log_goes_whose_check_is_still_to_be_done(folder: MirrorFolder) -> None:
    def check(path: str) -> str | None:
        if path.endswith("2"):
            raise BinlogError("cannot be read", file=path)
        return None

    assert len(run(folder, check=check, keep=Retention(count=1))) == 1
    assert files(folder) == folder.logs() == NAMES[1:]
    assert run(folder, check=what_is_wrong, keep=Retention(count=1)) == []
    assert files(folder) == folder.logs() == NAMES[2:]


def test_a_log_that_is_not_there_or_is_written_has_no_steps(folder: MirrorFolder) -> None:
    looked: list[str] = []
    with FinishedLogs(folder, check=lambda path: looked.append(path), report=pytest.fail) as work:
        work.start()
        for name in ("binlog.000009", NAMES[-1], NAMES[0], NAMES[0]):
            work.log_finished(os.path.join(folder.path, name))
    assert looked == [os.path.join(folder.path, name) for name in FINISHED]
    assert DoneSteps(os.path.join(folder.path, DONE)).names == FINISHED


def test_stopping_ends_the_command_that_runs_and_leaves_the_rest_to_the_next_run(
    folder: MirrorFolder, tmp_path: Path
) -> None:
    list_ = tmp_path / "told"
    script = "import sys, time; time.sleep(0.5); open(sys.argv[1], 'a').write('x')"
    command = [sys.executable, "-c", "open(__import__('sys').argv[1] + '.begun', 'w'); " + script, str(list_)]
    work = FinishedLogs(folder, command=command, report=pytest.fail)
    work.start()
    until(lambda: (tmp_path / "told.begun").exists())
    work.stop()
    assert list_.read_text() == "x"
    assert run(folder, command=command) == []
    assert list_.read_text() == "xxx"


def test_the_thread_is_not_the_one_that_receives(folder: MirrorFolder) -> None:
    threads: list[str] = []

    def check(path: str) -> None:
        threads.append(threading.current_thread().name)

    run(folder, check=check)
    assert set(threads) == {"finished logs"}


def test_an_interrupt_while_it_is_closed_leaves_the_rest_to_the_next_run(folder: MirrorFolder) -> None:
    closing = threading.Event()
    looked: list[str] = []

    class Work(FinishedLogs):
        def close(self) -> None:
            closing.set()
            super().close()

    def check(path: str) -> None:
        looked.append(os.path.basename(path))
        closing.wait(30)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        until(work.stopping.is_set)

    work = Work(folder, check=check, report=pytest.fail)
    with pytest.raises(KeyboardInterrupt), work:
        work.start()
    assert looked == FINISHED[:1]


def test_a_log_without_enough_memory_is_tried_again(folder: MirrorFolder) -> None:
    def check(path: str) -> None:
        raise MemoryError

    told = run(folder, check=check)
    assert told == [
        f"{os.path.join(folder.path, name)}: there is not enough memory; this is tried again in 60 s."
        for name in FINISHED
    ]


def test_each_wait_is_twice_as_long_up_to_an_hour() -> None:
    waits = [Wait.after(None)]
    for _ in range(7):
        waits.append(Wait.after(waits[-1]))
    assert [wait.seconds for wait in waits] == [60, 120, 240, 480, 960, 1920, 3600, 3600]


def test_a_fault_of_its_own_is_raised_when_it_is_closed(folder: MirrorFolder) -> None:
    def check(path: str) -> None:
        raise ZeroDivisionError

    work = FinishedLogs(folder, check=check, report=pytest.fail)
    work.start()
    with pytest.raises(ZeroDivisionError):
        work.close()


def test_a_state_that_cannot_be_read_is_an_error(folder: MirrorFolder) -> None:
    os.mkdir(os.path.join(folder.path, DONE))
    with pytest.raises(BinlogError, match="not a regular file"):
        FinishedLogs(folder, check=what_is_wrong, report=pytest.fail)


# ---- what is kept


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_so_many_finished_logs_are_kept(folder: MirrorFolder, count: int) -> None:
    assert run(folder, keep=Retention(count=count)) == []
    assert files(folder) == folder.logs() == NAMES[max(3 - count, 0) :]
    assert_whole(folder)


def test_logs_are_kept_for_so_long_after_their_last_byte(folder: MirrorFolder) -> None:
    now = time.time()
    for name, days in zip(NAMES, (9, 8, 6, 9), strict=True):
        os.utime(os.path.join(folder.path, name), (now, now - days * 86400))
    assert run(folder, keep=Retention.of("7d"), compress=True) == []
    assert files(folder) == folder.logs() == [COMPRESSED[2], NAMES[3]]


@pytest.mark.parametrize("jump", [400 * 86400, -400 * 86400])
def test_a_jump_of_the_clock_removes_no_log(folder: MirrorFolder, jump: int, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    for name, days in zip(NAMES, (6, 5, 4, 0), strict=True):
        os.utime(os.path.join(folder.path, name), (now, now - days * 86400))
    work = FinishedLogs(folder, keep=Retention.of("7d"), report=pytest.fail)
    monkeypatch.setattr(time, "time", lambda: now + jump)
    work.start()
    work.close()
    assert files(folder) == folder.logs() == NAMES


def test_no_log_goes_that_the_command_did_not_take_nor_any_after_it(folder: MirrorFolder, tmp_path: Path) -> None:
    script = "import sys; sys.exit(sys.argv[1].endswith('2'))"
    told = run(folder, command=[sys.executable, "-c", script], keep=Retention(count=1))
    assert len(told) == 1
    assert files(folder) == folder.logs() == NAMES[1:]
    assert run(folder, command=SUCCEEDS, keep=Retention(count=1)) == []
    assert files(folder) == folder.logs() == NAMES[2:]
    assert len(Path(folder.path, DONE).read_text().splitlines()) == 1


def test_an_old_log_that_is_gone_already_is_told(folder: MirrorFolder) -> None:
    os.unlink(os.path.join(folder.path, NAMES[2]))
    told: list[str] = []
    work = FinishedLogs(folder, keep=Retention(count=1), report=told.append)
    work.start()
    work.close()
    assert told[0] == f"{folder.path}: old logs cannot be removed: No such file or directory."
    assert folder.logs() == NAMES


def test_an_old_log_that_cannot_be_removed_is_told(folder: MirrorFolder) -> None:
    path = os.path.join(folder.path, NAMES[0])
    os.unlink(path)
    os.mkdir(path)
    told: list[str] = []
    with FinishedLogs(folder, keep=Retention(count=2), report=told.append) as work:
        work.start()
    assert told == [f"{path}: it cannot be removed: Is a directory."]
    assert folder.logs() == NAMES[1:]


@pytest.mark.parametrize(
    ("retention", "surplus"),
    [
        (Retention(count=1), 3),
        (Retention(count=4), 0),
        (Retention(count=5), 0),
        (Retention(seconds=9), 1),
        (Retention(seconds=10), 0),
        (Retention(seconds=8), 1),
        (Retention(seconds=0), 4),
        (Retention(seconds=1), 3),
    ],
)
def test_the_oldest_logs_go_up_to_the_first_that_is_young_enough(retention: Retention, surplus: int) -> None:
    assert retention.surplus([10, 5, 8, 1]) == surplus


@pytest.mark.parametrize(
    ("text", "retention"),
    [
        ("100", Retention(count=100)),
        ("1", Retention(count=1)),
        ("999999999", Retention(count=999_999_999)),
        ("1h", Retention(seconds=3600)),
        ("12h", Retention(seconds=43200)),
        ("30d", Retention(seconds=30 * 86400)),
        ("4w", Retention(seconds=28 * 86400)),
    ],
)
def test_retention_is_a_count_or_a_time(text: str, retention: Retention) -> None:
    assert Retention.of(text) == retention


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5d", "d", "0d", "30 d", "30y", "1e3", "1000000000", "٣"])
def test_anything_else_is_no_retention(text: str) -> None:
    with pytest.raises(ValueError, match="neither a number of logs nor a time"):
        Retention.of(text)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"on_log": "no-such-program x", "keep": None}, "there is no program no-such-program"),
        ({"on_log": "echo 'x", "keep": None}, "no closing quotation"),
        ({"on_log": " ", "keep": None}, "--on-log needs a command"),
        ({"on_log": None, "keep": "many"}, "--keep: 'many' is neither"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_begins(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(click.UsageError, match=sentence):
        check_finished_options(values)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
