"""Logs of a real MySQL 9.7, read over its connection, against what the reference prints of them."""

import os
import pty
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pybinlog.replication.connection import Connection
from pybinlog.replication.options import Compression, ServerOptions
from tests.corpus import PROJECT
from tests.parity.program import without_opening_comments
from tests.replication.live import Live, live, proxy, workloads

Harm = Callable[[bytes], "bytes | None"]
PROGRAM = [sys.executable, "-u", "-m", "pybinlog"]


def run_program(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """pybinlog in a process of its own."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        cwd=PROJECT,
        capture_output=True,
        timeout=60,
        check=False,
        env={"TZ": "UTC", "PATH": "", **environment},
    )


FIXED = ("log-bin", "log-bin-index", "server-id", "gtid-mode", "enforce-gtid-consistency")
"""Arguments that a server takes when it starts; the others are set while it runs."""
DEFAULTS = {
    "binlog-format": "ROW",
    "binlog-checksum": "CRC32",
    "binlog-row-image": "FULL",
    "binlog-row-metadata": "MINIMAL",
    "binlog-row-value-options": "''",
    "binlog-rows-query-log-events": "OFF",
    "log-bin-trust-function-creators": "1",
}
OTHER = ("relay", "damaged", "truncated", "encrypted", "killed", "in-use", "recovered", "trailing", "load-data")
OPTIONS = [(), ("-vv",), ("--base64-output=decode-rows", "-v"), ("-s",), ("-H", "-o2"), ("-c", "--skip-gtids")]


def settings(workload: Path) -> dict[str, str] | None:
    """Return its server's settings, if they can be set while one runs; None where not."""
    text = (workload.parent / "server.txt").read_text(encoding="utf-8")
    arguments = dict(re.findall(r"--([\w-]+)=(\S+)", re.findall(r"^server arguments: (.*)", text, re.MULTILINE)[0]))
    if arguments.get("gtid-mode") != "ON" or workload.parent.name.startswith(OTHER):
        return None
    return DEFAULTS | {name: value for name, value in arguments.items() if name not in FIXED}


def assignments(chosen: dict[str, str]) -> str:
    return "".join(f"SET GLOBAL {name.replace('-', '_')} = {value};" for name, value in chosen.items())


WORKLOADS = [workload for workload in workloads("mysql-9.7") if settings(workload) is not None]


@pytest.fixture(scope="module")
def mysql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live("mysql", tmp_path_factory.mktemp("live"), "--gtid-mode=ON", "--enforce-gtid-consistency=ON") as server:
        yield server


@pytest.fixture(scope="module")
def logs(mysql: Live) -> list[str]:
    """Three logs with some transactions; the last is in use."""
    mysql.server.sql(assignments(DEFAULTS))
    mysql.server.sql("RESET BINARY LOGS AND GTIDS; CREATE DATABASE a; CREATE TABLE a.t (x INT, y TEXT)")
    for number in range(2):
        mysql.server.sql(
            f"INSERT INTO a.t VALUES ({number}, 'x'), (2, REPEAT('y', 1000)); INSERT INTO a.t VALUES (3, '')"
        )
        mysql.server.next_log()
    mysql.server.sql("UPDATE a.t SET y = 'z'")
    return mysql.logs()


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.parent.name)
def test_the_text_of_a_workload_is_the_references(workload: Path, mysql: Live) -> None:
    chosen = settings(workload)
    assert chosen is not None
    mysql.server.sql(assignments(chosen))
    for log in mysql.replay(workload):
        for options in OPTIONS:
            assert mysql.ours(*options, log) == mysql.reference(*options, log), (log, options)
        warned = mysql.run(log)
        assert (warned.status, warned.errors) == (0, "")


def test_there_are_twenty_workloads_where_the_corpus_is() -> None:
    if not workloads("mysql-9.7"):
        pytest.skip("needs ../shared/corpus")
    assert len(WORKLOADS) >= 20


