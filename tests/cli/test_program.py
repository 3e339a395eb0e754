"""Commands, help, exit statuses, and where text and sentences go."""

import io
import os
from pathlib import Path
from typing import Any

import pytest

from pybinlog.cli.environment import Environment
from pybinlog.cli.main import run
from pybinlog.cli.program import COMMANDS
from pybinlog.cli.topics import TOPICS
from pybinlog.errors import TruncatedError
from tests.cli.conftest import parsed, real, without_dump
from tests.corpus import scenarios


def test_the_command_dump_may_be_left_out_or_named() -> None:
    assert parsed("a", "-v") == parsed("dump", "a", "-v") == parsed("-v", "a")


def test_a_file_named_like_the_command_is_given_with_its_folder() -> None:
    assert parsed("./dump").names == ["./dump"]
    assert parsed("dump", "dump").names == ["dump"]
    assert parsed("-v", "dump").names == ["dump"]


@pytest.mark.parametrize(
    "arguments",
    [["dump", "--help"], ["dump", "-?"], ["dump", "-h"], ["x", "-v", "--help"], ["help", "dump"], ["--help", "dump"]],
)
def test_help_is_written_to_standard_output(arguments: list[str]) -> None:
    result = parsed(*arguments)
    assert (result.status, result.err, result.dumped) == (0, "", False)
    assert result.out.startswith(b"Usage: pybinlog [dump] [OPTIONS] FILE...\n")
    assert b"Examples:\n  pybinlog binlog.000001\n" in result.out


def test_help_shows_every_option_with_its_letter() -> None:
    from pybinlog.cli.options.dump_options import OPTIONS

    text = real("help", "dump").out.decode()
    described = text + "".join(real("help", topic).out.decode() for topic in TOPICS)
    for option in OPTIONS:
        spelling = f"-{option.letter}, --{option.name}" if option.letter else f"    --{option.name}"
        assert f"  {spelling}" in described
    assert "--tbm / --no-tbm" in text
    assert max(map(len, described.splitlines())) <= 80


def test_help_describes_options_that_many_commands_share_once() -> None:
    text = real("help", "stats").out.decode()
    assert "-p, --password, -S, --socket, --protocol and others: see pybinlog help connection" in " ".join(text.split())
    assert "--include-gtids, --exclude-gtids: see pybinlog help filters" in " ".join(text.split())
    assert "--ssl-capath=FOLDER" not in text
    assert "--ssl-capath=FOLDER" in real("help", "connection").out.decode()
    assert "--exclude-gtids=GTIDS" in real("help", "filters").out.decode()
    assert "--schema=FILE" in real("help", "files").out.decode()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_is_short(command: str) -> None:
    assert len(real("help", command).out.splitlines()) <= (200 if command == "dump" else 120)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["-?"], ["help"]])
def test_help_of_the_program_names_every_command(arguments: list[str]) -> None:
    result = real(*arguments)
    assert (result.status, result.err) == (0, "")
    text = result.out.decode()
    assert text.startswith("Usage: pybinlog [COMMAND] [OPTIONS] FILE...\n")
    for name in COMMANDS:
        assert f"\n  {name} " in text
    assert "pybinlog dump --help" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_fits_80_columns_and_has_examples(command: str) -> None:
    texts = [real(*arguments).out.decode() for arguments in (["help", command], [command, "-h"], [command, "--help"])]
    assert texts[0] == texts[1] == texts[2]
    assert "Examples:" in texts[0]
    assert max(map(len, texts[0].splitlines())) <= 80
    assert max(map(len, real("help").out.decode().splitlines())) <= 80


def test_the_program_alone_shows_its_help_where_no_pipe_takes_it_for_statements() -> None:
    result = real()
    assert (result.status, result.out) == (2, b"")
    assert result.err.startswith("Usage: pybinlog [COMMAND] ")
    assert result.err.endswith(
        "ERROR: no log is given; name one or more, or - for standard input. See pybinlog --help.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["chek", "f"], "chek is neither a command nor a file; did you mean check? See pybinlog --help."),
        (["Help"], "Help is neither a command nor a file; did you mean help? See pybinlog --help."),
        (["help", "chek"], "there is no command chek; did you mean check? See pybinlog help --help."),
        (["help", "check", "tag"], "help shows one command at a time; name one. See pybinlog help --help."),
    ],
)
def test_a_word_near_a_command_is_a_usage_error(arguments: list[str], sentence: str) -> None:
    result = real(*arguments)
    assert (result.status, result.out, result.err) == (2, b"", f"ERROR: {sentence}\n")


def test_a_file_may_be_called_nearly_as_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("chek").write_bytes(b"")
    assert parsed("chek").names == ["chek"]


