"""`pybinlog sql`: its arguments, formats, errors, its database file, its prompt, and the examples of docs/sql.md."""

import io
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import PROJECT, TESTDATA
from tests.shell import output_of

duckdb = pytest.importorskip("duckdb")

CORPUS = TESTDATA / "corpus" / "mysql-9.7"
BASIC = str(CORPUS / "row-basic" / "binlog.000001")
PAGE = (PROJECT / "docs" / "sql.md").read_text()
RUNS = re.findall(r"```console\n\$ ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)
VALUES = """SELECT 1.50 AS d, 3::HUGEINT AS h, true AS b, NULL AS n, 'a"b' AS t, 'x'::BLOB AS blob, [1, 2] AS l,
{'a': DATE '2026-01-02', 'b': 1.5} AS s, INTERVAL 90 MINUTE AS i, '{"k": 1.10}'::JSON AS j, 'nan'::DOUBLE AS f,
TIMESTAMPTZ '2026-01-02 03:04:05.5' AS z, TIMESTAMP '2026-01-02 03:04:05' AS ts, 'same' AS same, 'other' AS same"""


def test_the_page_has_the_fifteen_questions() -> None:
    questions = (PROJECT / "docs" / "questions.md").read_text()
    wanted = re.findall(r"^## (.*\?)$", questions, re.MULTILINE)
    assert re.findall(r"^### (.*\?)$", PAGE, re.MULTILINE) == wanted
    assert len(RUNS) == len(wanted) + 1


@pytest.mark.parametrize("number", range(len(RUNS)))
def test_a_query_gives_what_the_page_shows(number: int, questions_folder: Path) -> None:
    command, shown = RUNS[number]
    assert output_of(command, questions_folder) == shown != ""


def test_every_type_has_its_text_in_every_format() -> None:
    lines = real("sql", "--format=jsonl", VALUES, BASIC).out.decode()
    assert lines == (
        '{"d":1.50,"h":3,"b":true,"n":null,"t":"a\\"b","blob":"eA==","l":[1,2],"s":{"a":"2026-01-02","b":"1.5"},'
        '"i":"01:30:00","j":{"k": 1.10},"f":"nan","z":"2026-01-02T03:04:05.500000Z","ts":"2026-01-02 03:04:05",'
        '"same":"same","same_1":"other"}\n'
    )
    assert json.loads(real("sql", "--format=json", VALUES, BASIC).out) == [json.loads(lines)]
    csv = real("sql", "--format=csv", VALUES, BASIC).out.decode().splitlines()[1]
    assert csv.startswith('1.50,3,true,,"a""b","eA==","[1,2]","{""a"":""2026-01-02"",""b"":""1.5""}","01:30:00"')
    assert b"\tNULL\t" in real("sql", VALUES, BASIC).out
    assert real("sql", "--format=table", "SELECT 1 AS a", BASIC).out == b"a\n1\n"
    assert real("sql", "--limit=1,2", "FROM range(9) t(n)", BASIC).out == b"n\n1\n2\n"


def test_a_file_of_statements_gives_each_result(tmp_path: Path) -> None:
    file = tmp_path / "report.sql"
    file.write_text(
        "CREATE TABLE big AS FROM transactions WHERE rows > 2;\nSELECT count(*) AS n FROM big; SELECT 2 AS m;"
    )
    assert real("sql", "-f", str(file), BASIC).out == b"n\n3\nm\n2\n"
    assert real("sql", "-f", "-", BASIC, stdin=b"SELECT 3 AS x").out == b"x\n3\n"
    missing = real("sql", "-f", str(tmp_path / "nosuch"), BASIC)
    assert (missing.status, missing.out) == (1, b"")
    assert "the query cannot be read (No such file or directory)" in missing.err
    file.write_bytes(b"SELECT '\xff'")
    assert "the query is not text in UTF-8" in real("sql", "-f", str(file), BASIC).err


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([BASIC], 2, "no query is given; put it before the logs, in one argument, or name its file with -f."),
        (["SELECT 1"], 2, "no log is given"),
        (["SELECT 1", "-"], 2, "pybinlog sql cannot be used with standard input"),
        (["SELECT nosuch FROM rows", BASIC], 1, 'Referenced column "nosuch" not found'),
        (["--time-zone=Mars/Olympus", "SELECT 1", BASIC], 1, "the time zone 'Mars/Olympus' is unknown"),
        (["FROM rows", "nosuch.000001"], 1, "nosuch.000001: cannot be opened"),
        (["--attach=x.duckdb", "-f", "q.sql", BASIC], 2, "cannot be used with"),
        (["--force", "SELECT 1", BASIC], 2, "--force requires --attach"),
        (["--attach=s3://bucket/x.duckdb", BASIC], 2, "DuckDB writes no database at a URL"),
    ],
)
def test_mistakes_are_sentences(arguments: list[str], status: int, message: str) -> None:
    done = real("sql", *arguments)
    assert (done.status, done.out) == (status, b"")
    assert message in done.err