def test_every_start_position_gives_the_references_text(mysql: Live, logs: list[str]) -> None:
    text = mysql.ours(logs[0]).decode()
    positions = [int(found) for found in re.findall(r"^# at (\d+)", text, re.MULTILINE)]
    for position in positions:
        start = f"--start-position={position}"
        assert mysql.ours(start, logs[0]) == mysql.reference(start, logs[0]), position
        assert mysql.ours(start, "-t", logs[0]) == mysql.reference(start, "-t", logs[0]), position
    assert len(positions) > 12


def test_a_start_inside_an_event_or_behind_the_end_is_an_error_after_the_same_text(
    mysql: Live, logs: list[str]
) -> None:
    for position, sentence in ((170, "error 1236"), (99999, "position > file size")):
        start = f"--start-position={position}"
        output = mysql.run("--no-tbm", start, logs[0])
        assert without_opening_comments(output.text) == mysql.reference(start, logs[0], status=1)
        assert output.status == 1
        assert sentence in output.errors
        assert f"mysql://root@127.0.0.1:{mysql.port}/{logs[0]}, at {position}" in output.errors


@pytest.mark.parametrize(
    "options",
    [("-t",), ("-t", "-v"), ("--stop-position=400",), ("--database=a",), ("-t", "--stop-position=500"), ("-t", "-s")],
)
def test_options_and_the_logs_that_follow(options: tuple[str, ...], mysql: Live, logs: list[str]) -> None:
    output = mysql.run("--no-tbm", *options, logs[0])
    assert output.status == 0
    assert without_opening_comments(output.text) == mysql.reference(*options, logs[0])


def test_several_logs_are_one_text(mysql: Live, logs: list[str]) -> None:
    assert mysql.ours(*logs) == mysql.reference(*logs)


@pytest.mark.parametrize("intervals", ["", "2-3", "1", "1:3:5-6", "tagged:1-3", "1:tagged:1-3:other:5"])
def test_gtids_are_left_out_by_the_server(intervals: str, mysql: Live, logs: list[str]) -> None:
    uuid = mysql.server.sql("SELECT @@server_uuid").strip()
    options = ["--read-from-remote-source=BINLOG-DUMP-GTIDS"]
    if intervals:
        options.append(f"--exclude-gtids={uuid}:{intervals}")
    for more in ((), ("-t",)):
        assert mysql.ours(*options, *more, logs[0]) == mysql.reference(*options, *more, logs[0])


def test_a_socket_and_tls_give_the_same_text(mysql: Live, logs: list[str]) -> None:
    wanted = mysql.reference(logs[0])
    assert mysql.ours("-S", mysql.socket, "-h", "localhost", logs[0]) == wanted
    for mode in ("DISABLED", "REQUIRED"):
        assert mysql.ours(f"--ssl-mode={mode}", logs[0]) == wanted
    authority = str(mysql.server.folder() / "ca.pem")
    assert mysql.ours(f"--ssl-ca={authority}", logs[0]) == wanted
    assert mysql.ours(f"--ssl-ca={authority}", "--tls-version=TLSv1.3", logs[0]) == wanted
    output = mysql.run(f"--ssl-ca={authority}", "--ssl-mode=VERIFY_IDENTITY", logs[0])
    assert output.status == 1
    assert "certificate verify failed" in output.errors
    output = mysql.run("--ssl-mode=VERIFY_CA", logs[0])
    assert "certificate verify failed" in output.errors


def test_a_url_is_an_input(mysql: Live, logs: list[str], tmp_path: Path) -> None:
    copy = tmp_path / logs[1]
    copy.write_bytes(mysql.file(logs[1]))
    url = f"mysql://root@127.0.0.1:{mysql.port}/"
    done = subprocess.run(
        [sys.executable, "-m", "pybinlog", "--no-tbm", url + logs[0], str(copy)],
        cwd=PROJECT,
        capture_output=True,
        timeout=60,
        check=True,
        env={"TZ": "UTC", "PATH": ""},
    )
    assert without_opening_comments(done.stdout) == mysql.ours(logs[0], logs[1])