def test_h_with_a_word_is_the_host_and_alone_it_is_help() -> None:
    for arguments in (["-h", "db1", "x"], ["dump", "-hdb1", "x"], ["x", "-h", "db1"]):
        assert (parsed(*arguments).status, parsed(*arguments).names) == (0, ["x"])
    assert real("-h").out.startswith(b"Usage: pybinlog")


def test_a_host_and_a_log_that_is_not_here_may_mean_a_server() -> None:
    result = real("-h", "db1", "binlog.000007")
    assert (result.status, result.out) == (1, b"")
    assert "If it is a log of the server, give --read-from-remote-server (-R)." in result.err


def test_a_missing_log_means_no_text_at_all(tmp_path: Path) -> None:
    good = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
    for name, hint in ((str(tmp_path / "binlog.000009"), ""), ("statz", ". There is no command statz either; ")):
        result = real(str(good), name)
        assert (result.status, result.out) == (1, b"")
        assert result.err.startswith(f"ERROR: {name}: cannot be opened: no such file or directory{hint}")


def test_without_markers_a_missing_log_comes_after_the_text_of_those_before_as_the_reference_has_it() -> None:
    good = str(next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0])
    result = real("--no-tbm", good, "missing.000001")
    assert result.status == 1
    assert b"# at 4\n" in result.out
    assert result.err == "ERROR: missing.000001: cannot be opened: no such file or directory.\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("arguments", "environ", "colored"),
    [
        (["--foo"], {}, True),
        (["--foo"], {"NO_COLOR": "1"}, False),
        (["--foo"], {"TERM": "dumb"}, False),
        (["-s", "--color=never", "x"], {}, False),
        (["-s", "--color=always", "x"], {}, True),
    ],
)
def test_warnings_and_errors_stand_out_on_a_terminal(
    arguments: list[str], environ: dict[str, str], colored: bool
) -> None:
    err = Terminal()
    with without_dump():
        run(arguments, Environment(stdin=None, stdout=io.BytesIO(), stderr=err, environ=environ))
    word = "ERROR:" if arguments == ["--foo"] else "WARNING:"
    code = "\x1b[1;31m" if word == "ERROR:" else "\x1b[33m"
    assert err.getvalue().startswith(f"{code}{word}\x1b[0m " if colored else f"{word} ")


@pytest.mark.parametrize("arguments", [["--version"], ["-V"], *([command, "-V"] for command in COMMANDS)])
def test_the_version_is_that_of_the_package(arguments: list[str]) -> None:
    from importlib.metadata import version

    from pybinlog.distribution import DISTRIBUTION

    result = real(*arguments)
    assert (result.status, result.out, result.err) == (0, f"pybinlog {version(DISTRIBUTION)}\n".encode(), "")


def test_the_dump_is_handed_standard_input_and_no_progress() -> None:
    asked = parsed("-").asked
    assert isinstance(asked["stdin"], io.BytesIO)
    assert asked["progress"] is None


def test_a_warning_of_the_dump_is_a_line_on_standard_error() -> None:
    def action(warn: Any, **_: Any) -> None:
        warn("something is odd")

    result = parsed("x", text=b"text\n", action=action)
    assert (result.status, result.out, result.err) == (0, b"text\n", "WARNING: something is odd\n")


def test_an_error_of_the_dump_comes_after_the_text_and_is_status_1() -> None:
    def action(**_: Any) -> None:
        raise TruncatedError("the event is cut", file="binlog.000001", position=126, hint="Copy the log again")

    result = parsed("binlog.000001", text=b"text\n", action=action)
    assert result.out == b"text\n"
    assert result.err == "ERROR: binlog.000001, at 126: the event is cut. Copy the log again.\n"
    assert result.status == 1


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 0, ""),
        (OSError(28, "No space left on device"), 1, "ERROR: the text cannot be written: No space left on device.\n"),
        (MemoryError(), 1, "ERROR: there is not enough memory.\n"),
        (
            KeyError("x"),
            1,
            "ERROR: this is a fault in pybinlog: KeyError: 'x'. Please report it; with PYBINLOG_TRACEBACK=1 in the "
            "environment the place shows.\n",
        ),
    ],
)
def test_whatever_ends_a_dump_ends_without_a_traceback(error: BaseException, status: int, sentence: str) -> None:
    def action(**_: Any) -> None:
        raise error

    result = parsed("x", action=action)
    assert (result.status, result.err) == (status, sentence)


def test_a_developer_can_ask_for_the_traceback() -> None:
    def action(**_: Any) -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        parsed("x", action=action, environ={"PYBINLOG_TRACEBACK": "1"})


def test_the_short_form_is_warned_of_once() -> None:
    result = parsed("-s", "-s", "x")
    assert result.err == "WARNING: --short-form is deprecated, and a later version of MySQL will not have it.\n"
    assert result.options is not None
    assert result.options.short_form