def test_damage_ends_a_query_with_its_place_and_recover_goes_on() -> None:
    damaged = str(CORPUS / "damaged-body" / "binlog.000001")
    done = real("sql", "SELECT count(*) FROM rows", damaged)
    assert done.status == 1
    assert "damaged-body/binlog.000001, at 1985: " in done.err
    recovered = real("sql", "--recover", "SELECT count(*) AS n FROM rows", damaged)
    wanted = real("export", "--recover", "--view=rows", "-o", "-", damaged).out.count(b"\n")
    assert recovered.out == b"n\n%d\n" % wanted
    assert recovered.err.count("1985") == 1


@pytest.mark.parametrize("view", ["events", "transactions", "statements", "tables"])
def test_each_view_tells_of_damage(view: str) -> None:
    done = real("sql", f"SELECT count(*) FROM {view}", str(CORPUS / "damaged-length-huge" / "binlog.000001"))
    assert done.status == 1
    assert re.search(r"damaged-length-huge/binlog.000001, at \d+: ", done.err)


def test_a_signal_ends_a_long_query(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    command = [
        sys.executable,
        "-m",
        "pybinlog",
        "sql",
        "SELECT sum(hash(a.r * b.r)) FROM range(1000000) a(r), range(1000000) b(r)",
    ]
    with subprocess.Popen(
        [*command, BASIC], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130, said


def test_a_name_with_a_blank_may_be_a_log(tmp_path: Path) -> None:
    log = tmp_path / "my log.000001"
    shutil.copy(BASIC, log)
    assert "no query is given" in real("sql", str(log)).err
    assert real("sql", "SELECT count(*) AS n FROM rows", str(log)).out == b"n\n23\n"


def test_a_database_has_all_tables(tmp_path: Path) -> None:
    file = tmp_path / "logs.duckdb"
    done = real("sql", f"--attach={file}", BASIC)
    assert (done.status, done.out) == (0, b"")
    assert re.fullmatch(r"\d+ rows in 7 tables\.\n", done.err)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    with duckdb.connect(str(file), read_only=True) as opened:
        assert opened.execute("SELECT count(*), typeof(min(total)) FROM shop.orders").fetchone() == (
            11,
            "DECIMAL(10,2)",
        )
        assert opened.execute("SELECT typeof(after) FROM rows LIMIT 1").fetchone() == ("JSON",)
        assert opened.execute("SELECT sum(rows) FROM tables").fetchone() == (23,)


def test_a_database_takes_no_logs_place_and_is_whole_or_not_there(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    shutil.copy(BASIC, log)
    assert real("sql", f"--attach={log}", "--force", str(log)).status == 2
    other = tmp_path / "binlog.000002"
    shutil.copy(BASIC, other)
    assert "would replace a binary or relay log" in real("sql", f"--attach={other}", str(log)).err
    assert other.read_bytes() == log.read_bytes() == Path(BASIC).read_bytes()
    damaged = str(CORPUS / "damaged-body" / "binlog.000001")
    assert real("sql", f"--attach={tmp_path / 'x.duckdb'}", damaged).status == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["binlog.000001", "binlog.000002"]


def test_without_duckdb_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    done = real("sql", "SELECT 1", BASIC)
    assert done.status == 1
    assert "this needs DuckDB and pyarrow" in done.err
    assert re.search(r"Install .*(duckdb|extra 'sql')", done.err)


def test_on_a_terminal_there_is_a_prompt_with_a_history(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "TERM": "xterm", "PYTHONPATH": str(PROJECT)}
    control, terminal = pty.openpty()
    command = [sys.executable, "-m", "pybinlog", "sql", BASIC]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as process:
        os.close(terminal)
        seen = io.BytesIO()
        for line, answer in (
            ("", b"sql> "),
            (".tables", b"shop.orders"),
            (".schema shop.customer", b'"email" VARCHAR'),
            ("SELECT count(*) AS n", b"...> "),
            ("FROM rows;", b"23"),
            ("SELECT nosuch;", b"nosuch"),
            (".help", b".quit"),
        ):
            os.write(control, line.encode() + b"\n" if line else b"")
            assert answer in read_until(control, seen, answer), line
        os.write(control, b".quit\n")
        assert process.wait(20) == 0
    os.close(control)
    history = tmp_path / "pybinlog" / "sql_history"
    assert "FROM rows;" in history.read_text()
    assert history.stat().st_mode & 0o777 == 0o600


def read_until(descriptor: int, seen: io.BytesIO, wanted: bytes) -> bytes:
    """Return what comes from a terminal up to a text and the next prompt; all that came after 20 seconds."""
    found, end = b"", time.monotonic() + 20
    while time.monotonic() < end and not (wanted in found and found.rstrip(b"\x1b[?2004hl\r").endswith(b"> ")):
        if select.select([descriptor], [], [], 0.1)[0]:
            found += os.read(descriptor, 1 << 16)
    seen.write(found)
    return found