def test_a_log_that_is_not_there_is_an_error(mysql: Live, logs: list[str]) -> None:
    output = mysql.run("binlog.000999")
    assert output.status == 1
    assert "Could not find first log file name" in output.errors
    assert "binlog.000999, at 4" in output.errors
    output = mysql.run("./" + logs[0])
    assert output.status == 1
    assert "without a folder" in output.errors


# ---- for ever


def test_stop_never_shows_what_a_writer_writes_until_the_thread_is_ended(mysql: Live, logs: list[str]) -> None:
    last = mysql.logs()[-1]
    command = [sys.executable, "-u", "-m", "pybinlog", "-R", "-uroot", "-h", "127.0.0.1", f"-P{mysql.port}"]
    reader = subprocess.Popen(
        [*command, "--no-defaults", "--no-tbm", "--stop-never", last],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    lines: list[bytes] = []
    assert reader.stdout is not None

    def read() -> None:
        assert reader.stdout is not None
        for line in reader.stdout:
            lines.append(line)

    reading = threading.Thread(target=read)
    reading.start()
    try:
        mysql.server.sql("INSERT INTO a.t VALUES (77, 'written while it waits')")
        following = mysql.server.next_log()
        mysql.server.sql("CREATE TABLE a.seen_at_last (x INT)")
        deadline = time.monotonic() + 30
        while not any(b"seen_at_last" in line for line in lines) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert any(b"seen_at_last" in line for line in lines)
        assert any(b"Rotate to " + following.encode() in line for line in lines)
        threads = "SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'"
        for thread in mysql.server.sql(threads).split():
            mysql.server.sql(f"KILL {thread}")
        assert reader.wait(30) == 1
        reading.join()
        assert reader.stderr is not None
        assert f"/{following}, at ".encode() in (said := reader.stderr.read())
        assert b"lost" in said or b"shutdown" in said or b"interrupted" in said
        # nothing that was whole is missing
        text = as_far_as_it_goes(without_opening_comments(b"".join(lines)))
        assert mysql.reference("-t", last).startswith(text)
    finally:
        reader.kill()
        reader.communicate()


# ---- a network that does harm


def drop(packet: bytes) -> bytes | None:
    return b""


def repeat(packet: bytes) -> bytes | None:
    return packet + packet


def garble(packet: bytes) -> bytes | None:
    return packet[:-1] + bytes([packet[-1] ^ 0x10])


def shorten(packet: bytes) -> bytes | None:
    size = len(packet) - 4
    return (size - 1).to_bytes(3, "little") + packet[3:-1]


def cut(packet: bytes) -> bytes | None:
    return None


def at_packet(number: int, harm: Harm) -> Callable[[int, bytes], bytes | None]:
    return lambda at, packet: harm(packet) if at == number else packet


def as_far_as_it_goes(text: bytes) -> bytes:
    """A text that was broken off, without what closes it."""
    text = text.partition(b"\nDELIMITER ;")[0]
    return re.split(rb"\n[^\n]*/\* ?added by mysqlbinlog", text)[0]


HARMS = [drop, repeat, garble, shorten, cut]


@pytest.mark.parametrize("number", range(1, 9))
@pytest.mark.parametrize("harm", HARMS)
def test_harm_on_the_way_is_an_error_with_log_and_position_and_never_wrong_text(
    harm: Harm, number: int, mysql: Live, logs: list[str]
) -> None:
    sound = mysql.run(logs[0], "--ssl-mode=DISABLED", "--get-server-public-key").text
    with proxy(mysql.port, at_packet(number, harm)) as port:
        output = mysql.run(logs[0], "--ssl-mode=DISABLED", "--get-server-public-key", port=port)
    assert output.status == 1
    assert re.search(rf"mysql://root@127\.0\.0\.1:{port}/{logs[0]}, at \d+", output.errors)
    assert as_far_as_it_goes(output.text) in sound
    assert "Traceback" not in output.errors


def test_a_cut_inside_an_event_is_an_error_at_that_event(mysql: Live, logs: list[str]) -> None:
    with proxy(mysql.port, lambda at, packet: packet[:-3] if at == 4 else None if at > 4 else packet) as port:
        output = mysql.run(logs[0], "--ssl-mode=DISABLED", port=port)
    assert output.status == 1
    assert f"/{logs[0]}, at 235: the connection to the server was lost" in output.errors


def renumbered(left_out: int) -> Callable[[int, bytes], bytes | None]:
    def harm(at: int, packet: bytes) -> bytes:
        if at == left_out:
            return b""
        return packet if at < left_out else packet[:3] + bytes([packet[3] - 1 & 255]) + packet[4:]

    return harm


def test_an_event_that_is_left_out_is_missed_though_the_packets_are_numbered_anew(mysql: Live, logs: list[str]) -> None:
    with proxy(mysql.port, renumbered(5)) as port:
        output = mysql.run(logs[0], "--ssl-mode=DISABLED", port=port)
    assert output.status == 1
    assert "events from the server are missing or came twice" in output.errors


# ---- compressed packets

COMPRESSED = ["--compress", *(f"--compression-algorithms={name}" for name in ("zlib", "zstd", "zstd,uncompressed"))]


@pytest.mark.parametrize("tls", ["DISABLED", "REQUIRED"])
@pytest.mark.parametrize("compressed", COMPRESSED)
def test_compressed_packets_give_the_same_text(compressed: str, tls: str, mysql: Live, logs: list[str]) -> None:
    options = [compressed, f"--ssl-mode={tls}"]
    assert mysql.ours(*options, *logs) == mysql.reference(*options, *logs)
    assert mysql.ours(*options, "-v", "-t", logs[0]) == mysql.reference(*options, "-v", "-t", logs[0])
    output = mysql.run(*options, "-c", logs[0])
    assert output.status == 0
    assert [line for line in output.errors.splitlines() if "--compress is deprecated" not in line] == []


@pytest.mark.parametrize(
    ("listed", "wanted"),
    [("zlib,zstd", "zlib 6"), ("zstd,zlib", "zstd 11"), ("zlib,uncompressed", "zlib 6"), ("uncompressed", " 11")],
)
def test_the_server_compresses_as_the_list_says(listed: str, wanted: str, mysql: Live) -> None:
    allowed = tuple(Compression(name) for name in listed.split(","))
    options = ServerOptions(host="127.0.0.1", port=mysql.port, user="root", compression=allowed, zstd_level=11)
    with closing(Connection(options)) as connection:
        status = {str(name): value for name, value in connection.query("SHOW STATUS LIKE 'Compression%'")}
        if listed == "uncompressed":
            assert status["Compression"] == "OFF"
        else:
            assert f"{status['Compression_algorithm']} {status['Compression_level']}" == wanted
        assert connection.is_compressed == (status["Compression"] == "ON")
        assert len(connection.query("SHOW VARIABLES")) > 500  # many packets


def test_a_server_without_a_common_algorithm_is_refused(mysql: Live, logs: list[str]) -> None:
    mysql.server.sql("SET GLOBAL protocol_compression_algorithms = 'zlib,uncompressed'")
    try:
        output = mysql.run("--compression-algorithms=zstd", logs[0])
        assert (output.status, "the server does not compress by zstd" in output.errors) == (1, True)
        assert mysql.run("--compression-algorithms=zstd,uncompressed", logs[0]).status == 0
        assert mysql.run("--compression-algorithms=zstd,zlib", logs[0]).status == 0
        mysql.server.sql("SET GLOBAL protocol_compression_algorithms = 'zlib'")
        output = mysql.run(logs[0])
        assert (output.status, "Give --compression-algorithms=zlib,zstd" in output.errors) == (1, True)
    finally:
        mysql.server.sql(
            "SET GLOBAL protocol_compression_algorithms = DEFAULT", "--compression-algorithms=zlib,uncompressed"
        )


@pytest.fixture(scope="module")
def long_log(mysql: Live, logs: list[str]) -> str:
    """A log of several compressed packets."""
    log = mysql.server.next_log()
    mysql.server.sql("INSERT INTO a.t SELECT 1, SHA2(UUID(), 512);" * 300)
    mysql.server.next_log()
    assert len(mysql.file(log)) > 6 * 16384
    return log


@pytest.mark.parametrize("algorithm", ["zlib", "zstd"])
@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("number", range(5))
def test_harm_to_a_compressed_packet_is_an_error_with_log_and_position_and_never_wrong_text(
    number: int, harm: Harm, algorithm: str, mysql: Live, long_log: str
) -> None:
    options = ["--ssl-mode=DISABLED", "--get-server-public-key", f"--compression-algorithms={algorithm}"]
    sound = mysql.run(*options, long_log).text
    with proxy(mysql.port, at_packet(number, harm), compressed=True) as port:
        output = mysql.run(*options, long_log, port=port)
    assert output.status == 1
    assert re.search(rf"mysql://root@127\.0\.0\.1:{port}/{long_log}, at \d+", output.errors), output.errors
    assert as_far_as_it_goes(output.text) in sound
    assert "Traceback" not in output.errors


# ---- large


@pytest.mark.parametrize("compressed", ["uncompressed", "zlib", "zstd"])
def test_an_event_of_40_mib_and_compression(compressed: str, mysql: Live, logs: list[str]) -> None:
    mysql.server.sql("SET GLOBAL max_allowed_packet = 1 << 30")
    mysql.server.sql("CREATE TABLE IF NOT EXISTS a.big (x LONGTEXT)")
    log = mysql.server.next_log()
    mysql.server.sql("INSERT INTO a.big VALUES (REPEAT('x', 40 << 20))", "--max-allowed-packet=1G")
    mysql.server.sql("SET SESSION binlog_transaction_compression = ON; INSERT INTO a.t VALUES (5, REPEAT('zip', 9999))")
    mysql.server.next_log()
    packed = f"--compression-algorithms={compressed}"
    for options in ((), ("-v", "--base64-output=decode-rows")):
        assert mysql.ours(packed, *options, log) == mysql.reference(packed, *options, log)
    assert len(mysql.file(log)) > 40 << 20
    assert b"Transaction_Payload" in mysql.ours(log)


# ---- other commands, copies


def test_a_check_and_an_export_are_those_of_the_files(mysql: Live, logs: list[str], tmp_path: Path) -> None:
    where = ["-R", "--no-defaults", "-uroot", "-h127.0.0.1", f"-P{mysql.port}"]
    (tmp_path / "files").mkdir()
    for log in logs[:2]:
        (tmp_path / "files" / log).write_bytes(mysql.file(log))
    checked = run_program("check", *where, *logs[:2])
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout == run_program("check", *(str(tmp_path / "files" / log) for log in logs[:2])).stdout
    for start in ((), ("--start-position=400",)):
        columns = "--columns=position,end_position,event_type,boundary,gtid,query,checksum_ok"
        there = ["export", "--format=jsonl", columns, *start, "--force", "-o"]
        run_program(*there, str(tmp_path / "live"), *where, logs[0])
        run_program(*there, str(tmp_path / "local"), str(tmp_path / "files" / logs[0]))
        name = f"{logs[0]}.jsonl"
        assert (tmp_path / "live" / name).read_bytes() == (tmp_path / "local" / name).read_bytes()
    done = run_program("check", *where, "-t", logs[0])
    assert done.returncode == 0
    assert f"in {len(mysql.logs())} logs".encode() in done.stdout


def test_raw_copies_are_the_servers_files(mysql: Live, logs: list[str], tmp_path: Path) -> None:
    prefix = f"{tmp_path}/copy-"
    output = mysql.run("--raw", f"--result-file={prefix}", *logs[:2])
    assert (output.status, output.errors, output.text) == (0, "", b"")
    assert [path.name for path in sorted(tmp_path.glob("copy*"))] == [f"copy-{log}" for log in logs[:2]]
    for log in logs[:2]:
        assert (tmp_path / f"copy-{log}").read_bytes() == mysql.file(log)
    output = mysql.run("--raw", f"--result-file={prefix}", logs[0])
    assert (output.status, "would replace a binary or relay log" in output.errors) == (2, True)
    (tmp_path / f"copy-{logs[0]}").write_bytes(b"\xfebin")
    assert mysql.run("--raw", "--force", f"--result-file={prefix}", logs[0]).status == 0
    assert (tmp_path / f"copy-{logs[0]}").read_bytes() == mysql.file(logs[0])
    following = tmp_path / "following"
    following.mkdir()
    assert mysql.run("--raw", "-t", f"--result-file={following}/", logs[0]).status == 0
    names = sorted(path.name for path in following.iterdir())
    assert names == mysql.logs()
    for log in names[:-1]:
        assert (following / log).read_bytes() == mysql.file(log)


def test_a_raw_copy_that_is_cut_or_garbled_has_no_name(mysql: Live, logs: list[str], tmp_path: Path) -> None:
    for harm in (cut, garble, drop):
        with proxy(mysql.port, at_packet(6, harm)) as port:
            output = mysql.run("--raw", f"-r{tmp_path}/copy-", "--ssl-mode=DISABLED", logs[0], port=port)
        assert output.status == 1
        assert f"{logs[0]}, at " in output.errors
        assert list(tmp_path.glob("copy*")) == []


def test_a_copy_for_ever_grows_by_whole_events_and_stays(mysql: Live, logs: list[str], tmp_path: Path) -> None:
    last = mysql.logs()[-1]
    where = ["-R", "--no-defaults", "-uroot", "-h127.0.0.1", f"-P{mysql.port}"]
    writer = subprocess.Popen([*PROGRAM, *where, "--raw", "--stop-never", f"-r{tmp_path}/", last], cwd=PROJECT)
    try:
        following = mysql.server.next_log()
        mysql.server.sql("INSERT INTO a.t VALUES (78, 'the last')")
        copy = tmp_path / following
        deadline = time.monotonic() + 30
        while not (copy.exists() and b"the last" in copy.read_bytes()) and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        writer.terminate()
        assert writer.wait(30) == 143
    assert (tmp_path / last).read_bytes() == mysql.file(last)
    assert b"the last" in copy.read_bytes()
    checked = run_program("check", "--ignore=S006", str(tmp_path / last), str(copy))
    assert (checked.returncode, checked.stdout[:11]) == (0, b"No findings")


# ---- passwords


@pytest.fixture(scope="module")
def account(mysql: Live) -> Iterator[str]:
    """A user whose password is that word."""
    word = "Gehe1m-zz'9"
    quoted = word.replace("'", "''")
    mysql.server.sql(f"CREATE USER reader IDENTIFIED BY '{quoted}'; GRANT REPLICATION SLAVE ON *.* TO reader")
    yield word
    mysql.server.sql("DROP USER reader")


def test_a_password_of_an_option_file_opens_the_log(mysql: Live, logs: list[str], account: str, tmp_path: Path) -> None:
    wanted = run_program("-R", "--no-defaults", "-uroot", "-h127.0.0.1", f"-P{mysql.port}", logs[0]).stdout
    file = tmp_path / "my.cnf"
    file.write_text(f'[client]\nuser=reader\npassword="{account}"\nhost=127.0.0.1\nport={mysql.port}\n')
    done = run_program("-R", f"--defaults-file={file}", logs[0])
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", wanted)
    done = run_program("-R", f"--defaults-file={file}", "--ssl-mode=DISABLED", "--get-server-public-key", logs[0])
    assert (done.returncode, done.stdout) == (0, wanted)
    mysql.server.sql("FLUSH PRIVILEGES")  # the server forgets whom it knows
    done = run_program("-R", f"--defaults-file={file}", "--ssl-mode=DISABLED", logs[0])
    assert done.returncode == 1
    assert b"wants the password encrypted with its public key" in done.stderr
    key = tmp_path / "public_key.pem"
    key.write_bytes((mysql.server.folder() / "public_key.pem").read_bytes())
    done = run_program(
        "-R", f"--defaults-file={file}", "--ssl-mode=DISABLED", f"--server-public-key-path={key}", logs[0]
    )
    assert (done.returncode, done.stdout) == (0, wanted)


def test_no_password_in_a_process_list_an_error_or_a_traceback(
    mysql: Live, logs: list[str], account: str, tmp_path: Path
) -> None:
    last = mysql.logs()[-1]
    where = ["-R", "--no-defaults", "-ureader", "-h127.0.0.1"]
    reader = subprocess.Popen(
        [*PROGRAM, *where, f"-P{mysql.port}", f"--password={account}", "--stop-never", last],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert reader.stdout is not None
    try:
        reader.stdout.readline()
        shown = Path(f"/proc/{reader.pid}/cmdline").read_bytes()
        assert account.encode() not in shown
        assert b"--password=" + b"x" * len(account) in shown
    finally:
        reader.terminate()
        _, errors = reader.communicate()
    assert account.encode() not in errors
    file = tmp_path / "my.cnf"
    file.write_text(f'[client]\npassword="{account}x"\n')
    defaults = f"--defaults-file={file}"
    for arguments in (
        [*where, f"-P{mysql.port}", f"-p{account}x", logs[0]],
        ["-R", "-ureader", "-h127.0.0.1", defaults, f"-P{mysql.port}", logs[0]],
        [*where, "-P1", f"-p{account}", logs[0]],
        ["-R", "-ureader", "-h127.0.0.1", defaults, "--ssl-ca=/nowhere", f"-P{mysql.port}", logs[0]],
        ["check", *where, f"-P{mysql.port}", f"-p{account}x", logs[0]],
        [f"mysql://reader:{account}@127.0.0.1:{mysql.port}/{logs[0]}"],
        ["--print-defaults", defaults],
        ["-R", "-ureader", defaults, "--spark", logs[0]],
    ):
        for traceback in ({}, {"PYBINLOG_TRACEBACK": "1"}):
            done = run_program(*arguments, **traceback)
            assert account.encode() not in done.stdout + done.stderr, arguments
            assert b"Traceback" not in done.stderr, arguments


def test_a_password_is_asked_for_where_there_is_a_terminal(mysql: Live, logs: list[str]) -> None:
    done = subprocess.run(
        [*PROGRAM, "-R", "--no-defaults", "-p", "-ureader", "-h127.0.0.1", f"-P{mysql.port}", logs[0]],
        cwd=PROJECT,
        capture_output=True,
        timeout=60,
        check=False,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 1
    assert b"there is no terminal to ask for the password on" in done.stderr


def test_a_password_is_typed_without_an_echo(mysql: Live, logs: list[str], account: str) -> None:
    where = ["-R", "--no-defaults", "-p", "-ureader", "-h127.0.0.1", f"-P{mysql.port}", "--no-tbm", "--color=never"]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(PROJECT)
        os.execv(sys.executable, [*PROGRAM, *where, logs[0]])
    shown, typed = b"", False
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        shown += data
        if b"password: " in shown and not typed:
            os.write(terminal, account.encode() + b"\n")
            typed = True
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert account.encode() not in shown
    assert b"End of log file" in shown


def test_the_end_of_the_server_is_the_end_of_the_text(tmp_path: Path) -> None:
    with live("mysql", tmp_path) as server:
        (log,) = server.logs()
        reader = subprocess.Popen(
            [*PROGRAM, "-R", "--no-defaults", "-uroot", "-h127.0.0.1", f"-P{server.port}", "--stop-never", log],
            cwd=PROJECT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            assert reader.stdout is not None
            while not reader.stdout.readline().startswith(b"# at 4"):
                pass
            server.stop()
            text, errors = reader.communicate(timeout=60)
        finally:
            reader.kill()
        assert (reader.returncode, errors) == (0, b"")
        assert b"# End of log file" in text