def test_a_database_filter_is_warned_of_where_gtids_are_printed() -> None:
    result = parsed("-dshop", "x")
    assert result.err.startswith("WARNING: --database may leave out parts of transactions but keeps all their GTIDs;")
    assert result.err.count("\n") == 1
    assert parsed("-dshop", "--skip-gtids", "x").err == ""


def test_a_result_file_takes_the_text(tmp_path: Path) -> None:
    path = tmp_path / "result.sql"
    path.write_bytes(b"something longer that was there before")
    for argument in (f"--result-file={path}", f"-r{path}"):
        result = parsed("x", argument, text=b"text\n")
        assert (result.status, result.out, path.read_bytes()) == (0, b"", b"text\n")


def test_a_new_result_file_is_not_for_everybody(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        parsed("x", "-r", str(tmp_path / "result.sql"))
    finally:
        os.umask(before)
    assert (tmp_path / "result.sql").stat().st_mode & 0o777 == 0o640


def test_a_result_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    result = parsed("x", "-r", str(tmp_path / "missing" / "result.sql"))
    assert result.status == 1
    assert result.err == (
        f"ERROR: {tmp_path}/missing/result.sql: the result file cannot be written: No such file or directory. "
        "Create its folder first, or name another.\n"
    )
    assert not result.dumped


def test_a_log_is_never_overwritten_by_its_own_dump(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(b"\xfebin")
    link = tmp_path / "link"
    link.symlink_to(log)
    result = parsed("missing", str(log), "-r", str(link))
    assert result.status == 2
    assert "would overwrite the log " in result.err
    assert log.read_bytes() == b"\xfebin"


def test_the_logs_of_an_index_come_before_the_files(tmp_path: Path) -> None:
    for name, lines in (("one.index", "./a.1\n./a.2\n"), ("two.index", "b.1\n")):
        (tmp_path / name).write_text(lines)
    result = parsed("c.1", "--index", str(tmp_path / "one.index"), f"--index={tmp_path}/two.index")
    assert result.names == [f"{tmp_path}/a.1", f"{tmp_path}/a.2", f"{tmp_path}/b.1", "c.1"]


def test_an_index_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    result = parsed("--index", str(tmp_path / "none.index"))
    assert result.status == 1
    assert result.err == f"ERROR: {tmp_path}/none.index: the index file cannot be read: no such file or directory.\n"


@pytest.mark.parametrize(
    ("command", "status"), [([], 1), (["check"], 2), (["export", "-o", "out"], 1), (["--spark=local[1]"], 1)]
)
@pytest.mark.parametrize("line", ["-", "http://127.0.0.1:1/binlog.000001", "/dev/zero"])
def test_no_command_follows_an_index_to_what_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], status: int, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("binlog.index").write_text(f"{line}\n")
    result = real(*command, "--index=binlog.index", stdin=b"\xfebin")
    assert (result.status, result.out) == (status, b"")
    assert f"line 1 of the index names '{line}', which is " in result.err
    assert not list(tmp_path.glob("out/*"))


def test_a_closed_standard_output_is_an_error() -> None:
    err = io.StringIO()
    with without_dump():
        status = run(["x"], Environment(stdin=None, stdout=None, stderr=err))
    assert (status, err.getvalue()) == (1, "ERROR: standard output is closed. Name a file with --result-file.\n")


def test_a_closed_standard_error_is_no_error() -> None:
    out = io.BytesIO()
    environment = Environment(stdin=None, stdout=out, stderr=None)
    with without_dump():
        assert run(["-s", "x"], environment) == 0
    assert run(["--foo"], environment) == 1


def test_names_that_are_not_utf8_reach_the_dump() -> None:
    name = os.fsdecode(b"caf\xe9.000001")
    result = parsed(name, f"--database={name}", "--skip-gtids")
    assert result.names == [name]
    assert result.options is not None
    assert result.options.database == name


def test_of_several_logs_each_is_named_before_its_text(tmp_path: Path) -> None:
    logs = next(s for s in scenarios() if s.name == "mysql-9.7/multi-file").logs
    odd = tmp_path / "odd\nname.000009"
    odd.write_bytes(logs[0].read_bytes())
    names = [str(log) for log in (*logs, odd)]
    lines = real("--allow-gaps", *names).out.decode().splitlines()
    shown = [line for line in lines if line.startswith("# log ")]
    assert shown == [f"# log {name}".replace("\n", "\\n") for name in names]
    at = lines.index(shown[1])
    assert "# at 4" in lines[at + 1 : at + 4]  # what closes the log before may come first
    for arguments in (["--no-tbm", "--allow-gaps", *names], ["-s", "--allow-gaps", *names], names[:1]):
        assert b"# log " not in real(*arguments).out
